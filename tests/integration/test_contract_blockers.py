"""What blocks contract, and what an operator may let through."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from psycopg.types.json import Jsonb

from memory_maintenance.database import schema
from memory_maintenance.errors import Busy, UsageError
from memory_maintenance.migration.state import NOTE_KEY
from memory_maintenance.render.text import render_text
from tests.support import legacy
from tests.support.contracting import (
    BLOCKERS,
    EAGER,
    blocking,
    columns,
    contracted,
    plain_database,
    simple,
    triggers,
    written_down,
)
from tests.support.migration import (
    migrated,
    session,
)
from tests.support.server import TestDatabase


@pytest.fixture
def plain(database: TestDatabase) -> TestDatabase:
    """As plain_database makes it."""
    return plain_database(database)


@pytest.mark.parametrize("made", BLOCKERS)
def test_each_kind_of_dependent_blocks_and_is_named_with_its_definition(
    plain: TestDatabase, made: str
) -> None:
    conn = plain.connect()
    conn.execute(made.encode())
    kind, name, part = BLOCKERS[made]
    result = contracted(plain)
    assert [(b.table, b.kind, b.name) for b in result.blockers] == [("entity_facts", kind, name)]
    assert part in result.blockers[0].definition
    assert "data_type" in columns(conn)
    assert NOTE_KEY not in triggers(conn)


def test_a_partial_index_on_another_column_does_not_block(plain: TestDatabase) -> None:
    plain.connect().execute("CREATE INDEX i ON entity_facts (confidence) WHERE confidence < 1.0")
    assert contracted(plain).contracted


def test_a_policy_blocks(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute("CREATE POLICY p ON entity_facts USING (data_type <> 'identity')")
    assert [(b.kind, b.acceptable) for b in contracted(plain).blockers] == [("policy", False)]


def test_an_unknown_value_blocks_with_its_count_and_ids(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    migrated(database)
    ids = legacy.legacy(conn, {"hunch": 3})["hunch"]
    (blocker,) = contracted(database).blockers
    assert (blocker.kind, blocker.name) == ("unmapped value", "hunch")
    assert "3 rows" in blocker.why
    assert ", ".join(map(str, ids)) in blocker.definition


def test_axes_that_were_written_around_the_triggers_block(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute("SET session_replication_role = replica")
    conn.execute("UPDATE entity_facts SET durability = 'ephemeral' WHERE data_type = 'preference'")
    (blocker,) = contracted(plain).blockers
    assert (blocker.kind, blocker.name) == ("unsound facts", "preference")
    assert "2 rows" in blocker.why


def test_a_trigger_of_ours_that_somebody_disabled_blocks(plain: TestDatabase) -> None:
    name = "memory_maintenance_10_map_update"
    plain.connect().execute(f"ALTER TABLE entity_facts DISABLE TRIGGER {name}".encode())
    (blocker,) = contracted(plain).blockers
    assert blocker.kind == "unfinished migration"
    assert name in blocker.why


def test_a_migration_that_was_not_verified_blocks(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute("UPDATE memory_maintenance.migration SET verified_at = NULL")
    (blocker,) = contracted(plain).blockers
    assert (blocker.kind, blocker.table) == ("unfinished migration", "entity_facts")


def test_before_expand_and_before_backfill_it_is_a_fault_of_usage(database: TestDatabase) -> None:
    conn = database.connect()
    with pytest.raises(UsageError):
        contracted(database)
    with session(database) as opened:
        schema.install(opened, ("public", "entity_facts"))
    with pytest.raises(UsageError, match="phase expand comes first"):
        contracted(database)
    migrated(database)
    conn.execute("UPDATE memory_maintenance.migration SET verified_at = NULL, backfilled_at = NULL")
    with pytest.raises(UsageError, match="phase backfill comes first"):
        contracted(database)


def test_amid_a_rollback_it_is_a_fault_of_usage(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute(
        "UPDATE memory_maintenance.migration SET contract = %s, contracted_at = now()", [Jsonb({})]
    )
    with pytest.raises(UsageError, match="rollback of entity_facts has begun"):
        contracted(plain)


# -- old-style writes --


def test_an_old_style_write_within_the_quiet_time_blocks_unless_forced(plain: TestDatabase) -> None:
    conn = plain.connect(application_name="old agent")
    legacy.facts(conn, [{"data_type": "identity"}])
    patient = replace(EAGER, force=False)
    result = contracted(plain, patient)
    (blocker,) = result.blockers
    assert blocker.kind == "old-style write"
    assert "old agent" in blocker.why
    assert "24 h 0 min" in blocker.why
    assert "--force" in render_text(result)
    assert result.last_old_style_write is not None
    assert result.last_old_style_write.application_name == "old agent"
    conn.execute("UPDATE memory_maintenance.old_style_write SET at = at - interval '25 hours'")
    assert blocking(plain, patient) == ()
    assert contracted(plain, patient).contracted


def test_force_contracts_right_after_an_old_style_write(plain: TestDatabase) -> None:
    legacy.facts(plain.connect(), [{"data_type": "identity"}])
    assert contracted(plain, EAGER).contracted


# -- what is let through --


@pytest.mark.parametrize(
    "name",
    [
        "public.merge_facts(integer, integer)",
        "public.merge_facts(integer,integer)",
        "merge_facts(integer, integer)",
        "public.merge_facts",
        "merge_facts",
    ],
)
def test_a_function_is_accepted_by_its_full_name_or_a_shorter_one(
    database: TestDatabase, name: str
) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge")
    migrated(database)
    assert contracted(database, replace(EAGER, accept=(name,))).contracted
    assert written_down(conn).accepted == ("public.merge_facts(integer, integer)",)


def test_a_name_that_may_mean_two_functions_is_refused(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute(
        "CREATE FUNCTION merge_facts(text) RETURNS bigint LANGUAGE sql AS"
        " 'SELECT count(data_type) FROM public.entity_facts'"
    )
    migrated(database)
    with pytest.raises(UsageError, match="may mean public"):
        contracted(database, replace(EAGER, accept=("merge_facts",)))
    both = ("merge_facts(text)", "merge_facts(integer, integer)")
    assert contracted(database, replace(EAGER, accept=both)).contracted


def test_a_name_that_is_not_there_is_refused_with_those_that_are(database: TestDatabase) -> None:
    migrated(database)
    with pytest.raises(UsageError) as raised:
        contracted(database, replace(EAGER, accept=("merge_fact",)))
    assert "public.merge_facts(integer, integer)" in (raised.value.remedy or "")


def test_a_view_can_not_be_accepted(database: TestDatabase) -> None:
    migrated(database)
    with pytest.raises(UsageError, match="a view can't be let through"):
        contracted(database, replace(EAGER, accept=("delegation_knowledge",)))


def test_after_the_facts_alone_were_contracted_the_same_command_does_the_archive(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute("DROP VIEW delegation_knowledge")
    migrated(database)
    accepting = replace(EAGER, accept=("merge_facts",))
    conn.execute("BEGIN")
    conn.execute("LOCK TABLE entity_facts_archive IN ACCESS SHARE MODE")
    with pytest.raises((Busy, psycopg.errors.LockNotAvailable)):
        contracted(database, accepting)
    conn.execute("COMMIT")
    assert "data_type" not in columns(conn)
    assert "data_type" in columns(conn, "entity_facts_archive")
    assert contracted(database, accepting).contracted
    assert "data_type" not in columns(conn, "entity_facts_archive")
