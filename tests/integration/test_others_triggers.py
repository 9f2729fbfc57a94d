"""decay beside others' triggers on the table: what they may change, and how batches are planned with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from memory_maintenance.database.session import Session
from memory_maintenance.engine import run as runs
from memory_maintenance.errors import RunFailed
from memory_maintenance.jobs.decay import DecayOptions, DecayResult, decay
from tests.support.invariants import assert_sound
from tests.support.maintained import INSTANT, TABLE, Memory

TENS = DecayOptions(batch_rows=10)
LATER = INSTANT + timedelta(days=60)

OTHERS = """
CREATE FUNCTION others() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    %s
    RETURN NEW;
END $$;
CREATE TRIGGER of_others BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION others()
"""
ROUNDS = "NEW.confidence := round(NEW.confidence::numeric, 1);"
STAMPS = "NEW.updated_at := now();"

PREPARED = """
SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements
WHERE statement LIKE '%WITH examined AS MATERIALIZED%'
"""
PLANNING = """
SELECT current_setting('enable_nestloop'), current_setting('plan_cache_mode')
"""
OURS = ("off", "force_generic_plan")
DEFAULTS = ("on", "auto")


def others(memory: Memory, does: str) -> None:
    with memory.connect() as owner:
        owner.execute((OTHERS % does).encode())


@contextmanager
def decaying(
    memory: Memory, *, cut_once: bool = False
) -> Iterator[tuple[Session, DecayResult, list[tuple[str, str]]]]:
    """The session of a decay in tens that has just ended, its result, its planner settings by batch.

    cut_once: end its connection after the first batch.
    """
    seen: list[tuple[str, str]] = []
    with memory.session() as (session, loaded):

        def emit(_done: int, _known: int | None, _what: str) -> None:
            seen.append(planning(session))
            if cut_once and len(seen) == 1:
                pid = session.connection.info.backend_pid
                with memory.connect() as killer:
                    killer.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

        with runs.started(
            session,
            loaded,
            command="decay",
            table=TABLE,
            as_of=INSTANT,
            dry_run=False,
            emit=emit,
        ) as run:
            result = decay(run, TENS)
            runs.finished(run, result)
            yield session, result, seen


def planning(session: Session) -> tuple[str, str]:
    row = session.connection.execute(PLANNING).fetchone()
    assert row is not None
    return row[0], row[1]


def prepared(session: Session) -> list[tuple[str, int, int]]:
    return session.connection.execute(PREPARED.encode()).fetchall()


# -- what they may change --


def test_a_trigger_that_rounds_confidence_stops_decay_and_nothing_of_the_batch_is_kept(
    memory: Memory,
) -> None:
    memory.fill(30)
    memory.decay()
    before = memory.derived()
    others(memory, ROUNDS)
    with pytest.raises(RunFailed, match=r"of_others \(.*others\(\)\)") as caught:
        memory.decay(as_of=LATER, options=TENS)
    assert caught.value.exit_code == 70
    assert memory.derived() == before
    assert [status for _, status, _, _ in memory.ledger()] == ["done", "failed"]
    with memory.connect() as owner:
        owner.execute("DROP TRIGGER of_others ON entity_facts")
    memory.decay(as_of=LATER)
    with memory.session() as (session, loaded):
        assert_sound(session, loaded, LATER)
    assert [row[2] for row in memory.derived()] == [row[2] for row in before], "the bases"


def test_a_rounding_trigger_stops_the_first_decay_before_a_base_is_lost(memory: Memory) -> None:
    memory.fill(10)
    before = memory.derived()
    others(memory, ROUNDS)
    with pytest.raises(RunFailed, match="of_others"):
        memory.decay()
    assert memory.derived() == before


def test_batches_before_the_one_that_a_trigger_spoils_are_kept(memory: Memory) -> None:
    memory.fill(30)
    others(memory, f"IF NEW.id > 20 THEN {ROUNDS} END IF;")
    with pytest.raises(RunFailed, match="of_others"):
        memory.decay(options=TENS)
    kept = [row[0] for row in memory.derived() if row[2] is not None]
    assert kept == list(range(1, 21))


@pytest.mark.parametrize(
    "does",
    [
        pytest.param("", id="nothing"),
        pytest.param(STAMPS, id="updated_at"),
        pytest.param("NEW.confidence := NEW.confidence;", id="the same confidence"),
        pytest.param(
            f"IF NEW.confidence_written IS NOT DISTINCT FROM OLD.confidence_written THEN {ROUNDS} END IF;",
            id="as the remedy says",
        ),
    ],
)
def test_a_trigger_that_leaves_confidence_alone_stops_nothing(does: str, memory: Memory) -> None:
    memory.fill(30)
    others(memory, does)
    result = memory.decay(options=TENS)
    assert (result.examined, result.updated) == (30, 30)
    with memory.session() as (session, loaded):
        assert_sound(session, loaded, INSTANT)


# -- how batches are planned --


@pytest.mark.parametrize("cut_once", [False, True])
def test_batches_are_prepared_once_a_connection_and_planned_once(
    memory: Memory, cut_once: bool
) -> None:
    memory.fill(300)
    with decaying(memory, cut_once=cut_once) as (session, result, seen):
        assert result.batches == 30
        found = prepared(session)
        # Keys are sent in the narrowest type that holds them: first and last, of two bytes here.
        assert 1 <= len(found) <= 4
        assert sum(generic for _, generic, _ in found) == (29 if cut_once else 30)
        assert sum(custom for _, _, custom in found) == 0
        assert set(seen) == {OURS}


def test_the_statements_of_a_long_pass_stay_few_whatever_the_width_of_its_keys(
    memory: Memory,
) -> None:
    memory.fill(100)
    with memory.connect() as owner:
        owner.execute("UPDATE entity_facts SET id = id + 32700 WHERE id > 50")
        owner.execute("UPDATE entity_facts SET id = id + 2147450000::bigint WHERE id > 32790")
    with decaying(memory) as (session, result, _):
        assert result.updated == 100
        assert len(prepared(session)) <= 9


@pytest.mark.parametrize("cut_once", [False, True])
def test_our_planner_settings_never_reach_a_trigger_of_others(
    memory: Memory, cut_once: bool
) -> None:
    memory.fill(30)
    with memory.connect() as owner:
        owner.execute("CREATE TABLE planned (nestloop text, cache text)")
    others(memory, f"INSERT INTO public.planned {PLANNING};")
    with decaying(memory, cut_once=cut_once) as (session, result, seen):
        assert result.updated == 30
        assert set(seen) == {DEFAULTS}
        assert planning(session) == DEFAULTS
        assert 1 <= len(prepared(session)) <= 4, "prepared all the same"
    with memory.connect() as watcher:
        found = watcher.execute("SELECT DISTINCT nestloop, cache FROM planned").fetchall()
    assert found == [DEFAULTS]
