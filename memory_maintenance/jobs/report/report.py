"""``report``: collects its sections within one view of the database. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs.decay import instant, preflight
from memory_maintenance.jobs.report import SECTIONS
from memory_maintenance.jobs.report.composition import Composition
from memory_maintenance.jobs.report.problems import Problems
from memory_maintenance.jobs.report.runs import Runs
from memory_maintenance.jobs.report.scope import Scope, Section
from memory_maintenance.model.result import Block, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResult(Result):
    """The sections, each under its name."""

    composition: Composition
    problems: Problems
    runs: Runs

    def blocks(self) -> Sequence[Block]:
        blocks: list[Block] = []
        for name in SECTIONS:
            section: Section = getattr(self, name)
            blocks += section.blocks()
        return tuple(blocks)


def report(run: Run) -> ReportResult:
    """The report at ``run.as_of``; run is a dry run, whose snapshot the server keeps read-only.

    Raises UsageError where the table isn't migrated.
    """
    session = run.session
    relation = preflight(run)
    rows = sql.SQL("({})").format(projection.reading(session, relation))
    scope = Scope(
        run,
        relation,
        projection.projection(session, relation, rows),
        projection.parameters(
            run.settings,
            projection.policy_table(run.settings),
            instant(run),
            zone=session.zoneless_timezone,
        ),
    )
    sections = {name: _collector(path)(scope) for name, path in SECTIONS.items()}
    return ReportResult(
        command="report",
        as_of=run.as_of,
        table=relation.label,
        duration_s=run.duration_s,
        **sections,
    )


def _collector(path: str) -> Callable[[Scope], Any]:
    module, _, function = path.partition(":")
    collect: Callable[[Scope], Any] = getattr(import_module(module), function)
    return collect
