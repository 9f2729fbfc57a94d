"""Phases expand, backfill and verify carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_maintenance.database.session import Session
from memory_maintenance.engine.run import Run
from memory_maintenance.engine.throttle import Throttle
from memory_maintenance.jobs import recall_plan
from memory_maintenance.migration import (
    actions,
    backfill,
    expand,
    indexes,
    record,
    settle,
    take_back,
)
from memory_maintenance.migration import state as states
from memory_maintenance.migration import verify as verifying
from memory_maintenance.migration.actions import Action, Kind, Step
from memory_maintenance.migration.result import Counted, MigrateResult, Part, Unaccounted
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.verify import Accounted, verify
from memory_maintenance.migration.work import (
    Surveyed,
    Work,
    create,
    result_of,
    start,
    survey_all,
    too_early,
    unmapped,
)
from memory_maintenance.model.mapping import TypeMap


def carry_out(run: Run, work: Work) -> MigrateResult:
    session, options = run.session, work.options
    if work.find(session) is None:
        actions.apply(run, lambda: _creation(session, work), options.patience)
    # A second time, on purpose: before the run nothing may be changed that an unmapped value would forbid,
    # but only what is found under the lock is true of this run. It is what is reported, and what stops us.
    surveyed = survey_all(session, work)
    if stopped := unmapped(work, surveyed, run.as_of, run):
        return stopped
    if "expand" in options.phases:
        for one in surveyed:
            _expand(run, work, one)
    parts = [
        Part(table=one.subject.label, mapping=one.found.mapping, notes=one.found.notes)
        for one in surveyed
    ]
    if "backfill" in options.phases:
        parts = _backfill(run, work, surveyed, parts)
    if "verify" in options.phases and all(part.sound for part in parts):
        parts = [
            _verify(run, work, one.subject, part) for one, part in zip(surveyed, parts, strict=True)
        ]
        if all(part.verified for part in parts):
            notes = recall_plan.refreshed(run, work.facts.resolve(run.session))
            parts[0] = replace(parts[0], notes=(*parts[0].notes, *notes))
    return result_of(work, parts, as_of=run.as_of, run=run)


def _expand(run: Run, work: Work, one: Surveyed) -> None:
    session, subject = run.session, one.subject

    def plan() -> list[Action]:
        state = states.read(session, subject.resolve(session))
        planned_actions = expand.plan(session, subject, state, work.type_map)
        if not planned_actions and record.read(session, subject.table) is not None:
            return []
        return [start(session, work, subject, state, one.found), *planned_actions]

    actions.apply(run, plan, work.options.patience)
    if not subject.archive:
        indexes.carry_out(run, subject, work.options.patience)


def _backfill(
    run: Run, work: Work, surveyed: Sequence[Surveyed], parts: Sequence[Part]
) -> list[Part]:
    session = run.session
    limits = run.settings.backfill
    throttle = Throttle(session, limits.max_replication_lag, limits.max_wal_bytes_per_s)
    done: list[Part] = []
    updated = 0
    for one, part in zip(surveyed, parts, strict=True):
        subject = one.subject
        state = states.read(session, subject.resolve(session))
        if not state.has_axes:
            raise too_early(work, "expand")
        classified = 0
        due = backfill.due(session, state, work.type_map, one.found.former_map)
        if due is not None:
            batch = backfill.action(session, state.relation, work.type_map, due, None)
            classified = backfill.backfill(
                run,
                state.relation,
                batch,
                batch_rows=work.options.batch_rows,
                known=one.found.to_classify,
                before=updated,
                between=throttle.pause,
            )
            updated += classified
        left = verifying.unclassified(session, state.relation) if not state.settled else None
        if left is not None and left.rows:
            # A trigger may undo what backfill writes. Nothing is settled that could not be.
            accounted = verify(session, state.relation, work.type_map)
            found = tuple(_unaccounted(a, work.type_map) for a in accounted if a.unclassified)
            done.append(replace(part, updated=classified, verified=False, unaccounted=found))
            continue
        if state.has_data_type:
            note = record.classified(session, subject.table, work.type_map.as_json())
            actions.apply(run, lambda note=note: [note], work.options.patience)  # type: ignore[misc]
        _settle(run, work, subject)
        taken = take_back.take_back(
            run,
            subject,
            work.type_map,
            batch_rows=work.options.batch_rows,
            between=throttle.pause,
        )
        done.append(replace(part, updated=classified, taken_back=taken))
    if throttle.note is not None:
        done[0] = replace(done[0], notes=(*done[0].notes, throttle.note))
    return done


def _settle(run: Run, work: Work, subject: Subject) -> None:
    session, patience = run.session, work.options.patience

    def following(kind: Kind) -> Sequence[Action]:
        """The next step, where it is of that kind: an attempt before may have done the one that was meant."""
        left = remaining()
        return left[0].actions if left and left[0].kind == kind else ()

    def remaining() -> list[Step]:
        state = states.read(session, subject.resolve(session))
        return settle.plan(session, subject, state, work.type_map, after_expand=False)

    while steps := remaining():
        if steps[0].kind == "apart":
            actions.apply_apart(run, lambda: next(iter(following("apart")), None), patience)
        else:
            actions.apply(run, lambda: following("transaction"), patience)


def _verify(run: Run, work: Work, subject: Subject, part: Part) -> Part:
    session = run.session
    state = states.read(session, subject.resolve(session))
    if not state.has_axes:
        raise too_early(work, "expand")
    accounted = verify(session, state.relation, work.type_map)
    unsound = tuple(_unaccounted(a, work.type_map) for a in accounted if not a.sound)
    unsettled = tuple(verifying.unsettled(session, subject, state))
    sound = not unsound and not unsettled
    if sound:
        note = record.verified(session, subject.table)
        run.transaction(lambda: session.execute(note.statement, note.params))
    counted = tuple(Counted(a.data_type, a.rows, a.mapped, a.own_axes) for a in accounted)
    return replace(part, verified=sound, counted=counted, unaccounted=unsound, unsettled=unsettled)


def _creation(session: Session, work: Work) -> list[Action]:
    return [] if work.find(session) is not None else [create(session, work)]


def _unaccounted(found: Accounted, type_map: TypeMap) -> Unaccounted:
    if type_map.of(found.data_type) is None:
        reason = "the map lacks this value"
    elif found.unclassified and not found.wrong:
        reason = "they have no durability or no category"
    else:
        reason = "their durability and category don't agree with it"
    return Unaccounted(found.data_type, found.unclassified + found.wrong, tuple(found.ids), reason)
