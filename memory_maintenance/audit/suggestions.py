"""What to write instead of the column: one line for each place.

A condition is exact for the axes: it takes in each pair of durability and category under which a reader of
the old column may see one of the values, by the way back (spec 1) or as the value that the row was migrated
from, and no other. Where the map took several old values to one pair, nothing tells them apart any more, and
the line says which come along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.subject import Subject
from memory_maintenance.model.mapping import FALLBACK, Axes, TypeMap

_DURABILITIES: Final = ("permanent", "long_term", "short_term", "ephemeral")
_WAY_BACK: Final = ("permanent", "preference", "observation", "temporal")
_NULL: Final = "NULL"
_NEGATED: Final = {"<>": "=", "!=": "=", "not in": "in", "is not null": "is null"}
_GENERAL: Final = {
    Kind.READ: "read durability (how long it lasts) or category (what it is about) instead",
    Kind.WRITE: "write durability and category instead",
    Kind.DEFINITION: "drop the column: durability and category replace it",
}
_UNKNOWN: Final = {
    Kind.READ: "stop reading {column}",
    Kind.WRITE: "stop writing {column}",
    Kind.DEFINITION: "drop {column}",
}


def suggestion_for(
    subject: Subject,
    kind: Kind,
    comparison: str = "",
    values: Sequence[str | None] = (),
) -> str:
    """What to write instead, in one line.

    comparison: "=", "<>", "in", "not in", "is null", "is not null", or "" where there is none. values: the
    literals that the column is compared with or set to; None for NULL.
    """
    types = subject.types
    if types is None:
        return _UNKNOWN[kind].format(column=subject.column)
    comparison = comparison.lower()
    if kind is Kind.WRITE and values:
        return _one_line(_assignment(types, values))
    if kind is Kind.READ and comparison in ("is null", "is not null"):
        values = (None,)
    if kind is Kind.READ and values:
        positive = _NEGATED.get(comparison)
        if len(values) == 1 and values[0] is None and positive:
            return "leave it out: every fact has a durability and a category"
        return _one_line(_condition(types, values, negated=positive is not None))
    return _GENERAL[kind]


def whole_row_suggestion(subject: Subject) -> str:
    """What to write instead of a star or an INSERT by position."""
    return f"name the columns: {subject.column} will be missing from the row"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _assignment(types: TypeMap, values: Sequence[str | None]) -> str:
    if len(values) == 1:
        axes = types.of(values[0])
        if axes is None:
            return f"durability and category as they fit: the map lacks {_quoted(values[0])}"
        return f"durability = {_quoted(axes[0])}, category = {_quoted(axes[1])}"
    spelt = [
        f"{_quoted(value)}: {axes[0]}/{axes[1]}"
        for value in dict.fromkeys(values)
        if (axes := types.of(value)) is not None
    ]
    return "durability and category instead" + (f" ({', '.join(spelt)})" if spelt else "")


def _condition(types: TypeMap, values: Sequence[str | None], *, negated: bool) -> str:
    # NULL in a list of IN matches no row, and in one of NOT IN lets none through; what is meant is the value.
    wanted = list(dict.fromkeys(values))
    lacking = [value for value in wanted if _axes(types, value) is None and value not in _WAY_BACK]
    seen = _Seen(types, [value for value in wanted if value not in lacking])
    if len(lacking) == len(wanted):
        return f"durability and category as they fit: the map lacks {_listed(lacking)}"
    notes = []
    if alike := [value for value in _old_values(types) if value not in wanted and seen.has(value)]:
        notes.append(
            f"leaves out {_listed(alike)} too" if negated else f"takes in {_listed(alike)}"
        )
    if lacking:
        notes.append(f"the map lacks {_listed(lacking)}")
    return seen.sql(negated=negated) + (f" ({'; '.join(notes)})" if notes else "")


class _Seen:
    """Pairs of axes under which a reader of the old column may see one of some values.

    Held as whole durabilities, as the two parts of long_term that the way back tells apart, and as single
    pairs.
    """

    def __init__(self, types: TypeMap, values: Sequence[str | None]) -> None:
        self._types = types
        self._preference = "preference" in values
        self._others = "observation" in values
        self._durabilities: set[str] = set()
        if "permanent" in values:
            self._durabilities.add("permanent")
        if "temporal" in values:
            self._durabilities |= {"short_term", "ephemeral"}
        if self._preference and self._others:
            self._durabilities.add("long_term")
        found = [_axes(types, value) for value in values]
        self._pairs = list(dict.fromkeys(axes for axes in found if axes is not None))

    def covers(self, axes: Axes) -> bool:
        """Whether the pair is among them."""
        return self._in_parts(axes) or axes in self._pairs

    def has(self, value: str | None) -> bool:
        """Whether rows that were migrated from a value, or that read so by the way back, are among them."""
        axes = _axes(self._types, value)
        return (axes is not None and self.covers(axes)) or any(
            way_back(pair) == value and self._in_pairs_alone(pair) for pair in self._pairs
        )

    def sql(self, *, negated: bool) -> str:
        """The condition in SQL. negated: for all other pairs."""
        whole = [name for name in _DURABILITIES if name in self._durabilities]
        parts = []
        if whole:
            parts.append(
                _membership("durability", whole, negated=negated and not self._has_parts())
            )
        if "long_term" not in whole:
            if self._preference:
                parts.append("durability = 'long_term' AND category = 'preference'")
            if self._others:
                parts.append("durability = 'long_term' AND category <> 'preference'")
        parts += [
            f"durability = {_quoted(durability)} AND category = {_quoted(category)}"
            for durability, category in self._pairs
            if not self._in_parts((durability, category))
        ]
        if len(whole) == len(_DURABILITIES):
            return "false: no fact is left" if negated else "leave it out: every fact is meant"
        if len(parts) == 1:
            return f"NOT ({parts[0]})" if negated and self._has_parts() else parts[0]
        joined = " OR ".join(f"({part})" if " AND " in part else part for part in parts)
        return f"NOT ({joined})" if negated else f"({joined})"

    def _has_parts(self) -> bool:
        """Whether more than whole durabilities is among them."""
        return (
            "long_term" not in self._durabilities and (self._preference or self._others)
        ) or any(not self._in_parts(pair) for pair in self._pairs)

    def _in_parts(self, axes: Axes) -> bool:
        durability, category = axes
        if durability in self._durabilities:
            return True
        part = self._preference if category == "preference" else self._others
        return durability == "long_term" and part

    def _in_pairs_alone(self, axes: Axes) -> bool:
        return axes in self._pairs and not self._in_parts(axes)


def way_back(axes: Axes) -> str:
    """The old value that the axes alone give (spec 1)."""
    durability, category = axes
    if durability == "permanent":
        return "permanent"
    if durability in ("short_term", "ephemeral"):
        return "temporal"
    return "preference" if category == "preference" else "observation"


def _old_values(types: TypeMap) -> list[str | None]:
    """All values that the old column can have, NULL last."""
    return [*dict.fromkeys([*_WAY_BACK, *(v for v in types.axes if v is not None)]), None]


def _axes(types: TypeMap, value: str | None) -> Axes | None:
    axes = types.of(value)
    return FALLBACK if axes is None and value is None else axes


def _membership(column: str, names: Sequence[str], *, negated: bool) -> str:
    if len(names) == 1:
        return f"{column} {'<>' if negated else '='} {_quoted(names[0])}"
    listed = ", ".join(map(_quoted, names))
    return f"{column} {'NOT IN' if negated else 'IN'} ({listed})"


def _listed(values: Sequence[str | None]) -> str:
    spelt = [_quoted(value) for value in values]
    return spelt[0] if len(spelt) == 1 else f"{', '.join(spelt[:-1])} and {spelt[-1]}"


def _quoted(value: str | None) -> str:
    return _NULL if value is None else "'" + value.replace("'", "''") + "'"
