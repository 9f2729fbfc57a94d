"""report: each figure against a reference in Python or plain SQL, on facts of all kinds."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from memory_maintenance.config.load import Loaded
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.decisions import list_decisions
from memory_maintenance.jobs.obligation_commands import list_obligations
from memory_maintenance.jobs.report.report import ReportResult, report
from memory_maintenance.jobs.report.scope import LISTED, ReportOptions
from memory_maintenance.jobs.report.suspicious import ALWAYS, TRAITS
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    configured,
    decay,
    migrated_template,
)
from tests.support.reference import (
    Fact,
    Memory,
    Rules,
    confidence,
    effective_importance,
    micros,
    unsound,
)
from tests.support.sections import running
from tests.support.server import TestDatabase, TestServer, fresh_database

NOW: Final = micros(AS_OF)
BEFORE: Final = NOW - 86_400_000_000

# Every 20th an obligation, a decision, two moods, a routine and one of 30 topics; dates spread over the year
# before AS_OF; products of the row's number with primes for what should look random.
FACTS: Final = """
INSERT INTO entity_facts (
    key, value, data, confidence, durability, category, learned_at, last_confirmed_at, last_accessed_at,
    expires, importance, pinned, decay_rate
)
SELECT
    (ARRAY['note', 'Personality', 'meeting', 'home_town', 'agenda', 'job title'])[1 + n % 6],
    CASE
        WHEN n % 40 = 0 THEN
            concat('the  same ', n % 200, (ARRAY[' THING', E'\\tthing ', ' thing'])[1 + n % 3])
        WHEN n % 20 = 3 AND k % 4 = 2 THEN 'owe a favour'
        WHEN n % 20 = 3 THEN
            (ARRAY['send it by May ', 'pay by 03/04, bill ', '', 'pay by July '])[1 + k % 4] || 1 + n % 28
        WHEN n % 20 = 6 AND k % 5 = 1 THEN concat('is ALWAYS tired in week ', n)
        ELSE concat('fact ', n)
    END,
    CASE
        WHEN n % 20 = 3 AND k % 3 = 0 THEN jsonb_build_object('obligation', jsonb_build_object(
            'status', (ARRAY['done', 'cancelled', 'missed', 'odd', 'open'])[1 + k % 5],
            'settled_at', '2026-05-03T00:00:00Z'))
        WHEN n % 20 = 5 THEN jsonb_build_object('decision', jsonb_build_object(
            'decided', 'so', 'reasoning', (ARRAY['because', NULL, E' \\u200b\\n', 'why not'])[1 + k % 4]))
    END,
    1 - (n % 7) / 10.0,
    CASE
        WHEN n % 20 IN (3, 4) THEN 'short_term' WHEN n % 20 IN (6, 7) THEN 'ephemeral'
        ELSE (ARRAY['permanent', 'long_term', 'short_term'])[1 + n % 3]
    END,
    CASE n % 20
        WHEN 3 THEN 'obligation' WHEN 5 THEN 'decision' WHEN 6 THEN 'mood' WHEN 7 THEN 'mood'
        WHEN 8 THEN 'routine' WHEN 9 THEN concat('topic ', n % 30)
        ELSE (ARRAY['observation', 'preference', 'identity', 'state'])[1 + n % 4]
    END,
    CASE WHEN n % 50 <> 11 THEN
        timestamp '2026-06-01' - n * 7919 % 500000 * interval '1 minute'
        - CASE WHEN n % 20 IN (6, 7) THEN interval '0' ELSE interval '3 days' END
    END,
    CASE
        WHEN n % 20 IN (6, 7) THEN timestamptz '2026-06-01Z' - n * 104729 % 12000 * interval '1 minute'
        WHEN n % 2 = 0 THEN timestamptz '2026-06-01Z' - n * 104729 % 360000 * interval '1 minute'
    END,
    CASE WHEN n % 4 = 0 THEN timestamptz '2026-06-01Z' - n * 1299709 % 100000 * interval '1 minute' END,
    CASE
        WHEN n % 100 = 3 AND k % 3 = 2 THEN 'infinity'
        WHEN n % 20 = 3 AND k % 5 < 2 THEN timestamptz '2026-06-01Z' + (n % 90 - 30) * interval '1 day'
        WHEN n % 50 = 1 THEN timestamptz '2026-06-01Z' + (n / 50 % 20 - 10) * interval '6 hours'
    END,
    1 + n % 10,
    n % 300 = 0,
    CASE WHEN n % 30 = 2 THEN 0.01 WHEN n % 500 = 1 THEN -1 END
FROM (SELECT n, n / 20 AS k FROM generate_series(1::int8, %s) AS n) AS s
"""
# What writers did after the pass of the day before: some values set, some facts confirmed, a clock ahead,
# decisions that supersede each other, and one that is led astray.
WRITERS: Final = (
    "UPDATE entity_facts SET confidence = 0.66 WHERE id % 50 = 17 AND category <> 'mood'",
    "UPDATE entity_facts SET last_confirmed_at = '2026-05-31 12:00Z' WHERE id % 70 = 9",
    "UPDATE entity_facts SET last_confirmed_at = '2026-06-01 12:00Z' WHERE id % 900 = 10",
    "UPDATE entity_facts SET data = jsonb_set(data, '{superseded_by}', to_jsonb(id + 20)) WHERE id % 60 = 5",
    "UPDATE entity_facts SET data = jsonb_set(data, '{supersedes}', to_jsonb(id - 20))"
    " WHERE id % 60 = 25 AND id <> 85",
    "UPDATE entity_facts SET data = data || '{\"do_not_reopen\": true}' WHERE id % 100 = 5",
)


def reported(
    database: TestDatabase,
    loaded: Loaded = EXACT,
    *,
    as_of: datetime = AS_OF,
    role: str | None = None,
    **options: Any,
) -> ReportResult:
    """``report`` at an instant."""
    result = running(
        database, lambda run: report(run, ReportOptions(**options)), loaded, as_of=as_of, role=role
    )
    assert isinstance(result, ReportResult)
    return result


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A fact by the reference: its value now and a day before, None where it has a problem."""

    fact: Fact
    key: str
    text: str
    value: float | None
    before: float | None
    importance: int | None

    @property
    def band(self) -> int | None:
        """0 to 9; by comparing, since 0.3 * 10 is more than 3 for some that are below 0.3."""
        if self.value is None:
            return None
        return sum(self.value >= n / 10 for n in range(1, 10))


@dataclass(frozen=True, slots=True)
class Known:
    """A database full of facts, what the report says of it, and the facts by the reference, by id."""

    database: TestDatabase
    report: ReportResult
    facts: dict[int, Reckoned]

    def ids(self, holds: Callable[[Reckoned], bool]) -> list[int]:
        """Of the facts of which something holds, ascending."""
        return [n for n, fact in sorted(self.facts.items()) if holds(fact)]

    def first(self, of: Callable[[Reckoned], Any], value: Any) -> tuple[int, ...]:
        """The first hundred of those of which something is a value."""
        return first(self.ids(lambda fact: of(fact) == value))

    def sql(self, text: str) -> list[Any]:
        """The first column of a query."""
        return [row[0] for row in self.database.connect().execute(text.encode()).fetchall()]


@pytest.fixture(scope="module", params=[3000, pytest.param(50_000, marks=pytest.mark.torture)])
def known(server: TestServer, request: pytest.FixtureRequest) -> Iterator[Known]:
    """Facts of all kinds, decayed the day before AS_OF, written to since; the report with all ids."""
    with fresh_database(server, migrated_template(server)) as database:
        yield filled(database, request.param)


def filled(database: TestDatabase, rows: int) -> Known:
    """See ``known``."""
    with database.connect() as connection:
        connection.execute(FACTS.replace("%", "%%").replace("%%s)", "%s)").encode(), [rows])
    decay(database, ago(days=1))
    with database.connect() as connection:
        for statement in WRITERS:
            connection.execute(statement.encode())
        connection.execute("ANALYZE entity_facts")
    return Known(database, reported(database, show_ids=True), reckoned(database))


def reckoned(database: TestDatabase) -> dict[int, Reckoned]:
    """All facts by the reference."""
    rules = Rules.of(EXACT.settings)
    rows = database.connect().execute(
        """
        SELECT id, key, value, durability, category, confidence, confidence_base, confidence_anchor_at,
            confidence_written, decay_rate::float8, last_confirmed_at, learned_at AT TIME ZONE 'UTC',
            last_accessed_at, nullif(expires, 'infinity'), importance, pinned, data #>> '{obligation,status}',
            data #>> '{obligation,settled_at}'
        FROM entity_facts
        """
    )
    facts: dict[int, Fact] = {}
    texts: dict[int, tuple[str, str]] = {}
    for row in rows:
        at = [None if each is None else micros(each) for each in (row[7], *row[10:14])]
        texts[row[0]] = (row[1], row[2])
        facts[row[0]] = Fact(
            durability=row[3], category=row[4], confidence=row[5], confidence_base=row[6],
            confidence_anchor_at=at[0], confidence_written=row[8], decay_rate=row[9],
            last_confirmed_at=at[1], learned_at=at[2], last_accessed_at=at[3], expires=at[4],
            importance=row[14], pinned=row[15], status=row[16],
            settled_at=None if row[17] is None else micros(datetime.fromisoformat(row[17])),
        )  # fmt: skip
    # A run at AS_OF takes base and anchor over; from these all values follow.
    Memory(facts, previous_pass=micros(ago(days=1))).decay(rules, NOW)
    return {n: _reckoned(fact, *texts[n], rules) for n, fact in facts.items()}


def _reckoned(fact: Fact, key: str, text: str, rules: Rules) -> Reckoned:
    if unsound(fact, rules):
        return Reckoned(fact, key, text, None, None, None)
    before = confidence(fact, rules, BEFORE)
    return Reckoned(
        fact,
        key,
        text,
        confidence(fact, rules, NOW),
        before,
        effective_importance(fact, rules, NOW),
    )


def first(ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(ids[:LISTED])


def by_axes(fact: Reckoned) -> tuple[str, str]:
    return fact.fact.durability, fact.fact.category


def test_composition_counts_and_averages_each_group(known: Known) -> None:
    composition = known.report.composition
    assert composition.facts == len(known.facts)
    expected = defaultdict[Any, list[Reckoned]](list)
    for fact in known.facts.values():
        expected[by_axes(fact)].append(fact)
    assert {(g.durability, g.category) for g in composition.groups} == set(expected)
    for group in composition.groups:
        found = expected[(group.durability, group.category)]
        values = [f.value for f in found if f.value is not None]
        weights = [f.importance for f in found if f.importance is not None]
        assert group.facts == len(found)
        assert group.problems == len(found) - len(values)
        assert group.below_threshold == sum(v < 0.1 for v in values)
        assert group.mean_confidence == pytest.approx(math.fsum(values) / len(values), rel=1e-12)
        assert group.mean_importance == sum(weights) / len(weights)
        assert group.ids == known.first(by_axes, (group.durability, group.category))
    below = [f for f in known.facts.values() if f.value is not None and f.value < 0.1]
    assert 0 < composition.below_threshold == len(below)
    assert composition.below_threshold_ids == first(
        known.ids(lambda f: f.value is not None and f.value < 0.1)
    )
    order = ["permanent", "long_term", "short_term", "ephemeral"]
    places = [(order.index(g.durability or ""), -g.facts) for g in composition.groups]
    assert places == sorted(places)


def test_histograms_count_exact_values(known: Known) -> None:
    composition = known.report.composition
    bands = Counter(f.band for f in known.facts.values())
    assert [b.facts for b in composition.confidence] == [bands[n] for n in range(10)]
    assert [b.ids for b in composition.confidence] == [
        known.first(lambda f: f.band, n) for n in range(10)
    ]
    edges = [(b.at_least, b.below) for b in composition.confidence]
    assert edges[:4] == [(0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4)]
    assert edges[-1] == (0.9, 1)
    weights = Counter(f.importance for f in known.facts.values())
    assert [(i.importance, i.facts) for i in composition.importance] == [
        (n, weights[n]) for n in range(1, 11)
    ]
    assert [i.ids for i in composition.importance] == [
        known.first(lambda f: f.importance, n) for n in range(1, 11)
    ]


def test_faded_is_what_was_above_the_threshold_and_is_below(known: Known) -> None:
    def expired(f: Reckoned) -> bool:
        over = not f.fact.pinned and f.value is not None and f.fact.expired(NOW)
        return over and not f.fact.expired(BEFORE)

    def crossed(f: Reckoned) -> bool:
        if f.value is None or f.before is None or (f.fact.expired(NOW) and not f.fact.pinned):
            return False
        return f.value < 0.1 <= f.before

    faded = known.report.faded
    assert faded.since_at == ago(days=1)
    assert 0 < faded.crossed == len(known.ids(crossed))
    assert 0 < faded.expired == len(known.ids(expired))
    assert sum(p.facts for p in faded.by_policy) == faded.crossed + faded.expired
    by_policy = {p.policy: p for p in faded.by_policy}
    assert by_policy["expired"].ids == first(known.ids(expired))
    moods = known.ids(
        lambda f: crossed(f) and f.fact.category == "mood" and f.fact.decay_rate is None
    )
    assert by_policy["category:mood"].ids == first(moods)
    both = known.ids(lambda f: crossed(f) or expired(f))
    ranked = sorted(both, key=lambda n: (-known.facts[n].fact.importance, n))
    assert [m.id for m in faded.most_important] == ranked[:10]
    for lost in faded.most_important:
        assert lost.importance == known.facts[lost.id].fact.importance
        assert lost.confidence == pytest.approx(known.facts[lost.id].value, rel=1e-12, abs=1e-15)


def test_obligations_are_those_of_their_list(known: Known) -> None:
    found = running(known.database, list_obligations)
    settled = running(known.database, lambda run: list_obligations(run, "settled"))
    section = known.report.obligations
    states = found.by_state
    assert (section.overdue, section.upcoming) == (states["overdue"], states["upcoming"])
    assert (section.ambiguous, section.undated) == (states["ambiguous"], states["undated"])
    assert section.problems == states["problem"] > 0
    assert min(section.overdue, section.upcoming, section.ambiguous, section.undated) > 0
    assert section.settled == {
        name: sum(o.status == name for o in settled.obligations)
        for name in ("done", "cancelled", "missed")
    }
    assert sum(section.settled.values()) == states["settled"] > 0
    assert section.inferred == sum(o.inferred for o in found.obligations) > 0
    listed = {
        state: sorted(
            (o for o in found.obligations if o.state == state),
            key=lambda o: (o.deadline, o.id),
        )
        for state in ("overdue", "upcoming")
    }
    # And by plain SQL, those whose deadline is read from their text apart.
    waiting = (
        "SELECT id FROM entity_facts WHERE category = 'obligation' AND isfinite(expires)"
        " AND coalesce(data #>> '{obligation,status}', 'open') IN ('open', 'overdue') AND expires "
    )
    for state, due in (("overdue", "<= '2026-06-01Z'"), ("upcoming", "> '2026-06-01Z'")):
        stored = sorted(o.id for o in listed[state] if not o.inferred)
        assert stored == known.sql(f"{waiting} {due} ORDER BY id")
    soon = [o for o in listed["upcoming"] if o.deadline <= ahead(days=14)]
    assert 0 < section.due_soon == len(soon) < section.upcoming
    assert [(d.id, d.deadline, d.inferred) for d in section.next] == [
        (o.id, o.deadline, o.inferred) for o in listed["upcoming"][:5]
    ]
    assert [(d.id, d.due_in_s) for d in section.longest_overdue] == [
        (o.id, o.due_in_s) for o in listed["overdue"][:5]
    ]
    assert section.ids is not None
    for name, key in (("overdue", "overdue"), ("undated", "undated"), ("problem", "problems")):
        of_state = sorted(o.id for o in found.obligations if o.state == name)
        assert section.ids[key] == first(of_state)
    assert section.ids["upcoming"] == first(sorted(o.id for o in listed["upcoming"]))


def test_decisions_are_those_of_their_list(known: Known) -> None:
    everything = running(known.database, lambda run: list_decisions(run, "all")).decisions
    still_open = [d for d in everything if d.state == "open"]
    section = known.report.decisions
    assert 0 < section.open == len(still_open)
    assert 0 < section.superseded == len(everything) - len(still_open)
    silent = [d.id for d in still_open if "reasoning" in d.missing]
    assert 0 < section.without_reasoning == len(silent) < section.open
    unguarded = [d.id for d in still_open if not d.do_not_reopen]
    assert 0 < section.unguarded == len(unguarded) < section.open
    # And by plain SQL: a decision is superseded by one that says so too.
    linked = (
        "SELECT a.id FROM entity_facts AS a WHERE a.category = 'decision' AND NOT EXISTS ("
        "SELECT FROM entity_facts AS b WHERE b.category = 'decision' AND b.id::text ="
        " a.data ->> 'superseded_by' AND b.data ->> 'supersedes' = a.id::text) {} ORDER BY 1"
    )
    blank = "AND trim(E' \\u200b\\n' FROM coalesce(a.data #>> '{decision,reasoning}', '')) = ''"
    assert [d.id for d in still_open] == known.sql(linked.format(""))
    assert silent == known.sql(linked.format(blank))
    assert section.ids is not None
    assert section.ids["without_reasoning"] == first(silent)
    assert section.ids["unguarded"] == first(unguarded)


def test_moods_are_alive_above_the_threshold(known: Known) -> None:
    def alive(f: Reckoned) -> bool:
        return f.fact.category == "mood" and f.value is not None and f.value >= 0.1

    section = known.report.moods
    assert section.facts == len(known.ids(lambda f: f.fact.category == "mood"))
    assert 0 < section.alive == len(known.ids(alive)) < section.facts
    assert section.ids == first(known.ids(alive))
    learned = [f.fact.learned_at for f in known.facts.values() if alive(f)]
    oldest = min(at for at in learned if at is not None)
    assert section.oldest_s == pytest.approx((NOW - oldest) / 1e6)


def test_problems_and_what_is_suspicious(known: Known) -> None:
    rules = Rules.of(EXACT.settings)
    ahead_of_time = known.sql(
        "SELECT id FROM entity_facts WHERE last_confirmed_at > '2026-06-01Z' ORDER BY 1"
    )
    negative = known.sql("SELECT id FROM entity_facts WHERE decay_rate < 0 ORDER BY 1")
    assert negative == known.ids(lambda f: unsound(f.fact, rules))
    kinds = {kind.problem: tuple(kind.keys) for kind in known.report.problems.kinds}
    assert kinds == {
        "decay_rate is negative": first(negative),
        "last_confirmed_at is later than now": first(
            [n for n in ahead_of_time if n not in negative]
        ),
    }
    trait = re.compile(rf"(?<![^\W\d_])({'|'.join(TRAITS)})(?![^\W\d_])", re.I)
    lasting = re.compile(rf"\b({'|'.join(ALWAYS)})\b", re.I)

    def of_a_trait(f: Reckoned) -> bool:
        return f.fact.category == "mood" and bool(trait.search(f.key))

    def says_always(f: Reckoned) -> bool:
        mood = f.fact.category == "mood" and not trait.search(f.key)
        return mood and bool(lasting.search(f.text))

    def never_confirmed(f: Reckoned) -> bool:
        learned, confirmed = f.fact.learned_at, f.fact.last_confirmed_at
        if f.fact.durability != "permanent" or learned is None:
            return False
        return learned < micros(ago(days=90)) and (confirmed is None or confirmed <= learned)

    found = {kind.suspicion: kind for kind in known.report.suspicious.kinds}
    for name, holds in {
        "mood_key_of_a_trait": of_a_trait,
        "mood_value_of_a_trait": says_always,
        "permanent_never_confirmed": never_confirmed,
    }.items():
        assert 0 < found[name].facts == len(known.ids(holds)), name
        assert found[name].ids == first(known.ids(holds)), name


def test_duplicates_are_the_same_but_for_case_and_blanks(known: Known) -> None:
    groups = defaultdict(list)
    for n, fact in sorted(known.facts.items()):
        groups[(fact.key.lower(), " ".join(fact.text.lower().split()))].append(n)
    copies = sorted(
        (ids for ids in groups.values() if len(ids) > 1), key=lambda ids: (-len(ids), ids[0])
    )
    section = known.report.duplicates
    assert 0 < section.groups == len(copies)
    assert section.facts == sum(map(len, copies))
    assert [(c.copies, c.first, c.last, c.ids) for c in section.largest] == [
        (len(ids), ids[0], ids[-1], first(ids)) for ids in copies[:100]
    ]


def test_ids_are_there_only_where_they_were_asked_for(known: Known) -> None:
    plain, full = reported(known.database), known.report
    assert {g.ids for g in plain.composition.groups} == {None}
    assert {b.ids for b in plain.composition.confidence} == {None}
    assert plain.composition.below_threshold_ids is None
    assert {p.ids for p in plain.faded.by_policy} == {None}
    assert {c.ids for c in plain.duplicates.largest} == {None}
    assert (plain.obligations.ids, plain.decisions.ids, plain.moods.ids) == (None, None, None)
    strip = {"ids": None}
    assert [g.facts for g in plain.composition.groups] == [g.facts for g in full.composition.groups]
    assert plain.problems.kinds == full.problems.kinds, "these are always there"
    assert plain.suspicious.kinds == full.suspicious.kinds
    assert plain.document()["moods"] == full.document()["moods"] | strip
    assert plain.document()["obligations"] == full.document()["obligations"] | strip


def test_faded_since_counts_what_fell_since(known: Known) -> None:
    week = reported(known.database, since=timedelta(days=7)).faded
    instant = reported(known.database, since=ago(days=7)).faded
    assert week == instant
    assert week.crossed > known.report.faded.crossed
    assert reported(known.database, since=AS_OF).faded.by_policy == ()
    always = reported(known.database, since=timedelta(days=999_999)).faded
    assert always.since_at == datetime.min.replace(tzinfo=UTC)
    with pytest.raises(UsageError, match="later than the report's instant"):
        reported(known.database, since=ahead(days=1))


def test_another_threshold_changes_what_is_below(known: Known) -> None:
    higher = configured(confidence={"adopt": "history"}, archive={"threshold": 0.35})
    composition = reported(known.database, higher, show_ids=True).composition
    below = known.ids(lambda f: f.value is not None and f.value < 0.35)
    assert (composition.threshold, composition.below_threshold) == (0.35, len(below))
    assert composition.below_threshold_ids == first(below)


def test_another_policy_changes_the_figures(known: Known) -> None:
    harsh = configured(
        confidence={"adopt": "history"}, durability={"permanent": {"half_life": "1d"}}
    )
    groups = {
        (g.durability, g.category): g for g in reported(known.database, harsh).composition.groups
    }
    assert groups[("permanent", "observation")].mean_confidence == pytest.approx(0, abs=0.1)
