"""``migrate-types status``: where it stands, what is next, what blocks it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_maintenance.migration.migrate import MigrateOptions
from tests.support import legacy
from tests.support.command import Call, Command
from tests.support.migration import (
    PRODUCTION,
    catalog,
    contracted,
    migrated,
    rolled_back,
    unclassified,
)
from tests.support.server import TestDatabase

KEEP = MigrateOptions(force=True, keep_dependents=True, accept=("merge_facts",))


@pytest.fixture
def database(database: TestDatabase) -> TestDatabase:
    """The legacy database with the reference deployment's facts."""
    legacy.legacy(database.connect(), PRODUCTION)
    return database


def status(call: Call, database: TestDatabase) -> dict[str, Any]:
    """The status as JSON; it changes nothing."""
    before = catalog(database.connect())
    done = call("migrate-types", "status", "--format", "json", "--dsn", database.dsn)
    assert (done.returncode, done.stderr) == (0, "")
    assert catalog(database.connect()) == before
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def states(document: dict[str, Any], table: str = "entity_facts") -> dict[str, str]:
    """The state of each phase of a table."""
    return {p["phase"]: p["state"] for p in document["phases"] if p["table"] == table}


def all_states(expand: str, backfill: str, verify: str, contract: str) -> dict[str, str]:
    return {"expand": expand, "backfill": backfill, "verify": verify, "contract": contract}


def test_before_anything_was_done_the_first_command_is_next(
    database: TestDatabase, cli: Command
) -> None:
    found = status(cli, database)
    assert states(found) == all_states(*["not begun"] * 4)
    assert states(found, "entity_facts_archive") == all_states(*["not begun"] * 4)
    assert found["next"] == "memory-maintenance migrate-types"
    assert (found["blockers"], found["last_old_style_write"], found["kept_aside"]) == ([], None, 0)


def test_an_expand_that_was_cut_short_shows_what_is_left(
    database: TestDatabase, call: Call
) -> None:
    unclassified(database)
    found = status(call, database)
    assert states(found) == all_states("begun", "not begun", "not begun", "not begun")
    details = {(p["table"], p["phase"]): p["detail"] for p in found["phases"]}
    assert details["entity_facts", "expand"] == "left: 2 statements"  # the two indexes
    assert details["entity_facts", "backfill"] == "570 facts without axes"


def test_after_each_phase_the_next_one_is_told(database: TestDatabase, call: Call) -> None:
    for phase, reached in (
        ("expand", ["done", "not begun", "not begun", "not begun"]),
        ("backfill", ["done", "done", "not begun", "not begun"]),
        ("verify", ["done", "done", "done", "not begun"]),
    ):
        done = call("migrate-types", "--phase", phase, "--dsn", database.dsn)
        assert done.returncode == 0, done.stderr
        assert states(status(call, database)) == all_states(*reached)
    found = status(call, database)
    assert found["next"] == "memory-maintenance migrate-types --phase contract"
    assert {b["name"] for b in found["blockers"]} == {
        "public.delegation_knowledge",
        "public.merge_facts(integer, integer)",
    }


def test_a_phase_that_comes_too_early_is_wrong_usage(database: TestDatabase, call: Call) -> None:
    for phase in ("backfill", "verify", "contract"):
        for options in ([], ["--dry-run"]):
            done = call("migrate-types", "--phase", phase, *options, "--dsn", database.dsn)
            assert (done.returncode, done.stdout) == (2, ""), (phase, options, done.stdout)
            assert "migrate" in done.stderr


def test_after_contract_nothing_is_left_and_after_rollback_everything(
    database: TestDatabase, call: Call
) -> None:
    migrated(database)
    assert contracted(database, KEEP).contracted
    found = status(call, database)
    assert states(found) == all_states(*["done"] * 4)
    assert (found["next"], found["blockers"]) == (None, [])
    database.connect().execute("UPDATE entity_facts SET importance = 9 WHERE id <= 3")
    assert rolled_back(database).rolled_back
    found = status(call, database)
    assert states(found) == all_states(*["not begun"] * 4)
    assert found["kept_aside"] == 3


def test_the_last_old_style_write_is_shown_with_role_and_application(
    database: TestDatabase, call: Call
) -> None:
    migrated(database)
    assert status(call, database)["last_old_style_write"] is None
    agent = database.connect(options=f"-c role={legacy.AGENT}", application_name="catch-up")
    agent.execute("UPDATE entity_facts SET data_type = data_type WHERE id = 1")
    found = status(call, database)
    assert found["last_old_style_write"]["application_name"] == "catch-up"
    assert 0 <= found["last_old_style_write"]["seconds_ago"] < 600
    assert any(b["kind"] == "old-style write" for b in found["blockers"])
    done = call("migrate-types", "status", "--dsn", database.dsn)
    assert "application catch-up" in done.stdout


def test_an_unknown_value_blocks_and_is_named(database: TestDatabase, call: Call) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"hunch": 3})
    (blocker,) = status(call, database)["blockers"]
    assert (blocker["kind"], blocker["name"]) == ("unmapped value", "'hunch'")
    assert blocker["why"].startswith("3 facts")


def test_text_fits_80_columns_but_for_definitions(database: TestDatabase, cli: Command) -> None:
    migrated(database)
    done = cli("migrate-types", "status", "--dsn", database.dsn)
    prose = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("problem", "entity_facts", "table", "last"))
    ]
    assert len(prose) > 9
    assert max(map(len, prose)) <= 80


def test_status_takes_no_options_that_change_something(database: TestDatabase, call: Call) -> None:
    for option in ("--dry-run", "--create", "--phase=expand", "--plan=x.sql"):
        done = call("migrate-types", "status", option, "--dsn", database.dsn)
        assert done.returncode == 2, option
        assert "status only reads" in done.stderr
    done = call("migrate-types", "state", "--dsn", database.dsn)
    assert done.returncode == 2
