"""What contract takes away from a table, as it is written down for rollback (``Record.contract``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class OwnedConstraint:
    """A constraint on data_type alone. definition: as ``pg_get_constraintdef`` gives it, which ends in NOT
    VALID where it isn't validated. comment: None where it has none. partition: its qualified name, as SQL
    reads it, where only this partition has the constraint; None for one of the table."""

    name: str
    definition: str
    validated: bool
    comment: str | None = None
    partition: str | None = None


@dataclass(frozen=True, slots=True)
class OwnedIndex:
    """An index on data_type alone that belongs to no constraint. name: without its schema. definition: a
    whole CREATE INDEX, as ``pg_get_indexdef`` gives it. valid: whether it was in use. tablespace: None for
    the default one. clustered: whether CLUSTER goes by it."""

    name: str
    definition: str
    comment: str | None = None
    valid: bool = True
    tablespace: str | None = None
    clustered: bool = False


@dataclass(frozen=True, slots=True)
class KeptText:
    """A view that shows data_type still, computed from the axes. name: qualified and quoted as SQL reads it.
    former, statement: whole CREATE OR REPLACE VIEW statements without semicolon, of before and after."""

    name: str
    former: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractRecord:
    """All that rollback needs to put data_type back.

    type: with its modifier ("character varying(20)"). backed_up: rows whose old value is in
    data_type_backup. digest_columns: of a table without a key, the columns whose digest a row goes by
    there; () for one with a key. collation: qualified and quoted as SQL reads it, None where it is the
    type's own. default: an expression. not_null_name: of the constraint, from PostgreSQL 18 on.
    constraints: CHECKs on this column alone. grants: whole GRANT statements for the column, without
    semicolon. statistics: the column's target. storage: a word for SET STORAGE (PLAIN, EXTERNAL, EXTENDED,
    MAIN), None where it is the type's own; compression: likewise (pglz, lz4). options: attribute options
    such as "n_distinct=5". views: in the order in which they were replaced. accepted: full names of what
    the operator let through.
    """

    type: str
    backed_up: int = 0
    digest_columns: tuple[str, ...] = ()
    collation: str | None = None
    default: str | None = None
    not_null: bool = False
    not_null_name: str | None = None
    constraints: tuple[OwnedConstraint, ...] = ()
    indexes: tuple[OwnedIndex, ...] = ()
    comment: str | None = None
    grants: tuple[str, ...] = ()
    statistics: int | None = None
    storage: str | None = None
    compression: str | None = None
    options: tuple[str, ...] = ()
    views: tuple[KeptText, ...] = ()
    accepted: tuple[str, ...] = ()

    def to_json(self) -> Mapping[str, Any]:
        """As it is written down; ``from_json`` takes it back."""
        return asdict(self)


def from_json(kept: Mapping[str, Any]) -> ContractRecord:
    """What ``to_json`` gave. Raises KeyError or TypeError for anything else."""
    plain = dict(kept)
    return ContractRecord(
        **plain
        | {
            "constraints": tuple(OwnedConstraint(**c) for c in plain["constraints"]),
            "indexes": tuple(OwnedIndex(**i) for i in plain["indexes"]),
            "views": tuple(KeptText(**v) for v in plain["views"]),
            "grants": tuple(plain["grants"]),
            "options": tuple(plain["options"]),
            "accepted": tuple(plain["accepted"]),
            "digest_columns": tuple(plain["digest_columns"]),
        }
    )
