"""What must be sure before expand changes anything, and what others have that will disturb the migration.

While data_type lives, our trigger writes the way back of a fact's axes into it (spec 1): one of four values,
each of which the table must take, or a writer who only changes an axis would get an error. And each stored
fact must take an UPDATE, and the table our columns, or the migration would stop half way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from memory_maintenance.database.relation import Relation, table_label
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import Kind, kind
from memory_maintenance.database.statements import verbatim
from memory_maintenance.errors import UsageError
from memory_maintenance.migration import checks, expand
from memory_maintenance.migration.state import CHECK_AXES, State
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import TypeMap

WAY_BACK = ("permanent", "temporal", "preference", "observation")
"""The values that the axes give back (memory_maintenance.data_type_of)."""

_COLUMN = "data_type"
_AXES = ("durability", "category")
_WRITTEN = (_COLUMN, *_AXES)
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
class _InsertRule:
    rule: str
    table_schema: str
    table_name: str


@dataclass(frozen=True, slots=True)
class _UpdateRule:
    rule: str
    definition: str


@dataclass(frozen=True, slots=True)
class _Unvalidated:
    name: str
    table_schema: str
    table_name: str
    definition: str
    condition: str
    names_column: bool


@dataclass(frozen=True, slots=True)
class _Refused:
    rows: int
    ids: list[str]


@dataclass(frozen=True, slots=True)
class _RowTyped:
    table_schema: str
    table_name: str
    column_name: str
    materialized: bool


@dataclass(frozen=True, slots=True)
class _Unique:
    name: str
    table_schema: str
    table_name: str
    excludes: bool


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


def prove_writable(session: Session, subject: Subject, state: State, *, writes: bool) -> None:
    """Raises UsageError where the table could not take our columns, or its stored facts an UPDATE, so that
    the migration would stop half way; nothing was changed then.

    writes: whether backfill has facts to write. Where it has none, and no column is to be added, nothing is
    looked at. Each constraint that isn't validated costs one scan of the table, whatever columns it is
    about: any UPDATE checks it. Its condition is evaluated as ``prove_way_back`` does.
    """
    _prove_row_type(session, subject, state)
    if not writes:
        return
    _prove_rules(session, subject, state.relation)
    params = {
        "oid": state.relation.oid,
        # Ours, which expand.prove has looked at, and which backfill is there to fulfil.
        "skipped": [*expand.check_conditions(subject), CHECK_AXES],
        "columns": list(_AXES),
    }
    for found in session.rows(_Unvalidated, "catalog/unvalidated", params):
        _prove_rows(session, state, found)


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
    try:
        with _evaluating(session, relation):
            found = session.rows(
                _Value,
                "catalog/values_refused",
                {"values": list(WAY_BACK)},
                column=sql.Identifier(_COLUMN),
                type=verbatim(relation.columns[_COLUMN].full_type),
                condition=verbatim(check.condition),
            )
    except psycopg.Error as error:
        if not _is_the_conditions(session, error):
            raise
        raise UsageError(
            f"{check.place} can't be evaluated for the values that facts get whose axes change: "
            f"{error.diag.message_primary}: CHECK ({check.condition})",
            remedy="replace it by a list of values, with permanent, temporal, preference and observation",
        ) from error
    return [row.value for row in found]


@contextmanager
def _evaluating(session: Session, relation: Relation) -> Iterator[None]:
    """A block in which conditions of others are run: whatever they call may write, or fail, and is undone."""
    with session.connection.transaction(force_rollback=True):
        session.run("catalog/read_only")
        with session.facts_path(relation.schema):
            yield


def _is_the_conditions(session: Session, error: psycopg.Error) -> bool:
    """Whether an error while a condition was evaluated is its answer, and no trouble of the connection's."""
    return not session.lost and kind(error) is Kind.OTHER and error.sqlstate != "42501"


def _prove_row_type(session: Session, subject: Subject, state: State) -> None:
    """PostgreSQL adds no column with a default, not even NULL or one it need not write down, to a table whose
    row type something stored has."""
    added = expand.added_columns(subject, state)
    defined = expand.definitions(subject, state.relation)
    # Where there is no data_type to map, the axes come with their defaults.
    defaulted = [
        name
        for name in added
        if (not state.has_data_type if name in _AXES else "DEFAULT" in session.text(defined[name]))
    ]
    if not defaulted:
        return
    found = session.rows(_RowTyped, "catalog/row_type_columns", {"oid": state.relation.oid})
    if not found:
        return
    first = found[0]
    column, table = _quoted(first.column_name), _table(first)
    places = ", ".join(f"{_table(f)}.{_quoted(f.column_name)}" for f in found)
    raise UsageError(
        f"the row type of {subject.label} is in use for {places}: as long as it is, PostgreSQL refuses to "
        f"add columns with a default to {subject.label} ({', '.join(defaulted)})",
        remedy=f"drop the materialized view {table} for the time of the migration"
        if first.materialized
        else f"drop the column, or: ALTER TABLE {table} ALTER COLUMN {column} TYPE jsonb USING "
        f"to_jsonb({column})",
    )


def _prove_rules(session: Session, subject: Subject, relation: Relation) -> None:
    rules = session.rows(_UpdateRule, "catalog/update_rules", {"oid": relation.oid})
    if not rules:
        return
    names = [_quoted(rule.rule) for rule in rules]
    several = len(rules) > 1
    definitions = " ".join(" ".join(rule.definition.split()) for rule in rules)
    raise UsageError(
        f"the {'rules' if several else 'rule'} {', '.join(names)} on {subject.label} "
        f"{'rewrite' if several else 'rewrites'} UPDATE, by which facts are classified: {definitions}",
        remedy=f"drop {'them' if several else 'it'} for the time of the migration: "
        + "; ".join(f"DROP RULE {name} ON {subject.label}" for name in names),
    )


def _prove_rows(session: Session, state: State, found: _Unvalidated) -> None:
    relation, table = state.relation, _table(found)
    place = f"the constraint {_quoted(found.name)} on {table}"
    # What the axes of a fact not yet classified will be can't be told by what they are.
    classified = found.names_column and state.has_axes
    try:
        with _evaluating(session, relation):
            (refused,) = session.rows(
                _Refused,
                "catalog/rows_refused",
                relation=sql.Identifier(found.table_schema, found.table_name),
                name=sql.Identifier(found.table_name),
                key=relation.key_identifier,
                condition=verbatim(found.condition),
                seen=checks.AXES_PRESENT if classified else sql.SQL("true"),
            )
    except psycopg.Error as error:
        if not _is_the_conditions(session, error):
            raise
        raise UsageError(
            f"{place} isn't validated, and can't be evaluated for the stored facts: "
            f"{error.diag.message_primary}: {found.definition}",
            remedy=_mend(found, table),
        ) from error
    if refused.rows:
        which = "1 fact breaks" if refused.rows == 1 else f"{refused.rows:,} facts break"
        raise UsageError(
            f"{place} isn't validated, and {which} it: {', '.join(refused.ids)}"
            f"{', ...' if refused.rows > len(refused.ids) else ''}; no UPDATE of such a fact can succeed: "
            f"{found.definition}",
            remedy=_mend(found, table),
        )


def _mend(found: _Unvalidated, table: str) -> str:
    name = _quoted(found.name)
    return (
        f"mend the facts (ALTER TABLE {table} VALIDATE CONSTRAINT {name} proves it), or: "
        f"ALTER TABLE {table} DROP CONSTRAINT {name}"
    )


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
    for found in session.rows(_InsertRule, "catalog/insert_rules", {"oid": relation.oid}):
        yield (
            f"the rule {_quoted(found.rule)} on {_table(found)} replaces INSERT: what it writes elsewhere "
            "gets no axes; check that it still fits the table"
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
    params = {"oid": state.relation.oid, "column": _COLUMN}
    for unique in session.rows(_Unique, "catalog/unique_indexes_of", params):
        what = "exclusion constraint" if unique.excludes else "unique index"
        yield (
            f"the {what} {_quoted(unique.name)} on {_table(unique)} has data_type in it: a writer who "
            "changes an axis fails where another fact has what data_type becomes; see that none can"
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


def _table(found: _Trigger | _InsertRule | _Unvalidated | _RowTyped | _Unique) -> str:
    return table_label(found.table_schema, found.table_name)


def _quoted(name: str) -> str:
    return table_label("public", name)
