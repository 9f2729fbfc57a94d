"""migrate-types where a step was committed and its answer lost: the step runs again and does nothing.

A commit that waits for a standby that never comes is durable and seen by nobody yet. The backend that is
ended then leaves behind exactly what a cut connection leaves: a commit that nobody heard of.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_maintenance.migration.migrate import MigrateOptions
from memory_maintenance.migration.result import MigrateResult
from tests.support import legacy
from tests.support.migration import Connection, counts, migrated
from tests.support.server import TestDatabase, TestServer, fresh_database, private_server
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def lonely(session_directory: Path) -> Iterator[TestServer]:
    """A server whose synchronous commits wait for a standby that does not exist."""
    options = {"synchronous_standby_names": "nobody"}
    with private_server(session_directory, options=options) as mine:
        yield mine


@contextmanager
def unanswered(database: TestDatabase, statement: str) -> Iterator[None]:
    """The commit of a transaction with DDL whose text matches statement waits for the standby."""
    conn = database.connect()
    conn.execute(
        f"""CREATE FUNCTION wait_for_standby() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF pg_catalog.current_query() ~ '{statement}' THEN
                PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
            END IF;
        END $$""".encode()
    )
    conn.execute("CREATE EVENT TRIGGER slow ON ddl_command_end EXECUTE FUNCTION wait_for_standby()")
    try:
        yield
    finally:
        conn.execute("DROP EVENT TRIGGER slow")
        # Whoever still waits is let go.
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        )


def end_each_backend_that_waits(conn: Connection, run: Future[MigrateResult]) -> int:
    """Their number, once the run is over: the facts and their archive both have such statements."""

    def waiting() -> int | None:
        found = conn.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE wait_event = 'SyncRep' AND datname = current_database()"
        ).fetchone()
        return None if found is None else int(found[0])

    ended = 0
    while wait_until(lambda: run.done() or waiting() is not None) and not run.done():
        conn.execute("SELECT pg_terminate_backend(%s, 5000)", [waiting()])
        ended += 1
    return ended


@pytest.mark.parametrize(
    ("create", "statement"),
    [
        (True, 'CREATE TABLE "public"'),
        (False, 'CREATE TRIGGER "memory_maintenance_10'),
        (False, 'VALIDATE CONSTRAINT "chk_importance"'),
        (False, "SET NOT NULL"),
        (False, "DROP CONSTRAINT"),
    ],
)
def test_a_step_whose_commit_was_not_heard_of_is_not_done_twice(
    lonely: TestServer, create: bool, statement: str
) -> None:
    with fresh_database(lonely, "template0") as database, ThreadPoolExecutor(1) as pool:
        conn = database.connect()
        if not create:
            legacy.build(conn)
            legacy.legacy(conn, {"identity": 3})
        with unanswered(database, statement):
            run = pool.submit(migrated, database, options=MigrateOptions(create=create))
            assert end_each_backend_that_waits(conn, run) > 0
            result = run.result()
        assert result.verified is True
        assert counts(conn) == ({} if create else {("permanent", "identity"): 3})
        noted = conn.execute(
            "SELECT array_length(columns_added, 1) FROM memory_maintenance.migration"
            " ORDER BY table_name"
        ).fetchall()
        assert noted == ([(None,)] if create else [(12,), (2,)])
        assert migrated(database, dry_run=True).plan == ()
