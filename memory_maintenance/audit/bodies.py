"""What the body of a function says of the column.

SQL is parsed as a whole, PL/pgSQL by statement. What can't be parsed is judged by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.names import Has, Names, Verdict
from memory_maintenance.audit.parsing import (
    LONGEST_STATEMENT,
    Node,
    Token,
    folded,
    has_word,
    parsed,
    tokens_of,
)
from memory_maintenance.audit.placing import placed
from memory_maintenance.audit.plpgsql import Chunk, Script, is_query
from memory_maintenance.audit.resolver import How, Statements

_PARSED = frozenset({"sql", "plpgsql"})
# Statements parsed for one function before it counts as "possibly": a bound on time, not on care.
_MOST_STATEMENTS = 1_000
# Strings within strings that are read as SQL: EXECUTE '... EXECUTE ''...'' ...'.
_DEEPEST_STRING = 3


@dataclass(frozen=True, slots=True)
class Function:
    """A function as the catalog has it.

    signature: as SQL reads it. depends: the catalog itself knows that it uses the column. returns_row,
    row_in_signature: of the table's row type. argument_relations: oids of the relations whose rows the
    arguments are, else 0. defaults: those of its parameters, as SQL, "" for none. trigger_on: oids of the
    tables that it is a trigger of. settings: "name=value".
    """

    kind: str
    schema: str
    name: str
    signature: str
    language: str
    source: str
    definition: str
    oid: int
    depends: bool
    returns_row: bool
    row_in_signature: bool
    is_trigger: bool
    arguments: list[str]
    argument_modes: list[str]
    argument_relations: list[int]
    defaults: str
    trigger_on: list[int]
    settings: list[str]


@dataclass(frozen=True, slots=True)
class Use:
    """How a function uses the column, or the rows of its table only. why: a sentence."""

    why: str
    rows_only: bool


@dataclass(frozen=True, slots=True, order=True)
class _Told:
    """What a text says of the column; the greatest decides."""

    verdict: Verdict = Verdict.NO
    how: How = How.ALIASES


@dataclass(frozen=True, slots=True)
class Judged:
    """A place in a body. start: the byte where it begins. whole_row: no name, but all of them."""

    start: int
    verdict: Verdict
    kind: Kind
    whole_row: bool = False


class Body:
    """The text of a function, read as far as need be."""

    def __init__(self, function: Function, names: Names, *, through: bool = False) -> None:
        self._through = through
        self._function = function
        self._names = names
        self._column = names.column
        self._script = Script(function.source)
        self._budget = _MOST_STATEMENTS
        self._path = _path_of(function.settings)
        self._filled: dict[str, Has] = {}

    # -- what it says of the column --

    def use(self) -> Use | None:
        """How it uses the column or the table's rows; None where it does neither."""
        function = self._function
        if function.depends:
            return Use(f"its body names {self._column}", rows_only=False)
        certain, possible = self._column_use()
        rows = self._row_use()
        why = certain or possible
        if why is None:
            return None if rows is None else Use(rows, rows_only=True)
        return Use(why if rows is None else f"{why}; {rows}", rows_only=False)

    # -- each place of it --

    def judged(self) -> Iterator[Judged]:
        """Each place of the body that has the column's name, or that uses all columns of the table."""
        tokens = self._script.tokens
        if self._function.language == "sql" and len(self._script.raw) <= LONGEST_STATEMENT:
            tree = parsed(self._function.source)
            if tree is not None:
                places = [i for i, token in enumerate(tokens) if token.word == self._column]
                yield from self._judged_tree(tree, places, 0)
                return
        if self._function.language in _PARSED:
            for chunk in self._script.chunks:
                yield from self._judged_chunk(chunk)
        else:
            for token in tokens:
                if token.word == self._column:
                    yield Judged(token.start, Verdict.MAYBE, Kind.READ)

    def executed(self) -> frozenset[int]:
        """The bytes where strings begin that are, or become, statements to be executed."""
        expressions = [*self.executed_expressions(), *self._of_executed_variables()]
        return frozenset(t.start for found in expressions for t in found if t.kind == "string")

    def executed_expressions(self) -> Iterator[Sequence[Token]]:
        """The expressions that EXECUTE executes."""
        for chunk in self._script.chunks:
            tokens = self._script.tokens[chunk.first : chunk.end]
            words = [token.word for token in tokens]
            if "execute" in words:
                begin = words.index("execute") + 1
                ends = [
                    words.index(word, begin) for word in ("using", "into") if word in words[begin:]
                ]
                yield tokens[begin : min(ends, default=len(tokens))]

    def _of_executed_variables(self) -> Iterator[Sequence[Token]]:
        """What is assigned to the variables that EXECUTE executes."""
        names = {found[0].word for found in self.executed_expressions() if len(found) == 1}
        for chunk in self._script.chunks:
            if self._script.tokens[chunk.first].word in names - {""}:
                yield self._script.tokens[chunk.first : chunk.end]

    def _judged_chunk(self, chunk: Chunk) -> Iterator[Judged]:
        tokens = self._script.tokens
        places = [i for i in range(chunk.first, chunk.end) if tokens[i].word == self._column]
        if not places and not any(
            tokens[i].word in self._names.ours for i in range(chunk.first, chunk.end)
        ):
            return
        start, text, blanked = self._script.statement_of(chunk)
        tree = parsed(text) if 0 < len(text) <= LONGEST_STATEMENT else None
        within = [i for i in places if tree is not None and i >= start and i not in blanked]
        if tree is not None:
            added = 0 if start == chunk.first or is_query(tokens[start]) else len("SELECT ")
            yield from self._judged_tree(tree, within, tokens[start].start - added)
        for i in places:
            if i not in within:
                assigned = i + 1 < len(tokens) and tokens[i + 1].text in (":=", "=")
                kind = Kind.WRITE if assigned and i < start else Kind.READ
                yield Judged(tokens[i].start, self._of_token(chunk, i), kind)

    def _judged_tree(self, tree: Node, places: Sequence[int], base: int) -> Iterator[Judged]:
        tokens = self._script.tokens
        statements = self._statements()
        statements.read(tree)
        for place, mention in placed(statements.mentions, tokens, places, base):
            if mention is None:
                yield Judged(tokens[place].start, Verdict.NO, Kind.READ)
            else:
                yield Judged(tokens[place].start, mention.verdict, mention.kind)
        for mention in statements.mentions:
            if mention.how is How.POSITION and mention.location >= 0:
                yield Judged(mention.location + base, Verdict.YES, mention.kind, whole_row=True)
        for star in statements.stars:
            if star.has is Has.OURS and star.location >= 0:
                yield Judged(star.location + base, Verdict.YES, Kind.READ, whole_row=True)

    def _column_use(self) -> tuple[str | None, str | None]:
        """A sentence if it certainly uses the column, and one if it may."""
        column, label, function = self._column, self._names.label, self._function
        if function.language in ("c", "internal"):
            return None, None
        readable = function.language in _PARSED and self._script.readable
        told = self._verdict() if readable else _Told()
        if told.verdict is Verdict.YES:
            return {
                How.NATURAL_JOIN: f"it joins {label} by NATURAL JOIN, {column} being a column of both sides",
                How.POSITION: f"it inserts into or from all columns of {label}, by position",
            }.get(told.how, f"its body names {column}"), None
        if told.verdict is Verdict.MAYBE:
            return None, {
                How.NATURAL_JOIN: f"it joins {label} by NATURAL JOIN, possibly by {column} too",
                How.ALIASES: f"it gives columns of {label} other names, by position, possibly {column} too",
            }.get(told.how, f"its body names {column}, possibly the column of {label}")
        if words := self._words_only(readable=readable):
            return None, words
        if readable and self._fills_output():
            return None, f"it returns a column {column}, possibly filled by all columns of {label}"
        return None, None

    def _words_only(self, *, readable: bool) -> str | None:
        """A sentence where it has the column's name in a text that may be SQL, or about anything."""
        column, function = self._column, self._function
        if not self._concerns():
            return None
        if not readable and has_word(function.source, column):
            return f"its body has the word {column}, possibly meaning the column"
        if readable and self._in_strings():
            return f"a string in its body has the word {column}, possibly SQL that it executes"
        strings = [token for token in tokens_of(function.defaults) or () if token.kind == "string"]
        if any(self._string_names(token.text, 0) for token in strings):
            return f"a default of its parameters has the word {column}, possibly meaning the column"
        return None

    def _concerns(self) -> bool:
        """Whether what may be about any table may be about this one: not if it names the other one only."""
        beside = self._names.beside
        return not beside or not has_word(self._all_text, beside) or self.about_ours()

    def about_ours(self) -> bool:
        """Whether it has a name of the table as a word, or gets its rows."""
        function = self._function
        if function.depends or function.row_in_signature or self._triggering is Has.OURS:
            return True
        return any(has_word(self._all_text, name) for name in self._names.ours)

    @property
    def _all_text(self) -> str:
        return f"{self._function.source} {self._function.defaults}"

    def _verdict(self) -> _Told:
        best = _Told()
        if self._function.language == "sql":
            short = len(self._script.raw) <= LONGEST_STATEMENT
            tree = parsed(self._function.source) if short else None
            if tree is not None:
                return self._of_tree(tree)
        for chunk in self._script.chunks:
            told = self._of_chunk(chunk)
            if told.verdict is Verdict.YES:
                return told
            best = max(best, told)
            if self._budget <= 0:
                return _Told(Verdict.MAYBE, How.NAME)
        return best

    def _statements(self) -> Statements:
        return Statements(self._names, self._outside, self._path, through=self._through)

    def _of_tree(self, tree: Node) -> _Told:
        statements = self._statements()
        statements.read(tree)
        found = [_Told(mention.verdict, mention.how) for mention in statements.mentions]
        if statements.renames:
            found.append(_Told(Verdict.MAYBE, How.ALIASES))
        return max(found, default=_Told())

    def _of_chunk(self, chunk: Chunk) -> _Told:
        tokens = self._script.tokens
        mentions = [i for i in range(chunk.first, chunk.end) if tokens[i].word == self._column]
        insert = tokens[chunk.first].word in ("insert", "with") and any(
            tokens[i].word in self._names.ours for i in range(chunk.first, chunk.end)
        )
        if not mentions and not insert and not self._unnamed(chunk):
            return _Told()
        start, text, blanked = self._script.statement_of(chunk)
        tree = None
        if self._budget > 0 and len(text) <= LONGEST_STATEMENT:
            self._budget -= 1
            tree = parsed(text)
        told = _Told() if tree is None else self._of_tree(tree)
        for i in mentions:
            if tree is None or i < start or i in blanked:
                told = max(told, _Told(self._of_token(chunk, i), How.NAME))
        return told

    def _unnamed(self, chunk: Chunk) -> bool:
        """Whether a statement about the table may use the column without its name.

        By NATURAL JOIN, or by a list of other names: entity_facts AS f (a), (...) AS q (a), WITH q (a).
        """
        tokens, ours = self._script.tokens, self._names.ours
        places = range(chunk.first, chunk.end)
        if not any(tokens[i].word in ours for i in places):
            return False
        if any(tokens[i].word == "natural" for i in places):
            return True
        for i in range(chunk.first + 1, chunk.end - 1):
            if not tokens[i].word or tokens[i + 1].text != "(":
                continue
            before = tokens[i - 1]
            if before.word in ("as", "with", "recursive"):
                return True
            if tokens[i].kind == "name" and (before.word in ours or before.text in (")", "*")):
                return True
        return False

    def _of_token(self, chunk: Chunk, i: int) -> Verdict:
        """The verdict on one word by its neighbours alone."""
        tokens = self._script.tokens
        if not self._script.after_dot(i):
            if chunk.declares and i == chunk.first:
                return Verdict.NO  # a variable of that name
            if i + 1 < len(tokens) and tokens[i + 1].text == ".":
                return Verdict.NO  # a qualifier
            return self._outside([self._column])
        qualifier = tokens[i - 2].word if i >= 2 else ""
        if not qualifier:
            return Verdict.MAYBE
        parts = [qualifier, self._column]
        schema = ""
        if self._script.after_dot(i - 2) and i >= 4:
            schema = tokens[i - 4].word
            parts.insert(0, schema)
        verdict = self._outside(parts)
        if verdict is Verdict.MAYBE and chunk.declares:
            return self._names.has(schema, qualifier, self._path).verdict
        return verdict

    def _in_strings(self) -> bool:
        """Whether a string has the column's name as a word, and isn't SQL about something else."""
        for chunk in self._script.chunks:
            if self._script.tokens[chunk.first].word in ("raise", "assert"):
                continue  # a message
            for token in self._script.tokens[chunk.first : chunk.end]:
                if token.kind == "string" and self._string_names(token.text, 0):
                    return True
        return False

    def _string_names(self, text: str, depth: int) -> bool:
        if not has_word(text, self._column):
            return False
        if depth >= _DEEPEST_STRING or len(text) > LONGEST_STATEMENT or self._budget <= 0:
            return True
        self._budget -= 1
        # The places of format() stand for names or values, and either way for something unknown.
        tree = parsed(re.sub(r"%(?:\d+\$)?[IsL]", "unknown_name", text))
        if tree is None:
            return True
        if self._of_tree(tree).verdict is not Verdict.NO:
            return True
        return any(
            token.kind == "string" and self._string_names(token.text, depth + 1)
            for token in tokens_of(text) or ()
        )

    def _fills_output(self) -> bool:
        """Whether an output column of this name may be filled by a star over the table."""
        function = self._function
        outputs = [
            name
            for name, mode in zip(function.arguments, function.argument_modes, strict=True)
            if mode in ("t", "o")
        ]
        if self._column not in outputs:
            return False
        words = {token.text for token in self._script.tokens}
        return "*" in words and bool(words & self._names.ours)

    def _row_use(self) -> str | None:
        label = self._names.label
        if self._function.row_in_signature:
            return f"it takes or returns rows of {label}"
        if self._function.language == "plpgsql" and self._script.readable:
            for name, has in self._variables.items():
                if has is Has.OURS and name in self._script.declared:
                    return f"it declares {name} as a row of {label}"
        return None

    # -- what its names mean --

    def _outside(self, parts: Sequence[str]) -> Verdict:
        """What a name means that is no column of a FROM clause: a variable, NEW or OLD, a table's name."""
        if len(parts) == 1:
            return Verdict.NO if parts[0] in self._own_names else Verdict.MAYBE
        qualifier = parts[-2]
        if len(parts) > 2:
            has = self._names.has(parts[-3], qualifier)
            return has.verdict if has is not Has.UNKNOWN else Verdict.MAYBE
        if qualifier in ("new", "old") and self._function.is_trigger:
            return self._triggering.verdict
        if qualifier.startswith("$"):
            relations = self._function.argument_relations
            number = int(qualifier[1:])
            if 1 <= number <= len(relations) and relations[number - 1]:
                return self._names.has_oid(relations[number - 1]).verdict
            return Verdict.MAYBE
        if qualifier in self._variables:
            return self._variables[qualifier].verdict
        if qualifier in self._records or qualifier in self._loops:
            if qualifier not in self._filled:
                self._filled[qualifier] = self._of_record(qualifier)
            return self._filled[qualifier].verdict
        if qualifier == self._function.name and parts[-1] in self._own_names:
            return Verdict.NO
        if qualifier in self._names.ours:
            return Verdict.YES
        return Verdict.MAYBE

    @cached_property
    def _triggering(self) -> Has:
        """NEW and OLD of a trigger function."""
        kinds = {self._names.has_oid(oid) for oid in self._function.trigger_on}
        if Has.OURS in kinds:
            return Has.OURS
        return Has.OTHER if kinds else Has.UNKNOWN

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """The names of parameters and variables."""
        parameters = (name for name in self._function.arguments if name)
        return frozenset({*parameters, *self._script.declared})

    @cached_property
    def _variables(self) -> Mapping[str, Has]:
        """Parameters and variables that are rows of a known relation."""
        function = self._function
        found = {
            name: self._names.has_oid(oid)
            for name, oid in zip(function.arguments, function.argument_relations, strict=True)
            if name and oid
        }
        for name, chunk in self._script.declared.items():
            words = self._script.words(chunk)[1:]
            if words[:1] == ["constant"]:
                words = words[1:]
            schema = ""
            if words[1:2] == ["."]:
                schema, words = words[0], words[2:]
            after = "".join(words[1:3])
            if not words or after.startswith(".") or after == "%type" or words[0] == "record":
                continue
            has = self._names.has(schema, words[0], self._path)
            if has is not Has.UNKNOWN or after == "%rowtype" or words[0] in self._names.ours:
                found[name] = has
        return found

    @cached_property
    def _records(self) -> frozenset[str]:
        declared = self._script.declared.items()
        return frozenset(
            name for name, chunk in declared if self._script.words(chunk)[1:2] == ["record"]
        )

    @cached_property
    def _loops(self) -> frozenset[str]:
        """The loop variables of cursors, which nothing declares."""
        found = []
        for chunk in self._script.chunks:
            words = self._script.words(chunk)[:4]
            if words[:1] == ["for"] and words[2:3] == ["in"] and words[-1] in self._cursors:
                found.append(words[1])
        return frozenset(found)

    @cached_property
    def _cursors(self) -> Mapping[str, Has]:
        """What the queries of bound cursors yield."""
        found = {}
        for name, chunk in self._script.declared.items():
            words = self._script.words(chunk)
            if "cursor" in words[:4]:
                _, text, _ = self._script.statement_of(chunk)
                found[name] = self._filled_by(text)
        return found

    def _filled_by(self, text: str) -> Has:
        tree = parsed(text)
        if tree is None:
            return Has.UNKNOWN
        statements = Statements(
            self._names, lambda _: Verdict.MAYBE, self._path, through=self._through
        )
        return statements.read(tree)

    def _of_record(self, name: str) -> Has:
        """What a record variable holds, by all the queries that fill it."""
        has = Has.NONE
        for chunk in self._script.chunks:
            words = self._script.words(chunk)
            cursor = _cursor_of(words, name)
            if cursor in self._cursors:
                filled = self._cursors[cursor]
            elif words[:1] == [name] and words[1:2] in ([":="], ["="]):
                return Has.UNKNOWN
            elif words[:2] != ["for", name] and not _into(words, name):
                continue
            elif self._budget <= 0 or "execute" in words:
                return Has.UNKNOWN
            else:
                self._budget -= 1
                filled = self._filled_by(self._script.statement_of(chunk)[1])
            if filled is Has.OURS:
                return filled
            has = max(has, Has.UNKNOWN if filled is Has.UNKNOWN else Has.OTHER)
        return has if has is not Has.NONE else Has.UNKNOWN


def _cursor_of(words: Sequence[str], name: str) -> str:
    """The cursor whose rows a statement puts into the variable of that name, "" for none."""
    if list(words[:3]) == ["for", name, "in"]:
        return words[3] if len(words) > 3 else ""
    if words[:1] == ["fetch"] and _into(words, name):
        return words[list(words).index("into") - 1]
    return ""


def _into(words: Sequence[str], name: str) -> bool:
    """Whether a statement's result goes into the variable of that name."""
    return any(word == "into" and name in words[i + 1 : i + 3] for i, word in enumerate(words))


def _path_of(settings: Sequence[str]) -> list[str]:
    """The schemas of a function's own SET search_path; none where it sets none."""
    for setting in settings:
        name, _, value = setting.partition("=")
        if name == "search_path":
            return [folded(part.strip()) for part in value.split(",")]
    return []
