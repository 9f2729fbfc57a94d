"""The guards where jsonb can't hold data, and where a key goes to another decision (spec 6, 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_maintenance.model.one_line import BLANK
from tests.support.contracting import simple
from tests.support.guarded import decision, events, guarded, mood, reason, refused, stored
from tests.support.migration import Connection, migrated
from tests.support.server import TestDatabase, TestServer, fresh_database

NOT_REOPENED = "MM001"
CLOSED = '{"decision": {"reasoning": "why"}, "do_not_reopen": true, '
UNREADABLE = {
    "a zero": r'"note": "SECRETTEXT \u0000\u0000 here"}',
    "half a pair": r'"note": "SECRETTEXT \ud83d and \ude00\ude00"}',
    "halves and pairs": r'"note": "SECRETTEXT \ud83d\ude00\ude00\ud83d\ud83d\ude00 \\u0000"}',
    "a number too large": '"note": "SECRETTEXT", "size": 1e400000}',
    "nothing that can be mended": r'"note": "SECRETTEXT \\\ud83d\ude00\\uD83D\ude00"}',
}


@pytest.fixture(scope="module")
def kept_as_json(server: TestServer, template: str) -> Iterator[TestDatabase]:
    """A guarded database whose column data is json."""
    with fresh_database(server, template) as fresh:
        conn = fresh.connect()
        simple(conn)
        conn.execute("ALTER TABLE entity_facts ALTER COLUMN data TYPE json")
        assert migrated(fresh).verified
        yield fresh


@pytest.fixture
def conn(kept_as_json: TestDatabase) -> Connection:
    """To the database; each test makes facts of its own."""
    return kept_as_json.connect()


def run(conn: Connection, statement: str, *params: Any) -> Any:
    """Execute it."""
    return conn.execute(statement.encode(), params or None)


def made(conn: Connection, document: str, fact: Any = decision) -> int:
    """A fact with that text as its data, made while no guard looks."""
    key: int = fact(conn, data=None)
    with conn.transaction():
        run(conn, "SET LOCAL session_replication_role = replica")
        run(conn, "UPDATE entity_facts SET data = %s::json WHERE id = %s", document, key)
    return key


unreadable = pytest.mark.parametrize("rest", UNREADABLE.values(), ids=UNREADABLE.keys())


@unreadable
def test_what_is_not_guarded_is_written_whatever_its_data(conn: Connection, rest: str) -> None:
    for durability in ("ephemeral", "permanent"):
        fact = mood(conn, durability, data=None)
        run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
        run(
            conn,
            "INSERT INTO entity_facts (key, value, durability, category, data)"
            " VALUES ('k', 'v', %s, 'mood', %s::json)",
            durability,
            CLOSED + rest,
        )
    fact = made(conn, "{" + rest)
    run(conn, "UPDATE entity_facts SET value = 'other', data = data WHERE id = %s", fact)
    run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)


@unreadable
def test_a_guarded_decision_is_refused_as_ever_and_its_text_is_not_told(
    kept_as_json: TestDatabase, conn: Connection, rest: str
) -> None:
    fact = made(conn, CLOSED + rest)
    run(conn, "UPDATE entity_facts SET value = value, data = data WHERE id = %s", fact)
    for statement in (
        f"UPDATE entity_facts SET value = 'other' WHERE id = {fact}",
        f"UPDATE entity_facts SET data = NULL WHERE id = {fact}",
        f"UPDATE entity_facts SET data = replace(data::text, 'true', 'false')::json WHERE id = {fact}",
        f"UPDATE entity_facts SET data = replace(data::text, 'why', 'else')::json WHERE id = {fact}",
        f"DELETE FROM entity_facts WHERE id = {fact}",
        "TRUNCATE entity_facts",
    ):
        with refused(NOT_REOPENED) as caught:
            run(conn, statement)
        said = caught.value.diag
        for words in (said.message_primary, said.message_detail, said.message_hint, said.context):
            assert "SECRETTEXT" not in (words or "")
    assert stored(conn, fact, "data::text") == (CLOSED + rest,)
    with reason(conn, "reopen", "it is over"):
        run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
    ((kind, why, detail),) = events(conn, fact)
    assert (kind, why, detail["operation"]) == ("decision-reopened", "it is over", "DELETE")
    assert detail["before"]["value"] == "we use PostgreSQL"
    assert detail["before"]["data.do_not_reopen"] is True
    assert "SECRETTEXT" not in str(detail)


def test_other_members_may_change_where_the_guarded_ones_can_be_told(conn: Connection) -> None:
    for name, rest in UNREADABLE.items():
        if not name.startswith("nothing"):
            fact = made(conn, CLOSED + rest)
            run(
                conn,
                "UPDATE entity_facts SET data = replace(data::text, 'SECRETTEXT', '')::json WHERE id = %s",
                fact,
            )


def test_a_reasoning_that_jsonb_can_not_hold_is_recorded_as_far_as_it_can_be(
    conn: Connection,
) -> None:
    fact = made(conn, r'{"decision": {"reasoning": "a\u0000b \\u0000"}, "do_not_reopen": true}')
    number = made(conn, '{"decision": {"size": 1e400000}, "do_not_reopen": true}')
    with reason(conn, "reopen", "r"):
        run(conn, "UPDATE entity_facts SET data = '{}' WHERE id IN (%s, %s)", fact, number)
    ((_, _, detail),) = events(conn, fact)
    assert detail["before"]["data.decision"] == {"reasoning": "a\ufffdu0000b \\u0000"}
    ((_, _, detail),) = events(conn, number)
    assert list(detail["before"]["data.decision"]) == ["unreadable"]


# -- another decision under a key that was given up --

PARTED = """
CREATE TABLE parted (
    id int PRIMARY KEY, key text, value text, data jsonb, data_type text DEFAULT 'observation',
    confidence real DEFAULT 1, learned_at timestamp DEFAULT now(), last_confirmed_at timestamptz
) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (7002);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (7002) TO (9000)
"""
INSERTION = (
    "INSERT INTO {table} (id, key, value, durability, category, data)"
    " VALUES ({id}, 'k', '{value}', 'long_term', 'decision', '{{\"do_not_reopen\": true}}')"
)


def swapped(conn: Connection, table: str, value: str) -> list[Any]:
    """7001 becomes 7002, another takes its key and is deleted: what was recorded under 7001."""
    run(conn, INSERTION.format(table=table, id=7001, value="first"))
    with reason(conn, "reopen", "r"):
        run(conn, f"UPDATE {table} SET id = 7002 WHERE id = 7001")
        run(conn, INSERTION.format(table=table, id=7001, value=value))
        run(conn, f"DELETE FROM {table} WHERE id = 7001")
    return [
        (detail["operation"], detail["before"].get("value"))
        for _, _, detail in events(conn, 7001, f"public.{table}")
    ]


@pytest.mark.parametrize("value", ["second", "first"])
def test_a_decision_under_a_key_that_was_given_up_is_not_deleted_unrecorded(
    server: TestServer, template: str, value: str
) -> None:
    with guarded(server, template, "settled") as fresh:
        assert swapped(fresh.connect(), "entity_facts", value) == [
            ("UPDATE", None),
            ("DELETE", value),
        ]


def test_nor_is_one_in_partitions(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    conn.execute(PARTED)
    assert migrated(empty_database, table="parted").outcome.value == 0
    assert swapped(conn, "parted", "second") == [("UPDATE", None), ("DELETE", "second")]
    # A change that goes with the move is one event still.
    with reason(conn, "reopen", "r"):
        run(conn, "UPDATE parted SET id = 5, value = 'third', data = data || '{}' WHERE id = 7002")
    ((_, _, detail),) = events(conn, 7002, "public.parted")
    assert detail["after"] == {"id": 5, "value": "third"}


# -- reasons that show nothing --


def test_a_reason_of_characters_that_show_nothing_is_none(kept_as_json: TestDatabase) -> None:
    conn = kept_as_json.connect()
    codes = (*range(1, 0xD800), *range(0xE000, 0x20000), *range(0xDFF00, 0xE1100))
    characters = [chr(code) for code in codes]
    found = run(
        conn,
        "SELECT c FROM unnest(%s::text[]) AS c"
        " WHERE CASE WHEN set_config('memory_maintenance.trial', c, true) = c"
        " THEN memory_maintenance.given_reason('memory_maintenance.trial') IS NULL END",
        characters,
    ).fetchall()
    assert {c for (c,) in found} == {c for c in characters if BLANK.fullmatch(c)}


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", "\u2060\ufeff", " \u3164\n"])
def test_it_lets_nothing_through(conn: Connection, blank: str) -> None:
    fact = made(conn, CLOSED + '"a": 1}')
    with refused(NOT_REOPENED), reason(conn, "reopen", blank):
        run(conn, "UPDATE entity_facts SET value = 'x' WHERE id = %s", fact)
