"""Bodies of functions in statements, told by their words: PL/pgSQL, and SQL that can't be parsed as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_maintenance.audit.parsing import Token, tokens_of

_QUERY_STARTS = frozenset(
    {"select", "with", "insert", "update", "delete", "merge", "values", "perform"}
)
# What stands before an expression in PL/pgSQL, longer ones first.
_LEADS = (
    ("return", "query", "execute"),
    ("return", "next"),
    ("return",),
    ("case", "when"),
    ("case",),
    ("when",),
    ("if",),
    ("elsif",),
    ("elseif",),
    ("while",),
    ("assert",),
    ("execute",),
)
# Words after which, where a statement would begin, one does begin.
_BETWEEN = frozenset({"declare", "begin", "else", "loop", "exception", "then"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """A statement of PL/pgSQL, or what stands between two of its words: tokens first to end - 1.

    declares: it is in a DECLARE section.
    """

    first: int
    end: int
    declares: bool


def is_query(token: Token) -> bool:
    """Whether a word begins a query."""
    return token.word in _QUERY_STARTS


class Script:
    """The text of a body, with its words and statements."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def raw(self) -> bytes:
        """The text as bytes, which tokens count."""
        return self._text.encode()

    @cached_property
    def _read(self) -> list[Token] | None:
        return tokens_of(self._text)

    @property
    def readable(self) -> bool:
        """Whether the lexer can read it."""
        return self._read is not None

    @property
    def tokens(self) -> list[Token]:
        """Its words; none where it isn't readable."""
        return self._read or []

    @cached_property
    def chunks(self) -> list[Chunk]:
        """Its statements."""
        return list(_chunks(self.tokens))

    @cached_property
    def declared(self) -> Mapping[str, Chunk]:
        """The declarations of its variables, by name."""
        found = {}
        for chunk in self.chunks:
            if chunk.declares and self.tokens[chunk.first].word:
                found[self.tokens[chunk.first].word] = chunk
        return found

    def words(self, chunk: Chunk) -> list[str]:
        """The texts of a chunk's tokens."""
        return [token.text for token in self.tokens[chunk.first : chunk.end]]

    def after_dot(self, i: int) -> bool:
        """Whether a dot stands before the token."""
        return i > 0 and self.tokens[i - 1].text == "."

    def statement_of(self, chunk: Chunk) -> tuple[int, str, frozenset[int]]:
        """What in a chunk is SQL, as a statement of its own: its first token, text, tokens left out of it.

        An expression becomes SELECT expression; the targets of INTO are blanked.
        """
        tokens = self.tokens
        depth = 0
        for i in range(chunk.first, chunk.end):
            sign = tokens[i].sign
            depth += (sign == "(") - (sign == ")")
            if depth == 0 and tokens[i].word in _QUERY_STARTS:
                return self._query_of(chunk, i)
        start = self._expression_start(chunk)
        if start >= chunk.end:
            return chunk.end, "", frozenset()
        text = self.raw[tokens[start].start : tokens[chunk.end - 1].end].decode(errors="replace")
        # What begins with none of PL/pgSQL's words is a command, such as ALTER TABLE.
        return start, text if start == chunk.first else f"SELECT {text}", frozenset()

    def _expression_start(self, chunk: Chunk) -> int:
        """The token where the expression of a chunk without a query begins."""
        words = self.words(chunk)
        if words[0] in ("for", "foreach", "exit", "continue"):
            before = "when" if words[0] in ("exit", "continue") else "in"
            start = words.index(before) + 1 if before in words else len(words)
            while words[start : start + 1] in (["reverse"], ["array"], ["execute"]):
                start += 1
            return chunk.first + start
        for lead in _LEADS:
            if words[: len(lead)] == list(lead):
                return chunk.first + len(lead)
        assigning = (":=", "=", "default") if chunk.declares else (":=", "=")
        return chunk.first + next((i + 1 for i, word in enumerate(words) if word in assigning), 0)

    def _query_of(self, chunk: Chunk, start: int) -> tuple[int, str, frozenset[int]]:
        tokens = self.tokens
        offset = tokens[start].start
        raw = bytearray(self.raw[offset : tokens[chunk.end - 1].end])
        if tokens[start].word == "perform":
            raw[: len("perform")] = b"SELECT "
        blanked: set[int] = set()
        i = start
        depth = 0
        while i < chunk.end:
            sign = tokens[i].sign
            depth += (sign == "(") - (sign == ")")
            if (
                tokens[i].word == "into"
                and depth == 0
                and tokens[i - 1].word not in ("insert", "merge")
            ):
                end = self._end_of_targets(i + 1, chunk.end)
                blanked.update(range(i, end))
                first, last = tokens[i].start - offset, tokens[end - 1].end - offset
                raw[first:last] = b" " * (last - first)
                i = end
                continue
            i += 1
        return start, raw.decode(errors="replace"), frozenset(blanked)

    def _end_of_targets(self, i: int, end: int) -> int:
        """The token after the list of variables that begins at i."""
        tokens = self.tokens
        if i < end and tokens[i].word == "strict":
            i += 1
        while i < end:
            i += 1
            while i < end and tokens[i].text in (".", "["):
                if tokens[i].text == ".":
                    i += 2
                    continue
                while i < end and tokens[i].text != "]":
                    i += 1
                i += 1
            if i >= end or tokens[i].text != ",":
                break
            i += 1
        return min(i, end)


def _chunks(tokens: Sequence[Token]) -> Iterator[Chunk]:
    """The statements of a body of PL/pgSQL, or of SQL, by their ends.

    What ends one: a semicolon, and outside of parentheses, CASE expressions and MERGE also THEN and LOOP.
    Labels, BEGIN, ELSE and the like, where a statement would begin, are left out.
    """
    first = 0
    depth = cases = 0
    declares = merging = False
    for i, token in enumerate(tokens):
        if i < first:
            continue
        word = token.word
        if i == first:
            depth = cases = 0
            merging = False
            if token.sign == "<<" or word in _BETWEEN:
                declares = declares if token.sign == "<<" else word == "declare"
                first = i + (3 if token.sign == "<<" else 1)
                continue
        depth += (token.sign == "(") - (token.sign == ")")
        merging = merging or word == "merge"
        if word == "case" and i > first:
            cases += 1
        elif word == "end" and cases:
            cases -= 1
        splits = word in ("then", "loop") and depth <= 0 and cases == 0 and not merging
        if token.sign == ";" or splits:
            if i > first:
                yield Chunk(first, i, declares)
            first = i + 1
    if first < len(tokens):
        yield Chunk(first, len(tokens), declares)
