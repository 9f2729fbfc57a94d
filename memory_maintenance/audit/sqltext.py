"""What SQL in a file says of the column: each place that has its name, traced to the relation it belongs to.

A statement is parsed where it can be, made whole where it is a clause or has holes, and judged by its words
where neither helps. Bodies of functions are read as what they are. Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind, best_of
from memory_maintenance.audit.comparisons import compared
from memory_maintenance.audit.fragments import readable
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.names import Has, Verdict
from memory_maintenance.audit.parsing import (
    LONGEST_STATEMENT,
    Node,
    Token,
    is_deep,
    kind_of,
    parts_of,
    statements_of,
    tokens_of,
    unwrapped,
)
from memory_maintenance.audit.pieces import Piece, Places, contents, statements
from memory_maintenance.audit.placing import placed
from memory_maintenance.audit.psql import Script as PsqlScript
from memory_maintenance.audit.resolver import How, Statements, shows_table
from memory_maintenance.audit.routines import Routine, bodies_in, triggers_in
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced, plain
from memory_maintenance.audit.stated import Stated
from memory_maintenance.audit.subject import Subject
from memory_maintenance.audit.suggestions import suggestion_for

_WORDS = re.compile(
    r"(?i)\b(?:select|insert|update|delete|merge|with|from|where|set|values|returning|join|create|alter|drop"
    r"|grant|revoke|copy|comment|truncate|execute|and|or|order|group|having|conflict|add|check|constraint"
    r"|is|in|like|references|declare|begin|call|explain|refresh|union|desc|asc|default|null|varchar)\b"
)
_STARTS: Mapping[str, frozenset[str]] = {
    "select": frozenset({"from", "where", "as"}),
    "insert": frozenset({"into"}),
    "update": frozenset({"set"}),
    "delete": frozenset({"from"}),
    "merge": frozenset({"into", "using"}),
    "with": frozenset({"as"}),
    "create": frozenset(
        {"table", "view", "index", "trigger", "function", "policy", "or", "unique"}
    ),
    "alter": frozenset({"table", "view"}),
    "copy": frozenset({"from", "to"}),
}
# Commands of psql whose text is for people.
_TALK = ("\\echo", "\\qecho", "\\warn", "\\prompt")
# Functions whose arguments are the keys of an object, each before its value.
_BUILDERS = frozenset({"json_build_object", "jsonb_build_object", "json_object", "jsonb_object"})
# Functions that make an object of a row, and a row of an object.
_TO_OBJECTS = frozenset({"to_json", "to_jsonb", "row_to_json", "hstore"})
_TO_ROWS = frozenset({"json_populate_record", "jsonb_populate_record", "populate_record"})
_TO_ROWS |= {"json_populate_recordset", "jsonb_populate_recordset", "jsonb_populate_record_valid"}
# Functions that execute the statements they are handed: of dblink, tablefunc, pg_cron, XML and text search.
_EXECUTORS = frozenset({"crosstab", "crosstab2", "crosstab3", "crosstab4", "connectby", "ts_stat"})
_EXECUTORS |= {"dblink", "dblink_exec", "dblink_open", "dblink_send_query", "ts_rewrite"}
_EXECUTORS |= {"schedule", "schedule_in_database", "query_to_xml", "query_to_xmlschema"}
_DEEPEST = 3
_LONGEST_LIST = 500
_FAR = 12
_PORTION = 100_000
_LONGEST_TEXT = 2_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says.

    candidates: their offsets are places in the file. is_sql: it is SQL, or a clause of it. ours: it names one
    of the tables, or something made from it. others: it names the column of another relation, or all columns
    of one. names_table: the relations that it names.
    """

    candidates: tuple[Candidate, ...] = ()
    is_sql: bool = False
    ours: bool = False
    others: bool = False
    names_table: frozenset[str] = frozenset()
    unread: tuple[tuple[int, int], ...] = ()


def may_be_sql(text: str) -> bool:
    """Whether a text looks like SQL or a clause of it at all. Quick, and rather yes than no."""
    return _WORDS.search(text) is not None or "=" in text or "," in text or "." in text


def read_sql(
    spliced: Spliced, subject: Subject, *, derived: frozenset[str] = frozenset()
) -> Reading:
    """What a text in some other language says, if it is SQL."""
    text = spliced.text
    if not may_be_sql(text):
        return Reading()
    reader = _Reader(subject, Stated(subject, derived, spliced.holes), spliced.holes)
    reader.read(text)
    return reader.reading(spliced)


def sql_file(
    text: str, subject: Subject, *, derived: frozenset[str] = frozenset(), offset: int = 0
) -> Reading:
    """What a script for psql says, with its \\commands, variables and inline data.

    offset: where the text begins in its file.
    """
    script = PsqlScript(text)
    names = Stated(subject, derived, script.holes)
    reader = _Reader(subject, names, script.holes, triggers=triggers_in(script.sql, names))
    for start, end in _portions(script):
        reader.read(script.sql[start:end], script=True, offset=start)
    for start, line in script.commands:
        reader.words(line, start, near=not line.startswith(_TALK))
    for start, end in script.data:
        reader.not_ours(text, start, end, "data that is copied in")
    return reader.reading(plain(text, offset))


def _portions(script: PsqlScript) -> Iterator[tuple[int, int]]:
    """A script in parts of whole statements, so that no more than one at a time is held as words."""
    start = 0
    for end in script.ends:
        # A body that PostgreSQL itself parses has semicolons of its own.
        if end - start >= _PORTION and "atomic" not in script.sql[start:end].lower():
            yield start, end
            start = end
    yield start, len(script.sql)


class _Reader:
    """Reads statements one after the other, and keeps what they say."""

    def __init__(
        self,
        subject: Subject,
        names: Stated,
        holes: Mapping[str, str | None],
        *,
        triggers: Mapping[str, Has] | None = None,
        depth: int = 0,
    ) -> None:
        self._subject = subject
        self._names = names
        self._holes = holes
        self._triggers = triggers or {}
        self._depth = depth
        self._found: list[Candidate] = []
        self._unread: list[tuple[int, int]] = []
        self.is_sql = False
        self.ours = False
        self.others = False

    def reading(self, spliced: Spliced) -> Reading:
        """What was found, by the places of the file."""
        moved = (c.moved(spliced.offset_at(c.offset)) for c in self._found)
        return Reading(
            tuple(best_of(moved)),
            self.is_sql,
            self.ours or self._names.concerned,
            self.others,
            frozenset(self._names.named),
            tuple(
                (spliced.offset_at(start), spliced.offset_at(end)) for start, end in self._unread
            ),
        )

    # -- texts --

    def read(self, text: str, *, script: bool = False, offset: int = 0) -> None:
        """Reads a text of one or more statements.

        script: it is SQL for certain. offset: where it begins in the whole of which it is a part.
        """
        before, unread = len(self._found), len(self._unread)
        self._read(text, script=script)
        if offset:
            self._found[before:] = [c.moved(c.offset + offset) for c in self._found[before:]]
            moved = [(start + offset, end + offset) for start, end in self._unread[unread:]]
            self._unread[unread:] = moved

    def _read(self, text: str, *, script: bool) -> None:
        if len(text) > _LONGEST_TEXT:
            self._unread.append((0, len(text)))
            self.words(text, 0)
            return
        tokens = tokens_of(text, comments=True)
        places = Places(text)
        if tokens is None:
            self.is_sql = self.is_sql or script
            if script:
                self._unread.append((0, len(text)))
                self._unreadable(text)
            return
        self._comments(tokens, places, script=script)
        words = [token for token in tokens if token.kind != "comment"]
        for first, end in statements(words):
            piece = Piece(places, words[first:end], self._holes)
            self._statement(piece, script=script)

    def _unreadable(self, text: str) -> None:
        """A script that even the lexer can't read, line by line."""
        start = 0
        for line in text.splitlines(keepends=True):
            if tokens_of(line) is not None:
                inner = _Reader(
                    self._subject,
                    self._names,
                    self._holes,
                    triggers=self._triggers,
                    depth=self._depth,
                )
                inner.read(line)
                self._found += (c.moved(c.offset + start) for c in inner._found)
            self.words(line, start)
            start += len(line)

    def words(self, text: str, start: int, *, near: bool = True) -> None:
        """A text that is no SQL, but beside it."""
        for match in self._subject.column_word.finditer(text):
            self._found.append(Candidate(start + match.start(), Confidence.POSSIBLE, near=near))

    def not_ours(self, text: str, start: int, end: int, because: str) -> None:
        """A part of the text that is certainly about something else."""
        for match in self._subject.column_word.finditer(text, start, end):
            self._found.append(Candidate(match.start(), Confidence.UNRELATED, because=because))

    def _comments(self, tokens: Sequence[Token], places: Places, *, script: bool) -> None:
        for token in tokens:
            if token.kind == "comment" and (script or token.text.startswith(("--", "/*"))):
                start = places.char(token.start)
                for match in self._subject.column_word.finditer(token.text):
                    self._found.append(
                        Candidate(
                            start + match.start(),
                            Confidence.POSSIBLE,
                            context=Context.PROSE,
                            because="a comment",
                        )
                    )

    # -- one statement --

    def _statement(self, piece: Piece, *, script: bool) -> None:
        text = piece.text
        concerned = self._concerned(piece)
        if script and not concerned:
            self.is_sql = True
            return
        tractable = len(text) <= LONGEST_STATEMENT and not is_deep(piece.tokens)
        found = readable(text, self._holes) if tractable else None
        if found is None:
            if concerned:
                self._by_words(piece, script=script)
            return
        self.is_sql = True
        bodies = list(bodies_in(found.tree, piece.tokens, self._names, self._triggers))
        for statement in statements_of(found.tree):
            self._judge(statement, piece, found.shift)
        for routine in bodies:
            self._routine(routine, piece)
        self._strings(piece, {routine.token for routine in bodies})

    def _concerned(self, piece: Piece) -> bool:
        """Whether the statement may say anything of the column or the tables."""
        column = self._subject.column.lower()
        if column in piece.text.lower():
            return True
        if any(value is not None for value in self._holes.values()):
            return True
        return self._names.knows_of(token.word for token in piece.tokens) or any(
            token.kind == "string" and self._subject.table_word.search(token.text)
            for token in piece.tokens
        )

    def _judge(self, statement: Node, piece: Piece, shift: int) -> None:
        statements = Statements(self._names, self._outside, through=True)
        has = statements.statement(statement)
        self._define(statement, has)
        self._take(statements, piece, shift)

    def _define(self, statement: Any, has: Has) -> None:
        """Remembers what a statement makes."""
        kind = kind_of(statement)
        if kind == "ViewStmt":
            self._names.define(statement.view.relname, self._viewed(statement, _made(has)))
        elif kind == "CreateTableAsStmt":
            self._names.define(statement.into.rel.relname, _made(has))
        elif kind == "SelectStmt" and statement.HasField("into_clause"):
            self._names.define(statement.into_clause.rel.relname, _made(has))
        elif kind == "CreateStmt":
            self._define_table(statement)
        elif kind == "CreateForeignTableStmt" and shows_table(statement, self._names):
            self._names.define(statement.base_stmt.relation.relname, Has.UNKNOWN)
        elif kind == "RenameStmt" and statement.HasField("relation") and not statement.subname:
            relation = statement.relation
            renamed = self._names.has(relation.schemaname, relation.relname)
            if renamed is not Has.ASSUMED:
                self._names.define(statement.newname, renamed)

    def _viewed(self, statement: Any, has: Has) -> Has:
        """What a view says whose query yields that, when the view gives its columns names by position."""
        listed = [unwrapped(alias).sval for alias in statement.aliases]
        if not listed:
            return has
        column = self._subject.column
        if column not in listed:
            return Has.NONE
        targets = [unwrapped(target) for target in unwrapped(statement.query).target_list]
        values = [unwrapped(target.val) for target in targets]
        refs = [
            parts_of(value) if kind_of(value) == "ColumnRef" else ([], False) for value in values
        ]
        if any(star for _, star in refs):
            return Has.UNKNOWN
        parts = refs[listed.index(column)][0] if len(refs) > listed.index(column) else []
        return has if parts[-1:] == [column] else Has.OTHER

    def _define_table(self, statement: Any) -> None:
        name = statement.relation.relname
        column = self._subject.column
        has = Has.NONE
        for wrapped in statement.table_elts:
            element: Any = unwrapped(wrapped)
            if kind_of(element) == "ColumnDef" and element.colname == column:
                has = Has.OTHER
            elif kind_of(element) == "TableLikeClause":
                has = max(has, _made(self._names.has("", element.relation.relname)))
        if any(unwrapped(parent) for parent in statement.inh_relations):
            parents = [unwrapped(parent).relname for parent in statement.inh_relations]
            has = max([has, *(_made(self._names.has("", parent)) for parent in parents)])
        self._names.define(name, has)

    def _outside(self, parts: Sequence[str]) -> Verdict:
        """What a name means that no FROM clause explains."""
        if len(parts) > 1 and parts[-2] in self._names.ours:
            return Verdict.YES
        if len(parts) > 1 and parts[0] == "information_schema":
            return Verdict.NO
        return Verdict.MAYBE

    # -- what a parsed text says, put to its words --

    def _take(self, statements: Statements, piece: Piece, shift: int) -> None:
        base = piece.start - shift
        places = piece.mentions(self._subject.column)
        for place, mention in placed(statements.mentions, piece.tokens, places, base):
            if mention is None:
                self._add(
                    piece, place, Confidence.UNRELATED, because="an alias, or a name of its own"
                )
            else:
                self._mention(mention.verdict, mention.kind, piece, place)
        for mention in statements.mentions:
            if mention.how is How.POSITION and mention.location >= 0:
                self._whole_row(piece, mention.location + base, mention.kind, "by position")
        for star in statements.stars:
            if star.has is Has.OURS and star.location >= 0:
                self._whole_row(piece, star.location + base, Kind.READ, "all columns")
            self.others = self.others or star.has in (Has.OTHER, Has.ASSUMED)

    def _mention(self, verdict: Verdict, kind: Kind, piece: Piece, place: int) -> None:
        if verdict is Verdict.YES:
            self._add(piece, place, Confidence.CERTAIN, kind=kind)
        elif verdict is Verdict.MAYBE:
            self._add(piece, place, Confidence.POSSIBLE, kind=kind, near=True)
        else:
            self.others = True
            because = "a column of another relation"
            self._add(piece, place, Confidence.UNRELATED, kind=kind, because=because)

    def _add(
        self,
        piece: Piece,
        place: int,
        confidence: Confidence,
        *,
        kind: Kind = Kind.READ,
        near: bool = False,
        because: str = "",
    ) -> None:
        suggestion = ""
        if confidence is not Confidence.UNRELATED:
            comparison, values = compared(piece.tokens, place)
            if comparison:
                suggestion = suggestion_for(self._subject, kind, comparison, values)
        self._found.append(
            Candidate(
                piece.char(piece.tokens[place]),
                confidence,
                kind,
                near=near,
                because=because,
                suggestion=suggestion,
            )
        )

    def _whole_row(self, piece: Piece, location: int, kind: Kind, because: str) -> None:
        self._found.append(
            Candidate(
                piece.char_of(max(location, 0)),
                Confidence.CERTAIN,
                kind,
                because=because,
                whole_row=True,
            )
        )

    # -- bodies of functions --

    def _routine(self, routine: Routine, piece: Piece) -> None:
        """The body of a function, a string of the statement."""
        inside = contents(piece, piece.tokens[routine.token])
        if not routine.is_sql:
            self._foreign(routine, inside)
            return
        places = Places(inside.text)
        words = tokens_of(inside.text, comments=True)
        if words is None:
            for match in self._subject.column_word.finditer(inside.text):
                self._found.append(
                    Candidate(inside.offset_at(match.start()), Confidence.POSSIBLE, near=True)
                )
            return
        before = len(self._found)
        self._comments(words, places, script=True)
        body = routine.body(inside.text, self._names)
        whole = Piece(places, [word for word in words if word.kind != "comment"], self._holes)
        for told in body.judged():
            place = whole.index_of(told.start)
            if told.whole_row:
                self._whole_row(whole, told.start, told.kind, "all columns")
            elif place is not None:
                self._mention(told.verdict, told.kind, whole, place)
        joined = self._joined(body.executed_expressions(), whole)
        self._strings(whole, joined, executed=body.executed())
        self._found[before:] = [c.moved(inside.offset_at(c.offset)) for c in self._found[before:]]

    def _joined(self, expressions: Iterable[Sequence[Token]], whole: Piece) -> set[int]:
        """Statements put together by ||; which words of the body they are made of."""
        done: set[int] = set()
        for expression in expressions:
            operands = _operands(expression)
            if len(operands) < 2 or operands[0][0].kind != "string":
                continue
            spliced = Spliced()
            for operand in operands:
                if len(operand) == 1 and operand[0].kind == "string":
                    spliced.join(contents(whole, operand[0]))
                    continue
                value = _quoted_name(operand)
                spliced.hole(whole.char(operand[0]), len(value or "") + 1, value)
            names = Stated(self._subject, self._names.derived, spliced.holes)
            inner = _Reader(self._subject, names, spliced.holes, depth=self._depth + 1)
            inner.read(spliced.text)
            if inner.is_sql:
                self._found += inner.reading(spliced).candidates
                places = (whole.index_of(token.start) for part in operands for token in part)
                done |= {place for place in places if place is not None}
        return done

    def _foreign(self, routine: Routine, inside: Spliced) -> None:
        """A body in another language."""
        scan = import_module(f"memory_maintenance.audit.languages.{routine.module}").scan
        source = Source(routine.name, inside.text)
        try:
            found = list(scan(source, self._subject))
        except Unreadable:
            found = []
        for candidate in found:
            self._found.append(candidate.moved(inside.offset_at(candidate.offset)))
        for match in self._subject.column_word.finditer(inside.text):
            place = inside.offset_at(match.start())
            self._found.append(Candidate(place, Confidence.POSSIBLE, near=True))

    # -- strings --

    def _strings(
        self, piece: Piece, bodies: set[int], executed: frozenset[int] = frozenset()
    ) -> None:
        """Strings within SQL: names in a query of the catalog, SQL to be executed, values.

        executed: the bytes where strings begin that are executed for certain.
        """
        column, belongs = self._subject.column_word, self._subject.belongings
        name = self._subject.column.lower()
        builds = any(token.word in _BUILDERS for token in piece.tokens)
        executed |= frozenset(_handed_to_executors(piece.tokens))
        for i, token in enumerate(piece.tokens):
            if i in bodies or token.kind not in ("string", "name"):
                continue
            if name not in token.text.lower():
                continue
            inside = contents(piece, token)
            for match in belongs.finditer(inside.text):
                self._found.append(
                    Candidate(
                        inside.offset_at(match.start()),
                        Confidence.POSSIBLE,
                        because="a name that by habit hangs on the column",
                    )
                )
            if token.kind == "name":
                if (
                    token.word != self._subject.column
                    and column.fullmatch(inside.text)
                    and '"' in piece.raw(token)
                ):
                    self._found.append(
                        Candidate(
                            inside.offset_at(0),
                            Confidence.UNRELATED,
                            because="a quoted name keeps its case: another column",
                        )
                    )
                continue
            if column.search(inside.text):
                dynamic = token.start in executed
                # The key of an object, and its value is a column of that name.
                key = builds and self._is_before_the_column(piece, i)
                key = key or _is_key_of_a_row(piece.tokens, i)
                self._string(inside, executed=dynamic, near=dynamic or key)

    def _is_before_the_column(self, piece: Piece, i: int) -> bool:
        after = piece.tokens[i + 1 : i + 5]
        return (
            bool(after)
            and after[0].sign == ","
            and any(token.word == self._subject.column for token in after)
        )

    def _string(self, inside: Spliced, *, executed: bool, near: bool) -> None:
        """executed: it is, or becomes, a statement. near: its like is about the column where its table is."""
        text = inside.text
        column = self._subject.column_word
        if self._depth < _DEEPEST and not column.fullmatch(text):
            inner = _Reader(
                self._subject,
                self._names,
                {**self._holes},
                triggers=self._triggers,
                depth=self._depth + 1,
            )
            inner.read(text)
            if inner.is_sql:
                for candidate in inner._found:
                    moved = candidate.moved(inside.offset_at(candidate.offset))
                    if executed:
                        self._found.append(moved)
                    elif not moved.whole_row:
                        self._found.append(_perhaps_executed(moved))
                return
        for match in column.finditer(text):
            self._found.append(
                Candidate(
                    inside.offset_at(match.start()),
                    Confidence.POSSIBLE,
                    near=near,
                    because="a string with the column's name",
                )
            )

    # -- what can't be parsed --

    def _by_words(self, piece: Piece, *, script: bool) -> None:
        """A statement that can't be read: by the words in it."""
        tokens = piece.tokens
        if not script and not _wordy(tokens):
            return
        self.is_sql = True
        self._unread.append(piece.span)
        ours = self._names.knows_of(token.word for token in tokens)
        self.ours = self.ours or ours
        for place in piece.mentions(self._subject.column):
            qualifier = (
                tokens[place - 2].word if place >= 2 and tokens[place - 1].text == "." else ""
            )
            certain = qualifier in self._names.ours
            confidence = (
                Confidence.CERTAIN
                if certain
                else Confidence.LIKELY
                if ours
                else Confidence.POSSIBLE
            )
            kind = Kind.WRITE if _assigns(tokens, place) else Kind.READ
            self._add(piece, place, confidence, kind=kind, near=confidence is Confidence.POSSIBLE)
        self._strings(piece, set())


def _made(has: Has) -> Has:
    """What a relation says that was made by a query."""
    return Has.OTHER if has is Has.ASSUMED else has


def _operands(tokens: Sequence[Token]) -> list[list[Token]]:
    """What || joins, outside of parentheses."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.sign == "(") - (token.sign == ")")
        if token.sign == "||" and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return [operand for operand in found if operand]


def _quoted_name(operand: Sequence[Token]) -> str | None:
    """The name in quote_ident('name')."""
    if len(operand) == 4 and operand[0].word == "quote_ident" and operand[2].kind == "string":
        return operand[2].text
    return None


def _perhaps_executed(candidate: Candidate) -> Candidate:
    if candidate.confidence <= Confidence.POSSIBLE:
        return replace(candidate, near=False)
    because = "a string that may be executed"
    return replace(candidate, confidence=Confidence.POSSIBLE, near=False, because=because)


def _handed_to_executors(tokens: Sequence[Token]) -> Iterator[int]:
    """The bytes where strings begin that a function is handed to execute them."""
    for i, token in enumerate(tokens):
        if token.word not in _EXECUTORS or not tokens[i + 1 : i + 2] or tokens[i + 1].sign != "(":
            continue
        depth = 0
        for inner in tokens[i + 1 : i + 1 + _LONGEST_LIST]:
            depth += (inner.sign == "(") - (inner.sign == ")")
            if depth == 0:
                break
            if inner.kind == "string":
                yield inner.start


def _is_key_of_a_row(tokens: Sequence[Token], i: int) -> bool:
    """Whether a string is a key of a row made an object, to_jsonb(f)->>'...', or of an object made a row."""
    before = tokens[max(i - _FAR, 0) : i]
    if any(token.word in _TO_ROWS for token in before):
        return True
    if len(before) < 2 or before[-1].sign not in ("->", "->>", "?", "-"):
        return False
    return before[-2].sign == ")" and any(token.word in _TO_OBJECTS for token in before[-7:])


def _wordy(tokens: Sequence[Token]) -> bool:
    """Whether words are SQL that can't be read, rather than prose."""
    if not tokens:
        return False
    follow = _STARTS.get(tokens[0].word)
    if follow is None or not any(token.word in follow for token in tokens[1:]):
        return False
    signs = sum(token.kind == "sign" for token in tokens)
    return signs > 0


def _assigns(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word is set: right after SET, or in the column list of an INSERT."""
    if any(token.word == "set" for token in tokens[max(place - 3, 0) : place]):
        return True
    if tokens[0].word != "insert":
        return False
    # The list comes early, if at all.
    before = {token.word for token in tokens[: min(place, _LONGEST_LIST)]}
    return place < _LONGEST_LIST and not before & {"values", "select"}
