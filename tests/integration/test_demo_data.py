"""The demo has the reference deployment's counts and shape, and touches nobody's memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.errors import Denied, UsageError
from memory_maintenance.jobs import demo_data
from tests.support import legacy
from tests.support.server import TestDatabase

REFERENCE = {"permanent": 84, "identity": 82, "preference": 4, "observation": 400}
AS_OF = datetime(2026, 6, 1, 12, tzinfo=UTC)


def _column(connection: psycopg.Connection[Any], query: sql.SQL) -> list[Any]:
    return [row[0] for row in connection.execute(query)]


def test_a_pure_demo_has_exactly_the_reference_counts(empty_database: TestDatabase) -> None:
    made = demo_data.build(empty_database.connect(), extras=False)
    assert made.by_data_type == REFERENCE
    assert made.facts == 570
    assert made.entities == 40


def test_any_multiple_of_570_keeps_the_proportions(empty_database: TestDatabase) -> None:
    made = demo_data.build(empty_database.connect(), rows=5 * 570, extras=False)
    assert made.by_data_type == {name: 5 * count for name, count in REFERENCE.items()}


def test_extras_have_every_proposed_type_and_untyped_rows(empty_database: TestDatabase) -> None:
    made = demo_data.build(empty_database.connect())
    extra = {k: v - REFERENCE.get(k or "", 0) for k, v in made.by_data_type.items()}
    assert extra["preference"] == 3
    assert {extra[t] for t in ("trait", "mood", "state", "decision", "routine", "obligation")} == {
        3
    }
    assert extra["temporal"] == 1
    assert extra[None] == 2


def test_extras_hold_the_awkward_values(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    demo_data.build(connection, as_of=AS_OF)
    for condition in (
        "confidence IS NULL",
        "confidence = 0",
        "confidence = 1e-300",
        "last_confirmed_at IS NULL AND learned_at IS NOT NULL",
        "last_confirmed_at IS NULL AND learned_at IS NULL AND updated_at IS NULL",
        "last_confirmed_at > '2026-06-01 12:00+00' AND isfinite(last_confirmed_at)",
        "last_confirmed_at = 'infinity'",
        "last_confirmed_at = '-infinity'",
        "decay_rate = 0",
        "decay_rate = 0.1::real",
        "decay_rate = 'NaN'",
        "decay_rate < 0",
    ):
        query = f"SELECT count(*) FROM public.entity_facts WHERE {condition}"
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        assert row[0] >= 1, condition


def test_the_same_arguments_make_the_same_rows(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    content = sql.SQL("SELECT f::text FROM public.entity_facts AS f ORDER BY f.id")
    demo_data.build(connection, as_of=AS_OF)
    first = _column(connection, content)
    demo_data.build(connection, as_of=AS_OF, again=True)
    assert _column(connection, content) == first


def test_ages_spread_over_the_year_before_as_of(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    demo_data.build(connection, extras=False, as_of=AS_OF)
    row = connection.execute(
        "SELECT count(DISTINCT date_trunc('month', last_confirmed_at)),"
        " max(last_confirmed_at) <= %(as_of)s,"
        " min(last_confirmed_at) >= %(as_of)s - interval '365 days'"
        " FROM public.entity_facts",
        {"as_of": AS_OF},
    ).fetchone()
    assert row is not None
    assert row[0] >= 12
    assert row[1:] == (True, True)


def test_every_agent_has_facts_about_itself_and_the_view_shows_some(
    empty_database: TestDatabase,
) -> None:
    connection = empty_database.connect()
    demo_data.build(connection)
    agents = sql.SQL("SELECT DISTINCT entity_name FROM v_entity_facts WHERE entity_type = 'ai'")
    assert len(_column(connection, agents)) == 6
    assert _column(connection, sql.SQL("SELECT id FROM public.delegation_knowledge"))


def test_the_demo_has_the_legacy_shape(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    demo_data.build(connection)
    names = set(_column(connection, sql.SQL("SELECT relname::text FROM pg_class")))
    assert {
        "idx_entity_facts_data_type",
        "idx_entity_facts_confidence",
        "idx_entity_facts_privacy_scope",
        "delegation_knowledge",
        "v_entity_facts",
        "v_users",
        "entity_facts_archive",
        "memory_embeddings",
        "events",
        "lessons",
    } <= names
    row = connection.execute(
        "SELECT obj_description('public.entity_facts'::regclass),"
        " (SELECT count(*) FROM pg_description"
        "  WHERE objoid = 'public.entity_facts'::regclass AND objsubid > 0)"
    ).fetchone()
    assert row is not None
    assert row[0] is not None
    assert row[1] >= 8


def test_an_empty_database_is_marked(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    assert demo_data.refuse_unless_demo(connection) is False
    demo_data.build(connection)
    assert demo_data.refuse_unless_demo(connection) is True


def test_a_memory_without_the_mark_is_never_touched(database: TestDatabase) -> None:
    connection = database.connect()
    legacy.facts(connection, [{"value": "real"}])
    with pytest.raises(UsageError, match="no demo") as refused:
        demo_data.build(connection, again=True)
    assert "--dsn embedded:" in (refused.value.remedy or "")
    assert _column(connection, sql.SQL("SELECT value FROM public.entity_facts")) == ["real"]


def test_our_schema_alone_is_no_demo(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    connection.execute("CREATE SCHEMA memory_maintenance")
    with pytest.raises(UsageError, match="schema memory_maintenance"):
        demo_data.refuse_unless_demo(connection)


def test_somebody_elses_comment_is_not_overwritten(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    connection.execute(
        sql.SQL("COMMENT ON DATABASE {} IS 'payroll'").format(sql.Identifier(empty_database.name))
    )
    with pytest.raises(UsageError, match="comment"):
        demo_data.refuse_unless_demo(connection)


def test_a_demo_is_replaced_only_when_told_to(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    demo_data.build(connection, extras=False)
    connection.execute("CREATE SCHEMA memory_maintenance")
    connection.execute("CREATE TABLE public.mine (id integer)")
    with pytest.raises(UsageError, match="already") as refused:
        demo_data.build(connection)
    assert "--again" in (refused.value.remedy or "")
    demo_data.build(connection, rows=10, extras=False, again=True)
    assert len(_column(connection, sql.SQL("SELECT id FROM public.entity_facts"))) == 10
    left = connection.execute(
        "SELECT to_regnamespace('memory_maintenance'), to_regclass('public.mine') IS NOT NULL"
    ).fetchone()
    assert left == (None, True)


def test_a_demo_that_others_built_upon_stays(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    demo_data.build(connection, extras=False)
    connection.execute("CREATE VIEW public.mine AS SELECT id FROM public.entity_facts")
    with pytest.raises(UsageError, match="mine"):
        demo_data.build(connection, again=True)
    assert len(_column(connection, sql.SQL("SELECT id FROM public.mine"))) == 570


def test_a_role_that_does_not_own_the_database_is_told_so(empty_database: TestDatabase) -> None:
    connection = empty_database.connect(user=empty_database.create_role())
    with pytest.raises(Denied, match="does not own"):
        demo_data.build(connection)


@pytest.mark.parametrize("rows", [0, -1, demo_data.MAX_ROWS + 1])
def test_impossible_numbers_of_rows_are_refused(empty_database: TestDatabase, rows: int) -> None:
    with pytest.raises(UsageError, match="can't be made"):
        demo_data.build(empty_database.connect(), rows=rows)
