"""Names in SQL, resolved to the relation that they belong to: is a mention of the column one of our table's?

Statements are parsed, never executed, and each mention is traced by SQL's own rules of scope. What is
certainly somebody else's is told from what is ours, and both from what can't be told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

from memory_maintenance.audit.parsing import (
    YIELDING,
    Node,
    children,
    descendants,
    inserts,
    kind_of,
    parsed,
    parts_of,
    statements_of,
    unwrapped,
)


class Verdict(IntEnum):
    """Whether a mention is of our column."""

    NO = 0
    MAYBE = 1
    YES = 2


class Has(IntEnum):
    """What a relation, a subquery or a variable says of the column. The greater one decides."""

    NONE = 0
    UNKNOWN = 1
    OTHER = 2
    OURS = 3

    @property
    def verdict(self) -> Verdict:
        """On a mention of the column that belongs to it."""
        if self is Has.OURS:
            return Verdict.YES
        return Verdict.MAYBE if self is Has.UNKNOWN else Verdict.NO


class How(IntEnum):
    """By what a statement uses the column. Of several with the same verdict the greatest is told.

    ALIASES: it gives the table's columns other names, by position. POSITION: an INSERT that takes values from
    all columns of the table, or into them.
    """

    ALIASES = 0
    NATURAL_JOIN = 1
    POSITION = 2
    NAME = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A relation. ours: the table itself or a partition of it. has_column: it has a column of that name."""

    oid: int
    schema: str
    name: str
    ours: bool
    has_column: bool

    @property
    def has(self) -> Has:
        """What it says of the column."""
        if self.ours:
            return Has.OURS
        return Has.OTHER if self.has_column else Has.NONE


class Names:
    """The relations of the database by name.

    column: the one that mentions are sought of. label: the table, as SQL reads it. relations: gives all that
    there are; it is called once, when the first name is asked for. beside: the name of another table with
    such a column, which is looked at likewise: what may be about either, but names that one, is about it.
    """

    def __init__(
        self, column: str, label: str, relations: Callable[[], Iterable[Named]], beside: str = ""
    ) -> None:
        self.column = column
        self.label = label
        self.beside = beside
        self._relations = relations

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Named]]:
        found: dict[str, list[Named]] = {}
        for row in self._relations():
            found.setdefault(row.name, []).append(row)
        return found

    @cached_property
    def ours(self) -> frozenset[str]:
        """The names of the table and its partitions, without schema."""
        return frozenset(name for name, rows in self._by_name.items() if any(r.ours for r in rows))

    def has(self, schema: str, name: str, path: Sequence[str] = ()) -> Has:
        """What the relation of that name says of the column.

        schema: "" where the text names none; it is then looked for in path, the schemas that the function
        itself sets, or in all of them.
        """
        rows = self._by_name.get(name, ())
        if schema:
            rows = [row for row in rows if row.schema == schema]
        else:
            for candidate in path:
                if within := [row for row in rows if row.schema == candidate]:
                    rows = within
                    break
        if not rows:
            return Has.UNKNOWN  # a temporary table, perhaps, made where the column was copied to
        kinds = {row.has for row in rows}
        if Has.OURS in kinds and len(rows) > 1 and not all(row.ours for row in rows):
            return Has.UNKNOWN
        return max(kinds)

    def has_oid(self, oid: int) -> Has:
        """The same for the relation, or row type of it, with that oid."""
        row = self._by_oid.get(oid)
        return Has.UNKNOWN if row is None else row.has

    @cached_property
    def _by_oid(self) -> Mapping[int, Named]:
        return {row.oid: row for rows in self._by_name.values() for row in rows}


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of the column in a statement.

    place: the clause of the outermost query where it stands ("output" for a bare column of its target list).
    location: byte offset of a column reference, else -1.
    """

    verdict: Verdict
    place: str
    location: int = -1
    how: How = How.NAME


@dataclass(frozen=True, slots=True)
class _Item:
    """Something in FROM. name: that its columns are qualified by. schema: of a table without alias."""

    name: str
    has: Has
    schema: str = ""


_Scopes = tuple[Sequence[_Item], ...]
_Ctes = Mapping[str, Has]
Outside = Callable[[Sequence[str]], Verdict]

# Where a name equal to the column's is not the column's: an alias, a new object, an argument.
_OTHER_NAMES = frozenset(
    {
        ("ResTarget", "name"),
        ("Alias", "aliasname"),
        ("ColumnDef", "colname"),
        ("NamedArgExpr", "name"),
        ("RangeVar", "relname"),
        ("RangeVar", "schemaname"),
        ("CommonTableExpr", "ctename"),
        ("DefElem", "defname"),
        ("WindowDef", "name"),
        ("WindowDef", "refname"),
        ("RangeTableFuncCol", "colname"),
        ("JsonTableColumn", "name"),
        ("FunctionParameter", "name"),
    }
)
_NAME_LISTS = frozenset({"funcname", "names", "colnames", "aliascolnames"})
# Of pg_catalog, in FROM: their columns have other names than a table's.
_SCALAR_SETS = frozenset(
    {
        "unnest",
        "generate_series",
        "generate_subscripts",
        "regexp_split_to_table",
        "regexp_matches",
        "string_to_table",
        "json_each",
        "json_each_text",
        "jsonb_each",
        "jsonb_each_text",
        "json_object_keys",
        "jsonb_object_keys",
        "json_array_elements",
        "json_array_elements_text",
        "jsonb_array_elements",
        "jsonb_array_elements_text",
        "jsonb_path_query",
    }
)


class Statements:
    """Judges each mention of the column in parsed statements, by SQL's own rules of scope.

    outside: what a name means that no FROM clause explains, given its parts. path: schemas to look in.
    renames: whether the table's columns get other names somewhere, by position, so that the column may be
    used without a mention.
    """

    def __init__(self, names: Names, outside: Outside, path: Sequence[str] = ()) -> None:
        self.mentions: list[Mention] = []
        self.whole_rows: list[Verdict] = []
        self.renames = False
        self._names = names
        self._column = names.column
        self._outside = outside
        self._path = path

    def read(self, tree: Node) -> Has:
        """Judges all statements of a tree; what the last one yields."""
        last = Has.NONE
        for statement in statements_of(tree):
            last = self._statement(statement, (), {}, "")
        return last

    def _note(self, verdict: Verdict, place: str, location: int = -1) -> None:
        self.mentions.append(Mention(verdict, place, location))

    def _statement(self, node: Any, scopes: _Scopes, ctes: _Ctes, fixed: str) -> Has:
        kind = kind_of(node)
        if kind == "SelectStmt":
            return self._select(node, scopes, ctes, fixed)
        if kind in YIELDING:
            return self._write(node, scopes, ctes, fixed)
        if kind in (
            "CreateTableAsStmt",
            "DeclareCursorStmt",
            "ExplainStmt",
            "ViewStmt",
            "CopyStmt",
        ):
            self._visit(node, scopes, ctes, fixed or "expression")
            return Has.NONE
        # A command: it is about the tables that it names.
        items = [
            self._table(part, {}) for _, part in descendants(node) if kind_of(part) == "RangeVar"
        ]
        if kind == "RuleStmt":
            of_rule = self._table(node.relation, {})
            items += [_Item("old", of_rule.has), _Item("new", of_rule.has)]
        self._visit(node, (*scopes, items), ctes, fixed or "expression")
        return Has.NONE

    # -- queries --

    def _select(self, node: Any, scopes: _Scopes, ctes: _Ctes, fixed: str) -> Has:
        if node.HasField("with_clause"):
            ctes = self._with(node.with_clause, scopes, ctes)
        if node.HasField("larg"):
            fixed = fixed or "set operation"
            has = self._select(node.larg, scopes, ctes, fixed)
            self._select(node.rarg, scopes, ctes, fixed)
            return has
        items: list[_Item] = []
        inner = (*scopes, items)
        for item in node.from_clause:
            self._from(unwrapped(item), items, inner, ctes, fixed)
        has, outputs = self._targets(node.target_list, items, inner, ctes, fixed)
        for clause, place in (
            ("values_lists", "expression"),
            ("where_clause", "filter"),
            ("group_clause", "group"),
            ("having_clause", "having"),
            ("window_clause", "window"),
            ("distinct_clause", "distinct"),
            ("sort_clause", "sort"),
            ("limit_offset", "limit"),
            ("limit_count", "limit"),
        ):
            for name, part in children(node):
                if name != clause:
                    continue
                if clause in ("group_clause", "sort_clause", "distinct_clause"):
                    output = self._output_named(part, outputs)
                    if output is not None:
                        self._note(output, fixed or place)
                        continue
                self._visit(part, inner, ctes, fixed or place)
        return has

    def _with(self, clause: Any, scopes: _Scopes, ctes: _Ctes) -> _Ctes:
        known = dict(ctes)
        for wrapped in clause.ctes:
            cte: Any = unwrapped(wrapped)
            if clause.recursive:
                known[cte.ctename] = Has.UNKNOWN
            has = self._statement(unwrapped(cte.ctequery), scopes, known, "with")
            renamed = [unwrapped(name).sval for name in cte.aliascolnames]
            self.renames = self.renames or (bool(renamed) and has is Has.OURS)
            known[cte.ctename] = Has.OTHER if self._column in renamed else has
        return known

    def _targets(
        self, targets: Any, items: Sequence[_Item], scopes: _Scopes, ctes: _Ctes, fixed: str
    ) -> tuple[Has, Mapping[str, Verdict]]:
        """What the target list says of the column, and the verdict on each output that is a bare column."""
        has = Has.NONE
        outputs: dict[str, Verdict] = {}
        for wrapped in targets:
            target: Any = unwrapped(wrapped)
            value: Any = unwrapped(target.val)
            name = target.name
            if kind_of(value) == "ColumnRef":
                parts, star = parts_of(value)
                if star:
                    has = max(has, _of_star(parts, items))
                    self._whole_row(value, scopes)
                    continue
                name = name or parts[-1]
                if parts[-1] == self._column:
                    verdict = self._judge(parts, scopes)
                    self._note(verdict, fixed or "output", value.location)
                    outputs[name] = verdict
            else:
                self._visit(value, scopes, ctes, fixed or "expression")
            if name == self._column:
                has = max(has, Has.OTHER)
                outputs.setdefault(name, Verdict.NO)
        return has, outputs

    def _output_named(self, part: Node, outputs: Mapping[str, Verdict]) -> Verdict | None:
        """In ORDER BY and GROUP BY a bare name is that of an output first, if there is one."""
        node: Any = part
        if kind_of(node) == "SortBy":
            node = unwrapped(node.node)
        if kind_of(node) != "ColumnRef":
            return None
        parts, star = parts_of(node)
        if star or len(parts) != 1:
            return None
        return outputs.get(parts[0])

    def _from(
        self, node: Any, items: list[_Item], scopes: _Scopes, ctes: _Ctes, fixed: str
    ) -> None:
        kind = kind_of(node)
        if kind == "RangeVar":
            items.append(self._table(node, ctes))
        elif kind == "RangeSubselect":
            has = self._statement(unwrapped(node.subquery), scopes, ctes, fixed or "subquery")
            items.append(_Item(node.alias.aliasname, self._renamed(node.alias, has)))
        elif kind == "RangeTableSample":
            self._from(unwrapped(node.relation), items, scopes, ctes, fixed)
        elif kind == "JoinExpr":
            first = len(items)
            self._from(unwrapped(node.larg), items, scopes, ctes, fixed)
            second = len(items)
            self._from(unwrapped(node.rarg), items, scopes, ctes, fixed)
            if node.is_natural:
                self._natural(items[first:second], items[second:], fixed or "join")
            joined = max((item.has for item in items[first:]), default=Has.NONE)
            if any(unwrapped(name).sval == self._column for name in node.using_clause):
                self._note(joined.verdict, fixed or "join")
            if node.HasField("quals"):
                self._visit(unwrapped(node.quals), scopes, ctes, fixed or "join")
            if node.HasField("alias"):
                items.append(_Item(node.alias.aliasname, self._renamed(node.alias, joined)))
        else:
            self._visit(node, scopes, ctes, fixed or "from")
            items.append(self._computed(node))

    def _natural(self, left: Sequence[_Item], right: Sequence[_Item], place: str) -> None:
        """A NATURAL JOIN is by the column where both sides have it."""
        less, more = sorted(
            max((item.has for item in side), default=Has.NONE) for side in (left, right)
        )
        if more is Has.OURS and less is not Has.NONE:
            verdict = Verdict.MAYBE if less is Has.UNKNOWN else Verdict.YES
            self.mentions.append(Mention(verdict, place, how=How.NATURAL_JOIN))

    def _computed(self, node: Any) -> _Item:
        """A function or the like in FROM: its columns are those that the text lists, if it lists them."""
        alias = node.alias.aliasname
        listed = [unwrapped(name).sval for name in node.alias.colnames]
        called = ""
        for name, part in descendants(node):
            if kind_of(part) in ("ColumnDef", "RangeTableFuncCol"):
                listed.append(part.colname)
            elif kind_of(part) == "JsonTableColumn":
                listed.append(part.name)
            elif kind_of(part) == "FuncCall" and name == "items" and not called:
                called = unwrapped(part.funcname[-1]).sval
        if self._column in listed:
            return _Item(alias, Has.OTHER)
        if listed or called in _SCALAR_SETS:
            return _Item(alias or called, Has.NONE)
        return _Item(alias or called, Has.UNKNOWN)

    def _table(self, node: Any, ctes: _Ctes) -> _Item:
        if not node.schemaname and node.relname in ctes:
            has = ctes[node.relname]
        else:
            has = self._names.has(node.schemaname, node.relname, self._path)
        if node.HasField("alias"):
            return _Item(node.alias.aliasname, self._renamed(node.alias, has))
        return _Item(node.relname, has, node.schemaname)

    def _renamed(self, alias: Any, has: Has) -> Has:
        """The same under an alias that may rename the columns."""
        if not alias.colnames:
            return has
        self.renames = self.renames or has is Has.OURS
        if any(unwrapped(name).sval == self._column for name in alias.colnames):
            return Has.OTHER
        return Has.UNKNOWN if has is Has.OURS else has

    # -- statements that write --

    def _write(self, node: Any, scopes: _Scopes, ctes: _Ctes, fixed: str) -> Has:
        if node.HasField("with_clause"):
            ctes = self._with(node.with_clause, scopes, ctes)
        target = self._table(node.relation, {})
        items = [target]
        inner = (*scopes, items)
        place = fixed or "expression"
        for name in ("from_clause", "using_clause"):
            for item in getattr(node, name, ()):
                self._from(unwrapped(item), items, inner, ctes, place)
        kind = kind_of(node)
        if kind == "InsertStmt":
            self._insert(node, target, scopes, ctes, place)
        elif kind == "UpdateStmt":
            self._assigned(node.target_list, target, inner, ctes, place)
        elif kind == "MergeStmt":
            self._from(unwrapped(node.source_relation), items, inner, ctes, place)
            self._visit(unwrapped(node.join_condition), inner, ctes, place)
            for wrapped in node.merge_when_clauses:
                self._merge_when(unwrapped(wrapped), target, inner, ctes, place)
        for name, part in children(node):
            if name == "where_clause":
                self._visit(part, inner, ctes, place)
        if not node.HasField("returning_clause"):
            return Has.NONE
        # A bare star stands for the tables, not for their former selves.
        former = [_Item("old", target.has), _Item("new", target.has)]
        exprs = node.returning_clause.exprs
        return self._targets(exprs, items, (*scopes, [*items, *former]), ctes, place)[0]

    def _insert(self, node: Any, target: _Item, scopes: _Scopes, ctes: _Ctes, place: str) -> None:
        self._assigned(node.cols, target, scopes, ctes, place)
        if node.HasField("select_stmt"):
            values = self._statement(unwrapped(node.select_stmt), scopes, ctes, place)
            if values is Has.OURS or (target.has is Has.OURS and not node.cols):
                self.mentions.append(Mention(Verdict.YES, place, how=How.POSITION))
        if node.HasField("on_conflict_clause"):
            clause = node.on_conflict_clause
            inner = (*scopes, [target, _Item("excluded", target.has)])
            self._assigned(clause.target_list, target, inner, ctes, place)
            for name, part in children(clause):
                if name != "target_list":
                    known = (*scopes, [target]) if name == "infer" else inner
                    self._visit(part, known, ctes, place)

    def _merge_when(
        self, node: Any, target: _Item, scopes: _Scopes, ctes: _Ctes, place: str
    ) -> None:
        self._assigned(node.target_list, target, scopes, ctes, place)
        by_position = inserts(node) and node.values and not node.target_list
        if by_position and target.has is Has.OURS:
            self.mentions.append(Mention(Verdict.YES, place, how=How.POSITION))
        for name, part in children(node):
            if name != "target_list":
                self._visit(part, scopes, ctes, place)

    def _assigned(
        self, targets: Any, target: _Item, scopes: _Scopes, ctes: _Ctes, place: str
    ) -> None:
        for wrapped in targets:
            assigned: Any = unwrapped(wrapped)
            if assigned.name == self._column:
                self._note(target.has.verdict, place)
            for _, part in children(assigned):
                self._visit(part, scopes, ctes, place)

    # -- expressions and the rest --

    def _visit(self, node: Any, scopes: _Scopes, ctes: _Ctes, place: str) -> None:
        kind = kind_of(node)
        if kind in YIELDING:
            self._statement(node, scopes, ctes, "subquery")
            return
        if kind == "ColumnRef":
            parts, star = parts_of(node)
            if star:
                self._whole_row(node, scopes)
            elif parts and parts[-1] == self._column:
                self._note(self._judge(parts, scopes), place, node.location)
            return
        if kind == "A_Indirection":
            self._indirection(node, scopes, place)
        if kind == "WindowDef" and place == "expression":
            place = "window"
        for _ in range(self._other_uses(node, kind)):
            self._note(self._judge([self._column], scopes), place)
        for _, part in children(node):
            self._visit(part, scopes, ctes, place)

    def _other_uses(self, node: Any, kind: str) -> int:
        """How often a node has the column's name itself, where it may be the column's: IndexElem, say."""
        if kind in ("String", "A_Const", "A_Indirection"):
            return 0
        found = 0
        for descriptor, value in node.ListFields():
            if descriptor.message_type is None:
                found += value == self._column and (kind, descriptor.name) not in _OTHER_NAMES
        for name, part in children(node):
            if kind_of(part) == "String" and name not in _NAME_LISTS:
                found += part.sval == self._column
        return found

    def _indirection(self, node: Any, scopes: _Scopes, place: str) -> None:
        """(row).column, where row is a table's alias, a variable or a parameter."""
        for wrapped in node.indirection:
            selected: Any = unwrapped(wrapped)
            if kind_of(selected) != "String" or selected.sval != self._column:
                continue
            row: Any = unwrapped(node.arg)
            if kind_of(row) == "ColumnRef":
                parts, star = parts_of(row)
                self._note(
                    self._judge([*parts[: 1 if star else None], self._column], scopes), place
                )
            elif kind_of(row) == "ParamRef":
                self._note(self._outside([f"${row.number}", self._column]), place)
            else:
                self._note(Verdict.MAYBE, place)

    def _judge(self, parts: Sequence[str], scopes: _Scopes) -> Verdict:
        for items in reversed(scopes):
            if len(parts) == 1:
                has = max((item.has for item in items), default=Has.NONE)
                if has is not Has.NONE:
                    return has.verdict
            elif len(parts) == 2:
                for item in items:
                    if item.name == parts[0]:
                        return item.has.verdict
            else:
                for item in items:
                    if item.name == parts[-2] and item.schema in ("", parts[-3]):
                        return item.has.verdict
        return self._outside(parts)

    def _whole_row(self, node: Any, scopes: _Scopes) -> None:
        parts, _ = parts_of(node)
        if not parts:
            return
        for items in reversed(scopes):
            for item in items:
                if item.name == parts[-1]:
                    self.whole_rows.append(item.has.verdict)
                    return


def _of_star(parts: Sequence[str], items: Sequence[_Item]) -> Has:
    if not parts:
        return max((item.has for item in items), default=Has.NONE)
    for item in items:
        if item.name == parts[-1]:
            return item.has
    return Has.UNKNOWN


def whole_rows(names: Names, definition: str) -> bool | None:
    """Whether the definition of a view or rule, as PostgreSQL gives it, uses whole rows of the table.

    None where it can't be told. PostgreSQL spells out each star, so that one that is left is a whole row.
    """
    tree = parsed(definition)
    if tree is None:
        return None if re.search(r"\.\*", definition) else False
    statements = Statements(names, lambda _: Verdict.NO)
    statements.read(tree)
    if Verdict.YES in statements.whole_rows:
        return True
    return None if Verdict.MAYBE in statements.whole_rows else False
