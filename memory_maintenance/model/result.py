"""What a command yields: a typed result, shown to programs by its fields and to people by its blocks.

A job prints nothing and returns a frozen dataclass derived from ``Result``. Its fields, in order, are
the documented JSON keys; ``blocks()`` shows the same thing to people in a few plain shapes, so that a
new result needs no renderer and a new renderer no result.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any, Literal
from uuid import UUID


class Outcome(enum.Enum):
    """How a command that ended by itself ended. The value is its exit code."""

    DONE = 0
    FINDINGS = 1


@dataclass(frozen=True, slots=True)
class Heading:
    """A title above the blocks that follow."""

    text: str


@dataclass(frozen=True, slots=True)
class KeyValues:
    """Names and values, one a line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column. Numbers are aligned right, text left; text folds where the width runs out."""

    name: str
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns. Cells are text, ready for reading (not yet escaped)."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Labelled non-negative numbers, drawn to one scale."""

    rows: tuple[tuple[str, float], ...]
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on a curve's horizontal axis, with what it is called."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points, straight in between, over an axis from 0 to ``top``.

    points: (x, y), ascending in x, at least two; 0 <= y <= top. start, end: what the first and the last x
    are called. marks: between them, e.g. now. level: a height with a line of its own, e.g. a threshold.
    """

    points: tuple[tuple[float, float], ...]
    start: str
    end: str
    marks: tuple[Mark, ...] = ()
    level: float | None = None
    top: float = 1.0
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence or a few. "problem" is what an operator must see even under -q."""

    text: str
    kind: Literal["info", "hint", "problem"] = "info"


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy as it is: SQL, YAML, commands."""

    text: str
    language: str = "text"


Block = Heading | KeyValues | Table | Bars | Curve | Note | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The fields that every command shares.

    as_of: the instant the command reckoned with, aware; None where it has none. run_id: the ledger's
    number; None for dry runs and commands that leave no row. duration_s: seconds of wall time.
    """

    command: str
    dry_run: bool = False
    as_of: datetime | None = None
    table: str | None = None
    run_id: int | None = None
    duration_s: float = 0.0

    @property
    def outcome(self) -> Outcome:
        """DONE unless a subclass finds otherwise in its fields."""
        return Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        """The result for people."""
        raise NotImplementedError

    def quiet_blocks(self) -> Sequence[Block]:
        """What -q still shows: nothing, unless something is wrong."""
        return tuple(b for b in self.blocks() if isinstance(b, Note) and b.kind == "problem")

    def counts(self) -> Mapping[str, Any]:
        """What the run ledger keeps of the result; nothing unless a subclass says so."""
        return {}

    def document(self) -> dict[str, Any]:
        """The result for programs: plain dicts, lists, strings, numbers, booleans and None."""
        return {f.name: plain(getattr(self, f.name)) for f in _ordered_fields(self)}


def _ordered_fields(result: Result) -> list[dataclasses.Field[Any]]:
    # duration_s is inherited, hence first; in the document it stands last, after what was done.
    fields = [f for f in dataclasses.fields(result) if f.metadata.get("json", True)]
    return sorted(fields, key=lambda f: f.name == "duration_s")


def plain(value: Any) -> Any:
    """A value as JSON has it: instants as ISO 8601, spans as seconds, what isn't finite as None."""
    if isinstance(value, Result):
        return value.document()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            f.name: plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.metadata.get("json", True)
        }
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case enum.Enum():
            return plain(value.value)
        case UUID() | PurePath():
            return str(value)
        case Mapping():
            return {str(k): plain(v) for k, v in value.items()}
        case Sequence() | set() | frozenset():
            return [plain(v) for v in value]
    raise TypeError(f"no JSON form for {type(value).__name__}")
