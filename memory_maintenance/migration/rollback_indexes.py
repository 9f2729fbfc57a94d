"""Indexes on data_type come back, and ours go; readers and writers go on where that can be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import actions
from memory_maintenance.migration.actions import (
    BRIEF,
    NO_LOCK,
    Action,
    Step,
)
from memory_maintenance.migration.contract_record import OwnedIndex
from memory_maintenance.migration.place import (
    Place,
    act,
    perform,
    step,
)
from memory_maintenance.model.mapping import TypeMap

_ONCE = Patience(attempts=1)
_SMALL = "SHARE UPDATE EXCLUSIVE, briefly"
_BUILD = re.compile(r"^CREATE (UNIQUE )?INDEX ")
_ONLY = re.compile(r"^(CREATE (?:UNIQUE )?INDEX (?:\"(?:[^\"]|\"\")*\"|[^ ]+) ON )ONLY ")
_UNQUOTED_WHERE = re.compile(
    r"^((?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[^'\"])*?)( WHERE .*)$", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a table or of one of its partitions. partitioned: it has no rows of its own."""

    schema: str
    name: str
    valid: bool
    partitioned: bool


def steps(session: Session, place: Place) -> list[Step]:
    """All of it, for a dry run."""
    assert place.contract is not None
    found: list[Step] = []
    for index in place.contract.indexes:
        if index.valid:
            found += step([_create_index(session, index)], _how(index))
    return found + step(_dress_indexes(session, place, simulated=True))


def bring_back(run: Run, place: Place, type_map: TypeMap, patience: Patience) -> None:
    """Builds the indexes that contract took away."""
    assert place.contract is not None
    subject = place.subject
    for index in place.contract.indexes:
        if not index.valid:
            continue

        def build(session: Session, now: Place, index: OwnedIndex = index) -> list[Action]:
            present = _present_indexes(session, now).get(index.name)
            if present is not None and present.valid:
                return []
            if present is not None:
                # What a build that failed has left, be it of the attempt before: its name is taken. Dropped
                # here and not instead of building, or an attempt that drops would pass for one that built.
                leftover = drop_index(session, present)
                if present.partitioned:
                    return [leftover, _create_index(session, index)]
                actions.apply_apart(run, lambda: leftover, _ONCE)
            return [_create_index(session, index)]

        perform(run, subject, type_map, build, patience, kind=_how(index))
    perform(run, subject, type_map, _dress_indexes, patience)


def notes(place: Place) -> list[str]:
    """What keeps writers waiting: only an index of a table that isn't partitioned is built beside them."""
    indexes = () if place.contract is None else place.contract.indexes
    names = [index.name for index in indexes if index.valid and _how(index) == "transaction"]
    if not names:
        return []
    return [
        f"{place.relation.label} is partitioned: writers wait while {', '.join(names)} is built again, which "
        "takes as long as the partitions are large"
    ]


def missing(session: Session, place: Place) -> list[str]:
    """The indexes that contract took away and that aren't back, or not valid."""
    if place.contract is None:
        return []
    present = _present_indexes(session, place)
    return [
        index.name
        for index in place.contract.indexes
        if index.valid and not (index.name in present and present[index.name].valid)
    ]


def refuse_missing(session: Session, place: Place) -> list[Action]:
    """Ends the transaction of a script where one of them isn't back."""
    names = [] if place.contract is None else [i.name for i in place.contract.indexes if i.valid]
    if not names:
        return []
    return [
        Action(
            "rollback",
            "raise an error where an index is not back",
            session.statement("migration/rollback_refuse_missing"),
            NO_LOCK,
            {"oid": place.relation.oid, "names": names},
        )
    ]


def _how(index: OwnedIndex) -> Literal["transaction", "apart"]:
    """A partitioned index can't be built CONCURRENTLY."""
    return "transaction" if _ONLY.match(index.definition) else "apart"


def _create_index(session: Session, index: OwnedIndex) -> Action:
    definition = index.definition
    if index.tablespace is not None:
        tablespace = " TABLESPACE " + sql.Identifier(index.tablespace).as_string(None)
        if match := _UNQUOTED_WHERE.match(definition):
            definition = match[1] + tablespace + match[2]
        else:
            definition += tablespace
    if _how(index) == "transaction":
        definition = _ONLY.sub(r"\1", definition)
        lock = "SHARE on the table and its partitions, until it is built"
    else:
        definition = _BUILD.sub(r"CREATE \1INDEX CONCURRENTLY ", definition)
        lock = "SHARE UPDATE EXCLUSIVE; waits for old transactions"
    return act(
        session,
        f"build {index.name} again",
        "verbatim",
        lock,
        statement=verbatim(definition),
    )


def _present_indexes(session: Session, place: Place) -> dict[str, Index]:
    names = [] if place.contract is None else [index.name for index in place.contract.indexes]
    params = {"oid": place.relation.oid, "names": names}
    return {i.name: i for i in session.rows(Index, "migration/rollback_index", params)}


def _dress_indexes(session: Session, place: Place, *, simulated: bool = False) -> list[Action]:
    """Comments and the like of the indexes. simulated: they are not there yet."""
    found: list[Action] = []
    present = _present_indexes(session, place)
    for index in () if place.contract is None else place.contract.indexes:
        if index.name not in present and not (simulated and index.valid):
            continue
        schema = present[index.name].schema if index.name in present else place.relation.schema
        slot = sql.Identifier(schema, index.name)
        if index.comment is not None:
            found.append(
                act(
                    session,
                    f"give {index.name} its comment back",
                    "rollback_comment_index",
                    _SMALL,
                    index=slot,
                    comment=sql.Literal(index.comment),
                )
            )
        if index.clustered:
            found.append(
                act(
                    session,
                    f"{index.name} is what the table is clustered by",
                    "rollback_cluster_on",
                    _SMALL,
                    facts=place.facts,
                    name=sql.Identifier(index.name),
                )
            )
    return found


def drop_index(session: Session, index: Index, *, concurrently: bool = True) -> Action:
    """Drops an index. concurrently: without keeping anybody waiting, where it isn't a partitioned one."""
    slot = sql.Identifier(index.schema, index.name)
    if index.partitioned or not concurrently:
        return act(session, f"drop {index.name}", "drop_index_at_once", BRIEF, index=slot)
    lock = "SHARE UPDATE EXCLUSIVE; waits for old transactions"
    return act(session, f"drop {index.name}", "index_drop", lock, index=slot)


def named_indexes(session: Session, place: Place, names: Sequence[str]) -> list[Index]:
    """Those of these indexes that the table has."""
    params = {"oid": place.relation.oid, "names": list(names)}
    return session.rows(Index, "migration/rollback_index", params)
