"""Old values that the axes alone wouldn't give back are kept aside before anybody is locked out.

A trigger notes whose old value may have changed since it was there; rows that it noted are looked at again,
in rounds while others write, and the last few of them under contract's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

import psycopg
from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.engine import batches
from memory_maintenance.engine.batches import Range, Sizing
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import MaintenanceError, RunFailed
from memory_maintenance.migration import actions
from memory_maintenance.migration import state as states
from memory_maintenance.migration.actions import BRIEF, BRISK, NO_LOCK, Action
from memory_maintenance.migration.state import NOTE_KEY
from memory_maintenance.migration.tables import (
    Subject,
    columns_argument,
    digest_columns,
    key_argument,
    row_key,
)
from memory_maintenance.model.mapping import TypeMap

_log = logging.getLogger(__name__)
REFUSAL = (
    "rows have axes that don't agree with their data_type: run migrate-types again, then contract"
)
ROUND = 1000
"""Notes that are looked at again by one statement."""
# Writers that note more than that while a round of that many is looked at won't be caught up with.
_MOST_ROUNDS = 200
# The trigger can't be dropped while somebody reads the table, and whoever asked us to end waits.
_LAST_TRIES = Patience(attempts=2, first_delay_s=0.2, longest_delay_s=0.5)


@dataclass(frozen=True, slots=True)
class Copied:
    """What one batch of copying came to. unsound: rows that verify would refuse."""

    rows: int
    backed_up: int
    unsound: int


@dataclass(frozen=True, slots=True)
class Again:
    """What one round of looking again came to. added, removed: rows kept aside, and no longer."""

    taken: int
    added: int
    removed: int
    unsound: int


@dataclass(frozen=True, slots=True)
class Noting:
    """Since when is noted what is written. relation: the table as it was then. version: of the trigger that
    does; another one where somebody has touched it since."""

    relation: Relation
    version: str

    @property
    def digest_columns(self) -> tuple[str, ...]:
        """The columns that a row without a key goes by; () where there is a key."""
        return digest_columns(self.relation)

    def finds(self, relation: Relation) -> bool:
        """Whether what was kept aside is found again in the table as it is now."""
        then, now = self.relation.columns, relation.columns
        return all(
            name in now and now[name].full_type == then[name].full_type
            for name in self.digest_columns
        )


@dataclass(frozen=True, slots=True)
class _Trigger:
    version: str
    always: bool
    same: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    backed_up: int


@dataclass(frozen=True, slots=True)
class _Noted:
    noted: int


class UnsoundError(Exception):
    """Rows turned up that verify would refuse."""


def forget(session: Session, table: str) -> Action:
    """Forgets what an earlier attempt left."""
    statement = session.statement("migration/contract_forget")
    what = "forget what an earlier attempt kept aside"
    return Action("contract", what, statement, NO_LOCK, {"table_name": table}, note=True)


def note(session: Session, relation: Relation) -> list[Action]:
    """What is still to be done for the trigger to be in force, in every session."""
    slots: dict[str, sql.Composable] = {
        "facts": relation.identifier,
        "name": sql.Identifier(NOTE_KEY),
    }
    found = _trigger(session, relation)
    todo: list[Action] = []
    if found is not None and not found.same:
        # What was left of an earlier attempt, before the table's columns were changed.
        statement = session.statement("migration/drop_trigger", **slots)
        todo.append(Action("contract", f"drop {NOTE_KEY}, to make it anew", statement, BRIEF))
        found = None
    if found is None:
        statement = session.statement(
            "migration/contract_note_trigger",
            **slots,
            key=sql.Literal(key_argument(relation)),
            columns=sql.Literal(columns_argument(relation)),
        )
        what = f"create {NOTE_KEY}, which notes what is written from now on"
        todo.append(Action("contract", what, statement, BRISK))
    if found is None or not found.always:
        statement = session.statement("migration/enable_trigger_always", **slots)
        what = f"have {NOTE_KEY} fire for replicated rows, too"
        todo.append(Action("contract", what, statement, BRISK))
    return todo


def remember(session: Session, relation: Relation) -> Action:
    """For a script: remembers the trigger that is in force, for ``refuse_unnoted``."""
    statement = session.statement(
        "migration/contract_remember_noting", noting=session.statement("migration/contract_noting")
    )
    what = f"remember which {NOTE_KEY} is in force"
    return Action("contract", what, statement, NO_LOCK, _trigger_params(relation), note=True)


def refuse_unnoted(session: Session, relation: Relation) -> Action:
    """For a script: fails where that trigger isn't in force any more."""
    statement = session.statement(
        "migration/contract_refuse_unnoted", noting=session.statement("migration/contract_noting")
    )
    params = {**_trigger_params(relation), "refusal": f"{_touched(relation.label)}: {_LEAVE_IT}"}
    what = f"raise an error where {NOTE_KEY} was touched since"
    return Action("contract", what, statement, NO_LOCK, params)


def check_noting(session: Session, relation: Relation, noting: Noting) -> None:
    """Raises RunFailed where somebody has touched the trigger."""
    found = _trigger(session, relation)
    if found is None or not found.always or found.version != noting.version:
        raise RunFailed(_touched(relation.label), remedy=_LEAVE_IT)


_LEAVE_IT = "run it again, and leave that trigger alone"


def _touched(label: str) -> str:
    return f"{NOTE_KEY} of {label} was touched meanwhile: what was written since isn't known"


def _trigger(session: Session, relation: Relation) -> _Trigger | None:
    return session.row(_Trigger, "migration/contract_noting", _trigger_params(relation))


def _trigger_params(relation: Relation) -> dict[str, object]:
    return {
        "oid": relation.oid,
        "name": NOTE_KEY,
        "key": key_argument(relation),
        "columns": columns_argument(relation),
    }


def copy(
    session: Session,
    relation: Relation,
    table: str,
    type_map: TypeMap,
    columns: Sequence[str],
    *,
    refusal: str | None = None,
) -> Action:
    """Keeps old values aside: of a key range, or of a whole table without a key.

    columns: that a row without a key goes by. refusal: what to fail with where rows turn up that verify would
    refuse; None where they are counted.
    """
    name = "migration/contract_copy_keyless" if relation.keyless else "migration/contract_copy"
    how = "in one go" if relation.keyless else "in batches by key, each committed"
    return Action(
        "contract",
        f"keep aside the old values that durability and category alone wouldn't give back, {how}",
        session.statement(name, **_slots(session, relation, columns)),
        NO_LOCK,
        {"table_name": table, "type_map": type_map.as_json(), "refusal": refusal},
        over=None if relation.keyless else relation,
    )


def again(
    session: Session,
    relation: Relation,
    table: str,
    type_map: TypeMap,
    columns: Sequence[str],
    *,
    keys: int | None,
    refusal: str | None = None,
) -> Action:
    """Looks at noted rows again. keys: how many at most; None for all. columns, refusal: as for ``copy``."""
    name = "migration/contract_again_keyless" if relation.keyless else "migration/contract_again"
    return Action(
        "contract",
        "look again at the rows that were written meanwhile",
        session.statement(name, **_slots(session, relation, columns)),
        NO_LOCK,
        {"table_name": table, "type_map": type_map.as_json(), "keys": keys, "refusal": refusal},
    )


def begin(
    run: Run,
    subject: Subject,
    type_map: TypeMap,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
    patience: Patience,
) -> Noting:
    """Has the trigger note what is written, then copies. Safe to kill and to begin anew.

    Raises UnsoundError where rows turn up that verify would refuse.
    """
    session, table = run.session, subject.table
    actions.apply(run, lambda: [forget(session, table)], patience)

    actions.apply(run, lambda: note(session, subject.resolve(session)), patience)
    relation = subject.resolve(session)
    found = _trigger(session, relation)
    if found is None or not (found.always and found.same):
        raise RunFailed(_touched(relation.label), remedy=_LEAVE_IT)
    # It may have been disabled and enabled again before this; what was written by then is copied.
    noting = Noting(relation, found.version)
    action = copy(session, relation, table, type_map, noting.digest_columns)
    total = 0
    for copied in _copied(run, relation, action, batch_rows=batch_rows, between=between):
        if copied.unsound:
            raise UnsoundError
        total += copied.rows
        run.emit(
            total, max(0, round(relation.row_estimate)) or None, f"keep aside {relation.label}"
        )
    return noting


def _copied(
    run: Run,
    relation: Relation,
    action: Action,
    *,
    batch_rows: int | None,
    between: Callable[[], None],
) -> Iterator[Copied]:
    session = run.session

    def one_batch(keys: Range) -> Copied:
        bound = {**action.params, "first_key": keys.first, "last_key": keys.last}
        (row,) = session.fetch(Copied, action.statement, bound)
        return row

    def at_once() -> Copied:
        # It locks nobody out, and can't be done in parts: how long it takes doesn't matter.
        bound_session(session, session.settings.lock_timeout, None)
        (row,) = session.fetch(Copied, action.statement, action.params)
        return row

    if relation.keyless:
        yield run.transaction(at_once, facts_in=relation.schema)
        return
    yield from batches.sweep(
        session,
        relation,
        one_batch,
        sizing=Sizing(batch_rows),
        transaction=run.transaction,
        between=between,
    )


def catch_up(
    run: Run, relation: Relation, table: str, type_map: TypeMap, columns: Sequence[str]
) -> int:
    """Looks at noted rows again until few are left; how many are kept aside then. Raises UnsoundError."""
    session = run.session
    action = again(session, relation, table, type_map, columns, keys=ROUND)

    def one_round() -> Again:
        return look(session, action)

    total = 0
    for _ in range(_MOST_ROUNDS):
        looked = run.transaction(one_round, facts_in=relation.schema)
        total += looked.taken
        run.emit(total, None, f"look again {relation.label}")
        if looked.taken < ROUND:
            break
    return run.transaction(lambda: kept_of(session, table))


def look(session: Session, action: Action) -> Again:
    """One round within a transaction. Raises UnsoundError, upon which it is rolled back, notes and all."""
    (looked,) = session.fetch(Again, action.statement, action.params)
    if looked.unsound:
        raise UnsoundError
    return looked


def kept_of(session: Session, table: str) -> int:
    """How many rows of a table have their old value kept aside."""
    kept = session.row(_Kept, "migration/contract_kept", {"table_name": table})
    assert kept is not None
    return kept.backed_up


def noted(session: Session, table: str) -> int:
    """How many keys are noted."""
    row = session.row(_Noted, "migration/contract_noted", {"table_name": table})
    return 0 if row is None else row.noted


def give_up(run: Run, subject: Subject) -> None:
    """Leaves the table as it was before: the trigger is dropped, or silenced while somebody reads the table.

    What fails here is logged: the error that ended contract is what the operator must see, and the next
    contract or rollback deals with what is left.
    """
    session = run.session
    if session.lost:
        _log.warning("%s stays on %s until the next contract or rollback", NOTE_KEY, subject.label)
        return
    try:
        session.leave_transaction()
        try:
            actions.apply(run, lambda: _unnoted(session, subject, "drop_trigger"), _LAST_TRIES)
        except psycopg.Error as error:
            if kind(error) is not Kind.CONTENTION:
                raise
            actions.apply(
                run, lambda: _unnoted(session, subject, "contract_disable_trigger"), _LAST_TRIES
            )
            _log.warning(
                "%s stays on %s, disabled: somebody reads the table", NOTE_KEY, subject.label
            )
        # After that: who ended the trigger had the table's lock, and knows whether an attempt whose answer
        # was lost was committed after all.
        actions.apply(run, lambda: [forget(session, subject.table)], _LAST_TRIES)
    except (psycopg.Error, MaintenanceError) as error:
        _log.warning(
            "%s may stay on %s until the next contract or rollback: %s",
            NOTE_KEY,
            subject.label,
            type(error).__name__,
        )


def _unnoted(session: Session, subject: Subject, how: str) -> list[Action]:
    state = states.read(session, subject.resolve(session))
    if NOTE_KEY not in state.triggers:
        return []
    slots = {"facts": state.relation.identifier, "name": sql.Identifier(NOTE_KEY)}
    return [
        Action("contract", f"end {NOTE_KEY}", session.statement(f"migration/{how}", **slots), BRIEF)
    ]


def bound_session(session: Session, lock: timedelta, statement: timedelta | None) -> None:
    """How long the transaction's statements may wait for a lock, and take, from now on; None: for ever."""
    values = {
        "lock_timeout_ms": _ms(lock),
        "statement_timeout_ms": "0" if statement is None else _ms(statement),
    }
    session.run("migration/contract_patience", values)


def _ms(span: timedelta) -> str:
    return str(max(1, round(span / timedelta(milliseconds=1))))


def _slots(
    session: Session, relation: Relation, columns: Sequence[str]
) -> dict[str, sql.Composable]:
    slots: dict[str, sql.Composable] = {
        "facts": relation.identifier,
        "differs": session.statement("migration/contract_differs"),
        "verdict": session.statement("migration/verdict"),
    }
    if relation.keyless:
        digest = row_key(relation, columns)
        place = session.statement("migration/contract_place", row_key=digest)
        return {**slots, "row_key": digest, "place": place}
    return {**slots, "key": relation.key_identifier, "key_type": relation.key_type}
