"""The commands from end to end, as an operator runs them on a database."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import legacy
from tests.support.command import Command
from tests.support.maintenance import migrate_types
from tests.support.server import TestDatabase, legacy_template

REFERENCE: dict[str | None, int] = {
    "permanent": 84,
    "identity": 82,
    "preference": 4,
    "observation": 400,
}


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON on stdout of a command that ended well, or with findings."""
    assert done.returncode in (0, 1), done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


@pytest.fixture
def filled(database: TestDatabase) -> TestDatabase:
    """A legacy database with the reference deployment's counts."""
    with database.connect() as connection:
        legacy.legacy(connection, REFERENCE)
    return database


def migrate(filled: TestDatabase) -> None:
    """Makes of it a copy of one that is filled alike and migrated."""

    def make(database: TestDatabase) -> None:
        with database.connect() as connection:
            legacy.legacy(connection, REFERENCE)
        assert migrate_types(database).verified

    server = filled.server
    filled.become(server.template("reference migrated", make, base=legacy_template(server)))


def test_an_operator_migrates_looks_ahead_runs_and_reports(
    cli: Command, filled: TestDatabase
) -> None:
    dsn = ("--dsn", filled.dsn, "--format", "json")

    planned = document(cli("migrate-types", "--dry-run", *dsn))
    assert planned["updated"] == 570
    assert planned["verified"] is None
    assert planned["run_id"] is None
    assert planned["plan"]

    migrated = document(cli("migrate-types", *dsn))
    assert migrated["updated"] == 570
    assert migrated["verified"] is True
    assert {m["data_type"]: m["rows"] for m in migrated["mapping"]} == REFERENCE

    at = ("--as-of", "2040-01-01T00:00:00+00:00")
    ahead = document(cli("run", "--dry-run", *at, *dsn))["steps"][-1]
    ran = document(cli("run", *at, *dsn))
    step = ran["steps"][-1]
    assert step["updated"] == ahead["updated"] == 570
    assert step["as_of"] == ran["as_of"] == "2040-01-01T00:00:00+00:00"
    assert step["run_id"] == ran["run_id"]

    report = document(cli("report", *at, *dsn))
    groups = {(g["durability"], g["category"]): g for g in report["composition"]["groups"]}
    assert {axes: group["facts"] for axes, group in groups.items()} == {
        ("permanent", "identity"): 166,
        ("long_term", "preference"): 4,
        ("long_term", "observation"): 400,
    }
    assert groups["long_term", "observation"]["below_threshold"] == 400
    assert groups["permanent", "identity"]["below_threshold"] == 0
    assert [run["command"] for run in report["runs"]["last"]] == ["run", "migrate-types"]


def test_decay_has_the_keys_that_programs_rely_on(cli: Command, filled: TestDatabase) -> None:
    migrate(filled)
    at = "2026-06-01T00:00:00+00:00"
    found = document(cli("decay", "--dsn", filled.dsn, "--format", "json", "--as-of", at))
    assert list(found) == [
        "command",
        "dry_run",
        "as_of",
        "table",
        "run_id",
        "examined",
        "confidence",
        "importance",
        "updated",
        "problems",
        "problem_count",
        "policies",
        "batches",
        "notes",
        "duration_s",
    ]
    assert found["as_of"] == at
    assert found["table"] == "entity_facts"
    assert found["examined"] == 570
    assert set(found["confidence"]) == set(found["importance"]) == {"changed"}
    policies = {policy["policy"]: policy for policy in found["policies"]}
    assert policies["durability:long_term"]["half_life_s"] == 180 * 86400
    assert policies["durability:long_term"]["facts"] == 404


def test_options_stand_wherever_one_likes_after_the_command(
    cli: Command, filled: TestDatabase
) -> None:
    done = cli("migrate-types", "--format", "json", "--dry-run", "-v", "--dsn", filled.dsn)
    assert document(done)["updated"] == 570


def test_a_quiet_run_says_nothing_when_all_is_well(cli: Command, filled: TestDatabase) -> None:
    assert cli("migrate-types", "-q", "--dsn", filled.dsn).returncode == 0
    with filled.connect() as connection:  # a data problem of a row is no reason to mail
        connection.execute("UPDATE entity_facts SET decay_rate = -1 WHERE id = 1")
    done = cli("run", "-q", "--dsn", filled.dsn)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_quiet_migration_still_names_an_unmapped_value(
    cli: Command, filled: TestDatabase
) -> None:
    with filled.connect() as connection:
        connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
        connection.execute("UPDATE entity_facts SET data_type = 'whim' WHERE id <= 3")
    done = cli("migrate-types", "-q", "--dsn", filled.dsn)
    assert done.returncode == 1
    assert "whim" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["'whim'", "3", "1,", "2,", "3"] in rows


@pytest.mark.parametrize("command", ["migrate-types --dry-run", "report", "run", "decay"])
def test_what_people_read_fits_a_terminal_of_80_columns(
    cli: Command, filled: TestDatabase, command: str
) -> None:
    if command != "migrate-types --dry-run":
        migrate(filled)
    done = cli(*command.split(), "--dsn", filled.dsn)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    prose = done.stdout.split("-- expand:")[0]  # SQL is shown as it is, to be copied
    assert [line for line in prose.splitlines() if len(line) > 80] == []


def test_the_database_check_says_what_is_missing_and_how_to_mend_it(
    cli: Command, filled: TestDatabase
) -> None:
    before = cli("check-config", "--database", "--dsn", filled.dsn)
    assert before.returncode == 1
    assert "memory-maintenance migrate-types" in before.stdout
    cli("migrate-types", "--dsn", filled.dsn)
    after = document(cli("check-config", "--database", "--dsn", filled.dsn, "--format", "json"))
    assert {check["state"] for check in after["checks"]} <= {"ok", "note"}
    details = {check["name"]: check["detail"] for check in after["checks"]}
    assert "not yet" in details["adoption"]
    cli("decay", "--dsn", filled.dsn)
    adopted = document(cli("check-config", "--database", "--dsn", filled.dsn, "--format", "json"))
    assert "adopted at" in {c["name"]: c["detail"] for c in adopted["checks"]}["adoption"]


def test_the_zone_of_zoneless_columns_is_shown(cli: Command, filled: TestDatabase) -> None:
    with filled.connect() as connection:
        connection.execute(
            f"ALTER DATABASE {filled.name} SET TimeZone = 'America/Chicago'".encode()
        )
    done = cli("check-config", "--database", "--dsn", filled.dsn)
    assert "America/Chicago" in done.stdout


def test_without_any_target_the_two_ways_on_are_named(cli: Command) -> None:
    done = cli("report")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--dsn" in done.stderr
    assert "embedded:" in done.stderr


def test_the_demo_ends_with_the_report_and_says_what_to_try(
    cli: Command, server_directory: Path
) -> None:
    dsn = f"embedded:{server_directory}/demo"
    done = cli("demo", "--dsn", dsn, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Facts by durability and category" in done.stdout
    assert done.stdout.index("Last runs") < done.stdout.index("What to try next")
    try_next = document(cli("demo", "--dsn", dsn, "--again", "--format", "json"))["try_next"]
    for command in try_next:  # each of them works, as it is printed
        words = shlex.split(command)
        first = next(
            i for i, word in enumerate(words) if word in ("decay", "report", "run", "check-config")
        )
        arguments = words[first:]
        assert cli(*arguments).returncode == 0, command


def test_the_demo_holds_the_reference_counts_and_awkward_rows(
    cli: Command, empty_database: TestDatabase
) -> None:
    made = document(cli("demo", "--dsn", empty_database.dsn, "--format", "json"))
    counts = made["made"]["by_data_type"]
    assert {name: counts[name] for name in ("permanent", "identity")} == {
        "permanent": 84,
        "identity": 82,
    }
    migration, run, report = made["stages"]
    assert migration["verified"] is True
    assert run["steps"][-1]["confidence"]["changed"] > 500  # a year's history counts
    assert run["steps"][-1]["problem_count"] > 0
    assert report["composition"]["facts"] == made["made"]["facts"]


def test_the_demo_generates_as_many_facts_as_asked_and_stops_there(
    cli: Command, empty_database: TestDatabase
) -> None:
    made = document(cli("demo", "--dsn", empty_database.dsn, "--rows", "5700", "--format", "json"))
    assert made["made"]["facts"] == 5700
    assert made["stages"] == []
    with empty_database.connect() as connection:
        row = connection.execute("SELECT count(*) FROM entity_facts").fetchone()
    assert row == (5700,)


def test_the_demo_refuses_a_memory_that_it_did_not_make(cli: Command, filled: TestDatabase) -> None:
    done = cli("demo", "--dsn", filled.dsn, "--again")
    assert done.returncode == 2
    with filled.connect() as connection:
        assert connection.execute("SELECT count(*) FROM entity_facts").fetchone() == (570,)


def test_an_embedded_server_leaves_with_its_command(cli: Command, server_directory: Path) -> None:
    home = server_directory / "gone"
    assert cli("migrate-types", "--create", "--dsn", f"embedded:{home}").returncode == 0
    assert list(home.rglob("postmaster.pid")) == []


def test_a_progress_bar_is_for_terminals_only(cli: Command, filled: TestDatabase) -> None:
    done = cli("migrate-types", "--dsn", filled.dsn)
    assert done.stderr == ""


def test_the_module_and_the_installed_script_are_the_same_command() -> None:
    script = Path(sys.executable).with_name("memory-maintenance")
    if not script.exists():
        pytest.skip("the console script isn't installed beside this Python")
    by_script = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    by_module = subprocess.run(
        [sys.executable, "-m", "memory_maintenance", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert by_script.stdout == by_module.stdout
