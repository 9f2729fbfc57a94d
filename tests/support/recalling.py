"""Memories with embeddings, and what is recalled of them.

remembering   a migrated database whose memory_embeddings has vectors of two dimensions, without rows
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.jobs.recall import RecallOptions, RecallResult, recall
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, DEFAULTS, migrated_template, opened
from tests.support.server import Connection, TestDatabase, TestServer, fresh_database

QUERY: Final = "[1, 0]"
"""What is looked for: the first number of a unit vector is its similarity to this."""


def add_embeddings(connection: Connection, *, schema: str = "public", dimensions: int = 2) -> None:
    """A table memory_embeddings as deployments have it, in the place of one without vectors."""
    table = sql.Identifier(schema, "memory_embeddings")
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("needs pgvector")
    connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
    connection.execute(
        sql.SQL(
            "CREATE TABLE {} (id serial PRIMARY KEY, source_type varchar(50) NOT NULL, source_id text,"
            " content text NOT NULL, confidence real DEFAULT 1.0, embedding public.vector({}),"
            " UNIQUE (source_type, source_id))"
        ).format(table, sql.Literal(dimensions))
    )


def embed(
    connection: Connection, key: Any, vector: Sequence[float] | str, kind: str = "entity_fact"
) -> None:
    """Store the embedding of a fact."""
    text = vector if isinstance(vector, str) else str(list(vector))
    connection.execute(
        "INSERT INTO memory_embeddings (source_type, source_id, content, embedding)"
        " VALUES (%s, %s, 'x', %s::text::vector)",
        [kind, str(key), text],
    )


def known(
    connection: Connection, vector: Sequence[float] = (1, 0), value: str = "x", **columns: Any
) -> int:
    """A fact confirmed at AS_OF, unless columns say when, with its embedding; its id."""
    row = {
        "category": "observation",
        "durability": "long_term",
        "value": value,
        "last_confirmed_at": AS_OF,
        "learned_at": AS_OF.replace(tzinfo=None),
    }
    key = facts(connection, [row | columns])[0]
    embed(connection, key, vector)
    return key


def recalled(
    database: TestDatabase,
    loaded: Loaded = DEFAULTS,
    *,
    as_of: datetime = AS_OF,
    role: str | None = None,
    **options: Any,
) -> RecallResult:
    """``recall`` at an instant, of QUERY unless options say what."""
    if "text" not in options:
        options.setdefault("embedding", QUERY)
    with opened(database, loaded, role=role) as session:
        return recall(session, loaded, RecallOptions(**options), as_of=as_of)


def ids(result: RecallResult) -> list[Any]:
    """The facts, best first."""
    return [found.id for found in result.results]


def publish(database: TestDatabase, loaded: Loaded = DEFAULTS) -> None:
    """Have the function ``recall`` reckon by a configuration."""
    recalled(database, loaded, text="nothing", record=False)


@pytest.fixture
def remembering(server: TestServer) -> Iterator[TestDatabase]:
    """A migrated database with embeddings of two dimensions, without rows."""

    def make(database: TestDatabase) -> None:
        add_embeddings(database.connect())
        publish(database)

    template = server.template("remembering", make, base=migrated_template(server))
    with fresh_database(server, template) as fresh:
        yield fresh
