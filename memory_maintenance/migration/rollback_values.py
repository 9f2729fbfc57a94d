"""The values of data_type come back: what contract kept aside, else what the axes give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.session import Session
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.run import Run
from memory_maintenance.migration.actions import (
    NO_LOCK,
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


@dataclass(frozen=True, slots=True)
class _Unmatched:
    unmatched: int


def fill_steps(session: Session, back: Place, rows: int) -> list[Step]:
    """All of it, for a dry run. back: the table once the column is there; rows: how many it will write."""
    pairs = _fill_pairs(session, back)
    found = [] if pairs is None else [Step((pairs,))]
    found.append(Step((replace(_batch(session, back), rows=rows),), "batches"))
    if back.relation.keyless:
        found.append(Step((_set_apart(session, back),)))
    return found


def _kept_key(place: Place) -> sql.Composed:
    """What a row f went by when old values were kept aside."""
    assert place.contract is not None
    return row_key(place.relation, place.contract.digest_columns)


def _unmatched(session: Session, place: Place) -> sql.Composed:
    return session.statement(
        "migration/rollback_unmatched", facts=place.facts, row_key=_kept_key(place)
    )


def _set_apart(session: Session, place: Place) -> Action:
    assert place.contract is not None
    return Action(
        "rollback",
        "set apart the old values whose rows are not found any more",
        session.statement("migration/rollback_set_apart", unmatched=_unmatched(session, place)),
        NO_LOCK,
        {"table_name": place.table, "columns": list(place.contract.digest_columns)},
        note=True,
    )


def count_unmatched(session: Session, place: Place) -> int:
    """How many old values match no row; 0 for a table with a key, whose facts are gone then."""
    if place.contract is None or not place.relation.keyless:
        return 0
    with session.facts_path(place.relation.schema):
        (found,) = session.rows(
            _Unmatched,
            "migration/rollback_count_unmatched",
            {"table_name": place.table},
            unmatched=_unmatched(session, place),
        )
    return found.unmatched


def set_apart(run: Run, place: Place) -> int:
    """Keeps the old values that match no row from being forgotten with the others; how many."""
    if not place.relation.keyless:
        return 0
    session, action = run.session, _set_apart(run.session, place)

    def work() -> int:
        (found,) = session.fetch(_Unmatched, action.statement, action.params)
        return found.unmatched

    return run.transaction(work, facts_in=place.relation.schema)


def _params(place: Place) -> dict[str, str]:
    return {"table_name": place.table, "type_map": place.type_map.as_json()}


def _slots(place: Place) -> dict[str, sql.Composable]:
    return {**projection.slots(place.relation), "row_key": row_key(place.relation)}


def _backup_slots(place: Place) -> dict[str, sql.Composable]:
    return {"facts": place.facts, "row_key": _kept_key(place)}


def _batch(session: Session, place: Place) -> Action:
    """The batches that put data_type back."""
    slots, params = _slots(place), _params(place)
    if place.relation.keyless:
        slots["backup_key"] = _kept_key(place)
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
    return session.statement("migration/rollback_pairs", **_backup_slots(place), held=held)


def future_data_type(session: Session, place: Place) -> sql.Composed:
    """What the column is going to hold in a row f. Parameters: table_name, type_map."""
    return session.statement(
        "migration/rollback_future_data_type",
        row_key=_kept_key(place),
        data_type=session.statement("migration/rollback_data_type"),
    )


def count(session: Session, place: Place) -> Filled:
    """How many rows the fill has to write still."""
    if place.contract is None:
        return Filled(0, 0)
    held = sql.SQL("f.data_type::text" if place.state.has_data_type else "NULL::text")
    slots = {**_backup_slots(place), "held": held}
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


def fill(run: Run, place: Place, batch_rows: int | None, between: Callable[[], None]) -> Filled:
    """Puts the values back, in batches; between: called between them. Safe to kill and to run again."""
    total = Filled(0, 0)
    for _ in range(_MOST_ROUNDS):
        filled = _round(run, place, batch_rows, total, between)
        total += filled
        if not place.relation.keyless or filled == Filled(0, 0):
            break
    return total


def _round(
    run: Run, place: Place, batch_rows: int | None, before: Filled, between: Callable[[], None]
) -> Filled:
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
        between=between,
    ):
        total += filled
        done = before + total
        run.emit(done.restored + done.by_way_back, known, "put data_type back")
    return total
