"""The entities that facts are about: the table that entity_id refers to, as ingest reads and writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.extraction.ingest_facts import ascii_letters, folded

KEY_TYPES: Final = {
    "smallint": sql.SQL("pg_catalog.int2"),
    "integer": sql.SQL("pg_catalog.int4"),
    "bigint": sql.SQL("pg_catalog.int8"),
    "uuid": sql.SQL("pg_catalog.uuid"),
}
"""What keys may be, for a cast."""


@dataclass(frozen=True, slots=True)
class Entity:
    """key: as entity_id has it."""

    key: Any
    name: str


@dataclass(frozen=True, slots=True)
class _Place:
    oid: int
    schema: str
    name: str
    column: str
    makes_keys: bool
    named: bool
    typed: bool


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _Key:
    key: Any


class Entities:
    """The table of entities. Its methods run in the caller's transaction.

    oid, label: of it. key_type: of entity_id, for a cast.
    """

    def __init__(self, session: Session, place: _Place, kind: str) -> None:
        self._session = session
        self._place = place
        self.oid = place.oid
        self.label = table_label(place.schema, place.name)
        self.key_type = KEY_TYPES[kind]
        self._makes_uuid = kind == "uuid" and not place.makes_keys
        required = session.rows(_Name, "extraction/required", {"oid": place.oid})
        named = {"name", "type", *([place.column] if self._makes_uuid else [])}
        self.unnamed = tuple(r.name for r in required if r.name not in named)
        """What a new entity must have and nothing fills."""

    def is_table(self, schema: str | None, name: str | None) -> bool:
        """Whether that is this table."""
        return (schema, name) == (self._place.schema, self._place.name)

    def named(self, name: str, kind: str) -> list[Entity]:
        """Those of that very name and type, two at most."""
        return self._look_up("extraction/entity_exact", {"name": name, "type": kind})

    def like(self, name: str, kind: str) -> list[Entity]:
        """Those whose name is that one in other letters, upper or lower."""
        same = folded(name)
        letters = self._session.statement(
            "extraction/letters", text=sql.SQL("e.name::text"), folded=sql.Placeholder("folded")
        )
        params = {"folded": ascii_letters(same), "type": kind}
        found = self._look_up("extraction/entity_folded", params, letters=letters)
        return [entity for entity in found if folded(entity.name) == same]

    def add(self, name: str, kind: str) -> Any:
        """The key of a new entity; None where there is one already by what is unique among them."""
        values: dict[str, sql.Composable] = {"name": sql.SQL("%(name)s")}
        if self._place.typed:
            # Without a cast: the column may be an enum.
            values["type"] = sql.SQL("%(type)s")
        if self._makes_uuid:
            values[self._place.column] = sql.SQL("pg_catalog.gen_random_uuid()")
        row = self._session.row(
            _Key,
            "extraction/add_entity",
            {"name": name, "type": kind},
            entities=self._identifier,
            column=sql.Identifier(self._place.column),
            columns=names(values),
            values=values_list(values),
        )
        return None if row is None else row.key

    @property
    def _identifier(self) -> sql.Identifier:
        return sql.Identifier(self._place.schema, self._place.name)

    def _look_up(
        self, statement: str, params: Mapping[str, Any], **slots: sql.Composable
    ) -> list[Entity]:
        same_type: sql.Composable = projection.NOTHING
        if self._place.typed:
            same_type = self._session.statement("extraction/same_type")
        return self._session.rows(
            Entity,
            statement,
            params,
            entities=self._identifier,
            column=sql.Identifier(self._place.column),
            same_type=same_type,
            **slots,
        )


def entities_of(session: Session, relation: Relation) -> Entities | None:
    """What entity_id refers to; None where there is no such column.

    Raises UsageError where it leads nowhere.
    """
    column = relation.columns.get("entity_id")
    if column is None:
        return None
    if column.type not in KEY_TYPES:
        raise UsageError(
            f"{relation.label}.entity_id is of type {column.full_type}; "
            f"supported are {', '.join(KEY_TYPES)}"
        )
    place = session.row(_Place, "extraction/entities", {"oid": relation.oid})
    if place is None:
        raise UsageError(
            f"{relation.label}.entity_id refers to no table, so that nobody can be found there",
            remedy="ALTER TABLE ... ADD FOREIGN KEY (entity_id) REFERENCES the table of entities",
        )
    if not place.named:
        label = table_label(place.schema, place.name)
        raise UsageError(f"{label} has no column name, by which entities are found")
    return Entities(session, place, column.type)


def names(values: Mapping[str, sql.Composable]) -> sql.Composed:
    """The columns of an INSERT, for a slot."""
    return sql.SQL(", ").join(map(sql.Identifier, values))


def values_list(values: Mapping[str, sql.Composable]) -> sql.Composed:
    """The values of an INSERT, for a slot."""
    return sql.SQL(", ").join(values.values())
