"""SQL that isn't whole: clauses without their statement, statements with holes or without an end.

Each attempt to make it whole keeps the length of what is there, so that positions hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from memory_maintenance.audit.parsing import (
    Node,
    Token,
    descendants,
    kind_of,
    parsed,
    statements_of,
    tokens_of,
    unwrapped,
)
from memory_maintenance.audit.stated import UNNAMED, is_placeholder, split_name

# What a clause needs before it to be a statement, by its first word. @ stands for the unnamed table.
_BEFORE: Mapping[str, tuple[str, ...]] = {
    "from": ("SELECT 1 ",),
    "where": ("SELECT 1 FROM @ ",),
    "having": ("SELECT 1 FROM @ ",),
    "join": ("SELECT 1 FROM @ ",),
    "left": ("SELECT 1 FROM @ ",),
    "right": ("SELECT 1 FROM @ ",),
    "inner": ("SELECT 1 FROM @ ",),
    "cross": ("SELECT 1 FROM @ ",),
    "order": ("SELECT 1 FROM @ ",),
    "group": ("SELECT 1 FROM @ ",),
    "union": ("SELECT 1 FROM @ ",),
    "and": ("SELECT 1 FROM @ WHERE true ",),
    "or": ("SELECT 1 FROM @ WHERE true ",),
    "not": ("SELECT 1 FROM @ WHERE ",),
    "set": ("UPDATE @ ",),
    "values": ("INSERT INTO @ ",),
    "returning": ("DELETE FROM @ ",),
    "on": ("INSERT INTO @ DEFAULT VALUES ", "SELECT 1 FROM @ JOIN @ "),
    "do": ("INSERT INTO @ DEFAULT VALUES ON CONFLICT (id) ",),
    "when": ("MERGE INTO @ USING @ ON true ",),
    "add": ("ALTER TABLE @ ",),
    "drop": ("ALTER TABLE @ ",),
    "check": ("ALTER TABLE @ ADD ",),
    "constraint": ("ALTER TABLE @ ADD ",),
    "(": ("INSERT INTO @ ", "SELECT "),
    ",": ("SELECT 1 ",),
}
_EXPRESSION = ("SELECT ",)
_COLUMN_DEFINITION = ("ALTER TABLE @ ADD COLUMN ",)
_ORDER = ("SELECT 1 FROM @ ORDER BY ",)
# Of clauses that prose begins with too, one of these must follow.
_SIGNS = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "(", ",", ".", "::", "~", "||", "->>"})
_PROSAIC = frozenset(
    {
        "and",
        "or",
        "not",
        "where",
        "from",
        "on",
        "set",
        "order",
        "when",
        "left",
        "right",
        "do",
        "add",
        "drop",
        "check",
    }
)
_ORDERS = frozenset({"asc", "desc", "first", "last"})
_TYPES = frozenset(
    {"text", "varchar", "char", "character", "citext", "name", "bpchar", "integer", "int"}
)
_SIGN_WORDS = frozenset({"in", "is", "like", "ilike", "between", "any"})
# Placeholders of drivers and templates that a scanner has left in the text.
_PLACEHOLDER = re.compile(
    r"%\(\w+\)s|%(?:\d+\$)?[sIL]|\$\{[^{}\n]*\}|\#\{[^{}\n]*\}|\{\{[^{}\n]*\}\}|\{[\w.!:\[\]]*\}|(?<![:\w]):[A-Za-z_]\w*|\?"
    r"|(?<![\w@])@\w+|\$[A-Za-z_]\w*"
)
_TAILS = ("", f" {UNNAMED}", " (1)", f" = {UNNAMED}", " SELECT 1")
_DEEPEST_TAIL = 4


class Readable(NamedTuple):
    """A statement that could be read. shift: bytes that were put before it."""

    tree: Node
    shift: int


def readable(text: str, holes: Mapping[str, str | None]) -> Readable | None:
    """A statement, or a clause made one; None where neither can be read."""
    for attempt in _attempts(text, holes):
        tree = parsed(attempt)
        if tree is not None and tree.stmts:
            # SET column = value is a command too, of a setting.
            if _sets(tree) and (found := _clause(text, holes)) is not None:
                return found._replace(tree=_filled(found.tree, holes))
            return Readable(_filled(tree, holes), 0)
    found = _clause(text, holes)
    if found is None:
        return None
    return found._replace(tree=_filled(found.tree, holes))


def _sets(tree: Node) -> bool:
    return all(kind_of(statement) == "VariableSetStmt" for statement in statements_of(tree))


def _attempts(text: str, holes: Mapping[str, str | None]) -> Iterator[str]:
    yield text
    changed = text
    for mend in (_without_placeholders, _around_holes(holes), _without_dangling_holes(holes)):
        mended = mend(changed)
        if mended != changed:
            yield mended
            changed = mended
    tokens = tokens_of(changed) or []
    if not tokens or tokens[0].word not in _STATEMENT_WORDS:
        return
    depth = sum((t.text == "(") - (t.text == ")") for t in tokens)
    if depth < 0 or depth > _DEEPEST_TAIL:
        return
    stripped = changed.rstrip().rstrip(",;")
    for tail in _TAILS:
        if depth or tail or stripped != changed:
            yield stripped + tail + ")" * depth


_STATEMENT_WORDS = frozenset(
    {"select", "insert", "update", "delete", "merge", "with", "create", "alter", "copy", "values"}
)


def _without_placeholders(text: str) -> str:
    # Inside of quotes they do no harm: there the text is left alone by what follows the parse.
    return _PLACEHOLDER.sub(lambda m: "_" + "z" * (len(m[0]) - 1) if len(m[0]) > 1 else "1", text)


def _around_holes(holes: Mapping[str, str | None]) -> Callable[[str], str]:
    """Where PostgreSQL allows no name: VALUES %s, IN %s, INTERVAL %s."""
    named = "|".join([*map(re.escape, holes), r"_z+"])
    pattern = re.compile(
        rf"\b(VALUES|IN|INTERVAL|TIMESTAMPTZ|DATE)(\s+(?:{named})\b)", re.IGNORECASE
    )
    instead = {"values": "SELECT", "in": "= "}

    def mend(text: str) -> str:
        return pattern.sub(lambda m: instead.get(m[1].lower(), " " * len(m[1])) + m[2], text)

    return mend


def _without_dangling_holes(holes: Mapping[str, str | None]) -> Callable[[str], str]:
    """Holes that stand for whole clauses: what comes before them doesn't wait for a name."""

    def dangles(token: Token) -> bool:
        unknown = holes.get(token.text) is None and token.text in holes
        return token.kind == "name" and (unknown or is_placeholder(token.text))

    def mend(text: str) -> str:
        tokens = tokens_of(text) or []
        raw = bytearray(text.encode())
        for before, token in pairwise(tokens):
            ends = before.kind in ("name", "string") or before.text in (
                ")",
                "*",
                "true",
                "false",
                "null",
            )
            if dangles(token) and (ends or before.text.isdigit()):
                raw[token.start : token.end] = b" " * (token.end - token.start)
        return raw.decode(errors="replace")

    return mend


def _clause(text: str, holes: Mapping[str, str | None]) -> Readable | None:
    for changed in dict.fromkeys((text, _without_placeholders(text))):
        mended = _around_holes(holes)(changed)
        tokens = tokens_of(mended)
        if not tokens or not _may_be_clause(tokens):
            continue
        word = tokens[0].word or tokens[0].text
        for before in _BEFORE.get(word) or _bare(tokens):
            stripped = mended.rstrip().rstrip(",")
            depth = sum((t.text == "(") - (t.text == ")") for t in tokens)
            for tail in ("", f" {UNNAMED}", " VALUES (1)", " SELECT 1"):
                tree = parsed(before.replace("@", UNNAMED) + stripped + tail + ")" * max(depth, 0))
                if (
                    tree is not None
                    and len(tree.stmts) == 1
                    and not _is_prose(tree, before, tokens)
                ):
                    return Readable(tree, len(before.replace("@", UNNAMED)))
    return None


def _bare(tokens: list[Token]) -> tuple[str, ...]:
    """What must stand before what begins with none of SQL's words."""
    if tokens[-1].word in _ORDERS:
        return _ORDER
    # A type is one word, or one with a length: what is longer is prose more often than a definition.
    types = len(tokens) > 1 and tokens[1].kind != "sign" and tokens[1].word in _TYPES
    return (*_EXPRESSION, *_COLUMN_DEFINITION) if types else _EXPRESSION


def _may_be_clause(tokens: list[Token]) -> bool:
    """Whether words are a clause rather than prose, by what stands between them."""
    if len(tokens) < 2:
        return False
    first = tokens[0]
    if tokens[-1].word in ("asc", "desc") and all(t.word or t.sign in (",", ".") for t in tokens):
        return True
    if first.word in _BEFORE and first.word not in _PROSAIC:
        return True
    if first.word in ("order", "group") and tokens[1].word == "by":
        return True
    return any(t.text in _SIGNS or t.word in _SIGN_WORDS for t in tokens[1:])


def _is_prose(tree: Node, before: str, tokens: list[Token]) -> bool:
    """Two words side by side would be a column with an alias: in a clause of its own that is prose."""
    if before not in _EXPRESSION:
        return False
    if any(t.word == "as" for t in tokens):
        return False
    statement = statements_of(tree)[0]
    targets = [unwrapped(target) for target in getattr(statement, "target_list", ())]
    return any(target.name for target in targets)


def _filled(tree: Node, holes: Mapping[str, str | None]) -> Node:
    """The tree with the values of its holes, where they are known and names."""
    known = {name: value for name, value in holes.items() if value}
    if not known:
        return tree
    for _, node in descendants(tree):
        kind = kind_of(node)
        if kind == "RangeVar" and node.relname in known:
            schema, node.relname = split_name(known[node.relname])
            if schema:
                node.schemaname = schema
        elif kind == "RangeVar" and node.schemaname in known:
            node.schemaname = split_name(known[node.schemaname])[1]
        elif kind == "String" and node.sval in known:
            node.sval = split_name(known[node.sval])[1]
        elif kind == "ResTarget" and node.name in known:
            node.name = split_name(known[node.name])[1]
    return tree
