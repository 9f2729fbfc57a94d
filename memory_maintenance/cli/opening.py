"""From shared options to a configuration and an open database: what every command that needs one does first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_maintenance.cli.options import SharedOptions

if TYPE_CHECKING:
    from memory_maintenance.config.load import Loaded
    from memory_maintenance.database.session import Session
    from memory_maintenance.database.target import Target


@dataclass(frozen=True, slots=True)
class Opened:
    """A session on the operator's database, and the configuration in force."""

    session: Session
    loaded: Loaded


def load_configuration(shared: SharedOptions) -> Loaded:
    """The configuration that the options name. Raises ConfigError with all of its faults."""
    from memory_maintenance.config.load import load
    from memory_maintenance.jobs import STEPS

    overrides = {} if shared.table is None else {"database.table": shared.table}
    return load(shared.config, environ=os.environ, overrides=overrides, steps=frozenset(STEPS))


def resolve_target(shared: SharedOptions, loaded: Loaded) -> Target:
    """Which database is meant (spec 9). Takes from the environment what must not reach the server."""
    from memory_maintenance.database.target import neutralise_environment, resolve

    secret = loaded.settings.database.dsn
    origin = loaded.origins.get("database.dsn")
    target = resolve(
        dsn=shared.dsn,
        environ=os.environ,
        settings_dsn=None if secret is None else secret.get_secret_value(),
        settings_source="database.dsn" if origin is None else f"database.dsn in {origin.file}",
        home=Path.home(),
    )
    neutralise_environment(os.environ, target)
    return target


@contextmanager
def running(target: Target, *, keep_running: bool = False) -> Iterator[Target]:
    """The target, its server running: an embedded one is started, and stopped by the last to leave."""
    from memory_maintenance.database import embedded
    from memory_maintenance.database.target import Kind

    with ExitStack() as stack:
        if target.kind is Kind.EMBEDDED:
            conninfo = stack.enter_context(
                embedded.start(
                    target.directory, database=target.database, keep_running=keep_running
                )
            )
            target = target.started(conninfo)
        yield target


@contextmanager
def opened(shared: SharedOptions, command: str) -> Iterator[Opened]:
    """An open session for a command; closed, and an embedded server stopped, at the end."""
    from memory_maintenance.database.session import open_session

    loaded = load_configuration(shared)
    database = loaded.settings.database
    with (
        running(resolve_target(shared, loaded)) as target,
        open_session(
            target,
            database,
            application_name=f"memory-maintenance {command}",
            schema=database.qualified_table[0],
        ) as session,
    ):
        yield Opened(session, loaded)
