"""Comments that let a place pass: ``memory-maintenance: ignore`` and a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MARKER: Final = "memory-maintenance: ignore"
"""What a comment says before its reason."""

_MARKER: Final = re.compile(
    r"memory-maintenance:[ \t]*ignore(?![\w-])[ \t]*[:,-]*(?P<reason>[^\n]*)", re.IGNORECASE
)
_CLOSERS: Final = ("*/", "-->", "#}", "%}", "}}")
# A comment with nothing but itself on its line speaks of the line below, too.
_ALONE: Final = re.compile(r"(?:[^\w\n]|\brem\b|\bdnl\b)*", re.IGNORECASE)


@dataclass(slots=True)
class Ignore:
    """One such comment. lines: those that it speaks of. used: whether a finding stands there."""

    line: int
    reason: str
    lines: tuple[int, ...]
    used: bool = False


def ignores_in(text: str) -> dict[int, Ignore]:
    """The comments of a file by each line that they speak of: their own, and where nothing else stands
    on it the one below. A comment on the line itself goes before one above it."""
    found = []
    line, counted = 1, 0
    for match in _MARKER.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        lines = (line, line + 1) if _ALONE.fullmatch(before) else (line,)
        found.append(Ignore(line, _reason(match["reason"]), lines))
    by_line: dict[int, Ignore] = {}
    for ignore in found:
        by_line.update(dict.fromkeys(ignore.lines[1:], ignore))
    by_line.update({ignore.line: ignore for ignore in found})
    return by_line


def _reason(text: str) -> str:
    """What is said, without what ends the comment or the string that it stands in."""
    rest = ""
    while rest != text:
        rest = text
        text = text.strip().rstrip("\"'`,;")
        for closer in _CLOSERS:
            text = text.removesuffix(closer)
    return text
