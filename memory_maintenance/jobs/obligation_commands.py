"""``obligations``: what is due and when, and what one says of a single one (spec 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.engine import retry
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.jobs.obligation_rows import (
    Change,
    Obligation,
    parameters,
    require_events,
    require_expires,
    state,
    write,
)
from memory_maintenance.jobs.single_fact import fact_key, no_fact
from memory_maintenance.model.deadlines import Ambiguous, Nothing, Reading, read_deadline
from memory_maintenance.model.instants import instant, iso
from memory_maintenance.model.obligations import Event, Origin
from memory_maintenance.model.result import Block, Column, KeyValues, Note, Result, Table

View = Literal["upcoming", "overdue", "undated", "ambiguous", "settled"]
VIEWS: Final[tuple[View, ...]] = ("overdue", "upcoming", "ambiguous", "undated", "settled")
Settling = Literal["done", "cancelled", "missed"]

_LONGEST_VALUE: Final = 60
_LIST: Final = "memory-maintenance obligations list"
_NO_COLUMN: Final = "ALTER TABLE ... ADD COLUMN data jsonb"


@dataclass(frozen=True, slots=True)
class Listed:
    """An obligation at an instant. state: overdue, upcoming, ambiguous, undated, settled or problem.

    status: what is stored; a deadline that has passed is overdue whether or not a run has marked it.
    deadline: stored, or what the next expire-obligations would store, and then inferred is true. due_in_s:
    seconds, negative once it has passed. why: how it was read, or why it wasn't.
    """

    id: Any
    state: str
    status: str
    deadline: datetime | None
    inferred: bool
    due_in_s: float | None
    settled_at: str | None
    source: str | None
    text: str | None
    value: str | None
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListResult(Result):
    """Obligations, overdue ones first. counts: by state, of all whatever is listed."""

    view: str | None
    due_within_s: float | None
    obligations: tuple[Listed, ...]
    by_state: Mapping[str, int]

    def blocks(self) -> Sequence[Block]:
        counts = KeyValues(tuple((name, f"{n:,}") for name, n in self.by_state.items()))
        tables = [
            Table(
                (Column("id"), Column("due"), Column("", "right"), Column("what")),
                tuple(_cells(o) for o in self.obligations if o.state == state),
                title=state,
            )
            for state in (*VIEWS, "problem")
            if any(o.state == state for o in self.obligations)
        ]
        if not self.obligations:
            return (counts, Note("nothing to list"))
        return (counts, *tables)


@dataclass(frozen=True, slots=True)
class Standing:
    """How an obligation stands. status: open, overdue, done, cancelled or missed."""

    status: str
    deadline: datetime | None
    settled_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeResult(Result):
    """What a command did to one obligation. changed: false where it stood like that already."""

    id: Any
    changed: bool
    before: Standing
    after: Standing
    reading: str | None = None

    def blocks(self) -> Sequence[Block]:
        rows = [
            ("fact", str(self.id)),
            ("status", _arrow(self.before.status, self.after.status)),
            ("deadline", _arrow(_shown(self.before.deadline), _shown(self.after.deadline))),
        ]
        if self.reading is not None:
            rows.append(("read as", self.reading))
        blocks: list[Block] = [KeyValues(tuple(rows))]
        if not self.changed:
            blocks.append(Note("nothing was changed: it stands like that already", "hint"))
        return tuple(blocks)


def list_obligations(
    run: Run, view: View | None = None, due_within: timedelta | None = None
) -> ListResult:
    """Obligations at ``run.as_of``, of one view, or all that aren't settled; run is a dry run.

    due_within: only those whose deadline comes no later than so long after.
    """
    session = run.session
    relation = _table(session, run.settings)
    fragment = state(session, relation)
    statement = session.statement(
        "obligations/list",
        state=fragment,
        key=relation.key_identifier,
        expires=projection.column_instant(session, relation, "expires"),
    )
    with session.facts_path(relation.schema):
        rows = session.fetch(Obligation, statement, parameters(session, run.as_of))
    found = [_listed(row, run) for row in rows]
    wanted: str | None = "upcoming" if view is None and due_within is not None else view
    until = None if due_within is None else run.as_of + due_within
    chosen = [
        o
        for o in found
        if (o.state == wanted if wanted is not None else o.state != "settled")
        and (until is None or (o.deadline is not None and o.deadline <= until))
    ]
    order = {name: place for place, name in enumerate((*VIEWS, "problem"))}
    # Stable: within a state they stay in the order of deadlines, but for those yet to be stored.
    chosen.sort(key=lambda o: (order[o.state], -(o.due_in_s is not None), o.due_in_s or 0.0))
    counted = Counter(o.state for o in found)
    return ListResult(
        command="obligations-list",
        as_of=run.as_of,
        table=relation.label,
        duration_s=run.duration_s,
        view=wanted,
        due_within_s=None if due_within is None else due_within.total_seconds(),
        obligations=tuple(chosen),
        by_state={name: counted[name] for name in order if counted[name] or name != "problem"},
    )


def settle(
    session: Session,
    settings: Settings,
    fact: str,
    status: Settling,
    *,
    as_of: datetime,
    reason: str | None = None,
) -> ChangeResult:
    """Says that an obligation is done, cancelled or missed; one that is so already stays as it is."""

    def decide(row: Obligation) -> Change | None:
        if row.status == status:
            return None
        members = {"status": status, "settled_at": iso(as_of)}
        return _change(
            row,
            f"obligation-{status}",
            deadline=None,
            members=members,
            drop=("overdue_at",),
            reason=reason,
        )

    return _carry_out(
        session, settings, fact, command=_COMMANDS[status], as_of=as_of, decide=decide
    )


def set_deadline(
    session: Session,
    settings: Settings,
    fact: str,
    when: str,
    *,
    as_of: datetime,
    later: bool = False,
    reason: str | None = None,
) -> ChangeResult:
    """Gives an obligation a deadline. when: read as in facts, counted from as_of. later: it is a snooze,
    which moves it later and never earlier."""
    read = _read(when, settings, as_of)
    deadline = iso(read.deadline_at)

    def decide(row: Obligation) -> Change | None:
        if row.settled:
            raise UsageError(f"fact {fact} is {row.status}: there is no deadline to move")
        if row.deadline == deadline:
            return None
        old = instant(row.deadline)
        if later:
            _require_later(fact, read.deadline_at, old, as_of)
        members = {"deadline_source": "set", "deadline_text": when}
        undone = row.status == "overdue" and read.deadline_at > as_of
        kind = "obligation-snoozed" if later else "deadline-set"
        drop = ("status", "overdue_at") if undone else ()
        return _change(
            row,
            kind,
            deadline=deadline,
            members=members,
            drop=drop,
            reason=reason,
            reinstated=undone,
        )

    command = "obligations-snooze" if later else "obligations-set-deadline"
    return _carry_out(
        session, settings, fact, command=command, as_of=as_of, decide=decide, reading=read.why
    )


_COMMANDS: Final = {
    "done": "obligations-done",
    "cancelled": "obligations-cancel",
    "missed": "obligations-missed",
}


def _require_later(fact: str, new: datetime, old: datetime | None, as_of: datetime) -> None:
    if old is not None and new <= old:
        raise UsageError(
            f"{iso(new)} is not later than the deadline of fact {fact}, {iso(old)}",
            remedy="memory-maintenance obligations set-deadline moves it earlier",
        )
    if new <= as_of:
        raise UsageError(f"{iso(new)} has passed already", remedy="name an instant to come")


def _read(when: str, settings: Settings, as_of: datetime) -> Reading:
    found = read_deadline(
        when,
        learned_at=as_of,
        zone=ZoneInfo(settings.timezone),
        day_order=settings.obligation.day_order,
    )
    advice = "write it like 2026-05-16T05:00:00Z, 2026-05-15 or 'May 15 3pm'"
    match found:
        case Reading():
            return found
        case Ambiguous(readings=()):
            raise UsageError(f"{when!r} is ambiguous: {found.why}", remedy=advice)
        case Ambiguous():
            either = " or ".join(map(iso, found.readings))
            raise UsageError(
                f"{when!r} is ambiguous: {found.why}; it may mean {either}", remedy=advice
            )
        case Nothing():
            raise UsageError(f"{when!r} says no date", remedy=advice)


def _carry_out(
    session: Session,
    settings: Settings,
    fact: str,
    *,
    command: str,
    as_of: datetime,
    decide: Callable[[Obligation], Change | None],
    reading: str | None = None,
) -> ChangeResult:
    """One obligation, locked, decided about and written, in a transaction of its own."""
    relation = _table(session, settings)
    if not projection.has_document(relation):
        raise UsageError(
            f"{relation.label} has no column data of type json or jsonb, where this is kept",
            remedy=_NO_COLUMN,
        )
    if not relation.can_update:
        raise Denied(
            f"role {session.server.role} may not update {relation.label}",
            remedy=f"GRANT SELECT, UPDATE ON {relation.qualified} TO that role",
        )
    require_events(session)
    key = fact_key(relation, fact, remedy=_LIST)
    slots = projection.slots(relation)
    one = session.statement(
        "obligations/one",
        state=state(session, relation),
        key=slots["key"],
        key_type=slots["key_type"],
    )
    params = parameters(session, as_of)

    def work() -> tuple[Obligation, Change | None]:
        rows = session.fetch(Obligation, one, {**params, "fact": key})
        if not rows:
            raise no_fact(relation, fact, remedy=_LIST)
        row = _obligation(rows[0], fact)
        change = decide(row)
        write(session, relation, [] if change is None else [change], params)
        return row, change

    with translated(session.target.scrub):
        row, change = retry.transaction(
            session, work, reconnect=session.reconnect, facts_in=relation.schema
        )
    before = Standing(row.status, instant(row.deadline), row.text("settled_at"))
    return ChangeResult(
        command=command,
        as_of=as_of,
        table=relation.label,
        id=row.key,
        changed=change is not None,
        before=before,
        after=before if change is None else _after(row, change),
        reading=reading,
    )


def _obligation(row: Obligation, fact: str) -> Obligation:
    if row.category != "obligation":
        raise UsageError(f"fact {fact} is no obligation: its category is {row.category}")
    if row.problem is not None:
        raise UsageError(f"fact {fact} has a data problem: {row.problem}", remedy="mend it first")
    return row


def _change(
    row: Obligation,
    kind: str,
    *,
    deadline: str | None,
    members: Mapping[str, str],
    drop: Sequence[str],
    reason: str | None,
    reinstated: bool = False,
) -> Change:
    old = dict(row.obligation or {})
    new = {k: v for k, v in old.items() if k not in drop} | dict(members)
    detail = {
        "before": {"deadline": row.deadline, "obligation": old},
        "after": {"deadline": deadline or row.deadline, "obligation": new},
    }
    reason = (reason or "").strip() or None
    events = [Event(kind, detail, reason)]
    if reinstated:
        events.append(Event("obligation-reinstated", {"deadline": deadline, **detail}, reason))
    return Change(row.key, row.version, deadline, members, drop, events)


def _after(row: Obligation, change: Change) -> Standing:
    kept = {k: v for k, v in (row.obligation or {}).items() if k not in change.drop}
    known = {**kept, **change.set}
    return Standing(
        known.get("status") or "open",
        instant(change.deadline or row.deadline),
        known.get("settled_at"),
    )


def _listed(row: Obligation, run: Run) -> Listed:
    deadline, why, inferred = instant(row.deadline), None, False
    source, text = row.text("deadline_source"), row.text("deadline_text")
    name = "undated"
    if row.problem is not None:
        name, why = "problem", row.problem
    elif row.settled:
        name = "settled"
    elif row.deadline is not None:
        name = "overdue" if row.past else "upcoming"
    elif row.undated:
        read = row.infer(run.settings)
        if isinstance(read, Origin):
            deadline, source, text = read.reading.deadline_at, read.source, read.reading.text
            why, inferred = read.reading.why, True
            name = "overdue" if deadline <= run.as_of else "upcoming"
        elif isinstance(read, Ambiguous):
            name, why = "ambiguous", read.why
    return Listed(
        id=row.key,
        state=name,
        status=row.status,
        deadline=deadline,
        inferred=inferred,
        due_in_s=None if deadline is None else (deadline - run.as_of).total_seconds(),
        settled_at=row.text("settled_at"),
        source=source,
        text=text,
        value=row.value,
        why=why,
    )


def _table(session: Session, settings: Settings) -> Relation:
    """The table, found fit to hold obligations."""
    relation = migrated_table(session, settings)
    require_expires(relation)
    return relation


def _arrow(before: str, after: str) -> str:
    return after if before == after else f"{before or 'none'} -> {after or 'none'}"


def _shown(at: datetime | None) -> str:
    return "" if at is None else iso(at)


def _cells(o: Listed) -> tuple[str, ...]:
    what = " ".join((o.value or "").split())
    if len(what) > _LONGEST_VALUE:
        what = what[: _LONGEST_VALUE - 1] + "…"
    if o.state in ("ambiguous", "problem"):
        what = f"{what} ({o.why})"
    due = o.settled_at or "" if o.state == "settled" else _shown(o.deadline)
    return (str(o.id), due, _span(o), what)


def _span(o: Listed) -> str:
    if o.state == "settled":
        return o.status
    if o.due_in_s is None:
        return ""
    size = abs(o.due_in_s)
    amount = f"{size / 86400:.0f} d" if size >= 2 * 86400 else f"{size / 3600:.1f} h"
    return f"in {amount}" if o.due_in_s > 0 else f"{amount} ago"
