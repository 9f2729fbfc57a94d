"""``extraction ingest``: facts that an extractor's model said are stored, each in a transaction of its own.

A fact is created, or reinforced where it is known: the same entity, key and value, whatever letters are
upper or lower (``ingest_facts.folded``). Its entity is the one of that very name and type, else the only one
whose name differs in upper and lower case alone, else it is created in the same transaction.

- Reinforced is the one with the lowest key. Its count goes up, its clocks go to as_of and never back; its
  axes, confidence, deadline and decision stay, and its importance too, unless nobody has scored it.
- What has expired, obligations apart, and obligations that are settled count as over: said again, they are
  new facts. So are those in the archive. An overdue obligation is still the same one.
- An entity whose type its table refuses is taken as one of type other.
- A fact that the table, a constraint or a trigger refuses is rejected. What is rejected is kept, with what
  was said, in ``memory_maintenance.rejected``.
- Whoever stores the same fact at the same time waits (an advisory lock for what is said), and reinforces it.
- Cut off at any point, what was committed is right; the same input again reinforces that.
- A dry run reads one read-only snapshot, and pretends what each fact would add for those after it. What only
  the database can refuse (a CHECK, a trigger) it can't foresee.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

import psycopg

from memory_maintenance.config.models import Settings
from memory_maintenance.database.session import Session
from memory_maintenance.database.sqlstate import translated
from memory_maintenance.engine import retry
from memory_maintenance.errors import MaintenanceError
from memory_maintenance.extraction.answer import storable as as_text
from memory_maintenance.extraction.contract import DEFAULT_ENTITY_TYPE, LONGEST_TYPE
from memory_maintenance.extraction.ingest_entities import Entities, Entity
from memory_maintenance.extraction.ingest_facts import (
    Prepared,
    Refused,
    escaped,
    folded,
    lock_number,
    prepare,
    storable,
)
from memory_maintenance.extraction.ingest_refusals import may_pass, refusal
from memory_maintenance.extraction.ingest_result import IngestResult, ItemOutcome, result_of, tally
from memory_maintenance.extraction.ingest_table import FactsTable
from memory_maintenance.model.extracted import ExtractedFact, Item
from memory_maintenance.model.instants import iso
from memory_maintenance.model.one_line import one_line

_ATTEMPTS: Final = 3
_UNREADABLE: Final = "it could not be read"


@dataclass(frozen=True, slots=True)
class _NewEntity:
    """Stands for the key of an entity that a dry run would create."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class _PretendedFact:
    entity: Any
    name: str
    value: str
    prepared: Prepared


@dataclass(slots=True)
class _Pretended:
    """What a dry run would have written so far."""

    entities: list[tuple[str, str]] = field(default_factory=list)
    facts: list[_PretendedFact] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Known:
    """The fact that is reinforced. key: None for one that is pretended."""

    key: Any
    deadline: str | None
    decided: bool


@dataclass(frozen=True, slots=True)
class _Stored:
    key: Any
    reinforced: bool
    changes: tuple[str, ...]


class _Ingest:
    """One answer on its way into a table."""

    def __init__(
        self, table: FactsTable, settings: Settings, as_of: datetime, dry_run: bool
    ) -> None:
        self._table = table
        self._session = table.session
        self._settings = settings
        self._as_of = as_of
        self._dry_run = dry_run
        self._pretended = _Pretended()

    def outcome(self, item: Item) -> ItemOutcome:
        """One fact, stored or rejected; in a dry run within its snapshot."""
        because = item.because or _UNREADABLE
        if item.fact is not None:
            try:
                return _told(item, self._stored(item.fact))
            except Refused as refused:
                because = refused.reason
        because = storable(because)
        if not self._dry_run:
            self._keep(item, because)
        return ItemOutcome(item.index, "rejected", None, because)

    def _stored(self, fact: ExtractedFact) -> _Stored:
        prepared = prepare(fact, self._table.relation, self._settings, as_of=self._as_of)

        def work() -> _Stored:
            return self._store(prepared)

        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._carried_out(work)
            except psycopg.Error as error:
                reason = None if self._session.lost else refusal(error)
                if reason is None:
                    raise
                if fact.entity_type != DEFAULT_ENTITY_TYPE and self._may_be_its_type(error):
                    return self._stored_as_other(fact)
                if attempt == _ATTEMPTS or not may_pass(error):
                    raise Refused(reason) from None
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _may_be_its_type(self, error: psycopg.Error) -> bool:
        """Whether the table of entities may take no such type: by a CHECK, or an enum."""
        entities, diag = self._table.entities, error.diag
        if isinstance(error, psycopg.errors.CheckViolation):
            return entities is not None and entities.is_table(diag.schema_name, diag.table_name)
        return isinstance(error, psycopg.errors.InvalidTextRepresentation)

    def _stored_as_other(self, fact: ExtractedFact) -> _Stored:
        stored = self._stored(replace(fact, entity_type=DEFAULT_ENTITY_TYPE))
        kind = one_line(fact.entity_type, LONGEST_TYPE)
        change = f'no entity may be of type "{kind}": taken as {DEFAULT_ENTITY_TYPE}'
        return replace(stored, changes=(change, *stored.changes))

    def _carried_out(self, work: Callable[[], _Stored]) -> _Stored:
        if self._dry_run:
            with self._session.transaction():  # a savepoint: an error mustn't end the snapshot
                return work()
        return retry.transaction(
            self._session,
            work,
            reconnect=self._session.reconnect,
            facts_in=self._table.relation.schema,
        )

    def _store(self, prepared: Prepared) -> _Stored:
        fact = prepared.fact
        entity = None
        if self._table.entities is not None:
            entity = self._entity(self._table.entities, fact.entity_name, fact.entity_type)
        if not self._dry_run:
            place = ("fact", self._table.relation.oid, entity)
            self._table.lock(lock_number(*place, folded(fact.key), folded(fact.value)))
        known = self._known(entity, prepared)
        if known is None:
            return _Stored(self._create(entity, prepared), False, prepared.changes)
        if not self._dry_run:
            self._table.reinforce(known.key, prepared)
        return _Stored(known.key, True, _left_out(prepared, known))

    # -- whom it is about --

    def _entity(self, entities: Entities, name: str, kind: str) -> Any:
        """The key of the entity, created where there is none. Raises Refused where it is ambiguous."""
        found = self._look_up(entities, name, kind)
        if found is None and not self._dry_run:
            self._table.lock(lock_number("entity", entities.oid, folded(name), kind))
            found = self._look_up(entities, name, kind)
        return self._new_entity(entities, name, kind) if found is None else found.key

    def _look_up(self, entities: Entities, name: str, kind: str) -> Entity | None:
        pretended = [Entity(_NewEntity(n, k), n) for n, k in self._pretended.entities if k == kind]
        found = entities.named(name, kind) + [e for e in pretended if e.name == name]
        how = "have its name and type"
        if not found:
            same = folded(name)
            found = entities.like(name, kind) + [e for e in pretended if folded(e.name) == same]
            how = "differ from its name in upper and lower case only"
        if len(found) > 1:
            raise Refused(f"whom it is about is ambiguous: several entities {how}")
        return found[0] if found else None

    def _new_entity(self, entities: Entities, name: str, kind: str) -> Any:
        if self._dry_run:
            if entities.unnamed:
                raise Refused(
                    f"{entities.label} must have a value of {entities.unnamed[0]}, and none is said"
                )
            self._pretended.entities.append((name, kind))
            return _NewEntity(name, kind)
        key = entities.add(name, kind)
        if key is not None:
            return key
        # Somebody else has created it just now, without our lock; or it is unique by something else.
        found = self._look_up(entities, name, kind)
        if found is None:
            raise Refused("another entity stands in the way of the one that it is about")
        return found.key

    # -- the fact --

    def _known(self, entity: Any, prepared: Prepared) -> _Known | None:
        """The fact that is said again, held against other writers; None where there is none."""
        for _ in range(_ATTEMPTS):
            stored = [] if isinstance(entity, _NewEntity) else self._table.same(entity, prepared)
            if stored and self._dry_run:
                return _Known(stored[0].key, stored[0].deadline, stored[0].decided)
            if not stored:
                return self._pretended_fact(entity, prepared)
            # Another writer may have changed it or taken it away meanwhile.
            held = self._table.same(entity, prepared, held=stored[0].key)
            if held:
                return _Known(held[0].key, held[0].deadline, held[0].decided)
        raise Refused("other writers change the fact as often as it is looked for")

    def _pretended_fact(self, entity: Any, prepared: Prepared) -> _Known | None:
        name, value = folded(prepared.fact.key), folded(prepared.fact.value)
        for fact in self._pretended.facts:
            if (fact.entity, fact.name, fact.value) != (entity, name, value):
                continue
            expires = fact.prepared.expires
            same = (fact.prepared.document or {}).get("decision") == _decision(prepared)
            return _Known(None, None if expires is None else iso(expires), same)
        return None

    def _create(self, entity: Any, prepared: Prepared) -> Any:
        if not self._dry_run:
            return self._table.insert(entity, prepared)
        self._table.require_holdable(prepared)
        name, value = folded(prepared.fact.key), folded(prepared.fact.value)
        self._pretended.facts.append(_PretendedFact(entity, name, value, prepared))
        return None

    # -- what is rejected --

    def _keep(self, item: Item, because: str) -> None:
        """Keeps what was said, in a transaction of its own."""
        raw = item.raw if storable(item.raw) == item.raw else as_text(item.raw)
        try:
            self._kept(item.index, raw, because)
        except (psycopg.errors.UntranslatableCharacter, psycopg.errors.CharacterNotInRepertoire):
            # The database's encoding doesn't have all of it.
            raw = json.dumps(item.raw) if raw == item.raw and raw[:1] != '"' else escaped(raw)
            self._kept(item.index, raw, escaped(because))

    def _kept(self, index: int, raw: str, because: str) -> None:
        retry.transaction(
            self._session,
            lambda: self._table.keep(index, raw, because),
            reconnect=self._session.reconnect,
        )


def ingest(
    session: Session,
    settings: Settings,
    items: Sequence[Item],
    *,
    as_of: datetime,
    dry_run: bool = False,
) -> IngestResult:
    """Stores the facts of an answer, one after the other, each in a transaction of its own.

    as_of: when it was said, aware. Raises UsageError where the table isn't migrated or entity_id leads
    nowhere, Denied where this role can't keep what is rejected. Whatever stops it halfway tells what was
    done, and that stays done.
    """
    started_s = time.monotonic()
    with translated(session.target.scrub):
        table = FactsTable(session, settings, as_of=as_of)
        if not dry_run:
            table.require_keeping()
        work = _Ingest(table, settings, as_of, dry_run)
        if dry_run:
            with session.snapshot(), session.facts_path(table.relation.schema):
                outcomes = [work.outcome(item) for item in items]
        else:
            outcomes = _all(work, items)
    return result_of(
        outcomes,
        table=table.relation.label,
        as_of=as_of,
        dry_run=dry_run,
        duration_s=time.monotonic() - started_s,
    )


def _all(work: _Ingest, items: Sequence[Item]) -> list[ItemOutcome]:
    outcomes: list[ItemOutcome] = []
    try:
        for item in items:
            outcomes.append(work.outcome(item))  # noqa: PERF401 - what was done must be told
    except psycopg.Error as error:
        error.add_note(_done(outcomes, items))
        raise
    except MaintenanceError as error:
        error.message = f"{error.message}; {_done(outcomes, items)}"
        raise
    return outcomes


def _done(outcomes: Sequence[ItemOutcome], items: Sequence[Item]) -> str:
    """How far it got, for whoever runs it again."""
    how = f" ({tally(outcomes)})" if outcomes else ""
    return (
        f"{len(outcomes):,} of {len(items):,} facts were dealt with{how}, and that stays; the same input "
        "again reinforces them"
    )


def _told(item: Item, stored: _Stored) -> ItemOutcome:
    changes = (*item.adjustments, *stored.changes)
    how = "reinforced" if stored.reinforced else "created"
    if not changes:
        return ItemOutcome(
            item.index, "reinforced" if stored.reinforced else "created", stored.key, None
        )
    because = storable(f"{how}; {'; '.join(changes)}")
    return ItemOutcome(item.index, "adjusted", stored.key, because)


def _left_out(prepared: Prepared, known: _Known) -> tuple[str, ...]:
    """What was said and isn't stored, since the fact is known and stays as it is."""
    changes = []
    said = prepared.fact.deadline if prepared.fact.category == "obligation" else None
    if said is not None and iso(said) != known.deadline:
        changes.append("it is stored with another deadline, or none, which stays")
    if _decision(prepared) is not None and not known.decided:
        changes.append("what is stored of the decision stays")
    return tuple(changes)


def _decision(prepared: Prepared) -> Any:
    return (prepared.document or {}).get("decision")
