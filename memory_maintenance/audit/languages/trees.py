"""Syntax trees by tree-sitter: places in characters, walks without recursion, bounds on size and time."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tree_sitter import Language, Node, Parser

from memory_maintenance.audit.candidate import Candidate, Confidence
from memory_maintenance.audit.languages.unreadable import Unreadable, refuse_parts
from memory_maintenance.audit.subject import Subject

LARGEST_BYTES = 8_000_000
"""Trees take some fifty times their text: what is larger is a bundle or data, and not parsed."""

LONGEST_S = 20.0
"""Of processor time, so that a busy machine skips no more than an idle one."""

_CHUNK = 1 << 16
_STEP = 256
_HIGHEST = 100
_CONTINUED = bytes(range(0x80, 0xC0))


@dataclass(slots=True, eq=False)
class Twig:
    """A node that knows the one above it, which tree-sitter would search for from the root each time.

    field: the name that the parent has for it, or "". scope: what who walks says of it; what stands in it
    inherits that. start, end: its bytes.
    """

    node: Node
    type: str
    field: str
    parent: Twig | None
    scope: Any = None

    @property
    def start(self) -> int:
        """Its first byte."""
        return self.node.start_byte

    @property
    def end(self) -> int:
        """The byte after its last."""
        return self.node.end_byte

    def above(self) -> Iterator[Twig]:
        """What it stands in, from the inside, up to a depth that no one writes by hand."""
        twig = self.parent
        for _ in range(_HIGHEST):
            if twig is None:
                return
            yield twig
            twig = twig.parent


class Tree:
    """A parsed text."""

    def __init__(
        self,
        text: str,
        language: Language,
        longest_s: float = LONGEST_S,
        *,
        smoothed: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """Raises Unreadable where the text is too large or takes too long.

        smoothed: makes of the text what the grammar can read, as long as it.
        """
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")
        if len(self.data) > LARGEST_BYTES:
            raise Unreadable(f"larger than {LARGEST_BYTES // 1_000_000} MB, not parsed")
        self._checkpoints = _checkpoints(text, len(self.data))
        data = self.data if smoothed is None else smoothed(self.data)
        self.root = _parse(data, language, longest_s)

    def offset(self, byte: int) -> int:
        """The character that begins at a byte."""
        if not self._checkpoints:
            return byte
        number = bisect_right(self._checkpoints, byte) - 1
        begun = self.data[self._checkpoints[number] : byte]
        return number * _STEP + len(begun.translate(None, _CONTINUED))

    def text_of(self, node: Node) -> str:
        """The text of a node."""
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """The text between two bytes."""
        return self.text[self.offset(start) : self.offset(end)]

    def refuse_broken(self, subject: Subject, language: str) -> None:
        """Raises Unreadable where a part that the grammar could not read names the column or the table."""
        refuse_parts(self.text, self.broken(), subject, language)

    def broken(self) -> list[tuple[int, int]]:
        """Where the grammar met errors, or found the end of something missing: in characters."""
        return [(self.offset(start), self.offset(end)) for start, end in self._errors()]

    def doubting(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """The same, but for what was taken for something else where the text is broken: it may be cut off."""
        places = self.broken() if self.root.has_error else []
        for found in candidates:
            unsure = found.confidence is Confidence.UNRELATED
            if unsure and any(start <= found.offset < end for start, end in places):
                yield replace(found, confidence=Confidence.POSSIBLE, near=True, because="")
            else:
                yield found

    def _errors(self) -> Iterator[tuple[int, int]]:
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            missing = any(child.is_missing for child in node.children)
            if node.is_error or missing:
                yield node.start_byte, node.end_byte
            elif node.has_error:
                waiting += reversed(node.children)

    def walk(self, enter: Callable[[Twig], bool] = lambda _: True) -> Iterator[Twig]:
        """All named nodes, each before what stands in it. enter: whether to go on into a node."""
        cursor = self.root.walk()
        parents: list[Twig | None] = [None]
        while True:
            node = cursor.node
            assert node is not None
            parent = parents[-1]
            twig = None
            if node.is_named:
                twig = Twig(node, node.type, cursor.field_name or "", parent)
                twig.scope = parent.scope if parent is not None else None
                yield twig
            if (twig is not None and not enter(twig)) or not cursor.goto_first_child():
                while not cursor.goto_next_sibling():
                    if not cursor.goto_parent():
                        return
                    parents.pop()
            else:
                parents.append(twig or parent)


def _parse(data: bytes, language: Language, longest_s: float) -> Node:
    end_at = time.thread_time() + longest_s
    try:
        tree = Parser(language).parse(
            lambda byte, _: data[byte : byte + _CHUNK],
            progress_callback=lambda _, __: time.thread_time() > end_at,
        )
    except ValueError as error:
        raise Unreadable(f"takes longer than {longest_s:g} s to parse") from error
    return tree.root_node


def _checkpoints(text: str, length: int) -> list[int]:
    """The byte of every so many characters; none where each character is a byte."""
    if length == len(text):
        return []
    checkpoints = []
    byte = 0
    for start in range(0, len(text), _STEP):
        checkpoints.append(byte)
        byte += len(text[start : start + _STEP].encode("utf-8", "surrogatepass"))
    return checkpoints
