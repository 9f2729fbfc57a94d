"""Expressions of Python that make a text, put together as far as the file tells what they are made of.

What is known at run time only is a hole of the text. Constants are looked up by their names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from memory_maintenance.audit.languages.python_literals import Field, Run
from memory_maintenance.audit.languages.python_names import Binding, Names
from memory_maintenance.audit.languages.python_tree import Tree, formatted
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.subject import Subject

LONGEST = 40_000
"""A text that is put together and grows beyond is left as it is: its rest is missing."""
MOST = 4_000_000
"""Characters of all texts of a file together, beyond which names aren't looked up any more."""

_DEEPEST = 12
_LONGEST_HOLE = 40
# Methods that give back the text that they are called on, as far as SQL goes.
_SAME = frozenset(
    {
        "as_string",
        "bindparams",
        "decode",
        "encode",
        "expandtabs",
        "lower",
        "lstrip",
        "removeprefix",
        "removesuffix",
        "replace",
        "rstrip",
        "strip",
        "upper",
    }
)
# Functions that make of a text one that says the same, or an object that stands for it.
_MAKERS = frozenset(
    {
        "dedent",
        "cleandoc",
        "SQL",
        "text",
        "RawSQL",
        "literal_column",
        "TextClause",
        "Composed",
        "str",
    }
)
_IDENTIFIERS = frozenset({"Identifier", "quote_ident", "AsIs", "quoted_name"})
_LISTS = frozenset({"list", "tuple", "set", "frozenset", "sorted", "dict.fromkeys"})
_PLACEHOLDER = re.compile(
    r"%%|%\((?P<percent>\w+)\)[sbtdif]|%[sbtdif](?!\w)|\{\{|\}\}"
    r"|\{(?P<brace>[A-Za-z_]\w*|\d*)(?:[.\[][\w.\]]*)?(?:![rsa])?(?::[^{}'\"]*)?\}"
    r"|(?<![:\w\\]):(?P<colon>[A-Za-z_]\w*)|(?<!\w)\?"
)
_NAME = re.compile(r'"?[A-Za-z_]\w*"?(?:\."?[A-Za-z_]\w*"?)?')

_GLUE_BEFORE = re.compile(r"\w+\Z")
_GLUE_AFTER = re.compile(r"\A\w+")


def is_name(text: str) -> bool:
    """Whether a text may be the name of a table, with or without a schema."""
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class _Hole:
    offset: int
    length: int


@dataclass(slots=True)
class _Filling:
    """What is put into a text. style: "%" or "{". positional, named: None where they aren't known."""

    style: str
    positional: Sequence[ast.expr]
    named: Mapping[str, ast.expr]
    next_one: Iterator[int] = field(default_factory=count)

    def of(self, name: str) -> ast.expr | None:
        """What fills the place with that name, number or, if it has none, the next one."""
        if name and not name.isdigit():
            return self.named.get(name)
        number = int(name) if name else next(self.next_one)
        return self.positional[number] if number < len(self.positional) else None


@dataclass(frozen=True, slots=True)
class Text:
    """An expression that makes a text. parameters: places of placeholders named like the column.

    literals: the ids of the literals that it is made of.
    """

    spliced: Spliced
    parameters: tuple[int, ...]
    literals: frozenset[int]


class Strings:
    """The texts of a file. A name that may stand for several things stands for the one that is ours."""

    def __init__(self, tree: Tree, names: Names, subject: Subject) -> None:
        self._tree = tree
        self._names = names
        self._subject = subject
        self._is_text: dict[int, bool] = {}
        self._value_of: dict[int, str | None] = {}
        self.spent = 0

    # -- which expressions make texts --

    def is_text(self, node: ast.AST, depth: int = 0) -> bool:
        """Whether an expression makes a text out of literals of the file."""
        known = self._is_text.get(id(node))
        if known is None:
            self._is_text[id(node)] = False  # what a name stands for may have the name in it
            known = depth < _DEEPEST * 4 and self._makes_text(node, depth + 1)
            self._is_text[id(node)] = known
        return known

    def _makes_text(self, node: ast.AST, depth: int) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str | bytes)
        if formatted(node):
            return True
        if isinstance(node, ast.BinOp):
            spine = node
            while isinstance(spine.left, ast.BinOp) and isinstance(spine.op, ast.Add):
                if self.is_text(spine.right, depth):
                    return True
                spine = spine.left
            if isinstance(spine.op, ast.Mod):
                return self.is_text(spine.left, depth)
            return isinstance(spine.op, ast.Add) and (
                self.is_text(spine.left, depth) or self.is_text(spine.right, depth)
            )
        if isinstance(node, ast.IfExp):
            return self.is_text(node.body, depth) or self.is_text(node.orelse, depth)
        if isinstance(node, ast.NamedExpr):
            return self.is_text(node.value, depth)
        if isinstance(node, ast.Name | ast.Attribute):
            return any(
                binding.value is not None
                and not (binding.element or binding.executed)
                and self.is_text(binding.value, depth)
                for binding in self._names.bindings(node)
            )
        return isinstance(node, ast.Call) and self._call_makes_text(node, depth)

    def _call_makes_text(self, node: ast.Call, depth: int) -> bool:
        name = called(node)
        if name in _IDENTIFIERS:
            return True
        if name in _MAKERS and node.args:
            return self.is_text(node.args[0], depth)
        if not isinstance(node.func, ast.Attribute):
            return False
        return (name in _SAME or name in ("format", "join", "format_map")) and self.is_text(
            node.func.value, depth
        )

    def whole(self, literal: ast.expr) -> ast.expr:
        """The greatest expression that makes a text of which a literal is a part."""
        best = node = literal
        for parent in self._tree.ancestors(literal):
            if isinstance(parent, ast.expr) and self.is_text(parent):
                best = parent
            elif not self._hands_on(parent, node):
                break
            if isinstance(parent, ast.expr):
                node = parent
        return best

    def _hands_on(self, parent: ast.AST, node: ast.AST) -> bool:
        """Whether an expression is only a part on the way to one that makes a text."""
        if isinstance(parent, ast.Call):
            return called(parent) in (*_LISTS, "map") and node is not parent.func
        return isinstance(
            parent,
            ast.Attribute
            | ast.keyword
            | ast.Tuple
            | ast.List
            | ast.Set
            | ast.Dict
            | ast.Starred
            | ast.GeneratorExp
            | ast.ListComp
            | ast.FormattedValue
            | ast.comprehension,
        )

    # -- what they make --

    def text(self, node: ast.expr, before: Sequence[ast.expr] = ()) -> Text:
        """What an expression makes. before: what the text began with that it is added to."""
        splicing = _Splicing(self._tree, self._names, self._subject, self)
        for part in (*before, node):
            splicing.add(part, 0)
        return splicing.result()

    def value(self, node: ast.expr | None) -> str | None:
        """The constant that an expression stands for, if it is known."""
        if node is None:
            return None
        if id(node) not in self._value_of:
            self._value_of[id(node)] = None  # what it stands for may be made of itself
            self._value_of[id(node)] = self._constant(node)
        return self._value_of[id(node)]

    def _constant(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bytes):
                return node.value.decode(errors="replace")
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Call) and called(node) in _IDENTIFIERS:
            parts = [self.value(part) for part in node.args]
            return ".".join(str(part) for part in parts) if None not in parts and parts else None
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value)
        if isinstance(node, ast.IfExp):
            return self._chosen([self.value(node.body), self.value(node.orelse)])
        if isinstance(node, ast.Name | ast.Attribute):
            bindings = self._names.bindings(node)
            return self._chosen([v for binding in bindings for v in self._values(binding)])
        if isinstance(node, ast.Call | ast.BinOp) or formatted(node):
            return self._made(node) if self.is_text(node) else None
        return None

    def _made(self, node: ast.expr) -> str | None:
        spliced = self.text(node).spliced
        return None if spliced.holes else spliced.text

    def _values(self, binding: Binding) -> list[str | None]:
        if binding.added or binding.executed:
            return [None]
        if binding.element:
            elements = self.elements(binding.value)
            return [self.value(element) for element in elements] if elements else [None]
        return [self.value(binding.value)]

    def _chosen(self, values: Sequence[str | None]) -> str | None:
        for value in values:
            if value is not None and self.is_ours(value):
                return value
        return values[0] if values and None not in values else None

    def is_ours(self, name: str) -> bool:
        """Whether a text is the name of one of the tables, with or without a schema."""
        if _NAME.fullmatch(name) is None:
            return False
        last = name.rpartition(".")[2].strip('" ')
        return last.lower() in self._subject.table_names

    def elements(self, node: ast.expr | None, depth: int = 0) -> list[ast.expr] | None:
        """The elements of a list that is known."""
        if node is None or depth > _DEEPEST:
            return None
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return list(node.elts)
        if isinstance(node, ast.Dict):
            return [key for key in node.keys if key is not None]
        if isinstance(node, ast.Name | ast.Attribute):
            bindings = [b for b in self._names.bindings(node) if not (b.element or b.executed)]
            found = [self.elements(binding.value, depth + 1) for binding in bindings]
            return next((elements for elements in found if elements is not None), None)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = (self.elements(part, depth + 1) for part in (node.left, node.right))
            return None if left is None and right is None else [*(left or ()), *(right or ())]
        if isinstance(node, ast.Call):
            name = called(node)
            if name in _LISTS and node.args:
                return self.elements(node.args[0], depth + 1)
            if name == "map" and len(node.args) == 2:
                return self.elements(node.args[1], depth + 1)
            if name in ("keys", "copy") and isinstance(node.func, ast.Attribute):
                return self.elements(node.func.value, depth + 1)
        return None


class _Splicing:
    """Puts one text together."""

    def __init__(self, tree: Tree, names: Names, subject: Subject, strings: Strings) -> None:
        self._tree = tree
        self._names = names
        self._subject = subject
        self._strings = strings
        self._parts: list[Run | _Hole] = []
        self._length = 0
        self._parameters: list[int] = []
        self._literals: set[int] = set()
        self._given: dict[str, ast.expr] = {}

    def result(self) -> Text:
        """The text."""
        self._strings.spent += self._length
        spliced = Spliced()
        for part in _unglued(self._parts):
            if isinstance(part, Run):
                spliced.literal(part.text, part.offset, fixed=part.fixed)
            else:
                spliced.hole(part.offset, min(part.length, _LONGEST_HOLE))
        return Text(spliced, tuple(self._parameters), frozenset(self._literals))

    # -- expressions --

    def add(self, node: ast.expr, depth: int, filling: _Filling | None = None) -> None:
        """Adds what an expression makes. filling: what is put into its places."""
        if depth > _DEEPEST or self._length > LONGEST:
            return
        if isinstance(node, ast.Constant) or formatted(node):
            self._literal(node, depth, filling)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            self._sum(node, depth, filling)
        elif isinstance(node, ast.BinOp):
            self.add(node.left, depth + 1, self._percent(node.right))
        elif isinstance(node, ast.IfExp):
            self._choice(node, depth, filling)
        elif isinstance(node, ast.NamedExpr):
            self.add(node.value, depth + 1, filling)
        elif isinstance(node, ast.Call):
            self._call(node, depth, filling)
        elif isinstance(node, ast.Name | ast.Attribute):
            self._named(node, depth, filling)

    def _sum(self, node: ast.BinOp, depth: int, filling: _Filling | None) -> None:
        terms = [node.right]
        left = node.left
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            terms.append(left.right)
            left = left.left
        terms.append(left)
        for term in reversed(terms):
            self._filled(term, self._tree.start(term), self._tree.end(term), depth, filling)

    def _choice(self, node: ast.IfExp, depth: int, filling: _Filling | None) -> None:
        """Of two texts the one that tells more: the one that names the table, else the longer one."""
        value = self._strings.value(node)
        if value is not None and _NAME.fullmatch(value):
            self._append(Run(value, self._tree.start(node), fixed=True))
            return
        both = [part for part in (node.body, node.orelse) if self._strings.is_text(part)]
        texts = [self._strings.text(part).spliced.text for part in both]
        named = [bool(self._subject.table_word.search(text)) for text in texts]
        if len(both) == 2 and (named[1], len(texts[1])) > (named[0], len(texts[0])):
            both.reverse()
        self.add(both[0], depth + 1, filling)

    def _named(self, node: ast.expr, depth: int, filling: _Filling | None) -> None:
        """Adds what a name stands for, and what was added to that since."""
        if self._strings.spent > MOST:
            return
        first: ast.expr | None = None
        added: list[ast.expr] = []
        for binding in self._names.bindings(node):
            if binding.value is None or binding.executed or binding.element:
                continue
            if binding.added:
                added.append(binding.value)
            elif first is None or (
                not self._names_table(first) and self._names_table(binding.value)
            ):
                first = binding.value
        for value in (*([first] if first is not None else []), *reversed(added)):
            self.add(value, depth + 1, filling)

    def _names_table(self, node: ast.expr) -> bool:
        start, end = self._tree.start(node), self._tree.end(node)
        return self._subject.table_word.search(self._tree.text, start, end) is not None

    def _call(self, node: ast.Call, depth: int, filling: _Filling | None) -> None:
        name = called(node)
        if name in _IDENTIFIERS:
            self._identifier(node, depth)
        elif name in _MAKERS:
            self.add(node.args[0], depth + 1, filling)
        elif isinstance(node.func, ast.Attribute) and name == "format":
            named = {word.arg: word.value for word in node.keywords if word.arg}
            self.add(node.func.value, depth + 1, _Filling("{", node.args, named))
        elif isinstance(node.func, ast.Attribute) and name == "join" and node.args:
            self._join(node.func.value, node.args[0], depth)
        elif isinstance(node.func, ast.Attribute):
            start = len(self._parts)
            self.add(node.func.value, depth + 1, filling)
            if name == "replace" and len(node.args) > 1:
                old, new = (self._strings.value(argument) for argument in node.args[:2])
                if old and new is not None:
                    self._literals.update(id(argument) for argument in node.args[:2])
                    self._parts[start:] = _replaced(self._parts[start:], old, new)

    def _identifier(self, node: ast.Call, depth: int) -> None:
        for i, part in enumerate(node.args):
            if i:
                self._append(Run(".", self._tree.start(part), fixed=True))
            self._filled(part, self._tree.start(part), self._tree.end(part), depth + 1)

    def _join(self, between: ast.expr, parts: ast.expr, depth: int) -> None:
        made = None
        name = None
        if isinstance(parts, ast.GeneratorExp | ast.ListComp) and len(parts.generators) == 1:
            generator = parts.generators[0]
            made = parts.elt
            name = generator.target.id if isinstance(generator.target, ast.Name) else None
            parts = generator.iter
        elements = self._strings.elements(parts)
        if elements is None:
            start = self._tree.start(parts)
            self._append(_Hole(start, self._tree.end(parts) - start))
            return
        for i, element in enumerate(elements):
            if i:
                self.add(between, depth + 1)
            if made is None or name is None:
                self._filled(element, self._tree.start(element), self._tree.end(element), depth)
                continue
            self._given[name] = element
            self._filled(made, self._tree.start(element), self._tree.end(element), depth)
            del self._given[name]

    # -- literals and what is put into them --

    def _literal(self, node: ast.expr, depth: int, filling: _Filling | None) -> None:
        if isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes):
            value = "" if node.value is None else str(node.value)
            self._append(Run(value, self._tree.start(node), fixed=True))
            return
        self._literals.add(id(node))
        literal = self._tree.literal(node)
        values = [
            part.value for part in getattr(node, "values", ()) if not isinstance(part, ast.Constant)
        ]
        fields = list(literal.fields())
        known = (
            dict(zip(map(id, fields), values, strict=False)) if len(fields) == len(values) else {}
        )
        for part in literal.parts:
            if isinstance(part, Run):
                self._run(part, depth, filling)
            else:
                self._field(part, known.get(id(part)), depth)

    def _field(self, part: Field, value: ast.expr | None, depth: int) -> None:
        if value is None:
            self._append(_Hole(part.offset, part.length))
        else:
            self._filled(value, part.offset, part.offset + part.length, depth)

    def _filled(
        self,
        value: ast.expr,
        start: int,
        end: int,
        depth: int,
        filling: _Filling | None = None,
    ) -> None:
        """Adds what stands for a place of the text: a constant's name there, another text, or a hole."""
        if depth > _DEEPEST:
            return
        if isinstance(value, ast.Name) and value.id in self._given:
            value = self._given[value.id]
            start, end = self._tree.start(value), self._tree.end(value)
        if isinstance(value, ast.Call) and called(value) in _IDENTIFIERS:
            self._identifier(value, depth)
            return
        if isinstance(value, ast.Constant) or formatted(value):
            self.add(value, depth + 1, filling)
            return
        name = self._strings.value(value)
        if name is not None and _NAME.fullmatch(name):
            self._append(Run(name, start, fixed=True))
        elif self._strings.is_text(value):
            self.add(value, depth + 1, filling)
        elif name is not None:
            self._append(Run(name, start, fixed=True))
        else:
            self._append(_Hole(start, end - start))

    def _percent(self, right: ast.expr) -> _Filling:
        if isinstance(right, ast.Dict):
            named = {
                str(key.value): value
                for key, value in zip(right.keys, right.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            self._literals.update(id(key) for key in right.keys if key is not None)
            return _Filling("%", (), named)
        return _Filling("%", right.elts if isinstance(right, ast.Tuple) else [right], {})

    def _run(self, run: Run, depth: int, filling: _Filling | None) -> None:
        """Adds a run of text with its placeholders as holes."""
        if run.fixed:
            self._append(run)
            return
        text, begin = run.text, 0
        style = filling.style if filling else ""
        for match in _PLACEHOLDER.finditer(text):
            sign = match[0]
            at = run.offset + match.start()
            if sign in ("{{", "}}") and style != "{":
                continue
            if sign == "?" and text[match.end() : match.end() + 1] in ("|", "&", "'"):
                continue  # operators of jsonb
            self._append(Run(text[begin : match.start()], run.offset + begin))
            begin = match.end()
            if sign in ("{{", "}}"):
                self._append(Run(sign[0], at, fixed=True))
            elif sign == "%%":
                self._append(Run("%", at, fixed=True))
            else:
                self._place(match, at, depth, filling)
        self._append(Run(text[begin:], run.offset + begin))

    def _place(self, match: re.Match[str], at: int, depth: int, filling: _Filling | None) -> None:
        """Adds what fills a placeholder."""
        group = match.lastgroup
        name = match[group] if group else ""
        value = None
        if filling is not None and filling.style == ("{" if group == "brace" else match[0][0]):
            value = filling.of(name)
        if value is not None:
            self._filled(value, at, at + len(match[0]), depth)
            return
        if group and name.lower() == self._subject.column.lower():
            self._parameters.append(at + match.start(group) - match.start())
        self._append(_Hole(at, len(match[0])))

    def _append(self, part: Run | _Hole) -> None:
        if isinstance(part, _Hole):
            self._length += part.length
            self._parts.append(part)
        elif part.text:
            self._length += len(part.text)
            self._parts.append(part)


def _replaced(parts: Sequence[Run | _Hole], old: str, new: str) -> list[Run | _Hole]:
    """Parts after str.replace()."""
    done: list[Run | _Hole] = []
    for part in parts:
        if isinstance(part, _Hole) or part.fixed:
            done.append(part)
            continue
        place = part.offset
        for i, piece in enumerate(part.text.split(old)):
            if i:
                done.append(Run(new, place, fixed=True))
                place += len(old)
            if piece:
                done.append(Run(piece, place))
            place += len(piece)
    return done


def _unglued(parts: Sequence[Run | _Hole]) -> list[Run | _Hole]:
    """What is known at run time only takes along what it makes one name with."""
    done: list[Run | _Hole] = []
    for part in parts:
        before = done[-1] if done else None
        if isinstance(part, Run):
            glue = _GLUE_AFTER.match(part.text) if isinstance(before, _Hole) else None
            if glue is None or not isinstance(before, _Hole):
                done.append(part)
                continue
            done[-1] = _Hole(before.offset, before.length + len(glue[0]))
            if rest := part.text[glue.end() :]:
                done.append(Run(rest, part.offset + (0 if part.fixed else glue.end()), part.fixed))
            continue
        if isinstance(before, Run) and (head := _GLUE_BEFORE.search(before.text)):
            done[-1] = Run(before.text[: head.start()], before.offset, before.fixed)
        if isinstance(before, _Hole):
            done[-1] = _Hole(before.offset, before.length + part.length)
        else:
            done.append(part)
    return done


def called(node: ast.Call) -> str:
    """The last name of what is called: "format" of "...".format()."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""
