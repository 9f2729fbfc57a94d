"""A real PgBouncer in transaction mode, in front of the tests' server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from memory_maintenance.database.programs import Account
from tests.support import directories
from tests.support.server import TestServer, parameters
from tests.support.waiting import wait_until

_PORT = 6432
_SBIN = "/usr/sbin:/usr/local/sbin"


@dataclass(frozen=True, slots=True)
class Pooler:
    """A PgBouncer that hands server connections on after each transaction."""

    socket_directory: Path
    user: str

    def dsn(self, database: str) -> str:
        """The conninfo of a database behind it, as the server's superuser."""
        return make_conninfo(
            "", host=str(self.socket_directory), port=_PORT, user=self.user, dbname=database
        )


def _configuration(directory: Path, server: TestServer) -> str:
    """Text of pgbouncer.ini: any database, as superuser, at most two server connections each."""
    known = parameters(server.superuser_conninfo)
    behind = {
        key: known[key]
        for key in ("host", "hostaddr", "port", "user", "password")
        if known.get(key)
    }
    if "hostaddr" in behind:
        behind["host"] = behind.pop("hostaddr")
    quoted = " ".join(
        f"{key}='{value.replace(chr(39), chr(39) * 2)}'" for key, value in behind.items()
    )
    return f"""
[databases]
* = {quoted}

[pgbouncer]
pool_mode = transaction
default_pool_size = 2
listen_addr =
listen_port = {_PORT}
unix_socket_dir = {directory}
unix_socket_mode = 0777
auth_type = any
ignore_startup_parameters = extra_float_digits, options
logfile = {directory}/log
pidfile = {directory}/pid
"""


@pytest.fixture
def pgbouncer(server: TestServer, session_directory: Path) -> Iterator[Pooler]:
    """PgBouncer in transaction mode before the session's server; skipped where not installed."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:{_SBIN}")
    if program is None:
        pytest.skip("needs pgbouncer (Debian package pgbouncer)")
    with directories.temporary(session_directory) as base:
        directory = base / "pgbouncer"
        directory.mkdir(mode=0o700)
        command = [program, "-q"]
        if os.geteuid() == 0:
            # It refuses to run as root; the server's account can enter the socket's directory.
            account = Account.unprivileged()
            if server.pgdata is not None:
                found = server.pgdata.stat()
                account = Account.of(found.st_uid, found.st_gid)
            os.chown(directory, account.uid, account.gid)
            command += ["-u", account.name]
        ini = directory / "pgbouncer.ini"
        ini.write_text(_configuration(directory, server))
        ini.chmod(0o644)
        process = subprocess.Popen([*command, str(ini)], start_new_session=True)
        try:
            pooler = Pooler(
                directory, parameters(server.superuser_conninfo).get("user", "postgres")
            )

            def answers() -> bool:
                assert process.poll() is None, (directory / "log").read_text()
                try:
                    psycopg.connect(pooler.dsn("postgres")).close()
                except psycopg.OperationalError:
                    return False
                return True

            wait_until(answers)
            yield pooler
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)
