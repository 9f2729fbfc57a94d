"""What goes with data_type and must come back with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database.relation import Relation, qualified_name
from memory_maintenance.database.session import Session
from memory_maintenance.migration.actions import BRIEF, Action
from memory_maintenance.migration.contract_dependents import Dependents
from memory_maintenance.migration.contract_record import (
    ContractRecord,
    KeptText,
    OwnedConstraint,
    OwnedIndex,
)
from memory_maintenance.migration.views import KeptView


@dataclass(frozen=True, slots=True)
class _Column:
    type: str
    collation: str | None
    not_null: bool
    not_null_name: str | None
    comment: str | None
    grants: list[str]
    statistics: int | None
    storage: str | None
    options: list[str]


@dataclass(frozen=True, slots=True)
class _Compression:
    compression: str | None


@dataclass(frozen=True, slots=True)
class _Constraint:
    name: str
    definition: str
    validated: bool
    comment: str | None
    schema: str | None
    relation: str | None


@dataclass(frozen=True, slots=True)
class _Index:
    schema: str
    name: str
    definition: str
    comment: str | None
    valid: bool
    tablespace: str | None
    clustered: bool


def describe(
    session: Session,
    relation: Relation,
    found: Dependents,
    *,
    views: Iterable[KeptView],
    accepted: Iterable[str],
    backed_up: int,
    digest_columns: tuple[str, ...],
) -> ContractRecord:
    """The column as it is, for rollback. views: those that are going to be replaced."""
    params = {"oid": relation.oid}
    column = session.row(_Column, "migration/contract_column", params)
    compression = session.row(_Compression, "migration/contract_compression", params)
    assert column is not None
    return ContractRecord(
        type=column.type,
        backed_up=backed_up,
        digest_columns=digest_columns,
        collation=column.collation,
        default=relation.columns["data_type"].default,
        not_null=column.not_null,
        not_null_name=column.not_null_name,
        constraints=tuple(
            OwnedConstraint(
                c.name,
                c.definition,
                c.validated,
                c.comment,
                None
                if c.schema is None or c.relation is None
                else qualified_name(c.schema, c.relation),
            )
            for c in _constraints(session, relation, found)
        ),
        indexes=tuple(
            OwnedIndex(i.name, i.definition, i.comment, i.valid, i.tablespace, i.clustered)
            for i in _indexes(session, found)
        ),
        comment=column.comment,
        grants=tuple(column.grants),
        statistics=column.statistics,
        storage=column.storage,
        compression=None if compression is None else compression.compression,
        options=tuple(column.options),
        views=tuple(KeptText(view.name, view.former, view.statement) for view in views),
        accepted=tuple(sorted(accepted)),
    )


def drops(session: Session, relation: Relation, found: Dependents) -> list[Action]:
    """The column and what is on it alone, the latter by name: nothing goes without a word."""
    actions = []
    for constraint in _constraints(session, relation, found):
        table = relation.identifier
        if constraint.schema is not None and constraint.relation is not None:
            table = sql.Identifier(constraint.schema, constraint.relation)
        actions.append(
            Action(
                "contract",
                f"drop the constraint {constraint.name}",
                session.statement(
                    "migration/drop_check", facts=table, name=sql.Identifier(constraint.name)
                ),
                BRIEF,
            )
        )
    actions += [
        Action(
            "contract",
            f"drop the index {index.name}",
            session.statement(
                "migration/drop_index_at_once", index=sql.Identifier(index.schema, index.name)
            ),
            BRIEF,
        )
        for index in _indexes(session, found)
    ]
    statement = session.statement(
        "migration/drop_column", facts=relation.identifier, column=sql.Identifier("data_type")
    )
    actions.append(Action("contract", f"drop {relation.label}.data_type", statement, BRIEF))
    return actions


def _constraints(session: Session, relation: Relation, found: Dependents) -> list[_Constraint]:
    params = {"oid": relation.oid, "oids": found.owned("constraint")}
    return session.rows(_Constraint, "migration/contract_constraints", params)


def _indexes(session: Session, found: Dependents) -> list[_Index]:
    return session.rows(_Index, "migration/contract_indexes", {"oids": found.owned("index")})
