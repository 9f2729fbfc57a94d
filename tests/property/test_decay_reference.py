"""What decay stores is what the reference says, whatever the rows and the policy."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import sql

from tests.property.decay_facts import (
    NOW,
    Document,
    any_facts,
    at,
    derived,
    differences,
    examples,
    expected,
    fill,
    later,
    loosen,
    policies,
    tables,
)
from tests.support.maintenance import configured, decay, make_facts, migrate_types
from tests.support.reference import Fact, Memory, Rules, as_real
from tests.support.server import Connection, TestDatabase


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, which takes any row from it."""
    connection = migrated.connect()
    loosen(connection)
    return connection


@examples(20)
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


@examples(10)
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


@examples(10)
@given(tables(any_facts()), policies(min_delta=None), later)
def test_the_database_agrees_where_confidence_is_stored_as_real(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
) -> None:
    loaded = configured(database={"table": "notes"}, **policy)
    if connection.execute("SELECT to_regclass('notes') IS NULL").fetchone() == (True,):
        make_facts(
            connection,
            sql.Identifier("notes"),
            confidence="real",
            optional="learned_at timestamp, last_confirmed_at timestamptz, decay_rate real, data jsonb",
        )
        migrate_types(migrated, loaded)
        connection.execute("ALTER TABLE notes DROP CONSTRAINT IF EXISTS chk_durability")
    for fact in facts.values():
        if fact.confidence is not None:
            fact.confidence = as_real(fact.confidence)
        if fact.confidence_written is not None:
            fact.confidence_written = as_real(fact.confidence_written)
    fill(connection, facts, "notes")
    memory = Memory(copy.deepcopy(facts))
    rules = Rules.of(loaded.settings, real=True)
    for offset in (0, *offsets):
        memory.decay(rules, NOW + offset)
        decay(migrated, at(offset), loaded)
        # Neighbouring reals below 1 are 6e-8 apart.
        found = derived(connection, "notes")
        assert differences(found, expected(memory.facts), tolerance=1e-7) == []
