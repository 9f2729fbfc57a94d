"""``report``: what the memory holds, one module a section, in the order of SECTIONS."""

from __future__ import annotations

from typing import Final

SECTIONS: Final[dict[str, str]] = {
    "composition": "memory_maintenance.jobs.report.composition:collect",
    "problems": "memory_maintenance.jobs.report.problems:collect",
    "runs": "memory_maintenance.jobs.report.runs:collect",
}
"""Name of a section, which is its JSON key, and the function that collects it from a ``Scope``."""
