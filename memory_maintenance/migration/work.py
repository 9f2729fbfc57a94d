"""What a call of ``migrate-types`` is about, and what is found before anything changes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from memory_maintenance.database import schema
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.migration import actions, expand, indexes, proofs, record
from memory_maintenance.migration import state as states
from memory_maintenance.migration.actions import NO_LOCK, Action
from memory_maintenance.migration.result import MigrateResult, Part
from memory_maintenance.migration.state import State
from memory_maintenance.migration.survey import Survey, prove_map, survey
from memory_maintenance.migration.tables import Subject, archive_of
from memory_maintenance.model.mapping import TypeMap

if TYPE_CHECKING:
    from memory_maintenance.migration.contract import ContractOptions

PhaseName = Literal["expand", "backfill", "verify", "contract", "rollback"]
PHASES: tuple[PhaseName, ...] = ("expand", "backfill", "verify", "contract", "rollback")
"""What can be asked for; without asking, the first three, never contract."""
FORWARD: tuple[PhaseName, ...] = ("expand", "backfill", "verify")


@dataclass(frozen=True, slots=True)
class MigrateOptions:
    """create: make the table where there is none. batch_rows: rows a batch, >= 1; None steers by time.

    patience: how often a step that meets a lock is tried again. phase: None for expand, backfill and verify.
    force, max_lock, accept, keep_dependents: as for ``ContractOptions``.
    """

    create: bool = False
    batch_rows: int | None = None
    patience: Patience = actions.PATIENCE
    phase: PhaseName | None = None
    force: bool = False
    max_lock: timedelta = timedelta(seconds=1)
    accept: tuple[str, ...] = ()
    keep_dependents: bool = False

    @property
    def phases(self) -> tuple[PhaseName, ...]:
        """The phases to carry out, in order."""
        return FORWARD if self.phase is None else (self.phase,)

    @property
    def contract_words(self) -> tuple[str, ...]:
        """Those of contract as they are typed, --max-lock apart."""
        return (
            *(("--dependents keep",) if self.keep_dependents else ()),
            *(f"--accept {shlex.quote(name)}" for name in self.accept),
            *(("--force",) if self.force else ()),
        )

    @property
    def contract(self) -> ContractOptions:
        """Those of contract."""
        from memory_maintenance.migration.contract import ContractOptions

        return ContractOptions(
            force=self.force,
            max_lock=self.max_lock,
            accept=self.accept,
            keep_dependents=self.keep_dependents,
            batch_rows=self.batch_rows,
            patience=self.patience,
        )


@dataclass(frozen=True, slots=True)
class Work:
    """What a call is about: the facts, which may not exist yet, and the map for them."""

    facts: Subject
    type_map: TypeMap
    options: MigrateOptions

    def find(self, session: Session) -> Relation | None:
        """The facts; None where they are absent and may be made. Raises UsageError where they may not."""
        return self.facts.find(session) if self.options.create else self.facts.resolve(session)

    def subjects(self, session: Session) -> tuple[Subject, ...]:
        """The facts, then their archive where there is one."""
        archive = archive_of(session, self.facts)
        return (self.facts,) if archive is None else (self.facts, archive)


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A table before anything changes. installed: our schema is there, as this version has it."""

    subject: Subject
    state: State
    record: record.Record | None
    found: Survey
    installed: bool


def owned(session: Session, relation: Relation) -> None:
    """Raises Denied where the table isn't this role's to change."""
    if not relation.owned:
        raise Denied(
            f"role {session.server.role} does not own {relation.label}; its owner is {relation.owner}",
            remedy=f"connect as {relation.owner}, or as a member of that role",
        )


def too_early(work: Work, first: str) -> UsageError:
    return UsageError(
        f"{work.facts.label} is not that far: phase {first} comes first",
        remedy="memory-maintenance migrate-types status",
    )


def prove(session: Session, work: Work) -> list[Surveyed]:
    """What each table holds; raises where it can't be migrated as it is, or by this role."""
    if work.options.phase in ("contract", "rollback"):
        # They look for themselves, at more than this.
        owned(session, work.facts.resolve(session))
        return []
    if work.find(session) is None:
        return []
    surveyed = survey_all(session, work)
    for one in surveyed:
        owned(session, one.state.relation)
    return surveyed


def survey_all(session: Session, work: Work) -> list[Surveyed]:
    """What each table holds. Raises UsageError where one can't be migrated as it is."""
    installed = not schema.missing(session, (work.facts.schema, work.facts.name))
    prove_map(session, work.type_map)
    surveyed = []
    for subject in work.subjects(session):
        state = states.read(session, subject.resolve(session))
        expand.prove(session, subject, state)
        proofs.prove_way_back(session, subject, state, work.type_map)
        indexes.prove(session, subject, state.relation)
        known = record.read(session, subject.table) if installed else None
        if known is not None and known.contracted_at is not None and state.has_data_type:
            raise UsageError(
                f"a rollback of {subject.label} was interrupted: data_type is back, not all its values yet",
                remedy="memory-maintenance migrate-types --phase rollback",
            )
        found = survey(session, subject, state, work.type_map, known)
        proofs.prove_writable(session, subject, state, writes=found.due is not None)
        surveyed.append(Surveyed(subject, state, known, found, installed))
    return surveyed


def unmapped(
    work: Work, surveyed: Sequence[Surveyed], as_of: datetime, run: Run | None = None
) -> MigrateResult | None:
    """The result that says which values the map lacks; None where it has all."""
    if not any(one.found.unmapped for one in surveyed):
        return None
    parts = [
        Part(table=s.subject.label, mapping=s.found.mapping, unmapped=s.found.unmapped)
        for s in surveyed
    ]
    return result_of(work, parts, as_of=as_of, run=run)


def start(session: Session, work: Work, subject: Subject, state: State, found: Survey) -> Action:
    return record.start(
        session,
        subject.table,
        type_map=found.former_map or work.type_map.as_json(),
        columns=expand.added_columns(subject, state),
        constraints=expand.added_constraints(subject, state),
        former=expand.former(subject, state),
    )


def create(session: Session, work: Work) -> Action:
    statement = session.statement("migration/create_table", facts=work.facts.identifier)
    return Action("expand", f"create {work.facts.label}", statement, NO_LOCK)


def result_of(
    work: Work, parts: Sequence[Part], *, as_of: datetime, run: Run | None
) -> MigrateResult:
    facts = parts[0] if parts else Part(table=work.facts.label)
    known: dict[str, Any] = {}
    if run is not None:
        known = {"dry_run": run.dry_run, "run_id": run.run_id, "duration_s": run.duration_s}
    return MigrateResult(
        command="migrate-types",
        as_of=as_of,
        table=work.facts.label,
        phase=work.options.phase,
        mapping=facts.mapping,
        unmapped=facts.unmapped,
        updated=facts.updated,
        taken_back=facts.taken_back,
        verified=facts.verified,
        counted=facts.counted,
        unaccounted=facts.unaccounted,
        unsettled=facts.unsettled,
        notes=facts.notes,
        archive=parts[1] if len(parts) > 1 else None,
        **known,
    )
