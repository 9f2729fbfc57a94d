"""PostgreSQL's own client programs, run as an operator runs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from memory_maintenance.database.programs import Programs
from tests.support.server import TestDatabase


def psql(database: TestDatabase, script: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script by psql, to its end or its first error."""
    program = Programs.from_wheel().path("psql")
    return subprocess.run(
        [program, "--no-psqlrc", "--quiet", f"--file={script}", f"--dbname={database.dsn}"],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def schema_dump(database: TestDatabase) -> str:
    """What pg_dump says of every schema but ours: owners, grants and comments included."""
    program = Programs.from_wheel().path("pg_dump")
    done = subprocess.run(
        [
            program,
            *("--schema-only", "--exclude-schema=memory_maintenance", "--restrict-key=x"),
            f"--dbname={database.dsn}",
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
