"""Phase settle: once every row is classified, the checks are validated and NULL is ruled out.

Each step is a transaction of its own, since validating scans and must not hold a strong lock while it does.
"""

from __future__ import annotations

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.migration.actions import Action
from memory_maintenance.migration.state import (
    CHECK_AXES,
    CHECK_DURABILITY,
    CHECK_IMPORTANCE,
    State,
)


def plan(session: Session, state: State, *, after_expand: bool) -> list[Action]:
    """What is still to be done. after_expand: reckon with the checks that expand is going to add."""
    facts = state.relation.identifier
    helper = CHECK_AXES in state.constraints or (
        after_expand and state.has_data_type and not state.settled
    )
    actions = []
    for name in (CHECK_DURABILITY, CHECK_IMPORTANCE, *([CHECK_AXES] if helper else ())):
        fresh = after_expand and name not in state.constraints
        if fresh or name in state.unvalidated:
            actions.append(
                Action(
                    "settle",
                    f"validate {name}",
                    session.statement("migration/validate", facts=facts, name=sql.Identifier(name)),
                    "SHARE UPDATE EXCLUSIVE, for one scan; readers and writers go on",
                )
            )
    if helper and not state.settled:
        actions.append(
            Action(
                "settle",
                "forbid NULL in both axes",
                session.statement("migration/set_not_null", facts=facts),
                "ACCESS EXCLUSIVE, briefly",
            )
        )
    if helper:
        actions.append(
            Action(
                "settle",
                f"drop {CHECK_AXES}, which has served",
                session.statement(
                    "migration/drop_check", facts=facts, name=sql.Identifier(CHECK_AXES)
                ),
                "ACCESS EXCLUSIVE, briefly",
            )
        )
    return actions
