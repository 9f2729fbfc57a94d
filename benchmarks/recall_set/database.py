"""Memories with embeddings, for recall: the set itself, and a large one around its vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg

from benchmarks.measuring import Server
from benchmarks.recall_set import DIMENSIONS, Fact, Vector

_NOISE: Final = 4000
_TABLE: Final = f"""
CREATE EXTENSION IF NOT EXISTS vector;
DROP TABLE IF EXISTS memory_embeddings;
CREATE TABLE memory_embeddings (
    id serial PRIMARY KEY, source_type varchar(50) NOT NULL, source_id text, content text NOT NULL,
    embedding vector({DIMENSIONS}),
    created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(),
    confidence real DEFAULT 1.0, last_confirmed_at timestamptz DEFAULT now(), UNIQUE (source_type, source_id)
);
"""
INDEX: Final = """
CREATE INDEX memory_embeddings_hnsw ON memory_embeddings USING hnsw (embedding vector_cosine_ops)
"""
_FACT: Final = """
INSERT INTO entity_facts (
    id, entity_id, key, value, durability, category, importance, importance_scored_at,
    learned_at, last_confirmed_at, last_accessed_at, expires
) VALUES (
    %(id)s, NULL, %(key)s, %(value)s, %(durability)s, %(category)s, %(importance)s,
    %(confirmed)s::timestamptz, %(confirmed)s::timestamptz, %(confirmed)s::timestamptz,
    %(accessed)s::timestamptz, %(due)s::timestamptz
)
"""
_EMBEDDING: Final = """
INSERT INTO memory_embeddings (source_type, source_id, content, embedding)
VALUES ('entity_fact', %s, %s, %s::vector)
"""
# Each fact lies near two of the set's vectors, nearer to the first, with noise atop: about as unlike each
# other, and as like the questions, as the texts of a memory are.
_LARGE: Final = """
INSERT INTO memory_embeddings (source_type, source_id, content, embedding)
SELECT
    'entity_fact', f.id::text, f.key || ': ' || f.value,
    l2_normalize(a.embedding + b.embedding + n.embedding)
FROM entity_facts AS f
JOIN near AS a ON a.id = f.id %% %(near)s
JOIN far AS b ON b.id = f.id / %(near)s %% %(near)s
JOIN noise AS n ON n.id = f.id * 31 %% %(noise)s
ORDER BY f.id
"""


def migrated(server: Server, database: str, *, rows: int) -> None:
    """A memory with all our columns, from the demo's facts, and an empty table of embeddings."""
    server.command(database, "demo", "--rows", str(rows))
    server.command(database, "migrate-types")
    with server.connect(database) as connection:
        connection.execute(_TABLE.encode())


def publish(server: Server, database: str, *options: str) -> None:
    """Has the command write down, for the SQL function, how recall works on this memory."""
    server.command(database, "recall", "--text", "hello", "--no-record", *options)


def fill(
    connection: psycopg.Connection[Any], facts: Sequence[Fact], vectors: Sequence[Vector]
) -> datetime:
    """The set in place of what was there. Returns the instant that all ages count back from."""
    row = connection.execute("SELECT now()").fetchone()
    assert row is not None
    as_of: datetime = row[0]
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM entity_facts")
        cursor.executemany(_FACT, [_row(fact, as_of) for fact in facts])
        cursor.executemany(
            _EMBEDDING,
            [(str(f.id), f.text, literal(v)) for f, v in zip(facts, vectors, strict=True)],
        )
    return as_of


def _row(fact: Fact, as_of: datetime) -> dict[str, Any]:
    return {
        "id": fact.id,
        "key": fact.key,
        "value": f"{fact.about}: {fact.value}",
        "durability": fact.durability,
        "category": fact.category,
        "importance": fact.importance,
        "confirmed": as_of - timedelta(days=fact.updated),
        "accessed": None if fact.accessed is None else as_of - timedelta(days=fact.accessed),
        "due": None if fact.due is None else as_of + timedelta(days=fact.due),
    }


def embed_all(connection: psycopg.Connection[Any], vectors: Sequence[Vector]) -> None:
    """An embedding for every fact, and the index over them."""
    drawn = random.Random(1)
    noise = [
        [drawn.gauss(0, 0.6 / DIMENSIONS**0.5) for _ in range(DIMENSIONS)] for _ in range(_NOISE)
    ]
    with connection.transaction():
        for name, pool in (
            ("near", vectors),
            ("far", [[x / 2 for x in vector] for vector in vectors]),
            ("noise", noise),
        ):
            _pool(connection, name, pool)
        connection.execute(_LARGE, {"near": len(vectors), "noise": _NOISE})
    connection.execute("SET maintenance_work_mem = '1GB'")
    connection.execute(INDEX.encode())
    connection.execute("VACUUM (ANALYZE) entity_facts")
    connection.execute("VACUUM (ANALYZE) memory_embeddings")


def _pool(connection: psycopg.Connection[Any], name: str, pool: Sequence[Sequence[float]]) -> None:
    columns = f"id int PRIMARY KEY, embedding vector({DIMENSIONS})"
    connection.execute(f"CREATE TEMP TABLE {name} ({columns}) ON COMMIT DROP".encode())
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN".encode()) as copy:
        for number, vector in enumerate(pool):
            copy.write_row((number, literal(vector)))


def literal(vector: Sequence[float]) -> str:
    """As pgvector reads it."""
    return "[" + ",".join(f"{x:.7g}" for x in vector) + "]"
