"""Decisions on a test's database: said, recorded, looked at."""

from __future__ import annotations

from typing import Any, Final

from memory_maintenance.config.load import Loaded
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.engine import run as runs
from memory_maintenance.jobs import decision_changes as changes
from memory_maintenance.jobs import decisions as job
from memory_maintenance.jobs.decision_changes import RecordResult, ReopenResult
from memory_maintenance.jobs.decisions import DecisionsResult, Known, ShowResult, View
from memory_maintenance.model.decision import NewDecision, read_decision
from tests.support.legacy import facts
from tests.support.maintenance import AS_OF, DEFAULTS, opened
from tests.support.server import Connection, TestDatabase

SAID: Final[dict[str, Any]] = {
    "decided": "PostgreSQL",
    "alternatives": ["SQLite"],
    "reasoning": "one server for all",
    "decided_by": "Ana",
    "decided_at": "2026-01-05T09:00:00Z",
}
"""What a decision says, as data.decision holds it."""


def said(**members: Any) -> NewDecision:
    """SAID, with members of its own."""
    return read_decision(SAID | members)


def record(
    database: TestDatabase,
    new: NewDecision | None = None,
    *,
    loaded: Loaded = DEFAULTS,
    dry_run: bool = False,
    role: str | None = None,
) -> RecordResult:
    """``decisions record``."""
    with opened(database, loaded, role=role) as session:
        return changes.record(session, loaded.settings, new or said(), as_of=AS_OF, dry_run=dry_run)


def supersede(
    database: TestDatabase,
    fact: Any,
    new: NewDecision | None = None,
    *,
    loaded: Loaded = DEFAULTS,
    dry_run: bool = False,
    role: str | None = None,
) -> RecordResult:
    """``decisions supersede``."""
    with opened(database, loaded, role=role) as session:
        return changes.supersede(
            session, loaded.settings, str(fact), new or said(), as_of=AS_OF, dry_run=dry_run
        )


def reopen(
    database: TestDatabase,
    fact: Any,
    reason: str = "the premise fell",
    *,
    loaded: Loaded = DEFAULTS,
    dry_run: bool = False,
    role: str | None = None,
) -> ReopenResult:
    """``decisions reopen``."""
    with opened(database, loaded, role=role) as session:
        return changes.reopen(
            session, loaded.settings, str(fact), reason, as_of=AS_OF, dry_run=dry_run
        )


def listed(
    database: TestDatabase,
    view: View = "open",
    loaded: Loaded = DEFAULTS,
    *,
    role: str | None = None,
) -> DecisionsResult:
    """``decisions list``."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(**_reading(session, loaded)) as run,
    ):
        return job.list_decisions(run, view)


def shown(
    database: TestDatabase, fact: Any, loaded: Loaded = DEFAULTS, *, role: str | None = None
) -> ShowResult:
    """``decisions show``."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(**_reading(session, loaded)) as run,
    ):
        return job.show(run, str(fact))


def ids(decisions: tuple[Known, ...]) -> list[Any]:
    """Their keys."""
    return [decision.id for decision in decisions]


def decide(connection: Connection, data: Any = None, **columns: Any) -> int:
    """Store a decision as an extractor may; its id."""
    row = {"durability": "long_term", "category": "decision", "data": data}
    return facts(connection, [row | columns])[0]


def events(connection: Connection, fact: Any) -> list[tuple[str, str | None, dict[str, Any]]]:
    """Kind, reason and detail of what was recorded of a fact, oldest first."""
    rows = connection.execute(
        "SELECT kind, reason, detail FROM memory_maintenance.event WHERE fact_key = %s ORDER BY id",
        [str(fact)],
    ).fetchall()
    return [(kind, reason, detail) for kind, reason, detail in rows]


def _reading(session: Any, loaded: Loaded) -> dict[str, Any]:
    return {
        "session": session,
        "loaded": loaded,
        "command": "decisions",
        "table": qualified_name(*loaded.settings.database.qualified_table),
        "as_of": AS_OF,
        "dry_run": True,
        "emit": runs.silent,
    }
