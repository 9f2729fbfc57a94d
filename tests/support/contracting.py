"""Phase contract in the tests' own process, what it is to find and how its traces are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from psycopg import sql

from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Run
from memory_maintenance.migration.contract import ContractOptions, blockers, contract
from memory_maintenance.migration.contract_record import ContractRecord, from_json
from memory_maintenance.migration.contract_result import Blocker, ContractResult
from memory_maintenance.migration.tables import Subject, archive_of
from memory_maintenance.model.mapping import TypeMap
from tests.support import legacy
from tests.support.migration import (
    IMPATIENT,
    Connection,
    configuration,
    migrated,
    session,
)
from tests.support.server import TestDatabase, legacy_template

QUIET = timedelta(hours=24)
EAGER = ContractOptions(force=True, patience=IMPATIENT)
KEEP = replace(EAGER, keep_dependents=True, accept=("merge_facts",))
LONG = ("long_term", "observation")
"""The defaults of the axes."""


@contextmanager
def contracting(
    database: TestDatabase,
    *,
    config: str = "",
    table: str | None = None,
    dry_run: bool = False,
    connect: Mapping[str, str] = MappingProxyType({}),
    emit: Callable[[int, int | None, str], None] = lambda *_: None,
) -> Iterator[tuple[Run, tuple[Subject, ...], TypeMap]]:
    """A run, the facts and their archive, and the map. config: YAML over the built-in one. connect: as for
    ``session``."""
    loaded = configuration(config, table)
    with session(database, loaded, **connect) as opened:
        facts = Subject(*loaded.settings.database.qualified_table)
        with runs.started(
            opened,
            loaded,
            command="migrate-types",
            table=facts.table,
            as_of=opened.clock(),
            dry_run=dry_run,
            emit=emit,
        ) as run:
            archive = archive_of(opened, facts)
            subjects = (facts,) if archive is None else (facts, archive)
            yield run, subjects, TypeMap(loaded.settings.data_type)


def contracted(
    database: TestDatabase,
    options: ContractOptions = EAGER,
    *,
    quiet: timedelta = QUIET,
    **how: Any,
) -> ContractResult:
    """The result of contract."""
    with contracting(database, **how) as (run, subjects, type_map):
        result = contract(run, subjects, type_map, options, quiet=quiet)
        runs.finished(run, result)
        return result


def blocking(
    database: TestDatabase, options: ContractOptions = EAGER, *, quiet: timedelta = QUIET
) -> tuple[Blocker, ...]:
    """What would block contract."""
    with contracting(database, dry_run=True) as (run, subjects, type_map):
        return blockers(run.session, subjects, type_map, options, quiet=quiet)


def simple(conn: Connection) -> None:
    """Leave nothing that depends on data_type, but for what goes with the column; no archive."""
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute("DROP FUNCTION merge_facts(integer, integer)")
    conn.execute("DROP FUNCTION purge_entity_facts_archive()")
    conn.execute("DROP TABLE entity_facts_archive CASCADE")


def one(conn: Connection, statement: str, *params: Any) -> Any:
    """The first value of the only row."""
    row = conn.execute(statement.encode(), params or None).fetchone()
    assert row is not None
    return row[0]


def rows(conn: Connection, statement: str) -> list[tuple[Any, ...]]:
    """All rows."""
    return conn.execute(statement.encode()).fetchall()


def columns(conn: Connection, table: str = "entity_facts") -> list[str]:
    """The columns of a table, in order."""
    found = conn.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped ORDER BY attnum",
        [table],
    )
    return [name for (name,) in found]


def triggers(conn: Connection, table: str = "entity_facts") -> list[str]:
    """Our triggers that are in force."""
    found = conn.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled <> 'D'"
        " AND tgname LIKE 'memory\\_maintenance%%' ORDER BY 1",
        [table],
    )
    return [name for (name,) in found]


def kept_aside(conn: Connection, table: str = "public.entity_facts") -> dict[str, str | None]:
    """The old values in data_type_backup, by key."""
    found = conn.execute(
        "SELECT fact_key, data_type FROM memory_maintenance.data_type_backup WHERE table_name = %s",
        [table],
    )
    return dict(found.fetchall())


def written_down(conn: Connection, table: str = "public.entity_facts") -> ContractRecord:
    """What contract wrote down for rollback."""
    kept = one(
        conn, "SELECT contract FROM memory_maintenance.migration WHERE table_name = %s", table
    )
    return from_json(kept)


def view_rows(conn: Connection, view: str) -> list[dict[str, Any]]:
    """What a view shows, by id."""
    return [row for (row,) in rows(conn, f"SELECT to_jsonb(v) FROM {view} AS v ORDER BY v.id")]


def simple_but_archive(conn: Connection) -> None:
    """Leave nothing that depends on data_type of the facts; the archive stays."""
    conn.execute("DROP VIEW delegation_knowledge")
    conn.execute("DROP FUNCTION merge_facts(integer, integer)")


def plain_database(database: TestDatabase) -> TestDatabase:
    """Makes of a legacy database that nobody has changed a migrated one on whose data_type nothing depends:
    3 identity, 2 permanent, 2 preference, 4 observation, 1 temporal, 1 NULL."""
    server = database.server
    database.become(server.template("plain", _make_plain, base=legacy_template(server)))
    return database


def _make_plain(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    legacy.legacy(
        conn,
        {"identity": 3, "permanent": 2, "preference": 2, "observation": 4, "temporal": 1, None: 1},
    )
    migrated(database)


FILTERING = (
    "CREATE VIEW identities AS SELECT id, value FROM entity_facts WHERE data_type = 'identity'"
)


def whole_database(database: TestDatabase) -> TestDatabase:
    """Makes of a legacy database that nobody has changed a migrated one with a partial index, a view that
    filters by data_type and a view on a view."""
    server = database.server
    database.become(server.template("whole", _make_whole, base=legacy_template(server)))
    return database


def _make_whole(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute("CREATE INDEX idx_decayed ON entity_facts (confidence) WHERE confidence < 1.0")
    conn.execute(FILTERING)
    conn.execute(
        "CREATE VIEW delegation_types AS SELECT id, value, data_type FROM delegation_knowledge"
        " WHERE value <> ''"
    )
    conn.execute("COMMENT ON COLUMN delegation_knowledge.data_type IS 'its kind'")
    conn.execute(f"GRANT SELECT ON delegation_types TO {legacy.READER} WITH GRANT OPTION".encode())
    entity = legacy.entity(conn, "first agent")
    assert entity == 1
    legacy.facts(
        conn,
        [
            {"entity_id": 1, "key": "agent_limit", "data_type": kind, "value": f"fact {n}"}
            for n, kind in enumerate(
                ["identity", "permanent", "preference", "temporal", "observation", None] * 2
            )
        ],
    )
    legacy.facts(
        conn,
        [{"id": n, "data_type": "identity"} for n in (1, 2)]
        + [{"id": 3, "data_type": "permanent"}],
        relation=sql.Identifier("public", "entity_facts_archive"),
    )
    migrated(database)


BLOCKERS: Mapping[str, tuple[str, str, str]] = {
    # what is made: the kind that it is, and its name.
    "CREATE VIEW v AS SELECT id, data_type FROM entity_facts": ("view", "public.v", "data_type"),
    "CREATE VIEW v AS SELECT data_type, count(*) FROM entity_facts GROUP BY 1": (
        "view",
        "public.v",
        "GROUP BY",
    ),
    "CREATE MATERIALIZED VIEW m AS SELECT data_type FROM entity_facts": (
        "materialized view",
        "public.m",
        "data_type",
    ),
    "CREATE INDEX i ON entity_facts (confidence) WHERE data_type = 'identity'": (
        "index",
        "public.i",
        "WHERE",
    ),
    "CREATE INDEX i ON entity_facts (entity_id, data_type)": ("index", "public.i", "data_type"),
    "ALTER TABLE entity_facts ADD CONSTRAINT u UNIQUE (id, data_type)": (
        "constraint",
        "u on public.entity_facts",
        "UNIQUE",
    ),
    "ALTER TABLE entity_facts ADD CONSTRAINT c CHECK (data_type <> key)": (
        "constraint",
        "c on public.entity_facts",
        "CHECK",
    ),
    "ALTER TABLE entity_facts ADD COLUMN g text GENERATED ALWAYS AS (lower(data_type)) STORED": (
        "generated column",
        "g on public.entity_facts",
        "lower",
    ),
    "CREATE STATISTICS s ON data_type, key FROM entity_facts": (
        "statistics",
        "public.s",
        "CREATE STATISTICS",
    ),
    "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS"
    " 'SELECT count(*) FROM public.entity_facts WHERE data_type IS NULL'": (
        "function",
        "public.f()",
        "data_type IS NULL",
    ),
    "CREATE TRIGGER t AFTER UPDATE OF data_type ON entity_facts"
    " FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()": (
        "trigger",
        "t on public.entity_facts",
        "OF data_type",
    ),
    f"GRANT SELECT (data_type) ON entity_facts TO {legacy.READER}": (
        "column grant",
        f"{legacy.READER} on public.entity_facts",
        "GRANT",
    ),
}
"""What is made, and what it is told to be: kind, name, and a part of its definition."""
