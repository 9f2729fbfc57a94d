"""Section runs: the last runs on the table, from the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory_maintenance.engine import ledger
from memory_maintenance.jobs.report.scope import Scope
from memory_maintenance.model.result import Block, Column, Heading, Note, Table
from memory_maintenance.model.shortened import shortened

_LISTED = 10
_COUNTED = 100
_LONGEST = 400


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
class OfCommand:
    """The last hundred runs of one command. failures: that failed, were interrupted or died. failures_since:
    those begun after the last success; failed_ids: their numbers. mean_s, longest_s: of those that ended by
    themselves, None for none.
    """

    command: str
    runs: int
    failures: int
    last_success_at: datetime | None
    failures_since: int
    failed_ids: tuple[int, ...]
    mean_s: float | None
    longest_s: float | None


@dataclass(frozen=True, slots=True)
class Runs:
    """last: the last ten, newest first. by_command: those of the commands in it and of all others."""

    last: tuple[PastRun, ...]
    by_command: tuple[OfCommand, ...]

    def brief(self) -> Sequence[tuple[str, str]]:
        """When maintenance succeeded for the last time, and what failed since."""
        if not self.by_command:
            return (("last success", "never: no run yet"),)
        times = [(c.last_success_at, c.command) for c in self.by_command if c.last_success_at]
        last = "never"
        if times:
            at, command = max(times)
            last = f"{_minute(at)}, {command}"
        failing = [c for c in self.by_command if c.failures_since]
        return (
            *(
                ("failing", f"{c.command}: {c.failures_since:,} failed, {_success(c)}")
                for c in failing
            ),
            ("last success", last),
        )

    def blocks(self) -> Sequence[Block]:
        """A table; errors stand below it, each once, with its runs."""
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
        failed: dict[str, list[str]] = {}
        for run in self.last:
            if run.error:
                failed.setdefault(run.error, []).append(str(run.id))
        errors = [
            Note(
                f"{'run' if len(ids) == 1 else 'runs'} {', '.join(ids)}: {shortened(error, _LONGEST)}"
            )
            for error, ids in failed.items()
        ]
        return (heading, Table(columns, rows), *errors, self._by_command())

    def _by_command(self) -> Table:
        columns = (
            Column("command"),
            Column("runs", "right"),
            Column("failed", "right"),
            Column("since", "right"),
            Column("last success (UTC)"),
            Column("mean", "right"),
            Column("longest", "right"),
        )
        rows = tuple(
            (
                c.command,
                f"{c.runs:,}",
                f"{c.failures:,}",
                f"{c.failures_since:,}",
                "never"
                if c.last_success_at is None
                else f"{c.last_success_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
                "-" if c.mean_s is None else f"{c.mean_s:.1f} s",
                "-" if c.longest_s is None else f"{c.longest_s:.1f} s",
            )
            for c in self.by_command
        )
        return Table(
            columns, rows, "The last hundred of each command; since: failed since the last success"
        )


@dataclass(frozen=True, slots=True)
class _OfCommand:
    command: str
    runs: int
    failures: int
    last_success_at: datetime | None
    failures_since: int
    mean_s: float | None
    longest_s: float | None
    keys: Sequence[int] | None


def collect(scope: Scope) -> Runs:
    """The ledger's last rows for this table."""
    session, table = scope.run.session, scope.run.table
    counted = session.rows(
        _OfCommand, "report/run_summary", {"table_name": table, "rows": _COUNTED}
    )
    return Runs(
        last=tuple(
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
            for row in ledger.recent(session, table, _LISTED)
        ),
        by_command=tuple(
            OfCommand(
                command=c.command,
                runs=c.runs,
                failures=c.failures,
                last_success_at=c.last_success_at,
                failures_since=c.failures_since,
                failed_ids=tuple(c.keys or ()),
                mean_s=c.mean_s,
                longest_s=c.longest_s,
            )
            for c in counted
        ),
    )


def _success(command: OfCommand) -> str:
    at = command.last_success_at
    return "none succeeded" if at is None else f"last success {_minute(at)}"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _written(counts: Mapping[str, Any]) -> str:
    """Rows written, over all steps of a run."""
    steps = [counts, *(step for step in counts.values() if isinstance(step, dict))]
    found = [step["updated"] for step in steps if isinstance(step.get("updated"), int)]
    return f"{sum(found):,}" if found else "-"
