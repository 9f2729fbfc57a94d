"""Ways to a guarded fact that name other things than its table: views, rules, foreign keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.support.guarded import decision, events, guarded, mood, refused, stored
from tests.support.server import Connection, TestDatabase, TestServer

NOT_REOPENED = "MM001"
NOT_PROMOTED = "MM002"
VIEWS = """
CREATE VIEW plain_view AS SELECT * FROM entity_facts;
CREATE VIEW ruled_view AS SELECT id, value FROM entity_facts;
CREATE RULE ruled AS ON UPDATE TO ruled_view
    DO INSTEAD UPDATE entity_facts SET value = NEW.value, category = 'trait' WHERE id = OLD.id;
CREATE VIEW handled_view AS SELECT id, value, category FROM entity_facts;
CREATE FUNCTION handled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE entity_facts SET value = NEW.value, category = NEW.category WHERE id = OLD.id;
    RETURN NEW;
END $$;
CREATE TRIGGER handled INSTEAD OF UPDATE ON handled_view FOR EACH ROW EXECUTE FUNCTION handled();
CREATE TABLE kind (name text PRIMARY KEY);
INSERT INTO kind VALUES ('mood'), ('decision'), ('observation'), ('identity');
CREATE TABLE topic (name varchar(255) PRIMARY KEY);
INSERT INTO topic SELECT 'database';
"""
OF_KINDS = "ALTER TABLE entity_facts ADD FOREIGN KEY (category) REFERENCES kind ON UPDATE CASCADE"
OF_TOPICS = "ALTER TABLE entity_facts ADD FOREIGN KEY (key) REFERENCES topic ON UPDATE CASCADE"


@pytest.fixture(scope="module")
def everywhere(server: TestServer, template: str) -> Iterator[TestDatabase]:
    with guarded(server, template, "settled") as database:
        conn = database.connect()
        conn.execute("DELETE FROM entity_facts")
        conn.execute(VIEWS.encode())
        yield database


@pytest.fixture
def conn(everywhere: TestDatabase) -> Iterator[Connection]:
    """Within a transaction that comes to nothing."""
    conn = everywhere.connect()
    with conn.transaction(force_rollback=True):
        yield conn


def execute(conn: Connection, statement: str, *params: Any) -> None:
    """In a savepoint, so that what is refused leaves the transaction alive."""
    with conn.transaction():
        conn.execute(statement.encode(), params or None)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE plain_view SET value = 'x' WHERE id = %s",
        "UPDATE ruled_view SET value = 'x' WHERE id = %s",
        "UPDATE handled_view SET value = 'x' WHERE id = %s",
        "DELETE FROM plain_view WHERE id = %s",
        "WITH gone AS (DELETE FROM entity_facts WHERE id = %s RETURNING *) INSERT INTO entity_facts"
        " (id, key, value, durability, category) SELECT id, key, 'x', durability, category FROM gone",
    ],
)
def test_a_decision_is_guarded_by_whatever_way_a_write_comes(
    conn: Connection, statement: str
) -> None:
    fact = decision(conn)
    before = stored(conn, fact, "key, value, category, data")
    with refused(NOT_REOPENED):
        execute(conn, statement, fact)
    assert stored(conn, fact, "key, value, category, data") == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE plain_view SET durability = 'permanent' WHERE id = %s",
        "UPDATE ruled_view SET value = 'x' WHERE id = %s",
        "UPDATE handled_view SET category = 'trait' WHERE id = %s",
    ],
)
def test_so_is_a_mood(conn: Connection, statement: str) -> None:
    fact = mood(conn)
    with refused(NOT_PROMOTED):
        execute(conn, statement, fact)
    assert stored(conn, fact) == ("ephemeral", "mood")


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO plain_view (key, value, durability, category) VALUES ('k', 'v', 'permanent', 'mood')",
        "INSERT INTO entity_facts (key, value, durability, category)"
        " SELECT 'k', value, 'permanent', category FROM entity_facts WHERE category = 'mood'",
    ],
)
def test_a_mood_that_comes_through_a_view_or_from_another_is_lowered(
    conn: Connection, statement: str
) -> None:
    mood(conn)
    execute(conn, statement)
    found = conn.execute("SELECT DISTINCT durability FROM entity_facts WHERE category = 'mood'")
    assert found.fetchall() == [("ephemeral",)]


def test_a_foreign_key_that_cascades_an_update_is_refused(conn: Connection) -> None:
    settled, glad = decision(conn), mood(conn)
    conn.execute("INSERT INTO topic SELECT DISTINCT key FROM entity_facts ON CONFLICT DO NOTHING")
    conn.execute(OF_KINDS)
    conn.execute(OF_TOPICS)
    with refused(NOT_REOPENED):
        execute(conn, "UPDATE topic SET name = 'db' WHERE name = 'database'")
    with refused(NOT_REOPENED):
        execute(conn, "UPDATE kind SET name = 'choice' WHERE name = 'decision'")
    with refused(NOT_PROMOTED):
        execute(conn, "UPDATE kind SET name = 'trait' WHERE name = 'mood'")
    assert stored(conn, settled, "key, category") == ("database", "decision")
    assert stored(conn, glad) == ("ephemeral", "mood")


def test_a_foreign_key_that_sets_the_default_is_refused(conn: Connection) -> None:
    mood(conn)
    conn.execute(
        "ALTER TABLE entity_facts ADD FOREIGN KEY (category) REFERENCES kind ON DELETE SET DEFAULT"
    )
    conn.execute("ALTER TABLE entity_facts ALTER category SET DEFAULT 'observation'")
    with refused(NOT_PROMOTED):
        execute(conn, "DELETE FROM kind WHERE name = 'mood'")


def test_a_reason_that_was_rolled_back_to_its_savepoint_is_none(conn: Connection) -> None:
    fact = decision(conn)
    give = "SELECT set_config('memory_maintenance.reopen_reason', 'a reason', true)"
    with conn.transaction(force_rollback=True):
        conn.execute(give)
        execute(conn, "UPDATE entity_facts SET value = 'x' WHERE id = %s", fact)
    with refused(NOT_REOPENED):
        execute(conn, "UPDATE entity_facts SET value = 'x' WHERE id = %s", fact)
    assert not events(conn, fact)


def test_an_error_that_is_swallowed_changes_nothing(conn: Connection) -> None:
    fact = decision(conn)
    execute(
        conn,
        f"DO $$ BEGIN UPDATE entity_facts SET value = 'x' WHERE id = {fact};"
        " EXCEPTION WHEN OTHERS THEN NULL; END $$",
    )
    assert stored(conn, fact, "value") == ("we use PostgreSQL",)


def test_a_guarded_column_keeps_its_type_while_guards_name_it(conn: Connection) -> None:
    decision(conn)
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        execute(conn, "ALTER TABLE entity_facts ALTER value TYPE varchar(10) USING 'x'")


def test_only_the_category_mood_is_one(conn: Connection) -> None:
    """Categories are free text and compared as they are; but no mood escapes by another spelling."""
    for spelling in ("Mood", "MOOD", " mood", "mood "):
        (other,) = (mood(conn, "permanent", category=spelling),)
        assert stored(conn, other) == ("permanent", spelling)
        fact = mood(conn)
        with refused(NOT_PROMOTED):
            execute(conn, "UPDATE entity_facts SET category = %s WHERE id = %s", spelling, fact)


def test_only_true_guards_a_decision(conn: Connection) -> None:
    fact = decision(conn, data={"decision": {"decided": "x"}, "do_not_reopen": "true"})
    execute(conn, "UPDATE entity_facts SET value = 'x' WHERE id = %s", fact)
    guarded_fact = decision(conn)
    for value in ('"true"', "1", "null", "false"):
        with refused(NOT_REOPENED):
            execute(
                conn,
                "UPDATE entity_facts SET data = jsonb_set(data, '{do_not_reopen}', %s::jsonb) WHERE id = %s",
                value,
                guarded_fact,
            )
