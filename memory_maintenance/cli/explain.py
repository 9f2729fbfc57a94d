"""``explain``: why a fact has the value that it has."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.output import Output, place_for
from memory_maintenance.model.result import Result


def explain(
    shared: SharedOptions,
    *,
    fact: Annotated[str, typer.Argument(metavar="ID", help="The fact's key.", show_default=False)],
    output: Output = None,
    as_of: AsOf = None,
) -> Result:
    """Explain why a fact has its confidence and importance.

    Base, anchor and where it comes from; the policy that matched, and why; the curve, with now, the
    deadline and the day on which it falls below the archive threshold; importance worked out; guards;
    what was recorded of it. Reads only.
    """
    from memory_maintenance.cli.opening import opened, started

    if output is not None:
        place_for(output)
    with opened(shared, "explain") as o, started(o, "explain", as_of=as_of, dry_run=True) as run:
        from memory_maintenance.jobs.explain import explain as job

        return job(run, fact)
