"""``decisions record``, ``supersede``, ``reopen``: a transaction each, which locks its rows only (spec 6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.facts_table import migrated_table
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.errors import Denied, RunFailed, UsageError
from memory_maintenance.jobs import decision_rows as rows
from memory_maintenance.jobs.obligation_rows import require_events
from memory_maintenance.jobs.single_fact import carry_out, key_of, record_event
from memory_maintenance.model.decision import NewDecision, require_past
from memory_maintenance.model.one_line import is_blank
from memory_maintenance.model.result import Block, KeyValues, Note, Result
from memory_maintenance.model.storable import is_storable

_KEY: Final = "decision"
_TAKEN_OVER: Final = ("entity_id", "visibility", "visibility_reason", "privacy_scope")
_LENGTH: Final = re.compile(r"^character varying\((\d+)\)$")
_TYPES: Final = {
    "smallint": sql.SQL("pg_catalog.int2"),
    "integer": sql.SQL("pg_catalog.int4"),
    "bigint": sql.SQL("pg_catalog.int8"),
    "uuid": sql.SQL("pg_catalog.uuid"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordResult(Result):
    """A decision that was recorded. id: of the new fact, None in a dry run. supersedes: None for a first one.

    decision: data.decision as it is stored.
    """

    id: Any
    supersedes: Any
    key: str
    value: str
    decision: Mapping[str, Any]

    def blocks(self) -> Sequence[Block]:
        would = "would be " if self.dry_run else ""
        shown = [
            ("fact", "(new)" if self.id is None else str(self.id)),
            ("key", self.key),
            ("value", self.value),
            ("decided", self.decision["decided"]),
            ("alternatives", "; ".join(self.decision["alternatives"]) or "none"),
            ("reasoning", self.decision["reasoning"]),
            ("decided by", self.decision["decided_by"]),
            ("decided at", self.decision["decided_at"]),
        ]
        if self.supersedes is not None:
            shown.insert(1, (f"{would}superseded", str(self.supersedes)))
        return (KeyValues(tuple(shown)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenResult(Result):
    """changed: false where the decision was open to change already."""

    id: Any
    changed: bool
    reason: str

    def blocks(self) -> Sequence[Block]:
        if not self.changed:
            return (
                Note(f"nothing was changed: decision {self.id} is open to change already", "hint"),
            )
        what = "would be" if self.dry_run else "is"
        return (Note(f"decision {self.id} {what} open to change: {self.reason}"),)


@dataclass(frozen=True, slots=True)
class _Key:
    key: Any


@dataclass(frozen=True, slots=True)
class _Count:
    count: int


@dataclass(frozen=True, slots=True)
class _Found:
    found: bool


@dataclass(frozen=True, slots=True)
class _Entities:
    schema: str
    name: str
    column: str


def record(
    session: Session,
    settings: Settings,
    new: NewDecision,
    *,
    as_of: datetime,
    dry_run: bool = False,
) -> RecordResult:
    """Records a decision, which nobody may change from then on. as_of: now.

    Raises UsageError where the table can't hold it, for an entity that there isn't, or where it was decided
    after as_of, clocks aside.
    """
    require_past(new.decision, as_of)
    relation = _table(session, settings)
    with translated(session.target.scrub):
        entity = _known_entity(session, relation, new.entity)

    def work() -> RecordResult:
        insertion = _insertion(relation, new, None, entity=entity, as_of=as_of)
        return _recorded(session, relation, insertion, None, dry_run=dry_run, as_of=as_of)

    return carry_out(session, relation, work, dry_run=dry_run)


def supersede(
    session: Session,
    settings: Settings,
    fact: str,
    new: NewDecision,
    *,
    as_of: datetime,
    dry_run: bool = False,
) -> RecordResult:
    """Records a decision in the place of another, which is kept as it is, and links the two.

    The new fact has the entity, the visibility, and where new doesn't say otherwise the key and importance
    of the old one. Raises UsageError where that is no decision, or is superseded already; a link that leads
    astray doesn't count, and is replaced.
    """
    require_past(new.decision, as_of)
    relation = _table(session, settings)
    with translated(session.target.scrub):
        entity = _known_entity(session, relation, new.entity)

    def work() -> RecordResult:
        _, old = rows.decision(session, relation, fact, locked=not dry_run)
        _require_sound(old, fact)
        if old.superseded:
            raise UsageError(
                f"decision {fact} is superseded already, by {old.superseded_by}",
                remedy=f"memory-maintenance decisions show {fact} has the newest, which can be superseded",
            )
        insertion = _insertion(relation, new, old, entity=entity, as_of=as_of)
        return _recorded(session, relation, insertion, old, dry_run=dry_run, as_of=as_of)

    return carry_out(session, relation, work, dry_run=dry_run)


def reopen(
    session: Session,
    settings: Settings,
    fact: str,
    reason: str,
    *,
    as_of: datetime,
    dry_run: bool = False,
) -> ReopenResult:
    """Lets a decision be changed from now on. Raises UsageError for a blank reason or what is no decision."""
    if is_blank(reason):
        raise UsageError("reopening a decision needs a reason", remedy="--reason 'why'")
    if not is_storable(reason):
        raise UsageError("the reason holds a character that PostgreSQL can't store")
    reason = reason.strip()
    relation = _table(session, settings)

    def work() -> ReopenResult:
        _, old = rows.decision(session, relation, fact, locked=not dry_run)
        _require_sound(old, fact)
        if old.do_not_reopen and not dry_run:
            _reopen(session, relation, old, reason)
        return ReopenResult(
            command="decisions-reopen",
            dry_run=dry_run,
            as_of=as_of,
            table=relation.label,
            id=old.key,
            changed=old.do_not_reopen,
            reason=reason,
        )

    return carry_out(session, relation, work, dry_run=dry_run)


def _reopen(session: Session, relation: Relation, old: rows.Row, reason: str) -> None:
    fact = {"relation": relation.oid, "fact_key": str(old.key)}
    before = session.row(_Count, "decisions/reopenings", fact)
    session.run("decisions/give_reason", {"reason": reason})
    _write_data(session, relation, old.key, {"do_not_reopen": False})
    # The guard records it. Where somebody took that away it is recorded all the same.
    if session.row(_Count, "decisions/reopenings", fact) == before:
        detail = {
            "operation": "UPDATE",
            "before": {"data.do_not_reopen": True},
            "after": {"data.do_not_reopen": False},
        }
        record_event(session, relation, old.key, "decision-reopened", detail, reason=reason)


def _table(session: Session, settings: Settings) -> Relation:
    """The table, found fit to hold decisions."""
    relation = migrated_table(session, settings)
    if not projection.has_document(relation):
        raise UsageError(
            f"{relation.label} has no column data of type json or jsonb, where decisions are kept",
            remedy="ALTER TABLE ... ADD COLUMN data jsonb",
        )
    for name in ("key", "value"):
        if not relation.has(name):
            raise UsageError(f"{relation.label} has no column {name}", remedy="check --table")
    if not relation.can_update:
        raise Denied(
            f"role {session.server.role} may not update {relation.label}",
            remedy=f"GRANT SELECT, INSERT, UPDATE ON {relation.qualified} TO that role",
        )
    require_events(session)
    return relation


@dataclass(frozen=True, slots=True)
class _Insertion:
    """What a new fact will hold: values by column, each for the select list of decisions/insert."""

    new: NewDecision
    key: str
    value: str
    values: Mapping[str, sql.Composable]
    params: Mapping[str, Any]


def _insertion(
    relation: Relation,
    new: NewDecision,
    old: rows.Row | None,
    *,
    entity: Any,
    as_of: datetime,
) -> _Insertion:
    key = new.key or (None if old is None else old.name) or _KEY
    value = new.value or new.decision.decided
    for name, text in (("key", key), ("value", value)):
        _require_room(relation, name, text)
    document: dict[str, Any] = {"decision": new.decision.document(), "do_not_reopen": True}
    if old is not None:
        document["supersedes"] = _json_key(old.key)
    values: dict[str, sql.Composable] = {
        "key": sql.SQL("%(name)s::text"),
        "value": sql.SQL("%(value)s::text"),
        "durability": sql.SQL("'long_term'::text"),
        "category": sql.SQL("'decision'::text"),
        "data": sql.SQL("%(document)s::{}").format(
            sql.Identifier("pg_catalog", relation.columns["data"].type)
        ),
    }
    if old is not None:
        values |= {
            name: sql.SQL("o.{}").format(sql.Identifier(name))
            for name in _TAKEN_OVER
            if relation.has(name)
        }
    importance = new.importance
    if importance is not None:
        values["importance_scored_at"] = sql.SQL("%(as_of)s")
    elif old is not None:
        importance = old.importance
        values["importance_scored_at"] = sql.SQL("o.importance_scored_at")
    if importance is not None:
        values["importance"] = sql.SQL("%(importance)s::pg_catalog.int2")
    if new.visibility is not None:
        _require_column(relation, "visibility")
        values["visibility"] = sql.SQL("%(visibility)s::text")
    if entity is not None:
        values["entity_id"] = sql.SQL("%(entity)s::{}").format(
            _TYPES[relation.columns["entity_id"].type]
        )
    own_key = relation.columns[relation.key]
    if own_key.type == "uuid" and own_key.default is None:
        values[relation.key] = sql.SQL("pg_catalog.gen_random_uuid()")
    params = {
        "name": key,
        "value": value,
        "document": Jsonb(document),
        "as_of": as_of,
        "importance": importance,
        "visibility": new.visibility,
        "entity": entity,
        "fact": None if old is None else old.key,
    }
    return _Insertion(new, key, value, values, params)


def _recorded(
    session: Session,
    relation: Relation,
    insertion: _Insertion,
    old: rows.Row | None,
    *,
    dry_run: bool,
    as_of: datetime,
) -> RecordResult:
    """Inserts and links, unless it is a dry run."""
    decision = insertion.new.decision.document()
    key = None
    if not dry_run:
        key = _insert(session, relation, insertion, old)
        after: dict[str, Any] = {
            "key": insertion.key,
            "value": insertion.value,
            "decision": decision,
        }
        if old is not None:
            after["supersedes"] = _json_key(old.key)
            _write_data(session, relation, old.key, {"superseded_by": _json_key(key)})
            detail = {
                "before": {"superseded_by": rows.link(relation, old.superseded_by)},
                "after": {"superseded_by": _json_key(key)},
            }
            record_event(session, relation, old.key, "decision-superseded", detail)
        record_event(session, relation, key, "decision-recorded", {"before": None, "after": after})
    return RecordResult(
        command="decisions-record" if old is None else "decisions-supersede",
        dry_run=dry_run,
        as_of=as_of,
        table=relation.label,
        id=key,
        supersedes=None if old is None else old.key,
        key=insertion.key,
        value=insertion.value,
        decision=decision,
    )


def _insert(
    session: Session, relation: Relation, insertion: _Insertion, old: rows.Row | None
) -> Any:
    slots = projection.slots(relation)
    former: sql.Composable = projection.NOTHING
    if old is not None:
        former = session.statement("decisions/former", **slots)
    try:
        row = session.row(
            _Key,
            "decisions/insert",
            insertion.params,
            facts=slots["facts"],
            key=slots["key"],
            columns=sql.SQL(", ").join(map(sql.Identifier, insertion.values)),
            values=sql.SQL(", ").join(insertion.values.values()),
            former=former,
        )
    except (psycopg.IntegrityError, psycopg.DataError) as error:
        # Its detail may quote the row; the message names columns and constraints.
        raise UsageError(
            f"{relation.label} refuses the new fact: {error.diag.message_primary}",
            remedy="see which columns it must have, and which values",
        ) from None
    if row is None:
        raise RunFailed(
            f"a trigger suppresses what we write to {relation.label}; nothing was kept",
            remedy="let it pass inserts of decisions",
        )
    return row.key


def _write_data(session: Session, relation: Relation, key: Any, members: Mapping[str, Any]) -> None:
    kind = relation.columns["data"].type
    row = session.row(
        _Key,
        "decisions/write_data",
        {"fact": key, "members": Jsonb(dict(members))},
        **projection.slots(relation),
        document=projection.document_of(session, relation),
        type=sql.Identifier("pg_catalog", kind),
    )
    if row is None:
        raise RunFailed(
            f"a trigger suppresses what we write to {relation.label}; nothing was kept",
            remedy="let it pass updates of data",
        )


def _known_entity(session: Session, relation: Relation, text: str | None) -> Any:
    """The entity's key, None for none given. Raises UsageError where there is no such entity, as far as this
    role may look."""
    if text is None:
        return None
    _require_column(relation, "entity_id")
    kind = relation.columns["entity_id"].type
    if kind not in _TYPES:
        raise UsageError(
            f"{relation.label}.entity_id is of type {relation.columns['entity_id'].full_type}; "
            f"supported are {', '.join(_TYPES)}"
        )
    key = key_of(kind, text)
    missing = UsageError(f"no entity {text}", remedy="check --entity: the id of an entity is meant")
    if key is None:
        raise missing
    # The catalog is read with our path, the entities with that of the facts: they may have such indexes too.
    place = session.row(_Entities, "decisions/entities", {"oid": relation.oid})
    if place is not None:
        with session.facts_path(relation.schema):
            found = session.row(
                _Found,
                "decisions/entity",
                {"entity": key},
                entities=sql.Identifier(place.schema, place.name),
                column=sql.Identifier(place.column),
                type=_TYPES[kind],
            )
        if found is None or not found.found:
            raise missing
    return key


def _require_column(relation: Relation, name: str) -> None:
    if not relation.has(name):
        raise UsageError(
            f"{relation.label} has no column {name}", remedy=f"leave {name.partition('_')[0]} out"
        )


def _require_room(relation: Relation, name: str, text: str) -> None:
    match = _LENGTH.match(relation.columns[name].full_type)
    if match and len(text) > int(match[1]):
        raise UsageError(
            f"the {name} has {len(text):,} characters, and {relation.label}.{name} has room for {match[1]}",
            remedy=f"shorten it, or name a shorter {name}",
        )


def _require_sound(row: rows.Row, fact: str) -> None:
    if row.problem is not None:
        raise UsageError(f"fact {fact} has a data problem: {row.problem}", remedy="mend it first")


def _json_key(key: Any) -> Any:
    """As data and events hold a key: a number, or a uuid's text."""
    return key if isinstance(key, int) else str(key)
