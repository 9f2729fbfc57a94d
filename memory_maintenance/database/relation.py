"""The facts table as it really is: schema, key, columns and their types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError

_PLAIN = re.compile(r"^[a-z_][a-z0-9_]*$")
_KEY_TYPES = {
    "smallint": sql.SQL("pg_catalog.int2"),
    "integer": sql.SQL("pg_catalog.int4"),
    "bigint": sql.SQL("pg_catalog.int8"),
    "uuid": sql.SQL("pg_catalog.uuid"),
}
_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column. type: its name without modifier ("character varying"); full_type: with it."""

    name: str
    type: str
    full_type: str
    not_null: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class _Found:
    oid: int
    kind: str
    owner: str
    owned: bool
    can_select: bool
    can_update: bool
    key_columns: list[str]
    row_estimate: float
    is_partition: bool
    rows_hidden: bool
    has_children: bool


@dataclass(frozen=True, slots=True)
class _IsTable:
    found: bool


@dataclass(frozen=True, slots=True)
class _Namesake:
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A table found in the catalog. key: its one primary-key column, of an ordered type. rows_hidden:
    whether a row security policy applies to this role, which makes each of our statements fail. keyless:
    there is no such column, and key is ctid, by which batches can go too: a row's place until it is written.
    """

    oid: int
    schema: str
    name: str
    owner: str
    owned: bool
    partitioned: bool
    can_select: bool
    can_update: bool
    key: str
    columns: Mapping[str, Column]
    row_estimate: float
    rows_hidden: bool
    keyless: bool = False

    @property
    def identifier(self) -> sql.Identifier:
        """The qualified name, for a slot."""
        return sql.Identifier(self.schema, self.name)

    @property
    def key_identifier(self) -> sql.Identifier:
        """The key column, for a slot."""
        return sql.Identifier(self.key)

    @property
    def key_type(self) -> sql.SQL:
        """The key's type, for a cast."""
        if self.keyless:
            return sql.SQL("pg_catalog.tid")
        return _KEY_TYPES[self.columns[self.key].type]

    @property
    def qualified(self) -> str:
        """The name as the ledger keeps it: always with its schema."""
        return qualified_name(self.schema, self.name)

    @property
    def label(self) -> str:
        """The name for people and JSON: the schema only where it isn't public."""
        return table_label(self.schema, self.name)

    def has(self, *names: str) -> bool:
        """Whether all of these columns are there."""
        return all(name in self.columns for name in names)


def is_table(session: Session, schema: str, name: str) -> bool:
    """Whether there is a table of that name, and no view, partition or whatever else has names."""
    return session.row(_IsTable, "catalog/is_table", {"schema": schema, "table": name}) is not None


def find(session: Session, schema: str, name: str, *, keyless: bool = False) -> Relation | None:
    """The table, or None where there is none of that name.

    keyless: it may be one without a usable key. Raises UsageError for what is no table, or has no
    single-column integer or uuid primary key where it needs one.
    """
    found = session.row(_Found, "catalog/relation", {"schema": schema, "table": name})
    if found is None:
        return None
    label = table_label(schema, name)
    if found.kind in _KINDS:
        raise UsageError(
            f"{label} is {_KINDS[found.kind]}, not a table",
            remedy="name the table that holds the facts with --table or database.table",
        )
    if found.is_partition:
        raise UsageError(
            f"{label} is a partition of another table",
            remedy="name the partitioned table with --table or database.table",
        )
    if found.has_children:
        raise UsageError(
            f"other tables inherit from {label}: their rows may have the same keys, and can't be told apart",
            remedy="end the inheritance (ALTER TABLE ... NO INHERIT), or use declarative partitions",
        )
    rows = session.rows(Column, "catalog/columns", {"oid": found.oid})
    columns = {column.name: column for column in rows}
    key = found.key_columns[0] if len(found.key_columns) == 1 else None
    if keyless and (key is None or columns[key].type not in _KEY_TYPES):
        if found.kind == "p":
            raise UsageError(
                f"{label} is partitioned and has no key of one column; batches need one",
                remedy="add one, such as: ALTER TABLE ... ADD PRIMARY KEY (id)",
            )
        return _relation(found, schema, name, "ctid", columns, keyless=True)
    if key is None:
        kind = "no primary key" if not found.key_columns else "a primary key of several columns"
        raise UsageError(
            f"{label} has {kind}; batches need a key of one column",
            remedy="add one, such as: ALTER TABLE ... ADD PRIMARY KEY (id)",
        )
    if columns[key].type not in _KEY_TYPES:
        raise UsageError(
            f"the key {key} of {label} is of type {columns[key].full_type}; "
            f"supported are {', '.join(_KEY_TYPES)}"
        )
    return _relation(found, schema, name, key, columns, keyless=False)


def _relation(
    found: _Found, schema: str, name: str, key: str, columns: Mapping[str, Column], *, keyless: bool
) -> Relation:
    return Relation(
        oid=found.oid,
        schema=schema,
        name=name,
        owner=found.owner,
        owned=found.owned,
        partitioned=found.kind == "p",
        can_select=found.can_select,
        can_update=found.can_update,
        key=key,
        columns=columns,
        row_estimate=found.row_estimate,
        rows_hidden=found.rows_hidden,
        keyless=keyless,
    )


def resolve(session: Session, schema: str, name: str, *, keyless: bool = False) -> Relation:
    """The table; raises UsageError, naming the likely ones, where there is none. keyless: as for ``find``."""
    relation = find(session, schema, name, keyless=keyless)
    if relation is not None:
        return relation
    others = session.rows(_Namesake, "catalog/namesakes", {"table": name})
    if others:
        names = " or ".join(f"--table '{qualified_name(o.schema, o.name)}'" for o in others)
        remedy = f"did you mean {names}?"
    else:
        remedy = (
            "check --dsn (is it the right database?) and --table; "
            "memory-maintenance migrate-types --create makes a new table"
        )
    raise UsageError(
        f"no table {qualified_name(schema, name)} in database {session.server.database}",
        remedy=remedy,
    )


def qualified_name(schema: str, name: str) -> str:
    """schema.name as SQL reads it, quoted where it must be."""
    return f"{_quoted(schema)}.{_quoted(name)}"


def table_label(schema: str, name: str) -> str:
    """The short form for people: without the schema where that is public."""
    return _quoted(name) if schema == "public" else qualified_name(schema, name)


def _quoted(name: str) -> str:
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'
