"""Reads a command line into a Call, or into the text that answers it: help or version.

Commands are loaded when they are called, or when their own help is wanted. The list of commands
comes from a table, so that ``memory-maintenance --help`` imports none of them.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import io
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memory_maintenance import __version__
from memory_maintenance.cli.options import Call, bind
from memory_maintenance.errors import UsageError
from memory_maintenance.render.formats import FORMATS

PROGRAM = "memory-maintenance"

# Older typers use the click that is installed, newer ones carry their own. This is the name for
# "any complaint about the command line" that both have: BadParameter < UsageError < ClickException.
_Complaint: type[Exception] = typer.BadParameter.__mro__[2]

# rich_markup_mode None: plain help and errors, which read the same in a terminal, a mail and a log.
_PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: its name, where it is ("module:function"), what it does, how it can end.

    help: one line, for the list of commands. exits: its exit codes apart from 130 and 143, which
    any command can end with. formats: those of its result.
    """

    name: str
    target: str
    help: str
    exits: tuple[int, ...]
    formats: tuple[str, ...] = tuple(FORMATS)


def parse(
    arguments: Sequence[str], commands: Sequence[Command], exit_codes: Mapping[int, str]
) -> Call | str:
    """The call that the arguments ask for, or the text that answers them.

    exit_codes: code -> meaning, for the help. Raises UsageError for a command line that can't be
    read.
    """
    group = _group(commands, exit_codes)
    answer = io.StringIO()
    try:
        # The parser prints help itself. Caught here, it is written where every result is written.
        with (
            contextlib.redirect_stdout(answer),
            group.make_context(PROGRAM, list(arguments)) as context,
        ):
            call = group.invoke(context)
    except typer.Exit:
        return answer.getvalue().rstrip("\n") + "\n"
    except _Complaint as complaint:
        raise _usage_error(complaint) from None
    assert isinstance(call, Call)
    return call


class _Group(TyperGroup):
    """The commands of a table, loaded one at a time."""

    table: Mapping[str, Command]
    exit_codes: Mapping[int, str]

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(self.table)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        command = self.table.get(cmd_name)
        return None if command is None else _load(command, self.exit_codes)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # The parser's own suggestions know only commands that are loaded.
        name = args[0]
        if name not in self.table:
            close = difflib.get_close_matches(name, self.table, n=1)
            ctx.fail(f"no such command: {name}" + (f"; did you mean {close[0]}?" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(c.name, c.help) for c in self.table.values()])

    def format_epilog(self, _ctx: Any, formatter: Any) -> None:
        _write_exits(self.exit_codes, formatter)


class _Subcommand(TyperCommand):
    """A command whose help ends with its exit codes."""

    exits: Mapping[int, str]

    def format_epilog(self, _ctx: Any, formatter: Any) -> None:
        _write_exits(self.exits, formatter)


def _write_exits(exits: Mapping[int, str], formatter: Any) -> None:
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), meaning) for code, meaning in exits.items()])


def _group(commands: Sequence[Command], exit_codes: Mapping[int, str]) -> _Group:
    app = typer.Typer(cls=_Group, context_settings=_context_settings(), **_PLAIN)
    app.callback()(_root)
    group = get_command(app)
    assert isinstance(group, _Group)
    group.table = {command.name: command for command in commands}
    group.exit_codes = exit_codes
    return group


def _load(command: Command, exit_codes: Mapping[int, str]) -> Any:
    module, _, function = command.target.partition(":")
    bound = bind(getattr(importlib.import_module(module), function), command.formats)
    app = typer.Typer(**_PLAIN)
    app.command(command.name, cls=_Subcommand, context_settings=_context_settings())(bound)
    loaded = get_command(app)
    assert isinstance(loaded, _Subcommand)
    loaded.exits = {c: text for c, text in exit_codes.items() if c in command.exits or c > 128}
    return loaded


def _context_settings() -> dict[str, Any]:
    # 80 columns whatever the terminal: longer lines read badly, and mails wrap them.
    return {"help_option_names": ["-h", "--help"], "max_content_width": 80}


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show versions and exit.",
            callback=lambda wanted: _show_version() if wanted else None,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Upkeep of AI agents' long-term memory in PostgreSQL.

    Shared options (--dsn, --config, --table, --format, -q, -v, --log-format) go after the command.
    "COMMAND --help" explains each.
    """


def _show_version() -> None:
    typer.echo(f"{PROGRAM} {__version__}\nPython {platform.python_version()}\n{_driver()}")
    raise typer.Exit


def _driver() -> str:
    """The version of psycopg and of the libpq beneath it, or why there is none."""
    try:
        # Deferred: takes longer to import than all that --version and --help need.
        import psycopg
    except ImportError as error:
        return f"psycopg {metadata.version('psycopg')}, unusable: {error}"
    libpq = psycopg.pq.version()
    return f"psycopg {psycopg.__version__}, libpq {libpq // 10000}.{libpq % 10000}"


def _usage_error(complaint: Any) -> UsageError:
    message = complaint.format_message().rstrip(".")
    context = getattr(complaint, "ctx", None)
    command = PROGRAM if context is None else context.command_path
    return UsageError(message[:1].lower() + message[1:], remedy=f"{command} --help")
