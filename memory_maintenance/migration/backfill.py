"""Phase backfill: classifies the rows that were there before the trigger, in bounded batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.migration.state import State
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Classified:
    classified: int


@dataclass(frozen=True, slots=True)
class Due:
    """Which facts backfill has to write. condition: on f; params: what its placeholders stand for."""

    condition: sql.Composable
    params: Mapping[str, str]


def due(session: Session, state: State, type_map: TypeMap, former_map: str | None) -> Due | None:
    """The facts to be written; None where there can be none.

    former_map: the map, as JSON, by which the stored facts were classified; None where none was.
    """
    if not state.has_data_type:
        return None
    current = type_map.as_json()
    if former_map is not None and former_map != current:
        params = {"former_map": former_map, "type_map": current}
        return Due(session.statement("migration/due_moved"), params)
    if state.settled:
        return None
    return Due(session.statement("migration/due_unclassified"), {})


def statement(session: Session, relation: Relation, which: Due) -> sql.Composed:
    """The statement of one batch."""
    slots = projection.slots(relation)
    return session.statement("migration/backfill", **slots, due=which.condition)


def backfill(
    run: Run, relation: Relation, type_map: TypeMap, which: Due, batch_rows: int | None
) -> int:
    """Classifies every fact that is due; gives their number. Safe to kill and to run again."""
    session = run.session
    composed = statement(session, relation, which)
    argument = type_map.as_json()

    def one_batch(keys: Range) -> int:
        bound = {
            **which.params,
            "first_key": keys.first,
            "last_key": keys.last,
            "type_map": argument,
        }
        (row,) = session.fetch(_Classified, composed, bound)
        return row.classified

    total = 0
    known = max(0, round(relation.row_estimate)) or None
    for classified in batches.sweep(
        session, relation, one_batch, sizing=Sizing(batch_rows), transaction=run.transaction
    ):
        total += classified
        run.publish({"updated": total, "verified": None})
        run.emit(total, known, "classify")
    return total
