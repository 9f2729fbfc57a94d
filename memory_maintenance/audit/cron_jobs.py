"""The jobs of pg_cron in this database, and what their commands say of the column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from memory_maintenance.audit.bodies import Body, Function, Use
from memory_maintenance.audit.names import Names
from memory_maintenance.audit.parsing import LONGEST_STATEMENT, kind_of, parsed, unwrapped
from memory_maintenance.audit.uses import confidence_of, takes_all_columns
from memory_maintenance.database.session import Session

_BEGUN = "its body"
_GONE = (
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidSchemaName,
)
"""What a list of jobs may answer that was altered, or taken away from us, since we looked."""


@dataclass(frozen=True, slots=True)
class _Readable:
    named: bool
    active: bool


@dataclass(frozen=True, slots=True)
class Job:
    """A job. name: "" for none. definition: the call that schedules it. active: it isn't switched off."""

    id: int
    name: str
    command: str
    definition: str
    active: bool

    @property
    def label(self) -> str:
        """Its number, and its name where it has one."""
        return f"{self.id} ({self.name})" if self.name else str(self.id)


def jobs(session: Session) -> list[Job]:
    """The jobs that run in this database, as far as this role may see them; read-only.

    None where pg_cron isn't installed here, or this role may not read its list. Those that another database
    keeps for this one can't be seen from here.
    """
    readable = session.row(_Readable, "audit/cron_table")
    if readable is None:
        return []
    name = sql.SQL("j.jobname::text" if readable.named else "NULL::text")
    active = sql.SQL("j.active" if readable.active else "NULL::bool")
    try:
        with session.connection.transaction(force_rollback=True):
            session.run("audit/cron_visible")
            return session.rows(Job, "audit/cron_jobs", name=name, active=active)
    except _GONE:
        return []


def use_of(job: Job, names: Names, *, named: bool = False) -> Use | None:
    """How a job uses the column; None where it doesn't. named: as for ``dependents_on``.

    Its tables are looked for in all schemas: what path its role has, nobody says.
    """
    best: Use | None = None
    for function in _functions(job):
        body = Body(function, names)
        use = body.use() if not named or body.about_ours() else None
        if use is not None and (best is None or confidence_of(use) > confidence_of(best)):
            best = use
    if best is None:
        return None
    switched_off = "" if job.active else "; it is switched off"
    why = best.why.replace(_BEGUN, "its command", 1) + switched_off
    return Use(why, best.rows_only)


def takes_rows(job: Job, names: Names) -> bool:
    """Whether it has a star that stands for all columns of the table, or an INSERT by position."""
    bodies = (Body(function, names) for function in _functions(job))
    return any(body.about_ours() and takes_all_columns(body) for body in bodies)


def _functions(job: Job) -> Iterator[Function]:
    """Its statements as bodies: of SQL, and of what DO runs."""
    tree = parsed(job.command) if len(job.command) <= LONGEST_STATEMENT else None
    if tree is None:
        yield _function(job, "sql", job.command)
        return
    raw = job.command.encode()
    for each in tree.stmts:
        node: Any = unwrapped(each.stmt)
        if kind_of(node) == "DoStmt":
            yield _function(job, *_done(node))
            continue
        end = each.stmt_location + each.stmt_len if each.stmt_len else len(raw)
        yield _function(job, "sql", raw[each.stmt_location : end].decode(errors="replace"))


def _done(node: Any) -> tuple[str, str]:
    """The language and the text of DO."""
    given = {}
    for wrapped in node.args:
        element: Any = unwrapped(wrapped)
        given[element.defname] = unwrapped(element.arg).sval
    return given.get("language", "plpgsql"), given.get("as", "")


def _function(job: Job, language: str, source: str) -> Function:
    return Function(
        kind="pg_cron job",
        schema="",
        name="",
        signature=job.label,
        language=language,
        source=source,
        definition=job.definition,
        oid=0,
        depends=False,
        returns_row=False,
        row_in_signature=False,
        is_trigger=False,
        arguments=[],
        argument_modes=[],
        argument_relations=[],
        defaults="",
        trigger_on=[],
        settings=[],
    )
