"""A reader whose transaction lasts: expand doesn't make the other readers pay for it."""

from __future__ import annotations

import re
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from memory_maintenance.migration.actions import LOCK_TIMEOUT
from tests.support import legacy
from tests.support.command import Command
from tests.support.migration import columns_of, contents, counts
from tests.support.server import TestDatabase

PRODUCTION: dict[str | None, int] = {
    "permanent": 84,
    "identity": 82,
    "preference": 4,
    "observation": 400,
}
MINUTE_S = 60
# For the machine, on top of what a reader waits for the lock.
SLACK_S = 0.6


def worst_wait_s(database: TestDatabase, until: Future[Any]) -> float:
    """How long the slowest of many reads took, one after the other until something has ended."""
    reader = database.connect()
    worst = 0.0
    while not until.done():
        began = time.monotonic()
        reader.execute("SELECT count(*) FROM entity_facts")
        worst = max(worst, time.monotonic() - began)
    return worst


@pytest.mark.torture
def test_expand_goes_on_trying_for_a_minute_and_then_succeeds(
    database: TestDatabase, cli: Command
) -> None:
    conn, holder = database.connect(), database.connect(autocommit=False)
    legacy.legacy(conn, PRODUCTION)
    holder.execute("LOCK TABLE entity_facts IN ACCESS SHARE MODE")
    with ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        held = pool.submit(holder.execute, "SELECT pg_sleep(%s)", [MINUTE_S])
        run = pool.submit(
            cli, "migrate-types", "--phase", "expand", "--dsn", database.dsn, "-v", timeout=300
        )
        worst = worst_wait_s(database, held)
        assert not run.done(), run.result().stderr
        holder.rollback()
        done = run.result()
    assert time.monotonic() - began >= MINUTE_S
    assert done.returncode == 0, done.stderr
    attempts = re.findall(r"attempt (\d+) of \d+ met a lock", done.stderr)
    assert len(attempts) >= MINUTE_S / 6, done.stderr
    assert worst <= LOCK_TIMEOUT.total_seconds() + SLACK_S
    assert {"durability", "category"} <= columns_of(conn).keys()


@pytest.mark.torture
def test_with_its_retries_used_up_expand_exits_75_and_the_table_is_as_it_was(
    database: TestDatabase, cli: Command
) -> None:
    conn, holder = database.connect(), database.connect(autocommit=False)
    legacy.legacy(conn, PRODUCTION)
    before = columns_of(conn), contents(conn)
    holder.execute("LOCK TABLE entity_facts IN ACCESS SHARE MODE")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(
            cli, "migrate-types", "--phase", "expand", "--dsn", database.dsn, timeout=600
        )
        worst = worst_wait_s(database, run)
        done = run.result()
    assert done.returncode == 75, done.stderr
    assert "try" in done.stderr
    assert worst <= LOCK_TIMEOUT.total_seconds() + SLACK_S
    assert (columns_of(conn), contents(conn)) == before
    holder.rollback()
    assert cli("migrate-types", "--dsn", database.dsn, timeout=120).returncode == 0
    assert counts(conn) == {
        ("permanent", "identity"): 166,
        ("long_term", "preference"): 4,
        ("long_term", "observation"): 400,
    }
