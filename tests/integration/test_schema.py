"""Our own schema: numbered files, each installed once, in one transaction."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from memory_maintenance.database import schema, statements
from memory_maintenance.errors import Denied, UsageError
from tests.support import legacy
from tests.support.migration import Connection, catalog, configuration, migrated, session
from tests.support.server import TestDatabase

FACTS = ("public", "entity_facts")

# All that makes up our schema, but for what differs by nature: object ids and instants.
_DESCRIBED = """
SELECT 'relation', c.relname, c.relkind::text, obj_description(c.oid, 'pg_class')
FROM pg_class AS c WHERE c.relnamespace = 'memory_maintenance'::regnamespace
UNION ALL
SELECT 'column', format('%s.%s', a.attrelid::regclass, a.attnum),
    concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
        pg_get_expr(d.adbin, d.adrelid)),
    col_description(a.attrelid, a.attnum)
FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relnamespace = 'memory_maintenance'::regnamespace AND a.attnum > 0
UNION ALL
SELECT 'constraint', format('%s.%s', o.conrelid::regclass, o.conname),
    pg_get_constraintdef(o.oid), NULL
FROM pg_constraint AS o WHERE o.connamespace = 'memory_maintenance'::regnamespace
UNION ALL
SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), NULL
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'memory_maintenance'::regnamespace
UNION ALL
SELECT 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid),
    concat_ws(' ', p.proacl::text, obj_description(p.oid, 'pg_proc'))
FROM pg_proc AS p WHERE p.pronamespace = 'memory_maintenance'::regnamespace
UNION ALL
SELECT 'schema', n.nspname, n.nspacl::text, obj_description(n.oid, 'pg_namespace')
FROM pg_namespace AS n WHERE n.nspname = 'memory_maintenance'
UNION ALL
SELECT 'file', v.version::text, v.name, NULL FROM memory_maintenance.schema_version AS v
ORDER BY 1, 2, 3
"""


def described(conn: Connection) -> list[tuple[Any, ...]]:
    return conn.execute(_DESCRIBED.encode()).fetchall()


def install(database: TestDatabase, **parameters: str) -> list[int]:
    """The versions that were installed."""
    with session(database, None, **parameters) as opened:
        return [file.version for file in schema.install(opened, FACTS)]


def test_files_are_numbered_from_1_without_gaps() -> None:
    versions = [file.version for file in schema.files()]
    assert versions == list(range(1, len(versions) + 1))


@pytest.mark.parametrize("before", range(1, len(schema.files())))
def test_an_upgraded_schema_is_the_same_as_a_fresh_one(
    database: TestDatabase, empty_database: TestDatabase, before: int
) -> None:
    old = empty_database.connect()
    for file in schema.files()[:before]:
        old.execute(statements.load(f"schema/{file.version:04d}_{file.name}"))
        old.execute(
            "INSERT INTO memory_maintenance.schema_version (version, name) VALUES (%s, %s)",
            [file.version, file.name],
        )
    assert install(empty_database) == [f.version for f in schema.files()[before:]]
    install(database)
    assert described(old) == described(database.connect())


def test_a_second_installation_does_nothing(empty_database: TestDatabase) -> None:
    install(empty_database)
    conn = empty_database.connect()
    before = catalog(conn)
    assert install(empty_database) == []
    assert catalog(conn) == before


def test_two_who_install_at_once_both_succeed_and_install_it_once(
    empty_database: TestDatabase,
) -> None:
    start = threading.Barrier(4)
    installed: list[list[int]] = []

    def one() -> None:
        with session(empty_database) as opened:
            start.wait()
            installed.append([file.version for file in schema.install(opened, FACTS)])

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = [file.version for file in schema.files()]
    assert sorted(installed) == [[], [], [], everything]


def test_the_plan_is_what_an_installation_executes(empty_database: TestDatabase) -> None:
    with session(empty_database) as opened:
        assert schema.absent(opened, FACTS)
        assert [file for file, _ in schema.plan(opened, FACTS)] == schema.files()
        assert [file.version for file in schema.install(opened, FACTS)] == [
            f.version for f in schema.files()
        ]
        assert schema.plan(opened, FACTS) == []
        assert not schema.absent(opened, FACTS)


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_schema_of_a_newer_version_is_refused_untouched(
    database: TestDatabase, dry_run: bool
) -> None:
    install(database)
    conn = database.connect()
    conn.execute(
        "INSERT INTO memory_maintenance.schema_version (version, name) VALUES (9001, 'from afar')"
    )
    before = catalog(conn)
    with pytest.raises(UsageError, match=r"newer version \(9001\)") as raised:
        migrated(database, dry_run=dry_run)
    assert raised.value.exit_code == 2
    assert raised.value.remedy == "upgrade memory-maintenance"
    assert catalog(conn) == before


def test_commands_that_need_it_name_the_command_that_installs_it(
    empty_database: TestDatabase,
) -> None:
    with session(empty_database) as opened:
        with pytest.raises(UsageError, match="not migrated yet") as raised:
            schema.require(opened, FACTS)
        assert (raised.value.remedy or "").endswith("memory-maintenance migrate-types")
        opened.connection.execute(statements.load("schema/0001_ledger"))
        with pytest.raises(UsageError, match=r"outdated|not migrated"):
            schema.require(opened, FACTS)
        opened.connection.execute("DROP SCHEMA memory_maintenance CASCADE")
        schema.install(opened, FACTS)
        schema.require(opened, FACTS)


def test_a_role_without_rights_on_it_is_told_who_may(database: TestDatabase) -> None:
    install(database)
    role = database.create_role(f"LOGIN IN ROLE {legacy.AGENT}")
    with session(database, user=role) as opened, pytest.raises(Denied, match=role) as raised:
        schema.require(opened, FACTS)
    assert raised.value.exit_code == 77


def test_an_installation_that_fails_leaves_nothing(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    # The second file meets a function that is there already; the first one's tables must go again.
    conn.execute("CREATE SCHEMA memory_maintenance")
    conn.execute(statements.load("schema/0002_survival"))
    before = catalog(conn)
    with pytest.raises(Exception, match="already exists"):
        install(empty_database)
    assert catalog(conn) == before


def test_it_is_the_same_whatever_the_table_is_called(
    database: TestDatabase, empty_database: TestDatabase
) -> None:
    install(database)
    conn = empty_database.connect()
    legacy.build(conn)
    conn.execute("ALTER TABLE entity_facts RENAME TO facts_of_agents")
    assert configuration(table="facts_of_agents").settings.database.qualified_table[1]
    migrated(empty_database, table="facts_of_agents")
    assert described(conn) == described(database.connect())


def test_a_schema_that_a_stranger_made_beforehand_is_refused(database: TestDatabase) -> None:
    # Its owner could replace survival() by a function that makes him superuser when we call it.
    stranger = database.create_role()
    with database.connect() as conn:
        conn.execute(f"GRANT CREATE ON DATABASE {database.name} TO {stranger}".encode())
    with database.connect(user=stranger) as conn:
        conn.execute("CREATE SCHEMA memory_maintenance")
    with session(database, None) as opened, pytest.raises(Denied, match=stranger):
        schema.install(opened, FACTS)
    with database.connect() as conn:
        conn.execute("DROP SCHEMA memory_maintenance")
    assert install(database) == [file.version for file in schema.files()]


def test_a_schema_that_came_into_a_strangers_hands_is_refused_by_every_run(
    database: TestDatabase,
) -> None:
    migrated(database)
    stranger = database.create_role()
    with database.connect() as conn:
        conn.execute(f"ALTER SCHEMA memory_maintenance OWNER TO {stranger}".encode())
    with session(database, None) as opened:
        with pytest.raises(Denied, match=stranger):
            schema.require(opened, FACTS)
        with database.connect() as conn:  # the role is dropped after the test
            conn.execute("ALTER SCHEMA memory_maintenance OWNER TO CURRENT_USER")
        schema.require(opened, FACTS)


def test_the_tables_owner_may_own_our_schema_while_a_superuser_runs(
    database: TestDatabase,
) -> None:
    with database.connect() as conn:
        legacy.give_to_owner(conn)
        conn.execute(f"CREATE SCHEMA memory_maintenance AUTHORIZATION {legacy.OWNER}".encode())
    assert install(database) == [file.version for file in schema.files()]
