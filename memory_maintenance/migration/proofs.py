"""What must be sure before expand changes anything, and what others have that will disturb the migration.

While data_type lives, our trigger writes the way back of a fact's axes into it (spec 1): one of four values,
each of which the table must take, or a writer who only changes an axis would get an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from memory_maintenance.database.relation import Relation, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import checks
from memory_maintenance.migration.state import State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap

WAY_BACK = ("permanent", "temporal", "preference", "observation")
"""The values that the axes give back (memory_maintenance.data_type_of)."""

_COLUMN = "data_type"
_WRITTEN = ("data_type", "durability", "category")
_LAST_OF_OURS = "memory_maintenance_30_way_back_update"
_LENGTH = re.compile(r"character varying\((\d+)\)")
_TEXTS = ("character varying", "text")


@dataclass(frozen=True, slots=True)
class _Value:
    value: str


@dataclass(frozen=True, slots=True)
class _Partitioned:
    schema: str
    name: str
    column_name: str
    key: str


@dataclass(frozen=True, slots=True)
class _Check:
    name: str
    table_schema: str
    table_name: str
    condition: str
    alone: bool

    @property
    def place(self) -> str:
        return (
            f"the CHECK {_quoted(self.name)} on {table_label(self.table_schema, self.table_name)}"
        )


@dataclass(frozen=True, slots=True)
class _ForeignKey:
    name: str
    table_schema: str
    table_name: str
    referenced_schema: str
    referenced_table: str
    referenced_column: str
    readable: bool

    @property
    def place(self) -> str:
        table = table_label(self.table_schema, self.table_name)
        return f"the foreign key {_quoted(self.name)} on {table}"

    @property
    def referenced(self) -> str:
        return table_label(self.referenced_schema, self.referenced_table)


@dataclass(frozen=True, slots=True)
class _Trigger:
    trigger: str
    table_schema: str
    table_name: str
    function: str
    names_column: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    rule: str
    table_schema: str
    table_name: str
    updates: bool
    instead: bool


@dataclass(frozen=True, slots=True)
class _Publication:
    publication: str
    listed: bool


def prove_way_back(session: Session, subject: Subject, state: State, type_map: TypeMap) -> None:
    """Raises UsageError where data_type could not take each of WAY_BACK, or where one of the three columns
    decides in which partition a row lies; nothing was changed then.

    Of CHECKs on data_type alone those that are a list of values are read; any other is evaluated for the four
    values, in a savepoint that is rolled back and may not write. CHECKs over several columns can't be proven:
    see ``disturbances``. data_type may be text or varchar(n); a domain, or any other type, is refused.
    """
    if not state.has_data_type:
        return
    relation = state.relation
    _prove_partitions(session, relation)
    _prove_type(subject, relation)
    if lacking := [value for value in WAY_BACK if type_map.of(value) is None]:
        raise UsageError(
            f"the map of data_type lacks {', '.join(lacking)}, which facts get whose axes change",
            remedy=f"give data_type: in the configuration a line for {' and for '.join(lacking)}",
        )
    for check in _checks(session, relation):
        if check.alone:
            _prove_check(session, relation, check)
    for key in _foreign_keys(session, relation):
        if key.readable:
            _prove_foreign_key(session, relation, key)


def disturbances(session: Session, subject: Subject, state: State) -> tuple[str, ...]:
    """What others have that will disturb, or be disturbed, a sentence each; read-only.

    Triggers that stamp updated_at are told by ``database.disturbing``. An archive, to which nobody writes but
    to add whole rows, has the same hindrances.
    """
    relation = state.relation
    return tuple(
        sentence
        for sentences in (
            _of_triggers(session, relation),
            _of_rules(session, relation),
            _of_constraints(session, state),
            _of_functions(session, subject, relation),
            _of_publications(session, subject, relation),
        )
        for sentence in sentences
    )


def _prove_partitions(session: Session, relation: Relation) -> None:
    params = {"oid": relation.oid, "columns": list(_WRITTEN)}
    found = session.row(_Partitioned, "catalog/partition_keys", params)
    if found is None:
        return
    raise UsageError(
        f"{table_label(found.schema, found.name)} is partitioned by {found.key}: a trigger that sets "
        f"{found.column_name} would have to move the row to another partition, which PostgreSQL refuses, and "
        "every such insert would fail",
        remedy=f"partition the table by something else than {found.column_name}",
    )


def _prove_type(subject: Subject, relation: Relation) -> None:
    column = relation.columns[_COLUMN]
    if column.type not in _TEXTS:
        raise UsageError(
            f"{subject.label}.{_COLUMN} is of type {column.full_type}; character varying and text are "
            "supported, domains over them are not",
            remedy=f"ALTER TABLE {subject.label} ALTER COLUMN {_COLUMN} TYPE text",
        )
    length = _LENGTH.fullmatch(column.full_type)
    if length is None:
        return
    if too_long := [value for value in WAY_BACK if len(value) > int(length[1])]:
        longest = max(map(len, WAY_BACK))
        raise UsageError(
            f"{subject.label}.{_COLUMN} is {column.full_type}: too short for {', '.join(too_long)}, which "
            "facts get whose axes change",
            remedy=f"ALTER TABLE {subject.label} ALTER COLUMN {_COLUMN} TYPE varchar({longest})",
        )


def _prove_check(session: Session, relation: Relation, check: _Check) -> None:
    if checks.listed(_COLUMN, check.condition).issuperset(WAY_BACK):
        return
    refused = _refused(session, relation, check)
    if refused:
        raise UsageError(
            f"{check.place} refuses {', '.join(refused)}, which facts get whose axes change: "
            f"CHECK ({check.condition})",
            remedy="replace it by one that allows permanent, temporal, preference and observation",
        )


def _refused(session: Session, relation: Relation, check: _Check) -> Sequence[str]:
    """Those of the four values that the server says the condition refuses."""
    # What the condition calls may write, or fail: whatever it does is undone, and a failure is its answer.
    try:
        with session.connection.transaction(force_rollback=True):
            session.run("catalog/read_only")
            with session.facts_path(relation.schema):
                found = session.rows(
                    _Value,
                    "catalog/values_refused",
                    {"values": list(WAY_BACK)},
                    column=sql.Identifier(_COLUMN),
                    type=sql.SQL(_doubled(relation.columns[_COLUMN].full_type)),
                    condition=sql.SQL(_doubled(check.condition)),
                )
    except psycopg.Error as error:
        if session.lost or kind(error) is not Kind.OTHER or error.sqlstate == "42501":
            raise
        raise UsageError(
            f"{check.place} can't be evaluated for the values that facts get whose axes change: "
            f"{error.diag.message_primary}: CHECK ({check.condition})",
            remedy="replace it by a list of values, with permanent, temporal, preference and observation",
        ) from error
    return [row.value for row in found]


def _prove_foreign_key(session: Session, relation: Relation, key: _ForeignKey) -> None:
    with session.facts_path(relation.schema):
        absent = session.rows(
            _Value,
            "catalog/values_absent",
            {"values": list(WAY_BACK)},
            relation=sql.Identifier(key.referenced_schema, key.referenced_table),
            column=sql.Identifier(key.referenced_column),
        )
    if absent:
        raise UsageError(
            f"{key.place} wants a row of {key.referenced} for each value, and "
            f"{', '.join(row.value for row in absent)}, which facts get whose axes change, has none",
            remedy=f"insert what is missing into {key.referenced}",
        )


def _of_triggers(session: Session, relation: Relation) -> Iterator[str]:
    params = {
        "oid": relation.oid,
        "after": _LAST_OF_OURS,
        "columns": rf"\m({'|'.join(_WRITTEN)})\M",
    }
    for found in session.rows(_Trigger, "catalog/later_triggers", params):
        what = "names data_type or an axis" if found.names_column else "may replace the row"
        yield (
            f"the trigger {_quoted(found.trigger)} on {_table(found)} fires after ours and "
            f"{what}: what it sets is not kept in step; rename it to sort before memory_maintenance"
        )


def _of_rules(session: Session, relation: Relation) -> Iterator[str]:
    for found in session.rows(_Rule, "catalog/write_rules", {"oid": relation.oid}):
        name, table = _quoted(found.rule), _table(found)
        if found.updates:
            yield (
                f"the rule {name} on {table} rewrites UPDATE: backfill will fail or write nothing; "
                f"ALTER TABLE {table} DISABLE RULE {name} meanwhile"
            )
        elif found.instead:
            yield (
                f"the rule {name} on {table} replaces INSERT: what it writes elsewhere gets no axes; "
                "check that it still fits the table"
            )


def _of_constraints(session: Session, state: State) -> Iterator[str]:
    if not state.has_data_type:
        return
    for check in _checks(session, state.relation):
        if not check.alone:
            yield (
                f"{check.place} compares data_type with other columns: a writer who changes an axis fails "
                "where it refuses the data_type that goes with it; see that it can't"
            )
    for key in _foreign_keys(session, state.relation):
        if not key.readable:
            yield (
                f"{key.place} wants rows in {key.referenced}, which this role may not read: see that "
                f"it has {', '.join(WAY_BACK)}"
            )


def _of_functions(session: Session, subject: Subject, relation: Relation) -> Iterator[str]:
    from memory_maintenance.audit.database import row_returning_with_column_list

    for function in row_returning_with_column_list(session, relation):
        yield (
            f"the function {function.name} returns a row of {subject.label} from a list of columns: it "
            "fails once the table has more; have it select the whole row"
        )


def _of_publications(session: Session, subject: Subject, relation: Relation) -> Iterator[str]:
    for found in session.rows(_Publication, "catalog/publications", {"oid": relation.oid}):
        name = _quoted(found.publication)
        if found.listed:
            yield (
                f"the publication {name} has a list of columns of {subject.label}: our columns aren't "
                "replicated unless you add them there"
            )
        else:
            yield (
                f"the publication {name} publishes all columns of {subject.label}: add ours to the "
                "subscribers' table first, or their replication stops"
            )


def _checks(session: Session, relation: Relation) -> list[_Check]:
    return session.rows(_Check, "catalog/checks_of", {"oid": relation.oid, "column": _COLUMN})


def _foreign_keys(session: Session, relation: Relation) -> list[_ForeignKey]:
    params = {"oid": relation.oid, "column": _COLUMN}
    return session.rows(_ForeignKey, "catalog/foreign_keys_of", params)


def _table(found: _Trigger | _Rule) -> str:
    return table_label(found.table_schema, found.table_name)


def _quoted(name: str) -> str:
    return table_label("public", name)


def _doubled(text: str) -> str:
    """SQL that the server itself gave, for a slot: a % in it is no placeholder."""
    return text.replace("%", "%%")
