"""The one place that says whether a maintained database is sound."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from psycopg import sql
from psycopg.rows import dict_row

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import projection
from memory_maintenance.database import relation as relations
from memory_maintenance.database.projection import Instant
from memory_maintenance.database.session import Session
from memory_maintenance.engine import ledger

_COMPARED = """
SELECT p.*, f.confidence, f.confidence_base, f.confidence_anchor_at, f.confidence_written,
    f.effective_importance AS stored_effective
FROM ({projection}) AS p
JOIN {facts} AS f ON f.{key} = p.key
ORDER BY p.key
"""


def unsound(session: Session, loaded: Loaded, as_of: datetime) -> list[str]:
    """What is wrong with the database after a whole pass at as_of; empty where it is sound.

    loaded: the configuration of that pass. Nobody else may be at work on the database.
    """
    return [*_of_facts(session, loaded, as_of), *_of_runs(session)]


def _of_facts(session: Session, loaded: Loaded, as_of: datetime) -> list[str]:
    settings = loaded.settings
    schema, name = settings.database.qualified_table
    relation = relations.resolve(session, schema, name)
    table = relations.qualified_name(schema, name)
    adopted_at = ledger.adopted_at(session, table)
    if adopted_at is None:
        return ["the table was never adopted"]
    instant = Instant(as_of, adopted_at, ledger.previous_pass(session, table))
    parameters = projection.parameters(
        settings,
        projection.policy_table(settings),
        instant,
        zone=session.zoneless_timezone,
    )
    rows = sql.SQL("({})").format(projection.reading(session, relation))
    statement = sql.SQL(_COMPARED).format(
        projection=projection.projection(session, relation, rows),
        facts=relation.identifier,
        key=relation.key_identifier,
    )
    with session.connection.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(statement, parameters).fetchall()
    min_delta = settings.confidence.min_delta
    return [
        f"fact {row['key']}: {complaint}"
        for row in found
        if row["problem"] is None
        for complaint in _of_fact(row, min_delta, settings.archive.threshold)
    ]


def _of_fact(row: dict[str, Any], min_delta: float, threshold: float) -> list[str]:
    stored = 1.0 if row["confidence"] is None else float(row["confidence"])
    value = float(row["value"])
    base = row["confidence_base"]
    complaints = []
    if abs(stored - value) >= max(min_delta, 1e-12):
        complaints.append(f"confidence {stored} is not the projection's {value}")
    if (stored < threshold) != (value < threshold):
        complaints.append(f"confidence {stored} and {value} lie on two sides of the threshold")
    if base is None or not 0 <= base <= 1:
        complaints.append(f"base is {base}")
    elif stored > base + max(min_delta, 1e-12):
        complaints.append(f"confidence {stored} is above its base {base}")
    if row["confidence"] != row["confidence_written"]:
        complaints.append(
            f"written is {row['confidence_written']}, stored {row['confidence']}: an outside write "
            "was not seen"
        )
    if row["confidence_anchor_at"] is None:
        complaints.append("there is no anchor")
    if row["stored_effective"] != row["effective_importance"]:
        complaints.append(
            f"effective importance is {row['stored_effective']}, not {row['effective_importance']}"
        )
    if row["due"]:
        complaints.append("it is due again at the instant of the pass")
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
