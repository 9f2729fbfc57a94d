"""``report``: what the memory holds."""

from __future__ import annotations

from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.model.result import Result


def report(shared: SharedOptions, as_of: AsOf = None) -> Result:
    """Show what the memory holds, and the last runs.

    Confidence and importance are those of the instant asked for, reckoned anew; nothing is written.
    """
    from memory_maintenance.cli.opening import opened, started

    with opened(shared, "report") as o, started(o, "report", as_of=as_of, dry_run=True) as run:
        from memory_maintenance.jobs.report.report import report as job

        return job(run)
