"""``migrate-types --plan``: a plan as one SQL script, for a DBA to review and to run with psql."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_maintenance import __version__
from memory_maintenance.database.relation import Relation
from memory_maintenance.database.session import OUR_PATH, Session, facts_path
from memory_maintenance.errors import UsageError
from memory_maintenance.migration.actions import (
    LOCK_TIMEOUT,
    LOCK_TIMEOUT_APART,
    Action,
    Step,
)
from memory_maintenance.migration.planning import one_line, text
from memory_maintenance.model.result import Block, Code, KeyValues, Note, Outcome, Result

if TYPE_CHECKING:
    from memory_maintenance.migration.contract_result import ContractResult
    from memory_maintenance.migration.result import MigrateResult
    from memory_maintenance.migration.rollback_result import RollbackResult

_ROWS_OF_A_BATCH = 5000
_HEADER = """\
-- memory-maintenance {version}: migrate-types of {table}, {what}
-- Written for database {database}.
--
-- Run it with psql, as the table's owner; it stops at the first error. What was committed before stays,
-- and is right: mend the cause, have the plan written anew, and run that.
--
-- Small numbers stay small: versions, importance of 1 to 10, counts of accesses.
-- squawk-ignore-file prefer-bigint-over-int
-- squawk-ignore-file prefer-bigint-over-smallint
"""


@dataclass(frozen=True, slots=True)
class _Remark:
    """What to say of statements that match. rule: squawk's. apart: only of those outside of a transaction."""

    pattern: re.Pattern[str]
    rule: str
    reason: str
    apart: bool = False


_REMARKS = (
    _Remark(
        re.compile(r"ALTER TABLE .* DROP COLUMN "),
        "ban-drop-column",
        "What this phase is for; what the column holds beyond what can be derived was kept aside before.",
    ),
    _Remark(
        re.compile(r"ALTER TABLE .* DROP CONSTRAINT "),
        "ban-drop-constraint",
        "A CHECK of ours that has served, or one that goes with its column.",
    ),
    _Remark(
        re.compile(r"ALTER TABLE .* DROP DEFAULT"),
        "ban-drop-default",
        "A default would hide whether a writer named the column; a trigger fills it instead.",
    ),
    _Remark(
        re.compile(r'ALTER TABLE .* ADD COLUMN "\w+" (?:varchar|character varying)\('),
        "prefer-text-field",
        "The type that readers know; its length is not going to change.",
    ),
    _Remark(
        re.compile(r"DROP INDEX (?!CONCURRENTLY)"),
        "require-concurrent-index-deletion",
        "It goes with its column, whose table is locked already.",
    ),
    _Remark(
        re.compile(r"(?:CREATE|DROP) INDEX CONCURRENTLY |ALTER TABLE .* VALIDATE CONSTRAINT "),
        "prefer-robust-stmts",
        "It can't stand in a transaction, or need not; a script written anew leaves out what is done.",
        apart=True,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptResult(Result):
    """A script that was written. statements: how many it has; nothing was changed in the database."""

    phase: str | None = None
    file: str = ""
    statements: int = 0

    def blocks(self) -> Sequence[Block]:
        if not self.statements:
            return (Note("nothing is left to do; the script has no statements"),)
        return (
            KeyValues((("script", self.file), ("statements", f"{self.statements:,}"))),
            Note("read it, then run it as the table's owner:"),
            Code(f"psql --no-psqlrc --file={shlex.quote(self.file)}"),
        )


def write(
    session: Session,
    result: MigrateResult | ContractResult | RollbackResult,
    table: str,
    path: Path,
) -> Result:
    """Writes the plan of a dry run to a file, whole or not at all. table: as the ledger names it.

    Gives the dry run's own result where findings stop it: then nothing is written. Raises UsageError where
    the file can't be written.
    """
    if result.outcome is not Outcome.DONE:
        return result
    steps, phase = result.steps, result.phase
    lines = "\n".join(script(session, steps, table=table, phase=phase)) + "\n"
    try:
        _replace(path, lines)
    except OSError as error:
        raise UsageError(
            f"can't write {path}: {error.strerror}", remedy="name another file with --plan"
        ) from error
    return ScriptResult(
        command="migrate-types",
        dry_run=True,
        as_of=result.as_of,
        table=result.table,
        duration_s=result.duration_s,
        phase=phase,
        file=str(path),
        statements=sum(len(step.actions) for step in steps),
    )


def script(
    session: Session, steps: Sequence[Step], *, table: str, phase: str | None
) -> Iterator[str]:
    """The lines of the script."""
    what = f"phase {phase}" if phase else "phases expand, backfill and verify"
    yield from _HEADER.format(
        version=__version__,
        table=one_line(table),
        what=what,
        database=one_line(session.server.database),
    ).splitlines()
    yield r"\set ON_ERROR_STOP on"
    yield r"\set AUTOCOMMIT on"
    yield "-- What statements return says nothing; errors are shown all the same."
    yield r"\o /dev/null"
    yield f"SET search_path = {OUR_PATH};"
    yield "SET row_security = off;"
    yield "-- Rows without a key go by a digest of their text, which these change."
    yield "SET TimeZone = 'UTC';"
    yield "SET DateStyle = 'ISO, YMD';"
    yield "SET IntervalStyle = 'postgres';"
    yield "SET extra_float_digits = 3;"
    yield "SET bytea_output = 'hex';"
    yield "SET quote_all_identifiers = off;"
    yield "SET client_min_messages = warning;"
    yield "SET statement_timeout = 0;"
    lock = session.text(session.statement("migration/script_lock"), {"name": table})
    yield _block(lock)
    for step in steps:
        yield ""
        yield from _step(session, step)


def _block(body: str) -> str:
    """A DO statement, quoted so that nothing within can end it."""
    tag = "script"
    while f"${tag}$" in body:
        tag += "_"
    return f"DO ${tag}$\n{body}\n${tag}$;"


def _step(session: Session, step: Step) -> Iterator[str]:
    patient = LOCK_TIMEOUT_APART if step.kind == "apart" else LOCK_TIMEOUT
    yield f"SET lock_timeout = '{round(patient.total_seconds() * 1000)}ms';"
    if step.kind == "batches":
        (action,) = step.actions
        relation = action.over
        assert relation is not None
        yield from _comment(action)
        # What others have on the table may name things without their schema when a row is written.
        yield f"SET search_path = {facts_path(relation.schema)};"
        yield _block(_loop(session, action, relation))
        yield f"SET search_path = {OUR_PATH};"
        return
    if step.kind == "transaction":
        yield "BEGIN;"
    for action in step.actions:
        yield from _comment(action)
        statement = text(session, action).rstrip().rstrip(";") + ";"
        yield from _remarks(statement, apart=step.kind == "apart")
        yield statement
    if step.kind == "transaction":
        yield "COMMIT;"


def _remarks(statement: str, *, apart: bool) -> Iterator[str]:
    """Why a statement stands as it does, where linters of migrations would ask."""
    for remark in _REMARKS:
        if remark.pattern.match(statement) and (apart or not remark.apart):
            yield f"-- {remark.reason}"
            yield f"-- squawk-ignore {remark.rule}"


def _comment(action: Action) -> Iterator[str]:
    yield one_line(f"-- {action.phase}: {action.what}; lock: {action.lock}")


def _loop(session: Session, action: Action, relation: Relation) -> str:
    """Batch after batch by key, each committed: what engine/batches.sweep does."""
    statement = text(session, action, first_key="$1", last_key="$2")
    return session.text(
        session.statement(
            "migration/script_loop",
            facts=relation.identifier,
            key=relation.key_identifier,
            key_type=relation.key_type,
        ),
        {"statement": statement, "rows": _ROWS_OF_A_BATCH},
    )


def _replace(path: Path, content: str) -> None:
    """Writes beside the file and renames: nobody sees half a script."""
    directory = path.parent
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=directory)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
