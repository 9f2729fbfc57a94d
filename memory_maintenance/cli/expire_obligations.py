"""``expire-obligations``: infers deadlines, and marks what is past them."""

from __future__ import annotations

from memory_maintenance.cli.decay import BatchRows, DryRun
from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.model.result import Result


def expire_obligations(
    shared: SharedOptions,
    dry_run: DryRun = False,
    as_of: AsOf = None,
    batch_rows: BatchRows = None,
) -> Result:
    """Infer deadlines of obligations, and mark those that are overdue.

    A deadline is read from data.deadline, else from the text, and stored in expires; what is
    ambiguous is listed and left alone. Nothing is deleted, and nothing is said twice.
    """
    from memory_maintenance.cli.opening import opened, started

    with (
        opened(shared, "expire-obligations", watched=not dry_run) as o,
        progress_reporter(shared) as emit,
        started(o, "expire-obligations", as_of=as_of, dry_run=dry_run, emit=emit) as run,
    ):
        from memory_maintenance.engine.run import finished
        from memory_maintenance.jobs.obligations import ExpireOptions, expire

        result = expire(run, ExpireOptions(batch_rows))
        finished(run, result)
        o.watch.saw(result)
        return result
