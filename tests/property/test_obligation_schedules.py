"""When, how often and in which order obligations are expired makes no difference to where they end."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_maintenance.model.instants import iso
from memory_maintenance.model.obligations import follow
from tests.property.decay_facts import examples
from tests.support.maintenance import configured
from tests.support.obligations import expire
from tests.support.server import Connection, TestDatabase

NIGHT: Final = datetime(2026, 3, 8, 7, tzinfo=UTC)
"""About when clocks are set forward in Chicago, 8:00 in UTC."""
CHICAGO: Final = configured(timezone="America/Chicago")

offsets = st.integers(-72 * 60, 72 * 60).map(lambda minutes: NIGHT + timedelta(minutes=minutes))
_VALUES: Final = (
    "Call by March 7",
    "Call by 2026-03-08",
    "by March 8 3:30am",
    "March 3-5",
    "Call back",
)
drafts = st.lists(
    st.tuples(
        st.sampled_from(_VALUES),
        st.none() | offsets,
        st.sampled_from([None, "open", "overdue", "done"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)
Draft = tuple[str, datetime | None, str | None, bool]


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def fill(connection: Connection, facts: list[Draft]) -> None:
    """Make these obligations, by number, all that there is, and forget all events."""
    connection.execute("TRUNCATE entity_facts CASCADE")
    connection.execute("TRUNCATE memory_maintenance.event")
    for key, (value, expires, status, marked_so) in enumerate(facts, start=1):
        known: dict[str, Any] = {} if status is None else {"status": status}
        if status == "overdue" and expires is not None:
            known["overdue_at"] = iso(expires if marked_so else expires - timedelta(days=1))
        data = json.dumps({"obligation": known}) if known else None
        connection.execute(
            "INSERT INTO entity_facts (id, key, value, durability, category, learned_at, expires, data)"
            " VALUES (%s, 'k', %s, 'short_term', 'obligation', '2026-03-01', %s, %s)",
            [key, value, expires, data],
        )


def stored(connection: Connection) -> list[tuple[Any, ...]]:
    """Deadline and data.obligation of all, without members that don't say anything."""
    rows = connection.execute(
        "SELECT id, expires, data -> 'obligation' FROM entity_facts ORDER BY id"
    ).fetchall()
    # To say that it is open is to say nothing.
    return [
        (key, expires, {k: v for k, v in (known or {}).items() if (k, v) != ("status", "open")})
        for key, expires, known in rows
    ]


def told(connection: Connection) -> Counter[tuple[str, str]]:
    """How often each deadline of a fact was told to have passed."""
    rows = connection.execute(
        "SELECT fact_key, detail ->> 'deadline' FROM memory_maintenance.event"
        " WHERE kind = 'obligation-overdue'"
    ).fetchall()
    return Counter((key, deadline) for key, deadline in rows)


@examples(10)
@given(drafts, st.lists(offsets, min_size=1, max_size=5), offsets)
def test_any_schedule_ends_where_one_run_ends(
    migrated: TestDatabase,
    connection: Connection,
    facts: list[Draft],
    schedule: list[datetime],
    end: datetime,
) -> None:
    fill(connection, facts)
    expire(migrated, end, CHICAGO)
    at_once = stored(connection)

    fill(connection, facts)
    for at in (*schedule, end):
        expire(migrated, at, CHICAGO)
        assert expire(migrated, at, CHICAGO).updated == 0
    assert stored(connection) == at_once
    assert set(told(connection).values()) <= {1}


@examples(10)
@given(drafts, offsets, st.integers(1, 3))
def test_a_dry_run_is_the_run(
    migrated: TestDatabase,
    connection: Connection,
    facts: list[Draft],
    at: datetime,
    batch_rows: int,
) -> None:
    fill(connection, facts)
    planned = expire(migrated, at, CHICAGO, dry_run=True)
    done = expire(migrated, at, CHICAGO, batch_rows=batch_rows)
    assert planned.counts() == done.counts()
    for name in ("inferred", "overdue", "reinstated", "ambiguous", "problems"):
        assert getattr(planned, name) == getattr(done, name)


@given(
    st.sampled_from(["open", "overdue"]),
    st.none() | st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
    st.none() | st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
    st.booleans(),
)
def test_what_was_followed_once_needs_nothing_more(
    status: str, overdue_at: str | None, deadline: str | None, past: bool
) -> None:
    past = past and deadline is not None
    step = follow(status, overdue_at, deadline, past=past)
    known: dict[str, str] = {"status": status} if status != "open" else {}
    if overdue_at is not None:
        known["overdue_at"] = overdue_at
    if step is not None:
        known = {k: v for k, v in known.items() if k not in step.drop} | dict(step.set)
    assert (known.get("status", "open") == "overdue") == past
    assert follow(known.get("status", "open"), known.get("overdue_at"), deadline, past=past) is None
