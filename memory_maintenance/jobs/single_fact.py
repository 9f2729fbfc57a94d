"""A single fact, addressed by its key as it is printed, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from psycopg.types.json import Jsonb

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.engine import retry
from memory_maintenance.errors import UsageError

T = TypeVar("T")

INTEGERS: Final = {"smallint": 15, "integer": 31, "bigint": 63}
"""Types of keys that are numbers, and their bits without the sign."""


def key_of(kind: str, text: str) -> int | UUID | None:
    """The key that text names, None where it can't be one. kind: smallint, integer, bigint or uuid."""
    try:
        if kind == "uuid":
            return UUID(text)
        if not (text.isascii() and text.removeprefix("-").isdigit()):
            return None
        number = int(text)
    except ValueError:
        return None
    return number if -(2 ** INTEGERS[kind]) <= number < 2 ** INTEGERS[kind] else None


def fact_key(relation: Relation, text: str, *, remedy: str) -> int | UUID:
    """The key of a fact. Raises UsageError for what can't be one. remedy: which command lists facts."""
    key = key_of(relation.columns[relation.key].type, text)
    if key is None:
        raise no_fact(relation, text, remedy=remedy)
    return key


def no_fact(relation: Relation, text: str, *, remedy: str) -> UsageError:
    """What to raise where there is no such fact."""
    return UsageError(f"no fact {text} in {relation.qualified}", remedy=remedy)


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A row of the event table. detail: the JSON as text."""

    at: datetime
    kind: str
    reason: str | None
    detail: str
    recorded_by: str


def recorded(session: Session, relation: Relation, key: Any) -> list[RecordedEvent]:
    """What is recorded of a fact, the oldest first."""
    return session.rows(
        RecordedEvent, "facts/events", {"relation": relation.oid, "fact_key": str(key)}
    )


def record_event(
    session: Session,
    relation: Relation,
    key: Any,
    kind: str,
    detail: Mapping[str, Any],
    *,
    reason: str | None = None,
) -> None:
    """Adds an event to the open transaction."""
    session.run(
        "facts/record_event",
        {
            "relation": relation.oid,
            "fact_key": str(key),
            "kind": kind,
            "reason": reason,
            "detail": Jsonb(dict(detail)),
        },
    )


def carry_out(session: Session, relation: Relation, work: Callable[[], T], *, dry_run: bool) -> T:
    """work in a transaction of its own, or in a dry run on a view that the server keeps read-only."""
    with translated(session.target.scrub):
        if dry_run:
            with session.snapshot(), session.facts_path(relation.schema):
                return work()
        return retry.transaction(
            session, work, reconnect=session.reconnect, facts_in=relation.schema
        )
