"""The words around dates: what leads to one, what leaves one in doubt, what is no date."""

from __future__ import annotations

from typing import Final


def _all(words: str, why: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), why)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SMALL_NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
MINUTES_OF: Final = {"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60}
DAYS_OF: Final = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14}
INEXACT_UNITS: Final = _set("month months year years business working couple few")
PERIODS: Final = _set("week weekend month quarter year")
LAST_MONTHS: Final = {"q1": 3, "q2": 6, "q3": 9, "q4": 12}
BEGINNINGS: Final = (
    _set(
        "at noon midnight eod eom eoy eow eoq end close today tonight tomorrow day in within "
        "yesterday daily weekly monthly yearly"
    )
    | PERIODS
    | frozenset(SMALL_NUMBERS)
)
"""The words, beside months and weekdays, with which something like a date begins."""
DASHES: Final = frozenset("-‐‑–—−")
LEADING: Final = _set("by on until till due deadline for at of than before the")
DUE: Final = _set("by on until till due before coming this")
ALSO_WORDS: Final = _set("may march mar jan jun sep dec sept august")
"""Months that are read in lower case only where what is beside them shows that a month is meant."""
SKIPPED: Final = frozenset({"the", "of", "on", "a", "is", ":", "(", "'", '"'})
NO_DEADLINE: Final = {
    **_all("around about approximately approx circa roughly ca ~", "is given as about"),
    **_all(
        "early mid late beginning start middle half morning afternoon evening night eve week weekend "
        "days weeks hours minutes months day fortnight year",
        "is only near what is meant",
    ),
    **_all(
        "after since from starting starts begins between to through thru as effective valid available opens",
        "is where something begins or a span of time ends",
    ),
    **_all(
        "born dated signed sent received started founded married died issued created updated promised "
        "agreed asked learned noted mentioned said told bought ordered paid was were",
        "may be when something happened",
    ),
    **_all(
        "business cob eob close thing lunch dinner breakfast dawn dusk sunrise sunset noon midnight",
        "has a time that isn't exact",
    ),
    **_all("version build tag edition section chapter page room flight id", "may be a name"),
    **_all("not never except unless or", "may be what is not meant"),
    **_all(
        "every each last past previous other alternate first second third fourth annually yearly monthly "
        "weekly daily",
        "recurs or is over",
    ),
    **_all("next following", "may be this one or the one after"),
}
"""Words before a date, and why it then may be no deadline: "the date ..."."""
MOVED: Final = _set("extended moved postponed pushed delayed rescheduled deferred")
AFTERWARDS: Final = {
    **_all(
        "morning afternoon evening night midnight cob eob close lunch dinner",
        "has a time that isn't exact",
    ),
    **_all("onwards onward ish", "is where something begins"),
    **_all("from between until till through thru", "is where a span of time begins"),
    **_all("after before of week weekend fortnight next last", "is only near what is meant"),
    **_all("st street road rd avenue ave lane blvd", "may be an address"),
    **_all("de del di da do du des der dem", "may be of another language"),
    "or": "is one of several",
    "?": "is in question",
}
"""Likewise, words after it."""
ZONE_WORDS: Final = _set("eastern central mountain pacific atlantic aoe local zulu")
NO_PLURALS: Final = _set("this across always unless besides does")
QUANTITIES: Final = _set(
    "people persons guests attendees items times miles km kg g m cm mm lb lbs oz liters litres percent "
    "pages words copies units pieces hours hour hrs hr h days weeks months years minutes mins seconds "
    "euros dollars pounds usd eur bytes kb mb gb tb apples bottles boxes chapters votes"
)
"""What a number before it counts."""
