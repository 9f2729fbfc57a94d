"""Where a table stands: what the catalog says of columns, checks and triggers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session

CHECK_DURABILITY = "chk_durability"
CHECK_IMPORTANCE = "chk_importance"
CHECK_AXES = "memory_maintenance_axes_present"
NOTE_KEY = "memory_maintenance_60_note_key"
"""The trigger by which contract learns what was written while it keeps old values aside."""
ROLLBACK_NOTES = (
    "memory_maintenance_70_note_insert",
    "memory_maintenance_70_note_update",
    "memory_maintenance_70_note_null_insert",
    "memory_maintenance_70_note_null_update",
)
"""The triggers by which rollback learns what was written while it is at work: for our columns, then, after
contract, where a writer says NULL. A rollback that goes on makes anew what of them is gone."""

_LITERAL = re.compile(r"'((?:[^']|'')*)'(?:::[a-z ]+(?:\(\d+\))?)?")


@dataclass(frozen=True, slots=True)
class _Marks:
    constraints: list[str]
    unvalidated: list[str]
    triggers: list[str]
    disabled: list[str]
    map_argument: str | None
    other_arguments: list[str]
    update_form: str | None


@dataclass(frozen=True, slots=True)
class State:
    """A table and what of the migration it has.

    disabled: triggers of ours that don't fire. map_argument: the map that our triggers carry, as JSON;
    other_arguments: what they carry beside it. update_form: which form those for UPDATE have, see ``expand``.
    """

    relation: Relation
    constraints: Sequence[str]
    unvalidated: Sequence[str]
    triggers: Sequence[str]
    disabled: Sequence[str]
    map_argument: str | None
    other_arguments: Sequence[str]
    update_form: str | None

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

    @property
    def default_data_type(self) -> str | None:
        """What an INSERT that does not name data_type gets; None where that is NULL, or no plain text."""
        default = self.relation.columns["data_type"].default if self.has_data_type else None
        found = _LITERAL.fullmatch(default or "")
        return None if found is None else found[1].replace("''", "'")

    def former(self, columns: Sequence[str], checks: Sequence[str]) -> Mapping[str, Any]:
        """What of these columns and constraints is there already, for rollback: default and NOT NULL of a
        column, whether a constraint is validated."""
        held = self.relation.columns
        return {
            "columns": {
                name: {"default": held[name].default, "not_null": held[name].not_null}
                for name in columns
                if name in held
            },
            "constraints": {
                name: {"validated": name not in self.unvalidated}
                for name in checks
                if name in self.constraints
            },
        }


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
        marks.other_arguments,
        marks.update_form,
    )
