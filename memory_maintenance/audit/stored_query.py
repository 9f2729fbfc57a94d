"""The query of a view as PostgreSQL keeps it: which of its columns are nothing but a column of some table.

The text of a view names columns, and a subquery, a join or UNION may rename them on the way. In the stored
form each is a place in a numbered relation, so that it can be followed whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_WORD = re.compile(r"[(){}]|(?:\\.|[^\\\s(){}])+", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# What shows a value as it is, in another type or collation, by its first argument.
_PASSING = frozenset({"RELABELTYPE", "COERCEVIAIO", "COERCETODOMAIN", "COLLATEEXPR"})
_CASTS = ("1", "2")
"""The formats of a function's call that are casts, written down or not."""
_SCALAR = "4"
"""The type of a subquery that stands for one value."""


@dataclass(frozen=True)
class _Node:
    """A node by its fields: atoms, nodes, or lists of these."""

    kind: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)

    def atom(self, name: str) -> str:
        """A field that is a word."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> int:
        """A field that is a number; 0 where there is none."""
        value = self.atom(name)
        return int(value) if value.isdecimal() else 0

    def node(self, name: str) -> _Node:
        """A field that is a node; an empty one where there is none."""
        value = self.fields.get(name)
        return value if isinstance(value, _Node) else _Node()

    def nodes(self, name: str) -> list[_Node]:
        """A field that is a list of nodes, with empty ones for what else stands in it."""
        value = self.fields.get(name)
        items = value if isinstance(value, list) else []
        return [item if isinstance(item, _Node) else _Node() for item in items]


def outputs_showing(text: str, columns: Collection[tuple[int, int]]) -> tuple[str, ...]:
    """The names of a view's columns that show one of these, in order.

    text: the action of the view's rule, a pg_node_tree. columns: by the oid of their relation and number. One
    shows it that is the column itself, also in another type or with something in place of NULL, and also in
    one branch of UNION only.
    """
    top = _read(text)
    query = top[0] if top and isinstance(top[0], _Node) else _Node()
    follow = _Follow(frozenset(columns))
    return tuple(
        _ESCAPED.sub(r"\1", entry.atom("resname"))
        for entry in query.nodes("targetList")
        if entry.atom("resjunk") == "false" and follow.output(entry.number("resno"), (query,))
    )


class _Follow:
    """Follows columns through queries. Each query comes with those around it, the innermost last."""

    def __init__(self, columns: frozenset[tuple[int, int]]) -> None:
        self._columns = columns
        self._under_way: set[tuple[int, int]] = set()

    def output(self, number: int, queries: tuple[_Node, ...]) -> bool:
        """Whether that column of the innermost query shows one of those that are sought."""
        query = queries[-1]
        key = (id(query), number)
        if key in self._under_way:
            return False  # a recursive query, by way of itself
        self._under_way.add(key)
        try:
            branches = list(_branches(query.node("setOperations")))
            if branches:
                relations = query.nodes("rtable")
                return any(
                    self.output(number, (*queries, relations[index - 1].node("subquery")))
                    for index in branches
                    if 0 < index <= len(relations)
                )
            return any(
                self._shows(entry.node("expr"), queries)
                for entry in query.nodes("targetList")
                if entry.number("resno") == number
            )
        finally:
            self._under_way.discard(key)

    def _shows(self, expression: _Node, queries: tuple[_Node, ...]) -> bool:
        kind = expression.kind
        if kind == "VAR":
            return self._variable(expression, queries)
        if kind in _PASSING:
            return self._shows(expression.node("arg"), queries)
        if kind == "FUNCEXPR" and expression.atom("funcformat") in _CASTS:
            return any(self._shows(arg, queries) for arg in expression.nodes("args")[:1])
        if kind in ("COALESCE", "COALESCEEXPR"):
            return any(self._shows(arg, queries) for arg in expression.nodes("args"))
        if kind == "SUBLINK" and expression.atom("subLinkType") == _SCALAR:
            return self.output(1, (*queries, expression.node("subselect")))
        return False

    def _variable(self, variable: _Node, queries: tuple[_Node, ...]) -> bool:
        queries = queries[: len(queries) - variable.number("varlevelsup")]
        relations = queries[-1].nodes("rtable") if queries else []
        index, number = variable.number("varno"), variable.number("varattno")
        if not 0 < index <= len(relations) or number == 0:
            return False
        relation = relations[index - 1]
        if (relation.number("relid"), number) in self._columns:
            return True
        if relation.node("subquery").kind:
            return self.output(number, (*queries, relation.node("subquery")))
        for name in ("joinaliasvars", "groupexprs"):
            if expressions := relation.nodes(name):
                return number <= len(expressions) and self._shows(expressions[number - 1], queries)
        return self._with(relation, number, queries)

    def _with(self, relation: _Node, number: int, queries: tuple[_Node, ...]) -> bool:
        """The same for a column of a WITH query."""
        name = relation.atom("ctename")
        queries = queries[: len(queries) - relation.number("ctelevelsup")]
        if not name or not queries:
            return False
        return any(
            self.output(number, (*queries, cte.node("ctequery")))
            for cte in queries[-1].nodes("cteList")
            if cte.atom("ctename") == name
        )


def _branches(operations: _Node) -> Iterator[int]:
    """The places of the queries that UNION and the like combine."""
    todo = [operations]
    while todo:
        node = todo.pop()
        if node.kind == "RANGETBLREF":
            yield node.number("rtindex")
        elif node.kind.startswith("SETOPERATION"):
            todo += (node.node("larg"), node.node("rarg"))


def _read(text: str) -> Sequence[object]:
    """A list or node in PostgreSQL's own notation, (...) or {KIND :name value ...}."""
    open_ones: list[list[object]] = [[]]
    for match in _WORD.finditer(text):
        word = match[0]
        if word in ("(", "{"):
            open_ones.append([])
        elif word in (")", "}") and len(open_ones) > 1:
            items = open_ones.pop()
            open_ones[-1].append(items if word == ")" else _node(items))
        else:
            open_ones[-1].append(word)
    whole = open_ones[0]
    return whole[0] if len(whole) == 1 and isinstance(whole[0], list) else whole


def _node(items: Sequence[object]) -> _Node:
    """A node from its kind and fields. Of a value of several words, as a constant's, the first is taken."""
    kind = items[0] if items and isinstance(items[0], str) else ""
    fields: dict[str, object] = {}
    i = 1
    while i + 1 < len(items):
        name, value = items[i], items[i + 1]
        if isinstance(name, str) and name.startswith(":"):
            fields.setdefault(name[1:], value)
            i += 2
        else:
            i += 1
    return _Node(kind, fields)
