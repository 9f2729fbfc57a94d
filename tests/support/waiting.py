"""Waiting for a condition instead of for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")


def wait_until(condition: Callable[[], Seen], timeout_s: float = 60.0) -> Seen:
    """Return what condition returns as soon as that is true.

    AssertionError if it never is in timeout_s seconds, which only a failing test waits for: they are many, as
    the machine may be busy.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        seen = condition()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"{condition!r} still gives {seen!r} after {timeout_s} s")
        time.sleep(0.01)
