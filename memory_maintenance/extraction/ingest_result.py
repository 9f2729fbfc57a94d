"""What ``extraction ingest`` made of an answer: an outcome for each of its facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from memory_maintenance.model.one_line import one_line
from memory_maintenance.model.result import (
    Block,
    Column,
    KeyValues,
    Note,
    Outcome,
    Result,
    Table,
)

Kind = Literal["created", "reinforced", "adjusted", "rejected"]
KINDS: Final[tuple[Kind, ...]] = ("created", "reinforced", "adjusted", "rejected")

KEPT_IN: Final = "memory_maintenance.rejected"

_LISTED: Final = 100
_LONGEST_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of one fact of an answer.

    index: its place there, from 0. outcome: adjusted is created or reinforced with a change. id: of the
    fact as it is stored; None for a rejected one, and for one that a dry run would create. because: why it
    was rejected, or what was changed; None where there is nothing to say.
    """

    index: int
    outcome: Kind
    id: Any
    because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult(Result):
    """The facts of an answer, in its order, and how many came to what."""

    outcomes: tuple[ItemOutcome, ...]
    created: int
    reinforced: int
    adjusted: int
    rejected: int

    @property
    def outcome(self) -> Outcome:
        """FINDINGS where any was rejected."""
        return Outcome.FINDINGS if self.rejected else Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        """The counts, then those about which there is something to say. No text of facts."""
        would = "would be " if self.dry_run else ""
        counts = KeyValues(tuple((f"{would}{kind}", f"{getattr(self, kind):,}") for kind in KINDS))
        blocks: list[Block] = [counts]
        told = [o for o in self.outcomes if o.because is not None]
        if told:
            more = f" (the first {_LISTED} of {len(told):,})" if len(told) > _LISTED else ""
            columns = (Column("#", "right"), Column("outcome"), Column("id"), Column("because"))
            rows = tuple(map(_cells, told[:_LISTED]))
            blocks.append(Table(columns, rows, title=f"Changed or rejected{more}"))
        if self.rejected:
            whose = "1 fact is" if self.rejected == 1 else f"{self.rejected:,} facts are"
            kept = "would be kept" if self.dry_run else "what was said is kept"
            blocks.append(Note(f"{whose} rejected: {kept} in {KEPT_IN}", "problem"))
        return tuple(blocks)


def result_of(
    outcomes: Sequence[ItemOutcome],
    *,
    table: str,
    as_of: datetime,
    dry_run: bool,
    duration_s: float,
) -> IngestResult:
    """The result with its counts."""
    counted = Counter(o.outcome for o in outcomes)
    return IngestResult(
        command="extraction-ingest",
        dry_run=dry_run,
        as_of=as_of,
        table=table,
        duration_s=duration_s,
        outcomes=tuple(outcomes),
        created=counted["created"],
        reinforced=counted["reinforced"],
        adjusted=counted["adjusted"],
        rejected=counted["rejected"],
    )


def tally(outcomes: Sequence[ItemOutcome]) -> str:
    """The counts in words: 2 created, 1 rejected."""
    counted = Counter(o.outcome for o in outcomes)
    return ", ".join(f"{counted[kind]:,} {kind}" for kind in KINDS if counted[kind])


def _cells(o: ItemOutcome) -> tuple[str, ...]:
    shown = "" if o.id is None else str(o.id)
    return (str(o.index), o.outcome, shown, one_line(o.because or "", _LONGEST_REASON))
