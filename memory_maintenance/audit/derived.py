"""Relations that files make from the table: views on it, copies and partitions of it.

Quick and by words: it only tells the readers of SQL which other names may stand for the table's column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memory_maintenance.audit.parsing import Token, folded, tokens_of

_NAME: Final = r'(?:(?:"[^"\n]{1,99}"|\w{1,99})\s*\.\s*)?(?P<name>"[^"\n]{1,99}"|\w{1,99})'
_CREATE: Final = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?(?P<temp>temp(?:orary)?\s+)?"
    r"(?:unlogged\s+|foreign\s+)?(?:recursive\s+)?(?:materialized\s+)?(?:view|table)\s+"
    rf"(?:if\s+not\s+exists\s+)?{_NAME}",
    re.IGNORECASE,
)
_INTO: Final = re.compile(
    r"\binto\s+(?P<temp>temp(?:orary)?\s+)?(?:unlogged\s+)?(?:table\s+)?" + _NAME + r"\s+from\b",
    re.IGNORECASE,
)
_LONGEST: Final = 4000
_BEFORE_RELATIONS: Final = frozenset(
    {"from", "join", "only", "like", "of", "table", "inherits", ",", "("}
)
_QUOTES: Final = ('"""', "'''", '"', "'", "`")
# What joins two literals of a program to one text.
_GOES_ON: Final = re.compile(r"[ \t\r\n\\+]*(?:[fFrRbBuU]{0,2})(?P<quote>\"\"\"|'''|[\"'`])")


@dataclass(frozen=True, slots=True)
class Definition:
    """A relation that a text creates. made_of: those it names. temporary: it ends with its session."""

    name: str
    made_of: frozenset[str]
    temporary: bool


def may_define(lower: bytes) -> bool:
    """Whether a file, in lower case, may create a relation from others. Rather yes than no."""
    return (b"create" in lower and (b"view" in lower or b"table" in lower)) or b"into" in lower


def definitions_in(text: str) -> Iterator[Definition]:
    """The relations that a text creates from others, SQL or a program with SQL in it."""
    for match in _CREATE.finditer(text):
        words = _words(_statement(text, match.start(), match.end()))
        if relations := _relations(words):
            yield Definition(folded(match["name"]), relations, match["temp"] is not None)
    for match in _INTO.finditer(text):
        start = match.end() - len("from")
        if relations := _relations(_words(_statement(text, match.start(), start))):
            yield Definition(folded(match["name"]), relations, match["temp"] is not None)


def derived_from(tables: frozenset[str], definitions: Iterable[Definition]) -> frozenset[str]:
    """The names of all that is made of the tables, directly or through others."""
    waiting = list(definitions)
    known = set(tables)
    grown = True
    while grown:
        made = {definition.name for definition in waiting if definition.made_of & known}
        grown = not made <= known
        known |= made
    return frozenset(known) - tables


def _statement(text: str, start: int, after: int) -> str:
    """What follows, to the end of the statement or of the literals that it is put together from."""
    quote = _quote_before(text, start)
    if not quote:
        end = text.find(";", after, after + _LONGEST)
        return text[after : after + _LONGEST if end < 0 else end]
    pieces = []
    limit = after + _LONGEST
    while True:
        end = text.find(quote, after, limit)
        pieces.append(text[after : limit if end < 0 else end])
        if end < 0:
            break
        further = _GOES_ON.match(text, end + len(quote))
        if further is None:
            break
        quote, after = further["quote"], further.end()
    return " ".join(pieces).split(";", 1)[0]


def _quote_before(text: str, start: int) -> str:
    before = text[max(0, start - 200) : start].rstrip(" \t\r\n\\")
    return next((quote for quote in _QUOTES if before.endswith(quote)), "")


def _words(statement: str) -> list[str]:
    """The names, keywords and signs of a statement; of what no lexer can read, what looks like names."""
    tokens = tokens_of(statement)
    if tokens is None:
        return re.findall(r"[\w$]+|[.,(]", statement.lower())
    return [_word(token) for token in tokens]


def _word(token: Token) -> str:
    return "" if token.kind == "string" else token.text


def _relations(words: list[str]) -> frozenset[str]:
    """The names that stand where relations do, without their schemas."""
    found: set[str] = set()
    for index, word in enumerate(words):
        if word not in _BEFORE_RELATIONS:
            continue
        name = words[index + 1 : index + 2]
        if words[index + 2 : index + 3] == ["."]:
            name = words[index + 3 : index + 4]
        found.update(part for part in name if part[:1].isalnum() or part[:1] == "_")
    return frozenset(found)
