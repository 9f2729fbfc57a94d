"""Conditions of triggers that are about whole rows, OLD and NEW."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memory_maintenance.audit.parsing import (
    children,
    kind_of,
    parsed,
    parts_of,
    statements_of,
    unwrapped,
)

_FORMER_AND_NEW = frozenset({"old", "new"})


def takes_rows(definition: str, *, compared: bool) -> bool | None:
    """Whether the condition of a trigger takes whole rows; None where it can't be told.

    compared: count it, too, where it only compares one with the other, as OLD.* IS DISTINCT FROM NEW.*: that
    goes on as before when a column is missing from both.
    """
    tree = parsed(definition)
    if tree is None:
        return None
    return any(
        compared or not merely
        for statement in statements_of(tree)
        for name, clause in children(statement)
        if name == "when_clause"
        for merely in _rows(clause)
    )


def _rows(node: Any) -> Iterator[bool]:
    """For each use of whole rows, whether it is merely a comparison of two."""
    if kind_of(node) == "A_Expr" and all(
        node.HasField(side) and _is_row(unwrapped(getattr(node, side)))
        for side in ("lexpr", "rexpr")
    ):
        yield True
        return
    if _is_row(node):
        yield False
    for _, part in children(node):
        yield from _rows(part)


def _is_row(node: Any) -> bool:
    if kind_of(node) != "ColumnRef":
        return False
    parts, star = parts_of(node)
    return star and len(parts) == 1 and parts[0] in _FORMER_AND_NEW
