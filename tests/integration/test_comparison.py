"""What-if: the same facts under two configurations, by hand, by the reference and by runs (spec 3, 4, 8)."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from psycopg.rows import dict_row

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import projection
from memory_maintenance.jobs.report.comparison import Both, Comparison
from memory_maintenance.model import policy
from memory_maintenance.model.curves import faded, survival
from memory_maintenance.model.result import Bars, KeyValues, Note, Table
from tests.support.command import Call
from tests.support.every_kind import of_every_kind
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, EXACT, ago, ahead, configured, decay
from tests.support.reference import Fact, Rules, effective_importance, micros
from tests.support.sections import compared, forecast
from tests.support.server import Connection, TestDatabase

ANOTHER: Final = configured(
    confidence={"adopt": "history", "min_delta": 0.0},
    durability={
        "short_term": {"half_life": "20d", "shape": 2.0},
        "long_term": {"half_life": "30d"},
        "permanent": {"half_life": "never"},
    },
    category={
        # Before mood and obligation in neither table: numbers of policies differ.
        "own": {"half_life": "5d", "shape": 0.5},
        "mood": {"half_life": "200h"},
        "routine": {"half_life": "9d"},
        "obligation": {"half_life": "never", "after_deadline": {"half_life": "7d", "grace": "1d"}},
    },
    importance={"half_life": "60d", "clock": "accessed"},
    archive={"threshold": 0.15},
)


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def fact(connection: Connection, durability: str, category: str, **columns: Any) -> int:
    """A fact that was confirmed ten days before AS_OF, at 0.8, unless columns say otherwise; its id."""
    row = {
        "durability": durability,
        "category": category,
        "confidence": 0.8,
        "learned_at": ago(days=10).replace(tzinfo=None),
        "last_confirmed_at": ago(days=10),
    }
    return facts(connection, [row | columns])[0]


def test_each_number_worked_out_by_hand(migrated: TestDatabase, connection: Connection) -> None:
    # In force, half-life 10 d, threshold 0.1; other, 5 d for states, 40 d for the short-term rest, 0.3.
    other = configured(
        confidence={"adopt": "history"},
        durability={"short_term": {"half_life": "40d", "shape": 2.0}},
        category={"state": {"half_life": "5d"}},
        archive={"threshold": 0.3},
        importance={"half_life": "never"},
    )
    state = fact(connection, "short_term", "state", importance=7)  # 0.4, then 0.2: lost
    # One quarter of its half-life, squared: 0.8 x 2^(-1/16).
    rest = fact(connection, "short_term", "x", importance=7)
    back = fact(connection, "short_term", "x", last_confirmed_at=ago(days=40))  # 0.05, then 0.4
    fact(connection, "permanent", "identity", decay_rate=-1)
    kept = fact(connection, "permanent", "identity", confidence=1.0, pinned=True)
    found = compared(migrated, other)
    assert (found.facts, found.problems) == (4, 1)
    assert found.threshold == Both(0.1, 0.3)
    assert found.below_threshold == Both(1, 1)
    assert (found.lost, found.gained) == (1, 1)
    assert (found.lost_ids, found.gained_ids) == ((state,), (back,))
    squared = 0.8 * 2 ** (-1 / 16)
    assert found.mean_confidence.before == pytest.approx((0.4 + 0.4 + 0.05 + 1) / 4, abs=1e-15)
    assert found.mean_confidence.after == pytest.approx((0.2 + squared + 0.4 + 1) / 4, abs=1e-15)
    assert (found.confidence_differs, found.importance_differs) == (3, 3)
    bands = {b.at_least: (b.before, b.after) for b in found.confidence if b.before or b.after}
    assert bands == {0.0: (1, 0), 0.2: (0, 1), 0.4: (2, 1), 0.7: (0, 1), 0.9: (1, 1)}
    # 7 x 2^-((10/14)^1.5) x 0.5 = 2.3; never fading 3.5, to even 4; 5 after 40 d: 1, and 2.5, to even 2.
    steps = {i.importance: (i.before, i.after) for i in found.importance if i.before or i.after}
    assert steps == {1: (1, 0), 2: (2, 1), 4: (0, 2), 5: (1, 1)}
    assert [(m.id, m.policy.after, m.importance) for m in found.moved] == [
        (rest, "durability:short_term", Both(2, 4)),
        (back, "durability:short_term", Both(1, 2)),
        (state, "category:state", Both(2, 4)),
    ]
    assert {(p.policy.before, p.policy.after, p.facts) for p in found.policies} == {
        ("durability:short_term", "category:state", 1),
        ("durability:short_term", "durability:short_term", 2),
        ("pinned", "pinned", 1),
    }
    assert kept not in [m.id for m in found.moved]
    assert [(s.key, s.before, s.after) for s in found.settings] == [
        ("durability.short_term.half_life", "10d", "40d"),
        ("durability.short_term.shape", "1.0", "2.0"),
        ("importance.half_life", "14d", "never"),
        ("archive.threshold", "0.1", "0.3"),
        ("category.state.half_life", None, "5d"),
        ("category.state.shape", None, "1.0"),
    ]


def test_people_see_only_facts_that_visibly_move(
    migrated: TestDatabase, connection: Connection
) -> None:
    # 180 d and 180.001 d: 0.8 differs in the seventh place only. 10 d and 5 d: 0.4 and 0.2.
    slightly = configured(
        confidence={"adopt": "history"}, durability={"long_term": {"half_life": "15552086s"}}
    )
    unseen = fact(connection, "long_term", "x")
    found = compared(migrated, slightly)
    assert ([m.id for m in found.moved], found.confidence_differs) == ([unseen], 1)
    assert Note("no fact differs by so much that it shows") in found.blocks()
    both = configured(
        confidence={"adopt": "history"},
        durability={"long_term": {"half_life": "15552086s"}, "short_term": {"half_life": "5d"}},
    )
    seen = fact(connection, "short_term", "x")
    found = compared(migrated, both)
    assert [m.id for m in found.moved] == [seen, unseen]
    table = found.blocks()[-1]
    assert isinstance(table, Table)
    assert table.title == "The facts that move most (1)"
    assert table.rows == ((str(seen), "0.400 -> 0.200", "2", "durability:short_term"),)


def test_a_configuration_compared_with_itself_differs_nowhere(
    migrated: TestDatabase, connection: Connection
) -> None:
    of_every_kind(connection, 200)
    for loaded in (ANOTHER, configured()):  # by the clock where nothing has been adopted
        found = compared(migrated, loaded, loaded)
        assert (found.lost, found.gained, found.confidence_differs, found.importance_differs) == (
            0, 0, 0, 0,
        )  # fmt: skip
        assert (found.moved, found.settings, found.notes) == ((), (), ())
        assert all(b.before == b.after for b in found.confidence)
        assert all(i.before == i.after for i in found.importance)
        assert all(p.policy.before == p.policy.after for p in found.policies)
        assert all(p.mean_confidence.before == p.mean_confidence.after for p in found.policies)
        assert found.below_threshold.before == found.below_threshold.after > 0
        assert found.facts == sum(b.before for b in found.confidence) == 200


# -- by the reference in Python --


@dataclass(frozen=True, slots=True)
class Reckoned:
    value: float
    importance: int
    policy: str


def reckoned(row: Mapping[str, Any], loaded: Loaded) -> Reckoned:
    """A fact that no run has seen under a configuration that adopts its history, at AS_OF."""
    table = projection.policy_table(loaded.settings)
    owed = row["category"] == "obligation"
    past = row["expires"] is not None and row["expires"] <= AS_OF
    number = table.number(
        durability=row["durability"],
        category=row["category"],
        pinned=row["pinned"],
        expired=past and not owed,
        past_deadline=past and owed,
        decay_rate=row["decay_rate"],
    )
    curve = table.curve(number, row["decay_rate"])
    started = min(row["last_confirmed_at"] or row["learned_at"], AS_OF)
    if past and owed:
        started = max(started, row["expires"] + timedelta(seconds=table.grace_s))
    age_s = max(0.0, (AS_OF - started).total_seconds())
    base = 1.0 if row["confidence"] is None else row["confidence"]
    value = faded(base, survival(age_s, curve.half_life_s, curve.shape))
    known = Fact(
        durability=row["durability"],
        category=row["category"],
        importance=row["importance"],
        pinned=row["pinned"],
        status=row["status"],
        last_confirmed_at=None
        if row["last_confirmed_at"] is None
        else micros(row["last_confirmed_at"]),
        learned_at=micros(row["learned_at"]),
        last_accessed_at=None
        if row["last_accessed_at"] is None
        else micros(row["last_accessed_at"]),
        expires=None if row["expires"] is None else micros(row["expires"]),
    )
    return Reckoned(
        0.0 if number == policy.EXPIRED else value,
        effective_importance(known, Rules.of(loaded.settings), micros(AS_OF)),
        table.names[number - 1],
    )


def rows(connection: Connection) -> list[dict[str, Any]]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "SELECT id, durability, category, confidence, decay_rate::float8, last_confirmed_at,"
            " learned_at AT TIME ZONE 'UTC' AS learned_at, last_accessed_at, expires, importance, pinned,"
            " data #>> '{obligation,status}' AS status FROM entity_facts ORDER BY id"
        ).fetchall()


def band(value: float) -> int:
    return sum(value >= edge for edge in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9))


def test_every_number_is_that_of_the_reference(
    migrated: TestDatabase, connection: Connection
) -> None:
    of_every_kind(connection, 600)
    connection.execute(
        "UPDATE entity_facts SET last_accessed_at = %s - id * '90 minutes'::interval WHERE id %% 4 = 0",
        [AS_OF],
    )
    found = compared(migrated, ANOTHER)
    pairs = {row["id"]: (reckoned(row, EXACT), reckoned(row, ANOTHER)) for row in rows(connection)}
    assert found.facts == len(pairs) == 600
    lost = [k for k, (b, a) in pairs.items() if b.value >= 0.1 and a.value < 0.15]
    gained = [k for k, (b, a) in pairs.items() if b.value < 0.1 and a.value >= 0.15]
    assert (found.lost, found.gained) == (len(lost), len(gained))
    assert (found.lost_ids, found.gained_ids) == (tuple(lost[:100]), tuple(gained[:100]))
    assert min(found.lost, found.gained) > 10
    assert found.below_threshold == Both(
        sum(b.value < 0.1 for b, _ in pairs.values()),
        sum(a.value < 0.15 for _, a in pairs.values()),
    )
    befores, afters = (Counter(band(p[side].value) for p in pairs.values()) for side in (0, 1))
    assert [(b.before, b.after) for b in found.confidence] == [
        (befores[n], afters[n]) for n in range(10)
    ]
    befores, afters = (Counter(p[side].importance for p in pairs.values()) for side in (0, 1))
    assert [(i.before, i.after) for i in found.importance] == [
        (befores[n], afters[n]) for n in range(1, 11)
    ]
    by_policy = Counter((b.policy, a.policy) for b, a in pairs.values())
    assert {(p.policy.before, p.policy.after): p.facts for p in found.policies} == by_policy
    assert ("durability:long_term", "category:own") in by_policy
    for p in found.policies:
        those = [
            v
            for v in pairs.values()
            if (v[0].policy, v[1].policy) == (p.policy.before, p.policy.after)
        ]
        assert p.mean_confidence.before == pytest.approx(
            sum(b.value for b, _ in those) / len(those)
        )
        assert p.mean_confidence.after == pytest.approx(sum(a.value for _, a in those) / len(those))
    assert found.importance_differs == sum(b.importance != a.importance for b, a in pairs.values())
    assert len(found.moved) == 20
    for moved in found.moved:
        before, after = pairs[moved.id]
        assert moved.confidence.before == pytest.approx(before.value, abs=1e-12)
        assert moved.confidence.after == pytest.approx(after.value, abs=1e-12)
        assert moved.importance == Both(before.importance, after.importance)
        assert moved.policy == Both(before.policy, after.policy)
    most = sorted((abs(a.value - b.value) for b, a in pairs.values()), reverse=True)[:20]
    sizes = [abs(m.confidence.after - m.confidence.before) for m in found.moved]
    assert sizes == pytest.approx(most, abs=1e-12)


# -- by runs --


def test_it_agrees_with_runs_under_the_other_configuration(
    migrated: TestDatabase, connection: Connection
) -> None:
    of_every_kind(connection, 300)
    decay(migrated, ago(days=3), EXACT)
    connection.execute("UPDATE entity_facts SET confidence = 0.3 WHERE id % 7 = 1")
    of_every_kind(connection, 100)
    decay(migrated, AS_OF, EXACT)
    sections = {
        "durability": {"short_term": {"half_life": "90d"}, "long_term": {"half_life": "5d"}}
    }
    other = configured(**sections, confidence={"adopt": "history", "min_delta": 1.0})
    found = compared(migrated, other)
    before = connection.execute("SELECT id, xmin::text, f::text FROM entity_facts f").fetchall()
    dry = decay(migrated, AS_OF, other, only="confidence", dry_run=True)
    # Everything is stored as it is under the configuration in force: what is written crosses.
    assert dry.updated == found.lost + found.gained
    assert found.lost > 5 < found.gained
    by_policy: Counter[str] = Counter()
    for pair in found.policies:
        by_policy[pair.policy.after] += pair.facts
    assert {p.policy: p.facts for p in dry.policies} == by_policy
    after = connection.execute("SELECT id, xmin::text, f::text FROM entity_facts f").fetchall()
    assert before == after, "nothing is written"
    decay(migrated, AS_OF, other)
    below = connection.execute(
        "SELECT count(*) FROM entity_facts WHERE confidence < 0.1"
    ).fetchone()
    assert below == (found.below_threshold.after,)


def means(found: Comparison) -> tuple[float | None, float | None]:
    return found.mean_confidence.before, found.mean_confidence.after


def test_how_the_table_would_be_adopted_counts_until_it_is(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact(connection, "short_term", "state")
    now, history = configured(), EXACT
    before = compared(migrated, history, now)
    # Under now it is reckoned with an adoption later than the instant: nothing has faded yet.
    assert means(before) == pytest.approx((0.8, 0.4))
    assert "no run has adopted the table yet" in before.notes[0]
    assert means(compared(migrated, now, history)) == pytest.approx((0.4, 0.8))
    decay(migrated, AS_OF, history)
    after = compared(migrated, now, history, ahead(days=10))
    assert means(after) == pytest.approx((0.2, 0.2))
    assert after.notes[0] == (
        "confidence.adopt differs, and changes nothing: the table has been adopted already"
    )


# -- as it is asked for and shown --


def test_the_option_reads_another_file_and_writes_nothing(
    migrated: TestDatabase, connection: Connection, call: Call, tmp_path: Path
) -> None:
    of_every_kind(connection, 50)
    in_force = tmp_path / "memory.yaml"
    in_force.write_text("confidence: {adopt: history}\n")
    other = tmp_path / "new.yaml"
    other.write_text(
        "confidence: {adopt: history}\n"
        "durability: {short_term: {half_life: 5d}}\n"
        "database: {table: no_such_table, zoneless_timezone: Asia/Tokyo}\n"
        "archive: {min_age: 1d}\n"
    )
    asked = (
        "report",
        "--as-of",
        "2026-06-01T00:00:00Z",
        "--dsn",
        migrated.dsn,
        "--config",
        str(in_force),
    )
    trace = "SELECT xmin::text, f::text FROM entity_facts AS f ORDER BY id"
    before = connection.execute(trace).fetchall()
    done = call(*asked, "--compare-config", str(other), "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["comparison"]
    assert set(found) == {field.name for field in dataclasses.fields(Comparison)}
    assert found["file"] == str(other)
    assert found["settings"] == [
        {"key": "durability.short_term.half_life", "before": "10d", "after": "5d"}
    ]
    assert found["lost"] > 0
    assert found["lost_ids"] is None
    # The table and the zone are those in force.
    assert found["notes"] == [
        "differ too, and have no part in these values: database.table, database.zoneless_timezone, "
        "archive.min_age"
    ]
    assert connection.execute(trace).fetchall() == before
    assert connection.execute("SELECT count(*) FROM memory_maintenance.adoption").fetchone() == (0,)
    text = call(*asked, "--compare-config", str(other)).stdout
    assert "What if" in text
    assert max(map(len, text.splitlines())) <= 80
    assert json.loads(call(*asked, "--format", "json").stdout)["comparison"] is None


def test_faults_of_the_other_file_are_told_with_its_name(
    migrated: TestDatabase, call: Call, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("durability:\n  short_term: {half_life: 10m}\nnonsense: 1\n")
    refused = call("report", "--dsn", migrated.dsn, "--compare-config", str(wrong))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{wrong}:2" in refused.stderr
    assert f"{wrong}:3" in refused.stderr
    absent = call(
        "report", "--dsn", migrated.dsn, "--compare-config", str(tmp_path / "absent.yaml")
    )
    assert absent.returncode == 2
    assert "absent.yaml (from --compare-config)" in absent.stderr


def test_a_table_without_facts_has_nothing_to_compare_and_nothing_to_come(
    migrated: TestDatabase,
) -> None:
    found = compared(migrated, ANOTHER)
    assert (found.facts, found.lost, found.gained, found.moved, found.policies) == (0, 0, 0, (), ())
    assert (found.mean_confidence, found.lost_ids) == (Both(None, None), ())
    assert KeyValues in map(type, found.blocks())
    days = forecast(migrated)
    assert [(d.crossing, d.due, d.ids) for d in days] == [(0, 0, ())] * 30
    assert not [block for block in days.blocks() if isinstance(block, Bars)]
