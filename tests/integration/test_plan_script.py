"""``--plan``: a script that a DBA reviews and runs with psql, with the same result as the command itself."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memory_maintenance.migration.migrate import MigrateOptions
from tests.support import legacy
from tests.support.command import Call, Command
from tests.support.migration import (
    PRODUCTION,
    Connection,
    columns_of,
    contents,
    contracted,
    counts,
    migrated,
    rolled_back,
)
from tests.support.programs import psql, schema_dump
from tests.support.server import TestDatabase
from tests.support.waiting import wait_until

CLASSIFIED = {
    ("permanent", "identity"): 166,
    ("long_term", "preference"): 4,
    ("long_term", "observation"): 400,
}


def test_the_script_gives_what_the_command_gives(
    database: TestDatabase, empty_database: TestDatabase, cli: Command, tmp_path: Path
) -> None:
    legacy.build(empty_database.connect())
    for conn in (database.connect(), empty_database.connect()):
        legacy.legacy(conn, PRODUCTION)
    script = tmp_path / "plan.sql"
    before = schema_dump(empty_database)
    done = cli("migrate-types", "--plan", str(script), "--dsn", empty_database.dsn)
    assert (done.returncode, done.stderr) == (0, "")
    assert schema_dump(empty_database) == before
    ran = psql(empty_database, script)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert migrated(database).verified is True
    assert counts(empty_database.connect()) == CLASSIFIED
    assert schema_dump(empty_database) == schema_dump(database)
    again = migrated(empty_database, dry_run=True)
    assert again.plan == ()
    recorded = (
        "SELECT table_name, type_map, columns_added, former FROM memory_maintenance.migration"
    )
    assert (
        empty_database.connect().execute(recorded).fetchall()
        == database.connect().execute(recorded).fetchall()
    )


@pytest.mark.parametrize("batch", [3, 5000])
def test_the_script_goes_through_many_batches(
    database: TestDatabase, call: Call, tmp_path: Path, batch: int
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 10, "observation": 7})
    script = tmp_path / "plan.sql"
    call("migrate-types", "--plan", str(script), "--dsn", database.dsn)
    script.write_text(script.read_text().replace("OFFSET 5000 - 1", f"OFFSET {batch} - 1"))
    ran = psql(database, script)
    assert ran.returncode == 0, ran.stderr
    assert counts(conn) == {("permanent", "identity"): 10, ("long_term", "observation"): 7}


def test_the_script_stops_at_a_value_that_came_after_it_was_written(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, PRODUCTION)
    script = tmp_path / "plan.sql"
    call("migrate-types", "--plan", str(script), "--dsn", database.dsn)
    legacy.facts(conn, [{"data_type": "hunch"}])
    before = columns_of(conn), contents(conn)
    ran = psql(database, script)
    assert ran.returncode == 3
    assert "the map of data_type lacks the values of 1 facts" in ran.stderr
    assert (columns_of(conn), contents(conn)) == before


def test_no_script_is_written_where_the_map_lacks_a_value(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = database.connect()
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"hunch": 3})
    script = tmp_path / "plan.sql"
    done = call("migrate-types", "--plan", str(script), "--dsn", database.dsn)
    assert done.returncode == 1
    assert "hunch" in done.stdout
    assert not script.exists()


def test_a_script_that_cannot_be_written_is_wrong_usage(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    script = tmp_path / "absent" / "plan.sql"
    done = call("migrate-types", "--plan", str(script), "--dsn", database.dsn)
    assert done.returncode == 2
    assert str(script) in done.stderr


def test_the_script_keeps_a_second_run_out(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    script = tmp_path / "plan.sql"
    call("migrate-types", "--plan", str(script), "--dsn", database.dsn)
    conn = database.connect()
    conn.execute(
        "SELECT pg_advisory_lock(hashtextextended('memory-maintenance run public.entity_facts', 0))"
    )
    ran = psql(database, script)
    assert ran.returncode == 3
    assert "another run is at work" in ran.stderr
    assert "durability" not in columns_of(conn)


@pytest.mark.parametrize("name", ['Entity "Facts"', "o'facts", "fact$script$s"])
def test_names_that_need_quotes_are_quoted(
    database: TestDatabase, call: Call, tmp_path: Path, name: str
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"identity": 2})
    quoted = '"' + name.replace('"', '""') + '"'
    conn.execute(f"ALTER TABLE entity_facts RENAME TO {quoted}".encode())
    script = tmp_path / "plan.sql"
    options = ("--table", quoted, "--dsn", database.dsn)
    done = call("migrate-types", "--plan", str(script), *options)
    assert done.returncode == 0, done.stderr
    ran = psql(database, script)
    assert ran.returncode == 0, ran.stderr
    assert counts(conn, quoted) == {("permanent", "identity"): 2}


def test_a_line_break_in_a_name_starts_no_statement(
    database: TestDatabase, cli: Command, tmp_path: Path
) -> None:
    conn = database.connect()
    name = "v\nCREATE TABLE pwned (i integer); --\n\\! touch pwned\n"
    conn.execute(f'CREATE VIEW "{name}" AS SELECT id, data_type FROM entity_facts'.encode())
    migrated(database)
    script = tmp_path / "plan.sql"
    options = ("--phase", "contract", *ACCEPTED, "--plan", str(script), "--dsn", database.dsn)
    done = cli("migrate-types", *options)
    assert done.returncode == 0, done.stderr
    ran = psql(database, script)
    assert ran.returncode == 0, ran.stderr
    assert conn.execute("SELECT to_regclass('pwned')").fetchone() == (None,)
    assert not (tmp_path / "pwned").exists()
    assert not Path("pwned").exists()


def test_a_batch_of_the_script_gives_way_to_a_writer_and_tries_again(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn, writer = database.connect(), database.connect(autocommit=False)
    legacy.legacy(conn, {"identity": 5})
    script = tmp_path / "plan.sql"
    call("migrate-types", "--phase", "expand", "--dsn", database.dsn)
    call("migrate-types", "--phase", "backfill", "--plan", str(script), "--dsn", database.dsn)
    writer.execute("SELECT FROM entity_facts WHERE id = 3 FOR UPDATE")

    def release() -> None:
        waits = (
            "SELECT l.pid FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid"
            " WHERE NOT granted AND locktype = 'transactionid' AND datname = current_database()"
        )
        wait_until(lambda: conn.execute(waits).fetchone())
        wait_until(lambda: conn.execute(waits).fetchone() is None)
        writer.commit()

    thread = threading.Thread(target=release)
    thread.start()
    ran = psql(database, script)
    thread.join()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert counts(conn) == {("permanent", "identity"): 5}


ACCEPTED = ("--dependents", "keep", "--accept", "merge_facts")


def planned_and_run(
    call: Call, database: TestDatabase, script: Path, phase: str, *options: str
) -> None:
    """One phase by its script."""
    done = call(
        "migrate-types",
        *("--phase", phase, *options, "--plan", str(script), "--dsn", database.dsn),
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    ran = psql(database, script)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_contract_and_rollback_by_script_give_what_the_command_gives(
    database: TestDatabase, empty_database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    legacy.build(empty_database.connect())
    for conn in (database.connect(), empty_database.connect()):
        legacy.legacy(conn, PRODUCTION)
        conn.execute(
            "INSERT INTO entity_facts_archive (id, key, value, data_type)"
            " SELECT id, key, value, data_type FROM entity_facts WHERE id % 7 = 0"
        )
    by_hand = empty_database.connect()
    before = schema_dump(empty_database), contents(by_hand), archived(by_hand)
    for one in (database, empty_database):
        assert migrated(one).verified is True
    planned_and_run(call, empty_database, tmp_path / "contract.sql", "contract", *ACCEPTED)
    options = MigrateOptions(keep_dependents=True, accept=("merge_facts",))
    assert contracted(database, options).contracted is True
    assert schema_dump(empty_database) == schema_dump(database)
    axes = "ROW(f.id, f.value, f.durability, f.category)"
    assert contents(by_hand, axes) == contents(database.connect(), axes)
    backup = (
        "SELECT table_name, data_type, count(*) FROM memory_maintenance.data_type_backup"
        " GROUP BY 1, 2 ORDER BY 1"
    )
    kept = by_hand.execute(backup).fetchall()
    assert kept == [
        ("public.entity_facts", "identity", 82),
        ("public.entity_facts_archive", "identity", 11),  # ids 91, 98, ... 161
    ]
    assert kept == database.connect().execute(backup).fetchall()
    planned_and_run(call, empty_database, tmp_path / "rollback.sql", "rollback")
    assert rolled_back(database).rolled_back is True
    assert schema_dump(empty_database) == schema_dump(database)
    dump, facts, archive = before
    assert regardless_of_order(schema_dump(empty_database)) == regardless_of_order(dump)
    assert (contents(by_hand), archived(by_hand)) == (facts, archive)


def test_rollback_before_contract_by_script_leaves_nothing_behind(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    before = schema_dump(database), contents(conn)
    migrated(database)
    planned_and_run(call, database, tmp_path / "rollback.sql", "rollback")
    assert (schema_dump(database), contents(conn)) == before


def regardless_of_order(dump: str) -> list[str]:
    """The lines of a dump, sorted: data_type is the last column after a contract and its rollback."""
    return sorted(line.strip().removesuffix(",") for line in dump.splitlines())


def complaints(script: Path) -> str:
    """What squawk, a linter of migrations, finds in a script."""
    program = Path(sys.executable).with_name("squawk")
    done = subprocess.run(
        [program, "--reporter", "gcc", "--pg-version", "13.0", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def test_a_linter_of_migrations_finds_nothing_that_the_script_does_not_explain(
    database: TestDatabase, call: Call, tmp_path: Path
) -> None:
    conn = database.connect()
    legacy.legacy(conn, PRODUCTION)
    script = tmp_path / "plan.sql"
    for phase, options in (
        ((), ()),
        (("--phase", "rollback"), ()),
        (("--phase", "contract"), ACCEPTED),
        (("--phase", "rollback"), ()),
    ):
        done = call("migrate-types", *phase, *options, "--plan", str(script), "--dsn", database.dsn)
        assert done.returncode == 0, done.stdout
        assert complaints(script) == ""
        unexplained = script.read_text().replace("squawk-ignore", "not-ignored")
        script.write_text(unexplained)
        assert complaints(script) != ""
        if options:
            call("migrate-types", *phase, *options, "--dsn", database.dsn)
        elif not phase:
            call("migrate-types", "--dsn", database.dsn)


def archived(conn: Connection) -> list[str]:
    """The rows of the archive as sorted JSON text, whatever the order of columns."""
    rows = conn.execute("SELECT to_jsonb(a)::text FROM entity_facts_archive AS a").fetchall()
    return sorted(row for (row,) in rows)
