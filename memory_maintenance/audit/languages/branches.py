"""Keys and values in trees of mappings and lists, judged by the branch that they stand in.

YAML and JSON describe tables in the same ways: metadata of Hasura and dbt, schemas, fixtures, queries beside
what is made of their columns. The nearest branch that names a table decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from pathlib import PurePosixPath

from memory_maintenance.audit.candidate import Candidate, Confidence, Context, Kind
from memory_maintenance.audit.languages.embedded import (
    language_named,
    language_of_file,
    scan_embedded,
)
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.spliced import Spliced
from memory_maintenance.audit.sqltext import Reading, may_be_sql, read_sql
from memory_maintenance.audit.subject import Subject

_TABLE_KEYS = frozenset(
    {"table", "tablename", "relationname", "relname", "targettable", "sourcetable"}
)
"""Keys whose value is a table's name, as `_folded` writes them."""
_COLLECTIONS = frozenset(
    {
        "tables",
        "models",
        "sources",
        "seeds",
        "snapshots",
        "relations",
        "schemas",
        "definitions",
        "$defs",
    }
)
"""Keys of mappings and lists that hold one table or schema under each key, or by each one's `name`."""
_SCHEMAS = frozenset({"schemas", "definitions", "$defs"})
_COLUMNS = frozenset({"columns", "fields", "properties"})
_ROWS = frozenset(
    {"row", "rows", "record", "records", "fields", "values", "objects", "fixtures", "insert", "set"}
)
_SCRIPTS = frozenset(
    {
        "run",
        "script",
        "scripts",
        "beforescript",
        "afterscript",
        "command",
        "commands",
        "cmd",
        "args",
        "entrypoint",
        "shell",
        "exec",
    }
)
_VERBS = frozenset(
    {
        "select",
        "insert",
        "update",
        "delete",
        "with",
        "merge",
        "copy",
        "create",
        "alter",
        "drop",
        "grant",
    }
)
_CLAUSES = frozenset(
    {"from", "join", "left", "inner", "where", "set", "and", "or", "do", "explain", "values"}
)
_CHECKS = "checks for "  # before the name of a dataset, in what Soda checks
_LONGEST_NAME = 200
# -name, name DESC, name.asc, name:desc: how orders are given.
_ORDERED = re.compile(
    r"\s*[-+]?([\w.$]+?)(?:[ .:](?:asc|desc)(?: nulls (?:first|last))?)?\s*", re.IGNORECASE
)


@dataclass(slots=True, eq=False)
class Text:
    """A key or a value. start, end: its spelling in the file. style: its quote or block sign."""

    value: str
    start: int
    end: int
    style: str = ""


@dataclass(slots=True, eq=False)
class Branch:
    """A mapping or a list. key: what it stands under in a mapping, also by way of lists in between.

    texts: its scalars with their keys, None in lists. keys: all its keys. merged: what it takes over from
    others.
    """

    is_list: bool
    key: Text | None = None
    parent: Branch | None = None
    keys: list[Text] = field(default_factory=list)
    texts: list[tuple[Text | None, Text]] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    merged: list[Branch] = field(default_factory=list)

    def around(self) -> Iterator[Branch]:
        """Itself and what it stands in, from the inside."""
        branch: Branch | None = self
        while branch is not None:
            yield branch
            branch = branch.parent

    def below(self) -> Iterator[Branch]:
        """Itself and all that stands in it."""
        waiting = [self]
        while waiting:
            branch = waiting.pop()
            yield branch
            waiting.extend(branch.branches)

    def under(self, keys: frozenset[str]) -> bool:
        """Whether it stands right under one of the keys, or in a list that does."""
        return self.key is not None and _folded(self.key.value) in keys


class _Says(IntEnum):
    """What a branch says of the table."""

    NOTHING = 0
    OTHERS = 1
    OURS = 2


class Judge:
    """Judges the texts of one file. spliced_of: gives a text with its places."""

    def __init__(
        self, source: Source, subject: Subject, spliced_of: Callable[[Text], Spliced]
    ) -> None:
        self._source = source
        self._subject = subject
        self._spliced_of = spliced_of
        self._singular = frozenset(_singular(name) for name in subject.table_names)
        self._said: dict[int, _Says] = {}
        self._inner: dict[int, _Says] = {}
        self._readings: dict[int, Reading | None] = {}

    def judged(self, root: Branch) -> Iterator[Candidate]:
        """A candidate for each place below a branch that something can be said of."""
        self._said.clear()
        self._inner.clear()
        self._readings.clear()
        for branch in root.below():
            for key in branch.keys:
                if self._concerns(key):
                    yield from self._key(key, branch)
            for holder, text in branch.texts:
                if self._concerns(text):
                    yield from self._value(holder, text, branch)

    def _concerns(self, text: Text) -> bool:
        """Whether a text has a word to look at. Whole rows need the table alone."""
        value = text.value
        if self._subject.column_word.search(value) or self._subject.table_word.search(value):
            return True
        return any(name in value for name in self._source.derived)

    # -- keys and values --

    def _key(self, key: Text, branch: Branch) -> Iterator[Candidate]:
        """A key of a mapping."""
        offset = self._exact(key)
        if offset is None:
            yield from self._statement(key, branch)
            return
        beside = {_folded(other.value) for other in branch.keys}
        if "columnname" in beside:
            because = "information_schema's own column, or a list like it"
            yield Candidate(offset, Confidence.UNRELATED, because=because)
        elif "name" in beside and branch.under(_COLUMNS):
            because = "the type of the column that is named beside it"
            yield Candidate(offset, Confidence.UNRELATED, because=because)
        else:
            yield self._placed(offset, self._kind_of_key(branch), branch)

    def _kind_of_key(self, branch: Branch) -> Kind:
        if branch.under(frozenset({"properties", "columns"})) and not branch.is_list:
            return Kind.DEFINITION
        if self._is_fixture or any(outer.under(_ROWS) for outer in branch.around()):
            return Kind.WRITE
        return Kind.READ

    def _value(self, key: Text | None, text: Text, branch: Branch) -> Iterator[Candidate]:
        """A value of a mapping or an item of a list."""
        offset = self._exact(text)
        if offset is not None:
            named = key is not None and _folded(key.value) == "name" and branch.under(_COLUMNS)
            kind = Kind.DEFINITION if named else Kind.READ
            yield self._placed(offset, kind, branch)
            return
        language = language_of_file(key.value) if key is not None else None
        if language is None and self._is_script(key, text, branch):
            language = language_named("shell")
        if language is None:
            yield from self._statement(text, branch)
        else:
            spliced = self._spliced_of(text)
            yield from scan_embedded(language, spliced, self._source, self._subject)

    def _is_script(self, key: Text | None, text: Text, branch: Branch) -> bool:
        """Whether a text is for a shell. A list of arguments may hold a statement of its own."""
        named = (key is not None and _folded(key.value) in _SCRIPTS) or branch.under(_SCRIPTS)
        return named and _first_word(text.value) not in _VERBS

    def _exact(self, text: Text) -> int | None:
        """Where the column's name stands in a text that is nothing else, but for qualifier and direction."""
        if len(text.value) > _LONGEST_NAME:
            return None
        ordered = _ORDERED.fullmatch(text.value)
        if ordered is None:
            return None
        qualifier, _, name = ordered[1].rpartition(".")
        if name.lower() != self._subject.column.lower() or not _is_name(qualifier):
            return None
        place = ordered.end(1) - len(name)
        return self._spliced_of(text).offset_at(place)

    def _statement(self, text: Text, branch: Branch) -> Iterator[Candidate]:
        reading = self._reading(text)
        if reading is None or not reading.is_sql:
            return
        told = _first_word(text.value) in _VERBS | _CLAUSES
        for candidate in reading.candidates:
            if candidate.confidence is Confidence.UNRELATED and not told:
                continue  # two words of a sentence look like a column and its alias
            if candidate.near and candidate.context is not Context.PROSE:
                yield self._placed(candidate.offset, candidate.kind, branch, candidate)
            else:
                yield candidate

    def _placed(
        self, offset: int, kind: Kind, branch: Branch, known: Candidate | None = None
    ) -> Candidate:
        """A place that its branch decides on."""
        candidate = known or Candidate(offset, Confidence.POSSIBLE, kind)
        for around in branch.around():
            says = self._says(around)
            if says is _Says.OURS:
                return replace(candidate, confidence=Confidence.LIKELY, near=False)
            if says is _Says.OTHERS:
                because = "in a branch about another table"
                return replace(
                    candidate, confidence=Confidence.UNRELATED, near=False, because=because
                )
        if self._by_file_name:
            return replace(candidate, confidence=Confidence.LIKELY, near=False)
        return replace(candidate, near=True)

    # -- what branches are about --

    @cached_property
    def _is_fixture(self) -> bool:
        return "fixtures" in PurePosixPath(self._source.path).parts

    @cached_property
    def _by_file_name(self) -> bool:
        return self._is_ours(PurePosixPath(self._source.path).name.split(".")[0])

    def _says(self, branch: Branch) -> _Says:
        known = self._said.get(id(branch))
        if known is None:
            known = self._itself(branch)
            if known is not _Says.OURS:
                # Joined to ours further inside: whose columns these are can't be told.
                known = max(known, self._inside(branch))
            self._said[id(branch)] = known
        return known

    def _itself(self, branch: Branch) -> _Says:
        """By its own key, names and statements."""
        found = [self._by_key(branch)]
        for part in (*branch.merged, branch):
            for key, text in part.texts:
                if self._is_ours(text.value):
                    return _Says.OURS
                if key is not None and self._tells_table(key, branch):
                    found.append(_Says.OTHERS)
        for inner in branch.branches:
            if inner.under(_TABLE_KEYS) and not branch.is_list and not inner.is_list:
                named = [t.value for k, t in inner.texts if k is not None and k.value == "name"]
                ours = any(self._is_ours(name) for name in named)
                found.append(_Says.OURS if ours else _Says.OTHERS if named else _Says.NOTHING)
        if not branch.is_list:
            found.extend(self._by_statement(text) for _, text in branch.texts)
        return max(found)

    def _by_key(self, branch: Branch) -> _Says:
        """By the key that it stands under, where keys are names of tables or schemas."""
        if branch.key is None:
            return _Says.NOTHING
        if branch.key.value.startswith(_CHECKS):
            ours = self._is_ours(branch.key.value.removeprefix(_CHECKS))
            return _Says.OURS if ours else _Says.OTHERS
        if branch.is_list:
            return _Says.NOTHING
        key, parent = branch.key.value, branch.parent
        if parent is None or parent.is_list:
            return _Says.NOTHING
        if self._is_ours(key):
            return _Says.OURS
        if parent.under(_SCHEMAS) and self._resembles_ours(key):
            return _Says.OURS
        return _Says.OTHERS if parent.under(_COLLECTIONS) else _Says.NOTHING

    def _tells_table(self, key: Text, branch: Branch) -> bool:
        """Whether the value of a key is the name of a table."""
        word = _folded(key.value)
        if word in _TABLE_KEYS:
            return True
        if word == "name":
            in_list = branch.parent is not None and branch.parent.is_list
            return in_list and branch.under(_COLLECTIONS)
        beside = {_folded(other.value) for other in branch.keys}
        return word == "model" and "fields" in beside

    def _inside(self, branch: Branch) -> _Says:
        """By what stands further inside. Other tables count only for the parts of one thing."""
        # From the inside outwards, each branch once, however deep it all is.
        waiting, unknown = list(branch.branches), [branch]
        while waiting:
            inner = waiting.pop()
            if id(inner) not in self._inner:
                unknown.append(inner)
                waiting.extend(inner.branches)
        for known in reversed(unknown):
            said = (max(self._alone(i), self._inner[id(i)]) for i in known.branches)
            self._inner[id(known)] = max(said, default=_Says.NOTHING)
        says = self._inner[id(branch)]
        outermost = branch.parent is None
        silent = says is not _Says.OURS and (branch.is_list or outermost)
        return _Says.NOTHING if silent else says

    def _alone(self, branch: Branch) -> _Says:
        """By its own texts and key, as part of what it stands in."""
        if self._by_key(branch) is _Says.OURS:
            return _Says.OURS
        says = _Says.NOTHING
        for _, text in branch.texts:
            if self._is_ours(text.value):
                return _Says.OURS
            says = max(says, self._by_statement(text))
        return says

    def _by_statement(self, text: Text) -> _Says:
        reading = self._reading(text) if _first_word(text.value) in _VERBS else None
        if reading is None or not reading.is_sql:
            return _Says.NOTHING
        return _Says.OURS if reading.ours else _Says.OTHERS if reading.others else _Says.NOTHING

    def _reading(self, text: Text) -> Reading | None:
        if id(text) not in self._readings:
            self._readings[id(text)] = (
                read_sql(self._spliced_of(text), self._subject, derived=self._source.derived)
                if may_be_sql(text.value)
                else None
            )
        return self._readings[id(text)]

    def _is_ours(self, name: str) -> bool:
        return len(name) < _LONGEST_NAME and _singular(name) in self._singular

    def _resembles_ours(self, name: str) -> bool:
        """Schemas come in variants: EntityFactCreate, NewEntityFact."""
        folded = _folded(name)
        return any(folded.startswith(ours) or folded.endswith(ours) for ours in self._singular)


def _first_word(value: str) -> str:
    words = value.lstrip(" \t\r\n(;")[:10].split(maxsplit=1)
    return words[0].lower() if words else ""


def _is_name(qualifier: str) -> bool:
    return all(part.isidentifier() for part in qualifier.split(".")) if qualifier else True


def _folded(name: str) -> str:
    """A name whatever the habits of its language: entity_facts, EntityFacts, entity-facts."""
    return name.strip().lower().replace("_", "").replace("-", "")


def _singular(name: str) -> str:
    """The same without schema or module, and whether one or many."""
    return _folded(name.rpartition(".")[2]).rstrip("s")
