"""A pass over a table in primary-key ranges, each its own transaction, sized by time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Generic, Protocol, TypeVar

import psycopg

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.engine.retry import BATCH, Patience

T = TypeVar("T")
R = TypeVar("R")
Key = Any  # int or UUID: whatever the key column holds

SMALLEST_BATCH = 500
LARGEST_BATCH = 10_000
_FIRST_BATCH = 2_000
# A concurrent writer of a row waits for the batch at worst: 25-40 us a row were measured, so that 5,000
# rows take 170 ms. Batches are steered to the middle of 100 to 150 ms.
_AIM_S = 0.125
_REGROWTH = 1.1
# Shorter than deadlock_timeout, 1 s by default, after which the server would choose a victim: whoever began
# to wait first, which may be the writer.
_LOCK_TIMEOUT = timedelta(milliseconds=400)
_LONGEST_DELAY_S = 0.5


@dataclass(frozen=True, slots=True)
class Range:
    """Keys from first to last, both included. next is where the range after it starts; None: the end."""

    first: Key
    last: Key
    next: Key | None


@dataclass(frozen=True, slots=True)
class _Ends:
    first_key: Key | None
    last_key: Key | None


@dataclass(frozen=True, slots=True)
class _Next:
    last_key: Key | None
    next_key: Key | None


class Transact(Protocol):
    """One committed transaction around a piece of work, retried where that is safe."""

    def __call__(self, work: Callable[[], R], patience: Patience, /, *, facts_in: str | None) -> R:
        """What work returned. patience: how often it is tried; facts_in: the schema of the facts table, as
        for ``Session.facts_path``."""


class Sizing:
    """How many rows the next batch takes. fixed: as the operator asked; None steers by time."""

    def __init__(self, fixed: int | None = None) -> None:
        self.rows = _FIRST_BATCH if fixed is None else fixed
        self._fixed = fixed
        # A fraction counts: from one row, a tenth more is two rows only after eight batches.
        self._most = float(LARGEST_BATCH if fixed is None else fixed)

    def took(self, seconds: float) -> None:
        """Steers by what the last batch took, by a factor of two at most. What a batch may have at most
        after one was too long grows back by a tenth."""
        if self._fixed is not None:
            self._most = min(float(self._fixed), self._most * _REGROWTH)
            self.rows = int(self._most)
            return
        self._most = min(float(LARGEST_BATCH), self._most * _REGROWTH)
        factor = min(2.0, max(0.5, _AIM_S / max(seconds, 1e-3)))
        self.rows = min(int(self._most), max(SMALLEST_BATCH, round(self.rows * factor)))

    def halve(self) -> bool:
        """Takes half as many, and only slowly more again; False where a batch can't be smaller."""
        if self.rows <= 1:
            return False
        self.rows = max(1, self.rows // 2)
        self._most = float(self.rows)
        return True


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """A batch that was done. began: when the attempt at it did, and connection: on which."""

    keys: Range
    outcome: T
    began: float
    connection: psycopg.Connection[Any]


def sweep(
    session: Session,
    relation: Relation,
    work: Callable[[Range], T],
    *,
    sizing: Sizing,
    transaction: Transact,
    between: Callable[[], None] | None = None,
) -> Iterator[T]:
    """Runs ``work`` on range after range, each within ``transaction``, and yields what it returns.

    between: called outside of any transaction once what a batch returned has been taken, and before the next
    batch: never after the last one, nor where a batch is tried again.

    The pass ends at the highest key that the table had at its start. A batch that the server cancels for
    its statement timeout is tried again at half the size, down to one row; the size grows back slowly.
    All statements see what the table's writers see (``Session.facts_path``). Where the batch and a writer
    wait for each other, the batch gives up first: it waits no longer than ``_LOCK_TIMEOUT`` at a time.
    """
    lock_timeout = min(_LOCK_TIMEOUT, session.settings.lock_timeout)
    # As long in all as if each attempt had waited for the session's lock_timeout.
    attempts = math.ceil(BATCH.attempts * (session.settings.lock_timeout / lock_timeout))
    patience = replace(BATCH, attempts=attempts, longest_delay_s=_LONGEST_DELAY_S)
    lock_timeout_ms = str(round(lock_timeout / timedelta(milliseconds=1)))
    slots = projection.slots(relation)
    with session.facts_path(relation.schema):
        ends = session.row(_Ends, "batches/ends", facts=slots["facts"], key=slots["key"])
    if ends is None or ends.first_key is None:
        return
    first: Key | None = ends.first_key
    following = "batches/next_place" if relation.keyless else "batches/next"
    while first is not None:
        start: Key = first
        reached: Key | None = None

        def one_batch(start: Key = start) -> _Done[T]:
            nonlocal reached
            began = time.monotonic()
            session.run("session/lock_timeout_local", {"lock_timeout_ms": lock_timeout_ms})
            found = session.row(
                _Next,
                following,
                {"first_key": start, "last_key": ends.last_key, "rows": sizing.rows},
                **slots,
            )
            last = ends.last_key if found is None or found.last_key is None else found.last_key
            reached = last
            keys = Range(start, last, None if found is None else found.next_key)
            return _Done(keys, work(keys), began, session.connection)

        try:
            done = transaction(one_batch, patience, facts_in=relation.schema)
        except psycopg.Error as error:
            if kind(error) is not Kind.TIMEOUT or session.lost or not sizing.halve():
                if kind(error) is Kind.OTHER and not session.lost and reached is not None:
                    where = f"of {relation.label} from {relation.key} {start} to {reached}"
                    error.add_note(f"in the batch {where}")
                raise
            continue
        # Of the attempt that succeeded, COMMIT included: what came before it is no measure of the rows. Nor
        # is a time in which the answer to COMMIT was lost, and connecting anew was part of it.
        if done.connection is session.connection:
            sizing.took(time.monotonic() - done.began)
        first = done.keys.next
        yield done.outcome
        if between is not None and first is not None:
            between()
