"""Where a finding's file is for whoever reads a report: from the folder that the command was called in."""

from __future__ import annotations

from pathlib import Path

from memory_maintenance.audit.result import AuditResult
from memory_maintenance.audit.walk import tidy


def path_of(result: AuditResult, file: str) -> str:
    """The path of a file of the result, as one would open it."""
    if len(result.paths) != 1:
        return file
    given = tidy(result.paths[0])
    if given == ".":
        return file
    path = Path(given)
    # A PATH that is a file shows as its name.
    return given if path.name == file and not path.is_dir() else f"{given}/{file}"
