"""Facts to be scored as rows: which ones, what the model is told of them, and storing what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.facts_table import said_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import Denied, RunFailed, UsageError
from memory_maintenance.extraction.scoring_prompt import LONGEST_NAME, LONGEST_VALUE, Said

_STRANGER: Final[Mapping[str, Any]] = {"viewer": None, "told": ["public"]}
"""Who is told: nobody whom a privacy_scope could name."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that nobody has scored. digest: of what the model is told."""

    key: Any
    digest: str
    name: str | None
    value: str | None
    category: str | None
    durability: str | None
    shortened: bool

    @property
    def said(self) -> Said:
        """What the model is told."""
        return Said(self.name, self.value, self.category, self.durability, self.shortened)


@dataclass(frozen=True, slots=True)
class Counts:
    """Facts that nobody has scored. shown: those that may be sent; held_back: the others."""

    shown: int
    held_back: int


@dataclass(frozen=True, slots=True)
class _Written:
    key: Any
    written: bool


def table(session: Session, settings: Settings, *, writing: bool) -> Relation:
    """The table, found migrated and fit to hold scores; Denied where it may not be written and is to be."""
    relation = said_table(session, settings)
    if writing and not relation.can_update:
        raise Denied(
            f"role {session.server.role} may not update {relation.label}",
            remedy=f"GRANT SELECT, UPDATE ON {relation.qualified} TO that role",
        )
    return relation


def count(session: Session, relation: Relation, *, include_private: bool) -> Counts:
    """How many facts nobody has scored. Within a transaction whose path is that of the facts."""
    found = session.row(
        Counts,
        "scoring/count",
        {**_STRANGER, "include_private": include_private},
        facts=relation.identifier,
        told=_told(session, relation, include_private=include_private),
    )
    assert found is not None
    return found


def following(
    session: Session, relation: Relation, before: Any, rows: int, *, include_private: bool
) -> list[Fact]:
    """The next facts to be scored, of those that ``count`` counts. before: a key above theirs, or None."""
    return session.rows(
        Fact,
        "scoring/next",
        {
            **_STRANGER,
            "before": before,
            "rows": rows,
            "include_private": include_private,
            "longest": LONGEST_VALUE,
            "longest_name": LONGEST_NAME,
        },
        **projection.slots(relation),
        name=_text("key"),
        value=_text("value"),
        told=_told(session, relation, include_private=include_private),
        digest=_digest(session),
    )


def write(
    session: Session, relation: Relation, scored: Sequence[tuple[Fact, int]], *, at: datetime
) -> int:
    """Stores scores in the open transaction; of how many facts. The others aren't any more what was read.

    at: the server's clock. Raises RunFailed where a trigger keeps a row from being written.
    """
    scores: list[Mapping[str, Any]] = [
        {"key": str(fact.key), "digest": fact.digest, "importance": importance}
        for fact, importance in scored
    ]
    found = session.rows(
        _Written,
        "scoring/write",
        {"scores": Jsonb(scores), "at": at},
        **projection.slots(relation),
        digest=_digest(session),
    )
    if not all(row.written for row in found):
        raise RunFailed(
            f"a trigger suppresses what we write to {relation.label}; nothing of this batch was kept",
            remedy="let it pass updates of importance and importance_scored_at",
        )
    return len(found)


def _digest(session: Session) -> sql.Composed:
    return session.statement("scoring/digest", name=_text("key"), value=_text("value"))


def _text(name: str) -> sql.Composable:
    return sql.SQL("f.{}::text").format(sql.Identifier(name))


def _told(session: Session, relation: Relation, *, include_private: bool) -> sql.Composable:
    """Whether a fact ``f`` may be told to a stranger, for a slot."""
    scope = relation.columns.get("privacy_scope")
    if scope is not None and not scope.type.endswith("[]") and not include_private:
        raise UsageError(
            f"{relation.label}.privacy_scope is of type {scope.full_type}, not an array of entities",
            remedy="without knowing who may see what, nothing is sent; --include-private sends all",
        )
    return session.statement(
        "context/told",
        visibility=_text("visibility") if relation.has("visibility") else sql.SQL("NULL::text"),
        scope=sql.SQL("f.{}::text[]").format(sql.Identifier("privacy_scope"))
        if scope is not None and scope.type.endswith("[]")
        else sql.SQL("NULL::text[]"),
    )
