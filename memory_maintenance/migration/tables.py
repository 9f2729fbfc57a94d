"""The tables that migrate: the facts, and their archive where there is one with a ``data_type``."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database import relation as relations
from memory_maintenance.database import schema
from memory_maintenance.database.relation import Relation, qualified_name, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.model.identifiers import MAX_BYTES

ARCHIVE_SUFFIX = "_archive"


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


def row_key(relation: Relation) -> sql.Composed:
    """What a row f goes by in our tables, as an SQL expression of type text: its key, or a digest."""
    if relation.keyless:
        return sql.SQL("memory_maintenance.row_key(pg_catalog.to_jsonb(f))").format()
    # The result is a slot of statements that bind: a % in the name is doubled, as Session.statement does.
    name = relation.key_identifier.as_string(None).replace("%", "%%")
    return sql.SQL("f.{}::text").format(sql.SQL(name))


def key_argument(relation: Relation) -> str:
    """The name of the key column as our triggers take it; '' for a table without one."""
    return "" if relation.keyless else relation.key
