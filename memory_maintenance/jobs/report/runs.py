"""Section runs: the last runs on the table, from the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory_maintenance.engine import ledger
from memory_maintenance.jobs.report.scope import Scope
from memory_maintenance.model.result import Block, Column, Heading, Note, Table

_LISTED = 10


@dataclass(frozen=True, slots=True)
class PastRun:
    """A row of the ledger. duration_s: None while it runs."""

    id: int
    command: str
    as_of: datetime
    started_at: datetime
    duration_s: float | None
    status: str
    counts: Mapping[str, Any]
    error: str | None


@dataclass(frozen=True, slots=True)
class Runs:
    """The last ten, newest first."""

    last: tuple[PastRun, ...]

    def blocks(self) -> Sequence[Block]:
        """A table; errors stand below it, each with its run."""
        heading = Heading("Last runs")
        if not self.last:
            return (heading, Note("none yet"))
        columns = (
            Column("run", "right"),
            Column("command"),
            Column("started (UTC)"),
            Column("took", "right"),
            Column("status"),
            Column("written", "right"),
        )
        rows = tuple(
            (
                str(run.id),
                run.command,
                f"{run.started_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
                "-" if run.duration_s is None else f"{run.duration_s:.1f} s",
                run.status,
                _written(run.counts),
            )
            for run in self.last
        )
        errors = [Note(f"run {run.id}: {run.error}") for run in self.last if run.error]
        return (heading, Table(columns, rows), *errors)


def collect(scope: Scope) -> Runs:
    """The ledger's last rows for this table."""
    return Runs(
        tuple(
            PastRun(
                row.id,
                row.command,
                row.as_of,
                row.started_at,
                None
                if row.finished_at is None
                else (row.finished_at - row.started_at).total_seconds(),
                row.status,
                row.counts,
                row.error,
            )
            for row in ledger.recent(scope.run.session, scope.run.table, _LISTED)
        )
    )


def _written(counts: Mapping[str, Any]) -> str:
    """Rows written, over all steps of a run."""
    steps = [counts, *(step for step in counts.values() if isinstance(step, dict))]
    found = [step["updated"] for step in steps if isinstance(step.get("updated"), int)]
    return f"{sum(found):,}" if found else "-"
