"""The forecast of random facts under random policies against the reference in Python, day by day."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.decay_facts import (
    NOW,
    Document,
    any_facts,
    examples,
    fill,
    half_lives,
    loosen,
    policies,
    shapes,
    tables,
)
from tests.support.maintenance import configured
from tests.support.reference import At, Fact, Memory, Rules, confidence, unsound
from tests.support.sections import forecast
from tests.support.server import Connection, TestDatabase

DAY_US = 86_400_000_000
# Where it counts whether a number is below another, what differs in the last bits may differ there.
NEAR = 1e-9


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, which takes any row from it."""
    connection = migrated.connect()
    loosen(connection)
    return connection


@st.composite
def any_policies(draw: st.DrawFn) -> Document:
    """Any policy, obligations that decay before their deadline and anew from it included."""
    document = draw(policies(min_delta=None))
    if draw(st.booleans()):
        half_life = draw(st.sampled_from(["36h", "4d", "9d"]) | half_lives)
        waiting = {"half_life": half_life, "shape": draw(shapes)}
        document["category"]["obligation"].update(waiting)
    return document


@st.composite
def promises(draw: st.DrawFn) -> Fact:
    """An obligation whose deadline is to come soon."""
    return Fact(
        durability="short_term",
        category="obligation",
        confidence=draw(st.floats(0.3, 1)),
        last_confirmed_at=NOW - draw(st.integers(0, 9)) * DAY_US,
        expires=NOW + draw(st.integers(0, 30 * DAY_US)),
    )


def ends(days: float) -> list[At]:
    """The report's instant and the ends of the days after it, the last of which may be shorter."""
    until = NOW + round(days * DAY_US)
    return [*range(NOW, until, DAY_US), until]


@examples(150)
@given(
    tables(any_facts() | promises(), 60), any_policies(), st.sampled_from([1, 2, 7, 30.5, 33, 400])
)
def test_each_day_has_the_facts_that_fall_below_the_threshold_within_it(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    days: float,
) -> None:
    loaded = configured(**policy)
    rules = Rules.of(loaded.settings)
    fill(connection, facts)
    found = forecast(migrated, loaded, days=days)
    memory = Memory(facts)
    memory.decay(rules, NOW)
    courses = {
        key: [confidence(fact, rules, end) for end in ends(days)]
        for key, fact in memory.facts.items()
        if not unsound(fact, rules)
    }
    threshold = rules.threshold
    near = {
        k for k, course in courses.items() if any(0 < abs(v - threshold) < NEAR for v in course)
    }
    for number, day in enumerate(found, start=1):
        wanted = {k for k, c in courses.items() if c[number - 1] >= threshold > c[number]}
        assert set(day.ids or ()) - near == wanted - near
        assert day.crossing == sum(day.by_policy.values()) == len(day.ids or ())
    assert len(found) == len(ends(days)) - 1
