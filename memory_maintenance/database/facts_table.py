"""The configured table of facts, for commands that need it migrated."""

from __future__ import annotations

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection, schema
from memory_maintenance.database import relation as relations
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError


def migrated_table(session: Session, settings: Settings) -> Relation:
    """The table, found migrated. Raises UsageError, with the command that mends it, where it isn't."""
    named = settings.database.qualified_table
    relation = relations.resolve(session, *named)
    projection.require_columns(relation)
    schema.require(session, named)
    return relation


def said_table(session: Session, settings: Settings) -> Relation:
    """The table, found migrated and to have the columns key and value, in which what is said is kept."""
    relation = migrated_table(session, settings)
    for column in ("key", "value"):
        if not relation.has(column):
            raise UsageError(f"{relation.label} has no column {column}", remedy="check --table")
    return relation
