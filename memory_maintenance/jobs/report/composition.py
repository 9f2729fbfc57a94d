"""Section composition: the facts by durability and category, by confidence and by effective importance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_maintenance.jobs.report.scope import (
    BY_AXES,
    BY_BAND,
    BY_IMPORTANCE,
    LISTED,
    Scope,
    Tally,
    id_notes,
    share,
    shortened,
)
from memory_maintenance.model.result import Bars, Block, Column, Heading, Note, Table

_SHOWN: Final = 8
"""Categories of a durability that people see; JSON has all."""

_LONGEST: Final = 30
_BANDS: Final = 10
_IMPORTANCES: Final = range(1, 11)


@dataclass(frozen=True, slots=True)
class Group:
    """The facts of one durability and category. The means are None where every fact has a problem.

    ids: the first keys; None unless they were asked for.
    """

    durability: str | None
    category: str | None
    facts: int
    mean_confidence: float | None
    mean_importance: float | None
    below_threshold: int
    problems: int
    ids: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Band:
    """Facts whose confidence is at least ``at_least`` and below ``below``; 1 belongs to the last band."""

    at_least: float
    below: float
    facts: int
    ids: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Importance:
    """Facts whose effective importance rounds to one number, 1 to 10."""

    importance: int
    facts: int
    ids: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Composition:
    """groups: by durability, the largest category first. threshold: that of the archive, 0 to 1.
    confidence, importance: histograms of the facts without a problem. below_threshold_ids: the first keys;
    None unless they were asked for.
    """

    facts: int
    below_threshold: int
    threshold: float
    groups: tuple[Group, ...]
    confidence: tuple[Band, ...]
    importance: tuple[Importance, ...]
    below_threshold_ids: tuple[Any, ...] | None

    def brief(self) -> Sequence[tuple[str, str]]:
        """How many facts there are."""
        if not self.facts:
            return (("facts", "none yet"),)
        part = share(self.below_threshold, self.facts)
        return (
            ("facts", f"{self.facts:,}, {self.below_threshold:,}{part} below {self.threshold:g}"),
        )

    def blocks(self) -> Sequence[Block]:
        """A table with a line for all, and two histograms."""
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
        rows = [
            row
            for _, groups in itertools.groupby(self.groups, lambda g: g.durability)
            for row in _rows(tuple(groups))
        ]
        total = ("all", "", f"{self.facts:,}", "", "", f"{self.below_threshold:,}")
        table = Table(columns, (*rows, total))
        ids = id_notes(
            [
                *((_both(g), g.facts, g.ids) for g in _largest(self.groups)),
                (f"below {self.threshold:g}", self.below_threshold, self.below_threshold_ids),
            ]
        )
        return (heading, table, *ids, *self._histograms())

    def _histograms(self) -> Sequence[Block]:
        if not any(band.facts for band in self.confidence):
            return ()
        bands = tuple((f"{b.at_least:g} to {b.below:g}", b.facts) for b in self.confidence)
        steps = tuple((str(i.importance), i.facts) for i in self.importance)
        return (
            Heading("Confidence"),
            Bars(bands),
            *id_notes(
                [(f"{b.at_least:g} to {b.below:g}", b.facts, b.ids) for b in self.confidence]
            ),
            Heading("Effective importance"),
            Bars(steps),
            *id_notes([(f"importance {i.importance}", i.facts, i.ids) for i in self.importance]),
        )


def collect(scope: Scope) -> Composition:
    """Counts and means at the report's instant."""
    tallies = scope.tallies()
    groups = [_group(scope, t) for t in tallies if t.kind == BY_AXES]
    bands = {t.band: t for t in tallies if t.kind == BY_BAND}
    importances = {t.importance: t for t in tallies if t.kind == BY_IMPORTANCE}
    return Composition(
        facts=sum(g.facts for g in groups),
        below_threshold=sum(g.below_threshold for g in groups),
        threshold=scope.threshold,
        groups=tuple(groups),
        confidence=tuple(
            Band(n / _BANDS, (n + 1) / _BANDS, *_counted(scope, bands.get(n)))
            for n in range(_BANDS)
        ),
        importance=tuple(Importance(n, *_counted(scope, importances.get(n))) for n in _IMPORTANCES),
        below_threshold_ids=_below(scope),
    )


@dataclass(frozen=True, slots=True)
class _Key:
    key: Any


def _below(scope: Scope) -> tuple[Any, ...] | None:
    if not scope.options.show_ids:
        return None
    if scope.threshold == 1 / _BANDS:
        return scope.tally_ids().get((BY_BAND, None, None, 0, None), ())
    return tuple(each.key for each in scope.rows(_Key, "report/below", listed=LISTED))


def _group(scope: Scope, t: Tally) -> Group:
    sound = t.facts - t.problems
    facts, ids = _counted(scope, t)
    return Group(
        durability=t.durability,
        category=t.category,
        facts=facts,
        mean_confidence=None if t.confidence_sum is None else t.confidence_sum / sound,
        mean_importance=None if t.importance_sum is None else t.importance_sum / sound,
        below_threshold=t.below_threshold,
        problems=t.problems,
        ids=ids,
    )


def _counted(scope: Scope, tally: Tally | None) -> tuple[int, tuple[Any, ...] | None]:
    if tally is None:
        return 0, scope.ids(())
    return tally.facts, scope.ids(scope.tally_ids().get(tally.group))


def _largest(groups: Sequence[Group]) -> list[Group]:
    by_durability = itertools.groupby(groups, lambda g: g.durability)
    return [g for _, found in by_durability for g in itertools.islice(found, _SHOWN)]


def _rows(groups: Sequence[Group]) -> list[tuple[str, ...]]:
    """The largest groups of one durability, and a line for the rest."""
    shown = groups if len(groups) <= _SHOWN + 1 else groups[:_SHOWN]
    rest = groups[len(shown) :]
    rows: list[tuple[str, ...]] = [
        (
            _name(g.durability),
            shortened(_name(g.category), _LONGEST),
            f"{g.facts:,}",
            _mean(g.mean_confidence, 3),
            _mean(g.mean_importance, 1),
            f"{g.below_threshold:,}",
        )
        for g in shown
    ]
    if rest:
        facts, below = sum(g.facts for g in rest), sum(g.below_threshold for g in rest)
        name = _name(rest[0].durability)
        rows.append((name, f"and {len(rest):,} more", f"{facts:,}", "", "", f"{below:,}"))
    return rows


def _both(group: Group) -> str:
    return f"{_name(group.durability)}, {shortened(_name(group.category), _LONGEST)}"


def _name(axis: str | None) -> str:
    if axis is None:
        return "(not classified)"
    return axis if axis.strip() else "(empty)"


def _mean(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
