"""How long everybody may be kept out: the time from contract's first lock to its COMMIT."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psycopg

from memory_maintenance.database.session import Session
from memory_maintenance.errors import Busy
from memory_maintenance.migration import contract_aside as aside
from memory_maintenance.migration.actions import LOCK_TIMEOUT
from memory_maintenance.migration.tables import Subject

# The server's clock and ours need not run alike to the last digit.
_CLEARLY_LESS = 0.9


class WaitedError(Exception):
    """The time went into waiting for locks."""


class OverdueError(Exception):
    """The locks were held for as long as they may be. needed_s: for how long they would have to be held."""

    def __init__(self, held_s: float, needed_s: float) -> None:
        super().__init__()
        self.held_s = held_s
        self.needed_s = needed_s


class Hold:
    """The time from the first lock on."""

    def __init__(self, session: Session, longest: timedelta) -> None:
        self._session = session
        self._longest_s = longest.total_seconds()
        self._began = time.monotonic()
        self._locked_s: float | None = None
        # What is known to be left to do when time is up.
        self.left_s = 0.0

    @property
    def held_s(self) -> float:
        """Seconds so far, those of waiting included: others queue behind who waits."""
        return time.monotonic() - self._began

    def locked(self) -> None:
        """All locks are there."""
        self._locked_s = self.held_s

    def check(self) -> None:
        """Raises where time is up."""
        if self.held_s >= self._longest_s:
            raise self._over()

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Statements of the block end when time is up, and wait for a lock no longer than any of ours."""
        self.check()
        left_s = self._longest_s - self.held_s
        patient = min(LOCK_TIMEOUT, self._session.settings.lock_timeout)
        aside.bound_session(self._session, patient, timedelta(seconds=left_s))
        try:
            yield
        except psycopg.errors.QueryCanceled:
            # Sooner, somebody cancelled it.
            if self.held_s < _CLEARLY_LESS * self._longest_s:
                raise
            raise self._over() from None

    def _over(self) -> Exception:
        if self._locked_s is None or self._locked_s > self._longest_s / 2:
            return WaitedError()
        return OverdueError(self.held_s, self.held_s + self.left_s)


def too_long(subject: Subject, longest: timedelta, overdue: OverdueError) -> Busy:
    """What to raise then: how long the locks were held, and would have to be."""
    enough_s = max(math.ceil(overdue.needed_s * 1.5), math.ceil(longest.total_seconds()) + 1)
    return Busy(
        f"dropping data_type of {subject.label} held its locks for {overdue.held_s:.2f} s, may do so for "
        f"{longest.total_seconds():g} s (--max-lock), and needs about {overdue.needed_s:.2f} s or more; "
        "nothing was changed",
        remedy=f"run it again when less is written, or allow more: --max-lock {enough_s}s",
    )
