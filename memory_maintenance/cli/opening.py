"""From shared options to a configuration and an open database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory_maintenance.cli.logs import known
from memory_maintenance.cli.options import SharedOptions
from memory_maintenance.cli.watch import Watch, watching

if TYPE_CHECKING:
    from memory_maintenance.config.load import Loaded
    from memory_maintenance.database.session import Session
    from memory_maintenance.database.target import Target
    from memory_maintenance.engine.run import Emit, Run


@dataclass(frozen=True, slots=True)
class Opened:
    """A session on the operator's database, the configuration in force, and who watches the command."""

    session: Session
    loaded: Loaded
    watch: Watch


def load_configuration(
    shared: SharedOptions,
    overrides: Mapping[str, str] | None = None,
    *,
    option: str = "--config",
) -> Loaded:
    """The configuration that the options name, then ``overrides``: dotted keys and their values.

    option: what named ``shared.config``.

    Raises ConfigError with all of its faults.
    """
    from memory_maintenance.config.load import load
    from memory_maintenance.jobs import STEPS

    given = {} if shared.table is None else _table_named(shared.table)
    return load(
        shared.config,
        environ=os.environ,
        overrides={**given, **(overrides or {})},
        steps=frozenset(STEPS),
        option=option,
    )


def _table_named(text: str) -> dict[str, str]:
    """What --table says: a schema in it overlays the configured one, as the name does."""
    from memory_maintenance.model.identifiers import parse_qualified_name

    named = {"database.table": text}
    try:
        schema, _ = parse_qualified_name(text)
    except ValueError:
        return named  # the configuration says what is wrong with it, and where it comes from
    if schema is not None:
        named["database.schema"] = '"' + schema.replace('"', '""') + '"'
    return named


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
def opened(
    shared: SharedOptions,
    command: str,
    overrides: Mapping[str, str] | None = None,
    *,
    watched: bool = False,
) -> Iterator[Opened]:
    """An open session for a command; closed, and an embedded server stopped, at the end.

    watched: whether the observers that are configured are told how it goes (docs/monitoring.md).
    """
    from memory_maintenance.database.embedded import reach
    from memory_maintenance.database.relation import qualified_name
    from memory_maintenance.database.session import open_session

    loaded = load_configuration(shared, overrides)
    database = loaded.settings.database
    known(table=qualified_name(*database.qualified_table))
    with watching(shared, command, loaded, wanted=watched) as watch:
        meant = resolve_target(shared, loaded)
        watch.meant(meant)
        with (
            reach(meant) as target,
            open_session(
                target,
                database,
                application_name=f"memory-maintenance {command}",
            ) as session,
        ):
            yield Opened(session, loaded, watch)
            watch.count(session)


@contextmanager
def started(
    o: Opened,
    command: str,
    *,
    as_of: datetime | None,
    dry_run: bool,
    emit: Emit | None = None,
) -> Iterator[Run]:
    """A run on the configured table, at ``as_of`` or else at the server's clock, read once."""
    from memory_maintenance.database.relation import qualified_name
    from memory_maintenance.engine import run as runs

    with runs.started(
        o.session,
        o.loaded,
        command=command,
        table=qualified_name(*o.loaded.settings.database.qualified_table),
        as_of=as_of or o.session.clock(),
        live=as_of is None,
        dry_run=dry_run,
        emit=emit or runs.silent,
    ) as run:
        known(step=lambda: run.current_step, **({} if dry_run else {"run_id": run.run_id}))
        o.watch.began(run)
        yield run
