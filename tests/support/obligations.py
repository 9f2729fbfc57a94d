"""Obligations on a test's database: made, expired, looked at."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.engine import run as runs
from memory_maintenance.jobs import obligations as job
from memory_maintenance.jobs.obligations import ExpireOptions, ExpireResult
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, EXACT, ago, opened
from tests.support.server import Connection, TestDatabase

Event = tuple[str, str, dict[str, Any]]

LEARNED: Final = ago(days=60)
"""When obligations of the tests were learned: April 2, 2026."""


def owe(connection: Connection, value: str, **columns: Any) -> int:
    """Make an obligation, learned 60 days ago unless columns say when; its id."""
    row = {
        "durability": "short_term",
        "category": "obligation",
        "value": value,
        "learned_at": LEARNED.replace(tzinfo=None),
        "last_confirmed_at": LEARNED,
    }
    return facts(connection, [row | columns])[0]


def expire(
    database: TestDatabase,
    as_of: datetime = AS_OF,
    loaded: Loaded = EXACT,
    *,
    batch_rows: int | None = None,
    dry_run: bool = False,
    role: str | None = None,
) -> ExpireResult:
    """``expire-obligations`` at an instant."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(
            session,
            loaded,
            command="expire-obligations",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=as_of,
            dry_run=dry_run,
            emit=runs.silent,
        ) as run,
    ):
        result = job.expire(run, ExpireOptions(batch_rows))
        runs.finished(run, result)
        return result


def events(connection: Connection, fact: Any | None = None) -> list[Event]:
    """fact, kind and detail of the events about obligations, or about one of them, oldest first."""
    rows = connection.execute(
        "SELECT fact_key, kind, detail FROM memory_maintenance.event"
        " WHERE (kind LIKE 'obligation-%%' OR kind LIKE 'deadline-%%')"
        " AND (%(fact)s::text IS NULL OR fact_key = %(fact)s) ORDER BY id",
        {"fact": None if fact is None else str(fact)},
    ).fetchall()
    return [(key, kind, detail) for key, kind, detail in rows]


def kinds(connection: Connection, fact: Any | None = None) -> list[str]:
    """The kinds of these events."""
    return [kind for _, kind, _ in events(connection, fact)]
