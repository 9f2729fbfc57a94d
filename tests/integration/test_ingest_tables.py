"""extraction ingest on tables of other deployments: other keys, other columns, other rights."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.errors import Denied, UsageError
from tests.integration.test_hostile_schema import make_hostile
from tests.support import legacy
from tests.support.guarded import guarded
from tests.support.ingesting import ingest, kinds, rejected, said, told, unreadable
from tests.support.legacy import AGENT
from tests.support.maintenance import (
    AS_OF,
    ahead,
    configured,
    make_facts,
    migrate_types,
    row,
)
from tests.support.server import Connection, TestDatabase, TestServer

MEMORY = sql.Identifier("Their Memory", "facts")
LOADED = configured(database={"table": '"Their Memory".facts'})
DECISION = {
    "decided": "PostgreSQL",
    "alternatives": [],
    "reasoning": "one server",
    "decided_by": "Ana",
    "decided_at": "2026-05-30T09:00:00Z",
}


def made(database: TestDatabase, optional: str, *, entities: str = "", **types: str) -> Connection:
    """A migrated table of facts with these columns besides, in a schema of its own."""
    connection = database.connect()
    connection.execute('CREATE SCHEMA "Their Memory"')
    if entities:
        connection.execute(f'CREATE TABLE "Their Memory".people ({entities})'.encode())
    make_facts(connection, MEMORY, optional=optional, **types)
    migrate_types(database, LOADED)
    return connection


def all_of(connection: Connection, columns: str) -> list[Any]:
    """Columns of all facts, by key and value."""
    statement = f'SELECT {columns} FROM "Their Memory".facts ORDER BY key, value'
    return connection.execute(statement.encode()).fetchall()


PEOPLE = "id uuid PRIMARY KEY, name text NOT NULL, type text NOT NULL"
OF_PEOPLE = 'entity_id uuid REFERENCES "Their Memory".people (id), data json'


def test_keys_may_be_uuids_that_nothing_fills(empty_database: TestDatabase) -> None:
    connection = made(empty_database, OF_PEOPLE, entities=PEOPLE, key="uuid")
    result = ingest(empty_database, said(), said(value="coffee"), said(value="Tea"), loaded=LOADED)
    assert kinds(result) == ["created", "reinforced", "created"]
    ids = [o.id for o in result.outcomes]
    assert all(isinstance(found, UUID) for found in ids)
    assert ids[0] == ids[1]
    assert result.document()["outcomes"][0]["id"] == str(ids[0])
    ((ana,),) = connection.execute('SELECT id FROM "Their Memory".people').fetchall()
    assert all_of(connection, "id, entity_id") == [(ids[0], ana), (ids[2], ana)]


def test_data_may_be_json_and_expires_zoneless(empty_database: TestDatabase) -> None:
    optional = f"{OF_PEOPLE}, expires timestamp, learned_at date, updated_at timestamptz"
    connection = made(
        empty_database, optional, entities=PEOPLE, key="uuid", confidence="numeric(6, 4)"
    )
    due = ahead(days=3, hours=5)
    owed = said(category="obligation", value="pay", deadline=due, confidence=0.25)
    decided = said(category="decision", decision=DECISION)
    assert kinds(ingest(empty_database, owed, decided, owed, decided, loaded=LOADED)) == [
        "created",
        "created",
        "reinforced",
        "reinforced",
    ]
    (_, pay) = all_of(connection, "expires, learned_at, updated_at, confidence::float8, data")
    assert pay == (
        due.replace(tzinfo=None),
        datetime(2026, 6, 1).date(),  # noqa: DTZ001
        AS_OF,
        0.25,
        {"obligation": {"deadline_source": "set", "deadline_text": "2026-06-04T05:00:00Z"}},
    )


def test_json_that_jsonb_cannot_hold_stands_in_nobodys_way(empty_database: TestDatabase) -> None:
    connection = made(empty_database, OF_PEOPLE, entities=PEOPLE, key="uuid")
    ingest(empty_database, said(), loaded=LOADED)
    connection.execute('UPDATE "Their Memory".facts SET data = \'{"a": "\\u0000"}\'')
    assert kinds(ingest(empty_database, said(), loaded=LOADED)) == ["reinforced"]


def test_facts_without_entities_are_stored_without(empty_database: TestDatabase) -> None:
    connection = made(empty_database, "", key="bigint GENERATED ALWAYS AS IDENTITY")
    why = "facts has no column entity_id: whom it is about isn't kept"
    label = '"Their Memory".'
    result = ingest(
        empty_database,
        said(),
        said(entity_name="Bob"),
        said(category="decision", decision=DECISION, value="db"),
        said(category="obligation", value="June 15"),
        loaded=LOADED,
    )
    assert kinds(result) == ["adjusted", "reinforced", "adjusted", "adjusted"]
    assert result.outcomes[0].because == f"created; {label}{why}"
    assert "no column data (json or jsonb)" in (result.outcomes[2].because or "")
    assert all_of(connection, "id, value, expires") == [
        (1, "Coffee", None),
        (3, "June 15", datetime(2026, 6, 16, tzinfo=AS_OF.tzinfo)),
        (2, "db", None),
    ]


def test_a_deadline_without_a_column_is_told(empty_database: TestDatabase) -> None:
    connection = made(empty_database, OF_PEOPLE, entities=PEOPLE, key="uuid")
    connection.execute('ALTER TABLE "Their Memory".facts DROP COLUMN expires')
    owed = said(category="obligation", value="pay", deadline=ahead(days=3))
    ((outcome, why),) = told(ingest(empty_database, owed, loaded=LOADED))
    assert outcome == "adjusted"
    assert why == (
        'created; "Their Memory".facts has no column expires with a time: its deadline isn\'t kept'
    )


def test_entities_may_have_no_type(empty_database: TestDatabase) -> None:
    people = "id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(9) UNIQUE"
    optional = 'entity_id int REFERENCES "Their Memory".people'
    connection = made(empty_database, optional, entities=people, key="serial")
    result = ingest(
        empty_database,
        said(),
        said(entity_type="pet"),
        said(entity_name="A" * 10),
        loaded=LOADED,
    )
    assert kinds(result) == ["created", "reinforced", "rejected"]
    assert connection.execute('SELECT name FROM "Their Memory".people').fetchall() == [("Ana",)]


def test_an_entity_that_is_unique_by_name_alone_stands_in_the_way(
    empty_database: TestDatabase,
) -> None:
    people = "id serial PRIMARY KEY, name text UNIQUE, type text"
    optional = 'entity_id int REFERENCES "Their Memory".people'
    made(empty_database, optional, entities=people, key="serial")
    result = ingest(empty_database, said(), said(entity_type="pet"), loaded=LOADED)
    assert told(result)[1] == (
        "rejected",
        "another entity stands in the way of the one that it is about",
    )


def test_an_entity_id_that_refers_to_nothing_is_told(empty_database: TestDatabase) -> None:
    made(empty_database, "entity_id int", key="serial")
    with pytest.raises(UsageError, match="refers to no table"):
        ingest(empty_database, said(), loaded=LOADED)


def test_facts_may_be_partitioned(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    connection.execute(
        """
        CREATE TABLE people (id serial PRIMARY KEY, name text, type text, UNIQUE (name, type));
        CREATE TABLE entity_facts (
            id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, entity_id int REFERENCES people,
            key text, value text, data jsonb, confidence float8 DEFAULT 1, learned_at timestamptz,
            last_confirmed_at timestamptz, extraction_count smallint
        ) PARTITION BY RANGE (id);
        CREATE TABLE few PARTITION OF entity_facts FOR VALUES FROM (1) TO (3)
        """
    )
    migrate_types(empty_database)
    result = ingest(empty_database, said(), said(), said(value="Tea"), said(value="Milk"), said())
    assert told(result) == [
        ("created", None),
        ("reinforced", None),
        ("created", None),
        ("rejected", "entity_facts refuses it (SQLSTATE 23514)"),
        ("reinforced", None),
    ]
    assert row(connection, 1, "extraction_count") == {"extraction_count": 3}


def test_the_old_column_may_be_gone(server: TestServer, template: str) -> None:
    with guarded(server, template, "contracted") as memory:
        result = ingest(memory, said(), said(), said(category="mood", durability="permanent"))
        assert kinds(result) == ["created", "reinforced", "reinforced"]


def test_the_current_schema_counts_extractions(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    legacy.current(connection)
    migrate_types(empty_database)
    assert kinds(ingest(empty_database, said(), said(), said())) == [
        "created",
        "reinforced",
        "reinforced",
    ]
    assert row(connection, 1, "extraction_count") == {"extraction_count": 3}


def test_on_older_servers_too(each_database: TestDatabase) -> None:
    migrate_types(each_database)
    result = ingest(
        each_database,
        said(),
        said(entity_name="ANA", value="coffee"),
        said(category="mood", durability="permanent"),
        unreadable(raw="x"),
    )
    assert kinds(result) == ["created", "reinforced", "reinforced", "rejected"]
    assert rejected(each_database.connect()) == [(3, "x", "it has no key")]


def test_what_an_encoding_lacks_is_rejected_and_kept_as_escapes(migrated: TestDatabase) -> None:
    name = f"{migrated.name}_latin1"
    locale = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    if migrated.version >= 150000:
        locale += " LOCALE_PROVIDER libc"
    with migrated.server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 {locale}".encode())
    latin = TestDatabase(migrated.server, name)
    try:
        theirs = made(latin, OF_PEOPLE, entities=PEOPLE, key="uuid")
        items = (
            said(entity_name="Élise", value="café"),
            said(entity_name="ÉLISE", value="CAFÉ"),
            said(value="☕", raw="☕ é"),
            said(category="decision", decision={"decided": "é"}, value="x"),
        )
        dry = ingest(latin, *items, loaded=LOADED, dry_run=True)
        result = ingest(latin, *items, loaded=LOADED)
        assert kinds(dry) == kinds(result) == ["created", "reinforced", "rejected", "adjusted"]
        why = "it holds a character that the database's encoding doesn't have"
        assert rejected(theirs) == [(2, '"\\u2615 \\u00e9"', why)]
    finally:
        latin.close()


# -- rights --


def granted(connection: Connection, *more: str) -> None:
    """What an agent needs, and more."""
    for right in (
        "USAGE ON SCHEMA memory_maintenance",
        "SELECT ON memory_maintenance.schema_version",
    ):
        connection.execute(f"GRANT {right} TO {AGENT}".encode())
    for right in more:
        connection.execute(f"GRANT {right} TO {AGENT}".encode())


def login(database: TestDatabase) -> str:
    """A role that may what the agents may."""
    role = database.create_role()
    database.connect().execute(f"GRANT {AGENT} TO {role}".encode())
    return role


def test_an_agent_needs_few_rights(migrated: TestDatabase) -> None:
    connection, role = migrated.connect(), login(migrated)
    granted(connection)
    with pytest.raises(Denied, match=r"memory_maintenance\.rejected"):
        ingest(migrated, said(), role=role)
    assert kinds(ingest(migrated, said(), role=role, dry_run=True)) == ["created"]
    granted(connection, "INSERT ON memory_maintenance.rejected")
    assert kinds(ingest(migrated, said(), said(), unreadable(), role=role)) == [
        "created",
        "reinforced",
        "rejected",
    ]
    (found,) = connection.execute("SELECT recorded_by FROM memory_maintenance.rejected").fetchall()
    assert found == (role,)
    mine = migrated.connect(user=role)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        mine.execute("SELECT raw FROM memory_maintenance.rejected")


def test_a_role_with_the_rights_that_the_document_names_is_enough(migrated: TestDatabase) -> None:
    connection, role = migrated.connect(), migrated.create_role()
    for right in (
        "SELECT, INSERT, UPDATE ON entity_facts",
        "SELECT, INSERT ON entities",
        "USAGE ON SEQUENCE entity_facts_id_seq, entities_id_seq",
        "USAGE ON SCHEMA memory_maintenance",
        "SELECT ON memory_maintenance.schema_version",
        "INSERT ON memory_maintenance.rejected",
    ):
        connection.execute(f"GRANT {right} TO {role}".encode())
    items = (
        said(),
        said(),
        said(key="mood", category="mood", durability="permanent"),
        said(key="report", category="obligation", value="hand it in by 2026-07-01"),
        said(key="database", category="decision", decision={"decided": "PostgreSQL"}),
        unreadable(),
    )
    expected = ["created", "reinforced", "adjusted", "adjusted", "adjusted", "rejected"]
    assert kinds(ingest(migrated, *items, role=role, dry_run=True)) == expected
    assert kinds(ingest(migrated, *items, role=role)) == expected


def test_a_right_that_is_missing_is_told_with_what_was_done(migrated: TestDatabase) -> None:
    connection, role = migrated.connect(), login(migrated)
    granted(connection, "INSERT ON memory_maintenance.rejected")
    connection.execute(f"REVOKE UPDATE ON entity_facts FROM {AGENT}".encode())
    try:
        with pytest.raises(Denied, match=r"1 of 2 facts were dealt with \(1 created\)"):
            ingest(migrated, said(), said(), role=role)
    finally:
        connection.execute(f"GRANT UPDATE ON entity_facts TO {AGENT}".encode())


# -- what others put into public --


def test_nothing_in_public_is_taken_for_ours(migrated: TestDatabase) -> None:
    items = (
        said(),
        said(entity_name="ANA", value="COFFEE"),
        said(entity_name="Élise", value="café", confidence=0.5),
        said(entity_name="ÉLISE", value="CAFÉ"),
        said(category="decision", decision=DECISION, value="x"),
        said(category="obligation", value="pay", deadline=ahead(days=3)),
        unreadable(),
    )
    make_hostile(migrated.connect())
    dry = ingest(migrated, *items, dry_run=True)
    assert told(dry) == told(ingest(migrated, *items))
    assert kinds(dry) == [
        "created",
        "reinforced",
        "created",
        "reinforced",
        "created",
        "created",
        "rejected",
    ]
