"""What the texts of a program say as SQL: the places in them, and which part of the program is about what."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memory_maintenance.audit.candidate import Candidate, Confidence
from memory_maintenance.audit.languages.scopes import CATALOG, Evidence, Scope, judged
from memory_maintenance.audit.languages.trees import Tree, Twig
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.sqltext import Reading, may_be_sql, read_sql
from memory_maintenance.audit.subject import Subject

_VERBS = r"(?<![\w$])(?:select|insert|update|delete|merge|copy|alter|create|psql)(?!\w)"


class Spots:
    """Where a file has words that make a place worth reading: the column's, a table's, a statement's."""

    def __init__(self, source: Source, subject: Subject, tree: Tree) -> None:
        names = [re.escape(name) for name in sorted(source.derived)]
        words = [subject.column_word, subject.table_word, subject.belongings]
        words.append(re.compile("|".join([_VERBS, *names]), re.IGNORECASE))
        found = sorted({match.start() for word in words for match in word.finditer(source.text)})
        self._bytes = list(bytes_of(source.text, found, tree))

    def within(self, twig: Twig) -> bool:
        """Whether a node has one."""
        place = bisect_left(self._bytes, twig.start)
        return place < len(self._bytes) and self._bytes[place] < twig.end


def bytes_of(text: str, places: Iterable[int], tree: Tree) -> Iterator[int]:
    """The bytes that characters begin at, which are given in order."""
    ascii_only = len(tree.data) == len(text)
    byte = last = 0
    for place in places:
        byte += place - last if ascii_only else len(text[last:place].encode(*_ENCODING))
        last = place
        yield byte


_ENCODING = ("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Read:
    """A text that was read as SQL, and what it is about. start, end: its bytes."""

    start: int
    end: int
    evidence: Evidence


class Readings:
    """Reads texts, and remembers what they say.

    told: the surest that was said of a place. whole_rows: places without a name.
    """

    def __init__(self, source: Source, subject: Subject) -> None:
        self._source = source
        self._subject = subject
        self._reads: list[_Read] = []
        self._starts: list[int] = []
        self.told: dict[int, Candidate] = {}
        self.whole_rows: list[Candidate] = []

    def read(self, spliced: Spliced, scope: Scope, start: int = 0, end: int = 0) -> Evidence | None:
        """What a text is about if it is SQL, else None; the scope is told.

        start, end: the bytes of the expression that the text is made by, if by one.
        """
        text = spliced.text
        if not may_be_sql(text) or not any(space in text for space in " \n\t"):
            return None
        reading = read_sql(spliced, self._subject, derived=self._source.derived)
        if not reading.is_sql:
            return None
        evidence = evidence_of(reading, spliced)
        self.keep(reading)
        self.note(evidence, scope, start, end)
        return evidence

    def keep(self, reading: Reading) -> None:
        """Remembers the places of a reading."""
        for candidate in reading.candidates:
            if candidate.whole_row:
                self.whole_rows.append(candidate)
                continue
            known = self.told.get(candidate.offset)
            if known is None or _rank(candidate) > _rank(known):
                self.told[candidate.offset] = candidate

    def note(self, evidence: Evidence, scope: Scope, start: int, end: int) -> None:
        """Remembers what the text of an expression is about."""
        scope.tell(evidence)
        if end > start:
            self._reads.append(_Read(start, end, evidence))

    def sort(self) -> None:
        """All texts have been read."""
        self._reads.sort(key=lambda read: read.start)
        self._starts = [read.start for read in self._reads]

    def within(self, start: int, end: int) -> Evidence:
        """What the texts say that stand between two bytes."""
        evidence = Evidence()
        for i in range(bisect_left(self._starts, start), len(self._reads)):
            read = self._reads[i]
            if read.start >= end:
                break
            evidence.add(read.evidence)
        return evidence

    def decided(self, offset: int) -> bool:
        """Whether SQL alone says what a place is."""
        told = self.told.get(offset)
        return told is not None and not told.near and told.confidence is not Confidence.POSSIBLE

    def judged(self, told: Candidate, evidence: Evidence, scope: Scope) -> Candidate:
        """A place in a clause that doesn't say whose column it is, by where the clause stands."""
        found = judged(told.offset, told.kind, evidence, scope, told.suggestion)
        return replace(found, because=found.because or told.because, context=told.context)


def evidence_of(reading: Reading, spliced: Spliced) -> Evidence:
    """What a reading says of its tables."""
    if reading.ours:
        return Evidence(ours=True)
    if not reading.others:
        return Evidence()
    if CATALOG in spliced.text.lower():
        return Evidence(other=f"{CATALOG}'s own column")
    names = sorted(name for name in reading.names_table if name not in spliced.holes)
    return Evidence(other=f"a column of {', '.join(names)}" if names else "another's column")


def _rank(candidate: Candidate) -> tuple[int, bool]:
    return candidate.confidence, not candidate.near
