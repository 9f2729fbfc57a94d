"""The values of data_type come back: what contract kept aside, else what the axes give."""

from __future__ import annotations

from dataclasses import dataclass, replace

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.migration.actions import (
    ROWS_OF_A_BATCH,
    Action,
    Step,
)
from memory_maintenance.migration.place import (
    Place,
)
from memory_maintenance.migration.tables import row_key

# Rounds of filling a table without a key: rows that somebody wrote meanwhile have another place.
_MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Filled:
    """Rows whose data_type was put back. restored: from what was kept aside; by_way_back: from their axes."""

    restored: int
    by_way_back: int

    def __add__(self, other: Filled) -> Filled:
        return Filled(self.restored + other.restored, self.by_way_back + other.by_way_back)


def fill_steps(session: Session, back: Place, rows: int) -> list[Step]:
    """All of it, for a dry run. back: the table once the column is there; rows: how many it will write."""
    pairs = _fill_pairs(session, back)
    found = [] if pairs is None else [Step((pairs,))]
    return [*found, Step((replace(_batch(session, back), rows=rows),), "batches")]


def _params(place: Place) -> dict[str, str]:
    return {"table_name": place.table, "type_map": place.type_map.as_json()}


def _slots(place: Place) -> dict[str, sql.Composable]:
    return {**projection.slots(place.relation), "row_key": row_key(place.relation)}


def _batch(session: Session, place: Place) -> Action:
    """The batches that put data_type back."""
    slots, params = _slots(place), _params(place)
    if place.relation.keyless:
        statement = session.statement("migration/rollback_fill_places", **slots)
        del params["type_map"]
    else:
        value = session.statement("migration/rollback_data_type")
        statement = session.statement("migration/rollback_fill", **slots, data_type=value)
    return Action(
        "rollback",
        "put data_type back, in batches by key, each committed",
        statement,
        ROWS_OF_A_BATCH,
        params,
        over=place.relation,
    )


def _fill_pairs(session: Session, place: Place) -> Action | None:
    """The statement before the batches in a table without a key; None in one that has a key."""
    if not place.relation.keyless:
        return None
    pairs = _pairs(session, place, sql.SQL("f.data_type::text"))
    statement = session.statement("migration/rollback_fill_pairs", facts=place.facts, pairs=pairs)
    return Action(
        "rollback",
        "put the old values back that were kept aside",
        statement,
        "the rows written",
        _params(place),
    )


def _pairs(session: Session, place: Place, held: sql.Composable) -> sql.Composed:
    return session.statement(
        "migration/rollback_pairs", facts=place.facts, row_key=row_key(place.relation), held=held
    )


def future_data_type(session: Session, place: Place) -> sql.Composed:
    """What the column is going to hold in a row f. Parameters: table_name, type_map."""
    return session.statement(
        "migration/rollback_future_data_type",
        row_key=row_key(place.relation),
        data_type=session.statement("migration/rollback_data_type"),
    )


def count(session: Session, place: Place) -> Filled:
    """How many rows the fill has to write still."""
    if place.contract is None:
        return Filled(0, 0)
    held = sql.SQL("f.data_type::text" if place.state.has_data_type else "NULL::text")
    slots = {"facts": place.facts, "row_key": row_key(place.relation), "held": held}
    with session.facts_path(place.relation.schema):
        if place.relation.keyless:
            pairs = _pairs(session, place, held)
            (found,) = session.rows(
                Filled, "migration/rollback_count_pairs", _params(place), **slots, pairs=pairs
            )
        else:
            value = session.statement("migration/rollback_data_type")
            (found,) = session.rows(
                Filled, "migration/rollback_count_fill", _params(place), **slots, data_type=value
            )
    return found


def fill(run: Run, place: Place, batch_rows: int | None) -> Filled:
    """Puts the values back, in batches. Safe to kill and to run again."""
    total = Filled(0, 0)
    for _ in range(_MOST_ROUNDS):
        filled = _round(run, place, batch_rows, total)
        total += filled
        if not place.relation.keyless or filled == Filled(0, 0):
            break
    return total


def _round(run: Run, place: Place, batch_rows: int | None, before: Filled) -> Filled:
    session = run.session
    total = Filled(0, 0)
    if (pairs := _fill_pairs(session, place)) is not None:

        def work(action: Action = pairs) -> Filled:
            (found,) = session.fetch(Filled, action.statement, action.params)
            return found

        total += run.transaction(work, facts_in=place.relation.schema)
    batch = _batch(session, place)

    def one_batch(keys: Range) -> Filled:
        bound = {**batch.params, "first_key": keys.first, "last_key": keys.last}
        (found,) = session.fetch(Filled, batch.statement, bound)
        return found

    known = max(0, round(place.relation.row_estimate)) or None
    for filled in batches.sweep(
        session,
        place.relation,
        one_batch,
        sizing=Sizing(batch_rows),
        transaction=run.transaction,
    ):
        total += filled
        done = before + total
        run.emit(done.restored + done.by_way_back, known, "put data_type back")
    return total
