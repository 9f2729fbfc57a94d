"""What decay stores is what the reference says, whatever the rows and the policy."""

from __future__ import annotations

import copy

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.property.decay_facts import (
    NOW,
    Document,
    any_facts,
    at,
    policies,
    derived,
    differences,
    expected,
    fill,
    later,
    loosen,
    tables,
)
from tests.support.maintenance import configured, decay
from tests.support.reference import Fact, Memory, Rules
from tests.support.server import Connection, TestDatabase


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, which takes any row from it."""
    connection = migrated.connect()
    loosen(connection)
    return connection


@settings(max_examples=60, phases=[Phase.generate])
@given(tables(any_facts()), policies(min_delta=None), later)
def test_the_database_agrees_with_the_reference_at_every_run(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
) -> None:
    fill(connection, facts)
    loaded = configured(**policy)
    memory = Memory(copy.deepcopy(facts))
    rules = Rules.of(loaded.settings)
    for offset in (0, *offsets):
        updated = memory.decay(rules, NOW + offset)
        result = decay(migrated, at(offset), loaded)
        assert differences(derived(connection), expected(memory.facts)) == []
        assert result.updated == updated
        assert result.examined == len(facts)


@settings(max_examples=20, phases=[Phase.generate])
@given(
    tables(any_facts()),
    policies(min_delta=None),
    st.lists(
        st.tuples(st.integers(0, 10**13), st.sampled_from([None, "confidence", "importance"])),
        min_size=2,
        max_size=4,
    ),
)
def test_the_database_agrees_when_only_one_half_runs_and_time_goes_back(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    runs: list[tuple[int, str | None]],
) -> None:
    fill(connection, facts)
    loaded = configured(**policy)
    memory = Memory(copy.deepcopy(facts))
    rules = Rules.of(loaded.settings)
    for offset, only in runs:
        memory.decay(rules, NOW + offset, only=only)  # type: ignore[arg-type]
        decay(migrated, at(offset), loaded, only=only)  # type: ignore[arg-type]
        assert differences(derived(connection), expected(memory.facts)) == []
