"""One section of the report on a test's database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs.report.comparison import Comparison
from memory_maintenance.jobs.report.forecast import Forecast
from memory_maintenance.jobs.report.report import collect, scope_of
from memory_maintenance.jobs.report.scope import ReportOptions
from memory_maintenance.model.result import Result
from tests.support.maintenance import AS_OF, EXACT, opened
from tests.support.server import TestDatabase


def running(
    database: TestDatabase,
    job: Callable[[Run], Result],
    loaded: Loaded = EXACT,
    *,
    as_of: datetime = AS_OF,
    role: str | None = None,
) -> Any:
    """What a job that only reads comes to at an instant."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(
            session,
            loaded,
            command="report",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=as_of,
            dry_run=True,
            emit=runs.silent,
        ) as run,
    ):
        return job(run)


def section(
    database: TestDatabase,
    name: str,
    options: ReportOptions,
    loaded: Loaded = EXACT,
    as_of: datetime = AS_OF,
) -> Any:
    """The section of a report at an instant."""
    return running(database, lambda run: collect(scope_of(run, options), name), loaded, as_of=as_of)


def forecast(
    database: TestDatabase,
    loaded: Loaded = EXACT,
    as_of: datetime = AS_OF,
    *,
    days: float = 30,
    show_ids: bool = True,
) -> Forecast:
    """The section forecast for so many days."""
    options = ReportOptions(forecast=timedelta(days=days), show_ids=show_ids)
    found = section(database, "forecast", options, loaded, as_of)
    assert isinstance(found, Forecast)
    return found


def compared(
    database: TestDatabase,
    other: Loaded,
    loaded: Loaded = EXACT,
    as_of: datetime = AS_OF,
    *,
    show_ids: bool = True,
) -> Comparison:
    """The section comparison with another configuration."""
    options = ReportOptions(compare=other, show_ids=show_ids)
    found = section(database, "comparison", options, loaded, as_of)
    assert isinstance(found, Comparison)
    return found
