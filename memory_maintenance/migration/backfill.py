"""Phase backfill: classifies the rows that were there before the trigger, in bounded batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.migration.actions import ROWS_OF_A_BATCH, Action
from memory_maintenance.migration.state import State
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Classified:
    classified: int


@dataclass(frozen=True, slots=True)
class Due:
    """Which facts backfill has to write. condition: on f; params: what its placeholders stand for.

    reason: what the guards of moods and decisions record where these change; '' where none should.
    """

    condition: sql.Composable
    params: Mapping[str, str]
    reason: str = ""


def due(session: Session, state: State, type_map: TypeMap, former_map: str | None) -> Due | None:
    """The facts to be written; None where there can be none.

    former_map: the map, as JSON, by which the stored facts were classified; None where none was.
    """
    if not state.has_data_type:
        return None
    current = type_map.as_json()
    if former_map is not None and former_map != current:
        params = {"former_map": former_map, "type_map": current}
        reason = "migrate-types: the map of data_type was changed"
        return Due(session.statement("migration/due_moved"), params, reason)
    if state.settled:
        return None
    return Due(session.statement("migration/due_unclassified"), {})


def action(
    session: Session, relation: Relation, type_map: TypeMap, which: Due, rows: int | None
) -> Action:
    """The statement of one batch. rows: how many are due, where that was counted."""
    return Action(
        "backfill",
        "classify facts, in batches by key, each committed"
        if rows is None
        else f"classify {rows:,} facts, in batches by key, each committed",
        session.statement("migration/backfill", **projection.slots(relation), due=which.condition),
        ROWS_OF_A_BATCH,
        {**which.params, "type_map": type_map.as_json(), "reason": which.reason},
        over=relation,
        rows=rows,
    )


def backfill(
    run: Run,
    relation: Relation,
    batch: Action,
    *,
    batch_rows: int | None,
    known: int,
    before: int = 0,
    between: Callable[[], None] | None = None,
) -> int:
    """Classifies every fact that is due; gives their number. Safe to kill and to run again.

    batch: as ``action`` gives it. known: how many facts were due when they were counted.
    before: how many this run has classified in another table. between: called after each batch, outside of
    any transaction.
    """
    session = run.session

    def one_batch(keys: Range) -> int:
        bound = {**batch.params, "first_key": keys.first, "last_key": keys.last}
        (row,) = session.fetch(_Classified, batch.statement, bound)
        return row.classified

    total = 0
    for classified in batches.sweep(
        session,
        relation,
        one_batch,
        sizing=Sizing(batch_rows),
        transaction=run.transaction,
        between=between,
    ):
        total += classified
        run.publish({"updated": before + total, "verified": None})
        run.emit(total, known, f"classify {relation.label}")
    return total
