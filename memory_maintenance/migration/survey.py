"""What a table holds before anything changes: counts by old value, what the map lacks, what to say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from memory_maintenance.database.disturbing import clock_triggers
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import backfill, expand, proofs
from memory_maintenance.migration.backfill import Due
from memory_maintenance.migration.record import Record
from memory_maintenance.migration.result import Mapped, Unmapped
from memory_maintenance.migration.state import State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import FALLBACK, NOTHING_MAPPED, TypeMap


@dataclass(frozen=True, slots=True)
class Survey:
    """due: which facts backfill has to write, None for none; to_classify: how many they are.

    former_map: the map, as JSON, by which the facts found were classified; None where none was.
    """

    mapping: tuple[Mapped, ...] = ()
    unmapped: tuple[Unmapped, ...] = ()
    due: Due | None = None
    to_classify: int = 0
    former_map: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Counted:
    data_type: str | None
    rows: int
    due: int


@dataclass(frozen=True, slots=True)
class _Keys:
    data_type: str
    ids: list[str]


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: int


def survey(
    session: Session,
    subject: Subject,
    state: State,
    type_map: TypeMap,
    record: Record | None,
) -> Survey:
    """The survey of a table. record: what is written down of its migration, None where nothing is."""
    if not state.has_data_type:
        return _without_data_type(session, subject, state, record)
    former = _former_map(state, record)
    due = backfill.due(session, state, type_map, former)
    notes: list[str] = []
    if due is not None:
        notes += clock_triggers(session, state.relation)
        notes += proofs.disturbances(session, subject, state)
    if former == NOTHING_MAPPED:
        notes.append(
            "durability and category were there already, with defaults, beside data_type: a migration "
            "that was not finished. Facts at long_term/observation are taken for defaulted, and "
            "classified by their data_type; all others keep their axes"
        )
    elif former is not None and former != type_map.as_json():
        notes.append("the map has changed: facts that still are where the former map put them move")
    with session.facts_path(state.relation.schema):
        counted = session.rows(
            _Counted,
            "migration/count_by_type",
            {} if due is None else due.params,
            facts=state.relation.identifier,
            due=_condition(state, due),
        )
        lacking = [r.data_type for r in counted if type_map.of(r.data_type) is None]
        keys = _first_keys(session, state, lacking)
    mapping: list[Mapped] = []
    unmapped: list[Unmapped] = []
    for row in counted:
        axes = type_map.of(row.data_type)
        if axes is not None:
            mapping.append(Mapped(row.data_type, *axes, row.rows))
        else:
            name = str(row.data_type)
            unmapped.append(Unmapped(name, row.rows, tuple(keys.get(name, ()))))
    return Survey(
        tuple(mapping),
        tuple(unmapped),
        due,
        sum(row.due for row in counted),
        former,
        tuple(notes),
    )


def prove_map(session: Session, type_map: TypeMap) -> None:
    """Raises UsageError where the database can't hold the map's words; nothing was changed then."""
    try:
        session.run("migration/take_map", {"type_map": type_map.as_json()})
    except psycopg.errors.UntranslatableCharacter as error:
        raise UsageError(
            "the map of data_type has words that this database's encoding can't hold: "
            f"{error.diag.message_primary}",
            remedy="use words in data_type: that the encoding has",
        ) from error


def _first_keys(
    session: Session, state: State, data_types: Sequence[str | None]
) -> Mapping[str, Sequence[str]]:
    if not data_types:
        return {}
    found = session.rows(
        _Keys,
        "migration/first_keys",
        {"data_types": list(data_types)},
        facts=state.relation.identifier,
        key=state.relation.key_identifier,
    )
    return {row.data_type: row.ids for row in found}


def _condition(state: State, due: Due | None) -> sql.Composable:
    if due is None:
        return sql.SQL("false")
    return due.condition if state.has_axes else sql.SQL("true")


def _without_data_type(
    session: Session, subject: Subject, state: State, record: Record | None
) -> Survey:
    label = state.relation.label
    if state.has_axes:
        contracted = record is not None and record.contracted_at is not None
        if contracted or not expand.added_columns(subject, state):
            return Survey()
        return Survey(
            notes=(
                f"{label} has both axes and no data_type: nothing is reclassified. If the "
                "predecessor's migration made them, values that it had no rule for (temporal, NULL, "
                "others) are long_term/observation among the rest, and nothing tells which they were",
            )
        )
    with session.facts_path(state.relation.schema):
        (total,) = session.rows(_Rows, "migration/count_rows", facts=state.relation.identifier)
    if not total.rows:
        return Survey()
    return Survey(
        (Mapped(None, *FALLBACK, total.rows),),
        notes=(f"there is no data_type to map: all {total.rows:,} facts get the defaults",),
    )


def _former_map(state: State, record: Record | None) -> str | None:
    """The map, as JSON, by which the stored facts were classified so far."""
    if record is not None:
        return TypeMap.canonical(record.type_map)
    return NOTHING_MAPPED if state.has_defaults else None
