"""decay and clocks that run ahead, factors next to nothing, and columns of odd types and values."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import sql

from memory_maintenance.jobs.decay import DecayOptions
from tests.support.command import Call
from tests.support.legacy import facts
from tests.support.maintained import Memory
from tests.support.maintenance import (
    AS_OF,
    ago,
    confidence,
    configured,
    decay,
    make_facts,
    migrate_types,
    row,
)
from tests.support.server import TestDatabase

NOTES = sql.Identifier("notes")


# -- clocks later than now --


def clock(memory: Memory) -> datetime:
    with memory.connect() as connection:
        found = connection.execute("SELECT clock_timestamp()").fetchone()
    assert found is not None
    at: datetime = found[0]
    return at.astimezone(UTC)


def confirm(memory: Memory, fact: int, at: str) -> None:
    with memory.connect() as writer:
        writer.execute(
            f"UPDATE entity_facts SET last_confirmed_at = {at} WHERE id = %s".encode(), [fact]
        )


def test_a_fact_confirmed_during_a_pass_is_not_said_to_be_later_than_now(memory: Memory) -> None:
    memory.fill(30)
    began = clock(memory)
    calls: list[int] = []

    def emit(done: int, _known: int | None, _what: str) -> None:
        calls.append(done)
        if len(calls) == 1:
            confirm(memory, 25, "clock_timestamp()")
            confirm(memory, 26, "clock_timestamp() + interval '1 hour'")

    result = memory.decay(as_of=began, live=True, emit=emit, options=DecayOptions(batch_rows=10))
    assert result.examined == 30
    assert [(p.id, p.problem) for p in result.problems] == [
        (26, "last_confirmed_at is later than now")
    ]
    with memory.connect() as watcher:
        anchors = watcher.execute(
            "SELECT max(confidence_anchor_at), count(confidence_written) FROM entity_facts"
        ).fetchone()
    assert anchors == (began, 30), "computed all the same, and no anchor is later than the run"


def test_in_the_past_whatever_is_later_than_that_is_listed(memory: Memory) -> None:
    memory.fill(3)
    began = clock(memory)
    confirm(memory, 2, "clock_timestamp()")
    result = memory.decay(as_of=began, live=False)
    assert [(p.id, p.problem) for p in result.problems] == [
        (2, "last_confirmed_at is later than now")
    ]


def test_the_command_is_live_exactly_where_no_instant_is_named(memory: Memory, call: Call) -> None:
    memory.fill(3)
    began = clock(memory)
    confirm(memory, 1, "clock_timestamp()")
    confirm(memory, 2, "clock_timestamp() + interval '1 hour'")
    arguments = ("decay", *memory.arguments(), "--format", "json", "--dry-run")

    def listed(*more: str) -> list[int]:
        done = call(*arguments, *more)
        assert done.returncode == 0, done.stderr
        return [problem["id"] for problem in json.loads(done.stdout)["problems"]]

    assert listed() == [2]
    assert listed("--as-of", (began - timedelta(seconds=1)).isoformat()) == [1, 2]


# -- factors next to nothing --


@pytest.mark.parametrize("factor", [1e-300, 5e-324, 0.5])
def test_a_factor_next_to_nothing_stops_no_batch_and_importance_ends_at_1(
    migrated: TestDatabase, factor: float
) -> None:
    loaded = configured(
        confidence={"adopt": "history"},
        importance={"access_boost": [{"within": "3d", "factor": 1.0}, {"factor": factor}]},
    )
    connection = migrated.connect()
    # Of some the survival is tiny but not 0, so that the product could be less than any double.
    ages = [0, 30, 365, 2 * 365, 3 * 365, 4 * 365]
    keys = facts(
        connection, [{"importance": 10, "last_confirmed_at": ago(days=age)} for age in ages]
    )
    result = decay(migrated, AS_OF, loaded)
    assert (result.examined, result.updated) == (len(ages), len(ages))
    found = [row(connection, key, "effective_importance") for key in keys]
    assert found == [{"effective_importance": n} for n in (10, 1, 1, 1, 1, 1)]


# -- columns of odd types --


ODD = configured(
    database={"table": "notes", "zoneless_timezone": "Pacific/Kiritimati"},
    confidence={"adopt": "history", "min_delta": 0.0},
)


def notes(database: TestDatabase, optional: str, values: dict[str, Any]) -> tuple[Any, Any]:
    """The result of decay on a table with one fact of these values beside a plain one, and a connection."""

    def make(made: TestDatabase) -> None:
        make_facts(made.connect(), NOTES, optional=optional)
        migrate_types(made, ODD)

    database.become(database.server.template(f"notes, {optional}", make))
    connection = database.connect()
    plain = {"id": 2} | ({"last_confirmed_at": ago(days=180)} if "last_conf" in optional else {})
    facts(connection, [{"id": 1, **values}, plain], relation=NOTES)
    return decay(database, AS_OF, ODD), connection


@pytest.mark.parametrize(
    ("rate", "value", "problem"),
    [
        ("1e400", None, "decay_rate is not a finite number"),
        ("NaN", None, "decay_rate is not a finite number"),
        ("-1e400", None, "decay_rate is not a finite number"),
        ("1e-400", 1.0, None),
        ("1e-299", 1.0, None),
        ("1e299", 0.0, None),
        ("-0.5", None, "decay_rate is negative"),
        ("0", 1.0, None),
    ],
)
def test_a_decay_rate_of_type_numeric_is_computed_or_listed(
    empty_database: TestDatabase, rate: str, value: float | None, problem: str | None
) -> None:
    result, connection = notes(
        empty_database,
        "decay_rate numeric, last_confirmed_at timestamptz",
        {"decay_rate": rate, "last_confirmed_at": ago(days=180)},
    )
    assert result.examined == 2
    assert [(p.id, p.problem) for p in result.problems] == ([(1, problem)] if problem else [])
    if value is not None:
        assert confidence(connection, 1, table=NOTES) == pytest.approx(value, abs=1e-12)
    assert confidence(connection, 2, table=NOTES) == 0.5, "its neighbour is computed"


@pytest.mark.parametrize(
    ("kind", "at", "problem"),
    [
        ("date", "5874897-01-01", "learned_at is infinite"),
        ("date", "5874897-12-31", "learned_at is infinite"),
        ("date", "infinity", "learned_at is infinite"),
        ("date", "4714-11-24 BC", "learned_at is infinite"),
        ("date", "293999-12-31", "learned_at is later than now"),
        ("date", "2026-01-01", None),
        ("timestamp", "294276-12-31 23:59:59.999999", "learned_at is infinite"),
        ("timestamp", "-infinity", "learned_at is infinite"),
        ("timestamptz", "294276-12-31 23:59:59.999999+00", "learned_at is later than now"),
        ("timestamptz", "4714-11-24 00:00:00+00 BC", None),
    ],
)
def test_a_clock_as_far_out_as_its_type_allows_is_computed_or_listed(
    empty_database: TestDatabase, kind: str, at: str, problem: str | None
) -> None:
    result, connection = notes(
        empty_database,
        f"learned_at {kind}, last_confirmed_at timestamptz",
        {"learned_at": at, "last_confirmed_at": None},
    )
    assert result.examined == 2
    assert [(p.id, p.problem) for p in result.problems] == ([(1, problem)] if problem else [])
    assert confidence(connection, 2, table=NOTES) == 0.5, "its neighbour is computed"
