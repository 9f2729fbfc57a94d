"""What every section of the report works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.engine.run import Run
from memory_maintenance.model.result import Block

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Scope:
    """projected: the projection of all facts; parameters: what its placeholders stand for."""

    run: Run
    relation: Relation
    projected: sql.Composed
    parameters: Mapping[str, Any]

    def rows(self, row_type: type[Row], name: str, /, **params: Any) -> list[Row]:
        """The rows of a statement on the projected facts. params: beside those of the projection."""
        session = self.run.session
        with session.facts_path(self.relation.schema):
            return session.rows(
                row_type, name, {**self.parameters, **params}, projected=self.projected
            )


class Section(Protocol):
    """One section's data: its fields are its JSON, its blocks what people see."""

    def blocks(self) -> Sequence[Block]:
        """The section for people, its heading first."""
