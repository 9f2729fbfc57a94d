"""Commands that end in every way a command can, run through the real shell by test_cli_shell.

A program of its own: ``python -m tests.e2e.shell_commands end --how busy``.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

import typer

from memory_maintenance.cli.main import EXIT_CODES, main
from memory_maintenance.cli.options import AsOf, SharedOptions
from memory_maintenance.cli.parser import Command
from memory_maintenance.errors import (
    Busy,
    ConfigError,
    ConfigProblem,
    Denied,
    Interrupted,
    RunFailed,
    Unavailable,
    UsageError,
)
from memory_maintenance.model.result import Block, Column, Note, Outcome, Result, Table

HERE = "tests.e2e.shell_commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Result):
    """A result that shows one text, and as many rows as told."""

    text: str
    options: dict[str, Any] = field(default_factory=dict)
    rows: int = 1
    findings: bool = False

    @property
    def outcome(self) -> Outcome:
        return Outcome.FINDINGS if self.findings else Outcome.DONE

    def blocks(self) -> Sequence[Block]:
        table = Table(
            (Column("id", "right"), Column("text")), tuple([("1", self.text)] * self.rows)
        )
        return (table, Note("something is wrong", "problem")) if self.findings else (table,)


def show(
    shared: SharedOptions,
    text: Annotated[str, typer.Argument()] = "hello",
    rows: Annotated[int, typer.Option()] = 1,
    findings: Annotated[bool, typer.Option("--findings")] = False,
    as_of: AsOf = None,
) -> Result:
    """Show a text."""
    log = logging.getLogger("memory_maintenance.test")
    log.debug("looking closely")
    log.info("on my way")
    log.warning("look out")
    options = {"dsn": shared.dsn, "table": shared.table, "config": shared.config}
    return Shown(
        command="show", text=text, rows=rows, findings=findings, as_of=as_of, options=options
    )


def end(shared: SharedOptions, how: Annotated[str, typer.Option()]) -> Result:
    """End in the way that is asked for."""
    ENDS[how]()
    raise AssertionError("unreachable")


def _raises(error: Callable[[], BaseException]) -> Callable[[], NoReturn]:
    def raise_it() -> NoReturn:
        raise error()

    return raise_it


def _fault(line: int, key: str) -> ConfigProblem:
    return ConfigProblem("memory.yaml", line, key, "soon", "a duration such as 36h or never")


ENDS: dict[str, Callable[[], object]] = {
    "usage": _raises(lambda: UsageError("no such table", remedy="name one")),
    "config": _raises(
        lambda: ConfigError(
            "the configuration has 2 faults",
            problems=[_fault(3, "durability.mood.half_life"), _fault(9, "archive.min_age")],
        )
    ),
    "unavailable": _raises(lambda: Unavailable("no answer from db:5432", remedy="start it")),
    "refused": _raises(lambda: RunFailed("the server refused")),
    "busy": _raises(lambda: Busy("run 7 holds the lock", remedy="try again later")),
    "denied": _raises(lambda: Denied("no right to entity_facts")),
    "interrupted": _raises(lambda: Interrupted(signal.SIGTERM)),
    "sigint": lambda: os.kill(os.getpid(), signal.SIGINT),
    "sigterm": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "unforeseen": _raises(lambda: KeyError("no\nkey")),
    "leak": _raises(
        lambda: ValueError(
            "bad dsn postgresql://joe:s3cr3t@h/db password='s3 cr3t' and then hunter2 hunter3"
        )
    ),
    "hostile": _raises(lambda: RunFailed("duplicate key (\x1b[2Jx)")),
}

COMMANDS = (
    Command("show", f"{HERE}:show", "Show a text.", (0, 1, 2)),
    Command("end", f"{HERE}:end", "End somehow.", tuple(EXIT_CODES)),
)

if __name__ == "__main__":
    sys.exit(main(commands=COMMANDS))
