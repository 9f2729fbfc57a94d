"""Which texts of a Python file say nothing of columns: documentation, messages, names of parameters."""

from __future__ import annotations

import ast

from memory_maintenance.audit.languages.python_names import dotted
from memory_maintenance.audit.languages.python_strings import called
from memory_maintenance.audit.languages.python_tree import Tree

_SAYING = frozenset(
    {
        "critical",
        "debug",
        "echo",
        "error",
        "exception",
        "fail",
        "fatal",
        "info",
        "log",
        "notice",
        "perror",
        "print",
        "print_help",
        "rule",
        "secho",
        "skip",
        "warn",
        "warning",
        "write_stderr",
        "xfail",
    }
)
_TELLING = frozenset(
    {
        "description",
        "detail",
        "doc",
        "epilog",
        "help",
        "help_text",
        "label",
        "message",
        "metavar",
        "msg",
        "reason",
        "summary",
        "title",
        "tooltip",
        "verbose_name",
    }
)
_QUOTES = ("'", '"', "`")


def is_documentation(node: ast.expr, tree: Tree) -> bool:
    """Whether a text stands for itself: a docstring, or one below an attribute."""
    return isinstance(tree.parent(node), ast.Expr)


def is_message(node: ast.expr, tree: Tree) -> bool:
    """Whether a text is told to people."""
    inner: ast.AST = node
    for parent in tree.ancestors(node):
        if isinstance(parent, ast.Subscript | ast.Compare):
            return False
        if isinstance(parent, ast.keyword) and parent.arg in _TELLING:
            return True
        if isinstance(parent, ast.Call) and inner is not parent.func and _says(parent):
            return True
        if isinstance(parent, ast.Assert):
            return parent.msg is inner
        if isinstance(parent, ast.Raise):
            return True
        if isinstance(parent, ast.stmt):
            return False
        inner = parent
    return False


def names_parameters(node: ast.expr, tree: Tree) -> bool:
    """Whether a text names the parameters of a test that is run for several values."""
    inner: ast.AST = node
    for parent in tree.ancestors(node):
        if isinstance(parent, ast.Call):
            return called(parent) == "parametrize" and parent.args[:1] == [inner]
        if not isinstance(parent, ast.Tuple | ast.List):
            return False
        inner = parent
    return False


def _says(call: ast.Call) -> bool:
    name = called(call)
    if name not in _SAYING:
        return False
    # np.log(...) says nothing; log(...) and logger.log(...) do.
    return name != "log" or (dotted(call.func) or "").rpartition(".")[0] not in (
        "np",
        "math",
        "numpy",
    )


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a word of a text stands in quotes, as a name does."""
    return text[max(start - 1, 0) : start] in _QUOTES and text[end : end + 1] in _QUOTES
