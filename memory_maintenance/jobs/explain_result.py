"""What ``explain`` yields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from memory_maintenance.model.obligations import SETTLED
from memory_maintenance.model.result import (
    Block,
    Column,
    Curve,
    Heading,
    KeyValues,
    Mark,
    Note,
    Result,
    Table,
)
from memory_maintenance.model.shortened import shortened

# So short that no format cuts it once more, and with it how long it is.
_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Confidence:
    """How confidence comes about (spec 3). anchor_at: what its age counts from, None where that is
    -infinity; anchor_from: the column, or as_of, that this is. set_by_writer: nobody has decayed it yet, or
    somebody has set it since. policy: its name; because: why that one. age_half_lives: None where it never
    decays.
    """

    stored: float | None
    value: float
    base: float
    anchor_at: datetime | None
    anchor_from: str
    set_by_writer: bool
    policy: str
    because: str
    half_life_s: float
    shape: float
    age_s: float
    age_half_lives: float | None
    survival: float


@dataclass(frozen=True, slots=True)
class Importance:
    """How effective importance comes about (spec 4): max(1, round(importance * survival * boost)), or
    importance itself where it is exempt. because: why it is. scored_at: None where nobody scored it.
    """

    importance: int
    scored_at: datetime | None
    exempt: bool
    because: str | None
    age_s: float
    half_life_s: float
    shape: float
    survival: float
    accessed_at: datetime | None
    access_count: int
    access_age_s: float
    boost: float
    stored: int | None
    effective: int


@dataclass(frozen=True, slots=True)
class Point:
    """Confidence at an instant."""

    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Pass:
    """A run that computed the confidence of the whole table."""

    id: int
    command: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """What was recorded of the fact."""

    at: datetime
    kind: str
    reason: str | None
    recorded_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainResult(Result):
    """confidence, importance: None where the fact has a data problem. crosses_threshold_at: None where
    confidence never falls below the threshold, or is below it from its anchor on. expires: None where it is
    absent or infinite. archive_spares: why the archive leaves it, empty where nothing holds. course:
    confidence over time.
    """

    id: Any
    key: str | None
    value: str | None
    entity_id: Any
    durability: str | None
    category: str | None
    pinned: bool
    problem: str | None
    notice: str | None
    expires: datetime | None
    obligation_status: str | None
    confidence: Confidence | None
    importance: Importance | None
    crosses_threshold_at: datetime | None
    threshold: float
    archive_spares: tuple[str, ...]
    guards: tuple[str, ...]
    course: tuple[Point, ...]
    passes_since_anchor: int
    last_passes: tuple[Pass, ...]
    events: tuple[Event, ...]

    def blocks(self) -> Sequence[Block]:
        blocks: list[Block] = [KeyValues(self._fact())]
        if self.problem is not None:
            blocks.append(
                Note(f"a data problem: {self.problem}; maintenance leaves it alone", "hint")
            )
        if self.notice is not None:
            blocks.append(Note(f"{self.notice}: it counts as now", "hint"))
        if self.confidence is not None:
            blocks += [Heading("Confidence"), KeyValues(self._confidence(self.confidence))]
            blocks.append(self._curve())
        if self.importance is not None:
            blocks += [Heading("Importance"), KeyValues(self._importance(self.importance))]
        blocks += [Heading("Archive"), *(Note(line) for line in self._archive())]
        if self.guards:
            blocks += [Heading("Guards"), *(Note(guard) for guard in self.guards)]
        if self.events:
            rows = tuple((_at(e.at), e.kind, e.recorded_by, e.reason or "") for e in self.events)
            columns = (Column("at (UTC)"), Column("what"), Column("by"), Column("reason"))
            blocks += [Heading("What was recorded of it"), Table(columns, rows)]
        if self.last_passes:
            passes = tuple((str(p.id), p.command, _at(p.as_of)) for p in self.last_passes)
            names = (Column("run", "right"), Column("command"), Column("as of (UTC)"))
            title = f"Passes over it since its anchor: {self.passes_since_anchor:,}"
            blocks += [Heading(title), Table(names, passes)]
        return tuple(blocks)

    def _fact(self) -> tuple[tuple[str, str], ...]:
        shown = [
            ("fact", str(self.id)),
            ("key", shortened(self.key or "", _LONGEST)),
            ("value", shortened(self.value or "", _LONGEST)),
            ("durability", self.durability or "(not classified)"),
            ("category", shortened(self.category or "(not classified)", _LONGEST)),
        ]
        if self.entity_id is not None:
            shown.append(("entity", str(self.entity_id)))
        if self.pinned:
            shown.append(("pinned", "yes"))
        if self.expires is not None:
            name = "deadline" if self.category == "obligation" else "expires"
            settled = self.category == "obligation" and self.obligation_status in SETTLED
            rest = " (or when it was settled, if that was earlier)" if settled else ""
            shown.append((name, f"{_at(self.expires)} UTC{rest}"))
        if self.obligation_status is not None:
            shown.append(("status", shortened(self.obligation_status, _LONGEST)))
        return tuple(shown)

    def _confidence(self, c: Confidence) -> tuple[tuple[str, str], ...]:
        anchor = "before all time" if c.anchor_at is None else f"{_at(c.anchor_at)} UTC"
        age = span(c.age_s)
        if c.age_half_lives is not None:
            age += f", {_few_digits(c.age_half_lives)} half-lives"
        stored = "none" if c.stored is None else f"{c.stored:.4f}"
        return (
            ("now", f"{c.value:.4f} = base {c.base:.4f} x survival {c.survival:.4f}"),
            (
                "stored",
                stored
                + (" (set by a writer; the next run takes it up)" if c.set_by_writer else ""),
            ),
            ("anchor", f"{anchor} ({c.anchor_from})"),
            ("policy", f"{c.policy}: {c.because}"),
            ("age", age),
            (f"below {self.threshold:g}", self._crossing(c)),
        )

    def _crossing(self, c: Confidence) -> str:
        at = self.crosses_threshold_at
        if at is None:
            return "from its anchor on" if c.value < self.threshold else "never, by itself"
        assert self.as_of is not None
        ahead = (at - self.as_of).total_seconds()
        return f"{_at(at)} UTC ({'in ' if ahead > 0 else ''}{span(abs(ahead))}{'' if ahead > 0 else ' ago'})"

    def _curve(self) -> Curve:
        assert self.as_of is not None
        start, end = self.course[0].at, self.course[-1].at
        marked = {
            "now": self.as_of,
            "deadline" if self.category == "obligation" else "expires": self.expires,
            f"below {self.threshold:g}": self.crosses_threshold_at,
        }
        marks = tuple(
            Mark((at - start).total_seconds(), name)
            for name, at in marked.items()
            if at is not None and start <= at <= end
        )
        points = tuple(((p.at - start).total_seconds(), p.value) for p in self.course)
        return Curve(points, _at(start)[:10], _at(end)[:10], marks, self.threshold)

    def _archive(self) -> Sequence[str]:
        if self.archive_spares:
            return [f"not taken: {'; '.join(self.archive_spares)}"]
        below = self.confidence is not None and self.confidence.value < self.threshold
        return ["taken once it is old enough" if below else "taken once it is below the threshold"]

    def _importance(self, i: Importance) -> tuple[tuple[str, str], ...]:
        scored = "not scored" if i.scored_at is None else f"scored {_at(i.scored_at)} UTC"
        stored = "not computed yet" if i.stored is None else str(i.stored)
        shown = [("importance", f"{i.importance} ({scored})")]
        if i.exempt:
            shown.append(("now", f"{i.effective}: {i.because}, so that it doesn't fade"))
        else:
            product = f"{i.importance} x survival {i.survival:.3f} x access {i.boost:g}"
            least = ", at least 1" if i.importance * i.survival * i.boost <= 0.5 else ""
            half_life = "never" if math.isinf(i.half_life_s) else span(i.half_life_s)
            shown += [
                ("now", f"{i.effective} = {product}{least}"),
                ("age", f"{span(i.age_s)} (half-life {half_life}, shape {i.shape:g})"),
                ("accessed", self._accessed(i)),
            ]
        return (*shown, ("stored", stored))

    def _accessed(self, i: Importance) -> str:
        """When it was, and what counts instead: a confirmation does as much as an access."""
        if i.accessed_at is None:
            return "never recorded, so that its age counts"
        assert self.as_of is not None
        times = "once" if i.access_count == 1 else f"{i.access_count:,} times"
        ago = span(max(0.0, (self.as_of - i.accessed_at).total_seconds()))
        counts = (
            ""
            if ago == span(i.access_age_s)
            else "; it was confirmed since, so that its age counts"
        )
        return f"{ago} ago, {times} in all{counts}"


def _few_digits(number: float) -> str:
    if 0 < number < 0.001:
        return "less than 0.001"
    return f"{number:,.0f}" if 1000 <= number < 1e6 else f"{number:.3g}"


def _at(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def span(seconds: float) -> str:
    """As a person would say it: three digits of the largest unit that it has two of."""
    if seconds >= 1e6 * 365 * 86400:
        return f"{seconds / (365 * 86400):.3g} y"
    for unit, size in (("y", 365 * 86400), ("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return (
                f"{seconds / size:.3g} {unit}"
                if seconds < 1000 * size
                else f"{seconds / size:,.0f} {unit}"
            )
    return f"{seconds:.3g} s"
