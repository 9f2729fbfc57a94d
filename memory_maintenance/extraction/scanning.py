"""Where an object in damaged JSON ends: brackets counted outside of what are texts, as far as one can tell.

On whole JSON, and on whole JSON that was cut off, it is exact; on anything else a guess, which ``repair``
checks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

DEEPEST: Final = 30
"""Brackets within brackets of a damaged fact; one that is whole has three."""

_MARK: Final = re.compile(r"[\"'“”{}\[\]:,]|[^\s\"'“”{}\[\]:,]+")
_CLOSERS: Final = {
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.S),
    "“": re.compile(r"[^”]*”"),
    # An apostrophe ends no text that single quotes are around.
    "'": re.compile(r"[^'\\]*(?:(?:\\.|'(?!\s*[,:}\]]))[^'\\]*)*'(?=\s*[,:}\]])", re.S),
}
_COLON: Final = re.compile(r"\s*:\s*")
_OPENERS: Final = {"}": "{", "]": "["}


@dataclass(frozen=True, slots=True)
class Scan:
    """An object as far as it goes. end: after its closing bracket, or where the scan gave up.

    closed: whether it has one, or what is around it ends. too_deep: why it gave up, if not at the text's end.
    facts: where the values of its members called facts begin. nested: where those of its direct members
    begin that are objects or arrays.
    """

    end: int
    closed: bool
    too_deep: bool = False
    facts: tuple[int, ...] = ()
    nested: tuple[int, ...] = ()


@dataclass(slots=True)
class _State:
    stack: list[str] = field(default_factory=list)
    previous: str = ""
    facts: list[int] = field(default_factory=list)
    nested: list[int] = field(default_factory=list)

    def open(self, mark: str, place: int) -> None:
        if len(self.stack) == 1 and self.previous == ":":
            self.nested.append(place)
        self.stack.append(mark)

    def close(self, mark: str) -> bool:
        """Takes away what a bracket closes, and what was left open within; False for what is not open."""
        if _OPENERS[mark] not in self.stack:
            return False
        while self.stack.pop() != _OPENERS[mark]:
            pass
        return True


class Scanner:
    """Scans objects of one text. read: the characters that all scans together have looked at."""

    def __init__(self, text: str) -> None:
        self._text = text
        # From here on no text in such quotes ends: looked for once, not at each opening quote.
        self._unended: dict[str, int] = {}
        self.read = 0

    def object_at(self, start: int, *, stop_at_facts: bool = False) -> Scan:
        """The object whose brace stands at start. stop_at_facts: end at the first member called facts."""
        scan = self._scan(start, stop_at_facts=stop_at_facts)
        self.read += scan.end - start
        return scan

    def _scan(self, start: int, *, stop_at_facts: bool) -> Scan:
        state, text, at = _State(), self._text, start
        while (match := _MARK.search(text, at)) is not None:
            mark, at = match[0], match.end()
            if mark in "{[":
                state.open(mark, match.start())
                if len(state.stack) > DEEPEST:
                    return _told(state, at, closed=False, too_deep=True)
            elif mark in "}]":
                if not state.close(mark):
                    # What is around it ends, and it with that.
                    return _told(state, match.start(), closed=True)
                if not state.stack:
                    return _told(state, at, closed=True)
            elif mark in _CLOSERS and (mark == '"' or state.previous in ("{", "[", ",", ":")):
                at = self._after_text(mark, at)
                if at < 0:
                    return _told(state, len(text), closed=False)
            is_name = mark in _CLOSERS or mark == "facts"
            if is_name and self._names_facts(state, match, at) and stop_at_facts:
                return _told(state, state.facts[0], closed=False)
            state.previous = mark
        return _told(state, len(text), closed=False)

    def _names_facts(self, state: _State, match: re.Match[str], end: int) -> bool:
        """Whether it is the name of a direct member called facts; keeps where its value begins."""
        names = (match[0], self._text[match.start() + 1 : min(end - 1, match.start() + 7)])
        if len(state.stack) != 1 or "facts" not in names or state.previous not in ("{", ","):
            return False
        colon = _COLON.match(self._text, end)
        if colon is not None:
            state.facts.append(colon.end())
        return colon is not None

    def _after_text(self, quote: str, at: int) -> int:
        """After the quote that ends a text begun before at; -1 where none does."""
        if at >= self._unended.get(quote, len(self._text) + 1):
            return -1
        match = _CLOSERS[quote].match(self._text, at)
        if match is None:
            self._unended[quote] = at
            return -1
        return match.end()


def _told(state: _State, end: int, *, closed: bool, too_deep: bool = False) -> Scan:
    return Scan(end, closed, too_deep, tuple(state.facts), tuple(state.nested))
