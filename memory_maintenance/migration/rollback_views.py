"""Kept views return to their former text, in one short transaction with the note that data_type is back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import actions, record
from memory_maintenance.migration.actions import (
    BRIEF,
    Action,
)
from memory_maintenance.migration.contract_record import KeptText
from memory_maintenance.migration.place import (
    Place,
    act,
    find,
    verbatim,
)
from memory_maintenance.migration.respelling import respelt
from memory_maintenance.migration.rollback_result import RollbackBlocker
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap


@dataclass(frozen=True, slots=True)
class _View:
    name: str
    owner: str | None
    definition: str | None


def final_actions(session: Session, place: Place) -> list[Action]:
    """All of it, for a dry run."""
    views = () if place.contract is None else place.contract.views
    note = record.uncontracted(session, place.table)
    return [*_locks(session, place), *_former_views(session, views), note]


def blockers(session: Session, place: Place) -> list[RollbackBlocker]:
    """Views that are no longer as contract left them, as far as that can be told without touching them."""
    contract = place.contract
    if contract is None:
        return []
    texts = {view.name: view for view in contract.views}
    found = []
    for view in _views(session, place):
        text = texts[view.name]
        current = None if view.definition is None else _words(view.definition)
        if current is None or not (
            current in _words(text.statement)
            or current in _words(text.former)
            or "memory_maintenance.data_type_of" in current
        ):
            found.append(_changed(place, text, view.definition))
    return found


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


def _words(definition: str) -> str:
    return re.sub(r"[\s();]+", " ", definition).strip()


def _views(session: Session, place: Place) -> list[_View]:
    names = [] if place.contract is None else [view.name for view in place.contract.views]
    return session.rows(_View, "migration/rollback_views", {"names": names}) if names else []


def _locks(session: Session, place: Place) -> list[Action]:
    """Views before their tables, as all DDL of ours."""
    return [
        act(
            session,
            f"lock {view.name}",
            "contract_lock_view",
            BRIEF,
            view=verbatim(view.name),
            owner=sql.Identifier(view.owner),
        )
        for view in _views(session, place)
        if view.owner is not None
    ]


def _former_views(session: Session, views: Sequence[KeptText]) -> list[Action]:
    return [
        act(
            session,
            f"give {view.name} its former text back",
            "rollback_verbatim",
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
    """Carries it out; what stopped it, upon which nothing of it was changed."""

    session = run.session

    def plan() -> list[Action]:
        place = find(session, subject, type_map)
        if place is None or place.contract is None:
            return []
        for lock in _locks(session, place):
            session.execute(lock.statement, lock.params)
        definitions = {view.name: view.definition for view in _views(session, place)}
        changed = [view for view in place.contract.views if definitions[view.name] is None]
        if changed:
            raise _ViewChangedError(_changed(place, changed[0], None))
        pending = []
        for view in place.contract.views:
            before = definitions[view.name]
            if before is not None and _words(before) in _words(view.former):
                continue
            # What contract put there, put there once more, must give the very same text.
            session.execute(_statement(session, view.statement))
            pending.append(view)
        after = {view.name: view.definition for view in _views(session, place)}
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
    return session.statement("migration/rollback_verbatim", statement=verbatim(text))
