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

_FURTHER = (
    "what else a command needs, its documentation says; migrate-types is for the table's owner"
)


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One numbered file; it is installed once and never changed afterwards."""

    version: int
    name: str


@dataclass(frozen=True, slots=True)
class _Present:
    present: bool
    usable: bool
    readable: bool
    owner: str | None
    trusted: bool


def files() -> list[SchemaFile]:
    """The numbered files of this version of the program, in order."""
    folder = resources.files("memory_maintenance") / "sql" / "schema"
    found = [m for entry in folder.iterdir() if (m := _NUMBERED.match(entry.name))]
    return sorted(
        (SchemaFile(int(m["version"]), m["name"]) for m in found), key=lambda f: f.version
    )


def missing(session: Session, facts: tuple[str, str]) -> list[SchemaFile]:
    """The files that this database still lacks, in order. facts: schema and name of the facts table.

    Raises UsageError where the database was made by a newer version of the program, Denied where our
    schema belongs to somebody who could slip code into our runs, or may not be used by this role.
    """
    state = _state(session, facts)
    if not state.trusted:
        raise Denied(
            f"the schema memory_maintenance belongs to {state.owner}, who owns neither the facts table "
            f"nor is superuser, and could have {session.server.role} execute anything",
            remedy="look at what is in it, then ALTER SCHEMA memory_maintenance OWNER TO the table's owner",
        )
    if not state.present:
        return files()
    # Never membership in the owner's role: that may be a superuser's, and reading takes less.
    if not state.usable:
        raise Denied(
            f"role {session.server.role} may not use the schema memory_maintenance",
            remedy="GRANT USAGE ON SCHEMA memory_maintenance and SELECT ON memory_maintenance.schema_version "
            f"to this role; {_FURTHER}",
        )
    if not state.readable:
        raise Denied(
            f"role {session.server.role} may not read memory_maintenance.schema_version",
            remedy=f"GRANT SELECT ON memory_maintenance.schema_version to this role; {_FURTHER}",
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


def require(session: Session, facts: tuple[str, str]) -> None:
    """Raises UsageError, with the command that mends it, where our schema is absent or outdated.

    facts, and what else is raised: as for ``missing``.
    """
    if lacking := missing(session, facts):
        absent = len(lacking) == len(files())
        what = "this database is not migrated yet" if absent else "our schema here is outdated"
        raise UsageError(what, remedy="memory-maintenance migrate-types")


def install(session: Session, facts: tuple[str, str]) -> list[SchemaFile]:
    """Brings our schema up to date in one transaction; gives what was installed.

    facts, and what is raised: as for ``missing``.
    """
    with session.transaction():
        session.connection.execute(statements.load("install/lock"))
        lacking = missing(session, facts)
        for file in lacking:
            session.connection.execute(_statement(file))
            session.run("install/record", {"version": file.version, "name": file.name})
    return lacking


def plan(session: Session, facts: tuple[str, str]) -> list[tuple[SchemaFile, sql.Composed]]:
    """What ``install`` would execute. facts, and what is raised: as for ``missing``."""
    return [(file, _statement(file)) for file in missing(session, facts)]


def absent(session: Session, facts: tuple[str, str]) -> bool:
    """Whether nothing of our schema is here. facts: as for ``missing``."""
    return not _state(session, facts).present


def _state(session: Session, facts: tuple[str, str]) -> _Present:
    schema, table = facts
    state = session.row(_Present, "install/present", {"schema": schema, "table": table})
    assert state is not None
    return state


def _statement(file: SchemaFile) -> sql.Composed:
    return statements.load(f"schema/{file.version:04d}_{file.name}")
