"""What a Python expression does with a column that it names: reads it, sets it, compares it, defines it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.languages.python_strings import Strings, called
from memory_maintenance.audit.languages.python_tables import SCHEMA_CALLS
from memory_maintenance.audit.languages.python_tree import Tree

Values = tuple[str | None, ...]

_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "=",
    ast.NotEq: "<>",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "=",
    ast.IsNot: "<>",
}
# Methods of columns that compare them.
_COMPARING = {
    "in_": "in",
    "not_in": "not in",
    "notin_": "not in",
    "isin": "in",
    "is_": "=",
    "is_not": "<>",
    "isnot": "<>",
    "eq": "=",
    "ne": "<>",
    "__eq__": "=",
}
_TESTING = {
    "isnull": "is null",
    "isna": "is null",
    "notnull": "is not null",
    "notna": "is not null",
}
# Methods whose arguments by name are conditions.
_FILTERS = {
    "filter": "=",
    "filter_by": "=",
    "exclude": "<>",
    "get": "=",
    "get_or_none": "=",
    "get_object_or_404": "=",
    "find": "=",
    "find_one": "=",
    "where": "=",
    "count": "=",
    "Q": "=",
    "distinct": "",
    "delete": "=",
}
# Methods of query builders that take a column and what it is compared with.
_BUILDER = {"eq": "=", "neq": "<>", "in_": "in", "is_": "=", "filter": ""}
_WRITING = frozenset({"setdefault", "setattr", "delattr", "__setattr__", "__setitem__"})
_RECORDS = frozenset({"namedtuple", "TypedDict", "NamedTuple", "make_dataclass", "create_model"})
_DEFINING = (
    frozenset({"Column", "mapped_column", "AddField", "AlterField", "RemoveField", "RenameField"})
    | {"CreateModel", "Index", "UniqueConstraint", "CheckConstraint"}
    | frozenset(SCHEMA_CALLS)
    | _RECORDS
)
_REFLECTING = frozenset({"getattr", "hasattr", "setattr", "delattr"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where the column is named. node: what names it. receiver: whose column it is, as far as that is told.

    handed: the table may be told by the calls that it is handed to. rows: the rows that the receiver has
    executed a query for count. field_of: the class whose field it is.
    """

    offset: int
    node: ast.AST
    kind: Kind = Kind.READ
    receiver: ast.expr | None = None
    handed: bool = False
    rows: bool = True
    comparison: str = ""
    values: Values = ()
    field_of: ast.ClassDef | None = None
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    kind: Kind = Kind.READ
    comparison: str = ""
    values: Values = field(default=())


class Uses:
    """Tells what becomes of an expression."""

    def __init__(self, tree: Tree, strings: Strings) -> None:
        self._tree = tree
        self._strings = strings
        self._setting: dict[int, bool] = {}

    # -- places --

    def attribute(self, node: ast.Attribute) -> Place:
        """An attribute that has the column's name."""
        offset = self._tree.end(node) - len(node.attr)
        use = self._use(node, node.ctx)
        return Place(
            offset,
            node,
            use.kind,
            receiver=node.value,
            comparison=use.comparison,
            values=use.values,
        )

    def string(self, node: ast.expr, offset: int) -> Place:
        """A text that is the column's name, or a part of SQL with it."""
        parent = self._tree.parents(node)
        if isinstance(parent, ast.Subscript) and parent.slice is node:
            use = self._use(parent, parent.ctx)
            return Place(
                offset, node, use.kind, parent.value, False, True, use.comparison, use.values
            )
        if isinstance(parent, ast.Dict):
            return self._key(node, parent, offset)
        if isinstance(parent, ast.Compare):
            return self._compared_key(node, parent, offset)
        if isinstance(parent, ast.Call) and node in parent.args:
            return self._argument(node, parent, offset)
        if isinstance(parent, ast.MatchMapping):
            return self._matched_key(node, parent, offset)
        return self._element(node, offset)

    def keyword(self, node: ast.keyword, call: ast.Call, offset: int) -> Place:
        """An argument by the column's name."""
        name = called(call)
        values = self._constants(node.value)
        if name in _FILTERS:
            sign = "in" if (node.arg or "").endswith("__in") else _FILTERS[name]
            values = self._listed(node.value) if sign == "in" else values
            return Place(
                offset,
                node,
                Kind.READ,
                handed=True,
                comparison=sign if values else "",
                values=values,
            )
        return Place(
            offset, node, Kind.WRITE, handed=True, comparison="=" if values else "", values=values
        )

    def patterns(self, column: str) -> Iterator[Place]:
        """case Fact(column="..."): there the tree has no place for the name."""
        for node in self._tree.of(ast.MatchClass):
            for name, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
                if name == column:
                    end = self._tree.start(pattern)
                    offset = self._tree.text.rfind(column, self._tree.start(node), end)
                    values = _pattern_values(pattern)
                    yield Place(
                        offset,
                        node,
                        receiver=self._subject_of(node),
                        comparison=_sign(values),
                        values=values,
                    )

    # -- strings --

    def _key(self, node: ast.expr, parent: ast.Dict, offset: int) -> Place:
        kind = Kind.READ
        values: Values = ()
        for key, value in zip(parent.keys, parent.values, strict=True):
            if key is node:
                kind, values = Kind.WRITE, self._constants(value)
        kind = Kind.DEFINITION if kind is Kind.WRITE and self._defines(node) else kind
        return Place(
            offset, node, kind, handed=True, comparison="=" if values else "", values=values
        )

    def _compared_key(self, node: ast.expr, parent: ast.Compare, offset: int) -> Place:
        if parent.left is node and isinstance(parent.ops[0], ast.In | ast.NotIn):
            return Place(offset, node, receiver=parent.comparators[0])
        return Place(offset, node)

    def _argument(self, node: ast.expr, call: ast.Call, offset: int) -> Place:
        name = called(call)
        if not isinstance(call.func, ast.Attribute):
            if name in _REFLECTING and len(call.args) > 1 and call.args[1] is node:
                value = call.args[2] if name == "setattr" and len(call.args) > 2 else None
                use = self._use(call, ast.Load())
                kind = Kind.WRITE if name in _WRITING else use.kind
                set_to = self._constants(value) if kind is Kind.WRITE else use.values
                sign = "=" if kind is Kind.WRITE and set_to else use.comparison
                return Place(offset, node, kind, call.args[0], False, True, sign, set_to)
            return self._element(node, offset)
        if call.args[0] is not node or name in _DEFINING:
            return self._element(node, offset)
        receiver = call.func.value
        if name in _WRITING:
            given = self._constants(call.args[1] if len(call.args) > 1 else None)
            return Place(
                offset, node, Kind.WRITE, receiver, comparison="=" if given else "", values=given
            )
        if name in ("get", "pop", "__getitem__"):
            use = self._use(call, ast.Load())
            return Place(
                offset, node, receiver=receiver, comparison=use.comparison, values=use.values
            )
        sign = _BUILDER.get(name, "")
        values: Values = ()
        if sign and len(call.args) > 1:
            values = self._listed(call.args[1]) if sign == "in" else self._constants(call.args[1])
        return Place(
            offset,
            node,
            receiver=receiver,
            handed=True,
            rows=False,
            comparison=sign if values else "",
            values=values,
        )

    def _element(self, node: ast.expr, offset: int) -> Place:
        """A text among others: of a list, or of arguments."""
        kind = Kind.DEFINITION if self._defines(node) else Kind.READ
        receiver = None
        for parent in self._tree.ancestors(node):
            if isinstance(parent, ast.Subscript):
                receiver = parent.value
                kind = kind if isinstance(parent.ctx, ast.Load) else Kind.WRITE
                break
            if isinstance(parent, ast.Call):
                receiver = parent.func.value if isinstance(parent.func, ast.Attribute) else None
                break
            if isinstance(parent, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__slots__"
                for target in parent.targets
            ):
                kind = Kind.DEFINITION
            if isinstance(parent, ast.For) and self._sets_each(parent):
                kind = Kind.WRITE
            if not isinstance(parent, ast.List | ast.Tuple | ast.Set | ast.Starred | ast.keyword):
                break
        return Place(offset, node, kind, receiver, handed=True, rows=False)

    def _sets_each(self, loop: ast.For) -> bool:
        """Whether a loop over names sets the attribute or the key of each."""
        if id(loop) not in self._setting:
            self._setting[id(loop)] = _sets_each(loop)
        return self._setting[id(loop)]

    def _defines(self, node: ast.AST) -> bool:
        """Whether a text belongs to the definition of a table or of a record."""
        for parent in self._tree.ancestors(node):
            if isinstance(parent, ast.Call) and called(parent) in _DEFINING:
                return True
            if isinstance(parent, ast.keyword) and parent.arg in ("alias", "validation_alias"):
                return True
            if isinstance(parent, ast.stmt):
                return False
        return False

    def _matched_key(self, node: ast.expr, parent: ast.MatchMapping, offset: int) -> Place:
        values: Values = ()
        for key, pattern in zip(parent.keys, parent.patterns, strict=True):
            if key is node:
                values = _pattern_values(pattern)
        return Place(
            offset,
            node,
            receiver=self._subject_of(parent),
            comparison=_sign(values),
            values=values,
        )

    def _subject_of(self, node: ast.AST) -> ast.expr | None:
        for parent in self._tree.ancestors(node):
            if isinstance(parent, ast.Match):
                return parent.subject
        return None

    # -- what becomes of a value --

    def _use(self, node: ast.expr, context: ast.expr_context) -> _Use:
        parent = self._tree.parents(node)
        if not isinstance(context, ast.Load):
            values: Values = ()
            if isinstance(parent, ast.Assign | ast.AnnAssign) and parent.value is not None:
                values = self._constants(parent.value)
            return _Use(Kind.WRITE, "=" if values else "", values)
        if isinstance(parent, ast.Compare):
            return self._comparison(node, parent)
        if isinstance(parent, ast.Match) and parent.subject is node:
            values = tuple(v for case in parent.cases for v in _pattern_values(case.pattern))
            return _Use(Kind.READ, _sign(values), values)
        if isinstance(parent, ast.Attribute) and parent.value is node:
            return self._method(parent)
        return _Use()

    def _comparison(self, node: ast.expr, parent: ast.Compare) -> _Use:
        if len(parent.ops) != 1:
            return _Use()
        sign = _SIGNS.get(type(parent.ops[0]), "")
        if not sign:
            return _Use()
        left = parent.left is node
        if sign in ("in", "not in"):
            values = self._listed(parent.comparators[0]) if left else ()
        else:
            values = self._constants(parent.comparators[0] if left else parent.left)
        return _Use(Kind.READ, sign if values else "", values)

    def _method(self, parent: ast.Attribute) -> _Use:
        call = self._tree.parents(parent)
        if not (isinstance(call, ast.Call) and call.func is parent):
            return _Use()
        if parent.attr in _TESTING:
            return _Use(Kind.READ, _TESTING[parent.attr])
        sign = _COMPARING.get(parent.attr, "")
        if not sign or not call.args:
            return _Use()
        values = (
            self._listed(call.args[0]) if "in" in sign.split() else self._constants(call.args[0])
        )
        return _Use(Kind.READ, sign if values else "", values)

    def _constants(self, node: ast.expr | None) -> Values:
        """The value of an expression that is a constant, as the only one; none where it isn't."""
        if isinstance(node, ast.Constant) and node.value is None:
            return (None,)
        value = self._strings.value(node)
        return () if value is None else (value,)

    def _listed(self, node: ast.expr) -> Values:
        elements = self._strings.elements(node)
        if elements is None:
            return ()
        values = [self._constants(element) for element in elements]
        return tuple(v for value in values for v in value) if all(values) else ()


def _sets_each(loop: ast.For) -> bool:
    if not isinstance(loop.target, ast.Name):
        return False
    for node in ast.walk(loop):
        named: ast.expr | None = None
        if isinstance(node, ast.Call) and called(node) == "setattr" and len(node.args) > 1:
            named = node.args[1]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            named = node.slice
        if isinstance(named, ast.Name) and named.id == loop.target.id:
            return True
    return False


def _pattern_values(pattern: ast.pattern) -> Values:
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        value = pattern.value.value
        return (value,) if isinstance(value, str) else ()
    if isinstance(pattern, ast.MatchSingleton):
        return (None,) if pattern.value is None else ()
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _pattern_values(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return tuple(v for part in pattern.patterns for v in _pattern_values(part))
    return ()


def _sign(values: Values) -> str:
    return "" if not values else "=" if len(values) == 1 else "in"
