"""``migrate-types``: expand, backfill and verify; or one phase, contract and rollback by name only."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.run import Emit, Run
from memory_maintenance.migration.forward import carry_out
from memory_maintenance.migration.preview import preview
from memory_maintenance.migration.result import MigrateResult
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.work import (
    PHASES,
    MigrateOptions,
    PhaseName,
    Work,
    owned,
    prove,
    too_early,
    unmapped,
)
from memory_maintenance.model.mapping import TypeMap

if TYPE_CHECKING:
    from memory_maintenance.migration.contract_result import ContractResult
    from memory_maintenance.migration.rollback_result import RollbackResult

__all__ = ["PHASES", "MigrateOptions", "MigrateResult", "PhaseName", "migrate"]


def migrate(
    session: Session,
    loaded: Loaded,
    options: MigrateOptions,
    *,
    as_of: datetime,
    dry_run: bool,
    emit: Emit,
) -> MigrateResult | ContractResult | RollbackResult:
    """The phases that were asked for, as far as they are still to be done, or the plan of it.

    Raises UsageError where the table can't be migrated as it is, Busy where another run holds its lock
    or locks were not to be had. An unmapped value is a result, not an error: nothing was changed then.
    """
    facts = Subject(*loaded.settings.database.qualified_table)
    work = Work(facts, TypeMap(loaded.settings.data_type), options)
    named = (facts.schema, facts.name)
    if not dry_run:
        with session.snapshot():
            surveyed = prove(session, work)
        if stopped := unmapped(work, surveyed, as_of):
            return stopped
        if "expand" in options.phases or not schema.absent(session, named):
            schema.install(session, named)
        elif options.phase != "rollback":
            raise too_early(work, "expand")
    # Where there is no ledger yet there is nothing to roll back either, and no lock is needed to say so.
    nothing = options.phase == "rollback" and schema.absent(session, named)
    with runs.started(
        session,
        loaded,
        command="migrate-types",
        table=facts.table,
        as_of=as_of,
        dry_run=dry_run or nothing,
        emit=emit,
    ) as run:
        result = _phase(run, work)
        runs.finished(run, result)
        return replace(result, dry_run=dry_run)


def _phase(run: Run, work: Work) -> MigrateResult | ContractResult | RollbackResult:
    session, options = run.session, work.options
    # Deferred: what most runs never need, and contract brings a parser of SQL.
    if options.phase == "contract":
        from memory_maintenance.migration.contract import contract

        owned(session, work.facts.resolve(session))
        if schema.absent(session, (work.facts.schema, work.facts.name)):
            raise too_early(work, "expand")
        quiet = run.settings.contract.quiet
        found = contract(run, work.subjects(session), work.type_map, options.contract, quiet=quiet)
        return replace(found, given=options.contract_words)
    if options.phase == "rollback":
        from memory_maintenance.migration.rollback import RollbackOptions, rollback

        owned(session, work.facts.resolve(session))
        how = RollbackOptions(options.batch_rows, options.patience, options.max_lock)
        return rollback(run, work.subjects(session), work.type_map, how)
    return preview(run, work) if run.dry_run else carry_out(run, work)
