"""Metrics for the textfile collector of Prometheus' node_exporter.

Two files a run at most: one of the command on its table, and one of the table's facts, which any command may
write. Each series stands in one file only: the collector refuses all of what it reads twice.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, Info, generate_latest

from memory_maintenance.monitoring.former import value_in
from memory_maintenance.monitoring.observed import Ended, Subject

_PREFIX: Final = "memory_maintenance"
_LAST_SUCCESS: Final = f"{_PREFIX}_last_success_timestamp_seconds"
# The collector runs as another user.
_MODE: Final = 0o644
_LONGEST_PART: Final = 40
_PATIENCE_S: Final = 2.0
"""How long another writer is waited for."""


def write(directory: Path, ended: Ended) -> None:
    """Puts the files in place, each whole or not at all. Raises OSError where it can't.

    When the last success was is taken over from the file that was there, if this run is none.
    """
    labels = {
        "server": ended.subject.server,
        "database": ended.subject.database,
        "table": ended.subject.table,
    }
    with _alone_in(directory):
        path = directory / name_of(ended.subject)
        last_success_s: float | None = ended.ended_at_s
        if not ended.succeeded:
            command = {**labels, "command": ended.subject.command}
            last_success_s = value_in(path, _LAST_SUCCESS, command, most=ended.ended_at_s)
        _put(path, _of_run(ended, labels, last_success_s))
        if ended.facts is not None:
            _put(directory / name_of(ended.subject, facts=True), _of_facts(ended, labels))


def name_of(subject: Subject, *, facts: bool = False) -> str:
    """The file's name: database, table, a mark that tells apart what reads alike, and the command."""
    whole = "\0".join((subject.server, subject.database, subject.table))
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    what = "facts" if facts else subject.command
    return (
        "-".join(
            ("memory-maintenance", *map(_plain, (subject.database, subject.table)), mark, what)
        )
        + ".prom"
    )


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text)[:_LONGEST_PART] or "unknown"


def _of_run(ended: Ended, labels: dict[str, str], last_success_s: float | None) -> bytes:
    registry = CollectorRegistry()
    labels = {**labels, "command": ended.subject.command}

    def gauge(name: str, help_: str, value: float) -> None:
        full = f"{_PREFIX}_{name}"
        Gauge(full, help_, list(labels), registry=registry).labels(**labels).set(value)

    gauge(
        "last_run_timestamp_seconds",
        "When the last run ended, seconds since 1970.",
        ended.ended_at_s,
    )
    if last_success_s is not None:
        Gauge(
            _LAST_SUCCESS,
            "When the last run that exited with 0 ended, seconds since 1970.",
            list(labels),
            registry=registry,
        ).labels(**labels).set(last_success_s)
    gauge("last_run_duration_seconds", "How long the last run took.", ended.duration_s)
    gauge("last_run_exit_code", "Exit code of the last run; 0 is success.", ended.exit_code)
    rows = Gauge(
        f"{_PREFIX}_last_run_rows",
        "Rows that the last run handled, by step and by what became of them.",
        [*labels, "step", "outcome"],
        registry=registry,
    )
    for step, outcome, number in ended.rows():
        rows.labels(**labels, step=step, outcome=outcome).set(number)
    Info(
        f"{_PREFIX}_build", "Version that made the last run.", list(labels), registry=registry
    ).labels(**labels).info({"version": ended.version})
    return generate_latest(registry)


def _of_facts(ended: Ended, labels: dict[str, str]) -> bytes:
    registry = CollectorRegistry()
    assert ended.facts is not None
    facts = Gauge(
        f"{_PREFIX}_facts",
        "Facts in the table, by durability.",
        [*labels, "durability"],
        registry=registry,
    )
    for durability, number in ended.facts.by_durability.items():
        facts.labels(**labels, durability=durability).set(number)
    for name, help_, value in (
        ("obligations_overdue", "Obligations past their deadline.", float(ended.facts.overdue)),
        (
            "facts_as_of_timestamp_seconds",
            "Instant that the facts were counted at, seconds since 1970.",
            ended.facts.as_of.timestamp(),
        ),
    ):
        Gauge(f"{_PREFIX}_{name}", help_, list(labels), registry=registry).labels(**labels).set(
            value
        )
    return generate_latest(registry)


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Keeps other writers from replacing what was read here. One that is stuck isn't waited for for ever."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    break
                time.sleep(0.01)
            except OSError:
                break  # a file system without locks
        yield
    finally:
        os.close(descriptor)


def _put(path: Path, content: bytes) -> None:
    temporary = None
    try:
        # In the same folder, since only there a rename is one step; the collector reads *.prom only.
        with tempfile.NamedTemporaryFile(
            "wb", dir=path.parent, prefix=f".{path.name[:60]}.", suffix=".tmp", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), _MODE)
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        # Gone already where all went well.
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
