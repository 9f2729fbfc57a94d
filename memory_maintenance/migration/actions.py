"""A statement of the migration as a value: printed, counted and executed from one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from psycopg import sql

from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run

Phase = Literal["install", "expand", "backfill", "settle"]

_LOCK_TIMEOUT = timedelta(seconds=1)
# With the lock timeout, some two minutes in all before the operator is told to come back later.
PATIENCE = Patience(attempts=30, first_delay_s=0.5, longest_delay_s=5.0)


@dataclass(frozen=True, slots=True)
class Action:
    """One statement. lock: the strongest lock it takes, and for how long, in words."""

    phase: Phase
    what: str
    statement: sql.Composed
    lock: str


def apply(
    run: Run,
    actions: Sequence[Action],
    patience: Patience = PATIENCE,
    note: Callable[[], object] | None = None,
) -> None:
    """Executes the actions in one transaction with a short lock_timeout, retried within bounds.

    note: what to write down in the same transaction. Without actions nothing is done at all.
    """
    session = run.session

    def work() -> None:
        # Never longer than the session's: it stays below statement_timeout, whose end isn't retried.
        patient = min(_LOCK_TIMEOUT, session.settings.lock_timeout)
        ms = str(round(patient / timedelta(milliseconds=1)))
        session.run("session/lock_timeout_local", {"lock_timeout_ms": ms})
        for action in actions:
            session.execute(action.statement)
        if note is not None:
            note()

    if actions:
        run.transaction(work, patience)
