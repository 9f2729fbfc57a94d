"""What a view does with a column that it reads, by its query: shows it as it is, or more than that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from memory_maintenance.audit.names import Names, Verdict
from memory_maintenance.audit.parsing import kind_of, parsed, statements_of, unwrapped
from memory_maintenance.audit.resolver import Statements

_DOES: Mapping[str, str] = MappingProxyType(
    {
        "filter": "filters by {}",
        "join": "joins by {}",
        "group": "groups by {}",
        "having": "filters groups by {}",
        "sort": "sorts by {}",
        "distinct": "selects distinct rows by {}",
        "window": "uses {} in a window",
        "from": "uses {} in FROM",
        "limit": "limits its rows by {}",
        "expression": "computes with {}",
        "subquery": "uses {} in a subquery",
        "with": "uses {} in a WITH query",
        "set operation": "combines {} with others by UNION, INTERSECT or EXCEPT",
    }
)
"""By the clause of the query, with a slot for the column; the first that applies is told."""


@dataclass(frozen=True, slots=True)
class ViewUse:
    """What a view does with the column. outputs: its columns that are nothing but it. why: what else it does,
    a verb with a slot for the column; None where it only shows it."""

    outputs: tuple[str, ...]
    why: str | None


def use_of(names: Names, definition: str) -> ViewUse:
    """The same for the query of a view that names the column, as pg_get_viewdef gives it."""
    tree = parsed(definition)
    if tree is None:
        return ViewUse((), "has a query nested too deeply to be read, and uses {}")
    if not tree.stmts:
        return ViewUse((), None)  # dropped since
    statements = Statements(names, lambda _: Verdict.MAYBE)
    statements.read(tree)
    mentions = [m for m in statements.mentions if m.verdict is not Verdict.NO]
    certain = {m.location for m in mentions if m.verdict is Verdict.YES and m.place == "output"}
    select: Any = statements_of(tree)[0]
    outputs = tuple(
        target.name or unwrapped(value.fields[-1]).sval
        for target in (unwrapped(wrapped) for wrapped in select.target_list)
        for value in (unwrapped(target.val),)
        if kind_of(value) == "ColumnRef" and value.location in certain
    )
    places = {m.place for m in mentions}
    if select.distinct_clause:
        places.add("distinct")
    for place, does in _DOES.items():
        if place in places:
            return ViewUse(outputs, does)
    if any(verdict is not Verdict.NO for verdict in statements.whole_rows):
        return ViewUse(outputs, "uses {} in whole rows")
    if statements.renames:
        return ViewUse(outputs, "may use by another name {}")
    if not outputs or any(m.verdict is Verdict.MAYBE for m in mentions):
        return ViewUse(outputs, "uses {} in a way that can't be traced")
    return ViewUse(outputs, None)
