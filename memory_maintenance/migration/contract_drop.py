"""The transaction that drops data_type: bounded in time, tried again while locks are not to be had.

Readers lock a view before what it stands on. It does likewise, topmost views first, then the table, looks
again at the catalog, which nobody can change any more, and at the rows that were written last, and drops.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import psycopg
from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy, RunFailed
from memory_maintenance.migration import contract_aside as aside
from memory_maintenance.migration import contract_blockers, contract_column, record
from memory_maintenance.migration import contract_dependents as depending
from memory_maintenance.migration import state as states
from memory_maintenance.migration import verify as verifying
from memory_maintenance.migration.actions import BRIEF, Action
from memory_maintenance.migration.contract_aside import Kept
from memory_maintenance.migration.contract_blockers import Examined
from memory_maintenance.migration.contract_dependents import Dependents
from memory_maintenance.migration.contract_hold import Hold, OverdueError, WaitedError, too_long
from memory_maintenance.migration.contract_record import ContractRecord
from memory_maintenance.migration.contract_result import Blocker
from memory_maintenance.migration.expand import TRIGGERS
from memory_maintenance.migration.state import NOTE_KEY, State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.views import KeptView
from memory_maintenance.model.mapping import FALLBACK, TypeMap

_log = logging.getLogger(__name__)
_ONCE = Patience(attempts=1)
_LOCKED = "ACCESS EXCLUSIVE, for the rest of the transaction"


@dataclass(frozen=True, slots=True)
class Dropping:
    """What is to be dropped, and within which bounds. quiet: None where old-style writes don't matter."""

    subject: Subject
    type_map: TypeMap
    max_lock: timedelta
    keep_views: bool
    quiet: timedelta | None

    def views(self, found: Dependents) -> tuple[KeptView, ...]:
        """The views to be replaced, topmost first."""
        if not self.keep_views:
            return ()
        return tuple(sorted(found.kept, key=lambda view: (-view.depth, view.name)))


@dataclass(frozen=True, slots=True)
class Dropped:
    """A table whose data_type is gone. lock_held_s: None where an attempt did it whose answer was lost."""

    backed_up: int
    views: tuple[KeptView, ...]
    lock_held_s: float | None


@dataclass(frozen=True, slots=True)
class _Owner:
    oid: int
    owner: str


@dataclass(frozen=True, slots=True)
class _Fingerprint:
    fingerprint: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is to be done under the lock. fingerprint: of the catalog that all this was read from. contract:
    but for backed_up, which isn't known yet."""

    state: State
    fingerprint: str
    views: tuple[KeptView, ...]
    locks: tuple[Action, ...]
    changes: tuple[Action, ...]
    contract: ContractRecord


class _ChangedError(Exception):
    """Something isn't as it was when it was examined."""


def drop(
    run: Run,
    dropping: Dropping,
    examined: Examined,
    look_again: Callable[[], Examined],
    patience: Patience,
) -> Dropped | Examined:
    """Drops the column; or the table examined anew where something turned up that blocks.

    look_again: examines the table as it is now. Raises Busy where the locks would be held for too long, or
    are not to be had.
    """
    session, subject = run.session, dropping.subject
    for attempt in range(1, patience.attempts + 1):
        try:
            if (done := _done(session, dropping, examined)) is not None:
                return done
            prepared = _prepare(session, dropping, examined)
            relation = prepared.state.relation
            kept = aside.catch_up(run, relation, subject.table, dropping.type_map)
            return run.transaction(
                lambda prepared=prepared, kept=kept: _attempt(session, dropping, prepared, kept),  # type: ignore[misc]
                _ONCE,
            )
        except psycopg.errors.DependentObjectsStillExist as error:
            return replace(examined, blockers=(_missed(subject, error),))
        except psycopg.Error as error:
            what = Kind.LOST if session.lost else kind(error)
            if attempt == patience.attempts or what not in (Kind.LOST, Kind.CONTENTION):
                raise
            if session.lost:
                run.reconnect()
        except (_ChangedError, aside.UnsoundError):
            examined = look_again()
            if examined.blockers:
                return examined
            if attempt == patience.attempts:
                raise restless(subject) from None
        except WaitedError:
            if attempt == patience.attempts:
                raise _busy(subject) from None
        except OverdueError as overdue:
            raise too_long(subject, dropping.max_lock, overdue) from None
        delay_s = patience.delay_s(attempt)
        _log.info(
            "attempt %d of %d could not have its locks; trying again in %.1f s",
            attempt,
            patience.attempts,
            delay_s,
        )
        time.sleep(delay_s)
    raise AssertionError("unreachable: the last attempt returns or raises")


def drop_steps(
    session: Session, dropping: Dropping, examined: Examined, *, backed_up: int
) -> tuple[Action, ...]:
    """All of the transaction, for a dry run. backed_up: rows whose old value is kept aside by then."""
    standing = examined.standing
    relation, table = standing.state.relation, standing.subject.table
    views = dropping.views(examined.dependents)
    kept = _contract_record(session, examined, views, backed_up)
    return (
        *_locks(session, standing.state, views),
        aside.again(session, relation, table, dropping.type_map, keys=None, refusal=aside.REFUSAL),
        *_changes(session, standing.state, examined.dependents, views, triggers=True),
        record.contracted(session, table, kept.to_json()),
    )


def _prepare(session: Session, dropping: Dropping, examined: Examined) -> _Prepared:
    """All that can be known before the lock. Raises _ChangedError where it isn't what was examined."""
    subject = dropping.subject
    relation = subject.resolve(session)
    before = examined.standing.state
    # First: what is changed from here on is noticed under the lock.
    fingerprint = _fingerprint(session, relation)
    state = states.read(session, relation)
    if NOTE_KEY not in state.triggers or NOTE_KEY in state.disabled:
        raise RunFailed(
            f"{NOTE_KEY} is gone from {subject.label}, or disabled: what was written meanwhile isn't known",
            remedy="run it again, and leave that trigger alone",
        )
    if (
        relation.oid != before.relation.oid
        or relation.columns != before.relation.columns
        or verifying.unsettled(session, subject, state)
        or depending.read(session, relation) != examined.dependents
    ):
        raise _ChangedError
    views = dropping.views(examined.dependents)
    return _Prepared(
        state,
        fingerprint,
        views,
        tuple(_locks(session, state, views)),
        tuple(_changes(session, state, examined.dependents, views, triggers=False)),
        _contract_record(session, examined, views, 0),
    )


def _attempt(session: Session, dropping: Dropping, prepared: _Prepared, kept: Kept) -> Dropped:
    """The work of the transaction. kept: what is kept aside by now."""
    subject = dropping.subject
    hold = Hold(session, dropping.max_lock)
    for action in prepared.locks:
        with hold.bounded():
            session.execute(action.statement, action.params)
    hold.locked()
    with hold.bounded():
        if _fingerprint(session, prepared.state.relation) != prepared.fingerprint:
            raise _ChangedError
    if dropping.quiet is not None:
        with hold.bounded():
            if contract_blockers.old_style(session, subject, dropping.quiet):
                raise _ChangedError
    backed_up = _last_rows(session, dropping, prepared.state, hold, kept.backed_up)
    contract = replace(prepared.contract, backed_up=backed_up)
    for action in (
        *prepared.changes,
        record.contracted(session, subject.table, contract.to_json()),
    ):
        with hold.bounded():
            session.execute(action.statement, action.params)
    hold.check()
    return Dropped(backed_up, prepared.views, hold.held_s)


def _fingerprint(session: Session, relation: Relation) -> str:
    row = session.row(_Fingerprint, "migration/contract_fingerprint", {"oid": relation.oid})
    assert row is not None
    return row.fingerprint


def _last_rows(
    session: Session, dropping: Dropping, state: State, hold: Hold, backed_up: int
) -> int:
    """Looks at the rows that were noted last; how many are kept aside then."""
    relation, table = state.relation, dropping.subject.table
    with hold.bounded():
        left = aside.noted(session, table)
    action = aside.again(session, relation, table, dropping.type_map, keys=aside.ROUND)
    began_s = hold.held_s
    looked_at = 0
    while left > 0:
        with hold.bounded(), session.facts_path(relation.schema):
            looked = aside.look(session, action)
        looked_at += looked.taken
        left -= looked.taken
        backed_up += looked.added - looked.removed
        hold.left_s = left * (hold.held_s - began_s) / max(1, looked_at)
        if not looked.taken:
            break
    hold.left_s = 0.0
    return backed_up


def _locks(session: Session, state: State, views: Sequence[KeptView]) -> list[Action]:
    owners = {
        row.oid: row.owner
        for row in session.rows(
            _Owner, "migration/contract_view_owners", {"oids": [view.oid for view in views]}
        )
    }
    locks = [
        Action(
            "contract",
            f"lock the view {view.name}, which changes nothing",
            session.statement(
                "migration/contract_lock_view",
                view=sql.Identifier(view.schema, view.relname),
                owner=sql.Identifier(owners[view.oid]),
            ),
            _LOCKED,
        )
        for view in views
        if view.oid in owners
    ]
    relation = state.relation
    statement = session.statement("migration/contract_lock_table", facts=relation.identifier)
    return [*locks, Action("contract", f"lock {relation.label}", statement, _LOCKED)]


def _changes(
    session: Session,
    state: State,
    found: Dependents,
    views: Sequence[KeptView],
    *,
    triggers: bool,
) -> list[Action]:
    """What is changed under the lock. triggers: reckon with that which notes keys, before it is there."""
    relation = state.relation
    facts = relation.identifier
    changes = [
        Action(
            "contract",
            f"have {view.name} show data_type by durability and category",
            session.statement("migration/contract_view", statement=_as_it_is(view.statement)),
            BRIEF,
        )
        for view in views
    ]
    present = {*state.triggers, NOTE_KEY} if triggers else set(state.triggers)
    changes += [
        Action(
            "contract",
            f"drop {name}, which would fail every write, data_type being gone",
            session.statement("migration/drop_trigger", facts=facts, name=sql.Identifier(name)),
            BRIEF,
        )
        for name in (*TRIGGERS, NOTE_KEY)
        if name in present
    ]
    changes += [
        Action(
            "contract",
            f"give {axis} its default",
            session.statement(
                "migration/set_default",
                facts=facts,
                column=sql.Identifier(axis),
                value=sql.Literal(value),
            ),
            BRIEF,
        )
        for axis, value in zip(("durability", "category"), FALLBACK, strict=True)
    ]
    return [*changes, *contract_column.drops(session, relation, found)]


def _contract_record(
    session: Session, examined: Examined, views: Sequence[KeptView], backed_up: int
) -> ContractRecord:
    return contract_column.describe(
        session,
        examined.standing.state.relation,
        examined.dependents,
        views=views,
        accepted=examined.accepted,
        rows=examined.rows,
        backed_up=backed_up,
    )


def _as_it_is(text: str) -> sql.SQL:
    """A statement that the server itself has spelt, for a slot. A % would be taken for a placeholder."""
    return sql.SQL(text.replace("%", "%%"))


def _done(session: Session, dropping: Dropping, examined: Examined) -> Dropped | None:
    """What an attempt did whose answer was lost; None where the column is there."""
    subject = dropping.subject
    if subject.resolve(session).has("data_type"):
        return None
    kept = aside.kept_of(session, subject.table)
    return Dropped(kept.backed_up, dropping.views(examined.dependents), None)


def _missed(subject: Subject, error: psycopg.Error) -> Blocker:
    detail = error.diag.message_detail or error.diag.message_primary or ""
    return Blocker(
        table=subject.label,
        kind="dependent",
        name=subject.label,
        definition=detail,
        why="the server refuses to drop data_type: something depends on it still",
    )


def _busy(subject: Subject) -> Busy:
    return Busy(
        f"the locks that dropping data_type of {subject.label} takes were not to be had in time; nothing was "
        "changed",
        remedy="run it again when long transactions on the table have ended",
    )


def restless(subject: Subject) -> Busy:
    """What to raise where others keep changing the table."""
    return Busy(
        f"{subject.label} was changed each time while it was being contracted; nothing was dropped",
        remedy="run it again when nobody else changes the table or its views",
    )
