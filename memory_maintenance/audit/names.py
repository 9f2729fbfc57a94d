"""Relations by name, and what they say of the column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property


class Verdict(IntEnum):
    """Whether a mention is of our column."""

    NO = 0
    MAYBE = 1
    YES = 2


class Has(IntEnum):
    """What a relation, a subquery or a variable says of the column. The greater one decides.

    ASSUMED: another relation, of which no catalog says whether it has such a column: where it is all there
    is, a bare name is taken for its own.
    """

    NONE = 0
    UNKNOWN = 1
    ASSUMED = 2
    OTHER = 3
    OURS = 4

    @property
    def verdict(self) -> Verdict:
        """On a mention of the column that belongs to it."""
        if self is Has.OURS:
            return Verdict.YES
        return Verdict.MAYBE if self is Has.UNKNOWN else Verdict.NO


@dataclass(frozen=True, slots=True)
class Named:
    """A relation. ours: the table itself or a partition of it. has_column: it has a column of that name."""

    oid: int
    schema: str
    name: str
    ours: bool
    has_column: bool

    @property
    def has(self) -> Has:
        """What it says of the column."""
        if self.ours:
            return Has.OURS
        return Has.OTHER if self.has_column else Has.NONE


class Names:
    """The relations of the database by name.

    column: the one that mentions are sought of. label: the table, as SQL reads it. relations: gives all that
    there are; it is called once, when the first name is asked for. beside: the name of another table with
    such a column, which is looked at likewise: what may be about either, but names that one, is about it.
    """

    def __init__(
        self, column: str, label: str, relations: Callable[[], Iterable[Named]], beside: str = ""
    ) -> None:
        self.column = column
        self.label = label
        self.beside = beside
        self._relations = relations

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Named]]:
        found: dict[str, list[Named]] = {}
        for row in self._relations():
            found.setdefault(row.name, []).append(row)
        return found

    @cached_property
    def ours(self) -> frozenset[str]:
        """The names of the table and its partitions, without schema."""
        return frozenset(name for name, rows in self._by_name.items() if any(r.ours for r in rows))

    def has(self, schema: str, name: str, path: Sequence[str] = ()) -> Has:
        """What the relation of that name says of the column.

        schema: "" where the text names none; it is then looked for in path, the schemas that the function
        itself sets, or in all of them.
        """
        rows = self._by_name.get(name, ())
        if schema:
            rows = [row for row in rows if row.schema == schema]
        else:
            for candidate in path:
                if within := [row for row in rows if row.schema == candidate]:
                    rows = within
                    break
        if not rows:
            return Has.UNKNOWN  # a temporary table, perhaps, made where the column was copied to
        kinds = {row.has for row in rows}
        if Has.OURS in kinds and len(rows) > 1 and not all(row.ours for row in rows):
            return Has.UNKNOWN
        return max(kinds)

    def has_oid(self, oid: int) -> Has:
        """The same for the relation, or row type of it, with that oid."""
        row = self._by_oid.get(oid)
        return Has.UNKNOWN if row is None else row.has

    @cached_property
    def _by_oid(self) -> Mapping[int, Named]:
        return {row.oid: row for rows in self._by_name.values() for row in rows}
