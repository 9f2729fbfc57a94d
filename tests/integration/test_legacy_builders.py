"""The databases and row builders that other tests stand on."""

from __future__ import annotations

import psycopg
import pytest

from tests.support import legacy
from tests.support.server import TestDatabase


def test_facts_keep_their_order_and_defaults(database: TestDatabase) -> None:
    connection = database.connect()
    ids = legacy.facts(
        connection,
        [
            {"key": "a", "value": "1"},
            {"confidence": None, "data": {"x": 1}},
            {"decay_rate": float("nan"), "last_confirmed_at": "infinity"},
        ],
    )
    rows = connection.execute(
        "SELECT id, key, confidence, data, data_type FROM public.entity_facts ORDER BY id"
    ).fetchall()
    assert [row[0] for row in rows] == ids
    assert rows[0][1:] == ("a", 1.0, None, "observation")
    assert rows[1][1:] == ("note", None, {"x": 1}, "observation")


def test_legacy_makes_rows_of_each_type(database: TestDatabase) -> None:
    made = legacy.legacy(database.connect(), {"identity": 2, None: 3})
    assert {name: len(ids) for name, ids in made.items()} == {"identity": 2, None: 3}


def test_an_entity_is_made_once(database: TestDatabase) -> None:
    connection = database.connect()
    assert legacy.entity(connection, "Ann") == legacy.entity(connection, "Ann")


def test_an_agent_may_write_facts_and_create_nothing(database: TestDatabase) -> None:
    connection = database.connect()
    connection.execute("SET ROLE mm_agent")
    connection.execute("INSERT INTO public.entity_facts (key, value) VALUES ('k', 'v')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("ALTER TABLE public.entity_facts ADD COLUMN mine integer")


def test_an_owner_may_change_the_schema(database: TestDatabase) -> None:
    connection = database.connect()
    legacy.give_to_owner(connection)
    connection.execute("SET ROLE mm_owner")
    connection.execute("ALTER TABLE public.entity_facts ADD COLUMN mine integer")
    connection.execute("CREATE SCHEMA memory_maintenance")


def test_merges_survive_in_both_states(
    database: TestDatabase, empty_database: TestDatabase
) -> None:
    legacy.current(empty_database.connect())
    for each in (database, empty_database):
        connection = each.connect()
        kept, gone = legacy.facts(connection, [{"confidence": 0.4}, {"confidence": 0.8}])
        connection.execute("SELECT public.merge_facts(%s, %s)", [kept, gone])
        rows = connection.execute("SELECT id, confidence FROM public.entity_facts").fetchall()
        assert rows == [(kept, 0.8)]


def test_sources_go_with_their_fact(database: TestDatabase) -> None:
    connection = database.connect()
    legacy.add_fact_sources(connection)
    (fact,) = legacy.facts(connection, [{}])
    connection.execute(
        "INSERT INTO public.entity_fact_sources (fact_id, source_entity_id, reporting_distance)"
        " VALUES (%s, %s, 0)",
        [fact, legacy.entity(connection, "Ann")],
    )
    connection.execute("DELETE FROM public.entity_facts")
    left = connection.execute("SELECT count(*) FROM public.entity_fact_sources").fetchone()
    assert left == (0,)
