"""Loads the SQL of ``memory_maintenance/sql`` by name and fills its slots.

A file holds one statement or one fragment, named after what it yields, below a header of ``--`` lines that
is not sent to the server. ``{slot}`` stands for identifiers and fragments, ``%(name)s`` for values; the
literal characters are ``{{ }}`` and ``%%``. ``name.from_150000.sql`` replaces ``name.sql`` on servers of that
version and later. This module alone turns text that is no literal into SQL that psycopg trusts.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from psycopg import sql

_VARIANT = re.compile(r"^(?P<stem>[^.]+)\.from_(?P<version>\d+)\.sql$")
_PERCENT = re.compile(r"%[%(]")


def load(name: str, /, *, server_version: int = 0, **slots: sql.Composable) -> sql.Composed:
    """The statement or fragment ``name`` ("facts/projection"), with its slots filled.

    server_version: as PostgreSQL counts, 150018 for 15.18; chooses among variants, 0 takes the plain file.
    Raises LookupError for an unknown name, KeyError for a slot that was not given, TypeError for one that
    the file doesn't have: a slot nobody reads is a fault of the caller.
    """
    text = read(name, server_version)
    known = slots_of(text)
    if unknown := slots.keys() - known:
        raise TypeError(f"sql/{name}.sql has no slot {', '.join(sorted(unknown))}")
    return sql.SQL(text).format(**slots)


def verbatim(text: str) -> sql.SQL:
    """SQL that the server has spelt, or that was composed before, for a slot or within a fragment.

    Statements of ours always bind parameters: a % would be taken for a placeholder, and is doubled.
    """
    return sql.SQL(text.replace("%", "%%"))


def prefixed(statement: sql.Composable, prefix: str) -> sql.Composed:
    """A statement or fragment whose parameters are named anew, ``prefix`` before each name: so that one
    fragment can stand twice in a statement, with values of its own each time.
    """
    if isinstance(statement, sql.Composed):
        return sql.Composed([prefixed(part, prefix) for part in statement])
    if isinstance(statement, sql.SQL | sql.Placeholder):
        text = statement.as_string(None)
        named = _PERCENT.sub(lambda found: found[0] + (prefix if found[0] == "%(" else ""), text)
        return sql.Composed([sql.SQL(named)])
    return sql.Composed([statement])


@cache
def read(name: str, server_version: int = 0) -> str:
    """The text of ``name`` for a server of that version, without its header."""
    folder_name, _, stem = name.rpartition("/")
    folder: Traversable = resources.files("memory_maintenance") / "sql"
    for part in folder_name.split("/"):
        folder = folder / part
    best: tuple[int, Traversable] | None = None
    if folder.is_dir():
        for entry in folder.iterdir():
            if entry.name == f"{stem}.sql":
                version = 0
            elif (match := _VARIANT.match(entry.name)) and match["stem"] == stem:
                version = int(match["version"])
            else:
                continue
            if version <= server_version and (best is None or version > best[0]):
                best = (version, entry)
    if best is None:
        raise LookupError(f"no sql/{name}.sql for server version {server_version}")
    return _without_header(best[1].read_text(encoding="utf-8"))


def slots_of(text: str) -> frozenset[str]:
    """The names of the slots in a file's text."""
    bare = text.replace("{{", "").replace("}}", "")
    return frozenset(re.findall(r"\{(\w+)\}", bare))


def _without_header(text: str) -> str:
    lines = text.splitlines()
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].startswith("--")):
        start += 1
    return "\n".join(lines[start:]).strip()
