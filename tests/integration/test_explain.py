"""explain: why a fact has its value, with every number worked out by hand (spec 3 to 8)."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.engine import run as runs
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.explain import explain
from memory_maintenance.jobs.explain_result import Confidence, ExplainResult, Importance
from memory_maintenance.model.result import Curve
from memory_maintenance.render.text import render_text
from tests.support.command import Call
from tests.support.decisions import record
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, EXACT, ago, ahead, configured, decay, opened
from tests.support.server import Connection, TestDatabase

LN10 = math.log2(10)


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def explained(
    database: TestDatabase, fact: Any, loaded: Loaded = EXACT, *, as_of: datetime = AS_OF
) -> ExplainResult:
    """``explain`` of a fact at AS_OF."""
    with (
        opened(database, loaded) as session,
        runs.started(
            session,
            loaded,
            command="explain",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=as_of,
            dry_run=True,
            emit=runs.silent,
        ) as run,
    ):
        return explain(run, str(fact))


def fact(connection: Connection, durability: str, category: str, **columns: Any) -> int:
    """A fact that was confirmed ten days before AS_OF, unless columns say when; its id."""
    row = {
        "durability": durability,
        "category": category,
        "value": "x",
        "confidence": 0.8,
        "learned_at": ago(days=10).replace(tzinfo=None),
        "last_confirmed_at": ago(days=10),
    }
    return facts(connection, [row | columns])[0]


def confidence(result: ExplainResult) -> Confidence:
    assert result.confidence is not None
    return result.confidence


def importance(result: ExplainResult) -> Importance:
    assert result.importance is not None
    return result.importance


def test_a_state_of_ten_days_has_half_of_its_confidence_and_says_why(
    migrated: TestDatabase, connection: Connection
) -> None:
    result = explained(migrated, fact(connection, "short_term", "state", importance=7))
    found = confidence(result)
    assert (found.stored, found.base) == (0.8, 0.8)
    assert found.value == pytest.approx(0.4, abs=1e-15)
    assert (found.anchor_at, found.anchor_from) == (ago(days=10), "last_confirmed_at")
    assert (found.policy, found.half_life_s, found.shape) == ("durability:short_term", 864000, 1)
    assert found.because == (
        "no policy for category 'state', so that of durability short_term: half-life 10d"
    )
    assert (found.age_s, found.age_half_lives, found.survival) == (864000, 1, 0.5)
    assert found.set_by_writer
    # 0.8, 0.4, 0.2, 0.1: at three half-lives it is at the threshold, and below it right after.
    assert result.crosses_threshold_at == ahead(days=20) + timedelta(microseconds=1)


def test_importance_is_worked_out(migrated: TestDatabase, connection: Connection) -> None:
    # The golden value of 7 after 14 days, accessed 14 days ago: 7 x 1/2 x 0.5 = 1.75, rounded 2.
    when = ago(days=14)
    faded = fact(connection, "long_term", "observation", importance=7, last_confirmed_at=when)
    found = importance(explained(migrated, faded))
    assert (found.importance, found.survival, found.boost, found.effective) == (7, 0.5, 0.5, 2)
    assert (found.exempt, found.scored_at, found.accessed_at) == (False, None, None)
    recalled = fact(
        connection, "long_term", "observation", importance=7, last_confirmed_at=when,
        last_accessed_at=ago(days=1), access_count=3,
    )  # fmt: skip
    found = importance(explained(migrated, recalled))
    assert (found.boost, found.access_count, found.accessed_at) == (1.0, 3, ago(days=1))
    assert found.effective == 4, "3.5, half to even"
    lasting = fact(connection, "permanent", "identity", importance=6, last_confirmed_at=when)
    found = importance(explained(migrated, lasting))
    assert (found.exempt, found.because, found.effective) == (
        True,
        "its durability is permanent",
        6,
    )


def test_an_access_before_the_confirmation_is_told_as_it_was_and_counts_no_more(
    migrated: TestDatabase, connection: Connection
) -> None:
    given = fact(
        connection, "long_term", "observation", importance=6, last_confirmed_at=ago(days=2),
        last_accessed_at=ago(days=20), access_count=3,
    )  # fmt: skip
    result = explained(migrated, given)
    found = importance(result)
    assert (found.accessed_at, found.access_age_s, found.boost) == (ago(days=20), 172800, 1.0)
    shown = " ".join(render_text(result).split())
    assert (
        "accessed 20 d ago, 3 times in all; it was confirmed since, so that its age counts" in shown
    )
    never = explained(migrated, fact(connection, "long_term", "observation", importance=6))
    assert "accessed never recorded, so that its age counts" in " ".join(render_text(never).split())


def test_an_importance_that_has_faded_away_is_one(
    migrated: TestDatabase, connection: Connection
) -> None:
    # 5 x 2^-((56/14)^1.5) x 0.5 = 5 / 512.
    given = fact(
        connection, "long_term", "observation", importance=5, last_confirmed_at=ago(days=56)
    )
    result = explained(migrated, given)
    assert importance(result).effective == 1
    assert "1 = 5 x survival 0.004 x access 0.5, at least 1" in render_text(result)


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"decay_rate": 0.5}, "half-life 33.3 h"),
        ({"decay_rate": 0}, "it never decays"),
        ({"decay_rate": 1e-30}, "half-life 1.9e+27 y"),
        ({"decay_rate": 1e30}, "half-life 5.99e-26 s"),
        ({"decay_rate": 2, "category": "obligation", "expires": ago(days=1)},
         "half-life 8.32 h from its deadline on"),
    ],
)  # fmt: skip
def test_a_rate_of_the_facts_own_is_told_as_a_half_life_that_can_be_read(
    migrated: TestDatabase, connection: Connection, columns: dict[str, Any], why: str
) -> None:
    given = {"durability": "short_term", "category": "state", **columns}
    assert confidence(explained(migrated, fact(connection, **given))).because == (
        f"its own decay_rate: {why}"
    )


@pytest.mark.parametrize(
    ("columns", "policy", "value", "crosses"),
    [
        ({"pinned": True}, "pinned", 0.8, None),
        ({"category": "decision", "durability": "long_term"}, "category:decision", 0.8, None),
        ({"category": "routine", "durability": "long_term"}, "category:routine", 0.8, None),
        ({"category": "mood", "durability": "ephemeral"}, "category:mood", 0.8 * 2 ** (-240 / 36),
         ago(days=10) + timedelta(hours=108)),
        ({"decay_rate": math.log(2)}, "row:decay_rate", 0.8 / 1024, ago(days=7)),
        ({"decay_rate": 0}, "row:decay_rate", 0.8, None),
        ({"expires": ago(days=2)}, "expired", 0, ago(days=2)),
        ({"expires": ahead(days=2)}, "durability:short_term", 0.4, ahead(days=2)),
        ({"expires": "infinity"}, "durability:short_term", 0.4, ahead(days=20)),
        ({"durability": "permanent", "category": "identity"}, "durability:permanent",
         0.8 * 2 ** (-1 / 365), ago(days=10) + timedelta(days=3 * 3650)),
        ({"category": "obligation", "expires": ahead(days=1)}, "category:obligation", 0.8,
         ahead(days=1 + 6)),
        ({"category": "obligation", "expires": ago(days=2)}, "category:obligation:after_deadline", 0.4,
         ahead(days=4)),
        ({"category": "obligation"}, "category:obligation", 0.8, None),
    ],
)  # fmt: skip
def test_the_policy_that_matched_and_the_day_it_ends(
    migrated: TestDatabase,
    connection: Connection,
    columns: dict[str, Any],
    policy: str,
    value: float,
    crosses: datetime | None,
) -> None:
    given = {"durability": "short_term", "category": "state", **columns}
    result = explained(migrated, fact(connection, **given))
    assert confidence(result).policy == policy
    assert confidence(result).value == pytest.approx(value, rel=1e-6)
    assert confidence(result).value == pytest.approx(
        confidence(result).base * confidence(result).survival, abs=1e-15
    )
    if crosses is None:
        assert result.crosses_threshold_at is None
    else:
        assert result.crosses_threshold_at is not None
        # decay_rate is a real: ln 2 as such is off by some 3e-8.
        assert abs(result.crosses_threshold_at - crosses) < timedelta(seconds=1)


def test_a_shape_bends_the_curve_and_the_crossing_with_it(
    migrated: TestDatabase, connection: Connection
) -> None:
    bent = configured(
        confidence={"adopt": "history"},
        durability={"short_term": {"half_life": "10d", "shape": 2.0}},
    )
    given = fact(connection, "short_term", "state", confidence=1.0, last_confirmed_at=ago(days=20))
    result = explained(migrated, given, bent)
    assert confidence(result).survival == 2**-4
    at = ago(days=20) + timedelta(days=10) * math.sqrt(LN10)
    assert result.crosses_threshold_at is not None
    assert abs(result.crosses_threshold_at - at) <= timedelta(microseconds=2)


def test_a_run_at_the_crossing_finds_it_below_and_a_moment_before_it_does_not(
    migrated: TestDatabase, connection: Connection
) -> None:
    given = fact(connection, "short_term", "state", confidence=0.77, last_confirmed_at=ago(days=3))
    at = explained(migrated, given).crosses_threshold_at
    assert at is not None
    for instant, below in ((at - timedelta(microseconds=1), False), (at, True)):
        decay(migrated, instant, EXACT)
        row = connection.execute(
            "SELECT confidence FROM entity_facts WHERE id = %s", [given]
        ).fetchone()
        assert row is not None
        assert (row[0] < 0.1) is below


def test_where_the_anchor_comes_from(migrated: TestDatabase, connection: Connection) -> None:
    never_confirmed = fact(connection, "short_term", "state", last_confirmed_at=None)
    undated = fact(connection, "short_term", "state", last_confirmed_at=None, learned_at=None)
    ahead_of_us = fact(connection, "short_term", "state", last_confirmed_at=ahead(days=5))
    assert confidence(explained(migrated, never_confirmed)).anchor_from == "learned_at"
    assert confidence(explained(migrated, undated)).anchor_from == "as_of"
    result = explained(migrated, ahead_of_us)
    assert (confidence(result).anchor_from, confidence(result).age_s) == ("last_confirmed_at", 0)
    assert result.notice == "last_confirmed_at is later than now"
    decay(migrated, AS_OF, EXACT)
    assert confidence(explained(migrated, never_confirmed)).anchor_from == "confidence_anchor_at"
    connection.execute("UPDATE entity_facts SET confidence = 0.9 WHERE id = %s", [never_confirmed])
    later = explained(migrated, never_confirmed, as_of=ahead(days=1))
    assert confidence(later).anchor_from == "as_of", "a writer set it, and the next run takes it up"
    assert (confidence(later).base, confidence(later).value) == (0.9, 0.9)
    # 0.9 falls to 0.1 in 10 d x log2(9), from the instant of the explanation on.
    assert later.crosses_threshold_at is not None
    expected = ahead(days=1) + timedelta(days=10) * math.log2(9)
    assert abs(later.crosses_threshold_at - expected) <= timedelta(microseconds=2)


def test_a_fact_with_a_data_problem_is_explained_as_far_as_it_can_be(
    migrated: TestDatabase, connection: Connection
) -> None:
    result = explained(migrated, fact(connection, "short_term", "state", decay_rate=-1))
    assert (result.problem, result.confidence, result.importance) == (
        "decay_rate is negative", None, None,
    )  # fmt: skip
    assert result.archive_spares == ("it has a data problem",)
    decay(migrated, AS_OF, EXACT)
    passed = explained(migrated, result.id)
    assert (passed.passes_since_anchor, passed.last_passes) == (0, ()), "they left it alone"
    assert "a data problem: decay_rate is negative" in render_text(result)


def test_guards_events_and_what_the_archive_spares_are_told(
    migrated: TestDatabase, connection: Connection
) -> None:
    decided = explained(migrated, record(migrated).id)
    assert decided.archive_spares == ("its category is decision",)
    assert decided.guards == (
        "a decision that is not to be reopened: the database refuses to change or delete it",
    )
    assert [event.kind for event in decided.events] == ["decision-recorded"]
    mood = explained(migrated, fact(connection, "ephemeral", "mood", importance=9))
    assert mood.archive_spares == ("its importance is 9, and 8 and more is kept",)
    assert mood.guards == ("a mood: the database refuses to make more of it than short_term",)
    assert f"\n\nGuards\n{mood.guards[0]}\n" in render_text(mood)


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (timedelta(0), "0 s, 0 half-lives"),
        (timedelta(seconds=90), "90 s, less than 0.001 half-lives"),
        (timedelta(days=25), "25 d, 2.5 half-lives"),
        (timedelta(days=20_000), "54.8 y, 2,000 half-lives"),
    ],
)
def test_an_age_is_told_in_numbers_that_can_be_read(
    migrated: TestDatabase, connection: Connection, age: timedelta, shown: str
) -> None:
    result = explained(migrated, fact(connection, "short_term", "x", last_confirmed_at=AS_OF - age))
    assert f"\nage        {shown}\n" in render_text(result)


def test_names_and_texts_of_any_length_stay_readable(
    migrated: TestDatabase, connection: Connection
) -> None:
    given = fact(connection, "short_term", "c" * 10_000, value="v" * 100_000)
    result = explained(migrated, given)
    assert (result.category, result.value) == ("c" * 10_000, "v" * 100_000)
    shown = "".join(render_text(result).split())
    assert f"{'c' * 160}...(10,000characters)" in shown
    assert f"{'v' * 160}...(100,000characters)" in shown
    assert confidence(result).because == (
        f"no policy for category '{'c' * 40}...', so that of durability short_term: half-life 10d"
    )
    assert len(render_text(result)) < 3000


def test_an_unknown_fact_is_a_usage_error(migrated: TestDatabase) -> None:
    for key in ("4711", "x", "9" * 40):
        with pytest.raises(UsageError, match=f"no fact {key} in"):
            explained(migrated, key)


def test_the_course_starts_at_the_anchor_and_never_rises(
    migrated: TestDatabase, connection: Connection
) -> None:
    result = explained(migrated, fact(connection, "short_term", "state"))
    assert (result.course[0].at, result.course[0].value) == (ago(days=10), 0.8)
    values = [point.value for point in result.course]
    assert values == sorted(values, reverse=True)
    assert all(
        point.value == pytest.approx(0.8 * 2 ** -((point.at - ago(days=10)) / timedelta(days=10)))
        for point in result.course
    )


@pytest.mark.parametrize(
    "columns",
    [
        {"category": "state", "expires": ago(days=3, minutes=7)},
        {"category": "state", "expires": ahead(days=3, minutes=7)},
        {"category": "obligation", "expires": ago(days=3, minutes=7)},
        {"category": "state", "decay_rate": 1e30},
    ],
)
def test_what_is_marked_on_the_curve_has_its_own_value(
    migrated: TestDatabase, connection: Connection, columns: dict[str, Any]
) -> None:
    result = explained(migrated, fact(connection, "short_term", **columns))
    course = {point.at: point.value for point in result.course}
    assert list(course) == sorted(course)
    assert course[AS_OF] == confidence(result).value
    at = result.crosses_threshold_at
    assert at is not None
    assert course[at] < 0.1 <= course[at - timedelta(microseconds=1)]
    curve = next(block for block in result.blocks() if isinstance(block, Curve))
    start = result.course[0].at
    assert {mark.x for mark in curve.marks} <= {(at - start).total_seconds() for at in course}


def test_people_see_the_curve_and_programs_the_numbers(
    migrated: TestDatabase, connection: Connection, call: Call
) -> None:
    given = fact(
        connection, "short_term", "state", value="tired \x1b[31m of\nmornings", importance=4
    )
    at = AS_OF.astimezone(UTC).isoformat()
    arguments = ["explain", str(given), "--dsn", migrated.dsn, "--as-of", at]
    shown = call(*arguments)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\x1b" not in shown.stdout
    assert r"tired \x1b[31m of\nmornings" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "0 +" in shown.stdout
    document = json.loads(call(*arguments, "--format", "json").stdout)
    assert document["command"] == "explain"
    assert document["confidence"].keys() >= {
        "stored", "value", "base", "anchor_at", "anchor_from", "policy", "half_life_s", "shape",
        "age_s", "survival",
    }  # fmt: skip
    assert document["importance"].keys() >= {"importance", "survival", "boost", "effective"}
    assert "crosses_threshold_at" in document
