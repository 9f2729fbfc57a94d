"""Section accesses: whether whoever retrieves facts says so; else importance fades too fast (spec 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from memory_maintenance.database import projection
from memory_maintenance.jobs.report.scope import Scope
from memory_maintenance.model.result import Block, Heading, Note

_AGE: Final = timedelta(days=7)
_MOST: Final = 0.95


@dataclass(frozen=True, slots=True)
class _Counted:
    facts: int
    unrecorded: int


@dataclass(frozen=True, slots=True)
class Accesses:
    """facts: older than a week. unrecorded: those without an access after their creation.

    missing: whether that is more than 95 % of them.
    """

    facts: int
    unrecorded: int
    missing: bool

    def blocks(self) -> Sequence[Block]:
        """A warning, nothing where there is none to give."""
        if not self.missing:
            return ()
        share = self.unrecorded / self.facts
        return (
            Heading("Accesses"),
            Note(
                f"accesses look unrecorded: {self.unrecorded:,} of {self.facts:,} facts older than a week "
                f"({share:.1%}) have none after their creation, and importance fades as if nobody used them; "
                "retrieve by memory-maintenance recall, or have your program call "
                "memory_maintenance.record_access",
                "hint",
            ),
        )


def collect(scope: Scope) -> Accesses:
    """Counts at the report's instant."""
    session, relation = scope.run.session, scope.relation
    with session.facts_path(relation.schema):
        counted = session.row(
            _Counted,
            "report/accesses",
            {
                "as_of": scope.run.as_of,
                "zone": session.zoneless_timezone,
                "age_s": _AGE.total_seconds(),
            },
            facts=relation.identifier,
            learned_at=projection.column_instant(session, relation, "learned_at"),
            last_accessed_at=projection.column_instant(session, relation, "last_accessed_at"),
        )
    assert counted is not None
    missing = counted.facts > 0 and counted.unrecorded > _MOST * counted.facts
    return Accesses(counted.facts, counted.unrecorded, missing)
