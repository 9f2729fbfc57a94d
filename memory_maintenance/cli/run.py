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
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.database.relation import qualified_name
    from memory_maintenance.engine import run as runs
    from memory_maintenance.jobs.upkeep import upkeep

    with opened(shared, "run") as o, progress_reporter(shared) as emit:
        with runs.started(
            o.session,
            o.loaded,
            command="run",
            table=qualified_name(*o.loaded.settings.database.qualified_table),
            as_of=as_of or o.session.clock(),
            dry_run=dry_run,
            emit=emit,
        ) as started:
            result = upkeep(started)
            runs.finished(started, result)
            return result
