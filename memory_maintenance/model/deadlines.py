"""When an obligation is due, read from text (spec 5): a right reading, or none.

python-dateutil alone guesses: it fills what is missing and takes "3 people" for a day. So what may be a date
is found first (`date_phrases`), and only that is given to it, with nothing left to fill.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from dateutil.parser import parse
from dateutil.relativedelta import relativedelta

from memory_maintenance.model.date_phrases import (
    LAST,
    CalendarDay,
    ComingWeekday,
    DayOrder,
    DaysAhead,
    EndAhead,
    MinutesAhead,
    Phrase,
    read_phrases,
)
from memory_maintenance.model.date_surroundings import doubt, is_yearless
from memory_maintenance.model.date_tokens import Kind, Token
from memory_maintenance.model.local_time import end_of_day, fixed_offset, instants_of, named_zone

LONGEST_TEXT: Final = 2_000
"""Characters that are looked at. What is longer is no sentence with a deadline in it."""
_LEAP_YEARS_APART: Final = 8
_YEARS_NEAR: Final = 10
_YEAR_WITHIN: Final = re.compile(r"(?<![0-9])(?:19|20|21)[0-9]{2}(?![0-9])")
_SHORT_YEAR: Final = re.compile(
    r"(?:(?i:[FC]Y)|[’'])[ ]?([0-9]{2})(?![0-9])|[A-Za-z]{3,}(2[0-9])\Z"
)
_NO_DAYS: Final = frozenset({(1900, 1, 1), (1970, 1, 1)})
"""Where clocks and spreadsheets begin to count: what is there where nothing was said."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A deadline. deadline_at: the instant, in UTC. text: the part of the text that says so. why: how it
    was read, for people."""

    deadline_at: datetime
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text may mean a deadline, and not surely which. why: for people, without words of the text
    beyond dates and numbers. readings: instants that it may mean."""

    why: str
    readings: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """The text says nothing like a date."""


@dataclass(frozen=True, slots=True)
class _Context:
    tokens: list[Token]
    text: str
    learned_at: datetime | None
    zone: tzinfo
    past: bool


def read_deadline(
    text: str,
    *,
    learned_at: datetime | None,
    zone: tzinfo,
    day_order: DayOrder = "none",
    past: bool = True,
) -> Reading | Ambiguous | Nothing:
    """The deadline that a text states.

    learned_at: aware; when it was said. None: not known, and then nothing is read that hangs on it (a date
    without year, "tomorrow"). zone: of what the text gives no zone for. A bare date ends with its day; a
    yearless one is the next such day on or after learned_at. day_order: how 03/04 is to be read.
    past: whether a full date before the day of learning counts; in a sentence it is rather a memory.
    """
    if len(text) > LONGEST_TEXT:
        return Ambiguous(f"the text is longer than {LONGEST_TEXT:,} characters")
    found, phrases, hints = read_phrases(text, day_order)
    context = _Context(found, text, learned_at, zone, past)
    read = [_resolved(phrase, context) for phrase in phrases]
    doubtful = [r for r in read if isinstance(r, Ambiguous)]
    certain = [r for r in read if isinstance(r, Reading)]
    deadlines = tuple(sorted({r.deadline_at for r in certain}))
    hard = [hint for hint in hints if hint.hard]
    if len(deadlines) > 1:
        return Ambiguous("it names several dates", deadlines)
    if doubtful:
        return doubtful[0]
    if hard:
        meant = [_resolved(hint.meant, context) for hint in hard if hint.meant is not None]
        also = {r.deadline_at for r in meant if isinstance(r, Reading)}
        return Ambiguous(hard[0].why, tuple(sorted({*deadlines, *also})))
    if certain:
        against = doubt(found, phrases)
        if against is not None:
            return Ambiguous(f"the date {against}", deadlines)
        return _unless_year_differs(certain, phrases, context)
    return Ambiguous(hints[0].why) if hints else Nothing()


def _unless_year_differs(
    certain: list[Reading], phrases: list[Phrase], context: _Context
) -> Reading | Ambiguous:
    """Presenting at a conference of 2026 on May 15: what says a year elsewhere must agree."""
    if not any(map(is_yearless, phrases)):
        return certain[0]
    year = (certain[0].deadline_at.astimezone(context.zone) - timedelta(seconds=1)).year
    inside = {i for p in phrases for i in range(p.first, p.last)}
    outside = [token for i, token in enumerate(context.tokens) if i not in inside]
    for other in (year for token in outside for year in _years(token, context.text)):
        if other != year and abs(other - year) <= _YEARS_NEAR:
            return Ambiguous(
                f"{other} stands beside a date that would be in {year}", (certain[0].deadline_at,)
            )
    return certain[0]


def _years(token: Token, text: str) -> list[int]:
    """The years that a token may say: 2027, FY2027, '27."""
    if token.kind is Kind.NUMBER and len(token.text) == 4:
        return [token.values[0]]
    said = token.text
    if token.kind is Kind.NUMBER and len(said) == 2:
        said = text[max(0, token.start - 3) : token.end]
    elif token.kind is not Kind.OPAQUE:
        return []
    short = [2000 + int(m[1] or m[2]) for m in _SHORT_YEAR.finditer(said)]
    return [*map(int, _YEAR_WITHIN.findall(said)), *short]


def _resolved(phrase: Phrase, context: _Context) -> Reading | Ambiguous:
    source = context.text[
        context.tokens[phrase.first].start : context.tokens[phrase.last - 1].end
    ].strip(" ,.()")
    if "(" in source and ")" not in source:
        source += ")"
    if source not in context.text:
        source = source.strip(")")
    try:
        answer = _deadline(phrase, context)
    except (OverflowError, ValueError):
        return Ambiguous("there is no such day")
    if isinstance(answer, Ambiguous):
        return answer
    at, why = answer
    if _is_memory(phrase, at, context):
        return Ambiguous("that date was past when it was learned", (at,))
    return Reading(at, source, why)


def _is_memory(phrase: Phrase, at: datetime, context: _Context) -> bool:
    """Whether a full date was past when it was learned, and may tell of something that happened."""
    if context.learned_at is None or at > context.learned_at:
        return False
    short = any(
        token.kind is Kind.NUMERIC and token.values[2] < 100
        for token in context.tokens[phrase.first : phrase.last]
    )
    return short or not context.past


def _deadline(phrase: Phrase, context: _Context) -> tuple[datetime, str] | Ambiguous:
    learned = context.learned_at
    if isinstance(phrase.when, MinutesAhead):
        if learned is None:
            return _unknown_origin()
        then = learned.astimezone(UTC) + timedelta(minutes=phrase.when.minutes)
        return then, f"counted from {_shown(learned)}"
    zone = _zone(phrase, context)
    today = None if learned is None else learned.astimezone(zone or context.zone).date()
    day = _day(phrase, today)
    if isinstance(day, Ambiguous):
        return day
    if phrase.weekday is not None and day.weekday() != phrase.weekday:
        return Ambiguous(f"{day} is another day of the week than is said")
    if zone is None:
        named = named_zone(phrase.zone, _local(day, phrase), context.zone)
        if isinstance(named, str):
            return Ambiguous(named)
        zone = named
    instant = _instant(day, phrase, zone)
    if isinstance(instant, Ambiguous):
        return instant
    at = instant
    explicit = isinstance(phrase.when, CalendarDay) and phrase.when.year is not None
    if not explicit and learned is not None and at <= learned:
        return Ambiguous("that time of the day was past when it was learned", (at,))
    how = "as written" if explicit else f"counted from {today}"
    part = "" if phrase.at is not None or phrase.next_midnight else ", the end of that day"
    return at, f"{day}{part}, {how}"


def _day(phrase: Phrase, today: date | None) -> date | Ambiguous:
    when = phrase.when
    if isinstance(when, CalendarDay) and when.year is not None:
        if (when.year, when.month, when.day) in _NO_DAYS:
            return Ambiguous(f"{when.year}-01-01 may stand for no date")
        if not 1900 <= when.year < 2200:
            return Ambiguous(f"{when.year} is too far away for a deadline")
        return _calendar_day(when.year, when.month, when.day)
    if today is None:
        return _unknown_origin()
    match when:
        case CalendarDay():
            return _next_such_day(when, today)
        case DaysAhead():
            return today + relativedelta(days=when.days)
        case ComingWeekday():
            if today.weekday() == when.weekday:
                return Ambiguous("it was said on that day of the week: that day or a week later")
            return today + timedelta(days=(when.weekday - today.weekday()) % 7)
        case EndAhead(unit="year"):
            return date(today.year + when.ahead, 12, 31)
        case EndAhead():
            return today + relativedelta(months=when.ahead, day=31)
        case MinutesAhead():
            raise AssertionError("an instant, not a day")


def _next_such_day(when: CalendarDay, today: date) -> date | Ambiguous:
    """The next such day on or after today; of February 29, in the next leap year."""
    for year in range(today.year, today.year + _LEAP_YEARS_APART + 1):
        try:
            day = _calendar_day(year, when.month, when.day)
        except ValueError:
            continue
        if day >= today:
            return day
    return Ambiguous("there is no such day")


def _calendar_day(year: int, month: int, day: int) -> date:
    """Raises ValueError where there is none. day LAST: the month's last."""
    if day == LAST:
        return date(year, month, 1) + relativedelta(day=31)
    # All three parts are there: nothing is left for dateutil to fill.
    return parse(f"{year:04d}-{month:02d}-{day:02d}", default=datetime(year, 1, 1)).date()  # noqa: DTZ001


def _zone(phrase: Phrase, context: _Context) -> tzinfo | None:
    """The zone of a phrase; None where it hangs on the day."""
    text = phrase.zone
    if not text:
        return context.zone
    digits = text.upper().removeprefix("UTC").removeprefix("GMT")
    if text.upper() == "Z" or not digits:
        return UTC
    if digits[0] in "+-":
        figures = digits[1:].replace(":", "")
        hours, minutes = (figures[:-2], figures[-2:]) if len(figures) > 2 else (figures, "0")
        zone = fixed_offset(int(hours), int(minutes), west=digits[0] == "-")
        if zone is None:
            raise ValueError(f"no place is {text} from UTC")
        return zone
    if "/" in text:
        named = named_zone(text, datetime(2000, 1, 1), context.zone)  # noqa: DTZ001
        return named if isinstance(named, tzinfo) else None
    return None


def _local(day: date, phrase: Phrase) -> datetime:
    """The time on the clock, without zone; of a bare date its noon, to tell which zone is in force."""
    if phrase.at is None:
        return datetime(day.year, day.month, day.day, 12)  # noqa: DTZ001
    return datetime.combine(day, phrase.at)


def _instant(day: date, phrase: Phrase, zone: tzinfo) -> datetime | Ambiguous:
    if phrase.at is None:
        ends = end_of_day(day, zone)
        if day > date.min and end_of_day(day - timedelta(days=1), zone) == ends:
            return Ambiguous(f"{day} was left out in that zone")
        return ends
    instants = instants_of(datetime.combine(day, phrase.at), zone)
    if not instants:
        return Ambiguous(f"clocks jump over {phrase.at:%H:%M} on {day} in that zone")
    if len(instants) > 1:
        return Ambiguous(f"clocks show {phrase.at:%H:%M} twice on {day} in that zone", instants)
    return instants[0]


def _unknown_origin() -> Ambiguous:
    return Ambiguous("it isn't known when it was learned, which the date hangs on")


def _shown(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
