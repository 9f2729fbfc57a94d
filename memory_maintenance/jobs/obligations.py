"""``expire-obligations``: deadlines are inferred and stored, what is past them is marked overdue (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs.decay import Problem, preflight
from memory_maintenance.jobs.obligation_rows import (
    Change,
    Obligation,
    parameters,
    require_events,
    require_expires,
    state,
    write,
)
from memory_maintenance.model.deadlines import Ambiguous
from memory_maintenance.model.instants import instant, iso
from memory_maintenance.model.obligations import Event, Origin, Step, follow
from memory_maintenance.model.result import Block, Column, KeyValues, Note, Result, Table

_LISTED: Final = 100
_SHOWN: Final = 10
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class ExpireOptions:
    """batch_rows: rows a batch, >= 1; None steers by time."""

    batch_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Inferred:
    """A deadline that was read. text: the words it was read from. source: data.deadline or value."""

    id: Any
    text: str
    deadline: datetime
    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Overdue:
    """An obligation whose deadline has passed, newly marked."""

    id: Any
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class Reinstated:
    """An obligation that is overdue no longer. deadline: the new one, None where there is none."""

    id: Any
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class Unclear:
    """A text that can't be read for sure. readings: what it may mean."""

    id: Any
    why: str
    readings: tuple[datetime, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireResult(Result):
    """What a pass found and wrote. Lists hold the first 100 by key; *_count says how many there are."""

    updated: int
    inferred: tuple[Inferred, ...]
    inferred_count: int
    overdue: tuple[Overdue, ...]
    overdue_count: int
    reinstated: tuple[Reinstated, ...]
    reinstated_count: int
    ambiguous: tuple[Unclear, ...]
    ambiguous_count: int
    undated: int
    problems: tuple[Problem, ...]
    problem_count: int
    batches: int
    notes: tuple[str, ...] = ()

    def counts(self) -> Mapping[str, Any]:
        return {
            "updated": self.updated,
            "inferred": self.inferred_count,
            "overdue": self.overdue_count,
            "reinstated": self.reinstated_count,
            "ambiguous": self.ambiguous_count,
            "undated": self.undated,
            "problems": self.problem_count,
        }

    def blocks(self) -> Sequence[Block]:
        would = "would be " if self.dry_run else ""
        rows = (
            (f"deadlines {would}stored", f"{self.inferred_count:,}"),
            (f"{would}marked overdue", f"{self.overdue_count:,}"),
            ("overdue no longer", f"{self.reinstated_count:,}"),
            ("ambiguous, for review", f"{self.ambiguous_count:,}"),
            ("without any date", f"{self.undated:,}"),
            ("data problems", f"{self.problem_count:,}"),
        )
        tables = (
            _table(
                "Deadlines read",
                ("id", "from", "words", "deadline"),
                [(str(i.id), i.source, i.text, _shown(i.deadline)) for i in self.inferred],
                self.inferred_count,
            ),
            _table(
                "Overdue",
                ("id", "deadline"),
                [(str(o.id), _shown(o.deadline)) for o in self.overdue],
                self.overdue_count,
            ),
            _table(
                "For review: memory-maintenance obligations set-deadline ID WHEN",
                ("id", "why it is ambiguous"),
                [(str(a.id), a.why) for a in self.ambiguous],
                self.ambiguous_count,
            ),
            _table(
                "Data problems",
                ("id", "problem"),
                [(str(p.id), p.problem) for p in self.problems],
                self.problem_count,
            ),
        )
        notes = [Note(text, "hint") for text in self.notes]
        return (KeyValues(rows), *(t for t in tables if t is not None), *notes)


def _table(
    title: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]], count: int
) -> Table | None:
    if not rows:
        return None
    more = f" (the first {_SHOWN} of {count:,})" if count > _SHOWN else ""
    return Table(tuple(map(Column, columns)), tuple(rows[:_SHOWN]), title=title + more)


def _shown(at: datetime | None) -> str:
    return "" if at is None else iso(at)


@dataclass(slots=True)
class _Found:
    """What a batch, or all of them, came to."""

    updated: int = 0
    undated: int = 0
    inferred: list[Inferred] = field(default_factory=list)
    overdue: list[Overdue] = field(default_factory=list)
    reinstated: list[Reinstated] = field(default_factory=list)
    ambiguous: list[Unclear] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def add(self, other: _Found) -> None:
        """Another batch of the same transaction."""
        self.updated += other.updated
        self.undated += other.undated
        for name in _LISTS:
            getattr(self, name).extend(getattr(other, name))


_LISTS: Final = ("inferred", "overdue", "reinstated", "ambiguous", "problems")


@dataclass(slots=True)
class _Totals:
    """Batches folded together, bounded however many obligations there are."""

    batches: int = 0
    updated: int = 0
    undated: int = 0
    listed: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _LISTS})
    counted: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LISTS, 0))

    def add(self, found: _Found) -> None:
        self.batches += 1
        self.updated += found.updated
        self.undated += found.undated
        for name in _LISTS:
            entries = getattr(found, name)
            self.counted[name] += len(entries)
            self.listed[name] += islice(entries, _LISTED - len(self.listed[name]))


class _Pass:
    """One pass over a table at an instant."""

    def __init__(self, run: Run, relation: Relation) -> None:
        self._run = run
        self._relation = relation
        self._keeps_status = projection.has_document(relation)
        session = run.session
        slots = projection.slots(relation)
        keys = {"key": slots["key"], "key_type": slots["key_type"]}
        fragment = state(session, relation)
        self._examine = session.statement("obligations/examine", state=fragment, **keys)
        self._again = session.statement("obligations/again", state=fragment, **keys)
        self._params = {
            **parameters(session, run.as_of),
            "with_status": self._keeps_status,
        }

    def batch(self, keys: Range) -> _Found:
        """A key range: examined without locks, written from the versions that were examined."""
        bound = {**self._params, "first_key": keys.first, "last_key": keys.last}
        rows = self._rows(self._examine, bound)
        found = _Found()
        for _ in range(_ATTEMPTS):
            decided = [(row, *self._decide(row)) for row in rows]
            changes = [change for _, change, _ in decided if change is not None]
            if self._run.dry_run:
                overtaken: set[Any] = set()
                found.updated += len(changes)
            else:
                outcomes = write(self._run.session, self._relation, changes, self._params)
                overtaken = {o.key for o in outcomes if not o.same}
                found.updated += sum(o.written for o in outcomes)
                gone = {c.key for c in changes} - {o.key for o in outcomes}
                decided = [d for d in decided if d[0].key not in gone]
            for row, _, what in decided:
                if row.key not in overtaken:
                    found.add(what)
            if not overtaken:
                break
            # They are locked by now, so that what is read of them holds until it is written.
            rows = self._rows(self._again, {**self._params, "keys": sorted(overtaken)})
        return found

    def _rows(self, statement: sql.Composed, bound: Mapping[str, Any]) -> list[Obligation]:
        return self._run.session.fetch(Obligation, statement, bound)

    def _decide(self, row: Obligation) -> tuple[Change | None, _Found]:
        """What is to be written of an obligation, and how it counts."""
        found = _Found()
        if row.problem is not None:
            found.problems.append(Problem(row.key, row.problem))
            return None, found
        if row.settled:
            return None, found
        deadline, past, origin = row.deadline, row.past, None
        if row.undated:
            read = row.infer(self._run.settings)
            if isinstance(read, Origin):
                origin = read
                deadline = iso(read.reading.deadline_at)
                past = read.reading.deadline_at <= self._run.as_of
                found.inferred.append(_inferred(row.key, read))
            elif isinstance(read, Ambiguous):
                found.ambiguous.append(Unclear(row.key, read.why, read.readings))
            else:
                found.undated += 1
        step = None
        if self._keeps_status:
            step = follow(row.status, row.text("overdue_at"), deadline, past=past)
        if step is not None and step.set:
            found.overdue.append(Overdue(row.key, instant(deadline)))
        elif step is not None:
            found.reinstated.append(Reinstated(row.key, instant(deadline)))
        return _change(row, deadline, origin, step), found


def _inferred(key: Any, origin: Origin) -> Inferred:
    reading = origin.reading
    return Inferred(key, reading.text, reading.deadline_at, origin.source, reading.why)


def _change(
    row: Obligation, deadline: str | None, origin: Origin | None, step: Step | None
) -> Change | None:
    if origin is None and step is None:
        return None
    step = step or Step()
    if origin is None:
        return Change(row.key, row.version, None, step.set, step.drop, step.events)
    told = {"deadline_source": origin.source, "deadline_text": origin.reading.text}
    event = Event(
        "deadline-inferred",
        {"before": {"deadline": None}, "after": {"deadline": deadline, **told}},
    )
    return Change(
        row.key,
        row.version,
        deadline,
        {**told, **step.set},
        step.drop,
        (event, *step.events),
    )


def expire(run: Run, options: ExpireOptions = ExpireOptions()) -> ExpireResult:
    """One pass over the table's obligations at ``run.as_of``.

    In a dry run the deadlines that would be stored are left in ``run.inferred``, for the steps after this.
    Raises UsageError where the table isn't migrated, Denied where this role may not update it.
    """
    relation = preflight(run)
    require_expires(relation)
    if not run.dry_run:
        require_events(run.session)
    work = _Pass(run, relation)
    totals = _Totals()
    for found in batches.sweep(
        run.session,
        relation,
        work.batch,
        sizing=Sizing(options.batch_rows),
        transaction=run.transaction,
    ):
        totals.add(found)
        if run.dry_run:
            run.inferred.update({str(i.id): iso(i.deadline) for i in found.inferred})
        result = _result(run, relation, totals)
        run.publish(result.counts())
        run.emit(totals.updated, None, "expire-obligations")
    return _result(run, relation, totals)


def step(run: Run) -> ExpireResult:
    """``expire-obligations`` as a step of ``run``."""
    return expire(run)


def _result(run: Run, relation: Relation, totals: _Totals) -> ExpireResult:
    return ExpireResult(
        command="expire-obligations",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=relation.label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        updated=totals.updated,
        inferred=tuple(totals.listed["inferred"]),
        inferred_count=totals.counted["inferred"],
        overdue=tuple(totals.listed["overdue"]),
        overdue_count=totals.counted["overdue"],
        reinstated=tuple(totals.listed["reinstated"]),
        reinstated_count=totals.counted["reinstated"],
        ambiguous=tuple(totals.listed["ambiguous"]),
        ambiguous_count=totals.counted["ambiguous"],
        undated=totals.undated,
        problems=tuple(totals.listed["problems"]),
        problem_count=totals.counted["problems"],
        batches=totals.batches,
        notes=_notes(relation),
    )


def _notes(relation: Relation) -> tuple[str, ...]:
    if projection.has_document(relation):
        return ()
    return (
        f"{relation.label} has no column data (json or jsonb): deadlines are read and stored, but nothing "
        "can be marked overdue or settled. ALTER TABLE ... ADD COLUMN data jsonb",
    )
