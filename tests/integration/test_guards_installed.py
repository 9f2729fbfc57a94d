"""How the guards come, stay and go: migrate-types, its versions, odd tables, and check-config --database."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memory_maintenance.cli.opening import Opened, started
from memory_maintenance.cli.watch import Watch
from memory_maintenance.database.guards import (
    DECISIONS,
    DELETION,
    LOWER_INSERT,
    LOWER_UPDATE,
    MOODS,
    NAMES,
    TRUNCATION,
)
from memory_maintenance.database.programs import Programs
from memory_maintenance.errors import ConfigError
from memory_maintenance.jobs.check_database import check_database
from memory_maintenance.migration.migrate import MigrateOptions
from tests.support import legacy
from tests.support.command import Call
from tests.support.contracting import EAGER, contracted, simple
from tests.support.guarded import (
    DECIDED,
    decision,
    events,
    guarded,
    guards,
    mood,
    reason,
    refused,
    stored,
)
from tests.support.maintenance import DEFAULTS, configured, opened
from tests.support.migration import (
    AS_OWNER,
    Connection,
    migrated,
    rolled_back,
)
from tests.support.programs import psql, schema_dump
from tests.support.server import TestDatabase, TestServer

NOT_REOPENED = "MM001"
NOT_PROMOTED = "MM002"
ALL = set(NAMES)
OF_DECISIONS = {"id", "key", "value", "category", "durability", "data"}
OF_MOODS = {"durability", "category"}


def execute(conn: Connection, statement: str, *params: Any) -> Any:
    """Execute it."""
    return conn.execute(statement.encode(), params or None)


def expected(*, data_type: bool) -> dict[str, set[str]]:
    """Which columns a statement must name for each guard."""
    more = {"data_type"} if data_type else set()
    return {
        LOWER_INSERT: set(),
        LOWER_UPDATE: OF_MOODS | more,
        DECISIONS: OF_DECISIONS | more,
        DELETION: set(),
        MOODS: OF_MOODS | more,
        TRUNCATION: set(),
    }


def present(conn: Connection, table: str = "entity_facts") -> dict[str, set[str]]:
    return {name: set(columns) for name, columns in guards(conn, table).items()}


def checked(database: TestDatabase, loaded: Any = DEFAULTS) -> dict[str, list[tuple[str, str]]]:
    """State and detail of what check-config found, by name."""
    with (
        opened(database, loaded) as session,
        started(Opened(session, loaded, Watch()), "check-config", as_of=None, dry_run=True) as run,
    ):
        found: dict[str, list[tuple[str, str]]] = {}
        for check in check_database(run).checks:
            found.setdefault(check.name, []).append((check.state, check.detail))
        return found


@pytest.fixture
def plain(database: TestDatabase) -> TestDatabase:
    """The legacy database without what else depends on data_type."""
    simple(database.connect())
    return database


# -- from expand to rollback --


def test_expand_brings_them_contract_renews_them_and_rollback_takes_them(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    legacy.legacy(conn, {"identity": 2, "observation": 2})
    before = schema_dump(plain)
    assert migrated(plain).verified
    assert present(conn) == expected(data_type=True)
    assert contracted(plain).contracted
    assert present(conn) == expected(data_type=False)
    assert migrated(plain, dry_run=True).plan == ()
    assert rolled_back(plain).rolled_back
    assert present(conn) == {}
    assert sorted(schema_dump(plain).split()) == sorted(before.split())
    assert migrated(plain).verified
    assert present(conn) == expected(data_type=True)


def test_the_order_in_which_they_fire_is_map_lower_way_back_refuse(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    found = execute(
        conn,
        "SELECT substring(tgname FROM 'memory_maintenance_(.*)') FROM pg_trigger"
        " WHERE tgrelid = 'entity_facts'::regclass AND NOT tgisinternal AND tgtype & 19 = 19"
        " ORDER BY tgname",
    ).fetchall()
    assert [name for (name,) in found] == [
        "10_map_update",
        "20_lower_moods_update",
        "30_way_back_update",
        "40_refuse_decisions",
        "40_refuse_moods",
    ]


def test_facts_with_a_history_of_decisions_and_moods_go_forward_back_and_forward(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    migrated(plain)
    closed, feeling = decision(conn), mood(conn)
    with reason(conn, "promotion", "so it is"):
        lasting = mood(conn, "permanent")
    (short,) = legacy.facts(conn, [{"category": "mood", "durability": "short_term"}])
    facts = (closed, feeling, lasting, short)
    before = [stored(conn, fact, "to_jsonb(entity_facts) - 'data_type'") for fact in facts]
    assert contracted(plain).contracted
    assert rolled_back(plain).rolled_back
    assert migrated(plain).taken_back == 4
    assert [stored(conn, f, "to_jsonb(entity_facts) - 'data_type'") for f in facts] == before
    why = "migrate-types: as it was before a rollback"
    assert [(kind, told) for kind, told, _ in events(conn, lasting)] == [
        ("mood-promoted", "so it is"),
        ("mood-promoted", why),
    ]
    assert [events(conn, fact) for fact in (closed, feeling, short)] == [[], [], []]


def test_facts_that_backfill_classifies_are_no_writes_to_decisions(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    data = {"decision": DECIDED, "do_not_reopen": True}
    facts = legacy.facts(conn, [{"data_type": kind, "data": data} for kind in ("decision", "mood")])
    result = migrated(plain)
    assert (result.verified, result.updated) == (True, 2)
    assert stored(conn, facts[0]) == ("long_term", "decision")
    assert stored(conn, facts[1]) == ("ephemeral", "mood")
    assert [events(conn, fact) for fact in facts] == [[], []]


def test_a_map_that_was_changed_moves_decisions_and_moods_and_records_it(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    data = {"decision": DECIDED, "do_not_reopen": True}
    facts = legacy.facts(conn, [{"data_type": kind, "data": data} for kind in ("decision", "mood")])
    migrated(plain)
    changed = "data_type: {decision: [permanent, decision], mood: [short_term, state]}"
    assert migrated(plain, config=changed).verified
    assert [stored(conn, fact) for fact in facts] == [
        ("permanent", "decision"),
        ("short_term", "state"),
    ]
    why = "migrate-types: the map of data_type was changed"
    assert [events(conn, fact)[0][:2] for fact in facts] == [
        ("decision-reopened", why),
        ("mood-promoted", why),
    ]


def test_a_map_that_makes_moods_last_is_refused(plain: TestDatabase) -> None:
    with pytest.raises(ConfigError, match="the configuration has 2 faults"):
        migrated(plain, config="data_type: {mood: [long_term, mood], gloom: [permanent, mood]}")


# -- databases of the version before --


def of_the_version_before(conn: Connection, table: str = "entity_facts") -> None:
    """Take away what the version before had not."""
    for name in guards(conn, table):
        execute(conn, f"DROP TRIGGER {name} ON {table}")
    for (function,) in execute(
        conn,
        "SELECT p.oid::regprocedure::text FROM pg_proc AS p"
        " WHERE p.pronamespace = 'memory_maintenance'::regnamespace AND p.proname IN ("
        "'given_reason', 'recordable', 'guarded_members', 'guarded_row', 'columns_also', 'guarded_fact',"
        "'changed_values', 'is_moved', 'note_guarded', 'refuse_decision',"
        "'refuse_reopening', 'refuse_deletion', 'refuse_truncation', 'lower_mood', 'refuse_promotion',"
        "'recall_plan_of', 'recall', 'record_access')",
    ).fetchall():
        execute(conn, f"DROP FUNCTION {function}")
    execute(conn, "DROP TABLE memory_maintenance.rejected")
    execute(conn, "DROP TABLE memory_maintenance.recall_plan")
    execute(conn, "DROP FUNCTION memory_maintenance.refuse_plan()")
    execute(conn, "DELETE FROM memory_maintenance.schema_version WHERE version >= 5")


@pytest.mark.parametrize("contract", [False, True])
def test_a_database_of_the_version_before_is_told_and_brought_to_the_present_form(
    plain: TestDatabase, call: Call, contract: bool
) -> None:
    conn = plain.connect()
    legacy.legacy(conn, {"identity": 2})
    migrated(plain)
    if contract:
        contracted(plain)
    of_the_version_before(conn)
    told = call("migrate-types", "status", "--dsn", plain.dsn).stdout
    assert "left: 6 statements" in told
    assert told.rstrip().endswith("memory-maintenance migrate-types")
    assert migrated(plain).verified
    assert present(conn) == expected(data_type=not contract)
    told = call("migrate-types", "status", "--dsn", plain.dsn).stdout
    assert "left:" not in told


def test_a_guard_that_is_missing_silent_or_another_is_put_right(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    assert checked(plain)["guards"] == [("ok", "in force, for moods and decisions")]
    (definition,) = execute(
        conn, "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = %s", MOODS
    ).fetchone()
    execute(conn, f"DROP TRIGGER {DECISIONS} ON entity_facts")
    execute(conn, f"ALTER TABLE entity_facts DISABLE TRIGGER {DELETION}")
    execute(conn, f"DROP TRIGGER {MOODS} ON entity_facts")
    execute(
        conn, definition.replace("UPDATE OF durability, category, data_type", "UPDATE OF value")
    )
    ((state, detail),) = checked(plain)["guards"]
    assert state == "missing"
    assert detail == (
        f"{DECISIONS} on entity_facts is missing; {MOODS} on entity_facts is not as it should be; "
        f"{DELETION} on entity_facts is disabled"
    )
    verified = migrated(plain, options=MigrateOptions(phase="verify"))
    assert verified.verified is False
    assert list(verified.unsettled) == [
        f"the trigger {DECISIONS} on entity_facts is missing",
        f"the trigger {DELETION} on entity_facts is disabled",
    ]
    assert migrated(plain).verified
    assert present(conn) == expected(data_type=True)
    assert checked(plain)["guards"][0][0] == "ok"


def test_a_function_of_ours_that_somebody_replaced_is_named(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    conn.execute(
        "CREATE OR REPLACE FUNCTION memory_maintenance.refuse_promotion() RETURNS trigger"
        " LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    )
    ((state, detail),) = checked(plain)["guards"]
    assert (state, detail) == ("missing", "the function refuse_promotion was altered")


def test_contract_is_refused_while_a_guard_is_missing(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    execute(conn, f"DROP TRIGGER {MOODS} ON entity_facts")
    (blocker,) = contracted(plain).blockers
    assert f"the trigger {MOODS} on entity_facts is missing" in blocker.why


# -- others' triggers --

SETS = "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NEW; END $$"
FIRES = "CREATE TRIGGER {name} BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION {name}()"


def others(conn: Connection, name: str, body: str) -> None:
    for statement in (SETS, FIRES):
        execute(conn, statement.format(name=name, body=body))


def test_others_triggers_that_may_change_what_is_guarded_are_listed(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    others(conn, "z_sets", "NEW.value := trim(NEW.value);")
    others(conn, "z_stamps", "NEW.updated_at := now(); IF NEW.value = OLD.value THEN NULL; END IF;")
    others(conn, "z_replaces", "NEW := OLD;")
    others(conn, "a_sets", "SELECT 'mood' INTO NEW.category;")
    others(conn, "z_equals", "IF true THEN NEW.data = NULL; END IF;")
    found = checked(plain)
    notes = [detail for state, detail in found["trigger"] if "guards" in detail]
    may = "may set what the guards look at"
    unseen = "after they did: unseen; rename it to sort before memory_maintenance"
    on = "on entity_facts"
    assert notes == [
        f"the trigger a_sets {on} (public.a_sets()) {may}; it fires before them, and they see it",
        f"the trigger z_equals {on} (public.z_equals()) {may}, {unseen}",
        f"the trigger z_replaces {on} (public.z_replaces()) {may}, {unseen}",
        f"the trigger z_sets {on} (public.z_sets()) {may}, {unseen}",
    ]


def test_what_others_triggers_change_before_the_guards_is_refused_like_the_writers_own(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    migrated(plain)
    fact, feeling = decision(conn), mood(conn)
    body = "IF NEW.confidence < 0.2 THEN NEW.value := 'x'; NEW.durability := 'permanent'; END IF;"
    others(conn, "a_sets", body)
    # Statements that name none of the columns pass the guards by, until they are made to look at all.
    assert "is not as it should be" in checked(plain)["guards"][0][1]
    migrated(plain)
    assert present(conn)[DECISIONS] == set()
    assert checked(plain)["guards"][0][0] == "ok"
    for which, state in ((fact, NOT_REOPENED), (feeling, NOT_PROMOTED)):
        with refused(state):
            execute(conn, "UPDATE entity_facts SET confidence = 0.1 WHERE id = %s", which)
        execute(conn, "UPDATE entity_facts SET confidence = 0.6 WHERE id = %s", which)


def test_a_trigger_that_only_stamps_costs_nobody_a_look(plain: TestDatabase) -> None:
    conn = plain.connect()
    others(conn, "stamp", "NEW.updated_at := now();")
    migrated(plain)
    assert present(conn) == expected(data_type=True)


# -- tables of other kinds --


def test_a_role_that_owns_the_table_and_is_no_superuser_installs_and_meets_them(
    plain: TestDatabase,
) -> None:
    legacy.give_to_owner(plain.connect())
    assert migrated(plain, connect=AS_OWNER).verified
    owner = plain.connect(**AS_OWNER)
    fact = decision(owner)
    for statement in (
        f"UPDATE entity_facts SET value = 'x' WHERE id = {fact}",
        f"DELETE FROM entity_facts WHERE id = {fact}",
        "TRUNCATE entity_facts",
    ):
        with refused(NOT_REOPENED):
            execute(owner, statement)
    assert stored(owner, mood(owner, "permanent")) == ("ephemeral", "mood")


NAME = '"Mem %s"."Facts ""1"""'
ODD = (
    'CREATE SCHEMA "Mem %s"',
    "CREATE TABLE " + NAME + ' ("Id" {key} PRIMARY KEY DEFAULT {default},'
    " value text NOT NULL, confidence real {columns})",
)


@pytest.mark.parametrize(
    ("key", "default", "columns"),
    [
        ("uuid", "gen_random_uuid()", ', data jsonb, "key" varchar(20)'),
        ("bigint", "(random() * 1e15)::bigint", ", data json"),
        ("smallint", "1", ", data jsonb, data_type text DEFAULT 'observation'"),
    ],
)
def test_whatever_the_table_is_called_and_its_key_is_it_is_guarded(
    empty_database: TestDatabase, key: str, default: str, columns: str
) -> None:
    conn = empty_database.connect()
    for statement in ODD:
        execute(conn, statement.format(key=key, default=default, columns=columns))
    assert migrated(empty_database, table=NAME).outcome.value == 0
    insert = (
        f"INSERT INTO {NAME} (value, durability, category, data) VALUES"
        " ('v', 'long_term', 'decision', '{\"do_not_reopen\": true, \"decision\": {\"a\": 1}}')"
        ' RETURNING "Id"::text'
    )
    (fact,) = conn.execute(insert.encode()).fetchone() or ("",)
    for statement in (
        f"UPDATE {NAME} SET value = 'x'",
        f"UPDATE {NAME} SET data = '{{\"do_not_reopen\": true}}'",
        f"DELETE FROM {NAME}",
        f"TRUNCATE {NAME}",
    ):
        with refused(NOT_REOPENED) as caught:
            conn.execute(statement.encode())
        assert str(caught.value).startswith(f"fact {fact} of {NAME} is a decision")
    # The same in other words is no change, in json as in jsonb.
    conn.execute(
        f'UPDATE {NAME} SET data = \'{{"decision" :{{"a":1}}, "do_not_reopen":true}}\''.encode()
    )
    with reason(conn, "reopen", "a test"):
        conn.execute(f"DELETE FROM {NAME}".encode())
    ((kind, why, _),) = events(conn, fact, NAME)
    assert (kind, why) == ("decision-reopened", "a test")
    lowered = f"INSERT INTO {NAME} (value, durability, category) VALUES ('v', 'permanent', 'mood')"
    conn.execute(lowered.encode())
    row = conn.execute(f"SELECT durability FROM {NAME}".encode()).fetchone()
    assert row == ("ephemeral",)


@pytest.mark.parametrize("data", ["", ", data text", ", data hstore_like"])
def test_without_a_data_column_of_json_only_moods_are_guarded(
    empty_database: TestDatabase, data: str
) -> None:
    conn = empty_database.connect()
    conn.execute("CREATE DOMAIN hstore_like AS text")
    conn.execute(
        f"CREATE TABLE entity_facts (id serial PRIMARY KEY, value text, confidence real {data})".encode()
    )
    assert migrated(empty_database).outcome.value == 0
    assert set(present(conn)) == {LOWER_INSERT, LOWER_UPDATE, MOODS}
    assert checked(empty_database)["guards"] == [
        ("ok", "in force, for moods; no data for decisions")
    ]
    execute(conn, "ALTER TABLE entity_facts DROP COLUMN IF EXISTS data")
    execute(conn, "ALTER TABLE entity_facts ADD COLUMN data jsonb")
    assert checked(empty_database)["guards"][0][0] == "missing"
    migrated(empty_database)
    assert set(present(conn)) == ALL


def test_the_archive_has_no_guards(database: TestDatabase) -> None:
    migrated(database)
    assert present(database.connect(), "entity_facts_archive") == {}


PARTITIONED = """
CREATE TABLE parted (
    id int PRIMARY KEY, key text, value text, data jsonb, confidence real, data_type text
) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (100) TO (1000) PARTITION BY HASH (id);
CREATE TABLE parted_high_0 PARTITION OF parted_high FOR VALUES WITH (MODULUS 1, REMAINDER 0)
"""
CLOSED = """
INSERT INTO {table} (id, key, value, durability, category, data) VALUES
    ({id}, 'k', 'v', 'long_term', 'decision', '{{"do_not_reopen": true, "decision": {{"a": 1}}}}')
"""


def partitioned(database: TestDatabase, **how: Any) -> Connection:
    conn = database.connect()
    conn.execute(PARTITIONED)
    assert migrated(database, table="parted", **how).outcome.value == 0
    return conn


def test_partitions_are_guarded_whichever_table_a_statement_names(
    empty_database: TestDatabase,
) -> None:
    conn = partitioned(empty_database)
    execute(conn, CLOSED.format(table="parted", id=1))
    execute(conn, CLOSED.format(table="parted_high_0", id=101))
    for statement in (
        "UPDATE parted SET value = 'x' WHERE id = 1",
        "UPDATE parted_low SET value = 'x' WHERE id = 1",
        "UPDATE parted_high_0 SET category = 'x'",
        "DELETE FROM parted WHERE id = 101",
        "DELETE FROM parted_high_0",
        "TRUNCATE parted",
        "TRUNCATE parted_low",
        "TRUNCATE parted_high",
        "TRUNCATE parted_high_0",
    ):
        with refused(NOT_REOPENED) as caught:
            execute(conn, statement)
        assert " of public.parted is a decision" in str(caught.value)
    execute(
        conn,
        "INSERT INTO parted_high (id, durability, category) VALUES (200, 'permanent', 'mood')",
    )
    assert execute(conn, "SELECT durability FROM parted WHERE id = 200").fetchone() == (
        "ephemeral",
    )
    with reason(conn, "reopen", "all of it"):
        execute(conn, "TRUNCATE parted")
    assert [why for fact in (1, 101) for _, why, _ in events(conn, fact, "public.parted")] == [
        "all of it",
        "all of it",
    ]


def test_a_rows_move_to_another_partition_is_no_deletion(empty_database: TestDatabase) -> None:
    conn = partitioned(empty_database)
    execute(conn, CLOSED.format(table="parted", id=1))
    with refused(NOT_REOPENED):
        execute(conn, "UPDATE parted SET id = 101 WHERE id = 1")  # its key
    with reason(conn, "reopen", "renumbered"):
        execute(conn, "UPDATE parted SET id = 101 WHERE id = 1")
    assert execute(conn, "SELECT tableoid::regclass::text FROM parted").fetchone() == (
        "parted_high_0",
    )
    assert [(why, d["before"], d["after"]) for _, why, d in events(conn, 1, "public.parted")] == [
        ("renumbered", {"id": 1}, {"id": 101})
    ]
    # An ordinary fact moves as ever.
    execute(conn, "INSERT INTO parted (id, value) VALUES (2, 'v')")
    execute(conn, "UPDATE parted SET id = 102 WHERE id = 2")


def test_a_row_that_is_there_again_at_the_end_of_the_statement_was_not_deleted(
    empty_database: TestDatabase,
) -> None:
    conn = partitioned(empty_database)
    execute(conn, CLOSED.format(table="parted", id=1))
    copied = "id, key, value, durability, category, data"
    moved = (
        f"WITH gone AS (DELETE FROM parted WHERE id = 1 RETURNING {copied})"
        " INSERT INTO parted (id, key, value, durability, category, data)"
        " SELECT id, key, {value}, durability, category, data FROM gone"
    )
    with refused(NOT_REOPENED):
        execute(conn, moved.format(value="'other'").replace("gone AS", "gone AS MATERIALIZED"))
    # In several statements, where one asks for it.
    with refused(NOT_REOPENED), conn.transaction():
        execute(conn, "CREATE TEMP TABLE aside ON COMMIT DROP AS SELECT * FROM parted")
        execute(conn, "DELETE FROM parted")
    with conn.transaction():
        execute(conn, "SET CONSTRAINTS ALL DEFERRED")
        execute(conn, "CREATE TEMP TABLE aside ON COMMIT DROP AS SELECT * FROM parted")
        execute(conn, "DELETE FROM parted")
        execute(conn, "INSERT INTO parted SELECT * FROM aside")
    with refused(NOT_REOPENED), conn.transaction():
        execute(conn, "SET CONSTRAINTS ALL DEFERRED")
        execute(conn, "DELETE FROM parted")
    assert execute(conn, "SELECT id, value FROM parted").fetchall() == [(1, "v")]
    assert events(conn, 1, "public.parted") == []


def test_a_partition_that_came_later_gets_its_guard_against_truncate_by_another_run(
    empty_database: TestDatabase,
) -> None:
    conn = partitioned(empty_database)
    loaded = configured(database={"table": "parted"})
    execute(conn, "CREATE TABLE late PARTITION OF parted FOR VALUES FROM (1000) TO (2000)")
    assert f"{TRUNCATION} on late is missing" in checked(empty_database, loaded)["guards"][0][1]
    execute(conn, CLOSED.format(table="parted", id=1001))
    with refused(NOT_REOPENED):
        execute(conn, "DELETE FROM late")
    migrated(empty_database, table="parted")
    with refused(NOT_REOPENED):
        execute(conn, "TRUNCATE late")
    assert checked(empty_database, loaded)["guards"][0][0] == "ok"
    execute(conn, f"ALTER TABLE late DISABLE TRIGGER {DECISIONS}")
    assert f"{DECISIONS} on late is disabled" in checked(empty_database, loaded)["guards"][0][1]
    migrated(empty_database, table="parted")
    assert checked(empty_database, loaded)["guards"][0][0] == "ok"


def test_partitions_are_as_they_were_after_a_rollback(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    conn.execute(PARTITIONED)
    before = schema_dump(empty_database)
    migrated(empty_database, table="parted")
    assert contracted(empty_database, EAGER, table="parted").contracted
    assert "data_type" not in present(conn, "parted")[DECISIONS]
    assert rolled_back(empty_database, table="parted").rolled_back
    assert sorted(schema_dump(empty_database).split()) == sorted(before.split())


# -- where triggers don't fire, and what survives --


def test_replicas_and_their_sessions_take_what_they_are_sent(plain: TestDatabase) -> None:
    conn = plain.connect()
    migrated(plain)
    fact = decision(conn)
    with conn.transaction():
        execute(conn, "SET LOCAL session_replication_role = replica")
        execute(conn, "UPDATE entity_facts SET value = 'as published' WHERE id = %s", fact)
    assert stored(conn, fact, "value") == ("as published",)
    with refused(NOT_REOPENED):
        execute(conn, "UPDATE entity_facts SET value = 'x' WHERE id = %s", fact)


def test_a_restored_dump_has_its_guards_and_facts_as_they_were(
    plain: TestDatabase, empty_database: TestDatabase, tmp_path: Path
) -> None:
    conn = plain.connect()
    migrated(plain)
    fact = decision(conn)
    with reason(conn, "promotion", "so it is"):
        lasting = mood(conn, "permanent")
    facts = {fact: stored(conn, fact), lasting: stored(conn, lasting)}
    dump = tmp_path / "dump.sql"
    subprocess.run(
        [Programs.from_wheel().path("pg_dump"), f"--file={dump}", f"--dbname={plain.dsn}"],
        check=True,
        capture_output=True,
        timeout=120,
    )
    # Servers before 17 don't know the parameter.
    dump.write_text(dump.read_text().replace("SET transaction_timeout = 0;\n", ""))
    done = psql(empty_database, dump)
    assert (done.returncode, done.stderr) == (0, "")
    restored = empty_database.connect()
    assert present(restored) == expected(data_type=True)
    assert {fact: stored(restored, fact) for fact in facts} == facts
    with refused(NOT_REOPENED):
        execute(restored, "DELETE FROM entity_facts WHERE id = %s", fact)
    with refused(NOT_PROMOTED):
        execute(restored, "UPDATE entity_facts SET category = 'x' WHERE id = %s", lasting)
    assert checked(empty_database)["guards"][0][0] == "ok"


def test_a_statement_that_names_nothing_guarded_reaches_no_guard(
    server: TestServer, template: str
) -> None:
    for state in ("settled", "contracted", "without data_type"):
        with guarded(server, template, state) as fresh:
            conn = fresh.connect()
            fact = decision(conn)
            plan = execute(
                conn,
                "EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) UPDATE entity_facts SET confidence = 0.4,"
                f" last_confirmed_at = now() WHERE id = {fact}",
            ).fetchall()
            assert not [line for (line,) in plan if "memory_maintenance" in line]


def test_a_plan_of_contract_as_a_script_renews_them_too(
    plain: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = plain.connect()
    migrated(plain)
    for phase, data_type in (("contract", False), ("rollback", None)):
        script = tmp_path / f"{phase}.sql"
        done = call("migrate-types", "--phase", phase, "--plan", str(script), "--dsn", plain.dsn)
        assert done.returncode == 0, done.stdout
        ran = psql(plain, script)
        assert (ran.returncode, ran.stderr) == (0, "")
        wanted: Mapping[str, set[str]] = {} if data_type is None else expected(data_type=data_type)
        assert present(conn) == wanted
