"""Servers and databases for tests, widest first: server, template, database.

One server serves a whole session of pytest, all of its workers included. The process that started
pytest owns it: workers start it when they first need it, and never stop it; that process does, at
the end, after Ctrl-C too.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory_maintenance.database import embedded
from memory_maintenance.database.programs import Programs
from memory_maintenance.errors import MaintenanceError
from tests.support import debian, directories

TEST_DSN = "MEMORY_MAINTENANCE_TEST_DSN"

# Faster, and unsafe only where the machine itself fails: a killed server still recovers.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    # All of these are looked through for each database that is created or dropped: a small number takes
    # half the time. And what is compiled is never run often enough.
    "shared_buffers": "32MB",
    "jit": "off",
}

Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class TestServer:
    """A server that a test may create databases on, as superuser.

    superuser_conninfo: to its database postgres. pgdata: the cluster of an embedded server, else
    None. home: what embedded.stop takes, else None. prefix: what the names of all databases of
    this session begin with. notes: where it is noted which templates there are.
    """

    __test__ = False

    superuser_conninfo: str
    version: int
    prefix: str
    notes: Path
    home: Path | None = None
    pgdata: Path | None = None
    programs: Programs | None = None

    def dsn(self, database: str) -> str:
        """The conninfo of one of its databases, as superuser."""
        return make_conninfo(self.superuser_conninfo, dbname=database)

    def connect(self, database: str | None = None) -> Connection:
        """A new connection in autocommit, to close by the caller.

        To the database postgres where None.
        """
        conninfo = self.superuser_conninfo if database is None else self.dsn(database)
        return psycopg.connect(conninfo, autocommit=True)

    @property
    def pid(self) -> int:
        """The postmaster's process id; embedded servers only."""
        assert self.home is not None, "only an embedded server's process is ours"
        return embedded.Embedded(self.home, self.home / "run").pid

    def create_database(self, template: str) -> str:
        """Create a database with a name that nobody else has, and return that."""
        name = f"{self.prefix}{os.getpid()}_{secrets.token_hex(4)}"
        statement = "CREATE DATABASE {} TEMPLATE {}"
        if self.version >= 150000:
            statement += " STRATEGY FILE_COPY"  # half the work, here and when it is dropped
        with self.connect() as connection:
            connection.execute(
                sql.SQL(statement).format(sql.Identifier(name), sql.Identifier(template))
            )
        return name

    def template(
        self, state: str, make: Callable[[TestDatabase], object], *, base: str = "template0"
    ) -> str:
        """The name of a database in this state, for copies; nobody can connect to it.

        It is made once for all workers, from a copy of base, by the first that asks for it.
        """
        written = self.notes / f"template-{state}"
        with directories.exclusive(self.notes / f"template-{state}-lock"):
            if not written.exists():
                written.write_text(self._made(make, base))
            return written.read_text()

    def _made(self, make: Callable[[TestDatabase], object], base: str) -> str:
        database = TestDatabase(self, self.create_database(base))
        try:
            make(database)
        except BaseException:
            database.close()
            raise
        database.disconnect()
        with self.connect() as connection:
            statement = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false")
            connection.execute(statement.format(sql.Identifier(database.name)))
        return database.name

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is connected."""
        with self.connect() as connection:
            statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(statement.format(sql.Identifier(name)))

    def drop_all(self) -> None:
        """Drop every database of this session, templates included."""
        with self.connect() as connection:
            found = connection.execute(
                "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [self.prefix]
            ).fetchall()
        for (name,) in found:
            self.drop_database(name)


@dataclass(slots=True)
class TestDatabase:
    """A database of one test."""

    __test__ = False

    server: TestServer
    name: str
    _open: ExitStack = field(default_factory=ExitStack)
    _roles: list[str] = field(default_factory=list)

    @property
    def dsn(self) -> str:
        """Its conninfo, as superuser."""
        return self.server.dsn(self.name)

    @property
    def version(self) -> int:
        """server_version_num, such as 180004."""
        return self.server.version

    def connect(self, **parameters: Any) -> Connection:
        """A new connection in autocommit, closed after the test; see psycopg.connect."""
        parameters.setdefault("autocommit", True)
        connection: Connection = psycopg.connect(self.dsn, **parameters)
        self._open.callback(connection.close)
        return connection

    def create_role(self, attributes: str = "LOGIN") -> str:
        """A new role with no rights, dropped after the test; log in as it by connect(user=...)."""
        name = f"mm_role_{secrets.token_hex(4)}"
        with self.server.connect() as connection:
            connection.execute(f"CREATE ROLE {name} {attributes}".encode())
        self._roles.append(name)
        return name

    def become(self, template: str) -> None:
        """Be a copy of template from now on. What was connected is not any more."""
        self.disconnect()
        self.server.drop_database(self.name)
        self.name = self.server.create_database(template)

    def disconnect(self) -> None:
        """Close the connections."""
        self._open.close()

    def close(self) -> None:
        """Close the connections, drop the database and the roles."""
        self.disconnect()
        self.server.drop_database(self.name)
        if not self._roles:
            return
        with self.server.connect() as connection:
            for role in self._roles:
                connection.execute(f"DROP ROLE IF EXISTS {role}".encode())


@contextmanager
def fresh_database(server: TestServer, template: str) -> Iterator[TestDatabase]:
    """A database for the length of a block."""
    database = TestDatabase(server, server.create_database(template))
    try:
        yield database
    finally:
        database.close()


def legacy_template(server: TestServer) -> str:
    """The name of a database with the legacy schema, for copies."""
    from tests.support import legacy

    return server.template("legacy", lambda database: legacy.build(database.connect()))


def _describe(conninfo: str, prefix: str, notes: Path, **more: Any) -> TestServer:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        return TestServer(conninfo, connection.info.server_version, prefix, notes, **more)


def _embedded(
    home: Path, prefix: str, running: embedded.Embedded, programs: Programs | None = None
) -> TestServer:
    return _describe(
        running.conninfo(),
        prefix,
        home.parent,
        home=home,
        pgdata=running.data_directory,
        programs=programs,
    )


@contextmanager
def private_server(
    base: Path, *, programs: Programs | None = None, options: Mapping[str, str] | None = None
) -> Iterator[TestServer]:
    """A server of its own, which a test may kill. base: the fixture session_directory.

    programs: those of the embedded 18 where None. options: server settings, atop FAST.
    """
    with directories.temporary(base) as place:
        home = place / "server"
        settings = {**FAST, **(options or {})}
        with embedded.serve(home, options=settings, programs=programs) as running:
            yield _embedded(home, "mm_test_", running, programs)
        if (home / "data" / "postmaster.pid").exists():
            # It was killed, and only its next start gives its shared memory back.
            with embedded.serve(home, options=settings, programs=programs):
                pass


# -- the session's server, in the process that started pytest --

_DIRECTORY: pytest.StashKey[Path] = pytest.StashKey()
_HELD: pytest.StashKey[int] = pytest.StashKey()
_WORKER_INPUT = "memory_maintenance_tests_directory"


def pytest_configure(config: pytest.Config) -> None:
    """Make the session's directory, or learn it where this is a worker of pytest-xdist."""
    handed_down: Mapping[str, Any] | None = getattr(config, "workerinput", None)
    if handed_down is not None:
        config.stash[_DIRECTORY] = Path(handed_down[_WORKER_INPUT])
        return
    for left in directories.abandoned():
        with suppress(OSError, MaintenanceError):  # another session may be at it, too
            _remove(left)
    config.stash[_DIRECTORY] = directories.make()
    config.stash[_HELD] = directories.hold(config.stash[_DIRECTORY])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker which directory the session has."""
    node.workerinput[_WORKER_INPUT] = str(node.config.stash[_DIRECTORY])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and leave nothing behind."""
    if _HELD in config.stash:
        directory = config.stash[_DIRECTORY]
        conninfo = os.environ.get(TEST_DSN)
        if conninfo and (directory / "used").exists():
            _describe(conninfo, _prefix(directory), directory).drop_all()
        _remove(directory)
        os.close(config.stash[_HELD])


def _remove(directory: Path) -> None:
    """Stop what servers a worker may have left below directory, and delete that."""
    for marker in directory.rglob(embedded.MARKER):
        embedded.stop(marker.parent)
    shutil.rmtree(directory)


def _prefix(directory: Path) -> str:
    return f"mm_test_{directory.name.removeprefix(directories.PREFIX).lower()}_"


# -- fixtures --


@pytest.fixture(scope="session")
def session_directory(request: pytest.FixtureRequest) -> Path:
    """A directory of this session, shared by its workers, that a server can live below."""
    return request.config.stash[_DIRECTORY]


@pytest.fixture
def server_directory(session_directory: Path) -> Iterator[Path]:
    """A directory of the test's own that a server can live below.

    What still runs there is stopped.
    """
    with directories.temporary(session_directory) as mine:
        yield mine
        for marker in mine.rglob(embedded.MARKER):
            embedded.stop(marker.parent)


@pytest.fixture(scope="session")
def server(session_directory: Path) -> TestServer:
    """The session's server: that of MEMORY_MAINTENANCE_TEST_DSN where set, else an embedded one."""
    directory = session_directory
    conninfo = os.environ.get(TEST_DSN)
    if conninfo:
        (directory / "used").touch()  # from here on, there may be something to drop
        return _describe(conninfo, _prefix(directory), directory)
    home = directory / "server"
    with embedded.serve(home, keep_running=True, options=FAST) as running:
        return _embedded(home, _prefix(directory), running)


@pytest.fixture(scope="session")
def template(server: TestServer) -> str:
    """The name of a database with the legacy schema, built once for all workers.

    Nobody can connect to it.
    """
    return legacy_template(server)


@pytest.fixture
def database(server: TestServer, template: str) -> Iterator[TestDatabase]:
    """A legacy database of the test's own, without rows."""
    with fresh_database(server, template) as fresh:
        yield fresh


@pytest.fixture
def empty_database(server: TestServer) -> Iterator[TestDatabase]:
    """A database of the test's own, without tables."""
    with fresh_database(server, "template0") as fresh:
        yield fresh


@pytest.fixture
def own_server(session_directory: Path) -> Iterator[TestServer]:
    """An embedded server of the test's own, which it may kill."""
    with private_server(session_directory) as mine:
        yield mine


@pytest.fixture(scope="session")
def debian15(session_directory: Path) -> TestServer:
    """A PostgreSQL 15 for all workers, as `server` is; skipped where that isn't installed."""
    programs = debian.programs_15()
    place = (
        session_directory / "debian15"
    )  # of its own: what templates there are is noted beside the server
    place.mkdir(mode=0o711, exist_ok=True)
    home = place / "server"
    with embedded.serve(home, keep_running=True, options=FAST, programs=programs) as running:
        return _embedded(home, "mm_test_", running, programs)


@pytest.fixture(scope="session", params=["15", "18"])
def each_server(request: pytest.FixtureRequest) -> TestServer:
    """The test once on PostgreSQL 15 and once on the session's server."""
    name = "debian15" if request.param == "15" else "server"
    chosen: TestServer = request.getfixturevalue(name)
    return chosen


@pytest.fixture
def each_database(each_server: TestServer) -> Iterator[TestDatabase]:
    """A legacy database of the test's own, on PostgreSQL 15 and on the session's server."""
    with fresh_database(each_server, legacy_template(each_server)) as fresh:
        yield fresh


def parameters(conninfo: str) -> dict[str, str]:
    """The parameters of a conninfo, as text."""
    return {key: str(value) for key, value in conninfo_to_dict(conninfo).items()}
