"""The facts and entities of a deployment as ingest reads and writes them, whatever columns there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import sql
from psycopg.types.json import Jsonb

from memory_maintenance.config.models import Settings
from memory_maintenance.database import projection
from memory_maintenance.database.facts_table import said_table
from memory_maintenance.database.session import Session
from memory_maintenance.errors import Denied
from memory_maintenance.extraction.ingest_entities import KEY_TYPES, entities_of, names, values_list
from memory_maintenance.extraction.ingest_facts import (
    Prepared,
    Refused,
    ascii_letters,
    dumps,
    folded,
)

_COUNTERS: Final = ("extraction_count", "confirmation_count")
_ZONED: Final = "timestamp with time zone"
_CLOCKS: Final = ("learned_at", "last_confirmed_at", "updated_at")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that may be the one that was said. deadline: as text. decided: whether data.decision is
    the same."""

    key: Any
    name: str
    value: str
    deadline: str | None
    decided: bool


@dataclass(frozen=True, slots=True)
class _Allowed:
    allowed: bool


@dataclass(frozen=True, slots=True)
class _Key:
    key: Any


class FactsTable:
    """A table of facts, found fit to take new ones. Its methods run in the caller's transaction."""

    def __init__(self, session: Session, settings: Settings, *, as_of: datetime) -> None:
        """Raises UsageError where the table isn't migrated, or entity_id leads nowhere."""
        self.session = session
        self.relation = said_table(session, settings)
        self.entities = entities_of(session, self.relation)
        self._as_of = as_of
        zoneless = any(
            c.name in (*_CLOCKS, "expires") and c.type != _ZONED
            for c in self.relation.columns.values()
        )
        self._zone = session.zoneless_timezone if zoneless else None

    def require_keeping(self) -> None:
        """Raises Denied where this role can't keep what is rejected."""
        row = self.session.row(_Allowed, "extraction/may_keep")
        if row is None or not row.allowed:
            raise Denied(
                f"role {self.session.server.role} may not write to memory_maintenance.rejected, where what "
                "is rejected is kept",
                remedy="GRANT USAGE ON SCHEMA memory_maintenance and INSERT ON memory_maintenance.rejected "
                "TO that role",
            )

    def lock(self, number: int) -> None:
        """Waits for whoever has locked that number, and holds it to the end of the transaction."""
        self.session.run("extraction/lock", {"lock": number})

    def keep(self, index: int, raw: str, because: str) -> None:
        """Keeps what is rejected."""
        params = {"relation": self.relation.oid, "index": index, "raw": raw, "because": because}
        self.session.run("extraction/keep_rejected", params)

    def same(self, entity: Any, prepared: Prepared, *, held: Any = None) -> list[Candidate]:
        """The facts of that entity that have the key and value of the fact, whatever letters are upper or
        lower, by key; neither expired nor settled ones. held: only that fact, locked."""
        fact = prepared.fact
        name, value = folded(fact.key), folded(fact.value)
        decision = (prepared.document or {}).get("decision")
        params = {
            "name": ascii_letters(name),
            "value": ascii_letters(value),
            "longest": len(value),
            "entity": entity,
            "as_of": self._as_of,
            "zone": self._zone,
            "fact": held,
            "decision": None if decision is None else _json(decision),
        }
        found = self.session.fetch(Candidate, self._found(only=held is not None), params)
        return [c for c in found if folded(c.name) == name and folded(c.value) == value]

    def require_holdable(self, prepared: Prepared) -> None:
        """For a dry run: has the server say, by its error, where it can't hold what would be inserted."""
        fact = prepared.fact
        texts = [fact.entity_name, fact.entity_type, fact.key, fact.value, fact.category]
        document = None if prepared.document is None else _json(prepared.document)
        self.session.run("extraction/holdable", {"texts": texts, "document": document})

    def insert(self, entity: Any, prepared: Prepared) -> Any:
        """The key of a new fact. Raises Refused where a trigger suppresses it."""
        values, params = self._insertion(entity, prepared)
        row = self.session.row(
            _Key,
            "extraction/insert",
            params,
            facts=self.relation.identifier,
            key=self.relation.key_identifier,
            columns=names(values),
            values=values_list(values),
        )
        if row is None:
            raise Refused("a trigger suppresses it")
        return row.key

    def reinforce(self, key: Any, prepared: Prepared) -> None:
        """Counts and confirms a fact that is said again. Raises Refused where a trigger suppresses that."""
        assignments: list[sql.Composable] = [self.session.statement("extraction/fill_importance")]
        for name in ("last_confirmed_at", "updated_at"):
            if name in self.relation.columns:
                column = sql.Identifier(name)
                # A clock of theirs never goes back.
                assignments.append(
                    sql.SQL("{0} = greatest(f.{0}, {1})").format(column, self._instant(name))
                )
        counter = self._counter()
        if counter is not None:
            # Where nobody counted, it was said once.
            assignments.append(
                sql.SQL("{0} = coalesce(f.{0}, 1::{1}) + 1::{1}").format(
                    sql.Identifier(counter), KEY_TYPES[self.relation.columns[counter].type]
                )
            )
        row = self.session.row(
            _Key,
            "extraction/reinforce",
            {
                "fact": key,
                "importance": prepared.fact.importance,
                "as_of": self._as_of,
                "zone": self._zone,
            },
            **projection.slots(self.relation),
            assignments=sql.SQL(", ").join(assignments),
        )
        if row is None:
            raise Refused("a trigger suppresses what reinforces it")

    def _counter(self) -> str | None:
        columns = self.relation.columns
        present = [name for name in _COUNTERS if name in columns]
        # uuid is no number; of another kind of number nothing is known.
        return next(
            (n for n in present[:1] if columns[n].type in KEY_TYPES and columns[n].type != "uuid"),
            None,
        )

    def _insertion(
        self, entity: Any, prepared: Prepared
    ) -> tuple[dict[str, sql.Composable], dict[str, Any]]:
        fact, relation = prepared.fact, self.relation
        values: dict[str, sql.Composable] = {
            "key": sql.SQL("%(name)s::text"),
            "value": sql.SQL("%(value)s::text"),
            "durability": sql.SQL("%(durability)s::text"),
            "category": sql.SQL("%(category)s::text"),
            "importance": sql.SQL("%(importance)s::pg_catalog.int2"),
            "importance_scored_at": sql.SQL("%(as_of)s::timestamptz"),
        }
        if fact.confidence is not None:
            values["confidence"] = sql.SQL("%(confidence)s::float8")
        if prepared.expires is not None:
            values["expires"] = self._instant("expires", "expires")
        if prepared.document is not None:
            kind = sql.Identifier("pg_catalog", relation.columns["data"].type)
            values["data"] = sql.SQL("%(document)s::{}").format(kind)
        if self.entities is not None:
            values["entity_id"] = sql.SQL("%(entity)s::{}").format(self.entities.key_type)
        for name in _CLOCKS:
            if name in relation.columns:
                values[name] = self._instant(name)
        own_key = relation.columns[relation.key]
        if own_key.type == "uuid" and own_key.default is None:
            values[relation.key] = sql.SQL("pg_catalog.gen_random_uuid()")
        params = {
            "name": fact.key,
            "value": fact.value,
            "durability": fact.durability,
            "category": fact.category,
            "importance": fact.importance,
            "confidence": fact.confidence,
            "expires": prepared.expires,
            "document": None if prepared.document is None else _json(prepared.document),
            "entity": entity,
            "as_of": self._as_of,
            "zone": self._zone,
        }
        return values, params

    def _instant(self, column: str, param: str = "as_of") -> sql.Composed:
        """A parameter as the column has instants."""
        value = sql.Placeholder(param) + sql.SQL("::timestamptz")
        kind = self.relation.columns[column].type
        if kind == _ZONED:
            return value + projection.NOTHING
        local = sql.SQL("pg_catalog.timezone(%(zone)s::text, {})").format(value)
        return local + sql.SQL("::date") if kind == "date" else local

    def _found(self, *, only: bool) -> sql.Composed:
        session, relation = self.session, self.relation
        slots = projection.slots(relation)
        document = projection.document_of(session, relation)
        expires = projection.column_instant(session, relation, "expires")
        settled: sql.Composable = sql.SQL("false")
        if projection.has_document(relation):
            settled = session.statement("facts/settled", document=document)
        mine: sql.Composable = sql.SQL("true")
        if self.entities is not None:
            mine = sql.SQL("f.entity_id = %(entity)s::{}").format(self.entities.key_type)
        last = session.statement("extraction/first", key=slots["key"])
        if only:
            last = session.statement(
                "extraction/only", key=slots["key"], key_type=slots["key_type"]
            )
        return session.statement(
            "extraction/found",
            facts=slots["facts"],
            key=slots["key"],
            entity=mine,
            same_name=self._letters(sql.SQL("f.key::text"), "name"),
            same_value=self._letters(sql.SQL("f.value::text"), "value"),
            expires=expires,
            deadline=session.statement("obligations/iso", at=expires),
            settled=settled,
            document=document,
            only=last,
        )

    def _letters(self, text: sql.SQL, param: str) -> sql.Composed:
        return self.session.statement(
            "extraction/letters", text=text, folded=sql.Placeholder(param)
        )


def _json(document: Any) -> Jsonb:
    return Jsonb(document, dumps=dumps)
