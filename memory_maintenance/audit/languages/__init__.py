"""One scanner a language. Each has ``scan(source, subject)``, which yields a candidate a place.

A scanner yields one for every occurrence of the column's name as a word, what it is certain about and what it
isn't: what it says nothing of counts as the bare word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from memory_maintenance.audit.candidate import Candidate
from memory_maintenance.audit.source import Source
from memory_maintenance.audit.subject import Subject

Scan = Callable[[Source, Subject], Iterable[Candidate]]


@dataclass(frozen=True, slots=True)
class Language:
    """A language: which files are of it, by the ends of their names, whole names or first lines.

    interpreters: programs named after #!.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()

    def scanner(self) -> Scan:
        """Its scan function. Grammars are heavy: loaded when a file wants one."""
        scan: Scan = import_module(f"memory_maintenance.audit.languages.{self.module}").scan
        return scan


LANGUAGES = (
    Language("python", "python", (".py", ".pyi", ".pyw"), (), ("python", "python3")),
    Language("sql", "sql", (".sql", ".psql", ".ddl", ".pgsql"), (".psqlrc",)),
    Language(
        "shell",
        "shell",
        (".sh", ".bash", ".zsh", ".ksh"),
        (".bashrc", ".profile"),
        ("sh", "bash", "dash", "ksh", "zsh"),
    ),
    Language(
        "javascript", "javascript", (".js", ".mjs", ".cjs", ".jsx"), (), ("node", "deno", "bun")
    ),
    Language("typescript", "javascript", (".ts", ".mts", ".cts", ".tsx")),
    Language("yaml", "yaml", (".yaml", ".yml")),
    Language("json", "json", (".json", ".jsonl", ".ndjson", ".json5", ".jsonc", ".ipynb")),
    Language("markdown", "markdown", (".md", ".markdown", ".rst", ".adoc", ".mdx")),
)
"""A file that is of none of them is read as plain text."""

PLAIN = Language("text", "plain", ())
