"""JSON as it is written in an answer: its numbers with their text, its members with those given twice.

Python's reader makes infinity of 1e400, takes NaN, and keeps the last of two members without a word.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONGEST_NUMBER: Final = 400
_FIRST_WIDTH: Final = 4096
# More than an escaped pair of surrogates or -Infinity has.
_LONGEST_MARK: Final = 16


@dataclass(frozen=True, slots=True)
class Number:
    """A number, by its text: 7, 7.0, 1e400, NaN."""

    text: str


class Members(dict[str, Any]):
    """A JSON object. twice: the names of members that it has more than once."""

    twice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decoded:
    """A JSON value and where it ends. lenient: there were control characters, such as line breaks, in its
    strings, which JSON wants escaped."""

    value: Any
    end: int
    lenient: bool


def decode(text: str, at: int) -> Decoded | int:
    """The JSON value that begins at a place, or the place where it stops being JSON."""
    width = _FIRST_WIDTH
    while True:
        # Python's error counts all lines before it: of a long text with many faults, again and again.
        piece = text[at : at + width]
        found = _decode(piece)
        if at + width >= len(text) or not _may_go_on(piece, found):
            break
        width *= 8
    if isinstance(found, Decoded):
        return Decoded(found.value, at + found.end, found.lenient)
    return at + found.at


@dataclass(frozen=True, slots=True)
class _Fault:
    at: int
    unended: bool = False


def _decode(piece: str) -> Decoded | _Fault:
    fault = _Fault(0)
    for decoder in (_STRICT, _LENIENT):
        try:
            value, end = decoder.raw_decode(piece)
        except json.JSONDecodeError as error:
            fault = _Fault(error.pos, error.msg.startswith("Unterminated"))
            if not error.msg.startswith("Invalid control character"):
                return fault
        except RecursionError:
            return fault
        else:
            return Decoded(value, end, lenient=decoder is _LENIENT)
    return fault


def _may_go_on(piece: str, found: Decoded | _Fault) -> bool:
    """Whether what comes after a piece may make something else of it."""
    if isinstance(found, Decoded):
        return found.end == len(piece)
    return found.unended or found.at >= len(piece) - _LONGEST_MARK


def members(pairs: list[tuple[str, Any]]) -> Members:
    """The object that has these members."""
    found = Members(pairs)
    if len(found) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        found.twice = tuple(sorted(name for name, count in counted.items() if count > 1))
    return found


def joined(text: str) -> str:
    """The text with both halves of a pair of surrogates as the character that they stand for."""
    return _PAIR.sub(lambda pair: _character(pair[0]), text)


def _character(pair: str) -> str:
    high, low = map(ord, pair)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _number(text: str) -> Number:
    return Number(text if len(text) <= _LONGEST_NUMBER else f"{text[:_LONGEST_NUMBER]}...")


_HOOKS: Final[dict[str, Any]] = {
    "object_pairs_hook": members,
    "parse_int": _number,
    "parse_float": _number,
    "parse_constant": _number,
}
_STRICT: Final = json.JSONDecoder(**_HOOKS)
_LENIENT: Final = json.JSONDecoder(**_HOOKS, strict=False)
