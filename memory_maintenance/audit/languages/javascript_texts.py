"""Texts in JavaScript: literals, templates and what they are put together from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from memory_maintenance.audit.languages.scopes import Scope
from memory_maintenance.audit.languages.trees import Tree
from memory_maintenance.audit.spliced import Spliced

LITERALS = frozenset({"string", "template_string"})
_WRAPPERS = frozenset(
    {
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "await_expression",
        "type_assertion",
    }
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_NAMING = frozenset(
    {"sql", "raw", "identifier", "id", "ident", "ref", "table", "column", "col", "unsafe"}
    | {"escapeIdentifier", "quoteIdent", "quoteIdentifier", "join", "literal", "fn"}
)
_TRIMMED = frozenset({"trim", "trimStart", "trimEnd", "toString", "toLowerCase"})
_FORMATTED = {"%I": True, "%L": True, "%s": True}
_DEEPEST = 8
_LONGEST = 1_000_000
_LONGEST_HOLE = 30


@dataclass(slots=True)
class Binding:
    """A name that is bound. value: from what. scope: where that stands.

    whole: the name is the value itself, not a part or an element of it. fixed: nothing else is assigned
    to it. grown: what is added to it by +=, in order. typed: the names in its type, the outer first.
    """

    value: Node | None
    scope: Scope
    whole: bool = True
    fixed: bool = True
    grown: list[tuple[Node, Scope]] = field(default_factory=list)
    typed: tuple[str, ...] = ()


def unwrapped(node: Node) -> Node:
    """An expression without parentheses, await and what is there for the type checker only."""
    while node.type in _WRAPPERS and node.named_child_count:
        last = node.named_child_count - 1 if node.type == "type_assertion" else 0
        node = node.named_child(last)
    return node


def operands(node: Node) -> list[Node] | None:
    """The operands of a chain of +, in order; None where it is something else."""
    found: list[Node] = []
    left = node
    while left.type == "binary_expression" and _operator(left) == "+":
        right = left.child_by_field_name("right")
        inner = left.child_by_field_name("left")
        if right is None or inner is None:
            return None
        found.append(right)
        left = inner
        while left.type == "parenthesized_expression" and left.named_child_count == 1:
            left = left.named_child(0)
    if not found:
        return None
    found.append(left)
    return found[::-1]


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


class Texts:
    """Puts texts together."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._given: Iterator[tuple[Node, Scope]] = iter(())

    def spliced(
        self, node: Node, scope: Scope, given: Sequence[tuple[Node, Scope]] = ()
    ) -> Spliced:
        """The text of an expression, with holes for what isn't known.

        given: what stands for the question marks in it, in order.
        """
        spliced = Spliced()
        self._given = iter(given)
        self._append(node, scope, spliced, 0)
        self._given = iter(())
        return spliced

    def grown(self, binding: Binding) -> Spliced:
        """The text of a name that has been added to, all additions taken together."""
        spliced = Spliced()
        if binding.value is not None:
            self._append(binding.value, binding.scope, spliced, 0)
        for node, scope in binding.grown:
            self._append(node, scope, spliced, 0)
        return spliced

    def constant(self, node: Node | None, scope: Scope) -> str | None:
        """The text of an expression that is known throughout."""
        if node is None:
            return None
        spliced = Spliced()
        self._append(node, scope, spliced, 0)
        return None if spliced.holes or not len(spliced) else spliced.text

    def name_of(self, node: Node | None) -> str:
        """The text of an identifier or a key."""
        if node is None:
            return ""
        if node.type == "string":
            return self._tree.text_of(node)[1:-1]
        return self._tree.text_of(node)

    def call(self, node: Node) -> tuple[str, Node | None, list[Node]]:
        """The name that is called, what it is called on, and with what."""
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        values: list[Node] = []
        if arguments is not None and arguments.type == "arguments":
            values = [child for child in arguments.named_children if child.type != "comment"]
        if function is None:
            return "", None, values
        if function.type == "member_expression":
            name = self.name_of(function.child_by_field_name("property"))
            return name, function.child_by_field_name("object"), values
        return (self.name_of(function) if function.type == "identifier" else ""), None, values

    def _append(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        node = unwrapped(node)
        if depth > _DEEPEST or len(spliced) > _LONGEST:
            self._hole(node, spliced)
        elif node.type in LITERALS:
            self._literal(node, scope, spliced, depth)
        elif (parts := operands(node)) is not None:
            for part in parts:
                self._append(part, scope, spliced, depth + 1)
        elif node.type == "identifier":
            self._identifier(node, scope, spliced, depth)
        elif node.type == "member_expression":
            self._member(node, scope, spliced, depth)
        elif node.type == "call_expression":
            self._call(node, scope, spliced, depth)
        elif node.type in ("ternary_expression", "binary_expression"):
            self._choice(node, scope, spliced, depth)
        else:
            self._hole(node, spliced)

    def _hole(self, node: Node, spliced: Spliced, value: str | None = None) -> None:
        start = self._tree.offset(node.start_byte)
        length = min(node.end_byte - node.start_byte, _LONGEST_HOLE)
        spliced.hole(start, length, value)

    def _literal(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        for child in node.named_children:
            offset = self._tree.offset(child.start_byte)
            if child.type == "string_fragment":
                self._placeheld(self._tree.text_of(child), offset, spliced)
            elif child.type == "escape_sequence":
                spliced.literal(_unescaped(self._tree.text_of(child)), offset, fixed=True)
            elif child.type == "template_substitution" and child.named_child_count:
                self._append(child.named_child(0), scope, spliced, depth + 1)

    def _placeheld(self, text: str, offset: int, spliced: Spliced) -> None:
        """Appends a literal, in which ?, ??, :name and $<name> may be placeholders."""
        start = place = 0
        while place < len(text):
            length = _placeholder(text, place)
            if length:
                spliced.literal(text[start:place], offset + start)
                value = next(self._given, None) if text[place] == "?" else None
                name = self.constant(*value) if value is not None and length == 2 else None
                spliced.hole(offset + place, length, name)
                start = place = place + length
            else:
                place = _next_mark(text, place + 1)
        spliced.literal(text[start:], offset + start)

    def _identifier(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        binding = scope.find(self._tree.text_of(node))
        if not isinstance(binding, Binding) or not self._known(binding):
            self._hole(node, spliced)
            return
        assert binding.value is not None
        self._append(binding.value, binding.scope, spliced, depth + 1)
        for grown, place in binding.grown:
            self._append(grown, place, spliced, depth + 1)

    def _known(self, binding: Binding) -> bool:
        return (
            binding.value is not None
            and binding.whole
            and binding.fixed
            and self._texty(unwrapped(binding.value))
        )

    def _texty(self, node: Node) -> bool:
        """Whether an expression is a text at all, as far as can be seen."""
        if node.type in LITERALS or operands(node) is not None:
            return True
        if node.type == "call_expression":
            arguments = node.child_by_field_name("arguments")
            name, on, _ = self.call(node)
            return (
                (arguments is not None and arguments.type == "template_string")
                or name in _TRIMMED
                or (name == "join" and on is not None)
                or name in _NAMING
            )
        return node.type in ("ternary_expression", "identifier", "member_expression") or (
            node.type == "binary_expression" and _operator(node) in ("||", "??")
        )

    def _member(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        """TABLES.facts, where TABLES is an object of constants or an enum."""
        on = node.child_by_field_name("object")
        key = self.name_of(node.child_by_field_name("property"))
        binding = (
            scope.find(self.name_of(on)) if on is not None and on.type == "identifier" else None
        )
        if isinstance(binding, Binding) and binding.value is not None and binding.whole:
            value = self._value_of(unwrapped(binding.value), key)
            if value is not None and unwrapped(value).type in LITERALS:
                self._append(value, binding.scope, spliced, depth + 1)
                return
        self._hole(node, spliced)

    def _value_of(self, node: Node, key: str) -> Node | None:
        if node.type == "call_expression":  # Object.freeze({...})
            _, _, values = self.call(node)
            node = unwrapped(values[0]) if values else node
        if node.type not in ("object", "enum_body"):
            return None
        for pair in node.named_children:
            name = pair.child_by_field_name("key") or pair.child_by_field_name("name")
            if name is not None and self.name_of(name) == key:
                return pair.child_by_field_name("value")
        return None

    def _call(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        arguments = node.child_by_field_name("arguments")
        name, on, values = self.call(node)
        if arguments is not None and arguments.type == "template_string":
            self._literal(arguments, scope, spliced, depth)
        elif name == "join" and on is not None and (items := self.items(on, scope)):
            self._joined(items, values, spliced, depth)
        elif name in _TRIMMED and on is not None:
            self._append(on, scope, spliced, depth + 1)
        elif name == "format" and values:
            self._formatted(values, scope, spliced, depth)
        elif name == "sql" and values and self._columns(values, scope, spliced, depth):
            pass
        elif name in _NAMING and values and _named(values):
            self._joined([(item, scope) for item in _items(values[0])], [], spliced, depth, ".")
        else:
            self._hole(node, spliced)

    def items(self, node: Node, scope: Scope) -> list[tuple[Node, Scope]]:
        """The elements of an array that is written out, here or as a constant."""
        node = unwrapped(node)
        if node.type == "array":
            return [(item, scope) for item in _items(node)]
        if node.type == "new_expression":  # new Set([...])
            arguments = node.child_by_field_name("arguments")
            inner = arguments.named_children if arguments is not None else []
            if len(inner) == 1 and unwrapped(inner[0]).type != "new_expression":
                return self.items(inner[0], scope)
            return []
        if node.type == "identifier":
            binding = scope.find(self._tree.text_of(node))
            if isinstance(binding, Binding) and binding.whole and binding.value is not None:
                value = unwrapped(binding.value)
                return self.items(value, binding.scope) if value.type != "identifier" else []
        return []

    def _joined(
        self,
        items: Sequence[tuple[Node, Scope]],
        values: Sequence[Node],
        spliced: Spliced,
        depth: int,
        between: str = ",",
    ) -> None:
        if values and values[0].type in LITERALS:
            separator = Spliced()
            self._append(values[0], items[0][1], separator, depth + 1)
            between = separator.text
        for i, (item, scope) in enumerate(items):
            if i:
                spliced.literal(between, self._tree.offset(item.start_byte), fixed=True)
            self._append(item, scope, spliced, depth + 1)

    def _columns(self, values: Sequence[Node], scope: Scope, spliced: Spliced, depth: int) -> bool:
        """sql(row, 'a', 'b') of postgres.js: what it becomes depends on what stands before it."""
        before = spliced.text.lower().split()
        first = unwrapped(values[0])
        names = [value for value in values[1:] if unwrapped(value).type in LITERALS]
        given = [(name, scope) for name in names]
        if len(values) == 2 and (listed := self.items(values[1], scope)):
            given = listed
        offset = self._tree.offset(first.start_byte)
        if before[:2] == ["insert", "into"] and len(before) == 3:
            spliced.literal("(", offset, fixed=True)
            if given:
                self._joined(given, [], spliced, depth)
            else:
                self._hole(first, spliced)
            values_text = ", ".join("1" * max(len(given), 1))
            spliced.literal(f") VALUES ({values_text})", offset, fixed=True)
            return True
        if before[-1:] == ["set"] and given:
            self._joined(given, [], spliced, depth, " = 1, ")
            spliced.literal(" = 1", offset, fixed=True)
            return True
        if first.type == "array" and len(values) == 1 and _named(values):
            self._joined(self.items(first, scope), [], spliced, depth)
            return True
        return False

    def _formatted(
        self, values: Sequence[Node], scope: Scope, spliced: Spliced, depth: int
    ) -> None:
        """format('SELECT %I ...', name): identifiers take the place of their marks."""
        pattern = unwrapped(values[0])
        if pattern.type not in LITERALS:
            self._hole(pattern, spliced)
            return
        given = iter(values[1:])
        for child in pattern.named_children:
            offset = self._tree.offset(child.start_byte)
            if child.type != "string_fragment":
                continue
            text = self._tree.text_of(child)
            for start, part in _marked(text):
                if part in _FORMATTED and (value := next(given, None)) is not None:
                    self._append(value, scope, spliced, depth + 1)
                else:
                    spliced.literal(part, offset + start)

    def _choice(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        """One of several texts: the longest stands for all of them."""
        if node.type == "binary_expression" and _operator(node) not in ("||", "??", "&&"):
            self._hole(node, spliced)
            return
        names = ("consequence", "alternative", "left", "right")
        choices = [child for name in names if (child := node.child_by_field_name(name)) is not None]
        texts = [choice for choice in choices if self._texty(unwrapped(choice))]
        written = [choice for choice in texts if unwrapped(choice).type not in _NAMES]
        if not written:
            self._hole(node, spliced)
            return
        longest = max(written, key=lambda choice: choice.end_byte - choice.start_byte)
        self._append(longest, scope, spliced, depth + 1)


_NAMES = frozenset({"identifier", "member_expression"})


def _items(node: Node) -> list[Node]:
    if node.type == "array":
        return [child for child in node.named_children if child.type != "comment"]
    return [node]


def _named(values: Sequence[Node]) -> bool:
    """Whether a call is given a name that is written out, and nothing else."""
    items = _items(values[0])
    return len(values) == 1 and bool(items) and all(item.type in LITERALS for item in items)


def _unescaped(text: str) -> str:
    """What an escape stands for."""
    mark = text[1:2]
    if mark in ("u", "x"):
        digits = text[2:].strip("{}")
        try:
            value = int(digits, 16)
        except ValueError:
            return text
        return chr(value) if value < 0x110000 and not 0xD800 <= value < 0xE000 else "?"
    if mark in ("\n", "\r", "\u2028", "\u2029"):
        return ""
    return _ESCAPES.get(mark, text[1:])


def _marked(text: str) -> Iterator[tuple[int, str]]:
    """A pattern in pieces: marks, and what stands between them."""
    start = 0
    place = text.find("%")
    while place >= 0:
        if text[place : place + 2] in _FORMATTED:
            yield start, text[start:place]
            yield place, text[place : place + 2]
            start = place + 2
        place = text.find("%", max(place + 1, start))
    yield start, text[start:]


def _named_parameter(text: str, place: int) -> int:
    """How long ${name}, $<name> and the like are in a text that is no template: pg-promise's parameters."""
    closing = {"{": "}", "<": ">", "(": ")", "[": "]", "/": "/"}.get(text[place + 1 : place + 2])
    if closing is None:
        return 0
    end = text.find(closing, place + 2, place + 80)
    name = text[place + 2 : end].partition(":")[0].removeprefix("this.")
    return end + 1 - place if end > 0 and name.isidentifier() else 0


def _next_mark(text: str, start: int) -> int:
    places = [place for mark in "?:$" if (place := text.find(mark, start)) >= 0]
    return min(places, default=len(text))


_BEFORE_VALUES = frozenset(
    {"like", "ilike", "in", "limit", "offset", "and", "or", "values", "then", "else", "between"}
    | {"from", "into", "update", "join", "select", "by", "where", "when", "interval", "any"}
)


def _placeholder(text: str, place: int) -> int:
    """How long the placeholder is that begins there, or 0."""
    if text[place] == ":":
        before = text[place - 1] if place else " "
        end = place + 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        named = end > place + 1 and not text[place + 1].isdigit()
        return end - place if named and before in " \t\n(,=<>+-*/|" else 0
    if text[place] == "$":
        return _named_parameter(text, place)
    if text.startswith("??", place):
        return 2
    before = text[max(place - 40, 0) : place].rstrip()
    word = before.rpartition(" ")[2].rpartition("\n")[2].lower()
    return 1 if (before and before[-1] in "=<>(,+*/%~") or word in _BEFORE_VALUES else 0
