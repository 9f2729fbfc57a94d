"""The fixtures keep what they promise to other tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support.command import Command
from tests.support.pgbouncer import Pooler
from tests.support.processes import ROOT, is_gone, server_pid
from tests.support.server import TEST_DSN, TestDatabase, TestServer
from tests.support.waiting import wait_until


def test_a_database_has_the_legacy_table_and_no_rows(database: TestDatabase) -> None:
    count = database.connect().execute("SELECT count(*) FROM entity_facts").fetchone()
    assert count == (0,)


def test_an_empty_database_has_no_tables(empty_database: TestDatabase) -> None:
    found = empty_database.connect().execute(
        "SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = 'public'::regnamespace"
    )
    assert found.fetchone() == (0,)


def test_two_databases_of_one_test_are_two(
    database: TestDatabase, empty_database: TestDatabase
) -> None:
    assert database.name != empty_database.name


def test_a_role_of_a_test_can_log_in(empty_database: TestDatabase) -> None:
    role = empty_database.create_role()
    connection = empty_database.connect(user=role)
    assert connection.execute("SELECT current_user").fetchone() == (role,)


def test_servers_of_both_versions_serve_a_legacy_database(
    each_server: TestServer, each_database: TestDatabase
) -> None:
    connection = each_database.connect()
    assert connection.info.server_version == each_server.version
    connection.execute("SELECT FROM entity_facts")


def test_the_own_server_is_another_one(own_server: TestServer, server: TestServer) -> None:
    assert own_server.superuser_conninfo != server.superuser_conninfo
    assert own_server.pid > 1


def test_behind_the_pooler_a_session_lock_outlives_its_session(
    pgbouncer: Pooler, empty_database: TestDatabase
) -> None:
    with psycopg.connect(pgbouncer.dsn(empty_database.name), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(4711)")
    held = empty_database.connect().execute(
        "SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objid = 4711"
    )
    assert held.fetchone() == (1,)


def test_the_command_sees_none_of_our_variables(
    cli: Command, clean_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [name for name in clean_env if name.startswith(("PG", "MEMORY_MAINTENANCE_"))]
    assert clean_env["TERM"] == "dumb"
    assert "COLUMNS" not in clean_env


SESSION = """
import pathlib, signal, sys

def test_that_needs_a_server_and_never_ends(server):
    note = pathlib.Path(__file__).with_name("note")
    note.with_suffix(".new").write_text(str(server.home))
    note.with_suffix(".new").rename(note)
    signal.pause()

def test_that_needs_none():
    pass
"""


def session(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Another session of pytest, with a test that needs the server and never ends."""
    (folder / "test_session.py").write_text(SESSION)
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    environment.pop(TEST_DSN, None)
    options = ["-p", "tests.support.server", "-p", "no:cacheprovider", "-c", os.devnull]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *arguments, str(folder / "test_session.py")],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def server_of(folder: Path) -> Path:
    """Where the server of that session is, once it runs."""
    note = folder / "note"
    wait_until(note.exists, timeout_s=60)
    return Path(note.read_text())


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_session_ended_by_ctrl_c_leaves_nothing_behind(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    process = session(tmp_path, *workers)
    home = server_of(tmp_path)
    pid = server_pid(home)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert is_gone(pid)
    assert not home.parent.exists()


def test_what_a_killed_session_left_behind_is_removed_by_the_next(tmp_path: Path) -> None:
    process = session(tmp_path)
    home = server_of(tmp_path)
    pid = server_pid(home)
    process.kill()
    process.communicate(timeout=60)
    assert not is_gone(pid)
    output, _ = session(tmp_path, "-k", "needs_none").communicate(timeout=60)
    assert "1 passed" in output
    assert is_gone(pid)
    assert not home.parent.exists()
