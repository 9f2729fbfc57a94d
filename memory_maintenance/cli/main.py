"""The entry point: reads the command line, runs the command, shows its result, exits.

The table of commands is here, and the only place where an outcome or an error becomes an exit code.
stdout carries the result and nothing else; errors, logs and progress go to stderr, in every format.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from memory_maintenance.cli.logs import logging_to_stderr
from memory_maintenance.cli.options import Call
from memory_maintenance.cli.parser import Command, parse
from memory_maintenance.cli.secrets import Scrub, mask, scrubber
from memory_maintenance.cli.streams import accept_any_text, page, say, write_result
from memory_maintenance.errors import ConfigError, Interrupted, MaintenanceError
from memory_maintenance.render.formats import AUDIT_FORMATS, renderer

EXIT_CODES: dict[int, str] = {
    0: "done",
    1: "findings, or a check that failed",
    2: "wrong usage or configuration",
    69: "database unreachable",
    70: "internal error, or a statement that the server refused",
    75: "another run holds the lock, or locks were not to be had: try later",
    77: "permission denied by the database",
    130: "interrupted (SIGINT)",
    143: "terminated (SIGTERM)",
}

# How each kind of command can end, 130 and 143 apart. What changes the table as a whole takes the
# lock.
_READING = (0, 2, 69, 70, 77)
_MAINTAINING = (0, 2, 69, 70, 75, 77)
_CHECKING = (0, 1, 2, 69, 70, 75, 77)

COMMANDS = (
    Command(
        "run",
        "memory_maintenance.cli.run:run",
        "Do the hourly upkeep: every step that is configured.",
        _CHECKING,
    ),
    Command(
        "migrate-types",
        "memory_maintenance.cli.migrate_types:migrate_types",
        "Move from data_type to durability and category.",
        _CHECKING,
    ),
    Command(
        "decay",
        "memory_maintenance.cli.decay:decay",
        "Let confidence and importance decay.",
        _MAINTAINING,
    ),
    Command(
        "expire-obligations",
        "memory_maintenance.cli.expire_obligations:expire_obligations",
        "Infer deadlines, and mark what is overdue.",
        _MAINTAINING,
    ),
    Command(
        "obligations",
        "memory_maintenance.cli.obligations:obligations",
        "List obligations, or settle or move one.",
        _MAINTAINING,
    ),
    Command(
        "decisions",
        "memory_maintenance.cli.decisions:decisions",
        "List, show, record, supersede or reopen decisions.",
        _MAINTAINING,
    ),
    Command(
        "context",
        "memory_maintenance.cli.context:context",
        "Show what an agent needs before it speaks.",
        _READING,
    ),
    Command(
        "report",
        "memory_maintenance.cli.report:report",
        "Show what the memory holds, and the last runs.",
        _READING,
    ),
    Command(
        "check-config",
        "memory_maintenance.cli.check_config:check_config",
        "Check the configuration and show the policy it makes.",
        (0, 1, 2, 69, 70, 77),
    ),
    Command(
        "audit-data-type-refs",
        "memory_maintenance.cli.audit_data_type_refs:audit_data_type_refs",
        "Find what still uses data_type, in code and database.",
        (0, 1, 2, 69, 70, 77),
        tuple(AUDIT_FORMATS),
    ),
    Command(
        "demo",
        "memory_maintenance.cli.demo:demo",
        "Try it all on a made-up memory.",
        _CHECKING,
    ),
)


class _Terminated(BaseException):
    """SIGTERM. No Exception, so that no handler on the way takes it for an ordinary failure."""


def main(argv: Sequence[str] | None = None, *, commands: Sequence[Command] = COMMANDS) -> int:
    """Runs the command that argv asks for (default: the process's), and returns its exit code.

    Nothing is raised: every error becomes a message on stderr and a code of EXIT_CODES.
    commands: what there is to choose from.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    accept_any_text()
    return _answer(arguments, commands, scrubber(os.environ, arguments))


def _answer(arguments: list[str], commands: Sequence[Command], scrub: Scrub) -> int:
    try:
        with _raising_on_sigterm():
            return _obey(arguments, commands, scrub)
    except MaintenanceError as error:
        return _report(error)
    except KeyboardInterrupt:
        return _report(Interrupted(signal.SIGINT, begun=False))
    except _Terminated:
        return _report(Interrupted(signal.SIGTERM, begun=False))
    except Exception as error:  # noqa: BLE001 - the one place that catches everything
        return _report_unforeseen(error, scrub, verbose=_is_verbose(arguments))


def _obey(arguments: list[str], commands: Sequence[Command], scrub: Scrub) -> int:
    if not arguments:
        # From cron a bare call is a mistake, so the help comes as an error does.
        say(str(parse(["--help"], commands, EXIT_CODES)).rstrip("\n"))
        return 2
    answer = parse(arguments, commands, EXIT_CODES)
    if isinstance(answer, Call):
        return _carry_out(answer, scrub)
    write_result(answer)
    return 0


def _carry_out(call: Call, scrub: Scrub) -> int:
    shared = call.shared
    with logging_to_stderr(shared, scrub):
        result = call.run()
    render = renderer(shared.format)
    write_result(render(result, page(quiet=shared.quiet, environ=os.environ)))
    return result.outcome.value


def _report(error: MaintenanceError) -> int:
    lines = [f"error: {error.message}"]
    if isinstance(error, ConfigError):
        lines += [f"  {problem}" for problem in error.problems]
    if error.remedy:
        lines.append(f"  try: {error.remedy}")
    say(mask("\n".join(lines)))
    return error.status if isinstance(error, Interrupted) else error.exit_code


def _report_unforeseen(error: Exception, scrub: Scrub, *, verbose: bool) -> int:
    if verbose:
        say(scrub("".join(traceback.format_exception(error)).rstrip("\n")))
    # One line: cron's mail and the journal show the first one.
    message = " ".join(str(error).split())
    advice = "report it with the traceback above" if verbose else "repeat with -v for the traceback"
    say(scrub(f"internal error: {type(error).__name__}: {message}") + f"\n  try: {advice}")
    return 70


def _is_verbose(arguments: Sequence[str]) -> bool:
    """Whether -v was given. Read from the raw arguments: parsing them may be what failed."""
    return any(re.fullmatch(r"-v+|--verbose", argument) for argument in arguments)


@contextmanager
def _raising_on_sigterm() -> Iterator[None]:
    """SIGTERM raises here, as SIGINT does anyway; a run puts its own handlers over both."""
    inherited = signal.getsignal(signal.SIGTERM)
    # Whoever started us with SIGTERM ignored wants it ignored; and only the main thread may set
    # handlers.
    if inherited is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, inherited)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated
