"""Scalars of YAML and JSON, whose characters know where they stand in the file.

A parser gives the value without indentation, folds and escapes. What is left of it stands in the file in the
same order, so that value and file can be gone through side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memory_maintenance.audit.spliced import Spliced

FILLER = "\ue000"
"""Stands in a value for each character of a template's tag."""
_SPACE = " \t\r\n\ufeff\x85\u2028\u2029"
_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}
_PAIR = 12


def aligned(
    spliced: Spliced,
    value: str,
    text: str,
    start: int,
    style: str,
    *,
    names: Mapping[int, str] = MappingProxyType({}),
    base: int = 0,
) -> None:
    """Appends a value to a spliced text.

    start: where its spelling begins in the text, quotes and block header included. style: the quote, "|" or
    ">", or "" for a plain one. names: the name that a template's tag stands for, by where it begins. base:
    where the text begins in its file.
    """
    at = start
    if style in ("|", ">"):
        line_end = text.find("\n", start)
        at = len(text) if line_end < 0 else line_end + 1
    elif style:
        at = start + 1
    if FILLER not in value and text.startswith(value, at):
        spliced.literal(value, base + at)
        return
    _Alignment(spliced, text, style, names, base).run(value, at)


def copied(spliced: Spliced, source: Spliced, start: int, end: int) -> None:
    """Appends a part of another spliced text, in which there are no holes."""
    text = source.text
    begin = start
    for index in range(start, end):
        if source.offset_at(index + 1) != source.offset_at(index) + 1:
            spliced.literal(text[begin : index + 1], source.offset_at(begin))
            begin = index + 1
    spliced.literal(text[begin:end], source.offset_at(begin))


class _Alignment:
    """Puts pieces together while going through a value. A run is what stands in the file as it is."""

    def __init__(
        self, spliced: Spliced, text: str, style: str, names: Mapping[int, str], base: int
    ) -> None:
        self._spliced = spliced
        self._text = text
        self._style = style
        self._names = names
        self._base = base
        self._run: list[str] = []
        self._run_start = 0

    def run(self, value: str, at: int) -> None:
        """Appends the value, which begins at that place."""
        index = 0
        while index < len(value):
            character = value[index]
            if character == FILLER:
                length = _filled(value, index)
                at = self._skipped(at)
                self._flush()
                self._spliced.hole(self._base + at, length, self._names.get(at))
                at, index = at + length, index + length
                continue
            at = self._continued(at) if character in _SPACE else self._skipped(at)
            at = self._append(character, at)
            index += 1
        self._flush()

    def _append(self, character: str, at: int) -> int:
        """Appends one character; where the next one may stand."""
        here = self._text[at : at + 1]
        if here == "\\" and self._style == '"':
            self._flush()
            self._spliced.literal(character, self._base + at, fixed=True)
            return at + self._escape_length(character, at)
        if character in _SPACE and here != character:
            self._flush()  # a fold
            self._spliced.literal(character, self._base + at, fixed=True)
            return at
        if at != self._run_start + len(self._run):
            self._flush()
        if not self._run:
            self._run_start = at
        self._run.append(character)
        if self._style == "'" and self._text.startswith("''", at):
            self._flush()
            return at + 2
        return at + 1

    def _escape_length(self, character: str, at: int) -> int:
        length = _ESCAPE_LENGTHS.get(self._text[at + 1 : at + 2], 2)
        pair = ord(character) > 0xFFFF and length == _ESCAPE_LENGTHS["u"]
        return _PAIR if pair else length

    def _continued(self, at: int) -> int:
        """Past a line that ends in a backslash, and the indentation of the next."""
        text = self._text
        while self._style == '"' and text.startswith(("\\\n", "\\\r\n"), at):
            at = text.index("\n", at) + 1
            while at < len(text) and text[at] in " \t":
                at += 1
        return at

    def _skipped(self, at: int) -> int:
        """Past what a fold or an indentation has left out of the value."""
        text = self._text
        while True:
            before = at
            at = self._continued(at)
            while at < len(text) and text[at] in _SPACE:
                at += 1
            if at == before:
                break
        return at

    def _flush(self) -> None:
        if self._run:
            self._spliced.literal("".join(self._run), self._base + self._run_start)
            self._run.clear()


def _filled(value: str, index: int) -> int:
    end = index
    while end < len(value) and value[end] == FILLER:
        end += 1
    return end - index
