"""A pass waits for real standbys, holds to a rate of WAL, and never fails for what it can't see."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memory_maintenance.config.load import load
from memory_maintenance.database import embedded
from memory_maintenance.database import relation as relations
from memory_maintenance.database.programs import Account, Programs, run_as
from memory_maintenance.database.session import Session, open_session
from memory_maintenance.engine import batches
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.throttle import (
    WAITING_FOR_STANDBYS,
    WAITING_FOR_WAL_RATE,
    Throttle,
)
from memory_maintenance.errors import RunFailed
from tests.support import debian, directories
from tests.support.maintained import INSTANT, TABLE, Memory, target
from tests.support.server import (
    FAST,
    Connection,
    TestDatabase,
    TestServer,
    fresh_database,
    private_server,
)
from tests.support.waiting import wait_until

T = TypeVar("T")
MB = 1024 * 1024
BRIEF = timedelta(milliseconds=500)
STANDBY = {
    **FAST,
    "shared_buffers": "32MB",
    "wal_receiver_status_interval": "1s",
    "wal_retrieve_retry_interval": "200ms",
}


@dataclass
class Hourglass:
    """A clock that stands still but for what is slept, and what is done in a sleep."""

    now_s: float = 1000.0
    slept: list[float] = field(default_factory=list)
    meanwhile: Callable[[], object] | None = None

    def clock(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        assert len(self.slept) < 1000, "it waits for what never comes"
        self.now_s += seconds
        if self.meanwhile is not None:
            self.meanwhile()


@dataclass(frozen=True)
class Replicated:
    """A server and a standby of it, which calls itself standby1."""

    primary: TestServer
    standby: embedded.Embedded
    programs: Programs

    def connect_to_standby(self) -> Connection:
        return psycopg.connect(self.standby.conninfo(), autocommit=True)


@pytest.fixture(scope="module", params=["15", "18"])
def replicated(request: pytest.FixtureRequest, session_directory: Path) -> Iterator[Replicated]:
    programs = debian.programs_15() if request.param == "15" else Programs.from_wheel()
    options = {"wal_level": "logical"}
    with (
        private_server(session_directory, programs=programs, options=options) as primary,
        directories.temporary(session_directory) as place,
    ):
        home = place / "standby"
        home.mkdir()
        home.chmod(0o711)
        (home / embedded.MARKER).write_text(embedded.MARKER_TEXT)
        assert primary.pgdata is not None
        owner = primary.pgdata.stat()
        account = Account.of(owner.st_uid, owner.st_gid)
        if not programs.usable_by(account):
            programs = programs.copied_to(home)
        data = home / "data"
        data.mkdir(mode=0o700)
        os.chown(data, account.uid, account.gid)
        source = make_conninfo(primary.superuser_conninfo, application_name="standby1")
        command = [programs.path("pg_basebackup"), "-D", str(data), "-d", source, "-R", "-N"]
        # Without a slot, a checkpoint may remove what the standby hasn't read yet: DROP DATABASE makes
        # one, and on a busy machine a standby that lost its place never finds it again.
        command += ["-c", "fast", "-C", "-S", "standby1"]
        done = run_as(account, command, stdout=subprocess.PIPE)
        assert done.returncode == 0, done.stdout
        with embedded.serve(home, options=STANDBY, programs=programs) as standby:
            both = Replicated(primary, standby, programs)
            with primary.connect() as connection:
                wait_until(lambda: caught_up(connection))
            yield both


@pytest.fixture
def scratch(replicated: Replicated) -> Iterator[TestDatabase]:
    """A database on the server that has the standby."""
    with fresh_database(replicated.primary, "template0") as fresh:
        yield fresh


@contextmanager
def session_on(dsn: str) -> Iterator[Session]:
    settings = load(None, environ={"HOME": "/nonexistent"}).settings.database
    with open_session(target(dsn), settings, application_name="memory-maintenance test") as session:
        yield session


def caught_up(connection: Connection, name: str = "standby1") -> bool:
    row = connection.execute(
        "SELECT coalesce(replay_lsn, write_lsn) >= pg_current_wal_flush_lsn()"
        " FROM pg_stat_replication WHERE application_name = %s",
        [name],
    ).fetchone()
    return row is not None and bool(row[0])


def fell_behind(connection: Connection, name: str = "standby1") -> bool:
    row = connection.execute(
        "SELECT coalesce(replay_lsn, write_lsn) < pg_current_wal_flush_lsn()"
        " FROM pg_stat_replication WHERE application_name = %s",
        [name],
    ).fetchone()
    return row is not None and bool(row[0])


def write_wal(connection: Connection, size: int = MB) -> None:
    connection.execute("SELECT pg_logical_emit_message(true, 'test', repeat('x', %s))", [size])


def last_query(watcher: Connection, session: Session) -> object:
    return watcher.execute(
        "SELECT query, query_start FROM pg_stat_activity WHERE pid = %s",
        [session.server.backend_pid],
    ).fetchone()


# -- the rate of WAL --


def test_a_pass_writes_wal_at_the_rate_and_no_faster(scratch: TestDatabase) -> None:
    glass, waits = Hourglass(), list[str]()
    writer = scratch.connect()
    with session_on(scratch.dsn) as session:
        throttle = Throttle(session, None, MB, glass.sleep, glass.clock)
        write_wal(writer, 4 * MB)
        throttle.pause(waits.append)
        assert glass.slept == [pytest.approx(4.0, abs=0.5)], "from the start of the pass on"
        throttle.pause(waits.append)
        assert len(glass.slept) <= 2
        assert sum(glass.slept[1:]) < 0.5, "what was waited for is paid"
        glass.now_s += 60
        write_wal(writer, 4 * MB)
        throttle.pause(waits.append)
        assert sum(glass.slept[1:]) < 0.5, "a slow batch is within the rate"
    assert waits == [WAITING_FOR_WAL_RATE]
    assert throttle.note is None


def test_what_others_write_while_a_pass_waits_is_not_its_own(scratch: TestDatabase) -> None:
    glass = Hourglass()
    writer = scratch.connect()
    with session_on(scratch.dsn) as session:
        throttle = Throttle(session, None, MB, glass.sleep, glass.clock)
        glass.meanwhile = lambda: write_wal(writer, 8 * MB)
        write_wal(writer, 2 * MB)
        throttle.pause()
        glass.meanwhile = None
        throttle.pause()
    assert sum(glass.slept) == pytest.approx(2.0, abs=0.5)


def test_without_limits_nothing_is_asked(empty_database: TestDatabase) -> None:
    with session_on(empty_database.dsn) as session:
        watcher = empty_database.connect()
        before = last_query(watcher, session)
        throttle = Throttle(session, None, None)
        throttle.pause()
        assert last_query(watcher, session) == before
    assert throttle.note is None


# -- lag --


def test_a_server_that_nobody_follows_keeps_nobody_waiting(empty_database: TestDatabase) -> None:
    glass = Hourglass()
    with session_on(f"{empty_database.dsn} user={empty_database.create_role()}") as session:
        throttle = Throttle(session, timedelta(seconds=1), None, glass.sleep, glass.clock)
        throttle.pause()
    assert glass.slept == []
    assert throttle.note is None, "where there is no standby, none is hidden"


def test_a_pass_waits_while_a_standby_replays_too_late(
    replicated: Replicated, scratch: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "memory_maintenance")
    glass, waits = Hourglass(), list[str]()
    watcher = scratch.connect()

    def late() -> bool:
        row = watcher.execute(
            "SELECT replay_lag > %s FROM pg_stat_replication WHERE application_name = 'standby1'",
            [BRIEF],
        ).fetchone()
        return row is not None and bool(row[0])

    with session_on(scratch.dsn) as session, replicated.connect_to_standby() as standby:
        throttle = Throttle(session, BRIEF, None, glass.sleep, glass.clock)
        wait_until(lambda: caught_up(watcher))
        throttle.pause()
        assert glass.slept == []
        standby.execute("SELECT pg_wal_replay_pause()")
        write_wal(watcher)
        wait_until(late)

        def catch_up_at_last() -> None:
            if len(glass.slept) >= 310:
                standby.execute("SELECT pg_wal_replay_resume()")
                wait_until(lambda: caught_up(watcher))

        glass.meanwhile = catch_up_at_last
        throttle.pause(waits.append)
    assert set(glass.slept) == {1.0}
    assert len(glass.slept) < 320, "once it has caught up, what was measured before counts no more"
    assert waits == [WAITING_FOR_STANDBYS]
    said = [r for r in caplog.records if "standby1 lags" in r.getMessage()]
    assert [r.levelname for r in said] == ["INFO"] * 10 + ["WARNING"]
    assert "300 s so far" in said[-1].getMessage()
    assert "backfill.max_replication_lag is 0.5s" in said[-1].getMessage()
    assert throttle.note is None


def test_a_standby_that_hangs_lags_though_the_server_measures_nothing(
    replicated: Replicated, scratch: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "memory_maintenance")
    glass = Hourglass()
    watcher = scratch.connect()
    with replicated.connect_to_standby() as standby:
        row = standby.execute("SELECT pid FROM pg_stat_wal_receiver").fetchone()
    assert row is not None
    receiver: int = row[0]

    def answer() -> None:
        os.kill(receiver, signal.SIGCONT)
        wait_until(lambda: caught_up(watcher))

    with session_on(scratch.dsn) as session:
        throttle = Throttle(session, timedelta(seconds=60), None, glass.sleep, glass.clock)
        wait_until(lambda: caught_up(watcher))
        os.kill(receiver, signal.SIGSTOP)
        try:
            write_wal(watcher)
            wait_until(lambda: fell_behind(watcher))
            throttle.pause()
            glass.now_s += 59
            throttle.pause()
            assert glass.slept == []
            glass.now_s += 2
            glass.meanwhile = answer
            throttle.pause()
        finally:
            os.kill(receiver, signal.SIGCONT)
    assert glass.slept
    assert "standby1 is behind and hasn't answered for 61 s" in caplog.text


def test_who_only_stores_wal_is_not_expected_to_replay_it(
    replicated: Replicated, scratch: TestDatabase, tmp_path: Path
) -> None:
    glass = Hourglass()
    limit = timedelta(seconds=2)  # it tells each second what it has written
    watcher = scratch.connect()
    source = make_conninfo(replicated.primary.superuser_conninfo, application_name="archive")
    command = [replicated.programs.path("pg_receivewal"), "-D", str(tmp_path), "-d", source]
    process = subprocess.Popen([*command, "--status-interval=1"], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: caught_up(watcher, "archive"))
        write_wal(watcher)

        def misled() -> bool:
            row = watcher.execute(
                "SELECT replay_lag > %s AND write_lsn >= pg_current_wal_flush_lsn()"
                " FROM pg_stat_replication WHERE application_name = 'archive'",
                [limit],
            ).fetchone()
            return row is not None and bool(row[0])

        wait_until(misled)
        with session_on(scratch.dsn) as session:
            throttle = Throttle(session, limit, None, glass.sleep, glass.clock)
            throttle.pause()
            assert glass.slept == [], "it has all there is"
            process.send_signal(signal.SIGSTOP)
            write_wal(watcher)
            wait_until(lambda: fell_behind(watcher, "archive"))
            throttle.pause()
    finally:
        process.kill()
        process.wait()
    assert glass.slept == []


def test_a_subscriber_counts_as_a_standby_does(
    scratch: TestDatabase, replicated: Replicated, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "memory_maintenance")
    glass = Hourglass()
    watcher = scratch.connect()
    watcher.execute("CREATE TABLE note (id int PRIMARY KEY)")
    watcher.execute("CREATE PUBLICATION notes FOR TABLE note")
    watcher.execute("SELECT pg_create_logical_replication_slot('notes', 'pgoutput')")
    with fresh_database(replicated.primary, "template0") as elsewhere:
        subscriber, rival = elsewhere.connect(), elsewhere.connect()
        subscriber.execute("CREATE TABLE note (id int PRIMARY KEY)")
        subscriber.execute(
            sql.SQL(
                "CREATE SUBSCRIPTION notes CONNECTION {} PUBLICATION notes"
                " WITH (create_slot = false, copy_data = false)"
            ).format(sql.Literal(scratch.dsn))
        )
        try:
            watcher.execute("INSERT INTO note VALUES (1)")
            wait_until(lambda: arrived(subscriber))
            rival.execute("BEGIN")
            rival.execute("LOCK TABLE note")
            watcher.execute("INSERT INTO note VALUES (2)")
            wait_until(lambda: blocked(subscriber))

            def let_go() -> None:
                rival.execute("ROLLBACK")
                wait_until(lambda: caught_up(watcher, "notes"))

            with session_on(scratch.dsn) as session:
                throttle = Throttle(session, timedelta(seconds=5), None, glass.sleep, glass.clock)
                throttle.pause()
                glass.now_s += 31
                glass.meanwhile = let_go
                throttle.pause()
        finally:
            rival.rollback()
            subscriber.execute("DROP SUBSCRIPTION notes")
    assert glass.slept
    assert "notes is behind and hasn't answered for 31 s" in caplog.text


def arrived(subscriber: Connection) -> bool:
    return subscriber.execute("SELECT FROM note").fetchone() is not None


def blocked(subscriber: Connection) -> bool:
    row = subscriber.execute(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database()"
    ).fetchone()
    return row is not None


# -- what can't be seen --


def test_a_role_that_may_not_see_standbys_is_told_what_to_grant(scratch: TestDatabase) -> None:
    glass = Hourglass()
    role = scratch.create_role()
    for granted in (False, True):
        if granted:
            scratch.connect().execute(f"GRANT pg_monitor TO {role}".encode())
        with session_on(f"{scratch.dsn} user={role}") as session:
            throttle = Throttle(session, timedelta(days=1), None, glass.sleep, glass.clock)
            throttle.pause()
            throttle.pause()
        remedy = f'can\'t see replication lag: GRANT pg_monitor TO "{role}"'
        assert throttle.note == (None if granted else remedy)
    assert glass.slept == []


@pytest.mark.parametrize(
    ("function", "unseen", "lag", "rate"),
    [
        ("pg_current_wal_insert_lsn()", "the rate of WAL", None, MB),
        ("pg_current_wal_flush_lsn()", "replication lag", BRIEF, None),
    ],
)
def test_a_function_that_is_denied_is_noted_and_asked_no_more(
    function: str,
    unseen: str,
    lag: timedelta | None,
    rate: int | None,
    empty_database: TestDatabase,
) -> None:
    role = empty_database.create_role()
    owner = empty_database.connect()
    owner.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC".encode())
    with session_on(f"{empty_database.dsn} user={role}") as session:
        throttle = Throttle(session, lag, rate)
        throttle.pause()
        before = last_query(owner, session)
        throttle.pause()
        assert last_query(owner, session) == before
    assert throttle.note is not None
    assert throttle.note.startswith(f"can't see {unseen}: permission denied for function")
    assert ";" not in throttle.note, "said once"


# -- how a pause ends --


def test_a_connection_that_is_lost_is_left_to_the_next_batch(memory: Memory) -> None:
    memory.fill(30)
    glass = Hourglass()
    with (
        memory.session(name="memory-maintenance test") as (session, loaded),
        runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=runs.silent,
        ) as run,
    ):
        relation = relations.resolve(session, *loaded.settings.database.qualified_table)
        throttle = Throttle(session, timedelta(hours=1), MB, glass.sleep, glass.clock)
        killed: list[int] = []

        def between() -> None:
            if not killed:
                killed.append(session.server.backend_pid)
                with memory.connect() as killer:
                    killer.execute("SELECT pg_terminate_backend(%s, 5000)", killed)
            throttle.pause()

        def work(keys: Range) -> int:
            return int(keys.last - keys.first + 1)

        counts = list(
            batches.sweep(
                session,
                relation,
                work,
                sizing=Sizing(10),
                transaction=run.transaction,
                between=between,
            )
        )
        assert session.server.backend_pid not in killed
    assert counts == [10, 10, 10]
    assert throttle.note is None


def test_a_pass_pauses_between_batches_and_not_after_the_last(memory: Memory) -> None:
    memory.fill(30)
    happened: list[str] = []
    with memory.session() as (session, loaded):
        relation = relations.resolve(session, *loaded.settings.database.qualified_table)

        def between() -> None:
            idle = session.connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
            happened.append("pause" if idle else "pause in a transaction")

        def transaction(part: Callable[[], T], patience: Patience, /, *, facts_in: str | None) -> T:
            with session.transaction(facts_in=facts_in):
                return part()

        def work(_: Range) -> str:
            happened.append("batch")
            return "taken"

        happened.extend(
            batches.sweep(
                session,
                relation,
                work,
                sizing=Sizing(10),
                transaction=transaction,
                between=between,
            )
        )
    assert happened == ["batch", "taken", "pause"] * 2 + ["batch", "taken"]


def test_a_signal_ends_a_wait(scratch: TestDatabase) -> None:
    writer = scratch.connect()

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with session_on(scratch.dsn) as session:
        throttle = Throttle(session, None, MB, interrupted)
        write_wal(writer, 8 * MB)
        with pytest.raises(KeyboardInterrupt):
            throttle.pause()


def test_a_statement_that_somebody_cancels_ends_the_run(empty_database: TestDatabase) -> None:
    glass = Hourglass()
    owner = empty_database.connect()
    with session_on(empty_database.dsn) as session:
        throttle = Throttle(session, timedelta(seconds=1), None, glass.sleep, glass.clock)
        pid = session.server.backend_pid
        owner.execute("BEGIN")
        owner.execute("LOCK TABLE pg_catalog.pg_stat_replication IN ACCESS EXCLUSIVE MODE")

        def cancel() -> bool:
            row = owner.execute(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                " WHERE pid = %s AND wait_event_type = 'Lock'",
                [pid],
            ).fetchone()
            return row is not None

        canceller = threading.Thread(target=lambda: wait_until(cancel))
        canceller.start()
        try:
            with pytest.raises(RunFailed, match="cancelled by somebody"):
                throttle.pause()
        finally:
            canceller.join()
            owner.rollback()
