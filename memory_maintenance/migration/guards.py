"""What the migration does about the guards (``database/guards.py``): makes, renews and drops them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from psycopg import sql

from memory_maintenance.database.guards import (
    TRUNCATION,
    Found,
    is_current,
    names,
    read,
    wanted,
)
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.migration.actions import BRIEF, BRISK, Action, Phase
from memory_maintenance.model.mapping import TypeMap


def plan(
    session: Session, relation: Relation, type_map: TypeMap, *, phase: Phase = "expand"
) -> Iterator[Action]:
    """What is to be done for the guards to be in force as they should be.

    relation: as it is by then: with data_type or without.
    """
    present = {found.place: found for found in read(session, relation)}
    silenced = {
        found.name
        for found in present.values()
        if not found.fires and (found.clone or found.name != TRUNCATION)
    }
    for guard in wanted(session, relation, type_map):
        found = present.get(guard.place)
        table, name = sql.Identifier(guard.schema, guard.table_name), sql.Identifier(guard.name)
        where = "" if guard.table_name == relation.name else f" on {guard.table}"
        if found is not None and is_current(guard, found):
            if not found.fires or guard.name in silenced:
                yield Action(
                    phase,
                    f"enable {guard.name}{where}, which somebody had disabled",
                    session.statement("migration/enable_trigger", facts=table, name=name),
                    BRISK,
                )
            continue
        if found is not None:
            yield Action(
                phase,
                f"drop {guard.name}{where}, to make it anew",
                session.statement("migration/drop_trigger", facts=table, name=name),
                BRIEF,
            )
        yield Action(phase, f"create {guard.name}{where}", guard.statement, BRISK)
    expected = names(relation)
    for found in present.values():
        if found.name not in expected and not found.clone:
            yield _drop(session, found, relation, phase, ", which has nothing to guard")


def drops(session: Session, relation: Relation, phase: Phase) -> list[Action]:
    """Takes away those of partitions, which don't go with the table's own."""
    return [
        _drop(session, found, relation, phase, "")
        for found in read(session, relation)
        if not found.clone and (found.schema, found.table_name) != (relation.schema, relation.name)
    ]


def without_data_type(relation: Relation) -> Relation:
    """The table once contract has dropped the column."""
    columns = {name: column for name, column in relation.columns.items() if name != "data_type"}
    return replace(relation, columns=columns)


def unsettled(session: Session, relation: Relation) -> list[str]:
    """Which guards are missing or don't fire, a sentence each."""
    label = relation.label
    present = read(session, relation)
    on_table = {
        f.name for f in present if (f.schema, f.table_name) == (relation.schema, relation.name)
    }
    return [
        f"the trigger {name} on {label} is missing"
        for name in names(relation)
        if name not in on_table
    ] + [
        f"the trigger {found.name} on {found.table} is disabled"
        for found in present
        if not found.fires
    ]


def _drop(session: Session, found: Found, relation: Relation, phase: Phase, why: str) -> Action:
    where = ""
    if found.table_name != relation.name:
        where = f" on {found.table}"
    table = sql.Identifier(found.schema, found.table_name)
    statement = session.statement(
        "migration/drop_trigger", facts=table, name=sql.Identifier(found.name)
    )
    return Action(phase, f"drop {found.name}{where}{why}", statement, BRIEF)
