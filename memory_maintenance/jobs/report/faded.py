"""Section faded: what fell below the archive threshold, or expired, of late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from psycopg import sql

from memory_maintenance.jobs.report.scope import Scope, id_notes
from memory_maintenance.model.policy import EXPIRED
from memory_maintenance.model.result import Block, Column, Heading, Note, Table

_MOST: Final = 10
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class ByPolicy:
    """Facts by the policy that governs them now. ids: the first keys; None unless they were asked for."""

    policy: str
    facts: int
    ids: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Lost:
    """One of the most important of them. confidence: exact, at the report's instant."""

    id: Any
    importance: int
    confidence: float
    policy: str


@dataclass(frozen=True, slots=True)
class Faded:
    """crossed: facts that were at or above the threshold at ``since_at`` and are below now, and haven't
    expired. expired: facts whose ``expires`` passed in between, obligations apart.

    Confirmations and whatever writers set count at both instants: what was confirmed in between has faded
    only if it is below all the same.
    """

    since_at: datetime
    crossed: int
    expired: int
    by_policy: tuple[ByPolicy, ...]
    most_important: tuple[Lost, ...]

    def brief(self) -> Sequence[tuple[str, str]]:
        """How many."""
        since = f"since {self.since_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        return (("faded", f"{self.crossed:,} and {self.expired:,} expired, {since}"),)

    def blocks(self) -> Sequence[Block]:
        """Counts by policy, and the most important."""
        since = f"{self.since_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        heading = Heading(f"Faded or expired since {since}")
        if not self.by_policy:
            return (heading, Note("nothing"))
        counts = tuple((p.policy, f"{p.facts:,}") for p in self.by_policy)
        lost = tuple(
            (str(m.id), str(m.importance), f"{m.confidence:.3f}", m.policy)
            for m in self.most_important[:_SHOWN]
        )
        columns = (
            Column("id"),
            Column("importance", "right"),
            Column("confidence", "right"),
            Column("policy"),
        )
        return (
            heading,
            Table((Column("policy"), Column("facts", "right")), counts),
            *id_notes([(p.policy, p.facts, p.ids) for p in self.by_policy]),
            Table(columns, lost, title="The most important of them"),
        )


@dataclass(frozen=True, slots=True)
class _Row:
    policy_no: int
    facts: int
    keys: Sequence[Any] | None
    top: Sequence[Any] | None
    top_places: Sequence[int] | None
    top_importance: Sequence[int] | None
    top_confidence: Sequence[float] | None


def collect(scope: Scope) -> Faded:
    """What faded between the two instants, each reckoned by the projection."""
    row = scope.run.session.statement("report/row")
    found = scope.rows(
        _Row,
        "report/faded",
        slots={
            "reading": scope.reading,
            "now": scope.projection(row),
            "earlier": scope.projection(row, at=sql.Placeholder("since")),
        },
        since=scope.since_at,
        listed=scope.listed,
        most=_MOST,
    )
    ranked = sorted(
        (
            (place, Lost(key, importance, confidence, scope.policy(each.policy_no)))
            for each in found
            for place, key, importance, confidence in zip(
                each.top_places or (),
                each.top or (),
                each.top_importance or (),
                each.top_confidence or (),
                strict=True,
            )
        ),
        key=lambda pair: pair[0],
    )
    expired = sum(each.facts for each in found if each.policy_no == EXPIRED)
    return Faded(
        since_at=scope.since_at,
        crossed=sum(each.facts for each in found) - expired,
        expired=expired,
        by_policy=tuple(
            ByPolicy(scope.policy(each.policy_no), each.facts, scope.ids(each.keys))
            for each in found
        ),
        most_important=tuple(lost for _, lost in ranked),
    )
