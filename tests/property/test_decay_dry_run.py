"""A dry run counts exactly what the run after it does, and nobody can tell that it was there."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

from memory_maintenance.jobs.decay import DecayResult
from memory_maintenance.model.result import plain
from tests.property.decay_facts import (
    Document,
    any_facts,
    at,
    examples,
    fill,
    later,
    loosen,
    policies,
    tables,
)
from tests.support.maintenance import configured, decay
from tests.support.reference import Fact
from tests.support.server import Connection, TestDatabase

_OF_THE_RUN_ITSELF = {"dry_run", "run_id", "duration_s", "batches"}


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database, which takes any row from it."""
    connection = migrated.connect()
    loosen(connection)
    return connection


def _trace(connection: Connection) -> list[Any]:
    """Every row version of the facts, and all of the ledger."""
    rows: list[Any] = connection.execute(
        "SELECT ctid::text, xmin::text, xmax::text, f::text FROM entity_facts AS f ORDER BY id"
    ).fetchall()
    for table in ("run", "adoption", "event", "migration"):
        statement = f"SELECT t::text FROM memory_maintenance.{table} AS t ORDER BY 1"
        rows += connection.execute(statement.encode()).fetchall()
    return rows


def _counts(result: DecayResult) -> dict[str, Any]:
    return {
        field.name: plain(getattr(result, field.name))
        for field in dataclasses.fields(result)
        if field.name not in _OF_THE_RUN_ITSELF
    }


@examples(4)
@given(tables(any_facts()), policies(min_delta=None), later)
def test_a_dry_run_counts_what_the_run_does_and_leaves_no_trace(
    migrated: TestDatabase,
    connection: Connection,
    facts: dict[int, Fact],
    policy: Document,
    offsets: list[int],
) -> None:
    loaded = configured(**policy)
    fill(connection, facts)
    for offset in (0, *offsets):
        before = _trace(connection)
        dry = decay(migrated, at(offset), loaded, dry_run=True)
        assert _trace(connection) == before
        assert dry.dry_run
        assert dry.run_id is None
        assert _counts(dry) == _counts(decay(migrated, at(offset), loaded))


@examples(3)
@given(tables(any_facts()))
def test_a_dry_run_before_the_table_is_adopted_takes_its_own_clock_for_the_adoption(
    migrated: TestDatabase, connection: Connection, facts: dict[int, Fact]
) -> None:
    loaded = configured(confidence={"adopt": "now"})
    fill(connection, facts)
    clock = connection.execute("SELECT now()").fetchone()
    assert clock is not None
    assert isinstance(clock[0], datetime)
    in_a_month = clock[0] + timedelta(days=30)
    dry = decay(migrated, in_a_month, loaded, dry_run=True)
    assert connection.execute("SELECT FROM memory_maintenance.adoption").fetchone() is None
    assert _counts(dry) == _counts(decay(migrated, in_a_month, loaded))
