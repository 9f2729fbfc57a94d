"""A progress bar on stderr, for a person who watches; nothing for cron, a pipe or a log file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from memory_maintenance.cli.options import SharedOptions

# done, total (None where unknown) and a label: which step it is. A new label starts a new bar.
Emit = Callable[[int, int | None, str], None]


@contextmanager
def progress_reporter(
    shared: SharedOptions, *, environ: Mapping[str, str] = os.environ
) -> Iterator[Emit]:
    """An ``emit(done, total, label)`` that draws, or does nothing where nobody would see it.

    It draws only on a terminal that can move its cursor, and neither under --quiet nor for JSON,
    whose reader is a program.
    """
    as_json = "json" in (shared.format, shared.log_format)
    if shared.quiet or as_json or not _can_draw(environ):
        yield _silence
        return
    # Deferred: rich's progress costs more to import than a small command takes to run.
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, no_color=bool(environ.get("NO_COLOR")), highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    # transient: the result says what was done, a full bar above it says nothing more. stdout is
    # left alone: it belongs to the result.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bars:
        tasks = {}

        def emit(done: int, total: int | None, label: str) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(escape(label), total=total)
            bars.update(tasks[label], completed=done, total=total)

        yield emit


def _silence(done: int, total: int | None, label: str) -> None:
    """Report to nobody."""


def _can_draw(environ: Mapping[str, str]) -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and environ.get("TERM") != "dumb"
