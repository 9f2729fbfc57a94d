"""decisions: recorded, guarded, superseded by newer ones, reopened with a reason (spec 6)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Json, Jsonb

from memory_maintenance.errors import Denied, UsageError
from tests.support.decisions import (
    SAID,
    decide,
    events,
    ids,
    listed,
    record,
    reopen,
    said,
    shown,
    supersede,
)
from tests.support.legacy import AGENT, entity
from tests.support.maintenance import AS_OF, configured, make_facts, migrate_types, row
from tests.support.server import Connection, TestDatabase
from tests.support.waiting import wait_until

KEPT = {"decision": SAID, "do_not_reopen": True}


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def count(connection: Connection) -> int:
    """How many facts there are."""
    found = connection.execute("SELECT count(*) FROM entity_facts").fetchone()
    assert found is not None
    return int(found[0])


# -- record --


def test_a_decision_is_recorded_and_guarded(migrated: TestDatabase, connection: Connection) -> None:
    result = record(migrated)
    stored = row(connection, result.id)
    assert (stored["key"], stored["value"]) == ("decision", "PostgreSQL")
    assert (stored["durability"], stored["category"]) == ("long_term", "decision")
    assert stored["data"] == KEPT
    assert (stored["importance"], stored["importance_scored_at"]) == (5, None)
    assert events(connection, result.id) == [
        (
            "decision-recorded",
            None,
            {"before": None, "after": {"key": "decision", "value": "PostgreSQL", "decision": SAID}},
        )
    ]
    with pytest.raises(psycopg.Error) as caught:
        connection.execute("UPDATE entity_facts SET value = 'SQLite' WHERE id = %s", [result.id])
    assert caught.value.sqlstate == "MM001"


def test_what_is_given_is_stored(migrated: TestDatabase, connection: Connection) -> None:
    ana = entity(connection, "Ana")
    new = said(entity_id=ana, key="database", value="we use it", importance=9, visibility="private")
    stored = row(connection, record(migrated, new).id)
    assert (stored["entity_id"], stored["key"], stored["value"]) == (ana, "database", "we use it")
    assert (stored["importance"], stored["importance_scored_at"]) == (9, AS_OF)
    assert stored["visibility"] == "private"


HOSTILE = "'); DROP TABLE entity_facts; -- {x} %(y)s %s \\ \" 日本 \x1b[2J"


def test_hostile_text_is_stored_as_it_is(migrated: TestDatabase, connection: Connection) -> None:
    new = said(decided=HOSTILE, alternatives=[HOSTILE], reasoning=HOSTILE, decided_by=HOSTILE)
    data = row(connection, record(migrated, new).id, "data")["data"]
    assert data["decision"] == SAID | {
        "decided": HOSTILE,
        "alternatives": [HOSTILE],
        "reasoning": HOSTILE,
        "decided_by": HOSTILE,
    }


def test_a_dry_run_checks_and_writes_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    result = record(migrated, dry_run=True)
    assert (result.dry_run, result.id, result.decision) == (True, None, SAID)
    assert count(connection) == 0
    with pytest.raises(UsageError, match="no entity 7"):
        record(migrated, said(entity_id=7), dry_run=True)


@pytest.mark.parametrize("text", ["7", "0", "-1", "seven", "99999999999", "1.0"])
def test_an_entity_that_is_none_is_refused(
    migrated: TestDatabase, connection: Connection, text: str
) -> None:
    with pytest.raises(UsageError, match=f"no entity {text}"):
        record(migrated, said(entity_id=text))
    assert count(connection) == 0


def test_a_key_longer_than_its_column_is_refused(migrated: TestDatabase) -> None:
    record(migrated, said(key="k" * 255))
    with pytest.raises(UsageError, match="the key has 256 characters"):
        record(migrated, said(key="k" * 256))


def test_a_constraint_of_others_is_told(migrated: TestDatabase, connection: Connection) -> None:
    connection.execute("ALTER TABLE entity_facts ADD CHECK (value <> 'PostgreSQL')")
    with pytest.raises(UsageError, match="refuses the new fact") as caught:
        record(migrated)
    assert "one server" not in caught.value.message
    assert count(connection) == 0


# -- supersede --


def test_a_newer_decision_takes_the_place_of_another(
    migrated: TestDatabase, connection: Connection
) -> None:
    ana = entity(connection, "Ana")
    old = record(
        migrated, said(entity_id=ana, key="database", importance=9, visibility="private")
    ).id
    result = supersede(migrated, old, said(decided="SQLite"))
    assert result.supersedes == old
    before, after = row(connection, old), row(connection, result.id)
    assert before["data"] == {**KEPT, "superseded_by": result.id}
    assert after["data"] == {
        "decision": SAID | {"decided": "SQLite"},
        "do_not_reopen": True,
        "supersedes": old,
    }
    for column in ("entity_id", "key", "importance", "importance_scored_at", "visibility"):
        assert after[column] == before[column]
    assert after["value"] == "SQLite"
    assert events(connection, old)[1:] == [
        (
            "decision-superseded",
            None,
            {"before": {"superseded_by": None}, "after": {"superseded_by": result.id}},
        )
    ]
    assert events(connection, result.id)[0][2]["after"]["supersedes"] == old


def test_a_superseded_decision_stays_guarded(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    supersede(migrated, old)
    with pytest.raises(psycopg.Error) as caught:
        connection.execute("DELETE FROM entity_facts WHERE id = %s", [old])
    assert caught.value.sqlstate == "MM001"


def test_a_decision_is_superseded_once(migrated: TestDatabase, connection: Connection) -> None:
    old = record(migrated).id
    new = supersede(migrated, old).id
    for dry_run in (True, False):
        with pytest.raises(UsageError, match=f"decision {old} is superseded already, by {new}"):
            supersede(migrated, old, dry_run=dry_run)
    assert count(connection) == 2
    assert supersede(migrated, new).supersedes == new


def test_who_may_be_told_does_not_widen(migrated: TestDatabase, connection: Connection) -> None:
    old = decide(connection, KEPT, visibility="private", privacy_scope=[3])
    new = row(connection, supersede(migrated, old).id)
    assert (new["visibility"], new["privacy_scope"]) == ("private", [3])


def test_a_superseding_dry_run_writes_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    result = supersede(migrated, old, dry_run=True)
    assert (result.dry_run, result.id, result.supersedes) == (True, None, old)
    assert count(connection) == 1
    assert row(connection, old, "data")["data"] == KEPT


def test_a_decision_that_an_extractor_wrote_can_be_superseded(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = decide(connection, None, value="tabs")
    result = supersede(migrated, old)
    assert row(connection, old, "data")["data"] == {"superseded_by": result.id}


def test_of_two_who_supersede_one_decision_the_second_is_refused(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    other = migrated.connect()
    other.execute("BEGIN")
    other.execute(
        "UPDATE entity_facts SET data = data || '{\"superseded_by\": 99}' WHERE id = %s", [old]
    )
    decide(other, {"supersedes": old}, id=99)
    with ThreadPoolExecutor() as threads:
        second = threads.submit(supersede, migrated, old)
        wait_until(lambda: blocked(connection), 30)
        other.execute("COMMIT")
        with pytest.raises(UsageError, match=f"decision {old} is superseded already, by 99"):
            second.result(30)
    assert count(connection) == 2


ASTRAY = "superseded_by names no decision that supersedes it"


def test_a_link_counts_where_the_other_decision_says_so_too(
    migrated: TestDatabase, connection: Connection
) -> None:
    other = decide(connection, KEPT)
    no_decision = decide(connection, None, category="preference")
    links = [other, no_decision, 999_999, 10**30, -1, 1.5, "nobody", "", True, [1], {"a": 1}]
    for link in links:
        one = decide(connection, {**KEPT, "superseded_by": link})
        connection.execute(
            "UPDATE entity_facts SET data = jsonb_build_object('supersedes', %s::int) WHERE id = %s",
            [one, no_decision],
        )
        found = next(d for d in listed(migrated).decisions if d.id == one)
        assert (found.state, found.problem) == ("open", ASTRAY)
        assert shown(migrated, one).decision.state == "open"
        result = supersede(migrated, one)
        assert row(connection, one, "data")["data"]["superseded_by"] == result.id
        assert [d.state for d in listed(migrated, "all").decisions if d.id == one] == ["superseded"]
    itself = decide(connection, KEPT)
    connection.execute(
        "UPDATE entity_facts SET data = data || jsonb_build_object('superseded_by', id, 'supersedes', id)"
        " WHERE id = %s",
        [itself],
    )
    assert itself in ids(listed(migrated).decisions)


def test_a_decision_whose_successor_is_gone_is_open_again(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    new = supersede(migrated, old).id
    reopen(migrated, new)
    connection.execute("DELETE FROM entity_facts WHERE id = %s", [new])
    assert [(d.id, d.problem) for d in listed(migrated).decisions] == [(old, ASTRAY)]
    again = supersede(migrated, old)
    assert events(connection, old)[-1][2] == {
        "before": {"superseded_by": new},
        "after": {"superseded_by": again.id},
    }


def blocked(connection: Connection) -> bool:
    """Whether somebody waits for a lock in this database."""
    return (
        connection.execute(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ).fetchone()
        is not None
    )


# -- reopen --


def test_reopening_lets_a_decision_change_and_records_why(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = record(migrated).id
    result = reopen(migrated, fact, "  the premise fell ")
    assert (result.changed, result.reason) == (True, "the premise fell")
    assert row(connection, fact, "data")["data"] == {**KEPT, "do_not_reopen": False}
    kind, reason, detail = events(connection, fact)[-1]
    assert (kind, reason) == ("decision-reopened", "the premise fell")
    assert detail["before"] == {"data.do_not_reopen": True}
    assert detail["after"] == {"data.do_not_reopen": False}
    connection.execute("UPDATE entity_facts SET value = 'SQLite' WHERE id = %s", [fact])


def test_reopening_twice_is_reopening_once(migrated: TestDatabase, connection: Connection) -> None:
    fact = record(migrated).id
    reopen(migrated, fact)
    assert not reopen(migrated, fact).changed
    assert [kind for kind, _, _ in events(connection, fact)] == [
        "decision-recorded",
        "decision-reopened",
    ]


def test_a_reason_does_not_outlast_its_transaction(
    migrated: TestDatabase, connection: Connection
) -> None:
    one, other = record(migrated).id, record(migrated).id
    reopen(migrated, one)
    with pytest.raises(psycopg.Error, match="not to be reopened"):
        connection.execute("DELETE FROM entity_facts WHERE id = %s", [other])


@pytest.mark.parametrize("reason", ["", " \t\n", "a\0b"])
def test_a_reason_that_says_nothing_is_refused(migrated: TestDatabase, reason: str) -> None:
    fact = record(migrated).id
    with pytest.raises(UsageError, match="reason"):
        reopen(migrated, fact, reason)


def test_reopening_is_recorded_where_the_guard_was_taken_away(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = record(migrated).id
    connection.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
    assert reopen(migrated, fact).changed
    assert [kind for kind, _, _ in events(connection, fact)][1:] == ["decision-reopened"]


def test_a_dry_run_of_reopening_writes_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = record(migrated).id
    assert reopen(migrated, fact, dry_run=True).changed
    assert row(connection, fact, "data")["data"] == KEPT


# -- list and show --


def test_open_decisions_are_listed_and_superseded_ones_on_request(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    new = supersede(migrated, old).id
    bare = decide(connection, {"decision": {"decided": "tabs", "reasoning": " "}})
    decide(connection, None, category="preference")
    result = listed(migrated)
    assert ids(result.decisions) == [new, bare]
    assert result.by_state == {"open": 2, "superseded": 1}
    assert result.without_reasoning == 1
    assert result.decisions[1].missing == ("alternatives", "reasoning", "decided_by", "decided_at")
    assert not result.decisions[1].do_not_reopen
    assert result.decisions[0].missing == ()
    superseded = listed(migrated, "superseded").decisions
    assert [(d.id, d.state, d.superseded_by) for d in superseded] == [(old, "superseded", new)]
    assert ids(listed(migrated, "all").decisions) == [old, new, bare]


ODD: list[Any] = [
    None,
    [],
    "text",
    {"decision": []},
    {"decision": "x"},
    {"decision": {"decided": 5}},
]


@pytest.mark.parametrize("data", ODD)
def test_data_of_another_shape_says_nothing(
    migrated: TestDatabase, connection: Connection, data: Any
) -> None:
    fact = decide(connection)
    connection.execute("UPDATE entity_facts SET data = %s WHERE id = %s", [Jsonb(data), fact])
    (known,) = listed(migrated).decisions
    assert known.missing == ("decided", "alternatives", "reasoning", "decided_by", "decided_at")
    assert shown(migrated, fact).decision == known


@pytest.mark.parametrize("data", [[], "text", 5])
def test_data_that_is_no_object_is_left_alone(
    migrated: TestDatabase, connection: Connection, data: Any
) -> None:
    fact = decide(connection)
    connection.execute("UPDATE entity_facts SET data = %s WHERE id = %s", [Jsonb(data), fact])
    with pytest.raises(UsageError, match="data problem: data is no object"):
        supersede(migrated, fact)
    with pytest.raises(UsageError, match="data problem"):
        reopen(migrated, fact)


def test_a_decision_is_shown_with_its_history(
    migrated: TestDatabase, connection: Connection
) -> None:
    first = record(migrated).id
    second = supersede(migrated, first, said(decided="SQLite")).id
    third = supersede(migrated, second, said(decided="files")).id
    result = shown(migrated, second)
    assert (result.decision.supersedes, result.decision.superseded_by) == (first, third)
    assert [(c.id, c.state, c.decided) for c in result.chain] == [
        (first, "superseded", "PostgreSQL"),
        (second, "superseded", "SQLite"),
        (third, "open", "files"),
    ]
    assert [e.kind for e in result.events] == ["decision-recorded", "decision-superseded"]


def test_links_that_lead_nowhere_or_in_a_circle_end(
    migrated: TestDatabase, connection: Connection
) -> None:
    one = decide(connection, {"superseded_by": "nobody", "supersedes": 999})
    assert [(c.id, c.state) for c in shown(migrated, one).chain] == [
        (999, "gone"),
        (one, "open"),
        ("nobody", "gone"),
    ]
    two = decide(connection, {"supersedes": one})
    connection.execute(
        "UPDATE entity_facts SET data = jsonb_build_object('superseded_by', %s::int, 'supersedes', %s::int)"
        " WHERE id = %s",
        [two, two, one],
    )
    assert {c.id for c in shown(migrated, one).chain} == {one, two}


@pytest.mark.parametrize("text", ["12", "x", "", "1 OR 1=1", "99999999999999999999", "--1", "٣"])
def test_an_unknown_fact_is_refused(migrated: TestDatabase, text: str) -> None:
    for command in (shown, supersede, reopen):
        with pytest.raises(UsageError, match=r"no fact .* in public\.entity_facts"):
            command(migrated, text)


def test_another_kind_of_fact_is_refused(migrated: TestDatabase, connection: Connection) -> None:
    fact = decide(connection, None, category="preference")
    for command in (shown, supersede, reopen):
        with pytest.raises(UsageError, match=f"fact {fact} is no decision: its category is pref"):
            command(migrated, fact)


# -- other tables and roles --


OTHERS = configured(database={"table": "notes"})
NOTES = sql.Identifier("public", "notes")


@pytest.mark.parametrize(
    ("key", "data"), [("uuid", "jsonb"), ("bigint", "json"), ("smallint", "jsonb")]
)
def test_a_table_of_another_shape_serves(empty_database: TestDatabase, key: str, data: str) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, key=key, confidence="real", optional=f"data {data}")
    if key != "uuid":
        connection.execute("ALTER TABLE notes ALTER id ADD GENERATED ALWAYS AS IDENTITY")
    migrate_types(empty_database, OTHERS)
    old = record(empty_database, loaded=OTHERS).id
    assert isinstance(old, UUID if key == "uuid" else int)
    new = supersede(empty_database, old, loaded=OTHERS).id
    assert reopen(empty_database, new, loaded=OTHERS).changed
    assert [c.id for c in shown(empty_database, new, OTHERS).chain] == [old, new]
    for said_of in (said(entity_id=1), said(visibility="private")):
        with pytest.raises(UsageError, match="has no column"):
            record(empty_database, said_of, loaded=OTHERS)


def test_a_key_without_default_is_told(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="data jsonb")
    migrate_types(empty_database, OTHERS)
    with pytest.raises(UsageError, match="refuses the new fact"):
        record(empty_database, loaded=OTHERS)


def test_a_table_without_data_lists_and_refuses_the_rest(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES)
    migrate_types(empty_database, OTHERS)
    connection.execute("INSERT INTO notes (id, category) VALUES (1, 'decision')")
    assert ids(listed(empty_database, loaded=OTHERS).decisions) == [1]
    with pytest.raises(UsageError, match="no column data"):
        record(empty_database, loaded=OTHERS)


def test_json_that_jsonb_cannot_hold_is_left_alone(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="data json")
    migrate_types(empty_database, OTHERS)
    connection.execute(
        "INSERT INTO notes (id, category, data) VALUES (1, 'decision', %s)", [Json("a\0b")]
    )
    assert (
        listed(empty_database, loaded=OTHERS).decisions[0].problem == "data can't be read as jsonb"
    )
    with pytest.raises(UsageError, match="can't be read as jsonb"):
        supersede(empty_database, 1, loaded=OTHERS)


def test_before_the_migration_it_is_named(database: TestDatabase) -> None:
    for command in (record, listed):
        with pytest.raises(UsageError, match="not migrated") as caught:
            command(database)
        assert caught.value.remedy == "memory-maintenance migrate-types"


def test_a_role_that_may_not_record_events_is_denied(migrated: TestDatabase) -> None:
    role = migrated.create_role(f"LOGIN IN ROLE {AGENT}")
    with pytest.raises(Denied):
        record(migrated, role=role)


USAGE = "USAGE ON SCHEMA memory_maintenance"
VERSION = "SELECT ON memory_maintenance.schema_version"
NEEDED = {
    "list": [USAGE, VERSION, "SELECT ON entity_facts"],
    "show": [USAGE, VERSION, "SELECT ON entity_facts", "SELECT ON memory_maintenance.event"],
    "record": [
        USAGE,
        VERSION,
        "SELECT, INSERT, UPDATE ON entity_facts",
        "USAGE ON SEQUENCE entity_facts_id_seq",
        "SELECT, INSERT ON memory_maintenance.event",
    ],
}


@pytest.mark.parametrize("command", list(NEEDED))
def test_the_rights_that_are_documented_are_enough_and_needed(
    migrated: TestDatabase, connection: Connection, command: str
) -> None:
    old = record(migrated).id
    role = migrated.create_role()

    def attempt() -> object:
        if command == "list":
            return listed(migrated, role=role)
        if command == "show":
            return shown(migrated, old, role=role)
        first = record(migrated, role=role).id
        reopen(migrated, first, role=role)
        return supersede(migrated, first, role=role)

    for right in NEEDED[command]:
        connection.execute(f"GRANT {right} TO {role}".encode())
    attempt()
    for right in NEEDED[command]:
        connection.execute(f"REVOKE {right} FROM {role}".encode())
        with pytest.raises((Denied, UsageError)) as caught:
            attempt()
        if "memory_maintenance" in right:
            assert isinstance(caught.value, Denied)
            assert "GRANT" in (caught.value.remedy or "")
            assert "GRANT postgres" not in (caught.value.remedy or "")
        connection.execute(f"GRANT {right} TO {role}".encode())


def test_a_decision_of_the_days_to_come_is_refused(migrated: TestDatabase) -> None:
    ahead = AS_OF + timedelta(days=1, seconds=1)
    old = record(migrated, said(decided_at=(AS_OF + timedelta(hours=23)).isoformat())).id
    new = said(decided_at=ahead.isoformat())
    with pytest.raises(UsageError, match="decided_at is in the future"):
        record(migrated, new)
    with pytest.raises(UsageError, match="decided_at is in the future"):
        supersede(migrated, old, new)


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", " \u2060\ufeff"])
def test_what_shows_nothing_is_blank(
    migrated: TestDatabase, connection: Connection, blank: str
) -> None:
    one = decide(connection, {"decision": {**SAID, "reasoning": blank}})
    result = listed(migrated)
    assert (result.decisions[0].missing, result.without_reasoning) == (("reasoning",), 1)
    with pytest.raises(UsageError, match="needs a reason"):
        reopen(migrated, one, blank)
    with pytest.raises(UsageError, match="reasoning is blank"):
        said(reasoning=blank)
