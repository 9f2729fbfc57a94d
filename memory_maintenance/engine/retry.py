"""Bounded retries of whole transactions (spec 9): contention waits and tries again, a lost connection is
made anew with its lock, what was committed without our hearing of it is not done twice, and nothing is
retried for ever."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import psycopg

from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.errors import RunFailed

_log = logging.getLogger(__name__)
T = TypeVar("T")
# Our clock and the server's need not run alike to the last digit.
_CLEARLY_LESS = 0.9


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a transaction is tried, and how long between: first_delay_s, doubled each time up to
    longest_delay_s, each shortened at random by up to half, so that rivals don't meet again."""

    attempts: int = 6
    first_delay_s: float = 0.1
    longest_delay_s: float = 5.0

    def delay_s(self, attempt: int) -> float:
        """Seconds to wait after that failed attempt, counted from 1."""
        full = min(self.longest_delay_s, self.first_delay_s * 2.0 ** (attempt - 1))
        return full * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret


def wait(patience: Patience, attempt: int, what: str) -> None:
    """Waits after that failed attempt, counted from 1, and logs what it met."""
    delay_s = patience.delay_s(attempt)
    _log.info(
        "attempt %d of %d %s; trying again in %.1f s", attempt, patience.attempts, what, delay_s
    )
    time.sleep(delay_s)


BATCH = Patience()
"""For batches: with the session's lock_timeout, well under a minute in all."""


def transaction(
    session: Session,
    work: Callable[[], T],
    *,
    reconnect: Callable[[], None],
    patience: Patience = BATCH,
    facts_in: str | None = None,
) -> T:
    """What ``work`` returns from one committed transaction; ``work`` must be safe to run again.

    Where the answer to COMMIT was lost with the connection, the server is asked how the transaction
    ended: one that was committed isn't run again. facts_in: as for ``Session.transaction``, set anew on
    each attempt.
    Raises the driver's error when retries are used up, or at once where a retry can't help; RunFailed
    where somebody cancelled a statement (``cancels_told``).
    """
    for attempt in range(1, patience.attempts + 1):
        xid: str | None = None
        try:
            with cancels_told(session), session.transaction(facts_in=facts_in):
                outcome = work()
                xid = session.transaction_id()
            return outcome  # noqa: TRY300 - after COMMIT, whose errors are handled below
        except psycopg.Error as error:
            what = Kind.LOST if session.lost else kind(error)
            if what is Kind.LOST and xid is not None:
                _log.warning(
                    "the connection was lost at COMMIT; connecting again to ask how it ended"
                )
                server_started_at_s = session.server.started_at_s
                reconnect()
                if session.server.started_at_s != server_started_at_s:
                    # A server that crashed may have given our number to another transaction.
                    continue
                status = _settled(session, xid, reconnect, patience)
                if status == "committed":
                    return outcome
                if status == "in progress" or attempt == patience.attempts:
                    raise
                continue
            if attempt == patience.attempts or what in (Kind.TIMEOUT, Kind.OTHER):
                raise
            if what is Kind.LOST:
                _log.warning("the connection was lost; connecting again")
                reconnect()
                continue
            wait(patience, attempt, f"met a lock ({error.sqlstate})")
    raise AssertionError("unreachable: the last attempt returns or raises")


def apart(
    session: Session,
    work: Callable[[], None],
    *,
    reconnect: Callable[[], None],
    patience: Patience = BATCH,
) -> None:
    """Runs ``work`` outside of any transaction, until it succeeds or retries are used up.

    ``work`` must look in the catalog first for what is left to do: whether an attempt succeeded whose
    answer was lost with the connection is not asked. Raises as ``transaction`` does.
    """
    for attempt in range(1, patience.attempts + 1):
        try:
            work()
        except psycopg.Error as error:
            what = Kind.LOST if session.lost else kind(error)
            if attempt == patience.attempts or what in (Kind.TIMEOUT, Kind.OTHER):
                raise
            if what is Kind.LOST:
                _log.warning("the connection was lost; connecting again")
                reconnect()
                continue
            wait(patience, attempt, f"met a lock ({error.sqlstate})")
        else:
            return


@contextmanager
def cancels_told(session: Session) -> Iterator[None]:
    """Raises RunFailed where a statement of the block was cancelled by a person, not by its timeout.

    The server gives both the same SQLSTATE, and words in its own language. But a block that took less
    than statement_timeout in all holds no statement that exceeded it.
    """
    began = time.monotonic()
    try:
        yield
    except psycopg.Error as error:
        if session.lost or kind(error) is not Kind.TIMEOUT:
            raise
        timeout_s = session.settings.statement_timeout.total_seconds()
        if time.monotonic() - began >= _CLEARLY_LESS * timeout_s:
            raise
        raise RunFailed(
            "a statement was cancelled by somebody (pg_cancel_backend, or a tool that uses it)",
            remedy="run it again when nothing stands against it: what was committed stays",
        ) from error


def _settled(
    session: Session, xid: str, reconnect: Callable[[], None], patience: Patience
) -> str | None:
    """How the transaction ended; "in progress" where it hasn't within ``patience``, None for unknown."""
    for attempt in range(1, patience.attempts + 1):
        try:
            status = session.transaction_status(xid)
        except psycopg.Error as error:
            if attempt == patience.attempts or not (session.lost or kind(error) is Kind.LOST):
                raise
            reconnect()
            continue
        if status != "in progress":
            return status
        time.sleep(patience.delay_s(attempt))
    return "in progress"
