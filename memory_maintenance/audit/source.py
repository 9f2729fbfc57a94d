"""A file to be audited: its text, and what is known of it before it is read."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from memory_maintenance.audit.candidate import Context
from memory_maintenance.audit.subject import Subject


@dataclass(frozen=True)
class Source:
    """A file. path: as shown, relative. text: decoded, lines ended as in the file. context: by its place.

    derived: relations that some file of the audit defines from the table (views, copies of it).
    """

    path: str
    text: str
    context: Context = Context.RUNTIME
    derived: frozenset[str] = frozenset()

    def names_table(self, subject: Subject) -> bool:
        """Whether the table's name stands in it as a word."""
        return subject.table_word.search(self.text) is not None

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self._line_starts) - (self.text == "" or self.text.endswith("\n"))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")

    def offset_of(self, line: int, column: int) -> int:
        """The character at a line, counted from 1, and a column, counted from 0."""
        return self._line_starts[line - 1] + column
