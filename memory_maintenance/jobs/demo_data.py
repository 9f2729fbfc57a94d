"""Makes a demo: a legacy memory with the reference deployment's counts, or a million facts.

A demo is never built over somebody's memory. The database it goes into has none of the demo's
tables, or it bears a mark that the demo itself left there: a comment on the database. A database
that is created from this one as a template does not inherit the mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import class_row, tuple_row

from memory_maintenance.database.statements import load
from memory_maintenance.errors import Denied, UsageError

MARK: Final = "memory-maintenance demo: safe to drop"
"""The comment on a database that holds nothing but a demo."""

MAX_ROWS: Final = 100_000_000
"""Beyond it the generator's arithmetic is untried."""

_RELATIONS: Final = (
    "channel_sessions",
    "channel_transcripts",
    "delegation_knowledge",
    "entities",
    "entity_facts",
    "entity_facts_archive",
    "events",
    "lessons",
    "memory_embeddings",
    "v_entity_facts",
    "v_users",
)
# PostgreSQL gives this one to every cluster's database "postgres"; it says nothing about its use.
_COMMENT_OF_INITDB: Final = "default administrative connection database"
_CHUNK_ROWS: Final = 100_000
_FACTS_PER_PERSON: Final = 20
_FEWEST_PEOPLE, _MOST_PEOPLE = 28, 5_000


@dataclass(frozen=True, slots=True)
class DemoData:
    """What was made: numbers of entities and facts, facts by data_type (None: NULL), the instant
    that all ages are relative to."""

    entities: int
    facts: int
    by_data_type: Mapping[str | None, int]
    as_of: datetime


class _Found(NamedTuple):
    database: str
    role: str
    comment: str | None
    occupied: list[str]


def build(
    connection: psycopg.Connection[Any],
    *,
    rows: int = 570,
    extras: bool = True,
    again: bool = False,
    as_of: datetime | None = None,
) -> DemoData:
    """Build the demo in one transaction: all of it or nothing.

    rows: how many facts, 1 to MAX_ROWS; every 570 of them have the reference counts. extras: add
    examples of the proposed types and awkward rows (chk_data_type is widened for the former, as in
    a deployment that adopted the proposal). again: replace an earlier demo. as_of: the demo's
    present, aware; the server's clock where None. Same arguments, same rows.

    Raises UsageError where the database holds anything that a demo must not touch, Denied where the
    role may not mark the database.
    """
    if not 1 <= rows <= MAX_ROWS:
        raise UsageError(
            f"a demo of {rows} facts can't be made", remedy=f"--rows takes 1 to {MAX_ROWS}"
        )
    with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        if refuse_unless_demo(connection):
            if not again:
                raise UsageError(
                    "this database holds a demo already",
                    remedy="add --again to drop it and build a new one",
                )
            _drop(cursor)
        _mark(connection)
        cursor.execute(load("demo/settings"))
        present = as_of if as_of is not None else _server_clock(cursor)
        for name in ("surroundings", "legacy_schema", "other_memory"):
            cursor.execute(load(f"demo/{name}"))
        _load_rows(cursor, rows, present)
        for name in ("legacy_keys", "trigram_index"):
            cursor.execute(load(f"demo/{name}"))
        if extras:
            cursor.execute(load("demo/proposed_check"))
            cursor.execute(load("demo/proposed_types"), {"as_of": present})
            cursor.execute(load("demo/awkward"), {"as_of": present})
        cursor.execute(load("demo/analyze"))
        return _count(cursor, present)


def refuse_unless_demo(connection: psycopg.Connection[Any]) -> bool:
    """True where an earlier demo may be replaced, False where there is room for a first one.

    Raises UsageError where the database holds a table of a demo's name, or our schema, or bears a
    comment of somebody else's, without the mark.
    """
    found = _look(connection)
    if found.comment == MARK:
        return bool(found.occupied)
    elsewhere = (
        "give the demo a database of its own: --dsn embedded:,"
        " or createdb demo and --dsn dbname=demo"
    )
    if found.occupied:
        raise UsageError(
            f'database "{found.database}" is no demo: it holds {_listed(found.occupied)}',
            remedy=elsewhere,
        )
    if found.comment not in (None, _COMMENT_OF_INITDB):
        raise UsageError(
            f'database "{found.database}" has a comment that the demo would overwrite',
            remedy=elsewhere,
        )
    return False


def _look(connection: psycopg.Connection[Any]) -> _Found:
    with connection.cursor(row_factory=class_row(_Found)) as cursor:
        cursor.execute(load("demo/found"), {"tables": list(_RELATIONS)})
        found = cursor.fetchone()
    assert found is not None
    return found


def _mark(connection: psycopg.Connection[Any]) -> None:
    found = _look(connection)
    try:
        connection.execute(
            load("demo/mark", database=sql.Identifier(found.database), marker=sql.Literal(MARK))
        )
    except psycopg.errors.InsufficientPrivilege as error:
        raise Denied(
            f'role "{found.role}" does not own database "{found.database}" and so can\'t mark it as'
            " a demo",
            remedy="connect as its owner, or give the demo a database of its own: --dsn embedded:",
        ) from error


def _drop(cursor: psycopg.Cursor[tuple[Any, ...]]) -> None:
    try:
        cursor.execute(load("demo/drop"))
    except psycopg.errors.DependentObjectsStillExist as error:
        detail = " ".join((error.diag.message_detail or "").split())
        raise UsageError(
            f"the earlier demo is in use by other objects: {detail}",
            remedy="drop these objects, or give the demo a new database",
        ) from error


def _server_clock(cursor: psycopg.Cursor[tuple[Any, ...]]) -> datetime:
    row = cursor.execute(load("session/clock")).fetchone()
    assert row is not None
    present: datetime = row[0]
    return present


def _load_rows(cursor: psycopg.Cursor[tuple[Any, ...]], rows: int, present: datetime) -> None:
    people = max(_FEWEST_PEOPLE, min(rows // _FACTS_PER_PERSON, _MOST_PEOPLE))
    cursor.execute(load("demo/entities"), {"people": people, "as_of": present})
    cursor.execute(load("demo/conversations"), {"as_of": present})
    facts = load("demo/facts")
    # In pieces, each of which sorts in memory.
    for first in range(1, rows + 1, _CHUNK_ROWS):
        last = min(first + _CHUNK_ROWS - 1, rows)
        cursor.execute(facts, {"first": first, "last": last, "as_of": present})


def _count(cursor: psycopg.Cursor[tuple[Any, ...]], present: datetime) -> DemoData:
    counted = cursor.execute(load("demo/counts")).fetchall()
    return DemoData(
        entities=counted[0][2],
        facts=sum(row[1] for row in counted),
        by_data_type=MappingProxyType({row[0]: row[1] for row in counted}),
        as_of=present,
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
