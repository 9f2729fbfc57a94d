"""``decay``: lets confidence and importance decay, once, at an instant."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count exactly what would be done; write nothing.")
]
BatchRows = Annotated[
    int | None,
    typer.Option(
        "--batch-rows",
        metavar="N",
        min=1,
        max=100_000,
        help="Rows per transaction (default: steered to 0.1 s each).",
        show_default=False,
    ),
]


def decay(
    shared: SharedOptions,
    dry_run: DryRun = False,
    as_of: AsOf = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", metavar="confidence|importance", help="Half of the pass.", show_default=False
        ),
    ] = None,
    batch_rows: BatchRows = None,
) -> Result:
    """Let confidence and importance decay.

    Confidence fades by half-life per durability, importance by a Weibull curve with an access boost.
    Both are computed from what the writers stored: any schedule of runs gives the same values.
    """
    from memory_maintenance.cli.opening import opened, started

    if only not in (None, "confidence", "importance"):
        raise UsageError(f"--only {only}: allowed are confidence and importance")
    with (
        opened(shared, "decay", watched=not dry_run) as o,
        progress_reporter(shared) as emit,
        started(o, "decay", as_of=as_of, dry_run=dry_run, emit=emit) as run,
    ):
        from memory_maintenance.engine.run import finished
        from memory_maintenance.jobs.decay import DecayOptions
        from memory_maintenance.jobs.decay import decay as job

        result = job(run, DecayOptions(only, batch_rows))  # type: ignore[arg-type]
        finished(run, result)
        o.watch.saw(result)
        return result
