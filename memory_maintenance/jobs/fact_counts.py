"""The facts as monitoring shows them: by durability, and the obligations that are overdue.

Read once a run has ended, in a transaction that the server keeps read-only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, get_args

from memory_maintenance.config.models import DurabilityName, Settings
from memory_maintenance.database import relation
from memory_maintenance.database.session import Session
from memory_maintenance.jobs import obligation_rows
from memory_maintenance.model.fact_counts import FactCounts

LONGEST_S: Final = 30
"""How long each of the two statements may take: a run is not to wait for its monitoring."""

_DURABILITIES: Final = get_args(DurabilityName)


@dataclass(frozen=True, slots=True)
class _Counted:
    durability: str
    facts: int


@dataclass(frozen=True, slots=True)
class _Overdue:
    facts: int


def count(session: Session, settings: Settings, as_of: datetime) -> FactCounts | None:
    """The facts of the configured table at an instant; None where there is no table, or no durability in it.

    Raises psycopg.Error, and UsageError where the table's columns can't be read as they should.
    """
    table = relation.find(session, *settings.database.qualified_table)
    if table is None or not table.has("durability", "category"):
        return None
    with session.snapshot(), session.facts_path(table.schema):
        session.run("monitoring/patience", {"statement_timeout_ms": str(LONGEST_S * 1000)})
        counted = session.rows(
            _Counted,
            "monitoring/facts",
            {"durabilities": list(_DURABILITIES)},
            facts=table.identifier,
        )
        overdue = session.row(
            _Overdue,
            "monitoring/overdue",
            obligation_rows.parameters(session, as_of),
            state=obligation_rows.state(session, table),
        )
    assert overdue is not None
    found = {row.durability: row.facts for row in counted}
    names = (*_DURABILITIES, "unclassified", "unknown")
    return FactCounts(as_of, {name: found.get(name, 0) for name in names}, overdue.facts)
