"""SQL as trees, and as words where it can't be parsed, by PostgreSQL's own parser. Nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

# A message of libpg_query's tree: which one is known at run time only.
Node = Any

YIELDING = frozenset({"SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"})
"""The kinds of statements that may yield rows, and stand in WITH."""
LONGEST_STATEMENT = 200_000
"""A longer one is better judged by its words: parsing takes about a second a megabyte."""
# Shorter texts can't be nested so deeply that the parser minds.
_SURELY_SHALLOW = 2_000
_DEEPEST = 1_000
_NESTING = frozenset(
    {"not", "case", "select", "is", "like", "ilike", "collate", "at", "in", "between"}
)
_CHAINED = frozenset({"union", "except", "intersect", "join"})
# A character by its number, in U&"...".
_ESCAPE = re.compile(r"\\(?:\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))")


class Token(NamedTuple):
    """A word of SQL. text: a name as PostgreSQL folds it, a string's contents; else the sign itself."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The name or keyword; empty for strings and signs."""
        return self.text if self.kind in ("name", "keyword") else ""

    @property
    def sign(self) -> str:
        """The sign; empty for words and strings."""
        return self.text if self.kind == "sign" else ""


def _postgast() -> Any:
    """The bindings of PostgreSQL's own parser: heavy, and with stubs that mypy itself can't parse."""
    return import_module("postgast")


def parsed(text: str) -> Node | None:
    """The tree of one or more statements, or None where they can't be read.

    Besides errors of syntax that is what is nested too deeply, for a message to hold or for the parser
    itself, which would take the whole process down.
    """
    postgast = _postgast()
    if len(text) > _SURELY_SHALLOW and is_deep(tokens_of(text) or ()):
        return None
    too_deep: type[Exception] = import_module("google.protobuf.message").DecodeError
    try:
        return postgast.parse(text)
    except (postgast.PgQueryError, too_deep, RecursionError, UnicodeEncodeError):
        return None  # the last one: half a surrogate pair, which no encoding has


def is_deep(tokens: Iterable[Token]) -> bool:
    """Whether an expression, or a chain of queries, may be nested deeper than PostgreSQL's parser bears.

    Chains of AND and OR, and lists, are flat; those of other operators, of UNION and of JOIN are not.
    """
    depth = run = queries = 0
    for token in tokens:
        if token.sign in ("(", "["):
            depth += 1
        elif token.sign in (")", "]"):
            depth -= 1
        elif token.sign in (",", ";") or token.word in ("and", "or"):
            run = 0
        elif token.sign not in ("", ".") or token.word in _NESTING:
            run += 1
        queries += token.word in _CHAINED
        if max(depth, run, queries) > _DEEPEST:
            return True
    return False


def statements_of(tree: Node) -> list[Node]:
    """The statements of a tree."""
    return [unwrapped(raw.stmt) for raw in tree.stmts]


def children(node: Node) -> Iterator[tuple[str, Node]]:
    """The messages right below a node of a parse tree, with the names of their fields."""
    for descriptor, value in node.ListFields():
        if descriptor.message_type is None:
            continue
        if hasattr(value, "ListFields"):
            yield descriptor.name, unwrapped(value)
        else:
            for item in value:
                yield descriptor.name, unwrapped(item)


def kind_of(node: Node) -> str:
    """The kind of a node: "SelectStmt"."""
    return str(node.DESCRIPTOR.name)


def unwrapped(node: Node) -> Node:
    """What a node holds that is only a wrapper around one of another kind; else the node itself."""
    if node.DESCRIPTOR.name != "Node":
        return node
    which = node.WhichOneof("node")
    return node if which is None else getattr(node, which)


def descendants(node: Node) -> Iterator[tuple[str, Node]]:
    """All messages below a node, each before those below it, with the names of their fields."""
    for name, part in children(node):
        yield name, part
        yield from descendants(part)


def parts_of(node: Node) -> tuple[list[str], bool]:
    """The names of a column reference, and whether a star ends it."""
    fields: list[Any] = [unwrapped(part) for part in node.fields]
    star = bool(fields) and kind_of(fields[-1]) == "A_Star"
    return [part.sval for part in fields if kind_of(part) == "String"], star


def inserts(node: Node) -> bool:
    """Whether a WHEN clause of MERGE inserts."""
    return bool(node.command_type == _postgast().pg_query_pb2.CMD_INSERT)


def tokens_of(text: str, *, comments: bool = False) -> list[Token] | None:
    """The words of a text; None where even the lexer can't read it.

    comments: with those among them, as a kind of their own.
    """
    postgast = _postgast()
    try:
        scanned = postgast.scan(text)
    except (postgast.PgQueryError, UnicodeEncodeError):
        return None
    raw = text.encode()
    number = postgast.pg_query_pb2.Token.Value
    remarks = {number("SQL_COMMENT"), number("C_COMMENT")}
    strings = {number(kind) for kind in ("SCONST", "USCONST", "XCONST", "BCONST")}
    names = {number("IDENT"), number("UIDENT")}
    found = []
    for token in scanned.tokens:
        kind, start, end = token.token, token.start, token.end
        if kind in remarks and not comments:
            continue
        word = raw[start:end].decode(errors="replace")
        if kind in remarks:
            found.append(Token("comment", word, start, end))
        elif kind in names:
            found.append(Token("name", folded(word), start, end))
        elif kind in strings:
            found.append(Token("string", _unquoted(word), start, end))
        elif token.keyword_kind:
            found.append(Token("keyword", word.lower(), start, end))
        else:
            found.append(Token("sign", word, start, end))
    return found


def folded(word: str) -> str:
    """A name as PostgreSQL reads it: in lower case, or as quoted."""
    if word.startswith('"'):
        return word[1:-1].replace('""', '"')
    if word[:3].lower() == 'u&"':
        plain = word[3:-1].replace('""', '"')
        return _ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)), plain)
    return word.lower()


def _unquoted(word: str) -> str:
    if "\\" in word and word[:1] in "eEuU":
        # E'...' and U&'...' have escapes: PostgreSQL's own parser knows them all.
        tree = parsed(f"SELECT {word}")
        if tree is not None:
            constant = unwrapped(unwrapped(statements_of(tree)[0].target_list[0]).val)
            return str(constant.sval.sval)
    if match := re.match(r"\$[^$]*\$", word):
        return word[match.end() : -match.end()]
    start = word.find("'")
    return word[start + 1 : -1].replace("''", "'")


def has_word(text: str, word: str) -> bool:
    """Whether a text has the word, in whatever case, and not as a part of another."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None
