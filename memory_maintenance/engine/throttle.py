"""Holds a pass back between its batches: while standbys lag, and to a rate of WAL (spec 9).

Others pay for what batches write: standbys that fall behind, archives and links that fill. What a
migration does can wait for them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import psycopg
from psycopg import sql

from memory_maintenance.config.durations import format_duration
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.engine import retry

_log = logging.getLogger(__name__)
T = TypeVar("T")

WAITING_FOR_STANDBYS = "wait for standbys"
WAITING_FOR_WAL_RATE = "keep to max_wal_rate"

_POLL_S = 1.0
_SAY_EVERY_S = 30.0
_WARN_EVERY_S = 300.0
# What a batch left of its rate is kept for later ones up to this: a quiet hour must not allow a flood.
_CREDIT_S = 1.0
# Progress is told of waits that a person would notice.
_NOTICEABLE_S = 1.0
# A standby answers every 10 s (wal_receiver_status_interval), whatever happens, and when asked for a sign
# of life, by default after 30 s. A shorter silence means nothing: replay alone makes none answer sooner.
_SILENT_S = 30.0


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who receives our WAL: a row of throttle/receivers.

    answered_at: by the receiver's own clock, which is only ever compared with itself.
    """

    pid: int
    name: str | None
    visible: bool
    behind: bool
    lag_s: float | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Position:
    wal_bytes: int


class Budget:
    """WAL that may be written at a rate on average. Time is that of a monotonic clock, in seconds."""

    def __init__(self, bytes_per_s: int, now_s: float) -> None:
        self._bytes_per_s = bytes_per_s
        self._debt_bytes = 0.0
        self._settled_s = now_s

    def spend(self, wal_bytes: int, now_s: float) -> float:
        """Counts WAL that was written since the last call; seconds from now until it is paid for.

        Time in which less was written than allowed counts for later, but for one second at most.
        """
        paid = self._bytes_per_s * (now_s - self._settled_s)
        credit = self._bytes_per_s * _CREDIT_S
        self._debt_bytes = max(-credit, self._debt_bytes + wal_bytes - paid)
        self._settled_s = now_s
        return max(0.0, self._debt_bytes / self._bytes_per_s)


class Lateness:
    """Which receivers lag more than a limit. Time as for ``Budget``."""

    def __init__(self, limit: timedelta) -> None:
        self.limit = limit
        # By pid: the last answer seen, and when it was first seen.
        self._answers: dict[int, tuple[datetime | None, float]] = {}

    def late(self, receivers: Sequence[Receiver], now_s: float) -> list[str]:
        """What keeps us waiting, a phrase a receiver: "standby1 lags 42 s".

        The server learns of lag from answers only: of a receiver that hangs it goes on to tell the last
        lag, or none. So who is behind and hasn't answered for long lags, too. Who has no connection isn't
        among the receivers: the server drops those that are silent for wal_sender_timeout.
        """
        limit_s = self.limit.total_seconds()
        answers = {}
        found = []
        for receiver in receivers:
            seen = self._answers.get(receiver.pid)
            if seen is None or seen[0] != receiver.answered_at:
                seen = (receiver.answered_at, now_s)
            answers[receiver.pid] = seen
            silent_s = now_s - seen[1]
            name = receiver.name or f"server process {receiver.pid}"
            if receiver.lag_s is not None and receiver.lag_s > limit_s:
                found.append(f"{name} lags {receiver.lag_s:.0f} s")
            elif receiver.behind and silent_s > max(limit_s, _SILENT_S):
                found.append(f"{name} is behind and hasn't answered for {silent_s:.0f} s")
        self._answers = answers
        return found


class Throttle:
    """What ``pause`` between batches waits for. Made at the start of a pass: WAL is counted from then on.

    max_replication_lag, max_wal_bytes_per_s: None for no limit; without either the server is asked
    nothing. clock: monotonic, in seconds; sleep: until a signal raises, at the longest.
    """

    def __init__(
        self,
        session: Session,
        max_replication_lag: timedelta | None,
        max_wal_bytes_per_s: int | None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._sleep = sleep
        self._clock = clock
        self._lateness = None if max_replication_lag is None else Lateness(max_replication_lag)
        self._budget = None if max_wal_bytes_per_s is None else Budget(max_wal_bytes_per_s, clock())
        self._notes: list[str] = []
        # Where the batch under way began; None where it isn't known.
        self._wal_from: int | None = None
        self._wal_position_or_lost()

    @property
    def note(self) -> str | None:
        """What can't be watched and why, for the operator; None where all can."""
        return "; ".join(self._notes) or None

    def pause(self, emit_wait: Callable[[str], None] | None = None) -> None:
        """Returns once the next batch may run. To be called outside of any transaction.

        emit_wait: told what is waited for, once a wait, always in the same words.

        A connection that was lost since the last batch, or is lost here, ends the pause and not the run:
        the next batch finds it out and connects again with the run lock, as ``Run.transaction`` does,
        within its bounds. Here nothing but a pause is missed. Raises RunFailed where somebody cancelled a
        statement of ours, and the driver's error where one exceeded its time.
        """
        try:
            self._pay(emit_wait)
            self._wait_for_receivers(emit_wait)
        except psycopg.Error as error:
            if not (self._session.lost or kind(error) is Kind.LOST):
                raise
            self._wal_from = None
            return
        self._wal_position_or_lost()

    def _pay(self, emit_wait: Callable[[str], None] | None) -> None:
        """Waits until what the last batch wrote is within the rate.

        What others write while we wait isn't ours to pay: where they write more than the rate by
        themselves, we would never get on.
        """
        if self._budget is None:
            return
        before, now = self._wal_from, self._wal_position()
        written = 0 if before is None or now is None else now - before
        # After a failover the position may have gone back.
        due_s = self._budget.spend(max(0, written), self._clock())
        if due_s > 0:
            if due_s >= _NOTICEABLE_S and emit_wait is not None:
                emit_wait(WAITING_FOR_WAL_RATE)
            self._sleep(due_s)

    def _wait_for_receivers(self, emit_wait: Callable[[str], None] | None) -> None:
        if self._lateness is None:
            return
        limit = self._lateness.limit
        began = self._clock()
        said, warned = None, 0.0
        while late := self._late(self._lateness):
            waited_s = self._clock() - began
            if said is None and emit_wait is not None:
                emit_wait(WAITING_FOR_STANDBYS)
            if said is None or waited_s - said >= _SAY_EVERY_S:
                said = waited_s
                warns = waited_s - warned >= _WARN_EVERY_S
                warned = waited_s if warns else warned
                _log.log(
                    logging.WARNING if warns else logging.INFO,
                    "batches wait (%.0f s so far): %s; backfill.max_replication_lag is %s",
                    waited_s,
                    ", ".join(late),
                    format_duration(limit),
                )
            self._sleep(_POLL_S)
        if said is not None:
            _log.info("waited %.0f s for standbys; going on", self._clock() - began)

    def _late(self, lateness: Lateness) -> list[str]:
        receivers = self._ask(
            lambda: self._session.rows(Receiver, "throttle/receivers"), "replication lag"
        )
        if receivers is None:
            self._lateness = None
            return []
        if not all(receiver.visible for receiver in receivers):
            role = sql.Identifier(self._session.server.role).as_string(None)
            self._remark(f"can't see replication lag: GRANT pg_monitor TO {role}")
        return lateness.late(receivers, self._clock())

    def _wal_position(self) -> int | None:
        found = self._ask(
            lambda: self._session.row(_Position, "throttle/wal_position"), "the rate of WAL"
        )
        if found is None:
            self._budget = None
            return None
        return found.wal_bytes

    def _wal_position_or_lost(self) -> None:
        """Notes where the next batch begins."""
        if self._budget is None:
            return
        try:
            self._wal_from = self._wal_position()
        except psycopg.Error as error:
            if not (self._session.lost or kind(error) is Kind.LOST):
                raise
            self._wal_from = None

    def _ask(self, question: Callable[[], T], what: str) -> T | None:
        """The server's answer; None where it can't or won't tell (a function that some providers don't
        have or don't grant). That is no reason to end a migration which doesn't depend on it."""
        try:
            with retry.cancels_told(self._session):
                return question()
        except psycopg.Error as error:
            if self._session.lost or kind(error) is not Kind.OTHER:
                raise
            reason = error.diag.message_primary or type(error).__name__
            self._remark(f"can't see {what}: {self._session.target.scrub(reason)}")
            return None

    def _remark(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)
            _log.info("%s", note)
