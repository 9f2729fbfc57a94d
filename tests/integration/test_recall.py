"""recall: what is near to a query, ranked by similarity and importance (spec 4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.recall import Explained
from tests.support.command import Call
from tests.support.decisions import record, said, supersede
from tests.support.legacy import entity, facts
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    configured,
    decay,
    migrate_types,
    opened,
    row,
)
from tests.support.recalling import QUERY, add_embeddings, embed, ids, known, recalled
from tests.support.server import Connection, TestDatabase

EIGHT, SIX = (0.8, 0.6), (0.6, 0.8)
"""Unit vectors whose similarity to the query is 0.8 and 0.6."""


@pytest.fixture
def connection(remembering: TestDatabase) -> Connection:
    """To the database with embeddings."""
    return remembering.connect()


def scores(result: Any) -> dict[Any, float]:
    """The score of each fact."""
    return {found.id: found.score for found in result.results}


# -- ranking --


def test_the_score_is_similarity_weighted_by_effective_importance(
    remembering: TestDatabase, connection: Connection
) -> None:
    exact = known(connection, (1, 0), importance=1)
    great = known(connection, EIGHT, importance=10)
    middling = known(connection, EIGHT, importance=5)
    result = recalled(remembering)
    # 1 - 0.15 + 0.15 * importance / 10
    assert scores(result) == pytest.approx({exact: 0.865, great: 0.8, middling: 0.8 * 0.925})
    assert ids(result) == [exact, great, middling]


def test_preferences_count_more(remembering: TestDatabase, connection: Connection) -> None:
    other = known(connection, EIGHT, importance=5)
    preference = known(connection, EIGHT, importance=5, category="preference")
    assert scores(recalled(remembering)) == pytest.approx(
        {preference: 0.8 * 0.925 * 1.1, other: 0.8 * 0.925}
    )


def test_weights_come_from_the_configuration(
    remembering: TestDatabase, connection: Connection
) -> None:
    exact = known(connection, (1, 0), importance=1)
    great = known(connection, EIGHT, importance=10, category="preference")
    alone = configured(recall={"importance_weight": 0, "category_weight": {"preference": 1}})
    assert scores(recalled(remembering, alone)) == pytest.approx({exact: 1, great: 0.8})
    product = configured(recall={"importance_weight": 1, "category_weight": {"preference": 2}})
    assert scores(recalled(remembering, product)) == pytest.approx({exact: 0.1, great: 1.6})


def test_an_exact_match_of_ninety_days_stays_before_important_strangers(
    remembering: TestDatabase, connection: Connection
) -> None:
    old = known(connection, (1, 0), importance=7, last_confirmed_at=ago(days=90))
    for _ in range(9):
        known(connection, SIX, importance=10, category="preference")
    found = recalled(remembering)
    assert found.results[0].id == old
    assert (found.results[0].importance, found.results[0].effective_importance) == (7, 1)


def test_importance_is_the_exact_one_at_the_instant_and_not_what_is_stored(
    remembering: TestDatabase, connection: Connection
) -> None:
    # Golden values of the spec: 7 after 14 days, accessed now or not at all.
    accessed = known(
        connection, importance=7, last_confirmed_at=ago(days=14), last_accessed_at=AS_OF
    )
    visited = known(connection, importance=7, last_confirmed_at=ago(days=14))
    connection.execute("UPDATE entity_facts SET effective_importance = 9")
    found = recalled(remembering, record=False).results
    assert {f.id: f.effective_importance for f in found} == {accessed: 4, visited: 2}
    later = recalled(remembering, record=False, as_of=ahead(days=14)).results
    assert {f.id: f.effective_importance for f in later} == {accessed: 1, visited: 1}


def test_importance_is_what_decay_writes_at_that_instant(
    remembering: TestDatabase, connection: Connection
) -> None:
    connection.execute(
        """
        INSERT INTO entity_facts (key, value, confidence, durability, category, learned_at, last_confirmed_at,
            importance, last_accessed_at, pinned, expires, decay_rate)
        SELECT 'note', concat('fact ', n), (n % 10) / 10.0,
            (ARRAY['permanent', 'long_term', 'short_term', 'ephemeral'])[1 + n % 4],
            (ARRAY['observation', 'preference', 'decision', 'obligation', 'routine'])[1 + n % 5],
            '2025-05-01'::timestamp,
            CASE WHEN n % 11 > 0 THEN '2026-06-01Z'::timestamptz - n * n % 977 * interval '1 hour' END,
            1 + n % 10,
            CASE WHEN n % 3 > 0 THEN '2026-06-01Z'::timestamptz - n * 7 % 300 * interval '1 hour' END,
            n % 17 = 0,
            CASE WHEN n % 5 = 3 THEN '2026-06-01Z'::timestamptz + (n % 9 - 4) * interval '1 day' END,
            CASE WHEN n % 6 = 0 THEN 0.1 END
        FROM generate_series(1, 300) AS n
        """
    )
    connection.execute(
        "INSERT INTO memory_embeddings (source_type, source_id, content, embedding)"
        " SELECT 'entity_fact', id::text, value, '[1,0]' FROM entity_facts"
    )
    for loaded in (EXACT, configured(importance={"clock": "accessed", "half_life": "30d"})):
        found = recalled(remembering, loaded, k=1000, record=False)
        decay(remembering, AS_OF, loaded)
        stored = connection.execute(
            "SELECT id, effective_importance FROM entity_facts WHERE id > 0"
        ).fetchall()
        assert {f.id: f.effective_importance for f in found.results} == dict(stored)
        assert len(set(dict(stored).values())) > 5


def test_ties_go_by_key(remembering: TestDatabase, connection: Connection) -> None:
    keys = [known(connection) for _ in range(5)]
    assert ids(recalled(remembering)) == keys
    assert ids(recalled(remembering, k=2)) == keys[:2]


def test_what_is_not_similar_enough_is_not_given(
    remembering: TestDatabase, connection: Connection
) -> None:
    near, _ = known(connection, SIX), known(connection, (0.1, 0.995), importance=10)
    known(connection, (-1, 0), importance=10)
    known(connection, (0, 0), importance=10)
    assert ids(recalled(remembering)) == [near]
    assert ids(recalled(remembering, min_similarity=0.61)) == []
    assert len(recalled(remembering, min_similarity=0.05).results) == 2


def test_a_fact_with_several_embeddings_counts_once_as_its_nearest(
    remembering: TestDatabase, connection: Connection
) -> None:
    connection.execute(
        "ALTER TABLE memory_embeddings DROP CONSTRAINT memory_embeddings_source_type_source_id_key"
    )
    fact = known(connection, SIX)
    embed(connection, fact, EIGHT)
    (found,) = recalled(remembering).results
    assert found.id == fact
    assert found.similarity == pytest.approx(0.8)


# -- filters and exclusions --


def test_category_and_durability_choose(remembering: TestDatabase, connection: Connection) -> None:
    a = known(connection)
    b = known(connection, category="preference")
    c = known(connection, category="preference", durability="permanent")
    assert set(ids(recalled(remembering, categories=["preference"]))) == {b, c}
    assert ids(recalled(remembering, durabilities=["permanent"])) == [c]
    assert set(ids(recalled(remembering, categories=["observation", "preference"]))) == {a, b, c}
    assert ids(recalled(remembering, categories=["observation"], durabilities=["permanent"])) == []


def test_expired_facts_are_left_out_but_for_obligations_and_pinned_ones(
    remembering: TestDatabase, connection: Connection
) -> None:
    known(connection, expires=ago(seconds=1))
    known(connection, durability="permanent", expires=AS_OF)
    # Its importance is unknown, that it has expired isn't.
    known(connection, expires=ago(days=1), decay_rate=-1)
    alive = known(connection, expires=ahead(seconds=1))
    endless = known(connection, expires="infinity")
    pinned = known(connection, expires=ago(days=1), pinned=True)
    overdue = known(connection, category="obligation", expires=ago(days=1))
    done = known(
        connection,
        category="obligation",
        expires=ago(days=1),
        data={"obligation": {"status": "done"}},
    )
    assert set(ids(recalled(remembering))) == {alive, endless, pinned, overdue, done}


def test_a_superseded_decision_is_left_out(
    remembering: TestDatabase, connection: Connection
) -> None:
    first = record(remembering).id
    second = supersede(remembering, first, said(decided="SQLite")).id
    for key in (first, second):
        embed(connection, key, (1, 0))
    assert ids(recalled(remembering)) == [second]


def test_a_row_with_a_data_problem_is_given_with_a_middling_importance(
    remembering: TestDatabase, connection: Connection
) -> None:
    odd = known(connection, importance=9, decay_rate=-1)
    (found,) = recalled(remembering, explain=True).results
    assert (found.id, found.importance, found.effective_importance) == (odd, 9, 5)
    assert isinstance(found, Explained)
    assert found.explanation["problem"] == "decay_rate is negative"


def test_embeddings_of_other_things_and_of_facts_that_are_gone_are_passed_over(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection)
    embed(connection, fact, (1, 0), "event")
    for source in ("99999999", "x", "", "9" * 30, "1e1", "-0"):
        embed(connection, source, (1, 0))
    connection.execute(
        "INSERT INTO memory_embeddings (source_type, content, embedding)"
        " VALUES ('entity_fact', 'x', '[1,0]'), ('entity_fact', 'x', NULL)"
    )
    assert ids(recalled(remembering)) == [fact]


# -- privacy --


@pytest.mark.parametrize(
    ("visibility", "scope", "viewer", "asked", "told"),
    [
        ("public", None, None, (), True),
        (None, None, None, (), True),
        ("trusted", None, None, (), False),
        ("private", None, None, (), False),
        ("secret", None, None, (), False),
        ("", None, None, (), False),
        ("trusted", None, None, ("trusted",), True),
        ("private", None, None, ("trusted",), False),
        ("private", None, None, ("trusted", "private"), True),
        ("public", None, None, ("private",), True),
        ("private", None, "them", (), False),
        ("private", "them", "them", (), True),
        ("public", "them", "them", (), True),
        ("public", "them", None, (), False),
        ("public", "others", "them", (), False),
        ("private", "others", "them", ("private",), False),
        ("public", "nobody", "them", ("private",), False),
    ],
)
def test_who_may_be_told(
    remembering: TestDatabase,
    connection: Connection,
    visibility: str | None,
    scope: str | None,
    viewer: str | None,
    asked: tuple[str, ...],
    told: bool,
) -> None:
    who = {name: entity(connection, name) for name in ("them", "others")}
    scopes: dict[str | None, Any] = {
        None: None,
        "nobody": [],
        **{name: [key] for name, key in who.items()},
    }
    fact = known(connection, visibility=visibility, privacy_scope=scopes[scope])
    asking: dict[str, Any] = {
        "viewer": None if viewer is None else str(who[viewer]),
        "visibility": asked,
    }
    by_text = recalled(remembering, text="x", min_similarity=0, **asking)
    assert ids(recalled(remembering, **asking)) == ids(by_text) == ([fact] if told else [])


def test_a_null_among_what_is_asked_for_or_in_a_scope_opens_nothing(
    remembering: TestDatabase, connection: Connection
) -> None:
    known(connection, visibility="private")
    known(connection, privacy_scope=[None])
    found = connection.execute(
        "SELECT id FROM memory_maintenance.recall("
        "'[1,0]', visibility => ARRAY[NULL, 'trusted'], viewer => '1')"
    ).fetchall()
    assert found == []


def test_a_viewer_that_can_be_none_is_refused(remembering: TestDatabase) -> None:
    with pytest.raises(UsageError, match="--viewer Ana"):
        recalled(remembering, viewer="Ana")


# -- recording --


def test_the_access_is_recorded_of_what_is_given_and_of_nothing_else(
    remembering: TestDatabase, connection: Connection
) -> None:
    given, left = known(connection, (1, 0)), known(connection, EIGHT)
    recalled(remembering, k=1)
    stored = ("last_accessed_at", "access_count", "updated_at", "last_confirmed_at")
    before = row(connection, left, *stored)
    assert (before["last_accessed_at"], before["access_count"]) == (None, 0)
    after = row(connection, given, *stored)
    assert (after["last_accessed_at"], after["access_count"]) == (AS_OF, 1)
    assert after["last_confirmed_at"] == AS_OF
    recalled(remembering, k=1, record=False)
    recalled(remembering, k=1, as_of=ago(days=3))
    # Never moved back.
    assert row(connection, given, *stored) == after | {"access_count": 2}


def test_an_access_that_could_not_be_recorded_is_told(
    remembering: TestDatabase, connection: Connection, call: Call
) -> None:
    fact = known(connection)
    connection.execute("BEGIN")
    connection.execute("UPDATE entity_facts SET value = 'y' WHERE id = %s", [fact])
    run = call("recall", QUERY, "--dsn", remembering.dsn, "--format", "json")
    connection.execute("ROLLBACK")
    assert [found["id"] for found in json.loads(run.stdout)["results"]] == [fact]
    assert "of 1 accesses 0 were recorded" in run.stderr


# -- explaining --


def test_the_explanation_multiplies_to_the_score(
    remembering: TestDatabase, connection: Connection
) -> None:
    known(
        connection,
        EIGHT,
        importance=7,
        category="preference",
        last_confirmed_at=ago(days=14),
        last_accessed_at=ago(days=5),
    )
    (found,) = recalled(remembering, explain=True).results
    assert isinstance(found, Explained)
    why = found.explanation
    # 7 * 1/2 * 0.8 = 2.8, rounded.
    assert found.effective_importance == 3
    assert found.score == pytest.approx(0.8 * (0.85 + 0.15 * 0.3) * 1.1)
    assert why["weight"] == pytest.approx(0.895)
    assert (why["category_weight"], why["min_similarity"]) == (1.1, 0.2)
    assert (why["clock"], why["days_since_update"], why["days_since_access"]) == (
        "confirmed",
        14,
        5,
    )
    assert (why["fading"], why["access_boost"], why["exempt"]) == (0.5, 0.8, False)


def test_people_are_told_how_a_score_came_about(
    remembering: TestDatabase, connection: Connection, call: Call
) -> None:
    known(connection, EIGHT, "likes\x1b[31m tea", importance=7, last_confirmed_at=ago(days=14))
    shown = call(
        "recall", QUERY, "--dsn", remembering.dsn, "--explain", "--as-of", "2026-06-01T00:00Z"
    )
    assert shown.returncode == 0, shown.stderr
    told = " ".join(shown.stdout.split())
    # 7 * 1/2 * 0.5 = 1.75, rounded: 2, and 0.85 + 0.15 * 0.2 = 0.88.
    assert "0.800 (at least 0.2) * weight 0.880 * category 1 = 0.704" in told
    assert (
        "importance 7 * fading 0.500 (14.0 days, clock confirmed) * access 0.5 (unused for 14.0 days): 2"
        in told
    )
    assert "\x1b" not in shown.stdout


# -- the command --


def test_the_document_is_as_promised(
    remembering: TestDatabase, connection: Connection, call: Call
) -> None:
    fact = known(connection, (1, 0), "tea", key="drink", category="preference", importance=7)
    run = call(
        "recall",
        QUERY,
        "--dsn",
        remembering.dsn,
        "--format",
        "json",
        "--as-of",
        "2026-06-01T00:00Z",
    )
    document = json.loads(run.stdout)
    assert document["command"] == "recall"
    (result,) = document["results"]
    assert list(result) == [
        "id",
        "key",
        "value",
        "category",
        "durability",
        "similarity",
        "importance",
        "effective_importance",
        "score",
    ]
    assert result["score"] == pytest.approx(0.955 * 1.1)
    del result["score"]
    assert result == {
        "id": fact,
        "key": "drink",
        "value": "tea",
        "category": "preference",
        "durability": "long_term",
        "similarity": 1.0,
        "importance": 7,
        "effective_importance": 7,
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["[NaN, 1]"], "it holds NaN"),
        (["[1e400, 1]"], "element 1 of the embedding is too large"),
        (["[]"], "an empty array"),
        (["[0, 0]"], "no direction"),
        (["[1, 0, 0]"], "different vector dimensions 2 and 3"),
        (["[1, 0]", "--text", "x"], "one of the two"),
        ([], "one of the two"),
        (["--text", "  "], "blank"),
        (["[1, 0]", "--min-similarity", "1.5"], "0 to 1"),
        (["[1, 0]", "--min-similarity", "nan"], "0 to 1"),
        (["[1, 0]", "-k", "0"], "-k"),
        (["[1, 0]", "--durability", "forever"], "forever"),
    ],
)
def test_what_cannot_be_searched_for_is_wrong_usage(
    remembering: TestDatabase,
    connection: Connection,
    call: Call,
    arguments: list[str],
    complaint: str,
) -> None:
    known(connection)
    run = call("recall", *arguments, "--dsn", remembering.dsn)
    assert run.returncode == 2, run.stderr
    assert complaint in run.stderr


# -- texts --


def test_texts_are_compared_where_there_is_no_embedding(
    migrated: TestDatabase,
) -> None:
    connection = migrated.connect()
    connection.execute("DROP EXTENSION IF EXISTS pg_trgm CASCADE")
    connection.execute("ALTER TABLE memory_embeddings ADD COLUMN other text")

    def fact(key: str, value: str) -> int:
        columns = {"category": "observation", "durability": "long_term", "last_confirmed_at": AS_OF}
        return facts(connection, [{"key": key, "value": value, **columns}])[0]

    tea = fact("favorite_drink", "green tea")
    coffee = fact("drink", "coffee in the morning")
    fact("hobby", "sailing")
    found = recalled(migrated, text="What is her favorite drink?", min_similarity=0.1).results
    # Lexemes: {favorit, drink} of 2; {favorit, drink, green, tea} and {drink, coffe, morn} of the facts.
    assert {f.id: f.similarity for f in found} == pytest.approx(
        {tea: 2 / (2 * 4) ** 0.5, coffee: 1 / (2 * 3) ** 0.5}
    )
    (same,) = recalled(migrated, text="tea, green; favorite drink", k=1).results
    assert same.id == tea
    assert same.similarity == pytest.approx(1)
    assert ids(recalled(migrated, text="the of and")) == []
    with pytest.raises(UsageError, match="there are no embeddings"):
        recalled(migrated)


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE entity_facts; --", "$1 %s {x} \\ \x01", "é" * 99999]
)
def test_a_hostile_text_is_data(
    remembering: TestDatabase, connection: Connection, text: str
) -> None:
    fact = known(connection, value=text[:5000])
    found = recalled(remembering, text=text, min_similarity=0, visibility=[text], viewer=None)
    assert ids(found) in ([fact], [])
    assert row(connection, fact, "value")["value"] == text[:5000]


def test_a_table_of_another_name_schema_and_key(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    loaded = configured(database={"table": 'own."My Facts"'})
    connection.execute(
        'CREATE SCHEMA own; CREATE TABLE own."My Facts" (id uuid PRIMARY KEY, key text, value text,'
        " confidence real, learned_at timestamp, last_confirmed_at timestamptz, privacy_scope uuid[])"
    )
    migrate_types(empty_database, loaded)
    add_embeddings(connection, schema="own")
    key = "00000000-0000-0000-0000-00000000000a"
    connection.execute(
        'INSERT INTO own."My Facts" (id, key, value) VALUES (%s, %s, %s)', [key, "k", "v"]
    )
    with opened(empty_database, loaded):
        pass
    connection.execute("SET search_path = own, public")
    embed(connection, key, (1, 0))
    (found,) = recalled(empty_database, loaded).results
    assert (str(found.id), found.key, found.value) == (key, "k", "v")
    stored = connection.execute('SELECT access_count FROM own."My Facts"').fetchone()
    assert stored == (1,)
