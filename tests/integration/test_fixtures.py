"""The fixtures keep what they promise to other tests."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.command import Command
from tests.support.pgbouncer import Pooler
from tests.support.server import TestDatabase, TestServer


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
