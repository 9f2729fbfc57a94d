"""SIGINT and SIGTERM as exceptions, raised in the main thread at once (spec 9)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Signalled(KeyboardInterrupt):
    """A signal came in. A KeyboardInterrupt, since psycopg then cancels the statement under way."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def raising() -> Iterator[None]:
    """Lets SIGINT and SIGTERM raise ``Signalled`` inside; restores the former handlers at the end.

    Outside the main thread, where Python can't set handlers, it changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handler(number: int, _frame: FrameType | None) -> None:
        raise Signalled(number)

    for number in former:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in former.items():
            signal.signal(number, before)
