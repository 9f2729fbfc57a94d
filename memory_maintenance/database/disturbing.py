"""What others have put on the facts table that our writes set off. It is named, never disabled (spec 2)."""

from __future__ import annotations

from dataclasses import dataclass

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session


@dataclass(frozen=True, slots=True)
class _Trigger:
    trigger: str
    function: str
    stamps: bool


def clock_triggers(session: Session, relation: Relation) -> tuple[str, ...]:
    """A sentence for each trigger that moves updated_at when we write a row."""
    triggers = session.rows(_Trigger, "catalog/clock_triggers", {"oid": relation.oid})
    return tuple(
        f"the trigger {t.trigger} on {relation.label} ({t.function}) sets updated_at on our "
        "writes too"
        for t in triggers
        if t.stamps
    )
