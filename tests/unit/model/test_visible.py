"""Hostile text is shown and not obeyed."""

from __future__ import annotations

import pytest

from memory_maintenance.model.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("naïve 中文 👍", "naïve 中文 👍"),
        ("\x1b[2Jcleared", "\\x1b[2Jcleared"),
        ("a\nb\tc\r\x00\x7f", "a\\nb\\tc\\r\\x00\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("in\u2066visible\u200b\ufeff", "in\\u2066visible\\u200b\\ufeff"),
        ("line\u2028break", "line\\u2028break"),
        ("lone \ud800", "lone \\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("👩\u200d👧 می\u200cخواهم", "👩\u200d👧 می\u200cخواهم"),
    ],
)
def test_what_would_steer_a_terminal_becomes_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_line_breaks_stay_where_they_may() -> None:
    assert visible("a\nb\x1b", keep="\n") == "a\nb\\x1b"


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", "\\xef\\u4e2d"), ("latin-1", "ï\\u4e2d"), ("utf-8", "ï中")]
)
def test_what_the_encoding_lacks_becomes_an_escape(encoding: str, shown: str) -> None:
    assert visible("ï中", encoding=encoding) == shown
