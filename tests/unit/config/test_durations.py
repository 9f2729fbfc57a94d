"""Spans of time as people write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from memory_maintenance.config.durations import (
    format_duration,
    parse_duration,
    parse_half_life,
    parse_limit,
)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("36h", timedelta(hours=36)),
        ("10d", timedelta(days=10)),
        ("1.5h", timedelta(minutes=90)),
        ("5min", timedelta(minutes=5)),
        ("60s", timedelta(seconds=60)),
        ("2w", timedelta(days=14)),
        ("1y", timedelta(days=365)),
        ("0h", timedelta(0)),
        ("10 d", timedelta(days=10)),
        (" 10d ", timedelta(days=10)),
        ("007d", timedelta(days=7)),
        ("0.000001s", timedelta(microseconds=1)),
        ("1000000y", timedelta(days=365_000_000)),
    ],
)
def test_a_number_and_a_unit_are_a_span(text: str, span: timedelta) -> None:
    assert parse_duration(text) == span


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("10m", "m could be minutes or months: write 10min"),
        ("10M", "m could be minutes or months"),
        ("10", "a bare number has no unit: write 10d"),
        ("0", "a bare number has no unit"),
        ("10mo", "a month has no fixed length"),
        ("10 days", "write 10d"),
        ("10D", "write 10d"),
        ("10 hours", "write 10h"),
        ("10x", "the unit is unknown"),
        ("-3d", "can't be negative"),
        ("", "write a number and a unit"),
        ("d", "write a number and a unit"),
        ("1:30", "write a number and a unit"),
        ("1e3d", "write a number and a unit"),
        (".5h", "write a number and a unit"),
        ("1,5h", "write a number and a unit"),
        ("1_000d", "write a number and a unit"),
        ("٣d", "write a number and a unit"),
        ("1d\n2h", "write a number and a unit"),
        ("1d 2h", "write a number and a unit"),
        ("0.0000001s", "finer than a microsecond"),
        ("9999999999y", "more than 2.7 million years"),
        ("9" * 5000 + "d", "too many digits"),
        ("never", "write a number and a unit"),
    ],
)
def test_anything_else_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(advice)):
        parse_duration(text)


def test_half_lives_and_limits_may_be_never() -> None:
    assert parse_half_life("never") is parse_limit("never") is None
    assert parse_half_life("36h") == parse_limit("36h") == timedelta(hours=36)


@pytest.mark.parametrize("text", ["Never", "none", "infinite", "inf", "forever"])
def test_other_words_for_never_are_refused_with_the_right_one(text: str) -> None:
    with pytest.raises(ValueError, match="for no decay at all write never"):
        parse_half_life(text)


@pytest.mark.parametrize("text", ["Never", "none", "off", "no", "unlimited"])
def test_other_words_for_no_limit_are_refused_with_the_right_one(text: str) -> None:
    with pytest.raises(ValueError, match="for no limit write never"):
        parse_limit(text)


@pytest.mark.parametrize("parse", [parse_half_life, parse_limit])
def test_where_never_is_allowed_the_advice_says_so(
    parse: Callable[[str], timedelta | None],
) -> None:
    with pytest.raises(ValueError, match=r"write 10min.*; or never"):
        parse("10m")


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (None, "never"),
        (timedelta(0), "0s"),
        (timedelta(hours=36), "36h"),
        (timedelta(hours=48), "48h"),
        (timedelta(days=3), "3d"),
        (timedelta(days=3650), "3650d"),
        (timedelta(minutes=5), "5min"),
        (timedelta(seconds=90), "90s"),
        (timedelta(milliseconds=1500), "1.5s"),
        (timedelta(microseconds=1), "0.000001s"),
    ],
)
def test_spans_are_shown_as_the_specification_writes_them(
    span: timedelta | None, text: str
) -> None:
    assert format_duration(span) == text


def test_a_negative_span_has_no_text() -> None:
    with pytest.raises(ValueError, match="negative"):
        format_duration(timedelta(seconds=-1))
