"""A Python file as a tree whose nodes know their parents, their scopes and their places in the text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import TypeVar

from memory_maintenance.audit.languages.python_literals import Field, Literal, read_literal
from memory_maintenance.audit.languages.unreadable import Unreadable

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# One object each for all of a tree, without a place.
_SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop)
_LINE_END = re.compile(r"\r\n?|\n")
# A node with this line number is of a replacement field that was parsed by itself: its column is its place.
_BY_PLACE = 0
N = TypeVar("N", bound=ast.AST)


def formatted(node: ast.AST) -> bool:
    """Whether it is an f-string, or a t-string of later versions."""
    return type(node).__name__ in ("JoinedStr", "TemplateStr")


class Tree:
    """The nodes of a file. Raises Unreadable where Python itself refuses it.

    words: in lower case; only replacement fields that have one of them are given exact places.
    """

    def __init__(self, text: str, words: frozenset[str]) -> None:
        self.text = text
        self._words = words
        self._starts = _line_starts(text)
        self._ascii = text.isascii()
        self._literals: dict[int, Literal] = {}
        self._parents: dict[int, ast.AST] = {}
        self._by_type: dict[type[ast.AST], list[ast.AST]] = {}
        self.root = _parsed(text)
        self._walk()

    def _walk(self) -> None:
        parents, by_type = self._parents, self._by_type
        pending: list[ast.AST] = [self.root]
        while pending:
            node = pending.pop()
            by_type.setdefault(type(node), []).append(node)
            if formatted(node):
                self._place_fields(node)
            children: list[ast.AST] = []
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    children += [part for part in value if isinstance(part, ast.AST)]
                elif isinstance(value, ast.AST) and not isinstance(value, _SHARED):
                    children.append(value)
            for child in children:
                parents[id(child)] = node
            children.reverse()
            pending += children

    def _place_fields(self, node: ast.AST) -> None:
        """Parses the expressions of an f-string anew: what Python says of their places can't be relied on."""
        if not self._is_format(node):
            self._place_each(node, list(self.literal(node).fields()))

    def _place_each(self, node: ast.AST, fields: Sequence[Field]) -> None:
        values = [
            part for part in getattr(node, "values", ()) if not isinstance(part, ast.Constant)
        ]
        if len(fields) != len(values):
            return
        for value, field in zip(values, fields, strict=True):
            source = self.text[field.start : field.end]
            if any(word in source.lower() for word in self._words):
                value.value = self._parsed_at(source, field.start) or value.value
            if value.format_spec is not None:
                self._place_each(value.format_spec, field.inner)

    def _parsed_at(self, source: str, place: int) -> ast.expr | None:
        wrapped = f"({source}\n)"
        try:
            expression = ast.parse(wrapped, mode="eval").body
        except (SyntaxError, ValueError):
            return None
        starts = _line_starts(wrapped)

        def at(line: int, column: int) -> int:
            start = starts[line - 1]
            return place - 1 + start + _characters(wrapped[start : start + column], column)

        for node in ast.walk(expression):
            if isinstance(node, ast.expr | ast.keyword | ast.arg | ast.pattern):
                ends = at(node.end_lineno or 1, node.end_col_offset or 0)
                node.col_offset, node.end_col_offset = at(node.lineno, node.col_offset), ends
                node.lineno = node.end_lineno = _BY_PLACE
        return expression

    # -- places --

    def start(self, node: ast.AST) -> int:
        """Where it begins, in characters of the text."""
        if not hasattr(node, "lineno"):
            parent = self.parent(node)
            return 0 if parent is None else self.start(parent)
        return self._place(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Where it ends."""
        if isinstance(node, ast.Module):
            return len(self.text)
        if not hasattr(node, "end_lineno"):
            parent = self.parent(node)
            return len(self.text) if parent is None else self.end(parent)
        return self._place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _place(self, line: int, column: int) -> int:
        if line == _BY_PLACE:
            return column
        start = self._starts[min(line, len(self._starts)) - 1]
        if self._ascii:
            return start + column
        return start + _characters(self.text[start : start + column], column)

    # -- nodes --

    def of(self, kind: type[N]) -> list[N]:
        """The nodes of that very type, in the order of the text."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    def functions(self) -> list[FunctionNode]:
        """The functions, those that are no coroutines first."""
        return [*self.of(ast.FunctionDef), *self.of(ast.AsyncFunctionDef)]

    def texts(self) -> Iterator[ast.expr]:
        """Literals of text or bytes; those that follow each other are one."""
        for constant in self.of(ast.Constant):
            if isinstance(constant.value, str | bytes) and not formatted(self.parents(constant)):
                yield constant
        for kind in list(self._by_type):
            if kind.__name__ in ("JoinedStr", "TemplateStr"):
                for node in self._by_type[kind]:
                    if not self._is_format(node):
                        yield node  # type: ignore[misc]

    def comments(self) -> list[tuple[int, int]]:
        """From where to where comments stand, in order: each # that is in no literal begins one."""
        found: list[tuple[int, int]] = []
        literals = sorted(
            ((self.start(node), self.end(node), node) for node in self.texts()), key=_first
        )
        following = 0
        place = self.text.find("#")
        while place >= 0:
            after = place
            while following < len(literals) and literals[following][0] <= place:
                _, end, node = literals[following]
                if place < end:
                    found += self.literal(node).comments
                    after = max(after, end)
                following += 1
            if after == place:
                match = _LINE_END.search(self.text, place)
                after = len(self.text) if match is None else match.start()
                found.append((place, after))
            place = self.text.find("#", after)
        return sorted(set(found))

    def _is_format(self, node: ast.AST) -> bool:
        """Whether it is the format within a replacement field, which is no literal of its own."""
        return getattr(self.parent(node), "format_spec", None) is node

    def literal(self, node: ast.AST) -> Literal:
        """What a literal consists of."""
        known = self._literals.get(id(node))
        if known is None:
            known = read_literal(self.text, self.start(node), self.end(node))
            self._literals[id(node)] = known
        return known

    def parent(self, node: ast.AST) -> ast.AST | None:
        """What it stands in; None for the module."""
        return self._parents.get(id(node))

    def parents(self, node: ast.AST) -> ast.AST:
        """What it stands in; of the module itself."""
        return self._parents.get(id(node), self.root)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """What it stands in, and that, up to the module."""
        parent = self.parent(node)
        while parent is not None:
            yield parent
            parent = self.parent(parent)

    def scope(self, node: ast.AST) -> ScopeNode:
        """The function, the class or the module that it stands in."""
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, _SCOPES):
                return ancestor
        return self.root

    def scopes(self, node: ast.AST) -> Iterator[ScopeNode]:
        """The scopes that it stands in, innermost first."""
        return (parent for parent in self.ancestors(node) if isinstance(parent, _SCOPES))


def _parsed(text: str) -> ast.Module:
    source = text.removeprefix("\ufeff")
    try:
        source.encode()
    except UnicodeEncodeError:
        # What stands for bytes of another encoding: one character each, as before.
        source = source.encode(errors="replace").decode()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        raise Unreadable(f"not Python: {error.msg}{where}") from None
    except (RecursionError, MemoryError):
        raise Unreadable("nested too deeply for Python") from None
    except ValueError as error:
        raise Unreadable(f"not Python: {error}") from None


def _first(place: tuple[int, int, ast.expr]) -> tuple[int, int]:
    """By where it begins; of those that begin at one place the outer one first."""
    return place[0], -place[1]


def _characters(text: str, count: int) -> int:
    """How many characters the first bytes of a text are, in UTF-8."""
    return len(text.encode(errors="replace")[:count].decode(errors="ignore"))


def _line_starts(text: str) -> list[int]:
    """Where the lines begin, as Python counts them. A mark of byte order belongs to none."""
    first = 1 if text.startswith("\ufeff") else 0
    return [first, *(match.end() for match in _LINE_END.finditer(text))]
