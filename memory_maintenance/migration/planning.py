"""Steps as a dry run shows them: what would be executed, with every value in its place."""

from __future__ import annotations

from collections.abc import Sequence

from memory_maintenance.database.session import Session
from memory_maintenance.migration.actions import Action, Step
from memory_maintenance.migration.result import Planned

KEYS = ("first_key", "last_key")
"""The placeholders of a batch that stand for its first and last key, and are shown as :first_key."""


def planned(session: Session, steps: Sequence[Step]) -> tuple[Planned, ...]:
    """The statements of the steps, in order."""
    found = []
    for number, step in enumerate(steps, start=1):
        transaction = number if step.kind == "transaction" else None
        found += [
            Planned(
                action.phase,
                one_line(action.what),
                action.lock,
                text(session, action),
                transaction,
                action.rows,
            )
            for action in step.actions
        ]
    return tuple(found)


def one_line(comment: str) -> str:
    """A comment in SQL whatever names it carries: a line break would end it, and start a statement."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in comment)


def text(
    session: Session, action: Action, first_key: str = ":first_key", last_key: str = ":last_key"
) -> str:
    """The statement with its parameters as literals. first_key, last_key: how a batch's ends are written."""
    return session.text(action.statement, action.params, first_key=first_key, last_key=last_key)
