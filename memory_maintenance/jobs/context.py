"""``context``: what an agent needs before it speaks (spec 4 to 7). Reads only, and records no access."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.decay import instant, preflight
from memory_maintenance.jobs.decision_rows import ASTRAY, entity_column, superseded, text_column
from memory_maintenance.jobs.privacy import PUBLIC, entity_key, told
from memory_maintenance.model.instants import iso
from memory_maintenance.model.one_line import escaped_markdown, is_blank, one_line
from memory_maintenance.model.result import Block, Code, Result

SECTIONS: Final[Mapping[str, str]] = {
    "decisions": "Decisions",
    "overdue": "Overdue obligations",
    "upcoming": "Upcoming obligations",
    "current": "States and moods",
}
"""Key of a section and its heading, in the order in which they stand."""

_NOUNS: Final = {
    "decisions": "decisions",
    "overdue": "overdue",
    "upcoming": "upcoming",
    "current": "states and moods",
}
_LONGEST: Final = {"key": 60, "value": 280, "reasoning": 280, "name": 60, "alternative": 80}
_ALTERNATIVES: Final = 4
# No item takes less in either format, so that no more of them than this can ever fit.
_SHORTEST_ITEM: Final = 8
# Room for what one_line takes away.
_READ: Final = 1000


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """max_chars: of all that is printed, >= 1. due_within: how far ahead obligations count. entity: whom the
    facts are about, viewer: who will read them: keys as text. include_private: whatever their privacy."""

    max_chars: int = 4000
    due_within: timedelta = timedelta(days=14)
    entity: str | None = None
    viewer: str | None = None
    include_private: bool = False


@dataclass(frozen=True, slots=True)
class DecisionItem:
    """A decision that holds. decided: the value where data.decision doesn't say. Texts are one line each, and
    shortened. problem: what is wrong with its links."""

    id: Any
    key: str
    decided: str
    reasoning: str | None
    alternatives: tuple[str, ...]
    decided_by: str | None
    decided_at: str | None
    do_not_reopen: bool
    entity_id: Any
    importance: int
    problem: str | None = None

    def line(self) -> str:
        """As markdown."""
        parts = [f"{_head(self.id, self.entity_id)} {_named(self.key, self.decided)}"]
        parts.append(f"Why: {escaped_markdown(self.reasoning)}" if self.reasoning else "Why: ?")
        if self.alternatives:
            parts.append(f"Not: {'; '.join(map(escaped_markdown, self.alternatives))}")
        who = [escaped_markdown(t) for t in (self.decided_by, self.decided_at) if t]
        if not self.do_not_reopen:
            who.append("open to change")
        if self.problem is not None:
            who.append(escaped_markdown(self.problem))
        return " — ".join(parts) + (f" ({', '.join(who)})" if who else "")


@dataclass(frozen=True, slots=True)
class ObligationItem:
    """An obligation with a deadline. due_in_s: seconds, negative once it has passed."""

    id: Any
    key: str
    value: str
    deadline: datetime
    due_in_s: float
    entity_id: Any
    importance: int

    def line(self) -> str:
        """As markdown."""
        due = f"due {iso(self.deadline)}, {_span(self.due_in_s)}"
        return f"{_head(self.id, self.entity_id)} {_named(self.key, self.value)} ({due})"


@dataclass(frozen=True, slots=True)
class CurrentItem:
    """A state or mood that is still alive. confidence: 0 to 1, at the instant."""

    id: Any
    key: str
    value: str
    confidence: float
    entity_id: Any
    importance: int

    def line(self) -> str:
        """As markdown."""
        what = f"{_head(self.id, self.entity_id)} {_named(self.key, self.value)}"
        return f"{what} (confidence {self.confidence:.2f})"


Item = DecisionItem | ObligationItem | CurrentItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextResult(Result):
    """What stands, the most important first in each section. left_out: what didn't fit, by section, none of
    it more important than what is there. duration_s is 0: the same facts at the same instant give the same
    bytes."""

    max_chars: int
    due_within_s: float
    entity: str | None
    viewer: str | None
    include_private: bool
    decisions: tuple[DecisionItem, ...] = ()
    overdue: tuple[ObligationItem, ...] = ()
    upcoming: tuple[ObligationItem, ...] = ()
    current: tuple[CurrentItem, ...] = ()
    left_out: Mapping[str, int]

    def blocks(self) -> Sequence[Block]:
        return (Code(self.markdown(), "markdown"),)

    def markdown(self) -> str:
        """The whole as a document."""
        assert self.as_of is not None
        lines = [f"# What stands at {iso(self.as_of)}"]
        for name, heading in SECTIONS.items():
            items: tuple[Item, ...] = getattr(self, name)
            if items:
                lines += ["", f"## {heading}", "", *(f"- {item.line()}" for item in items)]
        left = [f"{count:,} {_NOUNS[name]}" for name, count in self.left_out.items() if count]
        if left:
            lines += ["", f"Left out for want of room: {', '.join(left)}."]
        elif len(lines) == 1:
            lines += ["", "Nothing."]
        return "\n".join(lines)


Measure = Callable[[ContextResult], int]
"""How many characters a result takes as it will be printed."""


@dataclass(frozen=True, slots=True)
class _Row:
    section: str
    id: Any
    name: str | None
    value: str | None
    entity_id: Any
    importance: int
    confidence: float | None
    deadline: datetime | None
    decided: str | None
    reasoning: str | None
    decided_by: str | None
    decided_at: str | None
    alternatives: Sequence[str]
    do_not_reopen: bool
    astray: bool
    decisions: int
    overdue: int
    upcoming: int
    current: int


def context(run: Run, options: ContextOptions, measure: Measure) -> ContextResult:
    """What stands at ``run.as_of``, as much of it as fits; run is a dry run, whose snapshot is read-only.

    What is left out is never more important than what is there. Raises UsageError where the table isn't
    migrated, or not even an empty result would fit.
    """
    relation = preflight(run)
    rows = _rows(run, relation, options)
    totals = {name: getattr(rows[0], name) if rows else 0 for name in SECTIONS}
    empty = ContextResult(
        command="context",
        as_of=run.as_of,
        table=relation.label,
        max_chars=options.max_chars,
        due_within_s=options.due_within.total_seconds(),
        entity=options.entity,
        viewer=options.viewer,
        include_private=options.include_private,
        left_out=totals,
    )
    items = [(row.section, _item(row, run.as_of)) for row in rows]
    return _fitting(empty, items, totals, measure)


def _fitting(
    empty: ContextResult,
    items: Sequence[tuple[str, Item]],
    totals: Mapping[str, int],
    measure: Measure,
) -> ContextResult:
    """The longest beginning of items that fits. An item takes more than a lower count of the rest saves."""

    def with_first(count: int) -> ContextResult:
        chosen: dict[str, Any] = {
            name: tuple(item for section, item in items[:count] if section == name)
            for name in SECTIONS
        }
        left = {name: totals[name] - len(chosen[name]) for name in SECTIONS}
        return replace(empty, **chosen, left_out=left)

    # All of them may fit where one less doesn't: nothing need be said of what is left out then.
    whole = with_first(len(items))
    if measure(whole) <= empty.max_chars:
        return whole
    fits, too_many = 0, len(items)
    least = with_first(0)
    if (needed := measure(least)) > empty.max_chars:
        # In JSON the limit itself is shown, and a longer one takes more.
        needed = measure(replace(least, max_chars=needed * 10))
        raise UsageError(
            f"{empty.max_chars:,} characters hold nothing in this format",
            remedy=f"--max-chars {needed} or more",
        )
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if measure(with_first(middle)) <= empty.max_chars:
            fits = middle
        else:
            too_many = middle
    return with_first(fits)


def _rows(run: Run, relation: Relation, options: ContextOptions) -> list[_Row]:
    session = run.session
    table = projection.policy_table(run.settings)
    params = projection.parameters(
        run.settings, table, instant(run), zone=session.zoneless_timezone
    )
    statement = session.statement(
        "context/items",
        projected=projection.projection(session, relation, _reading(session, relation)),
        facts=relation.identifier,
        key=relation.key_identifier,
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
        entity=entity_column(relation),
        document=projection.document_of(session, relation),
    )
    own = {
        "entity": entity_key(relation, options.entity, "--entity"),
        "viewer": entity_key(relation, options.viewer, "--viewer"),
        "told": list(PUBLIC),
        "include_private": options.include_private,
        "until": _until(run.as_of, options.due_within),
        "most": max(1, options.max_chars // _SHORTEST_ITEM),
        "longest": _READ,
        "alternatives": _ALTERNATIVES,
    }
    with session.facts_path(relation.schema):
        return session.fetch(_Row, statement, {**params, **own})


def _reading(session: Session, relation: Relation) -> sql.Composed:
    document = projection.document_of(session, relation)
    return session.statement(
        "context/reading",
        reading=projection.reading(session, relation),
        entity=text_column(relation, "entity_id"),
        told=told(session, relation),
        settled=session.statement("facts/settled", document=document),
        superseded=superseded(session, relation),
    )


def _until(as_of: datetime, within: timedelta) -> datetime:
    try:
        return as_of + within
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _item(row: _Row, as_of: datetime) -> Item:
    key, value = _text(row.name, "key") or "", _text(row.value, "value") or ""
    if row.section == "decisions":
        return DecisionItem(
            id=row.id,
            key=key,
            decided=_text(row.decided, "value") or value,
            reasoning=_text(row.reasoning, "reasoning"),
            alternatives=tuple(
                text for a in row.alternatives if (text := _text(a, "alternative")) is not None
            ),
            decided_by=_text(row.decided_by, "name"),
            decided_at=_text(row.decided_at, "name"),
            do_not_reopen=row.do_not_reopen,
            entity_id=row.entity_id,
            importance=row.importance,
            problem=ASTRAY if row.astray else None,
        )
    if row.section == "current":
        assert row.confidence is not None
        return CurrentItem(
            row.id, key, value, round(row.confidence, 6), row.entity_id, row.importance
        )
    assert row.deadline is not None
    deadline = row.deadline.astimezone(UTC)
    due_in_s = (deadline - as_of).total_seconds()
    return ObligationItem(row.id, key, value, deadline, due_in_s, row.entity_id, row.importance)


def _text(text: str | None, kind: str) -> str | None:
    """On one line and no longer than is fit; None for nothing."""
    return None if text is None or is_blank(text) else one_line(text, _LONGEST[kind]) or None


def _head(key: Any, entity: Any) -> str:
    about = "" if entity is None else f", entity {escaped_markdown(one_line(str(entity), 60))}"
    return f"({key}{about})"


def _named(key: str, what: str) -> str:
    key, what = escaped_markdown(key), escaped_markdown(what)
    return f"{key}: {what}" if key else what


def _span(due_in_s: float) -> str:
    size = abs(due_in_s)
    amount = f"{size / 86400:.0f} d" if size >= 2 * 86400 else f"{size / 3600:.1f} h"
    return f"in {amount}" if due_in_s > 0 else f"{amount} ago"
