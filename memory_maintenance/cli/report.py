"""``report``: what the memory holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from memory_maintenance.cli.options import AsOf, SharedOptions, span_parser
from memory_maintenance.cli.output import Output, place_for
from memory_maintenance.model.result import Result

_LONGEST_FORECAST: Final = timedelta(days=3650)


def _since(value: str | datetime | timedelta) -> datetime | timedelta:
    # Typer hands a default through the parser as well.
    from memory_maintenance.config.durations import parse_duration
    from memory_maintenance.model.instants import parse_instant

    if isinstance(value, datetime | timedelta):
        return value
    try:
        return parse_instant(value) if value[4:5] == "-" else parse_duration(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


# A span or an instant; typer takes no unions.
Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        parser=_since,
        metavar="SPAN|TIME",
        help="What faded since then: a span such as 7d, or an instant (default: 24h).",
        show_default=False,
    ),
]
ShowIds = Annotated[
    bool,
    typer.Option(
        "--show-ids",
        help="List the first 100 facts behind each number, by their keys.",
        show_default=False,
    ),
]

Forecast = Annotated[
    timedelta | None,
    typer.Option(
        "--forecast",
        parser=span_parser(
            _LONGEST_FORECAST, f"more than 0, and at most {_LONGEST_FORECAST.days}d"
        ),
        metavar="SPAN",
        help="What will fade and fall due within it, day by day, such as 30d.",
        show_default=False,
    ),
]
CompareConfig = Annotated[
    Path | None,
    typer.Option(
        "--compare-config",
        metavar="FILE",
        help="What would change if this configuration were in force.",
        show_default=False,
    ),
]


def report(
    shared: SharedOptions,
    as_of: AsOf = None,
    since: Since = None,
    show_ids: ShowIds = False,
    *,
    forecast: Forecast = None,
    compare_config: CompareConfig = None,
    output: Output = None,
) -> Result:
    """Show what the memory holds, what faded, is due or looks wrong, and how runs and table fare.

    Confidence and importance are those of the instant asked for, reckoned anew; nothing is written.
    """
    from memory_maintenance.cli.opening import load_configuration, opened, started

    compare = None
    if compare_config is not None:
        other = replace(shared, config=compare_config)
        compare = load_configuration(other, option="--compare-config")
    if output is not None:
        # Rather now than after all has been counted.
        place_for(output)
    with opened(shared, "report") as o, started(o, "report", as_of=as_of, dry_run=True) as run:
        from memory_maintenance.jobs.report.report import report as job
        from memory_maintenance.jobs.report.scope import ReportOptions

        options = ReportOptions(show_ids=show_ids, forecast=forecast, compare=compare)
        if since is not None:
            options = replace(options, since=since)
        return job(run, options)
