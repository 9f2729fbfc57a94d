"""The end of phase backfill after an earlier rollback: what that kept of our columns returns.

A value returns where its column is still as the migration makes it, and its fact is still there; whoever has
written since is right. See ``kept`` for what that means for confidence and the axes.
"""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import kept
from memory_maintenance.migration.actions import NO_LOCK, ROWS_OF_A_BATCH, Action, Step
from memory_maintenance.migration.tables import Subject, row_key
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: int


@dataclass(frozen=True, slots=True)
class _TakenBack:
    taken_back: int


def kept_rows(session: Session, table: str) -> int:
    """Facts of a table of which a rollback has kept something. Our schema must be installed."""
    row = session.row(_Rows, "migration/rollback_kept_rows", {"table_name": table})
    assert row is not None
    return row.rows


def take_back_steps(
    session: Session, subject: Subject, relation: Relation, type_map: TypeMap
) -> list[Step]:
    """What is still to be done; nothing where nothing was kept. The columns need not be there yet."""
    rows = kept_rows(session, subject.table)
    if not rows:
        return []
    return [
        Step((_batch(session, subject, relation, type_map, rows),), "batches"),
        Step((_forget(session, subject),)),
    ]


def take_back(
    run: Run, subject: Subject, type_map: TypeMap, *, batch_rows: int | None = None
) -> int:
    """Gives back what an earlier rollback kept; the number of rows written. Every fact must be classified.

    Safe to kill and to run again: what is given back is forgotten in the same transaction.
    """
    session = run.session
    if not kept_rows(session, subject.table):
        return 0
    relation = subject.resolve(session)
    batch = _batch(session, subject, relation, type_map, None)

    def one_batch(keys: Range) -> int:
        bound = {**batch.params, "first_key": keys.first, "last_key": keys.last}
        (row,) = session.fetch(_TakenBack, batch.statement, bound)
        return row.taken_back

    total = 0
    known = max(0, round(relation.row_estimate)) or None
    for taken_back in batches.sweep(
        session, relation, one_batch, sizing=Sizing(batch_rows), transaction=run.transaction
    ):
        total += taken_back
        run.emit(total, known, f"take back {relation.label}")
    forget = _forget(session, subject)
    run.transaction(lambda: session.execute(forget.statement, forget.params))
    return total


def _batch(
    session: Session, subject: Subject, relation: Relation, type_map: TypeMap, rows: int | None
) -> Action:
    slots = {**projection.slots(relation), "row_key": row_key(relation)}
    giving = kept.giving(session, subject, relation)
    # Equal rows of a table without a key share what was kept of them: it is forgotten at the end.
    settled: sql.Composable = sql.SQL("")
    if not relation.keyless:
        settled = session.statement("migration/rollback_settled", **slots)
    return Action(
        "backfill",
        "put back what a rollback kept aside, in batches by key, each committed",
        session.statement(
            "migration/rollback_take_back",
            **slots,
            values=giving.values,
            changed=giving.changed,
            assignments=giving.assignments,
            settled=settled,
        ),
        ROWS_OF_A_BATCH,
        kept.params(subject.table, type_map, has_data_type=relation.has("data_type")),
        over=relation,
        rows=rows,
    )


def _forget(session: Session, subject: Subject) -> Action:
    return Action(
        "backfill",
        "forget what was kept of facts that are gone",
        session.statement("migration/rollback_forget_kept"),
        NO_LOCK,
        {"table_name": subject.table},
        note=True,
    )
