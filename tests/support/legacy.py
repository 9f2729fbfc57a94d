"""Databases as the tool meets them, and rows for them.

``build`` makes the legacy state of a deployment, ``current`` the state after the predecessor's own
migration; both in an empty database, in schema public. The row builders work on either: they insert
what a test names and leave the rest to the columns' defaults, as an extractor would.

Roles are shared by all databases of a server, and tests run in parallel: they are created once and
never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.database.statements import load

AGENT: Final = "mm_agent"
"""May do DML on the memory tables and use their sequences; owns nothing, no right to create."""

READER: Final = "mm_reader"
"""May read the memory tables and their views."""

OWNER: Final = "mm_owner"
"""No superuser. Owns everything in schema public after ``give_to_owner``, nothing before."""

FACTS: Final = sql.Identifier("public", "entity_facts")

_HERE: Final = Path(__file__).parent


def build(conn: psycopg.Connection[Any]) -> None:
    """Make the whole legacy schema and its grants in an empty database; no rows."""
    with conn.transaction():
        for name in (
            "surroundings",
            "legacy_schema",
            "legacy_keys",
            "trigram_index",
            "other_memory",
        ):
            conn.execute(load(f"demo/{name}"))
        _grant(conn)
        conn.execute(
            sql.SQL("GRANT SELECT ON public.delegation_knowledge TO {}").format(
                sql.Identifier(AGENT)
            )
        )


def current(conn: psycopg.Connection[Any]) -> None:
    """Make the schema as the predecessor's own migration leaves it, in an empty database; no rows.

    Both axes are NOT NULL with defaults, data_type is gone, extraction_count, expires and
    entity_fact_sources are there.
    """
    with conn.transaction():
        conn.execute(load("demo/surroundings"))
        conn.execute((_HERE / "current_schema.sql").read_bytes())
        conn.execute((_HERE / "fact_sources.sql").read_bytes())
        conn.execute(load("demo/trigram_index"))
        conn.execute(load("demo/other_memory"))
        _grant(conn)


def add_fact_sources(conn: psycopg.Connection[Any]) -> None:
    """Add entity_fact_sources, the child whose rows go with their fact, to a legacy database."""
    with conn.transaction():
        conn.execute((_HERE / "fact_sources.sql").read_bytes())
        _grant(conn)


def give_to_owner(conn: psycopg.Connection[Any], role: str = OWNER) -> None:
    """Make a role that is no superuser the owner of schema public and of all that is in it.

    It may also create schemas in this database, which is what a migration needs.
    """
    with conn.transaction():
        _create_role(conn, role)
        conn.execute("SELECT set_config('mm_test.owner', %s, true)", [role])
        conn.execute((_HERE / "give_to_owner.sql").read_bytes())


def _grant(conn: psycopg.Connection[Any]) -> None:
    for role in (AGENT, READER, OWNER):
        _create_role(conn, role)
    agent, reader = sql.Identifier(AGENT), sql.Identifier(READER)
    for statement in (
        "GRANT USAGE ON SCHEMA public TO {agent}, {reader}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON public.entity_facts TO {agent}",
        "GRANT SELECT, INSERT, UPDATE ON public.entities TO {agent}",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {agent}",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}",
    ):
        conn.execute(sql.SQL(statement).format(agent=agent, reader=reader))


def _create_role(conn: psycopg.Connection[Any], role: str) -> None:
    # Another test may create it between our look and our attempt: unique_violation then.
    # Only a superuser may SET ROLE to it without being a member.
    conn.execute(
        sql.SQL(
            """
            DO $block$
            BEGIN
                IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {name}) THEN
                    CREATE ROLE {role} NOLOGIN;
                END IF;
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN
                    NULL;
            END;
            $block$;
            """
        ).format(name=sql.Literal(role), role=sql.Identifier(role))
    )


def entity(conn: psycopg.Connection[Any], name: str, kind: str = "person") -> int:
    """Id of the entity of that name and type, which is created where it is missing."""
    row = conn.execute(
        "INSERT INTO public.entities (name, type) VALUES (%s, %s)"
        " ON CONFLICT (name, type) DO UPDATE SET name = excluded.name RETURNING id",
        [name, kind],
    ).fetchone()
    assert row is not None
    return int(row[0])


def facts(
    conn: psycopg.Connection[Any],
    rows: Iterable[Mapping[str, Any]],
    *,
    relation: sql.Composable = FACTS,
) -> list[int]:
    """Insert rows, each with the columns it names, and return their ids in the same order.

    key and value are filled in where a row lacks them; every other column that isn't named gets its
    default. Dicts and lists for data are written as JSON; None is NULL, not the default.
    """
    complete = [{"key": "note", "value": f"fact {n}", **row} for n, row in enumerate(rows, start=1)]
    ids: list[int] = []
    with conn.transaction(), conn.cursor() as cursor:
        for columns, group in groupby(complete, key=tuple):
            statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING id").format(
                relation,
                sql.SQL(", ").join(map(sql.Identifier, columns)),
                sql.SQL(", ").join(sql.Placeholder() * len(columns)),
            )
            parameters = [[_adapt(c, row[c]) for c in columns] for row in group]
            cursor.executemany(statement, parameters, returning=True)
            while True:
                ids += [row[0] for row in cursor.fetchall()]
                if not cursor.nextset():
                    break
    return ids


def legacy(
    conn: psycopg.Connection[Any],
    counts: Mapping[str | None, int],
    *,
    relation: sql.Composable = FACTS,
) -> dict[str | None, list[int]]:
    """Insert that many rows of each data_type, and return their ids by data_type.

    None makes rows whose data_type is NULL.
    """
    statement = sql.SQL(
        "INSERT INTO {} (key, value, data_type)"
        " SELECT 'note', concat('fact ', n, ' of type ', coalesce(%(type)s::text, 'NULL')),"
        " %(type)s"
        " FROM generate_series(1, %(rows)s) AS n RETURNING id"
    ).format(relation)
    with conn.transaction():
        return {
            data_type: [
                row[0] for row in conn.execute(statement, {"type": data_type, "rows": rows})
            ]
            for data_type, rows in counts.items()
        }


def _adapt(column: str, value: Any) -> Any:
    return Jsonb(value) if column == "data" and isinstance(value, dict | list) else value
