"""Which table the values of a Python file come from: by what fills them, or by where they stand."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from memory_maintenance.audit.languages.python_names import Names, dotted
from memory_maintenance.audit.languages.python_strings import Strings, called
from memory_maintenance.audit.languages.python_tables import About, Tables, together
from memory_maintenance.audit.languages.python_tree import FunctionNode, ScopeNode, Tree

_DEEPEST = 12
# What gives back rows, or a part of them, of whatever it is called on.
_SAME_ROWS = frozenset(
    {
        "_asdict",
        "_mapping",
        "all",
        "apply",
        "assign",
        "astype",
        "columns",
        "copy",
        "cursor",
        "dict",
        "dropna",
        "execute",
        "explode",
        "fetch",
        "fetchall",
        "fetchmany",
        "fetchone",
        "fetchrow",
        "fetchval",
        "fillna",
        "filter",
        "first",
        "get",
        "groupby",
        "head",
        "iloc",
        "items",
        "iterrows",
        "itertuples",
        "keys",
        "limit",
        "loc",
        "mappings",
        "model_dump",
        "one",
        "one_or_none",
        "order_by",
        "partitions",
        "pop",
        "query",
        "query_df",
        "reset_index",
        "rows",
        "sample",
        "scalar",
        "scalar_one",
        "scalars",
        "set_index",
        "sort_values",
        "stream",
        "tail",
        "to_dict",
        "to_pandas",
        "unique",
        "values",
        "where",
        "yield_per",
    }
)
# Functions that give back rows of what they are given.
_SAME_ARGUMENTS = frozenset(
    {
        "DataFrame",
        "OrderedDict",
        "Series",
        "asdict",
        "cast",
        "chain",
        "copy",
        "deepcopy",
        "dict",
        "dict_row",
        "enumerate",
        "filter",
        "from_records",
        "iter",
        "list",
        "map",
        "max",
        "min",
        "next",
        "reversed",
        "set",
        "sorted",
        "tuple",
        "vars",
        "zip",
    }
)


class Evidence:
    """What the parts of a file say of tables, by where they stand."""

    def __init__(self) -> None:
        self._of_text: dict[int, About] = {}
        self._said: list[tuple[int, About]] = []
        self._sorted = False

    def text(self, node: ast.AST, offset: int, about: About) -> None:
        """A text says something of tables."""
        self._of_text[id(node)] = about
        self.name(offset, about)

    def name(self, offset: int, about: About) -> None:
        """A name at that place stands for a table."""
        self._said.append((offset, about))
        self._sorted = False

    def of_text(self, node: ast.AST) -> About | None:
        """What that text says."""
        return self._of_text.get(id(node))

    def between(self, start: int, end: int) -> list[About]:
        """What is said between two places."""
        if not self._sorted:
            self._said.sort(key=lambda said: said[0])
            self._sorted = True
        first = bisect_left(self._said, start, key=lambda said: said[0])
        last = bisect_left(self._said, end, key=lambda said: said[0])
        return [about for _, about in self._said[first:last]]


class Flow:
    """Follows values to where they come from."""

    def __init__(
        self, tree: Tree, names: Names, strings: Strings, tables: Tables, evidence: Evidence
    ) -> None:
        self._tree = tree
        self._names = names
        self._strings = strings
        self._tables = tables
        self._evidence = evidence
        self._records: dict[str, About | None] = {}
        self._functions: dict[str, list[FunctionNode]] = {}
        for function in tree.functions():
            self._functions.setdefault(function.name, []).append(function)

    # -- by scope --

    def scope(self, node: ast.AST, receiver: ast.expr | None = None) -> About | None:
        """What the innermost function or class says that says anything.

        receiver: what the column is taken of. Where that has come into a function without its queries having
        to do with it, only what is said around the function tells that it isn't ours.
        """
        stranger = self._stranger(receiver)
        for scope in self._tree.scopes(node):
            if isinstance(scope, ast.Module):
                return self._within(scope) if self._tree.scope(node) is scope else None
            about = self._within(scope)
            if about is not None and (about.ours or scope is not stranger):
                return about
        return None

    def _stranger(self, receiver: ast.expr | None) -> ast.AST | None:
        """The function that a name has come into, as a parameter or from what another one gives back."""
        while isinstance(receiver, ast.Subscript | ast.Attribute):
            receiver = receiver.value
        if isinstance(receiver, ast.Dict | ast.BoolOp | ast.IfExp):
            parts = [node for node in ast.walk(receiver) if isinstance(node, ast.Name)]
            return next((scope for part in parts if (scope := self._stranger(part))), None)
        if not isinstance(receiver, ast.Name):
            return None
        scope = self._tree.scope(receiver)
        bindings = self._names.bindings(receiver)
        if not bindings or not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        return None if any(self._linked(binding.value) for binding in bindings) else scope

    def _linked(self, value: ast.expr | None) -> bool:
        """Whether a value has to do with rows of some table."""
        if value is None:
            return False
        # A connection that is handed on has executed others' queries, and hands out no rows by itself.
        handed = {
            id(argument)
            for call in ast.walk(value)
            if isinstance(call, ast.Call)
            for argument in call.args
        }
        return any(
            self.origin(part, rows=id(part) not in handed) is not None
            for part in ast.walk(value)
            if isinstance(part, ast.Name | ast.Attribute | ast.Constant | ast.Call)
        )

    def _within(self, scope: ScopeNode) -> About | None:
        # Decorators are of what stands around.
        return _plain(
            together(self._evidence.between(self._tree.start(scope), self._tree.end(scope)))
        )

    def record(self, name: str) -> About | None:
        """The other table whose rows a class of the file holds: all functions that use it are about that."""
        if name not in self._records:
            self._records[name] = None
            if self._names.has_class(name) and self._tables.about_name(name) is None:
                self._records[name] = self._of_users(name)
        return self._records[name]

    @cached_property
    def _users(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for node in self._tree.of(ast.Name):
            if self._names.has_class(node.id):
                found.setdefault(node.id, []).append(node)
        return found

    @cached_property
    def _spelt(self) -> frozenset[str]:
        values = (node.value for node in self._tree.of(ast.Constant))
        return frozenset(value for value in values if isinstance(value, str))

    def _of_users(self, name: str) -> About | None:
        if name in self._spelt:
            return None  # handed out by its name, to who knows whom
        found: About | None = None
        for user in self._users.get(name, ()):
            scopes = [s for s in self._tree.scopes(user) if isinstance(s, FunctionNode)]
            about = self._within(scopes[0]) if scopes else None
            if about is None or about.ours:
                return None
            found = about
        return found

    # -- by what fills a value --

    def said(self, node: ast.expr | None) -> About | None:
        """What a text says, or the text that a name stands for."""
        if node is None:
            return None
        about = self._evidence.of_text(node)
        if about is None and isinstance(node, ast.Name | ast.Attribute):
            for binding in self._names.bindings(node):
                if binding.value is not None and not binding.executed:
                    about = self._evidence.of_text(binding.value)
                    if about is not None:
                        return about
        if (
            about is None
            and isinstance(node, ast.Call)
            and node.args
            and not self._strings.is_text(node)
        ):
            return self.said(node.args[0]) if called(node) in ("text", "SQL") else None
        return about

    def origin(self, node: ast.expr | None, depth: int = 0, *, rows: bool = True) -> About | None:
        """The table whose rows an expression has, if the file tells. rows: those of a cursor count."""
        if node is None or depth > _DEEPEST:
            return None
        named = isinstance(node, ast.Name | ast.Attribute)
        if named and not rows and any(b.executed for b in self._names.bindings(node)):
            return None
        return _plain(self.said(node) or self._origin(node, depth + 1))

    def _origin(self, node: ast.expr, depth: int) -> About | None:
        if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr):
            return self.origin(node.value, depth)
        if isinstance(node, ast.Subscript):
            return self._tables.chain(node) or self.origin(node.value, depth)
        if isinstance(node, ast.BoolOp):
            return self._together(node.values, depth)
        if isinstance(node, ast.IfExp):
            return self._together([node.body, node.orelse], depth)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._together(node.elts, depth)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            return self.origin(node.elt, depth)
        if isinstance(node, ast.DictComp):
            return self.origin(node.value, depth)
        if isinstance(node, ast.Dict):
            unpacked = zip(node.keys, node.values, strict=True)
            return self._merged([value for key, value in unpacked if key is None], depth)
        if isinstance(node, ast.Call):
            return self._called(node, depth)
        if isinstance(node, ast.Attribute):
            return self._named(node, depth) or self._of_part(node, depth)
        return self._named(node, depth) if isinstance(node, ast.Name) else None

    def _together(self, nodes: list[ast.expr], depth: int) -> About | None:
        found = (self.origin(node, depth) for node in nodes)
        return together(about for about in found if about is not None)

    def _merged(self, nodes: list[ast.expr], depth: int) -> About | None:
        """Of what is put into one: another table's only where nothing comes from who knows where."""
        about = self._together(nodes, depth)
        if about is None or about.ours:
            return about
        return about if all(self.origin(node, depth) is not None for node in nodes) else None

    def _of_part(self, node: ast.Attribute, depth: int) -> About | None:
        """A part of something has rows of its table; another's table is believed of well-known parts only."""
        about = self._tables.chain(node) or self.origin(node.value, depth)
        known = node.attr in _SAME_ROWS or about is None or about.ours
        return about if known else None

    def _called(self, node: ast.Call, depth: int) -> About | None:
        about = self._tables.chain(node)
        if about is not None:
            return about
        given = [*node.args, *(word.value for word in node.keywords)]
        texts = [self.said(argument) for argument in given]
        if said := together(text for text in texts if text is not None):
            return said
        name = called(node)
        if (about := self.record(name)) is not None:
            return about
        if functions := self._functions.get(name):
            return together(a for f in functions if (a := self._within(f)) is not None)
        if isinstance(node.func, ast.Attribute) and (about := self._of_part(node.func, depth)):
            return about
        about = self._together(given, depth)
        return about if about is None or about.ours or name in _SAME_ARGUMENTS else None

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> About | None:
        if dotted(node) is None:
            return None
        for binding in self._names.bindings(node):
            about = self._noted(binding.note)
            if about is None and binding.executed:
                about = self.said(binding.value)
            elif about is None:
                about = self.origin(binding.value, depth)
            if about is not None:
                return about
        return self._tables.chain(node)

    def _noted(self, note: ast.expr | None) -> About | None:
        kind = _type(note)
        about = self._tables.chain(kind)
        return self.record(kind.id) if about is None and isinstance(kind, ast.Name) else about

    def asks_ours(self, call: ast.Call) -> bool:
        """Whether a call is one of a function of the file that is about our table."""
        functions = self._functions.get(called(call), [])
        return any((about := self._within(f)) is not None and about.ours for f in functions)

    def calls_around(self, node: ast.AST) -> Iterator[ast.Call]:
        """The calls that an expression is handed to, innermost first, within its statement."""
        inner = node
        for parent in self._tree.ancestors(node):
            if isinstance(parent, ast.stmt | ast.Lambda | ast.Compare | ast.Subscript):
                return
            if isinstance(parent, ast.Call) and inner is not parent.func:
                yield parent
            inner = parent


def _plain(about: About | None) -> About | None:
    """What comes from a table by way of names is likely of it, not certainly."""
    return replace(about, certain=False) if about is not None and about.certain else about


def _type(note: ast.expr | None) -> ast.expr | None:
    """The type within list[...], Optional[...] and the like."""
    while isinstance(note, ast.Subscript):
        inner = note.slice
        note = inner.elts[-1] if isinstance(inner, ast.Tuple) and inner.elts else inner
    if isinstance(note, ast.BinOp):
        return note.left
    return note
