"""migrate-types, first form: what it does to a deployment's table, and what it leaves alone."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.errors import Busy, Denied, UsageError
from memory_maintenance.migration.migrate import MigrateOptions
from memory_maintenance.migration.result import MigrateResult
from memory_maintenance.model.result import Outcome
from memory_maintenance.render.text import render_text
from tests.support import legacy
from tests.support.command import Call, Command
from tests.support.migration import (
    AS_OWNER,
    IMPATIENT,
    PRODUCTION,
    Connection,
    catalog,
    contents,
    counts,
    migrated,
    unclassified,
)
from tests.support.migration import (
    columns_of as columns,
)
from tests.support.server import TestDatabase, TestServer
from tests.support.waiting import wait_until

OURS = (
    "'durability', 'category', 'confidence_base', 'confidence_anchor_at', 'confidence_written',"
    " 'importance', 'importance_scored_at', 'effective_importance', 'last_accessed_at',"
    " 'access_count', 'pinned', 'expires'"
)
CLASSIFIED: dict[tuple[str | None, str | None], int] = {
    ("permanent", "identity"): 166,
    ("long_term", "preference"): 4,
    ("long_term", "observation"): 400,
}

# pg_locks has the locks of other databases of the server too, where other tests are at work.
WAITING_HERE = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def rows(conn: Connection) -> list[tuple[Any, ...]]:
    return conn.execute(
        "SELECT data_type, durability, category FROM entity_facts ORDER BY id"
    ).fetchall()


def one(conn: Connection, statement: str) -> Any:
    row = conn.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


# -- what it does --


def test_the_reference_deployment_migrates_to_the_counts_of_the_specification(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    legacy.legacy(conn, PRODUCTION)
    before = contents(conn)
    result = migrated(each_database)
    assert result.outcome is Outcome.DONE
    assert (result.updated, result.verified, result.unmapped) == (570, True, ())
    assert counts(conn) == CLASSIFIED
    assert contents(conn, f"to_jsonb(f) - ARRAY[{OURS}]") == before


def test_not_a_byte_of_other_columns_changes_the_writers_clocks_included(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.facts(
        conn,
        [
            {"data_type": "permanent", "value": "é\t\\ 'x'", "confidence": 0.1 + 0.2},
            {"data_type": None, "confidence": None, "learned_at": None, "updated_at": None},
            {"data_type": "identity", "last_confirmed_at": "infinity", "decay_rate": -1.5},
            {"data_type": "temporal", "updated_at": "2001-02-03 04:05:06.789", "data": {"a": [1]}},
            {"data_type": "preference", "learned_at": "-infinity", "privacy_scope": [1, 2]},
        ],
    )
    before = contents(conn)
    migrated(database)
    assert contents(conn, f"to_jsonb(f) - ARRAY[{OURS}]") == before


def test_the_proposed_types_null_and_temporal_are_mapped_too(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    expected = {
        "trait": ("permanent", "identity"),
        "mood": ("ephemeral", "mood"),
        "state": ("short_term", "state"),
        "decision": ("long_term", "decision"),
        "routine": ("long_term", "routine"),
        "obligation": ("short_term", "obligation"),
        "identity": ("permanent", "identity"),
        "preference": ("long_term", "preference"),
        "temporal": ("short_term", "state"),
        None: ("long_term", "observation"),
    }
    legacy.legacy(conn, dict.fromkeys(expected, 2))
    assert migrated(database).verified is True
    assert {(t, (d, c)) for t, d, c in rows(conn)} == set(expected.items())


def test_our_columns_have_the_types_and_defaults_of_the_specification(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 1})
    migrated(database)
    found = columns(conn)
    zoned = "timestamp with time zone"
    assert found["durability"] == ("character varying(20)", True, None)
    assert found["category"] == ("text", True, None)
    assert found["confidence_base"] == ("double precision", False, None)
    assert found["confidence_anchor_at"] == (zoned, False, None)
    assert found["confidence_written"] == ("double precision", False, None)
    assert found["importance"] == ("smallint", True, "5")
    assert found["importance_scored_at"] == (zoned, False, None)
    assert found["effective_importance"] == ("smallint", False, None)
    assert found["last_accessed_at"] == (zoned, False, None)
    assert found["access_count"] == ("integer", True, "0")
    assert found["pinned"] == ("boolean", True, "false")
    assert found["expires"] == (zoned, False, None)
    checks = dict(
        conn.execute(
            "SELECT conname, convalidated FROM pg_constraint"
            " WHERE conrelid = 'entity_facts'::regclass AND contype = 'c'"
        ).fetchall()
    )
    assert checks == dict.fromkeys(
        ["chk_confidence", "chk_data_type", "chk_durability", "chk_importance"], True
    )


def test_the_table_is_not_rewritten(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 10})
    before = one(conn, "SELECT pg_relation_filenode('entity_facts')")
    migrated(database)
    assert one(conn, "SELECT pg_relation_filenode('entity_facts')") == before


def test_views_functions_grants_and_comments_stay_as_they_are(database: TestDatabase) -> None:
    conn = database.connect()
    statement = (
        "SELECT c.relname, c.relacl::text, c.relowner, pg_get_viewdef(c.oid),"
        " obj_description(c.oid) FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace"
        " AND c.relkind IN ('r', 'v') ORDER BY 1"
    )
    before = [r for r in conn.execute(statement.encode()) if r[3] is not None]
    grants = one(conn, "SELECT relacl::text FROM pg_class WHERE relname = 'entity_facts'")
    migrated(database)
    assert [r for r in conn.execute(statement.encode()) if r[3] is not None] == before
    assert one(conn, "SELECT relacl::text FROM pg_class WHERE relname = 'entity_facts'") == grants


def test_small_batches_give_the_same_result(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    result = migrated(database, options=MigrateOptions(batch_rows=7))
    assert (result.updated, counts(conn)) == (570, CLASSIFIED)


# -- again --


def test_a_second_run_changes_nothing_and_executes_no_ddl(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    migrated(database)
    before, facts = catalog(conn), conn.execute("SELECT xmin, * FROM entity_facts").fetchall()
    again = migrated(database)
    assert (again.updated, again.verified, again.outcome) == (0, True, Outcome.DONE)
    assert catalog(conn) == before
    assert conn.execute("SELECT xmin, * FROM entity_facts").fetchall() == facts


def test_a_second_run_waits_for_nobody_who_reads_or_writes(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 3})
    migrated(database)
    with conn.transaction():
        conn.execute("LOCK TABLE entity_facts IN ROW EXCLUSIVE MODE")
        again = migrated(database, options=MigrateOptions(patience=IMPATIENT))
    assert again.verified is True


def test_each_run_is_a_row_of_the_ledger(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 3})
    first, second = migrated(database), migrated(database)
    found = conn.execute(
        "SELECT id, command, table_name, status, counts FROM memory_maintenance.run ORDER BY id"
    ).fetchall()
    assert found == [
        (
            first.run_id,
            "migrate-types",
            "public.entity_facts",
            "done",
            {"updated": 3, "verified": True},
        ),
        (
            second.run_id,
            "migrate-types",
            "public.entity_facts",
            "done",
            {"updated": 0, "verified": True},
        ),
    ]


def test_a_run_on_the_same_table_keeps_a_second_one_out(database: TestDatabase) -> None:
    migrated(database)
    conn = database.connect()
    conn.execute(
        "SELECT pg_advisory_lock("
        "hashtextextended('memory-maintenance run ' || 'public.entity_facts', 0))"
    )
    with pytest.raises(Busy):
        migrated(database)


# -- values that the map lacks --


@pytest.fixture
def strange(database: TestDatabase) -> TestDatabase:
    """A legacy database with three facts of a value that nobody knows."""
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"identity": 2, "hunch: maybe": 3})
    return database


def test_an_unmapped_value_stops_it_before_anything_changes(strange: TestDatabase) -> None:
    conn = strange.connect()
    before, facts = catalog(conn), contents(conn)
    for dry_run in (True, False):
        result = migrated(strange, dry_run=dry_run)
        assert result.outcome is Outcome.FINDINGS
        ((found),) = result.unmapped
        assert (found.data_type, found.rows, found.ids) == ("hunch: maybe", 3, ("3", "4", "5"))
        assert (result.updated, result.verified) == (0, None) or dry_run
    assert catalog(conn) == before
    assert contents(conn) == facts


def test_each_unmapped_value_comes_with_its_first_five_ids_by_number(
    strange: TestDatabase,
) -> None:
    conn = strange.connect()
    ids = legacy.legacy(conn, {"guess": 8, "temporal": 2, "whim": 1})
    for dry_run in (True, False):
        found = {u.data_type: u.ids for u in migrated(strange, dry_run=dry_run).unmapped}
        assert found == {
            "hunch: maybe": ("3", "4", "5"),
            "guess": tuple(map(str, ids["guess"][:5])),
            "whim": (str(ids["whim"][0]),),
        }


def test_the_yaml_that_it_prints_settles_an_unmapped_value(
    strange: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = strange.connect()
    awkward = ["no", "a'b\"c\\d", "Identity", "identity ", "ünï", "null", "1e3", "", "~", "x: y #z"]
    legacy.legacy(conn, dict.fromkeys(awkward, 1))
    quiet = call("migrate-types", "-q", "--dsn", strange.dsn)
    assert quiet.returncode == 1
    assert "hunch: maybe" in quiet.stdout
    assert "3, 4, 5" in quiet.stdout
    yaml = quiet.stdout[quiet.stdout.index("data_type:\n") :]
    config = tmp_path / "settled.yaml"
    config.write_text(yaml)
    done = call("migrate-types", "--dsn", strange.dsn, "--config", str(config))
    assert done.returncode == 0, done.stdout + done.stderr
    found = {(t, d, c) for t, d, c in rows(conn) if t not in ("identity",)}
    assert found == {(t, "long_term", "observation") for t in [*awkward, "hunch: maybe"]}


def test_blanks_and_case_make_another_value(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"Identity": 1, "identity ": 2, "identity": 1})
    result = migrated(database)
    assert {(u.data_type, u.rows) for u in result.unmapped} == {("Identity", 1), ("identity ", 2)}


def test_an_unmapped_value_that_came_later_stops_the_next_run_until_the_map_has_it(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"identity": 1})
    migrated(database)
    legacy.legacy(conn, {"hunch": 2})
    assert rows(conn)[-1] == ("hunch", "long_term", "observation")
    assert migrated(database).outcome is Outcome.FINDINGS
    config = "data_type: {hunch: [ephemeral, mood]}"
    preview = migrated(database, config=config, dry_run=True)
    settled = migrated(database, config=config)
    assert (preview.updated, settled.updated, settled.verified) == (2, 2, True)
    assert rows(conn) == [
        ("identity", "permanent", "identity"),
        ("hunch", "ephemeral", "mood"),
        ("hunch", "ephemeral", "mood"),
    ]
    assert migrated(database, config=config).updated == 0


def test_a_changed_map_renews_the_triggers_and_moves_the_facts_that_followed_the_old_one(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 2, "permanent": 1})
    legacy.facts(conn, [{"data_type": "temporal"}])
    migrated(database)
    legacy.facts(conn, [{"durability": "permanent", "category": "preference"}])
    config = "data_type: {identity: [permanent, person], temporal: [ephemeral, state]}"
    result = migrated(database, config=config)
    assert (result.updated, result.verified) == (3, True)
    legacy.facts(conn, [{"data_type": "identity"}])
    assert rows(conn) == [
        ("identity", "permanent", "person"),
        ("identity", "permanent", "person"),
        ("permanent", "permanent", "identity"),
        ("temporal", "ephemeral", "state"),
        ("permanent", "permanent", "preference"),
        ("identity", "permanent", "person"),
    ]
    # Once they have moved, a writer's choice is a writer's choice.
    legacy.facts(conn, [{"durability": "short_term", "category": "state"}])
    assert migrated(database, config=config).updated == 0
    assert rows(conn)[-1] == ("temporal", "short_term", "state")


def test_a_map_changed_between_expand_and_backfill_is_the_one_that_counts(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"temporal": 2})
    unclassified(database)
    config = "data_type: {temporal: [ephemeral, mood]}"
    assert migrated(database, config=config).updated == 2
    legacy.facts(conn, [{"data_type": "temporal"}])
    assert set(rows(conn)) == {("temporal", "ephemeral", "mood")}


# -- dry run --


def test_a_dry_run_counts_exactly_what_the_run_then_does_and_leaves_no_trace(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {**PRODUCTION, "temporal": 3, None: 5})
    before, facts = catalog(conn), contents(conn)
    preview = migrated(database, dry_run=True)
    assert catalog(conn) == before
    assert contents(conn) == facts
    real = migrated(database)
    assert (preview.updated, preview.mapping) == (real.updated, real.mapping) == (578, real.mapping)
    assert preview.run_id is None
    assert preview.verified is None
    assert migrated(database, dry_run=True).plan == ()


def test_a_role_that_may_only_read_can_plan_but_not_migrate(database: TestDatabase) -> None:
    legacy.legacy(database.connect(), PRODUCTION)
    role = database.create_role(f"LOGIN IN ROLE {legacy.READER}")
    preview = migrated(database, dry_run=True, connect={"user": role})
    assert preview.updated == 570
    assert any(role in note for note in preview.notes)
    with pytest.raises(Denied, match="does not own entity_facts"):
        migrated(database, connect={"user": role})


def test_after_the_migration_a_reader_is_told_that_our_schema_is_closed_to_it(
    database: TestDatabase,
) -> None:
    migrated(database)
    role = database.create_role(f"LOGIN IN ROLE {legacy.READER}")
    with pytest.raises(Denied, match="memory_maintenance"):
        migrated(database, dry_run=True, connect={"user": role})


def test_a_dry_run_waits_for_no_writer(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    with conn.transaction():
        conn.execute("UPDATE entity_facts SET confidence = 0.5")
        conn.execute("LOCK TABLE entity_facts IN EXCLUSIVE MODE")
        assert migrated(database, dry_run=True).updated == 570


# -- verify --


def test_verify_fails_on_axes_that_contradict_the_old_value_and_passes_once_mended(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 3})
    unclassified(database)
    conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
    (fact,) = legacy.facts(
        conn, [{"data_type": "identity", "durability": "short_term", "category": "gossip"}]
    )
    before = contents(conn, "ROW(f.id, f.data_type)")
    result = migrated(database)
    assert (result.outcome, result.verified) == (Outcome.FINDINGS, False)
    (found,) = result.unaccounted
    assert (found.data_type, found.rows, found.ids) == ("identity", 1, (str(fact),))
    assert contents(conn, "ROW(f.id, f.data_type)") == before
    assert one(conn, "SELECT status FROM memory_maintenance.run") == "findings"
    conn.execute("UPDATE entity_facts SET durability = 'permanent', category = 'identity'")
    assert migrated(database).verified is True


def test_verify_fails_on_a_fact_that_stayed_without_axes(database: TestDatabase) -> None:
    """A trigger of others that undoes what backfill writes is such a case."""
    conn = database.connect()
    legacy.legacy(conn, {"identity": 1, "permanent": 1})
    conn.execute(
        "CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF NEW.data_type = 'permanent' THEN RETURN NULL; END IF; RETURN NEW; END $$"
    )
    conn.execute(
        "CREATE TRIGGER zz_undo BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION undo()"
    )
    result = migrated(database)
    assert result.verified is False
    assert [(u.data_type, u.rows) for u in result.unaccounted] == [("permanent", 1)]
    assert columns(conn)["durability"][1] is columns(conn)["category"][1] is False
    conn.execute("DROP TRIGGER zz_undo ON entity_facts")
    mended = migrated(database)
    assert (mended.updated, mended.verified) == (1, True)


def test_verify_names_the_first_five_ids_of_each_value_null_included(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 4})
    unclassified(database)
    conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
    wrong = {"durability": "short_term", "category": "mood"}
    for_null = legacy.facts(conn, [{"data_type": None, **wrong}] * 2)
    for_value = legacy.facts(conn, [{"data_type": "identity", **wrong}] * 8)
    found = {u.data_type: (u.rows, u.ids) for u in migrated(database).unaccounted}
    assert found == {
        None: (2, tuple(map(str, for_null))),
        "identity": (8, tuple(map(str, for_value[:5]))),
    }


def test_triggers_of_ours_that_somebody_disabled_are_enabled_again(database: TestDatabase) -> None:
    conn = database.connect()
    migrated(database)
    conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
    assert migrated(database).verified is True
    legacy.facts(conn, [{"data_type": "identity"}])
    assert rows(conn) == [("identity", "permanent", "identity")]


# -- interrupted --


def test_a_run_stopped_after_expand_is_completed_by_the_next(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    unclassified(database)
    assert set(counts(conn)) == {(None, None)}
    result = migrated(database)
    assert (result.updated, result.verified, counts(conn)) == (570, True, CLASSIFIED)


def test_a_run_killed_in_the_midst_of_backfill_is_completed_by_the_next(
    database: TestDatabase, clean_env: dict[str, str]
) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    unclassified(database)
    last = conn.execute("SELECT max(id) FROM entity_facts").fetchone()
    assert last is not None
    blocker = database.connect(autocommit=False)
    blocker.execute("SELECT FROM entity_facts WHERE id = %s FOR UPDATE", [last[0]])
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "memory_maintenance", "migrate-types"),
            *("--phase", "backfill", "--batch-rows", "50", "--dsn", database.dsn),
        ],
        env=clean_env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: one(conn, WAITING_HERE))
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    done = one(conn, "SELECT count(durability) FROM entity_facts")
    assert 0 < done < 570
    blocker.rollback()
    wait_until(
        lambda: (
            one(conn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted") == 0
        ),
        30,
    )
    result = migrated(database)
    assert (result.updated, result.verified) == (570 - done, True)
    assert counts(conn) == CLASSIFIED
    statuses = conn.execute("SELECT status FROM memory_maintenance.run ORDER BY id").fetchall()
    assert statuses == [("died",), ("done",)]


@pytest.mark.parametrize("steps", [1, 4, 7, 9])
def test_a_run_stopped_within_settle_is_completed_by_the_next(
    database: TestDatabase, steps: int
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 2})
    unclassified(database)
    conn.execute("UPDATE entity_facts SET value = value")
    plan = [
        p for p in migrated(database, dry_run=True).plan if p.statement.startswith("ALTER TABLE")
    ]
    assert len(plan) == 9
    for step in plan[:steps]:
        conn.execute(step.statement.encode())
    assert migrated(database).verified is True
    assert columns(conn)["category"][1] is True
    assert migrated(database, dry_run=True).plan == ()


# -- states found in the field --


def test_without_a_table_it_says_how_to_make_one(empty_database: TestDatabase) -> None:
    with pytest.raises(UsageError) as raised:
        migrated(empty_database)
    assert raised.value.exit_code == 2
    assert "--create" in (raised.value.remedy or "")
    assert one(empty_database.connect(), "SELECT to_regnamespace('memory_maintenance')") is None


def test_create_makes_a_table_that_an_extractor_can_write_to(empty_database: TestDatabase) -> None:
    create = MigrateOptions(create=True)
    preview = migrated(empty_database, options=create, dry_run=True)
    assert preview.plan[-1].what == "create entity_facts"
    result = migrated(empty_database, options=create)
    assert (result.outcome, result.verified, result.notes) == (Outcome.DONE, True, ())
    conn = empty_database.connect()
    row = conn.execute(
        "INSERT INTO entity_facts (entity_id, key, value, visibility, confidence, durability,"
        " category) VALUES (1, 'k', 'v', 'public', 0.9, 'permanent', 'identity') RETURNING id"
    ).fetchone()
    assert row is not None
    conn.execute("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')")
    assert counts(conn) == {("permanent", "identity"): 1, ("long_term", "observation"): 1}
    again = migrated(empty_database, options=create)
    assert (again.updated, again.verified, again.notes) == (0, True, ())


def test_create_leaves_a_table_that_is_there_alone(database: TestDatabase) -> None:
    legacy.legacy(database.connect(), {"identity": 2})
    assert migrated(database, options=MigrateOptions(create=True)).updated == 2


def test_a_table_without_data_type_gets_the_defaults(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 2})
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type")
    result = migrated(database)
    assert result.verified is True
    assert [(m.data_type, m.durability, m.category, m.rows) for m in result.mapping] == [
        (None, "long_term", "observation", 2)
    ]
    legacy.facts(conn, [{}, {"durability": "permanent", "category": "identity"}])
    assert counts(conn) == {("long_term", "observation"): 3, ("permanent", "identity"): 1}
    assert columns(conn)["durability"][1:] == (True, "'long_term'::character varying")
    assert columns(conn)["category"][1:] == (True, "'observation'::text")


def test_a_database_that_the_predecessor_migrated_is_accepted_and_nothing_reclassified(
    empty_database: TestDatabase,
) -> None:
    conn = empty_database.connect()
    legacy.current(conn)
    legacy.facts(conn, [{}, {"durability": "permanent", "category": "identity"}])
    before = contents(conn)
    result = migrated(empty_database)
    assert (result.updated, result.verified) == (0, True)
    assert any("nothing tells which" in note for note in result.notes)
    ours = OURS.replace("'durability', 'category', ", "").replace(", 'expires'", "")
    assert contents(conn, f"to_jsonb(f) - ARRAY[{ours}]") == before
    assert columns(conn)["durability"][1:] == (True, "'long_term'::character varying")
    assert migrated(empty_database).notes == ()


def half_run(conn: Connection) -> None:
    """The predecessor's migration, stopped after the columns were there."""
    conn.execute(
        "ALTER TABLE entity_facts ADD durability varchar(20) NOT NULL DEFAULT 'long_term',"
        " ADD category text NOT NULL DEFAULT 'observation'"
    )


def test_defaulted_axes_beside_data_type_are_not_taken_for_classified(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {**PRODUCTION, "temporal": 3, None: 1})
    half_run(conn)
    preview = migrated(database, dry_run=True)
    result = migrated(database)
    assert any("was not finished" in note for note in result.notes)
    assert preview.updated == result.updated == 84 + 82 + 4 + 3
    assert result.verified is True
    assert counts(conn) == {**CLASSIFIED, ("short_term", "state"): 3} | {
        ("long_term", "observation"): 401
    }
    assert columns(conn)["durability"] == ("character varying(20)", True, None)
    assert migrated(database).updated == 0


def test_an_interrupted_run_on_defaulted_axes_is_completed_by_the_next(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    half_run(conn)
    conn.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE 'not now'; END $$"
    )
    conn.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION refuse()"
    )
    with pytest.raises(Exception, match="not now"):
        migrated(database)
    assert columns(conn)["durability"][2] is None
    conn.execute("DROP TRIGGER refuse ON entity_facts")
    assert (migrated(database).verified, counts(conn)) == (True, CLASSIFIED)


def test_axes_that_a_writer_had_chosen_are_reported_where_they_contradict_data_type(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    half_run(conn)
    (fact,) = legacy.facts(
        conn, [{"data_type": "identity", "durability": "short_term", "category": "mood"}]
    )
    result = migrated(database)
    assert result.verified is False
    assert [u.ids for u in result.unaccounted] == [(str(fact),)]
    assert rows(conn) == [("identity", "short_term", "mood")]


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("ALTER TABLE entity_facts ADD importance text", "importance is text, not"),
        ("ALTER TABLE entity_facts ADD pinned integer", "pinned is integer, not boolean"),
        ("ALTER TABLE entity_facts ADD confidence_written real", "confidence_written is real"),
        ("ALTER TABLE entity_facts ADD durability text", "one of durability and category"),
        ("ALTER TABLE entity_facts ADD category text", "one of durability and category"),
        ("ALTER TABLE entity_facts DROP confidence CASCADE", "has no column confidence"),
        (
            "ALTER TABLE entity_facts ALTER confidence TYPE integer",
            "confidence is of type integer",
        ),
        ("ALTER TABLE entity_facts ADD importance int DEFAULT 50", "1 facts whose importance"),
        (
            "ALTER TABLE entity_facts ADD durability text DEFAULT 'forever', ADD category text",
            "1 facts whose durability",
        ),
        (
            "ALTER TABLE entity_facts DROP CONSTRAINT entity_facts_pkey CASCADE",
            "no primary key",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_anything_changes(
    database: TestDatabase, statement: str, complaint: str
) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge, v_entity_facts")
    legacy.legacy(conn, {"identity": 1})
    conn.execute(statement.encode())
    before = catalog(conn)
    for dry_run in (True, False):
        with pytest.raises(UsageError, match=complaint) as raised:
            migrated(database, dry_run=dry_run)
        assert raised.value.exit_code == 2
    assert catalog(conn) == before


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("chk_importance", "CHECK (length(key) > 0)"),
        ("chk_durability", "CHECK (length(key) > 0)"),
        ("memory_maintenance_axes_present", "CHECK (length(key) > 0)"),
        ("chk_importance", "UNIQUE (key)"),
    ],
)
def test_a_constraint_of_our_name_with_another_meaning_is_refused_before_anything_changes(
    database: TestDatabase, name: str, definition: str
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 1})
    conn.execute(f"ALTER TABLE entity_facts ADD CONSTRAINT {name} {definition}".encode())
    before = catalog(conn)
    for dry_run in (True, False):
        with pytest.raises(UsageError, match=f"{name} is (CHECK|UNIQUE)") as raised:
            migrated(database, dry_run=dry_run)
        assert raised.value.exit_code == 2
        assert f"RENAME CONSTRAINT {name} TO" in (raised.value.remedy or "")
    assert catalog(conn) == before
    conn.execute(f"ALTER TABLE entity_facts RENAME CONSTRAINT {name} TO theirs".encode())
    assert migrated(database).verified is True
    with pytest.raises(psycopg.errors.CheckViolation):
        legacy.facts(conn, [{"importance": 99}])


def each_with(database: TestDatabase, *definitions: str) -> None:
    """Migrates a table of facts with each of these more columns and constraints."""
    conn = database.connect()
    for n, more in enumerate(definitions):
        table = f"facts_{n}"
        conn.execute(
            f"CREATE TABLE {table} (id int PRIMARY KEY, key text, value text, confidence float8,"
            f" data_type varchar(20), {more})".encode()
        )
        conn.execute(f"INSERT INTO {table} (id, data_type) VALUES (1, 'identity')".encode())
        assert migrated(database, table=table).verified is True, more


@pytest.mark.parametrize("kind", ["smallint", "integer", "bigint"])
def test_a_constraint_of_our_name_and_meaning_is_taken_for_ours(
    empty_database: TestDatabase, kind: str
) -> None:
    each_with(
        empty_database,
        *(
            f"importance {kind} DEFAULT 5, CONSTRAINT chk_importance CHECK ({condition})"
            for condition in (
                "importance BETWEEN 1 AND 10",
                "importance >= 1::bigint AND importance <= '10'",
                "importance > 0 AND importance < 11",
                "importance IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)",
                "importance IS NULL OR importance BETWEEN 1 AND 10",
            )
        ),
    )


@pytest.mark.parametrize("kind", ["text", "varchar(20)", "varchar"])
def test_a_check_of_durability_in_any_spelling_is_taken_for_ours(
    empty_database: TestDatabase, kind: str
) -> None:
    each_with(
        empty_database,
        *(
            f"durability {kind}, category text, CONSTRAINT chk_durability CHECK ({condition})"
            for condition in (
                "durability IN ('ephemeral', 'permanent', 'long_term', 'short_term')",
                "durability = ANY"
                " (ARRAY['permanent', 'long_term', 'short_term', 'ephemeral']::varchar[])",
                "durability = 'permanent' OR durability = 'long_term' OR durability = 'short_term'"
                " OR durability = 'ephemeral'",
            )
        ),
    )


def test_old_rows_that_a_constraint_not_yet_validated_will_refuse_are_named_before_anything_changes(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts ADD importance int DEFAULT 5")
    legacy.facts(conn, [{"importance": 11}])
    conn.execute(
        "ALTER TABLE entity_facts"
        " ADD CONSTRAINT chk_importance CHECK (importance BETWEEN 1 AND 10) NOT VALID"
    )
    before = catalog(conn)
    with pytest.raises(UsageError, match="1 facts whose importance"):
        migrated(database)
    assert catalog(conn) == before


def test_a_view_is_refused(database: TestDatabase) -> None:
    with pytest.raises(UsageError, match="v_entity_facts is a view"):
        migrated(database, table="v_entity_facts")


def test_data_type_may_be_of_type_text(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute("ALTER TABLE entity_facts ALTER data_type TYPE text")
    legacy.legacy(conn, PRODUCTION)
    assert (migrated(database).verified, counts(conn)) == (True, CLASSIFIED)


@pytest.mark.parametrize("kind", ["real", "numeric(4,3)"])
def test_what_we_write_has_the_type_of_confidence(database: TestDatabase, kind: str) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge, v_entity_facts")
    conn.execute(f"ALTER TABLE entity_facts ALTER confidence TYPE {kind}".encode())
    migrated(database)
    assert columns(conn)["confidence_written"][0] == kind


def test_triggers_left_behind_by_a_dropped_data_type_are_taken_away(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    migrated(database)
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type CASCADE")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        legacy.facts(conn, [{}])
    assert migrated(database).verified is True
    legacy.facts(conn, [{}])
    assert counts(conn) == {("long_term", "observation"): 1}


@pytest.mark.parametrize("key", ["int", "bigint", "uuid"])
def test_a_quoted_table_in_another_schema_with_any_key(
    empty_database: TestDatabase, key: str
) -> None:
    conn = empty_database.connect()
    default = "gen_random_uuid()" if key == "uuid" else "nextval('n')"
    conn.execute("CREATE SEQUENCE n")
    conn.execute('CREATE SCHEMA "My Agents"')
    conn.execute(
        f"""CREATE TABLE "My Agents"."Entity ""Facts" (id {key} PRIMARY KEY DEFAULT {default},
        key text, value text, data_type text, confidence real)""".encode()
    )
    relation = sql.Identifier("My Agents", 'Entity "Facts')
    legacy.legacy(conn, {"identity": 20, "temporal": 10}, relation=relation)
    name = '"My Agents"."Entity ""Facts"'
    options = MigrateOptions(batch_rows=7)
    assert migrated(empty_database, table=name, dry_run=True).updated == 30
    result = migrated(empty_database, table=name, options=options)
    assert (result.updated, result.verified, result.table) == (30, True, name)
    assert counts(conn, name) == {("permanent", "identity"): 20, ("short_term", "state"): 10}
    legacy.legacy(conn, {"strange": 1}, relation=relation)
    assert one(conn, "SELECT table_name FROM memory_maintenance.event") == name
    assert migrated(empty_database, table=name).unmapped[0].rows == 1


def test_an_owner_who_is_no_superuser_can_migrate(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    legacy.give_to_owner(conn)
    assert migrated(database, connect=AS_OWNER).verified is True
    assert counts(conn) == CLASSIFIED
    assert migrated(database, connect=AS_OWNER).updated == 0


def test_an_owner_who_may_not_create_a_schema_is_told_so(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.give_to_owner(conn)
    conn.execute(
        sql.SQL("REVOKE CREATE ON DATABASE {} FROM {}").format(
            sql.Identifier(database.name), sql.Identifier(legacy.OWNER)
        )
    )
    before = catalog(conn)
    with pytest.raises(Exception, match="permission denied for database") as raised:
        migrated(database, connect=AS_OWNER)
    assert getattr(raised.value, "exit_code", None) == 77
    assert catalog(conn) == before


def test_a_partitioned_table_is_migrated_as_one(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    conn.execute(
        "CREATE TABLE entity_facts (id bigserial PRIMARY KEY, key text, value text,"
        " data_type text, confidence double precision) PARTITION BY RANGE (id)"
    )
    conn.execute("CREATE TABLE low PARTITION OF entity_facts FOR VALUES FROM (0) TO (8)")
    conn.execute("CREATE TABLE high PARTITION OF entity_facts DEFAULT")
    legacy.legacy(conn, {"identity": 10, "temporal": 5})
    assert migrated(empty_database, options=MigrateOptions(batch_rows=3)).verified is True
    assert counts(conn) == {("permanent", "identity"): 10, ("short_term", "state"): 5}
    (fact,) = legacy.legacy(conn, {"strange": 1})["strange"]
    recorded = conn.execute("SELECT table_name, fact_key FROM memory_maintenance.event")
    assert recorded.fetchall() == [("public.entity_facts", str(fact))]


# -- encodings --


@pytest.fixture(params=["SQL_ASCII", "LATIN1", "UTF8"])
def encoded(server: TestServer, request: pytest.FixtureRequest) -> Iterator[TestDatabase]:
    """A legacy database of another encoding."""
    name = f"{server.prefix}{os.getpid()}_{request.param.lower()}"
    provider = " LOCALE_PROVIDER libc" if server.version >= 150000 else ""
    with server.connect() as admin:
        admin.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING {}"
                f" LC_COLLATE 'C' LC_CTYPE 'C'{provider}"
            ).format(sql.Identifier(name), sql.Literal(request.param))
        )
    database = TestDatabase(server, name)
    try:
        legacy.build(database.connect(client_encoding="utf8"))
        yield database
    finally:
        database.close()


def test_words_beyond_ascii_are_mapped_whatever_the_encoding_of_the_database(
    encoded: TestDatabase,
) -> None:
    conn = encoded.connect(client_encoding="utf8")
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"größe": 2, "identity": 1})
    config = "data_type: {größe: [long_term, größe]}"
    assert [(u.data_type, u.ids) for u in migrated(encoded).unmapped] == [("größe", ("1", "2"))]
    assert migrated(encoded, config=config, dry_run=True).updated == 3
    assert migrated(encoded, config=config).verified is True
    legacy.facts(conn, [{"data_type": "größe"}, {"data_type": "weiß"}])
    assert rows(conn) == [
        ("größe", "long_term", "größe"),
        ("größe", "long_term", "größe"),
        ("identity", "permanent", "identity"),
        ("größe", "long_term", "größe"),
        ("weiß", "long_term", "observation"),
    ]
    assert one(conn, "SELECT detail ->> 'data_type' FROM memory_maintenance.event") == "weiß"
    # The map that the triggers carry is read back as it was written: nothing is to be done again.
    conn.execute("DELETE FROM entity_facts WHERE data_type = 'weiß'")
    before = catalog(conn)
    again = migrated(encoded, config=config)
    assert (again.updated, again.verified, catalog(conn) == before) == (0, True, True)


@pytest.mark.parametrize("encoded", ["LATIN1"], indirect=True)
def test_a_map_with_words_that_the_encoding_lacks_is_refused_before_anything_changes(
    encoded: TestDatabase,
) -> None:
    conn = encoded.connect(client_encoding="utf8")
    legacy.legacy(conn, {"identity": 1})
    before = catalog(conn)
    for dry_run in (True, False):
        with pytest.raises(UsageError, match="encoding can't hold"):
            migrated(encoded, config="data_type: {mood: [ephemeral, Ωmega]}", dry_run=dry_run)
    assert catalog(conn) == before


# -- readers and writers with an open session --


def test_functions_that_a_session_has_used_before_go_on_working(database: TestDatabase) -> None:
    conn = database.connect()
    a, b, c = legacy.facts(conn, [{"data_type": "identity"}, {}, {}])
    conn.execute("SELECT merge_facts(%s, %s)", [a, b])
    migrated(database)
    conn.execute("SELECT merge_facts(%s, %s)", [a, c])
    assert rows(conn) == [("identity", "permanent", "identity")]


def test_a_prepared_statement_goes_on_working_where_it_names_its_columns(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.facts(conn, [{"data_type": "identity"}])
    conn.execute("PREPARE named AS SELECT id, data_type FROM entity_facts")
    conn.execute("PREPARE everything AS SELECT * FROM entity_facts")
    conn.execute("PREPARE write (text) AS INSERT INTO entity_facts (key, value) VALUES ('k', $1)")
    for name in ("named", "everything"):
        conn.execute(f"EXECUTE {name}".encode())
    migrated(database)
    assert conn.execute("EXECUTE named").fetchall() == [(1, "identity")]
    conn.execute("EXECUTE write ('v')")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="cached plan"):
        conn.execute("EXECUTE everything")
    conn.execute("DEALLOCATE everything")
    conn.execute("PREPARE everything AS SELECT * FROM entity_facts")
    conn.execute("EXECUTE everything")


def test_writers_old_and_new_go_on_without_an_error_while_it_runs(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 3000, "temporal": 3000, "observation": 3000})
    done = threading.Event()
    failures: list[psycopg.Error] = []
    begun = threading.Barrier(4)

    def keep_writing(*statements: str) -> None:
        writer = database.connect()
        writer.execute(f"SET ROLE {legacy.AGENT}")
        begun.wait()
        for n in itertools.count(1):
            for statement in statements:
                try:
                    writer.execute(statement.encode(), {"n": n * 31 % 9000 + 1}, prepare=True)
                except psycopg.Error as error:
                    failures.append(error)
                    return
            if done.is_set():
                return

    writers = [
        threading.Thread(target=keep_writing, args=statements)
        for statements in (
            (
                "INSERT INTO entity_facts (key, value, data_type) VALUES ('k', 'v', 'permanent')",
                "UPDATE entity_facts SET data_type = 'preference' WHERE id = %(n)s",
            ),
            (
                "UPDATE entity_facts SET last_confirmed_at = now() WHERE id = %(n)s + 7",
                "INSERT INTO entity_facts (key, value) VALUES ('k', 'v') RETURNING id",
            ),
            (
                "DELETE FROM entity_facts WHERE id = %(n)s + 13",
                "UPDATE entity_facts SET value = 'edited' WHERE id = %(n)s + 14",
            ),
        )
    ]
    for writer in writers:
        writer.start()
    begun.wait()
    try:
        result = migrated(database, options=MigrateOptions(batch_rows=100))
    finally:
        done.set()
        for writer in writers:
            writer.join()
    assert failures == []
    assert result.verified is True
    expected = {
        ("identity", "permanent", "identity"),
        ("permanent", "permanent", "identity"),
        ("preference", "long_term", "preference"),
        ("temporal", "short_term", "state"),
        ("observation", "long_term", "observation"),
    }
    assert set(rows(conn)) == expected
    assert migrated(database).verified is True


# -- locks --


def test_expand_tries_again_while_somebody_reads_and_holds_up_other_readers_only_briefly(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    long_reader = database.connect(autocommit=False)
    long_reader.execute("SELECT count(*) FROM entity_facts")
    results: list[MigrateResult] = []
    migration = threading.Thread(target=lambda: results.append(migrated(database)))
    migration.start()
    waits: list[float] = []
    # Two of its attempts are enough to see what a reader behind it meets.
    for _ in range(2):
        wait_until(
            lambda: one(
                conn,
                "SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database"
                " WHERE NOT granted AND mode = 'AccessExclusiveLock' AND datname = current_database()",
            ),
            30,
        )
        waits.append(
            one(
                conn,
                "WITH s AS MATERIALIZED (SELECT clock_timestamp() AS at, count(*) FROM entity_facts)"
                " SELECT date_part('epoch', clock_timestamp() - statement_timestamp()) FROM s",
            )
        )
        assert not results
    long_reader.rollback()
    migration.join(60)
    assert max(waits) < 1.5
    assert results[0].verified is True
    assert counts(conn) == CLASSIFIED


def test_with_retries_used_up_it_is_busy_and_the_table_as_it_was(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    before = columns(conn), contents(conn)
    reader = database.connect(autocommit=False)
    reader.execute("SELECT count(*) FROM entity_facts")
    with pytest.raises(Busy) as raised:
        migrated(database, options=MigrateOptions(patience=IMPATIENT))
    assert raised.value.exit_code == 75
    assert (columns(conn), contents(conn)) == before
    assert one(conn, "SELECT count(*) FROM pg_trigger WHERE tgname ~ '^memory_maint'") == 0
    assert one(conn, "SELECT count(*) FROM memory_maintenance.migration") == 0
    assert one(conn, "SELECT status FROM memory_maintenance.run") == "failed"
    reader.rollback()
    assert migrated(database).verified is True


# -- what it says --


def test_a_trigger_that_stamps_updated_at_is_named_before_and_after(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 1})
    conn.execute(
        "CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$"
    )
    conn.execute(
        "CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
    )
    for statement in (
        "CREATE TRIGGER touch BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION stamp()",
        "CREATE TRIGGER by_argument BEFORE UPDATE ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION other('updated_at')",
        "CREATE TRIGGER harmless BEFORE UPDATE ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION other()",
        "CREATE TRIGGER elsewhere BEFORE UPDATE OF value ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION stamp()",
    ):
        conn.execute(statement.encode())
    for dry_run in (True, False):
        notes = migrated(database, dry_run=dry_run).notes
        assert [n.removeprefix("the trigger ").partition(" ")[0] for n in notes] == [
            "by_argument",
            "touch",
        ]
    enabled = conn.execute(
        "SELECT DISTINCT tgenabled FROM pg_trigger"
        " WHERE tgrelid = 'entity_facts'::regclass AND NOT tgisinternal"
    )
    assert enabled.fetchall() == [("O",)]
    assert migrated(database).notes == ()


def test_json_has_the_documented_keys(database: TestDatabase, cli: Command) -> None:
    legacy.legacy(database.connect(), PRODUCTION)
    done = cli("migrate-types", "--format", "json", "--dsn", database.dsn)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {"data_type": "permanent", "durability": "permanent", "category": "identity"} | {
        "rows": 84
    } in document["mapping"]
    assert document["command"] == "migrate-types"
    assert document["table"] == "entity_facts"
    assert document["dry_run"] is False
    assert document["run_id"] == 1
    assert document["updated"] == 570
    assert document["verified"] is True
    assert document["unmapped"] == []
    assert list(document)[-1] == "duration_s"


def test_json_of_a_dry_run_has_every_statement_with_its_lock(
    database: TestDatabase, call: Call
) -> None:
    legacy.legacy(database.connect(), {"identity": 1})
    done = call("migrate-types", "--dry-run", "--format", "json", "--dsn", database.dsn)
    plan = json.loads(done.stdout)["plan"]
    phases = list(dict.fromkeys(step["phase"] for step in plan))
    assert phases == ["install", "expand", "backfill", "verify"]
    assert all(step["lock"] and step["statement"] and step["what"] for step in plan)


def beyond(text: str, width: int = 80) -> Sequence[str]:
    """The lines of a text that are too long, SQL and its comments apart."""
    prose = text.partition("\n-- ")[0]
    return [line for line in prose.splitlines() if len(line) > width]


def test_text_fits_80_columns(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.legacy(conn, {**PRODUCTION, None: 1})
    half_run(conn)
    (fact,) = legacy.facts(
        conn, [{"data_type": "identity", "durability": "short_term", "category": "mood"}]
    )
    preview, result = migrated(database, dry_run=True), migrated(database)
    text = render_text(preview)
    assert "571" not in text
    assert "CREATE SCHEMA" not in text
    assert "ALTER TABLE" in text
    assert not beyond(text)
    assert not beyond(render_text(result))
    quiet = render_text(result, quiet=True)
    assert str(fact) in quiet
    assert "data_type is still there" in " ".join(quiet.split())


def test_quiet_says_nothing_where_all_is_well(database: TestDatabase, cli: Command) -> None:
    legacy.legacy(database.connect(), PRODUCTION)
    done = cli("migrate-types", "-q", "--dsn", database.dsn)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
