"""JSON, JSON Lines and notebooks: keys, values, statements and scripts in strings.

By its tree-sitter grammar: the standard library gives no places; YAML's parser, for which JSON is nearly
YAML, refuses comments, trailing commas and keys of more than 1,024 characters. This one goes on after an
error, reads one value after the other, and doesn't recurse.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from types import MappingProxyType

import tree_sitter_json
from tree_sitter import Language as Grammar
from tree_sitter import Node

from memory_maintenance.audit.candidate import Candidate, Confidence, Context
from memory_maintenance.audit.languages import PLAIN, Language
from memory_maintenance.audit.languages.branches import Branch, Judge, Text
from memory_maintenance.audit.languages.embedded import language_named, scan_embedded
from memory_maintenance.audit.languages.scalars import aligned, copied
from memory_maintenance.audit.languages.trees import Tree, Twig
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced, plain
from memory_maintenance.audit.subject import Subject

LARGEST = 1_000_000
"""Characters; a larger file, rows of data by rule, is read as text: trees take half a millisecond a row."""
# Half of a character beyond the first plane, which an escape may leave alone.
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_SMALL = 1_000
"""Bytes; a mapping up to this is looked into for a table's name though none of the words is in it."""
_LINES = (".jsonl", ".ndjson")
_KERNELS = MappingProxyType(
    {
        "python": "python",
        "sql": "sql",
        "bash": "shell",
        "javascript": "javascript",
        "typescript": "typescript",
    }
)


def scan(source: Source, subject: Subject) -> Iterator[Candidate]:
    """What a JSON file says of the column."""
    if len(source.text) > LARGEST:
        yield from scan_embedded(PLAIN, plain(source.text), source, subject)
    elif source.path.endswith(_LINES):
        for start, line in _lines_concerned(source, subject):
            yield from _values(source, subject, line, start)
    else:
        yield from _values(source, subject, source.text, 0)


def _lines_concerned(source: Source, subject: Subject) -> Iterator[tuple[int, str]]:
    """The lines that have the column's or the table's name, with their places."""
    start = 0
    for line in source.text.splitlines(keepends=True):
        if subject.column_word.search(line) or subject.table_word.search(line):
            yield start, line
        start += len(line)


def _values(source: Source, subject: Subject, text: str, start: int) -> Iterator[Candidate]:
    try:
        tree = Tree(text, Grammar(tree_sitter_json.language()))
    except Unreadable:
        yield from scan_embedded(PLAIN, plain(text, start), source, subject)
        return
    if source.path.endswith(".json5") and tree.root.has_error:
        # Names without quotes, strings in single ones: unknown to the grammar.
        yield from scan_embedded(PLAIN, plain(text, start), source, subject)
        return
    document = _Document(source, subject, tree, start)
    if source.path.endswith(".ipynb"):
        yield from document.cells()
    else:
        yield from document.scan()


class _Document:
    """One value, or several side by side. start: where the text begins in the file."""

    def __init__(self, source: Source, subject: Subject, tree: Tree, start: int) -> None:
        self._source = source
        self._subject = subject
        self._tree = tree
        self._start = start
        self._root = Branch(is_list=True)
        self._branches: dict[Twig, Branch] = {}
        self._keys: dict[Twig, Text] = {}
        self._comments: list[Node] = []
        self._spans: list[tuple[int, int]] = []
        self._hits = _hits(tree.data, subject, source.derived)
        for twig in tree.walk(self._enters):
            if twig.type in ("comment", "string"):
                node = twig.node
                span = (tree.offset(node.start_byte), tree.offset(node.end_byte))
                self._spans.append(span)
            if twig.type == "comment":
                self._comments.append(twig.node)
            elif twig.type in ("object", "array"):
                self._begin(twig)
            elif twig.type == "string":
                self._put(twig)

    def _enters(self, twig: Twig) -> bool:
        """Whether what stands in a node is looked at: it has one of the words, or may name a table."""
        if twig.type not in ("object", "array"):
            return twig.type != "string"
        number = bisect_left(self._hits, twig.start)
        if number < len(self._hits) and self._hits[number] < twig.end:
            return True
        in_pair = twig.parent is not None and twig.parent.type == "pair"
        return in_pair and twig.end - twig.start < _SMALL

    # -- as branches --

    def _begin(self, twig: Twig) -> None:
        key, outer = self._place(twig)
        if key is None and outer.is_list:
            key = outer.key
        branch = Branch(twig.type == "array", key, outer)
        outer.branches.append(branch)
        self._branches[twig] = branch

    def _put(self, twig: Twig) -> None:
        text = self._text(twig.node)
        key, outer = self._place(twig)
        if twig.field == "key" and twig.parent is not None and not outer.is_list:
            self._keys[twig.parent] = text
            outer.keys.append(text)
        else:
            outer.texts.append((key, text))

    def _place(self, twig: Twig) -> tuple[Text | None, Branch]:
        """The key of a value, and what it stands in, past what the grammar took for errors."""
        key = None
        if twig.field == "value" and twig.parent is not None:
            key = self._keys.get(twig.parent)
        for above in twig.above():
            if above in self._branches:
                return key, self._branches[above]
        return key, self._root

    def _text(self, node: Node) -> Text:
        start, end = self._tree.offset(node.start_byte), self._tree.offset(node.end_byte)
        return Text(_value(self._tree.text[start:end]), start, end, '"')

    # -- what is found --

    def scan(self) -> Iterator[Candidate]:
        """All candidates."""
        for comment in self._comments:
            start = self._tree.offset(comment.start_byte)
            yield from self._prose(start, self._tree.offset(comment.end_byte))
        judge = Judge(self._source, self._subject, self._spliced)
        for branch in self._root.branches:
            branch.parent = None  # values side by side are documents of their own
            yield from judge.judged(branch)
        self._root.branches.clear()
        yield from judge.judged(self._root)
        if self._tree.root.has_error:
            yield from self._beside_strings()

    def _beside_strings(self) -> Iterator[Candidate]:
        """Words that stand in nothing that could be read."""
        for match in self._subject.column_word.finditer(self._tree.text):
            number = bisect_right(self._spans, (match.start(),)) - 1
            if number < 0 or match.start() >= self._spans[number][1]:
                place = self._start + match.start()
                yield Candidate(place, Confidence.POSSIBLE, near=True)

    def cells(self) -> Iterator[Candidate]:
        """The same for a notebook: its code; all else is prose."""
        language = language_named(self._kernel())
        codes: list[list[Text]] = []
        prose_from = 0
        for branch in self._root.below():
            cell = {key.value: text.value for key, text in branch.texts if key is not None}
            if cell.get("cell_type") != "code":
                continue
            lines = [
                text for key, text in branch.texts if key is not None and key.value == "source"
            ]
            for inner in branch.branches:
                if inner.is_list and inner.key is not None and inner.key.value == "source":
                    lines.extend(text for _, text in inner.texts)
            codes.append(lines)
        for line in sorted(
            (line for lines in codes for line in lines), key=lambda line: line.start
        ):
            yield from self._prose(prose_from, line.start)
            prose_from = line.end
        yield from self._prose(prose_from, len(self._tree.text))
        for lines in codes:
            yield from self._cell(language, lines)

    def _cell(self, language: Language, lines: list[Text]) -> Iterator[Candidate]:
        whole = Spliced()
        for line in lines:
            self._append(whole, line)
        code, statements = _without_magic(whole)
        for statement in statements:
            yield from scan_embedded(language_named("sql"), statement, self._source, self._subject)
        yield from scan_embedded(language, code, self._source, self._subject)

    def _kernel(self) -> str:
        for branch in self._root.below():
            if branch.under(frozenset({"kernelspec", "languageinfo"})):
                for key, text in branch.texts:
                    if key is not None and key.value in ("language", "name"):
                        for name, language in _KERNELS.items():
                            if name in text.value.lower():
                                return language
        return "python"

    def _spliced(self, text: Text) -> Spliced:
        spliced = Spliced()
        self._append(spliced, text)
        return spliced

    def _append(self, spliced: Spliced, text: Text) -> None:
        aligned(spliced, text.value, self._tree.text, text.start, '"', base=self._start)

    def _prose(self, start: int, end: int) -> Iterator[Candidate]:
        for match in self._subject.column_word.finditer(self._tree.text, start, end):
            place = self._start + match.start()
            yield Candidate(place, Confidence.POSSIBLE, context=Context.PROSE)


def _hits(data: bytes, subject: Subject, derived: frozenset[str]) -> list[int]:
    """The bytes where one of the words begins, in whatever habit of writing: entity_facts, EntityFact."""
    tables = (re.escape(name.rstrip("s")).replace("_", "[_-]?") for name in subject.table_names)
    words = "|".join([re.escape(subject.column), *tables, *map(re.escape, sorted(derived))])
    return [match.start() for match in re.finditer(words.encode(), data, re.IGNORECASE)]


def _value(spelling: str) -> str:
    if "\\" in spelling:
        try:
            return _HALF_PAIR.sub("\ufffd", str(json.loads(spelling, strict=False)))
        except ValueError:
            pass  # an escape that JSON doesn't know, or a string without its end
    return spelling.strip('"')


def _without_magic(cell: Spliced) -> tuple[Spliced, list[Spliced]]:
    """A cell's code without the notebook's own commands, and the statements that those run."""
    text = cell.text
    code, statements = Spliced(), list[Spliced]()
    if text.startswith("%%"):
        if text.startswith("%%sql"):
            statements.append(Spliced())
            copied(statements[0], cell, text.find("\n") + 1 or len(text), len(text))
        return code, statements
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if line.startswith("%sql "):
            statements.append(Spliced())
            copied(statements[-1], cell, start + len("%sql "), end)
        if line.startswith(("%", "!", "?")):
            code.literal("\n", cell.offset_at(start), fixed=True)
        else:
            copied(code, cell, start, end)
        start = end
    return code, statements
