"""Bytes per second as people write them."""

from __future__ import annotations

import re

import pytest

from memory_maintenance.config.rates import RATE_PATTERN, format_rate, parse_rate


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("20MB", 20_971_520),
        ("1kB", 1024),
        ("1GB", 1_073_741_824),
        ("1.5MB", 1_572_864),
        ("0.5kB", 512),
        ("0kB", 0),
        ("20 MB", 20_971_520),
        (" 20MB ", 20_971_520),
        ("never", None),
    ],
)
def test_a_number_and_a_unit_are_a_rate(text: str, bytes_per_s: int | None) -> None:
    assert parse_rate(text) == bytes_per_s
    assert re.fullmatch(RATE_PATTERN, text.strip())


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("20", "a bare number has no unit: write 20MB"),
        ("0", "a bare number has no unit"),
        ("20M", "write 20MB, which means per second"),
        ("20mb", "write 20MB"),
        ("20MiB", "write 20MB"),
        ("20MB/s", "write 20MB"),
        ("20 MBps", "write 20MB"),
        ("20KB", "write 20kB"),
        ("20k/sec", "write 20kB"),
        ("2g", "write 2GB"),
        ("20B", "the unit is unknown"),
        ("20TB", "the unit is unknown"),
        ("20Mbit", "the unit is unknown"),
        ("20/s", "the unit is unknown"),
        ("-1MB", "can't be negative"),
        ("", "write a number and a unit"),
        ("MB", "write a number and a unit"),
        ("1e3MB", "write a number and a unit"),
        ("1,5MB", "write a number and a unit"),
        ("1_000kB", "write a number and a unit"),
        ("٣MB", "write a number and a unit"),
        ("1MB\n2MB", "write a number and a unit"),
        ("0.1kB", "no whole number of bytes"),
        ("9" * 5000 + "kB", "too many digits"),
        ("Never", "for no limit write never"),
        ("unlimited", "for no limit write never"),
        ("off", "for no limit write never"),
    ],
)
def test_anything_else_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(ValueError, match=re.escape(advice)):
        parse_rate(text)
    assert re.fullmatch(RATE_PATTERN, text) is None or "whole number" in advice


@pytest.mark.parametrize(
    ("bytes_per_s", "text"),
    [
        (None, "never"),
        (0, "0kB"),
        (1, "0.0009765625kB"),
        (1536, "1.5kB"),
        (65_536, "64kB"),
        (1_572_864, "1536kB"),
        (20_971_520, "20MB"),
        (1024**4, "1024GB"),
        (1024**4 + 1, "1073741824.0009765625kB"),
    ],
)
def test_a_rate_is_shown_so_that_it_can_be_read_back(bytes_per_s: int | None, text: str) -> None:
    assert format_rate(bytes_per_s) == text
    assert parse_rate(text) == bytes_per_s


def test_a_negative_rate_has_no_text() -> None:
    with pytest.raises(ValueError, match="negative"):
        format_rate(-1)
