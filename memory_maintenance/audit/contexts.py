"""What a file is by its place: code, test, migration or prose."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from memory_maintenance.audit.candidate import Context

_TEST_FOLDERS: Final = frozenset({"tests", "test", "__tests__", "__mocks__", "spec", "specs"})
_MIGRATION_FOLDERS: Final = frozenset({"migrations", "migrate", "alembic", "versions"})
_PROSE_FOLDERS: Final = frozenset({"docs", "doc"})
_PROSE_SUFFIXES: Final = frozenset({".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc"})

_TEST_NAME: Final = re.compile(
    r"test_.*\.pyw?|conftest\.py|.+_test\.[^.]+|.+_spec\.[^.]+|.+\.(?:spec|test)\.[^.]+",
    re.IGNORECASE,
)
_PROSE_NAME: Final = re.compile(
    r"(?:readme|changelog|changes|history|news|license|licence|copying|notice|authors|contributing)"
    r"(?:[-_][^.]*)?(?:\.txt)?",
    re.IGNORECASE,
)
# Flyway's names: V2__drop_column.sql, R__views.sql.
_MIGRATION_NAME: Final = re.compile(r"(?:[VU][0-9][0-9._]*|R)__.+\.sql")


def context_of(path: str) -> Context:
    """The context of a file. path: with slashes, from the folder that counts as the top.

    What the name says goes first: a README among tests is prose. Then a folder of tests goes before one of
    migrations, and that before one of documents: rather what counts for the exit code than what doesn't.
    """
    place = PurePosixPath(path)
    folders = {part.lower() for part in place.parts[:-1]}
    if place.suffix.lower() in _PROSE_SUFFIXES or _PROSE_NAME.fullmatch(place.name):
        return Context.PROSE
    if folders & _TEST_FOLDERS or _TEST_NAME.fullmatch(place.name):
        return Context.TEST
    if folders & _MIGRATION_FOLDERS or _MIGRATION_NAME.fullmatch(place.name):
        return Context.MIGRATION
    if folders & _PROSE_FOLDERS:
        return Context.PROSE
    return Context.RUNTIME
