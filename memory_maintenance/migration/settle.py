"""The end of phase backfill: once every row is classified, the checks are validated and NULL is ruled out.

Each step is committed on its own, since validating scans and must not hold a strong lock while it does.
"""

from __future__ import annotations

from dataclasses import replace

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.migration import expand
from memory_maintenance.migration.actions import BRIEF, SHARED, Action, Step
from memory_maintenance.migration.state import CHECK_AXES, State
from memory_maintenance.migration.tables import Subject, key_argument
from memory_maintenance.model.mapping import TypeMap


def plan(
    session: Session, subject: Subject, state: State, type_map: TypeMap, *, after_expand: bool
) -> list[Step]:
    """What is still to be done. after_expand: reckon with the checks that expand is going to add."""
    facts = state.relation.identifier
    helper = CHECK_AXES in state.constraints or (
        after_expand and state.has_data_type and not state.settled
    )
    steps = []
    for name in (*expand.check_conditions(subject), *([CHECK_AXES] if helper else ())):
        fresh = after_expand and name not in state.constraints
        if fresh or name in state.unvalidated:
            action = Action(
                "backfill",
                f"validate {name}",
                session.statement("migration/validate", facts=facts, name=sql.Identifier(name)),
                SHARED,
            )
            steps.append(Step((action,), "apart"))
    if helper and not state.settled:
        action = Action(
            "backfill",
            "forbid NULL in both axes",
            session.statement("migration/set_not_null", facts=facts),
            BRIEF,
        )
        steps.append(Step((action,)))
    if helper:
        action = Action(
            "backfill",
            f"drop {CHECK_AXES}, which has served",
            session.statement("migration/drop_check", facts=facts, name=sql.Identifier(CHECK_AXES)),
            BRIEF,
        )
        steps.append(Step((action,)))
    if state.has_data_type:
        # From here on no row can be unclassified, and our triggers need not look at every UPDATE.
        made = state
        if after_expand and state.update_form is None:
            made = replace(
                state,
                triggers=tuple(expand.TRIGGERS),
                map_argument=type_map.as_json(),
                other_arguments=(key_argument(state.relation), state.default_data_type or ""),
            )
        narrowed = expand.triggers(session, made, facts, type_map, phase="backfill", settled=True)
        if renewed := tuple(narrowed):
            steps.append(Step(renewed))
    return steps
