"""A result into a file: whole, or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer

from memory_maintenance.errors import UsageError

# What a result shows of people's lives is nobody else's business, until its owner says so.
_MODE: Final = 0o600


def _named(text: str | Path) -> Path | None:
    # Compared as text: a Path would take ./- for the same.
    return None if text == "-" else Path(text)


Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        parser=_named,
        metavar="FILE",
        help="Write the result there, all of it or nothing (default, and -: stdout).",
        show_default=False,
    ),
]
"""A command that has this as its parameter ``output`` gets its result written there."""


def place_for(path: Path) -> Path:
    """Where a file of that name is to be written: where a link leads to.

    Raises UsageError where it can't be: something else stands there, there is no such folder, or nothing
    may be created in it. Asked before the work is done; ``write_file`` asks again.
    """
    try:
        place = Path(os.path.realpath(path))
        mode = place.lstat().st_mode
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    else:
        if not stat.S_ISREG(mode):
            raise UsageError(
                f"can't write {path}: it is {_kind(mode)}",
                remedy="name a regular file, or one that doesn't exist yet; - is stdout",
            )
    folder = place.parent
    if not folder.is_dir():
        raise UsageError(f"can't write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"can't write {path}: no permission to create files in {folder}")
    return place


def write_file(path: Path, text: str) -> None:
    """Puts a file in place whole, or leaves what was there; as UTF-8.

    A new one is for its owner only, one that was there keeps its mode. Raises UsageError where it can't.
    """
    place = place_for(path)
    temporary = None
    try:
        # In the same folder: only there a rename is one step.
        with tempfile.NamedTemporaryFile(
            "wb", dir=place.parent, prefix=f".{place.name[:60]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text.encode())
            file.flush()
            os.fchmod(file.fileno(), _mode_for(place))
            os.fsync(file.fileno())
        temporary.replace(place)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        # Gone already where all went well; a signal must not leave it either.
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
    _keep_entry(place.parent)


def _keep_entry(folder: Path) -> None:
    """Makes the rename itself last. Not every file system can: the file is whole all the same."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode_for(place: Path) -> int:
    with suppress(FileNotFoundError):
        return stat.S_IMODE(place.stat().st_mode)
    return _MODE


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    return "no regular file"


def _unwritable(path: Path, error: OSError | ValueError) -> UsageError:
    reason = getattr(error, "strerror", None) or "no file name"
    return UsageError(f"can't write {path}: {reason}")
