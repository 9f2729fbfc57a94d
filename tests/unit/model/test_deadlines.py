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
from memory_maintenance.model.obligations import Origin, infer

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
    *,
    past: bool = True,
) -> str:
    """The deadline as ISO 8601 in UTC, or "ambiguous", or "nothing"."""
    found = read_deadline(text, learned_at=learned_at, zone=zone, day_order=day_order, past=past)
    match found:
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

ORDINARY: Final = [
    ("MIT application due May 15", "2026-05-16T00:00:00Z"),
    ("Fly to LA by May 15", "2026-05-16T00:00:00Z"),
    ("Trip to Las Vegas on May 15", "2026-05-16T00:00:00Z"),
    ("Lease ends May 31", "2026-06-01T00:00:00Z"),
    ("Friday 5pm", "2026-03-06T17:00:00Z"),
    ("Don't forget to call Ana by May 15", "2026-05-16T00:00:00Z"),
    ("Submit proposal by May 15 deadline", "2026-05-16T00:00:00Z"),
    ("Meet Anna on May 15 in Berlin", "2026-05-16T00:00:00Z"),
    ("May 15 - present at conference", "2026-05-16T00:00:00Z"),
    ("I am presenting May 15", "2026-05-16T00:00:00Z"),
    ("Call Bob on May 15 at 3pm about the contract", "2026-05-15T15:00:00Z"),
    ("By May 15 send 30 copies", "2026-05-16T00:00:00Z"),
    ("Renew passport by 2026-05-15 at the embassy", "2026-05-16T00:00:00Z"),
    ("Bericht bis 15.05.2026 abgeben", "2026-05-16T00:00:00Z"),
    ("Call 555-123-4567 on May 15", "2026-05-16T00:00:00Z"),
    ("Upgrade to Python 3.11 on May 15", "2026-05-16T00:00:00Z"),
    ("Send the weekly report by Friday", "2026-03-07T00:00:00Z"),
    ("Invoice no. 5 by May 15", "2026-05-16T00:00:00Z"),
    ("Finish draft (due May 15)", "2026-05-16T00:00:00Z"),
    ("Promised Ana to send slides by May 15", "2026-05-16T00:00:00Z"),
    ("File the report on time by May 15", "2026-05-16T00:00:00Z"),
    ("Rent due March 31 ($1200)", "2026-04-01T00:00:00Z"),
    ("Has a flight to Paris on April 12, 2026 at 6:45am", "2026-04-12T06:45:00Z"),
    ("Interview at Google on March 18 at 11:00 PT", "2026-03-18T18:00:00Z"),
    ("Webinar March 18 11am ET", "2026-03-18T15:00:00Z"),
    ("Draft by May 15, final version later", "2026-05-16T00:00:00Z"),
    ("May 15 at the latest", "2026-05-16T00:00:00Z"),
    ("by Friday noon", "2026-03-06T12:00:00Z"),
    ("Take medicine in 4 hours", "2026-03-02T16:00:00Z"),
    ("May 15 in 2027", "2027-05-16T00:00:00Z"),
    ("Submit by 5pm on Friday", "2026-03-06T17:00:00Z"),
    ("Finish the book before 2026-04-01 12:00", "2026-04-01T12:00:00Z"),
]

REST_OF_A_SPAN: Final = [
    "in 2 hours and 30 minutes",
    "in an hour and a half",
    "in 2 days and 3 hours",
    "in 2 hours and a bit",
    "in 1 hour 30 minutes",
    "in 3 days plus 2 hours",
    "in a week and a half",
    "within 2 days, 4 hours",
    "in 1 week and 2 days",
    "in 3 days or 4",
    "in 3 days, maybe 4",
    "in 3 days; 4 at most",
    "in 90 minutes, 2 hours tops",
    "in a day and a half",
    "in 2 weeks + 1 day",
    "in 2 weeks minus 1 day",
    "in 3 days (or 5)",
    "in 1 week - 10 days",
    "within 2 days or on Friday",
    "in 36 hours or so",
    "in 1 hr 15 min",
    "in 2 days 12h",
    "in 2-3 days",
    "in 3 days max 4",
    "within a week or two",
    "in about 3 days",
    "in almost 2 weeks",
    "in roughly 2 hours",
    "in less than 2 hours",
    "in at least 3 days",
    "in under 2 days",
    "not in 3 days",
    "in 2 days and 30 min",
]

ZONES_APART: Final = [
    "By March 5 17:00 GMT+1/CET",
    "March 5 EOD PT",
    "EOD March 5 PT",
    "By EOD March 5 in New York",
    "5 pm on Thursday March 5, Berlin time",
    "March 5 17:00 in Tokyo",
    "March 5 17:00 (Tokyo)",
    "March 5 17:00 their time",
    "March 5 17:00 server time",
    "5 March 17:00+1",
    "March 5 5PM PST/PDT",
    "March 5 17:00 Pacific",
    "March 5 17:00 New York",
    "March 5 17:00 NYC time",
    "17:00 London time on March 5",
    "March 5, 17:00 (Berlin)",
    "March 5 17:00 GMT+1:00/BST",
    "tomorrow at 9am their time",
    "by Friday 5pm in London",
    "by Friday 5pm, client time",
    "EOD Friday ET",
    "March 5 at 17:00 Central European Time",
    "Server time: March 5 17:00",
    "March 5 17:00 +1",
    "March 5 17:00 UTC or CET",
    "March 5 at 17:00 my time",
    "March 5 17:00h CET",
    "2026-03-05T17:00 PT/ET",
    "2026-03-05 17:00 in Tokyo",
    "March 5 17:00 UTC-ish",
    "March 5 5pm (local)",
    "March 5 17:00 Zulu",
    "5pm PT/8pm ET March 5",
    "March 5 5pm where Ana lives",
    "March 5 17:00 at the Tokyo office",
    "March 5 17:00 Tokyo office time",
    "March 5 17:00 utc+1",
    "March 5 17:00 cet",
    "March 5 5pm pst",
    "March 5 17:00 GMT + 1",
    "March 5 17:00Z+1",
    "March 5 17:00 UTC +1",
    "March 5 noon in Paris",
    "March 5 noon (Paris)",
    "EOD March 5 (Pacific)",
    "EOD March 5, Pacific",
    "March 5 EOD AoE",
    "by Friday AoE",
    "tomorrow 5pm EST/EDT",
    "today by 5pm Chicago",
    "5pm Berlin on March 5",
    "March 5 at 5pm for the Tokyo team",
    "March 5 5pm in the Tokyo office",
    "March 5 at 5pm (our time)",
    "March 5 at 5pm, our time",
    "CET: March 5 17:00",
    "March 5 17:00 [CET]",
    "March 5 17:00, CET/PT",
    "March 5 17:00 CT time",
    "2026-03-05T17:00 Berlin",
    "2026-03-05T17:00 (JST/KST)",
    "3/5 5pm",
    "March 5 17:00 - Tokyo",
    "March 5 17:00; Tokyo time",
    "March 5 17:00. Tokyo time.",
    "March 5, 2026 5pm PT or ET",
    "All times PT. March 5 5pm",
    "(PT) March 5 5pm",
    "PT March 5 5pm",
    "In Tokyo March 5 at 17:00",
]

SEVERAL_DAYS: Final = [
    "by Tue/Wed",
    "by Tue / Wed",
    "by Tue, Wed",
    "due Tue & Wed",
    "due Sun and Mon",
    "2026-05-15 and 16",
    "2026-05-15 / 16",
    "2026-05-15, 16 and 17",
    "April 3..5",
    "See you in 2 weeks, latest in 3",
    "by Mon-Wed",
    "by Monday or Tuesday",
    "by Mon and by Wed",
    "by Monday, Tuesday",
    "on Mon + Tue",
    "May 15 & 16",
    "May 15 + 16",
    "May 15 and the 16th",
    "May 15 plus May 16",
    "2026-05-15..17",
    "2026-05-15 to 17",
    "2026-05-15 – 17",
    "May 15 resp. 16",
    "May 15, or 16",
    "today or tomorrow",
    "today/tomorrow",
    "by Friday/Saturday",
    "Fridays by May 15",
    "May 15 (or 16)",
    "by Friday, else Monday",
    "May 15 and/or 16",
    "April 3 ... 5",
    "May 15 & May 16",
    "by Fri or Sat",
    "by the 15th or May 16",
    "May 15th/16th",
    "May 15 -16",
    "May 15 – Tue",
    "Sat-Sun May 16",
    "weekend of May 15",
    "May 15 thru Sun",
    "either May 15",
    "one of May 15",
    "Monday, Tuesday, May 15",
    "by Wed, Thu",
    "by Sat, 14th",
    "2026-05-15;16",
    "2026-05-15/16",
    "2026-05-15/2026-05-20",
    "from 2026-05-15",
    "2026-05-15 until Friday",
    "by Tuesday at 5pm or Wednesday",
    "by Tuesday, maybe Wednesday",
    "by Tuesday, latest Wednesday",
    "by Tuesday; at the latest Wed",
    "May 15, 18",
    "May 15; 16",
    "May 15 (16 for Ana)",
    "May 15 - 16 June",
    "15. - 16. May",
    "15/16 May",
    "15+16 May",
    "15th & 16th of May",
    "May 15, May 16",
    "May 15, then 20",
    "by May 15 (extended: 20)",
    "by May 15 (abstract), 20 (paper)",
    "abstract May 15, paper 22",
    "May 15 for abstracts and 22 for papers",
    "May 15 or the following Monday",
    "2026-05-15 (or the day after)",
    "the day before May 15",
    "two days before May 15",
    "day after May 15",
    "3 days after May 15",
    "a week from Friday",
    "Friday week",
    "a week on Friday",
    "Friday in two weeks",
    "Friday after next",
    "the Friday before May 15",
    "Monday after May 15",
    "May 15 + 2 days",
    "May 15 + 1 week",
    "a week before May 15",
    "one week prior to May 15",
    "no later than 2 days before May 15",
    "within 3 days of May 15",
    "by May 15 minus 2 days",
]

TIMES_APART: Final = [
    "May 15 at five pm",
    "May 15 at half past five",
    "May 15 at 1700",
    "May 15 at 17 Uhr",
    "May 15, 9 sharp",
    "May 15 ~3pm",
    "March 5 AM",
    "March 5 PM",
    "May 15 lunchtime",
    "May 15 first thing",
    "May 15 noonish",
    "by Friday 17h",
    "by Friday 1700",
    "by Friday 17.00",
    "tomorrow 9",
    "in 3 days by 5",
    "15.05.2026, 15 Uhr",
    "15/05/2026 à 15h",
    "2026-05-15 25:00",
    "May 15 at 5ish",
    "May 15 five o'clock",
    "May 15, at nine",
    "May 15 by nine",
    "May 15 quarter to nine",
    "May 15 at 0900",
    "by 0900 May 15",
    "at 9 on May 15",
    "17h on May 15",
    "at five on May 15",
    "half past five on May 15",
    "1700 on May 15",
    "lunchtime on May 15",
    "tomorrow at lunch",
    "tomorrow first thing",
    "tomorrow around 9",
    "tomorrow 9ish",
    "tomorrow at nine",
    "by Friday at 5",
    "by Friday, 5",
    "Friday 5",
    "in 3 days at 5",
    "today 9",
    "May 15 at 9:00",
    "May 15 15.30",
    "May 15 15:30h",
    "May 15 3 p",
    "May 15 3p",
    "May 15 at teatime",
    "May 15 13:75",
    "2026-05-15T1500",
    "2026-05-15 3 Uhr",
    "2026-05-15 um 15 Uhr",
    "2026-05-15, kl. 15",
    "2026-05-15 à midi",
    "May 15 after lunch",
    "May 15 before lunch",
    "by May 15 close of play",
    "May 15 beginning of day",
    "tomorrow night",
    "Friday night",
    "May 15 at 9",
    "by 5 on Friday",
    "Friday at five",
    "Friday, nine sharp",
    "May 15 at 1 in the morning",
    "May 15 3 in the afternoon",
    "May 15 15 h",
    "May 15 at 15 o'clock",
    "May 15 at 0:75",
    "May 15 (9-ish)",
    "May 15 @9",
    "May 15 @ 9",
    "May 15 @9ish",
    "May 15 9ish",
    "May 15 9a",
    "May 15: 9",
    "May 15 - 9",
    "May 15 – 15h",
    "15h – May 15",
    "May 15 before 9",
    "May 15 after 9",
    "May 15 til 9",
    "May 15 until 9",
    "morning of May 15",
    "May 15, a.m.",
    "May 15 a.m.",
    "May 15, early",
    "May 15 COB",
    "May 15 EOB",
    "May 15 12:00 midnight",
    "May 15 twelve noon",
    "in 3 days at nine",
    "in 3 days in the morning",
    "15.05.2026 15 Uhr 30",
    "15.05.2026 15h30",
    "2026-05-15 3:00",
    "2026-05-15T3",
    "2026-05-15 15",
    "2026-05-15 1500",
    "Meet five on May 15",
    "May 15 between 3 and 5",
    "May 15 3-ish",
    "tomorrow midday",
    "tomorrow, 9",
    "tomorrow: 9",
    "tomorrow at 9 or 10",
    "tomorrow 9 to 5",
    "tomorrow 9-5",
    "tomorrow 9-5pm",
    "Friday 9-ish",
    "Friday from 9",
    "Friday after 5pm",
    "May 15 after 5pm",
    "May 15 no later than 5",
    "May 15 starting 9am",
    "by May 15 at the end of business",
    "by May 15 (5 o'clock)",
    "by May 15 (9am or 10am)",
    "by May 15 9am or 10am",
    "May 15 9am/10am",
    "May 15 9am-10am",
    "May 15 9am and 3pm",
    "May 15 9am, 3pm",
    "at 9am and 3pm on May 15",
    "May 15 5pm + 30 min",
    "May 15 5pm-ish",
    "May 15 about 5pm",
    "May 15 around 5pm",
    "May 15 almost 5pm",
    "May 15 not before 5pm",
    "May 15 5pm at the earliest",
    "2026-05-15T17:00ish",
    "2026-05-15 17:00 - 18:00",
    "2026-05-15T17:00/18:00",
    "2026-05-15T17:00/PT1H",
    "May 15 17:00 for 17:30",
    "May 15 5pm sharp",
    "May 15 quarter past",
    "ten past five May 15",
    "May 15 17 o'clock",
    "May 15 17:00 Uhr",
]

NOT_MEANT: Final = [
    "Deadline isn't April 3",
    "It isn't due on April 3",
    "Don't do it on April 3",
    "any day but April 3",
    "not by end of May",
    "May 15 at the earliest",
    "May 15 +/- 2 days",
    "May 15, give or take",
    "Maybe May 15",
    "Perhaps May 15",
    "tentatively May 15",
    "Approx. May 15",
    "ca. May 15",
    "3 may be enough",
    "15 may come",
    "The deadline is not May 15",
    "May 15 is not the deadline",
    "never on May 15",
    "nothing due May 15",
    "No meeting on May 15",
    "May 15 might work",
    "could be May 15",
    "May 15 or so",
    "possibly May 15",
    "probably by Friday",
    "by Friday if possible",
    "May 15 (tentative)",
    "May 15 TBC",
    "May 15 at soonest",
    "no earlier than May 15",
    "not until May 15",
    "not before May 15",
    "May 15±2",
    "beyond May 15",
    "anything but May 15",
    "May 15 (cancelled)",
    "May 15 is cancelled",
    "May 15 no longer holds",
    "the 3 may still slip",
    "may 3 be the day",
    "we march 15 miles",
    "I don't think it's due May 15",
    "Nobody needs it by May 15",
    "It's not that the deadline is May 15",
    "May 15 was wrong",
    "May 15, not sure",
    "May 15, unless it rains",
    "Not due: May 15",
    "Ignore the May 15 deadline",
    "skip May 15",
    "avoid May 15",
    "not on May 15",
    "May 15 is too early",
    "May 15 is too late",
    "earlier than May 15",
    "sometime before May 15",
    "sometime around Friday",
    "by May 15, I guess",
    "around Friday",
    "May 15 more or less",
    "May 15 plus or minus a day",
    "May 15 (approx.)",
    "May 15, approx",
    "May 15ish",
    "~May 15",
    "~ May 15",
    "May 15~",
    "c. May 15",
    "abt May 15",
    "est. May 15",
    "ETA May 15",
    "no deadline, party May 15",
    "rather not May 15",
    "May 15 may be too soon",
    "May 15 should be avoided",
    "May 15 won't work",
    "any time except Friday",
    "not Friday",
    "never on Friday",
    "by Friday? no",
    "by Friday (not sure)",
    "Friday or so",
    "Friday-ish",
    "by Friday perhaps",
    "by Friday I think",
    "aim for May 15",
    "hoping for May 15",
    "ideally May 15",
    "say May 15",
    "or May 15",
    "May 15 earliest",
    "earliest: May 15",
    "from May 15 on",
    "May 15 and later",
    "May 15 and after",
    "May 15 and beyond",
    "May 15+",
    ">= May 15",
    "> May 15",
    "<May 15",
    "since Friday",
    "after Friday",
    "If Ana calls, by May 15",
    "unless Bob pays by May 15",
    "in case May 15 slips",
    "the original deadline of May 15",
    "the old deadline May 15",
    "previous deadline May 15",
    "formerly May 15",
    "originally May 15",
    "was May 15",
    "used to be May 15",
]

PREPOSITIONS: Final = [
    "nach dem 15. April",
    "ab 3. April",
    "seit 15 April 2025",
    "vom 3. bis 5. April",
    "3. und 5. April",
    "3. og 5. april",
    "tussen 3 en 5 april",
    "3 y 5 April",
    "Vanaf 15 april",
    "ab 15.05.2026",
    "nach 15.05.2026",
    "após 15 April",
    "depuis 15 April 2027",
    "à partir du 15.05.2026",
    "dopo il 15.05.2026",
    "efter 15.05.2026",
    "ikke 15.05.2026",
    "nicht am 15.05.2026",
    "15.05.2026 oder später",
    "ab dem 15.05.2026",
    "après 2026-05-15",
    "seit 2026-05-15",
    "vor dem 15.05.2026",
    "frühestens 2026-05-15",
    "fra 3. april",
    "med start 15 april",
    "sinds 15 april",
    "po 15.05.2026",
    "desde 15/05/2026",
    "entre 3 e 5 April",
    "från 15 april",
    "15 April bis 20. Mai",
    "3. April oder später",
    "noch nicht 2026-05-15",
    "a partir de 2026-05-15",
    "nakon 15.05.2026",
    "после 15.05.2026",
    "vor 15 April",
    "Vor dem 3. April",
    "Ab dem 3 April",
    "Nach 15 April",
    "dopo 3 April",
    "pred 15.05.2026",
    "pirms 15.05.2026",
    "po 15 April",
    "nuo 15.05.2026",
    "alates 15.05.2026",
    "15.05.2026 tarihinden sonra",
    "15.05.2026 jälkeen",
    "15.05.2026 után",
    "15.05.2026 után kell",
    "15.05.2026 előtt",
    "iki 2026-05-15",
    "15.05.2026 itibaren",
    "2026-05-15以降",
    "2026-05-15 以降",
    "2026-05-15から",
    "2026-05-15之后",
    "od 15 April 2026",
    "met ingang van 15 april",
    "a partir del 15/05/2026",
    "15 de abril",
    "15 April et 16 April",
    "sauf le 15/05/2026",
    "pas le 15/05/2026",
    "kein Meeting am 15.05.2026",
    "bis einschließlich 15.05.2026",
    "der 15.05.2026 war gut",
    "seit dem 15.05.2026",
]

PAST: Final = [
    "Missed the Feb 1 deadline",
    "Was due Feb 1",
    "The bill was due May 1",
    "had to pay by May 15",
    "deadline passed May 15",
    "Published May 15",
    "Anna's birthday was May 15",
    "I forgot the May 15 deadline",
    "expired March 1",
    "Delivered March 1",
    "Completed April 3",
]

YEARS: Final = [
    "by May 15, FY2027",
    "NeurIPS '27 abstract by May 15",
    "May 15 every year",
    "May 15 yearly",
    "by Friday every week",
    "end of year party planning",
    "ICML'27 paper by May 15",
    "in FY27 by May 15",
    "CVPR27 abstract by May 15",
    "each year on May 15",
    "May 15 annually",
    "every May 15",
    "by Friday each week",
    "by Friday, weekly",
    "Fridays by 5pm",
    "on the 15th of every month",
    "EOY review",
    "EOM report",
    "end of month report",
    "end of May party",
    "end of Q3 results",
    "end of the year celebration",
    "end of 2026 party",
    "by May 15, 2026/27",
    "by May 15 in 2 years",
    "FY2027: report by May 15",
    "WC 2027 tickets by May 15",
    "by May 15 of next year",
    "May 15 next year",
    "by May 15, class of 2028",
    "FY27: by May 15",
    "by May 15 for '28 season",
    "May 15, biannually",
    "May 15 once a year",
    "May 15 and monthly after",
    "each Friday",
    "end of year review",
    "end of May festival",
    "EOM party",
    "Since May 15",
    "May 15 onwards",
    "Valid thru May 15",
    "Chapter 3 May 15",
    "Room 5 May 2026",
    "iPhone 15 May 2026 event",
    "Ubuntu 26 April 2026 release",
    "Version 5 June 2026",
    "Boeing 7 June 2026",
    "Top 10 May 2026 songs",
    "5 May Avenue",
    "1 May Day parade",
    "May 15 Avenue",
    "2 may come by",
    "the 3rd may be off",
    "on 3 may be late",
    "by 3 may I go",
    "march 3 miles",
    "sun 3 may shine",
]

NO_DATE_READ: Final = [
    "in two and a half days",
    "between Tue and Wed",
    "Sat/Sun",
    "on Fridays",
    "in 1.5 days",
    "in one or two days",
    "Tue or Wed",
    "two Fridays from now",
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


@pytest.mark.parametrize(
    "text",
    [
        *REST_OF_A_SPAN,
        *ZONES_APART,
        *SEVERAL_DAYS,
        *TIMES_APART,
        *NOT_MEANT,
        *PREPOSITIONS,
        *PAST,
        *YEARS,
    ],
)
def test_what_stands_near_a_date_leaves_it_in_doubt(text: str) -> None:
    assert read(text) == "ambiguous"


@pytest.mark.parametrize("text", NO_DATE_READ)
def test_no_date_is_found_where_only_a_part_would_be_understood(text: str) -> None:
    assert read(text) == "nothing"


@pytest.mark.parametrize(("text", "deadline"), ORDINARY)
def test_what_is_ordinary_near_a_date_is_no_doubt(text: str, deadline: str) -> None:
    assert read(text) == deadline


@pytest.mark.parametrize(
    "text",
    [
        "Lea (3 May 2015) needs gift",
        "geboren am 15.05.1980",
        "Read September 1, 1939 by Auden",
        "2001-09-11 attacks: write post",
        "Windows 10 May 2019 Update",
        "05/06/07",
        "Sign the contract of 2026-02-28",
        "Answer the mail, 2026-03-02T11:59Z",
    ],
)
def test_a_full_date_before_it_was_learned_is_no_deadline_in_a_sentence(text: str) -> None:
    assert read(text, past=False) == "ambiguous"


def test_a_full_date_before_it_was_learned_counts_where_a_deadline_is_named() -> None:
    assert read("2026-02-28") == "2026-03-01T00:00:00Z"
    assert read("2026-03-02", past=False) == "2026-03-03T00:00:00Z"
    assert read("2026-02-28", learned_at=None, past=False) == "2026-03-01T00:00:00Z"
    assert read("05/06/07", day_order="dmy") == "ambiguous"


@pytest.mark.parametrize(
    "text", ['{"by": "May 15"}', '["2026-05-15"]', "[]", ' {"a": ["May 15"]}', "[" * 3000]
)
def test_a_structure_is_no_deadline(text: str) -> None:
    found = infer(text, "by 2026-05-15", learned_at=MONDAY, zone=UTC_ZONE, day_order="none")
    assert isinstance(found, Ambiguous)


def test_brackets_alone_make_no_structure() -> None:
    found = infer("[soft] May 15", None, learned_at=MONDAY, zone=UTC_ZONE, day_order="none")
    assert isinstance(found, Origin)


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
