"""Files of any other kind: statements of SQL in quotes or on lines of their own, and words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_maintenance.audit.candidate import Candidate, Confidence, Context
from memory_maintenance.audit.languages.sections import of_sections
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.sqltext import Reading, may_be_sql, read_sql
from memory_maintenance.audit.subject import Subject

_VERB = r"(?:SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|COPY|CREATE|ALTER|DROP|GRANT|REVOKE|COMMENT|TRUNCATE)\b"
# A statement begins after a quote or on a line; which language this is can't be told, so no grammar helps.
_QUOTED = re.compile(rf"(\"\"\"|'''|`|\"|')[\s(;]*{_VERB}", re.IGNORECASE)
_ON_A_LINE = re.compile(rf"^[ \t]*{_VERB}", re.IGNORECASE | re.MULTILINE)
_PART = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`")
# What is put into a string at run time, in the ways that the reader of SQL doesn't know by itself.
_INSERTED = re.compile(r"\{\$[^{}\n]*\}|\$\{[^{}\n]*\}|#\{[^{}\n]*\}|\\\([^()\n]*\)")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|;|\*|/\*)\s", re.MULTILINE)
_SECTIONED = (".toml", ".ini", ".cfg", ".conf")
_LONGEST = 20_000
_LONGEST_PARAGRAPH = 5_000
_MOST_READINGS, _MOST_CHARACTERS = 5_000, 500_000
"""What is tried as SQL in one file, at about a millisecond each and ten for a thousand characters."""


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a text says of the column."""
    found = _Text(source, subject).scan()
    if source.path.lower().endswith(_SECTIONED):
        yield from of_sections(source.text, subject, found)
    else:
        yield from found


class _Text:
    """One file. What has been read is not read again as something lesser."""

    def __init__(self, source: Source, subject: Subject) -> None:
        self._source = source
        self._text = source.text
        self._subject = subject
        self._said: set[int] = set()
        self._read_to = 0
        self._readings = 0
        self._characters = 0
        self._line = (0, -1)

    def scan(self) -> Iterator[Candidate]:
        """All candidates."""
        for match in _QUOTED.finditer(self._text):
            begin = match.end(1)
            end = self._end_of_quote(match[1], begin)
            if begin >= self._read_to and end > begin:
                yield from self._statement(begin, end)
        self._read_to = 0
        for match in _ON_A_LINE.finditer(self._text):
            if match.start() >= self._read_to:
                yield from self._statement(*self._paragraph(match.start()))
        for word in self._subject.column_word.finditer(self._text):
            if word.start() not in self._said:
                yield from self._word(word.start(), word.end())

    def _end_of_quote(self, quote: str, begin: int) -> int:
        """Where a string ends that begins there; -1 where it has no end near enough."""
        at = begin
        while (at := self._text.find(quote, at, begin + _LONGEST)) >= 0:
            if self._text[at - 1] != "\\":
                return at
            at += 1
        return -1

    def _paragraph(self, begin: int) -> tuple[int, int]:
        """From there to a semicolon, an empty line, one that is indented less, or the end."""
        text = self._text[begin : begin + _LONGEST_PARAGRAPH]
        depth = len(text) - len(text.lstrip())
        end = 0
        for line in text.splitlines(keepends=True):
            if not line.strip() or line[:depth].strip():
                break
            if ";" in line:
                return begin, begin + end + line.index(";")
            end += len(line)
        return begin, begin + end

    def _concerns(self, begin: int, end: int) -> bool:
        words = (self._subject.column_word, self._subject.table_word)
        return any(word.search(self._text, begin, end) for word in words) or any(
            self._text.find(name, begin, end) >= 0 for name in self._source.derived
        )

    def _statement(self, begin: int, end: int) -> Iterator[Candidate]:
        if not self._concerns(begin, end):
            return
        reading = self._read(begin, end)
        if reading.is_sql:
            self._read_to = end
            yield from self._taken(reading)

    def _read(self, begin: int, end: int) -> Reading:
        self._readings += 1
        self._characters += end - begin
        if self._readings > _MOST_READINGS or self._characters > _MOST_CHARACTERS:
            return Reading()
        spliced = Spliced()
        start = begin
        for hole in _INSERTED.finditer(self._text, begin, end):
            spliced.literal(self._text[start : hole.start()], start)
            spliced.hole(hole.start(), len(hole[0]))
            start = hole.end()
        spliced.literal(self._text[start:end], start)
        return read_sql(spliced, self._subject, derived=self._source.derived)

    def _taken(self, reading: Reading) -> Iterator[Candidate]:
        for candidate in reading.candidates:
            if candidate.whole_row or candidate.offset not in self._said:
                yield candidate
        self._said.update(c.offset for c in reading.candidates if not c.whole_row)

    def _word(self, begin: int, end: int) -> Iterator[Candidate]:
        """The word where no statement was found around it."""
        line_start, line_end = self._line_around(begin)
        if line_end - line_start > _LONGEST:
            return
        if _COMMENT.search(self._text, line_start, begin):
            yield Candidate(begin, Confidence.POSSIBLE, context=Context.PROSE)
            return
        for part in _PART.finditer(self._text, line_start, line_end):
            inner = part.span(part.lastindex or 0)
            if inner[0] <= begin and end <= inner[1] and may_be_sql(self._text[slice(*inner)]):
                reading = self._read(*inner)
                if reading.is_sql and any(c.offset == begin for c in reading.candidates):
                    yield from self._taken(reading)
                    return
        if not self._is_prose(begin, end):
            yield Candidate(begin, Confidence.POSSIBLE, near=True)

    def _line_around(self, place: int) -> tuple[int, int]:
        """The line of a place. Asked for in order: one line of megabytes is searched once."""
        if not self._line[0] <= place <= self._line[1]:
            start = self._text.rfind("\n", 0, place) + 1
            end = self._text.find("\n", place)
            self._line = (start, len(self._text) if end < 0 else end)
        return self._line

    def _is_prose(self, begin: int, end: int) -> bool:
        """Whether words stand on both sides of it, with nothing but spaces between."""
        before = self._text[max(begin - 2, 0) : begin]
        after = self._text[end : end + 2]
        return before[1:].isspace() and before[:1].isalpha() and after[:1] in " ,.\n\r"
