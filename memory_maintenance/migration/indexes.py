"""Phase expand: an index on each axis, built CONCURRENTLY; nobody who reads or writes waits for it.

Everything is found by the catalog and looked up anew before each statement, so that a run may end at any
point and the next goes on from there. A partitioned table gets its index as an outline first (ON ONLY, which
scans nothing), then each partition its own, and each of these is attached; partitions made meanwhile get
theirs from the outline by themselves. None can be a foreign table, since the table has a primary key.

The archive gets none. It grows by whole rows, is read by key or by time, and is to stay small.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import psycopg
from psycopg import sql

from memory_maintenance.database import schema
from memory_maintenance.database.relation import Relation, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy, Denied, UsageError
from memory_maintenance.migration import actions, record
from memory_maintenance.migration.actions import PATIENCE, Action, Step
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.identifiers import MAX_BYTES

_log = logging.getLogger(__name__)
_AXES = ("durability", "category")
_MOST_NAMES = 50
_ONCE = Patience(attempts=1)
# A statement that has to be repeated this often is undone by somebody.
_MOST_REPEATS = 5

_APART = "SHARE UPDATE EXCLUSIVE, while it lasts; readers and writers go on"
_OUTLINE = "SHARE on the partitioned table, briefly"
_ATTACH = "ACCESS EXCLUSIVE on the partition's index, briefly"


@dataclass(frozen=True, slots=True)
class _Table:
    oid: int
    parent: int | None
    schema: str
    name: str
    kind: str

    @property
    def partitioned(self) -> bool:
        return self.kind == "p"

    @property
    def identifier(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.name)

    @property
    def label(self) -> str:
        return table_label(self.schema, self.name)


@dataclass(frozen=True, slots=True)
class _Index:
    table_oid: int
    oid: int
    schema: str
    name: str
    axis: str
    valid: bool
    exact: bool
    parent: int | None
    building: bool


@dataclass(frozen=True, slots=True)
class _Above:
    """A partitioned index. oid: None where it is still to be made."""

    schema: str
    name: str
    oid: int | None


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _Schema:
    schema: str


@dataclass(frozen=True, slots=True)
class _Todo:
    """One statement. note: written down before it. busy: another session is building what it is about."""

    what: Literal["outline", "drop", "build", "attach"]
    table: _Table
    axis: str
    name: str
    action: Action
    note: Action | None = None
    busy: bool = False

    def same(self, other: _Todo | None) -> bool:
        """Whether it is the same statement."""
        return other is not None and self.key == other.key

    @property
    def key(self) -> tuple[str, int, str, str]:
        """What tells statements apart."""
        return (self.what, self.table.oid, self.axis, self.name)


def candidates(table: str, axis: str) -> Iterator[str]:
    """The names that an index of ours may have, the first first: idx_<table>_<axis>, then _2, _3 and so on.

    The table's part is cut, never within a character, so that each has at most 63 bytes.
    """
    for number in range(1, _MOST_NAMES + 1):
        end = f"_{axis}" if number == 1 else f"_{axis}_{number}"
        room = MAX_BYTES - len("idx_") - len(end)
        yield f"idx_{table.encode()[:room].decode(errors='ignore')}{end}"


def prove(session: Session, subject: Subject, relation: Relation) -> None:
    """Raises Denied where this role owns the table, but may not create an index in its schema.

    Owning a table doesn't give that, and from PostgreSQL 15 on public doesn't either.
    """
    if subject.archive or not relation.owned:
        return
    new = [t for t in _Catalog.read(session, relation).todo() if t.what in ("outline", "build")]
    schemas = sorted({todo.table.schema for todo in new})
    lacking = session.row(_Schema, "migration/index_schema", {"schemas": schemas})
    if lacking is not None:
        name = sql.Identifier(lacking.schema).as_string(None)
        raise Denied(
            f"role {session.server.role} owns {relation.label} but may not create an index in the "
            f"schema {name}",
            remedy=f"GRANT CREATE ON SCHEMA {name} TO {sql.Identifier(relation.owner).as_string(None)}",
        )


def plan(session: Session, subject: Subject, relation: Relation) -> list[Step]:
    """What is still to be done, in order. The axes themselves need not be there yet.

    What another session is building is left out, as if it were there.
    """
    if subject.archive:
        return []
    steps = []
    for todo in _Catalog.read(session, relation).todo():
        if todo.busy:
            continue
        if todo.what in ("outline", "attach"):
            note = () if todo.note is None else (todo.note,)
            steps.append(Step((*note, todo.action)))
            continue
        if todo.note is not None:
            steps.append(Step((todo.note,)))
        steps.append(Step((todo.action,), "apart"))
    return steps


def carry_out(run: Run, subject: Subject, patience: Patience = PATIENCE) -> None:
    """Does it, one statement after another, each committed. The axes and our schema must be there.

    Raises Busy where another session is building such an index, or keeps undoing what is done here; the
    driver's error where locks were not to be had: then what the last attempt left is dropped, if that can be.
    """
    if subject.archive:
        return
    seen: Counter[tuple[str, int, str, str]] = Counter()
    while (todo := _next(run.session, subject)) is not None:
        _refuse_busy(todo)
        seen[todo.key] += 1
        if seen[todo.key] > _MOST_REPEATS:
            raise Busy(
                f"somebody keeps undoing what is done about the index {todo.name} on {todo.table.label}",
                remedy="see who drops or changes indexes there, and run it again",
            )
        _do(run, subject, todo, patience)


def invalid(session: Session, relation: Relation) -> list[str]:
    """The names of indexes of ours, those of partitions included, that are not valid.

    A partitioned index whose partitions all have theirs counts as valid even where the server doesn't call it
    so: it only looks when an index is attached, not when the partition that lacked one goes.
    """
    catalog = _Catalog.read(session, relation)
    return [
        table_label(index.schema, index.name)
        for table in catalog.tables
        for axis in _AXES
        for index in catalog.on(table, axis)
        if not index.valid
        and (catalog.ours(index, table) or index.parent is not None)
        and not (table.partitioned and not list(catalog.below(table, axis, index)))
    ]


def names_of(session: Session, relation: Relation, noted: Sequence[str]) -> list[str]:
    """Those of the names noted that are indexes of this table on an axis: what rollback may drop.

    An index is noted before it is built, so that a name may have gone to something else since. They are in
    the table's schema; with a partitioned one its partitions' indexes go.
    """
    catalog = _Catalog.read(session, relation)
    (table, *_) = catalog.tables
    names = {index.name for axis in _AXES for index in catalog.on(table, axis)}
    return [name for name in noted if name in names]


def _next(session: Session, subject: Subject) -> _Todo | None:
    return next(_Catalog.read(session, subject.resolve(session)).todo(), None)


def _refuse_busy(todo: _Todo) -> None:
    if todo.busy:
        raise Busy(
            f"another session is building the index {todo.name} on {todo.table.label}",
            remedy="run it again when that has ended; pg_stat_progress_create_index shows how far it is",
        )


def _do(run: Run, subject: Subject, todo: _Todo, patience: Patience) -> None:
    session = run.session

    def at_once() -> list[Action]:
        now = _next(session, subject)
        if now is None or not todo.same(now):
            return []
        return [now.action] if now.note is None else [now.note, now.action]

    def apart() -> Action | None:
        now = _next(session, subject)
        if todo.what == "build" and (leftover := _leftover_of(todo, now)):
            # Of the attempt before: while it is there, its name is taken and every write maintains it.
            _drop(run, leftover)
            now = _next(session, subject)
        return now.action if now is not None and todo.same(now) else None

    if todo.what in ("outline", "attach"):
        actions.apply(run, at_once, patience)
        return
    if todo.note is not None:
        note = todo.note
        actions.apply(run, lambda: [note], patience)
    try:
        actions.apply_apart(run, apart, patience)
    except psycopg.Error:
        if todo.what == "build":
            _clear(run, subject, todo)
        raise


def _leftover_of(build: _Todo, now: _Todo | None) -> _Todo | None:
    """The dropping of what a failed attempt at building has left, where that is what comes next."""
    if now is None or now.what != "drop":
        return None
    return now if (now.table.oid, now.axis) == (build.table.oid, build.axis) else None


def _drop(run: Run, leftover: _Todo) -> None:
    """Drops it, in one attempt: the caller's retries are retries enough."""
    _refuse_busy(leftover)
    actions.apply_apart(run, lambda: leftover.action, _ONCE)


def _clear(run: Run, subject: Subject, todo: _Todo) -> None:
    """After giving up: nobody shall maintain an index that serves no one until the next run comes."""
    if run.session.lost:
        return
    try:
        if leftover := _leftover_of(todo, _next(run.session, subject)):
            _drop(run, leftover)
    except (psycopg.Error, Busy) as error:
        _log.warning(
            "the index %s is left half-built, and dropped by the next run: %s",
            todo.name,
            type(error).__name__,
        )


@dataclass(frozen=True, slots=True)
class _Catalog:
    """A table with its partitions and their indexes on the axes, as they are now. noted: in our record."""

    session: Session
    table: str
    tables: Sequence[_Table]
    noted: Sequence[str]
    _partitions: Mapping[int, list[_Table]]
    _indexes: Mapping[tuple[int, str], list[_Index]]
    _given: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def read(cls, session: Session, relation: Relation) -> _Catalog:
        """What there is."""
        tables = session.rows(_Table, "migration/index_tables", {"oid": relation.oid})
        oids = [table.oid for table in tables]
        partitions: dict[int, list[_Table]] = {}
        for table in tables:
            if table.parent is not None:
                partitions.setdefault(table.parent, []).append(table)
        indexes: dict[tuple[int, str], list[_Index]] = {}
        for index in session.rows(_Index, "migration/index_found", {"oids": oids}):
            indexes.setdefault((index.table_oid, index.axis), []).append(index)
        known = None
        facts = (relation.schema, relation.name)
        if not schema.absent(session, facts) and not schema.missing(session, facts):
            known = record.read(session, relation.qualified)
        noted = [] if known is None else known.indexes_added
        return cls(session, relation.qualified, tables, noted, partitions, indexes)

    def on(self, table: _Table, axis: str) -> list[_Index]:
        """The indexes of a table that begin with the axis."""
        return self._indexes.get((table.oid, axis), [])

    def ours(self, index: _Index, table: _Table) -> bool:
        """Whether it is of our form and has a name of ours: then a half-built one may be dropped."""
        if not index.exact:
            return False
        if table.parent is None and index.name in self.noted:
            return True
        return index.name in candidates(table.name, index.axis)

    def todo(self) -> Iterator[_Todo]:
        """What is still to be done, in order."""
        for axis in _AXES:
            yield from self._bring(self.tables[0], axis)

    def below(self, table: _Table, axis: str, outline: _Index) -> Iterator[_Todo]:
        """What is still to be done with the partitions for their parent's index to be whole."""
        for child in self._children(table):
            yield from self._bring(child, axis, _Above(outline.schema, outline.name, outline.oid))

    def _bring(self, table: _Table, axis: str, above: _Above | None = None) -> Iterator[_Todo]:
        """above: the index that this table's is to be part of."""
        found = self.on(table, axis)
        if above is None:
            if any(index.valid for index in found):
                return
        else:
            attached = next(
                (i for i in found if i.parent is not None and i.parent == above.oid), None
            )
            if attached is not None:
                if table.partitioned and not attached.valid:
                    yield from self.below(table, axis, attached)
                return
            whole = next((i for i in found if i.valid and i.exact and i.parent is None), None)
            if whole is not None:
                yield self._attach(table, axis, above, whole.schema, whole.name)
                return
        if table.partitioned:
            yield from self._bring_partitioned(table, axis, above)
        else:
            yield from self._bring_plain(table, axis, above)

    def _bring_partitioned(self, table: _Table, axis: str, above: _Above | None) -> Iterator[_Todo]:
        found = self.on(table, axis)
        outline = next((i for i in found if i.parent is None and self.ours(i, table)), None)
        if outline is None:
            name = self._free_name(table, axis)
            yield self._create("outline", table, axis, name)
            part = _Above(table.schema, name, None)
        else:
            part = _Above(outline.schema, outline.name, outline.oid)
        for child in self._children(table):
            yield from self._bring(child, axis, part)
        if above is not None:
            yield self._attach(table, axis, above, part.schema, part.name)

    def _bring_plain(self, table: _Table, axis: str, above: _Above | None) -> Iterator[_Todo]:
        found = [i for i in self.on(table, axis) if not i.valid and i.parent is None]
        leftovers = [i for i in found if self.ours(i, table)]
        for leftover in leftovers:
            statement = self.session.statement(
                "migration/index_drop", index=sql.Identifier(leftover.schema, leftover.name)
            )
            what = f"drop {leftover.name}, which a build that failed has left"
            action = Action("expand", what, statement, _APART)
            yield _Todo("drop", table, axis, leftover.name, action, busy=leftover.building)
        building = next((i for i in found if i.exact and i.building), None)
        if building is not None:
            name = building.name
        else:
            name = self._free_name(table, axis, [i.name for i in leftovers])
        yield self._create("build", table, axis, name, busy=building is not None)
        if above is not None:
            yield self._attach(table, axis, above, table.schema, name)

    def _create(
        self,
        what: Literal["outline", "build"],
        table: _Table,
        axis: str,
        name: str,
        *,
        busy: bool = False,
    ) -> _Todo:
        statement = self.session.statement(
            f"migration/index_{what}",
            name=sql.Identifier(name),
            table=table.identifier,
            axis=sql.Identifier(axis),
        )
        if what == "outline":
            action = Action("expand", f"outline the index {name}", statement, _OUTLINE)
        else:
            action = Action("expand", f"build the index {name}", statement, _APART)
        note = None
        if table.parent is None and name not in self.noted and not busy:
            note = record.index_added(self.session, self.table, name)
        return _Todo(what, table, axis, name, action, note, busy)

    def _attach(self, table: _Table, axis: str, above: _Above, schema_: str, name: str) -> _Todo:
        statement = self.session.statement(
            "migration/index_attach",
            index=sql.Identifier(above.schema, above.name),
            part=sql.Identifier(schema_, name),
        )
        action = Action("expand", f"make {name} part of {above.name}", statement, _ATTACH)
        return _Todo("attach", table, axis, name, action)

    def _free_name(self, table: _Table, axis: str, freed: Sequence[str] = ()) -> str:
        names = list(candidates(table.name, axis))
        params = {"schema": table.schema, "names": names}
        taken = {row.name for row in self.session.rows(_Name, "migration/index_names", params)}
        for name in names:
            # Partitions with long names may be cut to the same.
            if (name not in taken or name in freed) and (table.schema, name) not in self._given:
                self._given.add((table.schema, name))
                return name
        raise UsageError(
            f"all of the names {names[0]} to {names[-1]} are taken",
            remedy=f"rename what has them, or build an index on {axis} of {table.label} yourself",
        )

    def _children(self, table: _Table) -> list[_Table]:
        return self._partitions.get(table.oid, [])
