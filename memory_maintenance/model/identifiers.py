"""Names of tables and schemas as people write them, in PostgreSQL's own syntax (spec 9)."""

from __future__ import annotations

import re
from typing import Final

MAX_BYTES: Final = 63

_PART: Final = re.compile(r'"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^".]+)')
# With a multi-byte encoding PostgreSQL folds ASCII letters only, whatever the locale.
_FOLD: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def parse_qualified_name(text: str) -> tuple[str | None, str]:
    """The (schema, name) that text means; the schema is None where text states none.

    text: ``name``, ``schema.name``, either part ``"Quoted"`` (``""`` within is one quote). What is
    not quoted is folded to lower case. Raises ValueError with advice: more than two parts, an empty
    part, a bare part that SQL couldn't read, NUL (the server would cut the name there), or a part
    of more than 63 bytes in UTF-8 (the server would silently shorten it).
    """
    match parse_parts(text):
        case [name]:
            return None, name
        case [schema, name]:
            return schema, name
    raise ValueError('write table or schema.table; a dot within a name needs quotes: "my.table"')


def parse_identifier(text: str) -> str:
    """The one name that text means, in the syntax of `parse_qualified_name`, without a schema.

    Raises ValueError as `parse_qualified_name` does, and for more than one part.
    """
    parts = parse_parts(text)
    if len(parts) != 1:
        raise ValueError('write a single name; a dot within it needs quotes: "my.schema"')
    return parts[0]


def parse_parts(text: str) -> list[str]:
    """The names between the dots of text, at least one. Raises ValueError as its callers do."""
    parts = []
    position = 0
    while True:
        found = _PART.match(text, position)
        if found is None:
            raise ValueError(_advice_on_gap(text, position))
        quoted, bare = found.group("quoted", "bare")
        parts.append(_bare(bare) if quoted is None else _checked(quoted.replace('""', '"')))
        position = found.end()
        if position == len(text):
            return parts
        if text[position] != ".":
            raise ValueError(
                'a quoted name ends at its second quote; inside it write "" for one quote'
            )
        position += 1


def _bare(text: str) -> str:
    name = _checked(text)
    first, rest = name[0], name[1:]
    if not (_is_letter(first) and all(_is_letter(c) or c in "0123456789$" for c in rest)):
        raise ValueError(
            "an unquoted name is made of letters, digits, _ and $, and starts with a letter or _; "
            "anything else needs double quotes, in YAML within single ones: '\"My Table\"'"
        )
    return name.translate(_FOLD)


def _is_letter(character: str) -> bool:
    return character == "_" or character.isalpha()


def _checked(name: str) -> str:
    if not name:
        raise ValueError("a name can't be empty")
    if "\0" in name:
        raise ValueError("a name can't contain NUL")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise ValueError("a name must be valid Unicode text") from None
    if size > MAX_BYTES:
        raise ValueError(f"a name has at most {MAX_BYTES} bytes in UTF-8, and this one has {size}")
    return name


def _advice_on_gap(text: str, position: int) -> str:
    if text[position : position + 1] == '"':
        return "the double quote isn't closed"
    return "a name can't be empty"
