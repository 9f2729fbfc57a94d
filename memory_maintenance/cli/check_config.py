"""``check-config``: is the configuration right, and what policy does it make?"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from memory_maintenance.cli.options import SharedOptions
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
) -> Result:
    """Check the configuration and show the policy it makes.

    Names every fault at once, each with file, line, key, the value seen and what is allowed.
    """
    # Deferred: pydantic and YAML aren't needed to show the help.
    if schema:
        from memory_maintenance.config.schema import json_schema

        return SchemaResult(command="check-config", schema=json_schema())

    from memory_maintenance.config.load import load
    from memory_maintenance.jobs import STEPS, check_config

    overrides = {} if shared.table is None else {"database.table": shared.table}
    return check_config.check_config(
        load(shared.config, environ=os.environ, overrides=overrides, steps=frozenset(STEPS))
    )
