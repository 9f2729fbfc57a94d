"""Every run but a dry one is a row of the ledger, committed before its work begins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from psycopg.types.json import Jsonb

from memory_maintenance import __version__
from memory_maintenance.engine import ledger
from memory_maintenance.engine import run as runs
from memory_maintenance.errors import Unavailable
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.maintained import (
    AS_OF,
    INSTANT,
    TABLE,
    Background,
    Memory,
    lock_row,
    waiting,
)
from tests.support.waiting import wait_until

LATER = INSTANT + timedelta(days=30)


def test_a_row_says_what_ran_on_which_table_when_and_how_it_ended(memory: Memory) -> None:
    memory.fill(12)
    config = memory.config()
    result = memory.decay(config)
    with memory.connect() as connection:
        row = connection.execute(
            "SELECT id, command, table_name, as_of, version, config_hash, status, counts, error,"
            " started_at <= finished_at, started_by = session_user, computed_confidence"
            " FROM memory_maintenance.run WHERE command = 'decay'"
        ).fetchone()
    assert row == (
        result.run_id,
        "decay",
        TABLE,
        INSTANT,
        __version__,
        memory.loaded(config).policy_hash,
        "done",
        {"examined": 12, "updated": 12, "confidence": result.confidence.changed}
        | {"importance": result.importance.changed, "problems": 0},
        None,
        True,
        True,
        True,
    )


def test_the_row_is_there_while_the_run_is_at_work(memory: Memory, background: Background) -> None:
    memory.fill(5)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 1)
    run = background("decay", *memory.arguments(), "--as-of", AS_OF, ready=waiting(watcher))
    assert memory.ledger() == [("decay", "running", {}, None)]
    writer.execute("ROLLBACK")
    run.communicate(timeout=60)
    assert run.returncode == 0
    assert [status for _, status, _, _ in memory.ledger()] == ["done"]


def test_the_instant_is_the_servers_clock_at_the_start_for_all_that_the_run_does(
    memory: Memory, background: Background
) -> None:
    memory.fill(20)
    writer, watcher = memory.connect(), memory.connect()
    lock_row(writer, 15)
    config = memory.config("run: [decay]\ndatabase: {lock_timeout: 60s}\n")
    before = watcher.execute("SELECT clock_timestamp()").fetchone()
    run = background("run", *memory.arguments(config), ready=waiting(watcher))
    at_work = watcher.execute("SELECT clock_timestamp()").fetchone()
    writer.execute("UPDATE entity_facts SET confidence = 0.3 WHERE id = 15")
    writer.execute("COMMIT")
    run.communicate(timeout=60)
    row = watcher.execute(
        "SELECT as_of FROM memory_maintenance.run WHERE command = 'run'"
    ).fetchone()
    assert row is not None
    assert before is not None
    assert at_work is not None
    assert before[0] < row[0] < at_work[0]
    anchor = watcher.execute(
        "SELECT confidence_anchor_at <= %s FROM entity_facts WHERE id = 15", [row[0]]
    ).fetchone()
    assert anchor == (True,), "also for a row that was written later"


def test_a_run_that_died_is_closed_by_the_next_on_its_table_only(memory: Memory) -> None:
    with memory.connect() as connection:
        for table in (TABLE, "other.entity_facts"):
            connection.execute(
                "INSERT INTO memory_maintenance.run"
                " (command, table_name, as_of, version, config_hash)"
                " VALUES ('decay', %s, now(), '0', '')",
                [table],
            )
    memory.decay(dry_run=True)
    assert [row[1] for row in memory.ledger()] == ["running", "running"]
    memory.decay()
    assert [row[1] for row in memory.ledger()] == ["died", "running", "done"]
    with memory.connect() as connection:
        died = connection.execute(
            "SELECT finished_at IS NOT NULL, error FROM memory_maintenance.run"
            " WHERE status = 'died'"
        ).fetchone()
    assert died is not None
    assert died[0]
    assert "next run" in died[1]


def test_the_previous_pass_is_the_latest_of_those_that_were_completed(memory: Memory) -> None:
    memory.fill(3)

    def previous() -> str:
        with memory.session() as (session, _):
            return ledger.previous_pass(session, TABLE)

    assert previous() == "-infinity"
    memory.decay(dry_run=True)
    assert previous() == "-infinity"
    memory.decay(as_of=LATER, options=DecayOptions(only="importance"))
    assert previous() == "-infinity", "importance alone is no pass over confidence"
    memory.decay(as_of=INSTANT)
    assert previous() == "2026-06-01 00:00:00+00"
    memory.decay(as_of=INSTANT - timedelta(days=10))
    assert previous() == "2026-06-01 00:00:00+00", "a run back in time doesn't move it"


def test_a_run_that_failed_is_no_pass(memory: Memory) -> None:
    memory.fill(10)
    with memory.connect() as owner:
        owner.execute("ALTER TABLE entity_facts ADD CONSTRAINT stop CHECK (id <> 7 OR NOT pinned)")
        owner.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN RAISE EXCEPTION 'no'; END$$"
        )
        owner.execute(
            "CREATE TRIGGER refuse BEFORE UPDATE ON entity_facts FOR EACH ROW"
            " WHEN (OLD.id = 7) EXECUTE FUNCTION refuse()"
        )
    with pytest.raises(Exception, match="no"):
        memory.decay(options=DecayOptions(batch_rows=5))
    ((_, status, _, error),) = memory.ledger()
    assert status == "failed"
    assert error.startswith("no")
    with memory.session() as (session, _):
        assert ledger.previous_pass(session, TABLE) == "-infinity"


def test_a_table_is_adopted_once_at_the_servers_clock(memory: Memory) -> None:
    memory.fill(1)
    config = memory.config("confidence: {adopt: now}\n")
    before = datetime.now(UTC) - timedelta(minutes=1)
    memory.decay(config, dry_run=True)
    with memory.session() as (session, _):
        assert ledger.adopted_at(session, TABLE) is None
        memory.decay(config)
        adopted = ledger.adopted_at(session, TABLE)
        assert adopted is not None
        assert datetime.fromisoformat(adopted) > before, "not --as-of"
        memory.decay(memory.config("confidence: {adopt: history}\n"))
        assert ledger.adopted_at(session, TABLE) == adopted


def test_a_table_adopted_with_its_history_says_so(memory: Memory) -> None:
    memory.decay(memory.config("confidence: {adopt: history}\n"))
    with memory.session() as (session, _):
        assert ledger.adopted_at(session, TABLE) == "-infinity"


def test_the_last_runs_come_newest_first(memory: Memory) -> None:
    for days in range(3):
        memory.decay(as_of=INSTANT + timedelta(days=days))
    with memory.session() as (session, _):
        found = ledger.recent(session, TABLE, 2)
    assert [run.as_of for run in found] == [
        INSTANT + timedelta(days=2),
        INSTANT + timedelta(days=1),
    ]
    assert found[0].finished_at is not None


def test_a_closed_row_stays_as_it_was_closed(memory: Memory) -> None:
    with memory.session() as (session, loaded):
        run_id = ledger.start(
            session,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            config_hash=loaded.policy_hash,
        )
        assert ledger.still_open(session, run_id)
        ledger.finish(session, run_id, "findings", {"n": 1})
        ledger.finish(session, run_id, "interrupted", {}, "too late")
        assert ledger.still_open(session, run_id)
        assert not ledger.still_open(session, run_id + 1000)
    assert memory.ledger() == [("decay", "findings", {"n": 1}, None)]


def test_no_password_gets_into_the_ledger(memory: Memory) -> None:
    dsn = f"{memory.dsn} password=s3cret-word"
    with (
        memory.session(dsn=dsn) as (session, loaded),
        pytest.raises(Unavailable),
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
        raise Unavailable("could not connect to host=x password=s3cret-word")
    with memory.connect() as connection:
        text = connection.execute("SELECT to_jsonb(r)::text FROM memory_maintenance.run AS r")
        everything = "".join(row[0] for row in text)
    assert "could not connect" in everything
    assert "s3cret" not in everything


def test_a_run_waits_for_nobody_who_reads_the_ledger(memory: Memory) -> None:
    reader = memory.connect()
    reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    reader.execute("SELECT count(*), %s::jsonb FROM memory_maintenance.run", [Jsonb({})])
    memory.decay()
    wait_until(lambda: [row[1] for row in memory.ledger()] == ["done"])
