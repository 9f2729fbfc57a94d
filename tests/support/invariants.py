"""The one place that says whether a maintained database is sound.

What is stored is held against the reference in plain Python, not against the SQL that wrote it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from psycopg.rows import dict_row

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import relation as relations
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from tests.support import reference
from tests.support.reference import Fact, Rules

_ROUNDING: Final = 1e-12
"""How far two ways to the same double may be apart."""

_ROUNDING_OF_REAL: Final = 1e-7

_ADOPTED = "SELECT count(*) FROM memory_maintenance.adoption WHERE table_name = %s"

_INSTANTS: Final = {
    "confidence_anchor_at",
    "last_confirmed_at",
    "learned_at",
    "last_accessed_at",
    "expires",
}
_NUMBERS: Final = {"confidence", "confidence_base", "confidence_written", "decay_rate"}


def unsound(session: Session, loaded: Loaded, as_of: datetime) -> list[str]:
    """What is wrong with the database after a whole pass at as_of; empty where it is sound.

    loaded: the configuration of that pass. Nobody else may be at work on the database.
    """
    return [*_of_facts(session, loaded, as_of), *_of_runs(session)]


def _of_facts(session: Session, loaded: Loaded, as_of: datetime) -> list[str]:
    schema, name = loaded.settings.database.qualified_table
    table = relations.qualified_name(schema, name)
    if session.connection.execute(_ADOPTED, [table]).fetchone() != (1,):
        return ["the table was never adopted"]
    relation = relations.resolve(session, schema, name)
    rules = Rules.of(loaded.settings, real=relation.columns["confidence"].type == "real")
    now = reference.micros(as_of)
    return [
        f"fact {key}: {complaint}"
        for key, fact in _facts(session, relation)
        if not reference.unsound(fact, rules)
        for complaint in _of_fact(fact, rules, now)
    ]


def _facts(session: Session, relation: Relation) -> Iterator[tuple[Any, Fact]]:
    """All rows by key, as the reference takes them."""
    names = [field.name for field in dataclasses.fields(Fact) if relation.has(field.name)]
    columns = [_column(relation, name) for name in names]
    statement = sql.SQL("SELECT f.{} AS own_key, {} FROM {} AS f ORDER BY 1").format(
        relation.key_identifier, sql.SQL(", ").join(columns), relation.identifier
    )
    zone = {"zone": session.zoneless_timezone}
    with session.connection.cursor(row_factory=dict_row) as cursor:
        for row in cursor.execute(statement, zone):
            yield row.pop("own_key"), Fact(**row)


def _column(relation: Relation, name: str) -> sql.Composed:
    column = sql.SQL("f.{}").format(sql.Identifier(name))
    if name in _INSTANTS:
        if relation.columns[name].type != "timestamp with time zone":
            column = sql.SQL("({}::timestamp AT TIME ZONE %(zone)s)").format(column)
        column = sql.SQL(
            "CASE WHEN isfinite({0}) THEN (extract(epoch FROM {0}) * 1000000)::bigint"
            " ELSE date_part('epoch', {0}) END"
        ).format(column)
    elif name in _NUMBERS:
        column = sql.SQL("{}::float8").format(column)
    return sql.SQL("{} AS {}").format(column, sql.Identifier(name))


def _of_fact(fact: Fact, rules: Rules, now: float) -> list[str]:
    """Confidence may lag behind by less than min_delta; importance may not."""
    if fact.confidence != fact.confidence_written:
        return [
            f"written is {fact.confidence_written}, stored {fact.confidence}: an outside write "
            "was not seen"
        ]
    if fact.confidence_base is None or fact.confidence_anchor_at is None:
        return [f"base is {fact.confidence_base}, anchor {fact.confidence_anchor_at}"]
    complaints = []
    stored = 1.0 if fact.confidence is None else fact.confidence
    value = reference.confidence(fact, rules, now)
    rounding = _ROUNDING_OF_REAL if rules.real else _ROUNDING
    if abs(stored - value) >= max(rules.min_delta, rounding):
        complaints.append(f"confidence {stored} is not the reference's {value}")
    if (stored < rules.threshold) != (value < rules.threshold) and abs(stored - value) > rounding:
        complaints.append(f"confidence {stored} and {value} lie on two sides of the threshold")
    if stored > fact.confidence_base + max(rules.min_delta, rounding):
        complaints.append(f"confidence {stored} is above its base {fact.confidence_base}")
    if fact.confidence_anchor_at > now:
        complaints.append("its anchor is later than the pass")
    importance = reference.effective_importance(fact, rules, now)
    if fact.effective_importance != importance:
        complaints.append(f"effective importance is {fact.effective_importance}, not {importance}")
    return complaints


def _of_runs(session: Session) -> list[str]:
    connection = session.connection
    running = connection.execute(
        "SELECT r.id, r.command FROM memory_maintenance.run AS r WHERE r.status = 'running'"
    ).fetchall()
    locks = connection.execute(
        "SELECT l.pid FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database"
        " WHERE l.locktype = 'advisory' AND d.datname = current_database()"
    ).fetchall()
    open_transactions = connection.execute(
        "SELECT a.pid FROM pg_stat_activity AS a WHERE a.datname = current_database()"
        " AND a.application_name LIKE 'memory-maintenance%' AND a.pid <> pg_backend_pid()"
    ).fetchall()
    return [
        *(
            f"run {number} ({command}) is 'running' and nobody is at it"
            for number, command in running
        ),
        *(f"server process {pid} still holds an advisory lock" for (pid,) in locks),
        *(f"server process {pid} of a run is still there" for (pid,) in open_transactions),
    ]


def assert_sound(session: Session, loaded: Loaded, as_of: datetime) -> None:
    """AssertionError with all that is wrong."""
    found = unsound(session, loaded, as_of)
    assert not found, "\n".join(found[:20])
