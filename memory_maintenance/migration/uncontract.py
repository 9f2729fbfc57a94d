"""The first half of a rollback after contract: data_type comes back, with every value, while agents write.

From the end of the first transaction on, old and new writers are both served by the mapping's triggers again;
NULL then means "not put back yet", until the fill has been there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from memory_maintenance.database import guards
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import (
    expand,
    rollback_column,
    rollback_indexes,
    rollback_values,
    rollback_views,
)
from memory_maintenance.migration.actions import (
    Step,
)
from memory_maintenance.migration.place import (
    Place,
    find,
    perform,
    step,
    with_data_type,
)
from memory_maintenance.migration.rollback_result import RollbackBlocker
from memory_maintenance.migration.rollback_values import Filled
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.verify import Accounted, refusal, verify
from memory_maintenance.model.mapping import TypeMap


def simulated(place: Place) -> Place:
    """The table once all of it is done: what a dry run of the rest reckons with."""
    back = with_data_type(place)
    if back is place or place.contract is None:
        return place
    names = [*expand.TRIGGERS, *(() if place.contract.not_null else rollback_column.NOTE_NULL)]
    if not place.subject.archive:
        names += guards.names(place.relation)
    return replace(back, state=replace(back.state, triggers=names))


def steps(session: Session, place: Place, *, replaced: Collection[str] = ()) -> list[Step]:
    """All of it, in order, for a dry run. replaced: views that were put back for another table before."""
    if place.contract is None:
        return []
    found = step(rollback_column.begin(session, place))
    counted = rollback_values.count(session, place)
    back = with_data_type(place)
    found += rollback_values.fill_steps(session, back, counted.restored + counted.by_way_back)
    found += rollback_column.constraint_steps(session, back)
    found += rollback_indexes.steps(session, back)
    found += step([refusal(session, back.relation, back.type_map, "rollback")])
    return found + step(
        [
            *rollback_indexes.refuse_missing(session, back),
            *rollback_views.final_actions(session, back, replaced),
        ]
    )


@dataclass(frozen=True, slots=True)
class Uncontracted:
    """blockers: what stopped it after values had come back; unsound: facts that verify found wrong.
    unmatched: old values whose rows were not found."""

    filled: Filled
    unmatched: int = 0
    blockers: tuple[RollbackBlocker, ...] = ()
    unsound: tuple[Accounted, ...] = ()


def uncontract(
    run: Run,
    subject: Subject,
    type_map: TypeMap,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
    patience: Patience,
) -> Uncontracted:
    """Carries out what is still to be done; between: called between batches. Safe to kill and to run again.

    Raises Busy where somebody takes an index away again.
    """
    session = run.session
    perform(run, subject, type_map, rollback_column.begin, patience)
    place = find(session, subject, type_map)
    if place is None or place.contract is None:
        return Uncontracted(Filled(0, 0))
    filled = rollback_values.fill(run, place, batch_rows, between)
    unmatched = rollback_values.set_apart(run, place)
    rollback_column.constrain(run, place, type_map, patience)
    rollback_indexes.bring_back(run, place, type_map, patience)
    unsound = tuple(a for a in verify(session, place.relation, place.type_map) if not a.sound)
    if unsound:
        return Uncontracted(filled, unmatched, unsound=unsound)
    found = rollback_views.finish(run, subject, type_map, patience)
    return Uncontracted(filled, unmatched, found)
