"""Contract while others read, write and change the table, and how long it locks anybody out."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.database import guards
from memory_maintenance.engine.retry import Patience
from memory_maintenance.errors import Busy, RunFailed
from memory_maintenance.migration import contract_aside, planning
from memory_maintenance.migration.state import NOTE_KEY
from memory_maintenance.migration.tables import digest_columns
from tests.support import legacy
from tests.support.contracting import (
    BLOCKERS,
    EAGER,
    KEEP,
    columns,
    contracted,
    contracting,
    kept_aside,
    one,
    plain_database,
    rows,
    simple,
    simple_but_archive,
    triggers,
    whole_database,
    written_down,
)
from tests.support.migration import (
    IMPATIENT,
    Connection,
    migrated,
)
from tests.support.server import TestDatabase


@pytest.fixture
def plain(database: TestDatabase) -> TestDatabase:
    """As plain_database makes it."""
    return plain_database(database)


@pytest.fixture
def whole(each_database: TestDatabase) -> TestDatabase:
    """As whole_database makes it."""
    return whole_database(each_database)


def test_a_reader_in_the_way_ends_it_with_busy_and_nothing_changed(plain: TestDatabase) -> None:
    reader = plain.connect()
    conn = plain.connect()
    before = columns(conn), triggers(conn)
    with reader.transaction():
        reader.execute("SELECT count(*) FROM entity_facts")
        with pytest.raises(Busy):
            contracted(plain)
        # While somebody reads the table no trigger can be dropped, but it can be silenced.
        assert (columns(conn), triggers(conn)) == before
        legacy.facts(conn, [{"data_type": "observation"}])
        assert not one(conn, "SELECT count(*) FROM memory_maintenance.noted_key")
    assert kept_aside(conn) == {}
    assert contracted(plain).contracted
    assert triggers(conn) == list(guards.NAMES)


def test_a_lock_that_would_be_held_for_too_long_is_given_up_and_nothing_changed(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    before = columns(conn), triggers(conn)
    conn.execute(
        "CREATE FUNCTION linger() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF pg_catalog.current_query() ~ 'DEFAULT|DROP' THEN PERFORM pg_catalog.pg_sleep(60); END IF;"
        " END $$"
    )
    conn.execute(
        "CREATE EVENT TRIGGER linger ON ddl_command_end WHEN TAG IN ('ALTER TABLE')"
        " EXECUTE FUNCTION linger()"
    )
    with pytest.raises(Busy, match="--max-lock") as raised:
        contracted(plain, replace(EAGER, max_lock=timedelta(seconds=0.5)))
    assert (raised.value.remedy or "").endswith("--max-lock 2s")
    conn.execute("DROP EVENT TRIGGER linger")
    assert (columns(conn), triggers(conn)) == before
    assert NOTE_KEY not in one(
        conn, "SELECT array_agg(tgname::text) FROM pg_trigger WHERE NOT tgisinternal"
    )
    assert kept_aside(conn) == {}
    assert contracted(plain).contracted


def test_other_tables_that_a_kept_view_reads_are_not_locked(plain: TestDatabase) -> None:
    conn = plain.connect()
    conn.execute(
        "CREATE VIEW named AS SELECT f.id, e.name, f.data_type FROM entity_facts AS f"
        " LEFT JOIN entities AS e ON e.id = f.entity_id"
    )
    reader = plain.connect()
    with reader.transaction():
        reader.execute("SELECT count(*) FROM entities")
        assert contracted(plain, replace(EAGER, keep_dependents=True)).contracted
    found = rows(conn, "SELECT data_type, count(*) FROM named GROUP BY 1 ORDER BY 1")
    assert found == [("observation", 5), ("permanent", 5), ("preference", 2), ("temporal", 1)]


def test_what_is_written_while_old_values_are_kept_aside_is_caught(database: TestDatabase) -> None:
    conn = database.connect()
    simple(conn)
    ids = legacy.legacy(conn, {"identity": 40, "permanent": 40})
    migrated(database)
    identity, permanent = ids["identity"], ids["permanent"]
    writer = database.connect()
    seen: list[int] = []

    def write(_done: int, _of: int | None, what: str) -> None:
        """Once, between two batches: rows that were copied, rows that weren't, and a new one."""
        if not what.startswith("keep aside") or seen:
            return
        writer.execute(
            "UPDATE entity_facts SET data_type = 'permanent' WHERE id = %s", [identity[0]]
        )
        writer.execute(
            "UPDATE entity_facts SET data_type = 'identity' WHERE id = %s", [permanent[0]]
        )
        writer.execute(
            "UPDATE entity_facts SET durability = 'short_term', category = 'state' WHERE id = %s",
            [identity[1]],
        )
        writer.execute("DELETE FROM entity_facts WHERE id = %s", [identity[2]])
        writer.execute("UPDATE entity_facts SET id = 1000 WHERE id = %s", [identity[3]])
        writer.execute("UPDATE entity_facts SET value = 'else' WHERE id = %s", [identity[4]])
        seen.extend(legacy.facts(writer, [{"data_type": "identity"}, {"data_type": "observation"}]))

    result = contracted(database, replace(EAGER, batch_rows=10), emit=write)
    assert len(seen) == 2
    expected = {str(i) for i in identity[4:]} | {"1000", str(permanent[0]), str(seen[0])}
    assert kept_aside(conn) == dict.fromkeys(expected, "identity")
    assert result.backed_up == len(expected)
    assert not one(conn, "SELECT count(*) FROM memory_maintenance.noted_key")


def test_what_is_written_just_before_the_lock_is_looked_at_under_it(plain: TestDatabase) -> None:
    conn = plain.connect()
    ids = [i for (i,) in rows(conn, "SELECT id FROM entity_facts WHERE data_type = 'identity'")]
    null = one(conn, "SELECT id FROM entity_facts WHERE data_type IS NULL")
    seen: list[int] = []

    def write(_done: int, _of: int | None, what: str) -> None:
        if what.startswith("look again") and not seen:
            conn.execute("DELETE FROM entity_facts WHERE id = %s", [ids[0]])
            seen.extend(legacy.facts(conn, [{"data_type": "identity"}] * 1500))

    result = contracted(plain, emit=write)
    expected = {str(i): "identity" for i in (*ids[1:], *seen)}
    assert kept_aside(conn) == {**expected, str(null): None}
    assert result.backed_up == 1503
    assert written_down(conn).backed_up == 1503


@pytest.mark.parametrize("moment", ["keep aside", "look again"])
def test_an_unknown_value_that_comes_in_meanwhile_stops_it(
    database: TestDatabase, moment: str
) -> None:
    conn = database.connect()
    simple(conn)
    conn.execute("ALTER TABLE entity_facts DROP CONSTRAINT chk_data_type")
    legacy.legacy(conn, {"identity": 5})
    migrated(database)
    done: list[int] = []

    def write(_done: int, _of: int | None, what: str) -> None:
        if what.startswith(moment) and not done:
            done.extend(legacy.facts(conn, [{"data_type": "hunch"}]))

    (blocker,) = contracted(database, emit=write).blockers
    assert (blocker.kind, blocker.name) == ("unmapped value", "hunch")
    assert "data_type" in columns(conn)
    assert NOTE_KEY not in triggers(conn)
    assert kept_aside(conn) == {}


@pytest.mark.parametrize("moment", ["keep aside", "look again"])
@pytest.mark.parametrize("made", BLOCKERS)
def test_a_dependent_that_comes_meanwhile_stops_it(
    plain: TestDatabase, made: str, moment: str
) -> None:
    conn = plain.connect()
    done: list[str] = []

    def create(_done: int, _of: int | None, what: str) -> None:
        if what.startswith(moment) and not done:
            done.append(what)
            conn.execute(made.encode())

    found = contracted(plain, emit=create).blockers
    kind, name, _ = BLOCKERS[made]
    assert [(b.kind, b.name) for b in found] == [(kind, name)]
    assert "data_type" in columns(conn)
    assert NOTE_KEY not in triggers(conn)


@pytest.mark.parametrize("moment", ["keep aside", "look again"])
def test_what_changes_meanwhile_without_blocking_is_taken_as_it_is_then(
    plain: TestDatabase, moment: str
) -> None:
    conn = plain.connect()
    done: list[str] = []

    def change(_done: int, _of: int | None, what: str) -> None:
        if what.startswith(moment) and not done:
            done.append(what)
            conn.execute("COMMENT ON COLUMN entity_facts.data_type IS 'late'")
            conn.execute("ALTER TABLE entity_facts ALTER COLUMN data_type SET DEFAULT 'permanent'")
            conn.execute("CREATE INDEX late ON entity_facts (data_type)")

    assert contracted(plain, emit=change).contracted
    kept = written_down(conn)
    assert (kept.comment, kept.default) == ("late", "'permanent'::character varying")
    assert [index.name for index in kept.indexes] == ["idx_entity_facts_data_type", "late"]


def test_a_replicated_write_is_caught_though_it_fires_no_ordinary_trigger(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    replica = plain.connect(options="-c session_replication_role=replica")
    permanent = one(conn, "SELECT min(id) FROM entity_facts WHERE data_type = 'permanent'")

    def write(_done: int, _of: int | None, what: str) -> None:
        if what.startswith("keep aside"):
            replica.execute(
                "UPDATE entity_facts SET data_type = 'identity' WHERE id = %s", [permanent]
            )

    assert contracted(plain, emit=write).backed_up == 5  # 3 identity, 1 NULL, and that one
    assert kept_aside(conn)[str(permanent)] == "identity"


@pytest.mark.parametrize("moment", ["keep aside", "look again"])
def test_a_trigger_that_was_silent_for_a_while_stops_it(plain: TestDatabase, moment: str) -> None:
    conn = plain.connect()
    done: list[str] = []

    def silence(_done: int, _of: int | None, what: str) -> None:
        if what.startswith(moment) and not done:
            done.append(what)
            conn.execute(f"ALTER TABLE entity_facts DISABLE TRIGGER {NOTE_KEY}".encode())
            conn.execute("UPDATE entity_facts SET data_type = 'identity' WHERE id = 1")
            conn.execute(f"ALTER TABLE entity_facts ENABLE ALWAYS TRIGGER {NOTE_KEY}".encode())

    with pytest.raises(RunFailed, match="was touched meanwhile"):
        contracted(plain, emit=silence)
    assert "data_type" in columns(conn)
    assert NOTE_KEY not in triggers(conn)


def archive_database(database: TestDatabase) -> Connection:
    """A migrated archive without a key: ids 1 identity, 2 permanent, and no other dependents."""
    conn = database.connect()
    simple_but_archive(conn)
    legacy.facts(
        conn,
        [{"id": 1, "data_type": "identity"}, {"id": 2, "data_type": "permanent"}],
        relation=sql.Identifier("public", "entity_facts_archive"),
    )
    migrated(database)
    return conn


def digests(conn: Connection) -> list[int]:
    """The ids of the archive's rows whose old value is found by the columns that were written down."""
    names = written_down(conn, "public.entity_facts_archive").digest_columns
    found = conn.execute(
        "SELECT a.id FROM memory_maintenance.data_type_backup AS b JOIN entity_facts_archive AS a"
        " ON b.fact_key = memory_maintenance.row_key(to_jsonb(a), %s) ORDER BY 1",
        [list(names)],
    )
    return [n for (n,) in found]


def test_a_column_that_is_added_meanwhile_is_none_of_the_digest(database: TestDatabase) -> None:
    conn = archive_database(database)
    done: list[str] = []

    def change(_done: int, _of: int | None, what: str) -> None:
        if what == "keep aside entity_facts_archive" and not done:
            done.append(what)
            conn.execute("ALTER TABLE entity_facts_archive ADD COLUMN remark text DEFAULT 'none'")
            conn.execute("UPDATE entity_facts_archive SET data_type = 'identity', value = 'else'")

    assert contracted(database, emit=change).backed_up == 2
    assert done
    assert digests(conn) == [1, 2]


def test_a_column_of_the_digest_that_changes_its_type_meanwhile_ends_it(
    database: TestDatabase,
) -> None:
    conn = archive_database(database)

    def change(_done: int, _of: int | None, what: str) -> None:
        if what == "keep aside entity_facts_archive":
            conn.execute("ALTER TABLE entity_facts_archive ALTER COLUMN id TYPE text")

    with pytest.raises(Busy, match="was changed each time"):
        contracted(database, emit=change)
    assert "data_type" in columns(conn, "entity_facts_archive")
    assert contracted(database).contracted
    kept = written_down(conn, "public.entity_facts_archive")
    assert kept.backed_up == 1


def test_a_trigger_left_by_a_killed_contract_is_made_anew_where_columns_have_changed(
    database: TestDatabase,
) -> None:
    conn = archive_database(database)
    with contracting(database) as (run, (_, archive), type_map):
        contract_aside.begin(
            run, archive, type_map, batch_rows=None, between=lambda: None, patience=IMPATIENT
        )
    conn.execute("ALTER TABLE entity_facts_archive ADD COLUMN remark text DEFAULT 'none'")

    def write(_done: int, _of: int | None, what: str) -> None:
        if what == "keep aside entity_facts_archive":
            conn.execute("UPDATE entity_facts_archive SET data_type = 'identity', value = 'else'")

    assert contracted(database, emit=write).backed_up == 2
    assert digests(conn) == [1, 2]


def test_giving_up_takes_a_few_seconds_though_a_writer_is_in_the_way(plain: TestDatabase) -> None:
    with contracting(plain) as (run, (facts, *_), type_map):
        contract_aside.begin(
            run, facts, type_map, batch_rows=None, between=lambda: None, patience=IMPATIENT
        )
        writer = plain.connect()
        with writer.transaction():
            writer.execute("UPDATE entity_facts SET value = 'else'")
            began = time.monotonic()
            contract_aside.give_up(run, facts)
            # systemd waits for 90 s after SIGTERM by default.
            assert time.monotonic() - began < 60


@pytest.mark.parametrize("archive", [False, True])
def test_looking_again_looks_each_kept_value_up_by_its_key(
    database: TestDatabase, archive: bool
) -> None:
    conn = archive_database(database)
    conn.execute("ALTER TABLE memory_maintenance.data_type_backup SET (autovacuum_enabled = off)")
    with contracting(database) as (run, subjects, type_map):
        subject = subjects[int(archive)]
        # Not analyzed, as they are when contract has just written them.
        conn.execute(
            "INSERT INTO memory_maintenance.data_type_backup (table_name, fact_key, data_type)"
            " SELECT %s, md5(n::text), 'identity' FROM generate_series(1, 20000) AS n",
            [subject.table],
        )
        relation = subject.resolve(run.session)
        columns_of_it = digest_columns(relation)
        again = contract_aside.again(
            run.session, relation, subject.table, type_map, columns_of_it, keys=1000
        )
        plan = one(conn, f"EXPLAIN (FORMAT JSON) {planning.text(run.session, again)}")
    ours = [
        node
        for node in nodes(plan[0]["Plan"])
        if node.get("Relation Name") == "data_type_backup" and node["Node Type"] != "ModifyTable"
    ]
    (look_up,) = [node for node in ours if node["Node Type"] != "Tid Scan"]
    assert "fact_key" in look_up["Index Cond"]


def nodes(plan: Any) -> Iterator[Any]:
    """A node of a plan and those below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def test_an_old_style_write_meanwhile_stops_it(plain: TestDatabase) -> None:
    conn = plain.connect(application_name="straggler")

    def write(*_: object) -> None:
        legacy.facts(conn, [{"data_type": "identity"}])

    (blocker,) = contracted(plain, replace(EAGER, force=False), emit=write).blockers
    assert blocker.kind == "old-style write"
    assert "straggler" in blocker.why


def test_what_was_kept_aside_is_never_forgotten_once_the_column_is_gone(
    plain: TestDatabase,
) -> None:
    conn = plain.connect()
    contracted(plain)
    kept = kept_aside(conn)
    assert len(kept) == 4
    with contracting(plain) as (run, (facts, *_), _map):
        # As after an answer to COMMIT that never came.
        contract_aside.give_up(run, facts)
    assert kept_aside(conn) == kept


def test_what_a_killed_contract_left_is_done_anew(plain: TestDatabase) -> None:
    conn = plain.connect()
    with contracting(plain) as (run, (facts, *_), type_map):
        # As far as it may have come when it was killed.
        contract_aside.begin(
            run, facts, type_map, batch_rows=None, between=lambda: None, patience=IMPATIENT
        )
    assert NOTE_KEY in triggers(conn)
    conn.execute("DELETE FROM entity_facts WHERE data_type = 'identity'")
    (fact,) = legacy.facts(conn, [{"data_type": "identity"}])
    null = one(conn, "SELECT id FROM entity_facts WHERE data_type IS NULL")
    result = contracted(plain)
    assert result.contracted
    assert kept_aside(conn) == {str(fact): "identity", str(null): None}


def test_readers_of_a_kept_view_and_writers_go_on_while_it_is_replaced(
    whole: TestDatabase,
) -> None:
    conn = whole.connect()
    conn.execute("DROP VIEW identities")
    stop = threading.Event()
    faults: list[BaseException] = []

    def go_on(statement: str) -> None:
        with whole.connect() as own:
            while not stop.is_set():
                try:
                    own.execute(statement.encode(), prepare=True)
                except psycopg.Error as fault:
                    faults.append(fault)
                    return

    work = [
        threading.Thread(target=go_on, args=[statement])
        for statement in (
            "SELECT id, data_type FROM delegation_types",
            "SELECT id, data_type FROM delegation_knowledge",
            "INSERT INTO entity_facts (key, value) VALUES ('note', 'new')",
        )
    ]
    for thread in work:
        thread.start()
    try:
        result = contracted(
            whole, replace(KEEP, patience=Patience(attempts=20, first_delay_s=0.05))
        )
    finally:
        stop.set()
        for thread in work:
            thread.join()
    assert result.contracted
    assert faults == []
