"""Phase rollback, from any point: the table becomes as it was before expand, and no value is lost.

Three parts, of which only the last needs writers of the new kind to stop: after contract data_type comes back
(``uncontract``); what is in our columns is kept aside (``unexpand.prepare``); our columns go
(``unexpand.finish``). Killed anywhere, the next run goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.engine.throttle import Throttle
from memory_maintenance.migration import (
    actions,
    rollback_dependents,
    rollback_indexes,
    rollback_values,
    rollback_views,
    uncontract,
    unexpand,
)
from memory_maintenance.migration.actions import Step
from memory_maintenance.migration.place import Place, find
from memory_maintenance.migration.planning import planned
from memory_maintenance.migration.rollback_result import RollbackBlocker, RollbackResult
from memory_maintenance.migration.rollback_values import Filled
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.take_back import kept_rows
from memory_maintenance.migration.verify import Accounted
from memory_maintenance.model.mapping import TypeMap

DROPPING = "drop our columns"
"""The label of the progress that is told right before statements that name our columns begin to fail."""
_AXES = ("durability", "category")


@dataclass(frozen=True, slots=True)
class RollbackOptions:
    """batch_rows: rows a batch, >= 1; None steers by time. patience: how often a step that meets a lock is
    tried again. max_lock: for how long a table's last transaction may keep everybody out."""

    batch_rows: int | None = None
    patience: Patience = actions.PATIENCE
    max_lock: timedelta = timedelta(seconds=1)


def rollback(
    run: Run, subjects: Sequence[Subject], type_map: TypeMap, options: RollbackOptions
) -> RollbackResult:
    """Takes the migration of the tables back, or in a dry run says what that would be.

    What stands in the way is a result, not an error: nothing was changed then, unless it
    says otherwise.
    """
    session = run.session
    places = _places(session, subjects, type_map)
    if not places:
        note = "nothing is to be rolled back: no migration of this table has begun"
        return _result(run, subjects, notes=(note,))
    blockers = list(rollback_views.blockers(run, _backwards(places), options.patience))
    notes: list[str] = []
    for place in places:
        found = rollback_dependents.others(session, place)
        blockers += found.blockers
        notes += [*found.mentioned, *_notes(place)]
    if blockers:
        return _result(run, subjects, blockers=tuple(blockers), notes=tuple(notes))
    if run.dry_run:
        result = _preview(run, subjects, places)
    else:
        result = _carry_out(run, subjects, places, type_map, options)
    return replace(result, notes=(*notes, *result.notes))


def _backwards(places: Sequence[Place]) -> list[Place]:
    """Those that were contracted last first: a view on two tables was replaced for one after the other."""
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(places, key=lambda p: p.record.contracted_at or never, reverse=True)


def _places(session: Session, subjects: Sequence[Subject], type_map: TypeMap) -> list[Place]:
    facts = subjects[0]
    named = (facts.schema, facts.name)
    if schema.absent(session, named):
        return []
    schema.require(session, named)
    found = [find(session, subject, type_map) for subject in subjects]
    return [place for place in found if place is not None]


def _dropped(places: Sequence[Place]) -> list[str]:
    names = []
    for place in places:
        prefix = f"{place.subject.label}." if place.subject.archive else ""
        names += [prefix + name for name in place.dropped]
    return names


def _carry_out(
    run: Run,
    subjects: Sequence[Subject],
    places: Sequence[Place],
    type_map: TypeMap,
    options: RollbackOptions,
) -> RollbackResult:
    session, patience, batch_rows = run.session, options.patience, options.batch_rows
    limits = run.settings.backfill
    throttle = Throttle(session, limits.max_replication_lag, limits.max_wal_bytes_per_s)
    filled, restored, unmatched = Filled(0, 0), 0, 0
    notes: list[str] = []

    def publish() -> None:
        run.publish(
            {
                "restored": filled.restored,
                "by_way_back": filled.by_way_back,
                "confidence_restored": restored,
                "unmatched": unmatched,
            }
        )

    blockers: list[RollbackBlocker] = []
    for place in _backwards(places):
        back = uncontract.uncontract(
            run,
            place.subject,
            type_map,
            batch_rows=batch_rows,
            between=throttle.pause,
            patience=patience,
        )
        filled += back.filled
        unmatched += back.unmatched
        notes += _unmatched(place, back.unmatched)
        publish()
        blockers += back.blockers
        blockers += [_unsound(place, accounted) for accounted in back.unsound]
    if not blockers:
        for place in places:
            restored += unexpand.prepare(
                run,
                place.subject,
                type_map,
                batch_rows=batch_rows,
                between=throttle.pause,
                patience=patience,
            )
            publish()
        # Callers that stop their writers do so here. What comes is one short transaction a table.
        run.emit(0, None, DROPPING)
        for place in places:
            unexpand.finish(run, place.subject, type_map, patience, options.max_lock)
    done = not blockers
    if throttle.note is not None:
        notes.append(throttle.note)
    return _result(
        run,
        subjects,
        rolled_back=done,
        restored=filled.restored,
        by_way_back=filled.by_way_back,
        confidence_restored=restored,
        kept_aside=sum(kept_rows(session, subject.table) for subject in subjects),
        unmatched=unmatched,
        columns_dropped=tuple(_dropped(places)) if done else (),
        blockers=tuple(blockers),
        notes=tuple(notes),
    )


def _preview(run: Run, subjects: Sequence[Subject], places: Sequence[Place]) -> RollbackResult:
    session = run.session
    steps: list[Step] = []
    filled, faded, kept, unmatched = Filled(0, 0), 0, 0, 0
    notes: list[str] = []
    replaced: set[str] = set()
    for place in _backwards(places):
        filled += rollback_values.count(session, place)
        lost = rollback_values.count_unmatched(session, place)
        unmatched += lost
        notes += _unmatched(place, lost)
        steps += uncontract.steps(session, place, replaced=replaced)
        replaced.update(view.name for view in (place.contract.views if place.contract else ()))
    for place in places:
        faded += unexpand.count_faded(session, place)
        kept += unexpand.count_kept(session, place)
        steps += unexpand.steps(session, uncontract.simulated(place), place)
    for place in places:
        steps += unexpand.last_step(session, uncontract.simulated(place))
    return _result(
        run,
        subjects,
        restored=filled.restored,
        by_way_back=filled.by_way_back,
        confidence_restored=faded,
        kept_aside=kept,
        unmatched=unmatched,
        columns_dropped=tuple(_dropped(places)),
        notes=tuple(notes),
        steps=tuple(steps),
        plan=planned(session, steps),
    )


def _unsound(place: Place, accounted: Accounted) -> RollbackBlocker:
    value = "NULL" if accounted.data_type is None else accounted.data_type
    rows = accounted.unclassified + accounted.wrong
    return RollbackBlocker(
        place.subject.label,
        "facts",
        ", ".join(accounted.ids),
        "",
        f"data_type is back, but {rows:,} facts with {value} in it don't agree with their durability and "
        "category",
        "set the data_type of these facts, or their durability and category, and run rollback again",
    )


def _unmatched(place: Place, values: int) -> list[str]:
    if not values:
        return []
    return [
        f"{values:,} old values of {place.subject.label} match no row any more: it has no key, and these "
        "rows were changed or removed since contract, or columns of theirs renamed; they stay in "
        "memory_maintenance.unmatched_backup"
    ]


def _notes(place: Place) -> list[str]:
    label = place.relation.label
    columns, added = place.relation.columns, place.record.columns_added
    notes = []
    if place.contract is not None:
        notes.append(
            f"data_type is the last column of {label} from now on, wherever it stood before"
        )
        notes += rollback_indexes.notes(place)
    axes_before = [axis for axis in _AXES if axis in columns and axis not in added]
    if axes_before and place.contract is None and not place.state.has_data_type:
        notes += [
            f"{label} had durability and category, and no data_type, before migrate-types: they stay, and "
            "data_type can't be brought back",
            "nothing tells which of their values a former migration had only defaulted",
        ]
    elif axes_before:
        notes.append(
            f"{label} had {' and '.join(axes_before)} before migrate-types: they stay, with the values that "
            "they have now"
        )
    if any(name in added for name in columns):
        notes.append(
            f"statements that name {', '.join(place.dropped)} of {label} fail once "
            "these columns are dropped"
        )
    return notes


def _result(run: Run, subjects: Sequence[Subject], **found: Any) -> RollbackResult:
    return RollbackResult(
        command="migrate-types",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=subjects[0].label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        **found,
    )
