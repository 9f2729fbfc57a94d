"""importance score as operators run it: exit codes, what is printed, and what a signal leaves."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Call
from tests.support.endpoint import RIGHT, StubEndpoint, fails, worded
from tests.support.legacy import facts
from tests.support.maintained import Background, lock_row, waiting
from tests.support.server import Connection, TestDatabase
from tests.support.waiting import wait_until

KEY = "sk-hunter2"


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, in which six public facts say how important they are, and one is private."""
    connection = migrated.connect()
    facts(connection, [{"value": f"worth {n}"} for n in range(1, 7)])
    facts(connection, [{"value": "worth 9", "visibility": "private"}])
    return connection


def stored(connection: Connection) -> dict[int, int]:
    """What was scored: importance by id."""
    rows = connection.execute(
        "SELECT id, importance FROM entity_facts WHERE importance_scored_at IS NOT NULL"
    )
    return dict(rows.fetchall())


def configuration(directory: Path, endpoint: StubEndpoint, **sections: Any) -> str:
    """A file that names the endpoint; sections: more of it, scoring's keys overlaid."""
    scoring = {
        "base_url": endpoint.url,
        "model": "small",
        "api_key_env": "SOME_KEY",
        "batch_size": 2,
        "retries": 0,
        **sections.pop("scoring", {}),
    }
    path = directory / "scoring.yaml"
    path.write_text(json.dumps({"scoring": scoring, **sections}))
    return str(path)


def test_the_result_for_programs(
    call: Call,
    migrated: TestDatabase,
    connection: Connection,
    endpoint: StubEndpoint,
    tmp_path: Path,
) -> None:
    endpoint.answers(fails(400), otherwise=RIGHT)
    config = configuration(tmp_path, endpoint)
    arguments = ("importance", "score", "--dsn", migrated.dsn, "--config", config)
    env = {"SOME_KEY": KEY}
    planned = call(*arguments, "--dry-run", "--format", "json")
    assert planned.returncode == 0, planned.stderr
    assert json.loads(planned.stdout)["requests"] == 3
    done = call(*arguments, "--max-requests", "3", "--format", "json", "-vv", env=env)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert stored(connection) == {6: 6, 5: 5, 4: 4, 3: 3}
    assert document | {"duration_s": 0, "as_of": None} == {
        "command": "importance-score",
        "dry_run": False,
        "as_of": None,
        "table": "entity_facts",
        "run_id": None,
        "endpoint": endpoint.url,
        "model": "small",
        "include_private": False,
        "batch_size": 2,
        "ceiling": 3,
        "requests": 3,
        "retries": 0,
        "scored": 4,
        "unscored": {},
        "remaining": 2,
        "held_back": 1,
        "tokens": {"prompt": 200, "completion": 20},
        "stopped": None,
        "prompt": None,
        "notes": [
            "no more requests were allowed (scoring.max_requests, --max-requests)",
            "facts that aren't public were held back; --include-private sends them too",
        ],
        "duration_s": 0,
    }
    assert "takes no response_format json_schema; json_object is used" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr
    rest = call(*arguments, "--include-private", env=env)
    assert rest.returncode == 0, rest.stderr
    assert stored(connection) == {**{n: n for n in range(1, 7)}, 7: 9}
    assert max(map(len, rest.stdout.splitlines())) <= 80


def test_answers_that_cannot_be_used_are_findings_even_if_quiet(
    call: Call,
    migrated: TestDatabase,
    connection: Connection,
    endpoint: StubEndpoint,
    tmp_path: Path,
) -> None:
    endpoint.answers(RIGHT, worded(lambda text: f"Sure: {text}"))
    config = configuration(tmp_path, endpoint, scoring={"concurrency": 1})
    arguments = ("importance", "score", "--dsn", migrated.dsn, "--config", config, "-q")
    done = call(*arguments, env={"SOME_KEY": KEY})
    assert done.returncode == 1
    assert "2 facts that were asked about are unscored" in done.stdout
    done = call(*arguments, env={"SOME_KEY": KEY})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_goes_wrong_is_told_by_the_exit_code(
    call: Call,
    migrated: TestDatabase,
    connection: Connection,
    endpoint: StubEndpoint,
    tmp_path: Path,
) -> None:
    arguments = ("importance", "score", "--dsn", migrated.dsn)
    off = call(*arguments)
    assert (off.returncode, off.stdout) == (2, "")
    assert "importance score is off" in off.stderr
    config = configuration(tmp_path, endpoint)
    keyless = call(*arguments, "--config", config)
    assert keyless.returncode == 2
    assert "SOME_KEY" in keyless.stderr
    endpoint.answers(otherwise=fails(401, f"Incorrect API key: {KEY}"))
    refused = call(*arguments, "--config", config, "-vv", env={"SOME_KEY": KEY})
    assert (refused.returncode, len(endpoint.asked)) == (2, 1)
    assert "hunter2" not in refused.stderr
    endpoint.close()
    gone = call(*arguments, "--config", config, env={"SOME_KEY": KEY})
    assert (gone.returncode, gone.stdout) == (69, "")
    assert call("importance", "guess", "--dsn", migrated.dsn).returncode == 2
    assert stored(connection) == {}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_was_scored_before_a_signal_stays_and_the_next_run_goes_on(
    number: signal.Signals,
    call: Call,
    background: Background,
    migrated: TestDatabase,
    connection: Connection,
    endpoint: StubEndpoint,
    tmp_path: Path,
) -> None:
    endpoint.answers(RIGHT, otherwise=endpoint.held())
    config = configuration(tmp_path, endpoint, scoring={"api_key_env": "HOME"})
    arguments = ("importance", "score", "--dsn", migrated.dsn, "--config", config)
    run = background(*arguments, ready=lambda: len(endpoint.asked) == 3)
    run.send_signal(number)
    _, err = run.communicate(timeout=20)
    assert run.returncode == {signal.SIGTERM: 143, signal.SIGKILL: -9}[number], err
    assert "Traceback" not in err
    assert stored(connection) == {6: 6, 5: 5}
    endpoint.opened.set()
    assert call(*arguments).returncode == 0
    assert stored(connection) == {n: n for n in range(1, 7)}


def test_a_signal_loses_no_answer_that_has_come(
    background: Background,
    migrated: TestDatabase,
    connection: Connection,
    endpoint: StubEndpoint,
    tmp_path: Path,
) -> None:
    """Neither the one that waits for a lock when the signal comes, nor the one behind it."""
    writer = migrated.connect()
    endpoint.answers(RIGHT, otherwise=endpoint.held())
    config = configuration(
        tmp_path,
        endpoint,
        scoring={"api_key_env": "HOME"},
        database={"lock_timeout": "10s"},
    )
    run = background(
        *("importance", "score", "--dsn", migrated.dsn, "--config", config),
        ready=lambda: len(endpoint.asked) == 3,
    )
    assert stored(connection) == {6: 6, 5: 5}
    lock_row(writer, 4)
    endpoint.opened.set()
    wait_until(lambda: endpoint.replied == 3)
    wait_until(waiting(connection))
    run.send_signal(signal.SIGTERM)
    wait_until(waiting(connection))
    writer.execute("ROLLBACK")
    run.communicate(timeout=20)
    assert run.returncode == 143
    assert stored(connection) == {n: n for n in range(1, 7)}
