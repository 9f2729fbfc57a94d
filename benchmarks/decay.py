"""What ``decay`` costs: a pass in which every fact is due, against a plain UPDATE of the same rows and
columns, and the hourly runs that follow.

The plain UPDATE is run whole, as one statement, and in as many batches by key as decay took, each committed:
nothing that may be killed at any instant and lets writers in can do with less.

Each timed run starts from a file copy of the same database, after a CHECKPOINT, so that every page's first
change logs a full-page image, as in an hourly job. The command is the real one, a process of its own, and its
time is that of the whole process. What of it is the start (Python, configuration, connecting) is told beside
it, measured by ``check-config --database``, which reads no facts; nothing is subtracted.
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
_IN_BATCHES = _PLAIN + "WHERE id BETWEEN %s AND %s"
_RANGES = """
SELECT min(f.id), max(f.id)
FROM (SELECT id, ntile(%s) OVER (ORDER BY id) AS n FROM entity_facts) AS f
GROUP BY f.n ORDER BY f.n
"""
_SCANS = 3
_WRITERS = (
    "UPDATE entity_facts SET last_confirmed_at = %(at)s, updated_at = %(at)s WHERE id %% 1000 = 1",
    "UPDATE entity_facts SET confidence = 0.77 WHERE id %% 10000 = 2",
    "UPDATE entity_facts SET last_accessed_at = %(at)s WHERE id %% 1000 = 3",
)


def run(*, rows: int, repeat: int) -> None:
    """Prints the tables. rows: facts; repeat: interleaved runs of each."""
    with tempfile.TemporaryDirectory(prefix="mm-bench-") as folder, _server(Path(folder)) as server:
        _prepare(server, rows)
        console = Console(width=110)
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
    plain, batched, decay = _Timed(), _Timed(), _Timed()
    starts: list[float] = []
    as_of = datetime.now(UTC) + timedelta(days=90)
    batches = written = 0
    for _ in range(repeat):
        starts.append(server.command("legacy", "check-config", "--database")[0])
        server.copy("legacy", "plain")
        with server.connect("plain") as connection, plain.measuring(connection):
            connection.execute(_PLAIN)
        server.copy("legacy", "decayed")
        with server.connect("decayed") as connection, decay.measuring(connection):
            _, result = server.command("decayed", "decay", "--as-of", as_of.isoformat())
        batches, written = result["batches"], result["updated"]
        server.copy("legacy", "batched")
        with server.connect("batched") as connection:
            ranges = connection.execute(_RANGES, [batches]).fetchall()
            with batched.measuring(connection):
                for ends in ranges:
                    connection.execute(_IN_BATCHES, ends, prepare=True)
    table = Table(title="Every fact due", title_justify="left")
    for name in ("", "seconds", "range", "x plain", "x in batches", "rows written", "WAL MB"):
        table.add_column(name, justify="left" if not name else "right")
    for label, timed, changed in (
        ("plain UPDATE, one statement", plain, rows),
        (f"plain UPDATE, {batches} batches committed", batched, rows),
        (f"decay, {batches} batches, with process start", decay, written),
    ):
        table.add_row(
            label,
            *_seconds(timed.seconds),
            _ratio(timed, plain),
            _ratio(timed, batched),
            f"{changed:,}",
            f"{statistics.median(timed.wal) / 1e6:,.0f}",
        )
    table.add_row("process start, configuration, connecting", *_seconds(starts))
    table.caption = (
        "decay is a process, its start included; the UPDATEs run on a connection that is open. "
        "Ratios are medians of the ratios of each round"
    )
    return table


class _Timed:
    """Wall time and WAL bytes of one thing, round by round."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.wal: list[int] = []

    @contextmanager
    def measuring(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        before = _wal(connection)
        began = time.monotonic()
        yield
        self.seconds.append(time.monotonic() - began)
        self.wal.append(_wal(connection) - before)


def _ratio(timed: _Timed, to: _Timed) -> str:
    pairs = zip(timed.seconds, to.seconds, strict=True)
    return f"{statistics.median(ours / theirs for ours, theirs in pairs):.2f}"


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
            scan = statistics.median(_scan(connection) for _ in range(_SCANS))
            before = _wal(connection)
            seconds, result = server.command("decayed", "decay", "--as-of", at.isoformat())
            table.add_row(
                str(hour),
                f"{seconds:.2f}",
                f"{result['updated']:,}",
                f"{(_wal(connection) - before) / 1e6:.0f}",
                f"{seconds / scan:.1f}",
            )
    table.caption = f"seconds are of the whole process; the scan is the median of {_SCANS}"
    return table


def _scan(connection: psycopg.Connection[Any]) -> float:
    """Seconds to read a late column of every fact."""
    began = time.monotonic()
    connection.execute("SELECT count(pinned) FROM entity_facts")
    return time.monotonic() - began


def _wal(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    assert row is not None
    return int(row[0])


def _seconds(values: list[float]) -> tuple[str, str]:
    return f"{statistics.median(values):.2f}", f"{min(values):.2f}-{max(values):.2f}"
