"""Debian's PostgreSQL 15, in clusters of the tests' own; it never touches the machine's."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_maintenance.database.programs import Programs

_BIN_15 = Path("/usr/lib/postgresql/15/bin")


def programs_15() -> Programs:
    """The programs of PostgreSQL 15; the test is skipped where they aren't installed."""
    if not (_BIN_15 / "postgres").exists():
        pytest.skip(f"needs PostgreSQL 15 ({_BIN_15}; Debian package postgresql-15)")
    return Programs(_BIN_15, 15)
