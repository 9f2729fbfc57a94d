"""Bounded retries of whole transactions (spec 9): contention waits and tries again, a lost connection is
made anew with its lock, and nothing is retried for ever."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import psycopg

from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind

_log = logging.getLogger(__name__)
T = TypeVar("T")


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

    facts_in: as for ``Session.transaction``, set anew on each attempt.
    Raises the driver's error when retries are used up, or at once where a retry can't help.
    """
    for attempt in range(1, patience.attempts + 1):
        try:
            with session.transaction(facts_in=facts_in):
                return work()
        except psycopg.Error as error:
            what = Kind.LOST if session.lost else kind(error)
            if attempt == patience.attempts or what in (Kind.TIMEOUT, Kind.OTHER):
                raise
            if what is Kind.LOST:
                _log.warning("the connection was lost; connecting again")
                reconnect()
                continue
            delay_s = patience.delay_s(attempt)
            _log.info(
                "attempt %d of %d met a lock (%s); trying again in %.1f s",
                attempt,
                patience.attempts,
                error.sqlstate,
                delay_s,
            )
            time.sleep(delay_s)
    raise AssertionError("unreachable: the last attempt returns or raises")
