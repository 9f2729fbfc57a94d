"""The trigger that keeps data_type and the two axes in step while both live (spec 1, 2).

Each case runs on a fact that backfill has reached and on one that it has not: the results are equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from tests.support import legacy
from tests.support.migration import AS_OWNER, Connection, migrated, unclassified
from tests.support.server import TestDatabase, TestServer, fresh_database

Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def expanded(server: TestServer, template: str) -> Iterator[TestDatabase]:
    """One database for the module, just after expand. data_type takes extended values too."""
    with fresh_database(server, template) as fresh:
        fresh.connect().execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
        unclassified(fresh)
        yield fresh


@pytest.fixture
def conn(expanded: TestDatabase) -> Connection:
    """A connection to it. Each test makes facts of its own."""
    return expanded.connect()


def stored(conn: Connection, fact: int) -> Row:
    row = conn.execute(
        "SELECT data_type, durability, category FROM entity_facts WHERE id = %s", [fact]
    ).fetchone()
    assert row is not None
    return tuple(row)


def insert(conn: Connection, **columns: Any) -> Row:
    (fact,) = legacy.facts(conn, [columns])
    return stored(conn, fact)


def without_trigger(conn: Connection, **columns: Any) -> int:
    """A fact as it was before the trigger came: unclassified."""
    with conn.transaction():
        conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
        conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT memory_maintenance_axes_present")
        (fact,) = legacy.facts(conn, [columns])
        conn.execute(
            "ALTER TABLE entity_facts ADD CONSTRAINT memory_maintenance_axes_present"
            " CHECK (durability IS NOT NULL AND category IS NOT NULL) NOT VALID"
        )
        conn.execute("ALTER TABLE entity_facts ENABLE TRIGGER USER")
    return fact


def twins(conn: Connection, data_type: str | None) -> tuple[int, int]:
    """Two facts with that old value: one that backfill has reached, one that it hasn't."""
    reached = without_trigger(conn, data_type=data_type)
    conn.execute("UPDATE entity_facts SET value = value WHERE id = %s", [reached])
    waiting = without_trigger(conn, data_type=data_type)
    assert stored(conn, waiting) == (data_type, None, None)
    assert None not in stored(conn, reached)[1:]
    return reached, waiting


def update_both(conn: Connection, data_type: str | None, assignments: str) -> Row:
    """What both twins hold after the same UPDATE; AssertionError where they differ."""
    results = []
    for fact in twins(conn, data_type):
        conn.execute(f"UPDATE entity_facts SET {assignments} WHERE id = {fact}".encode())
        results.append(stored(conn, fact))
    assert results[0] == results[1]
    return results[0]


def events(conn: Connection, fact: int) -> list[Row]:
    return conn.execute(
        "SELECT kind, detail ->> 'data_type', recorded_by FROM memory_maintenance.event"
        " WHERE table_name = 'public.entity_facts' AND fact_key = %s ORDER BY id",
        [str(fact)],
    ).fetchall()


# -- INSERT --


@pytest.mark.parametrize(
    ("data_type", "durability", "category"),
    [
        ("permanent", "permanent", "identity"),
        ("identity", "permanent", "identity"),
        ("preference", "long_term", "preference"),
        ("observation", "long_term", "observation"),
        (None, "long_term", "observation"),
        ("temporal", "short_term", "state"),
        ("trait", "permanent", "identity"),
        ("mood", "ephemeral", "mood"),
        ("state", "short_term", "state"),
        ("decision", "long_term", "decision"),
        ("routine", "long_term", "routine"),
        ("obligation", "short_term", "obligation"),
    ],
)
def test_an_insert_that_names_no_axis_gets_both_from_the_map(
    conn: Connection, data_type: str | None, durability: str, category: str
) -> None:
    assert insert(conn, data_type=data_type) == (data_type, durability, category)


def test_an_insert_that_names_nothing_is_an_observation(conn: Connection) -> None:
    assert insert(conn) == ("observation", "long_term", "observation")


def test_null_in_an_insert_means_that_the_axis_was_not_named(conn: Connection) -> None:
    row = insert(conn, data_type="identity", durability=None, category=None)
    assert row == ("identity", "permanent", "identity")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            {"durability": "permanent", "category": "identity"},
            ("permanent", "permanent", "identity"),
        ),
        ({"durability": "ephemeral", "category": "mood"}, ("temporal", "ephemeral", "mood")),
        ({"durability": "short_term"}, ("temporal", "short_term", "observation")),
        ({"category": "preference"}, ("preference", "long_term", "preference")),
        ({"category": "decision"}, ("observation", "long_term", "decision")),
        ({"category": "gossip"}, ("observation", "long_term", "gossip")),
        (
            {"data_type": "identity", "category": "preference"},
            ("permanent", "permanent", "preference"),
        ),
        (
            {"data_type": "temporal", "durability": "long_term"},
            ("observation", "long_term", "state"),
        ),
        # Its own value stays while the map agrees, an extended one and NULL as well.
        (
            {"data_type": "trait", "durability": "permanent", "category": "identity"},
            ("trait", "permanent", "identity"),
        ),
        (
            {"data_type": None, "durability": "long_term", "category": "observation"},
            (None, "long_term", "observation"),
        ),
        ({"data_type": None, "durability": "permanent"}, ("permanent", "permanent", "observation")),
    ],
)
def test_an_axis_that_an_insert_names_wins_and_data_type_follows(
    conn: Connection, columns: dict[str, Any], expected: Row
) -> None:
    assert insert(conn, **columns) == expected


def test_copy_is_mapped_like_an_insert(conn: Connection) -> None:
    with conn.cursor() as cursor:
        with cursor.copy("COPY entity_facts (key, value, data_type) FROM STDIN") as copy:
            for row in (("copied", "old", "permanent"), ("copied", "nothing", None)):
                copy.write_row(row)
        with cursor.copy("COPY entity_facts (key, value, durability, category) FROM STDIN") as copy:
            copy.write_row(("copied", "new", "short_term", "obligation"))
    found = conn.execute(
        "SELECT value, data_type, durability, category FROM entity_facts WHERE key = 'copied'"
        " ORDER BY id"
    ).fetchall()
    assert found == [
        ("old", "permanent", "permanent", "identity"),
        ("nothing", None, "long_term", "observation"),
        ("new", "temporal", "short_term", "obligation"),
    ]


# -- UPDATE --


def test_an_axis_that_an_update_changes_wins_and_data_type_follows(conn: Connection) -> None:
    row = update_both(conn, "observation", "durability = 'permanent'")
    assert row == ("permanent", "permanent", "observation")


def test_the_other_axis_comes_from_the_old_data_type(conn: Connection) -> None:
    row = update_both(conn, "preference", "durability = 'ephemeral'")
    assert row == ("temporal", "ephemeral", "preference")


def test_an_axis_wins_over_a_data_type_written_in_the_same_update(conn: Connection) -> None:
    row = update_both(
        conn, "observation", "data_type = 'identity', durability = 'ephemeral', category = 'mood'"
    )
    assert row == ("temporal", "ephemeral", "mood")


def test_an_update_of_data_type_alone_moves_both_axes(conn: Connection) -> None:
    row = update_both(conn, "observation", "data_type = 'temporal'")
    assert row == ("temporal", "short_term", "state")


@pytest.mark.parametrize("written", ["identity", "trait"])
def test_a_data_type_with_the_same_axes_is_kept_as_it_was_written(
    conn: Connection, written: str
) -> None:
    row = update_both(conn, "permanent", f"data_type = '{written}'")
    assert row == (written, "permanent", "identity")


def test_null_as_data_type_is_mapped_and_stays_null(conn: Connection) -> None:
    row = update_both(conn, "permanent", "data_type = NULL")
    assert row == (None, "long_term", "observation")


def test_an_update_of_something_else_classifies_what_is_not_yet_classified(
    conn: Connection,
) -> None:
    row = update_both(conn, "identity", "last_confirmed_at = now()")
    assert row == ("identity", "permanent", "identity")


def test_an_update_of_something_else_leaves_a_fact_with_axes_of_its_own_alone(
    conn: Connection,
) -> None:
    (fact,) = legacy.facts(conn, [{"durability": "long_term", "category": "routine"}])
    conn.execute(
        "UPDATE entity_facts SET confidence = 0.5, data_type = data_type WHERE id = %s", [fact]
    )
    assert stored(conn, fact) == ("observation", "long_term", "routine")


def test_an_update_that_changes_neither_never_calls_our_function(conn: Connection) -> None:
    (fact,) = legacy.facts(conn, [{}])
    plan = conn.execute(
        "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) UPDATE entity_facts SET confidence = 0.4"
        f" WHERE id = {fact}".encode()
    ).fetchall()
    assert not [line for (line,) in plan if "memory_maintenance" in line]


def test_null_in_an_update_takes_the_axis_of_the_old_data_type(conn: Connection) -> None:
    assert update_both(conn, "temporal", "durability = NULL, category = NULL") == (
        "temporal",
        "short_term",
        "state",
    )
    (fact,) = legacy.facts(conn, [{"data_type": "preference", "category": "routine"}])
    conn.execute("UPDATE entity_facts SET category = NULL WHERE id = %s", [fact])
    assert stored(conn, fact)[1:] == ("long_term", "observation")


def test_axes_equal_to_the_maps_leave_data_type_as_it_is(conn: Connection) -> None:
    row = update_both(conn, "identity", "durability = 'permanent', category = 'identity'")
    assert row == ("identity", "permanent", "identity")


def test_an_axis_equal_to_the_maps_does_not_win_over_a_new_data_type(conn: Connection) -> None:
    """The trigger compares values, never SET lists: writing what is there anyway says nothing."""
    row = update_both(conn, "permanent", "data_type = 'temporal', durability = 'permanent'")
    assert row == ("temporal", "short_term", "state")


def test_coming_back_to_the_axes_of_the_old_value_keeps_that_value(conn: Connection) -> None:
    (fact,) = legacy.facts(conn, [{"data_type": "preference", "category": "routine"}])
    assert stored(conn, fact) == ("observation", "long_term", "routine")
    conn.execute(
        "UPDATE entity_facts SET data_type = 'temporal', category = 'observation' WHERE id = %s",
        [fact],
    )
    assert stored(conn, fact) == ("observation", "long_term", "observation")


def test_the_old_value_is_kept_where_the_map_takes_it_to_the_new_axes(
    database: TestDatabase,
) -> None:
    """Even if another value was written beside them: an axis wins, and data_type follows it."""
    unclassified(database, config="data_type: {temporal: [long_term, passing]}")
    own = database.connect()
    (fact,) = legacy.facts(own, [{"durability": "short_term", "category": "gossip"}])
    assert stored(own, fact) == ("temporal", "short_term", "gossip")
    own.execute(
        "UPDATE entity_facts"
        " SET data_type = 'observation', durability = 'long_term', category = 'passing'"
    )
    assert stored(own, fact) == ("temporal", "long_term", "passing")


@pytest.mark.parametrize("data_type", ["permanent", "temporal", "mood", None])
def test_an_orm_that_writes_back_what_it_read_changes_nothing(
    conn: Connection, data_type: str | None
) -> None:
    """Also where it read the fact unclassified, and backfill came in between."""
    _, fact = twins(conn, data_type)
    read = conn.execute("SELECT * FROM entity_facts WHERE id = %s", [fact])
    assert read.description is not None
    columns = [c.name for c in read.description if c.name != "id"]
    row = read.fetchone()
    assert row is not None
    values = dict(zip([c.name for c in read.description], row, strict=True))
    conn.execute("UPDATE entity_facts SET confidence = confidence WHERE id = %s", [fact])
    classified = stored(conn, fact)
    statement = sql.SQL("UPDATE entity_facts SET {} WHERE id = {}").format(
        sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(c), sql.Placeholder(c)) for c in columns
        ),
        sql.Literal(fact),
    )
    conn.execute(statement, {**values, "value": "edited"})
    assert stored(conn, fact) == classified


# -- the way back --


def test_the_way_back_stays_within_the_values_that_chk_data_type_allows(
    database: TestDatabase,
) -> None:
    unclassified(database)
    connection = database.connect()
    generic = {"permanent": "permanent", "short_term": "temporal", "ephemeral": "temporal"}
    for before, durability, category in itertools.product(
        ("observation", "identity", "temporal", None),
        ("permanent", "long_term", "short_term", "ephemeral"),
        ("preference", "identity", "routine", "decision", "something new"),
    ):
        (fact,) = legacy.facts(connection, [{"data_type": before}])
        connection.execute(
            "UPDATE entity_facts SET durability = %s, category = %s WHERE id = %s",
            [durability, category, fact],
        )
        expected = generic.get(
            durability, "preference" if category == "preference" else "observation"
        )
        if (before, durability, category) == ("identity", "permanent", "identity"):
            expected = "identity"
        assert stored(connection, fact) == (expected, durability, category)


def test_an_extended_value_gives_way_once_the_axes_leave_it(conn: Connection) -> None:
    row = update_both(conn, "mood", "durability = 'short_term'")
    assert row == ("temporal", "short_term", "mood")


# -- upserts and MERGE --


def test_an_old_style_upsert_is_mapped_on_both_branches(conn: Connection) -> None:
    upsert = (
        "INSERT INTO entity_facts (id, key, value, data_type) VALUES (%s, 'k', 'v', %s)"
        " ON CONFLICT (id) DO UPDATE SET value = EXCLUDED.value, data_type = EXCLUDED.data_type"
    )
    conn.execute(upsert, [900000000, "preference"])
    assert stored(conn, 900000000) == ("preference", "long_term", "preference")
    for fact in twins(conn, "observation"):
        conn.execute(upsert, [fact, "permanent"])
        assert stored(conn, fact) == ("permanent", "permanent", "identity")


def test_a_new_style_upsert_is_mapped_on_both_branches(conn: Connection) -> None:
    upsert = (
        "INSERT INTO entity_facts (id, key, value, durability, category)"
        " VALUES (%s, 'k', 'v', 'short_term', 'obligation') ON CONFLICT (id) DO UPDATE"
        " SET durability = EXCLUDED.durability, category = EXCLUDED.category"
    )
    conn.execute(upsert, [901000000])
    assert stored(conn, 901000000) == ("temporal", "short_term", "obligation")
    for fact in twins(conn, "identity"):
        conn.execute(upsert, [fact])
        assert stored(conn, fact) == ("temporal", "short_term", "obligation")


def test_an_upsert_that_only_reinforces_leaves_the_axes_alone(conn: Connection) -> None:
    for fact in twins(conn, "identity"):
        conn.execute(
            "INSERT INTO entity_facts (id, key, value) VALUES (%s, 'k', 'v')"
            " ON CONFLICT (id) DO UPDATE SET last_confirmed_at = now()",
            [fact],
        )
        assert stored(conn, fact) == ("identity", "permanent", "identity")


def test_merge_is_mapped_on_both_branches(conn: Connection) -> None:
    if conn.info.server_version < 150000:
        pytest.skip("MERGE needs PostgreSQL 15")
    merge = (
        "MERGE INTO entity_facts AS t USING (VALUES (%s::int, %s::text)) AS s (id, data_type)"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET data_type = s.data_type"
        " WHEN NOT MATCHED THEN INSERT (id, key, value, data_type)"
        " VALUES (s.id, 'k', 'v', s.data_type)"
    )
    conn.execute(merge, [902000000, "temporal"])
    assert stored(conn, 902000000) == ("temporal", "short_term", "state")
    for fact in twins(conn, "observation"):
        conn.execute(merge, [fact, "permanent"])
        assert stored(conn, fact) == ("permanent", "permanent", "identity")


# -- values that the map lacks --


def test_an_unmapped_value_is_inserted_as_written_and_recorded(
    conn: Connection, expanded: TestDatabase
) -> None:
    role = expanded.create_role(f"LOGIN IN ROLE {legacy.AGENT}")
    writer = expanded.connect(user=role)
    (fact,) = legacy.facts(writer, [{"data_type": "strange"}])
    assert stored(conn, fact) == ("strange", "long_term", "observation")
    assert events(conn, fact) == [("unmapped_data_type", "strange", role)]


def test_an_unmapped_value_with_an_axis_is_kept_and_recorded(conn: Connection) -> None:
    (fact,) = legacy.facts(conn, [{"data_type": "strange", "durability": "permanent"}])
    assert stored(conn, fact) == ("strange", "permanent", "observation")
    assert len(events(conn, fact)) == 1


def test_an_unmapped_value_keeps_the_axes_of_a_classified_fact(conn: Connection) -> None:
    for fact in twins(conn, "permanent"):
        conn.execute("UPDATE entity_facts SET data_type = 'strange' WHERE id = %s", [fact])
        assert stored(conn, fact) == ("strange", "permanent", "identity")
        assert [e[:2] for e in events(conn, fact)] == [("unmapped_data_type", "strange")]


def test_an_unmapped_value_is_recorded_once_and_not_at_every_update(conn: Connection) -> None:
    for fact in twins(conn, "strange"):
        for _ in range(3):
            conn.execute("UPDATE entity_facts SET confidence = 0.5 WHERE id = %s", [fact])
        assert stored(conn, fact) == ("strange", "long_term", "observation")
        assert len(events(conn, fact)) == 1


def test_an_unmapped_value_written_over_and_over_is_recorded_once_a_fact_and_value(
    conn: Connection,
) -> None:
    other, fact = twins(conn, "identity")
    upsert = (
        "INSERT INTO entity_facts (id, key, value, data_type) VALUES (%s, 'k', 'v', %s)"
        " ON CONFLICT (id) DO UPDATE SET value = EXCLUDED.value, data_type = EXCLUDED.data_type"
    )
    for _ in range(3):
        conn.execute(upsert, [fact, "strange"])
    assert events(conn, fact) == [("unmapped_data_type", "strange", conn.info.user)]
    conn.execute("UPDATE entity_facts SET data_type = 'stranger' WHERE id = %s", [fact])
    conn.execute(upsert, [other, "strange"])
    assert [e[1] for e in events(conn, fact)] == ["strange", "stranger"]
    assert [e[1] for e in events(conn, other)] == ["strange"]


def test_writing_an_axis_settles_an_unmapped_value(conn: Connection) -> None:
    assert update_both(conn, "strange", "category = 'preference'") == (
        "preference",
        "long_term",
        "preference",
    )


def test_writing_a_known_data_type_settles_an_unmapped_value(conn: Connection) -> None:
    row = update_both(conn, "strange", "data_type = 'temporal'")
    assert row == ("temporal", "short_term", "state")


# -- who writes --


@pytest.mark.parametrize("when", ["before", "during", "after"])
@pytest.mark.parametrize("owner", ["superuser", "table owner"])
def test_an_agent_with_dml_alone_inserts_at_any_time(
    database: TestDatabase, when: str, owner: str
) -> None:
    admin = database.connect()
    if owner == "table owner":
        legacy.give_to_owner(admin)
    connect = AS_OWNER if owner == "table owner" else {}
    legacy.legacy(admin, {"permanent": 3})
    if when == "during":
        unclassified(database, connect=connect)
    if when == "after":
        assert migrated(database, connect=connect).verified is True
    role = database.create_role(f"LOGIN IN ROLE {legacy.AGENT}")
    agent = database.connect(user=role)
    if when != "before":
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            agent.execute("SELECT FROM memory_maintenance.run")
    shapes: Sequence[tuple[str, str]] = [("key, value", "'k', 'v'")]
    if when != "before":
        shapes = [
            *shapes,
            ("key, value, durability", "'k', 'v', 'permanent'"),
            ("key, value, category", "'k', 'v', 'mood'"),
            ("key, value, durability, category", "'k', 'v', 'ephemeral', 'mood'"),
            ("key, value, data_type, durability, category", "'k', 'v', 'temporal', NULL, NULL"),
        ]
    for columns, values in shapes:
        row = agent.execute(
            f"INSERT INTO entity_facts ({columns}) VALUES ({values}) RETURNING id".encode()
        ).fetchone()
        assert row is not None
    agent.execute("UPDATE entity_facts SET last_confirmed_at = now()")
    agent.execute("DELETE FROM entity_facts")


def test_our_functions_can_be_executed_by_nobody_else(database: TestDatabase) -> None:
    migrated(database)
    granted = database.connect().execute(
        "SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'memory_maintenance'::regnamespace"
        " AND p.prorettype = 'trigger'::regtype AND p.proname <> 'refuse_plan'"
        " AND (has_function_privilege('public', p.oid, 'EXECUTE')"
        " OR NOT p.prosecdef OR NOT '{\"search_path=pg_catalog, pg_temp\"}' <@ p.proconfig)"
    )
    assert granted.fetchall() == []


# -- once nothing is unclassified --


def update_triggers(conn: Connection) -> list[str]:
    """The definitions of our triggers for UPDATE, those of values."""
    found = conn.execute(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'entity_facts'::regclass"
        " AND tgname ~ '^memory_maintenance_(10_map|30_way_back)_update$' ORDER BY 1"
    )
    return [definition for (definition,) in found]


def test_in_the_end_only_statements_that_name_an_axis_or_data_type_reach_our_triggers(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    unclassified(database)
    assert all("BEFORE UPDATE ON" in definition for definition in update_triggers(conn))
    migrated(database)
    for definition in update_triggers(conn):
        assert "BEFORE UPDATE OF durability, category, data_type ON" in definition
        assert "jsonb" not in definition.partition("EXECUTE FUNCTION")[0]
    migrated(database)
    assert len(update_triggers(conn)) == 2


def test_what_a_trigger_of_others_changes_in_another_statement_is_mapped_all_the_same(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    (fact,) = legacy.facts(conn, [{"data_type": "preference"}])
    conn.execute(
        "CREATE FUNCTION settle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF NEW.value = 'for good' THEN NEW.data_type := 'identity'; END IF; RETURN NEW; END $$"
    )
    conn.execute(
        "CREATE TRIGGER a_settle BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION settle()"
    )
    migrated(database)
    conn.execute("UPDATE entity_facts SET value = 'for good' WHERE id = %s", [fact])
    row = conn.execute("SELECT durability, category, data_type FROM entity_facts").fetchone()
    assert row == ("permanent", "identity", "identity")


# -- who writes the old way --


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("INSERT INTO entity_facts (key, value) VALUES ('a', 'the data_type of it')", False),
        ("INSERT INTO entity_facts (key, mime_data_type) VALUES ('a', 'b')", False),
        (
            "INSERT INTO public.entity_facts AS f (key, durability) SELECT data_type, 'x' FROM y",
            False,
        ),
        ("INSERT INTO Entity_Facts (key, Data_Type) VALUES ($1, $2)", True),
        ("WITH n AS (SELECT 1) INSERT INTO entity_facts (key, data_type) SELECT 'a', 'b'", True),
        ("INSERT INTO entity_facts VALUES (1, 2, 'a')", True),
        ("INSERT INTO entity_facts SELECT * FROM other", True),
        ("INSERT INTO entity_facts DEFAULT VALUES", False),
        ("COPY entity_facts (key, value) FROM STDIN", False),
        ("COPY entity_facts (key, data_type) FROM STDIN (FORMAT csv)", True),
        ("COPY entity_facts FROM STDIN", True),
        (
            "MERGE INTO entity_facts f USING s ON true WHEN NOT MATCHED THEN INSERT (key) VALUES (1)",
            False,
        ),
        (
            "MERGE INTO entity_facts f USING s ON true WHEN NOT MATCHED THEN"
            " INSERT (key, data_type) VALUES (1, 2)",
            True,
        ),
        ("SELECT add_fact('data_type')", False),
    ],
)
def test_an_insert_is_old_style_where_its_columns_name_data_type_or_are_counted(
    database: TestDatabase, statement: str, names: bool
) -> None:
    unclassified(database)
    found = database.connect().execute(
        "SELECT memory_maintenance.names_data_type(%s, '{entity_facts}')", [statement]
    )
    assert found.fetchone() == (names,)


def old_style_writes(conn: Connection) -> list[Any]:
    """What was noted."""
    query = (
        "SELECT table_name, application_name FROM memory_maintenance.old_style_write ORDER BY id"
    )
    return conn.execute(query).fetchall()


@pytest.mark.parametrize(
    ("statement", "noted"),
    [
        ("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')", 0),
        ("INSERT INTO entity_facts (key, value, durability) VALUES ('k', 'v', 'permanent')", 0),
        ("INSERT INTO entity_facts (key, value, data_type) VALUES ('k', 'v', 'observation')", 1),
        ("UPDATE entity_facts SET data_type = data_type", 1),
        ("UPDATE entity_facts SET data_type = 'identity' WHERE false", 1),
        ("UPDATE entity_facts SET durability = 'permanent', category = 'identity'", 0),
        ("UPDATE entity_facts SET confidence = 0.4", 0),
    ],
)
def test_a_write_is_noted_where_it_would_fail_without_data_type(
    database: TestDatabase, statement: str, noted: int
) -> None:
    conn = database.connect()
    legacy.facts(conn, [{"data_type": "preference"}])
    migrated(database)
    agent = database.connect(options=f"-c role={legacy.AGENT}", application_name="catch-up")
    for _ in range(3):
        agent.execute(statement.encode())
    assert old_style_writes(conn) == [("public.entity_facts", "catch-up")] * noted


def test_serializable_writers_do_not_fail_for_what_our_triggers_note(
    database: TestDatabase,
) -> None:
    migrated(database)
    writers = [database.connect(autocommit=False) for _ in range(2)]
    for writer in writers:
        writer.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        writer.execute(
            "INSERT INTO entity_facts (key, value, data_type) VALUES ('k', 'v', 'identity')"
        )
    for writer in writers:
        writer.commit()
    assert set(old_style_writes(database.connect())) == {("public.entity_facts", "")}


def test_an_old_style_update_of_a_partition_is_noted_too(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    conn.execute(
        "CREATE TABLE entity_facts (id int PRIMARY KEY, value text, confidence float8,"
        " data_type varchar(20) DEFAULT 'observation') PARTITION BY HASH (id)"
    )
    conn.execute(
        "CREATE TABLE p0 PARTITION OF entity_facts FOR VALUES WITH (MODULUS 1, REMAINDER 0)"
    )
    conn.execute("INSERT INTO entity_facts (id, value) VALUES (1, 'v')")
    migrated(empty_database)
    conn.execute("UPDATE p0 SET data_type = 'identity'")
    assert [table for table, _ in old_style_writes(conn)] == ["public.entity_facts"]


# -- any sequence of writes --

_TYPES = st.sampled_from(
    ["permanent", "identity", "preference", "observation", "temporal", "mood", "strange", None]
)
_DURABILITIES = st.sampled_from(["permanent", "long_term", "short_term", "ephemeral", None])
_CATEGORIES = st.sampled_from(["identity", "preference", "observation", "state", "gossip", None])
_WRITES = st.fixed_dictionaries(
    {},
    optional={
        "data_type": _TYPES,
        "durability": _DURABILITIES,
        "category": _CATEGORIES,
        "confidence": st.just(0.5),
    },
).filter(bool)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=_TYPES, writes=st.lists(_WRITES, min_size=1, max_size=4))
def test_any_writes_end_the_same_whether_or_not_backfill_has_reached_the_fact(
    conn: Connection, start: str | None, writes: list[dict[str, Any]]
) -> None:
    reached, waiting = twins(conn, start)
    for write in writes:
        refusals = [refusal(conn, fact, write) for fact in (reached, waiting)]
        assert refusals[0] == refusals[1]
        if refusals == [None, None]:
            assert stored(conn, reached) == stored(conn, waiting)
            assert None not in stored(conn, reached)[1:]


def refusal(conn: Connection, fact: int, write: dict[str, Any]) -> str | None:
    """The SQLSTATE with which a guard refuses an UPDATE; None where it goes through."""
    statement = sql.SQL("UPDATE entity_facts SET {} WHERE id = {}").format(
        sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value))
            for name, value in write.items()
        ),
        sql.Literal(fact),
    )
    try:
        conn.execute(statement)
    except psycopg.Error as error:
        if error.sqlstate != "MM002":
            raise
        return error.sqlstate
    return None
