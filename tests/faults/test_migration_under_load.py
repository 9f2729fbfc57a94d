"""Agents write at full speed while their memory migrates, is contracted and rolled back: nobody sees an
error, and nothing that anybody wrote is lost or misread."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from memory_maintenance.migration.migrate import MigrateOptions, PhaseName
from memory_maintenance.migration.rollback import DROPPING
from tests.support import legacy
from tests.support.maintained import waiting
from tests.support.migration import Connection, counts, migrated
from tests.support.server import TestDatabase
from tests.support.under_load import forward_and_back, migrate_types
from tests.support.waiting import wait_until

_MANY = 6 if os.environ.get("HYPOTHESIS_PROFILE") == "torture" else 1
ROWS = {
    data_type: _MANY * rows
    for data_type, rows in {
        "permanent": 330,
        "identity": 330,
        "preference": 80,
        "observation": 1090,
        None: 170,
    }.items()
}
PACE = 100
MERGE_FACTS = "public.merge_facts(integer, integer)"


def test_writers_see_no_error_and_every_fact_is_what_they_made_of_it(
    database: TestDatabase,
) -> None:
    with database.connect() as conn:
        legacy.legacy(conn, ROWS)
    story = forward_and_back(
        database.dsn,
        sum(ROWS.values()),
        pace=PACE,
        accept=(MERGE_FACTS,),
    )
    assert not story.failures, f"{len(story.failures)}, {story.worst}: {story.failures[:10]}"
    for when, complaints in story.wrong.items():
        assert not complaints, f"{when}: {len(complaints)}, {story.worst}: {complaints[:10]}"
    for phase in ("expand", "backfill", "verify", "contract", "rollback"):
        assert story.statements(phase, "new") > 0, f"{phase} met no writer; {story.worst}"
    assert story.statements("backfill", "old") > 0, story.worst


def waits(conn: Connection, process: int) -> bool:
    """Whether a server process waits for a lock."""
    row = conn.execute(
        "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s", [process]
    ).fetchone()
    return row == (True,)


def test_a_writer_who_takes_facts_in_another_order_than_a_batch_is_not_the_deadlocks_victim(
    database: TestDatabase,
) -> None:
    """The batch has 1 to 499 and waits for 500; the writer has 900 and goes for 100; the batch gets on."""
    conn, slow, writer = database.connect(), database.connect(), database.connect()
    legacy.legacy(conn, {"identity": 1000})
    migrated(database, options=MigrateOptions(phase="expand"))
    change = "UPDATE entity_facts SET confidence = 0.5 WHERE id = %s"
    slow.execute("BEGIN")
    slow.execute(change, [500])
    writer.execute("BEGIN")
    writer.execute(change, [900])
    options = MigrateOptions(phase="backfill", batch_rows=1000)
    with ThreadPoolExecutor(2) as pool:
        run = pool.submit(migrated, database, options=options)
        try:
            wait_until(waiting(conn))
            written = pool.submit(writer.execute, change, [100])
            wait_until(lambda: written.done() or waits(conn, writer.info.backend_pid))
            slow.execute("COMMIT")
            assert written.result(60).rowcount == 1
        finally:
            slow.execute("ROLLBACK")
            writer.execute("ROLLBACK")
        run.result(60)
    assert counts(conn) == {("permanent", "identity"): 1000}


@pytest.mark.parametrize("phase", ["contract", "rollback"])
def test_a_long_reader_keeps_the_last_step_trying_and_no_other_reader_waiting(
    phase: PhaseName, database: TestDatabase
) -> None:
    conn, long, other = database.connect(), database.connect(), database.connect()
    legacy.legacy(conn, {"identity": 10})
    migrated(database)
    # Far more than a lock is waited for, so that a busy machine does not count.
    other.execute("SET lock_timeout = '3s'")
    begun = threading.Event()

    def begin() -> None:
        long.execute("BEGIN")
        long.execute("SELECT count(*) FROM entity_facts")
        begun.set()

    def emit(_done: int, _known: int | None, what: str) -> None:
        if what == DROPPING:
            begin()

    options = MigrateOptions(phase=phase)
    if phase == "contract":
        begin()
        options = replace(options, keep_dependents=True, accept=(MERGE_FACTS,))
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(migrate_types, database.dsn, options, emit)
        try:
            assert begun.wait(60)
            for _ in range(2):
                wait_until(waiting(conn))
                assert other.execute("SELECT count(*) FROM entity_facts").fetchone() == (10,)
                wait_until(lambda: not waiting(conn)())
            assert not run.done()
        finally:
            long.execute("ROLLBACK")
        run.result(60)
    columns = conn.execute(
        "SELECT array_agg(attname::text) FROM pg_attribute"
        " WHERE attrelid = 'entity_facts'::regclass AND attname IN ('data_type', 'category')"
    ).fetchone()
    assert columns == (["category" if phase == "contract" else "data_type"],)
