"""decay on single facts, with values worked out by hand (spec 3, 4)."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_maintenance.jobs.decay import Problem
from tests.support.legacy import AGENT, facts
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    confidence,
    configured,
    decay,
    row,
)
from tests.support.server import Connection, TestDatabase

MICROSECOND = timedelta(microseconds=1)


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def fact(durability: str = "long_term", category: str = "observation", **more: Any) -> Any:
    """A row whose only clocks are those that are named."""
    clocks = {"last_confirmed_at": None, "learned_at": None}
    return {"durability": durability, "category": category} | clocks | more


def mood(**more: Any) -> Any:
    """A mood: it has a half-life of 36 hours."""
    return fact("ephemeral", "mood", **more)


def obligation(**more: Any) -> Any:
    """An obligation: it has a half-life of 48 hours once its deadline, expires, has passed."""
    return fact("short_term", "obligation", **more)


# -- how confidence fades --


@pytest.mark.parametrize(
    ("aged", "expected"),
    [
        pytest.param(mood(last_confirmed_at=AS_OF), 1.0, id="mood, just confirmed"),
        pytest.param(mood(last_confirmed_at=ago(hours=36)), 0.5, id="mood, 36 h"),
        pytest.param(mood(last_confirmed_at=ago(hours=72)), 0.25, id="mood, 72 h"),
        pytest.param(
            mood(confidence=0.4, last_confirmed_at=ago(hours=36)), 0.2, id="mood stored at 0.4"
        ),
        pytest.param(
            fact("short_term", "mood", last_confirmed_at=ago(hours=36)), 0.5, id="short-term mood"
        ),
        pytest.param(fact("ephemeral", last_confirmed_at=ago(hours=36)), 0.5, id="ephemeral, 36 h"),
        pytest.param(fact("short_term", last_confirmed_at=ago(days=10)), 0.5, id="short, 10 d"),
        pytest.param(fact("long_term", last_confirmed_at=ago(days=180)), 0.5, id="long, 180 d"),
        pytest.param(fact("long_term", last_confirmed_at=ago(days=90)), 0.5**0.5, id="long, 90 d"),
        pytest.param(fact("permanent", last_confirmed_at=ago(days=3650)), 0.5, id="permanent"),
        pytest.param(
            fact("long_term", "no such", last_confirmed_at=ago(days=180)), 0.5, id="other"
        ),
        pytest.param(fact(confidence=None, last_confirmed_at=ago(days=180)), 0.5, id="NULL is 1"),
        pytest.param(fact(confidence=0.0, last_confirmed_at=ago(days=180)), 0.0, id="0 stays 0"),
        pytest.param(fact(learned_at=ago(days=180)), 0.5, id="never confirmed, learned 180 d ago"),
        pytest.param(
            fact(learned_at=ago(days=900), last_confirmed_at=ago(days=180)), 0.5, id="confirmed"
        ),
        pytest.param(fact(), 1.0, id="no clock at all"),
        pytest.param(
            fact("long_term", "decision", last_confirmed_at=ago(days=3650)), 1.0, id="decision"
        ),
        pytest.param(
            fact("short_term", "routine", last_confirmed_at=ago(days=3650)), 1.0, id="routine"
        ),
        pytest.param(
            fact("long_term", "decision", decay_rate=1, last_confirmed_at=ago(days=9)),
            1.0,
            id="decision with a rate",
        ),
        pytest.param(mood(pinned=True, last_confirmed_at=ago(days=3650)), 1.0, id="pinned mood"),
        pytest.param(
            fact(decay_rate=1, last_confirmed_at=ago(days=1)), math.exp(-1), id="own rate 1 a day"
        ),
        pytest.param(
            fact("permanent", decay_rate=0.25, last_confirmed_at=ago(days=2)),
            math.exp(-0.5),
            id="own rate of a permanent fact",
        ),
        pytest.param(
            fact("ephemeral", decay_rate=0, last_confirmed_at=ago(days=3650)), 1.0, id="rate 0"
        ),
        pytest.param(
            mood(decay_rate=1, last_confirmed_at=ago(hours=24)),
            math.exp(-1),
            id="mood, faster rate",
        ),
        pytest.param(
            mood(decay_rate=0.125, last_confirmed_at=ago(hours=36)), 0.5, id="mood, slower rate"
        ),
        pytest.param(mood(decay_rate=0, last_confirmed_at=ago(hours=36)), 0.5, id="mood, rate 0"),
    ],
)
def test_confidence_fades_by_the_policy_that_fits_first(
    migrated: TestDatabase, connection: Connection, aged: Any, expected: float
) -> None:
    (key,) = facts(connection, [aged])
    decay(migrated)
    assert confidence(connection, key) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("due", "expected"),
    [
        pytest.param(obligation(last_confirmed_at=ago(days=900)), 1.0, id="no deadline"),
        pytest.param(
            obligation(expires="infinity", last_confirmed_at=ago(days=9)), 1.0, id="infinity"
        ),
        pytest.param(
            obligation(expires=ahead(seconds=1), last_confirmed_at=ago(days=900)), 1.0, id="open"
        ),
        pytest.param(obligation(expires=AS_OF, last_confirmed_at=ago(days=9)), 1.0, id="due now"),
        pytest.param(
            obligation(expires=ago(hours=48), last_confirmed_at=ago(days=9)), 0.5, id="48 h overdue"
        ),
        pytest.param(
            obligation(expires=ago(days=9), last_confirmed_at=ago(hours=48)),
            0.5,
            id="confirmed 48 h ago, after its deadline",
        ),
        pytest.param(
            obligation(expires=ago(hours=24), decay_rate=1, last_confirmed_at=ago(days=9)),
            math.exp(-1),
            id="own rate, from the deadline",
        ),
        pytest.param(
            obligation(expires=ago(days=9), pinned=True, last_confirmed_at=ago(days=9)),
            1.0,
            id="pinned",
        ),
    ],
)
def test_an_obligation_fades_from_its_deadline(
    migrated: TestDatabase, connection: Connection, due: Any, expected: float
) -> None:
    (key,) = facts(connection, [due])
    decay(migrated)
    assert confidence(connection, key) == pytest.approx(expected, abs=1e-12)


def test_grace_delays_the_decay_of_an_obligation(
    migrated: TestDatabase, connection: Connection
) -> None:
    graceful = configured(
        category={"obligation": {"after_deadline": {"half_life": "48h", "grace": "24h"}}},
        confidence={"adopt": "history"},
    )
    within, past = facts(
        connection,
        [
            obligation(expires=ago(hours=24), last_confirmed_at=ago(days=9)),
            obligation(expires=ago(hours=72), last_confirmed_at=ago(days=9)),
        ],
    )
    decay(migrated, AS_OF, graceful)
    assert confidence(connection, within) == 1.0
    assert confidence(connection, past) == 0.5


def test_moving_a_deadline_later_restores_the_obligation(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [obligation(expires=ago(hours=48), last_confirmed_at=ago(days=9))])
    decay(migrated)
    connection.execute("UPDATE entity_facts SET expires = %s", [ahead(days=1)])
    decay(migrated)
    assert confidence(connection, key) == 1.0


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        pytest.param(fact(expires=ago(days=1)), 0.0, id="expired"),
        pytest.param(fact(expires=AS_OF), 0.0, id="expires exactly now"),
        pytest.param(fact(expires=AS_OF + MICROSECOND), 1.0, id="expires a microsecond later"),
        pytest.param(fact(expires="infinity"), 1.0, id="never expires"),
        pytest.param(fact("permanent", expires=ago(days=1)), 0.0, id="permanent"),
        pytest.param(fact("long_term", "decision", expires=ago(days=1)), 0.0, id="decision"),
        pytest.param(fact(decay_rate=0, expires=ago(days=1)), 0.0, id="rate 0"),
        pytest.param(fact(pinned=True, expires=ago(days=1)), 1.0, id="pinned"),
    ],
)
def test_what_has_expired_is_worth_nothing(
    migrated: TestDatabase, connection: Connection, over: Any, expected: float
) -> None:
    (key,) = facts(connection, [over])
    decay(migrated)
    assert confidence(connection, key) == expected
    assert row(connection, key, "confidence_base") == {"confidence_base": 1.0}


def test_extending_expires_restores_the_fact(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [fact(confidence=0.8, expires=ago(days=1), last_confirmed_at=AS_OF)])
    decay(migrated)
    assert confidence(connection, key) == 0.0
    connection.execute("UPDATE entity_facts SET expires = %s", [ahead(days=1)])
    decay(migrated)
    assert confidence(connection, key) == 0.8


@pytest.mark.parametrize(
    ("shape", "age", "expected"),
    [
        (2.0, timedelta(hours=18), 2**-0.25),
        (2.0, timedelta(hours=36), 0.5),
        (2.0, timedelta(hours=72), 2**-4.0),
        (0.5, timedelta(hours=9), 2**-0.5),
        (0.5, timedelta(hours=36), 0.5),
        (0.5, timedelta(hours=144), 0.25),
    ],
)
def test_a_shape_bends_the_curve_around_its_half_life(
    migrated: TestDatabase, connection: Connection, shape: float, age: timedelta, expected: float
) -> None:
    shaped = configured(
        category={"mood": {"shape": shape}}, confidence={"adopt": "history", "min_delta": 0.0}
    )
    (key,) = facts(connection, [mood(last_confirmed_at=AS_OF - age)])
    decay(migrated, AS_OF, shaped)
    assert confidence(connection, key) == pytest.approx(expected, abs=1e-12)


def test_extremes_stop_nothing(migrated: TestDatabase, connection: Connection) -> None:
    # 1e-300 * 2 ** -999 is below what a double holds; PostgreSQL raises 22003 where it is computed.
    swift = configured(
        durability={
            "ephemeral": {"half_life": "1s", "shape": 10},
            "short_term": {"half_life": "1s"},
        },
        confidence={"adopt": "history", "min_delta": 0.0},
    )
    old, century, tiny, product, fast, slow, fair = facts(
        connection,
        [
            mood(last_confirmed_at=ago(days=3650)),
            fact("ephemeral", last_confirmed_at=ago(days=36_525)),
            fact("permanent", confidence=1e-300, last_confirmed_at=AS_OF),
            fact("short_term", confidence=1e-300, last_confirmed_at=ago(seconds=999)),
            fact(decay_rate=1e30, last_confirmed_at=ago(days=36_525)),
            fact(decay_rate=1e-30, last_confirmed_at=ago(days=36_525)),
            fact(last_confirmed_at=ago(days=180)),
        ],
    )
    result = decay(migrated, AS_OF, swift)
    assert result.examined == 7
    assert result.problem_count == 0
    # Ten years are 2433.3 half-lives of 36 hours: below 2 ** -1000.
    assert confidence(connection, old) == 0.0
    assert confidence(connection, century) == 0.0
    assert confidence(connection, tiny) == 1e-300
    assert confidence(connection, product) == 0.0
    assert confidence(connection, fast) == 0.0
    assert confidence(connection, slow) == 1.0
    assert confidence(connection, fair) == 0.5


def test_the_smallest_fractions_keep_their_precision(
    migrated: TestDatabase, connection: Connection
) -> None:
    deep, tiny = facts(
        connection,
        [
            mood(last_confirmed_at=ago(hours=36 * 900)),
            mood(confidence=1e-200, last_confirmed_at=ago(hours=36 * 100)),
        ],
    )
    decay(migrated)
    assert confidence(connection, deep) == pytest.approx(2.0**-900, rel=1e-12)
    assert confidence(connection, tiny) == pytest.approx(1e-200 * 2.0**-100, rel=1e-12)


def test_zone_less_clocks_are_read_in_the_zone_of_the_database(
    migrated: TestDatabase, connection: Connection
) -> None:
    # 01:00 in Berlin is 23:00 UTC in summer and midnight in winter.
    connection.execute(
        f"ALTER DATABASE \"{migrated.name}\" SET TimeZone = 'Europe/Berlin'".encode()
    )
    summer, winter = facts(
        connection,
        [
            fact("ephemeral", learned_at=datetime(2026, 5, 31, 14)),  # noqa: DTZ001
            fact("permanent", learned_at=datetime(2026, 1, 15, 1)),  # noqa: DTZ001
        ],
    )
    decay(migrated)
    assert row(connection, summer)["confidence_anchor_at"] == ago(hours=12)
    assert row(connection, winter)["confidence_anchor_at"] == ago(days=137)


def test_the_configured_zone_wins_over_that_of_the_database(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [fact(learned_at=datetime(2026, 5, 31, 14))])  # noqa: DTZ001
    loaded = configured(
        database={"zoneless_timezone": "Europe/Berlin"}, confidence={"adopt": "history"}
    )
    decay(migrated, AS_OF, loaded)
    assert row(connection, key)["confidence_anchor_at"] == ago(hours=12)


# -- what is wrong with a row --


def _as_text(connection: Connection, key: int) -> Any:
    """A row as the server writes it, its version included: some values have no form in Python."""
    return connection.execute(
        "SELECT ctid::text, f::text FROM entity_facts AS f WHERE id = %s", [key]
    ).fetchone()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("confidence", "NaN"),
        ("confidence", "1.5"),
        ("confidence", "-0.1"),
        ("durability", "eternal"),
        ("decay_rate", "-1"),
        ("decay_rate", "NaN"),
        ("last_confirmed_at", "infinity"),
        ("last_confirmed_at", "-infinity"),
        ("learned_at", "infinity"),
        ("last_accessed_at", "-infinity"),
    ],
)
def test_a_row_with_something_wrong_is_left_alone_and_listed(
    migrated: TestDatabase, connection: Connection, column: str, value: str
) -> None:
    connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_confidence")
    connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT IF EXISTS chk_durability")
    sound, wrong = facts(
        connection,
        [
            fact(last_confirmed_at=ago(days=180)),
            fact(last_confirmed_at=ago(days=180)) | {column: value},
        ],
    )
    before = _as_text(connection, wrong)
    result = decay(migrated)
    assert confidence(connection, sound) == 0.5
    assert _as_text(connection, wrong) == before
    assert (result.examined, result.updated, result.problem_count) == (2, 1, 1)
    (problem,) = result.problems
    assert problem.id == wrong
    assert column in problem.problem


def test_a_clock_later_than_now_is_listed_and_computed(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(confidence=0.9, last_confirmed_at=ahead(hours=36))])
    result = decay(migrated)
    assert result.problems == (Problem(key, "last_confirmed_at is later than now"),)
    assert confidence(connection, key) == 0.9
    # The clock itself isn't believed, but it is read again by each run.
    assert row(connection, key)["confidence_anchor_at"] == AS_OF
    assert decay(migrated, ahead(hours=72)).problem_count == 0
    assert confidence(connection, key) == pytest.approx(0.45, abs=1e-12)


def test_the_first_hundred_problems_are_listed_and_all_are_counted(
    migrated: TestDatabase, connection: Connection
) -> None:
    keys = facts(connection, [mood(decay_rate=-1) for _ in range(130)])
    result = decay(migrated, batch_rows=40)
    assert result.problem_count == 130
    assert [problem.id for problem in result.problems] == keys[:100]


# -- writers --


def test_an_extractor_that_confirms_a_fact_restores_its_base(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(confidence=0.8, last_confirmed_at=ago(hours=36))])
    decay(migrated)
    assert confidence(connection, key) == pytest.approx(0.4, abs=1e-12)
    agent = migrated.connect()
    agent.execute(f"SET ROLE {AGENT}".encode())
    agent.execute("UPDATE entity_facts SET last_confirmed_at = %s", [ahead(hours=1)])
    decay(migrated, ahead(hours=1))
    assert confidence(connection, key) == 0.8
    decay(migrated, ahead(hours=37))
    assert confidence(connection, key) == pytest.approx(0.4, abs=1e-12)


def test_a_fact_stored_at_0_4_stays_at_or_below_that(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [fact(confidence=0.4, last_confirmed_at=ago(days=180))])
    decay(migrated)
    connection.execute("UPDATE entity_facts SET last_confirmed_at = %s", [AS_OF])
    decay(migrated)
    assert confidence(connection, key) == 0.4


def test_a_writer_that_sets_confidence_alone_is_dated_to_the_run_that_sees_it(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated)
    connection.execute("UPDATE entity_facts SET confidence = 0.9")
    decay(migrated, ahead(hours=5))
    found = row(connection, key)
    assert (found["confidence"], found["confidence_base"]) == (0.9, 0.9)
    assert found["confidence_anchor_at"] == ahead(hours=5)
    decay(migrated, ahead(hours=41))
    assert confidence(connection, key) == pytest.approx(0.45, abs=1e-12)


def test_a_writer_that_confirms_as_it_sets_confidence_is_dated_to_its_confirmation(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated)
    connection.execute(
        "UPDATE entity_facts SET confidence = 0.9, last_confirmed_at = %s", [ahead(hours=1)]
    )
    decay(migrated, ahead(hours=37))
    assert row(connection, key)["confidence_anchor_at"] == ahead(hours=1)
    assert confidence(connection, key) == pytest.approx(0.45, abs=1e-12)


def test_a_writer_whose_clock_is_fast_is_dated_to_the_run(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated)
    connection.execute(
        "UPDATE entity_facts SET confidence = 0.9, last_confirmed_at = %s", [ahead(days=9)]
    )
    assert decay(migrated, ahead(hours=1)).problem_count == 1
    assert row(connection, key)["confidence_anchor_at"] == ahead(hours=1)
    assert confidence(connection, key) == 0.9


def test_a_confirmation_before_the_anchor_does_not_date_a_write(
    migrated: TestDatabase, connection: Connection
) -> None:
    clock = connection.execute("SELECT now()").fetchone()
    assert clock is not None
    adopting = configured()
    (key,) = facts(connection, [mood(last_confirmed_at=None)])
    # The anchor is the adoption, a day later than this first pass.
    decay(migrated, clock[0] - timedelta(days=1), adopting)
    connection.execute(
        "UPDATE entity_facts SET confidence = 0.9, last_confirmed_at = %s",
        [clock[0] - timedelta(hours=12)],
    )
    seen = clock[0] + timedelta(days=1)
    decay(migrated, seen, adopting)
    assert row(connection, key)["confidence_anchor_at"] == seen
    assert confidence(connection, key) == 0.9


def test_a_confirmation_that_an_earlier_pass_has_seen_does_not_date_a_later_write(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated)
    connection.execute("UPDATE entity_facts SET last_confirmed_at = %s", [ahead(hours=1)])
    decay(migrated, ahead(hours=2))
    connection.execute("UPDATE entity_facts SET confidence = 0.9")
    decay(migrated, ahead(hours=37))
    assert row(connection, key)["confidence_anchor_at"] == ahead(hours=37)
    assert confidence(connection, key) == 0.9


def test_neither_dry_runs_nor_importance_alone_count_as_the_previous_pass(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated)
    connection.execute(
        "UPDATE entity_facts SET confidence = 0.9, last_confirmed_at = %s", [ahead(hours=1)]
    )
    decay(migrated, ahead(hours=2), dry_run=True)
    decay(migrated, ahead(hours=2), only="importance")
    decay(migrated, ahead(hours=37))
    assert row(connection, key)["confidence_anchor_at"] == ahead(hours=1)


def test_a_new_base_is_written_even_where_nothing_else_changes(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [fact(last_confirmed_at=AS_OF)])
    decay(migrated)
    connection.execute("UPDATE entity_facts SET confidence = 0.999")
    loaded = configured(confidence={"adopt": "history", "min_delta": 0.5})
    assert decay(migrated, ahead(hours=1), loaded).updated == 1
    assert row(connection, key)["confidence_anchor_at"] == ahead(hours=1)
    assert decay(migrated, ahead(hours=2), loaded).updated == 0


def test_decay_moves_no_clock_of_the_writers(
    migrated: TestDatabase, connection: Connection
) -> None:
    facts(connection, [mood(), mood(last_confirmed_at=ago(days=9)), fact("permanent", pinned=True)])
    statement = "SELECT updated_at, last_confirmed_at, learned_at, expires FROM entity_facts"
    before = connection.execute(statement).fetchall()
    assert decay(migrated).updated == 3
    assert sorted(map(str, connection.execute(statement).fetchall())) == sorted(map(str, before))


def test_a_trigger_that_stamps_updated_at_is_named_and_left_at_work(
    migrated: TestDatabase, connection: Connection
) -> None:
    connection.execute(
        """
        CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$
        """
    )
    connection.execute(
        "CREATE TRIGGER keep_updated_at BEFORE UPDATE ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION stamp()"
    )
    (key,) = facts(connection, [mood(last_confirmed_at=ago(days=1), updated_at=None)])
    dry = decay(migrated, dry_run=True)
    result = decay(migrated)
    assert row(connection, key)["updated_at"] is not None
    assert result.notes == dry.notes
    (note,) = result.notes
    assert "keep_updated_at" in note
    enabled = connection.execute(
        "SELECT tgenabled::text FROM pg_trigger WHERE tgname = 'keep_updated_at'"
    )
    assert enabled.fetchone() == ("O",)


# -- adoption --


def _adoption(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT table_name, adopt, adopted_at::text FROM memory_maintenance.adoption"
    ).fetchall()


def test_facts_found_at_the_first_run_decay_from_then_on(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(days=3650))])
    adopting = configured()
    first = connection.execute("SELECT now() AS at").fetchone()
    assert first is not None
    decay(migrated, first[0], adopting)
    assert confidence(connection, key) == 1.0
    ((name, how, _),) = _adoption(connection)
    assert (name, how) == ("public.entity_facts", "now")
    adopted_at = row(connection, key)["confidence_anchor_at"]
    assert adopted_at >= first[0]
    decay(migrated, adopted_at + timedelta(hours=36), adopting)
    assert confidence(connection, key) == 0.5


def test_under_history_facts_decay_from_their_last_confirmation(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(connection, [mood(last_confirmed_at=ago(hours=36))])
    decay(migrated, AS_OF, EXACT)
    assert confidence(connection, key) == 0.5
    assert _adoption(connection) == [("public.entity_facts", "history", "-infinity")]


def test_adoption_is_settled_once_by_the_first_real_run(
    migrated: TestDatabase, connection: Connection
) -> None:
    decay(migrated, dry_run=True)
    assert _adoption(connection) == []
    decay(migrated, AS_OF, EXACT)
    settled = _adoption(connection)
    decay(migrated, AS_OF, configured(confidence={"adopt": "now"}))
    assert _adoption(connection) == settled


def test_a_fact_inserted_after_adoption_decays_from_its_own_clock(
    migrated: TestDatabase, connection: Connection
) -> None:
    adopting = configured()
    clock = connection.execute("SELECT now()").fetchone()
    assert clock is not None
    decay(migrated, clock[0], adopting)
    confirmed = clock[0] + timedelta(days=1)
    (key,) = facts(connection, [mood(last_confirmed_at=confirmed)])
    decay(migrated, confirmed + timedelta(hours=36), adopting)
    assert confidence(connection, key) == 0.5


# -- what is written --


def test_changes_below_min_delta_are_not_written_but_crossing_the_threshold_is(
    migrated: TestDatabase, connection: Connection
) -> None:
    loaded = configured(
        durability={"long_term": {"half_life": "100d"}},
        confidence={"adopt": "history", "min_delta": 0.05},
    )
    small, crossing = facts(
        connection,
        [
            fact(pinned=False, last_confirmed_at=AS_OF),
            fact(confidence=0.101, last_confirmed_at=AS_OF),
        ],
    )
    decay(migrated, AS_OF, loaded)
    # Two days of a hundred: 1 -> 0.986, 0.101 -> 0.0996; importance still rounds to 5.
    result = decay(migrated, ahead(days=2), loaded)
    assert confidence(connection, small) == 1.0
    assert confidence(connection, crossing) == pytest.approx(0.101 * 2**-0.02, abs=1e-12)
    assert (result.updated, result.confidence.changed, result.importance.changed) == (1, 1, 0)


def test_a_change_of_exactly_min_delta_is_written(
    migrated: TestDatabase, connection: Connection
) -> None:
    loaded = configured(confidence={"adopt": "history", "min_delta": 0.5})
    (key,) = facts(connection, [mood(importance=1, last_confirmed_at=AS_OF)])
    decay(migrated, AS_OF, loaded)
    assert decay(migrated, ahead(hours=35), loaded).updated == 0
    assert decay(migrated, ahead(hours=36), loaded).updated == 1
    assert confidence(connection, key) == 0.5


def test_each_fact_is_counted_under_the_policy_that_governs_it(
    migrated: TestDatabase, connection: Connection
) -> None:
    facts(
        connection,
        [
            mood(last_confirmed_at=ago(hours=36)),
            mood(last_confirmed_at=AS_OF),
            fact("long_term", "decision"),
            fact(decay_rate=1),
            fact(pinned=True),
            fact(expires=ago(days=1)),
            obligation(expires=ago(days=1)),
            fact("permanent"),
            fact(decay_rate=-1),
        ],
    )
    result = decay(migrated)
    assert result.examined == 9
    counted = {p.policy: (p.half_life_s, p.facts, p.changed) for p in result.policies}
    assert counted == {
        "pinned": (None, 1, 0),
        "expired": (None, 1, 1),
        "row:decay_rate": (None, 1, 0),
        "category:obligation:after_deadline": (172_800.0, 1, 0),
        "durability:permanent": (315_360_000.0, 1, 0),
        "category:mood": (129_600.0, 2, 1),
        "category:decision": (None, 1, 0),
    }


@pytest.mark.parametrize("only", ["confidence", "importance"])
def test_half_a_pass_leaves_the_other_half_alone(
    migrated: TestDatabase, connection: Connection, only: Any
) -> None:
    (key,) = facts(connection, [mood(importance=7, last_confirmed_at=ago(days=14))])
    decay(migrated, only=only)
    found = row(connection, key)
    assert (found["confidence_base"] is not None) == (only == "confidence")
    assert (found["effective_importance"] is not None) == (only == "importance")


def test_a_run_names_itself_in_the_ledger_and_keeps_its_counts(
    migrated: TestDatabase, connection: Connection
) -> None:
    facts(connection, [mood(last_confirmed_at=ago(days=1)), mood(decay_rate=-1)])
    result = decay(migrated)
    found = connection.execute(
        "SELECT command, table_name, as_of, status, counts FROM memory_maintenance.run WHERE id = %s",
        [result.run_id],
    ).fetchone()
    counts = {"examined": 2, "updated": 1, "confidence": 1, "importance": 1, "problems": 1}
    assert found == ("decay", "public.entity_facts", AS_OF, "done", counts)


# -- importance --


def _importance(connection: Connection, key: int) -> Any:
    return row(connection, key)["effective_importance"]


@pytest.mark.parametrize(
    ("importance", "update_days", "access_days", "effective"),
    [
        (7, 0, 0, 7),
        (7, 3, 3, 5),
        (7, 7, 7, 3),
        (7, 14, 0, 4),
        (7, 14, 14, 2),
        (7, 28, 28, 1),
        (2, 14, 14, 1),
        (10, 14, 5, 4),
        (5, 14, 0, 2),
    ],
)
def test_importance_fades_as_the_golden_table_says(
    migrated: TestDatabase,
    connection: Connection,
    importance: int,
    update_days: int,
    access_days: int,
    effective: int,
) -> None:
    (key,) = facts(
        connection,
        [
            fact(
                importance=importance,
                last_confirmed_at=ago(days=update_days),
                last_accessed_at=ago(days=access_days),
            )
        ],
    )
    decay(migrated)
    found = row(connection, key)
    assert (found["importance"], found["effective_importance"]) == (importance, effective)


@pytest.mark.parametrize(("importance", "effective"), [(1, 1), (3, 2), (5, 2), (7, 4), (9, 4)])
def test_halves_round_to_the_even_number(
    migrated: TestDatabase, connection: Connection, importance: int, effective: int
) -> None:
    halved = configured(
        confidence={"adopt": "history"}, importance={"access_boost": [{"factor": 0.5}]}
    )
    (key,) = facts(connection, [fact(importance=importance, last_confirmed_at=AS_OF)])
    decay(migrated, AS_OF, halved)
    assert _importance(connection, key) == effective


@pytest.mark.parametrize(
    ("exempt", "effective"),
    [
        pytest.param(fact(), 8, id="no clock: age 0"),
        pytest.param(fact(last_confirmed_at=ago(days=99)), 1, id="not exempt"),
        pytest.param(fact(pinned=True, last_confirmed_at=ago(days=99)), 8, id="pinned"),
        pytest.param(fact("permanent", last_confirmed_at=ago(days=99)), 8, id="permanent"),
        pytest.param(
            fact("long_term", "decision", last_confirmed_at=ago(days=99)), 8, id="decision"
        ),
        pytest.param(fact("long_term", "routine", last_confirmed_at=ago(days=99)), 8, id="routine"),
        pytest.param(obligation(last_confirmed_at=ago(days=99)), 8, id="open obligation"),
        pytest.param(
            obligation(expires=ahead(days=1), last_confirmed_at=ago(days=99)),
            8,
            id="before deadline",
        ),
        pytest.param(
            obligation(expires=ago(days=1), last_confirmed_at=ago(days=99)), 1, id="past deadline"
        ),
        pytest.param(fact(learned_at=ago(days=99)), 1, id="learned long ago"),
        pytest.param(fact(last_confirmed_at=ahead(days=9)), 8, id="confirmed in the future"),
    ],
)
def test_some_facts_keep_their_importance(
    migrated: TestDatabase, connection: Connection, exempt: Any, effective: int
) -> None:
    (key,) = facts(connection, [exempt | {"importance": 8}])
    decay(migrated)
    assert _importance(connection, key) == effective


def test_an_access_counts_as_an_update_only_where_that_is_configured(
    migrated: TestDatabase, connection: Connection
) -> None:
    (key,) = facts(
        connection,
        [fact(importance=7, last_confirmed_at=ago(days=28), last_accessed_at=ago(days=14))],
    )
    decay(migrated)
    assert _importance(connection, key) == 1
    accessed = configured(confidence={"adopt": "history"}, importance={"clock": "accessed"})
    decay(migrated, AS_OF, accessed)
    # 7 * 1/2 after one half-life, by 0.5 for an access two weeks ago: 1.75.
    assert _importance(connection, key) == 2


@pytest.mark.parametrize("clock", ["confirmed", "accessed"])
def test_an_access_never_shortens_a_life(
    migrated: TestDatabase, connection: Connection, clock: str
) -> None:
    loaded = configured(confidence={"adopt": "history"}, importance={"clock": clock})
    untouched, accessed = facts(
        connection,
        [
            fact(importance=10, last_confirmed_at=ago(days=1)),
            fact(importance=10, last_confirmed_at=ago(days=1), last_accessed_at=ago(days=30)),
        ],
    )
    decay(migrated, AS_OF, loaded)
    assert _importance(connection, accessed) == _importance(connection, untouched) == 10


# -- the function that others may call --


def test_the_survival_function_is_inlined(migrated: TestDatabase, connection: Connection) -> None:
    plan = connection.execute(
        "EXPLAIN (VERBOSE, COSTS OFF)"
        " SELECT memory_maintenance.survival(f.confidence, f.confidence, f.decay_rate)"
        " FROM entity_facts AS f"
    ).fetchall()
    text = "\n".join(line for (line,) in plan)
    assert "power" in text
    assert "survival" not in text
