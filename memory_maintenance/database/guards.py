"""The guards on the facts (spec 6, 7): triggers that refuse, whoever writes. Which there should be, and are.

Expand makes them, rollback takes them away (``migration/guards.py``). They have their place among our
triggers by name: after data_type was mapped (10) moods are lowered (20), data_type follows (30), and what is
left to be refused is (40). While data_type lives, an old-style write of it counts, and the guards list it;
contract makes them anew without it, since PostgreSQL would not drop a column that a trigger lists.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from psycopg import sql

from memory_maintenance.database.relation import Relation, table_label
from memory_maintenance.database.schema import files
from memory_maintenance.database.session import Session
from memory_maintenance.database.statements import read as read_statement
from memory_maintenance.database.statements import verbatim
from memory_maintenance.model.mapping import Axes, TypeMap

LOWER_INSERT = "memory_maintenance_20_lower_moods_insert"
LOWER_UPDATE = "memory_maintenance_20_lower_moods_update"
DECISIONS = "memory_maintenance_40_refuse_decisions"
DELETION = "memory_maintenance_40_refuse_decisions_delete"
MOODS = "memory_maintenance_40_refuse_moods"
TRUNCATION = "memory_maintenance_40_refuse_truncate"
NAMES = (LOWER_INSERT, LOWER_UPDATE, DECISIONS, DELETION, MOODS, TRUNCATION)
"""Our guards in the order in which they fire."""

_FILES: Mapping[str, tuple[str, str]] = {
    LOWER_INSERT: ("guard_lower_insert", "lower_mood"),
    LOWER_UPDATE: ("guard_lower_update", "lower_mood"),
    DECISIONS: ("guard_decisions", "refuse_reopening"),
    DELETION: ("guard_deletion", "refuse_deletion"),
    MOODS: ("guard_moods", "refuse_promotion"),
    TRUNCATION: ("guard_truncation", "refuse_truncation"),
}
_OF_DECISIONS = (DECISIONS, DELETION, TRUNCATION)
_AXES = ("durability", "category")
_JSON = ("json", "jsonb")
_SINCE = 5
"""The file of our schema in which the guards' functions come first."""
_FUNCTION = re.compile(
    r"CREATE (?:OR REPLACE )?FUNCTION memory_maintenance\.(?P<name>\w+)\("
    r".*?(?P<definer>SECURITY DEFINER )?SET search_path = pg_catalog, pg_temp(?P<more>[^$]*)"
    r"AS \$\$(?P<body>.*?)\$\$",
    re.DOTALL,
)
# As pg_proc.proconfig has it: the name as the server spells it.
_SETTING = re.compile(r"SET (\w+) = '?([^'\n]+?)'?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard as it should be. columns: those of UPDATE OF, sorted. digest: of the statement."""

    name: str
    schema: str
    table_name: str
    function: str
    columns: tuple[str, ...]
    digest: str
    statement: sql.Composed

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it belongs."""
        return self.schema, self.table_name, self.name

    @property
    def table(self) -> str:
        """The table for people."""
        return table_label(self.schema, self.table_name)


@dataclass(frozen=True, slots=True)
class Found:
    """A guard that is there. clone: on a partition, of the table's own."""

    schema: str
    table_name: str
    name: str
    clone: bool
    fires: bool
    function: str
    columns: list[str]
    digest: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it is."""
        return self.schema, self.table_name, self.name

    @property
    def table(self) -> str:
        """The table for people."""
        return table_label(self.schema, self.table_name)


@dataclass(frozen=True, slots=True)
class Intruder:
    """Others' trigger that may set a guarded column. later: after our guards, which then don't see it."""

    trigger: str
    table_schema: str
    table_name: str
    function: str
    later: bool
    updates: bool

    @property
    def table(self) -> str:
        """The table for people."""
        return table_label(self.table_schema, self.table_name)


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    body: str
    definer: bool
    settings: list[str]


@dataclass(frozen=True, slots=True)
class _Partition:
    schema: str
    name: str


def names(relation: Relation) -> tuple[str, ...]:
    """The guards that a table gets: without a data column of JSON no decision can be marked for them."""
    if has_decisions(relation):
        return NAMES
    return tuple(name for name in NAMES if name not in _OF_DECISIONS)


def wanted(session: Session, relation: Relation, type_map: TypeMap) -> list[Guard]:
    """The guards as they should be, those of partitions included, in the order in which they fire."""
    anywhere = any(i.updates and not i.later for i in intruders(session, relation))
    guards = []
    for name in names(relation):
        places = [(relation.schema, relation.name)]
        if name == TRUNCATION and relation.partitioned:
            found = session.rows(_Partition, "migration/guards_partitions", {"oid": relation.oid})
            places += [(p.schema, p.name) for p in found]
        guards += [
            _guard(session, relation, type_map, name, place, anywhere=anywhere) for place in places
        ]
    return guards


def read(session: Session, relation: Relation) -> list[Found]:
    """The guards that are there, clones on partitions included."""
    params = {"oid": relation.oid, "names": list(NAMES)}
    return session.rows(Found, "migration/guards_found", params)


def intruders(session: Session, relation: Relation) -> list[Intruder]:
    """Others' BEFORE triggers that may set a guarded column."""
    listed = {*_decision_columns(relation), *_AXES, "data_type"}
    params = {
        "oid": relation.oid,
        "columns": f"({'|'.join(re.escape(name) for name in sorted(listed))})",
        "after": NAMES[-1],
    }
    return session.rows(Intruder, "catalog/guarded_by_others", params)


def is_current(guard: Guard, found: Found) -> bool:
    """Whether a guard that is there is what it should be."""
    return (
        found.digest == guard.digest
        and found.function == guard.function
        and tuple(found.columns) == guard.columns
    )


def altered_functions(session: Session) -> list[str]:
    """The functions behind the guards that are missing, or not what our schema's files made them."""
    made: dict[str, tuple[str, bool, list[str]]] = {}
    for file in files():
        text = read_statement(f"schema/{file.version:04d}_{file.name}")
        for match in _FUNCTION.finditer(text):
            if file.version >= _SINCE:
                settings = ["search_path=pg_catalog, pg_temp"]
                settings += [f"{name}={value}" for name, value in _SETTING.findall(match["more"])]
                made[match["name"]] = match["body"], match["definer"] is not None, settings
    found = session.rows(_Function, "catalog/guard_functions", {"names": list(made)})
    present = {f.name: (f.body, f.definer, f.settings) for f in found}
    return [name for name, definition in made.items() if present.get(name) != definition]


def mapped(type_map: TypeMap, category: str) -> Mapping[str | None, Axes]:
    """The old values that the map takes to a category."""
    values = {value: axes for value, axes in type_map.axes.items() if axes[1] == category}
    axes = type_map.of(None)
    if axes is not None and axes[1] == category:
        values[None] = axes
    return values


def _guard(
    session: Session,
    relation: Relation,
    type_map: TypeMap,
    name: str,
    place: tuple[str, str],
    *,
    anywhere: bool,
) -> Guard:
    file, function = _FILES[name]
    columns = () if anywhere else _columns(relation, name)
    category = "decision" if name in _OF_DECISIONS else "mood"
    values = mapped(type_map, category) if relation.has("data_type") else {}
    paths = _paths(relation) if name in _OF_DECISIONS else []
    slots: dict[str, sql.Composable] = {
        "facts": sql.Identifier(*place),
        "name": sql.Identifier(name),
        "key": sql.Literal(relation.key),
        "paths": sql.Literal(json.dumps(paths, ensure_ascii=False)),
        "type_map": sql.Literal(TypeMap(values).as_json() if values else ""),
    }
    if name in (LOWER_UPDATE, DECISIONS, MOODS):
        listed = sql.SQL(", ").join(verbatim(sql.Identifier(c).as_string(None)) for c in columns)
        slots["columns"] = sql.SQL("OF {}").format(listed) if columns else sql.SQL("")
    if name == DECISIONS:
        slots["decided"] = _decided(values)
    if name == DELETION:
        slots["protected"] = _decided(values)
        # Of a json that jsonb can't hold the server can't tell a member: there the function sees to it.
        if relation.columns["data"].type == "jsonb":
            slots["protected"] = sql.SQL(
                "{} AND (OLD.data -> 'do_not_reopen')::text = 'true'"
            ).format(_decided(values))
    if name in (LOWER_UPDATE, MOODS):
        slots["waiting"] = _waiting(values)
    blank = session.statement(f"migration/{file}", **slots, digest=sql.Literal(""))
    digest = hashlib.sha256(session.text(blank).encode()).hexdigest()[:16]
    return Guard(
        name,
        *place,
        f"memory_maintenance.{function}",
        tuple(sorted(columns)) if "columns" in slots else (),
        digest,
        session.statement(f"migration/{file}", **slots, digest=sql.Literal(digest)),
    )


def has_decisions(relation: Relation) -> bool:
    """Whether a decision can say that it is not to be reopened: in a column data, of JSON."""
    return relation.has("data") and relation.columns["data"].type in _JSON


def _decision_columns(relation: Relation) -> list[str]:
    """What of a decision may not change, as far as it is there; the axes are, by the time of the trigger."""
    found = [relation.key, "key", "value", *_AXES, "data"]
    return [name for name in dict.fromkeys(found) if name in (*relation.columns, *_AXES)]


def _columns(relation: Relation, name: str) -> tuple[str, ...]:
    listed = _decision_columns(relation) if name == DECISIONS else list(_AXES)
    return (*listed, "data_type") if relation.has("data_type") else tuple(listed)


def _paths(relation: Relation) -> list[list[str]]:
    of_rows = [[name] for name in _decision_columns(relation) if name != "data"]
    return [*of_rows, ["data", "decision"], ["data", "do_not_reopen"]]


def _waiting(values: Mapping[str | None, Axes]) -> sql.Composable:
    """Whether OLD is not classified yet, and going to be of these values' category."""
    named = [
        verbatim(sql.Literal(value).as_string(None))
        for value in sorted(v for v in values if v is not None)
    ]
    conditions: list[sql.Composable] = []
    if named:
        listed = sql.SQL(", ").join(named)
        # coalesce: this is negated, too.
        conditions.append(sql.SQL("coalesce(OLD.data_type::text IN ({}), false)").format(listed))
    if None in values:
        conditions.append(sql.SQL("OLD.data_type IS NULL"))
    if not conditions:
        return sql.SQL("false")
    return sql.SQL("OLD.category IS NULL AND ({})").format(sql.SQL(" OR ").join(conditions))


def _decided(values: Mapping[str | None, Axes]) -> sql.Composable:
    """Whether OLD is a decision, or going to be one."""
    if not values:
        return sql.SQL("(OLD.category = 'decision')")
    return sql.SQL("(OLD.category = 'decision' OR {})").format(_waiting(values))
