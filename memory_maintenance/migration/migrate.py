"""``migrate-types`` whole: prove, install, expand, backfill, verify, settle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import relation as relations
from memory_maintenance.database import schema
from memory_maintenance.database.relation import Relation, qualified_name, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Emit, Run
from memory_maintenance.errors import Denied
from memory_maintenance.migration import actions, backfill, expand, settle
from memory_maintenance.migration import state as states
from memory_maintenance.migration.actions import Action
from memory_maintenance.migration.result import (
    MigrateResult,
    Planned,
    Unaccounted,
)
from memory_maintenance.migration.state import State
from memory_maintenance.migration.survey import Survey, prove_map, survey
from memory_maintenance.migration.verify import Accounted, verify
from memory_maintenance.model.mapping import TypeMap

__all__ = ["MigrateOptions", "MigrateResult", "migrate"]


@dataclass(frozen=True, slots=True)
class MigrateOptions:
    """create: make the table where there is none. batch_rows: rows a batch, >= 1; None steers by time.

    patience: how often a step that meets a lock is tried again.
    """

    create: bool = False
    batch_rows: int | None = None
    patience: Patience = actions.PATIENCE


@dataclass(frozen=True, slots=True)
class _Target:
    """The table that is meant, which may not exist yet, and the map for it."""

    schema_name: str
    name: str
    type_map: TypeMap
    options: MigrateOptions

    @property
    def table(self) -> str:
        """The name that lock and ledger go by."""
        return qualified_name(self.schema_name, self.name)

    @property
    def label(self) -> str:
        """The name for people."""
        return table_label(self.schema_name, self.name)

    def find(self, session: Session) -> Relation | None:
        """The table; None where it is absent and may be made. Raises UsageError where it may not."""
        if self.options.create:
            return relations.find(session, self.schema_name, self.name)
        return self.resolve(session)

    def resolve(self, session: Session) -> Relation:
        """The table; raises UsageError where there is none."""
        return relations.resolve(session, self.schema_name, self.name)

    def survey(self, session: Session, state: State) -> Survey:
        """What the table holds."""
        installed = not schema.absent(session, (self.schema_name, self.name))
        return survey(session, state, self.type_map, table=self.table, installed=installed)


def migrate(
    session: Session,
    loaded: Loaded,
    options: MigrateOptions,
    *,
    as_of: datetime,
    dry_run: bool,
    emit: Emit,
) -> MigrateResult:
    """Every phase that is still to be done, or the plan of it.

    Raises UsageError where the table can't be migrated as it is, Busy where another run holds its lock
    or locks were not to be had. An unmapped value is a result, not an error: nothing was changed then.
    """
    type_map = TypeMap(loaded.settings.data_type)
    target = _Target(*loaded.settings.database.qualified_table, type_map, options)
    if not dry_run:
        before = _survey_before(session, target)
        if before.unmapped:
            return MigrateResult(
                command="migrate-types",
                as_of=as_of,
                table=target.label,
                mapping=before.mapping,
                unmapped=before.unmapped,
            )
        schema.install(session, (target.schema_name, target.name))
    with runs.started(
        session,
        loaded,
        command="migrate-types",
        table=target.table,
        as_of=as_of,
        dry_run=dry_run,
        emit=emit,
    ) as run:
        result = _preview(run, target) if dry_run else _carry_out(run, target)
        runs.finished(run, result)
        return result


def _survey_before(session: Session, target: _Target) -> Survey:
    with session.snapshot():
        relation = target.find(session)
        if relation is None:
            return Survey()
        state = states.read(session, relation)
        expand.prove(session, state)
        prove_map(session, target.type_map)
        if not relation.owned:
            raise Denied(
                f"role {session.server.role} does not own {relation.label}; its owner is {relation.owner}",
                remedy=f"connect as {relation.owner}, or as a member of that role",
            )
        return target.survey(session, state)


def _preview(run: Run, target: _Target) -> MigrateResult:
    session = run.session
    installs = [
        Action("install", f"schema memory_maintenance, version {file.version}", statement, "none")
        for file, statement in schema.plan(session, (target.schema_name, target.name))
    ]
    relation = target.find(session)
    if relation is None:
        return _result(run, target, plan=_planned(session, [*installs, _create(session, target)]))
    state = states.read(session, relation)
    expand.prove(session, state)
    prove_map(session, target.type_map)
    found = target.survey(session, state)
    steps = [*installs, *expand.plan(session, state, target.type_map)]
    if found.due is not None and found.to_classify:
        steps.append(
            Action(
                "backfill",
                f"classify {found.to_classify:,} facts, in batches by key, each committed",
                backfill.statement(session, relation, found.due),
                "the rows of a batch",
            )
        )
    steps += settle.plan(session, state, after_expand=True)
    notes = list(found.notes)
    if not relation.owned:
        notes.append(
            f"role {session.server.role} may plan this, but only {relation.owner}, who owns the "
            "table, may carry it out"
        )
    return _result(
        run,
        target,
        mapping=found.mapping,
        unmapped=found.unmapped,
        updated=found.to_classify,
        plan=() if found.unmapped else _planned(session, steps),
        notes=tuple(notes),
    )


def _carry_out(run: Run, target: _Target) -> MigrateResult:
    session, options = run.session, target.options
    relation = target.find(session)
    if relation is None:
        actions.apply(run, lambda: _creation(session, target), options.patience)
        relation = target.resolve(session)
    state = states.read(session, relation)
    # A second time, on purpose: before the run nothing may be changed that an unmapped value would forbid,
    # but only what is found under the lock is true of this run. It is what is reported, and what stops us.
    found = target.survey(session, state)
    if found.unmapped:
        return _result(run, target, mapping=found.mapping, unmapped=found.unmapped)
    _expand(run, target, found)
    state = _state(session, target)
    updated = _backfill(run, target, state, found)
    unsound = [a for a in verify(session, state.relation, target.type_map) if not a.sound]
    if not unsound:
        _settle(run, target)
        run.transaction(lambda: session.run("migration/note_verified", {"table_name": run.table}))
    return _result(
        run,
        target,
        mapping=found.mapping,
        updated=updated,
        verified=not unsound,
        unaccounted=tuple(_unaccounted(a, target.type_map) for a in unsound),
        notes=found.notes,
    )


def _expand(run: Run, target: _Target, found: Survey) -> None:
    session = run.session
    former = found.former_map or target.type_map.as_json()

    def plan() -> list[Action]:
        return expand.plan(session, _state(session, target), target.type_map)

    def note() -> None:
        added = expand.added_columns(_state(session, target))
        values = {"table_name": run.table, "type_map": former, "columns": added}
        session.run("migration/note_start", values)

    actions.apply(run, plan, target.options.patience, note)


def _settle(run: Run, target: _Target) -> None:
    session = run.session

    def remaining() -> list[Action]:
        return settle.plan(session, _state(session, target), after_expand=False)

    def only(step: Action) -> Callable[[], list[Action]]:
        return lambda: [action for action in remaining() if action.what == step.what]

    for step in remaining():
        actions.apply(run, only(step), target.options.patience)


def _state(session: Session, target: _Target) -> State:
    return states.read(session, target.resolve(session))


def _backfill(run: Run, target: _Target, state: State, found: Survey) -> int:
    session = run.session
    due = backfill.due(session, state, target.type_map, found.former_map)
    if due is None:
        return 0
    batch_rows = target.options.batch_rows
    updated = backfill.backfill(run, state.relation, target.type_map, due, batch_rows)
    note = {"table_name": run.table, "type_map": target.type_map.as_json()}
    run.transaction(lambda: session.run("migration/note_classified", note))
    return updated


def _create(session: Session, target: _Target) -> Action:
    facts = sql.Identifier(target.schema_name, target.name)
    statement = session.statement("migration/create_table", facts=facts)
    return Action("expand", f"create {target.label}", statement, "none")


def _creation(session: Session, target: _Target) -> list[Action]:
    return [] if target.find(session) is not None else [_create(session, target)]


def _planned(session: Session, steps: Sequence[Action]) -> tuple[Planned, ...]:
    return tuple(Planned(a.phase, a.what, a.lock, session.text(a.statement)) for a in steps)


def _unaccounted(found: Accounted, type_map: TypeMap) -> Unaccounted:
    if type_map.of(found.data_type) is None:
        reason = "the map lacks this value"
    elif found.unclassified and not found.wrong:
        reason = "they have no durability or no category"
    else:
        reason = "their durability and category don't agree with it"
    return Unaccounted(found.data_type, found.unclassified + found.wrong, tuple(found.ids), reason)


def _result(run: Run, target: _Target, **found: Any) -> MigrateResult:
    return MigrateResult(
        command="migrate-types",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=target.label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        **found,
    )
