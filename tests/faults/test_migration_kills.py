"""A migration that is killed, whenever that is, and started again ends where an undisturbed one ends."""

from __future__ import annotations

import itertools
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from memory_maintenance.database.session import Session
from memory_maintenance.engine import retry
from memory_maintenance.migration.migrate import MigrateOptions
from tests.support import legacy, maintenance
from tests.support.command import clean_environment
from tests.support.counting import CountingProxy, counting_proxy
from tests.support.forking import Forked, Forker
from tests.support.migration import Connection, contents, migrated
from tests.support.programs import schema_dump
from tests.support.server import TestDatabase, TestServer, fresh_database
from tests.support.waiting import wait_until

Course = Literal["forward", "contract", "rollback", "rollback before contract"]

SEED: Final = 4
KILLS: Final[tuple[tuple[Course, int], ...]] = (
    ("forward", 7),
    ("contract", 5),
    ("rollback", 5),
    ("rollback before contract", 3),
)
"""How many kills each course suffers, twenty in all: one in each of as many parts of equal length. One of
each course is for every day, the rest for `make torture`."""

_LONG = partial(pytest.param, marks=pytest.mark.torture)
ROWS: Final = {"permanent": 500, "identity": 700, "preference": 200, "observation": 1400, None: 200}
BATCH_ROWS: Final = 400
MERGE_FACTS: Final = "public.merge_facts(integer, integer)"
_OPTIONS: Final[dict[Course, MigrateOptions]] = {
    "forward": MigrateOptions(),
    "contract": MigrateOptions(
        phase="contract", force=True, keep_dependents=True, accept=(MERGE_FACTS,)
    ),
}
_OF_RUNS: Final = (
    "FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name LIKE 'memory-maintenance%'"
)
_ARGUMENTS: Final[dict[Course, tuple[str, ...]]] = {
    "forward": (),
    "contract": (
        *("--phase", "contract", "--force", "--dependents", "keep"),
        *("--accept", MERGE_FACTS),
    ),
    "rollback": ("--phase", "rollback"),
    "rollback before contract": ("--phase", "rollback"),
}

# What agents do after expand, and after contract.
_WRITTEN: Final = (
    "UPDATE entity_facts SET durability = 'short_term', category = 'state' WHERE id % 11 = 3",
    "UPDATE entity_facts SET category = 'routine', importance = 9 WHERE id % 17 = 5",
    "UPDATE entity_facts SET pinned = true, access_count = 3, last_accessed_at = now()"
    " WHERE id % 23 = 7",
    "DELETE FROM entity_facts WHERE id % 29 = 11",
    "INSERT INTO entity_facts (key, value, durability, category)"
    " SELECT 'note', 'new ' || n, 'ephemeral', 'observation' FROM generate_series(1, 40) AS n",
)
_WRITTEN_LATER: Final = (
    "UPDATE entity_facts SET durability = 'long_term', category = 'preference' WHERE id % 13 = 2",
    "UPDATE entity_facts SET value = value || ' again' WHERE id % 19 = 4",
    "DELETE FROM entity_facts WHERE id % 31 = 12",
    "INSERT INTO entity_facts (key, value, durability, category)"
    " SELECT 'note', 'late ' || n, 'permanent', 'identity' FROM generate_series(1, 40) AS n",
)


@dataclass(frozen=True, slots=True)
class State:
    """All of a database that a run may not leave otherwise than another run."""

    schema: str
    facts: list[Any]
    archive: list[Any]
    ours: dict[str, list[Any]]


@dataclass(slots=True)
class Courses:
    """What each course begins with, and where it ends undisturbed."""

    server: TestServer
    proxy: CountingProxy
    forker: Forker
    home: Path
    starts: dict[Course, str]
    ends: dict[Course, tuple[int, State]] = field(default_factory=dict)

    def undisturbed(self, course: Course) -> tuple[int, State]:
        """How many requests it takes, and the state after it."""
        if course not in self.ends:
            with fresh_database(self.server, self.starts[course]) as database:
                before = self.proxy.requests
                run = self.start(database, course)
                out, err = run.communicate(timeout=60)
                assert run.returncode == 0, out + err
                self.ends[course] = (self.proxy.requests - before, state(database))
        return self.ends[course]

    def start(self, database: TestDatabase, course: Course) -> Forked:
        """The command, connected by the proxy."""
        return self.forker.start(
            [
                *("migrate-types", "--dsn", self.proxy.dsn(database.name)),
                *("--batch-rows", str(BATCH_ROWS)),
                *_ARGUMENTS[course],
            ],
            clean_environment(self.home),
            self.home,
        )

    def complete(self, database: TestDatabase, course: Course) -> None:
        """Run it again to its end."""
        run = self.start(database, course)
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, out + err


@pytest.fixture(scope="module")
def courses(
    server: TestServer,
    template: str,
    forker: Forker,
    session_directory: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Courses]:
    """Legacy, verified and contracted databases of this module's own, with facts in them."""
    options = MigrateOptions(batch_rows=BATCH_ROWS)
    names = [server.create_database(template)]
    fill(TestDatabase(server, names[0]))
    names.append(server.create_database(names[0]))
    verified = TestDatabase(server, names[1])
    migrated(verified, options=options)
    write(verified, _WRITTEN)
    with verified.server.connect(verified.name) as conn:
        now = conn.execute("SELECT now()").fetchone()
    assert now is not None
    maintenance.decay(verified, now[0] + timedelta(days=60))
    names.append(server.create_database(names[1]))
    contracted = TestDatabase(server, names[2])
    migrated(
        contracted,
        options=replace(_OPTIONS["contract"], batch_rows=BATCH_ROWS),
    )
    write(contracted, _WRITTEN_LATER)
    starts: dict[Course, str] = {
        "forward": names[0],
        "contract": names[1],
        "rollback": names[2],
        "rollback before contract": names[1],
    }
    with counting_proxy(server, session_directory) as proxy:
        yield Courses(server, proxy, forker, tmp_path_factory.mktemp("home"), starts)
    for name in names:
        server.drop_database(name)


def fill(database: TestDatabase) -> None:
    with database.server.connect(database.name) as conn:
        legacy.legacy(conn, ROWS)
        conn.execute(
            "INSERT INTO entity_facts_archive (id, key, value, data_type)"
            " SELECT id, key, value, data_type FROM entity_facts WHERE id % 20 = 0"
        )
        conn.execute("UPDATE entity_facts SET confidence = 0.25 + (id % 4) * 0.25")


def write(database: TestDatabase, statements: tuple[str, ...]) -> None:
    with database.server.connect(database.name) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def state(database: TestDatabase) -> State:
    """The state; instants that differ from run to run are left out."""
    with database.server.connect(database.name) as conn:
        archive = conn.execute(
            "SELECT to_jsonb(a)::text FROM entity_facts_archive AS a ORDER BY 1"
        ).fetchall()
        return State(schema_dump(database), contents(conn), archive, ours(conn))


def ours(conn: Connection) -> dict[str, list[Any]]:
    statements = {
        "migration": "SELECT to_jsonb(m) - ARRAY['started_at', 'backfilled_at', 'verified_at',"
        " 'contracted_at'], m.backfilled_at IS NULL, m.verified_at IS NULL, m.contracted_at IS NULL"
        " FROM memory_maintenance.migration AS m ORDER BY table_name",
        "data_type_backup": "SELECT table_name, fact_key, place, data_type"
        " FROM memory_maintenance.data_type_backup ORDER BY 1, 2, 3",
        "rollback_backup": "SELECT table_name, fact_key, kept"
        " FROM memory_maintenance.rollback_backup ORDER BY 1, 2",
        "noted_key": "SELECT table_name, fact_key FROM memory_maintenance.noted_key ORDER BY 1, 2",
        "event": "SELECT table_name, fact_key, kind FROM memory_maintenance.event ORDER BY 1, 2",
        "adoption": "SELECT table_name FROM memory_maintenance.adoption",
    }
    return {name: conn.execute(text.encode()).fetchall() for name, text in statements.items()}


def assert_same(found: State, expected: State) -> None:
    """Part by part, so that a failure says which one it is."""
    assert found.schema == expected.schema
    assert found.facts == expected.facts
    assert found.archive == expected.archive
    for name, rows in expected.ours.items():
        assert found.ours[name] == rows, name


def left_alone(database: TestDatabase) -> None:
    """Wait until a run that is gone has nothing left on the server."""
    with database.server.connect(database.name) as conn:
        wait_until(lambda: not conn.execute(f"SELECT pid {_OF_RUNS}".encode()).fetchall())


def closed(database: TestDatabase) -> str:
    """How the last run ended; none before it is open any more."""
    with database.server.connect(database.name) as conn:
        statuses = conn.execute(
            "SELECT status FROM memory_maintenance.run ORDER BY id DESC"
        ).fetchall()
    assert ("running",) not in statuses
    return str(statuses[0][0])


def _builds(conn: Connection) -> bool:
    """Whether the build of an index waits for a writer."""
    found = conn.execute(
        "SELECT FROM pg_stat_progress_create_index WHERE datname = current_database()"
        " AND phase LIKE 'waiting for writers%'"
    )
    return found.rowcount > 0


def moment(seed: str, requests: int, part: int, parts: int) -> tuple[int, bool]:
    """At which request something happens, and whether the server hears of that request: it may then commit
    without anybody to listen."""
    drawn = random.Random(f"{SEED} {seed} {part}")
    return 1 + int((part + drawn.random()) / parts * requests), drawn.random() < 0.5


@pytest.mark.parametrize(
    ("course", "part", "parts"),
    [
        pytest.param(
            course,
            part,
            parts,
            id=f"{course.replace(' ', '-')}-{part + 1}-of-{parts}",
            marks=() if part == 1 else pytest.mark.torture,
        )
        for course, parts in KILLS
        for part in range(parts)
    ],
)
def test_a_migration_killed_at_any_request_is_completed_by_the_next_run(
    courses: Courses, course: Course, part: int, parts: int
) -> None:
    requests, expected = courses.undisturbed(course)
    number, forward = moment(course, requests, part, parts)
    with fresh_database(courses.server, courses.starts[course]) as database:
        killed: list[Forked] = []

        def kill() -> None:
            # It may get there before this process has heard of its start.
            (run,) = wait_until(lambda: killed)
            run.send_signal(signal.SIGKILL)
            run.wait(60)

        courses.proxy.act_at(number, kill, forward=forward)
        killed.append(courses.start(database, course))
        killed[0].communicate(timeout=60)
        print(f"request {number} of {requests}, {forward=}: {(courses.proxy.at or b'')[:200]!r}")
        assert killed[0].returncode == -signal.SIGKILL
        left_alone(database)
        courses.complete(database, course)
        assert_same(state(database), expected)
        assert closed(database) == "done"


@pytest.mark.parametrize("course", [*map(_LONG, ["forward", "contract"]), "rollback"])
def test_a_migration_whose_connection_is_ended_goes_on_or_is_completed_by_the_next_run(
    courses: Courses, course: Course
) -> None:
    requests, expected = courses.undisturbed(course)
    number, forward = moment(f"{course}, ended", requests, 0, 1)
    with fresh_database(courses.server, courses.starts[course]) as database:
        conn = database.connect()

        def end() -> None:
            conn.execute(f"SELECT pg_terminate_backend(pid, 5000) {_OF_RUNS}".encode())

        courses.proxy.act_at(number, end, forward=forward)
        run = courses.start(database, course)
        out, err = run.communicate(timeout=60)
        print(f"request {number} of {requests}, {forward=}: {(courses.proxy.at or b'')[:200]!r}")
        assert run.returncode in (0, 69), out + err
        left_alone(database)
        if run.returncode:
            courses.complete(database, course)
        assert_same(state(database), expected)
        assert closed(database) == "done"


@pytest.mark.parametrize("course", ["forward", _LONG("rollback")])
def test_an_index_whose_build_was_killed_is_built_anew(courses: Courses, course: Course) -> None:
    _, expected = courses.undisturbed(course)
    with fresh_database(courses.server, courses.starts[course]) as database:
        conn, writer = database.connect(), database.connect()

        def keep_it_waiting() -> None:
            writer.execute("BEGIN")
            writer.execute("UPDATE entity_facts SET confidence = confidence WHERE id = 1")

        courses.proxy.act_when(
            lambda request: b"CREATE INDEX CONCURRENTLY" in request, keep_it_waiting, forward=True
        )
        run = courses.start(database, course)
        wait_until(lambda: courses.proxy.at is not None and _builds(conn))
        run.kill()
        run.communicate(timeout=60)
        left_alone(database)
        assert conn.execute("SELECT count(*) FROM pg_index WHERE NOT indisvalid").fetchall() == [
            (1,)
        ]
        writer.execute("ROLLBACK")
        courses.complete(database, course)
        assert_same(state(database), expected)


@pytest.mark.parametrize("course", ["forward", _LONG("contract")])
def test_a_migration_that_never_gets_far_gets_there_in_the_end(
    courses: Courses, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run's connection is gone for good after a few transactions, one more from run to run."""
    _, expected = courses.undisturbed(course)
    options = replace(_OPTIONS[course], batch_rows=BATCH_ROWS)
    transaction, left = retry.transaction, [0]

    def ending(session: Session, *args: Any, **more: Any) -> Any:
        outcome = transaction(session, *args, **more)
        left[0] -= 1
        if left[0] == 0:
            # Nothing that still wants to tidy up reaches the server.
            session.close()
            raise _GoneError
        return outcome

    monkeypatch.setattr(retry, "transaction", ending)
    with fresh_database(courses.server, courses.starts[course]) as database:
        for runs in itertools.count(1):
            left[0] = runs
            try:
                migrated(database, options=options)
            except _GoneError:
                left_alone(database)
            else:
                break
        assert runs > 5
        assert_same(state(database), expected)


class _GoneError(BaseException):
    """As a kill, nothing catches it."""
