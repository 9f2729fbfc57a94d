"""Statements of a text as words, each of which knows its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from memory_maintenance.audit.parsing import Token
from memory_maintenance.audit.spliced import Spliced

_STRIDE = 4096
# The bytes of UTF-8 that begin no character.
_CONTINUING = bytes(range(0x80, 0xC0))


class Places:
    """Where the bytes of a text, which the lexer counts, are in its characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.encode(errors="surrogatepass")
        self._ascii = len(self.raw) == len(text)
        self._marks: list[int] = []

    def char(self, byte: int) -> int:
        """The character that a byte begins."""
        if self._ascii:
            return byte
        if not self._marks:
            self._mark()
        mark = byte // _STRIDE
        return self._marks[mark] + _characters(self.raw[mark * _STRIDE : byte])

    def _mark(self) -> None:
        # The characters before every so many bytes, so that none is counted for each word anew.
        self._marks.append(0)
        for start in range(0, len(self.raw), _STRIDE):
            self._marks.append(self._marks[-1] + _characters(self.raw[start : start + _STRIDE]))


def _characters(raw: bytes) -> int:
    return len(raw.translate(None, _CONTINUING))


class Piece:
    """A statement of a text: its words, and where they stand."""

    def __init__(
        self, places: Places, tokens: Sequence[Token], holes: Mapping[str, str | None]
    ) -> None:
        self._places = places
        self._holes = holes
        self.tokens = list(tokens)
        self.start = tokens[0].start if tokens else 0
        self._end = tokens[-1].end if tokens else 0

    @cached_property
    def text(self) -> str:
        """It, as it stands in the text, with comments."""
        return self._places.raw[self.start : self._end].decode(errors="replace")

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins and ends in the text, in characters."""
        return self._places.char(self.start), self._places.char(self._end)

    def raw(self, token: Token) -> str:
        """A word as it is spelt."""
        return self._places.raw[token.start : token.end].decode(errors="replace")

    def char(self, token: Token) -> int:
        """Where the name begins that a word is, after its quote."""
        spelt = self._places.raw[token.start : token.start + 3].lower()
        quoted = 1 if spelt[:1] == b'"' else 3 if spelt == b'u&"' else 0
        return self._places.char(token.start) + quoted

    def char_of(self, byte: int) -> int:
        """Which character of the text a byte of it begins."""
        return self._places.char(byte)

    def place(self, token: Token) -> int:
        """Where a word begins, in characters."""
        return self._places.char(token.start)

    def mentions(self, column: str) -> list[int]:
        """Which of its words have the column's name, or are holes for it."""
        return [
            i
            for i, token in enumerate(self.tokens)
            if token.word == column
            or (token.kind == "name" and self._holes.get(token.text) == column)
        ]

    def index_of(self, byte: int) -> int | None:
        """The word that begins at a byte of the text."""
        return self._by_start.get(byte)

    @cached_property
    def _by_start(self) -> Mapping[int, int]:
        return {token.start: i for i, token in enumerate(self.tokens)}


def statements(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The words of each statement: they end with semicolons, outside of parentheses and of BEGIN ATOMIC."""
    first = depth = 0
    atomic = cases = 0
    for i, token in enumerate(tokens):
        depth += (token.text == "(" and token.kind == "sign") - (
            token.text == ")" and token.kind == "sign"
        )
        if token.word == "atomic" and i and tokens[i - 1].word == "begin":
            atomic = 1
        elif atomic and token.word == "case":
            cases += 1
        elif atomic and token.word == "end":
            if cases:
                cases -= 1
            else:
                atomic = 0
        if token.text == ";" and token.kind == "sign" and not atomic and depth <= 0:
            if i > first:
                yield first, i
            first, depth = i + 1, 0
    if first < len(tokens):
        yield first, len(tokens)


def contents(piece: Piece, token: Token) -> Spliced:
    """The contents of a quoted word, with the place of each character."""
    raw = piece.raw(token)
    start = piece.place(token)
    spliced = Spliced()
    if match := re.match(r"\$[^$]*\$", raw):
        spliced.literal(raw[match.end() : -match.end()], start + match.end())
        return spliced
    quote = '"' if token.kind == "name" else "'"
    opening = raw.find(quote)
    if opening < 0:
        spliced.literal(raw, start)
        return spliced
    escapes = raw[:1] in "eE" and token.kind == "string"
    i = opening + 1
    end = len(raw) - 1
    run = i
    while i < end:
        doubled = raw[i] == quote and raw[i + 1 : i + 2] == quote
        if doubled or (escapes and raw[i] == "\\"):
            spliced.literal(raw[run:i], start + run)
            escaped = raw[i + 1 : i + 2]
            spliced.literal(
                {"n": "\n", "t": "\t"}.get(escaped, escaped) if not doubled else quote,
                start + i,
                fixed=True,
            )
            i += 2
            run = i
        else:
            i += 1
    spliced.literal(raw[run:end], start + run)
    return spliced
