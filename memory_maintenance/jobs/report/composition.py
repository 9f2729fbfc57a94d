"""Section composition: the facts by durability and category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_maintenance.jobs.report.scope import Scope
from memory_maintenance.model.result import Block, Column, Heading, Note, Table


@dataclass(frozen=True, slots=True)
class Group:
    """The facts of one durability and category. The means are None where every fact has a problem."""

    durability: str | None
    category: str | None
    facts: int
    mean_confidence: float | None
    mean_importance: float | None
    below_threshold: int
    problems: int


@dataclass(frozen=True, slots=True)
class Composition:
    """groups: by durability, the largest category first. threshold: that of the archive, 0 to 1."""

    facts: int
    below_threshold: int
    threshold: float
    groups: tuple[Group, ...]

    def blocks(self) -> Sequence[Block]:
        """A table, with a line for all."""
        heading = Heading("Facts by durability and category")
        if not self.groups:
            return (heading, Note("there are no facts yet"))
        columns = (
            Column("durability"),
            Column("category"),
            Column("facts", "right"),
            Column("confidence", "right"),
            Column("importance", "right"),
            Column(f"below {self.threshold:g}", "right"),
        )
        rows = tuple(
            (
                _name(g.durability),
                _name(g.category),
                f"{g.facts:,}",
                _mean(g.mean_confidence, 3),
                _mean(g.mean_importance, 1),
                f"{g.below_threshold:,}",
            )
            for g in self.groups
        )
        total = ("all", "", f"{self.facts:,}", "", "", f"{self.below_threshold:,}")
        return (heading, Table(columns, (*rows, total)))


def collect(scope: Scope) -> Composition:
    """Counts and means at the report's instant."""
    groups = scope.rows(Group, "report/composition")
    return Composition(
        facts=sum(g.facts for g in groups),
        below_threshold=sum(g.below_threshold for g in groups),
        threshold=scope.run.settings.archive.threshold,
        groups=tuple(groups),
    )


def _name(axis: str | None) -> str:
    if axis is None:
        return "(not classified)"
    return axis or "(empty)"


def _mean(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
