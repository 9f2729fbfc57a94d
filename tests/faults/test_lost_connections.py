"""A server that goes away within a run: the run goes on once it is back, or ends with 69."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_maintenance.database import embedded
from memory_maintenance.engine.retry import Patience
from memory_maintenance.errors import Unavailable
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.invariants import assert_sound
from tests.support.maintained import INSTANT, Memory, advisory_locks, memory_on, written
from tests.support.processes import is_gone
from tests.support.server import FAST, TestServer
from tests.support.waiting import wait_until

BRIEF = Patience(attempts=3, first_delay_s=0.05, longest_delay_s=0.1)
TENS = DecayOptions(batch_rows=10)


def once(action: Callable[[], None]) -> Callable[[int, int | None, str], None]:
    """Progress that acts after the first batch."""
    acted: list[bool] = []

    def emit(_done: int, _known: int | None, _what: str) -> None:
        if not acted:
            acted.append(True)
            action()

    return emit


def backend_of_the_run(memory: Memory) -> tuple[int, dict[str, str]]:
    """The pid of the run's server process, and the settings that only it could have."""
    with memory.connect() as watcher:
        row = watcher.execute(
            "SELECT a.pid, a.application_name FROM pg_stat_activity AS a JOIN pg_locks AS l"
            " ON l.pid = a.pid WHERE l.locktype = 'advisory' AND a.datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0]), {"application_name": row[1]}


def test_a_run_goes_on_when_its_connection_was_ended(memory: Memory) -> None:
    memory.fill(40)
    with memory.copy() as other:
        other.decay()
        expected = other.derived()
    before: list[int] = []
    after: list[int] = []

    def terminate() -> None:
        pid, _ = backend_of_the_run(memory)
        before.append(pid)
        with memory.connect() as killer:
            killer.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    emit_first = once(terminate)

    def emit(done: int, known: int | None, what: str) -> None:
        emit_first(done, known, what)
        if done > 10:
            pid, settings = backend_of_the_run(memory)
            after.append(pid)
            assert settings == {"application_name": "memory-maintenance decay"}

    memory.decay(options=TENS, emit=emit)
    assert len(set(after)) == 1
    assert before[0] not in after, "the lock is held by the connection that works"
    assert memory.derived() == expected
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]


def test_a_run_goes_on_when_the_server_was_restarted(
    own_server: TestServer, tmp_path: Path
) -> None:
    assert own_server.home is not None
    home = own_server.home
    with memory_on(own_server, tmp_path) as memory:
        memory.fill(40)
        with memory.copy() as other:
            other.decay()
            expected = other.derived()

        def restart() -> None:
            former = own_server.pid
            os.kill(former, signal.SIGQUIT)
            wait_until(lambda: is_gone(former))
            with embedded.serve(home, options=FAST, keep_running=True):
                pass

        result = memory.decay(options=TENS, emit=once(restart))
        assert result.examined == 40
        assert memory.derived() == expected
        assert [status for _, status, _, _ in memory.ledger()] == ["done"]
        with memory.session() as (session, loaded):
            assert_sound(session, loaded, INSTANT)


def test_a_run_ends_with_69_when_the_server_is_gone_for_good(
    own_server: TestServer, tmp_path: Path
) -> None:
    assert own_server.home is not None
    with memory_on(own_server, tmp_path) as memory:
        memory.fill(40)

        def stop() -> None:
            former = own_server.pid
            os.kill(former, signal.SIGQUIT)
            wait_until(lambda: is_gone(former))

        with pytest.raises(Unavailable) as caught:
            memory.decay(options=TENS, emit=once(stop), reconnecting=BRIEF)
        assert caught.value.exit_code == 69
        assert "unreachable" in caught.value.message
        with embedded.serve(own_server.home, options=FAST, keep_running=True):
            memory.decay()
            assert [status for _, status, _, _ in memory.ledger()] == ["died", "done"]


def test_a_run_ends_when_another_took_over_while_its_connection_was_lost(memory: Memory) -> None:
    """What it read at its start, the previous pass for one, holds no longer."""
    memory.fill(40)

    def overtake() -> None:
        pid, _ = backend_of_the_run(memory)
        with memory.connect() as killer:
            killer.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        memory.decay()

    with pytest.raises(Unavailable, match="another run took over"):
        memory.decay(options=TENS, emit=once(overtake), reconnecting=BRIEF)
    with memory.connect() as watcher:
        assert written(watcher) == 40
        assert advisory_locks(watcher) == 0
    assert [status for _, status, _, _ in memory.ledger()] == ["died", "done"]


def test_a_run_ends_when_another_has_the_lock_after_its_connection_was_lost(
    memory: Memory,
) -> None:
    memory.fill(40)
    rival = memory.connect()

    def lose() -> None:
        pid, _ = backend_of_the_run(memory)
        rival.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        rival.execute(
            "SELECT pg_advisory_lock(hashtextextended("
            "'memory-maintenance run public.entity_facts', 0))"
        )

    with pytest.raises(Unavailable, match="another run"):
        memory.decay(options=TENS, emit=once(lose), reconnecting=BRIEF)
    with memory.connect() as watcher:
        assert written(watcher) == 10, "what was committed stays"
