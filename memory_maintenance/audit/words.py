"""The column's name as a bare word, in text of any length."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memory_maintenance.audit.findings import excerpt
from memory_maintenance.audit.subject import Subject

_AROUND: Final = 200


@dataclass(frozen=True, slots=True)
class Word:
    """One occurrence. line, column: from 1. text: what is shown of the line. length: in characters."""

    line: int
    column: int
    text: str
    length: int


@dataclass(frozen=True, slots=True)
class Words:
    """The occurrences in a text, up to a number; count: of all. names_table: whether it names the table."""

    found: tuple[Word, ...]
    count: int
    names_table: bool


def words_in(blocks: Iterable[str], subject: Subject, *, most: int) -> Words:
    """Reads a text that comes in blocks, once, and holds no more than two of them."""
    reader = _Reader(subject, most)
    for block in blocks:
        reader.take(block)
    return reader.ended()


class _Reader:
    def __init__(self, subject: Subject, most: int) -> None:
        self._subject = subject
        self._most = most
        # What comes after a word, and the name of the table that begins at the end of a block.
        self._margin = _AROUND + max(map(len, (subject.column, *subject.table_names)))
        self._found: list[Word] = []
        self._count = 0
        self._names_table = False
        self._text = ""
        self._done = 0
        self._line = 1
        self._line_start = 0

    def take(self, block: str) -> None:
        self._text += block
        self._search(len(self._text) - self._margin)

    def ended(self) -> Words:
        self._search(len(self._text))
        return Words(tuple(self._found), self._count, self._names_table)

    def _search(self, limit: int) -> None:
        """Takes the occurrences that begin before an index, and lets go of the text before it."""
        if limit <= self._done:
            return
        table = self._subject.table_word.search
        self._names_table = self._names_table or table(self._text, self._done) is not None
        for match in self._subject.column_word.finditer(self._text, self._done):
            if match.start() >= limit:
                break
            self._advance(match.start())
            self._count += 1
            if len(self._found) < self._most:
                self._found.append(self._word(match.start(), match.end()))
        self._advance(limit)
        passed = max(0, limit - self._margin)
        self._text = self._text[passed:]
        self._done -= passed
        self._line_start -= passed

    def _advance(self, index: int) -> None:
        if newlines := self._text.count("\n", self._done, index):
            self._line += newlines
            self._line_start = self._text.rindex("\n", self._done, index) + 1
        self._done = index

    def _word(self, start: int, end: int) -> Word:
        text = excerpt(self._text, max(self._line_start, 0), start, end - start)
        return Word(self._line, start - self._line_start + 1, text, end - start)
