"""What observers get to see of a run. None of it holds facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memory_maintenance.model.fact_counts import FactCounts

BUSY: Final = 75
"""Exit code of a run that found another one at work, or gave up on locks."""

SIGNALLED: Final = frozenset({130, 143})
"""Exit codes of a run that a signal ended."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose run it is. server: host and port; database: its name; "" where not known. table: qualified."""

    command: str
    table: str
    server: str = ""
    database: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    exit_code: that of the process. ended_at_s: seconds since 1970. counts: as the ledger keeps them: numbers
    by what became of rows, of ``run`` by step. facts: None where they weren't counted. tail: what was logged
    last, and the error, free of secrets.
    """

    subject: Subject
    version: str
    exit_code: int
    ended_at_s: float
    duration_s: float
    run_id: int | None = None
    counts: Mapping[str, Any] | None = None
    facts: FactCounts | None = None
    tail: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether everything was done, without findings."""
        return self.exit_code == 0

    def rows(self) -> Iterator[tuple[str, str, int]]:
        """Step, outcome and rows. A command that is no ``run`` is its own step."""
        for name, value in (self.counts or {}).items():
            if isinstance(value, Mapping):
                for outcome, rows in value.items():
                    if _is_number(rows):
                        yield name, outcome, rows
            elif _is_number(value):
                yield self.subject.command, name, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
