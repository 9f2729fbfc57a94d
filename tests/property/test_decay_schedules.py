"""When and how often decay runs makes no difference to what a fact is worth."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.decay_facts import (
    Derived,
    Document,
    add,
    any_facts,
    at,
    confidences,
    derived,
    differences,
    examples,
    fill,
    later,
    loosen,
    new_facts,
    policies,
    tables,
)
from tests.support.maintenance import configured, decay
from tests.support.reference import Fact
from tests.support.server import Connection, TestDatabase


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, which takes any row from it."""
    connection = migrated.connect()
    loosen(connection)
    return connection


@examples(4)
@given(tables(new_facts()), policies(), later)
def test_any_schedule_of_runs_gives_what_one_run_gives(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
) -> None:
    loaded = configured(**policy)
    fill(connection, facts)
    decay(migrated, at(0), loaded)
    decay(migrated, at(offsets[-1]), loaded)
    at_once = derived(connection)

    fill(connection, facts)
    for offset in (0, *offsets):
        decay(migrated, at(offset), loaded)
    assert differences(derived(connection), at_once) == []


@examples(4)
@given(tables(new_facts()), policies(), later, st.sampled_from([0.01, 0.2]))
def test_changes_left_unwritten_never_add_up_to_min_delta(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
    min_delta: float,
) -> None:
    exact = configured(**policy)
    coarse = configured(**policy | {"confidence": {"adopt": "history", "min_delta": min_delta}})
    fill(connection, facts)
    decay(migrated, at(0), exact)
    decay(migrated, at(offsets[-1]), exact)
    wanted = dict(confidences(derived(connection)))

    fill(connection, facts)
    for offset in (0, *offsets):
        decay(migrated, at(offset), coarse)
    for key, value in confidences(derived(connection)):
        assert abs(value - wanted[key]) < min_delta


@examples(4)
@given(tables(any_facts()), policies(), later, st.sampled_from([0.0, 0.01]))
def test_a_run_repeated_at_its_instant_writes_nothing(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
    min_delta: float,
) -> None:
    loaded = configured(**policy | {"confidence": {"adopt": "history", "min_delta": min_delta}})
    fill(connection, facts)
    for offset in offsets:
        decay(migrated, at(offset), loaded)
        assert decay(migrated, at(offset), loaded).updated == 0
        assert decay(migrated, at(offset), loaded, only="importance").updated == 0
        assert decay(migrated, at(offset), loaded, only="confidence").updated == 0


@examples(4)
@given(tables(any_facts()), policies(), st.booleans())
def test_two_halves_make_one_whole(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    confidence_first: bool,
) -> None:
    loaded = configured(**policy)
    fill(connection, facts)
    decay(migrated, at(0), loaded)
    whole = derived(connection)

    fill(connection, facts)
    decay(migrated, at(0), loaded, only="confidence" if confidence_first else "importance")
    decay(migrated, at(0), loaded, only="importance" if confidence_first else "confidence")
    assert differences(derived(connection), whole) == []
    assert decay(migrated, at(0), loaded).updated == 0


@examples(3)
@given(tables(any_facts(), rows=12), policies())
def test_the_size_of_batches_makes_no_difference(
    migrated: TestDatabase, connection: Connection, facts: dict[int, Fact], policy: Document
) -> None:
    loaded = configured(**policy)
    states: list[dict[int, Derived]] = []
    for batch_rows in (1, 3, 1000):
        fill(connection, facts)
        result = decay(migrated, at(0), loaded, batch_rows=batch_rows)
        assert result.examined == len(facts)
        assert result.batches == -(-len(facts) // batch_rows)
        states.append(derived(connection))
    assert all(differences(one, other, tolerance=0) == [] for one, other in pairwise(states))


@examples(4)
@given(tables(new_facts()), policies(min_delta=None), later)
def test_confidence_never_rises_by_itself_and_its_base_never_changes(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
) -> None:
    loaded = configured(**policy)
    fill(connection, facts)
    stored = {key: 1.0 if f.confidence is None else f.confidence for key, f in facts.items()}
    last = stored
    for offset in (0, *offsets):
        decay(migrated, at(offset), loaded)
        states = derived(connection)
        now = dict(confidences(states))
        assert all(now[key] <= last[key] for key in facts)
        assert {key: state[1] for key, state in states.items()} == stored
        last = now


@examples(4)
@given(tables(new_facts()), policies(), policies(), later)
def test_a_wrong_policy_once_corrected_leaves_no_trace(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    wrong: Document,
    right: Document,
    offsets: list[int],
) -> None:
    *before, end = (0, *offsets)
    ends: list[dict[int, Derived]] = []
    for early in (configured(**right), configured(**wrong)):
        fill(connection, facts)
        for offset in before:
            decay(migrated, at(offset), early)
        decay(migrated, at(end), configured(**right))
        ends.append(derived(connection))
    assert differences(ends[0], ends[1]) == []


@examples(4)
@given(tables(new_facts()), policies(), later, st.integers(1, 10**14))
def test_a_run_back_in_time_is_mended_by_the_next(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
    back: int,
) -> None:
    loaded = configured(**policy)
    fill(connection, facts)
    decay(migrated, at(0), loaded)
    decay(migrated, at(offsets[-1]), loaded)
    undisturbed = derived(connection)

    decay(migrated, at(-back), loaded)
    decay(migrated, at(offsets[-1]), loaded)
    assert differences(derived(connection), undisturbed) == []


@examples(3)
@given(tables(new_facts(), rows=10), tables(new_facts(), rows=10), policies())
def test_facts_added_between_runs_join_in(
    migrated: TestDatabase,
    connection: Connection,
    early: dict[int, Fact],
    late: dict[int, Fact],
    policy: Document,
) -> None:
    loaded = configured(**policy)
    shifted = {key + 1000: fact for key, fact in late.items()}
    fill(connection, early)
    decay(migrated, at(0), loaded)
    add(connection, shifted)
    decay(migrated, at(0), loaded)
    in_two = derived(connection)

    fill(connection, early | shifted)
    decay(migrated, at(0), loaded)
    assert differences(derived(connection), in_two) == []
