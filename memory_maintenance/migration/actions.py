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
    plan: Callable[[], Sequence[Action]],
    patience: Patience = PATIENCE,
    note: Callable[[], object] | None = None,
) -> None:
    """Executes a plan in one transaction with a short lock_timeout, retried within bounds.

    plan: what is still to be done, by the catalog as it is when it is called. It is asked in each attempt:
    the one before may have been committed though the connection was lost before the answer came.
    note: writes something down in the same transaction, before the actions and only where there are any.
    """
    session = run.session

    def work() -> None:
        # Never longer than the session's: it stays below statement_timeout, whose end isn't retried.
        patient = min(_LOCK_TIMEOUT, session.settings.lock_timeout)
        ms = str(round(patient / timedelta(milliseconds=1)))
        session.run("session/lock_timeout_local", {"lock_timeout_ms": ms})
        actions = plan()
        if actions and note is not None:
            note()
        for action in actions:
            session.execute(action.statement)

    run.transaction(work, patience)
