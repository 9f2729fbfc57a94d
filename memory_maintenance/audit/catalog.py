"""What a database itself has that reads, writes or describes the column: the audit's view of the catalog.

It is the scan that contract uses, of every table that is meant, and what only people want to know: objects
that take whole rows, jobs of pg_cron, foreign tables that stand for the table, and all that stands on views
which show the column. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise

from psycopg.pq import TransactionStatus

from memory_maintenance.audit import cron_jobs
from memory_maintenance.audit.bodies import Body, Function
from memory_maintenance.audit.candidate import Confidence
from memory_maintenance.audit.cron_jobs import Job
from memory_maintenance.audit.database import (
    CRON_JOB,
    WHOLE_ROW,
    Dependent,
    dependents_on,
    names_for,
    row_use,
)
from memory_maintenance.audit.names import Names
from memory_maintenance.audit.object_suggestions import suggestion_for_object
from memory_maintenance.audit.parsing import LONGEST_STATEMENT, tokens_of
from memory_maintenance.audit.row_conditions import takes_rows
from memory_maintenance.audit.stored_query import outputs_showing
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.audit.uses import takes_all_columns
from memory_maintenance.database.session import Session

FOREIGN_TABLE = "foreign table"


@dataclass(frozen=True, slots=True)
class DatabaseFinding:
    """An object of the database that has to do with the column.

    object: what it is and its name, "view public.delegation_knowledge". kind: the same without the name, or
    "whole-row use". confidence: CERTAIN where PostgreSQL has it on record or the text was resolved to the
    table; LIKELY where it takes whole rows, and so the column, without naming it; POSSIBLE where that can't
    be told, as of SQL that is put together at run time. definition: its SQL. why: a sentence without a full
    stop. suggestion: one line; "" leaves it to the kind. owned: it goes with the column by itself.
    """

    object: str
    kind: str
    confidence: Confidence
    definition: str
    why: str
    suggestion: str = ""
    owned: bool = False


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A relation that a subject is about, as found. kind: as in pg_class. label: its name for people."""

    oid: int
    schema: str
    name: str
    label: str
    kind: str
    has_column: bool

    @property
    def is_table(self) -> bool:
        """Whether it is a table, and no view or foreign one."""
        return self.kind in ("r", "p")


@dataclass(frozen=True, slots=True)
class _Place:
    """A column to look around: of one of the tables, or one of a view or foreign table that shows it.

    surest: how sure it can be of the table what certainly uses this one. shows: what it shows, as a sentence;
    "" for the table itself. root: the table's column that it comes from, likewise. beside: as for ``Names``.
    """

    oid: int
    label: str
    column: str
    surest: Confidence = Confidence.CERTAIN
    shows: str = ""
    root: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class _Showing:
    oid: int
    name: str
    query: str
    relations: list[int]
    numbers: list[int]


@dataclass(frozen=True, slots=True)
class _Trigger:
    name: str
    definition: str
    oid: int


@dataclass(frozen=True, slots=True)
class _ForeignColumn:
    oid: int
    name: str
    column: str
    definition: str
    server: str
    here: bool
    database: str


def database_findings(session: Session, schema: str, subject: Subject) -> list[DatabaseFinding]:
    """All that has to do with the column of the tables that exist, each object once, by kind and name.

    schema: of the configured table. Those of ``subject`` that name none are looked for in it, and in all
    others where there is none. All is read in one snapshot that the server keeps read-only, or in the
    transaction that is open.
    """
    with _reading(session):
        tables = [
            table for found in tables_of(session, schema, subject).values() for table in found
        ]
        scan = _Scan(session, subject, cron_jobs.jobs(session))
        return merged(found for table in tables for found in scan.of_table(table, tables[0]))


def merged(findings: Iterable[DatabaseFinding]) -> list[DatabaseFinding]:
    """One finding an object, by kind and name: the surest, with all that makes it so."""
    best: dict[str, DatabaseFinding] = {}
    for finding in findings:
        known = best.get(finding.object)
        if known is None or finding.confidence > known.confidence:
            best[finding.object] = finding
        elif finding.confidence == known.confidence and finding.why not in known.why:
            best[finding.object] = replace(known, why=f"{known.why}; {finding.why}")
    return sorted(best.values(), key=lambda found: (found.kind, found.object))


def _reading(session: Session) -> AbstractContextManager[None]:
    if session.connection.info.transaction_status is TransactionStatus.IDLE:
        return session.snapshot()
    return nullcontext()


def tables_of(session: Session, schema: str, subject: Subject) -> dict[TableName, list[FoundTable]]:
    """What there is of each table of a subject, each once. schema: as for ``database_findings``."""
    tables: dict[TableName, list[FoundTable]] = {}
    seen: set[int] = set()
    for wanted in subject.tables:
        params = {"schema": wanted.schema, "table": wanted.name, "column": subject.column}
        found = session.rows(FoundTable, "audit/tables", params)
        if not wanted.schema:
            found = [table for table in found if table.schema == schema] or found
        tables[wanted] = [table for table in found if table.oid not in seen]
        seen.update(table.oid for table in found)
    return tables


class _Scan:
    """Looks around one column after the other. No column is looked at twice."""

    def __init__(self, session: Session, subject: Subject, jobs: list[Job]) -> None:
        self._session = session
        self._subject = subject
        self._column = subject.column
        self._jobs = jobs
        self._seen: dict[tuple[int, str], Confidence] = {}

    def of_table(self, table: FoundTable, first: FoundTable) -> Iterator[DatabaseFinding]:
        """What has to do with the column of a table. first: that which all others belong to."""
        beside = "" if table is first else first.name
        todo = [_Place(table.oid, table.label, self._column, beside=beside)]
        for foreign in self._foreign(table):
            finding, place = self._by_foreign_table(foreign, table)
            yield finding
            todo.append(place)
        while todo:
            place = todo.pop(0)
            key = (place.oid, place.column)
            if self._seen.get(key, Confidence.UNRELATED) >= place.surest:
                continue
            self._seen[key] = place.surest
            for found in self._around(place):
                # Its rows have the column no more.
                if table.has_column or place.shows or found.kind != WHOLE_ROW:
                    yield _at(place, found)
            todo += self._above(place)

    def _around(self, place: _Place) -> Iterator[DatabaseFinding]:
        named = bool(place.shows)
        names = names_for(self._session, place.oid, place.label, place.column, place.beside)
        found = dependents_on(self._session, place.oid, names, self._jobs, named=named)
        # Of a job the call that schedules it is shown, but its command is what is to be written anew.
        commands = {f"{CRON_JOB} {job.label}": job.command for job in self._jobs}
        params = {"oid": place.oid, "column": place.column}
        columns = self._session.statement("audit/columns")
        functions = self._session.rows(Function, "audit/functions", params, columns=columns)
        found = list(self._of_given_rows(found, functions))
        for d in (*found, *self._row_uses(place.oid, names, functions)):
            if d.kind != FOREIGN_TABLE or d.oid != place.oid:
                owned = d.owned_by_column and not named
                text = commands.get(d.label, d.definition)
                what = suggestion_for_object(self._subject, d.kind, text, owned=owned)
                yield DatabaseFinding(
                    d.label, d.kind, d.confidence, d.definition, d.why, what, owned
                )

    def _of_given_rows(
        self, found: Iterable[Dependent], functions: Sequence[Function]
    ) -> Iterator[Dependent]:
        """The same, surer of functions that have the name in hand and call one which returns the rows."""
        giving = {function.name for function in functions if function.returns_row}
        sources = {function.oid: function.source for function in functions}
        for d in found:
            called = ""
            if giving and d.confidence is Confidence.POSSIBLE and d.oid in sources:
                called = _called(sources[d.oid], giving)
            if called:
                why = f"{d.why}; it calls {called}, which returns the rows"
                yield replace(d, confidence=Confidence.LIKELY, why=why)
            else:
                yield d

    def _row_uses(
        self, oid: int, names: Names, functions: Sequence[Function]
    ) -> Iterator[Dependent]:
        """What takes whole rows where contract need not care: it goes on as before without the column."""
        params = {"oid": oid, "column": names.column}
        columns = self._session.statement("audit/columns")
        for t in self._session.rows(_Trigger, "audit/row_triggers", params, columns=columns):
            takes = takes_rows(t.definition, compared=True)
            yield from row_use("trigger", t.name, t.definition, t.oid, names, takes=takes)
        for f in functions:
            body = Body(f, names)
            short = len(f.source) <= LONGEST_STATEMENT
            if short and body.about_ours() and takes_all_columns(body):
                yield from row_use(f.kind, f.signature, f.definition, f.oid, names, takes=True)
        for job in self._jobs:
            if cron_jobs.takes_rows(job, names):
                yield from row_use(CRON_JOB, job.label, job.definition, None, names, takes=True)

    def _above(self, place: _Place) -> Iterator[_Place]:
        """The columns of views that show a column."""
        params = {"oid": place.oid, "column": place.column}
        columns = self._session.statement("audit/columns")
        for view in self._session.rows(_Showing, "audit/showing", params, columns=columns):
            origins = set(zip(view.relations, view.numbers, strict=True))
            for output in outputs_showing(view.query, origins):
                shows = f"{view.name} shows {place.column} of {place.label}"
                if output != place.column:
                    shows += f" as {output}"
                if place.shows:
                    shows += f", which is {place.root}"
                root = place.root or f"{place.column} of {place.label}"
                yield _Place(view.oid, view.name, output, place.surest, shows, root)

    def _foreign(self, table: FoundTable) -> list[_ForeignColumn]:
        params = {"schema": table.schema, "table": table.name, "column": self._column}
        return self._session.rows(_ForeignColumn, "audit/foreign_columns", params)

    def _by_foreign_table(
        self, foreign: _ForeignColumn, table: FoundTable
    ) -> tuple[DatabaseFinding, _Place]:
        """A foreign table that stands for one of this name, and its column to look around.

        Where a connection ends, its options don't tell for certain: it is likely this table where the
        database has the same name, and possibly where that is another or none.
        """
        confidence = Confidence.LIKELY if foreign.here else Confidence.POSSIBLE
        if foreign.here:
            where = "whose database has the name of this one"
        else:
            where = f"in database {foreign.database}" if foreign.database else "possibly here"
        why = (
            f"its column {foreign.column} is {self._column} of a table {table.label}"
            f" by way of server {foreign.server}, {where}"
        )
        name = f"{FOREIGN_TABLE} {foreign.name}"
        what = suggestion_for_object(self._subject, FOREIGN_TABLE, foreign.definition)
        shows = f"{foreign.name} stands for {table.label}"
        return (
            DatabaseFinding(name, FOREIGN_TABLE, confidence, foreign.definition, why, what),
            _Place(
                foreign.oid,
                foreign.name,
                foreign.column,
                confidence,
                shows,
                root=f"{self._column} of {table.label}",
            ),
        )


def _called(source: str, names: Collection[str]) -> str:
    """Which of some functions a text calls, "" for none."""
    tokens = tokens_of(source) or []
    following = pairwise(tokens)
    return next(
        (one.word for one, after in following if after.text == "(" and one.word in names), ""
    )


def _at(place: _Place, finding: DatabaseFinding) -> DatabaseFinding:
    """A finding as what it means for the table."""
    if not place.shows:
        return finding
    confidence = min(finding.confidence, place.surest)
    return replace(finding, confidence=confidence, why=f"{finding.why}; {place.shows}")
