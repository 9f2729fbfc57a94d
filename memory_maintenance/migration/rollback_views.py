"""Kept views return to their former text, in one short transaction with the note that data_type is back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from memory_maintenance.audit.parsing import parsed
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy
from memory_maintenance.migration import actions, record, rollback_indexes
from memory_maintenance.migration.actions import (
    BRIEF,
    NO_LOCK,
    Action,
)
from memory_maintenance.migration.contract_record import KeptText
from memory_maintenance.migration.place import (
    Place,
    act,
    find,
)
from memory_maintenance.migration.respelling import respelt, settled, spelt
from memory_maintenance.migration.rollback_result import RollbackBlocker
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _View:
    name: str
    owner: str | None
    definition: str | None
    options: str

    @property
    def text(self) -> str | None:
        """The statement that makes it, spelt as contract spells them; None where it is gone."""
        if self.definition is None:
            return None
        options = f" WITH ({self.options})" if self.options else ""
        query = self.definition.rstrip().removesuffix(";")
        return f"CREATE OR REPLACE VIEW {self.name}{options} AS\n{query}"


def final_actions(session: Session, place: Place, replaced: Collection[str] = ()) -> list[Action]:
    """All of it, for a dry run. replaced: views that steps before it put back for another table."""
    views = () if place.contract is None else place.contract.views
    note = record.uncontracted(session, place.table)
    refusals = [
        _refuse_changed(session, view)
        for view in _views(session, place)
        if view.name not in replaced
    ]
    return [*_locks(session, place), *refusals, *_former_views(session, views), note]


def _refuse_changed(session: Session, view: _View) -> Action:
    """Ends the transaction of a script where the view isn't as it was when the script was written."""
    return Action(
        "rollback",
        f"raise an error where {view.name} was changed since this was written",
        session.statement("migration/rollback_refuse_view"),
        NO_LOCK,
        {"name": view.name, "definition": view.definition, "options": view.options},
    )


def blockers(run: Run, places: Sequence[Place], patience: Patience) -> tuple[RollbackBlocker, ...]:
    """Views that are no longer as contract left them. places: the last contracted first.

    A view on two tables was replaced twice: what the earlier contract left is what the later one found, and
    made another text of. A dry run compares texts. A run has the server decide where they differ, which after
    an upgrade may spell the same query otherwise; nothing is changed by that.
    """
    found: list[RollbackBlocker] = []
    seen: set[str] = set()
    for place in places:
        texts = {view.name: view for view in place.contract.views} if place.contract else {}
        for view in _views(run.session, place):
            text = texts[view.name]
            if view.name in seen or (view.text and _left(text, view.text)):
                continue
            if run.dry_run or not _left_by_trial(run, view, text, patience):
                found.append(_changed(place, text, view.text))
        seen.update(texts)
    return tuple(found)


def _left(text: KeptText, current: str) -> bool:
    """Whether a view is as contract left it, or as it was before."""
    return _same(current, text.statement) or _same(current, text.former)


def _same(one: str, other: str) -> bool:
    """Whether two CREATE OR REPLACE VIEW say the same, but for how the server spells what it has read."""
    first, second = _read(one), _read(other)
    return first is not None and first == second


def _read(statement: str) -> str | None:
    tree = parsed(statement)
    return None if tree is None else spelt(settled(tree))


def _left_by_trial(run: Run, view: _View, text: KeptText, patience: Patience) -> bool:
    """Whether what contract put there, put there once more, gives the very same text. It is undone."""
    if view.owner is None:
        return False
    session = run.session

    def attempt() -> None:
        session.execute(_lock(session, view).statement)
        session.execute(_statement(session, text.statement))
        after = session.rows(_View, "migration/rollback_views", {"names": [view.name]})
        raise _TriedError(after[0].text == view.text)

    try:
        run.transaction(attempt, patience)
    except _TriedError as tried:
        return tried.same
    except psycopg.Error as error:
        if session.lost or kind(error) is not Kind.OTHER:
            raise
    return False


class _TriedError(Exception):
    """Rolls the trial back."""

    def __init__(self, same: bool) -> None:
        super().__init__()
        self.same = same


def _changed(place: Place, text: KeptText, definition: str | None) -> RollbackBlocker:
    if definition is None:
        why = "contract had it show data_type still, and it is gone since"
    else:
        why = "somebody has changed it since contract had it show data_type still"
    return RollbackBlocker(
        place.subject.label,
        "view",
        text.name,
        "" if definition is None else definition,
        why,
        f"put it back as contract left it, run rollback again, then change it anew: {text.statement}",
    )


def _views(session: Session, place: Place) -> list[_View]:
    names = [] if place.contract is None else [view.name for view in place.contract.views]
    return session.rows(_View, "migration/rollback_views", {"names": names}) if names else []


def _locks(session: Session, place: Place) -> list[Action]:
    """Views before their tables, as all DDL of ours."""
    return [_lock(session, view) for view in _views(session, place) if view.owner is not None]


def _lock(session: Session, view: _View) -> Action:
    assert view.owner is not None
    return act(
        session,
        f"lock {view.name}",
        "contract_lock_view",
        BRIEF,
        view=verbatim(view.name),
        owner=sql.Identifier(view.owner),
    )


def _former_views(session: Session, views: Sequence[KeptText]) -> list[Action]:
    return [
        act(
            session,
            f"give {view.name} its former text back",
            "verbatim",
            BRIEF,
            statement=verbatim(respelt(view.former)),
        )
        for view in views
    ]


class _ViewChangedError(Exception):
    """Rolls the transaction back in which it was found out."""

    def __init__(self, blocker: RollbackBlocker) -> None:
        super().__init__(blocker.name)
        self.blocker = blocker


def finish(
    run: Run, subject: Subject, type_map: TypeMap, patience: Patience
) -> tuple[RollbackBlocker, ...]:
    """Carries it out; what stopped it, upon which nothing of it was changed.

    Raises Busy where an index that was built is gone again: its definition is forgotten with the note.
    """

    session = run.session

    def plan() -> list[Action]:
        place = find(session, subject, type_map)
        if place is None or place.contract is None:
            return []
        for lock in _locks(session, place):
            session.execute(lock.statement, lock.params)
        if missing := rollback_indexes.missing(session, place):
            raise Busy(
                f"somebody has dropped {', '.join(missing)} while data_type of {subject.label} came back",
                remedy="run it again: what was done stays",
            )
        definitions = {view.name: view.text for view in _views(session, place)}
        changed = [view for view in place.contract.views if definitions[view.name] is None]
        if changed:
            raise _ViewChangedError(_changed(place, changed[0], None))
        pending = []
        for view in place.contract.views:
            before = definitions[view.name]
            if before is not None and _same(before, view.former):
                continue
            # What contract put there, put there once more, must give the very same text.
            try:
                session.execute(_statement(session, view.statement))
            except psycopg.Error as error:
                if session.lost or kind(error) is not Kind.OTHER:
                    raise
                raise _ViewChangedError(_changed(place, view, before)) from error
            pending.append(view)
        after = {view.name: view.text for view in _views(session, place)}
        for view in pending:
            if after[view.name] != definitions[view.name]:
                raise _ViewChangedError(_changed(place, view, definitions[view.name]))
        return [*_former_views(session, pending), record.uncontracted(session, place.table)]

    try:
        actions.apply(run, plan, patience)
    except _ViewChangedError as changed:
        return (changed.blocker,)
    return ()


def _statement(session: Session, text: str) -> sql.Composed:
    return session.statement("migration/verbatim", statement=verbatim(text))
