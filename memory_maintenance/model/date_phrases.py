"""The grammar of days and times in English text: what may be a date, found before anything reads it.

It knows no calendar and no clock: it says "the 15th of month 5, at 15:00, said to be a Friday". What a text
says without fixing a day ("at 5", "next week", "3 people") it gives as a hint, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import time
from typing import Final, Literal

from memory_maintenance.model.date_tokens import (
    MONTHS,
    WEEKDAYS,
    Kind,
    Token,
    may_be_span,
    tokens,
)
from memory_maintenance.model.date_words import (
    AFTERWARDS,
    ALSO_WORDS,
    BEGINNINGS,
    DASHES,
    DAYS_OF,
    DUE,
    FOLLOWING,
    INEXACT_UNITS,
    LAST_MONTHS,
    LEADING,
    MINUTES_OF,
    MOVED,
    NO_DEADLINE,
    NO_PLURALS,
    PERIODS,
    QUANTITIES,
    SKIPPED,
    SMALL_NUMBERS,
    ZONE_WORDS,
)
from memory_maintenance.model.local_time import ABBREVIATIONS, AFTER_TIMES

DayOrder = Literal["none", "dmy", "mdy"]
LAST: Final = -1
"""For the last day of a month, whichever it is."""


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day of a month; year None: the text doesn't say. day LAST: the month's last."""

    year: int | None
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class DaysAhead:
    """So many days after the day on which it was said."""

    days: int


@dataclass(frozen=True, slots=True)
class MinutesAhead:
    """So many minutes after the instant at which it was said."""

    minutes: int


@dataclass(frozen=True, slots=True)
class ComingWeekday:
    """The next such day of the week, 0 for Monday."""

    weekday: int


@dataclass(frozen=True, slots=True)
class EndAhead:
    """The last day of a month or year, so many after the one in which it was said."""

    unit: Literal["month", "year"]
    ahead: int


When = CalendarDay | DaysAhead | MinutesAhead | ComingWeekday | EndAhead


@dataclass(frozen=True, slots=True)
class Phrase:
    """A day that the text fixes, from the token first to before the token last.

    at: a time of day, None where none is said; next_midnight: 24:00. zone: as written, or nothing.
    weekday: what the text says the day is, 0 for Monday.
    """

    first: int
    last: int
    when: When
    at: time | None = None
    next_midnight: bool = False
    zone: str = ""
    weekday: int | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """Something like a date that fixes none. hard: it leaves a date beside it in doubt. meant: the day
    that it may mean."""

    first: int
    last: int
    why: str
    hard: bool = True
    meant: Phrase | None = None


@dataclass(frozen=True, slots=True)
class _Time:
    last: int
    at: time | None
    next_midnight: bool = False
    zone: str = ""


def read_phrases(text: str, day_order: DayOrder) -> tuple[list[Token], list[Phrase], list[Hint]]:
    """The tokens of a text, the days it fixes, and what else in it looks like a date."""
    reader = _Reader(tokens(text), day_order)
    reader.read()
    return reader.tokens, reader.phrases, reader.hints


class _Reader:
    """One pass over the tokens."""

    def __init__(self, found: list[Token], day_order: DayOrder) -> None:
        self.tokens = found
        self.phrases: list[Phrase] = []
        self.hints: list[Hint] = []
        self._day_order = day_order
        # Looked at many times each, hence worked out once.
        self._words = [token.word for token in found]
        self._marks = [token.mark for token in found]

    def read(self) -> None:
        position = 0
        rules: tuple[Callable[[int], Phrase | Hint | None], ...] = (
            self._timed_day,
            self._dated,
            self._hint,
        )
        while position < len(self.tokens):
            if not self._may_begin(position):
                position += 1
                continue
            found = next((f for rule in rules if (f := rule(position)) is not None), None)
            if found is None:
                position += 1
                continue
            if isinstance(found, Phrase):
                found = self._in_doubt(found) or found
            if isinstance(found, Phrase):
                self.phrases.append(found)
            else:
                self.hints.append(found)
            position = max(found.last, position + 1)

    def _may_begin(self, i: int) -> bool:
        """Whether any rule could take what begins here: most words are passed over at once."""
        word = self._words[i]
        if word:
            return word in BEGINNINGS or word in MONTHS or word in WEEKDAYS
        return self._marks[i] in ("", "@")

    # -- looking around --

    def _word(self, i: int) -> str:
        return self._words[i] if 0 <= i < len(self._words) else ""

    def _mark(self, i: int) -> str:
        return self._marks[i] if 0 <= i < len(self._marks) else ""

    def _kind(self, i: int) -> Kind | None:
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else None

    def _value(self, i: int) -> int:
        return self.tokens[i].values[0]

    def _month(self, i: int) -> int | None:
        return MONTHS.get(self._word(i))

    def _capital(self, i: int) -> bool:
        return self.tokens[i].text[:1].isupper()

    def _skip(self, i: int, *marks: str) -> int:
        return i + 1 if self._mark(i) in marks and marks else i

    def _led(self, i: int) -> bool:
        """Whether the word before shows that a date may come."""
        return self._word(i - 1) in LEADING or self._mark(i - 1) in (":", "(")

    # -- days --

    def _timed_day(self, i: int) -> Phrase | Hint | None:
        """A time, then its day: 3pm on May 15."""
        start = i
        if self._word(i) == "at" or self._mark(i) == "@":
            i += 1
        ends = self._end_of_day(i)
        clock = _Time(ends, None) if ends else self._time(i)
        if clock is None:
            return None
        j = clock.last
        while self._mark(j) == "," or self._word(j) in ("on", "of", "by"):
            j += 1
        day = self._day(j)
        if not isinstance(day, Phrase) or day.at is not None or day.next_midnight:
            return None
        if isinstance(day.when, MinutesAhead) or day.first != j:
            return None
        later = self._with_time(day)
        if isinstance(later, Phrase) and (later.at is not None or later.next_midnight):
            return Hint(start, later.last, "it names two times of the day")
        return replace(
            day,
            first=start,
            at=clock.at,
            next_midnight=clock.next_midnight,
            zone=clock.zone or day.zone,
        )

    def _dated(self, i: int) -> Phrase | Hint | None:
        day = self._day(i)
        return self._with_time(day) if isinstance(day, Phrase) else day

    def _day(self, i: int) -> Phrase | Hint | None:
        rules = (self._weekday, self._stated, self._numeric, self._named, self._end, self._ahead)
        return next((found for rule in rules if (found := rule(i)) is not None), None)

    def _weekday(self, i: int) -> Phrase | Hint | None:
        """Friday, May 15; or a Friday by itself."""
        weekday = WEEKDAYS.get(self._word(i))
        if weekday is None:
            return None
        abbreviated = len(self._word(i)) < 6
        j = self._skip(i + 1, ".") if abbreviated else i + 1
        j = self._skip(j, ",")
        if self._word(j) == "the":
            j += 1
        day = self._stated(j) or self._numeric(j) or self._named(j)
        if isinstance(day, Phrase):
            return replace(day, first=i, weekday=weekday)
        if day is not None:
            return replace(day, first=i)
        if abbreviated and not (self._capital(i) and self._word(i - 1) in DUE):
            return None
        if self._kind(j) in (Kind.NUMBER, Kind.ORDINAL) and self._value(j) <= 31:
            return Hint(i, j + 1, f"{self.tokens[i].text} {self.tokens[j].text} names no month")
        if self._mark(i + 1) in DASHES and self._mark(i + 1) and self._word(i + 2) in WEEKDAYS:
            return Hint(i, i + 3, "it is a span of days")
        following = self._word(i + 1)
        if self._is_name(i, i + 1):
            return Hint(i, i + 2, f"{self.tokens[i].text} may be part of a name")
        # Black Friday, Ash Wednesday; of Bob in "call Bob Friday" it can't be told.
        before = self.tokens[i - 1] if i else None
        named = before is not None and before.kind is Kind.WORD and before.text[:1].isupper()
        if before is not None and before.text in {"EOD"} | ABBREVIATIONS | AFTER_TIMES:
            named = False
        last = not following or following in ("at", "by", "before")
        if self._word(i - 1) in DUE or (last and not named):
            return Phrase(i, i + 1, ComingWeekday(weekday))
        return Hint(i, i + 1, f"{self.tokens[i].text} names no date")

    def _is_name(self, i: int, j: int) -> bool:
        """Friday Harbor, Wednesday Addams; of Bob in "by Friday Bob calls" it can't be told."""
        if self._kind(j) is not Kind.WORD or not (self._capital(i) and self._capital(j)):
            return False
        shouted = self.tokens[i].text.isupper()
        text = self.tokens[j].text
        known = text in ABBREVIATIONS | AFTER_TIMES or text.lower() in ZONE_WORDS | {
            "eod",
            "noon",
            "i",
        }
        return not shouted and not known

    def _stated(self, i: int) -> Phrase | None:
        """2026-05-15, with or without its time."""
        if self._kind(i) not in (Kind.DAY, Kind.MOMENT):
            return None
        token = self.tokens[i]
        day = Phrase(i, i + 1, CalendarDay(*token.values[:3]), zone=token.zone)
        if token.kind is Kind.DAY:
            return day
        hour, minute, second, micro = token.values[3:]
        if hour == 24 and not any((minute, second, micro)):
            return replace(day, next_midnight=True)
        try:
            return replace(day, at=time(hour, minute, second, micro))
        except ValueError:
            return replace(
                day, when=CalendarDay(token.values[0], 0, 0)
            )  # no such time, hence no day

    def _numeric(self, i: int) -> Phrase | Hint | None:
        """15/05/2026, where only one order of day and month is possible or configured."""
        if self._kind(i) is Kind.NUMERIC:
            first, second, year = self.tokens[i].values
            text = self.tokens[i].text
            if year < 100:
                if self._day_order == "none":
                    return Hint(i, i + 1, f"in {text} day, month and year can't be told apart")
                year += 2000
            return self._ordered(i, first, second, year)
        if self._kind(i) is not Kind.SHORT:
            return None
        first, second = self.tokens[i].values
        if (first, second) == (24, 7):
            return Hint(i, i + 1, "24/7 is no date", hard=False)
        dated = self._word(i - 1) in LEADING - {"at", "than"} or len(self.tokens) == 1
        if self._day_order == "none" or not dated:
            why = f"{self.tokens[i].text} may be day and month, in either order, or a fraction"
            return Hint(i, i + 1, why, hard=dated)
        following = self._word(i + 1)
        if following and following not in FOLLOWING | LEADING and following not in WEEKDAYS:
            return Hint(i, i + 1, f"{self.tokens[i].text} may be a fraction of something")
        return self._ordered(i, first, second, None)

    def _ordered(self, i: int, first: int, second: int, year: int | None) -> Phrase | Hint:
        text = self.tokens[i].text
        orders = {"dmy": [(second, first)], "mdy": [(first, second)]}.get(
            self._day_order, [(second, first), (first, second)]
        )
        possible = {(m, d) for m, d in orders if 1 <= m <= 12 and 1 <= d <= 31}
        if not possible:
            return Hint(i, i + 1, f"{text} is no date")
        if len(possible) > 1:
            return Hint(i, i + 1, f"in {text} day and month can't be told apart")
        month, day = possible.pop()
        return Phrase(i, i + 1, CalendarDay(year, month, day))

    def _named(self, i: int) -> Phrase | Hint | None:
        """May 15, 15 May, the 15th of May."""
        if self._month(i) is not None:
            return self._month_first(i)
        if self._kind(i) in (Kind.NUMBER, Kind.ORDINAL):
            return self._day_first(i)
        if self._kind(i) is Kind.SPAN and (
            self._month(i + 1) is not None or (self._word(i + 1) == "of" and self._month(i + 2))
        ):
            return Hint(i, i + 2, "it is a span of days")
        return None

    def _month_first(self, i: int) -> Phrase | Hint | None:
        month = self._month(i)
        assert month is not None
        j = self._skip(i + 1, ".")
        if self._word(j) == "the":
            j += 1
        if self._kind(j) in (Kind.SPAN, Kind.SHORT, Kind.CLOCKS):
            return Hint(i, j + 1, "it is a span of days")
        if self._kind(j) not in (Kind.NUMBER, Kind.ORDINAL):
            return None
        day = self._value(j)
        if self._kind(j) is Kind.NUMBER and len(self.tokens[j].text) == 3:
            return None
        if self._kind(j) is Kind.NUMBER and len(self.tokens[j].text) == 4:
            return Hint(i, j + 1, f"{self.tokens[i].text} {day} names no day")
        if self._kind(j) is Kind.NUMBER and self._counted(i, j + 1):
            return Hint(i, j + 1, f"{day} may be a number of things, or a day")
        year, last, why = self._year(j + 1)
        if why is None and last == j + 1:
            why = self._more_days(j + 1)
        plain = not self._capital(i) and self._word(i) in ALSO_WORDS
        alone = i == 0 and last == len(self.tokens)
        if plain and not (self._led(i) or alone or year or self._kind(j) is Kind.ORDINAL):
            why = why or f"{self.tokens[i].text} may be a word and {day} a number"
        if why is not None:
            return Hint(i, last, why)
        return Phrase(i, last, CalendarDay(year, month, day))

    def _counted(self, month: int, i: int) -> bool:
        """Whether the word at i may be what the number before it counts: April 3 questions."""
        word = self._word(i)
        if word in QUANTITIES:
            return True
        plural = word.endswith("s") and len(word) > 3 and word not in NO_PLURALS
        return plural and not self._capital(i) and self._word(month - 1) not in DUE

    def _day_first(self, i: int) -> Phrase | Hint | None:
        day = self._value(i)
        if day > 31 or len(self.tokens[i].text.rstrip("stndrh")) > 2:
            return None
        j = self._skip(i + 1, ".") if self._kind(i) is Kind.NUMBER else i + 1
        if self._word(j) == "day" and self._word(j + 1) == "of":
            j += 1
        if self._word(j) == "of":
            j += 1
        month = self._month(j)
        if month is None:
            return self._listed_days(i)
        if (
            not self._capital(j)
            and self._word(j) in ALSO_WORDS
            and not (
                i == 0 or self._led(i) or self._kind(i) is Kind.ORDINAL or self._year(j + 1)[0]
            )
        ):
            return Hint(i, j + 1, f"{self._word(j)} may be a word and {day} a number")
        after = self._skip(j + 1, ".") if len(self._word(j)) <= 4 else j + 1
        year, last, why = self._year(after)
        if year is None and why is None:
            last = j + 1
            if self._kind(after) in (Kind.NUMBER, Kind.ORDINAL, Kind.SPAN) and (
                self._kind(after) is not Kind.NUMBER or self._value(after) <= 31
            ):
                why = "the month may belong to the number before or after it"
            elif self._mark(after) in DASHES and self._mark(after):
                why = self._more_days(after)
        before = i - 1
        if self._word(before) == "the":
            before -= 1
        joined = self._word(before) in ("and", "or", "to") or (
            bool(self._mark(before)) and self._mark(before) in DASHES | {"&", ",", "/"}
        )
        if joined and self._kind(before - 1) in (Kind.NUMBER, Kind.ORDINAL):
            why = why or "it names more than one day"
        if why is not None:
            return Hint(i, last, why)
        return Phrase(i, last, CalendarDay(year, month, day))

    def _listed_days(self, i: int) -> Hint | None:
        """15 and 16 May."""
        j = i + 1
        if not (self._word(j) in ("and", "or", "to") or self._mark(j) in DASHES | {"&", ",", "/"}):
            return None
        j += 1
        if self._word(j) == "the":
            j += 1
        if self._kind(j) not in (Kind.NUMBER, Kind.ORDINAL):
            return None
        k = j + 2 if self._word(j + 1) == "of" else j + 1
        if self._month(k) is None:
            return None
        return Hint(i, k + 1, "it names more than one day")

    def _year(self, i: int) -> tuple[int | None, int, str | None]:
        """The year that follows a day and month, where it ends, and what is wrong with it."""
        j = self._skip(i, ",")
        if self._word(j) in ("of", "in") and j == i:
            j += 1
        short = self._mark(j) in ("'", "’") and self._kind(j + 1) is Kind.NUMBER
        if short and len(self.tokens[j + 1].text) == 2:
            return 2000 + self._value(j + 1), j + 2, None
        if self._kind(j) is not Kind.NUMBER or len(self.tokens[j].text) != 4:
            return None, i, None
        year = self._value(j)
        if self._word(j + 1) in QUANTITIES:
            return None, j + 1, f"{year} may be a year or a number of {self._word(j + 1)}"
        if not 1900 <= year < 2200:
            return None, j + 1, f"{year} may be a year, a time or a number"
        return year, j + 1, None

    def _more_days(self, i: int) -> str | None:
        """Why a day may not be the only one: May 15 and 16, May 3 - 5."""
        mark, word = self._mark(i), self._word(i)
        if word in ("and", "or", "to", "until", "through", "thru", "till") or (
            mark and (mark in DASHES or mark in "&,/")
        ):
            j = i + 1
            if self._word(j) == "the":
                j += 1
            opaque = self._kind(j) is Kind.OPAQUE and self.tokens[j].text[:1].isdigit()
            numeric = self._kind(j) in (Kind.NUMBER, Kind.ORDINAL) or opaque
            if numeric and not (
                self._word(j + 1) and self._word(j + 1) not in LEADING | {"in", "and", "or", "to"}
            ):
                return "it names more than one day"
            if mark in DASHES and mark and (self._month(j) or self._word(j) in WEEKDAYS):
                return "it is a span of days"
        elif self._kind(i) is Kind.NUMBER and len(self.tokens[i].text) <= 2:
            if not self._word(i + 1) and self._mark(i + 1) != "%":
                return f"{self.tokens[i].text} may be a year or a number"
        elif self._kind(i) is Kind.OPAQUE and self.tokens[i].text[:1].isdigit():
            return "what follows it can't be told"
        return None

    def _end(self, i: int) -> Phrase | Hint | None:
        """End of May, end of Q3, end of the month."""
        ahead: dict[str, EndAhead] = {"eom": EndAhead("month", 0), "eoy": EndAhead("year", 0)}
        if self._word(i) in ahead:
            return Phrase(i, i + 1, ahead[self._word(i)])
        if self._word(i) in ("eow", "eoq"):
            return Hint(i, i + 1, f"{self.tokens[i].text} may end on several days")
        if self._word(i) not in ("end", "close") or self._word(i + 1) not in ("of", "the"):
            return None
        j = i + 2
        if self._word(j) == "the":
            j += 1
        quarter = self._quarter(j)
        if quarter is not None:
            year, last, why = self._year(j + 1)
            return Hint(i, last, why) if why else Phrase(i, last, CalendarDay(year, quarter, LAST))
        month = self._month(j)
        numbered = self._kind(j + 1) in (Kind.NUMBER, Kind.ORDINAL)
        if month is not None and numbered and not self._is_year(j + 1):
            return None  # the end of that day
        if month is not None:
            year, last, why = self._year(j + 1)
            return Hint(i, last, why) if why else Phrase(i, last, CalendarDay(year, month, LAST))
        if self._kind(j) is Kind.NUMBER and 1900 <= self._value(j) < 2200:
            return Phrase(i, j + 1, CalendarDay(self._value(j), 12, 31))
        steps = {"this": 0, "next": 1, "current": 0}
        step = steps.get(self._word(j))
        unit = self._word(j if step is None else j + 1)
        last = j + (1 if step is None else 2)
        if unit == "year":
            return Phrase(i, last, EndAhead("year", step or 0))
        if unit == "month":
            return Phrase(i, last, EndAhead("month", step or 0))
        if unit in ("week", "quarter", "weekend", "fiscal"):
            return Hint(i, last, f"the end of a {unit} may be one of several days")
        return None

    def _is_year(self, i: int) -> bool:
        return self._kind(i) is Kind.NUMBER and len(self.tokens[i].text) == 4

    def _quarter(self, i: int) -> int | None:
        if not 0 <= i < len(self.tokens):
            return None
        return LAST_MONTHS.get(self.tokens[i].text.lower())

    def _ahead(self, i: int) -> Phrase | Hint | None:
        """Tomorrow, in 3 days, 2 weeks from now."""
        word = self._word(i)
        if word in ("today", "tonight"):
            following = self._word(i + 1)
            if following and following not in ("at", "by", "before") and not self._led(i):
                return Hint(i, i + 1, f"{word} may be when it was said")
            return Phrase(i, i + 1, DaysAhead(0))
        if word == "tomorrow":
            return Phrase(i, i + 1, DaysAhead(1))
        if word == "day" and [self._word(k) for k in (i + 1, i + 2)] == ["after", "tomorrow"]:
            return Phrase(i, i + 3, DaysAhead(2))
        introduced = word in ("in", "within")
        j = i + 1 if introduced else i
        if introduced and self._kind(j) is Kind.SPAN and self._word(j + 1) in DAYS_OF:
            return Hint(i, j + 2, "it is a span of days")
        count = self._count(j)
        if count is None:
            return None
        unit = self._word(j + 1)
        last = j + 2
        if not introduced:
            if [self._word(last), self._word(last + 1)] not in (["from", "now"], ["from", "today"]):
                return None
            last += 2
        elif self._word(last) == "of":
            return None
        if unit in DAYS_OF and count * DAYS_OF[unit] <= 3660:
            return Phrase(i, last, DaysAhead(count * DAYS_OF[unit]))
        if unit in MINUTES_OF and count * MINUTES_OF[unit] <= 60_000:
            return Phrase(i, last, MinutesAhead(count * MINUTES_OF[unit]))
        if unit in INEXACT_UNITS:
            return Hint(i, last, f"{count} {unit} ahead is no exact day")
        return None

    def _count(self, i: int) -> int | None:
        if self._kind(i) is Kind.NUMBER:
            return self._value(i) or None
        return SMALL_NUMBERS.get(self._word(i))

    # -- times --

    def _with_time(self, day: Phrase) -> Phrase | Hint:
        """The day with the weekday, time and zone that follow it."""
        j = self._skip(day.last, ".") if self._mark(day.last + 1) in (",", "(") else day.last
        k = self._skip(self._skip(j, ","), "(")
        if WEEKDAYS.get(self._word(k)) is not None and not isinstance(day.when, ComingWeekday):
            day = replace(day, last=k + 1, weekday=WEEKDAYS[self._word(k)])
            j = self._skip(day.last, ")")
        if day.at is not None or day.next_midnight:
            zone, last = ("", day.last) if day.zone else self._zone(day.last, after_time=True)
            return replace(day, zone=zone or day.zone, last=last)
        if isinstance(day.when, MinutesAhead):
            return day
        k = self._skip(self._skip(j, ","), "(", "@")
        eod = k + 1 if self._word(k) in ("by", "at") else k
        ends_day = self._end_of_day(eod)
        if ends_day:
            return replace(day, last=ends_day)
        if self._word(k) in ("at", "by", "before"):
            k += 1
        clock = self._time(k)
        if clock is not None:
            if self._word(clock.last) in ("-", "to", "until", "till", "or") or (
                self._mark(clock.last) in DASHES and self._mark(clock.last)
            ):
                return Hint(day.first, clock.last + 1, "it is a span of time")
            return replace(
                day,
                last=clock.last,
                at=clock.at,
                next_midnight=clock.next_midnight,
                zone=clock.zone or day.zone,
            )
        if self._kind(k) is Kind.HALF_SAID:
            why = f"{self.tokens[k].text} may be in the morning or in the afternoon"
            return Hint(day.first, k + 1, why)
        if self._kind(k) is Kind.CLOCKS:
            return Hint(day.first, k + 1, "it is a span of time")
        if not day.zone:
            zone, last = self._zone(day.last, after_time=False)
            return replace(day, zone=zone, last=last)
        return day

    def _end_of_day(self, i: int) -> int | None:
        if self._word(i) == "eod":
            return i + 1
        words = [self._word(i + k) for k in range(4)]
        if words[:3] == ["end", "of", "day"]:
            return i + 3
        if words == ["end", "of", "the", "day"]:
            return i + 4
        return None

    def _time(self, i: int) -> _Time | None:
        """3pm, 3 p.m., 15:00 CET, noon. A time that leaves its half of the day open is none."""
        if self._word(i) == "noon":
            zone, last = self._zone(i + 1, after_time=True)
            return _Time(last, time(12), zone=zone)
        kind = self._kind(i)
        if kind in (Kind.NUMBER, Kind.HALF_SAID):
            half = self._word(i + 1).replace(".", "")
            hour = self._value(i)
            if half not in ("am", "pm") or not 1 <= hour <= 12:
                return None
            minute, second = (*self.tokens[i].values[1:3], 0, 0)[:2]
            last = i + 2
            if "." in self._word(i + 1):
                last = self._skip(last, ".")
            zone, last = self._zone(last, after_time=True)
            hour = hour % 12 + (12 if half == "pm" else 0)
            return _Time(last, time(hour, minute, second), zone=zone)
        if kind is not Kind.CLOCK:
            return None
        token = self.tokens[i]
        last = i + 1
        if token.text.lower().endswith(".m"):
            last = self._skip(last, ".")
        zone, last = (token.zone, last) if token.zone else self._zone(last, after_time=True)
        hour, minute, second, micro = token.values
        if hour == 24:
            return _Time(last, None, next_midnight=True, zone=zone)
        if self._word(last) in ("am", "pm", "a.m", "p.m"):
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if self._word(last)[0] == "p" else 0)
            last = self._skip(last + 1, ".") if "." in self._word(last) else last + 1
            zone, last = self._zone(last, after_time=True)
        return _Time(last, time(hour, minute, second, micro), zone=zone)

    def _zone(self, i: int, *, after_time: bool) -> tuple[str, int]:
        """The zone that stands at i, and where it ends."""
        j = self._skip(i, "(") if self._mark(i) == "(" else i
        if self._kind(j) is Kind.ZONE:
            return self.tokens[j].zone, self._skip(j + 1, ")") if j > i else j + 1
        if self._kind(j) is Kind.WORD:
            text = self.tokens[j].text
            known = text in ABBREVIATIONS and (after_time or text != "Z")
            if known or (after_time and text in AFTER_TIMES):
                return text, self._skip(j + 1, ")") if j > i else j + 1
        if after_time and self._mark(j) in ("+", "-") and j + 1 < len(self.tokens):
            digits = self.tokens[j + 1].text.replace(":", "")
            adjacent = self.tokens[j + 1].start == self.tokens[j].end
            figured = adjacent and digits.isascii() and digits.isdigit() and len(digits) in (2, 4)
            before = self.tokens[i - 1]
            clock = before.values[-4:] if before.kind in (Kind.CLOCK, Kind.MOMENT) else ()
            seconds = before.text.count(":") > 1
            if figured and (clock and may_be_span(clock, self._mark(j) + digits, seconds=seconds)):
                return "", i
            if figured:
                return self._mark(j) + digits, j + 2
        return "", i

    # -- doubts --

    def _in_doubt(self, found: Phrase) -> Hint | None:
        """Why a day that is fixed may not be when something is due."""
        why = self._doubt_before(found) or self._doubt_after(found)
        return (
            None if why is None else Hint(found.first, found.last, f"the date {why}", meant=found)
        )

    def _doubt_before(self, found: Phrase) -> str | None:
        i = found.first - 1
        while i >= 0 and (self._word(i) in SKIPPED or self._mark(i) in SKIPPED):
            i -= 1
        word = self._word(i) or self._mark(i)
        timed = found.at is not None or found.next_midnight
        if word == "than":
            agreed = self._word(i - 1) == "later" and self._word(i - 2) in ("no", "not")
            return None if agreed else "is only what something is compared with"
        inclusive = self._word(i - 1) == "or" and self._word(i - 2) in ("on", "by", "at")
        if word == "before" and inclusive:
            return None
        if word == "to" and self._word(i - 1) in MOVED:
            return None
        if word == "before" or (word == "to" and self._word(i - 1) == "prior"):
            exact = timed or isinstance(found.when, MinutesAhead)
            return None if exact else "itself may be too late: it says before"
        return NO_DEADLINE.get(word)

    def _doubt_after(self, found: Phrase) -> str | None:
        i = found.last
        word = self._word(i) or self._mark(i)
        if self._word(i) in ("last", "next", "this") and self._word(i + 1) == "year":
            return f"is of {self._word(i)} year"
        if self._word(i) == "in" and self._word(i + 1) == "the" and self._word(i + 2) in AFTERWARDS:
            word = self._word(i + 2)
        if self._word(i) == "at" and (self._word(i + 1) in AFTERWARDS or self._bare_hour(i)):
            return "has a time that isn't exact"
        if not found.zone and self._unknown_zone(i):
            return "is in a zone that isn't known"
        return AFTERWARDS.get(word)

    def _unknown_zone(self, i: int) -> bool:
        """3pm Eastern, 3pm Chicago time, 3pm NZST."""
        i = self._skip(i, "(")
        if self._kind(i) is not Kind.WORD:
            return False
        text = self.tokens[i].text
        if text.lower() in ZONE_WORDS:
            return True
        abbreviation = text.isascii() and text.isupper() and 3 <= len(text) <= 5 and text[-1] == "T"
        return abbreviation or (
            self._capital(i) and "time" in (self._word(i + 1), self._word(i + 2))
        )

    # -- what fixes no day --

    def _hint(self, i: int) -> Hint | None:
        rules = (self._hint_of_time, self._hint_of_period, self._hint_of_number)
        return next((found for rule in rules if (found := rule(i)) is not None), None)

    def _bare_hour(self, i: int) -> bool:
        """at 5: whether i is such an at."""
        if self._word(i) != "at" or self._kind(i + 1) is not Kind.NUMBER:
            return False
        following = self._word(i + 2)
        return self._value(i + 1) <= 24 and (
            not following
            or following in LEADING
            or following in ("o'clock", "with", "in", "and")
            or following in WEEKDAYS
            or following in ("today", "tomorrow")
        )

    def _hint_of_time(self, i: int) -> Hint | None:
        kind = self._kind(i)
        if kind in (Kind.CLOCK, Kind.HALF_SAID, Kind.CLOCKS):
            return Hint(i, i + 1, f"{self.tokens[i].text} is a time of no day")
        if self._time(i) is not None:
            return Hint(i, i + 1, f"{self.tokens[i].text} is a time of no day")
        if self._bare_hour(i):
            return Hint(i, i + 2, f"{self._word(i)} {self.tokens[i + 1].text} is a time of no day")
        if self._end_of_day(i):
            return Hint(i, i + 1, "it says the end of a day, and not of which")
        if self._word(i) == "midnight":
            return Hint(i, i + 1, "midnight may be the day's beginning or end")
        return None

    def _hint_of_period(self, i: int) -> Hint | None:
        word, before = self._word(i), self._word(i - 1)
        if word in PERIODS and before in ("next", "this", "coming", "following"):
            return Hint(i, i + 1, f"{before} {word} names no day")
        if word == "weekend":
            return Hint(i, i + 1, "a weekend has several days")
        if word in MONTHS and (self._capital(i) or word not in ALSO_WORDS):
            led = before in ("by", "in", "until", "till", "before", "during", "this", "next")
            return Hint(i, i + 1, f"{self.tokens[i].text} names no day", hard=led)
        if self._quarter(i) is not None:
            return Hint(
                i, i + 1, f"{self.tokens[i].text} names no day", hard=before in ("by", "in")
            )
        if self._kind(i) is Kind.ORDINAL and before in ("the", *DUE):
            alone = not self._word(i + 1) or self._word(i + 1) in LEADING
            return Hint(i, i + 1, f"{self.tokens[i].text} names no month", hard=alone)
        if word in ("yesterday", "daily", "weekly", "monthly", "yearly"):
            return Hint(i, i + 1, f"{word} names no date", hard=False)
        return None

    def _hint_of_number(self, i: int) -> Hint | None:
        token = self.tokens[i]
        if token.kind is Kind.OPAQUE and token.dated:
            return Hint(i, i + 1, "part of it looks like a date", hard=False)
        if token.kind in (Kind.NUMBER, Kind.ORDINAL) and 1 <= token.values[0] <= 31:
            return Hint(i, i + 1, f"{token.text} may be a day or a number", hard=False)
        if token.kind is Kind.SPAN:
            return Hint(i, i + 1, f"{token.text} may be days or numbers", hard=False)
        return None
