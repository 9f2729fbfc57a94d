"""What benchmarks share: a durable server of their own, and times taken round by round."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from memory_maintenance.database import embedded
from memory_maintenance.database.target import neutralise_environment, resolve

OPTIONS: Mapping[str, str] = {
    "shared_buffers": "4GB",
    "max_wal_size": "16GB",
    "min_wal_size": "2GB",
    "checkpoint_timeout": "30min",
    "autovacuum": "off",
    "work_mem": "64MB",
}


class Server:
    """A server of the benchmark's own, durable as an operator's is."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        with self.connect("postgres") as connection:
            self.version = connection.info.server_version // 10000

    def dsn(self, database: str) -> str:
        """The conninfo of a database."""
        return make_conninfo(self._conninfo, dbname=database)

    def connect(self, database: str) -> psycopg.Connection[Any]:
        """A connection in autocommit."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    def copy(self, template: str, name: str) -> None:
        """A file copy of a database, after a CHECKPOINT and with the facts in cache."""
        with self.connect("postgres") as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy".encode()
            )
            connection.execute("CHECKPOINT")
        with self.connect(name) as connection:
            connection.execute("SELECT count(decay_rate), max(value) FROM entity_facts")

    def command(self, database: str, *arguments: str) -> tuple[float, Mapping[str, Any]]:
        """Seconds of wall time of a whole process, and its JSON."""
        argv = [sys.executable, "-m", "memory_maintenance", *arguments]
        argv += ["--dsn", self.dsn(database), "--format", "json"]
        began = time.monotonic()
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        return time.monotonic() - began, json.loads(done.stdout)


@contextmanager
def serving(folder: Path, **options: str) -> Iterator[Server]:
    """A server below folder with an empty database "legacy". options: settings atop OPTIONS."""
    folder.chmod(0o755)  # called by root, the server runs as another user, who must get in
    environ: dict[str, str] = {}
    target = resolve(
        dsn=f"embedded:{folder}/pg", environ=environ, settings_dsn=None, home=Path.home()
    )
    neutralise_environment(environ, target)
    settings = {**OPTIONS, **options}
    with embedded.start(target.directory, database="legacy", options=settings) as conninfo:
        yield Server(conninfo)


class Timed:
    """Wall time and WAL bytes of one thing, round by round."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.wal: list[int] = []

    @contextmanager
    def measuring(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        """Measures the block."""
        before = wal(connection)
        began = time.monotonic()
        yield
        self.seconds.append(time.monotonic() - began)
        self.wal.append(wal(connection) - before)

    def ratio(self, to: Timed) -> str:
        """The median of the ratios of each round."""
        pairs = zip(self.seconds, to.seconds, strict=True)
        return f"{statistics.median(ours / theirs for ours, theirs in pairs):.2f}"


def wal(connection: psycopg.Connection[Any]) -> int:
    """Bytes of WAL that the server has written."""
    row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    assert row is not None
    return int(row[0])


def median_and_range(values: list[float], digits: int = 2) -> tuple[str, str]:
    """The median, and the least and the greatest."""
    return (
        f"{statistics.median(values):.{digits}f}",
        f"{min(values):.{digits}f}-{max(values):.{digits}f}",
    )
