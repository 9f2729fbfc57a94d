"""What phase rollback yields, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_maintenance.migration.actions import Step
from memory_maintenance.migration.result import Planned, plan_blocks
from memory_maintenance.model.result import Block, Code, KeyValues, Note, Outcome, Result


@dataclass(frozen=True, slots=True)
class RollbackBlocker:
    """Something that stops rollback. table: whose; kind, name, definition: of the object; remedy: what to
    do."""

    table: str
    kind: str
    name: str
    definition: str
    why: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackResult(Result):
    """What rollback did; in a dry run, what it would do.

    rolled_back: whether nothing of the migration is left in the tables. restored: facts whose data_type came
    from what contract had kept aside, because their axes alone would have given another. by_way_back: facts
    whose data_type is what their axes give. confidence_restored: facts whose confidence returned to its base.
    kept_aside: rows of memory_maintenance.rollback_backup; a later migrate-types takes them back. unmatched:
    old values that match no row of a table without a key, kept in memory_maintenance.unmatched_backup.
    columns_dropped: by name, those of the archive with the table's. blockers: what stopped it, if anything.
    """

    phase: str = "rollback"
    rolled_back: bool = False
    restored: int = 0
    by_way_back: int = 0
    confidence_restored: int = 0
    kept_aside: int = 0
    unmatched: int = 0
    columns_dropped: tuple[str, ...] = ()
    blockers: tuple[RollbackBlocker, ...] = ()
    plan: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = field(default=(), metadata={"json": False})

    @property
    def outcome(self) -> Outcome:
        return Outcome.FINDINGS if self.blockers else Outcome.DONE

    def counts(self) -> Mapping[str, Any]:
        return {
            "rolled_back": self.rolled_back,
            "restored": self.restored,
            "by_way_back": self.by_way_back,
            "confidence_restored": self.confidence_restored,
            "kept_aside": self.kept_aside,
            "unmatched": self.unmatched,
        }

    def blocks(self) -> Sequence[Block]:
        blocks: list[Block] = []
        for blocker in self.blockers:
            blocks.append(
                Note(
                    f"rollback of {blocker.table} stops at {blocker.kind} {blocker.name}: "
                    f"{blocker.why}; {blocker.remedy}",
                    "problem",
                )
            )
            if blocker.definition:
                blocks.append(Code(blocker.definition, "sql"))
        later = "to be " if self.dry_run else ""
        rows = [
            (f"old values {later}put back", f"{self.restored:,}"),
            (f"{later}given by their axes", f"{self.by_way_back:,}"),
            (f"confidence {later}returned to its base", f"{self.confidence_restored:,}"),
            (f"facts of which something is {later}kept aside", f"{self.kept_aside:,}"),
        ]
        if self.unmatched:
            rows.append(("old values that match no row", f"{self.unmatched:,}"))
        if self.columns_dropped:
            rows.append((f"columns {later}dropped", ", ".join(self.columns_dropped)))
        if not self.dry_run:
            rows.append(("rolled back", "yes" if self.rolled_back else "no"))
        blocks.append(KeyValues(tuple(rows)))
        blocks += [Note(text, "hint") for text in self.notes]
        if self.plan:
            blocks += plan_blocks(self.plan)
        elif self.dry_run and not self.blockers:
            blocks.append(Note("nothing is left to do"))
        return tuple(blocks)
