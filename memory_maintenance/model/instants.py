"""Instants as text: what people give, read or refused with advice; what data and events hold, both ways."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_ADVICE = "write it like 2026-06-01T00:00:00Z or 2026-06-01T02:00:00+02:00"

# Narrower than datetime.fromisoformat, which takes any letter for the T and dates by week, so that
# a typing error isn't read as some other instant.
_INSTANT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?))?"
    r" ?(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)


def parse_instant(text: str) -> datetime:
    """The instant that ISO 8601 text names, in UTC.

    Date, time and zone are required; seconds, with up to six decimals, aren't; a space may stand
    for the T. Years 1 to 9999, also after the conversion to UTC. Raises ValueError, with advice,
    for anything else: a time without a zone would mean another instant on each machine.
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no instant; {_ADVICE}")
    if match["time"] is None:
        raise ValueError(f"{text!r} has no time of day; {_ADVICE}")
    if match["zone"] is None:
        raise ValueError(f"{text!r} has no zone; {_ADVICE}")
    try:
        local = datetime.fromisoformat(f"{match['date']}T{match['time']}{match['zone'].upper()}")
        return local.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} lies outside of the years 1 to 9999 in UTC") from None
    except ValueError as error:
        raise ValueError(f"{text!r} is no instant ({error}); {_ADVICE}") from None


def iso(at: datetime) -> str:
    """An instant as data and events hold it: 2026-05-16T05:00:00Z."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def instant(text: str | None) -> datetime | None:
    """The way back of iso; None for no text, and for what Python can't count."""
    try:
        return None if text is None else datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
