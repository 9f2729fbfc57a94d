"""One scan of the catalog: what depends on a column of the facts table, or may.

PostgreSQL records the dependencies of views, constraints, indexes and the like on each column, and these are
exact. It records none for what a function's text says, nor that a view uses whole rows; for those the text is
parsed (never executed) and each mention of the column is traced to the table that it belongs to. What is
certainly somebody else's is left out, what can't be told is reported as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memory_maintenance.audit import cron_jobs
from memory_maintenance.audit.bodies import Body, Function, Use
from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.cron_jobs import Job
from memory_maintenance.audit.names import Named, Names
from memory_maintenance.audit.resolver import whole_rows
from memory_maintenance.audit.returned_rows import column_list
from memory_maintenance.audit.row_conditions import takes_rows
from memory_maintenance.audit.uses import confidence_of
from memory_maintenance.audit.view_use import ViewUse, use_of
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
)
WHOLE_ROW = "whole-row use"
CRON_JOB = "pg_cron job"
_ACCEPTABLE = frozenset({"function", "procedure", WHOLE_ROW, "column grant"})


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that depends on the column, or may.

    kind: "view", "function", "index" and so on. name: as SQL reads it, with its schema; what belongs to a
    table is "trigger on schema.table". definition: its SQL. why: what uses the column how. oid: of the
    object, where it has one. owned_by_column: it goes with the column by itself and is restored with it.
    acceptable: an operator may let it through by name. kept_view: the one that it stands on, whose computed
    values would change it; "" where it depends on the table's column itself. confidence: CERTAIN where it
    names the column, LIKELY where it takes whole rows and the column with them, or gets its name as a string,
    POSSIBLE where that can't be told. thing: what the object is, where kind says how it uses the column.
    """

    kind: str
    name: str
    definition: str
    why: str
    oid: int | None
    owned_by_column: bool
    acceptable: bool
    kept_view: str = ""
    confidence: Confidence = Confidence.CERTAIN
    thing: str = ""

    @property
    def label(self) -> str:
        """What it is, and its name: "view public.delegation_knowledge"."""
        return f"{self.thing or self.kind} {self.name}"

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

    def dependent(self) -> Dependent:
        """It, as a dependent."""
        return Dependent(
            self.kind,
            self.name,
            self.definition,
            self.why,
            self.oid,
            self.owned,
            self.kind in _ACCEPTABLE,
        )


@dataclass(frozen=True, slots=True)
class _OfRowType:
    thing: str
    name: str
    definition: str
    why: str
    oid: int

    def dependent(self) -> Dependent:
        """It, as a dependent."""
        return Dependent(
            WHOLE_ROW,
            self.name,
            self.definition,
            self.why,
            self.oid,
            owned_by_column=False,
            acceptable=True,
            confidence=Confidence.LIKELY,
            thing=self.thing,
        )


@dataclass(frozen=True, slots=True)
class _Trigger:
    name: str
    definition: str
    oid: int


@dataclass(frozen=True, slots=True)
class _OverRows:
    kind: str
    name: str
    definition: str
    oid: int
    query: str


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    name: str
    definition: str
    oid: int
    names_column: bool

    def dependent(self, why: str) -> Dependent:
        """It, as a dependent."""
        return Dependent(
            self.kind, self.name, self.definition, why, self.oid, False, self.kind in _ACCEPTABLE
        )


def dependents(
    session: Session, relation: Relation, column: str = DATA_TYPE, *, beside: str = ""
) -> list[Dependent]:
    """All that depends on the column of the table or of its partitions, or may; read-only.

    In a fixed order, by kind and name. Dependents of dependents are not followed. beside: as for ``Names``.
    """
    names = names_for(session, relation.oid, relation.qualified, column, beside)
    return dependents_on(session, relation.oid, names, cron_jobs.jobs(session))


def dependents_on(
    session: Session, oid: int, names: Names, jobs: Sequence[Job], *, named: bool = False
) -> list[Dependent]:
    """The same for a column of any relation, be it a view.

    names: as they are for that relation and column. jobs: of pg_cron. named: leave out functions and jobs
    that may be about any relation, but don't name this one.
    """
    params = {"oid": oid, "column": names.column}
    columns = session.statement("audit/columns")
    found = [
        row.dependent()
        for scan in _SCANS
        for row in session.rows(_Found, f"audit/{scan}", params, columns=columns)
    ]
    found += (
        row.dependent()
        for row in session.rows(_OfRowType, "audit/row_types", params, columns=columns)
    )
    found += (
        _by_argument(trigger, names.column)
        for trigger in session.rows(_Trigger, "audit/trigger_arguments", params, columns=columns)
    )
    found += _of_rows(session, names, params, columns)
    found += _rules(session, names, params, columns)
    for function in session.rows(Function, "audit/functions", params, columns=columns):
        body = Body(function, names)
        use = body.use() if not named or body.about_ours() else None
        if use is not None:
            found.append(_by_function(function, use))
    for job in jobs:
        use = cron_jobs.use_of(job, names, named=named)
        if use is not None:
            found.append(_by_job(job, use))
    return sorted(set(found), key=_order)


def above(
    session: Session, relation: Relation, kept: Collection[int], column: str = DATA_TYPE
) -> list[Dependent]:
    """What would change with the values of kept views, as it does more than to show them; read-only.

    kept: oids of views of the table that are to show the column computed. A view that merely passes it on is
    left out, and what stands on that one is looked at likewise, whatever it calls the column. In the order
    of ``dependents``.
    """
    found: list[Dependent] = []
    todo = [
        _Shown(rule.oid, rule.name, output, rule.name)
        for rule, use in _views_on(session, relation.oid, relation.qualified, column)
        if rule.oid in kept
        for output in use.outputs
    ]
    seen: set[tuple[int, str]] = set()
    while todo:
        shown = todo.pop(0)
        if (shown.oid, shown.column) in seen:
            continue
        seen.add((shown.oid, shown.column))
        for rule, use in _views_on(session, shown.oid, shown.name, shown.column):
            if use.why is None:
                outputs = use.outputs
                todo += [_Shown(rule.oid, rule.name, output, shown.kept) for output in outputs]
            else:
                why = f"it {use.why.format(shown.label)}"
                found.append(replace(rule.dependent(why), kept_view=shown.kept))
        found += _others_on(session, shown)
    return sorted(set(found), key=_order)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A column of a view, whose values are those that a kept view computes."""

    oid: int
    name: str
    column: str
    kept: str

    @property
    def label(self) -> str:
        """It, in a sentence."""
        if self.name == self.kept:
            return f"{self.column} of the kept view {self.kept}"
        return f"{self.column} of {self.name}, from the kept view {self.kept}"


def _views_on(session: Session, oid: int, label: str, column: str) -> list[tuple[_Rule, ViewUse]]:
    """The views that name a relation's column, and what they do with it."""
    names = names_for(session, oid, label, column)
    params = {"oid": oid, "column": column}
    columns = session.statement("audit/columns")
    return [
        (rule, use_of(names, rule.definition))
        for rule in session.rows(_Rule, "audit/rules", params, columns=columns)
        if rule.kind == "view" and rule.names_column
    ]


def _others_on(session: Session, shown: _Shown) -> Iterator[Dependent]:
    """What stands on a view's column, but for views that name it."""
    names = names_for(session, shown.oid, shown.name, shown.column)
    params = {"oid": shown.oid, "column": shown.column}
    columns = session.statement("audit/columns")
    found = [
        row.dependent() for row in session.rows(_Found, "audit/policies", params, columns=columns)
    ]
    found += (rule for rule in _rules(session, names, params, columns) if rule.kind != "view")
    for function in session.rows(Function, "audit/functions", params, columns=columns):
        body = Body(function, names)
        # What may be about anybody's column was told for the table.
        use = body.use() if body.about_ours() else None
        if use is not None and not use.rows_only:
            found.append(_by_function(function, use))
    computed = f", which the kept view {shown.kept} would compute"
    for dependent in found:
        yield replace(dependent, why=dependent.why + computed, kept_view=shown.kept)


def _by_function(function: Function, use: Use) -> Dependent:
    return Dependent(
        WHOLE_ROW if use.rows_only else function.kind,
        function.signature,
        function.definition,
        use.why,
        function.oid,
        owned_by_column=False,
        acceptable=True,
        confidence=confidence_of(use),
        thing=function.kind,
    )


def _by_job(job: Job, use: Use) -> Dependent:
    return Dependent(
        CRON_JOB,
        job.label,
        job.definition,
        use.why,
        None,
        owned_by_column=False,
        acceptable=True,
        confidence=confidence_of(use),
    )


def _by_argument(trigger: _Trigger, column: str) -> Dependent:
    return Dependent(
        "trigger",
        trigger.name,
        trigger.definition,
        f"its function gets the name {column} as an argument",
        trigger.oid,
        owned_by_column=False,
        acceptable=True,
        confidence=Confidence.LIKELY,
    )


def _order(dependent: Dependent) -> tuple[str, str, int, str, str]:
    d = dependent
    return d.kind, d.name, d.oid or 0, d.definition, d.why


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
    return names_for(session, relation.oid, relation.qualified, column)


def names_for(session: Session, oid: int, label: str, column: str, beside: str = "") -> Names:
    """The same for a relation that may be a view. beside: as for ``Names``."""

    def read() -> list[Named]:
        columns = session.statement("audit/columns")
        params = {"oid": oid, "column": column}
        return session.rows(Named, "audit/relations", params, columns=columns)

    return Names(column, label, read, beside)


def _rules(
    session: Session, names: Names, params: Mapping[str, Any], columns: sql.Composed
) -> Iterator[Dependent]:
    for rule in session.rows(_Rule, "audit/rules", params, columns=columns):
        if rule.names_column:
            what = "its actions or condition name" if rule.kind == "rule" else "its query names"
            yield rule.dependent(f"{what} {names.column}")
            continue
        takes = whole_rows(names, rule.definition)
        yield from row_use(rule.kind, rule.name, rule.definition, rule.oid, names, takes=takes)


def _of_rows(
    session: Session, names: Names, params: Mapping[str, Any], columns: sql.Composed
) -> Iterator[Dependent]:
    """What takes whole rows without a name of a column, but for views, rules and functions' signatures.

    A policy may look into them as JSON, say: it would go on, and say something else.
    """
    for statement in ("audit/row_expressions", "audit/row_bodies"):
        for row in session.rows(_OverRows, statement, params, columns=columns):
            takes = whole_rows(names, row.query)
            yield from row_use(row.kind, row.name, row.definition, row.oid, names, takes=takes)
    for trigger in session.rows(_Trigger, "audit/row_triggers", params, columns=columns):
        takes = takes_rows(trigger.definition, compared=False)
        yield from row_use(
            "trigger", trigger.name, trigger.definition, trigger.oid, names, takes=takes
        )


def row_use(
    thing: str, name: str, definition: str, oid: int | None, names: Names, *, takes: bool | None
) -> Iterator[Dependent]:
    """A dependent where something uses whole rows. takes: whether it does; None where it may."""
    if takes is False:
        return
    maybe = "" if takes else "possibly "
    yield Dependent(
        WHOLE_ROW,
        name,
        definition,
        f"the {thing} {maybe}uses whole rows of {names.label}, {names.column} among them",
        oid,
        owned_by_column=False,
        acceptable=True,
        confidence=Confidence.LIKELY if takes else Confidence.POSSIBLE,
        thing=thing,
    )
