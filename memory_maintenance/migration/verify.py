"""Phase verify: every old value is accounted for, row by row. This check can fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
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
