"""The projection's slots and parameters: the one place where configuration meets sql/facts/projection.sql."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from psycopg import sql

from memory_maintenance.config.models import Settings
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import prefixed
from memory_maintenance.errors import UsageError
from memory_maintenance.model.curves import SMALLEST, SMALLEST_REAL
from memory_maintenance.model.policy import Curve, PolicyTable

Only = Literal["confidence", "importance"]

NOTHING = sql.SQL("")
SURVIVAL = sql.Identifier("memory_maintenance", "survival")
OURS = (
    "durability",
    "category",
    "confidence_base",
    "confidence_anchor_at",
    "confidence_written",
    "importance",
    "importance_scored_at",
    "effective_importance",
    "last_accessed_at",
    "access_count",
    "pinned",
)
"""The columns that migrate-types adds (spec 2); ``expires`` is added too where a deployment lacks it."""

_AS_OF = sql.Placeholder("as_of")
_ZONED = "timestamp with time zone"
_ZONELESS = ("timestamp without time zone", "date")
_RATES = ("real", "double precision", "smallint", "integer", "bigint")
_NUMERIC = re.compile(r"^numeric(?:\((?P<precision>\d+),(?P<scale>\d+)\))?$")


@dataclass(frozen=True, slots=True)
class Instant:
    """What the projection is reckoned at.

    as_of: aware. adopted_at, previous_pass_at: timestamps as PostgreSQL writes them, since both may be
    -infinity, which Python has no instant for.
    """

    as_of: datetime
    adopted_at: str
    previous_pass_at: str = "-infinity"  # noqa: S105 - a timestamp


def policy_table(settings: Settings) -> PolicyTable:
    """The curves of the configuration."""
    obligation = settings.category.get("obligation")
    after = None if obligation is None else obligation.after_deadline
    return PolicyTable(
        durabilities={
            name: Curve(_seconds(policy.half_life), policy.shape)
            for name, policy in settings.durability.items()
        },
        categories={
            name: Curve(_seconds(policy.half_life), policy.shape)
            for name, policy in settings.category.items()
        },
        after_deadline=None if after is None else Curve(_seconds(after.half_life)),
        grace_s=0.0 if after is None else after.grace.total_seconds(),
    )


def parameters(
    settings: Settings,
    table: PolicyTable,
    instant: Instant,
    *,
    zone: str,
    only: Only | None = None,
    prefix: str = "",
) -> dict[str, Any]:
    """Everything that the projection's placeholders stand for. zone: that of zone-less columns. prefix: of
    the placeholders' names, as for ``projection``.
    """
    tiers = settings.importance.access_boost
    values = {
        "as_of": instant.as_of,
        "present": instant.as_of,
        "adopted_at": instant.adopted_at,
        "previous_pass_at": instant.previous_pass_at,
        "zone": zone,
        "with_confidence": only != "importance",
        "with_importance": only != "confidence",
        "min_delta": settings.confidence.min_delta,
        "threshold": settings.archive.threshold,
        "durabilities": list(table.durabilities),
        "categories": list(table.categories),
        "half_lives": [curve.half_life_s for curve in table.curves],
        "shapes": [curve.shape for curve in table.curves],
        "first_category": table.first_category,
        "settled": list(table.settled),
        "obligation_waits": table.obligation_waits,
        "obligation_ends": table.after_deadline is not None,
        "grace_s": table.grace_s,
        "mood_half_life_s": table.mood_half_life_s,
        "importance_half_life_s": _seconds(settings.importance.half_life),
        "importance_shape": settings.importance.shape,
        "by_access": settings.importance.clock == "accessed",
        "tier_ends": [t.within.total_seconds() for t in tiers if t.within is not None],
        "tier_factors": [t.factor for t in tiers],
    }
    return {f"{prefix}{name}": value for name, value in values.items()}


def require_columns(relation: Relation) -> None:
    """Raises UsageError, with the command that mends it, where the table lacks what the projection reads."""
    if "confidence" not in relation.columns:
        raise UsageError(
            f"{relation.label} has no column confidence",
            remedy="check --table: the facts table is meant (spec: entity_facts)",
        )
    lacking = [name for name in OURS if name not in relation.columns]
    if lacking:
        raise UsageError(
            f"{relation.label} is not migrated yet: it lacks {', '.join(lacking)}",
            remedy="memory-maintenance migrate-types",
        )


def reading(
    session: Session,
    relation: Relation,
    also: sql.Composable = NOTHING,
    *,
    inferred: bool = False,
) -> sql.Composed:
    """The facts in one shape (facts/reading), to which WHERE and a locking clause can be added.

    also: further columns for the select list, the first after a comma. inferred: the deadlines of the
    parameter ``deadlines`` stand for those that obligations lack.
    """
    expires = column_instant(session, relation, "expires")
    if inferred:
        expires = session.statement("facts/inferred", expires=expires, key=relation.key_identifier)
    settled: sql.Composable = sql.SQL("false")
    if has_document(relation):
        document = document_of(session, relation)
        settled = session.statement("facts/settled", document=document)
        expires = session.statement(
            "facts/deadline",
            expires=expires,
            settled=settled,
            settled_at=session.statement("facts/settled_at", document=document),
        )
    return session.statement(
        "facts/reading",
        facts=relation.identifier,
        key=relation.key_identifier,
        decay_rate=_rate(session, relation),
        last_confirmed_at=column_instant(session, relation, "last_confirmed_at"),
        learned_at=column_instant(session, relation, "learned_at"),
        last_accessed_at=column_instant(session, relation, "last_accessed_at"),
        expires=expires,
        settled=settled,
        also=also,
    )


def projection(
    session: Session,
    relation: Relation,
    rows: sql.Composable,
    *,
    at: sql.Composable = _AS_OF,
    prefix: str = "",
) -> sql.Composed:
    """The projection of ``rows``: a relation in the shape of facts/reading, such as ``(SELECT ...)``.

    at: the instant, where it isn't the parameter ``as_of``: within LATERAL a column will do. prefix: before
    the names of all parameters, those of rows included: for a second policy within one statement.
    """
    confidence = relation.columns["confidence"]
    real = confidence.type == "real"
    smallest = sql.Literal(SMALLEST_REAL if real else SMALLEST) + sql.SQL("::float8")
    statement = session.statement(
        "facts/projection",
        rows=rows,
        as_of=at,
        survival=SURVIVAL,
        rate_half_life_s=session.statement("facts/rate_half_life"),
        value=session.statement("facts/value", smallest=smallest),
        confidence_type=_confidence_type(relation),
    )
    return prefixed(statement, prefix) if prefix else statement


def slots(relation: Relation) -> Mapping[str, sql.Composable]:
    """The table, its key and the key's type, as most statements name them."""
    return {
        "facts": relation.identifier,
        "key": relation.key_identifier,
        "key_type": relation.key_type,
    }


def _seconds(span: timedelta | None) -> float:
    return math.inf if span is None else span.total_seconds()


def _rate(session: Session, relation: Relation) -> sql.Composed:
    column = relation.columns.get("decay_rate")
    if column is None:
        return sql.SQL("NULL") + sql.SQL("::float8")
    name = sql.SQL("f.{}").format(sql.Identifier(column.name))
    if column.type in _RATES:
        return name + sql.SQL("::float8")
    if column.type == "numeric":
        return session.statement("facts/wide_number", column=name)
    raise UsageError(
        f"{relation.label}.decay_rate is of type {column.full_type}, not a number",
        remedy="ALTER TABLE ... ALTER COLUMN decay_rate TYPE real",
    )


def has_document(relation: Relation) -> bool:
    """Whether the facts have a column data that can hold what is known of an obligation."""
    column = relation.columns.get("data")
    return column is not None and column.type in ("json", "jsonb")


def document_of(session: Session, relation: Relation) -> sql.Composed:
    """The column data of a fact ``f`` as jsonb, for a slot; NULL where it is absent or can't be one."""
    if not has_document(relation):
        return sql.SQL("NULL") + sql.SQL("::jsonb")
    column = sql.SQL("f.{}").format(sql.Identifier("data"))
    if relation.columns["data"].type == "jsonb":
        return column + sql.SQL("")
    return session.statement("facts/document", column=column)


def column_instant(session: Session, relation: Relation, name: str) -> sql.Composed:
    """A column of a fact ``f`` as timestamptz, for a slot; NULL where it is absent."""
    column = relation.columns.get(name)
    if column is None:
        return sql.SQL("NULL") + sql.SQL("::timestamptz")
    value = sql.SQL("f.{}").format(sql.Identifier(name))
    if column.type == _ZONED:
        return value + sql.SQL("")
    if column.type in _ZONELESS:
        return session.statement("facts/zoneless", column=value)
    raise UsageError(
        f"{relation.label}.{name} is of type {column.full_type}, not a timestamp",
        remedy=f"ALTER TABLE ... ALTER COLUMN {name} TYPE timestamptz",
    )


def _confidence_type(relation: Relation) -> sql.Composable:
    column = relation.columns["confidence"]
    if column.type == "double precision":
        return sql.SQL("pg_catalog.float8")
    if column.type == "real":
        return sql.SQL("pg_catalog.float4")
    if match := _NUMERIC.match(column.full_type):
        if match["precision"] is None:
            return sql.SQL("pg_catalog.numeric")
        # With the column's own scale, so that what is compared is what will be stored.
        return sql.SQL("pg_catalog.numeric({}, {})").format(
            sql.Literal(int(match["precision"])), sql.Literal(int(match["scale"]))
        )
    raise UsageError(
        f"{relation.label}.confidence is of type {column.full_type}; double precision, real and "
        "numeric are supported"
    )
