"""Bytes per second as text: ``20MB``, ``512kB``, ``never`` (spec 10). That it is per second isn't written."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from memory_maintenance.config.durations import FOR_NO_LIMIT, NEVER

# As PostgreSQL counts in its own settings.
BYTES: Final = {"kB": 1024, "MB": 1024**2, "GB": 1024**3}
UNITS: Final = "kB, MB or GB (of 1024 kB, MB)"

# Written for JSON Schema as well: the same syntax in Python and in ECMAScript.
RATE_PATTERN: Final = rf"^[0-9]{{1,18}}(\.[0-9]{{1,18}})? ?(kB|MB|GB)$|^{NEVER}$"

_NUMBER_AND_UNIT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(\D*)", re.ASCII)
_LONGEST_NUMBER: Final = 37
_PER_SECOND: Final = ("/s", "/sec", "/second", "ps")


def parse_rate(text: str) -> int | None:
    """Bytes per second, >= 0, or None where the text is ``never``.

    text: a decimal number and one of the units kB, MB, GB (of 1024), such as ``20MB`` or ``1.5GB``;
    one blank may stand between them. Raises ValueError, saying what is allowed without repeating the
    text: no unit, an unknown one, a negative number, a fraction of a byte.
    """
    text = text.strip()
    if text == NEVER:
        return None
    if text.lower() in FOR_NO_LIMIT:
        raise ValueError("for no limit write never")
    if text.startswith("-"):
        raise ValueError("a rate can't be negative")
    found = _NUMBER_AND_UNIT.fullmatch(text)
    if found is None:
        raise ValueError(
            f"write a number and a unit, such as 20MB; the units are {UNITS}, per second; or never"
        )
    number, unit = found.groups()
    if len(number) > _LONGEST_NUMBER:
        raise ValueError("that number has too many digits")
    if unit not in BYTES:
        raise ValueError(f"{_advice_on_unit(number, unit)}; or never")
    rate = Fraction(number) * BYTES[unit]
    if rate.denominator != 1:
        raise ValueError("that is no whole number of bytes: use fewer decimals")
    return rate.numerator


def format_rate(bytes_per_s: int | None) -> str:
    """Text that `parse_rate` reads back as exactly this rate: ``20MB``, ``1.5kB``, ``never``.

    bytes_per_s: >= 0, or None for never. Raises ValueError for a negative rate, which has no such text.
    """
    if bytes_per_s is None:
        return NEVER
    if bytes_per_s < 0:
        raise ValueError("a rate can't be negative")
    for unit in ("GB", "MB"):
        whole, rest = divmod(bytes_per_s, BYTES[unit])
        if rest == 0 and whole > 0:
            return f"{whole}{unit}"
    # Exact: 1/1024 has ten decimals.
    whole, rest = divmod(bytes_per_s, BYTES["kB"])
    decimals = f"{Decimal(rest) / BYTES['kB']:.10f}".rstrip("0").removeprefix("0").rstrip(".")
    return f"{whole}{decimals}kB"


def _advice_on_unit(number: str, unit: str) -> str:
    if not unit:
        return f"a bare number has no unit: write {number}MB, {number}kB or {number}GB, per second"
    bare = unit.lower()
    for suffix in _PER_SECOND:
        bare = bare.removesuffix(suffix)
    letter = bare.removesuffix("b").removesuffix("i")
    for known in BYTES:
        if letter == known[0].lower() and bare != "":
            return f"write {number}{known}, which means per second; the units are {UNITS}"
    return f"the unit is unknown; the units are {UNITS}, per second"
