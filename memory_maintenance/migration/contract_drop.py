"""The transaction that drops data_type: bounded in time, tried again while locks are not to be had.

Readers lock a view before what it stands on. It does likewise, topmost views first, then the table, looks
again at the catalog, which nobody can change any more, and at the rows that were written last, and drops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import psycopg
from psycopg import sql

from memory_maintenance.config.durations import format_duration
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine.retry import Patience, wait
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy
from memory_maintenance.migration import contract_aside as aside
from memory_maintenance.migration import contract_blockers, contract_column, guards, record
from memory_maintenance.migration import contract_dependents as depending
from memory_maintenance.migration import state as states
from memory_maintenance.migration import verify as verifying
from memory_maintenance.migration.actions import BRIEF, NO_LOCK, Action
from memory_maintenance.migration.contract_aside import Noting
from memory_maintenance.migration.contract_blockers import Examined
from memory_maintenance.migration.contract_dependents import Dependents
from memory_maintenance.migration.contract_hold import Hold, OverdueError, WaitedError, too_long
from memory_maintenance.migration.contract_record import ContractRecord
from memory_maintenance.migration.contract_result import Blocker
from memory_maintenance.migration.expand import TRIGGERS
from memory_maintenance.migration.state import NOTE_KEY, State
from memory_maintenance.migration.tables import Subject, digest_columns
from memory_maintenance.migration.views import KeptView
from memory_maintenance.model.mapping import FALLBACK, TypeMap

_ONCE = Patience(attempts=1)
_LOCKED = "ACCESS EXCLUSIVE, for the rest of the transaction"
_ANEW = "have the plan written anew"


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
    noting: Noting,
    look_again: Callable[[], Examined],
    *,
    patience: Patience,
) -> Dropped | Examined:
    """Drops the column; or the table examined anew where something turned up that blocks.

    noting: since old values are kept aside. look_again: examines the table as it is now. Raises Busy where
    the locks would be held for too long, or are not to be had; RunFailed where the trigger was touched.
    """
    session, subject = run.session, dropping.subject
    for attempt in range(1, patience.attempts + 1):
        try:
            if (done := _done(session, dropping, examined)) is not None:
                return done
            prepared = _prepare(session, dropping, examined, noting)
            relation = prepared.state.relation
            kept = aside.catch_up(
                run, relation, subject.table, dropping.type_map, noting.digest_columns
            )
            return run.transaction(
                lambda prepared=prepared, kept=kept: _attempt(  # type: ignore[misc]
                    session, dropping, prepared, noting, kept
                ),
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
        wait(patience, attempt, "could not have its locks")
    raise AssertionError("unreachable: the last attempt returns or raises")


def drop_steps(
    session: Session,
    dropping: Dropping,
    examined: Examined,
    *,
    backed_up: int,
    besides: Sequence[int],
) -> tuple[Action, ...]:
    """All of the transaction, for a dry run, with the checks that take the place of looking again.

    backed_up: rows whose old value is kept aside by then. besides: oids of views that the plan replaces for
    another table before.
    """
    standing = examined.standing
    relation, table = standing.state.relation, standing.subject.table
    views = dropping.views(examined.dependents)
    columns = digest_columns(relation)
    kept = _contract_record(session, examined, views, columns, backed_up)
    bound = _bound(session, dropping)
    return (
        _bound_begin(session, dropping),
        *_locks(session, standing.state, views),
        bound,
        _refuse_changed(session, dropping, relation, besides),
        aside.refuse_unnoted(session, relation),
        *_refuse_old_style(session, dropping),
        aside.again(
            session,
            relation,
            table,
            dropping.type_map,
            columns,
            keys=None,
            refusal=f"{standing.subject.label}: {aside.REFUSAL}",
        ),
        bound,
        *_changes(session, dropping, standing.state, examined.dependents, views, triggers=True),
        record.contracted(session, table, kept.to_json()),
        bound,
    )


def _bound_begin(session: Session, dropping: Dropping) -> Action:
    statement = session.statement("migration/contract_bound_begin")
    what = f"hold the locks that follow for no longer than {_seconds(dropping)}, or undo it all"
    return Action("contract", what, statement, NO_LOCK, {"longest_ms": _longest_ms(dropping)})


def _bound(session: Session, dropping: Dropping) -> Action:
    """For a script: fails where the locks were held for too long; what follows has the time that is left."""
    label, longest = dropping.subject.label, _seconds(dropping)
    refusal = (
        f"dropping data_type of {label} held its locks for {longest}, and may do so for no longer; this "
        f"transaction changed nothing: {_ANEW}, perhaps with a longer --max-lock"
    )
    statement = session.statement("migration/contract_bound")
    what = f"raise an error where {longest} are over"
    params = {"longest_ms": _longest_ms(dropping), "refusal": refusal}
    return Action("contract", what, statement, NO_LOCK, params)


def _refuse_changed(
    session: Session, dropping: Dropping, relation: Relation, besides: Sequence[int]
) -> Action:
    label = dropping.subject.label
    params = {
        **_fingerprint_params(relation, besides),
        "expected": _fingerprint(session, relation, besides),
        "refusal": f"{label}, something that depends on it, or a function was changed since this was "
        f"written: {_ANEW}",
    }
    statement = session.statement(
        "migration/contract_refuse_changed",
        fingerprint=session.statement("migration/contract_fingerprint"),
    )
    what = "raise an error where the catalog isn't what this was written for"
    return Action("contract", what, statement, NO_LOCK, params)


def _refuse_old_style(session: Session, dropping: Dropping) -> list[Action]:
    if dropping.quiet is None:
        return []
    quiet_s = dropping.quiet.total_seconds()
    params = {
        "table_name": dropping.subject.table,
        "quiet_s": quiet_s,
        "refusal": f"somebody wrote data_type of {dropping.subject.label} within the last "
        f"{format_duration(dropping.quiet)}: wait until nobody has, then {_ANEW}",
    }
    statement = session.statement("migration/contract_refuse_old_style")
    what = "raise an error where somebody wrote the old way"
    return [Action("contract", what, statement, NO_LOCK, params)]


def _longest_ms(dropping: Dropping) -> int:
    return max(1, round(dropping.max_lock / timedelta(milliseconds=1)))


def _seconds(dropping: Dropping) -> str:
    return f"{dropping.max_lock.total_seconds():g} s"


def _prepare(session: Session, dropping: Dropping, examined: Examined, noting: Noting) -> _Prepared:
    """All that can be known before the lock. Raises _ChangedError where it isn't what was examined."""
    subject = dropping.subject
    relation = subject.resolve(session)
    before = examined.standing.state
    # First: what is changed from here on is noticed under the lock.
    fingerprint = _fingerprint(session, relation)
    state = states.read(session, relation)
    aside.check_noting(session, relation, noting)
    if not noting.finds(relation):
        raise restless(subject)
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
        tuple(_changes(session, dropping, state, examined.dependents, views, triggers=False)),
        _contract_record(session, examined, views, noting.digest_columns, 0),
    )


def _attempt(
    session: Session, dropping: Dropping, prepared: _Prepared, noting: Noting, kept: int
) -> Dropped:
    """The work of the transaction. kept: rows whose old value is kept aside by now."""
    subject = dropping.subject
    hold = Hold(session, dropping.max_lock)
    for action in prepared.locks:
        with hold.bounded():
            session.execute(action.statement, action.params)
    hold.locked()
    with hold.bounded():
        if _fingerprint(session, prepared.state.relation) != prepared.fingerprint:
            raise _ChangedError
        aside.check_noting(session, prepared.state.relation, noting)
    if dropping.quiet is not None:
        with hold.bounded():
            if contract_blockers.old_style(session, subject, dropping.quiet):
                raise _ChangedError
    backed_up = _last_rows(session, dropping, prepared.state, noting, hold, backed_up=kept)
    contract = replace(prepared.contract, backed_up=backed_up)
    for action in (
        *prepared.changes,
        record.contracted(session, subject.table, contract.to_json()),
    ):
        with hold.bounded():
            session.execute(action.statement, action.params)
    hold.check()
    return Dropped(backed_up, prepared.views, hold.held_s)


def _fingerprint(session: Session, relation: Relation, besides: Sequence[int] = ()) -> str:
    """A digest of the catalog, but for the views of these oids."""
    params = _fingerprint_params(relation, besides)
    row = session.row(_Fingerprint, "migration/contract_fingerprint", params)
    assert row is not None
    return row.fingerprint


def _fingerprint_params(relation: Relation, besides: Sequence[int]) -> dict[str, object]:
    return {"oid": relation.oid, "note_key": NOTE_KEY, "besides": list(besides)}


def _last_rows(
    session: Session,
    dropping: Dropping,
    state: State,
    noting: Noting,
    hold: Hold,
    *,
    backed_up: int,
) -> int:
    """Looks at the rows that were noted last; how many are kept aside then."""
    relation, table = state.relation, dropping.subject.table
    with hold.bounded():
        left = aside.noted(session, table)
    action = aside.again(
        session, relation, table, dropping.type_map, noting.digest_columns, keys=aside.ROUND
    )
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
    statement = session.statement("migration/lock_table", relation=relation.identifier)
    return [*locks, Action("contract", f"lock {relation.label}", statement, _LOCKED)]


def _changes(
    session: Session,
    dropping: Dropping,
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
            session.statement("migration/verbatim", statement=verbatim(view.statement)),
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
    if not dropping.subject.archive:
        left = guards.without_data_type(relation)
        changes += guards.plan(session, left, dropping.type_map, phase="contract")
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
    session: Session,
    examined: Examined,
    views: Sequence[KeptView],
    columns: tuple[str, ...],
    backed_up: int,
) -> ContractRecord:
    return contract_column.describe(
        session,
        examined.standing.state.relation,
        examined.dependents,
        views=views,
        accepted=examined.accepted,
        backed_up=backed_up,
        digest_columns=columns,
    )


def _done(session: Session, dropping: Dropping, examined: Examined) -> Dropped | None:
    """What an attempt did whose answer was lost; None where the column is there."""
    subject = dropping.subject
    if subject.resolve(session).has("data_type"):
        return None
    kept = aside.kept_of(session, subject.table)
    return Dropped(kept, dropping.views(examined.dependents), None)


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
