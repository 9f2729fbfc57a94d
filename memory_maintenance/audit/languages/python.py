"""Python by its syntax tree: SQL in texts, keys, attributes, arguments, fields, comments.

What PostgreSQL's grammar says of a text goes before what its place in the program says.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.languages.python_flow import Evidence, Flow
from memory_maintenance.audit.languages.python_messages import (
    is_documentation,
    is_message,
    is_quoted,
    names_parameters,
)
from memory_maintenance.audit.languages.python_names import Names
from memory_maintenance.audit.languages.python_places import Place, Uses
from memory_maintenance.audit.languages.python_strings import Strings, Text, called
from memory_maintenance.audit.languages.python_tables import SCHEMA_CALLS, About, Tables
from memory_maintenance.audit.languages.python_tree import Tree
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.sqltext import Reading, may_be_sql, read_sql
from memory_maintenance.audit.subject import Subject
from memory_maintenance.audit.suggestions import suggestion_for

_MOST_PIECES = 24
_RANKS = (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.UNRELATED, Confidence.CERTAIN)


def scan(source: Source, subject: Subject) -> Iterable[Candidate]:
    """What a Python file says of the column, one candidate a place. Raises Unreadable."""
    text = source.text.lower()
    words = frozenset(
        {subject.column.lower(), *(name.lower() for name in subject.table_names | source.derived)}
    )
    if not any(word in text for word in words):
        return []
    try:
        return _Scan(source, subject, words).candidates()
    except RecursionError:
        raise Unreadable("nested too deeply") from None


class _Scan:
    """The scan of one file."""

    def __init__(self, source: Source, subject: Subject, words: frozenset[str]) -> None:
        self._source = source
        self._subject = subject
        self._words = words
        self._column = subject.column
        self._tree = Tree(source.text, words)
        self._names = Names(self._tree)
        self._strings = Strings(self._tree, self._names, subject)
        self._tables = Tables(self._tree, self._names, self._strings, subject, source.derived)
        self._evidence = Evidence()
        self._flow = Flow(self._tree, self._names, self._strings, self._tables, self._evidence)
        self._uses = Uses(self._tree, self._strings)
        self._found: list[Candidate] = []
        self._places: list[Place] = []
        self._covered: set[int] = set()
        # Names that hold texts about tables.
        self._holding: set[str] = set()

    def candidates(self) -> list[Candidate]:
        """All that is found, by place."""
        self._texts()
        self._named_tables()
        self._syntax()
        for place in self._places:
            self._found.append(self._judged(place))
        self._comments()
        return _merged(self._found)

    # -- texts --

    def _texts(self) -> None:
        wholes: dict[int, ast.expr] = {}
        literals = list(self._tree.texts())
        for literal in literals:
            whole = self._strings.whole(literal)
            wholes.setdefault(id(whole), whole)
        for node in (*self._tree.of(ast.BinOp), *self._tree.of(ast.Call)):
            if self._strings.is_text(node):
                whole = self._strings.whole(node)
                wholes.setdefault(id(whole), whole)
        for whole in wholes.values():
            self._whole(whole)
        for literal in literals:
            if id(literal) not in self._covered and id(literal) not in wholes:
                self._whole(literal)

    def _whole(self, node: ast.expr) -> None:
        """Reads an expression that makes a text."""
        if isinstance(node, ast.Constant) and not self._may_tell(node.value):
            return
        if is_documentation(node, self._tree):
            self._prose(self._strings.text(node), "documentation")
            return
        grown = self._grown(node)
        for before in grown or ((),):
            text = self._strings.text(node, before)
            self._covered |= text.literals
            self._text(node, text)

    def _may_tell(self, value: object) -> bool:
        """Whether a text by itself may say anything of the column or of tables."""
        text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        lowered = text.lower()
        return any(word in lowered for word in self._words) or _may_be_star(lowered)

    def _grown(self, node: ast.expr) -> list[tuple[ast.expr, ...]]:
        """What a text is added to: all that the name had then, and what it began with."""
        parent = self._tree.parents(node)
        if not (isinstance(parent, ast.AugAssign) and isinstance(parent.op, ast.Add)):
            return []
        target = parent.target
        if not isinstance(target, ast.Name | ast.Attribute) or not self._strings.is_text(target):
            return []
        bindings = self._names.bindings(target)
        first = [b.value for b in bindings if b.value is not None and not b.added]
        ways: list[tuple[ast.expr, ...]] = [(target,)] if len(bindings) <= _MOST_PIECES else []
        if first:
            ways.append((first[0],))
        return ways

    def _text(self, node: ast.expr, text: Text) -> None:
        content = text.spliced.text
        about = self._tables.about_table(content) if self._strings.is_ours(content) else None
        if about is not None:
            self._table_name(node, about)
            return
        lowered = content.lower()
        named = any(word in lowered for word in self._words)
        if not (named or text.parameters or _may_be_star(lowered)):
            return
        if content == self._column:
            self._name_alone(node, text)
            return
        if self._lookup(node, text):
            return
        reading = Reading()
        if may_be_sql(content):
            reading = read_sql(text.spliced, self._subject, derived=self._source.derived)
        if reading.is_sql and not self._only_told(node, reading):
            self._sql(node, text, reading)
        else:
            self._no_sql(node, text)

    def _only_told(self, node: ast.expr, reading: Reading) -> bool:
        """Whether what has the words of SQL is a sentence to people."""
        sure = any(c.confidence is Confidence.CERTAIN for c in reading.candidates)
        return not sure and is_message(node, self._tree)

    def _sql(self, node: ast.expr, text: Text, reading: Reading) -> None:
        about = _about(reading)
        if about is not None:
            self._evidence.text(node, self._tree.start(node), about)
            self._holding.update(_held_by(self._tree.parents(node)))
        for candidate in reading.candidates:
            if candidate.near and about is None:
                place = self._uses.string(node, candidate.offset)
                kind = candidate.kind if place.kind is Kind.READ else place.kind
                kind = Kind.DEFINITION if self._in_model(node) else kind
                suggestion = candidate.suggestion if kind is candidate.kind else ""
                self._places.append(
                    replace(place, kind=kind, comparison="", values=(), suggestion=suggestion)
                )
            elif candidate.near and about is not None and about.ours:
                self._found.append(replace(candidate, confidence=Confidence.LIKELY, near=False))
            else:
                self._found.append(candidate)
        for offset in text.parameters:
            self._parameter(node, offset, reading, about, _kind_of_values(text))

    def _parameter(
        self,
        node: ast.expr,
        offset: int,
        reading: Reading,
        about: About | None,
        kind: Kind,
    ) -> None:
        """A placeholder that is called like the column: a key of the values."""
        before = [c for c in reading.candidates if c.offset < offset and not c.whole_row]
        kind = before[-1].kind if before else kind
        if about is None:
            self._places.append(Place(offset, node, kind))
        else:
            self._found.append(_by_table(about, offset, kind))

    def _table_name(self, node: ast.expr, about: About) -> None:
        """A text that is a table's name: what stands around is about it, unless it only asks the catalog."""
        for call in self._flow.calls_around(node):
            for argument in call.args:
                said = self._flow.said(argument)
                if argument is not node and said is not None and not said.ours:
                    return
        self._evidence.name(self._tree.start(node), replace(about, certain=False))

    def _name_alone(self, node: ast.expr, text: Text) -> None:
        if names_parameters(node, self._tree):
            self._found.append(Candidate(text.spliced.offset_at(0), Confidence.POSSIBLE))
            return
        place = self._uses.string(node, text.spliced.offset_at(0))
        if place.kind is Kind.READ and self._in_model(node):
            place = replace(place, kind=Kind.DEFINITION)
        self._places.append(place)

    def _in_model(self, node: ast.AST) -> bool:
        """Whether it stands in the body of a class that is about a table."""
        scope = self._tree.scope(node)
        return isinstance(scope, ast.ClassDef) and self._tables.about_class(scope) is not None

    def _lookup(self, node: ast.expr, text: Text) -> bool:
        """Names as Django spells them: "-data_type", "fact__data_type__in"."""
        content = text.spliced.text
        name = content.lstrip("-+?")
        parts = name.split("__")
        if self._column not in parts or not name.replace("_", "").isalnum() or text.spliced.holes:
            return False
        if name == self._column or isinstance(self._tree.parent(node), ast.Call):
            before = parts[: parts.index(self._column)]
            start = len(content) - len(name) + sum(len(part) + 2 for part in before)
            self._places.append(self._uses.string(node, text.spliced.offset_at(start)))
            return True
        return False

    def _no_sql(self, node: ast.expr, text: Text) -> None:
        content = text.spliced.text
        if is_message(node, self._tree):
            self._prose(text, "a message")
            return
        if names_parameters(node, self._tree):
            return
        parent = self._tree.parents(node)
        listed = isinstance(parent, ast.Attribute) and parent.attr == "split"
        if isinstance(parent, ast.Call) and called(parent) in ("query", "eval"):
            for match in self._subject.column_word.finditer(content):
                self._places.append(self._uses.string(node, text.spliced.offset_at(match.start())))
            return
        self._places += (Place(offset, node, _kind_of_values(text)) for offset in text.parameters)
        spaceless = not any(char.isspace() for char in content.strip())
        defined = isinstance(parent, ast.Call) and called(parent) in (
            "namedtuple",
            "make_dataclass",
        )
        for match in self._subject.column_word.finditer(content):
            offset = text.spliced.offset_at(match.start())
            if listed or defined or spaceless or is_quoted(content, *match.span()):
                kind = Kind.DEFINITION if defined else Kind.READ
                self._places.append(Place(offset, node, kind))
            else:
                self._found.append(Candidate(offset, Confidence.POSSIBLE))

    def _prose(self, text: Text, because: str) -> None:
        self._covered |= text.literals
        content = text.spliced.text
        for match in self._subject.column_word.finditer(content):
            self._found.append(
                Candidate(
                    text.spliced.offset_at(match.start()),
                    Confidence.POSSIBLE,
                    context=Context.PROSE,
                    because=because,
                )
            )

    # -- syntax --

    def _named_tables(self) -> None:
        """Where the file mentions what stands for a table or for a text about one."""
        for name in self._tree.of(ast.Name):
            if not isinstance(name.ctx, ast.Load):
                continue
            about = self._tables.about_name(name.id)
            if about is None and name.id in self._holding:
                about = self._flow.said(name)
            if about is not None:
                self._evidence.name(self._tree.start(name), about)
        for attribute in self._tree.of(ast.Attribute):
            if attribute.attr in self._holding and isinstance(attribute.ctx, ast.Load):
                about = self._flow.said(attribute)
                if about is not None:
                    self._evidence.name(self._tree.start(attribute), about)
        for model in self._tree.of(ast.ClassDef):
            about = self._tables.about_class(model)
            if about is not None:
                self._evidence.name(self._tree.start(model), about)

    def _syntax(self) -> None:
        tree, column = self._tree, self._column
        for attribute in tree.of(ast.Attribute):
            if attribute.attr == column:
                self._place(self._uses.attribute(attribute))
        for keyword in tree.of(ast.keyword):
            self._keyword(keyword)
        for name in tree.of(ast.Name):
            if name.id == column and not isinstance(name.ctx, ast.Load):
                self._assigned(name)
        for function in tree.functions():
            if function.name == column:
                self._method(function)
        for place in self._uses.patterns(column):
            self._place(place)

    def _place(self, place: Place) -> None:
        """Adds a place, unless what Python says of it is wrong."""
        if self._source.text.startswith(self._column, place.offset):
            self._places.append(place)

    def _keyword(self, node: ast.keyword) -> None:
        parts = (node.arg or "").split("__")
        call = self._tree.parent(node)
        if self._column not in parts or not isinstance(call, ast.Call):
            return
        before = parts[: parts.index(self._column)]
        offset = self._tree.start(node) + sum(len(part) + 2 for part in before)
        place = self._uses.keyword(node, call, offset)
        if len(parts) > 1 and place.comparison == "=" and parts[-1] not in ("exact", self._column):
            place = replace(place, comparison="", values=())
        self._place(place)

    def _assigned(self, node: ast.Name) -> None:
        scope = self._tree.scope(node)
        parent = self._tree.parent(node)
        start = self._tree.start(node)
        if isinstance(scope, ast.ClassDef) and isinstance(parent, ast.Assign | ast.AnnAssign):
            self._place(Place(start, node, Kind.DEFINITION, field_of=scope))
        else:
            self._found.append(Candidate(start, Confidence.POSSIBLE, Kind.WRITE))

    def _method(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        scope = self._tree.scope(node)
        match = self._subject.column_word.search(self._source.text, self._tree.start(node))
        if match is not None and isinstance(scope, ast.ClassDef):
            self._place(Place(match.start(), node, Kind.DEFINITION, field_of=scope))

    # -- verdicts --

    def _judged(self, place: Place) -> Candidate:
        kind, suggestion = place.kind, place.suggestion
        if place.comparison:
            suggestion = suggestion_for(self._subject, kind, place.comparison, place.values)
        about = self._about(place)
        if about is None:
            found = Candidate(place.offset, Confidence.POSSIBLE, kind, near=True)
        else:
            found = _by_table(about, place.offset, kind)
        if found.confidence is Confidence.UNRELATED:
            return found
        return replace(found, suggestion=suggestion)

    def _about(self, place: Place) -> About | None:
        """Which table a place is about; None leaves it to whether the file names the table."""
        if place.field_of is not None:
            about = self._tables.about_class(place.field_of) or self._flow.scope(place.node)
            return about or self._flow.record(place.field_of.name)
        about = self._tables.chain(place.receiver)
        if about is None and place.handed:
            about = self._handed(place)
        if about is None and self._in_model(place.node):
            scope = self._tree.scope(place.node)
            about = self._tables.about_class(scope) if isinstance(scope, ast.ClassDef) else None
        if about is None:
            about = self._flow.origin(place.receiver, rows=place.rows)
        return about or self._flow.scope(place.node, place.receiver)

    def _handed(self, place: Place) -> About | None:
        """By the calls that it is handed to."""
        for call in self._flow.calls_around(place.node):
            about = self._tables.schema_change(call) or self._tables.chain(call.func)
            if about is None:
                about = self._of_query(call)
            if about is None and self._flow.asks_ours(call):
                about = About(ours=True)
            if about is None and called(call) in SCHEMA_CALLS:
                batch = call.func.value if isinstance(call.func, ast.Attribute) else None
                about = self._flow.origin(batch, rows=False)
            for argument in call.args:
                if about is None and argument is not place.node:
                    about = self._flow.said(argument)
                    if (
                        about is None
                        and isinstance(argument, ast.Call)
                        and argument is call.args[0]
                    ):
                        about = self._tables.chain(argument)
            if about is not None:
                return about
        return None

    def _of_query(self, call: ast.Call) -> About | None:
        """By the table that a call is told of, or that the methods after it name."""
        whole: ast.expr = call
        for parent in self._tree.ancestors(call):
            if not isinstance(parent, ast.Attribute | ast.Call) or not _continues(parent, whole):
                break
            whole = parent
        about = self._tables.chain(whole)
        if about is None or about.ours:
            return about
        said = self._evidence.between(self._tree.start(whole), self._tree.end(whole))
        return next((a for a in said if a.ours), about)

    # -- comments --

    def _comments(self) -> None:
        """The words that nothing else explains and that stand in comments."""
        spoken = {candidate.offset for candidate in self._found}
        matches = self._subject.column_word.finditer(self._source.text)
        left = [match.start() for match in matches if match.start() not in spoken]
        if not left:
            return
        comments = self._tree.comments()
        starts = [start for start, _ in comments]
        for place in left:
            before = bisect_right(starts, place) - 1
            if before >= 0 and place < comments[before][1]:
                self._found.append(
                    Candidate(
                        place, Confidence.POSSIBLE, context=Context.PROSE, because="a comment"
                    )
                )


def _continues(parent: ast.Attribute | ast.Call, chain: ast.expr) -> bool:
    """Whether it is the next link of a chain of methods."""
    return (parent.value if isinstance(parent, ast.Attribute) else parent.func) is chain


def _kind_of_values(text: Text) -> Kind:
    """A template of values, (%(id)s, %(kind)s), is for rows to be written."""
    return Kind.WRITE if text.spliced.text.lstrip().startswith("(") else Kind.READ


def _held_by(statement: ast.AST) -> Iterator[str]:
    """The names that a statement gives a value, by their last parts."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        targets = [statement.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Attribute):
            yield target.attr


def _may_be_star(lowered: str) -> bool:
    """Whether a text may be a query of all columns: what its rows have tells of others' keys."""
    return "*" in lowered and "from" in lowered and "select" in lowered


def _about(reading: Reading) -> About | None:
    if reading.ours:
        return About(ours=True)
    if not reading.others:
        return None
    names = sorted(reading.names_table)
    return About(ours=False, because=f"a column of {', '.join(names) or 'another relation'}")


def _by_table(about: About, offset: int, kind: Kind) -> Candidate:
    if not about.ours:
        return Candidate(offset, Confidence.UNRELATED, kind, because=about.because)
    sure = Confidence.CERTAIN if about.certain else Confidence.LIKELY
    return Candidate(offset, sure, kind)


def _merged(found: Iterable[Candidate]) -> list[Candidate]:
    """One candidate a place. What is resolved, to us or to others, goes before what is likely."""
    best: dict[tuple[int, bool], Candidate] = {}
    for candidate in found:
        key = (candidate.offset, candidate.whole_row)
        if key not in best or _rank(candidate) > _rank(best[key]):
            best[key] = candidate
    return [best[key] for key in sorted(best)]


def _rank(candidate: Candidate) -> tuple[int, bool]:
    return _RANKS.index(candidate.confidence), candidate.near
