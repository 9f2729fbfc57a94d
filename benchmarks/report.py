"""What the sections of ``report`` cost, each against one query over the same facts that groups them by both
axes and averages the exact confidence.

Facts of all kinds: both axes mixed, obligations with and without deadlines, decisions, moods, duplicates,
facts that writers have set since the last pass, some with a data problem. Each section is collected on its
own, with nothing known from another, and so is the report as a whole, in which sections share one pass.
``duplicates`` is told apart: it hashes every value. At the end ``explain``, as a process, beside
``check-config --database``.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from psycopg import sql
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Server, Timed, median_and_range, serving
from memory_maintenance.config.load import load
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.database.session import open_session
from memory_maintenance.database.target import resolve
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Run
from memory_maintenance.jobs import STEPS
from memory_maintenance.jobs.report import SECTIONS
from memory_maintenance.jobs.report.report import collect, report, scope_of
from memory_maintenance.jobs.report.scope import ReportOptions, Scope

_APART = "duplicates"
_EXPLAINED = 21
_UNASKED = ("forecast", "comparison")
_GROUPED = """
SELECT p.durability, p.category, count(*), avg(p.value)
FROM ({projected}) AS p
GROUP BY p.durability, p.category
"""
_FACTS = """
INSERT INTO entity_facts (
    entity_id, key, value, data, confidence, durability, category, learned_at, last_confirmed_at,
    last_accessed_at, expires, importance, pinned, decay_rate
)
SELECT
    1 + n %% 500,
    (ARRAY['note', 'project', 'personality', 'meeting', 'plan', 'health'])[1 + n %% 6],
    CASE
        WHEN n %% 40 = 0 THEN 'the same thing,  said ' || n %% 900 || ' times'
        WHEN n %% 20 = 3 AND n %% 3 = 0 AND n / 20 %% 4 > 0 THEN
            'send the draft to the printer by May ' || 1 + n %% 28
        ELSE 'fact ' || n || ' about a meeting in the old town hall and what came of it'
    END,
    CASE
        WHEN n %% 20 = 3 AND n %% 5 = 0 THEN '{"obligation": {"status": "done"}}'
        WHEN n %% 20 = 5 THEN jsonb_build_object('decision', jsonb_build_object(
            'decided', 'so', 'reasoning', CASE WHEN n %% 3 > 0 THEN 'because' END))
    END,
    1 - (n %% 7) / 10.0,
    CASE
        WHEN n %% 20 IN (3, 4) THEN 'short_term' WHEN n %% 20 IN (6, 7) THEN 'ephemeral'
        ELSE (ARRAY['permanent', 'long_term', 'short_term'])[1 + n %% 3]
    END,
    CASE n %% 20
        WHEN 3 THEN 'obligation' WHEN 5 THEN 'decision' WHEN 6 THEN 'mood' WHEN 7 THEN 'mood'
        WHEN 8 THEN 'routine' WHEN 9 THEN 'topic ' || n %% 300
        ELSE (ARRAY['observation', 'preference', 'identity', 'state'])[1 + n %% 4]
    END,
    timestamp '2026-06-01' - (n * 7919 %% 360000) * interval '1 minute' * 1.4,
    CASE WHEN n %% 2 = 0 THEN timestamptz '2026-06-01Z' - (n * 104729 %% 360000) * interval '1 minute' END,
    CASE WHEN n %% 4 = 0 THEN timestamptz '2026-06-01Z' - (n * 1299709 %% 100000) * interval '1 minute' END,
    CASE
        WHEN n %% 20 = 3 AND n %% 3 > 0 THEN timestamptz '2026-06-01Z' + (n %% 90 - 30) * interval '1 day'
        WHEN n %% 50 = 1 THEN timestamptz '2026-06-01Z' + (n %% 200 - 100) * interval '6 hours'
    END,
    1 + n %% 10,
    n %% 300 = 0,
    CASE WHEN n %% 30 = 2 THEN 0.01 WHEN n %% 5000 = 1 THEN -1 END
FROM generate_series(1::int8, %s) AS n
"""
_WRITERS = (
    "UPDATE entity_facts SET confidence = 0.66 WHERE id %% 50 = 17",
    "UPDATE entity_facts SET last_confirmed_at = '2026-05-31 12:00Z' WHERE id %% 70 = 9",
)
_PASS = datetime(2026, 5, 31, tzinfo=UTC)
_AT = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Group:
    durability: str | None
    category: str | None
    count: int
    avg: float | None


def run(*, rows: int, repeat: int) -> None:
    """Prints the table. rows: facts; repeat: interleaved runs of each."""
    with (
        tempfile.TemporaryDirectory(prefix="mm-bench-") as folder,
        serving(Path(folder), shared_buffers="1GB") as server,
    ):
        prepare(server, rows)
        console = Console(width=110)
        console.print(
            f"PostgreSQL {server.version}, {rows:,} facts, medians of {repeat}, interleaved"
        )
        for show_ids in (False, True):
            console.print(_table(server, repeat, ReportOptions(show_ids=show_ids)))
        console.print(_explained(server))


def prepare(server: Server, rows: int) -> None:
    """Fills the server's database "legacy": so many facts, a pass behind them."""
    server.command("legacy", "demo", "--rows", "570")
    server.command("legacy", "migrate-types")
    with server.connect("legacy") as connection:
        connection.execute(
            "INSERT INTO entities (id, name, type) SELECT n, n, 'person' FROM generate_series(1, 500) AS n"
            " ON CONFLICT DO NOTHING"
        )
        connection.execute(_FACTS.encode(), [rows])
        connection.execute("VACUUM (FULL, ANALYZE) entity_facts")
        connection.execute(
            "INSERT INTO memory_maintenance.adoption VALUES "
            "('public.entity_facts', '-infinity', 'history')"
        )
    for command in ("expire-obligations", "decay"):
        server.command("legacy", command, "--as-of", _PASS.isoformat())
    with server.connect("legacy") as connection:
        for statement in _WRITERS:
            connection.execute(statement.replace("%%", "%").encode())
        connection.execute("VACUUM (FULL, ANALYZE) entity_facts")


@contextmanager
def reporting(server: Server) -> Iterator[Run]:
    """A run that reports on it."""
    loaded = load(None, environ={}, steps=frozenset(STEPS))
    target = resolve(
        dsn=server.dsn("legacy"), environ={}, settings_dsn=None, home=Path("/nonexistent")
    )
    database = loaded.settings.database
    with (
        open_session(target, database, application_name="benchmark") as session,
        runs.started(
            session,
            loaded,
            command="report",
            table=qualified_name(*database.qualified_table),
            as_of=_AT,
            dry_run=True,
            emit=runs.silent,
        ) as run,
    ):
        yield run


def _table(server: Server, repeat: int, options: ReportOptions) -> Table:
    grouped = Timed()
    sections = {name: Timed() for name in SECTIONS if name not in _UNASKED}
    whole = Timed()
    with reporting(server) as run, server.connect("legacy") as connection:
        for _ in range(repeat):
            with grouped.measuring(connection):
                group_by_axes(scope_of(run, options))
            for name, timed in sections.items():
                scope = scope_of(run, options)
                with timed.measuring(connection):
                    collect(scope, name)
            with whole.measuring(connection):
                report(run, options)
    title = "Each section on its own" + (", with --show-ids" if options.show_ids else "")
    table = Table(title=title, title_justify="left")
    for name in ("", "seconds", "x grouped"):
        table.add_column(name, justify="left" if not name else "right")
    shown: dict[str, Timed] = {
        "grouped by both axes": grouped,
        **sections,
        "the whole report": whole,
    }
    for label, timed in shown.items():
        apart = " (apart)" if label == _APART else ""
        table.add_row(label + apart, f"{_median(timed.seconds):.3f}", timed.ratio(grouped))
    return table


def _explained(server: Server) -> Table:
    """Facts of all kinds, each explained by a process of its own, in turn with check-config."""
    explained, checked = Timed(), Timed()
    for fact in range(1000, 1000 + _EXPLAINED):
        checked.seconds.append(server.command("legacy", "check-config", "--database")[0])
        explained.seconds.append(server.command("legacy", "explain", str(fact))[0])
    table = Table(title="Processes", title_justify="left")
    for name in ("", "seconds", "range", "x check-config --database"):
        table.add_column(name, justify="left" if not name else "right")
    for label, timed in {"check-config --database": checked, "explain": explained}.items():
        ratio = statistics.median(timed.seconds) / statistics.median(checked.seconds)
        table.add_row(label, *median_and_range(timed.seconds), f"{ratio:.2f}")
    return table


def group_by_axes(scope: Scope) -> list[_Group]:
    """What sections are measured against."""
    session = scope.run.session
    statement = sql.SQL(_GROUPED).format(projected=scope.projected)
    with session.facts_path(scope.relation.schema):
        return session.fetch(_Group, statement, scope.parameters)


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
