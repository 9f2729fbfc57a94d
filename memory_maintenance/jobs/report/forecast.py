"""Section forecast: what will fall below the archive threshold, and what falls due, day by day.

Nothing is reckoned here: the projection is asked for the days' ends. What an outside writer set, and no
run has seen yet, counts as seen at the report's instant, as a run at that instant would take it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, overload

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.obligation_rows import parameters, state
from memory_maintenance.jobs.report.scope import Scope, id_notes
from memory_maintenance.model.result import Bars, Block, Column, Heading, KeyValues, Table

DAY: Final = timedelta(days=1)
_BY_THE_DAY: Final = 45
_PERIODS: Final = {7: "week", 28: "4 weeks", 91: "13 weeks"}
_MOST_BARS: Final = 60


@dataclass(frozen=True, slots=True)
class ForecastDay:
    """24 hours after the report's instant, or after the day before; the last may be shorter.

    day: the UTC date of its end. crossing: facts whose confidence isn't below the threshold at its beginning
    and is at its end, if nothing is confirmed; by_policy: that which governs them then. due: open obligations
    whose deadline passes. ids, due_ids: the first keys; None unless they were asked for.
    """

    day: str
    ends_at: datetime
    crossing: int
    by_policy: Mapping[str, int]
    due: int
    ids: tuple[Any, ...] | None
    due_ids: tuple[Any, ...] | None


class Forecast(Sequence[ForecastDay]):
    """The days, in order; its JSON is a list of them. threshold: that of the archive, 0 to 1."""

    def __init__(self, days: Sequence[ForecastDay], threshold: float) -> None:
        self._days, self.threshold = tuple(days), threshold

    def __len__(self) -> int:
        return len(self._days)

    @overload
    def __getitem__(self, index: int) -> ForecastDay: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ForecastDay]: ...
    def __getitem__(self, index: int | slice) -> ForecastDay | Sequence[ForecastDay]:
        return self._days[index]

    def brief(self) -> Sequence[tuple[str, str]]:
        """What is to come, in all."""
        crossing, due = self._totals()
        until = _date(self[-1].ends_at)
        return (
            ("forecast", f"{crossing:,} fall below {self.threshold:g}, {due:,} due, by {until}"),
        )

    def blocks(self) -> Sequence[Block]:
        """Totals, bars by the day, or by weeks where there are many, then policies and what falls due."""
        crossing, due = self._totals()
        until = f"{self[-1].ends_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        totals = (
            (f"fall below {self.threshold:g}", f"{crossing:,}"),
            ("obligations fall due", f"{due:,}"),
        )
        return (
            Heading(f"Forecast until {until}, if nothing is confirmed"),
            KeyValues(totals),
            *(self._crossing() if crossing else ()),
            *(self._due() if due else ()),
        )

    def _totals(self) -> tuple[int, int]:
        return sum(d.crossing for d in self), sum(d.due for d in self)

    def _crossing(self) -> Iterator[Block]:
        name, periods = self._periods()
        yield Bars(
            tuple((label, sum(d.crossing for d in days)) for label, days in periods),
            title=f"Facts that fall below {self.threshold:g}, by {name}, named by its end",
        )
        yield from id_notes([(d.day, d.crossing, d.ids) for d in self])
        by_policy: Counter[str] = Counter()
        for day in self:
            by_policy.update(day.by_policy)
        yield Table(
            (Column("policy"), Column("facts", "right")),
            tuple((policy, f"{facts:,}") for policy, facts in by_policy.most_common()),
        )

    def _due(self) -> Iterator[Block]:
        name, periods = self._periods()
        counted = [(label, sum(d.due for d in days)) for label, days in periods]
        yield Bars(
            tuple((label, due) for label, due in counted if due),
            title=f"Obligations that fall due, by {name}, named by its end",
        )
        yield from id_notes([(f"due {d.day}", d.due, d.due_ids) for d in self])

    def _periods(self) -> tuple[str, Sequence[tuple[str, Sequence[ForecastDay]]]]:
        """Days, or so many together that a person can overlook them, each named by its end."""
        size, name = 1, "day"
        if len(self) > _BY_THE_DAY:
            size, name = next(
                (size, name)
                for size, name in _PERIODS.items()
                if len(self) <= size * _MOST_BARS or size == max(_PERIODS)
            )
        parts = (self[start : start + size] for start in range(0, len(self), size))
        return name, [(part[-1].day, part) for part in parts]


@dataclass(frozen=True, slots=True)
class _Crossing:
    day: int
    policy_no: int
    facts: int
    keys: Sequence[Any] | None


@dataclass(frozen=True, slots=True)
class _Due:
    day: int
    facts: int
    keys: Sequence[Any] | None


def collect(scope: Scope) -> Forecast | None:
    """The days of ``scope.options.forecast``, None where there is none.

    Raises UsageError where it goes beyond the year 9999.
    """
    span = scope.options.forecast
    if span is None:
        return None
    ends = _ends(scope.run.as_of, span)
    bound = {"until": ends[-1], "days": len(ends)}
    crossings = _crossings(scope, len(ends))
    name = "report/forecast_ids" if scope.options.show_ids else "report/forecast"
    by_day: dict[int, dict[str, int]] = {}
    keys: dict[int, Sequence[Any] | None] = {}
    for row in scope.rows(_Crossing, name, {"crossings": crossings}, **bound, listed=scope.listed):
        by_day.setdefault(row.day, {})[scope.policy(row.policy_no)] = row.facts
        keys[row.day] = row.keys
    due = {each.day: each for each in _fall_due(scope, ends[-1])}
    days = (
        ForecastDay(
            day=_date(end),
            ends_at=end,
            crossing=sum(by_day.get(n, {}).values()),
            by_policy=by_day.get(n, {}),
            due=due[n].facts if n in due else 0,
            ids=scope.ids(keys.get(n)),
            due_ids=scope.ids(due[n].keys if n in due else None),
        )
        for n, end in enumerate(ends, start=1)
    )
    return Forecast(tuple(days), scope.threshold)


def _ends(as_of: datetime, span: timedelta) -> Sequence[datetime]:
    """The days' ends. They are 24 hours apart, whatever zone and summer time say."""
    begin = as_of.astimezone(UTC)
    try:
        until = begin + span
    except OverflowError:
        raise UsageError(
            "the forecast goes beyond the year 9999", remedy="give --forecast a shorter span"
        ) from None
    return [min(begin + DAY * n, until) for n in range(1, math.ceil(span / DAY))] + [until]


def _date(end: datetime) -> str:
    return f"{end.astimezone(UTC).date()}"


def _crossings(scope: Scope, days: int) -> sql.Composed:
    """The statement that finds who crosses when: the whole span first, then by halving it."""
    session = scope.run.session
    frozen = session.statement("report/forecast_frozen")

    def at(day: sql.Composable) -> sql.Composed:
        return session.statement("report/forecast_at", day=day)

    def projected(instant: sql.Composable) -> sql.Composed:
        return scope.projection(frozen, at=instant)

    spans = [
        sql.Identifier("f"),
        *(sql.Identifier(f"s{n}") for n in range((days - 1).bit_length())),
    ]
    steps = [
        sql.SQL("CROSS JOIN LATERAL ({}) AS {}").format(
            session.statement(
                "report/forecast_step",
                span=before,
                at=at(sql.SQL("m.middle")),
                projected=projected(sql.SQL("t.at")),
            ),
            after,
        )
        for before, after in itertools.pairwise(spans)
    ]
    whole = scope.table.obligation_waits
    return session.statement(
        "report/forecast_crossings",
        reading=scope.reading,
        now=scope.projection(session.statement("report/row")),
        spans=session.statement("report/forecast_whole" if whole else "report/forecast_days"),
        first_at=at(sql.SQL("i.first")),
        last_at=at(sql.SQL("i.last")),
        at_first=projected(sql.SQL("s.first_at")),
        at_last=projected(sql.SQL("s.last_at")),
        steps=sql.SQL("\n").join(steps),
        found=spans[-1],
        found_at=at(spans[-1] + sql.SQL(".last")),
        at_found=projected(sql.SQL("x.at")),
    )


def _fall_due(scope: Scope, until: datetime) -> Sequence[_Due]:
    session, relation = scope.run.session, scope.relation
    return scope.rows(
        _Due,
        "report/forecast_due",
        {
            "state": state(session, relation),
            "facts": relation.identifier,
            "key": relation.key_identifier,
            "expires": projection.column_instant(session, relation, "expires"),
        },
        **parameters(session, scope.run.as_of),
        until=until,
        listed=scope.listed,
    )
