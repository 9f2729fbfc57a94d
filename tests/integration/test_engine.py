"""Runs: one at a time on a table, in batches, with one instant."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg import sql

from memory_maintenance.database import relation as relations
from memory_maintenance.engine import batches
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.batches import LARGEST_BATCH, SMALLEST_BATCH, Range, Sizing
from memory_maintenance.errors import Busy, Denied, UsageError
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.maintained import INSTANT, TABLE, Memory, advisory_locks, fill, lock_row
from tests.support.server import TestDatabase

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
                transaction=lambda part, *, facts_in: part(),
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


def test_a_size_that_took_too_long_is_never_tried_again() -> None:
    sizing = Sizing()
    while sizing.rows > 100:
        assert sizing.halve()
    most = sizing.rows
    for _ in range(20):
        sizing.took(0.001)
    assert sizing.rows == most


def test_a_size_that_the_operator_gave_stays() -> None:
    sizing = Sizing(10)
    sizing.took(0.001)
    assert sizing.rows == 10
    assert [sizing.halve() for _ in range(4)] == [True, True, True, False]
    assert sizing.rows == 1
