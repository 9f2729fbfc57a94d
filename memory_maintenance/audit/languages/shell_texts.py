"""Words of the shell: what quotes, escapes and expansions make of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from memory_maintenance.audit.languages.scopes import Scope
from memory_maintenance.audit.languages.trees import Tree
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.subject import Subject

EXPANSIONS = frozenset(
    {"expansion", "simple_expansion", "command_substitution", "arithmetic_expansion"}
    | {"process_substitution"}
)
QUOTED = frozenset({"string", "raw_string", "ansi_c_string", "translated_string"})
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
}
_DEFAULTS = frozenset({":-", "-", ":=", "="})
_DEEPEST = 8
_LONGEST = 1_000_000
_LONGEST_HOLE = 30
_MOST_VALUES = 100


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable gets a value. at: the byte from which it has it. added: by +=."""

    at: int
    value: Node
    scope: Scope
    added: bool = False


class Words:
    """Puts words together. Variables are looked up as they were assigned last before the place."""

    def __init__(self, tree: Tree, subject: Subject) -> None:
        self._tree = tree
        self._subject = subject

    def spliced(self, node: Node, scope: Scope, *, printed: bool = False) -> Spliced:
        """The text of a word, with holes for what isn't known.

        printed: it is a format of printf, where %s stands for something.
        """
        spliced = Spliced()
        self._append(node, scope, spliced, 0)
        return _unprinted(spliced) if printed else spliced

    def grown(self, name: str, assignment: Assignment) -> Spliced:
        """All of a text that has been added to, up to an assignment."""
        spliced = Spliced()
        self._assigned(name, assignment, spliced, 0)
        return spliced

    def constant(self, node: Node | None, scope: Scope) -> str | None:
        """The text of a word that is known throughout."""
        if node is None:
            return None
        spliced = self.spliced(node, scope)
        return None if spliced.holes else spliced.text

    def name_of(self, node: Node | None) -> str:
        """A word as it is spelt."""
        return self._tree.text_of(node) if node is not None else ""

    def last(self, name: str, scope: Scope, at: int) -> Assignment | None:
        """What a variable was assigned last before a byte; at the outside, whenever that is."""
        for outer in scope.outward():
            assigned = outer.bindings.get(name)
            if not assigned:
                continue
            before = bisect_left(assigned, at, key=lambda assignment: assignment.at)
            if before:
                return self._pick(assigned, before)
            if outer is not scope:
                return self._pick(assigned, len(assigned))
        return None

    def _pick(self, assigned: list[Assignment], end: int) -> Assignment:
        """The last, or of several at one place (the values of a loop) the one that names our table."""
        last = assigned[end - 1]
        for one in reversed(assigned[max(end - _MOST_VALUES, 0) : end]):
            if one.at != last.at:
                break
            if self._subject.table_word.search(self._tree.text_of(one.value)):
                return one
        return last

    def _append(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        kind = node.type
        if depth > _DEEPEST or len(spliced) > _LONGEST:
            self._hole(node, spliced)
        elif kind in ("string", "translated_string"):
            opening = 2 if kind == "translated_string" else 1
            self._expanded(node, (opening, 1), scope, spliced, depth)
        elif kind == "raw_string":
            start = self._tree.offset(node.start_byte) + 1
            spliced.literal(self._tree.text_of(node)[1:-1], start)
        elif kind == "ansi_c_string":
            self._ansi(node, spliced)
        elif kind == "concatenation":
            self._joined(node, scope, spliced, depth)
        elif kind in ("simple_expansion", "expansion"):
            self._variable(node, scope, spliced, depth)
        elif kind in EXPANSIONS or kind == "array":
            self._hole(node, spliced)
        elif kind == "heredoc_body":
            self._expanded(node, (0, 0), scope, spliced, depth)
        else:
            self._bare(self._tree.text_of(node), self._tree.offset(node.start_byte), spliced)

    def _hole(self, node: Node, spliced: Spliced, value: str | None = None) -> None:
        length = min(node.end_byte - node.start_byte, _LONGEST_HOLE)
        spliced.hole(self._tree.offset(node.start_byte), length, value)

    def _joined(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        for child in node.children:
            if child.is_named:
                self._append(child, scope, spliced, depth + 1)
            else:
                text = self._tree.text_of(child)
                spliced.literal(text, self._tree.offset(child.start_byte))

    def _expanded(
        self, node: Node, margins: tuple[int, int], scope: Scope, spliced: Spliced, depth: int
    ) -> None:
        """What stands in double quotes or a here-doc: the grammar has what is expanded, the rest is text."""
        body = node.type == "heredoc_body"
        start, end = node.start_byte + margins[0], node.end_byte - margins[1]
        for child in node.named_children:
            if child.type in EXPANSIONS:
                self._escaped(start, child.start_byte, spliced, body=body)
                self._append(child, scope, spliced, depth + 1)
                start = child.end_byte
        self._escaped(start, end, spliced, body=body)

    def _escaped(self, start: int, end: int, spliced: Spliced, *, body: bool) -> None:
        """Text in which a backslash escapes a few characters only."""
        escapable = "$`\\\n" if body else '$`"\\\n'
        text = self._tree.slice(start, end)
        offset = self._tree.offset(start)
        run = 0
        place = text.find("\\")
        while 0 <= place < len(text) - 1:
            if text[place + 1] in escapable:
                spliced.literal(text[run:place], offset + run)
                escaped = "" if text[place + 1] == "\n" else text[place + 1]
                spliced.literal(escaped, offset + place + 1, fixed=True)
                run = place + 2
            place = text.find("\\", place + 2)
        spliced.literal(text[run:], offset + run)

    def _bare(self, text: str, offset: int, spliced: Spliced) -> None:
        """A word without quotes."""
        run = 0
        place = text.find("\\")
        while 0 <= place < len(text) - 1:
            spliced.literal(text[run:place], offset + run)
            spliced.literal(text[place + 1], offset + place + 1)
            run = place + 2
            place = text.find("\\", run)
        spliced.literal(text[run:], offset + run)

    def _ansi(self, node: Node, spliced: Spliced) -> None:
        text = self._tree.text_of(node)[2:-1]
        offset = self._tree.offset(node.start_byte) + 2
        run = 0
        place = text.find("\\")
        while 0 <= place < len(text) - 1:
            spliced.literal(text[run:place], offset + run)
            length, value = _ansi_escape(text, place)
            spliced.literal(value, offset + place, fixed=True)
            run = place + length
            place = text.find("\\", run)
        spliced.literal(text[run:], offset + run)

    def _variable(self, node: Node, scope: Scope, spliced: Spliced, depth: int) -> None:
        name = ""
        default: Node | None = None
        operator = ""
        plain = True
        for child in node.children:
            if child.type in ("variable_name", "special_variable_name") and not name:
                name = self._tree.text_of(child)
            elif child.type in _DEFAULTS:
                operator = child.type
            elif operator and child.is_named and default is None:
                default = child
            elif child.type not in ("$", "${", "}"):
                plain = False
        assignment = self.last(name, scope, node.start_byte) if name else None
        if not plain and not operator:
            self._hole(node, spliced)
        elif assignment is not None:
            self._assigned(name, assignment, spliced, depth)
        elif default is not None and default.type not in EXPANSIONS:
            self._append(default, scope, spliced, depth + 1)
        else:
            self._hole(node, spliced)

    def _assigned(self, name: str, assignment: Assignment, spliced: Spliced, depth: int) -> None:
        value = assignment.value
        if value.type in ("array", "command_substitution") or depth > _DEEPEST:
            self._hole(value, spliced)
            return
        if assignment.added:
            before = self.last(name, assignment.scope, assignment.at)
            if before is not None:
                self._assigned(name, before, spliced, depth + 1)
        self._append(value, assignment.scope, spliced, depth + 1)


def _ansi_escape(text: str, place: int) -> tuple[int, str]:
    r"""How long an escape of $'...' is, and what it stands for."""
    mark = text[place + 1]
    if mark in _ESCAPES:
        return 2, _ESCAPES[mark]
    digits, most, base = {
        "x": ("0123456789abcdefABCDEF", 2, 16),
        "u": ("0123456789abcdefABCDEF", 4, 16),
    }.get(mark, ("01234567", 3, 8))
    start = place + (1 if base == 8 else 2)
    end = start
    while end < len(text) and end - start < most and text[end] in digits:
        end += 1
    if end == start:
        return 2, mark
    value = int(text[start:end], base)
    return end - place, "?" if 0xD800 <= value < 0xE000 else chr(value)


def _unprinted(spliced: Spliced) -> Spliced:
    """A format of printf: its marks become holes, its escapes what they stand for."""
    text = spliced.text
    found = Spliced()
    found.holes.update(spliced.holes)
    run = 0
    for start, end, value in _marks(text):
        copied(spliced, text, run, start, found)
        if value is None:
            found.hole(spliced.offset_at(start), end - start)
        else:
            found.literal(value, spliced.offset_at(start), fixed=True)
        run = end
    copied(spliced, text, run, len(text), found)
    return found


def copied(spliced: Spliced, text: str, start: int, end: int, found: Spliced) -> None:
    """Appends a part of a text, character by character where its places don't follow each other."""
    run = start
    for i in range(start + 1, end):
        if spliced.offset_at(i) != spliced.offset_at(i - 1) + 1:
            found.literal(text[run:i], spliced.offset_at(run))
            run = i
    found.literal(text[run:end], spliced.offset_at(run))


def _marks(text: str) -> Iterator[tuple[int, int, str | None]]:
    place = 0
    while place < len(text) - 1:
        if text[place] == "%":
            end = place + 1
            while end < len(text) and text[end] in "-+ #0123456789.*":
                end += 1
            if text[place + 1] == "%":
                yield place, place + 2, "%"
                place += 1
            elif end < len(text) and text[end] in "sdiqbuxXeEfgGc":
                yield place, end + 1, None
                place = end
        elif text[place] == "\\" and text[place + 1] in 'nt\\"':
            yield place, place + 2, _ESCAPES.get(text[place + 1], text[place + 1])
            place += 1
        place += 1


def colons_filled(spliced: Spliced) -> Spliced:
    """Input of psql, where :name, :'name' and :"name" stand for something."""
    text = spliced.text
    if ":" not in text or len(text) > _LONGEST:
        return spliced
    found = Spliced()
    found.holes.update(spliced.holes)
    run = place = 0
    while (place := text.find(":", place)) >= 0:
        length = _colon(text, place)
        if length:
            copied(spliced, text, run, place, found)
            found.hole(spliced.offset_at(place), length)
            run = place + length
        while text.startswith(":", place):
            place += 1
    copied(spliced, text, run, len(text), found)
    return found


def _colon(text: str, place: int) -> int:
    """How long the variable of psql is that begins at a colon, or 0."""
    if text[place - 1 : place].isalnum() or text[place + 1 : place + 2] in (":", "="):
        return 0
    quote = text[place + 1 : place + 2]
    start = place + 1 + (quote in ("'", '"') and bool(quote))
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    if end == start or text[start].isdigit():
        return 0
    if start == place + 1:
        return end - place
    return end + 1 - place if text[end : end + 1] == quote else 0
