"""What rollback keeps of our columns, and under which condition a later migration gives it back.

confidence_base, confidence_anchor_at and confidence_written are kept and given back together: with all
three a fact goes on as if there had been no rollback. Decay computes from the same base and anchor, and that
somebody wrote confidence in between shows, as always, by its difference from confidence_written (spec 3).
Without them the fact would be adopted anew, and with the base alone its anchor would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import verbatim
from memory_maintenance.migration.place import Place
from memory_maintenance.migration.tables import Subject
from memory_maintenance.model.mapping import NOTHING_MAPPED, TypeMap

AXES = ("durability", "category")
CONFIDENCE = ("confidence_base", "confidence_anchor_at", "confidence_written")


@dataclass(frozen=True, slots=True)
class _Kept:
    """type: None for that of confidence. given: whether something was put into it, a condition on f. free:
    whether nothing was since."""

    name: str
    type: str | None
    given: str
    free: str


_ZONED = "timestamp with time zone"
_SCORELESS = "f.importance::int4 = 5::int4 AND f.importance_scored_at IS NULL"
_UNDECAYED = "f.confidence_base IS NULL AND f.confidence_written IS NULL"
_COLUMNS = (
    _Kept("importance", "smallint", "f.importance::int4 <> 5::int4", _SCORELESS),
    _Kept("importance_scored_at", _ZONED, "f.importance_scored_at IS NOT NULL", _SCORELESS),
    _Kept(
        "last_accessed_at", _ZONED, "f.last_accessed_at IS NOT NULL", "f.last_accessed_at IS NULL"
    ),
    _Kept(
        "access_count",
        "integer",
        "f.access_count::int4 <> 0::int4",
        "f.access_count::int4 = 0::int4",
    ),
    _Kept("pinned", "boolean", "f.pinned", "NOT f.pinned"),
    _Kept("expires", _ZONED, "f.expires IS NOT NULL", "f.expires IS NULL"),
    _Kept("confidence_base", "double precision", "f.confidence_base IS NOT NULL", _UNDECAYED),
    _Kept("confidence_anchor_at", _ZONED, "f.confidence_base IS NOT NULL", _UNDECAYED),
    _Kept("confidence_written", None, "f.confidence_base IS NOT NULL", _UNDECAYED),
)


def watched(place: Place) -> list[str]:
    """The columns whose change means that the row is to be looked at again."""
    names = [c.name for c in _COLUMNS if c.name not in CONFIDENCE]
    found = [n for n in (*names, *AXES) if place.ours(n)]
    if found and place.state.has_data_type:
        found.append("data_type")
    return found


def anything(place: Place) -> bool:
    """Whether a column of ours is there of which something is to be kept."""
    return any(place.ours(name) for name in (*(c.name for c in _COLUMNS), *AXES))


def kept(session: Session, place: Place, data_type: sql.Composable | None = None) -> sql.Composed:
    """What is kept of a row f, as jsonb; parameters: those of ``params``.

    data_type: an expression for it where the column isn't back yet.
    """
    pairs = [
        _pair(column.name, sql.SQL(column.given), sql.Identifier(column.name))
        for column in _COLUMNS
        if place.ours(column.name)
    ]
    if place.ours(*AXES):
        held = data_type or _data_type(held=place.state.has_data_type)
        own = session.statement("migration/rollback_own_axes", data_type=held)
        pairs += [_pair(axis, own, sql.Identifier(axis)) for axis in AXES]
        if place.state.has_data_type:
            pairs.append(_pair("data_type", own, sql.Identifier("data_type")))
    return session.statement("migration/rollback_kept", pairs=sql.SQL(", ").join(pairs))


def params(table: str, type_map: TypeMap, *, has_data_type: bool) -> dict[str, str]:
    """Those of ``kept`` and of what gives it back. Without data_type, axes are own that aren't defaults."""
    argument = type_map.as_json() if has_data_type else NOTHING_MAPPED
    return {"table_name": table, "type_map": argument}


def _pair(name: str, given: sql.Composable, column: sql.Identifier) -> sql.Composable:
    return sql.SQL("{}::text, CASE WHEN {} THEN f.{} END").format(sql.Literal(name), given, column)


def _data_type(*, held: bool) -> sql.SQL:
    return sql.SQL("f.data_type::text" if held else "NULL::text")


@dataclass(frozen=True, slots=True)
class Giving:
    """The slots of the statement that gives back. values: AS each column; changed: a condition."""

    values: sql.Composable
    changed: sql.Composable
    assignments: sql.Composable


def giving(session: Session, subject: Subject, relation: Relation) -> Giving:
    """How a table gets back what was kept. Its columns need not be there yet."""
    frees = dict(_frees(session, subject, relation))
    types = _types(relation)
    values: list[sql.Composable] = []
    changes: list[sql.Composable] = []
    for name, free in frees.items():
        slots: Mapping[str, sql.Composable] = {
            "free": free,
            "name": sql.Literal(name),
            "type": verbatim(types[name]),
            "column": sql.Identifier(name),
        }
        values.append(session.statement("migration/rollback_take_value", **slots))
        changes.append(
            sql.SQL("({} AND r.kept ->> {}::text IS NOT NULL)").format(free, sql.Literal(name))
        )
    assignments = [sql.SQL("{0} = l.{0}").format(sql.Identifier(name)) for name in frees]
    return Giving(
        sql.SQL(",\n").join(values), sql.SQL(" OR ").join(changes), sql.SQL(", ").join(assignments)
    )


def _frees(
    session: Session, subject: Subject, relation: Relation
) -> Iterator[tuple[str, sql.Composable]]:
    held = relation.has("data_type")
    sound: sql.Composable = sql.SQL("true")
    if held:
        sound = session.statement("migration/rollback_axes_sound")
    free = session.statement(
        "migration/rollback_axes_free", data_type=_data_type(held=held), sound=sound
    )
    for axis in AXES:
        yield axis, free
    for column in () if subject.archive else _COLUMNS:
        yield column.name, sql.SQL("({})").format(sql.SQL(column.free))


def _types(relation: Relation) -> Mapping[str, str]:
    types = {"durability": "character varying(20)", "category": "text"}
    for column in _COLUMNS:
        confidence = relation.columns.get("confidence")
        fallback = "double precision" if confidence is None else confidence.full_type
        types[column.name] = column.type or fallback
    present: Sequence[str] = [name for name in types if name in relation.columns]
    return types | {name: relation.columns[name].full_type for name in present}
