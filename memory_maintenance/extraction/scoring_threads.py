"""Threads that ask, while the main one reads and writes the database."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from memory_maintenance.extraction.scoring_asking import Answer
from memory_maintenance.extraction.scoring_rows import Fact

_GLANCE_S: Final = 0.5
"""A signal that comes just as a thread begins to wait wakes nobody: it is seen when the wait ends."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A batch and what became of it."""

    facts: Sequence[Fact]
    answer: Answer


class Threads:
    """So many threads. They are daemons: a request under way keeps no process from ending."""

    def __init__(self, ask: Callable[[Sequence[Fact]], Answer], count: int) -> None:
        self._ask = ask
        self._asked: queue.SimpleQueue[Sequence[Fact] | None] = queue.SimpleQueue()
        # Not a semaphore: that is written in Python, and a signal may raise anywhere within.
        self._came: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        self.answered: deque[Answered] = deque()
        """What came and isn't stored yet, the oldest first; whoever has stored one takes it out."""
        self.under_way = 0
        for thread in self._threads:
            thread.start()

    def put(self, facts: Sequence[Fact]) -> None:
        """Has a batch asked about."""
        self.under_way += 1
        self._asked.put(facts)

    def wait(self) -> Answered:
        """The oldest that came; waits for it. It stays in ``answered``."""
        while True:
            try:
                self._came.get(timeout=_GLANCE_S)
            except queue.Empty:
                continue
            self.under_way -= 1
            return self.answered[0]

    def end(self) -> None:
        """Lets the threads end, once what is under way is."""
        for _ in self._threads:
            self._asked.put(None)

    def join(self) -> None:
        """Waits until they have."""
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (facts := self._asked.get()) is not None:
            try:
                answer = self._ask(facts)
            except BaseException as error:  # noqa: BLE001 - raised by the main thread
                answer = Answer("stop", error=error)
            self.answered.append(Answered(facts, answer))
            self._came.put(None)
