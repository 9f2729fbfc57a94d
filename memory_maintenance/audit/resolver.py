"""Names in SQL, resolved to the relation that they belong to: is a mention of the column one of our table's?

Statements are parsed, never executed, and each mention is traced by SQL's own rules of scope. What is
certainly somebody else's is told from what is ours, and both from what can't be told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.names import Has, Names, Verdict
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
class Mention:
    """One mention of the column in a statement.

    place: the clause of the outermost query where it stands ("output" for a bare column of its target list).
    location: byte offset of a column reference or of a name in a list, else -1.
    """

    verdict: Verdict
    place: str
    location: int = -1
    how: How = How.NAME
    kind: Kind = Kind.READ


@dataclass(frozen=True, slots=True)
class Star:
    """A star that stands for all columns of what it says the verdict of. location: its byte offset."""

    has: Has
    location: int


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
_AROUND_QUERIES = frozenset(
    {"CreateTableAsStmt", "DeclareCursorStmt", "ExplainStmt", "PrepareStmt", "ViewStmt"}
)
_NAME_LISTS = frozenset({"funcname", "names", "colnames", "aliascolnames", "type_name"})
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
    used without a mention. through: whether a query's output that is the column, bare and under its own name,
    is still the column to those who select from the query.
    """

    def __init__(
        self, names: Names, outside: Outside, path: Sequence[str] = (), *, through: bool = False
    ) -> None:
        self.mentions: list[Mention] = []
        self.whole_rows: list[Verdict] = []
        self.stars: list[Star] = []
        self.renames = False
        self._through = through
        self._kind = Kind.READ
        self._from_location = -1
        self._in_cte = 0
        self._outputs: Mapping[str, Verdict] = {}
        self._names = names
        self._column = names.column
        self._outside = outside
        self._path = path

    def read(self, tree: Node) -> Has:
        """Judges all statements of a tree; what the last one yields."""
        last = Has.NONE
        for statement in statements_of(tree):
            last = self.statement(statement)
        return last

    def statement(self, node: Node) -> Has:
        """Judges one statement; what it yields."""
        return self._statement(node, (), {}, "")

    def _note(
        self, verdict: Verdict, place: str, location: int = -1, kind: Kind | None = None
    ) -> None:
        self.mentions.append(Mention(verdict, place, location, kind=kind or self._kind))

    @contextmanager
    def _defining(self) -> Iterator[None]:
        """What is mentioned meanwhile is part of a definition."""
        before, self._kind = self._kind, Kind.DEFINITION
        try:
            yield
        finally:
            self._kind = before

    def _statement(self, node: Any, scopes: _Scopes, ctes: _Ctes, fixed: str) -> Has:
        kind = kind_of(node)
        if kind == "SelectStmt":
            return self._select(node, scopes, ctes, fixed)
        if kind in YIELDING:
            return self._write(node, scopes, ctes, fixed)
        if kind == "CopyStmt":
            return self._copy(node, scopes, ctes, fixed or "expression")
        if kind in _AROUND_QUERIES:
            return self._query_within(node, scopes, ctes, fixed or "expression")
        # DROP names no columns, whatever the names are.
        if kind != "DropStmt":
            with self._defining():
                self._command(node, kind, scopes, ctes, fixed or "expression")
        return Has.NONE

    def _query_within(self, node: Any, scopes: _Scopes, ctes: _Ctes, place: str) -> Has:
        """A statement around a query; what the query yields."""
        has = Has.NONE
        for _, part in children(node):
            if kind_of(part) in YIELDING:
                has = max(has, self._statement(part, scopes, ctes, "subquery"))
            else:
                self._visit(part, scopes, ctes, place)
        return has

    def _copy(self, node: Any, scopes: _Scopes, ctes: _Ctes, place: str) -> Has:
        items = [self._table(node.relation, {})] if node.HasField("relation") else []
        before, self._kind = self._kind, Kind.WRITE if node.is_from else self._kind
        if items and not node.attlist:
            self.stars.append(Star(items[0].has, node.relation.location))
        self._visit(node, (*scopes, items), ctes, place)
        self._kind = before
        return Has.NONE

    def _command(self, node: Any, kind: str, scopes: _Scopes, ctes: _Ctes, place: str) -> None:
        """It is about the tables that it names; where it defines one, about that."""
        if kind in ("CreateStmt", "AlterTableStmt", "CreateForeignTableStmt"):
            base = node.base_stmt if kind == "CreateForeignTableStmt" else node
            items = [self._table(base.relation, {})]
            if kind == "CreateForeignTableStmt" and shows_table(node, self._names):
                items = [_Item(base.relation.relname, Has.UNKNOWN)]
        else:
            named = [part for _, part in descendants(node) if kind_of(part) == "RangeVar"]
            items = [self._table(part, {}) for part in named]
        if kind in ("RuleStmt", "CreateTrigStmt"):
            of_row = self._table(node.relation, {})
            items += [_Item("old", of_row.has), _Item("new", of_row.has)]
        if kind in ("CommentStmt", "SecLabelStmt"):
            self._listed(unwrapped(node.object), place)
            return
        if kind in ("RuleStmt", "CreateTrigStmt", "CreateFunctionStmt"):
            # A rule's actions and a body are statements of their own.
            self._own_names(node, kind, (*scopes, items), place)
            for name, part in children(node):
                if kind_of(part) in YIELDING:
                    before, self._kind = self._kind, Kind.READ
                    self._statement(part, (*scopes, items), ctes, place)
                    self._kind = before
                elif name != "relation":
                    self._visit(part, (*scopes, items), ctes, place)
            return
        self._visit(node, (*scopes, items), ctes, place)

    def _listed(self, listed: Any, place: str) -> None:
        """COMMENT ON COLUMN schema.table.column, OWNED BY: the names are a list."""
        if kind_of(listed) != "List":
            return
        parts = [part.sval for part in map(unwrapped, listed.items) if kind_of(part) == "String"]
        if len(parts) > 1 and parts[-1] == self._column:
            schema = parts[-3] if len(parts) > 2 else ""
            self._note(self._names.has(schema, parts[-2], self._path).verdict, place)

    # -- queries --

    def _select(self, node: Any, scopes: _Scopes, ctes: _Ctes, fixed: str) -> Has:
        if node.HasField("with_clause"):
            ctes = self._with(node.with_clause, scopes, ctes)
        if node.HasField("larg"):
            fixed = fixed or "set operation"
            has = self._select(node.larg, scopes, ctes, fixed)
            outputs = self._outputs
            beside = self._select(node.rarg, scopes, ctes, fixed)
            if beside is Has.OURS and has in (Has.ASSUMED, Has.OTHER):
                has = Has.UNKNOWN  # its name is the other's, its values are ours too
            self._clauses(node, [], (*scopes, []), ctes, outputs=outputs, fixed=fixed)
            self._outputs = outputs
            return has
        items: list[_Item] = []
        inner = (*scopes, items)
        for item in node.from_clause:
            self._from(unwrapped(item), items, inner, ctes, fixed)
        self._from_location = next(
            (part.location for name, part in children(node) if kind_of(part) == "RangeVar"), -1
        )
        has, outputs = self._targets(node.target_list, items, inner, ctes, fixed)
        self._clauses(node, items, inner, ctes, outputs=outputs, fixed=fixed)
        self._outputs = outputs
        return has

    def _clauses(
        self,
        node: Any,
        items: Sequence[_Item],
        inner: _Scopes,
        ctes: _Ctes,
        *,
        outputs: Mapping[str, Verdict],
        fixed: str,
    ) -> None:
        """What stands after the target list and FROM."""
        # In GROUP BY a column comes before an output of that name, in ORDER BY it is the other way round.
        has_column = any(item.has in (Has.OURS, Has.OTHER) for item in items)
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
                if clause in ("sort_clause", "distinct_clause") or (
                    clause == "group_clause" and not has_column
                ):
                    output = self._output_named(part, outputs)
                    if output is not None:
                        self._note(output, fixed or place, _location_of(part))
                        continue
                self._visit(part, inner, ctes, fixed or place)

    def _with(self, clause: Any, scopes: _Scopes, ctes: _Ctes) -> _Ctes:
        known = dict(ctes)
        for wrapped in clause.ctes:
            cte: Any = unwrapped(wrapped)
            if clause.recursive:
                known[cte.ctename] = Has.UNKNOWN
            self._in_cte += 1
            has = self._statement(unwrapped(cte.ctequery), scopes, known, "with")
            self._in_cte -= 1
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
            passed = Has.OTHER
            if kind_of(value) == "ColumnRef":
                parts, star = parts_of(value)
                if star:
                    of_star = self._of_star(parts, items, scopes)
                    has = max(has, of_star)
                    # TABLE x is a star that stands nowhere.
                    at = value.location if value.location >= 0 else self._from_location
                    self.stars.append(Star(of_star, at))
                    self._whole_row(value, scopes)
                    continue
                name = name or parts[-1]
                self._row_value(parts, value.location, scopes)
                if parts[-1] == self._column:
                    verdict = self._judge(parts, scopes, selected=True)
                    self._note(verdict, fixed or "output", value.location)
                    outputs[name] = verdict
                    passed = _of_verdict(verdict)
            else:
                before = len(self.mentions)
                self._visit(value, scopes, ctes, fixed or "expression")
                if any(m.verdict is Verdict.YES for m in self.mentions[before:]):
                    passed = Has.UNKNOWN  # made of it
            if name == self._column:
                has = max(has, passed if self._through else Has.OTHER)
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
            of_all = values is Has.OURS and not self._through
            if of_all or (target.has is Has.OURS and not node.cols):
                self._positional(node, place)
        if node.HasField("on_conflict_clause"):
            clause = node.on_conflict_clause
            inner = (*scopes, [target, _Item("excluded", target.has)])
            self._assigned(clause.target_list, target, inner, ctes, place)
            for name, part in children(clause):
                if name != "target_list":
                    known = (*scopes, [target]) if name == "infer" else inner
                    self._visit(part, known, ctes, place)

    def _positional(self, node: Any, place: str) -> None:
        location = node.relation.location
        self.mentions.append(Mention(Verdict.YES, place, location, How.POSITION, Kind.WRITE))

    def _merge_when(
        self, node: Any, target: _Item, scopes: _Scopes, ctes: _Ctes, place: str
    ) -> None:
        self._assigned(node.target_list, target, scopes, ctes, place)
        by_position = inserts(node) and node.values and not node.target_list
        if by_position and target.has is Has.OURS:
            self.mentions.append(Mention(Verdict.YES, place, how=How.POSITION, kind=Kind.WRITE))
        for name, part in children(node):
            if name != "target_list":
                self._visit(part, scopes, ctes, place)

    def _assigned(
        self, targets: Any, target: _Item, scopes: _Scopes, ctes: _Ctes, place: str
    ) -> None:
        for wrapped in targets:
            assigned: Any = unwrapped(wrapped)
            if assigned.name == self._column:
                self._note(target.has.verdict, place, assigned.location, Kind.WRITE)
            for _, part in children(assigned):
                self._visit(part, scopes, ctes, place)

    # -- expressions and the rest --

    def _visit(self, node: Any, scopes: _Scopes, ctes: _Ctes, place: str) -> None:
        kind = kind_of(node)
        if self._is_of_its_own(node, kind, scopes, ctes, place):
            return
        if kind == "ColumnDef" and node.colname == self._column and self._kind is Kind.DEFINITION:
            verdict = self._judge([self._column], scopes)
            if verdict is Verdict.MAYBE and not self._through:
                verdict = Verdict.NO  # the catalog doesn't know the table: it is being made
            self._note(verdict, place, node.location)
        if kind == "DefElem" and node.defname == "owned_by":
            self._listed(unwrapped(node.arg), place)
        if kind == "WindowDef" and place == "expression":
            place = "window"
        self._own_names(node, kind, scopes, place)
        for _, part in children(node):
            self._visit(part, scopes, ctes, place)

    def _is_of_its_own(
        self, node: Any, kind: str, scopes: _Scopes, ctes: _Ctes, place: str
    ) -> bool:
        """Judges a node whose parts mean something together; whether it was one."""
        if kind in YIELDING:
            self._statement(node, scopes, ctes, "subquery")
        elif kind == "ColumnRef":
            self._reference(node, scopes, place)
        elif kind == "Constraint" and node.HasField("pktable"):
            self._foreign_key(node, scopes, ctes, place)
        elif kind == "A_Indirection":
            return self._indirection(node, scopes, place)
        elif kind == "FuncCall":
            return self._functional(node, scopes, place)
        else:
            return False
        return True

    def _reference(self, node: Any, scopes: _Scopes, place: str) -> None:
        parts, star = parts_of(node)
        if star:
            self._row_value(parts, node.location, scopes)
            self._whole_row(node, scopes)
        elif parts and parts[-1] == self._column:
            self._note(self._judge(parts, scopes), place, node.location, Kind.READ)
        else:
            self._row_value(parts, node.location, scopes)

    def _own_names(self, node: Any, kind: str, scopes: _Scopes, place: str) -> None:
        """What a node names itself."""
        for _ in range(self._other_uses(node, kind)):
            reads = Kind.READ if kind == "PartitionElem" else None
            self._note(self._judge([self._column], scopes), place, kind=reads)

    def _functional(self, node: Any, scopes: _Scopes, place: str) -> bool:
        """column(row), where row is a table's alias; whether it is that."""
        named = [unwrapped(name).sval for name in node.funcname]
        if named == [self._column] and len(node.args) == 1:
            row: Any = unwrapped(node.args[0])
            parts, star = parts_of(row) if kind_of(row) == "ColumnRef" else ([], False)
            if len(parts) == 1 and not star:
                verdict = self._judge([parts[0], self._column], scopes)
                self._note(verdict, place, node.location, Kind.READ)
                return True
        return False

    def _foreign_key(self, node: Any, scopes: _Scopes, ctes: _Ctes, place: str) -> None:
        """REFERENCES: its own columns are of the table it stands in, those it refers to of the other."""
        referred = [self._table(node.pktable, {})]
        for name, part in children(node):
            if kind_of(part) == "String":
                if part.sval == self._column:
                    known = referred if name == "pk_attrs" else ()
                    verdict = self._judge([self._column], (*scopes, known))
                    self._note(verdict, place, kind=Kind.READ)
            elif name != "pktable":
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

    def _indirection(self, node: Any, scopes: _Scopes, place: str) -> bool:
        """(row).column, where row is a table's alias, a variable or a parameter; whether that is all."""
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
        return kind_of(unwrapped(node.arg)) == "ColumnRef" and _takes_a_field(node)

    def _judge(self, parts: Sequence[str], scopes: _Scopes, *, selected: bool = False) -> Verdict:
        """selected: it is selected bare, which nobody does with a column of the query around."""
        for items in reversed(scopes):
            if len(parts) == 1:
                has = max((item.has for item in items), default=Has.NONE)
                doubtful = has is Has.ASSUMED and not selected and not self._in_cte
                if doubtful and _further_out(scopes, items):
                    return Verdict.MAYBE  # of the query around it, perhaps
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

    def _of_star(self, parts: Sequence[str], items: Sequence[_Item], scopes: _Scopes) -> Has:
        if not parts:
            return max((item.has for item in items), default=Has.NONE)
        for known in reversed(scopes):
            for item in known:
                if item.name == parts[-1]:
                    return item.has
        if not self._through:
            return Has.UNKNOWN
        return _of_verdict(self._outside([*parts, self._column]))

    def _row_value(self, parts: Sequence[str], location: int, scopes: _Scopes) -> None:
        """An alias, or f.*, that stands for the row in an expression."""
        if len(parts) != 1:
            return
        for items in reversed(scopes):
            for item in items:
                if item.name == parts[0]:
                    self.stars.append(Star(item.has, location))
                    return

    def _whole_row(self, node: Any, scopes: _Scopes) -> None:
        parts, _ = parts_of(node)
        if not parts:
            return
        for items in reversed(scopes):
            for item in items:
                if item.name == parts[-1]:
                    self.whole_rows.append(item.has.verdict)
                    return


def shows_table(node: Any, names: Names) -> bool:
    """Whether the options of a foreign table name the table."""
    options = (unwrapped(option) for option in node.options)
    return any(o.defname == "table_name" and unwrapped(o.arg).sval in names.ours for o in options)


def _takes_a_field(node: Any) -> bool:
    """(row).column, not (row).*."""
    return kind_of(unwrapped(node.indirection[0])) == "String"


def _location_of(part: Node) -> int:
    """Of a bare name in ORDER BY or GROUP BY."""
    node: Any = part
    return int(unwrapped(node.node).location if kind_of(node) == "SortBy" else node.location)


def _of_verdict(verdict: Verdict) -> Has:
    return {Verdict.YES: Has.OURS, Verdict.MAYBE: Has.UNKNOWN, Verdict.NO: Has.OTHER}[verdict]


def _further_out(scopes: _Scopes, items: Sequence[_Item]) -> bool:
    """Whether a query around the one with these items has the column."""
    outer = scopes[: next(i for i, known in enumerate(scopes) if known is items)]
    return any(item.has is Has.OURS for known in outer for item in known)


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
