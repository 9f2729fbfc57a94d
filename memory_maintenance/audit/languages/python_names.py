"""What the names of a Python file stand for, as far as its text tells: constants, rows, parameters."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from memory_maintenance.audit.languages.python_tree import ScopeNode, Tree

_LONGEST_NAME = 8
_EXECUTING = frozenset(
    {"execute", "executemany", "executescript", "execute_async", "stream", "copy", "callproc"}
)


@dataclass(frozen=True, slots=True)
class Binding:
    """A name gets a value. value: None where nothing is known of it.

    start, end: from where to where it holds. within: the statement or scope whose block it stands in.
    element: the name is one after the other of the value's elements. added: the value is added to what the
    name had. executed: the name is a cursor that has executed the value. note: the type that is declared.
    """

    start: int
    end: int
    value: ast.expr | None
    within: ast.AST
    element: bool = False
    added: bool = False
    executed: bool = False
    note: ast.expr | None = None


class Names:
    """The bindings of all scopes of a file."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._bindings: dict[tuple[int, str], list[Binding]] = {}
        self._attributes: dict[tuple[int, str], list[Binding]] = {}
        self._classes = {node.name: node for node in tree.of(ast.ClassDef)}
        self._assignments()
        self._loops()
        self._functions()
        self._cursors()
        for bindings in self._bindings.values():
            bindings.sort(key=lambda binding: binding.start)

    # -- what is asked of it --

    def bindings(self, node: ast.expr) -> list[Binding]:
        """What a name or an attribute stands for where it is read, the latest first.

        In the scope that it is read in these are the ones before it, back to the one that holds for certain;
        of scopes around it, all.
        """
        name = dotted(node)
        if name is None:
            return []
        at = self._tree.start(node)
        inner = True
        for scope in self._tree.scopes(node):
            if isinstance(scope, ast.ClassDef) and not inner:
                continue
            found = self._bindings.get((id(scope), name), [])
            if isinstance(scope, ast.ClassDef) or not inner:
                found = found[::-1]
            else:
                found = self._effective(found, node, at)
                inner = False
            if found:
                return found
        return self._of_class(node) if isinstance(node, ast.Attribute) else []

    def _of_class(self, node: ast.Attribute) -> list[Binding]:
        """What an attribute of a class of the file, or of self, stands for."""
        owner = node.value
        if isinstance(owner, ast.Attribute) and node.attr == "value":
            return self._of_class(owner)  # a member of an enumeration
        if not isinstance(owner, ast.Name):
            return []
        found = self.class_of(owner)
        seen: set[int] = set()
        while found is not None and id(found) not in seen:
            seen.add(id(found))
            if known := self._attributes.get((id(found), node.attr)):
                return known
            bases = [
                self._classes.get(base.id) for base in found.bases if isinstance(base, ast.Name)
            ]
            found = next((base for base in bases if base is not None), None)
        return []

    def has_class(self, name: str) -> bool:
        """Whether the file defines a class of that name."""
        return name in self._classes

    def class_of(self, owner: ast.Name) -> ast.ClassDef | None:
        """The class of the file that a name stands for, self and cls for the one around."""
        if owner.id in ("self", "cls"):
            return self._around(owner)
        return self._classes.get(owner.id)

    def _around(self, node: ast.AST) -> ast.ClassDef | None:
        return next(
            (scope for scope in self._tree.scopes(node) if isinstance(scope, ast.ClassDef)), None
        )

    def _effective(self, found: list[Binding], node: ast.expr, at: int) -> list[Binding]:
        effective = []
        around = {id(ancestor) for ancestor in self._tree.ancestors(node)}
        before = bisect_right(found, at, key=lambda binding: binding.start)
        for place in range(before - 1, -1, -1):
            binding = found[place]
            if at >= binding.end:
                continue
            effective.append(binding)
            if id(binding.within) in around and not binding.added:
                break
        return effective

    # -- where bindings come from --

    def _bind(
        self,
        target: ast.AST,
        value: ast.expr | None,
        scope: ScopeNode,
        within: ast.AST,
        *,
        start: int,
        end: int | None = None,
        element: bool = False,
        added: bool = False,
        note: ast.expr | None = None,
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = target.elts
            values: list[ast.expr | None] = [value] * len(parts)
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parts):
                values = list(value.elts) if not element else values
            for part, its in zip(parts, values, strict=True):
                self._bind(
                    part, its, scope, within, start=start, end=end, element=element, added=added
                )
            return
        if isinstance(target, ast.Starred):
            target = target.value
        name = dotted(target)
        if name is None:
            return
        stop = self._tree.end(scope) if end is None else end
        binding = Binding(start, stop, value, within, element=element, added=added, note=note)
        self._bindings.setdefault((id(scope), name), []).append(binding)
        if isinstance(scope, ast.ClassDef):
            self._attributes.setdefault((id(scope), name), []).append(binding)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = self.class_of(target.value)
            if owner is not None:
                self._attributes.setdefault((id(owner), target.attr), []).append(binding)

    def _assignments(self) -> None:
        tree = self._tree
        for node in tree.of(ast.Assign):
            for target in node.targets:
                self._bind(
                    target, node.value, tree.scope(node), tree.parents(node), start=tree.end(node)
                )
        for declared in tree.of(ast.AnnAssign):
            if declared.value is not None or isinstance(tree.scope(declared), ast.FunctionDef):
                self._bind(
                    declared.target,
                    declared.value,
                    tree.scope(declared),
                    tree.parents(declared),
                    start=tree.end(declared),
                    note=declared.annotation,
                )
        for grown in tree.of(ast.AugAssign):
            self._bind(
                grown.target,
                grown.value,
                tree.scope(grown),
                tree.parents(grown),
                start=tree.end(grown),
                added=True,
            )
        for walrus in tree.of(ast.NamedExpr):
            self._bind(
                walrus.target,
                walrus.value,
                tree.scope(walrus),
                tree.parents(walrus),
                start=tree.end(walrus),
            )

    def _loops(self) -> None:
        tree = self._tree
        loops: list[ast.For | ast.AsyncFor] = [*tree.of(ast.For), *tree.of(ast.AsyncFor)]
        for loop in loops:
            self._bind(
                loop.target,
                loop.iter,
                tree.scope(loop),
                loop,
                start=tree.end(loop.iter),
                element=True,
            )
        for part in tree.of(ast.comprehension):
            whole = tree.parents(part)
            self._bind(
                part.target,
                part.iter,
                tree.scope(whole),
                whole,
                start=tree.start(whole),
                end=tree.end(whole),
                element=True,
            )
        for item in tree.of(ast.withitem):
            if item.optional_vars is not None:
                self._bind(
                    item.optional_vars,
                    item.context_expr,
                    tree.scope(item),
                    tree.parents(item),
                    start=tree.end(item.context_expr),
                )

    def _functions(self) -> None:
        tree = self._tree
        for function in tree.functions():
            given = defaults(function.args)
            for argument in parameters(function.args):
                self._bind(
                    ast.Name(argument.arg),
                    given.get(argument.arg),
                    function,
                    function,
                    start=tree.start(function),
                    note=argument.annotation,
                )
        for short in tree.of(ast.Lambda):
            for argument in parameters(short.args):
                self._bind(
                    ast.Name(argument.arg),
                    self._beside(short),
                    tree.scope(short),
                    short,
                    start=tree.start(short),
                    end=tree.end(short),
                    element=True,
                )

    def _beside(self, function: ast.Lambda) -> ast.expr | None:
        """What a function that is handed over is likely given: elements of what stands beside it."""
        call = self._tree.parent(function)
        if isinstance(call, ast.keyword):
            call = self._tree.parent(call)
        if not isinstance(call, ast.Call):
            return None
        others = [argument for argument in call.args if argument is not function]
        if others:
            return others[0]
        return call.func.value if isinstance(call.func, ast.Attribute) else None

    def _cursors(self) -> None:
        tree = self._tree
        for call in tree.of(ast.Call):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr in _EXECUTING):
                continue
            name = dotted(call.func.value)
            if name is None or not call.args:
                continue
            scope = tree.scope(call)
            statement = next((a for a in tree.ancestors(call) if isinstance(a, ast.stmt)), call)
            binding = Binding(
                tree.end(call),
                tree.end(scope),
                call.args[0],
                tree.parents(statement),
                executed=True,
            )
            self._bindings.setdefault((id(scope), name), []).append(binding)


def dotted(node: ast.AST) -> str | None:
    """A name, or attributes of one: "self.cursor"; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        if len(parts) == _LONGEST_NAME:
            return None
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    """All of them."""
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            yield rest


def defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """What parameters are where nothing is given."""
    positional = [*arguments.posonlyargs, *arguments.args]
    given = dict(
        zip(
            (a.arg for a in positional[len(positional) - len(arguments.defaults) :]),
            arguments.defaults,
            strict=True,
        )
    )
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            given[argument.arg] = value
    return given
