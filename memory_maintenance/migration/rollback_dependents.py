"""What others have built on our columns, which rollback is going to drop."""

from __future__ import annotations

from dataclasses import dataclass

from memory_maintenance.audit.database import WHOLE_ROW, Dependent, dependents
from memory_maintenance.database.session import Session
from memory_maintenance.migration.place import Place
from memory_maintenance.migration.rollback_column import CHECK_PRESENT
from memory_maintenance.migration.rollback_result import RollbackBlocker
from memory_maintenance.migration.state import CHECK_AXES


@dataclass(frozen=True, slots=True)
class Dependents:
    """blockers: what would keep a column from being dropped; mentioned: what fails afterwards, in words."""

    blockers: tuple[RollbackBlocker, ...]
    mentioned: tuple[str, ...]


def others(session: Session, place: Place) -> Dependents:
    """What others have built on our columns."""
    found: dict[tuple[str, str], tuple[Dependent, list[str]]] = {}
    for column in place.dropped:
        for dependent in dependents(session, place.relation, column):
            if _is_ours(place, dependent):
                continue
            entry = found.setdefault((dependent.kind, dependent.name), (dependent, []))
            entry[1].append(column)
    blocking, mentioned = [], []
    for dependent, columns in found.values():
        names = ", ".join(columns)
        if dependent.owned_by_column:
            # What PostgreSQL drops with a column without a word, rollback names.
            if dependent.kind in ("index", "constraint"):
                mentioned.append(f"{dependent.kind} {dependent.name} goes with {names}")
            continue
        if dependent.acceptable:
            if dependent.kind != WHOLE_ROW:
                mentioned.append(
                    f"{dependent.kind} {dependent.name}: {dependent.why}, which rollback drops ({names})"
                )
            continue
        blocking.append(
            RollbackBlocker(
                place.subject.label,
                dependent.kind,
                dependent.name,
                dependent.definition,
                f"it uses {names}, which rollback drops",
                "drop it or take these columns out of it, then run rollback again",
            )
        )
    return Dependents(tuple(blocking), tuple(mentioned))


def _is_ours(place: Place, dependent: Dependent) -> bool:
    if dependent.definition.startswith("NOT NULL"):
        return True
    last = dependent.name.rpartition(".")[2].strip('"')
    first = dependent.name.split(" ", 1)[0].strip('"')
    names = {
        CHECK_AXES,
        CHECK_PRESENT,
        *place.record.constraints_added,
        *place.record.indexes_added,
    }
    names |= set(place.record.former.get("constraints", {}))
    views = () if place.contract is None else place.contract.views
    return (
        last in names
        or first in names
        or first.startswith("memory_maintenance_")
        or any(view.name == dependent.name for view in views)
    )
