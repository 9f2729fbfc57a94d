"""``context``: what an agent needs before it speaks."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Annotated

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.streams import page
from memory_maintenance.model.result import Result


def _span(value: str | timedelta) -> timedelta:
    # Typer hands a default through the parser as well.
    from memory_maintenance.config.durations import parse_duration

    if isinstance(value, timedelta):
        return value
    try:
        span = parse_duration(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if span is None or not timedelta(0) < span <= timedelta(days=36500):
        raise typer.BadParameter("the range is above 0, to 100y")
    return span


def context(
    shared: SharedOptions,
    *,
    max_chars: Annotated[
        int,
        typer.Option(
            "--max-chars",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Print no more than this (default: 4000).",
            show_default=False,
        ),
    ] = 4000,
    entity: Annotated[
        str | None,
        typer.Option(
            "--entity", metavar="ID", help="Only what is about this entity.", show_default=False
        ),
    ] = None,
    viewer: Annotated[
        str | None,
        typer.Option(
            "--viewer",
            metavar="ID",
            help="Who will be told: what their privacy_scope lets them see too.",
            show_default=False,
        ),
    ] = None,
    include_private: Annotated[
        bool, typer.Option("--include-private", help="Everything, whatever its privacy.")
    ] = False,
    due_within: Annotated[
        timedelta,
        typer.Option(
            "--due-within",
            parser=_span,
            metavar="SPAN",
            help="Obligations that are due within this (default: 14d), and overdue ones.",
            show_default=False,
        ),
    ] = timedelta(days=14),
    as_of: AsOf = None,
) -> Result:
    """Show what an agent needs before it speaks, as markdown or JSON.

    Decisions that hold, with their reasoning; obligations that are overdue or due soon; states and moods
    still alive. The most important first, public facts only. Reads only; the same facts at the same
    --as-of give the same bytes.
    """
    from memory_maintenance.cli.opening import opened, started
    from memory_maintenance.render.formats import renderer

    paper = page(quiet=shared.quiet, environ=os.environ)
    render = renderer(shared.format)
    with opened(shared, "context") as o, started(o, "context", as_of=as_of, dry_run=True) as run:
        from memory_maintenance.jobs.context import ContextOptions
        from memory_maintenance.jobs.context import context as job

        options = ContextOptions(max_chars, due_within, entity, viewer, include_private)
        return job(run, options, lambda result: len(render(result, paper)))
