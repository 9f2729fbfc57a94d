"""Days and times of a zone as instants: the end of a day, and clock times that don't exist or come twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

# Where each abbreviation is in use. One that several regions share (BST, CST, IST ...) isn't here: it is
# read only where the configured zone itself uses it.
_REGIONS: Final = {
    "CET": "Europe/Berlin",
    "CEST": "Europe/Berlin",
    "EET": "Europe/Athens",
    "EEST": "Europe/Athens",
    "WET": "Europe/Lisbon",
    "WEST": "Europe/Lisbon",
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "CDT": "America/Chicago",
    "MST": "America/Denver",
    "MDT": "America/Denver",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
}
_SHARED: Final = frozenset({"AST", "BST", "CST", "GST", "HST", "IST", "MSK", "SST"})
# Said of a region, not of an offset: right in summer and winter.
_GENERAL: Final = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
}
_LONGEST_NAME: Final = 40
_ZERO: Final = frozenset({"UTC", "GMT", "Z"})

ABBREVIATIONS: Final = frozenset(_REGIONS) | _SHARED | _ZERO
"""What stands for a zone wherever a date or time does."""
AFTER_TIMES: Final = frozenset(_GENERAL)
"""What stands for a zone only right after a clock time: these are words otherwise."""


def is_zone_name(text: str) -> bool:
    """Whether text is an IANA name with a region, such as Europe/Berlin."""
    # Looked up in the list, never tried: what text names might be any module or file.
    return "/" in text and len(text) <= _LONGEST_NAME and text in _zone_names()


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def fixed_offset(hours: int, minutes: int = 0, *, west: bool = False) -> timezone | None:
    """The zone so far from UTC; None for what no place has: beyond -12 or +14 hours, or no quarter hour."""
    span = timedelta(hours=hours, minutes=minutes)
    if span > timedelta(hours=12 if west else 14) or minutes > 59 or minutes % 15:
        return None
    return timezone(-span if west else span)


def named_zone(name: str, local: datetime, own: tzinfo) -> tzinfo | str:
    """The zone that a name means at a local time (naive), or why it can't be told.

    own: the configured zone; an abbreviation that it uses itself at that time is taken to be its.
    """
    if name in _ZERO:
        return UTC
    if name in _GENERAL:
        return ZoneInfo(_GENERAL[name])
    if "/" in name:
        return ZoneInfo(name)
    for zone in (own, *([ZoneInfo(_REGIONS[name])] if name in _REGIONS else ())):
        for fold in (0, 1):
            there = local.replace(tzinfo=zone, fold=fold)
            offset = there.utcoffset()
            if there.tzname() == name and offset is not None:
                return timezone(offset)
    if name in _REGIONS:
        return f"{name} is not in force on that day, and may be said of the region's time"
    return f"{name} is the time of several regions"


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """The first instant of the day after, in UTC: midnight, or what comes where midnight is skipped.

    Raises OverflowError beyond the year 9999.
    """
    midnight = datetime.combine(day + timedelta(days=1), time())
    instants = instants_of(midnight, zone)
    if instants:
        return instants[0]
    # The clock jumps over midnight: the day ends at the jump, which lies between the two guesses.
    after = midnight.replace(tzinfo=zone, fold=0).astimezone(UTC)
    before = midnight.replace(tzinfo=zone, fold=1).astimezone(UTC)
    jump = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        if middle.astimezone(zone).utcoffset() == jump:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)


def instants_of(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    """The instants, in UTC and in order, at which clocks of the zone show a naive local time.

    None where clocks jump over it, two where they are turned back. Raises OverflowError at the ends of
    the calendar.
    """
    both = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    shown = [at for at in both if at.astimezone(zone).replace(tzinfo=None) == local]
    return tuple(sorted(shown))
