"""``run``: the hourly job."""

from __future__ import annotations

from memory_maintenance.cli.decay import DryRun
from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.model.result import Result


def run(shared: SharedOptions, dry_run: DryRun = False, as_of: AsOf = None) -> Result:
    """Do the hourly upkeep: every step the configuration lists, under one lock.

    With -q it says nothing unless something is wrong, so that cron mails only what matters.
    """
    from memory_maintenance.cli.opening import opened, started

    with (
        opened(shared, "run", watched=not dry_run) as o,
        progress_reporter(shared) as emit,
        started(o, "run", as_of=as_of, dry_run=dry_run, emit=emit) as active,
    ):
        from memory_maintenance.engine.run import finished
        from memory_maintenance.jobs.upkeep import upkeep

        result = upkeep(active)
        finished(active, result)
        o.watch.saw(result)
        return result
