"""Every error of ours and its exit code, in one table.

| exit | class         | when                                                                     |
|------|---------------|--------------------------------------------------------------------------|
| 2    | UsageError    | options, no target, unknown table or column, database not migrated yet   |
| 2    | ConfigError   | the YAML file                                                            |
| 69   | Unavailable   | no answer from the server, connection lost, transaction pooler           |
| 70   | RunFailed     | the server refused a statement for a reason that retrying won't change   |
| 75   | Busy          | another run holds the lock; retries on locks are used up                 |
| 77   | Denied        | the database denied permission                                           |
| 130  | Interrupted   | SIGINT (SIGTERM: 143)                                                     |

Exit codes 0 and 1 belong to results, not errors: see ``model.result.Outcome``. Only ``cli.main``
turns an error into an exit code. A message says what is wrong and where; a remedy says what to do next,
best of all a command to type.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


class MaintenanceError(Exception):
    """Something that stopped a command, said for the operator: what, where, and how to mend it."""

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(MaintenanceError):
    """The command can't be carried out as given, on this database."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One fault of a configuration file.

    file: the path as given, or "built-in". line: 1-based, None where the fault has no place of its own.
    key: dotted path such as "durability.mood.half_life". seen: the value found, already masked where
    it may be a secret. allowed: what would be right.
    """

    file: str
    line: int | None
    key: str
    seen: str | None
    allowed: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        seen = "" if self.seen is None else f" is {self.seen}"
        return f"{place}: {self.key}{seen}; {self.allowed}"


class ConfigError(MaintenanceError):
    """The configuration is wrong. Holds all of its faults, not the first only."""

    exit_code = 2

    def __init__(
        self, message: str, *, problems: Sequence[ConfigProblem] = (), remedy: str | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.problems = tuple(problems)


class Unavailable(MaintenanceError):
    """The database can't be reached, or not in a way that a run could rely on."""

    exit_code = 69


class RunFailed(MaintenanceError):
    """The server refused a statement, and trying again won't help."""

    exit_code = 70


class Busy(MaintenanceError):
    """Someone else is at it: trying again later will help."""

    exit_code = 75


class Denied(MaintenanceError):
    """The database denied permission, or is read-only."""

    exit_code = 77


class Interrupted(MaintenanceError):
    """A signal ended the command. begun: it was a run, of which what was committed stays."""

    exit_code = 130

    def __init__(self, signal_number: int, *, begun: bool = True) -> None:
        name = signal.Signals(signal_number).name
        remedy = "run it again: the next run completes it" if begun else "run it again"
        super().__init__(f"interrupted by {name}", remedy=remedy)
        self.signal_number = signal_number

    @property
    def status(self) -> int:
        """128 + the signal's number, as a shell reports it: 130 or 143."""
        return 128 + self.signal_number
