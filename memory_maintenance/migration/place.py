"""A table on its way back: what the catalog and our own record say of it at one moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from psycopg import sql

from memory_maintenance.database.relation import Column, Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import actions, contract_record, record
from memory_maintenance.migration import state as states
from memory_maintenance.migration.actions import Action, Kind, Step
from memory_maintenance.migration.contract_record import ContractRecord
from memory_maintenance.migration.record import Record
from memory_maintenance.migration.state import State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class Place:
    """contract: what contract took away, None where data_type is there with all its values. type_map: the
    configured map, but for the values that the stored facts were classified by: these keep their axes."""

    subject: Subject
    state: State
    record: Record
    contract: ContractRecord | None
    type_map: TypeMap

    @property
    def relation(self) -> Relation:
        """The table."""
        return self.state.relation

    @property
    def facts(self) -> sql.Identifier:
        """Its qualified name, for a slot."""
        return self.state.relation.identifier

    @property
    def table(self) -> str:
        """The name that our tables know it by."""
        return self.subject.table

    @property
    def dropped(self) -> list[str]:
        """The columns that are there because we added them."""
        return [name for name in self.relation.columns if name in self.record.columns_added]

    def ours(self, *names: str) -> bool:
        """Whether all of these columns are there because we added them."""
        return all(n in self.record.columns_added and n in self.relation.columns for n in names)


def find(session: Session, subject: Subject, type_map: TypeMap) -> Place | None:
    """The table as it is now; None where there is no migration of it to be rolled back."""
    known = record.read(session, subject.table)
    if known is None:
        return None
    state = states.read(session, subject.resolve(session))
    taken = None if known.contract is None else contract_record.from_json(known.contract)
    return Place(subject, state, known, taken, union(type_map, known.type_map))


def union(configured: TypeMap, recorded: str) -> TypeMap:
    """The configured map, in which what a recorded one (JSON) has wins.

    Old values must come back though the configuration was changed since they were classified.
    """
    document = json.loads(recorded)
    axes = {name: (pair[0], pair[1]) for name, pair in document["values"].items()}
    null = document["null"]
    return TypeMap({**configured.axes, **axes, None: (null[0], null[1])})


def with_data_type(place: Place) -> Place:
    """The same once the column is back: what a dry run reckons with."""
    contract = place.contract
    if contract is None or place.state.has_data_type:
        return place
    kind = contract.type.partition("(")[0]
    columns = dict(place.relation.columns)
    columns["data_type"] = Column("data_type", kind, contract.type, False, contract.default)
    for axis in ("durability", "category"):
        columns[axis] = replace(columns[axis], default=None)
    relation = replace(place.relation, columns=columns)
    return replace(place, state=replace(place.state, relation=relation))


def named(identifier: sql.Identifier) -> sql.SQL:
    """A name within a fragment. Only a slot's own name has its % doubled by the session."""
    return verbatim(identifier.as_string(None))


def act(session: Session, what: str, file: str, lock: str, /, **slots: sql.Composable) -> Action:
    """An action of this phase from a file of sql/migration."""
    return Action("rollback", what, session.statement(f"migration/{file}", **slots), lock)


def step(found: list[Action], kind: Kind = "transaction") -> list[Step]:
    """The actions as one step; none where there is nothing to do."""
    return [Step(tuple(found), kind)] if found else []


def perform(
    run: Run,
    subject: Subject,
    type_map: TypeMap,
    plan: Callable[[Session, Place], list[Action]],
    patience: Patience,
    *,
    kind: Literal["transaction", "apart"] = "transaction",
) -> None:
    """Carries out what a plan finds still to be done, asked anew in each attempt; apart: its first action
    only, outside of any transaction."""
    session = run.session

    def remaining() -> list[Action]:
        place = find(session, subject, type_map)
        return [] if place is None else plan(session, place)

    if kind == "transaction":
        if remaining():
            actions.apply(run, remaining, patience)
        return
    actions.apply_apart(run, lambda: next(iter(remaining()), None), patience)
