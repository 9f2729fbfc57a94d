"""What goes to stderr, as loud as -q and -v say: lines for people, or JSON for collectors.

In JSON every line is an object with timestamp, level, logger and message, and with command, table, run_id and
step where they are known. Errors are such lines too, those of the command line included.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

from memory_maintenance.cli.options import LOG_FORMATS, SharedOptions
from memory_maintenance.cli.secrets import Scrub
from memory_maintenance.cli.streams import say

_OURS: Final = "memory_maintenance"
_DRIVER: Final = "psycopg"


class Log:
    """Writes lines to what stderr is at the moment: a progress bar may hold it.

    form: one of LOG_FORMATS. scrub: takes secrets out of what others worded. command: None while unknown.
    """

    def __init__(self, form: str, scrub: Scrub, command: str | None = None) -> None:
        self.scrub = scrub
        self.as_json = form == "json"
        self._known: dict[str, Any] = {} if command is None else {"command": command}
        self._step: Callable[[], str | None] = lambda: None

    def know(self, *, step: Callable[[], str | None] | None = None, **fields: Any) -> None:
        """What every line says from now on, in JSON. step: tells which one is under way."""
        self._known.update(fields)
        if step is not None:
            self._step = step

    def document(self, level: str, message: str, at_s: float | None = None, **more: Any) -> None:
        """A line of JSON. Text in it must be free of secrets already."""
        at = datetime.now(UTC) if at_s is None else datetime.fromtimestamp(at_s, UTC)
        step = self._step()
        line = {
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": level,
            "logger": _OURS,
            "message": message,
            **self._known,
            **({} if step is None else {"step": step}),
            **{name: value for name, value in more.items() if value is not None},
        }
        # ASCII: nothing in it can steer a terminal, or needs to be made safe afterwards.
        say(json.dumps(line))


class _Handler(logging.Handler):
    """Hands what is logged to a Log."""

    def __init__(self, log: Log, level: int) -> None:
        super().__init__(level)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        # Logs are also where other libraries talk, and they know nothing of our secrets.
        scrub = self.log.scrub
        level = record.levelname.lower()
        message, trace = _words(record), None
        if record.exc_info:
            trace = logging.Formatter().formatException(record.exc_info)
        if not self.log.as_json:
            said = message if trace is None else f"{message}\n{trace}"
            say(scrub(f"{level}: {said}"))
            return
        self.log.document(
            level,
            scrub(message),
            record.created,
            logger=record.name,
            traceback=None if trace is None else scrub(trace),
        )


def _words(record: logging.LogRecord) -> str:
    """What is said. A line that its author can't put together must not end the command."""
    try:
        return record.getMessage().rstrip("\n")
    except Exception:  # noqa: BLE001 - others' arguments may raise anything
        return str(record.msg)


def wanted_form(arguments: Sequence[str]) -> str:
    """The --log-format of a command line, read from the raw arguments: parsing them may be what failed."""
    form = "text"
    for position, argument in enumerate(arguments):
        name, given, value = argument.partition("=")
        if name == "--log-format":
            form = value if given else "".join(arguments[position + 1 : position + 2])
    return form if form in LOG_FORMATS else "text"


def known(**fields: Any) -> None:
    """Adds to what every line of the command under way says, as ``Log.know`` does."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _Handler):
            handler.log.know(**fields)


@contextmanager
def logging_to_stderr(shared: SharedOptions, log: Log) -> Iterator[None]:
    """Logs at ERROR under -q, else WARNING; ours at INFO under -v, at DEBUG under -vv."""
    root, ours, driver = (logging.getLogger(name) for name in (None, _OURS, _DRIVER))
    before = root.level, ours.level, driver.level
    level = _level(shared)
    handler = _Handler(log, level)
    root.addHandler(handler)
    root.setLevel(logging.ERROR if shared.quiet else logging.WARNING)
    # What other libraries have to say at INFO is about themselves, and no operator's concern. Under -q
    # warnings are made all the same: whoever is told of a failure gets them.
    ours.setLevel(min(level, logging.WARNING))
    # When a signal cuts a statement off, it warns of the transaction that it can't roll back any more: the
    # server does that, and we say ourselves what happened.
    if not shared.verbose:
        driver.setLevel(logging.ERROR)
    # Python's own warnings would go to stderr as they are, whatever -q and --log-format say.
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])
        driver.setLevel(before[2])


def _level(shared: SharedOptions) -> int:
    if shared.quiet:
        return logging.ERROR
    return {0: logging.WARNING, 1: logging.INFO}.get(shared.verbose, logging.DEBUG)
