"""``demo``: a made-up legacy memory, and the whole upkeep run on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_maintenance.model.result import Block, Code, Heading, KeyValues, Note, Outcome, Result


@dataclass(frozen=True, slots=True)
class Made:
    """What was generated: facts by old value, the key null standing for NULL."""

    entities: int
    facts: int
    by_data_type: Mapping[str | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult(Result):
    """made: the legacy memory. stages: the results of migrate-types, run and report, in this order; none
    where only data was asked for. try_next: commands."""

    made: Made
    stages: tuple[Result, ...]
    try_next: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        return Outcome(max((s.outcome.value for s in self.stages), default=0))

    def blocks(self) -> Sequence[Block]:
        blocks: list[Block] = [
            Heading("A legacy memory was made"),
            KeyValues(
                (
                    ("entities", f"{self.made.entities:,}"),
                    ("facts", f"{self.made.facts:,}"),
                    *(
                        (f"  {'NULL' if name is None else name}", f"{rows:,}")
                        for name, rows in self.made.by_data_type.items()
                    ),
                )
            ),
        ]
        for stage in self.stages:
            blocks.append(Heading(f"memory-maintenance {stage.command}"))
            blocks += stage.blocks()
        blocks.append(Heading("What to try next"))
        blocks.append(Note("The demo's database stays for you to play with:"))
        blocks.append(Code("\n".join(self.try_next), "sh"))
        return tuple(blocks)
