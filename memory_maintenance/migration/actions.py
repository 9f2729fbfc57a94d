"""A statement of the migration as a value: printed, counted and executed from one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run

Phase = Literal["install", "expand", "backfill", "verify", "settle"]

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

    def text(self, session: Session) -> str:
        """The statement as psql would take it, with its lock as a comment."""
        return f"-- {self.what}; lock: {self.lock}\n{self.statement.as_string(session.connection)};"


def apply(run: Run, actions: Sequence[Action]) -> None:
    """Executes the actions in one transaction with a short lock_timeout, retried within bounds."""
    session = run.session

    def work() -> None:
        ms = str(round(_LOCK_TIMEOUT / timedelta(milliseconds=1)))
        session.run("session/lock_timeout_local", {"lock_timeout_ms": ms})
        for action in actions:
            session.connection.execute(action.statement)

    if actions:
        run.transaction(work, PATIENCE)
