"""Comments that let a place pass: ``memory-maintenance: ignore`` and a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MARKER: Final = "memory-maintenance: ignore"
"""What a comment says before its reason."""

MARKED: Final = re.compile(
    r"memory-maintenance:[ \t]*ignore(?![\w-])[ \t]*[:,-]*(?P<reason>[^\n]*)", re.IGNORECASE
)
"""Finds it, with the reason."""

_CLOSERS: Final = ("*/", "-->", "#}", "%}", "}}")
# A comment with nothing but itself on its line speaks of the line below, too.
_ALONE: Final = re.compile(r"(?:[^\w\n]|\brem\b|\bdnl\b)*", re.IGNORECASE)
# What begins a comment in one language or another, where no grammar tells.
_OPENER: Final = re.compile(
    r"(?:^|[\s\"'`(,;>}])(?:#|--|//|/\*|\*|<!--|\{#|%|;|!|rem\b|dnl\b)", re.IGNORECASE
)
# A comment of SQL in a text of a program, directly before.
_OPENER_OF_SQL: Final = re.compile(r"(?:--|/\*)[\s*-]*$")


@dataclass(slots=True)
class Ignore:
    """One such comment. lines: those that it speaks of. used: whether a finding stands there."""

    line: int
    reason: str
    lines: tuple[int, ...]
    used: bool = False


def ignores_in(text: str, comments: Sequence[tuple[int, int]] | None = None) -> dict[int, Ignore]:
    """The comments of a file by each line that they speak of: their own, and where nothing else stands
    on it the one below. A comment on the line itself goes before one above it.

    comments: where they are, begin and end, as far as the file's language tells; outside of them only
    comments of SQL count, in the texts of a program. None where it doesn't tell: then what begins a comment
    somewhere must stand before on the line.
    """
    found = []
    line, counted = 1, 0
    for match in MARKED.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not _is_comment(match.start(), before, comments):
            continue
        lines = (line, line + 1) if _ALONE.fullmatch(before) else (line,)
        found.append(Ignore(line, _reason(match["reason"]), lines))
    by_line: dict[int, Ignore] = {}
    for ignore in found:
        by_line.update(dict.fromkeys(ignore.lines[1:], ignore))
    by_line.update({ignore.line: ignore for ignore in found})
    return by_line


def _is_comment(offset: int, before: str, comments: Sequence[tuple[int, int]] | None) -> bool:
    if comments is None:
        return _OPENER.search(before) is not None
    within = any(begin <= offset < end for begin, end in comments)
    return within or _OPENER_OF_SQL.search(before) is not None


def _reason(text: str) -> str:
    """What is said, without what ends the comment or the string that it stands in."""
    rest = ""
    while rest != text:
        rest = text
        text = text.strip().rstrip("\"'`,;")
        for closer in _CLOSERS:
            text = text.removesuffix(closer)
    return text
