"""Phase verify: every old value is accounted for, row by row. This check can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.migration import expand, guards, indexes
from memory_maintenance.migration.actions import NO_LOCK, Action, Phase
from memory_maintenance.migration.state import CHECK_AXES, State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _Counted:
    data_type: str | None
    rows: int
    mapped: int
    own_axes: int
    unclassified: int
    wrong: int


@dataclass(frozen=True, slots=True)
class _Keys:
    data_type: str | None
    ids: list[str]


@dataclass(frozen=True, slots=True)
class Accounted:
    """The rows of one old value after backfill. mapped: with the map's axes. own_axes: with axes that a
    writer named, whose way back the value is. ids: the first of those unclassified or wrong, as text."""

    data_type: str | None
    rows: int
    mapped: int
    own_axes: int
    unclassified: int
    wrong: int
    ids: Sequence[str]

    @property
    def sound(self) -> bool:
        """Whether every row is accounted for."""
        return self.unclassified == 0 and self.wrong == 0


@dataclass(frozen=True, slots=True)
class _Axes:
    rows: int
    unclassified: int
    ids: list[str]


@dataclass(frozen=True, slots=True)
class Unclassified:
    """Rows without axes. ids: the first five, as text."""

    rows: int
    ids: Sequence[str]


def unclassified(session: Session, relation: Relation) -> Unclassified:
    """The rows that backfill could not classify, somebody undoing what it writes."""
    with session.facts_path(relation.schema):
        (found,) = session.rows(
            Unclassified,
            "migration/count_unclassified",
            facts=relation.identifier,
            key=relation.key_identifier,
        )
    return found


def unsettled(session: Session, subject: Subject, state: State) -> list[str]:
    """What of the catalog isn't as a finished migration leaves it, each in a sentence."""
    label = state.relation.label
    missing = [name for name in expand.check_conditions(subject) if name not in state.constraints]
    sentences = [f"{label} has no constraint {name}" for name in missing]
    sentences += [
        f"{name} on {label} is not validated"
        for name in (*expand.check_conditions(subject), CHECK_AXES)
        if name in state.unvalidated
    ]
    if not state.settled:
        sentences.append(f"durability and category of {label} still may be NULL")
    if state.has_data_type:
        sentences += [
            f"the trigger {name} on {label} is missing"
            for name in expand.TRIGGERS
            if name not in state.triggers
        ]
        sentences += [
            f"the trigger {name} on {label} is disabled"
            for name in expand.TRIGGERS
            if name in state.disabled
        ]
    if not subject.archive:
        sentences += guards.unsettled(session, state.relation)
        sentences += [
            f"the index {name} is not valid" for name in indexes.invalid(session, state.relation)
        ]
        sentences += [
            f"{label} lacks an index: {action.what}"
            for step in indexes.plan(session, subject, state.relation)
            for action in step.actions
            if not action.note
        ]
    return sentences


def verify(session: Session, relation: Relation, type_map: TypeMap) -> list[Accounted]:
    """One entry a stored value; a table without data_type gives one for all its rows."""
    facts, key = relation.identifier, relation.key_identifier
    with session.facts_path(relation.schema):
        if relation.has("data_type"):
            return _by_value(session, relation, type_map)
        (row,) = session.rows(_Axes, "migration/verify_axes", facts=facts, key=key)
    return [Accounted(None, row.rows, 0, row.rows - row.unclassified, row.unclassified, 0, row.ids)]


def _by_value(session: Session, relation: Relation, type_map: TypeMap) -> list[Accounted]:
    params = {"type_map": type_map.as_json()}
    slots = {"facts": relation.identifier, "verdict": session.statement("migration/verdict")}
    counted = session.rows(_Counted, "migration/verify", params, **slots)
    keys: dict[str | None, list[str]] = {}
    if any(row.unclassified or row.wrong for row in counted):
        found = session.rows(
            _Keys, "migration/unsound_keys", params, **slots, key=relation.key_identifier
        )
        keys = {row.data_type: row.ids for row in found}
    return [
        Accounted(
            row.data_type,
            row.rows,
            row.mapped,
            row.own_axes,
            row.unclassified,
            row.wrong,
            keys.get(row.data_type, []),
        )
        for row in counted
    ]


def refusal(session: Session, relation: Relation, type_map: TypeMap, phase: Phase) -> Action:
    """Verify as a statement of a plan: it raises an error where a fact is not accounted for."""
    return Action(
        phase,
        "raise an error where a fact is not accounted for",
        session.statement(
            "migration/refuse_unsound",
            facts=relation.identifier,
            verdict=session.statement("migration/verdict"),
        ),
        NO_LOCK,
        {"type_map": type_map.as_json()},
    )
