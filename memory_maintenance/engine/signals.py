"""SIGINT and SIGTERM as exceptions, raised in the main thread at once (spec 9)."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Signalled(KeyboardInterrupt):
    """A signal came in. A KeyboardInterrupt, since psycopg then cancels the statement under way."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


_ECHO_S = 1.0
"""A terminal and a wrapper often both pass a signal on: so soon after the first it is no second wish."""


@contextmanager
def raising() -> Iterator[None]:
    """Lets SIGINT and SIGTERM raise ``Signalled`` inside; restores the former handlers at the end.

    A signal that the process was started to ignore (nohup, a shell's background job) stays ignored. Right
    after one signal others are dropped, so that the run can be closed; later they raise again. Outside the
    main thread, where Python can't set handlers, it changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {
        number: before
        for number in (signal.SIGINT, signal.SIGTERM)
        if (before := signal.getsignal(number)) is not signal.SIG_IGN
    }
    came_at: float | None = None

    def handler(number: int, _frame: FrameType | None) -> None:
        nonlocal came_at
        now = time.monotonic()
        if came_at is not None and now - came_at < _ECHO_S:
            return
        came_at = now
        raise Signalled(number)

    for number in former:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in former.items():
            # None: a handler that wasn't set from Python, and can't be set back by it.
            signal.signal(number, signal.SIG_DFL if before is None else before)
