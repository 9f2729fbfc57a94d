"""A YAML file as a tree that remembers its lines; the traps of YAML are closed here (spec 10).

The tree is built from PyYAML's parser events rather than by its constructors: nothing but text,
numbers, null, true and false can come out, depth and size are bounded before anything is built, and
each value keeps its line. The scalars are those of YAML 1.2: ``no``, ``on``, ``1:30`` and dates are
text; numbers are decimal. No message quotes the file, since a line of it may hold a password.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import yaml

from memory_maintenance.errors import ConfigProblem

Key = str | None
Path = tuple[Key | int, ...]
Scalar = str | int | float | bool | None

MAX_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 24
MAX_NODES: Final = 20_000
MAX_PROBLEMS: Final = 100

SYNTAX: Final = "syntax"
"""The key of a fault that belongs to no key: the text isn't YAML, or not text."""

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
# No leading zeros: 017 is 15 to YAML 1.1 and 17 to YAML 1.2, so it is no number to us.
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_DECIMAL: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII
)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_PLAIN_NAME: Final = re.compile(r"[^\W\d][\w-]*")

# What PyYAML says, and what an operator can do about it. Its own words may quote the file.
_SYNTAX_ADVICE: Final = (
    ("'\\t'", "YAML isn't indented with tabs: use spaces"),
    ("mapping values are not allowed", "a colon is out of place: check the indentation and quotes"),
    ("could not find expected ':'", "a key needs a colon and a space after it"),
    ("expected <block end>", "the indentation doesn't fit the lines above"),
    ("expected ',' or", "a bracket isn't closed, or a comma is missing"),
    ("found unexpected end of stream", "a quote isn't closed"),
    ("while scanning a quoted scalar", "a quote isn't closed, or has a backslash within"),
    ("unknown escape", "a backslash in double quotes starts an escape: use single quotes"),
    ("cannot start any token", "text that starts with %, @ or ` needs quotes"),
    ("expected alphabetic or numeric character", "text that starts with & or * needs quotes"),
    ("tag", "text that starts with ! needs quotes"),
    ("directive", "a line that starts with % is a directive, and none is needed here"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was set.

    file: "built-in", the path of a file as given, the name of an environment variable or of an
    option. line: 1-based, None where the origin has no lines.
    """

    file: str
    line: int | None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A single value. text: as it was written, without quotes."""

    value: Scalar
    text: str = field(repr=False)
    origin: Origin


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    nodes: tuple[Node, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Branch:
    """Keys and what stands under them. The key None is YAML's null."""

    nodes: Mapping[Key, Node]
    origin: Origin


Node = Leaf | Items | Branch


@dataclass(frozen=True, slots=True)
class Document:
    """What could be read of a file, and what was wrong with the rest.

    root: an empty branch where the file is empty or unreadable. refused: the paths that were left
    out of it because of a fault that is among the problems.
    """

    root: Branch
    problems: tuple[ConfigProblem, ...] = ()
    refused: frozenset[Path] = frozenset()


def read_document(data: bytes, file: str) -> Document:
    """The tree in a file's bytes, with all faults of its form. Never raises for what data holds.

    data: UTF-8, with or without a byte order mark, at most MAX_BYTES. file: its name, for messages.
    An empty file, or one of comments only, is an empty tree.
    """
    problems: list[ConfigProblem] = []
    try:
        reader = _Reader(_decode(data), file, problems)
        root = reader.root()
    except _UnreadableError as fault:
        problems.append(ConfigProblem(file, fault.line, SYNTAX, "not valid", fault.advice))
        return Document(Branch({}, Origin(file, None)), tuple(problems), frozenset({()}))
    return Document(root, tuple(problems), frozenset(reader.refused))


def resolve_plain(text: str) -> Scalar:
    """The value of unquoted text in YAML. Raises ValueError for what is no finite number."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NOT_FINITE.fullmatch(text):
        raise ValueError("write a finite number")
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError("that number is too large")
        return number
    return text


def dotted(path: Path) -> str:
    """A path as people write it: ``durability.mood.half_life``, ``category."a.b"``, ``run[1]``."""
    if path[:1] == ("database",):
        # No section has keys below these; a name there may be a piece of a connection string.
        path = path[:2]
    said = ""
    for part in path:
        match part:
            case int():
                said += f"[{part}]"
            case None:
                said += ".null"
            case _:
                said += "." + (
                    part if _PLAIN_NAME.fullmatch(part) and part != "null" else _quoted(part)
                )
    return said.removeprefix(".")


def leaves(node: Node, path: Path = ()) -> Iterator[tuple[Path, Leaf | Items]]:
    """Every single value and every list at or below node, with its path; in the file's order."""
    if isinstance(node, Branch):
        for key, below in node.nodes.items():
            yield from leaves(below, (*path, key))
    else:
        yield path, node


def looks_secret(text: str) -> bool:
    """Whether text may hold a password: anything like a URL or a connection string."""
    return any(sign in text.lower() for sign in ("://", "@", "=", "password", "secret", "token"))


def _quoted(name: str) -> str:
    if looks_secret(name):
        return "(hidden)"
    escaped = name.encode("unicode_escape").decode() if not name.isprintable() else name
    return f'"{escaped}"' if len(escaped) <= 60 else f'"{escaped[:57]}..."'


class _UnreadableError(Exception):
    """The file as a whole can't be read. line: 1-based or None."""

    def __init__(self, line: int | None, advice: str) -> None:
        super().__init__(advice)
        self.line = line
        self.advice = advice


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise _UnreadableError(None, "a configuration has at most 1 MiB: this is another file")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _UnreadableError(1, "the file is UTF-16: save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _UnreadableError(line, "the file isn't UTF-8 here: save it as UTF-8") from None
    return text


class _Reader:
    def __init__(self, text: str, file: str, problems: list[ConfigProblem]) -> None:
        self._file = file
        self._text = text
        self._problems = problems
        self._events = self._parse()
        self._nodes = 0
        self.refused: set[Path] = set()

    def root(self) -> Branch:
        node: Node | None = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    line = _line_of(event)
                    raise _UnreadableError(
                        line, "a second document starts here: keep one (a single ---)"
                    )
                node = self._node(next(self._events), (), None)
        match node:
            case Branch():
                return node
            case None | Leaf(value=None):
                return Branch({}, Origin(self._file, None))
        raise _UnreadableError(node.origin.line, "a configuration has keys, such as durability:")

    def _parse(self) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(self._text, Loader=yaml.SafeLoader)
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position) + 1
            raise _UnreadableError(line, "there is a control character here") from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            words = f"{error.problem} {error.context}"
            advice = next((a for sign, a in _SYNTAX_ADVICE if sign in words), "this isn't YAML")
            raise _UnreadableError(mark.line + 1 if mark else None, advice) from None
        except yaml.YAMLError:
            raise _UnreadableError(None, "this isn't YAML") from None

    def _node(self, event: yaml.Event, path: Path, line: int | None) -> Node | None:
        """What starts with this event, or None where it was refused and left out.

        line: that of the key, which is where a reader looks for the value.
        """
        here = _line_of(event)
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise _UnreadableError(here, "no configuration is this long or this deeply nested")
        origin = Origin(self._file, line or here)
        fault = _fault_of(event)
        node: Node | None = None
        match event:
            case yaml.MappingStartEvent():
                node = Branch(self._entries(path), origin)
            case yaml.SequenceStartEvent():
                node = self._items(path, origin)
            case yaml.ScalarEvent() if fault is None:
                try:
                    plain = event.implicit[0]
                    value = resolve_plain(event.value) if plain else event.value
                    node = Leaf(value, event.value, origin)
                except ValueError as error:
                    seen = "(hidden)" if path[:1] == ("database",) else event.value
                    fault = (seen, str(error))
        if fault is not None:
            self._refuse(path, origin.line, *fault)
            return None
        return node

    def _items(self, path: Path, origin: Origin) -> Items | None:
        nodes: list[Node | None] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            nodes.append(self._node(event, (*path, len(nodes)), None))
        whole = tuple(node for node in nodes if node is not None)
        if len(whole) < len(nodes):
            # A list with a gap would be reported a second time, as too short.
            self.refused.add(path)
            return None
        return Items(whole, origin)

    def _entries(self, path: Path) -> dict[Key, Node]:
        nodes: dict[Key, Node] = {}
        first: dict[Key, int] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            line = _line_of(event)
            key = self._key(event, path)
            if isinstance(key, _NoKey):
                self._skip(next(self._events))
                continue
            if key in first:
                said = f"given twice (first on line {first[key]})"
                self._report((*path, key), line, said, "keep one of them")
                self._skip(next(self._events))
                continue
            first[key] = line
            node = self._node(next(self._events), (*path, key), line)
            if node is not None:
                nodes[key] = node
        return nodes

    def _skip(self, event: yaml.Event) -> None:
        """Pass over what starts with this event; its faults don't matter, since it isn't read."""
        depth = 0
        while True:
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth == 0:
                return
            event = next(self._events)

    def _key(self, event: yaml.Event, path: Path) -> Key | _NoKey:
        line = _line_of(event)
        if not isinstance(event, yaml.ScalarEvent):
            self._skip(event)
            said = "used as a key" if not isinstance(event, yaml.AliasEvent) else "an alias"
            self._refuse(
                (*path, "(key)"),
                line,
                said,
                "a key is a name: this is a list, a mapping or an alias",
            )
            return _NO_KEY
        plain = event.implicit[0]
        if plain and event.value == "<<":
            self._refuse((*path, "<<"), line, "a merge key", "write out what it stands for")
            if path:
                # What it would have brought is missing now, which isn't another fault.
                self.refused.add(path)
            return _NO_KEY
        fault = _fault_of(event)
        if fault is not None:
            self._refuse((*path, "(key)"), line, *fault)
            return _NO_KEY
        # A key is a name, whatever it looks like: no, on, 123 and true are names of categories.
        return None if plain and event.value in _NULL else str(event.value)

    def _refuse(self, path: Path, line: int | None, seen: str, allowed: str) -> None:
        self._report(path, line, seen, allowed)
        self.refused.add(path)

    def _report(self, path: Path, line: int | None, seen: str, allowed: str) -> None:
        if len(self._problems) >= MAX_PROBLEMS:
            raise _UnreadableError(
                line, f"there are more than {MAX_PROBLEMS} faults: this is another file"
            )
        self._problems.append(ConfigProblem(self._file, line, dotted(path), seen, allowed))


class _NoKey:
    """Stands for a key that was refused; None is a key."""


_NO_KEY: Final = _NoKey()


def _line_of(event: yaml.Event) -> int:
    mark = event.start_mark
    assert mark is not None, "every event of a parsed text has its place"
    return mark.line + 1


def _fault_of(event: yaml.Event) -> tuple[str, str] | None:
    if isinstance(event, yaml.AliasEvent):
        return "an alias", "aliases aren't read: write the value out"
    tag = getattr(event, "tag", None)
    if tag is not None:
        return "tagged", "tags (!...) aren't read: leave it out, or put the text in quotes"
    return None
