"""Instants as text: a zone is required, and nothing is guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_maintenance.model.instants import parse_instant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-06-01T00:00:00Z", datetime(2026, 6, 1, tzinfo=UTC)),
        ("2026-06-01t00:00z", datetime(2026, 6, 1, tzinfo=UTC)),
        ("2026-06-01 02:00:00+02:00", datetime(2026, 6, 1, tzinfo=UTC)),
        ("2026-06-01 02:00:00 +0200", datetime(2026, 6, 1, tzinfo=UTC)),
        ("2026-05-31T19:00-05", datetime(2026, 6, 1, tzinfo=UTC)),
        (" 2026-06-01T00:00:00.25Z ", datetime(2026, 6, 1, 0, 0, 0, 250000, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    ],
)
def test_an_instant_is_read_into_utc(text: str, expected: datetime) -> None:
    instant = parse_instant(text)
    assert instant == expected
    assert instant.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2026-06-01T00:00:00", "has no zone"),
        ("2026-06-01", "has no time of day"),
        ("2026-06-01Z", "has no time of day"),
        ("", "is no instant"),
        ("yesterday", "is no instant"),
        ("2026-06-01x00:00Z", "is no instant"),
        ("2026-W23-1T00:00Z", "is no instant"),
        ("20260601T000000Z", "is no instant"),
        ("2026-13-01T00:00Z", "is no instant"),
        ("2026-02-29T00:00Z", "is no instant"),
        ("2026-06-01T00:00:60Z", "is no instant"),
        ("2026-06-01T00:00:00.1234567Z", "is no instant"),
        ("0000-06-01T00:00Z", "is no instant"),
        ("12026-06-01T00:00Z", "is no instant"),
        ("2026-06-01T00:00+25:00", "is no instant"),
        ("２０２６-06-01T00:00Z", "is no instant"),
    ],
)
def test_anything_else_is_refused_with_advice(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"{why}.*; write it like 2026-06-01T00:00:00Z"):
        parse_instant(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+02:00", "9999-12-31T23:00:00-02:00"])
def test_an_instant_that_utc_cannot_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        parse_instant(text)
