"""Literals of Python, character by character: what each stands for and where it stands in the file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

_QUOTES = "'\""
_OPENING, _CLOSING = "([{", ")]}"
_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_HEXADECIMAL = {"x": 2, "u": 4, "U": 8}
_NOTABLE = re.compile(r"[\\{}'\"]")


@dataclass(frozen=True, slots=True)
class Run:
    """Text of a literal. offset: its place. fixed: all of it stands for that one place."""

    text: str
    offset: int
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A replacement field of an f-string, from brace to brace. start and end: its expression's place.

    inner: the fields within its format.
    """

    offset: int
    length: int
    start: int
    end: int
    inner: tuple[Field, ...] = ()


@dataclass(slots=True)
class Literal:
    """Literals that follow each other, as one. comments: from where to where those in between stand."""

    parts: list[Run | Field] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        """What it stands for, where nothing is filled in."""
        if any(isinstance(part, Field) for part in self.parts):
            return None
        return "".join(part.text for part in self.parts if isinstance(part, Run))

    def fields(self) -> Iterator[Field]:
        """Its replacement fields, without those within formats."""
        return (part for part in self.parts if isinstance(part, Field))


def read_literal(text: str, start: int, end: int) -> Literal:
    """The literals that stand between two places of a file, one or more, which the parser takes as one."""
    literal = Literal()
    place = start
    while place < end:
        char = text[place]
        if char == "#":
            stop = _line_end(text, place, end)
            literal.comments.append((place, stop))
            place = stop
        elif char.isalpha() or char in _QUOTES:
            place = _read_one(text, place, end, literal.parts)
        else:
            place += 1
    return literal


def _line_end(text: str, place: int, end: int) -> int:
    ends = [at for at in (text.find("\n", place, end), text.find("\r", place, end)) if at >= 0]
    return min(ends, default=end)


def _read_one(text: str, place: int, end: int, parts: list[Run | Field]) -> int:
    """Reads one literal from its prefix on, and returns the place behind it."""
    opening = place
    while opening < end and text[opening] not in _QUOTES:
        opening += 1
    if opening >= end:
        return end
    prefix = text[place:opening].lower()
    quote = text[opening]
    if text.startswith(quote * 3, opening):
        quote *= 3
    raw, formatted = "r" in prefix, "f" in prefix or "t" in prefix
    place = begin = opening + len(quote)
    while notable := _NOTABLE.search(text, place, end):
        place = notable.start()
        char = text[place]
        if text.startswith(quote, place):
            _add(parts, text, begin, place)
            return place + len(quote)
        if char == "\\" and raw:
            # A brace behind it is one of the f-string's.
            place += 1 if formatted and text[place + 1 : place + 2] in ("{", "}") else 2
        elif char == "\\" or (formatted and char in "{}"):
            _add(parts, text, begin, place)
            read = _read_escape if char == "\\" else _read_brace
            begin, place = read(text, place, end, parts)
        else:
            place += 1
    _add(parts, text, begin, end)
    return end


def _read_escape(text: str, place: int, end: int, parts: list[Run | Field]) -> tuple[int, int]:
    """Reads an escape. Where the text goes on, and where the next notable character may be."""
    value, after = _escape(text, place, end)
    if value is None:
        return place, after
    if value:
        parts.append(Run(value, place, fixed=True))
    return after, after


def _read_brace(text: str, place: int, end: int, parts: list[Run | Field]) -> tuple[int, int]:
    """Reads a replacement field, or a brace that stands for itself; the same of it."""
    char = text[place]
    if text.startswith(char * 2, place):
        parts.append(Run(char, place, fixed=True))
        return place + 2, place + 2
    if char == "}":
        return place + 1, place + 1
    read = _field(text, place, end)
    parts.append(read)
    return place + read.length, place + read.length


def _add(parts: list[Run | Field], text: str, begin: int, place: int) -> None:
    if begin < place:
        parts.append(Run(text[begin:place], begin))


def _escape(text: str, place: int, end: int) -> tuple[str | None, int]:
    """What an escape stands for, None where it stands for itself, and the place behind it."""
    kind = text[place + 1 : place + 2]
    if kind in _SIMPLE:
        return _SIMPLE[kind], place + 2
    if kind in ("\n", "\r"):
        return "", place + (3 if text.startswith("\r\n", place + 1) else 2)
    if kind in _HEXADECIMAL:
        stop = place + 2 + _HEXADECIMAL[kind]
        return _character(text[place + 2 : stop], 16), stop
    if kind and kind in "01234567":
        stop = place + 1
        while stop < min(place + 4, end) and text[stop] in "01234567":
            stop += 1
        return _character(text[place + 1 : stop], 8), stop
    if text.startswith("N{", place + 1) and (close := text.find("}", place, end)) >= 0:
        try:
            return unicodedata.lookup(text[place + 3 : close]), close + 1
        except KeyError:
            return "?", close + 1
    # The character behind it may be a brace, which is one of the f-string's.
    return None, place + (2 if kind not in ("{", "}") else 1)


def _character(digits: str, base: int) -> str:
    try:
        return chr(int(digits, base))
    except (ValueError, OverflowError):
        return "?"


def _field(text: str, opening: int, end: int) -> Field:
    """The replacement field whose brace opens there."""
    stop = _expression_end(text, opening + 1, end)
    place, inner = stop, list[Field]()
    if place < end and text[place] == "!":
        while place < end and text[place] not in ":}":
            place += 1
    if place < end and text[place] == ":":
        place += 1
        while place < end and text[place] != "}":
            if text[place] == "{":
                inner.append(_field(text, place, end))
                place += inner[-1].length
            else:
                place += 1
    close = min(place + 1, end)
    expression = text[opening + 1 : stop].rstrip()
    if expression.endswith("=") and expression[-2:] not in ("==", "!=", "<=", ">="):
        stop = opening + 1 + len(expression) - 1
    return Field(opening, close - opening, opening + 1, stop, tuple(inner))


def _expression_end(text: str, place: int, end: int) -> int:
    """Where the expression of a field ends: at its closing brace, its conversion or its format."""
    depth = 0
    word = place
    while place < end:
        char = text[place]
        if char in _QUOTES:
            place = word = _read_one(text, word, end, [])
            continue
        if char == "#":
            place = word = _line_end(text, place, end)
            continue
        if depth == 0 and (char in "}:" or (char == "!" and text[place + 1 : place + 2] != "=")):
            return place
        depth += (char in _OPENING) - (char in _CLOSING)
        place += 1
        if not (char.isalnum() or char == "_"):
            word = place
    return end
