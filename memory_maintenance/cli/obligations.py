"""``obligations``: lists them, and settles or moves a single one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Final, cast

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions, action_argument, span_parser
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

_ACTIONS: Final = ("list", "done", "cancel", "missed", "snooze", "set-deadline")
_SETTLING: Final = {"done": "done", "cancel": "cancelled", "missed": "missed"}
_VIEWS: Final = ("upcoming", "overdue", "undated", "ambiguous", "settled")


def obligations(
    shared: SharedOptions,
    *,
    action: Annotated[str, action_argument(_ACTIONS)],
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="ID|VIEW",
            help="The fact's key; for list upcoming, overdue, undated, ambiguous or settled "
            "(default: all but settled).",
            show_default=False,
        ),
    ] = None,
    when: Annotated[
        str | None,
        typer.Argument(
            metavar="WHEN",
            help="set-deadline, snooze: the new deadline, such as 2026-05-15, 'May 15 3pm' or 'in 3 days'.",
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="WHEN", help="snooze: the new deadline, as WHEN.", show_default=False
        ),
    ] = None,
    due_within: Annotated[
        timedelta | None,
        typer.Option(
            "--due-within",
            parser=span_parser(timedelta(days=36500), "the range is above 0, to 100y"),
            metavar="SPAN",
            help="list: only what is due within this, such as 7d, and not overdue.",
            show_default=False,
        ),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option(
            "--reason",
            metavar="TEXT",
            help="Why, for the record; not for list.",
            show_default=False,
        ),
    ] = None,
    as_of: AsOf = None,
) -> Result:
    """List obligations, or settle or move one.

    \b
    obligations list [upcoming|overdue|undated|ambiguous|settled] [--due-within 7d]
    obligations done|cancel|missed ID [--reason TEXT]
    obligations snooze ID --until WHEN
    obligations set-deadline ID WHEN

    A bare date ends with its day in the configured zone. What is ambiguous is refused, with what it
    may mean. Each change is recorded as an event; said twice, it is one change.
    """
    _check(action, subject, when=when, until=until, due_within=due_within, reason=reason)
    if action == "list":
        return _list(shared, subject, due_within, as_of)
    assert subject is not None
    return _change(shared, action, subject, when=until or when, reason=reason, as_of=as_of)


def _check(
    action: str,
    subject: str | None,
    *,
    when: str | None,
    until: str | None,
    due_within: timedelta | None,
    reason: str | None,
) -> None:
    """Raises UsageError for what doesn't belong together."""
    form = {
        "list": "list [VIEW]",
        "snooze": "snooze ID --until WHEN",
        "set-deadline": "set-deadline ID WHEN",
    }.get(action, f"{action} ID")
    remedy = f"memory-maintenance obligations {form}"
    if action == "list":
        if subject is not None and subject not in _VIEWS:
            raise UsageError(f"{subject!r} is none of {', '.join(_VIEWS)}", remedy=remedy)
        if due_within is not None and subject not in (None, "upcoming"):
            raise UsageError(f"--due-within is for what is upcoming, not {subject}", remedy=remedy)
        if when or until or reason:
            raise UsageError("list only reads", remedy=remedy)
        return
    if due_within is not None:
        raise UsageError("--due-within is for list", remedy=remedy)
    if subject is None:
        raise UsageError(f"{action} needs the key of a fact", remedy=remedy)
    if until is not None and (action != "snooze" or when is not None):
        raise UsageError("--until is for snooze, once", remedy=remedy)
    moves = action in ("snooze", "set-deadline")
    if moves and not (until or when):
        raise UsageError(f"{action} needs a new deadline", remedy=remedy)
    if when is not None and not moves:
        raise UsageError(f"{action} takes no time: {when!r}", remedy=remedy)


def _list(
    shared: SharedOptions, view: str | None, due_within: timedelta | None, as_of: datetime | None
) -> Result:
    from memory_maintenance.cli.opening import opened, started

    with (
        opened(shared, "obligations") as o,
        started(o, "obligations", as_of=as_of, dry_run=True) as run,
    ):
        from memory_maintenance.jobs.obligation_commands import View, list_obligations

        return list_obligations(run, cast(View | None, view), due_within)


def _change(
    shared: SharedOptions,
    action: str,
    fact: str,
    *,
    when: str | None,
    reason: str | None,
    as_of: datetime | None,
) -> Result:
    from memory_maintenance.cli.opening import opened

    with opened(shared, "obligations") as o:
        from memory_maintenance.jobs import obligation_commands as job

        settings, at = o.loaded.settings, as_of or o.session.clock()
        if status := _SETTLING.get(action):
            settling: Any = status
            return job.settle(o.session, settings, fact, settling, as_of=at, reason=reason)
        assert when is not None
        return job.set_deadline(
            o.session,
            settings,
            fact,
            when,
            as_of=at,
            later=action == "snooze",
            reason=reason,
        )
