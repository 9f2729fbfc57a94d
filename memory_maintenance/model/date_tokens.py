"""A text as words and numbers, those told apart that a date may be made of.

A run of characters without blanks is looked at as a whole: "2026-05-15" is a day, and the same digits within
"INV-2026-05-15-7" or a URL are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from memory_maintenance.model.local_time import is_zone_name

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday", "wed"),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
}


class Kind(Enum):
    """What a token is."""

    WORD = auto()
    NUMBER = auto()  # values: (number,), of at most four digits
    ORDINAL = auto()  # values: (day,)
    DAY = auto()  # 2026-05-15; values: year, month, day
    MOMENT = (
        auto()
    )  # 2026-05-15T15:00Z; values: year, month, day, hour, minute, second, microsecond
    CLOCK = auto()  # 15:00, 3pm; values: hour, minute, second, microsecond
    HALF_SAID = auto()  # 5:00, of the morning or the afternoon
    CLOCKS = auto()  # 3-5pm
    SPAN = auto()  # 3-5
    NUMERIC = auto()  # 03/04/2026; values: first, second, year
    SHORT = auto()  # 03/04; values: first, second
    OPAQUE = auto()  # a version, a telephone number, a price, a path
    ZONE = auto()  # Europe/Berlin, UTC+2
    MARK = auto()  # one character that is none of these


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. zone: what a clock or moment says of its zone: "Z", "+02:00" or nothing.
    dated: an opaque one that has a date within."""

    kind: Kind
    text: str
    start: int
    end: int
    values: tuple[int, ...] = ()
    zone: str = ""
    dated: bool = False

    @property
    def word(self) -> str:
        """In lower case; nothing for what is no word."""
        return self.text.lower() if self.kind is Kind.WORD else ""

    @property
    def mark(self) -> str:
        """The character; nothing for what is no mark."""
        return self.text if self.kind is Kind.MARK else ""


_DASHES: Final = "-‐‑–—−"
_PLAIN_HYPHENS: Final = str.maketrans("‐‑–−", "----")
_SPAN_DASHES: Final = "–—"
"""Between two times of the day these make a span, never an offset."""
_JOINERS: Final = _DASHES + "./:_+=&@#’'\\"
_RUN: Final = re.compile(rf"\w+(?:[{re.escape(_JOINERS)}]\w+)*|\S")
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_OFFSET: Final = r"(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
_UTC_OFFSET: Final = re.compile(r"(?:UTC|GMT)[+-][0-9]{1,2}(?::?[0-9]{2})?")
_HALF: Final = r"(?P<half>[AaPp](?:[Mm]|\.[Mm]))"
_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))

_DAY: Final = re.compile(r"(?P<y>[12][0-9]{3})([-/])(?P<m>[0-9]{1,2})\2(?P<d>[0-9]{1,2})")
_MOMENT: Final = re.compile(
    r"(?P<y>[12][0-9]{3})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"
    r"(?:[Tt](?P<h>[0-9]{2}):(?P<min>[0-9]{2})(?::(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]{1,9}))?)?)?"
    + _OFFSET
)
_COMPACT: Final = re.compile(
    r"(?P<y>[12][0-9]{3})(?P<m>[0-9]{2})(?P<d>[0-9]{2})"
    r"T(?P<h>[0-9]{2})(?P<min>[0-9]{2})(?P<s>[0-9]{2})?(?P<f>)" + _OFFSET
)
_CLOCK: Final = re.compile(
    r"(?P<h>[0-9]{1,2}):(?P<min>[0-9]{2})(?::(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]{1,6}))?)?"
    rf"{_HALF}?{_OFFSET}"
)
_HOUR: Final = re.compile(rf"(?P<h>[0-9]{{1,2}}){_HALF}")
_CLOCKS: Final = re.compile(rf"[0-9:]+(?:[ap]\.?m)?[{_DASHES}][0-9:]+(?:[ap]\.?m)?", re.IGNORECASE)
_SPAN: Final = re.compile(
    rf"[0-9]{{1,2}}(?:st|nd|rd|th)?[{_DASHES}][0-9]{{1,2}}(?:st|nd|rd|th)?", re.I
)
_ORDINAL: Final = re.compile(r"(?P<n>[0-9]{1,2})(?P<end>st|nd|rd|th)", re.IGNORECASE)
_NUMERIC: Final = re.compile(
    r"(?P<a>[0-9]{1,2})(?P<sep>[-./])(?P<b>[0-9]{1,2})(?P=sep)(?P<y>[12][0-9]{3})"
)
_NUMERIC_SHORT_YEAR: Final = re.compile(r"(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})/(?P<y>[0-9]{2})")
_SHORT: Final = re.compile(r"(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})")
_DAY_MONTH: Final = re.compile(
    rf"(?P<d>[0-9]{{1,2}})([-/.])(?P<m>{_MONTH})(?:\2(?P<y>[12][0-9]{{3}}))?", re.IGNORECASE
)
_YEAR_MONTH_DAY: Final = re.compile(
    rf"(?P<y>[12][0-9]{{3}})([-/])(?P<m>{_MONTH})\2(?P<d>[0-9]{{1,2}})", re.IGNORECASE
)
_DATED: Final = re.compile(
    rf"[12][0-9]{{3}}[-./]?[01]?[0-9][-./]?[0-3]?[0-9]|W[0-9]{{2}}|(?:{_MONTH})[-./_]?[0-9]"
    rf"|[0-9][-./_]?(?:{_MONTH})",
    re.IGNORECASE,
)
_DOTTED_SHORT: Final = re.compile(r"[0-3][0-9]\.[01][0-9]|[0-3]?[0-9][-.][01]?[0-9][-.][0-9]{2}")
_FIGURES: Final = re.compile(
    r"(?:(?:19|20|21)[0-9]{2}|[0-9]{2})(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[0-9]{2}){0,3}"
    r"|(?:19|20|21)[0-9]{2}(?:0[1-9]|1[0-2])|[0-3][0-9][0-3][0-9](?:19|20|21)[0-9]{2}"
)
"""Figures alone that a date may be written as: 20260515, 202605151200, 260515, 202605, 15052026. Others, such
as 221338697, are the number of something."""
_WITHIN_BEFORE: Final = frozenset("/\\#@=_+-$€£¥~^*&|")
_WITHIN_AFTER: Final = frozenset("/\\#@=_%°€£")


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order; positions are those of its characters."""
    found: list[Token] = []
    for run in _RUN.finditer(text):
        found += _classified(text, run[0], run.start())
    return _without_thousands(found)


def _classified(text: str, run: str, start: int) -> Iterator[Token]:
    end = start + len(run)
    if len(run) == 1 and not run.isalnum():
        yield Token(Kind.MARK, run, start, end)
        return
    before = text[start - 1 : start]
    if before == "@" and not text[: start - 1][-1:].strip():
        before = ""  # @3pm, and not the domain of an address
    after = text[end : end + 1]
    if any(c.isdigit() for c in run) and (before in _WITHIN_BEFORE or after in _WITHIN_AFTER):
        yield Token(Kind.OPAQUE, run, start, end, dated=_has_date(run))
        return
    yield from _parsed(run, start, end)


def _parsed(run: str, start: int, end: int) -> Iterator[Token]:  # noqa: PLR0912 - a table of forms
    spanned = ":" in run and any(dash in run for dash in _SPAN_DASHES)
    run = run.translate(_PLAIN_HYPHENS)
    if _LETTERS.fullmatch(run):
        yield Token(Kind.WORD, run, start, end)
    elif run.isascii() and run.isdigit() and len(run) <= 4:
        yield Token(Kind.NUMBER, run, start, end, (int(run),))
    elif m := _ORDINAL.fullmatch(run):
        day = int(m["n"])
        fits = m["end"].lower() == _ending(day)
        yield Token(Kind.ORDINAL if fits else Kind.OPAQUE, run, start, end, (day,), dated=not fits)
    elif m := _DAY.fullmatch(run):
        yield Token(Kind.DAY, run, start, end, _numbers(m, "y", "m", "d"))
    elif m := (_MOMENT.fullmatch(run) or _COMPACT.fullmatch(run)):
        yield _moment(m, run, start, end, spanned=spanned)
    elif spanned and _CLOCKS.fullmatch(run):
        yield Token(Kind.CLOCKS, run, start, end)
    elif m := (_CLOCK.fullmatch(run) or _HOUR.fullmatch(run)):
        yield _clock(m, run, start, end)
    elif _SPAN.fullmatch(run):
        yield Token(Kind.SPAN, run, start, end)
    elif _CLOCKS.fullmatch(run) and re.search(r"m|:", run, re.IGNORECASE):
        yield Token(Kind.CLOCKS, run, start, end)
    elif (m := _NUMERIC.fullmatch(run)) or (m := _NUMERIC_SHORT_YEAR.fullmatch(run)):
        yield Token(Kind.NUMERIC, run, start, end, _numbers(m, "a", "b", "y"))
    elif m := _SHORT.fullmatch(run):
        yield Token(Kind.SHORT, run, start, end, _numbers(m, "a", "b"))
    elif m := (_DAY_MONTH.fullmatch(run) or _YEAR_MONTH_DAY.fullmatch(run)):
        yield Token(Kind.WORD, m["m"], start, end)
        yield Token(Kind.NUMBER, m["d"], start, end, (int(m["d"]),))
        if m["y"]:
            yield Token(Kind.NUMBER, m["y"], start, end, (int(m["y"]),))
    elif run.lower() in ("a.m", "p.m"):
        yield Token(Kind.WORD, run, start, end)
    elif _UTC_OFFSET.fullmatch(run) or is_zone_name(run):
        yield Token(Kind.ZONE, run, start, end, zone=run)
    elif not any(c.isdigit() or c == "_" for c in run) and "@" not in run:
        yield from _split(run, start)
    else:
        yield Token(Kind.OPAQUE, run, start, end, dated=_has_date(run))


def _split(run: str, start: int) -> Iterator[Token]:
    """Words that are joined, such as mid-May, each with the marks between."""
    for piece in re.finditer(r"[^\W\d_]+|.", run):
        kind = Kind.WORD if piece[0].isalpha() else Kind.MARK
        yield Token(kind, piece[0], start + piece.start(), start + piece.end())


def _numbers(match: re.Match[str], *names: str) -> tuple[int, ...]:
    return tuple(int(match[name]) for name in names)


def _moment(m: re.Match[str], run: str, start: int, end: int, *, spanned: bool) -> Token:
    day = _numbers(m, "y", "m", "d")
    zone = m["zone"] or ""
    # 2026-05-15-03 is a number of something; of a day alone only 2026-05-15-03:00 is an offset.
    numbered = m["h"] is None and zone[:1] in ("+", "-") and ":" not in zone
    if numbered or (spanned and zone and m["h"] is not None):
        return Token(Kind.OPAQUE, run, start, end, dated=True)
    if m["h"] is None:
        return Token(Kind.DAY, run, start, end, day, zone=m["zone"] or "")
    return Token(Kind.MOMENT, run, start, end, (*day, *_time(m)), zone=m["zone"] or "")


def _clock(m: re.Match[str], run: str, start: int, end: int) -> Token:
    groups = m.groupdict()
    half = (groups.get("half") or "").lower().replace(".", "")
    values = _time(m)
    if half:
        hour = values[0]
        if not 1 <= hour <= 12:
            return Token(Kind.OPAQUE, run, start, end, dated=True)
        values = (hour % 12 + (12 if half == "pm" else 0), *values[1:])
    if values[0] > 24 or values[1] > 59 or values[2] > 59 or (values[0] == 24 and any(values[1:])):
        return Token(Kind.OPAQUE, run, start, end, dated=True)
    said = half or len(m["h"]) == 2 or values[0] == 0 or groups.get("zone")
    kind = Kind.CLOCK if said else Kind.HALF_SAID
    zone = groups.get("zone") or ""
    if may_be_span(values, zone, seconds=groups.get("s") is not None):
        return Token(Kind.CLOCKS, run, start, end)
    return Token(kind, run, start, end, values, zone=zone)


def may_be_span(clock: tuple[int, ...], offset: str, *, seconds: bool) -> bool:
    """Whether what looks like an offset after a time may be when something ends: 10:00-11:00.

    Who writes seconds, or an offset that is earlier in the day than the time, means an offset.
    """
    figures = offset[1:].replace(":", "").ljust(4, "0")
    return offset[:1] == "-" and not seconds and (int(figures[:2]), int(figures[2:])) > clock[:2]


def _time(m: re.Match[str]) -> tuple[int, int, int, int]:
    groups = m.groupdict()
    fraction = (groups.get("f") or "").ljust(6, "0")[:6]
    return (int(m["h"]), int(groups.get("min") or 0), int(groups.get("s") or 0), int(fraction or 0))


def _ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _has_date(run: str) -> bool:
    if run.isdigit():
        return bool(_FIGURES.fullmatch(run))
    return bool(_DATED.search(run) or _DOTTED_SHORT.fullmatch(run))


def _without_thousands(found: list[Token]) -> list[Token]:
    """15,000 as one opaque number."""
    kept: list[Token] = []
    for token in found:
        if (
            token.kind is Kind.NUMBER
            and len(token.text) == 3
            and len(kept) > 1
            and kept[-1].mark == ","
            and kept[-1].end == token.start
            and kept[-2].kind in (Kind.NUMBER, Kind.OPAQUE)
            and kept[-2].end == kept[-1].start
        ):
            first = kept[-2]
            kept[-2:] = [Token(Kind.OPAQUE, "", first.start, token.end)]
        else:
            kept.append(token)
    return kept
