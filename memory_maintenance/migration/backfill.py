"""Phase backfill: classifies the rows that were there before the trigger, in bounded batches."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Classified:
    classified: int


def statement(session: Session, relation: Relation) -> sql.Composed:
    """The statement of one batch."""
    return session.statement("migration/backfill", **projection.slots(relation))


def backfill(run: Run, relation: Relation, type_map: TypeMap, batch_rows: int | None) -> int:
    """Classifies every unclassified row; gives their number. Safe to kill and to run again."""
    session = run.session
    composed = statement(session, relation)
    argument = type_map.as_json()

    def one_batch(keys: Range) -> int:
        bound = {"first_key": keys.first, "last_key": keys.last, "type_map": argument}
        (row,) = session.fetch(_Classified, composed, bound)
        return row.classified

    total = 0
    known = max(0, round(relation.row_estimate)) or None
    for classified in batches.sweep(
        session, relation, one_batch, sizing=Sizing(batch_rows), transaction=run.transaction
    ):
        total += classified
        run.emit(total, known, "classify")
    return total
