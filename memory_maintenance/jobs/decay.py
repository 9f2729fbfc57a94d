"""``decay``: confidence and importance at an instant, written where it matters (spec 3, 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.database import projection
from memory_maintenance.database.disturbing import (
    UpdateTrigger,
    clock_triggers,
    update_triggers,
)
from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.projection import Instant, Only
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches, ledger
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Denied, RunFailed
from memory_maintenance.jobs import recall_plan
from memory_maintenance.model.policy import PROBLEM, ROW_RATE, PolicyTable
from memory_maintenance.model.result import Block, Column, KeyValues, Note, Result, Table

_LISTED_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class DecayOptions:
    """only: half of the pass. batch_rows: rows a batch, >= 1; None steers by time."""

    only: Only | None = None
    batch_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """changed: rows whose stored value differs afterwards."""

    changed: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A row with something wrong: left alone, or, with a clock later than now, computed all the same."""

    id: Any
    problem: str


@dataclass(frozen=True, slots=True)
class PolicyCount:
    """half_life_s: seconds; None for never, and for row:decay_rate, where each row has its own.
    changed: rows whose confidence changed."""

    policy: str
    half_life_s: float | None
    facts: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayResult(Result):
    """What a pass examined and wrote. updated: rows written. problems: the first 100 by key."""

    examined: int
    confidence: Changed
    importance: Changed
    updated: int
    problems: tuple[Problem, ...]
    problem_count: int
    policies: tuple[PolicyCount, ...]
    batches: int
    notes: tuple[str, ...] = ()

    def counts(self) -> Mapping[str, Any]:
        return _counts(
            examined=self.examined,
            updated=self.updated,
            confidence=self.confidence.changed,
            importance=self.importance.changed,
            problems=self.problem_count,
        )

    def blocks(self) -> Sequence[Block]:
        would = "would be " if self.dry_run else ""
        rows = [
            ("facts examined", f"{self.examined:,}"),
            (f"rows {would}written", f"{self.updated:,}"),
            ("confidence changed", f"{self.confidence.changed:,}"),
            ("importance changed", f"{self.importance.changed:,}"),
            ("data problems", f"{self.problem_count:,}"),
        ]
        blocks: list[Block] = [KeyValues(tuple(rows))]
        if self.policies:
            blocks.append(
                Table(
                    (
                        Column("policy"),
                        Column("half-life", "right"),
                        Column("facts", "right"),
                        Column("changed", "right"),
                    ),
                    tuple(
                        (p.policy, _half_life(p), f"{p.facts:,}", f"{p.changed:,}")
                        for p in self.policies
                    ),
                )
            )
        if self.problems:
            blocks.append(
                Table(
                    (Column("id"), Column("problem")),
                    tuple((str(p.id), p.problem) for p in self.problems[:10]),
                    title=f"Data problems (the first {min(10, len(self.problems))} "
                    f"of {self.problem_count:,}; --format json lists 100)",
                )
            )
        blocks += [Note(text, "hint") for text in self.notes]
        return tuple(blocks)


@dataclass(frozen=True, slots=True)
class _Tally:
    policy_no: int
    facts: int
    written: int
    confidence_changed: int
    importance_changed: int
    altered: int
    suppressed: int
    problem_count: int
    problem_keys: Sequence[Any] | None
    problem_texts: Sequence[str] | None


@dataclass(slots=True)
class _Totals:
    """Batches folded together."""

    batches: int = 0
    examined: int = 0
    updated: int = 0
    confidence: int = 0
    importance: int = 0
    problem_count: int = 0
    problems: list[Problem] = field(default_factory=list)
    facts: dict[int, int] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=dict)

    def counts(self) -> Mapping[str, Any]:
        """As the result will have them."""
        return _counts(
            examined=self.examined,
            updated=self.updated,
            confidence=self.confidence,
            importance=self.importance,
            problems=self.problem_count,
        )

    def add(self, tallies: Sequence[_Tally]) -> None:
        self.batches += 1
        for tally in tallies:
            number = tally.policy_no
            self.examined += tally.facts
            self.updated += tally.written
            self.confidence += tally.confidence_changed
            self.importance += tally.importance_changed
            self.problem_count += tally.problem_count
            self.facts[number] = self.facts.get(number, 0) + tally.facts
            self.changed[number] = self.changed.get(number, 0) + tally.confidence_changed
        room = _LISTED_PROBLEMS - len(self.problems)
        if tallies and room > 0:
            found = map(Problem, tallies[0].problem_keys or (), tallies[0].problem_texts or ())
            self.problems += islice(found, room)


def _counts(
    *, examined: int, updated: int, confidence: int, importance: int, problems: int
) -> Mapping[str, Any]:
    """What the ledger keeps."""
    return {
        "examined": examined,
        "updated": updated,
        "confidence": confidence,
        "importance": importance,
        "problems": problems,
    }


def decay(run: Run, options: DecayOptions = DecayOptions()) -> DecayResult:
    """One pass over the table at ``run.as_of``.

    Raises UsageError where the table isn't migrated, Denied where this role may not update it.
    """
    session = run.session
    relation = preflight(run)
    table = projection.policy_table(run.settings)
    at = instant(run)
    statement = _statement(
        session, relation, options.only, dry_run=run.dry_run, inferred=bool(run.inferred)
    )
    params = projection.parameters(
        run.settings, table, at, zone=session.zoneless_timezone, only=options.only
    )
    if run.inferred:
        params["deadlines"] = Jsonb(run.inferred)

    def one_batch(keys: Range) -> list[_Tally]:
        bound = {**params, "first_key": keys.first, "last_key": keys.last}
        if run.live:
            # A pass takes its time: a fact confirmed since its start has no clock that runs ahead.
            bound["present"] = session.clock()
        tallies = session.fetch(_Tally, statement, bound, prepare=True)
        if any(tally.altered or tally.suppressed for tally in tallies):
            raise _altered(relation, triggers)
        return tallies

    triggers = update_triggers(session, relation)
    if not triggers:
        session.plan_batches()
    totals = _Totals()
    known = max(0, round(relation.row_estimate)) or None
    for tallies in batches.sweep(
        session,
        relation,
        one_batch,
        sizing=Sizing(options.batch_rows),
        transaction=run.transaction,
    ):
        totals.add(tallies)
        run.publish(totals.counts())
        run.emit(totals.examined, known, "decay")
    if run.run_id is not None and options.only != "importance":
        run_id = run.run_id
        run.transaction(lambda: ledger.confidence_pass_done(session, run_id))
    published = () if run.dry_run else recall_plan.refreshed(run, relation)
    notes = clock_triggers(session, relation) + published
    return _result(run, relation, table, totals, notes)


def step(run: Run) -> DecayResult:
    """``decay`` as a step of ``run``."""
    return decay(run)


def preflight(run: Run) -> Relation:
    """The table, found fit for a pass."""
    session = run.session
    relation = migrated_table(session, run.settings)
    if not run.dry_run and not relation.can_update:
        raise Denied(
            f"role {session.server.role} may not update {relation.label}",
            remedy=f"GRANT SELECT, UPDATE ON {relation.qualified} TO that role",
        )
    return relation


def instant(run: Run) -> Instant:
    """What the projection is reckoned at; a real run adopts the table if it is the first."""
    session = run.session
    adopted = ledger.adopted_at(session, run.table)
    if adopted is None:
        how = run.settings.confidence.adopt
        if not run.dry_run:
            adopted = run.transaction(lambda: ledger.adopt(session, run.table, how))
        else:
            adopted = "-infinity" if how == "history" else session.clock().isoformat()
    return Instant(run.as_of, adopted, ledger.previous_pass(session, run.table))


def _altered(relation: Relation, triggers: Sequence[UpdateTrigger]) -> RunFailed:
    """Such a row would look as if a writer had set it: its base would be lost, and decay compound."""
    names = ", ".join(f"{t.trigger} ({t.function})" for t in triggers if t.changes_rows)
    return RunFailed(
        f"a trigger changes or suppresses what we write to {relation.label}: {names}; nothing of this "
        "batch was kept",
        remedy="let it pass updates in which confidence_written changes as they are",
    )


def _statement(
    session: Session, relation: Relation, only: Only | None, *, dry_run: bool, inferred: bool
) -> sql.Composed:
    slots = projection.slots(relation)
    reading = projection.reading(session, relation, inferred=inferred)
    keys = {"key": slots["key"], "key_type": slots["key_type"]}
    rows = session.statement("decay/range", reading=reading, **keys)
    examined = session.statement(
        "decay/examined", projected=projection.projection(session, relation, rows)
    )
    if dry_run:
        tally = session.statement("decay/tally", computed=session.statement("decay/count_written"))
        return session.statement("decay/preview", examined=examined, tally=tally)
    tally = session.statement("decay/tally", computed=session.statement("decay/count_computed"))
    halves = []
    if only != "importance":
        halves.append(session.statement("decay/assign_confidence"))
    if only != "confidence":
        halves.append(session.statement("decay/assign_importance"))
    return session.statement(
        "decay/batch",
        examined=examined,
        overtaken=projection.projection(session, relation, session.statement("decay/overtaken")),
        reading=projection.reading(session, relation, session.statement("decay/examined_columns")),
        assignments=sql.SQL(", ").join(halves),
        tally=tally,
        **slots,
    )


def _result(
    run: Run, relation: Relation, table: PolicyTable, totals: _Totals, notes: tuple[str, ...]
) -> DecayResult:
    return DecayResult(
        command="decay",
        dry_run=run.dry_run,
        as_of=run.as_of,
        table=relation.label,
        run_id=run.run_id,
        duration_s=run.duration_s,
        examined=totals.examined,
        confidence=Changed(totals.confidence),
        importance=Changed(totals.importance),
        updated=totals.updated,
        problems=tuple(totals.problems),
        problem_count=totals.problem_count,
        policies=tuple(
            PolicyCount(
                name,
                None if number == ROW_RATE or math.isinf(curve.half_life_s) else curve.half_life_s,
                totals.facts.get(number, 0),
                totals.changed.get(number, 0),
            )
            for number, (name, curve) in enumerate(
                zip(table.names, table.curves, strict=True), start=PROBLEM + 1
            )
            if number in totals.facts
        ),
        batches=totals.batches,
        notes=notes,
    )


def _half_life(policy: PolicyCount) -> str:
    if policy.policy == "row:decay_rate":
        return "its own"
    if policy.policy == "expired":
        return "value 0"
    if policy.half_life_s is None:
        return "never"
    days = policy.half_life_s / 86400
    return f"{days:g} d" if days >= 3 else f"{policy.half_life_s / 3600:g} h"
