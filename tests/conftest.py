"""Fixtures for all tests. They are written in tests/support, each beside what it needs.

server       the session's PostgreSQL for all workers: embedded, or MEMORY_MAINTENANCE_TEST_DSN
template     a database with the legacy schema, built once
database     a copy of it for one test; empty_database: one without tables
migrated     a legacy database on which migrate-types has run; remembering: with embeddings
own_server   a server that one test may kill; debian15: PostgreSQL 15
each_server  the test runs on 15 and on 18; each_database: likewise
pgbouncer    a transaction pooler before the session's server
cli          the command as a subprocess, in a clean environment; call: within this process
browser      a page in a headless Chromium, for the tests of one module
endpoint     a chat-completions endpoint on loopback, which answers as a test says
check        one that takes pings
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

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
    "tests.support.forking",
    "tests.support.browser",
    "tests.support.command",
    "tests.support.checks",
    "tests.support.endpoint",
    "tests.support.maintained",
    "tests.support.maintenance",
    "tests.support.recalling",
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out the tests in the order of their files, and let whoever is done take over half of the rest.

    The default deals them out one by one: then every worker makes what the tests of a file share, and the
    last one may be busy for long with the others idle.
    """
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


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


@pytest.fixture(scope="session", autouse=True)
def _bytecode_is_kept(session_directory: Path) -> None:
    """Where none may be written beside the sources, let the hundreds of processes that tests start share what
    the first of them compiles."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(session_directory / "bytecode"))
