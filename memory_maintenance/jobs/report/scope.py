"""What every section of the report works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeVar, cast, runtime_checkable

from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import projection
from memory_maintenance.database.projection import Instant
from memory_maintenance.database.relation import Relation
from memory_maintenance.engine.run import Run
from memory_maintenance.model.one_line import ELLIPSIS
from memory_maintenance.model.policy import PROBLEM, PolicyTable
from memory_maintenance.model.result import Block, Note
from memory_maintenance.model.visible import visible

Row = TypeVar("Row")
Found = TypeVar("Found")

LISTED: Final = 100
"""Keys that are listed of the facts behind a number."""

_LONGEST_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """since: what counts as lately, a span before the report's instant or an instant. show_ids: whether the
    first keys behind each number are listed. forecast: how far it goes, > 0; None for none. compare: the
    configuration to compare with that in force.
    """

    since: timedelta | datetime = timedelta(hours=24)
    show_ids: bool = False
    forecast: timedelta | None = None
    compare: Loaded | None = None


Slots = Mapping[str, sql.Composable]
BY_AXES: Final = 3
BY_BAND: Final = 5
BY_IMPORTANCE: Final = 6


@dataclass(frozen=True, slots=True)
class Tally:
    """The facts of one durability and category, or one confidence band, or one effective importance.

    kind: BY_AXES, BY_BAND or BY_IMPORTANCE, which say what of durability and category, band and importance is
    meant. band: 0 for confidence in [0, 0.1) to 9 for [0.9, 1]; band and importance are None for facts with a
    problem. The sums are None where there is no other fact. noticed: facts with a clock later than now.
    """

    kind: int
    durability: str | None
    category: str | None
    band: int | None
    importance: int | None
    facts: int
    confidence_sum: float | None
    importance_sum: int | None
    below_threshold: int
    problems: int
    noticed: int

    @property
    def group(self) -> tuple[object, ...]:
        """What tells it from others."""
        return (self.kind, self.durability, self.category, self.band, self.importance)


@dataclass(frozen=True, slots=True)
class Kind:
    """Facts of one kind. keys: the first, where they were asked for."""

    kind: str
    facts: int
    keys: Sequence[Any] | None


@dataclass(frozen=True, slots=True)
class _Keys:
    kind: int
    durability: str | None
    category: str | None
    band: int | None
    importance: int | None
    keys: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Scope:
    """table: the policies by their number. reading: the facts in the shape of facts/reading; projected: the
    projection of all of them; parameters: what the placeholders of both stand for.
    """

    run: Run
    relation: Relation
    table: PolicyTable
    reading: sql.Composed
    projected: sql.Composed
    parameters: Mapping[str, Any]
    instant: Instant
    options: ReportOptions
    _found: dict[str, Any] = field(default_factory=dict)

    @property
    def threshold(self) -> float:
        """That of the archive, 0 to 1."""
        return self.run.settings.archive.threshold

    @property
    def since_at(self) -> datetime:
        """Since when something counts as lately."""
        since = self.options.since
        if isinstance(since, datetime):
            return since
        try:
            return self.run.as_of - since
        except OverflowError:
            return datetime.min.replace(tzinfo=self.run.as_of.tzinfo)

    @property
    def listed(self) -> int:
        """How many keys are gathered behind each number: none unless they are asked for."""
        return LISTED if self.options.show_ids else 0

    def ids(self, keys: Sequence[Any] | None) -> tuple[Any, ...] | None:
        """Keys as a section has them: None unless they are asked for."""
        return tuple(keys or ()) if self.options.show_ids else None

    def rows(
        self, row_type: type[Row], name: str, /, slots: Slots | None = None, **params: Any
    ) -> list[Row]:
        """The rows of a statement on the facts. slots: where it isn't on those projected. params: beside
        those of the projection.
        """
        session = self.run.session
        with session.facts_path(self.relation.schema):
            return session.rows(
                row_type,
                name,
                {**self.parameters, **params},
                **({"projected": self.projected} if slots is None else slots),
            )

    def by_kind(
        self, kinds: sql.Composable, listed: int | None = None, **params: Any
    ) -> dict[str, Kind]:
        """What a relation of kinds and keys counts. listed: how many keys, if not only those asked for."""
        keys = self.listed if listed is None else listed
        name = "report/by_kind" if keys else "report/by_kind_counted"
        found = self.rows(Kind, name, slots={"kinds": kinds}, listed=keys, **params)
        return {each.kind: each for each in found}

    def projection(self, rows: sql.Composable, at: sql.Composable | None = None) -> sql.Composed:
        """The projection of some facts in the shape of facts/reading. at: another instant."""
        session = self.run.session
        if at is None:
            return projection.projection(session, self.relation, rows)
        return projection.projection(session, self.relation, rows, at=at)

    def once(self, name: str, find: Callable[[], Found]) -> Found:
        """What find gives, called for the first section that asks for the name."""
        if name not in self._found:
            self._found[name] = find()
        return cast(Found, self._found[name])

    def tallies(self) -> Sequence[Tally]:
        """All facts at the report's instant, counted in one pass for all sections."""
        return self.once("tallies", lambda: self.rows(Tally, "report/tallies"))

    def all_sound(self) -> bool:
        """Whether it is known already that no fact has a problem, or a clock later than now."""
        if "tallies" not in self._found:
            return False
        return not any(tally.problems or tally.noticed for tally in self.tallies())

    def tally_ids(self) -> Mapping[tuple[object, ...], tuple[Any, ...]]:
        """The first keys of the facts behind each tally, by its group; nothing unless they are asked for."""
        return self.once("tally_ids", self._tally_ids)

    def _tally_ids(self) -> Mapping[tuple[object, ...], tuple[Any, ...]]:
        if not self.options.show_ids:
            return {}
        found = self.rows(_Keys, "report/tally_ids", listed=LISTED)
        return {
            (f.kind, f.durability, f.category, f.band, f.importance): tuple(f.keys) for f in found
        }

    def policy(self, number: int) -> str:
        """The name of a policy by the projection's number."""
        return "problem" if number == PROBLEM else self.table.names[number - 1]


class Section(Protocol):
    """One section's data: its fields are its JSON, its blocks what people see."""

    def blocks(self) -> Sequence[Block]:
        """The section for people, its heading first."""


@runtime_checkable
class Brief(Protocol):
    """A section that says its most important in a line or two at the head of the report."""

    def brief(self) -> Sequence[tuple[str, str]]:
        """Names and values, what needs an operator first."""


def id_notes(figures: Sequence[tuple[str, int, Sequence[Any] | None]]) -> list[Note]:
    """The keys behind numbers, a folded line each. figures: name, number, keys where they were asked for."""
    return [
        Note(
            f"{visible(shortened(name, _LONGEST_LABEL))}: {', '.join(map(str, keys))}"
            + (f" and {count - len(keys):,} more" if count > len(keys) else "")
        )
        for name, count, keys in figures
        if keys
    ]


def shortened(text: str, longest: int) -> str:
    """Text of strangers of a length for a cell; what in it isn't seen is for the renderer to show."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + ELLIPSIS


def share(part: int, whole: int) -> str:
    """A part in percent, in brackets after a blank; "" of nothing. Something is never shown as nothing."""
    if not whole:
        return ""
    fraction = part / whole
    return " (below 0.1%)" if 0 < fraction < 0.001 else f" ({fraction:.1%})"


def span(seconds: float) -> str:
    """A length of time of two or three digits: 45 s, 3.2 h, 12 d."""
    for unit, size in (("y", 365 * 86400), ("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            number = seconds / size
            return f"{number:,.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
