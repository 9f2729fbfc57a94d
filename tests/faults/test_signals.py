"""SIGTERM, as cron and systemd send it, and Ctrl-C end a run at once, whatever its statement waits for."""

from __future__ import annotations

import os
import signal

import pytest

from memory_maintenance.engine.signals import Signalled, raising
from tests.support.maintained import (
    AS_OF,
    Background,
    Memory,
    advisory_locks,
    lock_row,
    waiting,
    written,
)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
def test_a_signal_ends_a_run_whose_statement_waits_for_a_row(
    number: signal.Signals, status: int, memory: Memory, background: Background
) -> None:
    memory.fill(20)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 15)
    config = memory.config("database: {lock_timeout: 250s}")
    run = background(
        *("decay", *memory.arguments(config), "--as-of", AS_OF, "--batch-rows", "10"),
        ready=waiting(watcher),
    )
    # Twice, as a terminal and the wrapper that it runs do: the ledger is closed all the same.
    run.send_signal(number)
    run.send_signal(number)
    out, err = run.communicate(timeout=120)  # well below the lock timeout
    assert run.returncode == status, err
    assert out == ""
    assert f"interrupted by {number.name}" in err
    assert "the next run completes it" in err
    assert "Traceback" not in err
    assert written(watcher) == 10, "the batch before stays, nothing of the one that waited"
    assert advisory_locks(watcher) == 0
    ((command, ending, counts, error),) = memory.ledger()
    assert (command, ending, error) == ("decay", "interrupted", f"interrupted by {number.name}")
    assert (counts["examined"], counts["updated"]) == (10, 10), "what was committed"


def test_a_signal_ends_a_dry_run_without_a_trace(memory: Memory, background: Background) -> None:
    memory.fill(5)
    ddl, watcher = memory.connect(), memory.connect()
    ddl.execute("BEGIN; LOCK TABLE entity_facts IN ACCESS EXCLUSIVE MODE")
    config = memory.config("database: {lock_timeout: 250s}")
    run = background(
        "decay", *memory.arguments(config), "--as-of", AS_OF, "--dry-run", ready=waiting(watcher)
    )
    run.send_signal(signal.SIGTERM)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 143, err
    assert "completes" not in err, "there is nothing to complete"
    assert memory.ledger() == []


def test_a_signal_that_was_ignored_from_the_start_stays_ignored() -> None:
    """As nohup and a shell's background jobs have it."""
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with raising():
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, former)


def test_the_handlers_of_before_are_back_afterwards() -> None:
    former = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Signalled) as caught, raising():
        os.kill(os.getpid(), signal.SIGTERM)
    assert caught.value.signal_number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is former
