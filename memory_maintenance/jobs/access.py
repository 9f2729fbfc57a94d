"""``touch``, ``pin``, ``unpin``: a transaction each, which locks its rows only (spec 4, 9).

All of the facts that are named, or none: what is no fact is told before anything is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg import sql

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.errors import RunFailed, UsageError
from memory_maintenance.jobs.obligation_rows import require_events
from memory_maintenance.jobs.single_fact import carry_out, key_of, record_event
from memory_maintenance.model.result import Block, Note, Result
from memory_maintenance.model.storable import is_storable

_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchResult(Result):
    """ids: the facts whose access was recorded, each once, in the order of their keys."""

    ids: tuple[Any, ...]

    def blocks(self) -> Sequence[Block]:
        would = "would be " if self.dry_run else ""
        return (Note(f"{_facts(self.ids)}: the access {would or 'is '}recorded"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinResult(Result):
    """ids: the facts that were named, each once, in the order of their keys. changed: those that were not so
    before. reason: None where none was given."""

    ids: tuple[Any, ...]
    changed: tuple[Any, ...]
    reason: str | None

    def blocks(self) -> Sequence[Block]:
        done = "pinned" if self.command == "pin" else "unpinned"
        notes: list[Block] = []
        if self.changed:
            notes.append(
                Note(f"{_facts(self.changed)}: {'would be ' if self.dry_run else ''}{done}")
            )
        same = tuple(key for key in self.ids if key not in self.changed)
        if same:
            state = "pinned already" if self.command == "pin" else "not pinned"
            notes.append(Note(f"{_facts(same)}: {state}", "hint"))
        return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Fact:
    key: Any
    pinned: bool


@dataclass(frozen=True, slots=True)
class _Key:
    key: Any


def touch(
    session: Session,
    settings: Settings,
    facts: Sequence[str],
    *,
    as_of: datetime,
    dry_run: bool = False,
) -> TouchResult:
    """Records that facts were retrieved. facts: their keys as text. as_of: now.

    Raises UsageError where one of them isn't there.
    """
    relation = _table(session, settings)

    def work() -> TouchResult:
        found = _locked(session, relation, facts, dry_run=dry_run)
        keys = [fact.key for fact in found]
        if not dry_run:
            params = {"keys": keys, "at": as_of}
            _written(
                relation,
                keys,
                session.rows(_Key, "access/touch", params, **projection.slots(relation)),
            )
        return TouchResult(
            command="touch",
            dry_run=dry_run,
            as_of=as_of,
            table=relation.label,
            ids=tuple(keys),
        )

    return carry_out(session, relation, work, dry_run=dry_run)


def pin(
    session: Session,
    settings: Settings,
    facts: Sequence[str],
    *,
    pinned: bool = True,
    reason: str | None = None,
    as_of: datetime,
    dry_run: bool = False,
) -> PinResult:
    """Pins facts, or lets them go: a pinned fact neither fades nor is archived.

    What changes is recorded. facts: their keys as text. Raises UsageError where one of them isn't there.
    """
    reason = _sound(reason)
    relation = _table(session, settings)
    if not dry_run:
        require_events(session)
    kind: Literal["fact-pinned", "fact-unpinned"] = "fact-pinned" if pinned else "fact-unpinned"

    def work() -> PinResult:
        found = _locked(session, relation, facts, dry_run=dry_run)
        changed = [fact.key for fact in found if fact.pinned is not pinned]
        if changed and not dry_run:
            params = {"keys": changed, "pinned": pinned}
            _written(
                relation,
                changed,
                session.rows(_Key, "access/pin", params, **projection.slots(relation)),
            )
            detail = {"before": {"pinned": not pinned}, "after": {"pinned": pinned}}
            for key in changed:
                record_event(session, relation, key, kind, detail, reason=reason)
        return PinResult(
            command="pin" if pinned else "unpin",
            dry_run=dry_run,
            as_of=as_of,
            table=relation.label,
            ids=tuple(fact.key for fact in found),
            changed=tuple(changed),
            reason=reason,
        )

    return carry_out(session, relation, work, dry_run=dry_run)


def _table(session: Session, settings: Settings) -> Relation:
    with translated(session.target.scrub):
        return migrated_table(session, settings)


def _locked(
    session: Session, relation: Relation, facts: Sequence[str], *, dry_run: bool
) -> list[_Fact]:
    """The facts, each once, in the order of their keys. Raises UsageError for those that aren't there."""
    kind = relation.columns[relation.key].type
    named = {text: key_of(kind, text) for text in facts}
    keys = {key for key in named.values() if key is not None}
    lock = projection.NOTHING if dry_run else sql.SQL("FOR NO KEY UPDATE OF f")
    found = session.rows(
        _Fact, "access/lock", {"keys": list(keys)}, **projection.slots(relation), lock=lock
    )
    there = {fact.key for fact in found}
    missing = tuple(text for text, key in named.items() if key not in there)
    if missing:
        raise UsageError(
            f"no {_facts(missing)} in {relation.qualified}; nothing was written",
            remedy="memory-maintenance recall --text ... finds facts and their ids",
        )
    return found


def _written(relation: Relation, keys: Sequence[Any], rows: Sequence[_Key]) -> None:
    if len(rows) != len(keys):
        raise RunFailed(
            f"a trigger suppresses what we write to {relation.label}; nothing was kept",
            remedy="let it pass updates of last_accessed_at, access_count and pinned",
        )


def _sound(reason: str | None) -> str | None:
    if reason is None or not reason.strip():
        return None
    if not is_storable(reason):
        raise UsageError("the reason holds a character that PostgreSQL can't store")
    return reason.strip()


def _facts(keys: Sequence[Any]) -> str:
    shown = ", ".join(str(key) for key in keys[:_LISTED])
    more = f" and {len(keys) - _LISTED:,} more" if len(keys) > _LISTED else ""
    return f"fact{'s' if len(keys) > 1 else ''} {shown}{more}"
