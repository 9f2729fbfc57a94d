"""Where the comments of a file are, by its language's own grammar."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from memory_maintenance.audit.languages import Language
from memory_maintenance.audit.languages.unreadable import Unreadable
from memory_maintenance.audit.parsing import tokens_of
from memory_maintenance.audit.source import Source

Spans = tuple[tuple[int, int], ...]


def remarks_in(source: Source, language: Language) -> Spans | None:
    """The comments of a text, begin and end; None where its language has no grammar here, or refuses it.

    Of a shell script the bodies of here-documents too, which are of whatever language.
    """
    reader = _READERS.get(language.name)
    if reader is None:
        return None
    try:
        return tuple(reader(source))
    except (Unreadable, RecursionError, SyntaxError, tokenize.TokenError):
        return None


def _python(source: Source) -> Iterator[tuple[int, int]]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield source.offset_of(*token.start), source.offset_of(*token.end)


def _sql(source: Source) -> Iterator[tuple[int, int]]:
    tokens = tokens_of(source.text, comments=True)
    if tokens is None:
        raise Unreadable("not to be told apart")
    raw = source.text.encode()
    passed = offset = 0
    for token in tokens:
        if token.kind == "comment":
            offset += len(raw[passed : token.start].decode())
            passed = token.start
            yield offset, offset + len(raw[token.start : token.end].decode())


def _shell(source: Source) -> Iterator[tuple[int, int]]:
    import tree_sitter_bash

    yield from _nodes(source, tree_sitter_bash.language(), {"comment", "heredoc_body"})


def _script(source: Source) -> Iterator[tuple[int, int]]:
    import tree_sitter_javascript as javascript
    import tree_sitter_typescript as typescript

    name = PurePosixPath(source.path).name.lower()
    if ".ts" not in name and not name.endswith((".mts", ".cts")):
        grammar = javascript.language()
    elif ".tsx" in name:
        grammar = typescript.language_tsx()
    else:
        grammar = typescript.language_typescript()
    yield from _nodes(source, grammar, {"comment", "html_comment", "hash_bang_line"})


def _nodes(source: Source, grammar: Any, kinds: set[str]) -> Iterator[tuple[int, int]]:
    from tree_sitter import Language as Grammar

    from memory_maintenance.audit.languages.trees import Tree

    tree = Tree(source.text, Grammar(grammar))
    for twig in tree.walk():
        if twig.type in kinds:
            yield tree.offset(twig.start), tree.offset(twig.end)


_READERS: dict[str, Callable[[Source], Iterator[tuple[int, int]]]] = {
    "python": _python,
    "sql": _sql,
    "shell": _shell,
    "javascript": _script,
    "typescript": _script,
}
