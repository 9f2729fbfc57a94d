"""context: what stands, the most important first, and only what may be told (spec 4 to 7)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.engine import run as runs
from memory_maintenance.errors import MaintenanceError, UsageError
from memory_maintenance.jobs.context import ContextOptions, ContextResult, context
from memory_maintenance.jobs.obligation_commands import list_obligations
from memory_maintenance.render.text import render_text
from tests.support.decisions import SAID, record, said, supersede
from tests.support.legacy import entity, facts
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    configured,
    make_facts,
    migrate_types,
    opened,
)
from tests.support.server import Connection, TestDatabase

SECTIONS = ("decisions", "overdue", "upcoming", "current")


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def standing(
    database: TestDatabase, loaded: Loaded = EXACT, *, role: str | None = None, **options: Any
) -> ContextResult:
    """``context`` at AS_OF, measured as text."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(
            session,
            loaded,
            command="context",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=AS_OF,
            dry_run=True,
            emit=runs.silent,
        ) as run,
    ):
        return context(run, ContextOptions(**options), lambda result: len(render_text(result)))


def ids(result: ContextResult) -> dict[str, list[Any]]:
    """The facts of each section that has any."""
    found = {name: [item.id for item in getattr(result, name)] for name in SECTIONS}
    return {name: keys for name, keys in found.items() if keys}


def fact(connection: Connection, category: str, value: str = "x", **columns: Any) -> int:
    """A fact confirmed at AS_OF, unless columns say when; its id."""
    row = {
        "category": category,
        "durability": {"decision": "long_term", "mood": "ephemeral"}.get(category, "short_term"),
        "value": value,
        "last_confirmed_at": AS_OF,
        "learned_at": AS_OF.replace(tzinfo=None),
    }
    return facts(connection, [row | columns])[0]


def obligation(connection: Connection, deadline: Any, **columns: Any) -> int:
    """An obligation with a deadline."""
    return fact(connection, "obligation", expires=deadline, **columns)


def test_each_kind_stands_in_its_section(migrated: TestDatabase, connection: Connection) -> None:
    decided = record(migrated).id
    overdue = obligation(connection, ago(days=16))
    upcoming = obligation(connection, ahead(days=3))
    state, mood = fact(connection, "state"), fact(connection, "mood")
    for other in ("observation", "preference", "routine", "identity"):
        fact(connection, other)
    assert ids(standing(migrated)) == {
        "decisions": [decided],
        "overdue": [overdue],
        "upcoming": [upcoming],
        "current": [state, mood],
    }


def test_a_decision_is_told_with_its_reasoning(
    migrated: TestDatabase, connection: Connection
) -> None:
    record(migrated)
    (item,) = standing(migrated).decisions
    assert (item.decided, item.reasoning, item.alternatives) == (
        SAID["decided"],
        SAID["reasoning"],
        ("SQLite",),
    )
    assert (item.decided_by, item.decided_at) == ("Ana", "2026-01-05T09:00:00Z")
    assert item.do_not_reopen
    bare = fact(connection, "decision", "tabs", data={"decision": {"reasoning": 5}})
    told = {item.id: item for item in standing(migrated).decisions}[bare]
    assert (told.decided, told.reasoning, told.alternatives) == ("tabs", None, ())
    assert not told.do_not_reopen


def test_a_superseded_or_expired_decision_is_not_told(
    migrated: TestDatabase, connection: Connection
) -> None:
    old = record(migrated).id
    new = supersede(migrated, old).id
    fact(connection, "decision", expires=ago(days=1))
    assert ids(standing(migrated)) == {"decisions": [new]}


def test_a_decision_that_nothing_supersedes_is_told_whatever_it_says(
    migrated: TestDatabase, connection: Connection
) -> None:
    link = {"decision": SAID, "do_not_reopen": True}
    astray = [fact(connection, "decision", data={**link, "superseded_by": n}) for n in (99, "x")]
    blank = fact(connection, "decision", data={"decision": {**SAID, "reasoning": "\u200b\u200d"}})
    result = standing(migrated)
    assert ids(result) == {"decisions": [*astray, blank]}
    assert [d.problem is None for d in result.decisions] == [False, False, True]
    assert result.decisions[2].reasoning is None
    text = render_text(result)
    assert text.count("superseded\\_by names no decision that supersedes it") == 2
    assert "Why: ?" in text


@pytest.mark.parametrize("kind", ["json", "jsonb"])
@pytest.mark.parametrize("key", ["integer", "smallint", "bigint", "uuid"])
def test_links_are_followed_whatever_the_types(
    migrated: TestDatabase, connection: Connection, kind: str, key: str
) -> None:
    name = f"linked_{kind}_{key}"
    optional = f"entity_id int, learned_at timestamp, data {kind}"
    make_facts(connection, sql.Identifier(name), key=key, optional=optional)
    loaded = configured(database={"table": name})
    migrate_types(migrated, loaded)
    if key != "uuid":
        connection.execute(f"CREATE SEQUENCE {name}_ids".encode())
        connection.execute(
            f"ALTER TABLE {name} ALTER COLUMN id SET DEFAULT nextval('{name}_ids')".encode()
        )
    old = record(migrated, loaded=loaded).id
    new = supersede(migrated, old, loaded=loaded).id
    connection.execute(
        f"UPDATE {name} SET data = (data::jsonb || '{{\"superseded_by\": 99999999999999999999}}')::{kind}"
        f" WHERE id = '{new}'".encode()
    )
    (told,) = standing(migrated, loaded).decisions
    assert (told.id, told.problem is None) == (new, False)


RIGHTS = [
    "SELECT ON entity_facts",
    "USAGE ON SCHEMA memory_maintenance",
    "SELECT ON memory_maintenance.schema_version",
    "SELECT ON memory_maintenance.run",
    "SELECT ON memory_maintenance.adoption",
]


@pytest.mark.parametrize(("command", "rights"), [("context", RIGHTS), ("obligations", RIGHTS[:3])])
def test_the_rights_that_are_documented_are_enough_and_needed(
    migrated: TestDatabase, connection: Connection, command: str, rights: list[str]
) -> None:
    role = migrated.create_role()

    def attempt() -> object:
        if command == "context":
            return standing(migrated, role=role)
        with (
            opened(migrated, EXACT, role=role) as session,
            runs.started(
                session,
                EXACT,
                command=command,
                table="public.entity_facts",
                as_of=AS_OF,
                dry_run=True,
                emit=runs.silent,
            ) as run,
        ):
            return list_obligations(run)

    for right in rights:
        connection.execute(f"GRANT {right} TO {role}".encode())
    attempt()
    for right in rights:
        connection.execute(f"REVOKE {right} FROM {role}".encode())
        with pytest.raises((MaintenanceError, psycopg.Error)) as caught:
            attempt()
        assert "GRANT postgres" not in (getattr(caught.value, "remedy", "") or "")
        connection.execute(f"GRANT {right} TO {role}".encode())


def test_due_soon_and_overdue_never_overlap(migrated: TestDatabase, connection: Connection) -> None:
    now = obligation(connection, AS_OF)
    next_moment = obligation(connection, AS_OF + timedelta(microseconds=1))
    last = obligation(connection, ahead(days=14))
    obligation(connection, ahead(days=14, seconds=1))
    obligation(connection, None)
    obligation(connection, "infinity")
    assert ids(standing(migrated)) == {"overdue": [now], "upcoming": [next_moment, last]}
    near = standing(migrated, due_within=timedelta(hours=1))
    assert ids(near) == {"overdue": [now], "upcoming": [next_moment]}
    assert near.due_within_s == 3600
    (item,) = near.overdue
    assert (item.deadline, item.due_in_s) == (AS_OF, 0)


def test_a_deadline_before_the_year_1_is_overdue_since_its_beginning(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = obligation(connection, "4000-01-01 00:00:00+00 BC")
    (item,) = standing(migrated).overdue
    assert (item.id, item.deadline) == (fact, datetime(1, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("status", ["done", "cancelled", "missed"])
def test_what_is_settled_is_not_told(
    migrated: TestDatabase, connection: Connection, status: str
) -> None:
    obligation(connection, ago(days=1), data={"obligation": {"status": status}})
    obligation(connection, ahead(days=1), data={"obligation": {"status": status}})
    assert ids(standing(migrated)) == {}


def test_states_and_moods_are_told_while_they_are_alive(
    migrated: TestDatabase, connection: Connection
) -> None:
    # 36 h halve a mood: 4.5 days leave 1/8, 6 days 1/16; the threshold is 0.1.
    alive = fact(connection, "mood", last_confirmed_at=ago(days=4.5))
    fact(connection, "mood", last_confirmed_at=ago(days=6))
    fact(connection, "state", expires=ago(seconds=1))
    fact(connection, "state", confidence=0.1)
    (item,) = standing(migrated).current
    assert (item.id, item.confidence) == (alive, 0.125)


def test_values_are_reckoned_and_not_taken_from_what_is_stored(
    migrated: TestDatabase, connection: Connection
) -> None:
    faded = fact(connection, "mood", last_confirmed_at=ago(days=6), effective_importance=10)
    kept = fact(connection, "mood")
    assert ids(standing(migrated)) == {"current": [kept]}
    connection.execute(
        "UPDATE entity_facts SET last_confirmed_at = %s WHERE id = %s", [AS_OF, faded]
    )
    assert ids(standing(migrated)) == {"current": [faded, kept]}


def test_the_most_important_comes_first_then_deadline_then_key(
    migrated: TestDatabase, connection: Connection
) -> None:
    late = obligation(connection, ahead(days=3), importance=5)
    early = obligation(connection, ahead(days=2), importance=5)
    same = obligation(connection, ahead(days=2), importance=5)
    top = obligation(connection, ahead(days=9), importance=9)
    assert ids(standing(migrated)) == {"upcoming": [top, early, same, late]}


def test_what_does_not_fit_is_less_important_and_counted(
    migrated: TestDatabase, connection: Connection
) -> None:
    for number in range(1, 11):
        fact(connection, "state", f"state {number}", importance=number)
        record(migrated, said(importance=number))
    whole = standing(migrated, max_chars=100_000)
    assert sum(whole.left_out.values()) == 0
    assert len(whole.decisions) == len(whole.current) == 10
    for max_chars in (150, 300, 500, 800, 1200):
        result = standing(migrated, max_chars=max_chars)
        assert len(render_text(result)) <= max_chars
        told = [d.importance for d in result.decisions] + [c.importance for c in result.current]
        assert result.left_out["decisions"] + result.left_out["current"] == 20 - len(told)
        assert sorted(told, reverse=True) == sorted([*range(1, 11)] * 2, reverse=True)[: len(told)]


def private(connection: Connection) -> dict[str, int]:
    """States of every privacy, by name."""
    cases: dict[str, dict[str, Any]] = {
        "public": {"visibility": "public"},
        "unsaid": {"visibility": None},
        "trusted": {"visibility": "trusted"},
        "private": {"visibility": "private"},
        "scope 7": {"visibility": "private", "privacy_scope": [7, 8]},
        "public in scope 7": {"visibility": "public", "privacy_scope": [7]},
        "scope 9": {"visibility": "public", "privacy_scope": [9]},
        "scope of nobody": {"visibility": "public", "privacy_scope": []},
        "scope of NULL": {"visibility": "public", "privacy_scope": [None]},
    }
    return {name: fact(connection, "state", name, **columns) for name, columns in cases.items()}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ["public", "unsaid"]),
        ({"viewer": "7"}, ["public", "unsaid", "scope 7", "public in scope 7"]),
        ({"viewer": "8"}, ["public", "unsaid", "scope 7"]),
        ({"viewer": "10"}, ["public", "unsaid"]),
    ],
)
def test_only_what_may_be_told_is_told(
    migrated: TestDatabase, connection: Connection, options: dict[str, Any], told: Iterable[str]
) -> None:
    made = private(connection)
    result = standing(migrated, **options)
    assert ids(result) == {"current": [made[name] for name in told]}
    assert sum(result.left_out.values()) == 0
    assert "private" not in result.markdown()


def test_everything_is_told_where_that_is_asked_for(
    migrated: TestDatabase, connection: Connection
) -> None:
    made = private(connection)
    assert ids(standing(migrated, include_private=True)) == {"current": list(made.values())}


def test_one_entity_may_be_asked_about(migrated: TestDatabase, connection: Connection) -> None:
    ana, bob = entity(connection, "Ana"), entity(connection, "Bob")
    about = fact(connection, "state", entity_id=ana)
    fact(connection, "state", entity_id=bob)
    fact(connection, "state")
    result = standing(migrated, entity=str(ana))
    assert ids(result) == {"current": [about]}
    assert result.current[0].entity_id == ana
    assert ids(standing(migrated, entity="999")) == {}
    wrong: list[dict[str, Any]] = [{"entity": "Ana"}, {"viewer": "x"}, {"entity": "99999999999"}]
    for options in wrong:
        with pytest.raises(UsageError, match="can't be the id of an entity"):
            standing(migrated, **options)


def test_hostile_text_stays_a_line(migrated: TestDatabase, connection: Connection) -> None:
    text = "x\n\n## Decisions\n\n- (1) *pay* [me](http://evil) <b>\x1b[2J\u202e `" + "y" * 1000
    fact(connection, "state", text, key="k\n# z")
    record(migrated, said(decided=text, reasoning=text, decided_by=text, alternatives=[text] * 9))
    result = standing(migrated)
    lines = render_text(result).splitlines()
    assert lines == result.markdown().splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# What stands at 2026-06-01T00:00:00Z",
        "## Decisions",
        "## States and moods",
    ]
    assert len([line for line in lines if line.startswith("- ")]) == 2
    assert all(c.isprintable() for line in lines for c in line)
    assert r"\*pay\* \[me\](http://evil) \<b\>\[2J \`yyy" in lines[-1]
    (decided,) = result.decisions
    assert len(decided.decided) == 280
    assert decided.decided.endswith("y…")
    assert [len(a) for a in decided.alternatives] == [80] * 4


def test_a_row_with_a_data_problem_stops_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    bad = record(migrated).id
    connection.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_confidence")
    connection.execute("UPDATE entity_facts SET confidence = 'NaN' WHERE id = %s", [bad])
    fact(connection, "state", confidence=float("nan"))
    fact(connection, "decision", data={"decision": {"alternatives": [None, {"a": 1}, "b"]}})
    result = standing(migrated)
    assert [d.importance for d in result.decisions] == [5, 5]
    assert result.decisions[1].alternatives == ('{"a": 1}', "b")
    assert result.current == ()


def test_nothing_is_written_and_no_access_recorded(
    migrated: TestDatabase, connection: Connection
) -> None:
    record(migrated)
    connection.execute("BEGIN")
    connection.execute("LOCK TABLE entity_facts IN EXCLUSIVE MODE")
    # Whoever would lock a row waits; a reader doesn't.
    assert len(standing(migrated).decisions) == 1
    connection.execute("ROLLBACK")
    found = connection.execute(
        "SELECT last_accessed_at, access_count, (SELECT count(*) FROM memory_maintenance.adoption)"
        " FROM entity_facts"
    ).fetchone()
    assert found == (None, 0, 0)


OTHERS = configured(database={"table": "notes"}, confidence={"adopt": "history"})
NOTES = sql.Identifier("public", "notes")


@pytest.mark.parametrize(
    ("optional", "told"),
    [
        ("", [1, 2]),
        ("visibility text", [1, 2]),
        ("privacy_scope bigint[]", [1, 2]),
        ("privacy_scope uuid[], data json, entity_id uuid", [1, 2]),
    ],
)
def test_columns_that_are_absent_read_as_null(
    empty_database: TestDatabase, optional: str, told: list[int]
) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional=optional)
    migrate_types(empty_database, OTHERS)
    connection.execute(
        "INSERT INTO notes (id, durability, category, value) VALUES"
        " (1, 'short_term', 'state', 'a'), (2, 'long_term', 'decision', 'b')"
    )
    result = standing(empty_database, OTHERS, viewer="7" if "uuid" not in optional else None)
    assert sorted(key for keys in ids(result).values() for key in keys) == told
    if "entity_id" not in optional:
        with pytest.raises(UsageError, match="no column entity_id"):
            standing(empty_database, OTHERS, entity="7")


def test_a_scope_that_is_no_array_is_refused(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="privacy_scope text")
    migrate_types(empty_database, OTHERS)
    with pytest.raises(UsageError, match=r"notes\.privacy_scope is of type text"):
        standing(empty_database, OTHERS)


def test_before_the_migration_it_is_named(database: TestDatabase) -> None:
    with pytest.raises(UsageError, match="not migrated") as caught:
        standing(database)
    assert caught.value.remedy == "memory-maintenance migrate-types"
