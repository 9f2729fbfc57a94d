"""Deadlines in text: a right reading or "ambiguous", never a wrong one. All answers come from the hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_maintenance.model.date_phrases import DayOrder
from memory_maintenance.model.deadlines import (
    LONGEST_TEXT,
    Ambiguous,
    Nothing,
    Reading,
    read_deadline,
)

MONDAY: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""When most texts were learned: Monday, March 2, 2026, noon in UTC, 6:00 in Chicago."""
UTC_ZONE: Final = ZoneInfo("UTC")
CHICAGO: Final = ZoneInfo("America/Chicago")
BERLIN: Final = ZoneInfo("Europe/Berlin")


def read(
    text: str,
    zone: ZoneInfo = UTC_ZONE,
    learned_at: datetime | None = MONDAY,
    day_order: DayOrder = "none",
) -> str:
    """The deadline as ISO 8601 in UTC, or "ambiguous", or "nothing"."""
    match read_deadline(text, learned_at=learned_at, zone=zone, day_order=day_order):
        case Reading(deadline_at=at):
            assert at.tzinfo is UTC
            return at.isoformat().replace("+00:00", "Z")
        case Ambiguous():
            return "ambiguous"
        case Nothing():
            return "nothing"


FULL_DATES: Final = [
    ("2026-05-15", "2026-05-16T00:00:00Z"),
    ("Present at conference 2026-05-15.", "2026-05-16T00:00:00Z"),
    ("Bericht bis 2026-05-15", "2026-05-16T00:00:00Z"),
    ("2026-05-15T17:30:00Z", "2026-05-15T17:30:00Z"),
    ("2026-05-15T17:30:00+02:00", "2026-05-15T15:30:00Z"),
    ("2026-05-15T17:30:00.250Z", "2026-05-15T17:30:00.250000Z"),
    ("2026-05-15 17:30", "2026-05-15T17:30:00Z"),
    ("2026-05-15 17:30 -05:00", "2026-05-15T22:30:00Z"),
    ("20260515T173000Z", "2026-05-15T17:30:00Z"),
    ("2026-05-15T24:00Z", "2026-05-16T00:00:00Z"),
    ("2026/05/15", "2026-05-16T00:00:00Z"),
    ("May 15, 2026", "2026-05-16T00:00:00Z"),
    ("15 May 2026", "2026-05-16T00:00:00Z"),
    ("the 15th of May, 2026", "2026-05-16T00:00:00Z"),
    ("15-May-2026", "2026-05-16T00:00:00Z"),
    ("Pay the invoice by Sept. 3rd, 2026", "2026-09-04T00:00:00Z"),
    ("Fri, 15 May 2026 15:00:00 +0200", "2026-05-15T13:00:00Z"),
    ("Friday, May 15, 2026 at 3:30 p.m.", "2026-05-15T15:30:00Z"),
    ("15/05/2026", "2026-05-16T00:00:00Z"),
    ("05/15/2026", "2026-05-16T00:00:00Z"),
    ("15.05.2026", "2026-05-16T00:00:00Z"),
    ("05/05/2026", "2026-05-06T00:00:00Z"),
    ("February 29, 2028", "2028-03-01T00:00:00Z"),
    ("end of May 2026", "2026-06-01T00:00:00Z"),
    ("end of Q3 2026", "2026-10-01T00:00:00Z"),
    ("end of 2026", "2027-01-01T00:00:00Z"),
]

COUNTED_FROM_LEARNING: Final = [
    ("Present at conference May 15", "2026-05-16T00:00:00Z"),
    ("submit the draft by may 15", "2026-05-16T00:00:00Z"),
    ("May 15th", "2026-05-16T00:00:00Z"),
    ("on the 15th of May", "2026-05-16T00:00:00Z"),
    ("15 May at noon", "2026-05-15T12:00:00Z"),
    ("Call Bob on May 15 at 3pm", "2026-05-15T15:00:00Z"),
    ("3pm on May 15", "2026-05-15T15:00:00Z"),
    ("at 15:00, May 15", "2026-05-15T15:00:00Z"),
    ("May 15 @3pm", "2026-05-15T15:00:00Z"),
    ("May 15 3:30pm UTC", "2026-05-15T15:30:00Z"),
    ("May 15 3pm CEST", "2026-05-15T13:00:00Z"),
    ("May 15 3pm EDT", "2026-05-15T19:00:00Z"),
    ("May 15 3pm ET", "2026-05-15T19:00:00Z"),
    ("May 15 15:00 Europe/Berlin", "2026-05-15T13:00:00Z"),
    ("May 15, 15:00 UTC+2", "2026-05-15T13:00:00Z"),
    ("May 15 by end of day", "2026-05-16T00:00:00Z"),
    ("no later than May 15", "2026-05-16T00:00:00Z"),
    ("on or before May 15", "2026-05-16T00:00:00Z"),
    ("deadline extended to May 15", "2026-05-16T00:00:00Z"),
    ("Submit the report Friday", "2026-03-07T00:00:00Z"),
    ("March 2", "2026-03-03T00:00:00Z"),
    ("March 1", "2027-03-02T00:00:00Z"),
    ("Jan 5", "2027-01-06T00:00:00Z"),
    ("Feb 29", "2028-03-01T00:00:00Z"),
    ("by EOD Friday", "2026-03-07T00:00:00Z"),
    ("end of day May 15", "2026-05-16T00:00:00Z"),
    ("today by 5pm", "2026-03-02T17:00:00Z"),
    ("Friday May 15", "2026-05-16T00:00:00Z"),
    ("May 15 (Friday)", "2026-05-16T00:00:00Z"),
    ("end of May", "2026-06-01T00:00:00Z"),
    ("by the end of Q3", "2026-10-01T00:00:00Z"),
    ("end of February", "2027-03-01T00:00:00Z"),
    ("end of the month", "2026-04-01T00:00:00Z"),
    ("end of next month", "2026-05-01T00:00:00Z"),
    ("EOY", "2027-01-01T00:00:00Z"),
    ("by Friday", "2026-03-07T00:00:00Z"),
    ("Send the slides by Friday at 17:00", "2026-03-06T17:00:00Z"),
    ("this Sunday", "2026-03-09T00:00:00Z"),
    ("in 3 days", "2026-03-06T00:00:00Z"),
    ("in two weeks", "2026-03-17T00:00:00Z"),
    ("10 days from now", "2026-03-13T00:00:00Z"),
    ("in 90 minutes", "2026-03-02T13:30:00Z"),
    ("tomorrow", "2026-03-04T00:00:00Z"),
    ("tomorrow at 9am", "2026-03-03T09:00:00Z"),
    ("the day after tomorrow", "2026-03-05T00:00:00Z"),
    ("today", "2026-03-03T00:00:00Z"),
]

BESIDE_OTHER_NUMBERS: Final = [
    ("Release v2.3.1 by May 15", "2026-05-16T00:00:00Z"),
    ("Call +1 (555) 123-4567 by May 15", "2026-05-16T00:00:00Z"),
    ("Invite 3 people for May 15", "2026-05-16T00:00:00Z"),
    ("Pay $1,500.00 by 2026-05-15", "2026-05-16T00:00:00Z"),
    ("Send the 2nd draft by May 15", "2026-05-16T00:00:00Z"),
    ("Move to Python 3.11 until May 15", "2026-05-16T00:00:00Z"),
    ("Pay 30% by May 15", "2026-05-16T00:00:00Z"),
    ("Support 24/7 until May 15", "2026-05-16T00:00:00Z"),
    ("Present at PyCon 2026 on May 15", "2026-05-16T00:00:00Z"),
    ("May 15 (2026-05-15)", "2026-05-16T00:00:00Z"),
]

AMBIGUOUS: Final = [
    "at 5",
    "Meet at 5 on Friday",
    "3 people",
    "03/04",
    "03/04/2026",
    "5/15",
    "01/02/03",
    "May 15 at 5",
    "May 15 5:00",
    "May 15 at midnight",
    "May 15 in the morning",
    "next Friday",
    "last Friday",
    "every Friday",
    "next week",
    "this weekend",
    "end of the week",
    "by May",
    "in May 2026",
    "early May",
    "mid-May",
    "around May 15",
    "before May 15",
    "after May 15",
    "starting May 15",
    "week of May 15",
    "not May 15",
    "May 15?",
    "May 15 or later",
    "May 3-5",
    "May 3 – 5",
    "May 3 and 5",
    "May 3 to 5",
    "3-5 May",
    "3 and 5 May",
    "3 May 15",
    "from May 3 to June 5",
    "May 3 or June 5",
    "2026-05-15 or 2026-05-16",
    "moved from May 15 to May 20",
    "Slides by Friday, talk on May 15",
    "May 15, 3-5pm",
    "May 15, 3pm to 5pm",
    "May 15 3pm CET",
    "May 15 3pm BST",
    "May 15 26",
    "May 15, 1500 hours",
    "May 15 people",
    "February 30",
    "February 29, 2027",
    "2026-02-30",
    "2026-13-01",
    "2026-05-15T25:00Z",
    "Thursday May 15",
    "on the 15th",
    "Fri 15",
    "3pm",
    "in a month",
    "in 3-5 days",
    "in 2 months",
    "within 3 business days",
    "you may 3 times ask",
    "by Q3",
    "INV-2026-05-15-7",
    "https://example.org/2026/05/15/post",
    "release 2026.05.15",
    "20260515",
    "promised on 2026-02-15",
    "EuroPython 2028 on May 15",
    "03.04.2026",
    "May 15/16",
    "May 0",
    "0 May",
    "2026-05-00",
    "00/05/2026",
    "May 15 from 3 to 5",
    "May 15 15h",
    "by May 15, 15h",
    "May 15 3pm Eastern",
    "May 15 3pm Chicago time",
    "23:59 May 15 AoE",
    "as of May 15",
    "every other Friday",
    "first Friday of June",
    "annually on May 15",
    "5 May Street",
    "Ask April 3 questions",
    "Ana said today that she will call",
    "by EOD",
    "mar 3 de mayo",
    "May 15, 16 and 17",
    "May 15 @14:00 Berlin time",
    "Shop on Black Friday",
    "by COB Friday",
    "by Friday close of business",
    "upgrade to version 2026-05-15",
    "July 4th weekend",
    "before midnight May 15",
]

NOTHING: Final = [
    "",
    "   ",
    "Call Ana back",
    "soon, or asap, who knows",
    "You may go, we march on",
    "Upgrade to Python 3.11",
    "Call 555-123-4567",
    "Pay $15",
    "Give 15% off",
    "Send 15,000 letters",
    "Open /var/log/45.txt",
    "Präsentation halten",
    "présenter le rapport",
    "2026年5月15日",
    "lkjh asdf qwer",
    "Host 192.168.100.200",
    "Fix ticket ABC-1234",
    "The sun sat on the wed",
]

IN_OTHER_LANGUAGES: Final = [
    "Präsentation am 15. Mai",
    "présentation le 15 mai",
    "presentación el 15 de mayo",
    "презентация 15 мая",
    "am Freitag",
    "mañana a las 5",
    "bis 15.05.",
]


@pytest.mark.parametrize(
    ("text", "deadline"), [*FULL_DATES, *COUNTED_FROM_LEARNING, *BESIDE_OTHER_NUMBERS]
)
def test_what_fixes_a_day_is_read(text: str, deadline: str) -> None:
    assert read(text) == deadline


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_fixes_none_for_sure_is_ambiguous(text: str) -> None:
    assert read(text) == "ambiguous"


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_date_is_nothing(text: str) -> None:
    assert read(text) == "nothing"


@pytest.mark.parametrize("text", IN_OTHER_LANGUAGES)
def test_other_languages_are_left_alone(text: str) -> None:
    assert read(text) in ("nothing", "ambiguous")


@pytest.mark.parametrize(
    ("text", "zone", "deadline"),
    [
        ("May 15", CHICAGO, "2026-05-16T05:00:00Z"),
        ("January 15", CHICAGO, "2027-01-16T06:00:00Z"),
        ("2026-05-15", BERLIN, "2026-05-15T22:00:00Z"),
        ("2026-05-15T17:00", CHICAGO, "2026-05-15T22:00:00Z"),
        ("2026-05-15 3pm", BERLIN, "2026-05-15T13:00:00Z"),
        # Clocks change within these days: they have 23 and 25 hours.
        ("March 8", CHICAGO, "2026-03-09T05:00:00Z"),
        ("November 1", CHICAGO, "2026-11-02T06:00:00Z"),
        # There is no midnight after these days: the next one begins at 1:00.
        ("2018-11-03", ZoneInfo("America/Sao_Paulo"), "2018-11-04T03:00:00Z"),
        ("2026-04-23", ZoneInfo("Africa/Cairo"), "2026-04-23T22:00:00Z"),
        # Where midnight comes twice, the day has ended at the first.
        ("2026-10-31", ZoneInfo("America/Havana"), "2026-11-01T04:00:00Z"),
        # The day after was left out altogether.
        ("2011-12-29", ZoneInfo("Pacific/Apia"), "2011-12-30T10:00:00Z"),
        ("June 1 3pm CST", CHICAGO, "ambiguous"),
        ("December 1 3pm CST", CHICAGO, "2026-12-01T21:00:00Z"),
        ("December 1 3pm CST", UTC_ZONE, "ambiguous"),
        ("June 1 3pm BST", ZoneInfo("Europe/London"), "2026-06-01T14:00:00Z"),
        # Jumped over in spring, shown twice in autumn.
        ("March 8, 2026 2:30am", CHICAGO, "ambiguous"),
        ("November 1, 2026 1:30am", CHICAGO, "ambiguous"),
        ("November 1, 2026 1:30am CDT", CHICAGO, "2026-11-01T06:30:00Z"),
        ("November 1, 2026 1:30am CST", CHICAGO, "2026-11-01T07:30:00Z"),
    ],
)
def test_days_and_times_are_those_of_the_zone(text: str, zone: ZoneInfo, deadline: str) -> None:
    assert read(text, zone) == deadline


@pytest.mark.parametrize(
    ("learned", "text", "deadline"),
    [
        ("2025-12-30T12:00Z", "Jan 2", "2026-01-03T00:00:00Z"),
        ("2025-12-30T12:00Z", "Dec 31", "2026-01-01T00:00:00Z"),
        ("2025-12-30T12:00Z", "Dec 29", "2026-12-30T00:00:00Z"),
        ("2025-12-31T23:59Z", "tomorrow", "2026-01-02T00:00:00Z"),
        ("2025-12-31T23:59Z", "end of the year", "2026-01-01T00:00:00Z"),
        ("2028-02-28T12:00Z", "tomorrow", "2028-03-01T00:00:00Z"),
        ("2028-03-01T00:00Z", "Feb 29", "2032-03-01T00:00:00Z"),
        ("2096-03-01T00:00Z", "Feb 29", "2104-03-01T00:00:00Z"),
        ("2026-03-06T12:00Z", "by Friday", "ambiguous"),
        ("2026-03-02T12:00Z", "today at 9am", "ambiguous"),
        ("2026-01-31T12:00Z", "end of next month", "2026-03-01T00:00:00Z"),
    ],
)
def test_a_yearless_day_is_the_next_since_it_was_learned(
    learned: str, text: str, deadline: str
) -> None:
    assert read(text, learned_at=datetime.fromisoformat(learned)) == deadline


def test_the_day_of_learning_is_that_of_the_zone() -> None:
    late = datetime(2026, 5, 16, 3, tzinfo=UTC)  # still May 15 in Chicago
    assert read("May 15", CHICAGO, late) == "2026-05-16T05:00:00Z"
    assert read("May 15", UTC_ZONE, late) == "2027-05-16T00:00:00Z"


@pytest.mark.parametrize("text", ["May 15", "tomorrow", "in 3 days", "by Friday", "in 2 hours"])
def test_nothing_is_counted_from_an_unknown_instant(text: str) -> None:
    assert read(text, learned_at=None) == "ambiguous"
    assert read("2026-05-15", learned_at=None) == "2026-05-16T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "order", "deadline"),
    [
        ("03/04/2026", "dmy", "2026-04-04T00:00:00Z"),
        ("03/04/2026", "mdy", "2026-03-05T00:00:00Z"),
        ("03/04/26", "mdy", "2026-03-05T00:00:00Z"),
        ("03/04", "dmy", "2026-04-04T00:00:00Z"),
        ("by 03/04", "mdy", "2026-03-05T00:00:00Z"),
        ("03.04.2026", "dmy", "2026-04-04T00:00:00Z"),
        ("15/05/2026", "mdy", "ambiguous"),
        ("drink 1/2 cup of water", "mdy", "ambiguous"),
        ("be there 24/7", "dmy", "ambiguous"),
    ],
)
def test_numbers_are_read_in_the_configured_order(
    text: str, order: DayOrder, deadline: str
) -> None:
    assert read(text, day_order=order) == deadline


def test_a_reading_tells_its_source_and_how_it_was_read() -> None:
    found = read_deadline("Present at conference May 15", learned_at=MONDAY, zone=UTC_ZONE)
    assert isinstance(found, Reading)
    assert found.text == "May 15"
    assert found.why == "2026-05-15, the end of that day, counted from 2026-03-02"


def test_what_is_ambiguous_tells_the_readings() -> None:
    found = read_deadline("May 3 or June 5", learned_at=MONDAY, zone=UTC_ZONE)
    assert isinstance(found, Ambiguous)
    assert found.readings == (
        datetime(2026, 5, 4, tzinfo=UTC),
        datetime(2026, 6, 6, tzinfo=UTC),
    )


@pytest.mark.parametrize("text", ["A/b" * 500, "May 15 " * 250, "-" * 1900, "tzdata/../zone" * 90])
def test_hostile_text_has_an_answer(text: str) -> None:
    assert read(text) in ("nothing", "ambiguous", "2026-05-16T00:00:00Z")


def test_a_text_without_end_is_not_searched() -> None:
    assert read("x" * LONGEST_TEXT + " May 15") == "ambiguous"


_PIECES = (
    "May may 15 15th 2026 2026-05-15 3pm 15:00 at by on of the end Friday next in days 3 - – , . ( ) / "
    "03/04 CET Z tomorrow today Q3 month 24:00 +02:00 31 February or and to 9999 0 noon week"
)


@given(st.lists(st.sampled_from(_PIECES.split()), max_size=12).map(" ".join) | st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    for zone in (UTC_ZONE, CHICAGO):
        answer = read_deadline(text, learned_at=MONDAY, zone=zone, day_order="dmy")
        if isinstance(answer, Reading):
            assert 1900 <= answer.deadline_at.year <= 2200
            assert answer.text in text
