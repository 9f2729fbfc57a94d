"""A statement that somebody cancels ends the run; one that its timeout ends is tried with fewer rows."""

from __future__ import annotations

import pytest

from memory_maintenance.database import relation as relations
from memory_maintenance.engine import batches
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.errors import RunFailed
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.maintained import (
    AS_OF,
    INSTANT,
    TABLE,
    Background,
    Memory,
    advisory_locks,
    lock_row,
    waiting,
    written,
)

TENS = DecayOptions(batch_rows=10)
REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no'; END$$;
CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts FOR EACH ROW
WHEN (OLD.id = 25) EXECUTE FUNCTION refuse();
"""


def test_a_run_that_somebody_cancels_ends(memory: Memory, background: Background) -> None:
    memory.fill(30)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 25)
    config = memory.config("database: {lock_timeout: 60s}")
    run = background(
        *("decay", *memory.arguments(config), "--as-of", AS_OF, "--batch-rows", "10"),
        ready=waiting(watcher),
    )
    watcher.execute("SELECT pg_cancel_backend(%s)", [waiting(watcher)()])
    _, err = run.communicate(timeout=60)
    assert run.returncode == 70, err
    assert "cancelled by somebody" in err
    assert written(watcher) == 20
    assert advisory_locks(watcher) == 0
    ((_, status, counts, error),) = memory.ledger()
    assert status == "failed"
    assert (counts["examined"], counts["updated"]) == (20, 20)
    assert "cancelled by somebody" in error


def test_a_dry_run_that_somebody_cancels_ends(memory: Memory, background: Background) -> None:
    memory.fill(30)
    watcher, owner = memory.connect(), memory.connect()
    owner.execute("BEGIN; LOCK TABLE entity_facts IN ACCESS EXCLUSIVE MODE")
    config = memory.config("database: {lock_timeout: 60s}")
    run = background(
        "decay", *memory.arguments(config), "--as-of", AS_OF, "--dry-run", ready=waiting(watcher)
    )
    watcher.execute("SELECT pg_cancel_backend(%s)", [waiting(watcher)()])
    _, err = run.communicate(timeout=60)
    assert run.returncode == 70, err
    assert "cancel" in err


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry"])
def test_a_batch_that_takes_too_long_is_halved_and_grows_back(
    dry_run: bool, memory: Memory
) -> None:
    """Its first four rows take their time; within the one transaction of a dry run, too."""
    memory.fill(40)
    config = memory.config("database: {statement_timeout: 1s, lock_timeout: 0.9s}")
    ranges: list[tuple[int, int]] = []
    with (
        memory.session(config) as (session, loaded),
        runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=dry_run,
            emit=runs.silent,
        ) as run,
    ):
        relation = relations.resolve(session, "public", "entity_facts")

        def work(keys: Range) -> Range:
            session.connection.execute(
                "SELECT pg_sleep(0.3 * count(*)) FROM public.entity_facts"
                " WHERE id BETWEEN %s AND %s AND id <= 4",
                [keys.first, keys.last],
            )
            return keys

        for keys in batches.sweep(
            session, relation, work, sizing=Sizing(8), transaction=run.transaction
        ):
            ranges.append((keys.first, keys.last))
            row = session.connection.execute("SHOW search_path").fetchone()
            assert row == ("pg_catalog, pg_temp",)
    sizes = [last - first + 1 for first, last in ranges]
    assert ranges[0] == (1, 2)
    assert sum(sizes) == 40, "every row, and none twice"
    assert max(sizes) > 2


def test_a_run_that_fails_keeps_its_counts(memory: Memory) -> None:
    memory.fill(30)
    with memory.connect() as owner:
        owner.execute(REFUSE)
    with pytest.raises(RunFailed):
        memory.decay(options=TENS)
    ((_, status, counts, _),) = memory.ledger()
    assert status == "failed"
    assert (counts["examined"], counts["updated"]) == (20, 20)


def test_a_step_of_run_that_is_cancelled_keeps_its_counts_under_its_name(
    memory: Memory, background: Background
) -> None:
    memory.fill(10)
    memory.decay()
    memory.fill(3000)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 3000)
    config = memory.config("run: [decay]\ndatabase: {lock_timeout: 60s}\n")
    run = background("run", *memory.arguments(config), "--as-of", AS_OF, ready=waiting(watcher))
    watcher.execute("SELECT pg_cancel_backend(%s)", [waiting(watcher)()])
    _, err = run.communicate(timeout=60)
    assert run.returncode == 70, err
    _, (command, status, counts, _) = memory.ledger()
    assert (command, status) == ("run", "failed")
    assert counts["decay"]["updated"] == written(watcher) - 10
    assert counts["decay"]["updated"] > 0
