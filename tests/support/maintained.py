"""Migrated databases with facts in them, and the command at work on them in the background.

memory       a migrated legacy database of the test's own, without rows; each_memory: on 15 and on 18
background   starts the command and doesn't wait for it; what still runs after the test is killed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded, load
from memory_maintenance.database.relation import qualified_name
from memory_maintenance.database.session import Session, open_session
from memory_maintenance.database.target import Target, resolve
from memory_maintenance.engine import run as runs
from memory_maintenance.jobs import STEPS
from memory_maintenance.jobs.decay import DecayOptions, DecayResult, decay
from memory_maintenance.migration.migrate import MigrateOptions, MigrateResult, migrate
from tests.support.forking import Forked, Forker
from tests.support.server import TestDatabase, TestServer, fresh_database, legacy_template
from tests.support.waiting import wait_until

AS_OF = "2026-06-01T00:00:00Z"
INSTANT = datetime(2026, 6, 1, tzinfo=UTC)

TABLE = qualified_name("public", "entity_facts")

Row = tuple[Any, ...]

_DERIVED = (
    "id, confidence, confidence_base, confidence_anchor_at, confidence_written,"
    " effective_importance, last_confirmed_at, updated_at, importance, durability, category"
)


@dataclass(slots=True)
class Memory:
    """A migrated database. directory: where its configuration files are written."""

    database: TestDatabase
    directory: Path
    _files: int = 0

    @property
    def dsn(self) -> str:
        """Its conninfo, as superuser."""
        return self.database.dsn

    def connect(self, **parameters: Any) -> psycopg.Connection[Any]:
        """A new connection in autocommit, closed after the test."""
        return self.database.connect(**parameters)

    def config(self, text: str = "") -> Path:
        """A configuration file under which what was stored before decays too. text: more YAML."""
        self._files += 1
        path = self.directory / f"memory-maintenance-{self._files}.yaml"
        adopt = "" if "confidence:" in text else "confidence: {adopt: history}\n"
        path.write_text(adopt + text)
        return path

    def arguments(self, config: Path | None = None, *, dsn: str | None = None) -> list[str]:
        """Of the command: this database, and a configuration."""
        return ["--dsn", dsn or self.dsn, "--config", str(config or self.config())]

    def fill(self, rows: int) -> None:
        """Facts of all kinds, confirmed within the year before AS_OF; the same for every call."""
        with self.connect() as connection:
            fill(connection, rows)

    def derived(self) -> list[Row]:
        """What maintenance makes of the facts, in the order of their ids."""
        with self.connect() as connection:
            return derived(connection)

    def ledger(self) -> list[Row]:
        """command, status, counts and error of all runs but migrate-types, oldest first."""
        with self.connect() as connection:
            return connection.execute(
                "SELECT command, status, counts, error FROM memory_maintenance.run"
                " WHERE command <> 'migrate-types' ORDER BY id"
            ).fetchall()

    def loaded(self, config: Path | None = None) -> Loaded:
        """The configuration in force under a file."""
        return load(config or self.config(), environ={}, steps=frozenset(STEPS))

    @contextmanager
    def session(
        self, config: Path | None = None, *, dsn: str | None = None, name: str = "test"
    ) -> Iterator[tuple[Session, Loaded]]:
        """A session as the command has it."""
        loaded = self.loaded(config)
        with open_session(
            target(dsn or self.dsn),
            loaded.settings.database,
            application_name=name,
        ) as session:
            yield session, loaded

    def decay(
        self,
        config: Path | None = None,
        *,
        as_of: datetime = INSTANT,
        dry_run: bool = False,
        options: DecayOptions = DecayOptions(),  # noqa: B008 (frozen)
        table: str = TABLE,
        dsn: str | None = None,
        **starting: Any,
    ) -> DecayResult:
        """A run of decay in this process. starting: more for engine.run.started."""
        with (
            self.session(config, dsn=dsn, name="memory-maintenance decay") as (session, loaded),
            runs.started(
                session,
                loaded,
                command="decay",
                table=table,
                as_of=as_of,
                dry_run=dry_run,
                **{"emit": runs.silent, **starting},
            ) as run,
        ):
            result = decay(run, options)
            runs.finished(run, result)
            return result

    @contextmanager
    def copy(self) -> Iterator[Memory]:
        """Another database with the same contents. Nobody may be connected to this one."""
        with fresh_database(self.database.server, self.database.name) as fresh:
            yield Memory(fresh, self.directory)


def target(dsn: str) -> Target:
    """A target as --dsn gives it."""
    return resolve(dsn=dsn, environ={}, settings_dsn=None, home=Path("/nonexistent"))


def fill(
    connection: psycopg.Connection[Any], rows: int, table: str = "public.entity_facts"
) -> None:
    """See Memory.fill."""
    connection.execute(
        sql.SQL(
            """
            INSERT INTO {} (key, value, confidence, durability, category, learned_at,
                last_confirmed_at, importance)
            SELECT 'note', concat('fact ', n), 1 - (n %% 7) / 10.0,
                (ARRAY['permanent', 'long_term', 'short_term', 'ephemeral'])[1 + n %% 4],
                (ARRAY['observation', 'preference', 'decision'])[1 + n %% 3],
                '2025-05-01'::timestamp, '2026-06-01Z'::timestamptz - n %% 360 * interval '1 day',
                1 + n %% 10
            FROM generate_series(1, %s) AS n
            """
        ).format(sql.Identifier(*table.split("."))),
        [rows],
    )


def derived(connection: psycopg.Connection[Any]) -> list[Row]:
    """See Memory.derived."""
    statement = f"SELECT {_DERIVED} FROM entity_facts ORDER BY id"
    return connection.execute(statement.encode()).fetchall()


def migrated(database: TestDatabase, directory: Path) -> Memory:
    """The legacy database, brought to the two axes."""
    memory = Memory(database, directory)
    with memory.session(name="migrate") as (session, loaded):
        result = migrate(
            session,
            loaded,
            MigrateOptions(),
            as_of=session.clock(),
            dry_run=False,
            emit=runs.silent,
        )
    assert isinstance(result, MigrateResult)
    assert result.verified
    return memory


@contextmanager
def memory_on(server: TestServer, directory: Path) -> Iterator[Memory]:
    """A migrated legacy database on a server, which is migrated once and copied from then on."""

    def make(database: TestDatabase) -> None:
        migrated(database, directory)

    template = server.template("memory", make, base=legacy_template(server))
    with fresh_database(server, template) as fresh:
        yield Memory(fresh, directory)


@pytest.fixture
def memory(server: TestServer, tmp_path: Path) -> Iterator[Memory]:
    """A migrated legacy database of the test's own."""
    with memory_on(server, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def each_memory(each_server: TestServer, tmp_path: Path) -> Iterator[Memory]:
    """A migrated legacy database of the test's own, on PostgreSQL 15 and on the session's server."""
    with memory_on(each_server, tmp_path) as fresh:
        yield fresh


class Background(Protocol):
    """Starts `memory-maintenance` with args and returns at once.

    ready: of the state to wait for before; AssertionError with its complaint where the command ends
    by itself before that.
    """

    def __call__(self, *args: str, ready: Callable[[], object] | None = None) -> Forked: ...


@pytest.fixture
def background(clean_env: dict[str, str], tmp_path: Path, forker: Forker) -> Iterator[Background]:
    """The command as a process that a test can signal."""
    started: list[Forked] = []

    def start(*args: str, ready: Callable[[], object] | None = None) -> Forked:
        process = forker.start(args, clean_env, tmp_path)
        started.append(process)

        def there() -> bool:
            assert ready is not None
            reached = bool(ready())
            if not reached and process.poll() is not None:
                out, err = process.communicate()
                raise AssertionError(f"exit {process.returncode}: {out}{err}")
            return reached

        if ready is not None:
            wait_until(there)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def lock_row(connection: psycopg.Connection[Any], fact: int) -> None:
    """Begin a transaction that holds a fact as a writer does."""
    connection.execute("BEGIN")
    connection.execute("SELECT FROM entity_facts WHERE id = %s FOR UPDATE", [fact])


def waiting(connection: psycopg.Connection[Any]) -> Callable[[], int | None]:
    """Tells the server process of a run whose statement waits for a lock, None while there is none."""

    def look() -> int | None:
        row = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND datname = current_database() AND application_name LIKE 'memory-maintenance%'"
        ).fetchone()
        return None if row is None else int(row[0])

    return look


def written(connection: psycopg.Connection[Any]) -> int:
    """How many facts a run has written."""
    row = connection.execute(
        "SELECT count(*) FROM entity_facts WHERE confidence_written IS NOT NULL"
    ).fetchone()
    assert row is not None
    return int(row[0])


def advisory_locks(connection: psycopg.Connection[Any]) -> int:
    """How many advisory locks are held in the connection's database."""
    row = connection.execute(
        "SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database"
        " WHERE l.locktype = 'advisory' AND d.datname = current_database()"
    ).fetchone()
    assert row is not None
    return int(row[0])


def ids(rows: Sequence[Row]) -> list[Any]:
    """The first column."""
    return [row[0] for row in rows]
