"""``explain``: why a fact has the value that it has (spec 3 to 8). Reads only."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from psycopg import sql

from memory_maintenance.config.durations import format_duration
from memory_maintenance.database import projection
from memory_maintenance.database.projection import Instant
from memory_maintenance.database.relation import Relation
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs.decay import instant, preflight
from memory_maintenance.jobs.decision_rows import entity_column, text_column
from memory_maintenance.jobs.explain_course import Course, course
from memory_maintenance.jobs.explain_result import (
    Confidence,
    Event,
    ExplainResult,
    Importance,
    Pass,
    Point,
    span,
)
from memory_maintenance.jobs.single_fact import fact_key, no_fact, recorded
from memory_maintenance.model import policy
from memory_maintenance.model.curves import survival
from memory_maintenance.model.instants import instant as parsed
from memory_maintenance.model.policy import PolicyTable

# Of a name within a sentence.
_NAMED: Final = 40
_FIND: Final = "memory-maintenance report lists ids; so does psql"


@dataclass(frozen=True, slots=True)
class _Row:
    key: Any
    name: str | None
    said: str | None
    entity_id: Any
    durability: str | None
    category: str | None
    pinned: bool
    stored_confidence: float | None
    stored_effective_importance: int | None
    last_confirmed_at: str | None
    learned_at: str | None
    last_accessed_at: str | None
    access_count: int
    importance_scored_at: str | None
    expires: str | None
    past_deadline: bool
    status: str | None
    do_not_reopen: bool
    problem: str | None
    notice: str | None
    anew: bool
    base: float | None
    anchor_at: str | None
    started_at: str | None
    policy_no: int
    half_life_s: float | None
    shape: float | None
    age_s: float
    survival: float
    value: float | None
    importance: int
    update_age_s: float | None
    access_age_s: float | None
    exempt: bool
    effective_importance: int | None


@dataclass(frozen=True, slots=True)
class _At:
    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class _Pass:
    id: int
    command: str
    as_of: datetime
    passes: int


def explain(run: Run, fact: str) -> ExplainResult:
    """Why a fact has its value at ``run.as_of``; run is a dry run. fact: its key.

    Raises UsageError where there is no such fact, or the table isn't migrated.
    """
    relation = preflight(run)
    key = fact_key(relation, fact, remedy=_FIND)
    reckoned = _Reckoned(run, relation, key)
    row = reckoned.row()
    if row is None:
        raise no_fact(relation, fact, remedy=_FIND)
    found = None if row.problem is not None else reckoned.course(row)
    passes: Sequence[_Pass] = ()
    if found is not None:
        since = {"table_name": run.table, "since": row.started_at}
        passes = run.session.rows(_Pass, "explain/passes", since)
    events = recorded(run.session, relation, row.key)
    return ExplainResult(
        command="explain",
        as_of=run.as_of,
        table=relation.label,
        id=row.key,
        key=row.name,
        value=row.said,
        entity_id=row.entity_id,
        durability=row.durability,
        category=row.category,
        pinned=row.pinned,
        problem=row.problem,
        notice=row.notice,
        expires=_instant(row.expires),
        obligation_status=row.status if row.category == "obligation" else None,
        confidence=None if found is None else _confidence(row, reckoned),
        importance=None if row.problem is not None else _importance(row, run),
        crosses_threshold_at=None if found is None else found.crosses_at,
        threshold=run.settings.archive.threshold,
        archive_spares=_spared(row, run),
        guards=_guards(row),
        course=() if found is None else tuple(Point(at, v) for at, v in found.points),
        passes_since_anchor=passes[0].passes if passes else 0,
        last_passes=tuple(Pass(p.id, p.command, p.as_of) for p in passes),
        events=tuple(Event(e.at, e.kind, e.reason, e.recorded_by) for e in events),
        duration_s=run.duration_s,
    )


class _Reckoned:
    """One fact under the configuration's policy."""

    def __init__(self, run: Run, relation: Relation, key: Any) -> None:
        self.run, self.relation, self.key = run, relation, key
        self.table: PolicyTable = projection.policy_table(run.settings)
        self.at: Instant = instant(run)
        self._parameters = {
            **projection.parameters(
                run.settings, self.table, self.at, zone=run.session.zoneless_timezone
            ),
            "fact": key,
        }
        self._reading = projection.reading(run.session, relation) + sql.SQL(
            " WHERE f.{} = {}::{}"
        ).format(relation.key_identifier, sql.Placeholder("fact"), relation.key_type)

    def row(self) -> _Row | None:
        """As it is stored, and what the projection makes of it."""
        session, relation = self.run.session, self.relation
        statement = session.statement(
            "explain/fact",
            **projection.slots(relation),
            projected=projection.projection(
                session, relation, sql.SQL("({})").format(self._reading)
            ),
            name=text_column(relation, "key"),
            value=text_column(relation, "value"),
            entity=entity_column(relation),
            document=projection.document_of(session, relation),
            **{
                name: projection.column_instant(session, relation, name)
                for name in ("last_confirmed_at", "learned_at", "last_accessed_at")
            },
        )
        with session.facts_path(relation.schema):
            rows = session.fetch(_Row, statement, self._parameters)
        return rows[0] if rows else None

    def course(self, row: _Row) -> Course:
        """Its confidence over time, with base and anchor as they are at the instant."""
        session, relation = self.run.session, self.relation
        frozen = session.statement("explain/frozen", reading=self._reading)
        statement = session.statement(
            "explain/at",
            projected=projection.projection(
                session, relation, sql.SQL("({})").format(frozen), at=sql.SQL("i.as_of")
            ),
        )
        parameters = {**self._parameters, "base": row.base, "anchor_at": row.anchor_at}

        def values(instants: Sequence[datetime]) -> Sequence[float]:
            with session.facts_path(relation.schema):
                found = session.fetch(
                    _At, statement, {**parameters, "instants": list(instants)}, prepare=True
                )
            return [each.value for each in found]

        return course(
            values,
            started_at=_instant(row.started_at) or self.run.as_of,
            as_of=self.run.as_of,
            threshold=self.run.settings.archive.threshold,
            expires=_instant(row.expires),
        )


def _confidence(row: _Row, reckoned: _Reckoned) -> Confidence:
    assert row.base is not None
    assert row.value is not None
    assert row.half_life_s is not None
    assert row.shape is not None
    return Confidence(
        stored=row.stored_confidence,
        value=row.value,
        base=row.base,
        anchor_at=_instant(row.started_at),
        anchor_from=_anchor_from(row, reckoned.at),
        set_by_writer=row.anew,
        policy=reckoned.table.names[row.policy_no - 1],
        because=_why(row, reckoned.table),
        half_life_s=row.half_life_s,
        shape=row.shape,
        age_s=row.age_s,
        age_half_lives=None if math.isinf(row.half_life_s) else row.age_s / row.half_life_s,
        # What has expired counts as 0, whatever survives of it.
        survival=0.0 if row.policy_no == policy.EXPIRED else row.survival,
    )


def _anchor_from(row: _Row, at: Instant) -> str:
    """Which of the row's instants its decay counts from; a later one than now counts as now."""
    started, confirmed = _instant(row.started_at), _instant(row.last_confirmed_at)
    if started is None:
        return "as_of"
    if confirmed is not None and confirmed >= started:
        return "last_confirmed_at"
    if not row.anew:
        return "confidence_anchor_at"
    if confirmed is None and _instant(row.learned_at) == started:
        return "learned_at"
    adopted = _instant(at.adopted_at)
    return "adopted_at" if adopted is not None and adopted >= started else "as_of"


def _why(row: _Row, table: PolicyTable) -> str:
    grace = timedelta(seconds=table.grace_s)
    later = "from its deadline on" + (f", {format_duration(grace)} of grace added" if grace else "")
    if row.policy_no == policy.ROW_RATE:
        if row.half_life_s in (None, math.inf):
            return "its own decay_rate: it never decays"
        rate = f"its own decay_rate: half-life {span(row.half_life_s or 0.0)}"
        return f"{rate} {later}" if row.past_deadline else rate
    curve = _said(row.half_life_s, row.shape)
    match row.policy_no:
        case policy.PINNED:
            return "it is pinned: nothing of it fades"
        case policy.EXPIRED:
            return "its expires has passed, and it is no obligation: it counts as 0"
        case policy.AFTER_DEADLINE:
            return f"an obligation past its deadline: {curve} {later}"
    if row.policy_no <= table.first_category:
        category = row.category or ""
        if len(category) > _NAMED:
            category = f"{category[:_NAMED]}..."
        return (
            f"no policy for category {category!r}, so that of durability {row.durability}: {curve}"
        )
    if row.category == "obligation" and row.half_life_s == math.inf:
        return "an obligation that is not past its deadline: it doesn't decay"
    return f"category {row.category} has a policy of its own, whatever the durability: {curve}"


def _said(half_life_s: float | None, shape: float | None) -> str:
    if half_life_s is None or half_life_s == math.inf:
        return "it never decays"
    half_life = format_duration(timedelta(seconds=half_life_s))
    return f"half-life {half_life}" + ("" if shape in (None, 1.0) else f", shape {shape:g}")


def _importance(row: _Row, run: Run) -> Importance:
    settings = run.settings.importance
    update_age, access_age = row.update_age_s or 0.0, row.access_age_s or 0.0
    half_life = settings.half_life.total_seconds() if settings.half_life else math.inf
    ends = [t.within.total_seconds() for t in settings.access_boost if t.within is not None]
    assert row.effective_importance is not None
    return Importance(
        importance=row.importance,
        scored_at=_instant(row.importance_scored_at),
        exempt=row.exempt,
        because=_why_exempt(row),
        age_s=update_age,
        half_life_s=half_life,
        shape=settings.shape,
        survival=1.0 if row.exempt else survival(update_age, half_life, settings.shape),
        accessed_at=_instant(row.last_accessed_at),
        access_count=row.access_count,
        access_age_s=access_age,
        boost=1.0 if row.exempt else settings.access_boost[bisect_right(ends, access_age)].factor,
        stored=row.stored_effective_importance,
        effective=row.effective_importance,
    )


def _why_exempt(row: _Row) -> str | None:
    if not row.exempt:
        return None
    if row.pinned:
        return "it is pinned"
    if row.durability == "permanent":
        return "its durability is permanent"
    if row.category == "obligation":
        return "it is an obligation that is open and not past its deadline"
    return f"its category is {row.category}"


def _spared(row: _Row, run: Run) -> tuple[str, ...]:
    """Why the archive leaves it, whatever its confidence (spec 8)."""
    reasons: Mapping[str, bool] = {
        "it has a data problem": row.problem is not None,
        "its durability is permanent": row.durability == "permanent",
        "it is pinned": row.pinned,
        f"its category is {row.category}": row.category in policy.SETTLED_CATEGORIES,
        "it is an obligation that is not overdue": row.category == "obligation"
        and not row.past_deadline,
        f"its importance is {row.importance}, and {run.settings.archive.keep_importance} and more is kept": (
            row.importance >= run.settings.archive.keep_importance
        ),
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def _guards(row: _Row) -> tuple[str, ...]:
    if row.category == "decision" and row.do_not_reopen:
        return (
            "a decision that is not to be reopened: the database refuses to change or delete it",
        )
    if row.category == "decision":
        return ("a decision that is open to change",)
    if row.category == "mood":
        return ("a mood: the database refuses to make more of it than short_term",)
    return ()


def _instant(text: str | None) -> datetime | None:
    at = parsed(text)
    return None if at is None else at.astimezone(UTC)
