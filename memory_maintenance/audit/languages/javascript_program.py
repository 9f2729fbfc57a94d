"""A program in JavaScript or TypeScript, sorted: scopes, names, texts, the places of the column's name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Language, Node

from memory_maintenance.audit.languages.javascript_texts import (
    LITERALS,
    Binding,
    Texts,
    operands,
    unwrapped,
)
from memory_maintenance.audit.languages.readings import Spots, bytes_of
from memory_maintenance.audit.languages.scopes import Scope
from memory_maintenance.audit.languages.trees import Tree, Twig
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject

_FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_HANDED_OVER = frozenset({"arrow_function", "function_expression"})
CLASSES = frozenset({"class_declaration", "class", "abstract_class_declaration"})
_BLOCKS = frozenset(
    {"statement_block", "for_statement", "for_in_statement", "switch_case", "catch_clause"}
)
_PASSED_BY = frozenset(
    {"statement_block", "class_body", "formal_parameters", "import_statement", "interface_body"}
)
_PASSED_BY_IF_LONG = frozenset({"object", "array", "arguments"})
_LONG = 200
_NAMES = frozenset(
    {
        "identifier",
        "property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "private_property_identifier",
        "type_identifier",
        "statement_identifier",
    }
)
_ITERATING = frozenset(
    {"map", "forEach", "filter", "find", "findIndex", "some", "every", "flatMap", "then", "sort"}
    | {"findLast", "each"}
)


class Program:
    """What a walk through the tree finds."""

    def __init__(self, source: Source, subject: Subject) -> None:
        self.tree = Tree(source.text, _grammar(source.path))
        self.texts = Texts(self.tree)
        self.file = Scope("file", None)
        self.places = _byte_places(source.text, subject, self.tree)
        self._starts = sorted(self.places)
        self.comments: list[Twig] = []
        self.names: list[Twig] = []
        self.literals: list[Twig] = []
        self.roots: list[Twig] = []
        self.classes: list[tuple[Twig, Scope]] = []
        self.models: list[tuple[str, Binding]] = []
        self.grown: list[Binding] = []
        self.functions: dict[str, list[Scope]] = {}
        self._assigned: list[Twig] = []
        self._spots = Spots(source, subject, self.tree)
        for twig in self.tree.walk(self._worth):
            self._visit(twig)
        self._assign()

    def within(self, twig: Twig) -> list[int]:
        """The bytes of the column's name that stand in a node."""
        first = bisect_left(self._starts, twig.start)
        return self._starts[first : bisect_left(self._starts, twig.end)]

    def _worth(self, twig: Twig) -> bool:
        """Whether to look into a node: into bodies and long lists only for what is looked for."""
        long = twig.type in _PASSED_BY_IF_LONG and twig.end - twig.start > _LONG
        if twig.type in _PASSED_BY or long:
            return self._spots.within(twig)
        return True

    def _visit(self, twig: Twig) -> None:
        kind = twig.type
        if kind in _NAMES:
            if twig.start + (kind == "private_property_identifier") in self.places:
                self.names.append(twig)
        elif kind in LITERALS:
            if self.within(twig):
                self.literals.append(twig)
            if not _part_of_text(twig) and self._spots.within(twig):
                self.roots.append(twig)
        elif kind == "binary_expression":
            if self._spots.within(twig) and not _part_of_text(twig) and _concatenates(twig.node):
                self.roots.append(twig)
        elif kind == "call_expression":
            if self._spots.within(twig) and self.texts.call(twig.node)[0] in ("join", "format"):
                self.roots.append(twig)
        elif kind in ("comment", "html_comment", "hash_bang_line", "jsx_text"):
            if self.within(twig):
                self.comments.append(twig)
        else:
            self._scope_or_name(twig)

    def _scope_or_name(self, twig: Twig) -> None:
        kind = twig.type
        if kind == "program" or twig.scope is None:
            twig.scope = self.file
        elif kind in _FUNCTIONS:
            self._function(twig)
        elif kind in CLASSES:
            name = self.texts.name_of(twig.node.child_by_field_name("name"))
            outer = twig.scope
            twig.scope = Scope("class", outer)
            self.classes.append((twig, outer))
            outer.bindings.setdefault(name, None)
        elif kind in _BLOCKS:
            twig.scope = Scope("block", twig.scope)
            if kind == "for_in_statement":
                left, right = twig.node.child_by_field_name("left"), _field(twig.node, "right")
                self._bind(left, right, twig.scope, whole=False)
        elif kind == "variable_declarator":
            self._declarator(twig)
        elif kind == "public_field_definition":
            name = self.texts.name_of(_field(twig.node, "name"))
            self._field_of_class(name, twig.scope, self._typed(twig.node))
        elif kind == "enum_declaration":
            name = self.texts.name_of(_field(twig.node, "name"))
            twig.scope.bindings[name] = Binding(_field(twig.node, "body"), twig.scope)
        elif kind in ("assignment_expression", "augmented_assignment_expression"):
            self._assigned.append(twig)

    def _function(self, twig: Twig) -> None:
        handed_over = (
            twig.type in _HANDED_OVER
            and twig.parent is not None
            and twig.parent.type == "arguments"
        )
        scope = Scope("callback" if handed_over else "function", twig.scope)
        twig.scope = scope
        if (name := self._called(twig)) and not handed_over:
            self.functions.setdefault(name, []).append(scope)
        value = self._iterated(twig) if handed_over else None
        single = _field(twig.node, "parameter")
        if single is not None:
            self._bind(single, value, scope, whole=False)
        parameters = _field(twig.node, "parameters")
        for i, parameter in enumerate(parameters.named_children if parameters is not None else ()):
            pattern = _field(parameter, "pattern") or parameter
            typed = self._typed(parameter)
            self._bind(pattern, value if i == 0 else None, scope, whole=False, typed=typed)
            if typed and is_field(parameter):
                self._field_of_class(self.texts.name_of(pattern), scope, typed)

    def _called(self, twig: Twig) -> str:
        """The name of a function, or that of what it is assigned to."""
        name = _field(twig.node, "name")
        if name is None and twig.parent is not None and twig.field == "value":
            name = _field(twig.parent.node, "name")
        return self.texts.name_of(name) if name is not None else ""

    def _field_of_class(self, name: str, scope: Scope, typed: tuple[str, ...]) -> None:
        """this.facts, of which the type is known."""
        for outer in scope.outward():
            if outer.kind == "class":
                outer.bindings[f"this.{name}"] = Binding(None, outer, whole=False, typed=typed)
                return

    def _iterated(self, twig: Twig) -> Node | None:
        """What a function that is handed over gets its first argument from: x of x.map(...)."""
        call = twig.parent.parent if twig.parent is not None else None
        if call is None or call.type != "call_expression":
            return None
        name, on, _ = self.texts.call(call.node)
        return on if name in _ITERATING else None

    def _declarator(self, twig: Twig) -> None:
        name, value = _field(twig.node, "name"), _field(twig.node, "value")
        if name is None:
            return
        self._bind(name, value, twig.scope, typed=self._typed(twig.node))
        if name.type == "identifier" and value is not None:
            bound = twig.scope.bindings[self.texts.name_of(name)]
            if isinstance(bound, Binding) and unwrapped(value).type == "call_expression":
                self.models.append((self.texts.name_of(name), bound))

    def _typed(self, node: Node) -> tuple[str, ...]:
        """The names in the type that is written after a name."""
        return tuple(self.texts.name_of(child) for child in types_in(_field(node, "type")))

    def _bind(
        self,
        pattern: Node | None,
        value: Node | None,
        scope: Scope,
        *,
        whole: bool = True,
        typed: tuple[str, ...] = (),
    ) -> None:
        """Binds a name, or each name of a pattern."""
        pending = [(pattern, whole)]
        while pending:
            node, entire = pending.pop()
            if node is None:
                continue
            if node.type in ("identifier", "shorthand_property_identifier_pattern"):
                name = self.texts.name_of(node)
                scope.bindings[name] = Binding(value, scope, entire, typed=typed)
            elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
                pending += [(child, False) for child in node.named_children]
            elif node.type == "pair_pattern":
                pending.append((_field(node, "value"), False))
            elif node.type in ("assignment_pattern", "object_assignment_pattern"):
                pending.append((_field(node, "left"), False))

    def _assign(self) -> None:
        """Notes which names get something else than what they were made with."""
        for twig in self._assigned:
            left, right = _field(twig.node, "left"), _field(twig.node, "right")
            if left is None or right is None or left.type != "identifier":
                continue
            bound = twig.scope.find(self.texts.name_of(left))
            if not isinstance(bound, Binding):
                continue
            operator = _field(twig.node, "operator")
            if operator is None:
                bound.fixed = False
            elif operator.type == "+=":
                if not bound.grown:
                    self.grown.append(bound)
                bound.grown.append((right, twig.scope))


def _grammar(path: str) -> Language:
    """The grammar for a file, by the end of its name."""
    lowered = path.lower()
    if lowered.endswith((".ts", ".mts", ".cts", ".tsx")):
        import tree_sitter_typescript as typescript

        if lowered.endswith(".tsx"):
            return Language(typescript.language_tsx())
        return Language(typescript.language_typescript())
    import tree_sitter_javascript as javascript

    return Language(javascript.language())


def _byte_places(text: str, subject: Subject, tree: Tree) -> dict[int, int]:
    """Where the column's name stands: byte to character."""
    places = [match.start() for match in subject.column_word.finditer(text)]
    return dict(zip(bytes_of(text, places, tree), places, strict=True))


def _field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def types_in(node: Node | None) -> Iterator[Node]:
    """The names in a type, from the outside."""
    pending = [node] if node is not None else []
    for _ in range(100):
        if not pending:
            return
        current = pending.pop()
        if current.type == "type_identifier":
            yield current
        pending += reversed(current.named_children)


def is_field(parameter: Node) -> bool:
    """Whether a parameter of a constructor is a field as well."""
    return any(
        child.type in ("accessibility_modifier", "readonly", "override_modifier")
        for child in parameter.children
    )


def _part_of_text(twig: Twig) -> bool:
    """Whether a text is an operand of a greater one."""
    parent = twig.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    if parent is None or parent.type != "binary_expression":
        return False
    operator = _field(parent.node, "operator")
    return operator is not None and operator.type == "+"


def _concatenates(node: Node) -> bool:
    """Whether an addition has a text among its operands."""
    return any(unwrapped(part).type in LITERALS for part in operands(node) or ())
