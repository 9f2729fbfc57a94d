"""``demo``: try it all on a made-up memory."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.model.result import Result

if TYPE_CHECKING:
    from memory_maintenance.cli.opening import Opened
    from memory_maintenance.jobs.demo_data import DemoData

# Under "now" nothing would have faded yet: the demo shows what a year has done to its facts.
_OVERRIDES = {"database.table": "public.entity_facts", "confidence.adopt": "history"}


def demo(
    shared: SharedOptions,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            metavar="N",
            min=1,
            max=100_000_000,
            help="Only generate N facts, and leave them as they are.",
            show_default=False,
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Drop an earlier demo and build a new one.")
    ] = False,
) -> Result:
    """Build a made-up legacy memory, then run migrate-types, run and report on it.

    Without --dsn on a private server of its own (embedded:). A database that holds anything but an
    earlier demo is refused.
    """
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.jobs.demo import DemoResult, Made
    from memory_maintenance.jobs.demo_data import build

    shared = replace(shared, dsn=shared.dsn or "embedded:", table=None)
    with opened(shared, "demo", overrides=_OVERRIDES) as o:
        clock = o.session.clock()
        data: DemoData = build(
            o.session.connection, rows=rows or 570, extras=rows is None, again=again
        )
        stages = () if rows is not None else _upkeep(o, shared)
        return DemoResult(
            command="demo",
            as_of=clock,
            table="entity_facts",
            made=Made(data.entities, data.facts, data.by_data_type),
            stages=stages,
            try_next=_commands(shared, generated=rows is not None),
        )


def _upkeep(o: Opened, shared: SharedOptions) -> tuple[Result, ...]:
    from memory_maintenance.cli.opening import started
    from memory_maintenance.engine.run import finished
    from memory_maintenance.jobs.report.report import report
    from memory_maintenance.jobs.upkeep import upkeep
    from memory_maintenance.migration.migrate import MigrateOptions, migrate

    with progress_reporter(shared) as emit:
        migrated = migrate(
            o.session,
            o.loaded,
            MigrateOptions(),
            as_of=o.session.clock(),
            dry_run=False,
            emit=emit,
        )
        with started(o, "run", as_of=None, dry_run=False, emit=emit) as run:
            kept = upkeep(run)
            finished(run, kept)
    with started(o, "report", as_of=None, dry_run=True) as run:
        return (migrated, kept, report(run))


def _program() -> str:
    """How this program is called, so that what is printed can be typed."""
    if shutil.which("memory-maintenance"):
        return "memory-maintenance"
    called = Path(sys.argv[0])
    if called.name == "memory-maintenance":
        near = os.path.relpath(called) if called.is_absolute() else str(called)
        return shlex.quote(str(called) if near.startswith("..") else near)
    return f"{shlex.quote(sys.executable)} -m memory_maintenance"


def _commands(shared: SharedOptions, *, generated: bool) -> tuple[str, ...]:
    program = _program()
    # The operator's own --dsn may hold a password: it is not repeated.
    dsn = shared.dsn if shared.dsn is not None and shared.dsn.startswith("embedded:") else "..."
    tail = f"--dsn {shlex.quote(dsn)}"
    if generated:
        return (
            f"{program} migrate-types {tail} --dry-run",
            f"{program} migrate-types {tail}",
            f"{program} decay {tail}",
        )
    return (
        f"{program} decay {tail} --dry-run --as-of 2030-01-01T00:00:00Z",
        f"{program} report {tail} --as-of 2030-01-01T00:00:00Z",
        f"{program} run {tail} --format json",
        f"{program} check-config",
    )
