"""Section obligations: what is due, what is overdue, and what nobody knows the deadline of (spec 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from memory_maintenance.database import projection
from memory_maintenance.jobs.obligation_rows import Obligation, parameters, state
from memory_maintenance.jobs.report.scope import Scope, id_notes, shortened, span
from memory_maintenance.model.deadlines import Ambiguous
from memory_maintenance.model.instants import instant
from memory_maintenance.model.obligations import SETTLED, Origin
from memory_maintenance.model.result import Block, Column, Heading, KeyValues, Note, Table

SOON: Final = timedelta(days=14)
_SHOWN: Final = 5
_LONGEST: Final = 60
_LINE: Final = 44
_PAGE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Due:
    """An obligation and its deadline. due_in_s: seconds, negative once it has passed. inferred: read from its
    text, not stored yet. value: the beginning of its text.
    """

    id: Any
    deadline: datetime | None
    due_in_s: float | None
    inferred: bool
    value: str | None


@dataclass(frozen=True, slots=True)
class Obligations:
    """upcoming: all whose deadline is to come, with those within ``due_within_s``, which ``due_soon`` counts.
    ambiguous: whose text can be read in several ways. undated: without a deadline anywhere. inferred: of
    those upcoming or overdue, whose deadline the next ``expire-obligations`` will store. longest_overdue,
    next: the first five. ids: by the name of the count; None unless they were asked for.
    """

    due_within_s: float
    overdue: int
    due_soon: int
    upcoming: int
    ambiguous: int
    undated: int
    inferred: int
    settled: Mapping[str, int]
    problems: int
    longest_overdue: tuple[Due, ...]
    next: tuple[Due, ...]
    ids: Mapping[str, tuple[Any, ...]] | None

    def brief(self) -> Sequence[tuple[str, str]]:
        """What is overdue, and due soon."""
        if not self._any:
            return ()
        soon = f"{self.due_soon:,} due within {span(self.due_within_s)}"
        return (("obligations", f"{self.overdue:,} overdue, {soon}"),)

    def blocks(self) -> Sequence[Block]:
        """Counts, then what is overdue and what is next."""
        heading = Heading("Obligations")
        if not self._any:
            return (heading, Note("none"))
        counts = [
            ("overdue", f"{self.overdue:,}"),
            (f"due within {span(self.due_within_s)}", f"{self.due_soon:,}"),
            ("upcoming in all", f"{self.upcoming:,}"),
            ("ambiguous", f"{self.ambiguous:,}"),
            ("undated", f"{self.undated:,}"),
            ("settled", ", ".join(f"{n:,} {name}" for name, n in self.settled.items())),
        ]
        if self.inferred:
            counts.append(("not stored yet", f"{self.inferred:,} deadlines read from the text"))
        if self.problems:
            counts.append(("data problems", f"{self.problems:,}"))
        named = [
            (name.replace("_", " "), self._count(name), ids)
            for name, ids in (self.ids or {}).items()
        ]
        tables = [
            Table(
                (Column("id"), Column("deadline (UTC)"), Column("due", "right"), Column("what")),
                rows,
                title,
            )
            for title, rows in (
                ("Longest overdue", tuple(map(_cells, self.longest_overdue))),
                ("Next", tuple(map(_cells, self.next))),
            )
            if rows
        ]
        return (heading, KeyValues(tuple(counts)), *id_notes(named), *tables)

    @property
    def _any(self) -> bool:
        open_ones = self.overdue + self.upcoming + self.ambiguous + self.undated + self.problems
        return bool(open_ones + sum(self.settled.values()))

    def _count(self, name: str) -> int:
        if name in self.settled:
            return self.settled[name]
        count: int = getattr(self, name)
        return count


@dataclass(frozen=True, slots=True)
class _Row:
    state: str
    facts: int
    keys: Sequence[Any] | None
    next: Sequence[Any] | None
    deadlines: Sequence[str | None] | None
    values: Sequence[str | None] | None


@dataclass(slots=True)
class _Counts:
    """Counts, keys and deadlines by state, while they are gathered."""

    as_of: datetime
    listed: int
    facts: dict[str, int] = field(default_factory=dict)
    keys: dict[str, list[Any]] = field(default_factory=dict)
    due: dict[str, list[Due]] = field(default_factory=dict)
    inferred: int = 0

    def stored(self, row: _Row) -> None:
        """What the statement has counted."""
        self.facts[row.state] = row.facts
        self.keys[row.state] = list(row.keys or ())
        for key, deadline, value in zip(
            row.next or (), row.deadlines or (), row.values or (), strict=True
        ):
            at = instant(deadline)
            if at is not None:
                self._note(row.state, Due(key, at, (at - self.as_of).total_seconds(), False, value))

    def read(self, row: Obligation, found: object) -> None:
        """An obligation whose deadline stands in its text, if anywhere. found: what it was read as."""
        name = "undated"
        if isinstance(found, Origin):
            at = found.reading.deadline_at
            name = _when(at, self.as_of)
            value = None if row.value is None else row.value[:_LONGEST]
            self.inferred += 1
            self._note(name, Due(row.key, at, (at - self.as_of).total_seconds(), True, value))
        elif isinstance(found, Ambiguous):
            name = "ambiguous"
        self.facts[name] = self.facts.get(name, 0) + 1
        keys = self.keys.setdefault(name, [])
        if (
            len(keys) < 2 * self.listed
        ):  # those that were stored, and as many again, in the order of keys
            keys.append(row.key)

    def first(self, *states: str) -> tuple[Due, ...]:
        """The first few by deadline."""
        found = [due for state in states for due in self.due.get(state, ())]
        return tuple(sorted(found, key=_by_deadline)[:_SHOWN])

    def first_keys(self, *states: str) -> tuple[Any, ...]:
        """The first keys of some states."""
        return tuple(
            sorted(key for state in states for key in self.keys.get(state, ()))[: self.listed]
        )

    def _note(self, state: str, due: Due) -> None:
        self.due[state] = sorted([*self.due.get(state, ()), due], key=_by_deadline)[:_SHOWN]


def collect(scope: Scope) -> Obligations:
    """Counts at the report's instant."""
    run, relation = scope.run, scope.relation
    expires = projection.column_instant(run.session, relation, "expires")
    fragment = state(run.session, relation)
    params = {**parameters(run.session, run.as_of), "soon_s": SOON.total_seconds()}
    found = scope.rows(
        _Row,
        "report/obligations",
        slots={
            "state": fragment,
            "facts": relation.identifier,
            "key": relation.key_identifier,
            "expires": expires,
        },
        **params,
        listed=scope.listed,
        next=_SHOWN,
        shown=_LONGEST,
    )
    counts = _Counts(run.as_of, scope.listed)
    unread = 0
    for row in found:
        if row.state == "unread":
            unread = row.facts
        else:
            counts.stored(row)
    for obligation in _unread(scope) if unread else ():
        counts.read(obligation, obligation.infer(run.settings))
    return _obligations(scope, counts)


def _obligations(scope: Scope, counts: _Counts) -> Obligations:
    facts = {
        name: counts.facts.get(name, 0) for name in ("overdue", "due_soon", "ambiguous", "undated")
    }
    ids = {name: counts.first_keys(name) for name in (*facts, *SETTLED)}
    ids["upcoming"] = counts.first_keys("due_soon", "upcoming")
    ids["problems"] = counts.first_keys("problem")
    return Obligations(
        due_within_s=SOON.total_seconds(),
        upcoming=facts["due_soon"] + counts.facts.get("upcoming", 0),
        inferred=counts.inferred,
        settled={name: counts.facts.get(name, 0) for name in SETTLED},
        problems=counts.facts.get("problem", 0),
        longest_overdue=counts.first("overdue"),
        next=counts.first("due_soon", "upcoming"),
        ids=ids if scope.options.show_ids else None,
        **facts,
    )


def _unread(scope: Scope) -> Iterator[Obligation]:
    """Those without a deadline that aren't settled, a page at a time."""
    run, relation = scope.run, scope.relation
    statement_slots = {
        "state": state(run.session, relation),
        "key": relation.key_identifier,
        "key_type": relation.key_type,
        "expires": projection.column_instant(run.session, relation, "expires"),
    }
    params = parameters(run.session, run.as_of)
    after = None
    while True:
        page = scope.rows(
            Obligation,
            "report/obligations_unread",
            slots=statement_slots,
            **params,
            after=after,
            rows=_PAGE,
        )
        yield from (row for row in page if row.problem is None and not row.settled and row.undated)
        if len(page) < _PAGE:
            return
        after = page[-1].key


def _when(deadline: datetime, as_of: datetime) -> str:
    if deadline <= as_of:
        return "overdue"
    return "due_soon" if deadline <= as_of + SOON else "upcoming"


def _by_deadline(due: Due) -> tuple[datetime, Any]:
    assert due.deadline is not None
    return (due.deadline, due.id)


def _cells(due: Due) -> tuple[str, ...]:
    assert due.deadline is not None
    assert due.due_in_s is not None
    away = span(abs(due.due_in_s))
    when = f"{away} ago" if due.due_in_s < 0 else f"in {away}" if due.due_in_s else "now"
    what = shortened(due.value or "", _LINE)
    shown = f"{due.deadline:%Y-%m-%d %H:%M}" + ("*" if due.inferred else "")
    return (str(due.id), shown, when, what)
