"""A report with everything in it that a report may have, and facts that would do harm."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from memory_maintenance.model.result import (
    Bars,
    Block,
    Code,
    Column,
    Curve,
    Heading,
    KeyValues,
    Mark,
    Note,
    Table,
)
from tests.unit.render.shown import Shown

HOSTILE: Final = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror=alert(1)><svg/onload=alert(1)>',
    "' onmouseover='alert(1)",
    "{title} %s {{7*7}} &lt;b&gt;",
    "]]></style><!-- </title></textarea>",
    "[a](javascript:alert(1)) ![i](http://evil.example/i.png) <http://evil.example>",
    "https://evil.example/ www.evil.example mailto:a@evil.example",
    "a | b || \\| `code` ``x`` \\` ~~s~~ $x$ **b** __u__",
    "line\nbreak\r\n# heading\n- item\u2028next\x00\x1b[2J\u202egnp.exe\ufeff\ud800",
    "[ref]: http://evil.example",
    "```\n</code></pre><script>alert(1)</script>",
)
"""Texts that mean something to a browser, to markdown or to a terminal."""

ARABIC: Final = "المستخدم يفضل الاجتماعات صباحا"
HEBREW: Final = "לקבוע תור (ABC) ל־2026"

_COMPOSITION: Final = Table(
    (
        Column("durability"),
        Column("category"),
        Column("facts", "right"),
        Column("confidence", "right"),
        Column("importance", "right"),
        Column("below 0.2", "right"),
    ),
    (
        ("permanent", "identity", "1,640", "0.998", "82.1", "0"),
        ("permanent", "decision", "212", "0.991", "74.6", "0"),
        ("long_term", "preference", "8,214", "0.842", "61.0", "12"),
        ("long_term", "observation", "24,407", "0.713", "44.9", "391"),
        ("long_term", "😀 mood / 天気", "31", "0.655", "40.2", "1"),
        ("short_term", "obligation", "946", "0.581", "66.3", "27"),
        ("ephemeral", "mood", "10,330", "0.104", "18.7", "8,905"),
        ("ephemeral", ARABIC, "7", "0.090", "12.0", "6"),
        ("(not classified)", "a" * 10_000, "2", "-", "-", "0"),
        ("long_term", HOSTILE[0], "1", "0.500", "50.0", "0"),
        ("all", "", "45,790", "", "", "9,342"),
    ),
)
_OBLIGATIONS: Final = Table(
    (Column("id", "right"), Column("due (UTC)"), Column("late", "right"), Column("what")),
    (
        ("31", "2026-05-16 09:00", "16 d", "Call Ana about the lease"),
        ("1204", "2026-05-29 17:00", "2.3 d", HEBREW),
        ("98822", "2026-05-31 23:59", "1 min", "Send https://example.org/" + "path/" * 24),
    ),
    title="Overdue",
)
_RUNS: Final = Table(
    (
        Column("run", "right"),
        Column("command"),
        Column("started (UTC)"),
        Column("took", "right"),
        Column("status"),
        Column("written", "right"),
    ),
    tuple(
        (str(412 - n), "run", f"2026-05-31 {23 - n:02}:00:04", f"{1.4 + n % 3:.1f} s", status, w)
        for n, (status, w) in enumerate(
            [("done", "8,114")] * 4 + [("failed", "-")] + [("done", "7,902")] * 5
        )
    ),
)
_FADING: Final = Curve(
    tuple((day, 0.9 * 0.5 ** (day / 14)) for day in range(61)),
    "2026-05-20",
    "2026-07-19",
    (Mark(12, "now"), Mark(16, "deadline 2026-06-05"), Mark(30.4, "archive from 2026-06-19")),
    0.2,
    title="Confidence of fact 31",
)

BLOCKS: Final[tuple[Block, ...]] = (
    Note("2 facts have no durability and are left alone (--show-ids lists them)", "problem"),
    Heading("Facts by durability and category"),
    _COMPOSITION,
    Heading("Distribution"),
    Bars(
        tuple(
            (f"{n / 10:.1f} to {(n + 1) / 10:.1f}", count)
            for n, count in enumerate([9342, 2110, 1804, 1733, 2950, 4106, 5872, 7431, 6919, 3523])
        ),
        title="Confidence",
    ),
    Bars(
        tuple(
            (f"{n * 10} to {n * 10 + 10}", count)
            for n, count in enumerate([1290, 8804, 3011, 5120, 9733, 7410, 6229, 2890, 1001, 3])
        ),
        title="Effective importance",
    ),
    Heading("Faded since 2026-05-31 00:00:00 UTC"),
    KeyValues(
        (
            ("crossed 0.2", "311"),
            ("expired", "14"),
            ("asked for", "the last 24 h"),
            (HOSTILE[2], HOSTILE[1]),
        )
    ),
    Note("nothing was archived", "hint"),
    Heading("Obligations"),
    _OBLIGATIONS,
    Heading("Forecast: 30 days"),
    Bars(
        tuple((f"2026-06-{day:02}", 400 // day + (day * 7) % 13) for day in range(1, 31)),
        title="Facts crossing 0.2, per day",
    ),
    Heading("One fact"),
    _FADING,
    Heading("Suspicious facts"),
    Table(
        (Column("id", "right"), Column("value")), tuple((str(n), t) for n, t in enumerate(HOSTILE))
    ),
    Heading("Table health"),
    KeyValues(
        (
            ("dead rows", "8,114 (17.7 %)"),
            ("last autovacuum", "2026-05-31 22:14:09 UTC"),
            ("index sizes", "entity_facts_pkey 2.1 MB, entity_facts_confidence_idx 1.4 MB"),
            ("HOT share", "42 %"),
        )
    ),
    Note(
        "an index on confidence keeps updates from being HOT; drop it if nothing reads by it:",
        "hint",
    ),
    Code("DROP INDEX CONCURRENTLY public.entity_facts_confidence_idx; -- " + "long " * 20, "sql"),
    Heading("Last runs"),
    _RUNS,
    Note("run 408: canceling statement due to statement timeout\nLINE 1: " + HOSTILE[0]),
)


def sample() -> Shown:
    """The report of a memory at 2026-06-01."""
    return Shown(
        command="report",
        table="public.entity_facts",
        as_of=datetime(2026, 6, 1, tzinfo=UTC),
        dry_run=True,
        shown=BLOCKS,
    )
