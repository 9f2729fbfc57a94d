"""``check-config``: is the configuration right, and what policy does it make?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.errors import UsageError
from memory_maintenance.model.result import Block, Code, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaResult(Result):
    """The JSON Schema of the configuration file. Bare in every format: editors read it as it is."""

    schema: dict[str, Any]

    def blocks(self) -> Sequence[Block]:
        """The schema, to redirect into a file."""
        return (Code(json.dumps(self.document(), indent=2), language="json"),)

    def quiet_blocks(self) -> Sequence[Block]:
        """The schema: it was asked for by name."""
        return self.blocks()

    def document(self) -> dict[str, Any]:
        """The schema itself, without the envelope that other results have."""
        return self.schema


def check_config(
    shared: SharedOptions,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print a JSON Schema of the file, for YAML editors."),
    ] = False,
    database: Annotated[
        bool,
        typer.Option("--database", help="Check the database too: is it fit for a run?"),
    ] = False,
) -> Result:
    """Check the configuration and show the policy it makes.

    Names every fault at once, each with file, line, key, the value seen and what is allowed.
    """
    # Deferred: pydantic and YAML aren't needed to show the help.
    if schema and database:
        raise UsageError("--schema and --database contradict each other", remedy="give one of them")
    if schema:
        from memory_maintenance.config.schema import json_schema

        return SchemaResult(command="check-config", schema=json_schema())
    if database:
        return _check_database(shared)

    from memory_maintenance.cli.opening import load_configuration
    from memory_maintenance.jobs.check_config import check_config as job

    return job(load_configuration(shared))


def _check_database(shared: SharedOptions) -> Result:
    from memory_maintenance.cli.opening import opened, started
    from memory_maintenance.jobs.check_database import check_database

    with (
        opened(shared, "check-config") as o,
        started(o, "check-config", as_of=None, dry_run=True) as run,
    ):
        return check_database(run)
