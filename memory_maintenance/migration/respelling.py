"""SQL as PostgreSQL gives it back, spelt so that it means the very same again, and is given back as it was.

``kind IN ('a', 'b')``, kind being a varchar, is given back as ``(kind)::text = ANY ((ARRAY['a'::character
varying, ...])::text[])``. Read again, that is another expression: each element is cast, and the text changes.
A dump would differ, if only in that.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from memory_maintenance.audit.parsing import children, kind_of, unwrapped

_COMPUTED = ("memory_maintenance", "data_type_of")
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


def spelt(tree: Any) -> str:
    """A parse tree as SQL: equal where trees are, wherever their words stood."""
    return str(import_module("postgast").deparse(tree))


def settled(tree: Any) -> Any:
    """A parse tree, changed in place to what the server makes of it in a view, as far as contract's texts go.

    What ``memory_maintenance.data_type_of`` is given is cast by the server, and what it gives isn't cast to
    text, which it is: both go. The cast of an array in its elements' stead becomes theirs.
    """
    _settle(tree)
    return tree


def _settle(node: Any) -> None:
    for _, child in children(node):
        _settle(child)
    if kind_of(node) == "FuncCall" and _called(node) == _COMPUTED:
        for argument in node.args:
            while argument.WhichOneof("node") == "type_cast":
                argument.CopyFrom(_copy(argument.type_cast.arg))
    for descriptor, value in node.ListFields():
        if descriptor.message_type is None:
            continue
        for item in (value,) if hasattr(value, "ListFields") else value:
            if item.DESCRIPTOR.name == "Node" and item.WhichOneof("node") == "type_cast":
                _settle_cast(item)


def _settle_cast(node: Any) -> None:
    """node: what holds the cast."""
    cast = node.type_cast
    argument = unwrapped(cast.arg)
    if kind_of(argument) == "FuncCall" and _called(argument) == _COMPUTED:
        if [unwrapped(name).sval for name in cast.type_name.names][-1:] == ["text"]:
            node.CopyFrom(_copy(cast.arg))
    elif kind_of(argument) == "A_ArrayExpr" and cast.type_name.array_bounds:
        array, name = _copy(cast.arg), _copy(cast.type_name)
        name.ClearField("array_bounds")
        for element in array.a_array_expr.elements:
            former = _copy(element)
            element.type_cast.arg.CopyFrom(former)
            element.type_cast.type_name.CopyFrom(name)
        node.CopyFrom(array)


def _called(call: Any) -> tuple[str, ...]:
    return tuple(unwrapped(name).sval for name in call.funcname)


def _copy(node: Any) -> Any:
    made = type(node)()
    made.CopyFrom(node)
    return made
