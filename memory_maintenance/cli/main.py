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

from memory_maintenance.cli.endings import Terminated, exit_code
from memory_maintenance.cli.logs import Log, logging_to_stderr, wanted_form
from memory_maintenance.cli.options import Call
from memory_maintenance.cli.output import write_file
from memory_maintenance.cli.parser import Command, parse
from memory_maintenance.cli.secrets import mask, scrubber
from memory_maintenance.cli.streams import accept_any_text, page, say, write_result
from memory_maintenance.errors import ConfigError, Interrupted, MaintenanceError
from memory_maintenance.render.formats import (
    AUDIT_FORMATS,
    EXTRACTION_FORMATS,
    REPORT_FORMATS,
    Page,
    renderer,
)

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
        "importance",
        "memory_maintenance.cli.importance:importance",
        "Have a model score facts that nobody has scored.",
        _CHECKING,
    ),
    Command(
        "extraction",
        "memory_maintenance.cli.extraction:extraction",
        "Print the contract for an extractor, take in answers.",
        _CHECKING,
        tuple(EXTRACTION_FORMATS),
    ),
    Command(
        "recall",
        "memory_maintenance.cli.recall:recall",
        "Find the facts that are near to a query.",
        _MAINTAINING,
    ),
    Command(
        "touch",
        "memory_maintenance.cli.pin:touch",
        "Record that facts were retrieved.",
        _MAINTAINING,
    ),
    Command(
        "pin",
        "memory_maintenance.cli.pin:pin",
        "Keep facts from fading.",
        _MAINTAINING,
    ),
    Command(
        "unpin",
        "memory_maintenance.cli.pin:unpin",
        "Let pinned facts fade again.",
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
        tuple(REPORT_FORMATS),
    ),
    Command(
        "explain",
        "memory_maintenance.cli.explain:explain",
        "Explain why a fact has the value that it has.",
        _READING,
        tuple(REPORT_FORMATS),
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


def main(argv: Sequence[str] | None = None, *, commands: Sequence[Command] = COMMANDS) -> int:
    """Runs the command that argv asks for (default: the process's), and returns its exit code.

    Nothing is raised: every error becomes a message on stderr and a code of EXIT_CODES.
    commands: what there is to choose from.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    accept_any_text()
    named = next((c.name for c in commands if arguments[:1] == [c.name]), None)
    log = Log(wanted_form(arguments), scrubber(os.environ, arguments), named)
    return _answer(arguments, commands, log)


def _answer(arguments: list[str], commands: Sequence[Command], log: Log) -> int:
    try:
        with _raising_on_sigterm():
            return _obey(arguments, commands, log)
    except MaintenanceError as error:
        return _report(error, log)
    except KeyboardInterrupt:
        return _report(Interrupted(signal.SIGINT, begun=False), log)
    except Terminated:
        return _report(Interrupted(signal.SIGTERM, begun=False), log)
    except Exception as error:  # noqa: BLE001 - the one place that catches everything
        return _report_unforeseen(error, log, verbose=_is_verbose(arguments))


def _obey(arguments: list[str], commands: Sequence[Command], log: Log) -> int:
    if not arguments:
        # From cron a bare call is a mistake, so the help comes as an error does.
        say(str(parse(["--help"], commands, EXIT_CODES)).rstrip("\n"))
        return 2
    answer = parse(arguments, commands, EXIT_CODES)
    if isinstance(answer, Call):
        return _carry_out(answer, log)
    write_result(answer)
    return 0


def _carry_out(call: Call, log: Log) -> int:
    shared = call.shared
    with logging_to_stderr(shared, log):
        result = call.run()
    render = renderer(shared.format)
    if call.output is None:
        write_result(render(result, page(quiet=shared.quiet, environ=os.environ)))
    else:
        # Whoever names a file wants it written, -q or not.
        write_file(call.output, render(result, Page()))
    return result.outcome.value


def _report(error: MaintenanceError, log: Log) -> int:
    code = exit_code(error)
    problems = [str(p) for p in error.problems] if isinstance(error, ConfigError) else []
    if log.as_json:
        log.document(
            "error",
            mask(error.message),
            exit_code=code,
            problems=[mask(problem) for problem in problems] or None,
            remedy=mask(error.remedy) if error.remedy else None,
        )
        return code
    lines = [f"error: {error.message}", *(f"  {problem}" for problem in problems)]
    if error.remedy:
        lines.append(f"  try: {error.remedy}")
    say(mask("\n".join(lines)))
    return code


def _report_unforeseen(error: Exception, log: Log, *, verbose: bool) -> int:
    trace = log.scrub("".join(traceback.format_exception(error)).rstrip("\n"))
    # One line: cron's mail and the journal show the first one.
    message = " ".join(str(error).split())
    said = log.scrub(f"internal error: {type(error).__name__}: {message}")
    advice = "report it with the traceback above" if verbose else "repeat with -v for the traceback"
    if log.as_json:
        log.document(
            "error",
            said,
            exit_code=70,
            traceback=trace if verbose else None,
            remedy=None if verbose else advice,
        )
        return 70
    if verbose:
        say(trace)
    say(said + f"\n  try: {advice}")
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
    raise Terminated
