"""Standard output and standard error: what they can hold, and what if they can't be written."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

from memory_maintenance.errors import MaintenanceError
from memory_maintenance.model.visible import visible
from memory_maintenance.render.formats import Page

_DEFAULT_WIDTH = 80


def accept_any_text() -> None:
    """Lets both streams take any text: what their encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        # A stream is None where its descriptor was closed, and anything at all within a test.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def page(*, quiet: bool, environ: Mapping[str, str]) -> Page:
    """The page that stdout is: a terminal's width and colours, or 80 columns without."""
    out = sys.stdout
    return Page(
        width=_terminal_width(out) or _DEFAULT_WIDTH,
        color=_wants_color(out, environ),
        quiet=quiet,
        encoding=getattr(out, "encoding", None) or "utf-8",
    )


def write_result(text: str) -> None:
    """Writes the text to stdout, and makes sure that it has got there.

    A reader who left early (``| head``) has seen enough: that is no error, and the exit code stays
    what the command earned. A full disk or a closed descriptor is one: raises MaintenanceError.
    """
    if not text:
        return
    if sys.stdout is None:
        raise _unwritable("it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
    except OSError as error:
        _abandon(sys.stdout)
        raise _unwritable(error.strerror or str(error)) from None


def say(text: str) -> None:
    """Writes lines to stderr, made safe to show. Never fails: there is nowhere to say so."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(visible(text, keep="\n") + "\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def _unwritable(reason: str) -> MaintenanceError:
    return MaintenanceError(
        f"the result can't be written to standard output: {reason}",
        remedy="what the command did stands; mend the output before the next call",
    )


def _abandon(stream: TextIO) -> None:
    """Sends what the stream still holds nowhere: the interpreter's last flush must not fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # No descriptor beneath (a test's stream), or none left: nothing to redirect then.
        return


def _terminal_width(out: TextIO | None) -> int:
    """Columns of the terminal that stdout is; 0 where it is none, or doesn't know."""
    if out is None or not out.isatty():
        return 0
    try:
        return os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):
        return 0


def _wants_color(out: TextIO | None, environ: Mapping[str, str]) -> bool:
    # https://no-color.org: set and not empty, whatever the value.
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return bool(environ.get("FORCE_COLOR")) or (out is not None and out.isatty())
