"""Damaged JSON of one fact, mended in its punctuation and nothing else.

`json_repair` guesses, and never says that it did: of a text that was cut off it makes a shorter one. So
what it makes is taken only where the words of the damaged text are all there, in their order, each name and
text between the quotes that it had, and under members that the contract knows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from memory_maintenance.extraction.contract import DECISION_MEMBERS, ENTITY_MEMBERS, MEMBERS
from memory_maintenance.extraction.strict_json import Members, Number, joined, members

LONGEST: Final = 100_000
"""Characters of a damaged fact that are looked at: mending takes some 15 microseconds each."""

_QUOTES: Final = "\"'`“”‘’"
_BETWEEN_WORDS: Final = re.compile(r"[\s\x00-\x1f\"'`“”‘’,:{}\[\]\\]+")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BEFORE_BARE: Final = " \t\r\n{,:["
_AFTER_BARE: Final = " \t\r\n:,}]"
_LITERALS: Final = {"true": "true", "false": "false", "null": "null", "none": "null"}
_NESTED: Final = {"entity": ENTITY_MEMBERS, "decision": DECISION_MEMBERS}


@dataclass(frozen=True, slots=True)
class Beyond:
    """Why a text isn't mended."""

    why: str


def mend(text: str) -> Members | Beyond:
    """The object that a damaged text means, where only its punctuation is in doubt."""
    if len(text) > LONGEST:
        return Beyond(f"it is damaged JSON of more than {LONGEST:,} characters")
    # Deferred: most answers need none of it.
    from json_repair import repair_json

    try:
        guess: Any = repair_json(text, return_objects=True, skip_json_loads=True)
        found = _known(guess)
    except Exception:  # noqa: BLE001 - whatever the library stumbles over, the text is no more than data
        return Beyond("it is damaged JSON that can't be mended")
    if not isinstance(found, Members):
        return Beyond("it is damaged JSON that can't be mended")
    strange = _strange(found)
    if strange:
        return Beyond("it is damaged JSON, and where its texts end is anybody's guess")
    source = joined(_ESCAPE.sub(_unescaped, text))
    written, said = _split(source), list(_scalars(found))
    spoken = [w for scalar, _ in said for w in _split(_text(scalar))]
    if [_canonical(w) for w in written] != [_canonical(w) for w in spoken]:
        return Beyond("it is damaged JSON, and mending it would change more than its punctuation")
    if not _all_delimited(source, [(s, is_name) for s, is_name in said if isinstance(s, str)]):
        return Beyond("it is damaged JSON, and where its texts end is anybody's guess")
    if isinstance(found.get("value"), Number):
        # It will be stored as text, and the library makes 3.1 of 3.10, and 49 of 0049.
        found["value"] = Number(written[_place_of_value(said)])
    return found


def _known(value: Any) -> Any:
    """What the library gives, in the shape that ``decode`` gives."""
    match value:
        case dict():
            return members([(joined(str(k)), _known(v)) for k, v in value.items()])
        case list():
            return [_known(v) for v in value]
        case str():
            return joined(value)
        case bool() | None:
            return value
        case int() | float():
            return Number(str(value))
    raise TypeError(type(value).__name__)


def _strange(found: Members) -> bool:
    """Whether it has a member that the contract lacks: rather a piece of a text than a member."""
    if not found.keys() <= set(MEMBERS):
        return True
    for name, known in _NESTED.items():
        inner = found.get(name)
        if isinstance(inner, Members) and not inner.keys() <= set(known):
            return True
    return False


def _scalars(value: Any) -> Iterator[tuple[Any, bool]]:
    """What it holds, in its order, and whether that is the name of a member."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, True
            yield from _scalars(member)
    elif isinstance(value, list):
        for element in value:
            yield from _scalars(element)
    else:
        yield value, False


def _place_of_value(said: list[tuple[Any, bool]]) -> int:
    """How many words come before the fact's value."""
    place = 0
    for scalar, is_name in said:
        place += len(_split(_text(scalar)))
        if is_name and scalar == "value":
            break
    return place


def _text(scalar: Any) -> str:
    match scalar:
        case str():
            return scalar
        case Number():
            return scalar.text
        case bool():
            return "true" if scalar else "false"
    return "null"


def _split(text: str) -> list[str]:
    """The words of a text, as they are written."""
    return [word for word in _BETWEEN_WORDS.split(text) if word]


def _canonical(word: str) -> str:
    """A number by its value, a literal as JSON has it: the library doesn't keep how they were written."""
    if word.lower() in _LITERALS:
        return _LITERALS[word.lower()]
    if word[0] in "+-.0123456789" and len(word) <= 400:
        try:
            number = float(word)
        except ValueError:
            return word
        return repr(number) if math.isfinite(number) else word
    return word


def _unescaped(found: re.Match[str]) -> str:
    mark = found[1]
    if len(mark) > 1:
        return chr(int(mark[1:], 16))
    # An escaped backslash may stay one: words are told apart without.
    return _ESCAPES.get(mark, mark)


def _all_delimited(source: str, texts: list[tuple[str, bool]]) -> bool:
    """Whether each text stands in the source as it is, between quotes, one after the other.

    Names may do without: known ones alone are taken. A value without quotes may be undefined, or NaN.
    """
    at = 0
    for text, is_name in texts:
        found = _delimited(source, text, at, bare=is_name)
        if found is None:
            return False
        at = found
    return True


def _delimited(source: str, text: str, start: int, *, bare: bool) -> int | None:
    at = source.find(text, start)
    while at >= 0:
        end = at + len(text)
        before, after = source[at - 1 : at], source[end : end + 1]
        if before and after:
            if before in _QUOTES and after in _QUOTES:
                return end + 1
            if bare and before in _BEFORE_BARE and after in _AFTER_BARE:
                return end
        at = source.find(text, at + 1)
    return None
