"""The last lines that a run logged, for whoever is told that it failed."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

_LINES: Final = 40
_LONGEST_LINE: Final = 500
MOST_BYTES: Final = 10_000


class LogTail(logging.Handler):
    """Keeps the last lines, as text, made free of secrets by ``scrub``. No traceback: one may quote facts."""

    def __init__(self, scrub: Callable[[str], str]) -> None:
        super().__init__(logging.INFO)
        self._scrub = scrub
        self._lines: deque[str] = deque(maxlen=_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line."""
        try:
            self.add(f"{record.levelname.lower()}: {record.getMessage()}")
        except Exception:  # noqa: BLE001 - as every handler of the standard library does
            self.handleError(record)

    def add(self, text: str) -> None:
        """Keeps the lines of a text."""
        for line in self._scrub(text).splitlines():
            self._lines.append(line[:_LONGEST_LINE])

    def text(self) -> str:
        """The lines, oldest first: the last ones that fit into MOST_BYTES of UTF-8."""
        whole = "\n".join(self._lines).encode("utf-8", "backslashreplace")
        if len(whole) <= MOST_BYTES:
            return whole.decode()
        # From the first whole line on, so that no character is cut either.
        _, _, rest = whole[-MOST_BYTES:].partition(b"\n")
        return rest.decode()
