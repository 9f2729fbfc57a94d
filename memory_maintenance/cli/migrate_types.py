"""``migrate-types``: from data_type to durability and category."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, cast

import typer

from memory_maintenance.cli.decay import BatchRows
from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Result

_PHASES = ("expand", "backfill", "verify", "contract", "rollback")
_LONGEST_LOCK = timedelta(seconds=60)


def _action(text: str | None) -> str | None:
    if text not in (None, "status"):
        raise typer.BadParameter(f"{text!r} is nothing it can do; status is")
    return text


def _phase(text: str) -> str:
    if text not in _PHASES:
        raise typer.BadParameter(f"{text!r} is none of {', '.join(_PHASES)}")
    return text


def _dependents(text: str) -> str:
    if text != "keep":
        raise typer.BadParameter(f"{text!r} is unknown; keep is what can be done with them")
    return text


def _span(value: str | timedelta) -> timedelta:
    # Typer hands a default through the parser as well.
    from memory_maintenance.config.durations import parse_duration

    if isinstance(value, timedelta):
        return value
    try:
        span = parse_duration(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not timedelta(milliseconds=1) <= span <= _LONGEST_LOCK:
        raise typer.BadParameter("the range is 0.001s to 60s")
    return span


def migrate_types(
    shared: SharedOptions,
    *,
    action: Annotated[
        str | None,
        typer.Argument(
            metavar="[status]",
            callback=_action,
            help="status: show where the migration stands, what is next and what blocks it.",
            show_default=False,
        ),
    ] = None,
    phase: Annotated[
        str | None,
        typer.Option(
            "--phase",
            parser=_phase,
            metavar="|".join(_PHASES),
            help="Do this phase only (default: expand, backfill and verify).",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and exact counts; write nothing.")
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="FILE",
            help="Write the plan as a script for psql, and change nothing in the database.",
            show_default=False,
        ),
    ] = None,
    create: Annotated[
        bool, typer.Option("--create", help="Make the table where there is none.")
    ] = False,
    dependents: Annotated[
        str | None,
        typer.Option(
            "--dependents",
            parser=_dependents,
            metavar="keep",
            help="contract: keep views that show data_type, computed from the axes.",
            show_default=False,
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="NAME",
            help="contract: let a function or whole-row use through; may be repeated.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="contract: although somebody wrote data_type lately."),
    ] = False,
    max_lock: Annotated[
        timedelta,
        typer.Option(
            "--max-lock",
            parser=_span,
            metavar="SPAN",
            help="contract: hold the table's lock no longer than this (default: 1s).",
            show_default=False,
        ),
    ] = timedelta(seconds=1),
    batch_rows: BatchRows = None,
) -> Result:
    """Move from data_type to durability and category.

    Adds the columns, classifies every fact by the configured map while writers go on, and verifies
    that each old value is accounted for. data_type stays until --phase contract drops it;
    --phase rollback takes everything back. Each phase is safe to kill and to run again.
    """
    from memory_maintenance.cli.opening import opened, started
    from memory_maintenance.database.relation import qualified_name
    from memory_maintenance.migration.migrate import MigrateOptions, PhaseName, migrate

    contract_only = {
        "--dependents": dependents is not None,
        "--accept": bool(accept),
        "--force": force,
    }
    for name, given in contract_only.items():
        if given and phase != "contract" and action is None:
            raise UsageError(f"{name} is for contract", remedy=f"--phase contract {name} ...")
    if action is not None and (phase or dry_run or plan or create):
        raise UsageError("status only reads", remedy="memory-maintenance migrate-types status")
    if create and phase not in (None, "expand"):
        raise UsageError("--create is for expand", remedy="leave --phase out")
    options = MigrateOptions(
        create=create,
        batch_rows=batch_rows,
        phase=cast(PhaseName | None, phase),
        force=force,
        max_lock=max_lock,
        accept=tuple(accept or ()),
        keep_dependents=dependents == "keep",
    )
    acting = action is None and not dry_run and plan is None
    with opened(shared, "migrate-types", watched=acting) as o:
        table = o.loaded.settings.database.qualified_table
        if action == "status":
            from memory_maintenance.migration.status import status

            with started(o, "migrate-types", as_of=None, dry_run=True) as run:
                return status(run, options.contract)
        with progress_reporter(shared) as emit:
            result = migrate(
                o.session,
                o.loaded,
                options,
                as_of=o.session.clock(),
                dry_run=dry_run or plan is not None,
                emit=emit,
            )
        if plan is None:
            o.watch.saw(result)
            return result
        from memory_maintenance.migration.script import write

        return write(o.session, result, qualified_name(*table), plan)
