"""migrate-types in the tests' own process, and what a migration may not have changed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memory_maintenance.config.load import Loaded, load
from memory_maintenance.database.session import Session, open_session
from memory_maintenance.database.target import resolve
from memory_maintenance.engine.retry import Patience
from memory_maintenance.jobs import STEPS
from memory_maintenance.migration.contract_result import ContractResult
from memory_maintenance.migration.migrate import MigrateOptions, migrate
from memory_maintenance.migration.result import MigrateResult
from memory_maintenance.migration.rollback_result import RollbackResult
from tests.support import legacy
from tests.support.server import TestDatabase

PRODUCTION: Mapping[str | None, int] = {
    "permanent": 84,
    "identity": 82,
    "preference": 4,
    "observation": 400,
}
"""The reference deployment's facts by data_type (spec 1)."""

# Two tries and no time between them: for tests that want to see retries used up.
IMPATIENT = Patience(attempts=2, first_delay_s=0.01, longest_delay_s=0.01)

AS_OWNER = MappingProxyType({"options": f"-c role={legacy.OWNER}"})
"""How to connect as the owner of the table after legacy.give_to_owner, who is no superuser."""

Connection = psycopg.Connection[Any]


def configuration(text: str = "", table: str | None = None) -> Loaded:
    """The built-in configuration, overlaid by a YAML text."""
    overrides = {} if table is None else {"database.table": table}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "memory-maintenance.yaml"
        path.write_text(text)
        return load(path, environ={}, overrides=overrides, steps=frozenset(STEPS))


@contextmanager
def session(
    database: TestDatabase, loaded: Loaded | None = None, **parameters: str
) -> Iterator[Session]:
    """A session as migrate-types opens it. parameters: of the connection, such as user."""
    loaded = loaded or configuration()
    target = resolve(
        dsn=make_conninfo(database.dsn, **parameters),
        environ={},
        settings_dsn=None,
        settings_source="",
        home=Path("/nonexistent"),
    )
    with open_session(
        target,
        loaded.settings.database,
        application_name="memory-maintenance migrate-types",
    ) as opened:
        yield opened


def migrated(
    database: TestDatabase,
    *,
    config: str = "",
    table: str | None = None,
    dry_run: bool = False,
    options: MigrateOptions = MigrateOptions(),  # noqa: B008 - frozen
    connect: Mapping[str, str] = MappingProxyType({}),
) -> MigrateResult:
    """The result of migrate-types. config: YAML over the built-in one. connect: as for session."""
    loaded = configuration(config, table)
    with session(database, loaded, **connect) as opened:
        result = migrate(
            opened,
            loaded,
            options,
            as_of=opened.clock(),
            dry_run=dry_run,
            emit=lambda *_: None,
        )
    return cast(MigrateResult, result)


def rolled_back(database: TestDatabase, **how: Any) -> RollbackResult:
    """The result of phase rollback. how: as for migrated, without options."""
    result: Any = migrated(database, options=MigrateOptions(phase="rollback"), **how)
    assert isinstance(result, RollbackResult)
    return result


def contracted(
    database: TestDatabase,
    options: MigrateOptions = MigrateOptions(force=True),  # noqa: B008 - frozen
    **how: Any,
) -> ContractResult:
    """The result of phase contract. how: as for migrated."""
    result: Any = migrated(database, options=replace(options, phase="contract"), **how)
    assert isinstance(result, ContractResult)
    return result


def counts(
    conn: Connection, table: str = "public.entity_facts"
) -> dict[tuple[str | None, str | None], int]:
    """Facts by durability and category."""
    statement = "SELECT durability, category, count(*) FROM {} GROUP BY 1, 2"
    rows = conn.execute(statement.format(table).encode()).fetchall()
    return {(durability, category): n for durability, category, n in rows}


def columns_of(conn: Connection, table: str = "entity_facts") -> dict[str, tuple[str, bool, Any]]:
    """Type, NOT NULL and default of each column."""
    rows = conn.execute(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
        " pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d"
        " ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
        " WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped",
        [table],
    )
    return {name: (kind, not_null, default) for name, kind, not_null, default in rows}


def contents(conn: Connection, columns: str = "f", table: str = "public.entity_facts") -> list[Any]:
    """The rows by id, each as JSON text. columns: of f; all where not given."""
    statement = f"SELECT to_jsonb({columns})::text FROM {table} AS f ORDER BY f.id"
    return [row[0] for row in conn.execute(statement.encode())]


def catalog(conn: Connection) -> Mapping[str, list[Any]]:
    """What the catalog holds outside of PostgreSQL's own schemas, versions of rows included.

    Equal before and after exactly where no DDL was committed in between.
    """
    found = {}
    for name, where in (
        ("pg_class", "relnamespace NOT IN ({})"),
        ("pg_attribute", "attrelid IN (SELECT oid FROM pg_class WHERE relnamespace NOT IN ({}))"),
        ("pg_constraint", "connamespace NOT IN ({})"),
        ("pg_trigger", "true"),
        ("pg_proc", "pronamespace NOT IN ({})"),
        ("pg_namespace", "oid NOT IN ({})"),
        ("pg_attrdef", "true"),
    ):
        system = "SELECT oid FROM pg_namespace WHERE nspname ~ '^(pg_|information_schema)'"
        # xmin tells a row that was replaced by an equal one. Of a relation only what DDL sets:
        # VACUUM and ANALYZE write there too.
        what = "oid, relname, relkind, relnatts" if name == "pg_class" else "xmin::text, t.*::text"
        statement = f"SELECT {what} FROM {name} AS t WHERE {where.format(system)} ORDER BY t::text"
        if name == "pg_class":
            statement = f"SELECT {what} FROM pg_class WHERE {where.format(system)} ORDER BY oid"
        found[name] = conn.execute(statement.encode()).fetchall()
    return found


def unclassified(
    database: TestDatabase,
    *,
    config: str = "",
    connect: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Leave the table as expand leaves it: columns and triggers there, backfill yet to come."""
    loaded = configuration(config)
    with session(database, loaded, **connect) as opened:
        stop_after_expand(opened, loaded)


def stop_after_expand(opened: Session, loaded: Loaded) -> None:
    """Run migrate-types as far as the end of its first transaction."""
    from memory_maintenance.database import schema
    from memory_maintenance.migration import expand, record, state
    from memory_maintenance.migration.tables import Subject, archive_of
    from memory_maintenance.model.mapping import TypeMap

    subject = Subject(*loaded.settings.database.qualified_table)
    schema.install(opened, (subject.schema, subject.name))
    for table in filter(None, (subject, archive_of(opened, subject))):
        found = state.read(opened, table.resolve(opened))
        type_map = TypeMap(loaded.settings.data_type)
        noted = record.start(
            opened,
            table.table,
            type_map=type_map.as_json(),
            columns=expand.added_columns(table, found),
            constraints=expand.added_constraints(table, found),
            former=expand.former(table, found),
        )
        with opened.transaction():
            for action in (noted, *expand.plan(opened, table, found, type_map)):
                opened.execute(action.statement, action.params)


def identifier(name: str) -> sql.Identifier:
    """A dotted plain name as an identifier."""
    return sql.Identifier(*name.split("."))
