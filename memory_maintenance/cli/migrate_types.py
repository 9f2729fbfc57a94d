"""``migrate-types``: from data_type to durability and category."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_maintenance.cli.decay import BatchRows
from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.progress import progress_reporter
from memory_maintenance.model.result import Result


def migrate_types(
    shared: SharedOptions,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and exact counts; write nothing.")
    ] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Make the table where there is none.")
    ] = False,
    batch_rows: BatchRows = None,
) -> Result:
    """Move from data_type to durability and category.

    Adds the columns, classifies every fact by the configured map while writers go on, and verifies
    that each old value is accounted for. data_type stays where it is. Safe to run again.
    """
    from memory_maintenance.cli.opening import opened
    from memory_maintenance.migration.migrate import MigrateOptions, migrate

    with opened(shared, "migrate-types") as o, progress_reporter(shared) as emit:
        return migrate(
            o.session,
            o.loaded,
            MigrateOptions(create, batch_rows),
            as_of=o.session.clock(),
            dry_run=dry_run,
            emit=emit,
        )
