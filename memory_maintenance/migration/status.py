"""``migrate-types status``: where each table stands, what is next, and what blocks it. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.migration import expand, guards, indexes, proofs, record, settle
from memory_maintenance.migration import state as states
from memory_maintenance.migration.contract import ContractOptions, blockers
from memory_maintenance.migration.contract_result import Blocker, blocker_blocks
from memory_maintenance.migration.record import OldStyleWrite, Record
from memory_maintenance.migration.state import NOTE_KEY, State
from memory_maintenance.migration.survey import survey
from memory_maintenance.migration.tables import Subject, archive_of
from memory_maintenance.migration.verify import unclassified
from memory_maintenance.model.mapping import TypeMap
from memory_maintenance.model.result import Block, Code, Column, KeyValues, Note, Result, Table

Standing = Literal["done", "begun", "not begun"]
_COMMAND = "memory-maintenance migrate-types"
_ROLLING_BACK = "a rollback was interrupted: data_type is back, not all values yet"


@dataclass(frozen=True, slots=True)
class PhaseStatus:
    """Where a table stands with a phase. detail: what is left, or when it was done, in words."""

    table: str
    phase: str
    state: Standing
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusResult(Result):
    """next: the command that goes on, None where nothing is left. blockers: what stands against it.
    kept_aside: rows of which a rollback keeps something, for the next backfill to put back."""

    phases: tuple[PhaseStatus, ...] = ()
    next: str | None = None
    blockers: tuple[Blocker, ...] = ()
    last_old_style_write: OldStyleWrite | None = None
    kept_aside: int = 0
    notes: tuple[str, ...] = ()

    def blocks(self) -> Sequence[Block]:
        columns = (Column("table"), Column("phase"), Column("state"), Column("detail"))
        rows = tuple((p.table, p.phase, p.state, p.detail) for p in self.phases)
        blocks: list[Block] = [Table(columns, rows)]
        facts = []
        write = self.last_old_style_write
        if write is not None:
            by = f"role {write.role}" + (
                f", application {write.application_name}" if write.application_name else ""
            )
            facts.append(("last old-style write", f"{write.at:%Y-%m-%d %H:%M:%S} UTC by {by}"))
        elif any(p.phase == "expand" and p.state == "done" for p in self.phases):
            facts.append(("last old-style write", "none seen"))
        if self.kept_aside:
            facts.append(("kept aside by a rollback", f"{self.kept_aside:,} rows"))
        if facts:
            blocks.append(KeyValues(tuple(facts)))
        blocks += [Note(text, "hint") for text in self.notes]
        if self.blockers:
            things = (
                "1 thing blocks"
                if len(self.blockers) == 1
                else f"{len(self.blockers)} things block"
            )
            blocks.append(Note(f"{things} what comes next", "problem"))
        blocks += blocker_blocks(self.blockers)
        if self.next is None:
            blocks.append(Note(f"nothing is left to do; {_COMMAND} --phase rollback goes back"))
        else:
            blocks += [Note("next:"), Code(self.next)]
        return tuple(blocks)


@dataclass(frozen=True, slots=True)
class _Kept:
    rows: int


def status(run: Run, options: ContractOptions) -> StatusResult:
    """The status of the configured table and its archive; run is a dry run, whose snapshot is read-only.

    options: as for contract, whose blockers are told.
    """
    session, settings = run.session, run.settings
    facts = Subject(*settings.database.qualified_table)
    type_map = TypeMap(settings.data_type)
    facts.resolve(session)
    archive = archive_of(session, facts)
    subjects = (facts,) if archive is None else (facts, archive)
    installed = not schema.missing(session, (facts.schema, facts.name))
    phases: list[PhaseStatus] = []
    found: list[Blocker] = []
    for subject in subjects:
        state = states.read(session, subject.resolve(session))
        known = record.read(session, subject.table) if installed else None
        phases += _phases(session, subject, state, known, type_map)
        found += _early_blockers(session, subject, state, known, type_map)
    last = _last(session, subjects) if installed else None
    kept = 0
    if installed:
        row = session.row(_Kept, "migration/count_kept", {"tables": [s.table for s in subjects]})
        kept = 0 if row is None else row.rows
    then = _next(phases)
    if then == "contract" and any(p.detail == _ROLLING_BACK for p in phases):
        then = "rollback"
    if then == "contract" and not found:
        quiet = settings.contract.quiet
        found += blockers(session, subjects, type_map, options, quiet=quiet)
    return StatusResult(
        command="migrate-types-status",
        as_of=run.as_of,
        table=facts.label,
        duration_s=run.duration_s,
        phases=tuple(phases),
        next=_command(then),
        blockers=tuple(found),
        last_old_style_write=last,
        kept_aside=kept,
        notes=_notes(run, facts, last) if installed and then == "contract" else (),
    )


def _notes(run: Run, facts: Subject, last: OldStyleWrite | None) -> tuple[str, ...]:
    known = record.read(run.session, facts.table)
    if last is not None or known is None:
        return ()
    watched = run.as_of - known.started_at
    if watched >= run.settings.contract.quiet:
        return ()
    return (
        f"old-style writes are watched for since {known.started_at:%Y-%m-%d %H:%M} UTC only: a job that "
        "runs once a day may not have shown up yet",
    )


def _last(session: Session, subjects: Sequence[Subject]) -> OldStyleWrite | None:
    """The last old-style write of any of the tables."""
    found = (record.last_old_style_write(session, subject.table) for subject in subjects)
    return max(filter(None, found), key=lambda write: write.at, default=None)


def _next(phases: Sequence[PhaseStatus]) -> str | None:
    """The first phase that some table hasn't done."""
    for name in ("expand", "backfill", "verify", "contract"):
        if any(p.phase == name and p.state != "done" for p in phases):
            return name
    return None


def _command(phase: str | None) -> str | None:
    if phase is None:
        return None
    return f"{_COMMAND} --phase {phase}" if phase in ("contract", "rollback") else _COMMAND


def _phases(
    session: Session, subject: Subject, state: State, known: Record | None, type_map: TypeMap
) -> list[PhaseStatus]:
    label = subject.label

    def one(phase: str, standing: Standing, detail: str) -> PhaseStatus:
        return PhaseStatus(label, phase, standing, detail)

    if known is not None and known.contracted_at is not None:
        begun = state.has_data_type
        detail = f"data_type dropped {known.contracted_at:%Y-%m-%d %H:%M} UTC"
        if begun:
            detail = _ROLLING_BACK
        # A version before may have contracted, which had no guards.
        missing = (
            [] if begun or subject.archive else [*guards.plan(session, state.relation, type_map)]
        )
        return [
            one("expand", "begun", f"left: {len(missing)} statements")
            if missing
            else one("expand", "done", ""),
            one("backfill", "done", ""),
            one("verify", "done", ""),
            one("contract", "begun" if begun else "done", detail),
        ]
    try:
        left = [a.what for a in expand.plan(session, subject, state, type_map)]
        if not subject.archive:
            steps = indexes.plan(session, subject, state.relation)
            left += [a.what for step in steps for a in step.actions if not a.note]
    except UsageError as error:
        return [one("expand", "not begun", error.message)]
    any_of_ours = state.has_axes or bool(state.triggers)
    phases = [
        one("expand", "done", "")
        if not left
        else one("expand", "begun" if any_of_ours else "not begun", f"left: {len(left)} statements")
    ]
    if not state.has_axes:
        return [*phases, *(one(p, "not begun", "") for p in ("backfill", "verify", "contract"))]
    rows = unclassified(session, state.relation).rows if not state.settled else 0
    steps = settle.plan(session, subject, state, type_map, after_expand=False)
    if rows or steps:
        detail = f"{rows:,} facts without axes" if rows else f"left: {len(steps)} statements"
        standing: Standing = "begun" if known and known.backfilled_at else "not begun"
        phases.append(one("backfill", standing, detail))
    else:
        phases.append(one("backfill", "done", ""))
    if known is not None and known.verified_at is not None:
        phases.append(one("verify", "done", f"{known.verified_at:%Y-%m-%d %H:%M} UTC"))
    else:
        phases.append(one("verify", "not begun", ""))
    if not state.has_data_type:
        phases.append(one("contract", "done", "there is no data_type"))
    elif NOTE_KEY in state.triggers:
        phases.append(one("contract", "begun", "it, or a rollback, was interrupted"))
    else:
        phases.append(one("contract", "not begun", "only when asked for"))
    return phases


def _early_blockers(
    session: Session, subject: Subject, state: State, known: Record | None, type_map: TypeMap
) -> list[Blocker]:
    """What would stop expand or backfill."""
    label = subject.label
    try:
        expand.prove(session, subject, state)
        proofs.prove_way_back(session, subject, state, type_map)
        indexes.prove(session, subject, state.relation)
    except (UsageError, Denied) as error:
        return [
            Blocker(
                table=label,
                kind="table",
                name=label,
                definition=error.remedy or "",
                why=error.message,
                acceptable=False,
            )
        ]
    unmapped = survey(session, subject, state, type_map, known).unmapped
    return [
        Blocker(
            table=label,
            kind="unmapped value",
            name=repr(found.data_type),
            definition=f"such as {state.relation.key} {', '.join(found.ids)}",
            why=f"{found.rows:,} facts have this data_type, and the map lacks it",
            acceptable=False,
        )
        for found in unmapped
    ]
