"""The tables that migrate: the facts, and their archive where there is one with a ``data_type``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import relation as relations
from memory_maintenance.database import schema
from memory_maintenance.database.relation import Relation, qualified_name, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import verbatim
from memory_maintenance.model.identifiers import MAX_BYTES

ARCHIVE_SUFFIX = "_archive"
_NOT_DIGESTED = ("data_type", "durability", "category")


@dataclass(frozen=True, slots=True)
class _Known:
    known: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """A table that is meant, which may not exist. archive: that of the facts, perhaps without a key."""

    schema: str
    name: str
    archive: bool = False

    @property
    def table(self) -> str:
        """The name that lock, ledger and our tables go by."""
        return qualified_name(self.schema, self.name)

    @property
    def label(self) -> str:
        """The name for people."""
        return table_label(self.schema, self.name)

    @property
    def identifier(self) -> sql.Identifier:
        """The qualified name, for a slot."""
        return sql.Identifier(self.schema, self.name)

    def find(self, session: Session) -> Relation | None:
        """The table; None where it is absent."""
        return relations.find(session, self.schema, self.name, keyless=self.archive)

    def resolve(self, session: Session) -> Relation:
        """The table; raises UsageError, naming the likely ones, where there is none."""
        return relations.resolve(session, self.schema, self.name, keyless=self.archive)


def archive_of(session: Session, facts: Subject) -> Subject | None:
    """The archive of a table of facts, where there is one that has, or had, a data_type of its own.

    It is ``<table>_archive`` in the same schema. A view or foreign table of that name is none.
    """
    name = facts.name + ARCHIVE_SUFFIX
    if len(name.encode()) > MAX_BYTES:
        return None
    subject = Subject(facts.schema, name, archive=True)
    if not relations.is_table(session, subject.schema, subject.name):
        return None
    found = subject.find(session)
    if found is None or not (found.has("data_type") or _is_known(session, facts, subject)):
        return None
    return subject


def _is_known(session: Session, facts: Subject, subject: Subject) -> bool:
    """Whether we have begun to migrate a table, and may have dropped its data_type."""
    if schema.absent(session, (facts.schema, facts.name)):
        return False
    known = session.row(_Known, "migration/is_known", {"table_name": subject.table})
    return known is not None


def digest_columns(relation: Relation) -> tuple[str, ...]:
    """The columns that tell the rows of a table without a key apart: its present ones, but for the old value
    and what is derived from it. () where it has a key."""
    if not relation.keyless:
        return ()
    return tuple(name for name in relation.columns if name not in _NOT_DIGESTED)


def row_key(relation: Relation, columns: Sequence[str] | None = None) -> sql.Composed:
    """What a row f goes by in our tables, as an SQL expression of type text: its key, or a digest.

    columns: those that a digest is of, where it was taken before and is to be found again; None for
    ``digest_columns`` of the table as it is.
    """
    if relation.keyless:
        names = digest_columns(relation) if columns is None else columns
        listed = sql.SQL(", ").join(verbatim(sql.Literal(name).as_string(None)) for name in names)
        return sql.SQL(
            "memory_maintenance.row_key(pg_catalog.to_jsonb(f), ARRAY[{}]::text[])"
        ).format(listed)
    return sql.SQL("f.{}::text").format(verbatim(relation.key_identifier.as_string(None)))


def key_argument(relation: Relation) -> str:
    """The name of the key column as our triggers take it; '' for a table without one."""
    return "" if relation.keyless else relation.key


def columns_argument(relation: Relation, columns: Sequence[str] | None = None) -> str:
    """The columns of a digest as our triggers take them, JSON; "[]" for a table with a key. columns: as for
    ``row_key``."""
    names = digest_columns(relation) if columns is None else columns
    return json.dumps(list(names), ensure_ascii=False)
