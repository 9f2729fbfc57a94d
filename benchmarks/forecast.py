"""What the forecast and the comparison of two configurations cost, each against one query over the same facts
that groups them by both axes and averages the exact confidence.

The facts are those of the benchmark ``report``. A forecast evaluates confidence twice a fact, at the report's
instant and at its end, and then those that cross in between once for each time that the days can be halved.
"""

from __future__ import annotations

import statistics
import tempfile
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Timed, serving
from benchmarks.report import group_by_axes, prepare, reporting
from memory_maintenance.config.load import Loaded, load
from memory_maintenance.jobs import STEPS
from memory_maintenance.jobs.report.forecast import Forecast
from memory_maintenance.jobs.report.report import collect, scope_of
from memory_maintenance.jobs.report.scope import ReportOptions

_OTHER = """
durability: {short_term: {half_life: 20d, shape: 2.0}, long_term: {half_life: 90d}}
importance: {half_life: 30d}
"""


def run(*, rows: int, repeat: int) -> None:
    """Prints the table. rows: facts; repeat: interleaved runs of each."""
    with (
        tempfile.TemporaryDirectory(prefix="mm-bench-") as folder,
        serving(Path(folder), shared_buffers="1GB") as server,
    ):
        prepare(server, rows)
        asked = {
            "forecast, 1 day": ReportOptions(forecast=timedelta(days=1)),
            "forecast, 30 days": ReportOptions(forecast=timedelta(days=30)),
            "forecast, 30 days, with --show-ids": ReportOptions(
                forecast=timedelta(days=30), show_ids=True
            ),
            "forecast, 3650 days": ReportOptions(forecast=timedelta(days=3650)),
            "comparison": ReportOptions(compare=_other(Path(folder))),
        }
        grouped = Timed()
        timed = {name: Timed() for name in asked}
        crossing = dict.fromkeys(asked, "")
        with reporting(server) as run, server.connect("legacy") as connection:
            for _ in range(repeat):
                with grouped.measuring(connection):
                    group_by_axes(scope_of(run))
                for name, options in asked.items():
                    scope = scope_of(run, options)
                    with timed[name].measuring(connection):
                        found = collect(scope, "comparison" if options.compare else "forecast")
                    if isinstance(found, Forecast):
                        crossing[name] = f"{sum(day.crossing for day in found):,}"
        table = Table(title="Forecast and comparison", title_justify="left")
        for name in ("", "facts that cross", "seconds", "x grouped"):
            table.add_column(name, justify="left" if not name else "right")
        table.add_row(
            "grouped by both axes", "", f"{statistics.median(grouped.seconds):.3f}", "1.00"
        )
        for name, each in timed.items():
            seconds = f"{statistics.median(each.seconds):.3f}"
            table.add_row(name, crossing[name], seconds, each.ratio(grouped))
        console = Console(width=110)
        console.print(
            f"PostgreSQL {server.version}, {rows:,} facts, medians of {repeat}, interleaved"
        )
        console.print(table)


def _other(folder: Path) -> Loaded:
    file = folder / "other.yaml"
    file.write_text(_OTHER)
    return load(file, environ={}, steps=frozenset(STEPS))
