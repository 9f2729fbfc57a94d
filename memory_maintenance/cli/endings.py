"""How an exception ends a command: its exit code."""

from __future__ import annotations

from memory_maintenance.errors import Interrupted, MaintenanceError


class Terminated(BaseException):
    """SIGTERM. No Exception, so that no handler on the way takes it for an ordinary failure."""


def exit_code(error: BaseException) -> int:
    """The exit code of a command that this leaves (spec 9)."""
    match error:
        case Interrupted():
            return error.status
        case MaintenanceError():
            return error.exit_code
        case KeyboardInterrupt():
            return 130
        case Terminated():
            return 143
    return 70
