"""``migrate-types`` whole: prove, install, expand, backfill, verify, settle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import relation as relations, schema
from memory_maintenance.database.relation import Relation, qualified_name, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Emit, Run
from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.migration import actions, backfill, expand, settle, state as states
from memory_maintenance.migration.actions import Action
from memory_maintenance.migration.state import State
from memory_maintenance.migration.verify import Accounted, verify
from memory_maintenance.model.mapping import FALLBACK, TypeMap
from memory_maintenance.model.result import (
    Block,
    Code,
    Column,
    KeyValues,
    Note,
    Outcome,
    Result,
    Table,
)


@dataclass(frozen=True, slots=True)
class MigrateOptions:
    """create: make the table where there is none. batch_rows: rows a batch, >= 1; None steers by time."""

    create: bool = False
    batch_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """rows: facts that were stored with this old value (None is NULL)."""

    data_type: str | None
    durability: str
    category: str
    rows: int


@dataclass(frozen=True, slots=True)
class Unmapped:
    """An old value that the map lacks. ids: the keys of the first five rows, as text."""

    data_type: str
    rows: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """Rows that verify found without axes, or with axes that don't agree with their old value."""

    data_type: str | None
    rows: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A statement that a dry run would execute."""

    phase: str
    what: str
    lock: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateResult(Result):
    """What was mapped. updated: rows classified. verified: None where nothing was verified (dry run, or
    stopped by an unmapped value before anything changed)."""

    mapping: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()
    updated: int = 0
    verified: bool | None = None
    unaccounted: tuple[Unaccounted, ...] = ()
    plan: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        sound = not self.unmapped and self.verified is not False
        return Outcome.DONE if sound else Outcome.FINDINGS

    def counts(self) -> Mapping[str, Any]:
        return {"updated": self.updated, "verified": self.verified}

    def blocks(self) -> Sequence[Block]:
        if self.unmapped:
            return _unmapped_blocks(self.unmapped)
        blocks: list[Block] = []
        if self.mapping:
            blocks.append(
                Table(
                    (
                        Column("data_type"),
                        Column("durability"),
                        Column("category"),
                        Column("facts", "right"),
                    ),
                    tuple(
                        (_shown(m.data_type), m.durability, m.category, f"{m.rows:,}")
                        for m in self.mapping
                    ),
                )
            )
        verb = "to be classified" if self.dry_run else "classified"
        rows = [(f"facts {verb}", f"{self.updated:,}")]
        if self.verified is not None:
            rows.append(("verified", "yes" if self.verified else "NO"))
        blocks.append(KeyValues(tuple(rows)))
        for found in self.unaccounted:
            blocks.append(
                Note(
                    f"{found.rows:,} facts with data_type {_shown(found.data_type)} are not accounted "
                    f"for, such as {', '.join(found.ids)}; nothing is lost: data_type is still there",
                    "problem",
                )
            )
        blocks += [Note(text) for text in self.notes]
        if self.plan:
            blocks.append(Note(f"{len(self.plan)} statements, in this order:"))
            text = "\n\n".join(f"-- {p.what}; lock: {p.lock}\n{p.statement};" for p in self.plan)
            blocks.append(Code(text, "sql"))
        elif self.dry_run:
            blocks.append(Note("nothing is left to do"))
        return tuple(blocks)


@dataclass(frozen=True, slots=True)
class _Counted:
    data_type: str | None
    rows: int
    unclassified: int
    ids: list[str]


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: int


@dataclass(frozen=True, slots=True)
class _Survey:
    """What the table holds before anything changes."""

    mapping: tuple[Mapped, ...]
    unmapped: tuple[Unmapped, ...]
    to_classify: int
    notes: tuple[str, ...]


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

    Raises UsageError where the table can't be migrated as it is, Busy where another run holds its lock.
    An unmapped value is a result, not an error: nothing was changed then.
    """
    schema_name, name = loaded.settings.database.qualified_table
    table = qualified_name(schema_name, name)
    type_map = TypeMap(loaded.settings.data_type)
    if not dry_run:
        survey = _survey_before(session, schema_name, name, type_map, options)
        if survey.unmapped:
            return MigrateResult(
                command="migrate-types",
                as_of=as_of,
                table=table_label(schema_name, name),
                mapping=survey.mapping,
                unmapped=survey.unmapped,
            )
        schema.install(session)
    with runs.started(
        session,
        loaded,
        command="migrate-types",
        table=table,
        as_of=as_of,
        dry_run=dry_run,
        emit=emit,
    ) as run:
        result = (
            _preview(run, schema_name, name, type_map, options)
            if dry_run
            else _carry_out(run, schema_name, name, type_map, options)
        )
        runs.finished(run, result)
        return result


def _find(
    session: Session, schema_name: str, name: str, options: MigrateOptions
) -> Relation | None:
    """The table; None where it is absent and may be made. Raises UsageError where it may not."""
    if options.create:
        return relations.find(session, schema_name, name)
    return relations.resolve(session, schema_name, name)


def _survey_before(
    session: Session, schema_name: str, name: str, type_map: TypeMap, options: MigrateOptions
) -> _Survey:
    with session.snapshot():
        relation = _find(session, schema_name, name, options)
        if relation is None:
            return _Survey((), (), 0, ())
        state = states.read(session, relation)
        expand.prove(state)
        if not relation.owned:
            raise Denied(
                f"role {session.server.role} does not own {relation.label}; its owner is {relation.owner}",
                remedy=f"connect as {relation.owner}, or as a member of that role",
            )
        return _survey(session, state, type_map)


def _survey(session: Session, state: State, type_map: TypeMap) -> _Survey:
    relation = state.relation
    notes: list[str] = []
    if not state.has_data_type:
        (total,) = session.rows(_Rows, "migration/count_rows", facts=relation.identifier)
        if state.has_axes:
            notes.append(
                f"{relation.label} has both axes and no data_type: nothing is reclassified. If the "
                "predecessor's migration made them, values that it had no rule for (temporal, NULL, "
                "others) are long_term/observation among the rest, and nothing tells which they were."
            )
            return _Survey((), (), 0, tuple(notes))
        if total.rows:
            notes.append(f"there is no data_type to map: all {total.rows:,} facts get the defaults")
        defaulted = (Mapped(None, *FALLBACK, total.rows),) if total.rows else ()
        return _Survey(defaulted, (), 0, tuple(notes))
    condition = (
        sql.SQL("f.durability IS NULL OR f.category IS NULL") if state.has_axes else sql.SQL("true")
    )
    counted = session.rows(
        _Counted,
        "migration/count_by_type",
        facts=relation.identifier,
        key=relation.key_identifier,
        unclassified=condition,
    )
    mapping: list[Mapped] = []
    unmapped: list[Unmapped] = []
    for row in counted:
        axes = type_map.of(row.data_type)
        if axes is not None:
            mapping.append(Mapped(row.data_type, *axes, row.rows))
        else:
            unmapped.append(Unmapped(str(row.data_type), row.rows, tuple(row.ids)))
    return _Survey(
        tuple(mapping),
        tuple(unmapped),
        sum(row.unclassified for row in counted),
        tuple(notes),
    )


def _preview(
    run: Run, schema_name: str, name: str, type_map: TypeMap, options: MigrateOptions
) -> MigrateResult:
    session = run.session
    label = table_label(schema_name, name)
    installs = [
        Action("install", "our schema", statement, "none that others hold")
        for statement in schema.plan(session)
    ]
    relation = _find(session, schema_name, name, options)
    if relation is None:
        planned = [*installs, _create(session, schema_name, name)]
        return _result(run, label, plan=_planned(session, planned))
    state = states.read(session, relation)
    expand.prove(state)
    survey = _survey(session, state, type_map)
    steps = [*installs, *expand.plan(session, state, type_map)]
    if survey.to_classify:
        steps.append(
            Action(
                "backfill",
                f"classify {survey.to_classify:,} facts, in batches by key, each committed",
                backfill.statement(session, relation),
                "FOR NO KEY UPDATE on a batch's rows",
            )
        )
    steps += settle.plan(session, state, after_expand=True)
    return _result(
        run,
        label,
        mapping=survey.mapping,
        unmapped=survey.unmapped,
        updated=survey.to_classify,
        plan=() if survey.unmapped else _planned(session, steps),
        notes=survey.notes,
    )


def _carry_out(
    run: Run, schema_name: str, name: str, type_map: TypeMap, options: MigrateOptions
) -> MigrateResult:
    session = run.session
    relation = _find(session, schema_name, name, options)
    if relation is None:
        actions.apply(run, [_create(session, schema_name, name)])
        relation = relations.resolve(session, schema_name, name)
    state = states.read(session, relation)
    # Surveyed again under the lock: this is what is reported, and what stops us.
    survey = _survey(session, state, type_map)
    if survey.unmapped:
        return _result(run, relation.label, mapping=survey.mapping, unmapped=survey.unmapped)
    _expand(run, state, type_map)
    state = states.read(session, relations.resolve(session, schema_name, name))
    updated = 0
    if state.has_data_type and not state.settled:
        updated = backfill.backfill(run, state.relation, type_map, options.batch_rows)
    found = [a for a in verify(session, state.relation, type_map) if not a.sound]
    if not found:
        for action in settle.plan(session, state, after_expand=False):
            actions.apply(run, [action])
        run.transaction(lambda: session.run("migration/note_verified", {"table_name": run.table}))
    return _result(
        run,
        relation.label,
        mapping=survey.mapping,
        updated=updated,
        verified=not found,
        unaccounted=tuple(_unaccounted(a) for a in found),
        notes=survey.notes,
    )


def _expand(run: Run, state: State, type_map: TypeMap) -> None:
    session = run.session
    steps = expand.plan(session, state, type_map)
    if not steps:
        return
    note = {
        "table_name": run.table,
        "type_map": type_map.as_json(),
        "columns": expand.added_columns(state),
    }
    run.transaction(lambda: session.run("migration/note_start", note))
    actions.apply(run, steps)


def _create(session: Session, schema_name: str, name: str) -> Action:
    statement = session.statement("migration/create_table", facts=sql.Identifier(schema_name, name))
    return Action("expand", "create the table", statement, "none that others hold")


def _planned(session: Session, steps: Sequence[Action]) -> tuple[Planned, ...]:
    return tuple(
        Planned(a.phase, a.what, a.lock, a.statement.as_string(session.connection)) for a in steps
    )


def _unaccounted(found: Accounted) -> Unaccounted:
    return Unaccounted(found.data_type, found.unclassified + found.wrong, tuple(found.ids))


def _result(run: Run, label: str, **found: Any) -> MigrateResult:
    return MigrateResult(
        command="migrate-types",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        **found,
    )


def _shown(data_type: str | None) -> str:
    return "NULL" if data_type is None else data_type


def _unmapped_blocks(unmapped: Sequence[Unmapped]) -> tuple[Block, ...]:
    lines = "\n".join(f"  {_yaml_key(u.data_type)}: [long_term, observation]" for u in unmapped)
    return (
        Note(
            "stopped before anything changed: the map lacks "
            + "; ".join(
                f"{u.data_type!r} ({u.rows:,} facts, such as {', '.join(u.ids)})" for u in unmapped
            ),
            "problem",
        ),
        Note(
            "settle each in the configuration, with the durability and category that fit:",
            "problem",
        ),
        Code(f"data_type:\n{lines}", "yaml"),
    )


def _yaml_key(text: str) -> str:
    plain = text.replace("_", "").isalnum() and text.isascii() and not text[0].isdigit()
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return text if plain and text not in ("null", "true", "false") else f'"{escaped}"'
