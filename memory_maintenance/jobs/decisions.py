"""``decisions list`` and ``show``: what was decided, why, and what became of it (spec 6)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs import decision_rows as rows
from memory_maintenance.jobs.single_fact import key_of, recorded
from memory_maintenance.model.decision import REQUIRED
from memory_maintenance.model.one_line import is_blank
from memory_maintenance.model.result import (
    Block,
    Column,
    Heading,
    KeyValues,
    Note,
    Result,
    Table,
)

View = Literal["open", "superseded", "all"]
VIEWS: Final[tuple[View, ...]] = ("open", "superseded", "all")

_LONGEST_CHAIN: Final = 1000
_LONGEST_CELL: Final = 60
# An event that somebody wrote by hand may be nested more deeply than JSON is read.
_MOST_BRACKETS: Final = 500


@dataclass(frozen=True, slots=True)
class Known:
    """A decision as it is stored. state: open or superseded. missing: members of data.decision, absent or
    blank. do_not_reopen: whether the database guards it. decided_at: as it is stored. problem: why data
    can't be written, or that superseded_by leads astray.
    """

    id: Any
    state: str
    do_not_reopen: bool
    key: str | None
    value: str | None
    entity_id: Any
    importance: int | None
    decided: str | None
    alternatives: tuple[str, ...] | None
    reasoning: str | None
    decided_by: str | None
    decided_at: str | None
    supersedes: Any
    superseded_by: Any
    missing: tuple[str, ...]
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsResult(Result):
    """Decisions by key. by_state: how many there are, listed or not. without_reasoning: of those listed."""

    view: str
    decisions: tuple[Known, ...]
    by_state: Mapping[str, int]
    without_reasoning: int

    def blocks(self) -> Sequence[Block]:
        counts = KeyValues(tuple((name, f"{n:,}") for name, n in self.by_state.items()))
        if not self.decisions:
            return (counts, Note("nothing to list"))
        columns = (
            Column("id"),
            Column("state"),
            Column("decided"),
            Column("reasoning"),
            Column("by"),
        )
        table = Table(columns, tuple(_cells(d) for d in self.decisions))
        notes = [Note(f"decision {d.id}: {d.problem}", "hint") for d in self.decisions if d.problem]
        if self.without_reasoning:
            notes.append(_without_reasoning(self.without_reasoning))
        return (counts, table, *notes)


@dataclass(frozen=True, slots=True)
class Link:
    """One of a chain of decisions, each superseded by the next. id: as its neighbour names it, if gone."""

    id: Any
    state: str
    decided: str | None
    decided_at: str | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event. detail: as recorded; as text where it is nested beyond reading."""

    at: datetime
    kind: str
    reason: str | None
    detail: Mapping[str, Any] | str
    recorded_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowResult(Result):
    """A decision with its history. chain: oldest first, itself among them. events: oldest first."""

    decision: Known
    chain: tuple[Link, ...]
    events: tuple[Recorded, ...]

    def blocks(self) -> Sequence[Block]:
        blocks: list[Block] = [KeyValues(_rows(self.decision))]
        if self.decision.missing:
            blocks.append(Note(f"not recorded: {', '.join(self.decision.missing)}", "hint"))
        if self.decision.problem is not None:
            blocks.append(Note(f"a data problem: {self.decision.problem}", "hint"))
        if len(self.chain) > 1:
            columns = (Column("id"), Column("state"), Column("decided"), Column("at"))
            cells = tuple(
                (str(c.id), c.state, _short(c.decided), c.decided_at or "") for c in self.chain
            )
            blocks += [Heading("One superseded by the next"), Table(columns, cells)]
        if self.events:
            columns = (Column("at (UTC)"), Column("what"), Column("by"), Column("reason"))
            cells = tuple(
                (f"{e.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}", e.kind, e.recorded_by, e.reason or "")
                for e in self.events
            )
            blocks += [Heading("What was recorded"), Table(columns, cells)]
        return tuple(blocks)


def list_decisions(run: Run, view: View = "open") -> DecisionsResult:
    """Decisions of a view; run is a dry run. Raises UsageError where the table isn't migrated."""
    relation = migrated_table(run.session, run.settings)
    found = [known(relation, row) for row in rows.all_decisions(run.session, relation)]
    chosen = tuple(d for d in found if view in ("all", d.state))
    counted = Counter(d.state for d in found)
    return DecisionsResult(
        command="decisions-list",
        as_of=run.as_of,
        table=relation.label,
        duration_s=run.duration_s,
        view=view,
        decisions=chosen,
        by_state={state: counted[state] for state in ("open", "superseded")},
        without_reasoning=sum("reasoning" in d.missing for d in chosen),
    )


def show(run: Run, fact: str) -> ShowResult:
    """A decision and its history; run is a dry run. fact: its key. Raises UsageError where it is none."""
    session = run.session
    relation = migrated_table(session, run.settings)
    with session.facts_path(relation.schema):
        _, row = rows.decision(session, relation, fact)
        chain = _chain(session, relation, row)
    return ShowResult(
        command="decisions-show",
        as_of=run.as_of,
        table=relation.label,
        duration_s=run.duration_s,
        decision=known(relation, row),
        chain=chain,
        events=_events(session, relation, row.key),
    )


def known(relation: Relation, row: rows.Row) -> Known:
    """A row for people and programs."""
    members = {
        "decided": row.decided,
        "alternatives": row.alternatives,
        "reasoning": row.reasoning,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
    }
    return Known(
        id=row.key,
        state=_state_of(row),
        do_not_reopen=row.do_not_reopen,
        key=row.name,
        value=row.value,
        entity_id=row.entity_id,
        importance=row.importance,
        decided=row.decided,
        alternatives=None if row.alternatives is None else tuple(row.alternatives),
        reasoning=row.reasoning,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        supersedes=rows.link(relation, row.supersedes),
        superseded_by=rows.link(relation, row.superseded_by),
        missing=tuple(name for name in REQUIRED if _is_absent(members[name])),
        problem=row.problem or (rows.ASTRAY if _is_astray(row) else None),
    )


def _is_absent(member: str | Sequence[str] | None) -> bool:
    # An empty list of alternatives says that there were none.
    return member is None or (isinstance(member, str) and is_blank(member))


def _state_of(row: rows.Row) -> str:
    return "superseded" if row.superseded else "open"


def _is_astray(row: rows.Row) -> bool:
    return row.superseded_by is not None and not row.superseded


def _chain(session: Session, relation: Relation, row: rows.Row) -> tuple[Link, ...]:
    """The decisions before and after one. A link that leads in a circle ends there."""
    seen = {str(row.key)}
    older = _follow(session, relation, row, "supersedes", seen)
    newer = _follow(session, relation, row, "superseded_by", seen)
    return (*reversed(older), _link_of(row), *newer)


def _follow(
    session: Session,
    relation: Relation,
    row: rows.Row,
    member: Literal["supersedes", "superseded_by"],
    seen: set[str],
) -> list[Link]:
    found: list[Link] = []
    kind = relation.columns[relation.key].type
    while len(found) < _LONGEST_CHAIN:
        text = row.supersedes if member == "supersedes" else row.superseded_by
        if text is None:
            break
        key = key_of(kind, text)
        if str(key) in seen:
            break
        after = None if key is None else rows.one(session, relation, key)
        if after is None:
            found.append(Link(rows.link(relation, text), "gone", None, None))
            break
        seen.add(str(key))
        found.append(_link_of(after))
        row = after
    return found


def _link_of(row: rows.Row) -> Link:
    return Link(row.key, _state_of(row), row.decided or row.value, row.decided_at)


def _events(session: Session, relation: Relation, key: Any) -> tuple[Recorded, ...]:
    return tuple(
        Recorded(e.at, e.kind, e.reason, _detail(e.detail), e.recorded_by)
        for e in recorded(session, relation, key)
    )


def _detail(text: str) -> Mapping[str, Any] | str:
    if text.count("{") + text.count("[") > _MOST_BRACKETS:
        return text
    found = json.loads(text)
    return found if isinstance(found, dict) else text


def _without_reasoning(count: int) -> Note:
    whose = "1 decision has" if count == 1 else f"{count:,} decisions have"
    return Note(
        f"{whose} no reasoning: whoever meets them can't tell whether they still hold; "
        "supersede them by ones that say why",
        "hint",
    )


def _cells(d: Known) -> tuple[str, ...]:
    state = d.state if d.do_not_reopen or d.state == "superseded" else "open, not guarded"
    if d.state == "superseded":
        state = f"{state} by {d.superseded_by}"
    if d.problem is not None:
        state = f"{state}, see below"
    reasoning = "(missing)" if "reasoning" in d.missing else _short(d.reasoning)
    return (str(d.id), state, _short(d.decided or d.value), reasoning, _short(d.decided_by))


def _rows(d: Known) -> tuple[tuple[str, str], ...]:
    shown = (
        ("fact", str(d.id)),
        ("state", f"{d.state} by {d.superseded_by}" if d.state == "superseded" else d.state),
        ("do not reopen", "yes" if d.do_not_reopen else "no"),
        ("key", d.key),
        ("value", d.value),
        ("decided", d.decided),
        ("alternatives", None if d.alternatives is None else "; ".join(d.alternatives) or "none"),
        ("reasoning", d.reasoning),
        ("decided by", d.decided_by),
        ("decided at", d.decided_at),
        ("entity", None if d.entity_id is None else str(d.entity_id)),
        ("importance", None if d.importance is None else str(d.importance)),
        ("supersedes", None if d.supersedes is None else str(d.supersedes)),
    )
    return tuple((name, text) for name, text in shown if text is not None)


def _short(text: str | None) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= _LONGEST_CELL else line[: _LONGEST_CELL - 1] + "…"
