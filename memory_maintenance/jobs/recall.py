"""``recall``: the facts nearest to a query, ranked by similarity and importance (spec 4).

One path: the command calls the SQL function that any program may call.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.errors import Diagnostic

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.jobs import recall_plan
from memory_maintenance.jobs.privacy import entity_key
from memory_maintenance.jobs.single_fact import key_of
from memory_maintenance.model.one_line import one_line
from memory_maintenance.model.result import Block, Column, Note, Result, Table

_log = logging.getLogger(__name__)
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """embedding: a vector as text, or text: one of the two. k: results, 1 to 1000. viewer: whom the facts are
    for, a key as text; visibility: what may be told beside what is public. categories, durabilities: none
    for all. min_similarity: 0 to 1, None as configured. record: the accesses.
    explain: how each score came about."""

    embedding: str | None = None
    text: str | None = None
    k: int = 10
    viewer: str | None = None
    visibility: Sequence[str] = ()
    categories: Sequence[str] = ()
    durabilities: Sequence[str] = ()
    min_similarity: float | None = None
    record: bool = True
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """A fact. similarity: 0 to 1. category, durability: None where it isn't classified yet."""

    id: Any
    key: str | None
    value: str | None
    category: str | None
    durability: str | None
    similarity: float
    importance: int
    effective_importance: int
    score: float


@dataclass(frozen=True, slots=True)
class Explained(Recalled):
    """explanation: how the score came about, as recall gives it."""

    explanation: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult(Result):
    """Best first; ties by key. recorded: whether accesses were, those of rows that others hold apart."""

    results: tuple[Recalled, ...]
    recorded: bool

    def blocks(self) -> Sequence[Block]:
        if not self.results:
            return (Note("nothing resembles that closely enough"),)
        columns = (
            Column("id", "right"),
            Column("key"),
            Column("value"),
            Column("similarity", "right"),
            Column("importance", "right"),
            Column("score", "right"),
        )
        rows = tuple(
            (
                str(r.id),
                one_line(r.key or "", _SHOWN),
                one_line(r.value or "", _SHOWN),
                f"{r.similarity:.3f}",
                f"{r.effective_importance} of {r.importance}",
                f"{r.score:.3f}",
            )
            for r in self.results
        )
        notes = [Note(_told(r)) for r in self.results if isinstance(r, Explained)]
        return (Table(columns, rows), *notes)


def recall(
    session: Session, loaded: Loaded, options: RecallOptions, *, as_of: datetime
) -> RecallResult:
    """What is nearest at as_of; publishes the policy first where what the function reads is another.

    Raises UsageError for a query that can't be one.
    """
    with translated(session.target.scrub):
        relation = migrated_table(session, loaded.settings)
        viewer = entity_key(relation, options.viewer, "--viewer")
        in_force = recall_plan.refresh(session, loaded, relation)
        if in_force is None:
            _log.warning(
                "recall reckons by the policy published last; to compare that with this configuration, this "
                "role needs SELECT on memory_maintenance.recall_plan"
            )
        elif not in_force:
            _log.warning("recall reckons by the policy published last, not by this configuration")
        with _notices_told(session):
            rows = _rows(session, relation, options, viewer, as_of)
    return RecallResult(
        command="recall",
        as_of=as_of,
        table=relation.label,
        results=tuple(_result(relation, row, explain=options.explain) for row in rows),
        recorded=options.record and not session.server.read_only,
    )


@contextmanager
def _notices_told(session: Session) -> Iterator[None]:
    """Logs what the function says of accesses that it could not record."""

    def tell(notice: Diagnostic) -> None:
        _log.warning("%s", notice.message_primary)

    session.connection.add_notice_handler(tell)
    try:
        yield
    finally:
        session.connection.remove_notice_handler(tell)


def _rows(
    session: Session,
    relation: Relation,
    options: RecallOptions,
    viewer: str | None,
    as_of: datetime,
) -> list[Explained]:
    params = {
        "embedding": options.embedding,
        "text": options.text,
        "k": options.k,
        "facts": relation.qualified,
        "viewer": viewer,
        "visibility": list(options.visibility),
        "categories": list(options.categories) or None,
        "durabilities": list(options.durabilities) or None,
        "min_similarity": options.min_similarity,
        "record": options.record,
        "as_of": as_of,
        "explain": options.explain,
    }
    try:
        return session.rows(Explained, "recall/recall", params)
    except (psycopg.DataError, psycopg.errors.UndefinedTable) as error:
        raise UsageError(
            error.diag.message_primary or "that can't be searched for",
            remedy=error.diag.message_hint,
        ) from None
    except psycopg.errors.UndefinedObject as error:
        raise Denied(error.diag.message_primary or "", remedy=error.diag.message_hint) from None


def _result(relation: Relation, row: Explained, *, explain: bool) -> Recalled:
    key = key_of(relation.columns[relation.key].type, row.id)
    fields = (
        key,
        row.key,
        row.value,
        row.category,
        row.durability,
        row.similarity,
        row.importance,
        row.effective_importance,
        row.score,
    )
    return Explained(*fields, row.explanation) if explain else Recalled(*fields)


def _told(result: Explained) -> str:
    why = result.explanation
    said = (
        f"{result.id}: similarity {result.similarity:.3f} (at least {why['min_similarity']:g})"
        f" * weight {why['weight']:.3f} * category {why['category_weight']:g} = {result.score:.3f};"
    )
    if why["problem"] is not None:
        return f"{said} importance unknown, read as 5: {why['problem']}"
    if why["exempt"]:
        return f"{said} importance {result.importance}, which doesn't fade"
    return (
        f"{said} importance {result.importance}"
        f" * fading {why['fading']:.3f} ({why['days_since_update']:.1f} days, clock {why['clock']})"
        # A confirmation counts as a use, and a fact may never have been accessed.
        f" * access {why['access_boost']:g} (unused for {why['days_since_access']:.1f} days):"
        f" {result.effective_importance}"
    )
