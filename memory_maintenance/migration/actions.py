"""What the migration does as values: printed, counted, written into a script and executed from one list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.engine import retry
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run

Phase = Literal["install", "expand", "backfill", "verify", "contract", "rollback"]
Kind = Literal["transaction", "apart", "batches"]

BRIEF = "ACCESS EXCLUSIVE, briefly"
BRISK = "SHARE ROW EXCLUSIVE, briefly"
SHARED = "SHARE UPDATE EXCLUSIVE, for one scan; readers and writers go on"
NO_LOCK = "none"
ROWS_OF_A_BATCH = "the rows of a batch"

# A statement that waits for a lock has everybody queue behind it who comes later, and may do so once for each
# table it needs. No writer is to wait for a second.
LOCK_TIMEOUT = timedelta(milliseconds=400)
# Waiting for SHARE UPDATE EXCLUSIVE, or for old transactions to end, keeps no reader or writer waiting.
LOCK_TIMEOUT_APART = timedelta(seconds=30)
# With the lock timeout, some two minutes in all before the operator is told to come back later.
PATIENCE = Patience(attempts=36, first_delay_s=0.5, longest_delay_s=5.0)


@dataclass(frozen=True, slots=True)
class Action:
    """One statement. lock: the strongest lock it takes, and for how long, in words.

    params: what its placeholders stand for. over: the table whose key ranges it goes through, with the
    placeholders first_key and last_key. rows: how many it is going to write, where a dry run has counted.
    note: it only writes down, in our schema, where the migration stands.
    """

    phase: Phase
    what: str
    statement: sql.Composed
    lock: str
    params: Mapping[str, Any] = field(default_factory=dict)
    over: Relation | None = None
    rows: int | None = None
    note: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Actions that are committed together.

    kind: "transaction"; "apart", a single statement that must stand outside of any (CONCURRENTLY) or that
    scans without keeping anybody waiting (VALIDATE); "batches", one action in many transactions.
    """

    actions: tuple[Action, ...]
    kind: Kind = "transaction"


def apply(
    run: Run,
    plan: Callable[[], Sequence[Action]],
    patience: Patience = PATIENCE,
    *,
    facts_in: str | None = None,
) -> None:
    """Executes actions in one transaction with a short lock_timeout, retried within bounds.

    plan: what is still to be done, by the catalog as it is when it is called. It is asked in each attempt:
    the one before may have been committed though the connection was lost before the answer came.
    """
    session = run.session

    def work() -> None:
        # Never longer than the session's: it stays below statement_timeout, whose end isn't retried.
        patient = min(LOCK_TIMEOUT, session.settings.lock_timeout)
        session.run("session/lock_timeout_local", {"lock_timeout_ms": _ms(patient)})
        for action in plan():
            session.execute(action.statement, action.params)

    run.transaction(work, patience, facts_in=facts_in)


def apply_apart(run: Run, plan: Callable[[], Action | None], patience: Patience = PATIENCE) -> None:
    """Executes one statement outside of any transaction, retried within bounds.

    Such statements scan: statement_timeout doesn't count for them, and they wait longer for locks, since
    nobody queues behind them. plan: as for ``apply``; None where nothing is left.
    """
    session = run.session

    def work() -> None:
        action = plan()
        if action is None:
            return
        session.run(
            "session/patience",
            {"lock_timeout_ms": _ms(LOCK_TIMEOUT_APART), "statement_timeout_ms": "0"},
        )
        try:
            session.execute(action.statement, action.params)
        finally:
            if not session.lost:
                session.restore_patience()

    retry.apart(session, work, reconnect=run.reconnect, patience=patience)


def _ms(span: timedelta) -> str:
    return str(round(span / timedelta(milliseconds=1)))
