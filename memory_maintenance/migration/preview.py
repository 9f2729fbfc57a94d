"""Phases expand, backfill and verify as a dry run shows them: every step that is still to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import (
    backfill,
    expand,
    indexes,
    record,
    settle,
    take_back,
)
from memory_maintenance.migration.actions import NO_LOCK, Action, Step
from memory_maintenance.migration.planning import planned
from memory_maintenance.migration.result import MigrateResult, Part
from memory_maintenance.migration.state import State
from memory_maintenance.migration.verify import refusal
from memory_maintenance.migration.work import (
    PhaseName,
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


def preview(run: Run, work: Work) -> MigrateResult:
    session = run.session
    named = (work.facts.schema, work.facts.name)
    phases = work.options.phases
    steps: list[Step] = []
    if "expand" in phases:
        steps += [
            Step(
                (
                    Action(
                        "install",
                        f"schema memory_maintenance, version {file.version}",
                        statement,
                        NO_LOCK,
                    ),
                    _schema_note(session, file),
                )
            )
            for file, statement in schema.plan(session, named)
        ]
    if work.find(session) is None:
        steps.append(Step((create(session, work),)))
        return _plannedresult_of(run, work, [Part(table=work.facts.label)], steps)
    surveyed = survey_all(session, work)
    if stopped := unmapped(work, surveyed, run.as_of, run):
        return stopped
    for phase in phases:
        for one in surveyed:
            steps += _steps(session, work, one, phase)
    parts = []
    for one in surveyed:
        notes = list(one.found.notes)
        if not one.state.relation.owned:
            notes.append(
                f"role {session.server.role} may plan this, but only {one.state.relation.owner}, who "
                "owns the table, may carry it out"
            )
        parts.append(
            Part(
                table=one.subject.label,
                mapping=one.found.mapping,
                updated=one.found.to_classify if "backfill" in phases else 0,
                notes=tuple(notes),
            )
        )
    return _plannedresult_of(run, work, parts, steps)


def _plannedresult_of(
    run: Run, work: Work, parts: Sequence[Part], steps: Sequence[Step]
) -> MigrateResult:
    result = result_of(work, parts, as_of=run.as_of, run=run)
    return replace(result, steps=tuple(steps), plan=planned(run.session, steps))


def _steps(session: Session, work: Work, one: Surveyed, phase: PhaseName) -> list[Step]:
    """What a phase would do with a table."""
    if phase == "expand":
        return _expansion(session, work, one)
    if "expand" not in work.options.phases and not one.state.has_axes:
        raise too_early(work, "expand")
    return (
        _backfill(session, work, one) if phase == "backfill" else _verification(session, work, one)
    )


def _expansion(session: Session, work: Work, one: Surveyed) -> list[Step]:
    subject, state = one.subject, one.state
    adding = expand.plan(session, subject, state, work.type_map)
    steps: list[Step] = []
    if adding or one.record is None:
        check = _refuse_unmapped(session, work, state) if state.has_data_type else ()
        steps.append(Step((*check, start(session, work, subject, state, one.found), *adding)))
    if not subject.archive:
        steps += indexes.plan(session, subject, state.relation)
    return steps


def _backfill(session: Session, work: Work, one: Surveyed) -> list[Step]:
    subject, state, found = one.subject, one.state, one.found
    steps: list[Step] = []
    if found.due is not None and found.to_classify:
        batch = backfill.action(
            session, state.relation, work.type_map, found.due, found.to_classify
        )
        steps.append(Step((batch,), "batches"))
    if state.has_data_type and not _classified(work, one.record):
        argument = work.type_map.as_json()
        steps.append(Step((record.classified(session, subject.table, argument),)))
    after_expand = "expand" in work.options.phases
    steps += settle.plan(session, subject, state, work.type_map, after_expand=after_expand)
    if one.installed:
        steps += take_back.take_back_steps(session, subject, state.relation, work.type_map)
    return steps


def _verification(session: Session, work: Work, one: Surveyed) -> list[Step]:
    subject, state = one.subject, one.state
    done = one.record is not None and one.record.verified_at is not None
    if done or not state.has_data_type:
        return []
    check = refusal(session, state.relation, work.type_map, "verify")
    return [Step((check, record.verified(session, subject.table)))]


def _refuse_unmapped(session: Session, work: Work, state: State) -> tuple[Action, ...]:
    """What a run makes sure of by looking: a script may be run later than it was written."""
    statement = session.statement("migration/refuse_unmapped", facts=state.relation.identifier)
    what = "raise an error where the map lacks a value"
    params = {"type_map": work.type_map.as_json()}
    return (Action("expand", what, statement, NO_LOCK, params),)


def _classified(work: Work, known: record.Record | None) -> bool:
    return (
        known is not None
        and known.backfilled_at is not None
        and TypeMap.canonical(known.type_map) == work.type_map.as_json()
    )


def _schema_note(session: Session, file: schema.SchemaFile) -> Action:
    """Notes that a numbered file of our schema is installed, as ``schema.install`` does."""
    statement = session.statement("install/record")
    params = {"version": file.version, "name": file.name}
    return Action("install", f"note version {file.version}", statement, NO_LOCK, params, note=True)
