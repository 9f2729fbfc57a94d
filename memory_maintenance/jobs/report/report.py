"""``report``: collects its sections within one view of the database. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.decay import instant, preflight
from memory_maintenance.jobs.report import SECTIONS
from memory_maintenance.jobs.report.accesses import Accesses
from memory_maintenance.jobs.report.comparison import Comparison
from memory_maintenance.jobs.report.composition import Composition
from memory_maintenance.jobs.report.decisions import Decisions
from memory_maintenance.jobs.report.duplicates import Duplicates
from memory_maintenance.jobs.report.faded import Faded
from memory_maintenance.jobs.report.forecast import Forecast
from memory_maintenance.jobs.report.health import Health
from memory_maintenance.jobs.report.moods import Moods
from memory_maintenance.jobs.report.obligations import Obligations
from memory_maintenance.jobs.report.problems import Problems
from memory_maintenance.jobs.report.runs import Runs
from memory_maintenance.jobs.report.scope import Brief, ReportOptions, Scope, Section
from memory_maintenance.jobs.report.suspicious import Suspicious
from memory_maintenance.model.result import Block, KeyValues, Result

_DEFAULTS: Final = ReportOptions()
_FIRST: Final = ("runs", "problems", "obligations")
"""The sections whose most important an operator needs before that of all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResult(Result):
    """The sections, each under its name; None for what wasn't asked for."""

    composition: Composition
    faded: Faded
    forecast: Forecast | None
    comparison: Comparison | None
    obligations: Obligations
    decisions: Decisions
    moods: Moods
    problems: Problems
    suspicious: Suspicious
    duplicates: Duplicates
    accesses: Accesses
    runs: Runs
    health: Health

    def blocks(self) -> Sequence[Block]:
        collected: list[Section | None] = [getattr(self, name) for name in SECTIONS]
        sections = [section for section in collected if section is not None]
        first = [
            getattr(self, name) for name in (*_FIRST, *(n for n in SECTIONS if n not in _FIRST))
        ]
        briefs = [line for s in first if isinstance(s, Brief) for line in s.brief()]
        blocks: list[Block] = [KeyValues(tuple(briefs))]
        for section in sections:
            blocks += section.blocks()
        return tuple(blocks)


def report(run: Run, options: ReportOptions = _DEFAULTS) -> ReportResult:
    """The report at ``run.as_of``; run is a dry run, whose snapshot the server keeps read-only.

    Raises UsageError where the table isn't migrated, or since lies after the report's instant.
    """
    scope = scope_of(run, options)
    return ReportResult(
        command="report",
        as_of=run.as_of,
        table=scope.relation.label,
        **{name: collect(scope, name) for name in SECTIONS},
        duration_s=run.duration_s,
    )


def scope_of(run: Run, options: ReportOptions = _DEFAULTS) -> Scope:
    """What the sections of one report share. Raises as ``report`` does."""
    session = run.session
    relation = preflight(run)
    table = projection.policy_table(run.settings)
    reading = projection.reading(session, relation)
    at = instant(run)
    scope = Scope(
        run=run,
        relation=relation,
        table=table,
        reading=reading,
        projected=projection.projection(session, relation, sql.SQL("({})").format(reading)),
        parameters=projection.parameters(run.settings, table, at, zone=session.zoneless_timezone),
        instant=at,
        options=options,
    )
    if scope.since_at > run.as_of:
        raise UsageError(
            f"--since {scope.since_at.isoformat()} is later than the report's instant, "
            f"{run.as_of.isoformat()}",
            remedy="name an earlier instant, or a span such as 24h",
        )
    return scope


def collect(scope: Scope, section: str) -> Any:
    """One section of the report."""
    module, _, function = SECTIONS[section].partition(":")
    collector: Callable[[Scope], Any] = getattr(import_module(module), function)
    return collector(scope)
