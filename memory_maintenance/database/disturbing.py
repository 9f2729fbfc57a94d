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


@dataclass(frozen=True, slots=True)
class UpdateTrigger:
    """A trigger of others that an UPDATE of a fact sets off. changes_rows: it may change what is written."""

    trigger: str
    function: str
    changes_rows: bool


def update_triggers(session: Session, relation: Relation) -> list[UpdateTrigger]:
    """Others' triggers on UPDATE, those of partitions included."""
    return session.rows(UpdateTrigger, "catalog/update_triggers", {"oid": relation.oid})


def clock_triggers(session: Session, relation: Relation) -> tuple[str, ...]:
    """A sentence for each trigger that moves updated_at when we write a row."""
    triggers = session.rows(_Trigger, "catalog/clock_triggers", {"oid": relation.oid})
    return tuple(
        f"the trigger {t.trigger} on {relation.label} ({t.function}) sets updated_at on our "
        "writes too"
        for t in triggers
        if t.stamps
    )
