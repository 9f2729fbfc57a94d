"""touch, pin, unpin and record_access: accesses are counted, whoever counts at the same time (spec 4, 9)."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from typing import Any

import psycopg
import pytest

from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.access import pin, touch
from memory_maintenance.jobs.report.accesses import Accesses
from memory_maintenance.model.result import Note
from tests.support.command import Call
from tests.support.decisions import events
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, DEFAULTS, ago, decay, opened, row
from tests.support.recalling import publish
from tests.support.server import Connection, TestDatabase

RECORD = "SELECT memory_maintenance.record_access('entity_facts', %s::text[], %s)"
ACCESS = ("last_accessed_at", "access_count")


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def stored(connection: Connection, key: int) -> tuple[Any, ...]:
    """When a fact was last accessed, and how often."""
    return tuple(row(connection, key, *ACCESS)[name] for name in ACCESS)


def some(connection: Connection, count: int, **columns: Any) -> list[int]:
    """Facts."""
    return facts(connection, [{"category": "observation", **columns}] * count)


def record(connection: Connection, keys: Any, at: datetime = AS_OF) -> list[str]:
    """What record_access says it recorded."""
    found = connection.execute(RECORD, [list(map(str, keys)), at]).fetchone()
    assert found is not None
    return list(found[0])


# -- record_access --


def test_an_access_is_counted_and_never_moved_back(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    one, other = some(connection, 2)
    before = row(connection, one, "updated_at", "last_confirmed_at")
    assert record(connection, [other, one, one, 999999, "x"]) == [str(one), str(other)]
    assert stored(connection, one) == stored(connection, other) == (AS_OF, 1)
    assert record(connection, [one], ago(days=1)) == [str(one)]
    assert stored(connection, one) == (AS_OF, 2)
    assert row(connection, one, "updated_at", "last_confirmed_at") == before
    assert record(connection, []) == []


def test_no_access_is_later_than_now(migrated: TestDatabase, connection: Connection) -> None:
    publish(migrated)
    (fact,) = some(connection, 1)
    clock = connection.execute("SELECT clock_timestamp()").fetchone()
    assert clock is not None
    record(connection, [fact], clock[0].replace(year=clock[0].year + 9))
    at, count = stored(connection, fact)
    assert clock[0] <= at
    assert at.year <= clock[0].year + 1
    assert count == 1
    for odd in ("infinity", "-infinity"):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="finite"):
            connection.execute(RECORD, [[str(fact)], odd])


def test_two_who_name_the_same_facts_in_opposite_order_both_count(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    keys = some(connection, 50)
    others = [migrated.connect(), migrated.connect()]

    def many(session: Connection, order: list[int]) -> None:
        for _ in range(20):
            assert len(record(session, order)) == len(keys)

    threads = [
        threading.Thread(target=many, args=(others[0], keys)),
        threading.Thread(target=many, args=(others[1], keys[::-1])),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {stored(connection, key) for key in keys} == {(AS_OF, 40)}


def test_a_fact_that_somebody_holds_is_left_and_the_others_are_counted(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    held, free = some(connection, 2)
    holder = migrated.connect()
    holder.execute("BEGIN")
    holder.execute("UPDATE entity_facts SET value = 'y' WHERE id = %s", [held])
    told: list[str | None] = []
    connection.add_notice_handler(lambda notice: told.append(notice.message_primary))
    assert record(connection, [held, free]) == [str(free)]
    assert told == ["of 2 accesses 1 were recorded: other transactions hold the rows of the rest"]
    holder.execute("COMMIT")
    assert record(connection, [held, free]) == [str(held), str(free)]
    assert [stored(connection, key)[1] for key in (held, free)] == [1, 2]


def test_an_access_after_a_write_of_the_same_moment_keeps_that_write(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    (fact,) = some(connection, 1)
    writer = migrated.connect()
    writer.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    writer.execute("SELECT count(*) FROM entity_facts")
    record(connection, [fact])
    # Its view is older than that access: it isn't counted twice, nor lost.
    assert record(writer, [fact]) == []
    writer.execute("COMMIT")
    assert stored(connection, fact) == (AS_OF, 1)


def test_only_tables_with_a_published_plan_are_written(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    connection.execute("CREATE TABLE other (id int PRIMARY KEY, last_accessed_at timestamptz)")
    with pytest.raises(psycopg.errors.UndefinedObject):
        connection.execute("SELECT memory_maintenance.record_access('other', '{1}')")


def test_temporary_types_of_the_caller_are_not_taken_for_those_that_are_meant(
    migrated: TestDatabase, connection: Connection
) -> None:
    # What record_access executes has the rights of the owner, and the CHECK of a type is code.
    publish(migrated)
    (fact,) = some(connection, 1)
    role = migrated.create_role()
    for right in (
        "USAGE ON SCHEMA memory_maintenance",
        "EXECUTE ON FUNCTION memory_maintenance.record_access",
    ):
        connection.execute(f"GRANT {right} TO {role}".encode())
    caller = migrated.connect(user=role)
    for name in ("text", "int4", "int8", "numeric", "timestamptz"):
        caller.execute(
            f"CREATE FUNCTION pg_temp.ran(pg_catalog.{name}) RETURNS pg_catalog.bool LANGUAGE plpgsql"
            " AS 'BEGIN RAISE ''executed''; END'; "
            f"CREATE DOMAIN pg_temp.{name} AS pg_catalog.{name} CHECK (pg_temp.ran(VALUE))".encode()
        )
    caller.execute(
        "SELECT memory_maintenance.record_access('entity_facts', ARRAY[%s]::pg_catalog.text[], %s)",
        [str(fact), AS_OF],
    )
    assert stored(connection, fact) == (AS_OF, 1)


def test_an_access_lengthens_the_life_of_what_it_is_about(
    migrated: TestDatabase, connection: Connection
) -> None:
    publish(migrated)
    old = {"importance": 7, "last_confirmed_at": ago(days=14), "durability": "long_term"}
    used, unused = some(connection, 2, **old)
    record(connection, [used])
    decay(migrated)
    effective = [
        row(connection, key, "effective_importance")["effective_importance"]
        for key in (used, unused)
    ]
    assert effective == [4, 2]


# -- touch --


def touched(database: TestDatabase, *named: Any, **options: Any) -> tuple[Any, ...]:
    """``touch`` at AS_OF; what it says it touched."""
    with opened(database) as session:
        given = list(map(str, named))
        return touch(session, DEFAULTS.settings, given, **{"as_of": AS_OF, **options}).ids


def test_touch_counts_each_fact_once(migrated: TestDatabase, connection: Connection) -> None:
    one, other, third = some(connection, 3)
    assert touched(migrated, other, one, one) == (one, other)
    assert [stored(connection, key) for key in (one, other, third)] == [
        (AS_OF, 1),
        (AS_OF, 1),
        (None, 0),
    ]
    assert touched(migrated, one, as_of=ago(days=1)) == (one,)
    assert stored(connection, one) == (AS_OF, 2)


@pytest.mark.parametrize("odd", ["999999", "x", "", "1.5", "9" * 40, "'; DROP TABLE entity_facts"])
def test_what_is_no_fact_is_told_before_anything_is_written(
    migrated: TestDatabase, connection: Connection, odd: str
) -> None:
    (fact,) = some(connection, 1)
    with pytest.raises(UsageError, match="nothing was written"):
        touched(migrated, fact, odd)
    with pytest.raises(UsageError, match="nothing was written"):
        pinned(migrated, fact, odd)
    assert stored(connection, fact) == (None, 0)
    assert row(connection, fact, "pinned")["pinned"] is False


def test_dry_runs_write_nothing(migrated: TestDatabase, connection: Connection) -> None:
    (fact,) = some(connection, 1)
    assert touched(migrated, fact, dry_run=True) == (fact,)
    assert pinned(migrated, fact, dry_run=True) == (fact,)
    assert stored(connection, fact) == (None, 0)
    assert row(connection, fact, "pinned")["pinned"] is False
    assert events(connection, fact) == []


# -- pin --


def pinned(database: TestDatabase, *named: Any, on: bool = True, **options: Any) -> tuple[Any, ...]:
    """``pin`` or ``unpin``; what it says it changed."""
    with opened(database) as session:
        return _pinned(session, named, on=on, **options)


def _pinned(
    session: Session, named: tuple[Any, ...], *, on: bool, **options: Any
) -> tuple[Any, ...]:
    given = list(map(str, named))
    return pin(session, DEFAULTS.settings, given, pinned=on, as_of=AS_OF, **options).changed


def test_pinning_and_unpinning_are_recorded_once(
    migrated: TestDatabase, connection: Connection
) -> None:
    one, other = some(connection, 2)
    assert pinned(migrated, one, reason=" it matters ") == (one,)
    assert pinned(migrated, one, other) == (other,)
    assert pinned(migrated, one, other) == ()
    assert pinned(migrated, one, on=False) == (one,)
    off, on = {"pinned": False}, {"pinned": True}
    assert events(connection, one) == [
        ("fact-pinned", "it matters", {"before": off, "after": on}),
        ("fact-unpinned", None, {"before": on, "after": off}),
    ]
    assert [kind for kind, _, _ in events(connection, other)] == ["fact-pinned"]


def test_a_pinned_fact_does_not_fade(migrated: TestDatabase, connection: Connection) -> None:
    old = {"importance": 7, "last_confirmed_at": ago(days=300), "durability": "ephemeral"}
    fact, other = some(connection, 2, **old)
    pinned(migrated, fact)
    decay(migrated)
    shown = [row(connection, key, "confidence", "effective_importance") for key in (fact, other)]
    assert shown[0] == {"confidence": 1.0, "effective_importance": 7}
    assert shown[1]["confidence"] < 0.01


def test_the_commands_say_what_they_did(
    migrated: TestDatabase, connection: Connection, call: Call
) -> None:
    one, other = map(str, some(connection, 2))
    more = ("--dsn", migrated.dsn, "--format", "json")
    document = json.loads(call("touch", one, other, *more).stdout)
    assert (document["command"], document["ids"]) == ("touch", [int(one), int(other)])
    document = json.loads(call("pin", one, "--reason", "why", *more).stdout)
    assert (document["command"], document["changed"], document["reason"]) == (
        "pin",
        [int(one)],
        "why",
    )
    document = json.loads(call("unpin", one, other, *more).stdout)
    assert (document["command"], document["ids"], document["changed"]) == (
        "unpin",
        [int(one), int(other)],
        [int(one)],
    )
    failed = call("touch", one, "x", *more)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "no fact x" in failed.stderr


# -- the report --


def test_the_report_warns_where_accesses_look_unrecorded(
    migrated: TestDatabase, connection: Connection, call: Call
) -> None:
    def looked_at() -> dict[str, Any]:
        more = ("--dsn", migrated.dsn, "--as-of", "2026-06-01T00:00Z", "--format", "json")
        section: dict[str, Any] = json.loads(call("report", *more).stdout)["accesses"]
        return section

    assert looked_at() == {"facts": 0, "unrecorded": 0, "missing": False}
    created = {"learned_at": ago(days=8).replace(tzinfo=None)}
    some(connection, 10, **created)
    some(connection, 9, **created, last_accessed_at=ago(days=8))
    some(connection, 1, **created, last_accessed_at=AS_OF)
    # Too young to count.
    some(connection, 50, learned_at=ago(days=6).replace(tzinfo=None))
    assert looked_at() == {"facts": 20, "unrecorded": 19, "missing": False}
    some(connection, 1, **created)
    assert looked_at() == {"facts": 21, "unrecorded": 20, "missing": True}


def test_the_warning_says_how_many_and_what_to_do() -> None:
    _, note = Accesses(21, 20, missing=True).blocks()
    assert isinstance(note, Note)
    assert "20 of 21 facts older than a week (95.2%)" in note.text
    assert "memory_maintenance.record_access" in note.text
    assert Accesses(20, 19, missing=False).blocks() == ()
