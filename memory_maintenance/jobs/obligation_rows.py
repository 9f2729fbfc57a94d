"""Obligations as rows: reading them in one shape, and writing what was decided, with its events (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import Denied, RunFailed, UsageError
from memory_maintenance.model.deadlines import LONGEST_TEXT, Ambiguous, Nothing
from memory_maintenance.model.obligations import SETTLED, Event, Origin, infer


@dataclass(frozen=True, slots=True)
class Obligation:
    """A fact as sql/obligations/state has it. deadline: an instant as text, None for none."""

    key: Any
    version: str
    category: str | None
    deadline: str | None
    endless: bool
    past: bool
    learned_at: datetime | None
    obligation: Mapping[str, Any] | None
    deadline_text: str | None
    value: str | None
    problem: str | None

    @property
    def status(self) -> str:
        """Open, overdue, done, cancelled or missed."""
        return self.text("status") or "open"

    @property
    def settled(self) -> bool:
        """Whether nothing is due any more."""
        return self.status in SETTLED

    @property
    def undated(self) -> bool:
        """Whether it has no deadline, and isn't said to have none."""
        return self.deadline is None and not self.endless

    def text(self, member: str) -> str | None:
        """A member of data.obligation that is text."""
        found = (self.obligation or {}).get(member)
        return found if isinstance(found, str) else None

    def infer(self, settings: Settings) -> Origin | Ambiguous | Nothing:
        """The deadline that its texts state."""
        return infer(
            self.deadline_text,
            self.value,
            learned_at=self.learned_at,
            zone=ZoneInfo(settings.timezone),
            day_order=settings.obligation.day_order,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written of one fact. deadline: the new one as text, None for the old one."""

    key: Any
    version: str
    deadline: str | None
    set: Mapping[str, str]
    drop: Sequence[str]
    events: Sequence[Event]

    def document(self) -> dict[str, Any]:
        """As sql/obligations/write takes it."""
        return {
            "key": str(self.key),
            "version": self.version,
            "deadline": self.deadline,
            "set": dict(self.set),
            "drop": list(self.drop),
            "events": [
                {"kind": e.kind, "reason": e.reason, "detail": dict(e.detail)} for e in self.events
            ],
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a change ended. same: the row was still the version that it was decided on."""

    key: Any
    same: bool
    written: bool


def require_expires(relation: Relation) -> None:
    """Raises UsageError where a deadline can't be kept."""
    column = relation.columns.get("expires")
    if column is None:
        raise UsageError(
            f"{relation.label} has no column expires", remedy="memory-maintenance migrate-types"
        )
    if not column.type.startswith("timestamp"):
        raise UsageError(
            f"{relation.label}.expires is of type {column.full_type}, and a deadline has a time",
            remedy="ALTER TABLE ... ALTER COLUMN expires TYPE timestamptz",
        )


@dataclass(frozen=True, slots=True)
class _Right:
    name: str
    lacking: str


def require_events(session: Session) -> None:
    """Raises Denied where this role can't record what happens to a fact."""
    for right in session.rows(_Right, "catalog/rights"):
        if right.name == "event":
            raise Denied(
                f"role {session.server.role} lacks {right.lacking} on memory_maintenance.event",
                remedy="GRANT SELECT, INSERT ON memory_maintenance.event TO that role",
            )


def parameters(session: Session, as_of: datetime) -> dict[str, Any]:
    """What the placeholders of sql/obligations/state stand for."""
    return {"as_of": as_of, "longest": LONGEST_TEXT + 1, "zone": session.zoneless_timezone}


def state(session: Session, relation: Relation) -> sql.Composed:
    """The fragment sql/obligations/state for a table, whatever columns it has."""
    document = projection.document_of(session, relation)
    expires = projection.column_instant(session, relation, "expires")
    has_json = projection.has_document(relation) and relation.columns["data"].type == "json"
    data = sql.SQL("f.{}").format(sql.Identifier("data"))
    unreadable = sql.SQL("{} IS NOT NULL AND {} IS NULL").format(data, document)
    value = sql.SQL("f.{}::text").format(sql.Identifier("value"))
    return session.statement(
        "obligations/state",
        facts=relation.identifier,
        key=relation.key_identifier,
        value=value if relation.has("value") else sql.SQL("NULL::text"),
        expires=expires,
        learned_at=projection.column_instant(session, relation, "learned_at"),
        document=document,
        unreadable=unreadable if has_json else sql.SQL("false"),
        deadline=session.statement("obligations/iso", at=expires),
    )


def write(
    session: Session, relation: Relation, changes: Sequence[Change], params: Mapping[str, Any]
) -> list[Outcome]:
    """Writes changes within the open transaction; those of rows that changed meanwhile are only locked.

    Raises RunFailed where a trigger keeps a row from being written.
    """
    if not changes:
        return []
    zoneless = relation.columns["expires"].type == "timestamp without time zone"
    deadline = session.statement(
        "obligations/new_deadline_zoneless" if zoneless else "obligations/new_deadline"
    )
    assignments = [session.statement("obligations/assign_deadline", expires=deadline)]
    if projection.has_document(relation):
        assignments.append(
            session.statement(
                "obligations/assign_data",
                document=projection.document_of(session, relation),
                type=sql.SQL("pg_catalog.{}").format(sql.Identifier(relation.columns["data"].type)),
            )
        )
    outcomes = session.rows(
        Outcome,
        "obligations/write",
        {
            **params,
            "changes": Jsonb([change.document() for change in changes]),
            "relation": relation.oid,
        },
        **projection.slots(relation),
        assignments=sql.SQL(", ").join(assignments),
    )
    if any(outcome.same and not outcome.written for outcome in outcomes):
        raise RunFailed(
            f"a trigger suppresses what we write to {relation.label}; nothing of this batch was kept",
            remedy="let it pass updates of expires and data",
        )
    return outcomes
