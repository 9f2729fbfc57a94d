"""A connection with every setting of ours, applied anew whenever it is made again (spec 9).

``Session`` is what jobs get: it runs the statements of ``sql/`` by name and gives rows as typed values.
It never retries; that is the engine's.
"""

from __future__ import annotations

import logging
import select
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from memory_maintenance.config.models import DatabaseSettings
from memory_maintenance.database import statements
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.database.target import Target
from memory_maintenance.errors import Unavailable, UsageError

_log = logging.getLogger(__name__)
_OLDEST = 130000
_PROBES = 5
_PROBE_TIMEOUT_S = 3
# Nothing that anyone may create can be found in it. pg_temp is named, or it would come first.
OUR_PATH = "pg_catalog, pg_temp"
"""The search_path of everything but statements on the facts."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Server:
    """What the server said of itself before anything was set.

    server_version: 150018 for 15.18. default_zone: the zone that the database's own sessions have.
    zone_source: "client" if a startup option of ours hid that zone. read_only: a standby, or
    a database that is so by default. started_at_s: of the server process, seconds since 1970.
    """

    server_version: int
    backend_pid: int
    database: str
    role: str
    default_zone: str
    zone_source: str
    read_only: bool
    started_at_s: float


@dataclass(frozen=True, slots=True)
class _Clock:
    clock: datetime


@dataclass(frozen=True, slots=True)
class _Pid:
    backend_pid: int


@dataclass(frozen=True, slots=True)
class _Xid:
    xid: str | None


@dataclass(frozen=True, slots=True)
class _Status:
    status: str | None


class Session:
    """One connection to one database. Statements run in autocommit unless a transaction is open."""

    def __init__(
        self, target: Target, settings: DatabaseSettings, *, application_name: str
    ) -> None:
        self.target = target
        self.settings = settings
        self._application_name = application_name
        self._planning_batches = False
        self.connection, self.server = self._connect()

    def close(self) -> None:
        """Ends the connection; harmless where it has ended by itself."""
        self.connection.close()

    def reconnect(self) -> None:
        """Connects again and applies every setting anew. Locks and temporary state are gone.

        Raises psycopg.OperationalError while the server is away.
        """
        self.connection.close()
        self.connection, self.server = self._connect()

    @property
    def lost(self) -> bool:
        """Whether the connection can't be used any more."""
        return self.connection.closed or self.connection.broken

    @property
    def zoneless_timezone(self) -> str:
        """The zone in which zone-less columns are read (spec 3).

        Raises UsageError where it can't be known: a startup option of the connection hides the
        database's own default.
        """
        if self.settings.zoneless_timezone is not None:
            return self.settings.zoneless_timezone
        if self.server.zone_source == "client":
            raise UsageError(
                "the connection sets TimeZone by a startup option, so the zone in which this "
                "database writes its zone-less columns can't be read",
                remedy="take timezone out of the connection's options, or set database.zoneless_timezone",
            )
        return self.server.default_zone

    def plan_batches(self) -> None:
        """Sets how batches are planned, from now on and after each reconnect (session/planner)."""
        self._planning_batches = True
        self.connection.execute(statements.load("session/planner"))

    def clock(self) -> datetime:
        """The server's clock, in UTC."""
        row = self.row(_Clock, "session/clock")
        assert row is not None
        return row.clock.astimezone(UTC)

    @contextmanager
    def transaction(self, *, facts_in: str | None = None) -> Iterator[None]:
        """A READ COMMITTED transaction, committed at the end and rolled back on any exception.

        facts_in: the schema of the facts table that it reads or writes, as for ``facts_path``. The path
        then holds to the end: deferred triggers of others fire at COMMIT.
        """
        with self.connection.transaction():
            if facts_in is not None:
                self._set_path_local(facts_path(facts_in))
            yield

    def transaction_id(self) -> str | None:
        """The number of the open transaction; None where it has written nothing."""
        row = self.row(_Xid, "session/transaction_id")
        assert row is not None
        return row.xid

    def transaction_status(self, xid: str) -> str | None:
        """How a transaction that this or an earlier connection began stands: "committed", "aborted", "in
        progress"; None where the server doesn't know, be it too long ago or lost in a crash."""
        try:
            row = self.row(_Status, "session/transaction_status", {"xid": xid})
        except psycopg.errors.InvalidParameterValue:
            return None  # a number that is still to be given out: the crashed server never wrote it down
        return None if row is None else row.status

    @contextmanager
    def facts_path(self, schema: str) -> Iterator[None]:
        """Has the block's statements see what the table's writers see: ``"<schema>", public``.

        What others attached to the table may name its relations and functions without a schema:
        triggers, CHECKs and generated columns when a row is written, and SQL functions in indexes as
        soon as any statement on the table is planned, a SELECT too. A statement that runs here must
        therefore resolve to pg_catalog whatever public holds (docs/decisions/0005). Everywhere else
        the path is ours.

        Within an open transaction our path is put back at the end; where none is open, the block is one.
        """
        if self.connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE:
            with self.transaction(facts_in=schema):
                yield
            return
        self._set_path_local(facts_path(schema))
        yield
        # Only here: after an error the transaction is rolled back, and its path with it.
        self._set_path_local(OUR_PATH)

    def leave_transaction(self) -> None:
        """Rolls back whatever an exception left open.

        A signal can come between BEGIN and the block that would have rolled it back.
        """
        if self.connection.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            self.connection.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One view of the database that the server itself keeps read-only, for dry runs and reports."""
        self.connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        self.connection.set_read_only(True)
        try:
            with self.connection.transaction():
                yield
        finally:
            self._leave_snapshot()

    def statement(self, name: str, /, **slots: sql.Composable) -> sql.Composed:
        """A statement or fragment of ``sql/``, in the variant for this server.

        It is for this session's own methods, which always bind parameters: a % in a name or literal
        of its slots is doubled, lest it be taken for a placeholder.
        """
        escaped = {slot: _percents_doubled(value) for slot, value in slots.items()}
        return statements.load(name, server_version=self.server.server_version, **escaped)

    def text(
        self, statement: sql.Composable, params: Mapping[str, Any] | None = None, /, **words: str
    ) -> str:
        """What ``statement`` made, as psql would take it: params as literals, words as they are."""
        literals = {
            name: sql.Literal(value).as_string(self.connection)
            for name, value in (params or {}).items()
        }
        return statement.as_string(self.connection) % {**literals, **words}

    def execute(self, statement: sql.Composed, params: Mapping[str, Any] | None = None, /) -> None:
        """Runs a statement that was composed before and whose rows don't matter, such as DDL."""
        self.connection.execute(statement, params or {})

    def restore_patience(self) -> None:
        """Sets lock_timeout and statement_timeout as configured, after they were changed for a statement."""
        values = {
            "lock_timeout_ms": _ms(self.settings.lock_timeout),
            "statement_timeout_ms": _ms(self.settings.statement_timeout),
        }
        self.run("session/patience", values)

    def rows(
        self,
        row_type: type[Row],
        name: str,
        params: Mapping[str, Any] | None = None,
        /,
        **slots: sql.Composable,
    ) -> list[Row]:
        """All rows of statement ``name``, each as a ``row_type`` built from its columns by name."""
        return self.fetch(row_type, self.statement(name, **slots), params)

    def fetch(
        self,
        row_type: type[Row],
        statement: sql.Composed,
        params: Mapping[str, Any] | None = None,
        *,
        prepare: bool = False,
    ) -> list[Row]:
        """All rows of a statement that was composed before, as ``rows`` gives them.

        prepare: plan it once a connection, for statements that run batch after batch.
        """
        with self.connection.cursor(row_factory=class_row(row_type)) as cursor:
            return cursor.execute(statement, params or {}, prepare=prepare).fetchall()

    def row(
        self,
        row_type: type[Row],
        name: str,
        params: Mapping[str, Any] | None = None,
        /,
        **slots: sql.Composable,
    ) -> Row | None:
        """The first row of statement ``name``, or None."""
        rows = self.rows(row_type, name, params, **slots)
        return rows[0] if rows else None

    def run(
        self, name: str, params: Mapping[str, Any] | None = None, /, **slots: sql.Composable
    ) -> int:
        """Runs statement ``name``; the number of rows it touched."""
        return self.connection.execute(self.statement(name, **slots), params or {}).rowcount

    def _leave_snapshot(self) -> None:
        """Takes back what ``snapshot`` set, and lets the exception under way pass, if there is one."""
        if self.lost:
            return
        try:
            # A signal can come between BEGIN and the block.
            self.leave_transaction()
            self.connection.set_isolation_level(None)
            self.connection.set_read_only(None)
        except psycopg.Error as error:
            _log.warning("closing a connection that can't be reset: %s", type(error).__name__)
            self.connection.close()

    def _connect(self) -> tuple[psycopg.Connection[Any], Server]:
        connection = self._dial()
        try:
            # Only what asks for it is prepared: no count of executions reaches this threshold. None
            # would mean that nothing is prepared, not even what asks for it.
            connection.prepare_threshold = 1_000_000_000
            server = self._ask_server(connection)
            if server.server_version < _OLDEST:
                raise UsageError(
                    f"PostgreSQL {server.server_version // 10000} is too old: 13 to 18 are supported"
                )
            if server.backend_pid != connection.info.backend_pid:
                self._refuse_transaction_pooling(connection)
            with connection.transaction():
                connection.execute(statements.load("session/search_path_local"))
                self._apply_settings(connection)
            self._check_connection(connection, server)
        except BaseException:
            connection.close()
            raise
        return connection, server

    def _ask_server(self, connection: psycopg.Connection[Any]) -> Server:
        try:
            with (
                connection.transaction(),
                connection.cursor(row_factory=class_row(Server)) as cursor,
            ):
                cursor.execute(statements.load("session/search_path_local"))
                server = cursor.execute(statements.load("session/facts")).fetchone()
        except psycopg.errors.ProtocolViolation:
            # A pooler with pool_mode = statement has no transactions at all.
            raise self._pooled() from None
        assert server is not None
        return server

    def _pooled(self) -> Unavailable:
        return Unavailable(
            f"{self.target.display} is behind a transaction-pooling proxy (such as PgBouncer with "
            "pool_mode = transaction), where neither the run lock nor session settings hold",
            remedy="connect to PostgreSQL directly, or through a pool with pool_mode = session",
        )

    def _dial(self) -> psycopg.Connection[Any]:
        return self._open(max(2, round(self.settings.connect_timeout.total_seconds())))

    def _open(self, timeout_s: int) -> psycopg.Connection[Any]:
        """A connection. timeout_s: for connecting, unless the DSN says another."""
        # A server whose machine or network is gone says nothing: found out within two minutes, where
        # the system's defaults take hours.
        patience: dict[str, Any] = {
            "connect_timeout": timeout_s,
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 6,
            "tcp_user_timeout": 90_000,
        }
        # Text is text from the first statement on, whatever PGCLIENTENCODING, the DSN or the database
        # ask for: under SQL_ASCII the driver would hand it over as bytes.
        # autocommit: a transaction is opened where one is meant, and nowhere else.
        return psycopg.connect(
            self.target.conninfo,
            autocommit=True,
            client_encoding="UTF8",
            **{
                name: value
                for name, value in patience.items()
                if name not in self.target.parameters
            },
        )

    def _apply_settings(self, connection: psycopg.Connection[Any]) -> None:
        values = {
            "application_name": self._application_name,
            "lock_timeout_ms": _ms(self.settings.lock_timeout),
            "statement_timeout_ms": _ms(self.settings.statement_timeout),
            "idle_in_transaction_session_timeout_ms": _ms(
                self.settings.idle_in_transaction_session_timeout
            ),
            "search_path": OUR_PATH,
        }
        connection.execute(statements.load("session/settings"), values)
        if self._planning_batches:
            connection.execute(statements.load("session/planner"))

    def _set_path_local(self, search_path: str) -> None:
        self.run("session/path_local", {"search_path": search_path})

    def _check_connection(self, connection: psycopg.Connection[Any], server: Server) -> None:
        version = server.server_version
        try:
            connection.execute(statements.load("session/connection_check", server_version=version))
        except (psycopg.errors.InvalidParameterValue, psycopg.errors.CantChangeRuntimeParam):
            # The server's operating system can't tell when a client is gone.
            _log.info("the server can't check whether its client is alive")

    def _refuse_transaction_pooling(self, first: psycopg.Connection[Any]) -> None:
        """Raises Unavailable where a pooler lends server connections per transaction.

        Between transactions such a pooler gives our server connection to anyone: a session lock would
        be stranded on it, and settings would reach strangers. Two clients that meet the same backend,
        or one that meets two, prove it. A pooler that keeps a backend per client passes.
        """
        before = _backend_pid(first)
        try:
            second = self._open(_PROBE_TIMEOUT_S)
        except psycopg.OperationalError:
            return  # no second backend to be had while we hold ours: it is ours alone
        # Closed, and no block of its own: where it still waits for its BEGIN there is nothing to commit.
        with closing(second):
            for _ in range(_PROBES):
                # Inside a transaction, so that whatever backend the second client got stays with it.
                other = _begin_and_ask_pid(second, timeout_s=_PROBE_TIMEOUT_S)
                if other is None:
                    return
                if other == before or _backend_pid(first) != before:
                    raise self._pooled()
                second.execute("COMMIT")


@contextmanager
def open_session(
    target: Target, settings: DatabaseSettings, *, application_name: str
) -> Iterator[Session]:
    """A session that is closed at the end; the driver's errors leave it as ours."""
    with translated(target.scrub):
        session = Session(target, settings, application_name=application_name)
        try:
            yield session
        finally:
            session.close()


def _percents_doubled(slot: sql.Composable) -> sql.Composable:
    """psycopg looks for placeholders in the whole text, quoted names and literals included."""
    if isinstance(slot, sql.Identifier | sql.Literal):
        return statements.verbatim(slot.as_string(None))
    return slot


def _backend_pid(connection: psycopg.Connection[Any]) -> int:
    with connection.cursor(row_factory=class_row(_Pid)) as cursor:
        row = cursor.execute(statements.load("session/backend_pid")).fetchone()
    assert row is not None
    return row.backend_pid


def _begin_and_ask_pid(connection: psycopg.Connection[Any], *, timeout_s: float) -> int | None:
    """Opens a transaction and gives its backend's pid; None where the pooler lets us wait for longer.

    A pool whose only server connection is ours never answers: no server-side timeout can apply there,
    so the wait is bounded here, on the socket.
    """
    pgconn = connection.pgconn
    pgconn.send_query(b"BEGIN; SELECT pg_catalog.pg_backend_pid()")
    deadline = time.monotonic() + timeout_s
    pid: int | None = None
    while True:
        while pgconn.is_busy():
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not select.select([pgconn.socket], [], [], left_s)[0]:
                return None
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            return pid
        if result.ntuples == 1 and (value := result.get_value(0, 0)) is not None:
            pid = int(value)


def _ms(span: timedelta) -> str:
    return str(round(span / timedelta(milliseconds=1)))


def facts_path(schema: str) -> str:
    """The search_path of statements on the facts, as SQL writes it; pg_catalog comes first by itself."""
    names = dict.fromkeys((schema, "public"))
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
