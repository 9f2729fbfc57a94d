"""Logging to stderr, as loud as -q and -v say."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.secrets import Scrub
from memory_maintenance.cli.streams import say

_OURS = "memory_maintenance"


class _Lines(logging.Handler):
    """Writes "warning: text" to what stderr is at the moment: a progress bar may hold it."""

    def __init__(self, scrub: Scrub) -> None:
        super().__init__()
        self._scrub = scrub

    def emit(self, record: logging.LogRecord) -> None:
        # Logs are also where other libraries talk, and they know nothing of our secrets.
        say(self._scrub(f"{record.levelname.lower()}: {self.format(record)}"))


@contextmanager
def logging_to_stderr(shared: SharedOptions, scrub: Scrub) -> Iterator[None]:
    """Logs at ERROR under -q, else WARNING; ours at INFO under -v, at DEBUG under -vv."""
    root, ours = logging.getLogger(), logging.getLogger(_OURS)
    before = root.level, ours.level
    handler = _Lines(scrub)
    root.addHandler(handler)
    root.setLevel(logging.ERROR if shared.quiet else logging.WARNING)
    # What other libraries have to say at INFO is about themselves, and no operator's concern.
    ours.setLevel(_level(shared))
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])


def _level(shared: SharedOptions) -> int:
    if shared.quiet:
        return logging.ERROR
    return {0: logging.WARNING, 1: logging.INFO}.get(shared.verbose, logging.DEBUG)
