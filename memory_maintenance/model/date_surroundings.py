"""What stands near a date that was read: where it isn't wholly understood, the date is in doubt.

The grammar (`date_phrases`) takes what it knows. This looks at what it left over: the rest of a span, another
day, a time or zone in other words, a negation. Nothing here makes a reading; it only takes one away.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from memory_maintenance.model.date_phrases import (
    CalendarDay,
    DaysAhead,
    EndAhead,
    MinutesAhead,
    Phrase,
)
from memory_maintenance.model.date_tokens import MONTHS, WEEKDAYS, Kind, Token
from memory_maintenance.model.date_words import (
    ABOUT,
    BYGONE,
    CONDITIONALLY,
    CONDITIONS,
    DASHES,
    DOCUMENTS,
    EVERY,
    FOLLOWING,
    FOREIGN,
    FOREIGN_UNTIL,
    JOINING,
    LATER,
    LONG_UNITS,
    MIDDLING_ENGLISH,
    MOVED,
    NEGATIONS,
    NEGATIONS_MEANT_WELL,
    NUMBERED,
    OF_A_DEADLINE,
    OF_OTHERS,
    OFTEN_BEFORE_TIME,
    ON_THE_DAY,
    ONCE,
    PERSONS,
    QUANTITIES,
    RECURRING,
    RECURS_WITH,
    SHORT_ENGLISH,
    SKIPPED,
    SMALL_NUMBERS,
    SPAN_UNITS,
    SPANNING,
    TIME_WORDS,
    TO_TIME,
    VAGUE,
    WITHDRAWN,
)
from memory_maintenance.model.local_time import ABBREVIATIONS, AFTER_TIMES

_MOST_DATES: Final = 20
"""No sentence with a deadline has more; each is looked at with all that stands around it."""
_NEAR: Final = 5
"""Tokens after a date that may take it back."""
_LISTING: Final = frozenset({",", "(", ".", "/", ";"}) | DASHES
_BETWEEN: Final = frozenset(["the", "on", "by", "at", "latest"])
_COMPARING: Final = frozenset("<>=≤≥")
_ZONES: Final = (ABBREVIATIONS | AFTER_TIMES) - {"Z"}
_LAST_DAY: Final = 31
_SHORT_WORD: Final = 5
_PHONE_DIGITS: Final = 7
_NUMBERS: Final = frozenset(
    {Kind.NUMBER, Kind.ORDINAL, Kind.SPAN, Kind.SHORT, Kind.CLOCK, Kind.CLOCKS, Kind.HALF_SAID}
)
_TURNING: Final = frozenset("/&+~±<>=*^|≈?@")
"""Marks right after a date that go on with it."""
_ENDS: Final = frozenset(".!;…\n")
_QUOTES: Final = (('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("‘", "’"))
_ABBREVIATED: Final = frozenset(
    [
        "approx",
        "ca",
        "circa",
        "dr",
        "mr",
        "mrs",
        "ms",
        "st",
        "no",
        "nr",
        "vs",
        "etc",
        "dept",
        "e.g",
        "i.e",
    ]
)
_LENGTHS_OF_TIME: Final = frozenset(
    ["hours", "hour", "hrs", "hr", "h", "minutes", "mins", "seconds"]
)
_EACH_WEEK: Final = frozenset(f"{name}s" for name in WEEKDAYS if name.endswith("day"))
_CLOCK_LIKE: Final = re.compile(r"[0-9]{1,2}(?:[.:h][0-9]{0,2})?h?")
_PAST_TENSE: Final = re.compile(r"[a-z]{3,}ed(?:[_-]?(?:at|on|date|time))?")
_FOREIGN_PAST: Final = re.compile(
    r"\w+(?:é|ée|és|ées|ado|ada|ido|ida|ato|ata|uto|uta|ito|ita)|ge\w{2,}(?:t|en)"
    r"|(?:er|ver|be|ent|unter|über|aus|ab|an|ein|vor)\w{2,}t|(?:ver|unter|aus|ab|an|be)\w{3,}en"
)
"""Words in the form of the past, of German and of languages from Latin."""
_MILITARY: Final = re.compile(r"([01][0-9]|2[0-4])[0-5][0-9][-/]([01][0-9]|2[0-4])[0-5][0-9]h?")
_NO_PAST: Final = frozenset(
    ["need", "feed", "speed", "scheduled", "planned", "needed", "required", "expected", "wanted"]
)


def doubt(found: list[Token], phrases: list[Phrase]) -> str | None:
    """Why days may not be what they were read as, as in "the date ..."; None where nothing speaks against it.

    phrases: all that the text fixes; they say the same, and so don't leave each other in doubt.
    """
    if len(phrases) > _MOST_DATES:
        return "is said too often"
    words = [token.word for token in found]
    understood = frozenset(i for phrase in phrases for i in range(phrase.first, phrase.last))
    near = (_Surroundings(found, words, understood, phrase) for phrase in phrases)
    return next((why for one in near if (why := one.doubt()) is not None), None)


class _Surroundings:
    """The tokens around one phrase."""

    def __init__(
        self, found: list[Token], words: list[str], understood: frozenset[int], phrase: Phrase
    ) -> None:
        self._tokens = found
        self._words = words
        self._understood = understood
        self._phrase = phrase
        self._from, self._to = self._sentence()
        inside = self._words[phrase.first : phrase.last]
        self._exact = phrase.at is not None or phrase.next_midnight or "eod" in inside
        self._exact = self._exact or ("end" in inside and "day" in inside)

    def doubt(self) -> str | None:
        rules = (
            self._negated,
            self._vague,
            self._bygone,
            self._withdrawn,
            self._recurring,
            self._more_of_the_span,
            self._another_day,
            self._time_after,
            self._time_before,
            self._zone,
            self._verb,
            self._attribute,
            self._conditional,
            self._of_a_document,
            self._quoted,
            self._foreign,
        )
        return next((why for rule in rules if (why := rule()) is not None), None)

    # -- looking around --

    def _word(self, i: int) -> str:
        return self._words[i] if 0 <= i < len(self._words) else ""

    def _mark(self, i: int) -> str:
        return self._tokens[i].mark if 0 <= i < len(self._tokens) else ""

    def _kind(self, i: int) -> Kind | None:
        return self._tokens[i].kind if 0 <= i < len(self._tokens) else None

    def _text(self, i: int) -> str:
        return self._tokens[i].text if 0 <= i < len(self._tokens) else ""

    def _sentence(self) -> tuple[int, int]:
        first, last = self._phrase.first, self._phrase.last
        while first > 0 and not self._ends(first - 1):
            first -= 1
        while last < len(self._tokens) and not self._ends(last):
            last += 1
        return first, last

    def _ends(self, i: int) -> bool:
        mark, before = self._mark(i), self._word(i - 1)
        abbreviated = mark == "." and (before in _ABBREVIATED or len(before) == 1)
        return bool(mark) and mark in _ENDS and not abbreviated

    def _around(self) -> list[int]:
        """The other tokens of its sentence."""
        phrase = self._phrase
        return [*range(self._from, phrase.first), *range(phrase.last, self._to)]

    def _after(self) -> range:
        return range(self._phrase.last, min(self._to, self._phrase.last + _NEAR))

    def _digits(self, i: int) -> bool:
        """Whether a number stands at i that counts nothing and is no telephone number."""
        kind = self._kind(i)
        if i in self._understood:
            return False
        if kind is Kind.OPAQUE:
            text = self._text(i)
            return text[:1].isdigit() and sum(map(str.isdigit, text)) < _PHONE_DIGITS
        if kind not in _NUMBERS:
            return False
        following = self._word(i + 1)
        return not (following in QUANTITIES and following not in _LENGTHS_OF_TIME) and (
            self._mark(i + 1) != "%"
        )

    def _day_like(self, i: int) -> bool:
        word = self._word(i)
        named = word in MONTHS and self._text(i)[:1].isupper() and self._text(i) != "May"
        return self._digits(i) or word in WEEKDAYS or named or word in ("today", "tomorrow")

    # -- what is said of the date --

    def _negated(self) -> str | None:
        for i in self._around():
            word = self._word(i).replace("’", "'")
            if not (word in NEGATIONS or word.endswith("n't")):
                continue
            if word == "no" and (self._mark(i + 1) == "." or self._kind(i + 1) is Kind.NUMBER):
                continue
            near = {self._word(i + 1), self._word(i + 2)}
            if near & NEGATIONS_MEANT_WELL:
                continue
            if i < self._phrase.first or i in self._after():
                return "may be what is not meant"
        return None

    def _vague(self) -> str | None:
        if any(self._word(i) in VAGUE for i in self._around()):
            return "isn't certain"
        before = self._phrase.first - 1
        if self._word(before - 1 if self._mark(before) == "." else before) in ABOUT:
            return "is given as about"
        if any(self._mark(i) == "?" for i in range(self._phrase.last, self._to)):
            return "is in question"
        thought = any(self._word(i) == "think" and self._word(i - 1) == "i" for i in self._around())
        return "isn't certain" if thought else None

    def _bygone(self) -> str | None:
        if any(self._word(i) in BYGONE for i in self._around()):
            return "may be past"
        near = range(max(self._from, self._phrase.first - 3), self._phrase.first)
        if any(self._word(i) in ONCE for i in near):
            return "may not hold any more"
        i = self._phrase.first - 1
        while i >= self._from and (self._word(i) in SKIPPED or self._mark(i) in SKIPPED):
            i -= 1
        if self._past_tense(i):
            return "may be when something happened"
        # On May 15 we decided.
        i = self._phrase.last + (self._mark(self._phrase.last) == ",")
        if self._word(i) in PERSONS and self._past_tense(i + 1):
            return "may be when something happened"
        return None

    def _past_tense(self, i: int) -> bool:
        text = self._text(i).lower()
        return bool(_PAST_TENSE.fullmatch(text)) and text not in _NO_PAST

    def _withdrawn(self) -> str | None:
        for i in self._after():
            if self._word(i) == "give" and self._word(i + 1) == "or":
                return "isn't certain"
            if self._word(i) in WITHDRAWN:
                return "may not hold any more"
            if self._word(i) in ("year", "years"):
                return "may be of another year"
        i = self._phrase.last
        if self._word(i + (self._word(i) in ("is", "are"))) == "off":
            return "may not hold any more"
        return None

    def _recurring(self) -> str | None:
        for i in self._around():
            then = self._word(i + 1)
            every = self._word(i) in EVERY and (
                then in RECURS_WITH
                or then in WEEKDAYS
                or then in MONTHS
                or i + 1 in (self._phrase.first, self._phrase.last)
            )
            # A weekly report may be due once.
            plain = self._word(i) in RECURRING and (
                i in self._after() or self._word(i) in _EACH_WEEK
            )
            often = self._word(i) in ("a", "an") and self._word(i - 1) in ("once", "twice", "times")
            if every or plain or (often and then in RECURS_WITH):
                return "recurs"
        return None

    # -- more than was read --

    def _more_of_the_span(self) -> str | None:
        """In 2 hours and 30 minutes; in 2 weeks, latest in 3."""
        if not isinstance(self._phrase.when, DaysAhead | MinutesAhead):
            return None
        i = self._phrase.last
        if self._span(i):
            return "is followed by more of the span"
        while (
            self._word(i) in JOINING | {"in", "a", "an", "with", "at", "most"}
            or self._mark(i) in {",", ";", "("} | DASHES
        ):
            i += 1
        if self._word(i) in ("bit", "little", "few", "couple", "some"):
            return "is followed by more of the span"
        if i == self._phrase.last:
            return None
        more = self._digits(i) or self._kind(i) is Kind.NUMBER or self._word(i) in TIME_WORDS
        return "is followed by more of the span" if more else None

    def _span(self, i: int) -> bool:
        """Whether a span of time stands at i: 2 weeks, a day."""
        counts = self._kind(i) in _NUMBERS or self._word(i) in SMALL_NUMBERS
        return counts and self._word(i + 1) in SPAN_UNITS

    def _another_day(self) -> str | None:
        """Tue/Wed; 2026-05-15 and 16; April 3..5; May 15 - 2 weeks; mid/end of May."""
        i = self._phrase.last
        counted = self._mark(i) in DASHES and bool(self._mark(i)) and self._span(i + 1)
        lasts = self._word(i) == "for" and self._span(i + 1) and self._word(i + 2) in LONG_UNITS
        longer = self._span(i) and self._word(i + 1) in LONG_UNITS
        if counted or lasts or longer:
            return "is only what a span of time is counted from"
        if self._mark(self._phrase.first - 1) == "/" and self._adjacent(self._phrase.first):
            return "is one of several"
        if self._mark(i) in _TURNING and self._mark(i):
            return f"is followed by {self._mark(i)}"
        if self._mark(self._phrase.first - 1) in _COMPARING:
            return "is only what something is compared with"
        start = i
        while self._mark(i) in _LISTING or self._word(i) in JOINING | _BETWEEN:
            if self._mark(i) == "." and not self._goes_on(i):
                break
            if self._word(i) == "or" or self._word(i + 1) in LATER:
                return "is one of several"
            i += 1
        if i > start and self._day_like(i):
            return "is one of several, or has a time that can't be told"
        return self._day_before() or self._number_after()

    def _adjacent(self, i: int) -> bool:
        """Whether nothing stands between a token and the one before."""
        return 0 < i < len(self._tokens) and self._tokens[i - 1].end == self._tokens[i].start

    def _numeric(self) -> bool:
        kinds = (Kind.DAY, Kind.MOMENT, Kind.NUMERIC, Kind.SHORT)
        return self._kind(self._phrase.first) in kinds

    def _day_before(self) -> str | None:
        """Sun and Mon; 15. - 16. May; 10. bis 15.05.2026."""
        i = self._phrase.first - 1
        if self._numeric() and (
            self._word(i) in JOINING | SPANNING or self._mark(i) in DASHES | {"/", "&"}
        ):
            k = i - 1
            while self._mark(k) == "." or self._word(k) in SPANNING:
                k -= 1
            counts = self._kind(k) in _NUMBERS | {Kind.OPAQUE} and self._text(k)[:1].isdigit()
            if counts and self._word(k - 1) not in NUMBERED:
                return "is one of several"
        if self._word(i) in ("by", "on", "the"):
            i -= 1
        joined = self._word(i) in JOINING - {"to", "until", "till", "bis"}
        if not (joined or self._mark(i) in {"/", "&"} | DASHES):
            return None
        weekday = self._word(i - 1) in WEEKDAYS and self._text(i - 1)[:1].isupper()
        number = i - 2 if self._mark(i - 1) == "." else i - 1
        begins = self._kind(self._phrase.first) in (Kind.NUMBER, Kind.ORDINAL)
        numbered = begins and self._kind(number) in (Kind.NUMBER, Kind.ORDINAL)
        return "is one of several" if weekday or numbered else None

    def _number_after(self) -> str | None:
        """Abstract May 15, paper 22."""
        for i in range(self._phrase.last, self._to):
            if self._kind(i) not in (Kind.NUMBER, Kind.ORDINAL) or i in self._understood:
                continue
            named = self._word(i - 1) in NUMBERED or self._mark(i - 1) in {"#", "$", "€", "£"}
            ends = not self._word(i + 1) or self._word(i + 1) in JOINING | {"for", "on", "by", "at"}
            if ends and not named and self._digits(i) and self._tokens[i].values[0] <= _LAST_DAY:
                return "is followed by a number that can't be told"
        return None

    def _goes_on(self, i: int) -> bool:
        """Whether a full stop ends no sentence: it is one of several, or of an abbreviation."""
        return "." in (self._mark(i + 1), self._mark(i - 1)) or self._word(i - 1) == "resp"

    def _time_after(self) -> str | None:
        """May 15 at five pm, by Friday 17h, tomorrow 9."""
        i = self._phrase.last
        if self._mark(i) in {",", "(", ":"} | DASHES:
            i += 1
        led = 0
        while led < 3 and (self._word(i + led) in TO_TIME or (led and self._mark(i + led) == ".")):
            led += 1
        word = self._word(i + led)
        if _MILITARY.fullmatch(self._text(i + led)):
            return "has a time that isn't exact"
        if word in TIME_WORDS or word.endswith(("time", "oclock")):
            return "has a time that isn't exact"
        if self._digits(i + led):
            return "is followed by a number that can't be told"
        short = len(word) <= 3 and word not in FOLLOWING
        if (
            word
            and short
            and self._digits(i + led + 1)
            and self._kind(i + led + 1) is not Kind.ORDINAL
        ):
            return "is followed by a number that can't be told"
        at = self._word(i) in ("at", "by", "around", "about")
        if at and any(self._word(k) in TIME_WORDS for k in range(i + 1, min(i + 4, self._to))):
            return "has a time that isn't exact"
        return None

    def _time_before(self) -> str | None:
        """At five pm on May 15; 17h, May 15; lunchtime May 15."""
        i = self._phrase.first - 1
        while self._word(i) in ("on", "of", "the", "this") or self._mark(i) in {",", "("} | DASHES:
            i -= 1
        word = self._word(i)
        if word in ("am", "pm", "a.m", "p.m", "uhr", "sharp", "o'clock", "oclock"):
            if word == "am" and self._word(i - 1) == "i":
                return None
            return "has a time that isn't exact"
        if (
            word in TIME_WORDS - {"half"} and word not in ("first", "last", "start")
        ) or word.endswith("time"):
            return "has a time that isn't exact"
        text = self._text(i)
        if _MILITARY.fullmatch(text) and self._word(i - 1) not in NUMBERED:
            return "follows a number that may be its time"
        if not self._digits(i) or self._word(i - 1) in NUMBERED:
            return None
        if self._kind(i) is Kind.NUMBER:
            like = int(text) <= 24 or (
                len(text) == 4 and int(text) < 2400 and not 1900 <= int(text) < 2200
            )
        else:
            like = bool(_CLOCK_LIKE.fullmatch(text)) and (
                "." not in text or self._word(i - 1) in TO_TIME or not self._word(i - 1)
            )
        return "follows a number that may be its time" if like else None

    def _zone(self) -> str | None:
        """EOD March 5 PT; March 5 17:00 in Tokyo; March 5 17:00, their time."""
        why = "may be in a zone that isn't known"
        i = self._phrase.last
        bracket = self._mark(i) == "("
        comma = self._mark(i) in {",", "("} | DASHES
        k = i + 1 if comma else i
        if self._text(k) in AFTER_TIMES or (
            self._text(k) in ABBREVIATIONS and not self._phrase.zone
        ):
            return why
        if self._kind(k) is Kind.ZONE:
            return why
        if self._of_a_place():
            return why
        if not self._exact:
            return None
        if any(
            self._word(n) in ("office", "site", "branch", "team")
            and self._text(n - 1)[:1].isupper()
            for n in self._after()
        ):
            return why
        if bracket:
            return why
        word = self._word(k)
        if word == "in":
            known = self._text(k + 1)[:1].islower() and self._word(k + 1) not in OF_OTHERS
            return None if known else why
        if comma:
            return why if self._text(k)[:1].isupper() and self._kind(k) is Kind.WORD else None
        if self._kind(k) is Kind.WORD:
            lettered = len(self._text(k)) == 1 and self._text(k).isupper() and word != "i"
            return None if word in FOLLOWING and not lettered else why
        return why if self._kind(k) is Kind.OPAQUE or self._mark(k) == "[" else None

    def _of_a_place(self) -> bool:
        """Berlin time, their time; all times in PT."""
        outside = [i for i in range(len(self._tokens)) if i not in self._understood]
        if not self._exact:
            outside = self._around()
        return any(self._tells_a_zone(i) for i in outside)

    def _tells_a_zone(self, i: int) -> bool:
        before = self._word(i - 1)
        if self._word(i) in ("timezone", "tz") or self._text(i) == "AoE":
            return True
        if [self._word(i + k) for k in range(3)] == ["anywhere", "on", "earth"]:
            return True
        if self._word(i) in ("time", "clock", "zone"):
            place = self._text(i - 1)[:1].isupper() and before not in OFTEN_BEFORE_TIME and i > 1
            return place or (self._exact and before in OF_OTHERS)
        if not self._exact or self._phrase.zone:
            return False
        text = self._text(i)
        named = text in _ZONES
        place = before == "in" and text[:1].isupper() and self._word(i) not in MONTHS
        return named or place or self._kind(i) is Kind.ZONE

    def _verb(self) -> str | None:
        """3 may be enough."""
        last = self._phrase.last - 1
        if self._text(last) not in ("may", "march", "mar") or self._kind(last + 1) is not Kind.WORD:
            return None
        if self._word(last + 1) in ("at", "by", "for", "with", "and", "in", "on", "to", "until"):
            return None
        return f"may be no date: {self._text(last)} may be a verb"

    def _attribute(self) -> str | None:
        """End of year party."""
        when = self._phrase.when
        ends = isinstance(when, EndAhead) or self._word(self._phrase.first) in ("end", "close")
        if not ends or self._exact or self._kind(self._phrase.last) is not Kind.WORD:
            return None
        known = self._word(self._phrase.last) in _AFTER_ENDS
        return None if known else "may only describe what follows it"

    def _conditional(self) -> str | None:
        """Subject to approval, May 15; should it arrive by May 15; e.g. May 15."""
        inside = [i for i in range(self._from, self._to) if not self._mark(i)]
        for i, then in pairwise(inside):
            if f"{self._word(i)} {self._word(then)}" in CONDITIONS:
                return "hangs on something, or is an example"
        if self._word(self._from) in CONDITIONALLY and self._word(self._from + 1) in PERSONS:
            return "hangs on something"
        return None

    def _of_a_document(self) -> str | None:
        """Letter of May 15; the May 15 letter."""
        why = "may be when something was written"
        i = self._phrase.first - 1
        if self._word(i) == "the":
            i -= 1
        named = self._word(i) == "of" and self._kind(i - 1) is Kind.WORD
        if named and self._word(i - 1) not in OF_A_DEADLINE:
            return why
        return why if self._word(self._phrase.last) in DOCUMENTS else None

    def _quoted(self) -> str | None:
        """Read "Around the World in 80 days": the name of something."""
        before, last = self._phrase.first - 1, self._phrase.last
        for opening, closing in _QUOTES:
            # Apostrophes aren't told from quotes by what they are, only by where.
            opened = sum(self._opens(i, opening) for i in range(self._from, before + 1))
            closed = sum(self._closes(i, closing) for i in range(last, len(self._tokens)))
            whole = self._mark(before) == opening and self._mark(last) == closing
            if opened % 2 and closed and not whole:
                return "may be part of a name"
        return None

    def _opens(self, i: int, mark: str) -> bool:
        return self._mark(i) == mark and self._adjacent(i + 1)

    def _closes(self, i: int, mark: str) -> bool:
        return self._mark(i) == mark and self._adjacent(i)

    # -- other languages --

    def _foreign(self) -> str | None:
        why = "may be of another language"
        numeric = self._numeric()
        near = [
            i
            for i in self._around()
            if not numeric or self._phrase.first - 3 <= i <= self._phrase.last + 1
        ]
        if any(self._is_foreign(i, numeric) for i in near):
            return why
        if (
            self._kind(self._phrase.last) is Kind.WORD
            and not self._text(self._phrase.last).isascii()
        ):
            return why
        i = self._phrase.first - 1
        while numeric and self._word(i) in FOREIGN_UNTIL:
            i -= 1
        if self._kind(i) is not Kind.WORD:
            return None
        text, word = self._text(i), self._word(i)
        said = self._word(i + 1) in ON_THE_DAY and _FOREIGN_PAST.fullmatch(word)
        if numeric and i < self._phrase.first - 1 and said:
            return why
        if text[:1].isupper() or word in SHORT_ENGLISH | MIDDLING_ENGLISH | FOREIGN_UNTIL:
            return None
        return why if not text.isascii() or len(text) <= _SHORT_WORD else None

    def _is_foreign(self, i: int, numeric: bool) -> bool:
        word, text = self._word(i), self._text(i)
        abbreviation = len(text) > 1 and text.isupper()
        if word not in FOREIGN or abbreviation or (text[:1].isupper() and i > self._from):
            return False  # LA, El Paso
        if word == "am" and self._word(i - 1) == "i":
            return False
        return not (numeric and word in FOREIGN_UNTIL)


_AFTER_ENDS: Final = frozenset(
    [
        "and",
        "or",
        "to",
        "for",
        "with",
        "at",
        "by",
        "please",
        "because",
        "so",
        "but",
        "then",
        "when",
        "if",
        "as",
        "via",
        "is",
        "or",
        "the",
        "latest",
        "i",
        "we",
        "you",
    ]
) | frozenset(MOVED)


def is_yearless(phrase: Phrase) -> bool:
    """Whether the text says day and month without year."""
    return isinstance(phrase.when, CalendarDay) and phrase.when.year is None
