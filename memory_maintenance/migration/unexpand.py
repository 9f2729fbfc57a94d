"""The second half of a rollback: what was put into our columns is kept aside, then they go.

Everything long is done while agents write; triggers note which rows they write meanwhile. The last
transaction, which alone locks everybody out, looks at the last of these and drops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.retry import Patience, wait
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy
from memory_maintenance.migration import guards, indexes, kept, record, take_back
from memory_maintenance.migration import state as states
from memory_maintenance.migration.actions import (
    BRIEF,
    NO_LOCK,
    ROWS_OF_A_BATCH,
    Action,
    Step,
)
from memory_maintenance.migration.contract_hold import Hold, OverdueError, WaitedError
from memory_maintenance.migration.place import (
    Place,
    act,
    find,
    named,
    perform,
    step,
)
from memory_maintenance.migration.respelling import respelt
from memory_maintenance.migration.rollback_column import CHECK_PRESENT
from memory_maintenance.migration.rollback_indexes import drop_index, named_indexes
from memory_maintenance.migration.rollback_values import future_data_type
from memory_maintenance.migration.state import CHECK_AXES, ROLLBACK_NOTES
from memory_maintenance.migration.tables import (
    Subject,
    columns_argument,
    digest_columns,
    key_argument,
    row_key,
)
from memory_maintenance.model.mapping import TypeMap

NOTE_INSERT, NOTE_UPDATE = ROLLBACK_NOTES[:2]
"""The triggers that note what is written while values are kept aside."""
_ONCE = Patience(attempts=1)
_ROUND = 1000
_MOST_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class _Noted:
    noted: int


@dataclass(frozen=True, slots=True)
class _Rows:
    rows: int


@dataclass(frozen=True, slots=True)
class _Constraint:
    name: str
    kind: str
    columns: list[str]
    definition: str


# -- what is to be done --


def steps(session: Session, place: Place, now: Place) -> list[Step]:
    """All of it but the last transaction, in order, for a dry run.

    place: the table once data_type is back; now: as it is.
    """
    found = step(begin(session, place))
    if (fade := unfade(session, place)) is not None:
        found.append(Step((replace(fade, rows=count_faded(session, now)),), "batches"))
    if kept.anything(place):
        batch = replace(keep(session, place), rows=count_kept(session, now))
        found.append(Step((batch,), "batches"))
    if not place.relation.partitioned:
        found += [Step((action,), "apart") for action in _drop_indexes(session, place)]
    return found


def last_step(session: Session, place: Place) -> list[Step]:
    """The last transaction, for a dry run. place: once data_type is back."""
    triggers = [name for name in place.state.triggers if not _notes(name)]
    found = [lock(session, place)]
    if kept.anything(place):
        triggers += [NOTE_INSERT, NOTE_UPDATE]
        found.append(again(session, place))
    place = replace(place, state=replace(place.state, triggers=triggers))
    found += _drop(session, place, indexes_gone=not place.relation.partitioned)
    return step([*found, record.rolled_back(session, place.table)])


def begin(session: Session, place: Place) -> list[Action]:
    """Has the rows noted that are written from now on."""
    if not kept.anything(place):
        return []
    found: list[Action] = []
    present = [NOTE_INSERT in place.state.triggers, NOTE_UPDATE in place.state.triggers]
    if all(present):
        return [
            act(
                session,
                f"enable {name}",
                "enable_trigger",
                "SHARE ROW EXCLUSIVE, briefly",
                facts=place.facts,
                name=sql.Identifier(name),
            )
            for name in (NOTE_INSERT, NOTE_UPDATE)
            if name in place.state.disabled
        ]
    # What was noted for contract, or for the way back of data_type, is of no use any more.
    found += [_drop_trigger(session, place, n) for n in place.state.triggers if _notes(n)]
    found.append(
        Action(
            "rollback",
            "forget which facts were noted before",
            session.statement("migration/rollback_forget_notes"),
            NO_LOCK,
            {"table_name": place.table},
            note=True,
        )
    )
    # Nobody noted what was written since it was kept, if anything was.
    found.append(take_back.forget_unfinished(session, place.table, "rollback"))
    changes = sql.SQL(" OR ").join(
        sql.SQL("OLD.{0} IS DISTINCT FROM NEW.{0}").format(named(sql.Identifier(name)))
        for name in (
            *kept.watched(place),
            *(() if place.relation.keyless else (place.relation.key,)),
        )
    )
    conditions = {
        NOTE_INSERT: ("INSERT", sql.SQL("")),
        NOTE_UPDATE: ("UPDATE", sql.SQL("WHEN ({})").format(changes)),
    }
    for name, (event, condition) in conditions.items():
        found.append(
            act(
                session,
                f"create {name}",
                "rollback_note_trigger",
                "SHARE ROW EXCLUSIVE, briefly",
                facts=place.facts,
                name=sql.Identifier(name),
                event=sql.SQL(event),
                condition=condition,
                key=sql.Literal(key_argument(place.relation)),
                columns=sql.Literal(columns_argument(place.relation)),
            )
        )
    return found


def _notes(trigger: str) -> bool:
    return trigger in (states.NOTE_KEY, *ROLLBACK_NOTES)


def _drop_trigger(session: Session, place: Place, name: str) -> Action:
    return act(
        session, f"drop {name}", "drop_trigger", BRIEF, facts=place.facts, name=sql.Identifier(name)
    )


def unfade(session: Session, place: Place) -> Action | None:
    """The batches that give confidence its base back; None where decay can't have run."""
    if not place.ours("confidence_base", "confidence_written"):
        return None
    kind = _confidence_type(place)
    return Action(
        "rollback",
        "give confidence its base back, in batches by key, each committed",
        session.statement(
            "migration/rollback_confidence",
            **projection.slots(place.relation),
            confidence_type=kind,
            due=session.statement("migration/rollback_faded", confidence_type=kind),
        ),
        ROWS_OF_A_BATCH,
        over=place.relation,
    )


def _confidence_type(place: Place) -> sql.SQL:
    return verbatim(place.relation.columns["confidence"].full_type)


def count_faded(session: Session, place: Place) -> int:
    """How many rows have a confidence that decay has written."""
    if not place.ours("confidence_base", "confidence_written"):
        return 0
    due = session.statement("migration/rollback_faded", confidence_type=_confidence_type(place))
    return _count(session, place, due, {})


def count_kept(session: Session, place: Place) -> int:
    """How many rows there is something to be kept of."""
    if not kept.anything(place):
        return 0
    future: sql.Composable | None = None
    params = _kept_params(place)
    if place.contract is not None and not place.state.has_data_type:
        future = future_data_type(session, place)
        params = kept.params(place.table, place.type_map, has_data_type=True)
    due = sql.SQL("{} <> '{{}}'::jsonb").format(kept.kept(session, place, future))
    return _count(session, place, due, params)


def _count(session: Session, place: Place, due: sql.Composable, params: dict[str, str]) -> int:
    with session.facts_path(place.relation.schema):
        (row,) = session.rows(
            _Rows, "migration/rollback_count_due", params, facts=place.facts, due=due
        )
    return row.rows


def _written_params(place: Place) -> dict[str, Any]:
    """Those of what is written down, beside those of ``kept``."""
    return {**_kept_params(place), "columns": list(digest_columns(place.relation))}


def _kept_params(place: Place) -> dict[str, str]:
    return kept.params(place.table, place.type_map, has_data_type=place.state.has_data_type)


def keep(session: Session, place: Place) -> Action:
    """The batches that keep aside what is in our columns."""
    return Action(
        "rollback",
        "keep aside what is in our columns, in batches by key, each committed",
        session.statement(
            "migration/rollback_keep",
            **projection.slots(place.relation),
            row_key=row_key(place.relation),
            kept=kept.kept(session, place),
        ),
        NO_LOCK,
        _written_params(place),
        over=place.relation,
    )


def again(session: Session, place: Place, rows: int | None = None) -> Action:
    """Looks again at rows that were noted. rows: how many at most; None for all."""
    relation = place.relation
    if relation.keyless:
        among: sql.Composable = sql.SQL("{} IN (SELECT k.fact_key FROM keys AS k)").format(
            row_key(relation)
        )
    else:
        among = sql.SQL("f.{} = ANY (ARRAY(SELECT k.fact_key::{} FROM keys AS k))").format(
            named(relation.key_identifier), relation.key_type
        )
    params: dict[str, Any] = {**_written_params(place), "rows": rows}
    return Action(
        "rollback",
        "look again at the facts that were written meanwhile",
        session.statement(
            "migration/rollback_keep_noted",
            facts=place.facts,
            row_key=row_key(relation),
            kept=kept.kept(session, place),
            among=among,
        ),
        NO_LOCK,
        params,
    )


def lock(session: Session, place: Place) -> Action:
    """Keeps everybody out until the end of the transaction."""
    what = f"lock {place.relation.label}"
    return act(session, what, "lock_table", BRIEF, relation=place.facts)


def drop(session: Session, place: Place) -> list[Action]:
    """Everything of ours goes, and what was there before us becomes as it was."""
    return [*_drop(session, place), record.rolled_back(session, place.table)]


def _drop(session: Session, place: Place, *, indexes_gone: bool = False) -> Iterator[Action]:
    facts = place.facts
    for name in place.state.triggers:
        yield _drop_trigger(session, place, name)
    yield from guards.drops(session, place.relation, "rollback")
    gone = {CHECK_AXES, CHECK_PRESENT, *place.record.constraints_added}
    for name in place.state.constraints:
        if name in gone:
            yield act(
                session, f"drop {name}", "drop_check", BRIEF, facts=facts, name=sql.Identifier(name)
            )
    yield from _invalidate(session, place)
    if not indexes_gone:
        yield from _drop_indexes(session, place, concurrently=False)
    for name in reversed(place.dropped):
        column = sql.Identifier(name)
        yield act(session, f"drop {name}", "drop_column", BRIEF, facts=facts, column=column)
    yield from _former_columns(session, place)


def _invalidate(session: Session, place: Place) -> Iterator[Action]:
    """A constraint that was there before us and not validated returns to that."""
    former = place.record.former.get("constraints", {})
    names = [
        name
        for name, was in former.items()
        if not was["validated"]
        and name in place.state.constraints
        and name not in place.state.unvalidated
    ]
    if not names:
        return
    params = {"oid": place.relation.oid, "names": names}
    for found in session.rows(_Constraint, "migration/constraints", params):
        name = sql.Identifier(found.name)
        what = f"{found.name} was not validated before"
        yield act(session, f"drop {found.name}", "drop_check", BRIEF, facts=place.facts, name=name)
        yield act(
            session,
            what,
            "rollback_constraint",
            BRIEF,
            facts=place.facts,
            name=name,
            definition=verbatim(respelt(found.definition) + " NOT VALID"),
        )


def _drop_indexes(session: Session, place: Place, *, concurrently: bool = True) -> list[Action]:
    names = indexes.names_of(session, place.relation, place.record.indexes_added)
    return [
        drop_index(session, index, concurrently=concurrently)
        for index in named_indexes(session, place, names)
    ]


def _former_columns(session: Session, place: Place) -> Iterator[Action]:
    for name, was in place.record.former.get("columns", {}).items():
        column = place.relation.columns.get(name)
        if column is None:
            continue
        slots = {"facts": place.facts, "column": sql.Identifier(name)}
        if column.not_null and not was["not_null"]:
            yield act(
                session, f"allow NULL in {name} again", "rollback_drop_not_null", BRIEF, **slots
            )
        if was["not_null"] and not column.not_null:
            yield act(
                session, f"forbid NULL in {name} again", "rollback_set_not_null", BRIEF, **slots
            )
        if was["default"] == column.default:
            continue
        if was["default"] is None:
            yield act(session, f"drop the default of {name}", "drop_default", BRIEF, **slots)
        else:
            value = verbatim(was["default"])
            yield act(
                session, f"give {name} its default back", "set_default", BRIEF, **slots, value=value
            )


# -- carrying it out --


def prepare(
    run: Run,
    subject: Subject,
    type_map: TypeMap,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
    patience: Patience,
) -> int:
    """All but the last transaction; how many rows got their confidence back.

    between: called between batches. Safe to kill and to run again.
    """
    session = run.session
    perform(run, subject, type_map, begin, patience)
    place = find(session, subject, type_map)
    if place is None:
        return 0
    restored = 0
    if (fade := unfade(session, place)) is not None:
        restored = _sweep(
            run, place, fade, batch_rows=batch_rows, between=between, label="return confidence"
        )
    if kept.anything(place):
        _sweep(
            run,
            place,
            keep(session, place),
            batch_rows=batch_rows,
            between=between,
            label="keep aside",
        )
        _catch_up(run, place)
    if not place.relation.partitioned:
        for index in named_indexes(session, place, place.record.indexes_added):

            def one(session: Session, now: Place, name: str = index.name) -> list[Action]:
                return [a for a in _drop_indexes(session, now) if a.what == f"drop {name}"]

            perform(run, subject, type_map, one, patience, kind="apart")
    return restored


def _sweep(
    run: Run,
    place: Place,
    batch: Action,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
    label: str,
) -> int:
    session = run.session

    def one_batch(keys: Range) -> int:
        bound = {**batch.params, "first_key": keys.first, "last_key": keys.last}
        (row,) = session.fetch(_Rows, batch.statement, bound)
        return row.rows

    total = 0
    known = max(0, round(place.relation.row_estimate)) or None
    for done in batches.sweep(
        session,
        place.relation,
        one_batch,
        sizing=Sizing(batch_rows),
        transaction=run.transaction,
        between=between,
    ):
        total += done
        run.emit(total, known, f"{label} {place.relation.label}")
    return total


def _catch_up(run: Run, place: Place) -> None:
    """Rounds over what was noted, until few are left for the last transaction."""
    session = run.session
    action = again(session, place, _ROUND)

    def one_round() -> int:
        (row,) = session.fetch(_Noted, action.statement, action.params)
        return row.noted

    for _ in range(_MOST_ROUNDS):
        if run.transaction(one_round, facts_in=place.relation.schema) < _ROUND:
            break


def finish(
    run: Run, subject: Subject, type_map: TypeMap, patience: Patience, max_lock: timedelta
) -> None:
    """The last transaction, tried again while locks are not to be had; each time what was noted before is
    looked at first, while others write.

    max_lock: for how long it may keep everybody out. Raises Busy where that isn't enough: nothing of it was
    changed then.
    """
    session = run.session
    for attempt in range(1, patience.attempts + 1):
        try:
            place = find(session, subject, type_map)
            if place is None:
                return
            if kept.anything(place):
                _catch_up(run, place)
            run.transaction(lambda: _attempt(session, subject, type_map, max_lock), _ONCE)
        except psycopg.Error as error:
            what = Kind.LOST if session.lost else kind(error)
            if attempt == patience.attempts or what not in (Kind.LOST, Kind.CONTENTION):
                raise
            if session.lost:
                run.reconnect()
        except WaitedError:
            if attempt == patience.attempts:
                raise Busy(
                    f"the locks that dropping columns of {subject.label} takes were not to be had in time; "
                    "none was dropped",
                    remedy="run it again when long transactions on the table have ended",
                ) from None
        except OverdueError as overdue:
            raise Busy(
                f"dropping columns of {subject.label} held its locks for {overdue.held_s:.2f} s, and may do "
                f"so for {max_lock.total_seconds():g} s; none was dropped",
                remedy="run it again when less is written",
            ) from None
        else:
            return
        wait(patience, attempt, "could not have its locks")


def _attempt(session: Session, subject: Subject, type_map: TypeMap, max_lock: timedelta) -> None:
    """The work of the last transaction."""
    place = find(session, subject, type_map)
    if place is None:
        return
    hold = Hold(session, max_lock)
    with hold.bounded():
        session.execute(lock(session, place).statement)
    hold.locked()
    # What it says now stays so: nobody else has the table.
    with hold.bounded():
        place = find(session, subject, type_map)
    assert place is not None
    if kept.anything(place):
        last = again(session, place, _ROUND)
        noted = _ROUND
        while noted == _ROUND:
            with hold.bounded(), session.facts_path(place.relation.schema):
                (row,) = session.fetch(_Noted, last.statement, last.params)
            noted = row.noted
    with hold.bounded():
        dropping = drop(session, place)
    for action in dropping:
        with hold.bounded():
            session.execute(action.statement, action.params)
    hold.check()
