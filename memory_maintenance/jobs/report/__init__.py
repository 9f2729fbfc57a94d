"""``report``: what the memory holds, one module a section, in the order of SECTIONS."""

from __future__ import annotations

from typing import Final

SECTIONS: Final[dict[str, str]] = {
    "composition": "memory_maintenance.jobs.report.composition:collect",
    "faded": "memory_maintenance.jobs.report.faded:collect",
    "forecast": "memory_maintenance.jobs.report.forecast:collect",
    "comparison": "memory_maintenance.jobs.report.comparison:collect",
    "obligations": "memory_maintenance.jobs.report.obligations:collect",
    "decisions": "memory_maintenance.jobs.report.decisions:collect",
    "moods": "memory_maintenance.jobs.report.moods:collect",
    "problems": "memory_maintenance.jobs.report.problems:collect",
    "suspicious": "memory_maintenance.jobs.report.suspicious:collect",
    "duplicates": "memory_maintenance.jobs.report.duplicates:collect",
    "accesses": "memory_maintenance.jobs.report.accesses:collect",
    "runs": "memory_maintenance.jobs.report.runs:collect",
    "health": "memory_maintenance.jobs.report.health:collect",
}
"""Name of a section, which is its JSON key, and the function that collects it from a ``Scope``."""
