"""Where a table stands: what the catalog says of columns, checks and triggers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session

CHECK_DURABILITY = "chk_durability"
CHECK_IMPORTANCE = "chk_importance"
CHECK_AXES = "memory_maintenance_axes_present"


@dataclass(frozen=True, slots=True)
class _Marks:
    constraints: list[str]
    unvalidated: list[str]
    triggers: list[str]
    disabled: list[str]
    map_argument: str | None


@dataclass(frozen=True, slots=True)
class State:
    """A table and what of the migration it has.

    disabled: triggers of ours that don't fire. map_argument: the map that our triggers carry, as JSON.
    """

    relation: Relation
    constraints: Sequence[str]
    unvalidated: Sequence[str]
    triggers: Sequence[str]
    disabled: Sequence[str]
    map_argument: str | None

    @property
    def has_data_type(self) -> bool:
        """Whether the retired column still lives."""
        return self.relation.has("data_type")

    @property
    def has_axes(self) -> bool:
        """Whether both axes are there."""
        return self.relation.has("durability", "category")

    @property
    def has_defaults(self) -> bool:
        """Whether an axis has a default: who wrote what it holds, a writer or the default, can't be told."""
        columns = self.relation.columns
        return self.has_axes and any(columns[a].default for a in ("durability", "category"))

    @property
    def settled(self) -> bool:
        """Whether no row can be unclassified any more."""
        columns = self.relation.columns
        return self.has_axes and columns["durability"].not_null and columns["category"].not_null


def read(session: Session, relation: Relation) -> State:
    """The state as it is now."""
    marks = session.row(_Marks, "migration/state", {"oid": relation.oid})
    assert marks is not None
    return State(
        relation,
        marks.constraints,
        marks.unvalidated,
        marks.triggers,
        marks.disabled,
        marks.map_argument,
    )
