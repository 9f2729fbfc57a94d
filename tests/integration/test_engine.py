"""Runs: one at a time on a table, in batches, with one instant."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.database import relation as relations
from memory_maintenance.engine import batches
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.batches import LARGEST_BATCH, SMALLEST_BATCH, Range, Sizing
from memory_maintenance.errors import Busy, Denied, Interrupted, UsageError
from memory_maintenance.jobs.decay import DecayOptions, decay
from tests.support.maintained import INSTANT, TABLE, Memory, advisory_locks, fill, lock_row, waiting
from tests.support.server import TestDatabase
from tests.support.waiting import wait_until

OTHER_TABLE = "CREATE TABLE other.entity_facts (LIKE public.entity_facts INCLUDING ALL)"


def test_a_second_run_on_the_table_is_told_who_is_at_work(memory: Memory) -> None:
    with (
        memory.session(name="memory-maintenance migrate-types") as (session, loaded),
        runs.started(
            session,
            loaded,
            command="migrate-types",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=runs.silent,
        ),
    ):
        with pytest.raises(Busy) as caught:
            memory.decay()
        assert caught.value.exit_code == 75
        assert "memory-maintenance migrate-types" in caught.value.message
        assert f"server process {session.server.backend_pid}" in caught.value.message
        assert TABLE in caught.value.message
    assert memory.ledger() == [], "who was turned away leaves no row"
    memory.decay()


def test_neither_a_dry_run_nor_another_table_is_blocked(memory: Memory) -> None:
    memory.fill(5)
    with memory.connect() as owner:
        owner.execute("CREATE SCHEMA other")
        owner.execute(OTHER_TABLE)
        fill(owner, 3, "other.entity_facts")
    with (
        memory.session() as (session, loaded),
        runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=runs.silent,
        ),
    ):
        assert memory.decay(dry_run=True).updated == 5
        other = memory.config("database: {table: other.entity_facts}")
        assert memory.decay(other, table="other.entity_facts").updated == 3


def test_a_dry_run_counts_what_the_run_then_does_and_leaves_no_trace(memory: Memory) -> None:
    memory.fill(50)
    before = memory.derived()
    expected = memory.decay(dry_run=True)
    assert memory.derived() == before
    assert memory.ledger() == []
    assert expected.run_id is None
    real = memory.decay()
    assert (real.examined, real.updated, real.confidence, real.importance, real.policies) == (
        expected.examined,
        expected.updated,
        expected.confidence,
        expected.importance,
        expected.policies,
    )


def test_a_dry_run_waits_for_no_writer(memory: Memory) -> None:
    memory.fill(5)
    lock_row(memory.connect(), 3)
    assert memory.decay(dry_run=True).updated == 5


def test_the_lock_is_given_back_when_a_run_ends(memory: Memory) -> None:
    with memory.session() as (session, loaded):
        for _ in range(2):
            with runs.started(
                session,
                loaded,
                command="decay",
                table=TABLE,
                as_of=INSTANT,
                dry_run=False,
                emit=runs.silent,
            ):
                assert advisory_locks(session.connection) == 1
            assert advisory_locks(session.connection) == 0


def test_the_lock_is_given_back_when_a_run_fails(memory: Memory) -> None:
    with memory.session() as (session, loaded):
        with (
            pytest.raises(ZeroDivisionError),
            runs.started(
                session,
                loaded,
                command="decay",
                table=TABLE,
                as_of=INSTANT,
                dry_run=False,
                emit=runs.silent,
            ),
        ):
            raise ZeroDivisionError
        assert advisory_locks(session.connection) == 0
    ((_, status, _, error),) = memory.ledger()
    assert (status, error) == ("failed", "internal error: ZeroDivisionError")


def test_a_database_that_is_not_migrated_is_named_as_such(
    database: TestDatabase, tmp_path: Path
) -> None:
    memory = Memory(database, tmp_path)
    with pytest.raises(UsageError, match="not migrated") as caught:
        memory.decay()
    assert "migrate-types" in (caught.value.remedy or "")


def test_a_policy_that_hides_rows_is_an_error_and_not_half_a_run(memory: Memory) -> None:
    memory.fill(10)
    role = memory.database.create_role()
    with memory.connect() as owner:
        for statement in (
            "GRANT USAGE ON SCHEMA memory_maintenance TO {}",
            "GRANT ALL ON ALL TABLES IN SCHEMA memory_maintenance TO {}",
            "GRANT SELECT, UPDATE ON public.entity_facts TO {}",
            "CREATE POLICY half ON public.entity_facts TO {} USING (id % 2 = 0)",
        ):
            owner.execute(sql.SQL(statement).format(sql.Identifier(role)))
        owner.execute("ALTER TABLE public.entity_facts ENABLE ROW LEVEL SECURITY")
    before = memory.derived()
    with pytest.raises(Denied, match="row-level security") as caught:
        memory.decay(dsn=f"{memory.dsn} user={role}")
    assert caught.value.exit_code == 77
    assert "BYPASSRLS" in (caught.value.remedy or "")
    assert memory.derived() == before
    assert [status for _, status, _, _ in memory.ledger()] == ["failed"]


# -- batches --


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_every_row_is_in_exactly_one_batch(rows: int, memory: Memory) -> None:
    memory.fill(7)
    with memory.connect() as owner:
        owner.execute("DELETE FROM entity_facts WHERE id = 4")
    seen: list[int] = []
    with memory.session() as (session, _):
        relation = relations.resolve(session, "public", "entity_facts")

        def work(keys: Range) -> int:
            found = session.connection.execute(
                "SELECT id FROM public.entity_facts WHERE id BETWEEN %s AND %s ORDER BY id",
                [keys.first, keys.last],
            ).fetchall()
            seen.extend(row[0] for row in found)
            return len(found)

        counts = list(
            batches.sweep(
                session,
                relation,
                work,
                sizing=Sizing(rows),
                transaction=lambda part, patience, *, facts_in: part(),
            )
        )
    assert seen == [1, 2, 3, 5, 6, 7]
    assert max(counts) <= rows


def test_an_empty_table_takes_no_batch(memory: Memory) -> None:
    result = memory.decay()
    assert (result.examined, result.batches) == (0, 0)
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]


def test_batches_of_a_table_that_was_never_analysed_take_no_longer(memory: Memory) -> None:
    """Without statistics the planner takes every relation for a single row."""
    memory.fill(1200)
    config = memory.config("database: {statement_timeout: 5s, lock_timeout: 4s}")
    result = memory.decay(config, options=DecayOptions(batch_rows=1200))
    assert result.batches == 1, "none was halved for its time"


def test_sizes_follow_the_time_that_batches_take() -> None:
    sizing = Sizing()
    first = sizing.rows
    sizing.took(0.001)
    assert sizing.rows == 2 * first, "by a factor of two at most"
    for _ in range(20):
        sizing.took(0.001)
    assert sizing.rows == LARGEST_BATCH
    for _ in range(20):
        sizing.took(10)
    assert sizing.rows == SMALLEST_BATCH


def test_a_size_that_took_too_long_is_come_back_to_slowly() -> None:
    sizing = Sizing()
    while sizing.rows > 100:
        assert sizing.halve()
    halved = sizing.rows
    sizing.took(0.001)
    assert halved < sizing.rows <= 1.1 * halved
    for _ in range(60):
        sizing.took(0.001)
    assert sizing.rows == LARGEST_BATCH


def test_a_single_row_is_done_several_times_before_two_are_tried() -> None:
    sizing = Sizing(4)
    assert [sizing.halve() for _ in range(3)] == [True, True, False]
    sizes = []
    for _ in range(20):
        sizing.took(0.001)
        sizes.append(sizing.rows)
    assert sizes.count(1) == 7
    assert sizes == sorted(sizes)
    assert sizes[-1] == 4, "as the operator gave it, and no more"


def test_a_size_that_the_operator_gave_stays() -> None:
    sizing = Sizing(10)
    sizing.took(0.001)
    assert sizing.rows == 10
    sizing.took(100)
    assert sizing.rows == 10
    assert [sizing.halve() for _ in range(4)] == [True, True, True, False]
    assert sizing.rows == 1


def test_the_size_follows_the_attempt_that_succeeded_and_not_what_came_before(
    memory: Memory,
) -> None:
    """The batch waits for a lock until its patience is used up, and is quick the second time."""
    memory.fill(5000)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 10)
    config = memory.config("database: {lock_timeout: 1s}")
    sizing = Sizing()
    first = sizing.rows

    def release() -> None:
        wait_until(waiting(watcher))
        wait_until(lambda: waiting(watcher)() is None)  # its lock timeout came
        writer.execute("COMMIT")

    with (
        memory.session(config, name="memory-maintenance test") as (session, loaded),
        runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=runs.silent,
        ) as run,
    ):
        relation = relations.resolve(session, "public", "entity_facts")

        def work(keys: Range) -> None:
            session.connection.execute(
                "SELECT FROM public.entity_facts WHERE id = 10 AND id >= %s FOR UPDATE",
                [keys.first],
            )

        thread = threading.Thread(target=release)
        thread.start()
        sweep = batches.sweep(session, relation, work, sizing=sizing, transaction=run.transaction)
        sizes = [sizing.rows for _ in sweep]
        thread.join()
    assert sizes[0] > first // 2, "a second of waiting would have halved it"


# -- how a run ends --


def test_a_run_that_is_recorded_ends_well_though_its_connection_is_lost_then(
    memory: Memory,
) -> None:
    with memory.session() as (session, loaded):
        with runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=runs.silent,
        ) as run:
            runs.finished(run, decay(run))
            with memory.connect() as killer:
                pid = session.server.backend_pid
                killer.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        assert session.lost
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]
    memory.decay()


def test_a_signal_between_begin_and_the_block_ends_a_dry_run_as_a_signal(memory: Memory) -> None:
    memory.fill(3)

    def interrupt(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "return" and code is psycopg.Transaction.__enter__.__code__:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGTERM)

    with memory.session() as (session, loaded):
        before = sys.getprofile()
        try:
            sys.setprofile(interrupt)
            with (
                pytest.raises(Interrupted) as caught,
                runs.started(
                    session,
                    loaded,
                    command="decay",
                    table=TABLE,
                    as_of=INSTANT,
                    dry_run=True,
                    emit=runs.silent,
                ),
            ):
                raise AssertionError("the block was reached")
        finally:
            sys.setprofile(before)
    assert caught.value.status == 143
