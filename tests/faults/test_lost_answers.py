"""A COMMIT whose answer is lost: done or not, its work is done once and counted once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memory_maintenance.database.session import Session
from memory_maintenance.engine import retry
from memory_maintenance.engine.retry import Patience
from memory_maintenance.jobs.decay import DecayOptions
from tests.support.cutting import CuttingProxy, When, cutting_proxy
from tests.support.maintained import Memory
from tests.support.server import TestServer
from tests.support.waiting import wait_until

TENS = DecayOptions(batch_rows=10)

# COMMIT waits for whoever holds the advisory lock 7.
SLOW_COMMIT = """
CREATE TABLE public.done (n int);
CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN PERFORM pg_catalog.pg_advisory_xact_lock(7); RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON public.done DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION public.wait();
"""


@pytest.fixture
def proxy(server: TestServer, session_directory: Path) -> Iterator[CuttingProxy]:
    with cutting_proxy(server, session_directory) as mine:
        yield mine


def decay_cut_off(memory: Memory, proxy: CuttingProxy, when: When, *, at: int, commits: int) -> Any:
    """A pass whose connection is cut at one of the COMMITs after ``at`` rows."""

    def emit(done: int, _known: int | None, _what: str) -> None:
        if done == at:
            proxy.cut(when, commits=commits)

    result = memory.decay(options=TENS, emit=emit, dsn=proxy.dsn(memory.database.name))
    assert proxy.cuts == 1
    return result


@pytest.mark.parametrize("when", ["after", "before"])
def test_a_batch_is_counted_once_whether_it_was_committed_or_not(
    when: When, memory: Memory, proxy: CuttingProxy
) -> None:
    memory.fill(40)
    with memory.copy() as other:
        expected = other.decay(options=TENS)
        derived = other.derived()
    result = decay_cut_off(memory, proxy, when, at=10, commits=1)
    assert result.updated == expected.updated == 40
    assert (result.examined, result.batches) == (40, 4)
    assert result.confidence == expected.confidence
    assert result.policies == expected.policies
    assert memory.derived() == derived
    ((_, status, counts, _),) = memory.ledger()
    assert (status, counts["updated"]) == ("done", 40)


@pytest.mark.parametrize("when", ["after", "before"])
def test_a_run_is_recorded_as_done_though_the_answer_to_that_was_lost(
    when: When, memory: Memory, proxy: CuttingProxy
) -> None:
    """The COMMITs after the last batch: the pass as one that was completed, then the ledger's row."""
    memory.fill(40)
    result = decay_cut_off(memory, proxy, when, at=40, commits=2)
    assert result.updated == 40
    ((_, status, counts, _),) = memory.ledger()
    assert (status, counts["updated"]) == ("done", 40)


def session_through(memory: Memory, proxy: CuttingProxy) -> Any:
    return memory.session(dsn=proxy.dsn(memory.database.name))


@pytest.mark.parametrize("when", ["after", "before"])
def test_ddl_is_done_once(when: When, memory: Memory, proxy: CuttingProxy) -> None:
    with session_through(memory, proxy) as (session, _):
        tries: list[int] = []

        def work() -> str:
            tries.append(1)
            session.connection.execute("CREATE TABLE public.made ()")
            return "made"

        proxy.cut(when)
        assert retry.transaction(session, work, reconnect=session.reconnect) == "made"
        assert len(tries) == (1 if when == "after" else 2)
        session.connection.execute("SELECT FROM public.made")


def insert(session: Session) -> int:
    return session.connection.execute("INSERT INTO public.done VALUES (1)").rowcount


def test_a_commit_that_is_still_under_way_is_waited_for(
    memory: Memory, proxy: CuttingProxy
) -> None:
    holder, watcher = memory.connect(), memory.connect()
    holder.execute(SLOW_COMMIT)
    holder.execute("SELECT pg_advisory_lock(7)")

    def release() -> None:
        wait_until(lambda: asked(watcher))
        holder.execute("SELECT pg_advisory_unlock(7)")

    thread = threading.Thread(target=release)
    with session_through(memory, proxy) as (session, _):
        proxy.cut("after")
        thread.start()
        assert retry.transaction(session, lambda: insert(session), reconnect=session.reconnect) == 1
    thread.join()
    assert watcher.execute("SELECT count(*) FROM public.done").fetchone() == (1,)


def test_a_commit_that_never_ends_is_neither_repeated_nor_taken_for_done(
    memory: Memory, proxy: CuttingProxy
) -> None:
    holder, watcher = memory.connect(), memory.connect()
    holder.execute(SLOW_COMMIT)
    holder.execute("SELECT pg_advisory_lock(7)")
    brief = Patience(attempts=2, first_delay_s=0.01, longest_delay_s=0.01)
    with session_through(memory, proxy) as (session, _):
        proxy.cut("after")
        with pytest.raises(psycopg.OperationalError):
            retry.transaction(
                session, lambda: insert(session), reconnect=session.reconnect, patience=brief
            )
    holder.execute("SELECT pg_advisory_unlock(7)")
    count = "SELECT count(*) FROM public.done"
    wait_until(lambda: watcher.execute(count.encode()).fetchone() == (1,))


def asked(connection: psycopg.Connection[Any]) -> bool:
    """Whether a session has asked how a transaction stands."""
    row = connection.execute(
        "SELECT FROM pg_stat_activity WHERE query LIKE '%pg_xact_status%'"
        " AND pid <> pg_backend_pid() AND datname = current_database()"
    ).fetchone()
    return row is not None


def test_a_transaction_is_known_by_its_number(each_memory: Memory) -> None:
    with each_memory.session() as (session, _):
        with session.transaction():
            assert session.transaction_id() is None, "nothing is written yet"
            session.connection.execute("CREATE TABLE public.t ()")
            committed = session.transaction_id()
            assert committed is not None
            assert session.transaction_status(committed) == "in progress"
        session.connection.execute("BEGIN")
        session.connection.execute("CREATE TABLE public.u ()")
        aborted = session.transaction_id()
        session.connection.execute("ROLLBACK")
        assert aborted is not None
        assert session.transaction_status(committed) == "committed"
        assert session.transaction_status(aborted) == "aborted"
        assert session.transaction_status("3") is None, "too old"
        assert session.transaction_status(str(int(aborted) + 10**6)) is None, "never given out"
