"""Section problems: facts that maintenance left alone, or whose clock runs ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_maintenance.jobs.report.scope import LISTED, Scope, id_notes
from memory_maintenance.model.result import Block, Column, Heading, Table

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem. keys: of the first 100 facts that have it."""

    problem: str
    facts: int
    keys: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Problems:
    """count: facts with a problem, of any kind."""

    count: int
    kinds: tuple[Kind, ...]
    show_ids: bool = field(default=False, metadata={"json": False})

    def brief(self) -> Sequence[tuple[str, str]]:
        """How many there are, if any."""
        facts = "1 fact" if self.count == 1 else f"{self.count:,} facts"
        return (("data problems", facts),) if self.count else ()

    def blocks(self) -> Sequence[Block]:
        """A table of kinds, nothing where there are none."""
        if not self.kinds:
            return ()
        rows = tuple(
            (
                kind.problem,
                f"{kind.facts:,}",
                ", ".join(str(key) for key in kind.keys[:_SHOWN])
                + (", ..." if kind.facts > _SHOWN else ""),
            )
            for kind in self.kinds
        )
        columns = (Column("problem"), Column("facts", "right"), Column("ids"))
        ids = [(k.problem, k.facts, k.keys) for k in self.kinds] if self.show_ids else []
        return (Heading("Data problems"), Table(columns, rows), *id_notes(ids))


def collect(scope: Scope) -> Problems:
    """Kinds, counts and keys at the report's instant."""
    if scope.all_sound():
        return Problems(0, ())
    kinds = scope.rows(Kind, "report/problems", listed=LISTED)
    return Problems(sum(kind.facts for kind in kinds), tuple(kinds), scope.options.show_ids)
