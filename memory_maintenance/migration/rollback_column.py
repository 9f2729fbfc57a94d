"""data_type comes back as a column, with what was on it: at first without its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from psycopg import sql

from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import verbatim
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.migration import expand, guards
from memory_maintenance.migration.actions import (
    BRIEF,
    BRISK,
    NO_LOCK,
    SHARED,
    Action,
    Step,
)
from memory_maintenance.migration.contract_record import OwnedConstraint
from memory_maintenance.migration.place import (
    Place,
    act,
    perform,
    step,
    with_data_type,
)
from memory_maintenance.migration.respelling import respelt
from memory_maintenance.migration.state import ROLLBACK_NOTES
from memory_maintenance.migration.tables import columns_argument, key_argument
from memory_maintenance.model.mapping import TypeMap

NOTE_NULL = dict(
    zip(
        ROLLBACK_NOTES[2:],
        (
            ("INSERT", "WHEN (NEW.data_type IS NULL)"),
            ("UPDATE", "WHEN (OLD.data_type IS NOT NULL AND NEW.data_type IS NULL)"),
        ),
        strict=True,
    )
)
"""The triggers that note where a writer says NULL, so that the fill doesn't take it for a gap."""
CHECK_PRESENT = "memory_maintenance_data_type_present"
"""A CHECK for the time until data_type is NOT NULL again, which then scans nothing under its lock."""
_AXES = ("durability", "category")
_SMALL = "SHARE UPDATE EXCLUSIVE, briefly"


def constraint_steps(session: Session, back: Place) -> list[Step]:
    """What comes after the values, for a dry run. back: the table once the column is there."""
    assert back.contract is not None
    found = step(late_constraints(session, back))
    found += [Step((_validate(session, back, c),), "apart") for c in _to_validate(back)]
    if back.contract.not_null and not _forbids_null(back):
        found += step([_add_present(session, back)])
        found.append(Step((_prove_present(session, back),), "apart"))
        found += step([_not_null(session, back), _drop_check(session, back, CHECK_PRESENT)])
    return found


def begin(session: Session, place: Place) -> list[Action]:
    """The transaction from which on both kinds of writers are served."""
    if place.contract is None:
        return []
    if place.state.has_data_type:
        # Somebody may have disabled or dropped a trigger since the attempt before.
        return [
            replace(a, phase="rollback")
            for a in (
                *expand.triggers(session, place.state, place.facts, place.type_map),
                *_guards(session, place),
            )
        ]
    return [replace(a, phase="rollback") for a in _begin(session, place)]


def _begin(session: Session, place: Place) -> Iterator[Action]:
    contract, facts = place.contract, place.facts
    assert contract is not None
    collation = "" if contract.collation is None else f" COLLATE {contract.collation}"
    column = sql.Identifier("data_type")
    yield act(
        session,
        "add data_type",
        "add_column",
        BRIEF,
        facts=facts,
        column=column,
        definition=verbatim(contract.type + collation),
    )
    if contract.default is not None:
        value = verbatim(contract.default)
        yield act(
            session,
            "give data_type its default back",
            "set_default",
            BRIEF,
            facts=facts,
            column=column,
            value=value,
        )
    for setting in _settings(place):
        yield act(
            session,
            f"data_type: {setting}",
            "rollback_column_setting",
            BRIEF,
            facts=facts,
            column=column,
            setting=verbatim(setting),
        )
    if contract.comment is not None:
        yield act(
            session,
            "give data_type its comment back",
            "rollback_comment_column",
            _SMALL,
            facts_column=sql.Identifier(place.relation.schema, place.relation.name, "data_type"),
            comment=sql.Literal(contract.comment),
        )
    for grant in contract.grants:
        yield act(session, "grant it again", "verbatim", NO_LOCK, statement=verbatim(grant))
    for axis in _AXES:
        if place.relation.columns[axis].default is not None:
            yield act(
                session,
                f"drop the default of {axis}, which would hide whether a writer named it",
                "drop_default",
                BRIEF,
                facts=facts,
                column=sql.Identifier(axis),
            )
    yield from expand.triggers(session, with_data_type(place).state, facts, place.type_map)
    yield from _guards(session, with_data_type(place))
    yield Action(
        "rollback",
        "forget which facts were noted before",
        session.statement("migration/rollback_forget_notes"),
        NO_LOCK,
        {"table_name": place.table},
        note=True,
    )
    if not contract.not_null:
        for name, (event, condition) in NOTE_NULL.items():
            yield note_trigger(session, place, name, event, sql.SQL(condition))
    for constraint in contract.constraints:
        if _early(place, constraint) and constraint.name not in place.state.constraints:
            yield _add_constraint(session, place, constraint)
            if constraint.comment is not None:
                yield _comment_constraint(session, place, constraint)


def _guards(session: Session, place: Place) -> Iterator[Action]:
    """The guards, which a write of data_type must not slip past either."""
    if not place.subject.archive:
        yield from guards.plan(session, place.relation, place.type_map, phase="rollback")


def note_trigger(
    session: Session, place: Place, name: str, event: str, condition: sql.Composable
) -> Action:
    """A trigger that notes the rows that are written. event: INSERT or UPDATE."""
    return act(
        session,
        f"create {name}",
        "rollback_note_trigger",
        BRISK,
        facts=place.facts,
        name=sql.Identifier(name),
        event=sql.SQL(event),
        condition=condition,
        key=sql.Literal(key_argument(place.relation)),
        columns=sql.Literal(columns_argument(place.relation)),
    )


def _settings(place: Place) -> Iterator[str]:
    contract = place.contract
    assert contract is not None
    if contract.storage is not None:
        yield f"SET STORAGE {contract.storage}"
    if contract.compression is not None:
        yield f"SET COMPRESSION {contract.compression}"
    if contract.statistics is not None and contract.statistics >= 0:
        yield f"SET STATISTICS {contract.statistics}"
    if contract.options:
        yield f"SET ({', '.join(contract.options)})"


def _table_of(place: Place, constraint: OwnedConstraint) -> sql.Composable:
    return place.facts if constraint.partition is None else verbatim(constraint.partition)


def _early(place: Place, constraint: OwnedConstraint) -> bool:
    """Whether it can come back with the column, binding writers at once and scanning nothing."""
    if constraint.definition.startswith("CHECK "):
        return True
    return constraint.definition.startswith("FOREIGN KEY ") and not place.relation.partitioned


def _add_constraint(session: Session, place: Place, constraint: OwnedConstraint) -> Action:
    definition = respelt(constraint.definition)
    if _early(place, constraint) and not definition.endswith((" NOT VALID", " NOT ENFORCED")):
        definition += " NOT VALID"
    return act(
        session,
        f"add {constraint.name} again",
        "rollback_constraint",
        BRIEF,
        facts=_table_of(place, constraint),
        name=sql.Identifier(constraint.name),
        definition=verbatim(definition),
    )


def _comment_constraint(session: Session, place: Place, constraint: OwnedConstraint) -> Action:
    return act(
        session,
        f"give {constraint.name} its comment back",
        "rollback_comment_constraint",
        _SMALL,
        facts=_table_of(place, constraint),
        name=sql.Identifier(constraint.name),
        comment=sql.Literal(constraint.comment),
    )


def late_constraints(session: Session, place: Place) -> list[Action]:
    """Those that need every value to be there."""
    found = []
    for constraint in () if place.contract is None else place.contract.constraints:
        if constraint.name not in place.state.constraints and not _early(place, constraint):
            found.append(_add_constraint(session, place, constraint))
            if constraint.comment is not None:
                found.append(_comment_constraint(session, place, constraint))
    return found


def _to_validate(place: Place) -> list[OwnedConstraint]:
    """The constraints that came back without a look at the rows, and that had had one."""
    if place.contract is None:
        return []
    return [c for c in place.contract.constraints if c.validated and _early(place, c)]


def _validate(session: Session, place: Place, constraint: OwnedConstraint) -> Action:
    return act(
        session,
        f"validate {constraint.name}",
        "validate",
        SHARED,
        facts=_table_of(place, constraint),
        name=sql.Identifier(constraint.name),
    )


def _prove_present(session: Session, place: Place) -> Action:
    return act(
        session,
        f"validate {CHECK_PRESENT}",
        "validate",
        SHARED,
        facts=place.facts,
        name=sql.Identifier(CHECK_PRESENT),
    )


def _add_present(session: Session, place: Place) -> Action:
    return act(
        session,
        f"add {CHECK_PRESENT}, not yet validated",
        "add_check",
        BRIEF,
        facts=place.facts,
        name=sql.Identifier(CHECK_PRESENT),
        condition=sql.SQL("data_type IS NOT NULL"),
    )


def _not_null(session: Session, place: Place) -> Action:
    assert place.contract is not None
    what = "forbid NULL in data_type again"
    name = place.contract.not_null_name
    if name is None:
        return act(session, what, "rollback_not_null", BRIEF, facts=place.facts)
    return act(
        session,
        what,
        "rollback_named_not_null",
        BRIEF,
        facts=place.facts,
        name=sql.Identifier(name),
    )


def _drop_check(session: Session, place: Place, name: str) -> Action:
    return act(
        session,
        f"drop {name}, which has served",
        "drop_check",
        BRIEF,
        facts=place.facts,
        name=sql.Identifier(name),
    )


def constrain(run: Run, place: Place, type_map: TypeMap, patience: Patience) -> None:
    """Has the column's constraints hold again, once its values are there."""
    subject = place.subject
    perform(run, subject, type_map, late_constraints, patience)

    for constraint in _to_validate(place):

        def validate(
            session: Session, now: Place, constraint: OwnedConstraint = constraint
        ) -> list[Action]:
            # Of a partition's own constraint the state says nothing; to validate it twice does no harm.
            due = constraint.partition is not None or constraint.name in now.state.unvalidated
            return [_validate(session, now, constraint)] if due else []

        perform(run, subject, type_map, validate, patience, kind="apart")
    assert place.contract is not None
    if not place.contract.not_null:
        return

    def add(session: Session, now: Place) -> list[Action]:
        there = CHECK_PRESENT in now.state.constraints or _forbids_null(now)
        return [] if there else [_add_present(session, now)]

    def prove(session: Session, now: Place) -> list[Action]:
        wanted = CHECK_PRESENT in now.state.unvalidated
        return [_prove_present(session, now)] if wanted else []

    def forbid(session: Session, now: Place) -> list[Action]:
        found = [] if _forbids_null(now) else [_not_null(session, now)]
        if CHECK_PRESENT in now.state.constraints:
            found.append(_drop_check(session, now, CHECK_PRESENT))
        return found

    perform(run, subject, type_map, add, patience)
    perform(run, subject, type_map, prove, patience, kind="apart")
    perform(run, subject, type_map, forbid, patience)


def _forbids_null(place: Place) -> bool:
    return place.relation.columns["data_type"].not_null
