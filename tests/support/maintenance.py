"""The tool's own jobs on a test's database, in this process and at an instant of the test's choice.

migrated   a legacy database on which migrate-types has run, without rows
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from psycopg import sql
from psycopg.rows import dict_row

from memory_maintenance.config.load import Loaded, load
from memory_maintenance.database import target as targets
from memory_maintenance.database.projection import Only
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.database.session import Session, open_session
from memory_maintenance.engine import run as runs
from memory_maintenance.jobs import decay as job
from memory_maintenance.jobs.decay import DecayOptions, DecayResult
from memory_maintenance.migration.migrate import MigrateOptions, MigrateResult, migrate
from tests.support.legacy import FACTS
from tests.support.server import (
    Connection,
    TestDatabase,
    TestServer,
    fresh_database,
    legacy_template,
)

AS_OF: Final = datetime(2026, 6, 1, tzinfo=UTC)
"""When most tests take place."""


def ago(**span: float) -> datetime:
    """An instant before AS_OF: ago(days=10)."""
    return AS_OF - timedelta(**span)


def ahead(**span: float) -> datetime:
    """An instant after AS_OF."""
    return AS_OF + timedelta(**span)


def configured(**sections: Any) -> Loaded:
    """The defaults, overlaid by a file with these sections, as an operator would write them:
    configured(confidence={"adopt": "history"})."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(sections, file)  # JSON is YAML
        file.flush()
        return load(Path(file.name), environ={})


DEFAULTS: Final = configured()
EXACT: Final = configured(confidence={"adopt": "history", "min_delta": 0.0})
"""Facts decay from when they were confirmed, and every change is written."""


@contextmanager
def opened(
    database: TestDatabase, loaded: Loaded = DEFAULTS, *, role: str | None = None
) -> Iterator[Session]:
    """A session of the tool's. role: to log in as, else the superuser."""
    dsn = database.dsn if role is None else f"{database.dsn} user={role}"
    target = targets.resolve(dsn=dsn, environ={}, settings_dsn=None, home=Path("/nonexistent"))
    settings = loaded.settings.database
    with open_session(
        target,
        settings,
        application_name="memory-maintenance test",
    ) as session:
        yield session


def migrate_types(
    database: TestDatabase, loaded: Loaded = DEFAULTS, *, create: bool = False
) -> MigrateResult:
    """``migrate-types``, whole."""
    with opened(database, loaded) as session:
        result = migrate(
            session,
            loaded,
            MigrateOptions(create=create),
            as_of=AS_OF,
            dry_run=False,
            emit=_silently,
        )
    assert isinstance(result, MigrateResult)
    return result


def decay(
    database: TestDatabase,
    as_of: datetime = AS_OF,
    loaded: Loaded = EXACT,
    *,
    only: Only | None = None,
    batch_rows: int | None = None,
    dry_run: bool = False,
    role: str | None = None,
) -> DecayResult:
    """``decay`` at an instant; only and batch_rows as in its options, role as in ``opened``."""
    with (
        opened(database, loaded, role=role) as session,
        runs.started(
            session,
            loaded,
            command="decay",
            table=qualified_name(*loaded.settings.database.qualified_table),
            as_of=as_of,
            dry_run=dry_run,
            emit=_silently,
        ) as run,
    ):
        result = job.decay(run, DecayOptions(only, batch_rows))
        runs.finished(run, result)
        return result


def make_facts(
    connection: Connection,
    name: sql.Composable,
    *,
    key: str = "integer",
    confidence: str = "double precision",
    optional: str = "learned_at timestamp, last_confirmed_at timestamptz, decay_rate real",
) -> None:
    """A table of facts without data_type, as another deployment may have it. key, confidence: types.

    optional: definitions of what else it has.
    """
    more = f", {optional}" if optional else ""
    statement = sql.SQL(
        "CREATE TABLE {} (id {} PRIMARY KEY, key text, value text, confidence {} {})"
    )
    definitions = (sql.SQL(text) for text in (key, confidence, more))
    connection.execute(statement.format(name, *definitions))


def row(
    connection: Connection, key: Any, *columns: str, table: sql.Composable = FACTS
) -> dict[str, Any]:
    """One fact by its key ``id``: the columns named, else all."""
    chosen = sql.SQL(", ").join(map(sql.Identifier, columns)) if columns else sql.SQL("*")
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute(sql.SQL("SELECT {} FROM {} WHERE id = %s").format(chosen, table), [key])
        found = cursor.fetchone()
    assert found is not None
    return found


def confidence(connection: Connection, key: Any, *, table: sql.Composable = FACTS) -> float:
    """The stored confidence of one fact."""
    return float(row(connection, key, "confidence", table=table)["confidence"])


def _silently(_done: int, _of: int | None, _what: str) -> None:
    """Progress that nobody watches."""


def migrated_template(server: TestServer) -> str:
    """The name of a migrated database without rows, for copies."""

    def make(database: TestDatabase) -> None:
        assert migrate_types(database).verified

    return server.template("migrated", make, base=legacy_template(server))


@pytest.fixture
def migrated(server: TestServer) -> Iterator[TestDatabase]:
    """A migrated database of the test's own, without rows."""
    with fresh_database(server, migrated_template(server)) as fresh:
        yield fresh
