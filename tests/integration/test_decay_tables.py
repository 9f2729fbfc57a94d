"""decay on tables of every make, and what it says where it can't work."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.errors import Denied, UsageError
from tests.support.legacy import facts
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    confidence,
    configured,
    decay,
    make_facts,
    migrate_types,
    row,
)
from tests.support.server import TestDatabase

NOTES = sql.Identifier("notes")


def on(table: str) -> Loaded:
    """EXACT, for another table."""
    return configured(database={"table": table}, confidence={"adopt": "history", "min_delta": 0.0})


@pytest.mark.parametrize(
    ("key_type", "keys"),
    [
        ("smallint", [-32768, 0, 32767]),
        ("integer", [-(2**31), 0, 2**31 - 1]),
        ("bigint", [-(2**63), 0, 2**63 - 1]),
        (
            "uuid",
            [
                "00000000-0000-0000-0000-000000000000",
                "8a6e0804-2bd0-4672-b79d-d97027f9071a",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
            ],
        ),
    ],
)
@pytest.mark.parametrize("batch_rows", [1, 2, None])
def test_every_fact_is_reached_whatever_the_type_of_its_key(
    empty_database: TestDatabase, key_type: str, keys: list[Any], batch_rows: int | None
) -> None:
    loaded = on("notes")

    def make(made: TestDatabase) -> None:
        connection = made.connect()
        make_facts(connection, NOTES, key=key_type)
        rows = [{"id": k, "last_confirmed_at": ago(days=180)} for k in keys]
        facts(connection, rows, relation=NOTES)
        migrate_types(made, loaded)

    empty_database.become(empty_database.server.template(f"notes by {key_type}", make))
    connection = empty_database.connect()
    result = decay(empty_database, AS_OF, loaded, batch_rows=batch_rows)
    assert (result.examined, result.updated) == (3, 3)
    assert [confidence(connection, key, table=NOTES) for key in keys] == [0.5] * 3


def test_a_table_may_have_any_schema_and_name(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    connection.execute('CREATE SCHEMA "Other Schema"')
    table = sql.Identifier("Other Schema", 'Entity "Facts"; {}')
    loaded = on('"Other Schema"."Entity ""Facts""; {}"')
    make_facts(connection, table)
    (key,) = facts(connection, [{"id": 1, "last_confirmed_at": ago(days=180)}], relation=table)
    migrate_types(empty_database, loaded)
    result = decay(empty_database, AS_OF, loaded)
    assert result.table == '"Other Schema"."Entity ""Facts""; {}"'
    assert confidence(connection, key, table=table) == 0.5


def test_a_percent_sign_in_a_name_is_no_placeholder(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    table = sql.Identifier("100% sure")
    make_facts(connection, table)
    connection.execute(
        'INSERT INTO "100% sure" (id, confidence, last_confirmed_at)'
        " VALUES (1, 1, '2025-12-03 00:00:00+00')"
    )
    loaded = on('"100% sure"')
    migrate_types(empty_database, loaded)
    decay(empty_database, AS_OF, loaded)
    assert connection.execute('SELECT confidence FROM "100% sure"').fetchone() == (0.5,)


def test_two_tables_are_adopted_each_for_itself(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    make_facts(connection, NOTES)
    migrate_types(migrated, on("notes"))
    decay(migrated, AS_OF, configured())
    decay(migrated, AS_OF, on("notes"))
    found = connection.execute(
        "SELECT table_name, adopt FROM memory_maintenance.adoption ORDER BY 1"
    ).fetchall()
    assert found == [("public.entity_facts", "now"), ("public.notes", "history")]


def test_an_empty_table_is_adopted_and_that_is_all(migrated: TestDatabase) -> None:
    result = decay(migrated)
    assert (result.examined, result.updated, result.batches, result.policies) == (0, 0, 0, ())
    adopted = migrated.connect().execute("SELECT count(*) FROM memory_maintenance.adoption")
    assert adopted.fetchone() == (1,)


def test_columns_that_a_deployment_lacks_read_as_null(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="")
    (key,) = facts(connection, [{"id": 1, "confidence": 0.8}], relation=NOTES)
    loaded = on("notes")
    migrate_types(empty_database, loaded)
    decay(empty_database, AS_OF, loaded)
    # No clock at all: it counts from the run that saw it first.
    assert row(connection, key, "confidence_anchor_at", table=NOTES) == {
        "confidence_anchor_at": AS_OF
    }
    decay(empty_database, ahead(days=180), loaded)
    assert confidence(connection, key, table=NOTES) == pytest.approx(0.4, abs=1e-12)


def test_clocks_with_and_without_a_zone_and_plain_dates_are_read(
    empty_database: TestDatabase,
) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="learned_at date, last_confirmed_at timestamp")
    loaded = configured(
        database={"table": "notes", "zoneless_timezone": "UTC"}, confidence={"adopt": "history"}
    )
    by_date, by_clock = facts(
        connection,
        [
            {"id": 1, "learned_at": "2025-12-03"},
            {"id": 2, "learned_at": "2020-01-01", "last_confirmed_at": "2025-12-03 00:00"},
        ],
        relation=NOTES,
    )
    migrate_types(empty_database, loaded)
    decay(empty_database, AS_OF, loaded)
    # From 3 December to 1 June there are 180 days.
    assert confidence(connection, by_date, table=NOTES) == 0.5
    assert confidence(connection, by_clock, table=NOTES) == 0.5


def test_a_zone_less_deadline_is_read_and_infinity_is_none(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, optional="expires timestamp, learned_at timestamp")
    loaded = configured(
        database={"table": "notes", "zoneless_timezone": "Asia/Kathmandu"},
        confidence={"adopt": "history"},
    )
    # Kathmandu is at +05:45.
    over, ahead_of_it, never, far_out = facts(
        connection,
        [
            {"id": 1, "expires": "2026-06-01 05:45"},
            {"id": 2, "expires": "2026-06-01 05:45:00.000001"},
            {"id": 3, "expires": "infinity"},
            {"id": 4, "learned_at": "294276-12-31 23:59:59"},
        ],
        relation=NOTES,
    )
    migrate_types(empty_database, loaded)
    result = decay(empty_database, AS_OF, loaded)
    assert confidence(connection, over, table=NOTES) == 0
    assert confidence(connection, ahead_of_it, table=NOTES) == 1
    assert confidence(connection, never, table=NOTES) == 1
    assert [problem.id for problem in result.problems] == [far_out]


@pytest.mark.parametrize("type_name", ["real", "numeric", "numeric(5,4)"])
def test_confidence_may_be_of_another_numeric_type(
    empty_database: TestDatabase, type_name: str
) -> None:
    connection = empty_database.connect()
    make_facts(connection, NOTES, confidence=type_name)
    aged = {"last_confirmed_at": ago(days=60)}
    thirds, tiny = facts(
        connection,
        [{"id": 1, "confidence": "0.9"} | aged, {"id": 2, "decay_rate": 1000} | aged],
        relation=NOTES,
    )
    loaded = on("notes")
    migrate_types(empty_database, loaded)
    decay(empty_database, AS_OF, loaded)
    wanted = 0.9 * 2 ** (-1 / 3)
    tolerance = 5.1e-5 if type_name == "numeric(5,4)" else 1e-7
    assert confidence(connection, thirds, table=NOTES) == pytest.approx(wanted, abs=tolerance)
    assert confidence(connection, tiny, table=NOTES) == 0.0
    # What was written compares equal to itself: nobody else has set it.
    assert decay(empty_database, AS_OF, loaded).updated == 0
    decay(empty_database, ahead(days=120), loaded)
    found = row(connection, thirds, "confidence", "confidence_base", table=NOTES)
    assert found["confidence_base"] == pytest.approx(0.9, abs=1e-7)
    assert Decimal(found["confidence"]) == pytest.approx(Decimal("0.45"), abs=Decimal("1e-7"))


def test_keys_with_gaps_and_rows_deleted_meanwhile_are_no_trouble(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    keys = facts(connection, [{"last_confirmed_at": ago(days=180)} for _ in range(30)])
    connection.execute("DELETE FROM entity_facts WHERE id % 3 = 0")
    result = decay(migrated, batch_rows=4)
    left = [key for key in keys if key % 3]
    assert (result.examined, result.updated, result.batches) == (20, 20, 5)
    assert all(confidence(connection, key) == 0.5 for key in left)


# -- where it can't work --


def test_a_table_that_is_not_migrated_is_refused_with_the_command_that_mends_it(
    database: TestDatabase,
) -> None:
    with pytest.raises(UsageError, match="not migrated") as refused:
        decay(database, dry_run=True)
    assert "migrate-types" in str(refused.value.remedy)


def test_a_view_is_refused(migrated: TestDatabase) -> None:
    with pytest.raises(UsageError, match="v_entity_facts is a view"):
        decay(migrated, AS_OF, on("v_entity_facts"))


def test_a_table_that_others_inherit_from_is_refused(migrated: TestDatabase) -> None:
    # An UPDATE of the parent reaches the children, whose rows may have the same keys.
    migrated.connect().execute("CREATE TABLE child () INHERITS (entity_facts)")
    with pytest.raises(UsageError, match="inherit from entity_facts"):
        decay(migrated, AS_OF)


def test_a_partition_is_refused_in_favour_of_its_table(empty_database: TestDatabase) -> None:
    connection = empty_database.connect()
    connection.execute(
        "CREATE TABLE base (id int PRIMARY KEY, confidence float8) PARTITION BY RANGE (id)"
    )
    connection.execute("CREATE TABLE entity_facts PARTITION OF base DEFAULT")
    with pytest.raises(UsageError, match="a partition of another table"):
        migrate_types(empty_database)


def test_the_clients_encoding_is_ours_whatever_the_database_asks_for(
    migrated: TestDatabase,
) -> None:
    connection = migrated.connect()
    connection.execute(f"ALTER DATABASE {migrated.name} SET client_encoding = 'SQL_ASCII'".encode())
    assert decay(migrated, AS_OF).examined == 0


def test_a_table_that_is_not_there_is_refused_and_likely_ones_are_named(
    migrated: TestDatabase,
) -> None:
    connection = migrated.connect()
    connection.execute("CREATE SCHEMA memory")
    connection.execute('CREATE TABLE memory."Notes" (id int PRIMARY KEY, confidence real)')
    with pytest.raises(UsageError, match=r"no table public\.notes") as refused:
        decay(migrated, AS_OF, on("notes"))
    assert 'memory."Notes"' in str(refused.value.remedy)


def test_a_key_of_several_columns_is_refused(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    connection.execute("CREATE TABLE notes (a int, b int, confidence real, PRIMARY KEY (a, b))")
    with pytest.raises(UsageError, match="primary key of several columns"):
        decay(migrated, AS_OF, on("notes"))


def test_a_table_without_a_key_is_refused(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    connection.execute("CREATE TABLE notes (id int, confidence real)")
    with pytest.raises(UsageError, match="no primary key"):
        decay(migrated, AS_OF, on("notes"))


def test_a_key_of_an_unordered_type_is_refused(migrated: TestDatabase) -> None:
    connection = migrated.connect()
    connection.execute("CREATE TABLE notes (id text PRIMARY KEY, confidence real)")
    with pytest.raises(UsageError, match="is of type text"):
        decay(migrated, AS_OF, on("notes"))


def test_a_role_without_rights_is_denied(migrated: TestDatabase) -> None:
    with pytest.raises(Denied):
        decay(migrated, AS_OF, EXACT, role=migrated.create_role())
