"""Databases whose guards are in force, facts that they guard, and what they said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
import pytest

from tests.support import legacy
from tests.support.contracting import contracted, simple
from tests.support.migration import Connection, migrated, unclassified
from tests.support.server import TestDatabase, TestServer, fresh_database

DECIDED: Final = {
    "decided": "PostgreSQL",
    "alternatives": ["SQLite"],
    "reasoning": "one server for all",
    "decided_by": "I",
    "decided_at": "2026-01-05",
}
DECISION: Final = {
    "category": "decision",
    "durability": "long_term",
    "key": "database",
    "value": "we use PostgreSQL",
    "data": {"decision": DECIDED, "do_not_reopen": True},
}
STATES: Final = ("expanded", "settled", "contracted", "without data_type")
"""What the facts may look like: as expand, backfill or contract leaves them, or never with a data_type."""


@contextmanager
def guarded(server: TestServer, template: str, state: str) -> Iterator[TestDatabase]:
    """A database in one of STATES. While there is a data_type it takes extended values."""
    with fresh_database(server, template) as fresh:
        conn = fresh.connect()
        simple(conn)
        conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
        if state == "without data_type":
            conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type")
        if state == "expanded":
            unclassified(fresh)
        else:
            assert migrated(fresh).verified
        if state == "contracted":
            assert contracted(fresh).contracted
        yield fresh


def decision(conn: Connection, **columns: Any) -> int:
    """A decision that is not to be reopened."""
    (fact,) = legacy.facts(conn, [{**DECISION, **columns}])
    return fact


def mood(conn: Connection, durability: str = "ephemeral", **columns: Any) -> int:
    """A mood."""
    (fact,) = legacy.facts(conn, [{"category": "mood", "durability": durability, **columns}])
    return fact


def stored(conn: Connection, fact: int, columns: str = "durability, category") -> tuple[Any, ...]:
    """Columns of a fact."""
    found = conn.execute(f"SELECT {columns} FROM entity_facts WHERE id = {fact}".encode())
    row = found.fetchone()
    assert row is not None, f"fact {fact} is gone"
    return tuple(row)


def events(conn: Connection, fact: object, table: str = "public.entity_facts") -> list[Any]:
    """Kind, reason and detail of what was recorded of a fact, in order."""
    return conn.execute(
        "SELECT kind, reason, detail FROM memory_maintenance.event"
        " WHERE table_name = %s AND fact_key = %s ORDER BY id",
        [table, str(fact)],
    ).fetchall()


@contextmanager
def refused(state: str) -> Iterator[pytest.ExceptionInfo[psycopg.Error]]:
    """A block that ends in an error of that SQLSTATE."""
    with pytest.raises(psycopg.Error) as caught:
        yield caught
    assert caught.value.sqlstate == state, caught.value


@contextmanager
def reason(conn: Connection, setting: str, text: str) -> Iterator[None]:
    """A transaction that gives a reason."""
    with conn.transaction():
        conn.execute(
            "SELECT set_config(%s, %s, true)", [f"memory_maintenance.{setting}_reason", text]
        )
        yield


def guards(conn: Connection, table: str = "entity_facts") -> Mapping[str, Sequence[str]]:
    """The guards that are in force, by name: the columns of UPDATE OF."""
    found = conn.execute(
        "SELECT t.tgname, ARRAY(SELECT a.attname::text FROM unnest(t.tgattr::int2[]) AS u (n)"
        " JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = u.n ORDER BY 1)"
        " FROM pg_trigger AS t WHERE t.tgrelid = %s::regclass AND t.tgenabled <> 'D'"
        " AND t.tgname ~ '^memory_maintenance_[24]0' ORDER BY 1",
        [table],
    ).fetchall()
    return dict(found)
