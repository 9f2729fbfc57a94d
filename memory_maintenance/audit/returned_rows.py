"""Functions that build the rows which they return from a list of columns: a further column breaks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_maintenance.audit.bodies import Function
from memory_maintenance.audit.parsing import (
    LONGEST_STATEMENT,
    YIELDING,
    Node,
    children,
    kind_of,
    parsed,
    parts_of,
    statements_of,
    unwrapped,
)
from memory_maintenance.audit.plpgsql import Chunk, Script


def column_list(function: Function) -> str | None:
    """A sentence if the function builds the rows that it returns from a list of columns; else None."""
    if function.language == "sql":
        return _last_query_lists(function)
    if function.language != "plpgsql":
        return None
    script = Script(function.source)
    for chunk in script.chunks:
        if why := _returns_list(script, chunk):
            return why
    return None


def _last_query_lists(function: Function) -> str | None:
    """The same for SQL, where the last statement gives the rows."""
    standard = not function.source
    tree = parsed(function.definition if standard else function.source)
    if tree is None:
        return None
    statements = statements_of(tree)
    if standard:
        # CREATE FUNCTION ... BEGIN ATOMIC, or RETURN with an expression alone.
        bodies = [unwrapped(create.sql_body) for create in statements]
        statements = [found for body in bodies for found in _outermost(body)]
    if statements and _lists_columns(statements[-1], {}):
        what = "its last query names the columns one by one"
        return f"{what}, as PostgreSQL stored it" if standard else what
    return None


def _returns_list(script: Script, chunk: Chunk) -> str | None:
    """The same for a statement of PL/pgSQL: RETURN QUERY, or RETURN with a row of its own making."""
    tokens = script.tokens[chunk.first : chunk.end]
    words = [token.text for token in tokens[:3]]
    if words[:1] != ["return"]:
        return None
    if words == ["return", "query", "execute"]:
        trees = [parsed(token.text) for token in tokens if token.kind == "string"]
        for tree in trees:
            if tree is not None and any(_lists_columns(n, {}) for n in statements_of(tree)):
                return "it executes a query that names the columns one by one"
        return None
    _, text, _ = script.statement_of(chunk)
    tree = parsed(text) if len(text) <= LONGEST_STATEMENT else None
    if tree is None or not tree.stmts:
        return None
    node = statements_of(tree)[0]
    if words[:2] == ["return", "query"]:
        listed = _lists_columns(node, {})
        return "it returns a query that names the columns one by one" if listed else None
    listed = kind_of(node) == "SelectStmt" and any(
        _is_row(unwrapped(unwrapped(target).val)) for target in node.target_list
    )
    return "it returns a row made of single values" if listed else None


def _lists_columns(node: Any, ctes: Mapping[str, Any]) -> bool:
    """Whether a query yields single columns, and not whole rows: itself, or what its star stands for."""
    if kind_of(node) not in YIELDING:
        return False
    if kind_of(node) != "SelectStmt":
        return node.HasField("returning_clause") and _single_columns(node.returning_clause.exprs)
    if node.HasField("with_clause"):
        known = [unwrapped(cte) for cte in node.with_clause.ctes]
        ctes = {**ctes, **{cte.ctename: unwrapped(cte.ctequery) for cte in known}}
    if node.HasField("larg"):
        return _lists_columns(node.larg, ctes) or _lists_columns(node.rarg, ctes)
    if node.values_lists or _single_columns(node.target_list):
        return True
    # Without the one that is looked into: a recursive query names itself.
    return any(
        _lists_columns(query, {name: other for name, other in ctes.items() if other is not query})
        for query in _starred(node, ctes)
    )


def _outermost(node: Node) -> list[Node]:
    """The statements of a body in their order, without those that are parts of others."""
    if kind_of(node) in YIELDING:
        return [node]
    return [found for _, part in children(node) for found in _outermost(part)]


def _is_row(value: Any) -> bool:
    """ROW(a, b), (a, b), or a cast of that."""
    while kind_of(value) == "TypeCast":
        value = unwrapped(value.arg)
    return kind_of(value) == "RowExpr" and not any(
        kind_of(unwrapped(arg)) == "ColumnRef" and parts_of(unwrapped(arg))[1] for arg in value.args
    )


def _single_columns(targets: Any) -> bool:
    """Whether a target list names columns one by one: several, none of them a star; or a row of them."""
    values = [unwrapped(unwrapped(target).val) for target in targets]
    if any(kind_of(value) == "ColumnRef" and parts_of(value)[1] for value in values):
        return False
    return len(values) > 1 or any(_is_row(value) for value in values)


def _starred(select: Any, ctes: Mapping[str, Any]) -> Iterator[Any]:
    """The subqueries and WITH queries in FROM that a star of the target list stands for."""
    wanted: set[str] = set()
    every = False
    for target in select.target_list:
        value = unwrapped(unwrapped(target).val)
        if kind_of(value) == "ColumnRef":
            parts, star = parts_of(value)
            every = every or (star and not parts)
            wanted.update(parts[-1:])
    for item in select.from_clause:
        for node in _from_items(unwrapped(item)):
            if kind_of(node) == "RangeSubselect":
                if every or node.alias.aliasname in wanted:
                    yield unwrapped(node.subquery)
            elif not node.schemaname and node.relname in ctes:
                alias = node.alias.aliasname if node.HasField("alias") else node.relname
                if every or alias in wanted:
                    yield ctes[node.relname]


def _from_items(node: Any) -> Iterator[Any]:
    if kind_of(node) == "JoinExpr":
        yield from _from_items(unwrapped(node.larg))
        yield from _from_items(unwrapped(node.rarg))
    elif kind_of(node) in ("RangeSubselect", "RangeVar"):
        yield node
