"""A session has every setting of ours whatever the server, the database or the environment say."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from memory_maintenance.config.load import load
from memory_maintenance.database.session import Session, open_session
from memory_maintenance.errors import Denied, Unavailable, UsageError
from tests.support.maintained import target
from tests.support.pgbouncer import Pooler
from tests.support.server import TestDatabase, TestServer, fresh_database
from tests.support.waiting import wait_until

EXPECTED = {
    "application_name": "memory-maintenance test",
    "lock_timeout": "5s",
    "statement_timeout": "5min",
    "idle_in_transaction_session_timeout": "1min",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "search_path": "pg_catalog, pg_temp",
    "row_security": "off",
    "default_transaction_isolation": "read committed",
    "extra_float_digits": "3",
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "synchronous_commit": "local",
    "client_connection_check_interval": "1s",
    "jit": "off",
}

HOSTILE = {
    "application_name": "'else'",
    "lock_timeout": "'1ms'",
    # Long enough for our first statements, which run before our settings can be in force.
    "statement_timeout": "'9s'",
    "idle_in_transaction_session_timeout": "'9s'",
    "TimeZone": "'America/Chicago'",
    "DateStyle": "'German, DMY'",
    "IntervalStyle": "sql_standard",
    "search_path": "evil, public",
    "row_security": "on",
    "default_transaction_isolation": "serializable",
    "extra_float_digits": "'-15'",
    "client_encoding": "LATIN1",
    "standard_conforming_strings": "off",
    "synchronous_commit": "off",
    "client_connection_check_interval": "'0'",
    "jit": "on",
}


@contextmanager
def session_on(dsn: str) -> Iterator[Session]:
    settings = load(None, environ={"HOME": "/nonexistent"}).settings.database
    with open_session(target(dsn), settings, application_name="memory-maintenance test") as session:
        yield session


def settings_of(session: Session) -> dict[str, str]:
    rows = session.connection.execute(
        "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)",
        [list(EXPECTED)],
    ).fetchall()
    return dict(rows)


def make_hostile(database: TestDatabase) -> None:
    with database.server.connect() as owner:
        for name, value in HOSTILE.items():
            owner.execute(
                f"ALTER DATABASE {database.name} SET {name} = {value}".encode()  # names of ours
            )


@pytest.mark.parametrize("hostile", [False, True], ids=["defaults", "hostile"])
def test_every_setting_is_in_force_at_once_and_after_connecting_again(
    hostile: bool, each_server: TestServer
) -> None:
    with fresh_database(each_server, "template0") as database:
        if hostile:
            make_hostile(database)
        else:
            with database.server.connect() as owner:
                owner.execute(
                    f"ALTER DATABASE {database.name} SET synchronous_commit = off".encode()
                )
        with session_on(database.dsn) as session:
            assert settings_of(session) == EXPECTED
            first = session.server.backend_pid
            session.reconnect()
            assert session.server.backend_pid != first
            assert settings_of(session) == EXPECTED


def test_durable_commits_of_a_server_are_left_as_they_are(empty_database: TestDatabase) -> None:
    with empty_database.server.connect() as owner:
        owner.execute(
            f"ALTER DATABASE {empty_database.name} SET synchronous_commit = remote_apply".encode()
        )
    with session_on(empty_database.dsn) as session:
        assert settings_of(session)["synchronous_commit"] == "remote_apply"


def test_zoneless_columns_are_read_in_the_databases_zone_and_not_in_ours(
    empty_database: TestDatabase,
) -> None:
    make_hostile(empty_database)
    with session_on(empty_database.dsn) as session:
        assert session.zoneless_timezone == "America/Chicago"
        assert settings_of(session)["TimeZone"] == "UTC"
        session.reconnect()
        assert session.zoneless_timezone == "America/Chicago"


@pytest.mark.parametrize("options", ["-c TimeZone=Asia/Tokyo", "--timezone=Asia/Tokyo"])
def test_a_zone_among_the_dsns_options_changes_nothing(
    options: str, empty_database: TestDatabase
) -> None:
    make_hostile(empty_database)
    with session_on(make_conninfo(empty_database.dsn, options=options)) as session:
        assert session.zoneless_timezone == "America/Chicago"


def test_a_zone_that_a_service_file_sets_is_noticed(
    empty_database: TestDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = tmp_path / "services"
    service.write_text("[zoned]\noptions=-c timezone=Asia/Tokyo\n")
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    with (
        session_on(make_conninfo(empty_database.dsn, service="zoned")) as session,
        pytest.raises(UsageError, match="TimeZone"),
    ):
        _ = session.zoneless_timezone


def test_a_snapshot_is_read_only_and_leaves_the_session_as_it_was(
    empty_database: TestDatabase,
) -> None:
    with session_on(empty_database.dsn) as session:
        with (
            pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
            session.snapshot(),
        ):
            session.connection.execute("CREATE TABLE public.t ()")
        session.connection.execute("CREATE TABLE public.t ()")
        with session.transaction():
            row = session.connection.execute("SHOW transaction_isolation").fetchone()
            assert row == ("read committed",)


def test_a_transaction_that_an_exception_left_open_can_be_left(
    empty_database: TestDatabase,
) -> None:
    with session_on(empty_database.dsn) as session:
        session.connection.execute("BEGIN")
        session.connection.execute("CREATE TABLE public.t ()")
        session.leave_transaction()
        assert session.connection.info.transaction_status.name == "IDLE"
        session.leave_transaction()
        with pytest.raises(psycopg.errors.UndefinedTable):
            session.connection.execute("SELECT FROM public.t")


def test_names_in_other_scripts_are_understood_whatever_the_databases_client_encoding(
    empty_database: TestDatabase,
) -> None:
    from memory_maintenance.database import relation

    make_hostile(empty_database)
    with empty_database.connect(client_encoding="UTF8") as owner:
        owner.execute('CREATE TABLE public."факты" (id int PRIMARY KEY)')
    with session_on(empty_database.dsn) as session:
        assert relation.resolve(session, "public", "факты").key == "id"


# -- poolers --


def pooling(pgbouncer: Pooler, **settings: str) -> None:
    """Have the pooler run with other settings than its fixture's."""
    directory = pgbouncer.socket_directory
    file = directory / "pgbouncer.ini"
    text = file.read_text()
    for name, value in settings.items():
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
        assert f"{name} = {value}\n" in text
    file.write_text(text)
    os.kill(int((directory / "pid").read_text()), signal.SIGHUP)
    wait_until(lambda: "SIGHUP" in (directory / "log").read_text())


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_keeps_no_session_is_refused(
    mode: str, pgbouncer: Pooler, empty_database: TestDatabase
) -> None:
    pooling(pgbouncer, pool_mode=mode)
    with (
        pytest.raises(Unavailable) as caught,
        session_on(pgbouncer.dsn(empty_database.name)),
    ):
        pass
    assert caught.value.exit_code == 69
    assert "transaction-pooling" in caught.value.message
    assert "directly" in (caught.value.remedy or "")


@pytest.mark.parametrize("size", ["1", "2"])
def test_a_pooler_that_keeps_sessions_is_accepted(
    size: str, pgbouncer: Pooler, empty_database: TestDatabase
) -> None:
    """One server connection, too: no second one is to be had, and that is found out quickly."""
    pooling(pgbouncer, pool_mode="session", default_pool_size=size)
    began = time.monotonic()
    with session_on(pgbouncer.dsn(empty_database.name)) as session:
        assert settings_of(session)["search_path"] == "pg_catalog, pg_temp"
        assert session.connection.execute("SELECT 1").fetchone() == (1,)
    assert time.monotonic() - began < 8


# -- refusals --


def with_passwords(server: TestServer) -> None:
    assert server.pgdata is not None
    (server.pgdata / "pg_hba.conf").write_text(
        "local all postgres trust\nlocal all barred reject\nlocal all all scram-sha-256\n"
    )
    with server.connect() as owner:
        owner.execute("CREATE ROLE keeper LOGIN PASSWORD 'right one'")
        owner.execute("CREATE ROLE barred LOGIN")
        owner.execute("SELECT pg_reload_conf()")


def test_logins_that_the_server_refuses_are_denied_and_tell_no_password(
    own_server: TestServer,
) -> None:
    with_passwords(own_server)

    def dsn(user: str, password: str | None, database: str = "postgres") -> str:
        return make_conninfo(own_server.dsn(database), user=user, password=password)

    with session_on(dsn("keeper", "right one")) as session:
        assert session.server.role == "keeper"
    for refused in (
        dsn("keeper", "s3cret-wrong"),
        dsn("keeper", None),
        dsn("nobody_here", "s3cret-wrong"),
        dsn("barred", "s3cret-wrong"),
    ):
        with pytest.raises(Denied) as caught, session_on(refused):
            pass
        assert caught.value.exit_code == 77
        assert "refused the login" in caught.value.message
        assert "s3cret" not in caught.value.message
    with (
        pytest.raises(UsageError, match="no_such_database"),
        session_on(dsn("keeper", "right one", "no_such_database")),
    ):
        pass


def test_a_database_that_a_role_may_not_connect_to_is_denied(
    empty_database: TestDatabase,
) -> None:
    role = empty_database.create_role()
    with empty_database.server.connect() as owner:
        owner.execute(f"REVOKE CONNECT ON DATABASE {empty_database.name} FROM PUBLIC".encode())
    with (
        pytest.raises(Denied, match="permission denied"),
        session_on(make_conninfo(empty_database.dsn, user=role)),
    ):
        pass


@pytest.mark.parametrize(
    ("dsn", "error"),
    [
        ("host=127.0.0.1 port=1 dbname=x user=y", Unavailable),
        ("host=/nonexistent dbname=x user=y", Unavailable),
        ("host=nosuch.invalid dbname=x user=y", Unavailable),
        ("host=127.0.0.1 port=1 dbname=x sslmode=bogus", UsageError),
        ("service=nosuch", UsageError),
    ],
)
def test_what_cannot_be_reached_is_told_apart_from_what_is_misconfigured(
    dsn: str, error: type[Exception]
) -> None:
    with pytest.raises(error), session_on(dsn):
        pass
