"""A run: one lock, one ledger row, one instant (spec 9; architecture, section 2).

A dry run takes the same path inside one snapshot that the server keeps read-only: no lock, no row.

A connection that is lost is made anew within ``Run.transaction`` only. What a job reads outside of it (the
table and its triggers, a pass's first and last key, adoption and the previous pass) is not tried again: where
the connection is lost there, the run ends with 69, what was committed stays, and the next run completes it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import psycopg

from memory_maintenance.config.load import Loaded
from memory_maintenance.config.models import Settings
from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translate
from memory_maintenance.engine import ledger, retry
from memory_maintenance.engine.signals import Signalled, raising
from memory_maintenance.errors import Busy, Interrupted, MaintenanceError, Unavailable
from memory_maintenance.model.result import Outcome, Result

_log = logging.getLogger(__name__)
T = TypeVar("T")
Emit = Callable[[int, int | None, str], None]
"""Progress: rows done, rows in all where known, what is being done."""

RECONNECT = retry.Patience(attempts=12, first_delay_s=0.2, longest_delay_s=5.0)
"""For a server that went away: about half a minute, which a restart takes, and its connect timeouts."""


@dataclass(frozen=True, slots=True)
class _Taken:
    taken: bool


@dataclass(frozen=True, slots=True)
class _Holder:
    pid: int
    application_name: str | None
    since: datetime | None


@dataclass(slots=True)
class Run:
    """What a step works with. run_id is None in a dry run.

    table: the qualified name that lock and ledger go by. as_of: aware, fixed once for all steps.
    live: whether as_of is the present, and not an instant that the operator named. reconnecting: how long
    a server that went away is waited for. counts: what was committed so far, for the ledger of a run that
    ends before its time; see ``publish``. inferred: in a dry run, the deadlines that an earlier step would
    have stored: instants as text by the key as text.
    """

    session: Session
    loaded: Loaded
    command: str
    table: str
    as_of: datetime
    emit: Emit
    live: bool = False
    run_id: int | None = None
    reconnecting: retry.Patience = RECONNECT
    counts: dict[str, Any] = field(default_factory=dict)
    inferred: dict[str, str] = field(default_factory=dict)
    _step: str | None = None
    _began: float = field(default_factory=time.monotonic)

    @property
    def settings(self) -> Settings:
        """The effective configuration."""
        return self.loaded.settings

    @property
    def dry_run(self) -> bool:
        """Whether nothing may be written."""
        return self.run_id is None

    @property
    def duration_s(self) -> float:
        """Seconds of wall time so far."""
        return round(time.monotonic() - self._began, 6)

    def publish(self, counts: Mapping[str, Any]) -> None:
        """Sets the running totals, after each batch: what ``Result.counts`` would give by now."""
        if self._step is None:
            self.counts = dict(counts)
        else:
            self.counts[self._step] = dict(counts)

    @property
    def current_step(self) -> str | None:
        """The step that is under way, of a run that has steps."""
        return self._step

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """What the block publishes stands under the name of a step, beside that of other steps."""
        self._step = name
        try:
            yield
        finally:
            self._step = None

    def transaction(
        self,
        work: Callable[[], T],
        patience: retry.Patience = retry.BATCH,
        *,
        facts_in: str | None = None,
    ) -> T:
        """One committed transaction, retried as spec 9 says; in a dry run a savepoint's worth of reading,
        so that a statement that took too long can be tried again with less.

        facts_in: the schema of the facts table that it works on, as for ``Session.facts_path``.
        """
        if not self.dry_run:
            return retry.transaction(
                self.session,
                work,
                reconnect=self.reconnect,
                patience=patience,
                facts_in=facts_in,
            )
        with retry.cancels_told(self.session), self.session.transaction():
            if facts_in is None:
                return work()
            # Not as an option of the savepoint: the path would outlive that.
            with self.session.facts_path(facts_in):
                return work()

    def reconnect(self) -> None:
        """Connects anew with every setting and the run lock, or ends the run (exit 69).

        Another run may have had the lock meanwhile, and have taken this one for dead: what was read
        at the start then holds no longer, and the run ends.
        """
        reason = ""
        for attempt in range(1, self.reconnecting.attempts + 1):
            if attempt > 1:
                time.sleep(self.reconnecting.delay_s(attempt - 1))
            try:
                self.session.reconnect()
                if not _take_lock(self.session, self.table):
                    reason = _busy(self.session, self.table).message
                elif self.run_id is None or ledger.still_open(self.session, self.run_id):
                    _log.warning("connected again, run lock taken again")
                    return
                else:
                    _release(self.session, self.table)
                    raise Unavailable(
                        "while the connection was lost another run took over, or the ledger's row "
                        "was lost with it",
                        remedy="run it again: what was committed stays",
                    )
            except psycopg.OperationalError as error:
                reason = translate(error, self.session.target.scrub).message
            _log.info("not yet: %s", reason)
        raise Unavailable(
            f"the connection was lost and could not be made again with the run lock: {reason}",
            remedy="run it again once the server is back: what was committed stays",
        )


def silent(done: int, total: int | None, label: str) -> None:
    """Progress that nobody watches."""


@contextmanager
def started(
    session: Session,
    loaded: Loaded,
    *,
    command: str,
    table: str,
    as_of: datetime,
    dry_run: bool,
    emit: Emit,
    live: bool = False,
    reconnecting: retry.Patience = RECONNECT,
) -> Iterator[Run]:
    """A run for the time of the block; the caller hands its result to ``finished`` inside.

    Raises Busy where another run holds the table's lock, Interrupted on a signal, UsageError where our
    schema isn't installed.
    """
    run = Run(session, loaded, command, table, as_of, emit, live, reconnecting=reconnecting)
    with raising():
        try:
            if dry_run:
                with session.snapshot():
                    yield run
                return
            schema.require(session, run.settings.database.qualified_table)
            if not _take_lock(session, table):
                raise _busy(session, table)
            run.run_id = ledger.start(
                session,
                command=command,
                table=table,
                as_of=as_of,
                config_hash=loaded.policy_hash,
            )
            yield run
            _release_at_the_end(run)
        except Signalled as signalled:
            interrupted = Interrupted(signalled.signal_number, begun=not dry_run)
            try:
                _close(run, "interrupted", interrupted.message)
            except Signalled:
                _log.warning("the ledger row stays open: interrupted again")
            raise interrupted from None
        except MaintenanceError as error:
            _close(run, "failed", error.message)
            raise
        except psycopg.Error as error:
            ours = translate(error, session.target.scrub)
            _close(run, "failed", ours.message)
            raise ours from error
        except BaseException as error:
            _close(run, "failed", f"internal error: {type(error).__name__}")
            raise


def finished(run: Run, result: Result) -> None:
    """Closes the ledger row of a run that ended by itself."""
    if run.run_id is not None:
        status: ledger.Status = "done" if result.outcome is Outcome.DONE else "findings"
        run_id, counts = run.run_id, result.counts()
        run.transaction(lambda: ledger.finish(run.session, run_id, status, counts))


def _take_lock(session: Session, table: str) -> bool:
    row = session.row(_Taken, "session/lock", {"name": table})
    return row is not None and row.taken


def _busy(session: Session, table: str) -> Busy:
    holder = session.row(_Holder, "session/lock_holder", {"name": table})
    who = "another run"
    if holder is not None:
        known = [holder.application_name or "", f"server process {holder.pid}"]
        if holder.since is not None:
            known.append(f"connected since {holder.since:%Y-%m-%d %H:%M:%S} UTC")
        who += f" ({', '.join(filter(None, known))})"
    return Busy(f"{who} is at work on {table}", remedy="try again when it has ended")


def _release(session: Session, table: str) -> None:
    if not session.lost:
        session.run("session/unlock", {"name": table})


def _release_at_the_end(run: Run) -> None:
    """Gives the lock back after the work is done and noted: no failure of this changes that."""
    try:
        _release(run.session, run.table)
    except psycopg.Error as error:
        _log.warning("the run lock ends with the connection: %s", type(error).__name__)


def _close(run: Run, status: ledger.Status, error: str) -> None:
    """Notes in the ledger how a run ended before its time, as far as the server can be reached."""
    if run.run_id is None or run.session.lost:
        return
    try:
        run.session.leave_transaction()
        ledger.finish(run.session, run.run_id, status, run.counts, run.session.target.scrub(error))
        _release(run.session, run.table)
    except psycopg.Error as failure:
        # The error that ended the run is what the operator must see; the next run closes the row.
        _log.warning("the ledger row stays open: %s", type(failure).__name__)
