"""Spans survive being written and read, and no text at all does worse than a ValueError."""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta

from hypothesis import assume, example, given
from hypothesis import strategies as st

from memory_maintenance.config.durations import (
    DURATION_PATTERN,
    HALF_LIFE_PATTERN,
    MICROSECONDS,
    format_duration,
    parse_duration,
    parse_half_life,
)


@given(st.none() | st.timedeltas(min_value=timedelta(0)))
@example(timedelta.max)
def test_what_is_written_is_read_back_exactly(span: timedelta | None) -> None:
    assert parse_half_life(format_duration(span)) == span


@given(st.none() | st.timedeltas(min_value=timedelta(0)))
def test_what_is_written_fits_the_pattern_of_the_schema(span: timedelta | None) -> None:
    assert re.search(HALF_LIFE_PATTERN, format_duration(span))


@given(st.integers(0, 10**6), st.sampled_from(sorted(MICROSECONDS)))
def test_a_whole_number_of_units_is_that_many_microseconds(number: int, unit: str) -> None:
    span = timedelta(microseconds=number * MICROSECONDS[unit])
    assert parse_duration(f"{number}{unit}") == span


@given(st.text() | st.from_regex(r"[0-9]*\.?[0-9]* ?[a-z]*", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse_duration(text) >= timedelta(0)


@given(st.from_regex(DURATION_PATTERN, fullmatch=True))
def test_the_schema_allows_nothing_malformed(text: str) -> None:
    # A pattern can't tell how large a number is: only the form is the schema's.
    assume("." not in text)
    try:
        parsed = parse_duration(text)
    except ValueError as refused:
        if "2.7 million years" not in str(refused):
            raise
    else:
        assert parsed >= timedelta(0)
