"""What ``decay`` costs: a pass in which every fact is due, against one plain UPDATE of the same rows and
columns, and the hourly runs that follow.

Each timed run starts from a file copy of the same database, after a CHECKPOINT, so that every page's first
change logs a full-page image, as in an hourly job. The command is the real one, a process of its own; what
it takes to start (Python, configuration, connecting) is measured apart, on an empty table.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table

from memory_maintenance.database import embedded
from memory_maintenance.database.target import neutralise_environment, resolve

_OPTIONS = {
    "shared_buffers": "4GB",
    "max_wal_size": "16GB",
    "min_wal_size": "2GB",
    "checkpoint_timeout": "30min",
    "autovacuum": "off",
    "work_mem": "64MB",
}
_PLAIN = """
UPDATE entity_facts
SET confidence = 0.5, confidence_base = confidence, confidence_anchor_at = learned_at,
    confidence_written = 0.5, effective_importance = 4
"""
_WRITERS = (
    "UPDATE entity_facts SET last_confirmed_at = %(at)s, updated_at = %(at)s WHERE id %% 1000 = 1",
    "UPDATE entity_facts SET confidence = 0.77 WHERE id %% 10000 = 2",
    "UPDATE entity_facts SET last_accessed_at = %(at)s WHERE id %% 1000 = 3",
)


def run(*, rows: int, repeat: int) -> None:
    """Prints the tables. rows: facts; repeat: interleaved runs of each."""
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder, _server(Path(folder)) as server:
        _prepare(server, rows)
        console = Console(width=100)
        console.print(
            f"PostgreSQL {server.version}, {rows:,} facts, medians of {repeat}, interleaved"
        )
        console.print(_full(server, rows, repeat))
        console.print(_steady(server))


class _Server:
    """The benchmark's own server, durable as an operator's is."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        with self.connect("postgres") as connection:
            self.version = connection.info.server_version // 10000

    def dsn(self, database: str) -> str:
        return psycopg.conninfo.make_conninfo(self._conninfo, dbname=database)

    def connect(self, database: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self.dsn(database), autocommit=True)

    def copy(self, template: str, name: str) -> None:
        with self.connect("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name}")
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
            connection.execute("CHECKPOINT")
        with self.connect(name) as connection:  # warm: the data in cache, as it is every hour
            connection.execute("SELECT count(access_count), max(value) FROM entity_facts")

    def command(self, database: str, *arguments: str) -> tuple[float, Mapping[str, Any]]:
        """Seconds of wall time, and the JSON."""
        argv = [sys.executable, "-m", "memory_maintenance", *arguments]
        argv += ["--dsn", self.dsn(database), "--format", "json"]
        began = time.monotonic()
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        return time.monotonic() - began, json.loads(done.stdout)


@contextmanager
def _server(folder: Path) -> Iterator[_Server]:
    folder.chmod(0o755)  # called by root, the server runs as another user, who must get in
    environ: dict[str, str] = {}
    target = resolve(
        dsn=f"embedded:{folder}/pg", environ=environ, settings_dsn=None, home=Path.home()
    )
    neutralise_environment(environ, target)
    with embedded.start(target.directory, database="legacy", options=_OPTIONS) as conninfo:
        yield _Server(conninfo)


def _prepare(server: _Server, rows: int) -> None:
    server.command("legacy", "demo", "--rows", str(rows))
    server.command("legacy", "migrate-types")
    with server.connect("legacy") as connection:
        connection.execute("VACUUM (FULL, ANALYZE) entity_facts")
        # The whole history counts, so that every fact is due.
        connection.execute(
            "INSERT INTO memory_maintenance.adoption VALUES "
            "('public.entity_facts', '-infinity', 'history')"
        )


def _full(server: _Server, rows: int, repeat: int) -> Table:
    plain: list[float] = []
    decay: list[float] = []
    plain_wal: list[int] = []
    decay_wal: list[int] = []
    written = 0
    as_of = datetime.now(UTC) + timedelta(days=90)
    start_s, _ = server.command("legacy", "report", "--as-of", "1990-01-01T00:00:00Z")
    for _ in range(repeat):
        server.copy("legacy", "plain")
        with server.connect("plain") as connection:
            before = _wal(connection)
            began = time.monotonic()
            connection.execute(_PLAIN)
            plain.append(time.monotonic() - began)
            plain_wal.append(_wal(connection) - before)
        server.copy("legacy", "decayed")
        with server.connect("decayed") as connection:
            before = _wal(connection)
            seconds, result = server.command("decayed", "decay", "--as-of", as_of.isoformat())
            decay.append(seconds)
            decay_wal.append(_wal(connection) - before)
            written = result["updated"]
            last = result
    paired = statistics.median(d / p for d, p in zip(decay, plain, strict=True))
    table = Table(title="Every fact due", title_justify="left")
    for name in ("", "seconds", "range", "x plain", "paired", "rows written", "WAL MB"):
        table.add_column(name, justify="left" if not name else "right")
    table.add_row(
        "plain UPDATE",
        *_seconds(plain),
        "1.00",
        "",
        f"{rows:,}",
        f"{statistics.median(plain_wal) / 1e6:,.0f}",
    )
    ratio = statistics.median(decay) / statistics.median(plain)
    table.add_row(
        f"decay ({last['batches']} batches)",
        *_seconds(decay),
        f"{ratio:.2f}",
        f"{paired:.2f}",
        f"{written:,}",
        f"{statistics.median(decay_wal) / 1e6:,.0f}",
    )
    table.caption = f"a report, process start included, took {start_s:.2f} s"
    return table


def _steady(server: _Server) -> Table:
    """Six hourly runs after the last full one, with outside writers between them."""
    table = Table(title="Hourly runs right after", title_justify="left")
    for name in ("hour", "seconds", "rows written", "WAL MB", "x reading a late column"):
        table.add_column(name, justify="right")
    as_of = datetime.now(UTC) + timedelta(days=90)
    with server.connect("decayed") as connection:
        connection.execute("VACUUM (ANALYZE) entity_facts")
        for hour in range(1, 7):
            at = as_of + timedelta(hours=hour)
            for statement in _WRITERS:
                connection.execute(statement, {"at": at - timedelta(minutes=30)})
            connection.execute("CHECKPOINT")
            began = time.monotonic()
            connection.execute("SELECT count(pinned) FROM entity_facts")
            scan = time.monotonic() - began
            before = _wal(connection)
            seconds, result = server.command("decayed", "decay", "--as-of", at.isoformat())
            table.add_row(
                str(hour),
                f"{seconds:.2f}",
                f"{result['updated']:,}",
                f"{(_wal(connection) - before) / 1e6:.0f}",
                f"{seconds / scan:.1f}",
            )
    return table


def _wal(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    assert row is not None
    return int(row[0])


def _seconds(values: list[float]) -> tuple[str, str]:
    return f"{statistics.median(values):.2f}", f"{min(values):.2f}-{max(values):.2f}"
