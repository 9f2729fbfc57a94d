"""Phase expand: the columns, the trigger that fills the axes, the checks. One short transaction.

The axes come nullable and without default, in the same transaction as the trigger, so that NULL means "not
classified yet" and nothing is taken for classified that isn't (spec 2). Where there is no ``data_type`` to
map, they come with their final defaults instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from memory_maintenance.database.disturbing import update_triggers
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import checks, guards
from memory_maintenance.migration.actions import BRIEF, BRISK, Action, Phase
from memory_maintenance.migration.state import (
    CHECK_AXES,
    CHECK_DURABILITY,
    CHECK_IMPORTANCE,
    NOTE_KEY,
    ROLLBACK_NOTES,
    State,
)
from memory_maintenance.migration.tables import Subject, key_argument
from memory_maintenance.model.mapping import FALLBACK, TypeMap

TRIGGERS = {
    # In the order in which they fire: names decide. Guards come between them and after, see guards.py.
    "memory_maintenance_10_map_insert": ("insert_trigger", "map_data_type"),
    "memory_maintenance_10_map_update": ("update_trigger", "map_data_type"),
    "memory_maintenance_30_way_back_insert": ("insert_trigger", "write_back_data_type"),
    "memory_maintenance_30_way_back_update": ("update_trigger", "write_back_data_type"),
    "memory_maintenance_50_old_style_insert": (
        "old_style_insert_trigger",
        "note_old_style_statement",
    ),
    "memory_maintenance_50_old_style_update": (
        "old_style_update_trigger",
        "note_old_style_statement",
    ),
}
"""Our triggers while data_type lives: the file of sql/migration that makes each, and its function."""
_AXES = {"durability": sql.SQL("varchar(20)"), "category": sql.SQL("text")}
_TEXTS = ("character varying", "text")
_NUMBERS = ("smallint", "integer", "bigint")
_NUMERIC = re.compile(r"^numeric(?:\((?P<precision>\d+),(?P<scale>\d+)\))?$")
_ACCEPTED: Mapping[str, tuple[str, ...]] = {
    "durability": _TEXTS,
    "category": _TEXTS,
    "confidence_base": ("double precision",),
    "confidence_anchor_at": ("timestamp with time zone",),
    "importance": _NUMBERS,
    "importance_scored_at": ("timestamp with time zone",),
    "effective_importance": _NUMBERS,
    "last_accessed_at": ("timestamp with time zone", "timestamp without time zone"),
    "access_count": _NUMBERS,
    "pinned": ("boolean",),
    "expires": ("timestamp with time zone", "timestamp without time zone"),
}


def definitions(subject: Subject, relation: Relation) -> dict[str, sql.Composable]:
    """Our columns and their types, the axes apart. An archive gets none but the axes."""
    if subject.archive:
        return {}
    return {
        "confidence_base": sql.SQL("double precision"),
        "confidence_anchor_at": sql.SQL("timestamptz"),
        "confidence_written": _type_of_confidence(relation),
        "importance": sql.SQL("smallint NOT NULL DEFAULT 5"),
        "importance_scored_at": sql.SQL("timestamptz"),
        "effective_importance": sql.SQL("smallint"),
        "last_accessed_at": sql.SQL("timestamptz"),
        "access_count": sql.SQL("integer NOT NULL DEFAULT 0"),
        "pinned": sql.SQL("boolean NOT NULL DEFAULT false"),
        "expires": sql.SQL("timestamptz"),
    }


@dataclass(frozen=True, slots=True)
class _Refused:
    rows: int
    ids: list[str]


def prove(session: Session, subject: Subject, state: State) -> None:
    """Raises UsageError where the table can't be migrated as it is; nothing was changed then."""
    relation = state.relation
    _prove_types(subject, relation)
    if relation.has("durability") != relation.has("category"):
        raise UsageError(
            f"{relation.label} has one of durability and category, but not both",
            remedy="rename it, or add the other: ALTER TABLE ... ADD COLUMN ...",
        )
    if state.has_data_type and relation.columns["data_type"].type not in _TEXTS:
        raise UsageError(
            f"{relation.label}.data_type is of type {relation.columns['data_type'].full_type}; "
            "character varying and text are supported"
        )
    checks.prove(session, state)
    for name in check_conditions(subject):
        _prove_range(session, state, name, checks.CONDITIONS[name])


def check_conditions(subject: Subject) -> tuple[str, ...]:
    """The names of our CHECKs on values that a table gets."""
    return (CHECK_DURABILITY,) if subject.archive else (CHECK_DURABILITY, CHECK_IMPORTANCE)


def _prove_types(subject: Subject, relation: Relation) -> None:
    for name in () if subject.archive else ("value", "confidence"):
        if name not in relation.columns:
            raise UsageError(
                f"{relation.label} has no column {name}",
                remedy="check --table: the table of facts is meant",
            )
    faults = [
        f"{name} is {relation.columns[name].full_type}, not {accepted[0]}"
        for name, accepted in _ACCEPTED.items()
        if name in relation.columns
        and (name in _AXES or not subject.archive)
        and relation.columns[name].type not in accepted
    ]
    if not subject.archive:
        confidence = relation.columns["confidence"].full_type
        _type_of_confidence(relation)
        if relation.has("confidence_written"):
            written = relation.columns["confidence_written"].full_type
            if written != confidence:
                faults.append(f"confidence_written is {written}, not {confidence}")
    if faults:
        raise UsageError(
            f"{relation.label} has columns of our names but other types: {'; '.join(faults)}",
            remedy="rename them: ALTER TABLE ... RENAME COLUMN ... TO ...",
        )


def _prove_range(session: Session, state: State, check: str, condition: sql.SQL) -> None:
    """Columns that were there before us may hold what our CHECK would refuse, to writers as well."""
    relation = state.relation
    column = "durability" if check == CHECK_DURABILITY else "importance"
    held = check in state.constraints and check not in state.unvalidated
    if held or not relation.has(column):
        return
    with session.facts_path(relation.schema):
        (refused,) = session.rows(
            _Refused,
            "migration/out_of_range",
            facts=relation.identifier,
            key=relation.key_identifier,
            condition=condition,
        )
    if refused.rows:
        raise UsageError(
            f"{relation.label} has {refused.rows:,} facts whose {column} isn't within what "
            f"{check} will allow ({session.text(condition)}), such as "
            f"{', '.join(refused.ids)}",
            remedy=f"set {column} right in these facts first, or rename the column if it isn't ours",
        )


def added_columns(subject: Subject, state: State) -> list[str]:
    """The columns that this phase would add."""
    names = [*_AXES, *definitions(subject, state.relation)]
    return [name for name in names if name not in state.relation.columns]


def added_constraints(subject: Subject, state: State) -> list[str]:
    """The CHECKs that this phase would add and that stay."""
    return [name for name in check_conditions(subject) if name not in state.constraints]


def former(subject: Subject, state: State) -> Mapping[str, Any]:
    """What of our columns and CHECKs is there already, for rollback."""
    columns = [*_AXES, *definitions(subject, state.relation)]
    return state.former(columns, check_conditions(subject))


def plan(session: Session, subject: Subject, state: State, type_map: TypeMap) -> list[Action]:
    """What is still to be done in the one transaction, in order."""
    facts = state.relation.identifier
    return [
        *_columns(session, subject, state, facts),
        *_triggers(session, state, facts, type_map),
        *_guards(session, subject, state, type_map),
        *_checks(session, subject, state, facts),
    ]


def _columns(
    session: Session, subject: Subject, state: State, facts: sql.Identifier
) -> Iterator[Action]:
    wanted: dict[str, sql.Composable] = dict(_AXES)
    if not state.has_data_type:
        for name, value in zip(_AXES, FALLBACK, strict=True):
            wanted[name] = _AXES[name] + sql.SQL(" NOT NULL DEFAULT {}").format(sql.Literal(value))
    wanted |= definitions(subject, state.relation)
    for name, definition in wanted.items():
        if name not in state.relation.columns:
            yield Action(
                "expand",
                f"add {name}",
                session.statement(
                    "migration/add_column",
                    facts=facts,
                    column=sql.Identifier(name),
                    definition=definition,
                ),
                BRIEF,
            )
    for name, value in zip(_AXES, FALLBACK, strict=True):
        column = state.relation.columns.get(name)
        if column is None:
            continue
        if state.has_data_type and column.default is not None:
            yield Action(
                "expand",
                f"drop the default of {name}, which would hide whether a writer named it",
                session.statement(
                    "migration/drop_default", facts=facts, column=sql.Identifier(name)
                ),
                BRIEF,
            )
        if not state.has_data_type and column.default is None:
            yield Action(
                "expand",
                f"give {name} its default",
                session.statement(
                    "migration/set_default",
                    facts=facts,
                    column=sql.Identifier(name),
                    value=sql.Literal(value),
                ),
                BRIEF,
            )


def _triggers(
    session: Session, state: State, facts: sql.Identifier, type_map: TypeMap
) -> Iterator[Action]:
    # A rollback that was killed may have left its own, which are of no use to anybody else.
    for name in ROLLBACK_NOTES:
        if name in state.triggers:
            yield _drop(session, facts, name, "which a rollback has left")
    if state.has_data_type:
        yield from triggers(session, state, facts, type_map)
        return
    for name in (*TRIGGERS, NOTE_KEY):
        if name in state.triggers:
            yield _drop(session, facts, name, "which would fail every insert, data_type being gone")


def _guards(
    session: Session, subject: Subject, state: State, type_map: TypeMap
) -> Iterator[Action]:
    """What may be done to facts is no matter of their archive."""
    if not subject.archive:
        yield from guards.plan(session, state.relation, type_map)


def triggers(
    session: Session,
    state: State,
    facts: sql.Identifier,
    type_map: TypeMap,
    *,
    phase: Phase = "expand",
    settled: bool | None = None,
) -> Iterator[Action]:
    """What is to be done for our triggers to be in force with this map, where data_type is there.

    settled: whether to reckon with axes that can't be NULL; None: as they are now.
    """
    argument = type_map.as_json()
    arguments = [key_argument(state.relation), state.default_data_type or ""]
    form = _form(session, state, state.settled if settled is None else settled)
    current = state.map_argument == argument and list(state.other_arguments) == arguments
    for name, (file, function) in TRIGGERS.items():
        quoted = sql.Identifier(name)
        if name in state.triggers:
            if current and (file != "update_trigger" or state.update_form == form):
                if name in state.disabled:
                    yield Action(
                        phase,
                        f"enable {name}, which somebody had disabled",
                        session.statement("migration/enable_trigger", facts=facts, name=quoted),
                        BRISK,
                    )
                continue
            yield _drop(session, facts, name, "to make it anew", phase)
        slots: dict[str, sql.Composable] = {
            "facts": facts,
            "name": quoted,
            "function": sql.Identifier("memory_maintenance", function),
        }
        if function != "note_old_style_statement":
            slots |= {
                "type_map": sql.Literal(argument),
                "key": sql.Literal(arguments[0]),
                "default": sql.Literal(arguments[1]),
            }
        else:
            # Statement triggers of a partitioned table don't fire for its partitions: there, each row does.
            slots["level"] = sql.SQL("ROW" if state.relation.partitioned else "STATEMENT")
        if file == "update_trigger":
            slots |= _form_slots(session, form, argument)
        yield Action(
            phase, f"create {name}", session.statement(f"migration/{file}", **slots), BRISK
        )


def _form(session: Session, state: State, settled: bool) -> str:
    """The form of our triggers for UPDATE: "unsettled" while rows may be unclassified, which any UPDATE has
    to mend; then "named", for statements that name an axis or data_type, which costs others nothing; but
    "any" where triggers of others may change these in a statement that doesn't name them."""
    if not settled:
        return "unsettled"
    others = any(t.changes_rows for t in update_triggers(session, state.relation))
    return "any" if others else "named"


def _form_slots(session: Session, form: str, argument: str) -> dict[str, sql.Composable]:
    nothing = sql.SQL("")
    more: sql.Composable = nothing
    if form == "unsettled":
        name = "migration/update_trigger_unless_classified"
        more = session.statement(name, type_map=sql.Literal(argument))
    columns = sql.SQL("OF durability, category, data_type") if form == "named" else nothing
    return {"columns": columns, "more": more, "form": sql.Literal(form)}


def _drop(
    session: Session, facts: sql.Identifier, name: str, why: str, phase: Phase = "expand"
) -> Action:
    return Action(
        phase,
        f"drop {name}, {why}",
        session.statement("migration/drop_trigger", facts=facts, name=sql.Identifier(name)),
        BRIEF,
    )


def _checks(
    session: Session, subject: Subject, state: State, facts: sql.Identifier
) -> Iterator[Action]:
    conditions = {name: checks.CONDITIONS[name] for name in check_conditions(subject)}
    if not state.settled and state.has_data_type:
        conditions[CHECK_AXES] = checks.AXES_PRESENT
    for name, condition in conditions.items():
        if name not in state.constraints:
            yield Action(
                "expand",
                f"add {name}, not yet validated",
                session.statement(
                    "migration/add_check",
                    facts=facts,
                    name=sql.Identifier(name),
                    condition=condition,
                ),
                BRIEF,
            )


def _type_of_confidence(relation: Relation) -> sql.Composable:
    column = relation.columns["confidence"]
    if column.type == "double precision":
        return sql.SQL("double precision")
    if column.type == "real":
        return sql.SQL("real")
    if match := _NUMERIC.match(column.full_type):
        if match["precision"] is None:
            return sql.SQL("numeric")
        return sql.SQL("numeric({}, {})").format(
            sql.Literal(int(match["precision"])), sql.Literal(int(match["scale"]))
        )
    raise UsageError(
        f"{relation.label}.confidence is of type {column.full_type}; double precision, real and "
        "numeric are supported"
    )
