"""Hostile text becomes one line that says what it said, and does nothing."""

from __future__ import annotations

import pytest

from memory_maintenance.model.one_line import escaped_markdown, one_line
from memory_maintenance.model.visible import visible


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("  two  words ", "two words"),
        ("a\n## Heading\r\n- item", "a ## Heading - item"),
        ("tab\there", "tab here"),
        ("\x1b[2Jcleared", "[2Jcleared"),
        ("pay \u202e001\u202c now", "pay 001 now"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("line\u2028separator\u2029s\x85x", "line separator s x"),
        ("\ud800half", "half"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
        ("naïve 日本 \u00a0x", "naïve 日本 x"),
        ("\n\t ", ""),
    ],
)
def test_a_text_becomes_one_line(text: str, line: str) -> None:
    assert one_line(text, 50) == line
    assert visible(line) == line


@pytest.mark.parametrize(
    ("text", "longest", "line"),
    [
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("abc def", 5, "abc…"),
        ("ab", 1, "…"),
        ("a\n\n\n\nb", 3, "a b"),
    ],
)
def test_a_long_text_ends_with_an_ellipsis(text: str, longest: int, line: str) -> None:
    assert one_line(text, longest) == line


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("a *b* _c_ `d`", r"a \*b\* \_c\_ \`d\`"),
        ("[x](http://evil)", r"\[x\](http://evil)"),
        ("<script>", r"\<script\>"),
        ("a | b ~~c~~", r"a \| b \~\~c\~\~"),
        ("&lt; $x$", r"\&lt; \$x\$"),
        ("back\\slash", r"back\\slash"),
        ("# no heading - within a line 1. 2.", "# no heading - within a line 1. 2."),
    ],
)
def test_markdown_shows_a_line_as_it_is(line: str, escaped: str) -> None:
    assert escaped_markdown(line) == escaped
