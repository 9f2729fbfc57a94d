"""One scan of the catalog: what depends on a column of the facts table, or may.

PostgreSQL records the dependencies of views, constraints, indexes and the like on each column, and these are
exact. It records none for what a function's text says, nor that a view uses whole rows; for those the text is
parsed (never executed) and each mention of the column is traced to the table that it belongs to. What is
certainly somebody else's is left out, what can't be told is reported as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_maintenance.audit.bodies import Body, Function
from memory_maintenance.audit.resolver import Named, Names, whole_rows
from memory_maintenance.audit.returned_rows import column_list
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session

if TYPE_CHECKING:
    from psycopg import sql

DATA_TYPE = "data_type"

_SCANS = (
    "structure",
    "constraints",
    "indexes",
    "triggers",
    "policies",
    "expressions",
    "statistics",
    "publications",
    "grants",
    "labels",
    "row_types",
)
WHOLE_ROW = "whole-row use"
_ACCEPTABLE = frozenset({"function", "procedure", WHOLE_ROW, "column grant"})


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that depends on the column, or may.

    kind: "view", "function", "index" and so on. name: as SQL reads it, with its schema; what belongs to a
    table is "trigger on schema.table". definition: its SQL. why: what uses the column how. oid: of the
    object, where it has one. owned_by_column: it goes with the column by itself and is restored with it.
    acceptable: an operator may let it through by name.
    """

    kind: str
    name: str
    definition: str
    why: str
    oid: int | None
    owned_by_column: bool
    acceptable: bool

    @property
    def blocks(self) -> bool:
        """Whether it stands in the way of dropping the column."""
        return not self.owned_by_column


@dataclass(frozen=True, slots=True)
class RowReturning:
    """A function that returns the table's row type, but builds it from a list of columns."""

    name: str
    definition: str
    why: str


@dataclass(frozen=True, slots=True)
class _Found:
    kind: str
    name: str
    definition: str
    why: str
    oid: int | None
    owned: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    name: str
    definition: str
    oid: int
    names_column: bool


def dependents(session: Session, relation: Relation, column: str = DATA_TYPE) -> list[Dependent]:
    """All that depends on the column of the table or of its partitions, or may; read-only.

    In a fixed order, by kind and name. Dependents of dependents are not followed.
    """
    params = {"oid": relation.oid, "column": column}
    columns = session.statement("audit/columns")
    found = [
        Dependent(
            row.kind, row.name, row.definition, row.why, row.oid, row.owned, row.kind in _ACCEPTABLE
        )
        for scan in _SCANS
        for row in session.rows(_Found, f"audit/{scan}", params, columns=columns)
    ]
    names = load_names(session, relation, column)
    found += _rules(session, names, params, columns)
    for function in session.rows(Function, "audit/functions", params, columns=columns):
        use = Body(function, names).use()
        if use is not None:
            found.append(
                Dependent(
                    WHOLE_ROW if use.rows_only else function.kind,
                    function.signature,
                    function.definition,
                    use.why,
                    function.oid,
                    False,
                    True,
                )
            )
    return sorted(set(found), key=lambda d: (d.kind, d.name, d.oid or 0, d.definition))


def row_returning_with_column_list(session: Session, relation: Relation) -> list[RowReturning]:
    """Functions that return the table's row type, or a set of it, built from a list of columns.

    They fail as soon as the table has one column more.
    """
    params = {"oid": relation.oid, "column": DATA_TYPE}
    columns = session.statement("audit/columns")
    found = []
    for function in session.rows(Function, "audit/functions", params, columns=columns):
        if function.returns_row:
            why = column_list(function)
            if why is not None:
                found.append(RowReturning(function.signature, function.definition, why))
    return found


def load_names(session: Session, relation: Relation, column: str = DATA_TYPE) -> Names:
    """The relations of the database by name. They are read when the first is asked for."""

    def read() -> list[Named]:
        params = {"oid": relation.oid, "column": column}
        columns = session.statement("audit/columns")
        return session.rows(Named, "audit/relations", params, columns=columns)

    return Names(column, relation.qualified, read)


def _rules(
    session: Session, names: Names, params: Mapping[str, Any], columns: sql.Composed
) -> Iterator[Dependent]:
    label = names.label
    for rule in session.rows(_Rule, "audit/rules", params, columns=columns):
        kind = rule.kind
        if rule.names_column:
            what = "its actions or condition name" if kind == "rule" else "its query names"
            why = f"{what} {names.column}"
        else:
            certain = whole_rows(names, rule.definition)
            if certain is False:
                continue
            kind = WHOLE_ROW
            maybe = "" if certain else "possibly "
            why = f"the {rule.kind} {maybe}uses whole rows of {label}, {names.column} among them"
        yield Dependent(kind, rule.name, rule.definition, why, rule.oid, False, kind in _ACCEPTABLE)
