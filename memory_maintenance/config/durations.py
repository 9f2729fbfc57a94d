"""Spans of time as text: ``36h``, ``10d``, ``5min``, ``never`` (spec 10)."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction
from typing import Final

# Months are left out on purpose: they have no fixed length. A year is 365 days, so that a half-life
# means the same number of seconds in every year.
MICROSECONDS: Final = {
    "s": 1_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "w": 7 * 86_400_000_000,
    "y": 365 * 86_400_000_000,
}
UNITS: Final = "s, min, h, d, w or y (365 days)"
NEVER: Final = "never"
# What is written where never is meant.
FOR_NEVER: Final = frozenset({NEVER, "none", "infinite", "infinity", "inf", "forever"})
FOR_NO_LIMIT: Final = FOR_NEVER | {"off", "unlimited", "no"}

# Written for JSON Schema as well: the same syntax in Python and in ECMAScript.
DURATION_PATTERN: Final = r"^[0-9]{1,18}(\.[0-9]{1,18})? ?(s|min|h|d|w|y)$"
HALF_LIFE_PATTERN: Final = rf"{DURATION_PATTERN}|^{NEVER}$"

_NUMBER_AND_UNIT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(\D*)", re.ASCII)
_LONGEST_NUMBER: Final = 37
_WORDS: Final = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "mins": "min", "minute": "min", "minutes": "min",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "day": "d", "days": "d",
    "week": "w", "weeks": "w",
    "yr": "y", "yrs": "y", "year": "y", "years": "y",
}  # fmt: skip


def parse_duration(text: str) -> timedelta:
    """The span that text states, >= 0, exact to the microsecond (spec 10).

    text: a decimal number and one of the units s, min, h, d, w, y (365 days), such as ``36h`` or
    ``1.5h``; one blank may stand between them. Raises ValueError, saying what is allowed without
    repeating the text: no unit, an unknown unit (``m`` could be minutes or months), a negative
    number, more digits than a microsecond has, or more than about 2.7 million years.
    """
    text = text.strip()
    if text.startswith("-"):
        raise ValueError("a span of time can't be negative")
    found = _NUMBER_AND_UNIT.fullmatch(text)
    if found is None:
        raise ValueError(f"write a number and a unit, such as 36h or 10d; the units are {UNITS}")
    number, unit = found.groups()
    if len(number) > _LONGEST_NUMBER:
        raise ValueError("that number has too many digits")
    if unit not in MICROSECONDS:
        raise ValueError(_advice_on_unit(number, unit))
    microseconds = Fraction(number) * MICROSECONDS[unit]
    if microseconds.denominator != 1:
        raise ValueError("finer than a microsecond: use fewer decimals")
    try:
        return timedelta(microseconds=microseconds.numerator)
    except OverflowError:
        raise ValueError("that is more than 2.7 million years: write never, or less") from None


def parse_half_life(text: str) -> timedelta | None:
    """A half-life: a span as in `parse_duration`, or None where the text is ``never`` (spec 3, 10).

    Raises ValueError as `parse_duration` does.
    """
    return _or_never(text, "no decay at all", FOR_NEVER)


def parse_limit(text: str) -> timedelta | None:
    """A span that limits something: as in `parse_duration`, or None where the text is ``never``.

    Raises ValueError as `parse_duration` does.
    """
    return _or_never(text, "no limit", FOR_NO_LIMIT)


def _or_never(text: str, meaning: str, synonyms: frozenset[str]) -> timedelta | None:
    if text.strip() == NEVER:
        return None
    if text.strip().lower() in synonyms:
        raise ValueError(f"for {meaning} write never")
    try:
        return parse_duration(text)
    except ValueError as error:
        raise ValueError(f"{error}; or never") from None


def format_duration(span: timedelta | None) -> str:
    """Text that `parse_half_life` reads back as exactly this span: ``36h``, ``10d``, ``never``.

    span: >= 0, or None for never. Raises ValueError for a negative span, which has no such text.
    """
    if span is None:
        return NEVER
    if span < timedelta(0):
        raise ValueError("a span of time can't be negative")
    microseconds = span // timedelta(microseconds=1)
    for unit in ("d", "h", "min"):
        # Up to three days people count in hours: the specification says 48h, and 10d.
        least = 3 if unit == "d" else 1
        whole, rest = divmod(microseconds, MICROSECONDS[unit])
        if rest == 0 and whole >= least:
            return f"{whole}{unit}"
    seconds, rest = divmod(microseconds, MICROSECONDS["s"])
    decimals = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{seconds}{decimals}s"


def _advice_on_unit(number: str, unit: str) -> str:
    if not unit:
        return f"a bare number has no unit: write {number}d, {number}h or another of {UNITS}"
    if unit in {"m", "M"}:
        return f"m could be minutes or months: write {number}min, or count in days"
    if unit.lower() in {"mo", "mon", "month", "months"}:
        return "a month has no fixed length: count in days, such as 30d"
    meant = _WORDS.get(unit.lower(), unit.lower())
    if meant in MICROSECONDS:
        return f"write {number}{meant}; the units are {UNITS}"
    return f"the unit is unknown; the units are {UNITS}"
