"""Directories for servers of tests.

pytest's tmp_path won't do: its parents are closed to everyone but the caller, and root's server
runs under another account. Its paths are too long for sockets, besides.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "mm-tests-"
_MEMORY = Path("/dev/shm")
_DISK = Path("/tmp")
_ROOM_BYTES = 4 << 30


def _base() -> Path:
    """In memory where there is room (containers may have 64 MB): a cluster is made of syncs."""
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return _DISK
    roomy = found.f_bavail * found.f_frsize >= _ROOM_BYTES
    return _MEMORY if roomy and os.access(_MEMORY, os.W_OK) else _DISK


def make(base: Path | None = None) -> Path:
    """A new directory that every account may pass through, and only the caller may write to."""
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base or _base()))
    directory.chmod(0o711)
    return directory


@contextlib.contextmanager
def temporary(base: Path | None = None) -> Iterator[Path]:
    """Such a directory for the length of a block."""
    directory = make(base)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


def hold(directory: Path) -> int:
    """Lock directory as one in use by this process, for as long as the descriptor is open."""
    marker = directory / "in-use.new"
    descriptor = os.open(marker, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    marker.rename(directory / "in-use")  # never there unlocked, so nobody takes it for abandoned
    return descriptor


def abandoned() -> list[Path]:
    """Directories of this user's earlier sessions that ended without tidying up (SIGKILL)."""
    found = []
    markers = (base.glob(f"{PREFIX}*/in-use") for base in (_MEMORY, _DISK))
    for marker in itertools.chain.from_iterable(markers):
        if marker.stat().st_uid != os.geteuid():
            continue
        with marker.open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            found.append(marker.parent)
    return found


@contextlib.contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Be the only process in a block, among those that name the same lock file."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
