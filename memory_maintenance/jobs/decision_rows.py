"""Decisions as rows: reading them in one shape, whatever columns a table has (spec 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import sql

from memory_maintenance.database import projection
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.single_fact import INTEGERS, fact_key, key_of, no_fact

LIST: Final = "memory-maintenance decisions list"
ASTRAY: Final = "superseded_by names no decision that supersedes it"
"""What to say of a decision that is open, whatever its superseded_by."""

_INTEGER: Final = "^-?[0-9]{1,19}$"
_UUID: Final = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


@dataclass(frozen=True, slots=True)
class Row:
    """A fact as sql/decisions/state has it. name: its column key. supersedes, superseded_by: keys as text.

    superseded: whether superseded_by names a decision that says so too.
    """

    key: Any
    category: str | None
    durability: str | None
    name: str | None
    value: str | None
    entity_id: Any
    importance: int | None
    decided: str | None
    alternatives: Sequence[str] | None
    reasoning: str | None
    decided_by: str | None
    decided_at: str | None
    do_not_reopen: bool
    supersedes: str | None
    superseded_by: str | None
    superseded: bool
    problem: str | None


def all_decisions(session: Session, relation: Relation) -> list[Row]:
    """Every fact of category decision, by key."""
    statement = session.statement(
        "decisions/list", state=state(session, relation), key=relation.key_identifier
    )
    with session.facts_path(relation.schema):
        return session.fetch(Row, statement)


def one(session: Session, relation: Relation, key: Any, *, locked: bool = False) -> Row | None:
    """A fact by its key, None where there is none. locked: held to the end of the open transaction, whose
    path is that of the facts."""
    if locked:
        # Whoever held it before may have added the decision that supersedes it: the statement that waited
        # doesn't see that.
        _fetch_one(session, relation, key, lock=session.statement("decisions/lock"))
    return _fetch_one(session, relation, key, lock=projection.NOTHING)


def _fetch_one(
    session: Session, relation: Relation, key: Any, *, lock: sql.Composable
) -> Row | None:
    slots = projection.slots(relation)
    statement = session.statement(
        "decisions/one",
        state=state(session, relation),
        key=slots["key"],
        key_type=slots["key_type"],
        lock=lock,
    )
    rows = session.fetch(Row, statement, {"fact": key})
    return rows[0] if rows else None


def decision(
    session: Session, relation: Relation, text: str, *, locked: bool = False
) -> tuple[Any, Row]:
    """The decision that text is the key of. Raises UsageError where there is no such fact, or it is none."""
    key = fact_key(relation, text, remedy=LIST)
    row = one(session, relation, key, locked=locked)
    if row is None:
        raise no_fact(relation, text, remedy=LIST)
    if row.category != "decision":
        raise UsageError(
            f"fact {text} is no decision: its category is {row.category or 'not set yet'}",
            remedy=LIST,
        )
    return key, row


def link(relation: Relation, text: str | None) -> Any:
    """A key that data names, as the key column has it; what can't be one stays text."""
    if text is None:
        return None
    key = key_of(relation.columns[relation.key].type, text)
    return text if key is None else key


def superseded(session: Session, relation: Relation) -> sql.Composable:
    """Whether there is a decision that supersedes a fact ``f``, each naming the other, for a slot."""
    if not projection.has_document(relation):
        return sql.SQL("false")
    named = projection.document_of(session, relation) + sql.SQL(" ->> 'superseded_by'::text")
    newer: sql.Composed = sql.SQL("n.{}").format(sql.Identifier("data"))
    if relation.columns["data"].type == "json":
        newer = session.statement("facts/document", column=newer)
    # A key that can't be one must not stop the statement.
    form, fits = _UUID, sql.SQL("true") + projection.NOTHING
    kind = relation.columns[relation.key].type
    if kind in INTEGERS:
        form, bound = _INTEGER, 2 ** INTEGERS[kind]
        fits = sql.SQL(
            "({})::pg_catalog.numeric BETWEEN {}::pg_catalog.numeric AND {}::pg_catalog.numeric"
        ).format(named, sql.Literal(-bound), sql.Literal(bound - 1))
    return session.statement(
        "decisions/superseded",
        **projection.slots(relation),
        named=named,
        form=sql.Literal(form),
        fits=fits,
        newer=newer,
    )


def state(session: Session, relation: Relation) -> sql.Composed:
    """The fragment sql/decisions/state for a table, whatever columns it has."""
    document = projection.document_of(session, relation)
    unreadable: sql.Composable = sql.SQL("false")
    if projection.has_document(relation) and relation.columns["data"].type == "json":
        data = sql.SQL("f.{}").format(sql.Identifier("data"))
        unreadable = sql.SQL("{} IS NOT NULL AND {} IS NULL").format(data, document)
    return session.statement(
        "decisions/state",
        facts=relation.identifier,
        key=relation.key_identifier,
        name=text_column(relation, "key"),
        value=text_column(relation, "value"),
        entity=entity_column(relation),
        document=document,
        unreadable=unreadable,
        superseded=superseded(session, relation),
    )


def text_column(relation: Relation, name: str) -> sql.Composable:
    """A column of a fact ``f`` as text, for a slot; NULL where it is absent."""
    if not relation.has(name):
        return sql.SQL("NULL::text")
    return sql.SQL("f.{}::text").format(sql.Identifier(name))


def entity_column(relation: Relation) -> sql.Composable:
    """The column entity_id of a fact ``f``, for a slot: a number or uuid as it is, anything else as text."""
    column = relation.columns.get("entity_id")
    if column is not None and column.type in (*INTEGERS, "uuid"):
        return sql.SQL("f.{}").format(sql.Identifier("entity_id"))
    return text_column(relation, "entity_id")
