"""A run that is killed leaves a state that the next run completes: the same as if nothing had been."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from memory_maintenance.database import embedded
from tests.support.invariants import assert_sound
from tests.support.maintained import (
    AS_OF,
    INSTANT,
    Background,
    Memory,
    Row,
    advisory_locks,
    lock_row,
    memory_on,
    waiting,
    written,
)
from tests.support.server import FAST, TestServer
from tests.support.waiting import wait_until

ROWS = 1500


def undisturbed(memory: Memory) -> list[Row]:
    with memory.copy() as other:
        other.decay()
        return other.derived()


def sound(memory: Memory) -> None:
    with memory.session() as (session, loaded):
        assert_sound(session, loaded, INSTANT)


def statuses(memory: Memory) -> list[str]:
    return [status for _, status, _, _ in memory.ledger()]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_killed_between_batches_is_completed_by_the_next(
    seed: int, memory: Memory, background: Background
) -> None:
    memory.fill(ROWS)
    expected = undisturbed(memory)
    moment = random.Random(seed).randrange(ROWS // 20, ROWS // 2)
    watcher = memory.connect()
    run = background(
        *("decay", *memory.arguments(), "--as-of", AS_OF, "--batch-rows", "5"),
        ready=lambda: written(watcher) >= moment,
    )
    run.send_signal(signal.SIGKILL)
    run.wait(60)
    assert moment <= written(watcher) < ROWS
    wait_until(lambda: advisory_locks(watcher) == 0)
    watcher.close()
    memory.decay()
    assert memory.derived() == expected
    assert statuses(memory) == ["died", "done"]
    sound(memory)


def test_a_run_killed_within_a_batch_leaves_nothing_of_that_batch(
    memory: Memory, background: Background
) -> None:
    memory.fill(200)
    expected = undisturbed(memory)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 150)
    config = memory.config("database: {lock_timeout: 250s}")
    run = background(
        *("decay", *memory.arguments(config), "--as-of", AS_OF, "--batch-rows", "100"),
        ready=waiting(watcher),
    )
    run.kill()
    run.wait(60)
    writer.execute("ROLLBACK")
    wait_until(lambda: advisory_locks(watcher) == 0)
    assert written(watcher) == 100
    memory.decay()
    assert memory.derived() == expected
    assert statuses(memory) == ["died", "done"]
    sound(memory)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT], ids=["SIGKILL", "immediate"])
def test_a_server_killed_within_a_run_loses_nothing_once_it_is_back(
    how: signal.Signals,
    own_server: TestServer,
    tmp_path: Path,
    background: Background,
) -> None:
    assert own_server.home is not None
    with memory_on(own_server, tmp_path) as memory:
        memory.fill(400)
        expected = undisturbed(memory)
        writer, watcher = memory.connect(), memory.connect()
        lock_row(writer, 300)
        config = memory.config("database: {lock_timeout: 250s}")
        run = background(
            *("decay", *memory.arguments(config), "--as-of", AS_OF, "--batch-rows", "100"),
            ready=waiting(watcher),
        )
        run.kill()
        run.wait(60)
        os.kill(own_server.pid, how)
        with embedded.serve(own_server.home, options=FAST, keep_running=True):
            committed = memory.connect()
            assert written(committed) == 200, "what was committed stays"
            committed.close()
            memory.decay()
            assert memory.derived() == expected
            assert statuses(memory) == ["died", "done"]
            sound(memory)


def test_a_killed_clients_backend_gives_the_run_lock_back_within_seconds(
    each_memory: Memory, background: Background
) -> None:
    """Its statement waits for a lock all the while, and nothing is sent that could fail."""
    each_memory.fill(10)
    writer, watcher = each_memory.connect(), each_memory.connect()
    lock_row(writer, 5)
    config = each_memory.config("database: {lock_timeout: 250s}")
    run = background(
        *("decay", *each_memory.arguments(config), "--as-of", AS_OF), ready=waiting(watcher)
    )
    assert advisory_locks(watcher) == 1
    run.kill()
    run.wait(60)
    wait_until(lambda: advisory_locks(watcher) == 0)
    assert writer.info.transaction_status.name == "INTRANS", "the writer still holds the row"
