"""Locks, deadlocks and timeouts: retried where that helps, given up with the right code where not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from memory_maintenance.errors import Busy, RunFailed
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.invariants import assert_sound
from tests.support.maintained import INSTANT, Memory, advisory_locks, lock_row, waiting, written
from tests.support.waiting import wait_until

TENS = DecayOptions(batch_rows=10)
STATE = "CREATE TABLE tries (n int); CREATE SEQUENCE tried;"

FAIL_TWICE = """
CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('public.tried') <= 2 THEN
        RAISE EXCEPTION 'as asked' USING ERRCODE = '%s';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fail_twice BEFORE UPDATE ON entity_facts FOR EACH ROW
WHEN (OLD.id = 15) EXECUTE FUNCTION fail_twice();
"""

# Each row costs so much that ten of them exceed the statement's time, and two don't.
SLOW_ROWS = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(%s);
    RETURN NEW;
END $$;
CREATE TRIGGER slow BEFORE UPDATE ON entity_facts FOR EACH ROW
WHEN (OLD.id %% 7 = 3) EXECUTE FUNCTION slow();
"""


def alongside(action: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=action)
    thread.start()
    return thread


@pytest.mark.parametrize("state", ["40P01", "40001", "55P03"])
def test_what_contention_breaks_a_retry_mends(state: str, memory: Memory) -> None:
    memory.fill(30)
    with memory.connect() as owner:
        owner.execute("CREATE SEQUENCE tried")
        owner.execute((FAIL_TWICE % state).encode())
    result = memory.decay(options=TENS)
    assert (result.examined, result.updated) == (30, 30)
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]


def deadlocks(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_writer_who_crosses_a_batch_is_no_deadlocks_victim(memory: Memory) -> None:
    """The run holds row 3 and waits for row 8; the writer holds 8 and goes for 3. The run gives way before
    the server would look for a deadlock, and would find the writer in it."""
    memory.fill(10)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 8)

    def cross() -> None:
        wait_until(waiting(watcher))
        writer.execute("UPDATE entity_facts SET confidence = 0.77 WHERE id = 3")
        writer.execute("COMMIT")

    thread = alongside(cross)
    result = memory.decay()
    thread.join()
    assert deadlocks(watcher) == 0
    assert (result.examined, result.updated, result.batches) == (10, 10, 1)
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]
    base = watcher.execute("SELECT confidence_base FROM entity_facts WHERE id = 3").fetchone()
    assert base == (0.77,)
    with memory.session() as (session, loaded):
        assert_sound(session, loaded, INSTANT)


def test_a_lock_held_for_longer_than_all_retries_ends_in_75_and_keeps_what_was_done(
    memory: Memory,
) -> None:
    memory.fill(30)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 25)
    config = memory.config("database: {lock_timeout: 0.02s}")
    with pytest.raises(Busy) as caught:
        memory.decay(config, options=TENS)
    assert caught.value.exit_code == 75
    assert "lock" in caught.value.message
    assert written(watcher) == 20
    assert advisory_locks(watcher) == 0
    ((_, status, _, error),) = memory.ledger()
    assert (status, error) == ("failed", caught.value.message)
    writer.execute("ROLLBACK")
    memory.decay()
    with memory.session() as (session, loaded):
        watcher.close()
        assert_sound(session, loaded, INSTANT)


def test_a_lock_that_is_given_back_in_time_costs_a_retry_only(memory: Memory) -> None:
    memory.fill(30)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 25)
    config = memory.config("database: {lock_timeout: 0.15s}")

    def release() -> None:
        first = wait_until(waiting(watcher))
        wait_until(lambda: waiting(watcher)() != first)  # its lock timeout came
        writer.execute("COMMIT")

    thread = alongside(release)
    result = memory.decay(config, options=TENS)
    thread.join()
    assert result.updated == 30


def test_a_batch_that_takes_too_long_is_tried_with_fewer_rows(memory: Memory) -> None:
    memory.fill(28)
    with memory.connect() as owner:
        owner.execute((SLOW_ROWS % 0.2).encode())
    config = memory.config("database: {statement_timeout: 0.5s, lock_timeout: 0.4s}")
    result = memory.decay(config, options=DecayOptions(batch_rows=28))
    assert result.updated == 28
    assert result.batches > 1
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]


def test_a_single_row_that_cannot_be_done_in_time_ends_in_70(memory: Memory) -> None:
    memory.fill(6)
    with memory.connect() as owner:
        owner.execute((SLOW_ROWS % 60).encode())
    config = memory.config("database: {statement_timeout: 0.2s, lock_timeout: 0.1s}")
    with pytest.raises(RunFailed, match="cancelled") as caught:
        memory.decay(config, options=DecayOptions(batch_rows=4))
    assert caught.value.exit_code == 70
    with memory.connect() as watcher:
        assert written(watcher) == 2, "the rows before it are done"


def test_a_trigger_of_others_that_fails_is_told_apart_from_wrong_usage(memory: Memory) -> None:
    memory.fill(3)
    with memory.connect() as owner:
        owner.execute(
            "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN INSERT INTO no_such_history VALUES (OLD.id); RETURN NEW; END$$"
        )
        owner.execute(
            "CREATE TRIGGER broken BEFORE UPDATE ON entity_facts"
            " FOR EACH ROW EXECUTE FUNCTION broken()"
        )
    with pytest.raises(RunFailed) as caught:
        memory.decay()
    assert "no_such_history" in caught.value.message
    assert "function broken()" in caught.value.message
