"""The guards: what the database refuses to whoever writes, and what it lets through (spec 6, 7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import legacy
from tests.support.guarded import (
    DECIDED,
    STATES,
    decision,
    events,
    guarded,
    mood,
    reason,
    refused,
    stored,
)
from tests.support.migration import Connection
from tests.support.programs import psql
from tests.support.server import TestDatabase, TestServer

NOT_REOPENED = "MM001"
NOT_PROMOTED = "MM002"
AGENT = {"options": f"-c role={legacy.AGENT}"}


@pytest.fixture(scope="module", params=STATES)
def everywhere(
    request: pytest.FixtureRequest, server: TestServer, template: str
) -> Iterator[TestDatabase]:
    """A database in each of the states in which the guards are."""
    with guarded(server, template, request.param) as fresh:
        fresh.connect().execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON entity_facts, entities TO {legacy.AGENT}".encode()
        )
        yield fresh


@pytest.fixture(scope="module")
def old_style(server: TestServer, template: str) -> Iterator[TestDatabase]:
    """A database whose data_type lives."""
    with guarded(server, template, "settled") as fresh:
        yield fresh


@pytest.fixture
def conn(everywhere: TestDatabase) -> Connection:
    """A superuser's connection. Each test makes facts of its own."""
    return everywhere.connect()


def run(conn: Connection, statement: str, *params: Any, **how: Any) -> Any:
    """Execute it."""
    return conn.execute(statement.encode(), params or None, **how)


def set_to(conn: Connection, fact: int, assignments: str) -> None:
    """UPDATE of one fact."""
    run(conn, f"UPDATE entity_facts SET {assignments} WHERE id = {fact}")


# -- decisions: what may not change --

OTHER = json.dumps({**DECIDED, "reasoning": "it was cheaper"})
CHANGES = {
    "key": "key = 'other'",
    "value": "value = 'we use SQLite'",
    "category": "category = 'observation'",
    "durability": "durability = 'short_term'",
    "a durability above": "durability = 'permanent'",
    "the primary key": "id = id + 1000000",
    "data.decision": f"data = jsonb_set(data, '{{decision}}', '{OTHER}')",
    "no data.decision": "data = data - 'decision'",
    "data.do_not_reopen": "data = jsonb_set(data, '{do_not_reopen}', 'false')",
    "no data.do_not_reopen": "data = data - 'do_not_reopen'",
    "no data": "data = NULL",
    "data that are no object": "data = '[]'",
    "one of many": "confidence = 0.5, value = 'we use SQLite', updated_at = now()",
}


@pytest.mark.parametrize("assignments", CHANGES.values(), ids=CHANGES.keys())
def test_a_decision_is_not_changed(conn: Connection, assignments: str) -> None:
    fact = decision(conn)
    before = stored(conn, fact, "to_jsonb(entity_facts)")
    with refused(NOT_REOPENED):
        set_to(conn, fact, assignments)
    assert stored(conn, fact, "to_jsonb(entity_facts)") == before
    assert events(conn, fact) == []


ALLOWED = {
    "confidence": "confidence = 0.5",
    "reinforcement": "last_confirmed_at = now(), extraction_count = extraction_count + 1, updated_at = now()",
    "importance": "importance = 9, importance_scored_at = now(), effective_importance = 9",
    "accesses": "last_accessed_at = now(), access_count = access_count + 1",
    "a pin": "pinned = true",
    "privacy": "visibility = 'private', privacy_scope = '{1}', visibility_reason = 'asked'",
    "another key of data": "data = data || '{\"superseded_by\": 7}'",
    "data put together anew": "data = jsonb_build_object('do_not_reopen', true) || data",
    "what was read, written back": "key = key, value = value, category = category, data = data, id = id",
}


@pytest.mark.parametrize("assignments", ALLOWED.values(), ids=ALLOWED.keys())
def test_all_else_of_a_decision_may_change(conn: Connection, assignments: str) -> None:
    if "extraction_count" in assignments:
        run(
            conn, "ALTER TABLE entity_facts ADD COLUMN IF NOT EXISTS extraction_count int DEFAULT 1"
        )
    fact = decision(conn)
    set_to(conn, fact, assignments)
    assert stored(conn, fact, "key, value") == ("database", "we use PostgreSQL")
    assert events(conn, fact) == []


@pytest.mark.parametrize(
    "columns",
    [
        {"category": "preference"},
        {"category": "Decision"},
        {"data": {"decision": DECIDED}},
        {"data": {"decision": DECIDED, "do_not_reopen": False}},
        {"data": {"decision": DECIDED, "do_not_reopen": "true"}},
        {"data": None},
        {"data": [{"do_not_reopen": True}]},
        {"data": "true"},
    ],
    ids=str,
)
def test_a_fact_that_is_no_such_decision_changes_and_goes_as_always(
    conn: Connection, columns: dict[str, Any]
) -> None:
    fact = decision(conn, **columns)
    set_to(conn, fact, "key = 'other', value = 'other', durability = 'short_term'")
    run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)


def test_what_counts_is_the_fact_as_it_stands_before_the_write(conn: Connection) -> None:
    fact = decision(conn, data={"decision": DECIDED})
    closed = "data = data || '{\"do_not_reopen\": true}'"
    set_to(conn, fact, f"value = 'we use MySQL', {closed}")
    assert stored(conn, fact, "value") == ("we use MySQL",)
    with refused(NOT_REOPENED):
        set_to(conn, fact, "value = 'we use SQLite', data = data - 'do_not_reopen'")


def test_a_decision_is_not_deleted(conn: Connection) -> None:
    fact = decision(conn)
    with refused(NOT_REOPENED):
        run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
    assert stored(conn, fact, "value") == ("we use PostgreSQL",)


def test_the_facts_are_not_truncated_while_a_decision_stands(
    everywhere: TestDatabase, conn: Connection
) -> None:
    decision(conn)
    for statement in (
        "TRUNCATE entity_facts",
        "TRUNCATE entity_facts CASCADE",
        "TRUNCATE entities CASCADE",
        "TRUNCATE ONLY entity_facts RESTART IDENTITY",
    ):
        with refused(NOT_REOPENED), conn.transaction():
            run(conn, statement)


# -- decisions: whoever writes --


def test_raw_psql_is_refused(everywhere: TestDatabase, conn: Connection, tmp_path: Path) -> None:
    fact = decision(conn)
    script = tmp_path / "raw.sql"
    script.write_text(
        "\\set ON_ERROR_STOP on\n"
        f"UPDATE entity_facts SET confidence = 0.9 WHERE id = {fact};\n"
        f"UPDATE entity_facts SET value = 'we use SQLite' WHERE id = {fact};\n"
    )
    done = psql(everywhere, script)
    assert done.returncode == 3
    assert f"fact {fact} of public.entity_facts is a decision" in done.stderr
    assert stored(conn, fact, "confidence, value") == (0.9, "we use PostgreSQL")
    script.write_text(
        "\\set ON_ERROR_STOP on\nBEGIN;\nSET LOCAL memory_maintenance.reopen_reason = 'by hand';\n"
        f"UPDATE entity_facts SET value = 'we use SQLite' WHERE id = {fact};\nCOMMIT;\n"
    )
    assert psql(everywhere, script).returncode == 0
    assert [(kind, why) for kind, why, _ in events(conn, fact)] == [
        ("decision-reopened", "by hand")
    ]


def test_a_superuser_is_refused(conn: Connection) -> None:
    assert run(conn, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (
        True,
    )
    fact = decision(conn)
    with refused(NOT_REOPENED):
        set_to(conn, fact, "value = 'we use SQLite'")


def test_an_agent_with_rights_on_the_facts_alone_is_refused_and_may_override(
    everywhere: TestDatabase, conn: Connection
) -> None:
    fact = decision(conn)
    agent = everywhere.connect(**AGENT)
    with refused(NOT_REOPENED):
        set_to(agent, fact, "value = 'we use SQLite'")
    with refused(NOT_REOPENED):
        run(agent, "DELETE FROM entity_facts WHERE id = %s", fact)
    with reason(agent, "reopen", "the agent was told to"):
        set_to(agent, fact, "value = 'we use SQLite'")
    with reason(agent, "reopen", "and to forget it"):
        run(agent, "DELETE FROM entity_facts WHERE id = %s", fact)
    assert [why for _, why, _ in events(conn, fact)] == [
        "the agent was told to",
        "and to forget it",
    ]


def test_a_prepared_statement_is_refused_each_time(conn: Connection) -> None:
    fact = decision(conn)
    for n in range(8):  # a custom plan at first, then the generic one
        with refused(NOT_REOPENED):
            run(
                conn,
                "UPDATE entity_facts SET value = %s WHERE id = %s",
                f"try {n}",
                fact,
                prepare=True,
            )


def test_the_extractors_reinforcement_goes_on(everywhere: TestDatabase, conn: Connection) -> None:
    run(conn, "ALTER TABLE entity_facts ADD COLUMN IF NOT EXISTS extraction_count int DEFAULT 1")
    facts = [decision(conn), mood(conn)]
    agent = everywhere.connect(**AGENT)
    for fact in facts:
        run(
            agent,
            "UPDATE entity_facts SET extraction_count = extraction_count + 1, last_confirmed_at = now(),"
            " updated_at = now() WHERE id = %s",
            fact,
            prepare=True,
        )
        assert stored(conn, fact, "extraction_count") == (2,)


def test_an_upsert_is_refused_where_it_would_change_a_decision(conn: Connection) -> None:
    fact = decision(conn)
    upsert = (
        "INSERT INTO entity_facts (id, key, value, category, durability) VALUES"
        " (%s, %s, %s, 'decision', 'long_term') ON CONFLICT (id) DO UPDATE SET"
        " key = EXCLUDED.key, value = EXCLUDED.value, category = EXCLUDED.category, confidence = 0.7"
    )
    with refused(NOT_REOPENED):
        run(conn, upsert, fact, "database", "we use SQLite")
    run(conn, upsert, fact, "database", "we use PostgreSQL")
    assert stored(conn, fact, "value, confidence") == ("we use PostgreSQL", 0.7)
    run(conn, upsert.partition("DO UPDATE")[0] + "DO NOTHING", fact, "database", "we use SQLite")


@pytest.mark.parametrize(
    "action", ["UPDATE SET value = n.value", "UPDATE SET value = n.value, id = f.id", "DELETE"]
)
def test_merge_is_refused(conn: Connection, action: str) -> None:
    if conn.info.server_version < 150000:
        pytest.skip("MERGE came with PostgreSQL 15")
    fact = decision(conn)
    merge = (
        "MERGE INTO entity_facts AS f USING (VALUES (%s::int, 'we use SQLite')) AS n (id, value)"
        f" ON f.id = n.id WHEN MATCHED THEN {action}"
    )
    with refused(NOT_REOPENED):
        run(conn, merge, fact)
    run(conn, merge.replace(action, "UPDATE SET confidence = 0.3"), fact)
    assert stored(conn, fact, "value, confidence") == ("we use PostgreSQL", 0.3)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entity_facts AS f SET value = n.value FROM (VALUES (%s::int, 'x')) AS n (id, value)"
        " WHERE f.id = n.id",
        "WITH w AS (UPDATE entity_facts SET value = 'x' WHERE id = %s RETURNING id) SELECT * FROM w",
        "WITH w AS (DELETE FROM entity_facts WHERE id = %s RETURNING id) SELECT * FROM w",
        "DELETE FROM entity_facts AS f USING entities AS e WHERE f.id = %s",
        "DO $$BEGIN UPDATE entity_facts SET value = 'x' WHERE id = FACT; END$$",
        "DO $$BEGIN DELETE FROM entity_facts WHERE id = FACT; EXCEPTION WHEN data_exception THEN NULL; END$$",
    ],
)
def test_whatever_form_the_statement_has_it_is_refused(conn: Connection, statement: str) -> None:
    legacy.entity(conn, "somebody")
    fact = decision(conn)
    with refused(NOT_REOPENED):
        if "FACT" in statement:
            run(conn, statement.replace("FACT", str(fact)))
        else:
            run(conn, statement, fact)
    assert stored(conn, fact, "value") == ("we use PostgreSQL",)


def test_a_cursor_is_refused(conn: Connection) -> None:
    fact = decision(conn)
    with refused(NOT_REOPENED), conn.transaction():
        run(conn, f"DECLARE c CURSOR FOR SELECT * FROM entity_facts WHERE id = {fact} FOR UPDATE")
        run(conn, "FETCH c")
        run(conn, "UPDATE entity_facts SET value = 'x' WHERE CURRENT OF c")


def test_deleting_an_entity_that_a_decision_hangs_on_is_refused(
    everywhere: TestDatabase, conn: Connection
) -> None:
    owner = legacy.entity(conn, "decider")
    other = legacy.entity(conn, "successor")
    fact = decision(conn, entity_id=owner)
    for writer in (conn, everywhere.connect(**AGENT)):
        with refused(NOT_REOPENED) as caught:
            run(writer, "DELETE FROM entities WHERE id = %s", owner)
        assert f"fact {fact} of public.entity_facts" in str(caught.value)
    assert stored(conn, fact, "entity_id") == (owner,)
    # A merge of entities re-points their facts first.
    with conn.transaction():
        run(conn, "UPDATE entity_facts SET entity_id = %s WHERE entity_id = %s", other, owner)
        run(conn, "DELETE FROM entities WHERE id = %s", owner)
    assert stored(conn, fact, "entity_id, value") == (other, "we use PostgreSQL")
    assert events(conn, fact) == []
    with reason(conn, "reopen", "the entity was a test"):
        run(conn, "DELETE FROM entities WHERE id = %s", other)
    assert [(kind, why) for kind, why, _ in events(conn, fact)] == [
        ("decision-reopened", "the entity was a test")
    ]


def test_one_decision_among_many_facts_saves_them_all(conn: Connection) -> None:
    facts = legacy.facts(conn, [{"key": "many"}] * 5)
    fact = decision(conn, key="many")
    with refused(NOT_REOPENED):
        run(conn, "UPDATE entity_facts SET value = 'same' WHERE key = 'many'")
    with refused(NOT_REOPENED):
        run(conn, "DELETE FROM entity_facts WHERE key = 'many'")
    found = run(conn, "SELECT count(*) FROM entity_facts WHERE id = ANY (%s)", [*facts, fact])
    assert found.fetchone() == (6,)


# -- decisions: reasons --


def test_a_reason_lets_a_change_through_and_is_recorded_with_before_and_after(
    conn: Connection,
) -> None:
    fact = decision(conn)
    with reason(conn, "reopen", "  SQLite will do \n"):
        set_to(conn, fact, "value = 'we use SQLite', confidence = 0.8, data = data - 'decision'")
    assert events(conn, fact) == [
        (
            "decision-reopened",
            "SQLite will do",
            {
                "operation": "UPDATE",
                "before": {"value": "we use PostgreSQL", "data.decision": DECIDED},
                "after": {"value": "we use SQLite", "data.decision": None},
            },
        )
    ]
    found = run(
        conn,
        "SELECT recorded_by = session_user, at BETWEEN now() - interval '1 minute' AND now()"
        " FROM memory_maintenance.event WHERE fact_key = %s",
        str(fact),
    )
    assert found.fetchall() == [(True, True)]


def test_a_reason_that_changes_nothing_guarded_is_not_recorded(conn: Connection) -> None:
    fact = decision(conn)
    with reason(conn, "reopen", "none needed"):
        set_to(conn, fact, "value = value, confidence = 0.8")
    assert events(conn, fact) == []


def test_a_deletion_with_a_reason_records_what_is_gone(conn: Connection) -> None:
    fact = decision(conn)
    with reason(conn, "reopen", "a test"):
        run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
    assert events(conn, fact) == [
        (
            "decision-reopened",
            "a test",
            {
                "operation": "DELETE",
                "before": {
                    "id": fact,
                    "key": "database",
                    "value": "we use PostgreSQL",
                    "durability": "long_term",
                    "category": "decision",
                    "data.decision": DECIDED,
                    "data.do_not_reopen": True,
                },
                "after": None,
            },
        )
    ]


@pytest.mark.parametrize("blank", ["", " ", "\t\n "])
def test_a_blank_reason_is_none(conn: Connection, blank: str) -> None:
    fact, feeling = decision(conn), mood(conn)
    with refused(NOT_REOPENED), reason(conn, "reopen", blank):
        set_to(conn, fact, "value = 'we use SQLite'")
    with refused(NOT_PROMOTED), reason(conn, "promotion", blank):
        set_to(conn, feeling, "durability = 'permanent'")


def test_a_reason_ends_with_its_transaction(conn: Connection) -> None:
    fact = decision(conn)
    with reason(conn, "reopen", "once"):
        set_to(conn, fact, "value = 'we use SQLite'")
    # The setting reads '' now, where it was never set before.
    with refused(NOT_REOPENED):
        set_to(conn, fact, "value = 'we use MySQL'")


def test_a_reason_for_the_one_is_none_for_the_other(conn: Connection) -> None:
    fact, feeling = decision(conn), mood(conn)
    with refused(NOT_REOPENED), reason(conn, "promotion", "wrong"):
        set_to(conn, fact, "value = 'we use SQLite'")
    with refused(NOT_PROMOTED), reason(conn, "reopen", "wrong"):
        set_to(conn, feeling, "durability = 'permanent'")


def test_a_reason_within_a_savepoint_or_a_functions_settings_counts(conn: Connection) -> None:
    first, second = decision(conn), decision(conn)
    with conn.transaction(), conn.transaction():
        run(conn, "SET LOCAL memory_maintenance.reopen_reason = 'inner'")
        run(conn, "DELETE FROM entity_facts WHERE id = %s", first)
    run(
        conn,
        "CREATE OR REPLACE FUNCTION public.forget(fact int) RETURNS void LANGUAGE sql"
        " SET memory_maintenance.reopen_reason = 'by a function'"
        " AS 'DELETE FROM public.entity_facts WHERE id = fact'",
    )
    run(conn, "SELECT public.forget(%s)", second)
    assert events(conn, first)[0][1] == "inner"
    assert events(conn, second)[0][1] == "by a function"


def test_what_is_rolled_back_leaves_no_event(conn: Connection) -> None:
    fact = decision(conn)
    with conn.transaction(force_rollback=True), reason(conn, "reopen", "never mind"):
        set_to(conn, fact, "value = 'we use SQLite'")
    assert events(conn, fact) == []


def test_truncate_with_a_reason_records_each_decision(server: TestServer, template: str) -> None:
    with guarded(server, template, "settled") as fresh:
        conn = fresh.connect()
        legacy.facts(conn, [{}] * 3)
        run(conn, "TRUNCATE entity_facts")  # no decision stands
        facts = [decision(conn), decision(conn)]
        with reason(conn, "reopen", "a new start"):
            run(conn, "TRUNCATE entity_facts")
        for fact in facts:
            ((kind, why, detail),) = events(conn, fact)
            assert (kind, why, detail["operation"]) == (
                "decision-reopened",
                "a new start",
                "TRUNCATE",
            )
            assert detail["before"]["value"] == "we use PostgreSQL"
            assert detail["after"] is None


def test_a_decision_under_the_key_of_one_that_was_truncated_before_is_recorded_too(
    server: TestServer, template: str
) -> None:
    with guarded(server, template, "settled") as fresh:
        conn = fresh.connect()
        fact = decision(conn)
        with reason(conn, "reopen", "a new start"):
            run(conn, "TRUNCATE entity_facts")
            decision(conn, id=fact, value="we use SQLite")
            run(conn, "TRUNCATE entity_facts")
        assert [detail["before"]["value"] for _, _, detail in events(conn, fact)] == [
            "we use PostgreSQL",
            "we use SQLite",
        ]


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_truncate_does_not_take_a_decision_that_its_snapshot_does_not_show(
    everywhere: TestDatabase, conn: Connection, level: str
) -> None:
    other = everywhere.connect()
    with conn.transaction():
        run(conn, f"SET TRANSACTION ISOLATION LEVEL {level}")
        run(conn, "SET LOCAL memory_maintenance.reopen_reason = 'those that are seen'")
        run(conn, "SELECT 1")
        fact = decision(other)
        with refused(NOT_REOPENED) as caught:
            run(conn, "TRUNCATE entity_facts")
    assert "may take away decisions that this transaction doesn't see" in str(caught.value)
    assert stored(conn, fact, "value") == ("we use PostgreSQL",)


def test_an_empty_table_is_truncated_at_any_isolation_level(
    server: TestServer, template: str
) -> None:
    with guarded(server, template, "settled") as fresh:
        conn = fresh.connect()
        run(conn, "TRUNCATE entity_facts")
        with conn.transaction():
            run(conn, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            run(conn, "TRUNCATE entity_facts")


# -- what they say --


def test_an_error_says_which_fact_and_why_and_how_to_go_on(conn: Connection) -> None:
    fact = decision(conn, value="SECRET", key="SECRET")
    with refused(NOT_REOPENED) as caught:
        set_to(conn, fact, "value = 'SECRET too', data = NULL")
    said = caught.value.diag
    assert said.message_primary == (
        f"fact {fact} of public.entity_facts is a decision that is not to be reopened: "
        "data.decision, data.do_not_reopen, value may not change"
    )
    assert said.message_detail is not None
    assert "data.do_not_reopen is true" in said.message_detail
    assert said.message_hint is not None
    assert "SET LOCAL memory_maintenance.reopen_reason = 'why it is reopened';" in said.message_hint
    assert "SECRET" not in f"{said.message_primary}{said.message_detail}{said.context}"
    with refused(NOT_REOPENED) as caught:
        run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
    assert caught.value.diag.message_primary == (
        f"fact {fact} of public.entity_facts is a decision that is not to be reopened: it may not be deleted"
    )


@pytest.mark.parametrize(
    ("assignments", "what"),
    [
        ("durability = 'permanent'", "its durability may not rise from short_term to permanent"),
        ("category = 'SECRET'", "it may not become another category"),
    ],
)
def test_a_refused_promotion_says_which_mood_and_why_and_how_to_go_on(
    conn: Connection, assignments: str, what: str
) -> None:
    fact = mood(conn, "short_term", value="SECRET")
    with refused(NOT_PROMOTED) as caught:
        set_to(conn, fact, assignments)
    said = caught.value.diag
    assert said.message_primary == f"fact {fact} of public.entity_facts is a mood: {what}"
    assert "A mood may be ephemeral or short_term" in str(said.message_detail)
    assert "SET LOCAL memory_maintenance.promotion_reason = 'why it lasts';" in str(
        said.message_hint
    )
    assert "SECRET" not in f"{said.message_primary}{said.message_detail}{said.context}"


# -- moods --


@pytest.mark.parametrize("durability", ["ephemeral", "short_term"])
def test_a_mood_is_inserted_as_it_may_be(conn: Connection, durability: str) -> None:
    fact = mood(conn, durability)
    assert stored(conn, fact) == (durability, "mood")
    assert events(conn, fact) == []


@pytest.mark.parametrize("durability", ["long_term", "permanent"])
def test_a_mood_that_would_last_is_kept_but_lowered_with_a_warning(
    conn: Connection, durability: str
) -> None:
    heard: list[tuple[str | None, str | None]] = []
    conn.add_notice_handler(lambda n: heard.append((n.severity, n.message_primary)))
    fact = mood(conn, durability)
    assert stored(conn, fact) == ("ephemeral", "mood")
    said = f"a mood: its durability is lowered from {durability} to ephemeral"
    assert heard == [("WARNING", f"fact {fact} of public.entity_facts is {said}")]
    assert events(conn, fact) == [
        (
            "mood-lowered",
            None,
            {
                "operation": "INSERT",
                "before": None,
                "asked": {"durability": durability, "category": "mood"},
                "after": {"durability": "ephemeral", "category": "mood"},
            },
        )
    ]


def test_a_fact_that_is_turned_into_a_mood_is_lowered(conn: Connection) -> None:
    (fact,) = legacy.facts(conn, [{"durability": "permanent", "category": "identity"}])
    set_to(conn, fact, "category = 'mood'")
    assert stored(conn, fact) == ("ephemeral", "mood")
    ((kind, _, detail),) = events(conn, fact)
    assert kind == "mood-lowered"
    assert detail["before"] == {"durability": "permanent", "category": "identity"}
    (fact,) = legacy.facts(conn, [{"durability": "short_term", "category": "state"}])
    set_to(conn, fact, "category = 'mood'")
    assert stored(conn, fact) == ("short_term", "mood")
    assert events(conn, fact) == []


@pytest.mark.parametrize(
    ("before", "assignments", "allowed"),
    [
        ("ephemeral", "durability = 'short_term'", True),
        ("short_term", "durability = 'ephemeral'", True),
        ("ephemeral", "durability = 'long_term'", False),
        ("ephemeral", "durability = 'permanent'", False),
        ("short_term", "durability = 'long_term'", False),
        ("ephemeral", "category = 'state'", False),
        ("ephemeral", "category = 'Mood'", False),
        ("ephemeral", "category = 'decision', durability = 'long_term'", False),
        ("ephemeral", "category = ''", False),
        ("ephemeral", "category = 'mood', durability = 'ephemeral', value = 'glad'", True),
        ("ephemeral", "value = 'glad', confidence = 1, pinned = true, importance = 10", True),
    ],
)
def test_a_mood_may_go_down_and_to_short_term_but_no_further(
    conn: Connection, before: str, assignments: str, allowed: bool
) -> None:
    fact = mood(conn, before)
    if allowed:
        set_to(conn, fact, assignments)
        assert stored(conn, fact, "category") == ("mood",)
    else:
        with refused(NOT_PROMOTED):
            set_to(conn, fact, assignments)
        assert stored(conn, fact) == (before, "mood")
    assert events(conn, fact) == []


def test_a_promotion_with_a_reason_is_recorded(conn: Connection) -> None:
    fact = mood(conn)
    with reason(conn, "promotion", "he is always like that"):
        set_to(conn, fact, "durability = 'permanent', category = 'identity'")
        inserted = mood(conn, "long_term")
        (turned,) = legacy.facts(conn, [{"durability": "permanent", "category": "identity"}])
        set_to(conn, turned, "category = 'mood'")
    before = {"durability": "ephemeral", "category": "mood"}
    after = {"durability": "permanent", "category": "identity"}
    why = "he is always like that"
    assert events(conn, fact) == [
        ("mood-promoted", why, {"operation": "UPDATE", "before": before, "after": after})
    ]
    assert events(conn, inserted) == [
        (
            "mood-promoted",
            why,
            {
                "operation": "INSERT",
                "before": None,
                "after": {"durability": "long_term", "category": "mood"},
            },
        )
    ]
    assert stored(conn, turned) == ("permanent", "mood")
    assert events(conn, turned)[0][:2] == ("mood-promoted", why)


def test_a_promoted_mood_may_come_down_but_rises_no_further_by_itself(conn: Connection) -> None:
    with reason(conn, "promotion", "so it is"):
        fact = mood(conn, "long_term")
    set_to(conn, fact, "confidence = 0.4, durability = 'long_term'")
    with refused(NOT_PROMOTED):
        set_to(conn, fact, "durability = 'permanent'")
    set_to(conn, fact, "durability = 'short_term'")
    with refused(NOT_PROMOTED):
        set_to(conn, fact, "durability = 'long_term'")


def test_copy_lowers_each_mood_and_keeps_all_rows(conn: Connection) -> None:
    run(conn, "DELETE FROM entity_facts WHERE key = 'copied'")
    with (
        conn.cursor() as cursor,
        cursor.copy("COPY entity_facts (key, value, durability, category) FROM STDIN") as copy,
    ):
        for n, row in enumerate(
            [("permanent", "mood"), ("short_term", "mood"), ("permanent", "identity")]
        ):
            copy.write_row(("copied", str(n), *row))
    found = run(
        conn, "SELECT durability, category FROM entity_facts WHERE key = 'copied' ORDER BY value"
    )
    assert found.fetchall() == [
        ("ephemeral", "mood"),
        ("short_term", "mood"),
        ("permanent", "identity"),
    ]


def test_an_upsert_can_neither_insert_nor_make_a_mood_that_lasts(conn: Connection) -> None:
    (fact,) = legacy.facts(conn, [{"durability": "permanent", "category": "identity"}])
    upsert = (
        "INSERT INTO entity_facts (id, key, value, durability, category) VALUES"
        " (%s, 'k', 'v', 'permanent', 'mood') ON CONFLICT (id) DO UPDATE SET"
        " durability = %s, category = EXCLUDED.category"
    )
    run(conn, upsert, fact, "permanent")
    assert stored(conn, fact) == ("ephemeral", "mood")
    with refused(NOT_PROMOTED):
        run(conn, upsert, fact, "permanent")
    assert stored(conn, fact) == ("ephemeral", "mood")


def test_merge_can_neither_insert_nor_make_a_mood_that_lasts(conn: Connection) -> None:
    if conn.info.server_version < 150000:
        pytest.skip("MERGE came with PostgreSQL 15")
    merge = (
        "MERGE INTO entity_facts AS f USING (VALUES (%s::int)) AS n (id) ON f.id = n.id"
        " WHEN MATCHED THEN UPDATE SET durability = 'permanent'"
        " WHEN NOT MATCHED THEN INSERT (id, key, value, durability, category)"
        " VALUES (n.id, 'k', 'v', 'permanent', 'mood')"
    )
    fact = 2_000_000
    run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)
    run(conn, merge, fact)
    assert stored(conn, fact) == ("ephemeral", "mood")
    with refused(NOT_PROMOTED):
        run(conn, merge, fact)


def test_an_agent_can_not_promote_and_is_let_through_with_a_reason(
    everywhere: TestDatabase, conn: Connection
) -> None:
    agent = everywhere.connect(**AGENT)
    fact = mood(agent, "permanent")
    assert stored(agent, fact) == ("ephemeral", "mood")
    with refused(NOT_PROMOTED):
        set_to(agent, fact, "durability = 'long_term'")
    with reason(agent, "promotion", "asked for"):
        set_to(agent, fact, "durability = 'long_term'")
    assert [kind for kind, _, _ in events(conn, fact)] == ["mood-lowered", "mood-promoted"]


def test_a_mood_goes_like_any_fact(conn: Connection) -> None:
    fact = mood(conn)
    run(conn, "DELETE FROM entity_facts WHERE id = %s", fact)


def test_our_functions_are_for_our_triggers_alone(
    everywhere: TestDatabase, conn: Connection
) -> None:
    found = run(
        conn,
        "SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'memory_maintenance'::regnamespace"
        " AND p.prorettype = 'trigger'::regtype AND p.proname <> 'refuse_plan'"
        " AND (NOT p.prosecdef OR p.proconfig[1] <> 'search_path=pg_catalog, pg_temp'"
        f" OR has_function_privilege('{legacy.AGENT}', p.oid, 'EXECUTE'))",
    )
    assert found.fetchall() == []


# -- the old way --


@pytest.mark.parametrize("data_type", ["permanent", "observation", "temporal", None, "trait"])
def test_a_data_type_that_would_make_another_fact_of_a_mood_is_refused(
    old_style: TestDatabase, data_type: str | None
) -> None:
    conn = old_style.connect()
    for before in ({"category": "mood", "durability": "ephemeral"}, {"data_type": "mood"}):
        (fact,) = legacy.facts(conn, [before])
        shown = stored(conn, fact, "data_type, durability, category")
        if data_type == shown[0]:
            continue  # what stands there already changes nothing
        with refused(NOT_PROMOTED):
            run(conn, "UPDATE entity_facts SET data_type = %s WHERE id = %s", data_type, fact)
        assert stored(conn, fact, "data_type, durability, category") == shown


@pytest.mark.parametrize("data_type", ["permanent", "preference", "temporal", None, "mood"])
def test_a_data_type_that_would_make_another_fact_of_a_decision_is_refused(
    old_style: TestDatabase, data_type: str | None
) -> None:
    conn = old_style.connect()
    fact = decision(conn)
    shown = stored(conn, fact, "data_type, durability, category")
    assert shown == ("observation", "long_term", "decision")
    with refused(NOT_REOPENED):
        run(conn, "UPDATE entity_facts SET data_type = %s WHERE id = %s", data_type, fact)
    assert stored(conn, fact, "data_type, durability, category") == shown


def test_data_type_follows_a_mood_that_was_lowered(old_style: TestDatabase) -> None:
    conn = old_style.connect()
    fact = mood(conn, "permanent")
    assert stored(conn, fact, "data_type, durability, category") == (
        "temporal",
        "ephemeral",
        "mood",
    )
    (fact,) = legacy.facts(conn, [{"data_type": "identity"}])
    set_to(conn, fact, "category = 'mood'")
    assert stored(conn, fact, "data_type, durability, category") == (
        "temporal",
        "ephemeral",
        "mood",
    )


def test_a_promotion_by_data_type_takes_a_reason_as_well(old_style: TestDatabase) -> None:
    conn = old_style.connect()
    fact = mood(conn)
    with reason(conn, "promotion", "the old way"):
        set_to(conn, fact, "data_type = 'identity'")
    assert stored(conn, fact, "data_type, durability, category") == (
        "identity",
        "permanent",
        "identity",
    )
    assert events(conn, fact)[0][2]["after"] == {"durability": "permanent", "category": "identity"}


def test_null_axes_make_no_way_around(old_style: TestDatabase) -> None:
    conn = old_style.connect()
    fact, feeling = decision(conn), mood(conn)
    with refused(NOT_REOPENED):
        set_to(conn, fact, "durability = NULL, category = NULL")
    with refused(NOT_PROMOTED):
        set_to(conn, feeling, "durability = NULL, category = NULL")


# -- what is not classified yet --


def waiting(conn: Connection, **columns: Any) -> int:
    """A fact as it was before the triggers came."""
    with conn.transaction():
        run(conn, "ALTER TABLE entity_facts DISABLE TRIGGER USER")
        run(conn, "ALTER TABLE entity_facts DROP CONSTRAINT memory_maintenance_axes_present")
        (fact,) = legacy.facts(conn, [columns])
        run(
            conn,
            "ALTER TABLE entity_facts ADD CONSTRAINT memory_maintenance_axes_present"
            " CHECK (durability IS NOT NULL AND category IS NOT NULL) NOT VALID",
        )
        run(conn, "ALTER TABLE entity_facts ENABLE TRIGGER USER")
    assert stored(conn, fact) == (None, None)
    return fact


@pytest.mark.parametrize(
    ("columns", "assignments", "state"),
    [
        ({"data_type": "mood"}, "durability = 'permanent'", NOT_PROMOTED),
        ({"data_type": "mood"}, "category = 'state'", NOT_PROMOTED),
        ({"data_type": "mood"}, "data_type = 'identity'", NOT_PROMOTED),
        ({"data_type": "decision"}, "value = 'x'", NOT_REOPENED),
        ({"data_type": "decision"}, "category = 'state'", NOT_REOPENED),
        ({"data_type": "decision"}, "data_type = 'observation'", NOT_REOPENED),
        ({"data_type": "mood"}, "confidence = 0.5", None),
        ({"data_type": "mood"}, "durability = 'short_term'", None),
        ({"data_type": "decision"}, "confidence = 0.5, value = value", None),
        ({"data_type": "observation"}, "value = 'x'", None),
    ],
)
def test_a_fact_that_backfill_has_not_reached_is_guarded_like_one_that_it_has(
    server: TestServer, template: str, columns: dict[str, Any], assignments: str, state: str | None
) -> None:
    with guarded(server, template, "expanded") as fresh:
        conn = fresh.connect()
        data = {"decision": DECIDED, "do_not_reopen": True}
        fact = waiting(conn, data=data, **columns)
        if state is None:
            set_to(conn, fact, assignments)
            assert stored(conn, fact, "category") == (
                {"mood": "mood", "decision": "decision", "observation": "observation"}[
                    columns["data_type"]
                ],
            )
        else:
            with refused(state):
                set_to(conn, fact, assignments)
            assert stored(conn, fact) == (None, None)
        if columns["data_type"] == "decision":
            for statement in (
                f"DELETE FROM entity_facts WHERE id = {fact}",
                "TRUNCATE entity_facts",
            ):
                with refused(NOT_REOPENED):
                    run(conn, statement)


def test_a_decision_is_superseded_without_a_reason(conn: Connection) -> None:
    first = decision(conn)
    data = {"decision": DECIDED, "do_not_reopen": True, "supersedes": first}
    second = decision(conn, value="we use CockroachDB", data=data)
    set_to(conn, first, f"data = data || '{{\"superseded_by\": {second}}}'")
    assert stored(conn, first, "data ->> 'superseded_by'") == (str(second),)
    assert events(conn, first) == []
