"""Runs that are watched: what the textfile and the check get to know of them, on a real database."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from psycopg import sql

from memory_maintenance import __version__
from tests.support.checks import SECRET_PATH, Check, says
from tests.support.command import Call
from tests.support.maintained import AS_OF, INSTANT, TABLE, Background, Memory, lock_row, waiting
from tests.support.server import TestDatabase

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the textfiles go."""
    place = tmp_path / "textfiles"
    place.mkdir()
    return place


def monitored(memory: Memory, folder: Path | None, check: Check | None = None, **more: str) -> Path:
    """A configuration with these observers. more: of the section."""
    section: dict[str, str] = dict(more)
    if folder is not None:
        section["textfile_directory"] = str(folder)
    if check is not None:
        section["ping_url"] = check.url
    return memory.config(f"monitoring: {json.dumps(section)}\n")


def series(folder: Path) -> Series:
    """All samples of the files that the collector would read, each series once, without server, database."""
    found: Series = {}
    for path in folder.glob("*.prom"):
        for family in text_string_to_metric_families(path.read_text()):
            for sample in family.samples:
                labels = {k: v for k, v in sample.labels.items() if k not in ("server", "database")}
                key = (sample.name, tuple(sorted(labels.items())))
                assert key not in found
                found[key] = sample.value
    return found


def value(found: Series, name: str, **labels: str) -> float | None:
    """Of one series of TABLE."""
    key = (f"memory_maintenance_{name}", tuple(sorted({"table": TABLE, **labels}.items())))
    return found.get(key)


def obligations(memory: Memory) -> None:
    """Overdue: 1001 and 1002. Not: settled, in time, endless, no obligation."""
    rows = (
        (1001, "obligation", "2026-05-01Z", None),
        (1002, "obligation", "2026-06-01Z", '{"obligation": {"status": "overdue"}}'),
        (1003, "obligation", "2026-05-01Z", '{"obligation": {"status": "done"}}'),
        (1004, "obligation", "2026-06-02Z", None),
        (1005, "obligation", "infinity", None),
        (1006, "state", "2026-05-01Z", None),
    )
    with memory.connect() as owner:
        owner.cursor().executemany(
            "INSERT INTO entity_facts (id, key, value, durability, category, expires, data, learned_at,"
            " last_confirmed_at)"
            " VALUES (%s, 'k', 'v', 'short_term', %s, %s, %s, '2026-04-01', '2026-04-01Z')",
            rows,
        )


def test_a_run_leaves_its_figures_and_those_of_the_facts(
    memory: Memory, call: Call, folder: Path
) -> None:
    memory.fill(40)
    obligations(memory)
    with memory.connect() as owner:
        owner.execute("UPDATE entity_facts SET decay_rate = -1 WHERE id <= 2")
        counted = dict(
            owner.execute("SELECT durability, count(*) FROM entity_facts GROUP BY 1").fetchall()
        )
    config = monitored(memory, folder)
    done = call("run", *memory.arguments(config), "--as-of", AS_OF, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    found = series(folder)
    ended = value(found, "last_run_timestamp_seconds", command="run")
    assert ended is not None
    assert value(found, "last_success_timestamp_seconds", command="run") == ended
    assert value(found, "last_run_exit_code", command="run") == 0
    assert (value(found, "last_run_duration_seconds", command="run") or 0) > 0
    assert value(found, "build_info", command="run", version=__version__) == 1
    expire, decay = json.loads(done.stdout)["steps"]
    for outcome, rows in (
        ("examined", decay["examined"]),
        ("updated", decay["updated"]),
        ("problems", 2),
        ("confidence", decay["confidence"]["changed"]),
    ):
        told = value(found, "last_run_rows", command="run", step="decay", outcome=outcome)
        assert told == rows, outcome
    overdue = {"command": "run", "step": "expire-obligations", "outcome": "overdue"}
    assert value(found, "last_run_rows", **overdue) == expire["overdue_count"] == 2
    for durability in ("permanent", "long_term", "short_term", "ephemeral"):
        assert value(found, "facts", durability=durability) == counted[durability]
    assert value(found, "facts", durability="unclassified") == 0
    assert value(found, "facts", durability="unknown") == 0
    assert value(found, "obligations_overdue") == 2
    assert value(found, "facts_as_of_timestamp_seconds") == INSTANT.timestamp()
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in folder.iterdir())
    assert {p.name.rpartition("-")[2] for p in folder.iterdir()} == {"run.prom", "facts.prom"}


def test_each_command_and_table_has_its_own_series(
    memory: Memory, call: Call, folder: Path
) -> None:
    memory.fill(5)
    config = monitored(memory, folder)
    with memory.connect() as owner:
        owner.execute('ALTER TABLE entity_facts RENAME TO "a ""b"" \\ c"')
    arguments = [*memory.arguments(config), "--table", '"a ""b"" \\ c"']
    assert call("migrate-types", *arguments, "-q").returncode == 0
    assert call("decay", *arguments, "--as-of", AS_OF).returncode == 0
    assert call("expire-obligations", *arguments, "--as-of", AS_OF).returncode == 0
    with memory.connect() as owner:
        owner.execute('ALTER TABLE "a ""b"" \\ c" RENAME TO entity_facts')
    assert call("decay", *memory.arguments(config), "--as-of", AS_OF).returncode == 0
    found = series(folder)  # which asserts that nothing stands there twice
    tables = {dict(labels)["table"] for _, labels in found}
    assert tables == {TABLE, 'public."a ""b"" \\ c"'}
    assert len(list(folder.glob("*-decay.prom"))) == 2
    assert len(list(folder.glob("*-facts.prom"))) == 2
    assert value(found, "last_run_rows", command="decay", step="decay", outcome="examined") == 5


def test_facts_without_durability_or_with_a_strange_one_are_counted_apart(
    memory: Memory, call: Call, folder: Path
) -> None:
    memory.fill(8)
    with memory.connect() as owner:
        owner.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_durability")
        owner.execute("ALTER TABLE entity_facts ALTER COLUMN durability DROP NOT NULL")
        owner.execute("SET session_replication_role = replica")
        owner.execute("UPDATE entity_facts SET durability = 'x\"}\n' WHERE id = 1")
        owner.execute("UPDATE entity_facts SET durability = NULL WHERE id IN (2, 3)")
    config = monitored(memory, folder)
    assert call("decay", *memory.arguments(config), "--as-of", AS_OF).returncode == 0
    found = series(folder)
    counted = {
        dict(labels)["durability"]: v for (n, labels), v in found.items() if n.endswith("_facts")
    }
    assert counted == {
        "permanent": 2,  # 4 and 8
        "long_term": 1,  # 5
        "short_term": 1,  # 6
        "ephemeral": 1,  # 7
        "unclassified": 2,
        "unknown": 1,
    }


def test_a_failure_keeps_the_time_of_the_last_success(
    memory: Memory, call: Call, folder: Path, check: Check
) -> None:
    config = monitored(memory, folder, check)
    assert call("run", *memory.arguments(config), "--as-of", AS_OF).returncode == 0
    before = series(folder)
    with memory.connect() as owner:
        owner.execute("ALTER TABLE entity_facts DROP COLUMN pinned")
    failed = call("run", *memory.arguments(config), "--as-of", AS_OF)
    assert failed.returncode == 2
    found = series(folder)
    success = value(found, "last_success_timestamp_seconds", command="run")
    assert success == value(before, "last_success_timestamp_seconds", command="run")
    assert value(found, "last_run_exit_code", command="run") == 2
    assert (value(found, "last_run_timestamp_seconds", command="run") or 0) > (success or 0)
    assert check.actions == ["start", "", "start", "2"]
    assert "it lacks pinned" in check.pings[-1].body
    assert check.pings[0].run == check.pings[1].run != check.pings[2].run == check.pings[3].run


def test_a_database_that_is_down_is_told_of_and_the_last_success_kept(
    memory: Memory, call: Call, folder: Path, check: Check
) -> None:
    config = monitored(memory, folder, check)
    dsn = "postgresql://upkeep:hunter2@127.0.0.1:1/nova"
    arguments = ["run", "--dsn", dsn, "--config", str(config)]
    assert call(*arguments).returncode == 69
    (file,) = folder.iterdir()
    assert "-nova-public.entity_facts-" in file.name
    found = series(folder)
    assert value(found, "last_run_exit_code", command="run") == 69
    assert value(found, "last_success_timestamp_seconds", command="run") is None
    text = file.read_text()
    assert 'server="127.0.0.1:1"' in text
    assert 'database="nova"' in text
    succeeded = text.replace("_run_timestamp", "_success_timestamp")
    file.write_text(succeeded)
    success = value(series(folder), "last_success_timestamp_seconds", command="run")
    assert success is not None
    assert call(*arguments).returncode == 69
    assert value(series(folder), "last_success_timestamp_seconds", command="run") == success
    # It never began, so there is no start.
    assert check.actions == ["69", "69"]
    assert "database unreachable" in check.pings[0].body
    assert "hunter2" not in check.pings[0].body + file.read_text()


def test_who_finds_the_lock_taken_reports_neither_success_nor_failure(
    memory: Memory, call: Call, background: Background, folder: Path, check: Check
) -> None:
    memory.fill(3)
    config = monitored(memory, folder, check)
    with memory.connect() as writer, memory.connect() as observer:
        lock_row(writer, 2)
        first = background(
            "run", *memory.arguments(config), "--as-of", AS_OF, ready=waiting(observer)
        )
        assert call("run", *memory.arguments(config)).returncode == 75
        assert value(series(folder), "last_run_exit_code", command="run") == 75
        writer.execute("ROLLBACK")
        assert first.wait() == 0, first.communicate()
    assert check.actions == ["start", "log", ""]
    assert "is at work on public.entity_facts" in check.pings[1].body
    assert check.pings[0].run == check.pings[2].run != check.pings[1].run
    assert value(series(folder), "last_run_exit_code", command="run") == 0


def test_a_run_that_is_terminated_pings_its_exit_code(
    memory: Memory, background: Background, folder: Path, check: Check
) -> None:
    memory.fill(3)
    config = monitored(memory, folder, check)
    with memory.connect() as writer, memory.connect() as observer:
        lock_row(writer, 2)
        run = background(
            "run", *memory.arguments(config), "--as-of", AS_OF, ready=waiting(observer)
        )
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait() == 143
    assert check.actions == ["start", "143"]
    assert "interrupted by SIGTERM" in check.pings[1].body
    assert value(series(folder), "last_run_exit_code", command="run") == 143


def test_findings_are_no_success(
    database: TestDatabase, call: Call, folder: Path, tmp_path: Path
) -> None:
    with database.connect() as owner:
        owner.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
        owner.execute("INSERT INTO entity_facts (key, value, data_type) VALUES ('k', 'v', 'odd')")
    config = tmp_path / "config.yaml"
    config.write_text(f"monitoring: {{textfile_directory: {folder}}}\n")
    done = call("migrate-types", "--dsn", database.dsn, "--config", str(config))
    assert (done.returncode, done.stderr) == (1, "")
    found = series(folder)
    assert value(found, "last_run_exit_code", command="migrate-types") == 1
    assert value(found, "last_success_timestamp_seconds", command="migrate-types") is None


def test_a_dry_run_leaves_no_trace_and_pings_nobody(
    memory: Memory, call: Call, folder: Path, check: Check
) -> None:
    memory.fill(3)
    config = monitored(memory, folder, check)
    arguments = memory.arguments(config)
    for command in ("run", "decay", "expire-obligations", "migrate-types"):
        assert call(command, *arguments, "--dry-run").returncode == 0
    assert call("migrate-types", "status", *arguments).returncode == 0
    assert call("report", *arguments).returncode == 0
    assert check.pings == []
    assert list(folder.iterdir()) == []


def test_only_the_commands_that_are_named_ping(memory: Memory, call: Call, check: Check) -> None:
    config = monitored(memory, None, check)
    assert call("decay", *memory.arguments(config), "--as-of", AS_OF).returncode == 0
    assert check.pings == []
    named = memory.config("monitoring: {ping_commands: [decay]}\n")
    done = call(
        "decay",
        *memory.arguments(named),
        "--as-of",
        AS_OF,
        env={"MEMORY_MAINTENANCE_PING_URL": check.url},
    )
    assert done.returncode == 0
    assert check.actions == ["start", ""]
    assert check.pings[0].agent == f"memory-maintenance/{__version__}"


def test_no_failure_of_monitoring_fails_a_run_and_each_is_said_once(
    memory: Memory, call: Call, tmp_path: Path, check: Check
) -> None:
    memory.fill(3)
    check.answers(says(404), says(404))
    config = monitored(memory, tmp_path / "absent", check)
    done = call("run", *memory.arguments(config), "--as-of", AS_OF)
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert said == [
        f"warning: monitoring: no metrics in {tmp_path / 'absent'}: No such file or directory",
        "warning: monitoring: the pings failed: the start: HTTP status 404; the end: HTTP status 404",
    ]
    quiet = call("run", *memory.arguments(config), "--as-of", AS_OF, "-q")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert check.actions == ["start", "", "start", ""]
    assert memory.ledger()[-1][1] == "done"


def test_a_check_that_hangs_holds_a_run_up_no_longer_than_documented(
    memory: Memory, call: Call, check: Check
) -> None:
    check.answers(check.never, check.never, check.never)
    config = monitored(memory, None, check, ping_timeout="0.1s")
    done = call("run", *memory.arguments(config), "--as-of", AS_OF)
    assert done.returncode == 0
    (said,) = done.stderr.splitlines()
    assert said.startswith("warning: monitoring: the pings failed: the start: ReadTimeout; the end")
    assert SECRET_PATH not in done.stderr


@pytest.mark.parametrize(("state", "code"), [("P0001", "70"), ("42501", "77")])
def test_neither_facts_nor_the_words_of_the_server_reach_the_check(
    memory: Memory, call: Call, check: Check, state: str, code: str
) -> None:
    memory.fill(1)
    with memory.connect() as owner:
        owner.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE 'bad \"%\"', NEW.value USING ERRCODE = '{state}'; END $$".encode()
        )
        owner.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    config = monitored(memory, None, check)
    failed = call("run", *memory.arguments(config), "--as-of", AS_OF, "-v")
    assert failed.returncode == int(code)
    assert "fact 1" in failed.stderr  # the operator's own log has the server's words
    assert check.actions == ["start", code]
    body = check.pings[-1].body
    assert f"the server refused a statement (SQLSTATE {state})" in body
    assert "fact 1" not in body
    assert f"exit code {code}" in body


def test_lines_of_json_say_which_run_and_step_they_belong_to(memory: Memory, call: Call) -> None:
    memory.fill(3)
    with memory.connect() as owner:
        owner.execute("CREATE SEQUENCE public.refused")
        owner.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF nextval('public.refused') = 1 THEN RAISE 'no' USING ERRCODE = '40001'; END IF;"
            " RETURN NEW; END $$"
        )
        owner.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    done = call("run", *memory.arguments(), "--as-of", AS_OF, "-v", "--log-format", "json")
    assert done.returncode == 0, done.stderr
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert line["message"].startswith("attempt 1 of 75 met a lock (40001)")
    assert line["timestamp"].endswith("Z")
    del line["message"], line["timestamp"]
    assert line == {
        "level": "info",
        "logger": "memory_maintenance.engine.retry",
        "command": "run",
        "table": TABLE,
        "run_id": 2,
        "step": "decay",
    }


def test_the_facts_are_counted_by_a_role_that_may_only_read_and_write_them(
    memory: Memory, call: Call, folder: Path
) -> None:
    memory.fill(3)
    role = memory.database.create_role()
    with memory.connect() as owner:
        for statement in (
            "GRANT USAGE ON SCHEMA memory_maintenance TO {}",
            "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA memory_maintenance TO {}",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA memory_maintenance TO {}",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA memory_maintenance TO {}",
            "GRANT SELECT, UPDATE ON entity_facts TO {}",
        ):
            owner.execute(sql.SQL(statement).format(sql.Identifier(role)))
    config = monitored(memory, folder)
    arguments = memory.arguments(config, dsn=f"{memory.dsn} user={role}")
    done = call("decay", *arguments, "--as-of", AS_OF)
    assert done.returncode == 0, done.stderr
    assert sum(v for (name, _), v in series(folder).items() if name.endswith("_facts")) == 3
