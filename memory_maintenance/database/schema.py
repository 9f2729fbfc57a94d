"""Installs and upgrades our schema ``memory_maintenance`` from the numbered files of ``sql/schema``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

from psycopg import sql

from memory_maintenance.database import statements
from memory_maintenance.database.session import Session
from memory_maintenance.errors import Denied, UsageError

_NUMBERED = re.compile(r"^(?P<version>\d{4})_(?P<name>\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One numbered file; it is installed once and never changed afterwards."""

    version: int
    name: str


@dataclass(frozen=True, slots=True)
class _Present:
    present: bool
    usable: bool


def files() -> list[SchemaFile]:
    """The numbered files of this version of the program, in order."""
    folder = resources.files("memory_maintenance") / "sql" / "schema"
    found = [m for entry in folder.iterdir() if (m := _NUMBERED.match(entry.name))]
    return sorted(
        (SchemaFile(int(m["version"]), m["name"]) for m in found), key=lambda f: f.version
    )


def missing(session: Session) -> list[SchemaFile]:
    """The files that this database still lacks, in order.

    Raises UsageError where the database was made by a newer version of the program.
    """
    state = session.row(_Present, "install/present")
    if state is None or not state.present:
        return files()
    if not state.usable:
        raise Denied(
            f"role {session.server.role} may not use the schema memory_maintenance",
            remedy="connect as the role that installed it, or GRANT that role's membership",
        )
    installed = {f.version for f in session.rows(SchemaFile, "install/versions")}
    known = {f.version for f in files()}
    if newer := installed - known:
        raise UsageError(
            f"the schema memory_maintenance is of a newer version ({max(newer)}) than this "
            f"program knows ({max(known)})",
            remedy="upgrade memory-maintenance",
        )
    return [f for f in files() if f.version not in installed]


def require(session: Session) -> None:
    """Raises UsageError, with the command that mends it, where our schema is absent or outdated."""
    if lacking := missing(session):
        absent = len(lacking) == len(files())
        what = "this database is not migrated yet" if absent else "our schema here is outdated"
        raise UsageError(what, remedy="memory-maintenance migrate-types")


def install(session: Session) -> list[SchemaFile]:
    """Brings our schema up to date in one transaction; gives what was installed."""
    with session.transaction():
        session.connection.execute(statements.load("install/lock"))
        lacking = missing(session)
        for file in lacking:
            session.connection.execute(_statement(file))
            session.run("install/record", {"version": file.version, "name": file.name})
    return lacking


def plan(session: Session) -> list[tuple[SchemaFile, sql.Composed]]:
    """What ``install`` would execute."""
    return [(file, _statement(file)) for file in missing(session)]


def absent(session: Session) -> bool:
    """Whether nothing of our schema is here."""
    state = session.row(_Present, "install/present")
    return state is None or not state.present


def _statement(file: SchemaFile) -> sql.Composed:
    return statements.load(f"schema/{file.version:04d}_{file.name}")
