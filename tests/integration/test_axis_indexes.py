"""Phase expand: the indexes on the axes, built while everybody goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.database import schema
from memory_maintenance.database.session import Session
from memory_maintenance.engine import run as runs
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Run
from memory_maintenance.errors import Busy, Denied, MaintenanceError, Unavailable
from memory_maintenance.migration import actions, indexes, record
from memory_maintenance.migration.tables import Subject
from tests.support import legacy
from tests.support.maintenance import AS_OF, configured, opened
from tests.support.server import Connection, TestDatabase
from tests.support.waiting import wait_until

FACTS = Subject("public", "entity_facts")
BOTH = ["idx_entity_facts_category", "idx_entity_facts_durability"]
TWICE = Patience(attempts=2, first_delay_s=0.01, longest_delay_s=0.01)
AXES = "ADD COLUMN durability varchar(20), ADD COLUMN category text"
PARTITIONED = """
    CREATE TABLE facts (id bigint PRIMARY KEY, value text, confidence float8, data_type text,
        durability varchar(20), category text) PARTITION BY RANGE (id);
    CREATE TABLE low PARTITION OF facts FOR VALUES FROM (0) TO (100);
    CREATE TABLE high PARTITION OF facts FOR VALUES FROM (100) TO (MAXVALUE) PARTITION BY RANGE (id);
    CREATE SCHEMA parts;
    CREATE TABLE parts."High 1" PARTITION OF high FOR VALUES FROM (100) TO (200);
    CREATE TABLE high_rest PARTITION OF high DEFAULT;
    INSERT INTO facts SELECT n, 'v', 1, 'identity', NULL, NULL FROM generate_series(1, 400) AS n;
"""


@contextmanager
def begun(
    database: TestDatabase, subject: Subject = FACTS, *, role: str | None = None
) -> Iterator[Run]:
    """A run on a table whose axes are there, with our schema installed and its migration noted."""
    loaded = configured()
    with opened(database, loaded, role=role) as session:
        schema.install(session, (subject.schema, subject.name))
        note = record.start(
            session, subject.table, type_map="{}", columns=[], constraints=[], former={}
        )
        session.execute(note.statement, note.params)
        with runs.started(
            session,
            loaded,
            command="migrate-types",
            table=subject.table,
            as_of=AS_OF,
            dry_run=False,
            emit=runs.silent,
        ) as run:
            yield run


def whole(
    database: TestDatabase,
    subject: Subject = FACTS,
    *,
    patience: Patience = TWICE,
    role: str | None = None,
) -> None:
    with begun(database, subject, role=role) as run:
        indexes.carry_out(run, subject, patience)
        assert left(run.session, subject) == []
        assert indexes.invalid(run.session, subject.resolve(run.session)) == []


def left(session: Session, subject: Subject = FACTS) -> list[str]:
    """What is still to be done."""
    steps = indexes.plan(session, subject, subject.resolve(session))
    return [session.text(a.statement) for step in steps for a in step.actions if not a.note]


def on_axes(conn: Connection, table: str = "public.entity_facts") -> list[tuple[str, bool]]:
    """The indexes of a table that begin with an axis, and whether they are valid."""
    return conn.execute(
        "SELECT i.indexrelid::regclass::text, i.indisvalid FROM pg_index AS i"
        " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
        " WHERE i.indrelid = %s::regclass AND a.attname IN ('durability', 'category') ORDER BY 1",
        [table],
    ).fetchall()


def noted(conn: Connection, table: str = "public.entity_facts") -> Any:
    row = conn.execute(
        "SELECT indexes_added FROM memory_maintenance.migration WHERE table_name = %s", [table]
    ).fetchone()
    assert row is not None
    return row[0]


def broken(conn: Connection, name: str, axis: str, table: str = "entity_facts") -> int:
    """Leaves the remains of a build that failed; gives their oid."""
    with psycopg.connect(conn.info.dsn) as writer, psycopg.connect(conn.info.dsn) as builder:
        writer.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE".encode())
        builder.autocommit = True
        builder.execute("SET lock_timeout = '50ms'")
        statement = sql.SQL("CREATE INDEX CONCURRENTLY {} ON {} ({})")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            builder.execute(statement.format(*map(sql.Identifier, (name, table, axis))))
    row = conn.execute("SELECT oid FROM pg_class WHERE relname = %s", [name]).fetchone()
    assert row is not None
    return int(row[0])


# -- a plain table --


def test_both_axes_get_a_valid_index_and_a_second_time_nothing_is_done(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    whole(each_database)
    assert on_axes(conn) == [(name, True) for name in BOTH]
    assert sorted(noted(conn)) == BOTH
    before = conn.execute("SELECT oid FROM pg_class ORDER BY 1").fetchall()
    whole(each_database)
    assert conn.execute("SELECT oid FROM pg_class ORDER BY 1").fetchall() == before


def test_the_owner_of_a_quoted_table_in_another_schema_needs_not_be_superuser(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    role = each_database.create_role()
    conn.execute(f'CREATE SCHEMA "Mem %s" AUTHORIZATION {role}'.encode())
    conn.execute(f"GRANT CREATE ON DATABASE {each_database.name} TO {role}".encode())
    conn.execute(f"SET ROLE {role}".encode())
    conn.execute(
        'CREATE TABLE "Mem %s"."Entity "" Facts" (id int PRIMARY KEY, value text, confidence float8,'
        " durability varchar(20), category text)"
    )
    subject = Subject("Mem %s", 'Entity " Facts')
    whole(each_database, subject, role=role)
    assert on_axes(conn, '"Mem %s"."Entity "" Facts"') == [
        ('"Mem %s"."idx_Entity "" Facts_category"', True),
        ('"Mem %s"."idx_Entity "" Facts_durability"', True),
    ]


def test_an_owner_who_may_not_create_in_the_schema_is_told_before_anything_changes(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    role = each_database.create_role()
    conn.execute(f"ALTER TABLE entity_facts OWNER TO {role}".encode())
    conn.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    with opened(each_database, role=role) as session:
        relation = FACTS.resolve(session)
        with pytest.raises(Denied, match="may not create an index in the schema") as caught:
            indexes.prove(session, FACTS, relation)
        assert caught.value.remedy == f'GRANT CREATE ON SCHEMA "public" TO "{role}"'
        conn.execute(f"GRANT CREATE ON SCHEMA public TO {role}".encode())
        indexes.prove(session, FACTS, relation)


def test_the_plan_can_be_made_before_the_axes_and_our_schema_are_there(
    database: TestDatabase,
) -> None:
    with opened(database) as session, session.snapshot():
        steps = indexes.plan(session, FACTS, FACTS.resolve(session))
        assert [step.kind for step in steps] == ["transaction", "apart", "transaction", "apart"]
        assert left(session) == [
            'CREATE INDEX CONCURRENTLY "idx_entity_facts_durability" '
            'ON "public"."entity_facts" ("durability")',
            'CREATE INDEX CONCURRENTLY "idx_entity_facts_category" '
            'ON "public"."entity_facts" ("category")',
        ]


def test_the_archive_gets_none(database: TestDatabase) -> None:
    database.connect().execute(f"ALTER TABLE entity_facts_archive {AXES}".encode())
    archive = Subject("public", "entity_facts_archive", archive=True)
    with opened(database) as session:
        assert indexes.plan(session, archive, archive.resolve(session)) == []


@pytest.mark.parametrize(
    ("theirs", "serves"),
    [
        ("CREATE INDEX theirs ON entity_facts (durability)", True),
        ("CREATE INDEX theirs ON entity_facts (durability DESC, confidence)", True),
        ("CREATE UNIQUE INDEX theirs ON entity_facts (durability, id)", True),
        ("CREATE INDEX theirs ON entity_facts (durability) WHERE confidence < 1", False),
        ("CREATE INDEX theirs ON entity_facts (confidence, durability)", False),
        ("CREATE INDEX theirs ON entity_facts (lower(durability))", False),
        ("CREATE INDEX theirs ON entity_facts USING hash (durability)", False),
    ],
)
def test_an_index_that_begins_with_the_axis_serves_whatever_its_name(
    database: TestDatabase, theirs: str, serves: bool
) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    conn.execute(theirs.encode())
    with opened(database) as session:
        assert len(left(session)) == (1 if serves else 2)
    whole(database)
    assert [valid for _, valid in on_axes(conn)] == [True] * len(on_axes(conn))


def test_a_name_that_something_else_has_gets_a_suffix(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    conn.execute("CREATE TABLE idx_entity_facts_durability (id int)")
    conn.execute("CREATE INDEX idx_entity_facts_durability_2 ON entity_facts (confidence)")
    whole(database)
    assert on_axes(conn) == [
        ("idx_entity_facts_category", True),
        ("idx_entity_facts_durability_3", True),
    ]


def test_names_are_cut_to_63_bytes_and_never_within_a_character() -> None:
    table = "é" * 31  # 62 bytes
    first, second, *_ = indexes.candidates(table, "durability")
    # 63 - 4 - 11 = 48 bytes are 24 characters; with _2 it is 46, which are 23.
    assert first == "idx_" + "é" * 24 + "_durability"
    assert second == "idx_" + "é" * 23 + "_durability_2"
    odd, *_ = indexes.candidates("x" + table, "durability")
    assert odd == "idx_x" + "é" * 23 + "_durability"
    assert next(indexes.candidates("entity_facts", "category")) == "idx_entity_facts_category"


def test_a_table_with_the_longest_name_gets_its_indexes(database: TestDatabase) -> None:
    conn = database.connect()
    name = "Ü" * 31
    conn.execute(f'ALTER TABLE entity_facts RENAME TO "{name}"'.encode())
    conn.execute(f'ALTER TABLE "{name}" {AXES}'.encode())
    whole(database, Subject("public", name))
    assert [valid for _, valid in on_axes(conn, f'"{name}"')] == [True, True]


def test_an_invalid_leftover_of_our_name_is_dropped_and_built_anew(
    each_database: TestDatabase,
) -> None:
    conn = each_database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    old = broken(conn, "idx_entity_facts_durability", "durability")
    with opened(each_database) as session:
        assert indexes.invalid(session, FACTS.resolve(session)) == ["idx_entity_facts_durability"]
        assert left(session)[0] == 'DROP INDEX CONCURRENTLY "public"."idx_entity_facts_durability"'
    whole(each_database)
    assert on_axes(conn) == [(name, True) for name in BOTH]
    (new,) = conn.execute("SELECT 'idx_entity_facts_durability'::regclass::oid::int").fetchone()  # type: ignore[misc]
    assert new != old


def test_a_leftover_under_a_name_that_was_noted_goes_others_stay(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    broken(conn, "renamed", "durability")
    broken(conn, "theirs", "durability")
    with begun(database) as run:
        note = record.index_added(run.session, FACTS.table, "renamed")
        run.session.execute(note.statement, note.params)
        indexes.carry_out(run, FACTS, TWICE)
    assert on_axes(conn) == [*((name, True) for name in BOTH), ("theirs", False)]


def test_an_index_function_that_only_the_writers_path_resolves_does_not_fail_the_build(
    debian15: Any,
) -> None:
    from tests.support.server import fresh_database

    with fresh_database(debian15, "template0") as database:
        conn = database.connect()
        legacy.build(conn)
        conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
        conn.execute(
            "CREATE FUNCTION inner_norm(t text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower(t)';"
            "CREATE FUNCTION norm(t text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT inner_norm(t)';"
            "CREATE INDEX theirs ON entity_facts (norm(value))"
        )
        legacy.legacy(conn, {"identity": 1000})
        whole(database)
        assert on_axes(conn) == [(name, True) for name in BOTH]


def test_rollback_learns_which_of_the_noted_names_are_indexes_of_ours(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    whole(database)
    conn.execute("CREATE INDEX elsewhere ON entities (name)")
    with opened(database) as session:
        relation = FACTS.resolve(session)
        names = ["idx_entity_facts_durability", "elsewhere", "gone"]
        assert indexes.names_of(session, relation, names) == ["idx_entity_facts_durability"]


# -- among others --


def blocked_by(conn: Connection, holder: Connection) -> bool:
    """Whether somebody waits for the holder's transaction."""
    row = conn.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))",
        [holder.info.backend_pid],
    ).fetchone()
    assert row is not None
    return bool(row[0])


def test_while_a_build_waits_for_an_old_transaction_readers_and_writers_go_on(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    legacy.legacy(conn, {"identity": 3})
    writer = database.connect(autocommit=False)
    writer.execute("UPDATE entity_facts SET value = 'x' WHERE id = 1")
    thread = threading.Thread(target=whole, args=[database])
    thread.start()
    try:
        wait_until(lambda: blocked_by(conn, writer))
        # Nobody queues behind it: any wait would be an error at once.
        conn.execute("SET lock_timeout = '1ms'")
        conn.execute("UPDATE entity_facts SET value = 'y' WHERE id = 2")
        conn.execute("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')")
        conn.execute("DELETE FROM entity_facts WHERE id = 3")
        assert conn.execute("SELECT count(*) FROM entity_facts").fetchone() == (3,)
        assert blocked_by(conn, writer)
    finally:
        writer.rollback()
        thread.join()
    assert on_axes(conn) == [(name, True) for name in BOTH]


def test_after_an_attempt_that_met_a_lock_its_leftover_is_dropped_before_the_next(
    each_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "LOCK_TIMEOUT_APART", timedelta(milliseconds=100))
    conn = each_database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    # An old snapshot, of one who holds nothing of the table: the build waits for it, dropping doesn't.
    other = each_database.connect()
    other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    other.execute("SELECT count(*) FROM entities")
    patience = Patience(attempts=1000, first_delay_s=0.01, longest_delay_s=0.01)
    thread = threading.Thread(target=whole, args=[each_database], kwargs={"patience": patience})
    thread.start()
    try:
        wait_until(lambda: on_axes(conn) == [("idx_entity_facts_durability", False)])
        first = leftover(conn)
        # The index of the next attempt is another one: the first was dropped.
        wait_until(lambda: leftover(conn) not in (None, first))
    finally:
        other.execute("ROLLBACK")
        thread.join()
    assert on_axes(conn) == [(name, True) for name in BOTH]


def leftover(conn: Connection) -> int | None:
    row = conn.execute(
        "SELECT indexrelid::int FROM pg_index WHERE NOT indisvalid AND indrelid = 'entity_facts'::regclass"
    ).fetchone()
    return None if row is None else int(row[0])


def test_with_retries_used_up_nothing_is_left_behind(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "LOCK_TIMEOUT_APART", timedelta(milliseconds=50))
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    other = database.connect()
    other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    other.execute("SELECT count(*) FROM entities")
    with pytest.raises(Busy, match="lock") as caught:
        whole(database)
    assert caught.value.exit_code == 75
    assert on_axes(conn) == []
    other.execute("ROLLBACK")
    whole(database)
    assert on_axes(conn) == [(name, True) for name in BOTH]


@pytest.mark.parametrize("visible", [True, False])
def test_an_index_that_another_session_is_building_is_left_to_it(
    each_database: TestDatabase, visible: bool
) -> None:
    conn = each_database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    role = each_database.create_role()
    conn.execute(f"GRANT CREATE ON DATABASE {each_database.name} TO {role}".encode())
    conn.execute(f"ALTER SCHEMA public OWNER TO {role}".encode())
    conn.execute(f"ALTER TABLE entity_facts OWNER TO {role}".encode())
    writer = each_database.connect(autocommit=False)
    writer.execute("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')")
    builder = each_database.connect()
    statement = (
        b"CREATE INDEX CONCURRENTLY idx_entity_facts_durability ON entity_facts (durability)"
    )
    thread = threading.Thread(target=builder.execute, args=[statement])
    thread.start()
    try:
        wait_until(lambda: on_axes(conn) == [("idx_entity_facts_durability", False)])
        with pytest.raises(Busy, match="another session is building the index"):
            whole(each_database, role=None if visible else role)
        with opened(each_database) as session:
            assert left(session) == [
                'CREATE INDEX CONCURRENTLY "idx_entity_facts_category" '
                'ON "public"."entity_facts" ("category")'
            ]
    finally:
        writer.rollback()
        thread.join()
    whole(each_database, role=None if visible else role)
    assert on_axes(conn) == [(name, True) for name in BOTH]


def test_a_killed_run_is_taken_up_where_it_was(database: TestDatabase) -> None:
    conn = database.connect()
    conn.execute(f"ALTER TABLE entity_facts {AXES}".encode())
    writer = database.connect(autocommit=False)
    writer.execute("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')")
    ended: list[Exception] = []

    def killed() -> None:
        try:
            with begun(database) as run:
                run.reconnecting = Patience(attempts=0)
                indexes.carry_out(run, FACTS, TWICE)
        except MaintenanceError as error:
            ended.append(error)

    thread = threading.Thread(target=killed)
    thread.start()
    wait_until(lambda: on_axes(conn) == [("idx_entity_facts_durability", False)])
    wait_until(lambda: blocked_by(conn, writer))
    conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))",
        [writer.info.backend_pid],
    )
    thread.join()
    assert [type(error) for error in ended] == [Unavailable]
    writer.rollback()
    assert on_axes(conn) == [("idx_entity_facts_durability", False)]
    whole(database)
    assert on_axes(conn) == [(name, True) for name in BOTH]
    assert sorted(noted(conn)) == BOTH


# -- partitions --


PARTED = Subject("public", "facts")
WHOLE = sorted(
    [
        ("facts", True, None),
        ("high", True, "facts"),
        ("high_rest", True, "high"),
        ("low", True, "facts"),
        ('parts."High 1"', True, "high"),
    ],
    key=str,
)


def partitioned(database: TestDatabase) -> Connection:
    conn = database.connect()
    conn.execute(PARTITIONED.encode())
    return conn


def tree(conn: Connection, axis: str = "durability") -> list[tuple[str, bool, str | None]]:
    """The indexes of all tables on an axis: table, validity, table of the index that it is part of."""
    found = conn.execute(
        "SELECT i.indrelid::regclass::text, i.indisvalid, p.indrelid::regclass::text FROM pg_index AS i"
        " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
        " LEFT JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid"
        " LEFT JOIN pg_index AS p ON p.indexrelid = h.inhparent"
        " WHERE a.attname = %s",
        [axis],
    )
    return sorted(found.fetchall(), key=str)


def test_a_partitioned_table_gets_an_index_of_which_each_partitions_is_part(
    each_database: TestDatabase,
) -> None:
    conn = partitioned(each_database)
    whole(each_database, PARTED)
    assert tree(conn, "durability") == WHOLE
    assert tree(conn, "category") == WHOLE
    assert sorted(noted(conn, "public.facts")) == [
        "idx_facts_category",
        "idx_facts_durability",
    ]
    assert {name for name, _ in on_axes(conn, 'parts."High 1"')} == {
        'parts."idx_High 1_category"',
        'parts."idx_High 1_durability"',
    }


def test_the_plan_of_a_partitioned_table_is_what_is_then_done(
    each_database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = partitioned(each_database)
    with begun(each_database, PARTED) as run:
        planned = left(run.session, PARTED)
        done: list[str] = []
        execute = run.session.execute

        def told(statement: sql.Composed, params: Any = None) -> None:
            if "memory_maintenance" not in statement.as_string(None):
                done.append(run.session.text(statement))
            execute(statement, params)

        monkeypatch.setattr(run.session, "execute", told)
        indexes.carry_out(run, PARTED, TWICE)
    assert done == planned
    # For each axis 2 outlines; 3 indexes, each built and attached; and the attaching of the lower outline.
    assert len(planned) == 2 * (2 + 3 * 2 + 1)
    assert tree(conn) == WHOLE


def test_whatever_statement_was_the_last_the_next_run_goes_on_from_there(
    each_database: TestDatabase,
) -> None:
    conn = partitioned(each_database)
    lengths = []
    while True:
        with begun(each_database, PARTED) as run:
            steps = indexes.plan(run.session, PARTED, PARTED.resolve(run.session))
            if not steps:
                break
            lengths.append(sum(not a.note for step in steps for a in step.actions))
            for action in steps[0].actions:
                run.session.execute(action.statement, action.params)
    assert lengths == list(range(18, 0, -1))
    assert tree(conn, "durability") == tree(conn, "category") == WHOLE


def test_a_partition_made_meanwhile_has_its_index_too(each_database: TestDatabase) -> None:
    conn = partitioned(each_database)
    conn.execute("ALTER TABLE facts DETACH PARTITION low")
    with begun(each_database, PARTED) as run:
        (outline, *_) = indexes.plan(run.session, PARTED, PARTED.resolve(run.session))
        for action in outline.actions:
            run.session.execute(action.statement, action.params)
        conn.execute("CREATE TABLE lowest PARTITION OF facts FOR VALUES FROM (-100) TO (0)")
        conn.execute("ALTER TABLE facts ATTACH PARTITION low FOR VALUES FROM (0) TO (100)")
        indexes.carry_out(run, PARTED, TWICE)
    assert tree(conn) == sorted([*WHOLE, ("lowest", True, "facts")], key=str)


def test_an_index_that_a_partition_has_already_is_attached(each_database: TestDatabase) -> None:
    conn = partitioned(each_database)
    conn.execute("CREATE INDEX theirs ON low (durability)")
    conn.execute("CREATE INDEX wider ON high_rest (durability, id)")
    conn.execute("CREATE INDEX over_both ON high (category)")
    whole(each_database, PARTED)
    assert tree(conn, "category") == WHOLE
    # An index with a second column can't be part of ours: that partition gets one more.
    assert tree(conn) == sorted([*WHOLE, ("high_rest", True, None)], key=str)
    assert on_axes(conn, "low") == [("idx_low_category", True), ("theirs", True)]
    assert ("over_both", True) in on_axes(conn, "high")


def test_an_index_of_the_whole_partitioned_table_serves(database: TestDatabase) -> None:
    conn = partitioned(database)
    conn.execute("CREATE INDEX ON facts (durability, id)")
    conn.execute("CREATE INDEX ON facts (category)")
    with opened(database) as session:
        assert left(session, PARTED) == []


def test_a_leftover_on_a_partition_is_dropped_and_built_anew(each_database: TestDatabase) -> None:
    conn = partitioned(each_database)
    broken(conn, "idx_high_rest_durability", "durability", "high_rest")
    with opened(each_database) as session:
        relation = PARTED.resolve(session)
        assert indexes.invalid(session, relation) == ["idx_high_rest_durability"]
    whole(each_database, PARTED)
    assert tree(conn) == WHOLE


def test_partitions_whose_names_are_cut_alike_get_different_indexes(
    database: TestDatabase,
) -> None:
    conn = partitioned(database)
    for number in (1, 2):
        conn.execute(
            f"CREATE TABLE {'x' * 60}_{number} PARTITION OF facts"
            f" FOR VALUES FROM ({-100 * number}) TO ({-100 * number + 100})".encode()
        )
    whole(database, PARTED)
    assert all(valid for _, valid, _ in tree(conn))
    # 63 - 4 - 11 = 48, with _2 46.
    assert {name for name, _ in on_axes(conn, f"{'x' * 60}_1")} == {
        f"idx_{'x' * 48}_durability",
        f"idx_{'x' * 50}_category",
    }
    assert {name for name, _ in on_axes(conn, f"{'x' * 60}_2")} == {
        f"idx_{'x' * 46}_durability_2",
        f"idx_{'x' * 48}_category_2",
    }


def test_where_the_last_partition_without_an_index_goes_the_rest_is_done(
    each_database: TestDatabase,
) -> None:
    conn = partitioned(each_database)
    with begun(each_database, PARTED) as run:
        for step in indexes.plan(run.session, PARTED, PARTED.resolve(run.session)):
            if any("low" in action.what for action in step.actions):
                continue
            for action in step.actions:
                run.session.execute(action.statement, action.params)
        assert len(left(run.session, PARTED)) == 4
        conn.execute("DROP TABLE low")
        assert left(run.session, PARTED) == []
        assert indexes.invalid(run.session, PARTED.resolve(run.session)) == []


def test_attaching_waits_no_longer_than_the_short_timeout_for_a_reader(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "LOCK_TIMEOUT", timedelta(milliseconds=50))
    conn = partitioned(database)
    conn.execute("CREATE INDEX theirs ON low (durability)")
    reader = database.connect(autocommit=False)
    reader.execute("SELECT count(*) FROM low")
    with pytest.raises(Busy, match="lock"):
        whole(database, PARTED)
    reader.rollback()
    whole(database, PARTED)
    assert tree(conn) == WHOLE
