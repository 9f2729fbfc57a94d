"""What an audit found, as it is shown to people and programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from memory_maintenance.audit.candidate import Confidence, Context

COUNTING: Final = frozenset({Context.RUNTIME.value, Context.TEST.value})
"""The contexts that count for the exit code."""

_LONGEST_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in a file. Its fields, in order, are the documented keys.

    file: with slashes, relative to the PATH it was found under. line, column: from 1, in characters.
    confidence, kind, context: the words of ``Confidence``, ``Kind``, ``Context``. text: the line without the
    space around it; of a long one 200 characters around the place. because: why it is what it is, or "".
    length: characters of the name that stands there; 0 where none does, as for a star.
    """

    file: str
    line: int
    column: int
    confidence: str
    kind: str
    context: str
    text: str
    suggestion: str = ""
    because: str = ""
    length: int = field(default=0, metadata={"json": False})

    def counts(self, fail_on: Confidence) -> bool:
        """Whether it makes the audit fail."""
        return self.context in COUNTING and at_least(self.confidence, fail_on)


@dataclass(frozen=True, slots=True)
class DatabaseEntry:
    """An object of the database that depends on the column, or may. because: what in it does so.

    owned: it goes with the column by itself, as its default does, and is nothing to be done about.
    """

    object: str
    kind: str
    confidence: str
    definition: str
    because: str = ""
    suggestion: str = ""
    owned: bool = False

    def counts(self, fail_on: Confidence) -> bool:
        """Whether it makes the audit fail: a database is always at run time."""
        return not self.owned and at_least(self.confidence, fail_on)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read as what it is, or not at all."""

    file: str
    because: str


def at_least(confidence: str, threshold: Confidence) -> bool:
    """Whether a confidence, as a word, is no less than another."""
    return Confidence[confidence.upper()] >= threshold


def excerpt(text: str, line_start: int, start: int, length: int) -> str:
    """The line that holds the ``length`` characters at ``start``, as it is shown: without the space
    around it, and of a long one only what stands around them. Takes no longer for a long line."""
    first = max(line_start, start - _LONGEST_TEXT)
    end = text.find("\n", start, start + length + _LONGEST_TEXT)
    last = min(len(text), start + length + _LONGEST_TEXT) if end < 0 else end
    line = text[first:last].strip()
    if len(line) <= _LONGEST_TEXT:
        return line
    around = (_LONGEST_TEXT - min(length, _LONGEST_TEXT)) // 2
    first = max(first, min(start - around, last - _LONGEST_TEXT))
    return text[first : first + _LONGEST_TEXT].strip()
