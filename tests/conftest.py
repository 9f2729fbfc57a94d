"""Fixtures for all tests. They are written in tests/support, each beside what it needs.

server       the session's PostgreSQL for all workers: embedded, or MEMORY_MAINTENANCE_TEST_DSN
template     a database with the legacy schema, built once
database     a copy of it for one test; empty_database: one without tables
migrated     a legacy database on which migrate-types has run
own_server   a server that one test may kill; debian15: PostgreSQL 15
each_server  the test runs on 15 and on 18; each_database: likewise
pgbouncer    a transaction pooler before the session's server
cli          the command as a subprocess, in a clean environment
"""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Under nohup, or as a shell's background job, SIGINT comes ignored, and so it would to every process that
# a test starts and interrupts. A handler of our own is not inherited.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = [
    "tests.support.skips",
    "tests.support.server",
    "tests.support.pgbouncer",
    "tests.support.command",
    "tests.support.maintained",
    "tests.support.maintenance",
]

# Databases answer when they answer: no deadline per example. Data is drawn anew for each example
# from a fixture's one database on purpose, so the check against function-scoped fixtures would
# only cry wolf.
_COMMON = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("default", _COMMON, max_examples=50)
settings.register_profile("torture", _COMMON, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long forms to `make torture`."""
    if os.environ.get("HYPOTHESIS_PROFILE") == "torture":
        return
    long = [item for item in items if item.get_closest_marker("torture")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> None:
    """Take away what would steer the tool or libpq, but for the tests' own server."""
    for name in list(os.environ):
        if name.startswith(("PG", "MEMORY_MAINTENANCE_")) and name != "MEMORY_MAINTENANCE_TEST_DSN":
            del os.environ[name]
