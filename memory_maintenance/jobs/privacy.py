"""Which facts may be told, and to whom (spec 4): one rule for all that retrieve for an agent."""

from __future__ import annotations

from typing import Final

from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.decision_rows import text_column
from memory_maintenance.jobs.single_fact import INTEGERS, key_of

PUBLIC: Final = ("public",)
"""The visibilities that may be told to anybody; no visibility at all counts as public."""


def told(session: Session, relation: Relation) -> sql.Composed:
    """Whether a fact ``f`` may be told, for a slot. Raises UsageError where nobody can say for whom it is."""
    return session.statement(
        "context/told",
        visibility=text_column(relation, "visibility"),
        scope=_scope(relation),
    )


def entity_key(relation: Relation, text: str | None, option: str) -> str | None:
    """The entity's key as PostgreSQL prints it. Raises UsageError for what can't be one."""
    if text is None:
        return None
    column = relation.columns.get("entity_id")
    if column is None:
        if option == "--viewer":
            return text
        raise UsageError(f"{relation.label} has no column entity_id", remedy=f"leave {option} out")
    if column.type not in (*INTEGERS, "uuid"):
        return text
    key = key_of(column.type, text)
    if key is None:
        raise UsageError(f"{option} {text}: that can't be the id of an entity")
    return str(key)


def _scope(relation: Relation) -> sql.Composable:
    """privacy_scope of a fact ``f``, for a slot; NULL where it is absent."""
    column = relation.columns.get("privacy_scope")
    if column is None:
        return sql.SQL("NULL::text[]")
    if not column.type.endswith("[]"):
        raise UsageError(
            f"{relation.label}.privacy_scope is of type {column.full_type}, not an array of entities",
            remedy="without knowing who may see what, nothing is told: --include-private tells no less",
        )
    return sql.SQL("f.{}::text[]").format(sql.Identifier("privacy_scope"))
