"""Section moods: those that still count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.jobs.report.scope import Scope, id_notes, span
from memory_maintenance.model.result import Block, Heading, KeyValues, Note


@dataclass(frozen=True, slots=True)
class Moods:
    """facts: of category mood. alive: whose confidence isn't below the archive threshold. oldest_s: seconds
    since the oldest of these was learned; a mood that is confirmed for weeks is none. ids: of those alive;
    None unless they were asked for.
    """

    facts: int
    alive: int
    oldest_s: float | None
    ids: tuple[Any, ...] | None

    def blocks(self) -> Sequence[Block]:
        """Counts, and how old the oldest is."""
        heading = Heading("Moods")
        if not self.facts:
            return (heading, Note("none"))
        rows = [("alive", f"{self.alive:,} of {self.facts:,}")]
        if self.oldest_s is not None:
            rows.append(("the oldest of them", f"learned {span(max(0.0, self.oldest_s))} ago"))
        return (heading, KeyValues(tuple(rows)), *id_notes([("alive", self.alive, self.ids)]))


@dataclass(frozen=True, slots=True)
class _Row:
    moods: int
    alive: int
    oldest_s: float | None
    keys: Sequence[Any] | None


def collect(scope: Scope) -> Moods:
    """Counts at the report's instant."""
    session, relation = scope.run.session, scope.relation
    moods = scope.reading + sql.SQL(" WHERE f.category::text = 'mood'::text")
    (row,) = scope.rows(
        _Row,
        "report/moods",
        slots={
            "projected": scope.projection(sql.SQL("({})").format(moods)),
            "facts": relation.identifier,
            "key": relation.key_identifier,
            "learned_at": projection.column_instant(session, relation, "learned_at"),
        },
        listed=scope.listed,
    )
    return Moods(row.moods, row.alive, row.oldest_s, scope.ids(row.keys))
