"""Relations by what a text says of them, where no catalog can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memory_maintenance.audit.names import Has, Names
from memory_maintenance.audit.parsing import folded
from memory_maintenance.audit.subject import Subject

UNNAMED = "__unnamed"
"""The table of a clause that stands without its statement."""
OURS, OTHERS = 1, 2
"""Numbers for relations that the catalog would have oids for."""
_CATALOGS = frozenset({"information_schema", "pg_catalog", "pg_toast"})


class Stated(Names):
    """The relations of texts. Whatever isn't known is taken for another table, with columns of its own.

    derived: relations that are made from the table somewhere. holes: names that stand for what is known at
    run time only, with what is known of it. named: the names that were asked for. concerned: one of them was
    the table's, or that of something made from it.
    """

    def __init__(
        self, subject: Subject, derived: frozenset[str], holes: Mapping[str, str | None]
    ) -> None:
        super().__init__(subject.column, subject.label, tuple)
        self._tables = subject.tables
        self.derived = derived
        self._holes = holes
        self._defined: dict[str, Has] = {}
        self.named: set[str] = set()
        self.concerned = False

    @cached_property
    def ours(self) -> frozenset[str]:
        """The names of the tables, without schema."""
        return frozenset(table.name for table in self._tables)

    def has(self, schema: str, name: str, path: Sequence[str] = ()) -> Has:  # noqa: ARG002 - as in Names
        """What the relation of that name says of the column."""
        if name == UNNAMED or name in self._holes or is_placeholder(name):
            # A hole of known value has been replaced by it before.
            return Has.UNKNOWN
        self.named.add(name)
        if schema in self._holes or is_placeholder(schema):
            schema = ""
        has = self._of(schema, name)
        self.concerned = self.concerned or has in (Has.OURS, Has.UNKNOWN)
        return has

    def _of(self, schema: str, name: str) -> Has:
        if schema in _CATALOGS or (not schema and name.startswith("pg_")):
            return Has.OTHER
        if any(t.name == name and schema in ("", t.schema or schema) for t in self._tables):
            return Has.OURS
        if name in self._defined:
            return self._defined[name]
        return Has.UNKNOWN if name in self.derived else Has.ASSUMED

    def has_oid(self, oid: int) -> Has:
        """The same for the numbers above."""
        return {OURS: Has.OURS, OTHERS: Has.OTHER}.get(oid, Has.UNKNOWN)

    def define(self, name: str, has: Has) -> None:
        """A statement has made a relation of that name: from now on it is known."""
        self._defined[name] = has

    def knows_of(self, words: Iterable[str]) -> bool:
        """Whether one of the words names a table, or something made from it."""
        found = set(words)
        made = {name for name, has in self._defined.items() if has in (Has.OURS, Has.UNKNOWN)}
        return bool(found & (self.ours | self.derived | made))


def is_placeholder(name: str) -> bool:
    """Whether a name stands for a placeholder that the text had."""
    return name[:2] == "_z" and not name[1:].strip("z")


def split_name(value: str) -> tuple[str, str]:
    """Schema, "" for none, and name of a table as a text spells it."""
    schema, dot, name = value.strip().rpartition(".")
    return (folded(schema), folded(name)) if dot else ("", folded(name))
