"""``touch``, ``pin``, ``unpin``: facts that were retrieved, and facts that are to stay."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.model.result import Result

_Ids = Annotated[
    list[str], typer.Argument(metavar="ID...", help="The facts' keys.", show_default=False)
]
_Reason = Annotated[
    str | None,
    typer.Option("--reason", metavar="TEXT", help="Why, for the record.", show_default=False),
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Check and show what would be done; write nothing.")
]


def touch(shared: SharedOptions, *, facts: _Ids, dry_run: _DryRun = False) -> Result:
    """Record that facts were retrieved, as recall does by itself.

    For programs that retrieve by themselves: a fact that is used keeps its importance. All of them are
    recorded, or none.
    """
    from memory_maintenance.cli.opening import opened

    with opened(shared, "touch") as o:
        from memory_maintenance.jobs.access import touch as job

        at = o.session.clock()
        return job(o.session, o.loaded.settings, facts, as_of=at, dry_run=dry_run)


def pin(
    shared: SharedOptions, *, facts: _Ids, reason: _Reason = None, dry_run: _DryRun = False
) -> Result:
    """Pin facts: they neither fade nor are archived, until they are unpinned.

    All of them are pinned, or none. What changed is recorded.
    """
    return _pin(shared, facts, pinned=True, reason=reason, dry_run=dry_run)


def unpin(
    shared: SharedOptions, *, facts: _Ids, reason: _Reason = None, dry_run: _DryRun = False
) -> Result:
    """Let pinned facts go: from the next decay on they fade as others do.

    All of them are unpinned, or none. What changed is recorded.
    """
    return _pin(shared, facts, pinned=False, reason=reason, dry_run=dry_run)


def _pin(
    shared: SharedOptions, facts: list[str], *, pinned: bool, reason: str | None, dry_run: bool
) -> Result:
    from memory_maintenance.cli.opening import opened

    with opened(shared, "pin" if pinned else "unpin") as o:
        from memory_maintenance.jobs.access import pin as job

        return job(
            o.session,
            o.loaded.settings,
            facts,
            pinned=pinned,
            reason=reason,
            as_of=o.session.clock(),
            dry_run=dry_run,
        )
