"""Phase contract: what it keeps aside, what it leaves, what it writes down for rollback."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.database import guards
from memory_maintenance.errors import MaintenanceError, UsageError
from memory_maintenance.migration import planning
from memory_maintenance.migration.contract import ContractOptions
from memory_maintenance.migration.contract_result import ContractResult
from memory_maintenance.migration.state import NOTE_KEY
from memory_maintenance.model.result import Outcome
from memory_maintenance.render.text import render_text
from tests.support import legacy
from tests.support.contracting import (
    EAGER,
    KEEP,
    LONG,
    columns,
    contracted,
    kept_aside,
    one,
    plain_database,
    rows,
    simple,
    simple_but_archive,
    triggers,
    view_rows,
    whole_database,
    written_down,
)
from tests.support.migration import (
    AS_OWNER,
    Connection,
    catalog,
    migrated,
    session,
)
from tests.support.server import TestDatabase


@pytest.fixture
def plain(database: TestDatabase) -> TestDatabase:
    """As plain_database makes it."""
    return plain_database(database)


@pytest.fixture
def whole(each_database: TestDatabase) -> TestDatabase:
    """As whole_database makes it."""
    return whole_database(each_database)


# Of a row a of the archive: all columns that it has in the legacy schema, but for data_type.
DIGEST = (
    "memory_maintenance.row_key(to_jsonb(a), ARRAY(SELECT attname::text FROM pg_attribute"
    " WHERE attrelid = 'entity_facts_archive'::regclass AND attnum > 0 AND NOT attisdropped"
    " AND attname NOT IN ('durability', 'category')))"
)

# -- what it does --


def test_data_type_goes_with_its_check_index_and_triggers_and_the_axes_get_their_defaults(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    began = time.monotonic()
    result = contracted(plain)
    assert 0 < (result.lock_held_s or 0.0) < time.monotonic() - began
    assert (result.contracted, result.blockers, result.outcome) == (True, (), Outcome.DONE)
    assert "data_type" not in columns(conn)
    assert triggers(conn) == list(guards.NAMES)
    assert one(conn, "SELECT to_regclass('idx_entity_facts_data_type') IS NULL")
    assert not one(conn, "SELECT count(*) FROM pg_constraint WHERE conname = 'chk_data_type'")
    (fact,) = legacy.facts(conn, [{"value": "new"}])
    row = conn.execute("SELECT durability, category FROM entity_facts WHERE id = %s", [fact])
    assert row.fetchone() == LONG


def test_only_old_values_that_the_axes_would_not_give_back_are_kept_aside(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    simple(conn)
    ids = legacy.legacy(
        conn, {"identity": 2, "permanent": 3, "observation": 4, "temporal": 1, None: 2}
    )
    migrated(database)
    result = contracted(database)
    # The axes of identity give permanent, those of NULL observation; the others' give what they are.
    expected: dict[str, str | None] = {str(i): "identity" for i in ids["identity"]}
    expected |= {str(i): None for i in ids[None]}
    assert kept_aside(conn) == expected
    assert result.backed_up == 4


def test_everything_that_rollback_needs_is_written_down(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute("ALTER TABLE entity_facts ALTER COLUMN data_type SET STATISTICS 77")
    conn.execute("ALTER TABLE entity_facts ALTER COLUMN data_type SET STORAGE PLAIN")
    conn.execute("ALTER TABLE entity_facts ALTER COLUMN data_type SET (n_distinct = 5)")
    conn.execute("COMMENT ON INDEX idx_entity_facts_data_type IS 'by kind'")
    conn.execute("COMMENT ON CONSTRAINT chk_data_type ON entity_facts IS 'five'")
    conn.execute(
        f"GRANT SELECT (data_type), UPDATE (data_type) ON entity_facts TO {legacy.READER}".encode()
    )
    legacy.legacy(conn, {"identity": 2, "observation": 1})
    migrated(database)
    contracted(database, replace(EAGER, accept=(f"{legacy.READER} on public.entity_facts",)))
    kept = written_down(conn)
    assert (kept.type, kept.digest_columns) == ("character varying(20)", ())
    assert (kept.backed_up, kept.not_null, kept.collation) == (2, False, None)
    assert kept.default == "'observation'::character varying"
    assert kept.comment == "permanent, identity, preference, temporal or observation"
    assert (kept.statistics, kept.storage, kept.options) == (77, "PLAIN", ("n_distinct=5",))
    assert kept.grants == (
        f"GRANT SELECT (data_type), UPDATE (data_type) ON public.entity_facts TO {legacy.READER}",
    )
    (check,), (index,) = kept.constraints, kept.indexes
    assert (check.name, check.validated, check.comment) == ("chk_data_type", True, "five")
    assert check.definition.startswith("CHECK (")
    assert (index.name, index.valid, index.comment) == (
        "idx_entity_facts_data_type",
        True,
        "by kind",
    )
    assert index.definition.startswith(
        "CREATE INDEX idx_entity_facts_data_type ON public.entity_facts"
    )
    assert kept.accepted == (f"{legacy.READER} on public.entity_facts",)


def test_a_second_contract_has_nothing_to_do(plain: TestDatabase) -> None:
    contracted(plain)
    conn = plain.connect()
    before = catalog(conn)
    again = contracted(plain, ContractOptions())
    assert (again.contracted, again.backed_up, again.lock_held_s) == (True, 0, None)
    assert catalog(conn) == before
    assert "nothing is left to do" in render_text(again)


def test_an_agent_with_dml_only_can_insert_right_after_by_a_statement_it_has_prepared(
    plain: TestDatabase,
) -> None:
    agent = plain.connect(options=f"-c role={legacy.AGENT}")
    insert = "INSERT INTO entity_facts (key, value) VALUES (%s, %s) RETURNING durability, category"
    for n in range(3):
        agent.execute(insert, ["note", f"before {n}"], prepare=True)
    contracted(plain)
    assert agent.execute(insert, ["note", "after"], prepare=True).fetchone() == LONG


def test_a_table_that_we_never_contracted_has_nothing_to_drop(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute("ALTER TABLE entity_facts DROP COLUMN data_type")
    migrated(database)
    result = contracted(database)
    assert (result.contracted, result.outcome) == (True, Outcome.DONE)
    assert "not by us" in result.notes[0]


# -- the faithful legacy schema, whole --


def grants_comments_owners(conn: Connection) -> list[tuple[Any, ...]]:
    return rows(
        conn,
        "SELECT c.oid, c.relname, c.relowner, c.relacl::text, c.reloptions, d.objsubid, d.description"
        " FROM pg_class AS c LEFT JOIN pg_description AS d ON d.objoid = c.oid"
        " AND d.classoid = 'pg_class'::regclass"
        " WHERE c.relname IN ('delegation_knowledge', 'delegation_types') ORDER BY 2, 6",
    )


def test_contract_refuses_naming_each_blocker_with_its_definition(whole: TestDatabase) -> None:
    conn = whole.connect()
    before = catalog(conn)
    result = contracted(whole)
    assert (result.outcome, result.contracted) == (Outcome.FINDINGS, False)
    found = {(b.kind, b.name): b for b in result.blockers}
    assert set(found) == {
        ("view", "public.delegation_knowledge"),
        ("view", "public.identities"),
        ("whole-row use", "public.merge_facts(integer, integer)"),
    }
    filtering = found["view", "public.identities"]
    assert "WHERE" in filtering.definition
    assert "data_type" in filtering.definition
    assert "it can't be kept: it filters by it" in filtering.why
    assert "--dependents keep" in found["view", "public.delegation_knowledge"].why
    function = found["whole-row use", "public.merge_facts(integer, integer)"]
    assert function.definition.startswith("CREATE OR REPLACE FUNCTION public.merge_facts")
    assert [b.acceptable for b in result.blockers].count(True) == 1
    assert catalog(conn) == before
    text = render_text(result)
    assert "3 things block contract of entity_facts" in text
    assert "--accept 'public.merge_facts(integer, integer)' --dependents keep" in " ".join(
        text.split()
    )
    assert NOTE_KEY not in triggers(conn)


def test_with_the_filtering_view_gone_and_the_function_accepted_the_views_outlive_the_column(
    whole: TestDatabase,
) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    properties = grants_comments_owners(conn)
    before = {v: view_rows(conn, v) for v in ("delegation_knowledge", "delegation_types")}
    result = contracted(whole, KEEP)
    assert result.contracted
    assert grants_comments_owners(conn) == properties
    for view, former in before.items():
        # What the way back doesn't give: identity reads permanent, and NULL observation (spec 1).
        shown = {"identity": "permanent", None: "observation"}
        expected = [{**r, "data_type": shown.get(r["data_type"], r["data_type"])} for r in former]
        assert view_rows(conn, view) == expected
        assert [r["data_type"] for r in former].count("identity") == 2
    assert [v.name for v in result.kept_views] == ["public.delegation_knowledge"]
    # 2 identity and 2 NULL of the facts, 2 identity of the archive; only the facts have a view.
    assert (result.backed_up, result.identity_shown_as_permanent) == (6, 4)
    (text,) = written_down(conn).views
    assert text.name == "public.delegation_knowledge"
    assert text.former.startswith("CREATE OR REPLACE VIEW public.delegation_knowledge AS")
    assert written_down(conn).accepted == ("public.merge_facts(integer, integer)",)
    agent = whole.connect(options=f"-c role={legacy.AGENT}")
    assert len(rows(agent, "SELECT data_type FROM delegation_knowledge")) == 12


def test_the_archive_without_a_key_is_contracted_too(whole: TestDatabase) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    contracted(whole, KEEP)
    assert "data_type" not in columns(conn, "entity_facts_archive")
    assert triggers(conn, "entity_facts_archive") == []
    kept = rows(
        conn,
        "SELECT b.data_type, b.place, a.id FROM memory_maintenance.data_type_backup AS b"
        f" JOIN entity_facts_archive AS a ON b.fact_key = {DIGEST}"
        " WHERE b.table_name = 'public.entity_facts_archive' ORDER BY a.id",
    )
    assert kept == [("identity", 1, 1), ("identity", 1, 2)]
    insert = "INSERT INTO entity_facts_archive (id) VALUES (9) RETURNING durability, category"
    assert conn.execute(insert).fetchone() == LONG


def test_equal_rows_of_an_archive_are_told_apart(database: TestDatabase) -> None:
    conn = database.connect()
    simple_but_archive(conn)
    conn.execute("ALTER TABLE entity_facts_archive ALTER COLUMN archived_at DROP DEFAULT")
    archive = sql.Identifier("public", "entity_facts_archive")
    legacy.facts(
        conn,
        [
            {"id": 1, "value": "v", "data_type": t}
            for t in ("identity", None, "permanent", "identity")
        ],
        relation=archive,
    )
    migrated(database)
    assert contracted(database).backed_up == 3
    kept = rows(
        conn,
        "SELECT data_type, count(*) FROM memory_maintenance.data_type_backup GROUP BY 1 ORDER BY 1",
    )
    assert kept == [("identity", 2), (None, 1)]


def test_a_dry_run_leaves_no_trace_and_counts_what_the_run_does(whole: TestDatabase) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    runs_so_far = "SELECT count(*) FROM memory_maintenance.run"
    before = catalog(conn), one(conn, runs_so_far)
    planned = contracted(whole, KEEP, dry_run=True)
    assert (catalog(conn), one(conn, runs_so_far)) == before
    assert kept_aside(conn) == {}
    assert (planned.contracted, planned.outcome, planned.run_id) == (False, Outcome.DONE, None)
    statements = [p.statement for p in planned.plan]
    assert any('DROP COLUMN "data_type" RESTRICT' in s for s in statements)
    assert not any("CASCADE" in s for s in statements)
    # Of each table: the trigger, the copy, what was written meanwhile, and the drop.
    assert [step.kind for step in planned.steps] == [
        *("transaction", "batches", "transaction", "transaction"),
        *("transaction", "transaction", "transaction", "transaction"),
    ]
    done = contracted(whole, KEEP)
    assert (planned.backed_up, planned.identity_shown_as_permanent, planned.kept_views) == (
        done.backed_up,
        done.identity_shown_as_permanent,
        done.kept_views,
    )


def carry_out_by_hand(
    database: TestDatabase,
    planned: ContractResult,
    *,
    last_key: int,
    before_the_last: Callable[[], object] = lambda: None,
) -> None:
    """Execute the steps of a dry run as text, as a script for psql would."""
    with session(database) as opened:
        for step in planned.steps:
            if step is planned.steps[-1]:
                before_the_last()
            with opened.transaction():
                for action in step.actions:
                    text = planning.text(opened, action, "0", str(last_key))
                    opened.connection.execute(text.encode())


def test_the_plan_carried_out_by_hand_does_what_the_run_does(whole: TestDatabase) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    planned = contracted(whole, KEEP, dry_run=True)
    null_and_identity = rows(
        conn,
        "SELECT id::text, data_type FROM entity_facts"
        " WHERE data_type IS NULL OR data_type = 'identity'",
    )
    carry_out_by_hand(whole, planned, last_key=1000)
    for table, left in (("entity_facts", list(guards.NAMES)), ("entity_facts_archive", [])):
        assert "data_type" not in columns(conn, table)
        assert triggers(conn, table) == left
    assert kept_aside(conn) == dict(null_and_identity)
    assert len(kept_aside(conn, "public.entity_facts_archive")) == 2
    assert written_down(conn).backed_up == 4
    assert contracted(whole, KEEP).contracted


def test_a_plan_carried_out_by_hand_stops_where_rows_are_not_accounted_for_any_more(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    planned = contracted(plain, dry_run=True)
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.facts(conn, [{"data_type": "hunch"}])
    with pytest.raises(MaintenanceError, match="don't agree with their data_type"):
        carry_out_by_hand(plain, planned, last_key=1000)
    assert "data_type" in columns(conn)


def planned_with_a_kept_view(database: TestDatabase, **options: Any) -> ContractResult:
    """The plan for a table on which a view stands that shows the column."""
    database.connect().execute("CREATE VIEW shown AS SELECT id, data_type FROM entity_facts")
    return contracted(database, replace(EAGER, keep_dependents=True, **options), dry_run=True)


@pytest.mark.parametrize(
    "change",
    [
        "CREATE INDEX precious ON entity_facts (confidence) WHERE data_type = 'identity'",
        "CREATE OR REPLACE VIEW shown AS SELECT id, data_type FROM entity_facts WHERE confidence > 0.5",
        "ALTER TABLE entity_facts ALTER COLUMN data_type SET DEFAULT 'permanent'",
        "GRANT SELECT (data_type) ON entity_facts TO PUBLIC",
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS"
        " 'SELECT count(*) FROM public.entity_facts WHERE data_type IS NULL'",
        "ALTER TABLE entity_facts DISABLE TRIGGER memory_maintenance_10_map_insert",
    ],
)
def test_a_plan_that_something_has_overtaken_changes_nothing(
    plain: TestDatabase, change: str
) -> None:
    conn = plain.connect()
    planned = planned_with_a_kept_view(plain)
    conn.execute(change.encode())
    views = "SELECT pg_get_viewdef('shown'), to_regclass('precious')"
    before = columns(conn), rows(conn, views)
    with pytest.raises(MaintenanceError, match="was changed since"):
        carry_out_by_hand(plain, planned, last_key=1000)
    assert (columns(conn), rows(conn, views)) == before


def test_a_plan_is_stopped_by_an_old_style_write_unless_forced(plain: TestDatabase) -> None:
    conn = plain.connect(application_name="straggler")
    planned = planned_with_a_kept_view(plain, force=False)
    conn.execute("UPDATE entity_facts SET data_type = 'identity' WHERE data_type = 'permanent'")
    with pytest.raises(MaintenanceError, match="somebody wrote data_type"):
        carry_out_by_hand(plain, planned, last_key=1000)
    assert "data_type" in columns(conn)
    forced = contracted(plain, replace(EAGER, keep_dependents=True), dry_run=True)
    carry_out_by_hand(plain, forced, last_key=1000)
    assert "data_type" not in columns(conn)


@pytest.mark.parametrize("each_statement_s", [60.0, 0.2])
def test_a_plan_holds_its_locks_no_longer_than_max_lock(
    plain: TestDatabase, each_statement_s: float
) -> None:
    conn = plain.connect()
    conn.execute(
        "CREATE FUNCTION linger() RETURNS event_trigger LANGUAGE plpgsql AS"
        f" 'BEGIN PERFORM pg_catalog.pg_sleep({each_statement_s}); END'".encode()
    )
    planned = planned_with_a_kept_view(plain, max_lock=timedelta(seconds=0.5))
    # Three triggers are dropped at least, and an index.
    conn.execute(
        "CREATE EVENT TRIGGER linger ON sql_drop WHEN TAG IN ('DROP TRIGGER', 'DROP INDEX')"
        " EXECUTE FUNCTION linger()"
    )
    with pytest.raises((MaintenanceError, psycopg.errors.QueryCanceled)) as raised:
        carry_out_by_hand(plain, planned, last_key=1000)
    if each_statement_s < 1:
        assert "held its locks for 0.5 s" in str(raised.value)
    assert "data_type" in columns(conn)


def test_a_plan_is_stopped_where_its_trigger_was_silent_for_a_while(plain: TestDatabase) -> None:
    conn = plain.connect()
    planned = planned_with_a_kept_view(plain)

    def silence() -> None:
        conn.execute(f"ALTER TABLE entity_facts DISABLE TRIGGER {NOTE_KEY}".encode())
        conn.execute("UPDATE entity_facts SET data_type = 'identity' WHERE id = 1")
        conn.execute(f"ALTER TABLE entity_facts ENABLE ALWAYS TRIGGER {NOTE_KEY}".encode())

    with pytest.raises(MaintenanceError, match=f"{NOTE_KEY} of entity_facts was touched"):
        carry_out_by_hand(plain, planned, last_key=1000, before_the_last=silence)
    assert "data_type" in columns(conn)


def test_a_plan_replaces_a_view_of_the_facts_that_reads_the_archive_too(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    simple_but_archive(conn)
    conn.execute(
        "CREATE VIEW beside AS SELECT f.id, f.data_type, a.archived_at FROM entity_facts AS f"
        " LEFT JOIN entity_facts_archive AS a ON a.id = f.id"
    )
    migrated(database)
    planned = contracted(database, replace(EAGER, keep_dependents=True), dry_run=True)
    carry_out_by_hand(database, planned, last_key=1000)
    for table in ("entity_facts", "entity_facts_archive"):
        assert "data_type" not in columns(conn, table)


def test_what_batches_could_not_wait_for_is_noted(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    legacy.give_to_owner(conn)
    legacy.legacy(conn, {"identity": 3})
    migrated(database, connect=AS_OWNER)
    conn.execute("REVOKE EXECUTE ON FUNCTION pg_current_wal_flush_lsn() FROM PUBLIC")
    config = "backfill:\n  max_replication_lag: 1h\n"
    result = contracted(database, replace(EAGER, batch_rows=1), config=config, connect=AS_OWNER)
    assert result.contracted
    (note,) = result.notes
    assert note.startswith("can't see replication lag: permission denied for function")


# -- a table without a key --


def test_a_digest_is_of_the_named_columns_only_in_any_order(plain: TestDatabase) -> None:
    digests = rows(
        plain.connect(),
        "SELECT memory_maintenance.row_key(f::jsonb, c::text[]) FROM (VALUES"
        """ ('{"a": 1, "b": null}', '{a,b}'), ('{"b": null, "a": 1, "c": 3}', '{b,a}'),"""
        """ ('{"a": 1, "b": null, "c": 3}', '{a,b,c}'), ('{"a": 1}', '{a,b}')) AS v (f, c)""",
    )
    same, again, more, fewer = (digest for (digest,) in digests)
    assert same == again
    assert len({same, more, fewer}) == 3


def test_the_columns_of_the_digest_are_written_down(whole: TestDatabase) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    all_columns = columns(conn, "entity_facts_archive")
    contracted(whole, KEEP)
    kept = written_down(conn, "public.entity_facts_archive").digest_columns
    assert list(kept) == [
        name for name in all_columns if name not in ("data_type", "durability", "category")
    ]
    assert "archived_at" in kept


# -- other tables and roles --


def test_a_role_that_owns_the_table_and_is_no_superuser_can_contract(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.give_to_owner(conn)
    legacy.legacy(conn, {"identity": 2})
    migrated(database, connect=AS_OWNER)
    assert contracted(database, KEEP, connect=AS_OWNER).contracted
    assert "data_type" not in columns(conn)
    assert one(conn, "SELECT count(*) FROM delegation_knowledge") == 0


def test_a_view_of_somebody_else_blocks_and_says_whose_it_is(database: TestDatabase) -> None:
    conn = database.connect()
    legacy.give_to_owner(conn)
    conn.execute(f"ALTER VIEW delegation_knowledge OWNER TO {legacy.READER}".encode())
    migrated(database, connect=AS_OWNER)
    result = contracted(database, KEEP, connect=AS_OWNER)
    (blocker,) = result.blockers
    assert blocker.name == "public.delegation_knowledge"
    assert legacy.READER in blocker.why


QUOTED = '"Agent Memory"."Entity ""Facts"" 100%"'


def test_quoted_names_and_percent_signs_are_contracted(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute('CREATE SCHEMA "Agent Memory"')
    conn.execute(
        f'CREATE TABLE {QUOTED} ("The %s Key" uuid PRIMARY KEY DEFAULT gen_random_uuid(), key text,'
        ' value text, confidence double precision, data_type varchar(20) COLLATE "C" NOT NULL'
        " DEFAULT 'obs%' || 'ervation')".encode()
    )
    conn.execute(
        f'CREATE VIEW "Agent Memory"."View 5%" AS SELECT data_type AS "Kind %s", value || \'%s\''
        f" AS v FROM {QUOTED}".encode()
    )
    conn.execute(f"INSERT INTO {QUOTED} (value, data_type) VALUES ('a', 'identity')".encode())
    table = '"Agent Memory"."Entity ""Facts"" 100%"'
    migrated(database, table=table)
    result = contracted(database, replace(KEEP, accept=()), table=table)
    assert (result.contracted, result.backed_up) == (True, 1)
    assert rows(conn, 'SELECT * FROM "Agent Memory"."View 5%"') == [("permanent", "a%s")]
    kept = written_down(conn, QUOTED)
    assert (kept.collation, kept.not_null) == ('pg_catalog."C"', True)
    assert '"Kind %s"' in kept.views[0].former


def test_a_partitioned_table_is_contracted_with_its_partitions(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute(
        "CREATE TABLE parted (id bigint PRIMARY KEY, key text, value text, confidence double precision,"
        " data_type varchar(20) DEFAULT 'observation' CONSTRAINT kinds CHECK (data_type <> 'none'))"
        " PARTITION BY RANGE (id)"
    )
    for low in (0, 100):
        conn.execute(
            f"CREATE TABLE parted_{low} PARTITION OF parted FOR VALUES FROM ({low}) TO ({low + 100})".encode()
        )
    conn.execute("CREATE INDEX parted_types ON parted (data_type)")
    conn.execute("CREATE INDEX lone ON parted_100 (data_type)")
    conn.execute("ALTER TABLE parted_100 ADD CONSTRAINT lonely CHECK (data_type <> 'lone')")
    conn.execute(
        "INSERT INTO parted (id, data_type) SELECT n, CASE WHEN n % 2 = 0 THEN 'identity' END"
        " FROM generate_series(95, 104) AS n"
    )
    migrated(database, table="parted")
    result = contracted(database, table="parted")
    assert (result.contracted, result.backed_up) == (True, 10)
    assert "data_type" not in columns(conn, "parted_100")
    kept = written_down(conn, "public.parted")
    assert [i.name for i in kept.indexes] == ["lone", "parted_types"]
    assert [(c.name, c.partition) for c in kept.constraints] == [
        ("kinds", None),
        ("lonely", "public.parted_100"),
    ]
    assert kept_aside(conn, "public.parted")["96"] == "identity"


def test_a_table_partitioned_by_data_type_can_not_even_be_migrated(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute(
        "CREATE TABLE parted (id bigint, key text, value text, confidence double precision,"
        " data_type varchar(20)) PARTITION BY LIST (data_type)"
    )
    conn.execute("CREATE TABLE parted_1 PARTITION OF parted (id PRIMARY KEY) DEFAULT")
    # Its key can't be that of the whole table, which then is none that could be migrated.
    with pytest.raises(UsageError):
        migrated(database, table="parted")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_a_writer_of_an_archive_in_any_time_zone_is_caught(
    database: TestDatabase, zone: str
) -> None:
    conn = database.connect()
    simple_but_archive(conn)
    archive = sql.Identifier("public", "entity_facts_archive")
    legacy.facts(conn, [{"id": 1, "data_type": "identity"}], relation=archive)
    migrated(database)
    writer = database.connect(options=f"-c TimeZone={zone}")
    done: list[str] = []

    def write(_done: int, _of: int | None, what: str) -> None:
        if what.endswith("entity_facts_archive") and not done:
            done.append(what)
            writer.execute("UPDATE entity_facts_archive SET value = 'else' WHERE id = 1")
            writer.execute(
                "INSERT INTO entity_facts_archive (id, data_type, archived_at, confidence)"
                " VALUES (2, 'identity', '2026-01-02 03:04:05.6+05', 0.1 + 0.2)"
            )

    assert contracted(database, emit=write).backed_up == 2
    found = rows(
        conn,
        "SELECT a.id FROM memory_maintenance.data_type_backup AS b JOIN entity_facts_archive AS a"
        f" ON b.fact_key = {DIGEST} ORDER BY 1",
    )
    conn.execute("SET TimeZone = 'UTC'")
    assert done
    assert len(found) == 2
