"""SQL as PostgreSQL gives it back, spelt so that it means the very same again, and is given back as it was.

``kind IN ('a', 'b')``, kind being a varchar, is given back as ``(kind)::text = ANY ((ARRAY['a'::character
varying, ...])::text[])``. Read again, that is another expression: each element is cast, and the text changes.
A dump would differ, if only in that.
"""

from __future__ import annotations

import re

_LITERAL = r"'(?:[^']|'')*'::character varying"
_IN = re.compile(
    r"(?P<column>\((?:[\w$.]|\"(?:[^\"]|\"\")*\")+\))::text (?P<operator>= ANY|<> ALL) "
    rf"\(\(ARRAY\[(?P<items>{_LITERAL}(?:, {_LITERAL})+)\]\)::text\[\]\)"
)
_QUOTED = re.compile(r"('(?:[^']|'')*')")


def respelt(text: str) -> str:
    """The text with such lists as IN or NOT IN; all else as it is."""
    found: list[str] = []
    end = 0
    while (match := _next(text, end)) is not None:
        word = "IN" if match["operator"] == "= ANY" else "NOT IN"
        found += [text[end : match.start()], f"{match['column']} {word} ({match['items']})"]
        end = match.end()
    return "".join(found) + text[end:]


def _next(text: str, start: int) -> re.Match[str] | None:
    """The next such list that doesn't begin within a literal."""
    position = start
    while (match := _IN.search(text, position)) is not None:
        literal = next(
            (q for q in _QUOTED.finditer(text, start) if q.start() < match.start() < q.end()), None
        )
        if literal is None:
            return match
        position = literal.end()
    return None
