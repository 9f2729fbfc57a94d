"""What a scanner of one language says of the places it looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum


class Confidence(IntEnum):
    """How sure it is that a place is about the column. The greater one decides between two readings.

    UNRELATED: certainly something else of that name. POSSIBLE: the bare word. LIKELY: a key or an attribute
    of that name near the table. CERTAIN: resolved to the table.
    """

    UNRELATED = 0
    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


class Kind(StrEnum):
    """What a place does with the column."""

    READ = "read"
    WRITE = "write"
    DEFINITION = "definition"


class Context(StrEnum):
    """What the text is that a place stands in. Only runtime and test count for the exit code."""

    RUNTIME = "runtime"
    TEST = "test"
    MIGRATION = "migration"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that has the column's name, or that uses all columns of the table.

    offset: where the name begins, in characters from the start of the file's text. near: POSSIBLE that
    becomes LIKELY where the file names the table. context: PROSE for comments and docstrings; None where the
    file's own context holds. because: why it is what it is, as a sentence without a full stop; for UNRELATED
    that is what is shown. suggestion: one line, what to write instead; "" leaves it to the kind. whole_row:
    no name stands there, but a star or an INSERT by position that takes the column along.
    """

    offset: int
    confidence: Confidence
    kind: Kind = Kind.READ
    near: bool = False
    context: Context | None = None
    because: str = ""
    suggestion: str = ""
    whole_row: bool = False

    def moved(self, offset: int) -> Candidate:
        """The same at another place."""
        return replace(self, offset=offset)

    def where(self, *, table_named: bool) -> Candidate:
        """The same once it is known whether the table is named near it."""
        if not self.near:
            return self
        likely = self.confidence is Confidence.POSSIBLE and table_named
        return replace(
            self, near=False, confidence=Confidence.LIKELY if likely else self.confidence
        )


def best_of(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """One candidate a place, in order: the surest; of two equally sure the first."""
    best: dict[tuple[int, bool], Candidate] = {}
    for candidate in candidates:
        key = (candidate.offset, candidate.whole_row)
        known = best.get(key)
        if known is None or _rank(candidate) > _rank(known):
            best[key] = candidate
    yield from (best[key] for key in sorted(best))


def _rank(candidate: Candidate) -> tuple[int, bool]:
    return candidate.confidence, candidate.near
