"""memory_maintenance.recall, as programs call it: rights, indexes, what it executes (spec 4)."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.engine import run as runs
from memory_maintenance.jobs.access import pin, touch
from memory_maintenance.jobs.check_database import check_database
from tests.integration.test_hostile_schema import make_hostile
from tests.support.legacy import facts
from tests.support.maintenance import (
    AS_OF,
    DEFAULTS,
    configured,
    decay,
    migrated_template,
    opened,
    row,
)
from tests.support.recalling import QUERY, embed, ids, known, publish, recalled
from tests.support.server import Connection, TestDatabase, TestServer, fresh_database

RECALL = "SELECT id::int, score FROM memory_maintenance.recall(%s, as_of => %s)"


@pytest.fixture
def connection(remembering: TestDatabase) -> Connection:
    """To the database with embeddings."""
    return remembering.connect()


def grant(connection: Connection, role: str, *grants: str) -> None:
    """What docs/recall.md grants to whoever recalls, then more."""
    for one in (
        "USAGE ON SCHEMA memory_maintenance",
        "SELECT ON public.entity_facts, public.memory_embeddings",
        "EXECUTE ON FUNCTION memory_maintenance.recall_plan_of, memory_maintenance.recall,"
        " memory_maintenance.record_access",
        *grants,
    ):
        connection.execute(f"GRANT {one} TO {role}".encode())


def checks(database: TestDatabase) -> list[tuple[str, str]]:
    """What check-config --database says of recall."""
    with (
        opened(database) as session,
        runs.started(
            session,
            DEFAULTS,
            command="check-config",
            table="public.entity_facts",
            as_of=AS_OF,
            dry_run=True,
            emit=runs.silent,
        ) as run,
    ):
        return [(c.state, c.detail) for c in check_database(run).checks if c.name == "recall"]


# -- rights --


def test_a_role_recalls_with_the_documented_grants_and_no_right_to_write(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection, importance=10)
    role = remembering.create_role()
    other = remembering.connect(user=role)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        other.execute(RECALL, [QUERY, AS_OF])
    grant(connection, role)
    assert other.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    assert row(connection, fact, "access_count")["access_count"] == 1
    for statement in (
        "UPDATE entity_facts SET access_count = 9",
        "SELECT digest FROM memory_maintenance.recall_plan",
        "UPDATE memory_maintenance.recall_plan SET by_index = 'SELECT 1'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(statement.encode())


def test_the_commands_need_what_is_documented_and_no_more(
    remembering: TestDatabase, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    fact = known(connection)
    role = remembering.create_role()
    grant(connection, role, "SELECT ON memory_maintenance.schema_version")
    assert ids(recalled(remembering, role=role)) == [fact]
    assert "to compare that with this configuration, this role needs SELECT" in caplog.text
    caplog.clear()
    grant(
        connection,
        role,
        "SELECT ON memory_maintenance.recall_plan",
        "UPDATE (last_accessed_at, access_count, pinned) ON public.entity_facts",
        "SELECT, INSERT ON memory_maintenance.event",
    )
    assert ids(recalled(remembering, role=role)) == [fact]
    assert caplog.text == ""
    with opened(remembering, role=role) as session:
        assert touch(session, DEFAULTS.settings, [str(fact)], as_of=AS_OF).ids == (fact,)
        assert pin(session, DEFAULTS.settings, [str(fact)], as_of=AS_OF).changed == (fact,)


def test_rows_that_a_policy_hides_from_the_caller_are_not_recalled(
    remembering: TestDatabase, connection: Connection
) -> None:
    known(connection, value="hidden")
    seen = known(connection, value="seen")
    role = remembering.create_role()
    grant(connection, role)
    connection.execute("ALTER TABLE entity_facts ENABLE ROW LEVEL SECURITY")
    connection.execute("CREATE POLICY p ON entity_facts USING (value = 'seen')")
    other = remembering.connect(user=role)
    assert [key for key, _ in other.execute(RECALL, [QUERY, AS_OF])] == [seen]


def test_a_blanket_grant_lets_nobody_write_what_recall_executes(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection)
    role = remembering.create_role()
    grant(connection, role, "SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA memory_maintenance")
    other = remembering.connect(user=role)
    for statement in (
        "UPDATE memory_maintenance.recall_plan SET by_index = 'SELECT 1'",
        "INSERT INTO memory_maintenance.recall_plan SELECT * FROM memory_maintenance.recall_plan"
        " ON CONFLICT (table_name) DO UPDATE SET by_index = 'SELECT 1'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="only the owner"):
            other.execute(statement.encode())
    assert checks(remembering) == [
        ("ok", "by the embeddings of 2 dimensions in public.memory_embeddings, and by words")
    ]
    connection.execute("ALTER TABLE memory_maintenance.recall_plan DISABLE TRIGGER refuse_plan")
    ((state, detail),) = checks(remembering)
    assert (state, role in detail) == ("missing", True)
    assert ids(recalled(remembering)) == [fact]


def test_a_statement_prepared_in_its_name_is_not_executed(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection, importance=10)
    assert connection.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    names = connection.execute(
        "SELECT name FROM pg_prepared_statements WHERE name LIKE 'memory_maintenance.recall%%'"
    ).fetchall()
    assert names
    for (name,) in names:
        prepared = sql.Identifier(name)
        connection.execute(sql.SQL("DEALLOCATE {}").format(prepared))
        connection.execute(
            sql.SQL(
                "PREPARE {} (text, int, timestamptz, text, text[], text[], text[], float8, int, bool)"
                " AS SELECT 1 / 0 AS returned"
            ).format(prepared)
        )
    assert connection.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]


def test_what_stands_in_public_is_not_taken_for_what_is_meant(
    remembering: TestDatabase, connection: Connection
) -> None:
    for number in range(6):
        known(connection, importance=1 + number, category="decision", data={"superseded_by": 1})

    def everything() -> list[Any]:
        found: list[Any] = []
        for path in ("public, pg_catalog", "pg_catalog", '"$user", public'):
            caller = remembering.connect(options=f"-c search_path={path.replace(' ', '')}")
            caller.execute(
                "SELECT pg_catalog.set_config('datestyle', 'SQL, DMY', false),"
                " pg_catalog.set_config('extra_float_digits', '-10', false),"
                " pg_catalog.set_config('standard_conforming_strings', 'off', false)"
            )
            for query in ("query_embedding => '[1,0]'", "query_text => 'x', min_similarity => 0.1"):
                found += caller.execute(
                    "SELECT * FROM memory_maintenance.recall("
                    f"{query}, as_of => '2026-06-01 00:00:00+00')".encode()
                ).fetchall()
        found += [touched.ids for touched in touching(remembering)]
        return found

    expected = everything()
    assert len(expected) > 36
    make_hostile(connection)
    assert everything() == expected


def touching(database: TestDatabase) -> list[Any]:
    """What touch, pin and unpin say of facts 1 and 2."""
    with opened(database) as session:
        given: tuple[Any, ...] = (session, DEFAULTS.settings, ["1", "2"])
        return [
            touch(*given, as_of=AS_OF),
            pin(*given, as_of=AS_OF),
            pin(*given, pinned=False, as_of=AS_OF),
        ]


# -- what is published --


def test_decay_publishes_the_policy_and_its_dry_run_does_not(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    call = "SELECT * FROM memory_maintenance.recall(query_text => 'x')"
    connection.execute("DELETE FROM memory_maintenance.recall_plan")
    decay(migrated, dry_run=True)
    with pytest.raises(psycopg.errors.UndefinedObject, match="no policy was published"):
        connection.execute(call)
    assert ("note", "its policy is not published yet") in checks(migrated)
    decay(migrated)
    assert connection.execute(call).fetchall() == []
    for named in ("entity_facts", "public.entity_facts"):
        connection.execute(
            "SELECT * FROM memory_maintenance.recall(query_text => 'x', facts => %s)", [named]
        )
    with pytest.raises(psycopg.errors.UndefinedObject, match="table of facts other"):
        connection.execute(
            "SELECT * FROM memory_maintenance.recall(query_text => 'x', facts => 'other')"
        )


def test_migrate_types_publishes_it(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    facts(connection, [{"key": "drink", "value": "oolong tea"}])
    found = connection.execute(
        "SELECT value FROM memory_maintenance.recall(query_text => 'oolong tea')"
    ).fetchall()
    assert found == [("oolong tea",)]
    assert [text for _, text in checks(migrated) if "publish" in text] == []


def test_a_table_that_is_gone_is_not_taken_for_one_of_several(migrated: TestDatabase) -> None:
    publish(migrated)
    connection = migrated.connect()
    call = "SELECT * FROM memory_maintenance.recall(query_text => 'x')"
    connection.execute("CREATE TABLE former AS SELECT")
    connection.execute(
        "INSERT INTO memory_maintenance.recall_plan SELECT (jsonb_populate_record("
        'p, \'{"table_name": "public.former"}\')).* FROM memory_maintenance.recall_plan AS p'
    )
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="several tables"):
        connection.execute(call)
    connection.execute("DROP TABLE former")
    assert connection.execute(call).fetchall() == []


def test_a_changed_policy_is_published_and_told_until_then(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection, importance=1)
    publish(remembering, configured(recall={"importance_weight": 1}))
    assert connection.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, pytest.approx(0.1))]
    assert [state for state, _ in checks(remembering)] == ["ok", "note"]
    decay(remembering, loaded=DEFAULTS)
    assert connection.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, pytest.approx(0.865))]


def test_a_role_without_the_owners_rights_decays_and_publishes_nothing(
    remembering: TestDatabase, connection: Connection
) -> None:
    role = remembering.create_role()
    grant(
        connection,
        role,
        "SELECT, UPDATE ON public.entity_facts",
        "SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA memory_maintenance",
    )
    before = connection.execute("SELECT digest FROM memory_maintenance.recall_plan").fetchall()
    decay(remembering, loaded=configured(recall={"importance_weight": 1}), role=role)
    after = connection.execute("SELECT digest FROM memory_maintenance.recall_plan").fetchall()
    assert after == before


def test_embeddings_of_somebody_else_are_not_read(
    remembering: TestDatabase, connection: Connection
) -> None:
    role = remembering.create_role()
    connection.execute(f"ALTER TABLE memory_embeddings OWNER TO {role}".encode())
    publish(remembering)
    with pytest.raises(psycopg.errors.UndefinedTable, match="no embeddings beside"):
        connection.execute(RECALL, [QUERY, AS_OF])
    assert checks(remembering) == [
        ("note", "by words: public.memory_embeddings belongs to somebody else than the facts")
    ]


# -- calls that can't be --


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "complaint"),
    [
        ("", "22023", "one of the two"),
        ("'[1,0]', 'x'", "22023", "one of the two"),
        ("'[1,0]', k => 0", "22023", "k is"),
        ("'[1,0]', k => NULL", "22023", "k is"),
        ("'[1,0]', min_similarity => 'NaN'", "22023", "min_similarity"),
        ("'[1,0]', as_of => 'infinity'", "22023", "as_of"),
        ("'[1,0]', candidates => 0", "22023", "candidates"),
        ("'[1,2,3]'", "22000", "dimensions 2 and 3"),
        ("'[0,0]'", "22023", "no direction"),
        ("'[NaN,1]'", "22000", "NaN"),
        ("'[1,x]'", "22P02", "invalid input"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    connection: Connection, arguments: str, sqlstate: str, complaint: str
) -> None:
    known(connection)
    with pytest.raises(psycopg.Error, match=complaint) as caught:
        connection.execute(f"SELECT * FROM memory_maintenance.recall({arguments})".encode())
    assert caught.value.sqlstate == sqlstate


# -- read-only --


def test_in_a_read_only_transaction_the_facts_are_given_and_nothing_is_recorded(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection, importance=10)
    told: list[str | None] = []
    reader = remembering.connect()
    reader.add_notice_handler(lambda notice: told.append(notice.message_primary))
    reader.execute("BEGIN READ ONLY")
    assert reader.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    assert told == ["the accesses are not recorded: the transaction, or the server, is read-only"]
    assert row(connection, fact, "access_count")["access_count"] == 0


# -- indexes --


def planned(connection: Connection) -> list[str]:
    """How the statement that recall has prepared in its session finds and ranks what is near."""
    connection.execute(RECALL, [QUERY, AS_OF])
    connection.execute("SET plan_cache_mode = force_generic_plan")
    ((name,),) = connection.execute(
        "SELECT name FROM pg_prepared_statements WHERE name LIKE 'memory_maintenance.recall%%'"
    ).fetchall()
    arguments = sql.SQL("('[1, 0]', 20, now(), NULL, '{{public}}', NULL, NULL, 0, 10, false)")
    statement = sql.SQL("EXPLAIN EXECUTE {}").format(sql.Identifier(name)) + arguments
    return [line for (line,) in connection.execute(statement).fetchall()]


def filled(connection: Connection, rows: int, category: str = "observation") -> None:
    """Facts with embeddings all around the circle, the first ones nearest to the query."""
    connection.execute(
        "INSERT INTO entity_facts (key, value, durability, category, learned_at, last_confirmed_at)"
        " SELECT 'note', concat('fact ', n), 'long_term', %s, '2026-06-01', '2026-06-01Z'"
        " FROM generate_series(1, %s) AS n",
        [category, rows],
    )
    connection.execute(
        "INSERT INTO memory_embeddings (source_type, source_id, content, embedding)"
        " SELECT 'entity_fact', id::text, 'x', concat('[', cos(a), ',', sin(a), ']')::vector"
        " FROM (SELECT id, row_number() OVER (ORDER BY id) * 1.5 / %s AS a FROM entity_facts) AS f",
        [rows],
    )


@pytest.mark.parametrize(
    "index",
    [
        "hnsw (embedding vector_cosine_ops)",
        "ivfflat (embedding vector_cosine_ops) WITH (lists = 20)",
        "hnsw (embedding vector_cosine_ops) WHERE source_type = 'entity_fact'",
    ],
)
def test_an_index_on_the_embeddings_gives_the_candidates(
    remembering: TestDatabase, connection: Connection, index: str
) -> None:
    filled(connection, 2000)
    connection.execute(f"CREATE INDEX nearest ON memory_embeddings USING {index}".encode())
    connection.execute("ANALYZE memory_embeddings, entity_facts")
    assert any("Index Scan using nearest" in line for line in planned(connection))
    first = connection.execute("SELECT min(id) FROM entity_facts").fetchone()
    assert first is not None
    found = [key for key, _ in connection.execute(RECALL, [QUERY, AS_OF])]
    assert found == list(range(first[0], first[0] + 10))


def test_the_nearest_are_ranked_and_more_of_them_where_asked(
    remembering: TestDatabase, connection: Connection
) -> None:
    slight = [known(connection, (1, 0), importance=1) for _ in range(20)]
    great = known(connection, (0.999, 0.0447), importance=10)
    ranked = (
        "SELECT id::int FROM memory_maintenance.recall(%s, as_of => %s, k => %s, candidates => %s)"
    )

    def found(k: int, candidates: int | None) -> list[int]:
        return [
            key for (key,) in connection.execute(ranked, [QUERY, AS_OF, k, candidates]).fetchall()
        ]

    assert found(1, None) == [slight[0]]
    assert found(10, 20) == slight[:10]
    assert found(10, 21) == [great, *slight[:9]]
    # Twice as many as are asked for are ranked at least.
    assert found(11, 1) == [great, *slight[:10]]


def test_a_session_notices_when_the_table_or_its_policies_change(
    remembering: TestDatabase, connection: Connection
) -> None:
    fact = known(connection, importance=10)
    role = remembering.create_role()
    grant(connection, role)
    session = remembering.connect(user=role)
    assert session.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    connection.execute("ALTER TABLE entity_facts ENABLE ROW LEVEL SECURITY")
    assert session.execute(RECALL, [QUERY, AS_OF]).fetchall() == []
    connection.execute("CREATE POLICY p ON entity_facts USING (true)")
    assert session.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    session.execute("DISCARD ALL")
    assert session.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    connection.execute("ALTER TABLE entity_facts RENAME TO facts_of_old")
    with pytest.raises(psycopg.errors.UndefinedTable, match="entity_facts"):
        session.execute(RECALL, [QUERY, AS_OF])
    connection.execute("ALTER TABLE facts_of_old RENAME TO entity_facts")
    assert session.execute(RECALL, [QUERY, AS_OF]).fetchall() == [(fact, 1.0)]
    connection.execute("REVOKE SELECT ON memory_embeddings FROM " + role)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute(RECALL, [QUERY, AS_OF])


@pytest.mark.parametrize("source", ["abc", "{0} ", "0{0}", "+{0}", "9999999999999999999", "", "-0"])
def test_an_embedding_whose_source_is_no_key_is_passed_over(
    remembering: TestDatabase, connection: Connection, source: str
) -> None:
    fact = known(connection, (0.6, 0.8))
    embed(connection, source.format(fact), (1, 0))
    found = recalled(remembering).results
    assert [(f.id, round(f.similarity, 3)) for f in found] == [(fact, 0.6)]


def test_embeddings_of_another_dimension_than_the_query_are_passed_over(
    remembering: TestDatabase, connection: Connection
) -> None:
    # Two models' vectors in a column that takes any: the way from one to the other.
    connection.execute("ALTER TABLE memory_embeddings ALTER embedding TYPE vector")
    old, new = known(connection, (0.6, 0.8)), known(connection, (0.8, 0, 0.6))
    for query, fact, similarity in ((QUERY, old, 0.6), ("[1, 0, 0]", new, 0.8)):
        found = recalled(remembering, embedding=query).results
        assert [(f.id, round(f.similarity, 3)) for f in found] == [(fact, similarity)]
    assert ids(recalled(remembering, embedding="[1]")) == []


def test_filters_that_leave_few_still_give_all_there_are(
    remembering: TestDatabase, connection: Connection
) -> None:
    connection.execute("CREATE INDEX ON memory_embeddings USING hnsw (embedding vector_cosine_ops)")
    filled(connection, 1200)
    rare = [known(connection, (0.3, 0.954), category="rare") for _ in range(3)]
    assert ids(recalled(remembering, categories=["rare"])) == rare
    assert ids(recalled(remembering, categories=["rare"], k=2)) == rare[:2]
    assert len(recalled(remembering, k=1000, min_similarity=0).results) == 1000


def test_the_settings_of_the_index_are_put_back(
    remembering: TestDatabase, connection: Connection
) -> None:
    known(connection)
    with connection.transaction():
        connection.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
        path = connection.execute("SHOW search_path").fetchone()
        connection.execute(RECALL, [QUERY, AS_OF])
        assert connection.execute("SHOW hnsw.iterative_scan").fetchone() == ("relaxed_order",)
        assert connection.execute("SHOW ivfflat.iterative_scan").fetchone() == ("off",)
        assert connection.execute("SHOW search_path").fetchone() == path
        assert connection.execute("SHOW plan_cache_mode").fetchone() == ("auto",)


def test_the_facts_are_looked_up_by_their_key(
    remembering: TestDatabase, connection: Connection
) -> None:
    filled(connection, 3000)
    connection.execute("ANALYZE entity_facts")
    publish(remembering)
    scans = [line for line in planned(connection) if "on entity_facts f" in line]
    assert scans
    assert all("entity_facts_pkey" in line for line in scans)


# -- without pgvector, with pg_trgm --


def test_texts_are_compared_by_trigrams_where_the_server_has_them(debian15: TestServer) -> None:
    with fresh_database(debian15, migrated_template(debian15)) as database:
        connection = database.connect()
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except psycopg.errors.FeatureNotSupported:
            pytest.skip("needs pg_trgm on PostgreSQL 15")
        axes = {"category": "observation", "durability": "long_term", "last_confirmed_at": AS_OF}
        tea, typo, _ = facts(
            connection,
            [
                {"key": "drink", "value": value, **axes}
                for value in ("oolong tea", "oolon tee", "sailing")
            ],
        )
        found = recalled(database, text="oolong tea").results
        assert [f.id for f in found] == [tea, typo]
        assert found[0].similarity == pytest.approx(1)
        assert 0.3 < found[1].similarity < 0.9
        assert row(connection, tea, "access_count")["access_count"] == 1
        assert recalled(database, text="oolong tea", min_similarity=0.95).results[0].id == tea
