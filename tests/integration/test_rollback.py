"""Phase rollback: from any point the table is as it was, and what was put into our columns isn't lost."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import psycopg
import pytest
from psycopg import sql

from memory_maintenance.database.programs import Programs
from memory_maintenance.database.session import Session
from memory_maintenance.engine.retry import Patience
from memory_maintenance.engine.run import Emit, silent
from memory_maintenance.engine.throttle import Throttle
from memory_maintenance.errors import Busy
from memory_maintenance.migration import (
    actions,
    rollback_indexes,
    rollback_values,
    rollback_views,
)
from memory_maintenance.migration.actions import Action
from memory_maintenance.migration.contract_record import ContractRecord
from memory_maintenance.migration.migrate import MigrateOptions, PhaseName, migrate
from memory_maintenance.migration.place import find
from memory_maintenance.migration.result import MigrateResult
from memory_maintenance.migration.rollback_result import RollbackResult
from memory_maintenance.migration.script import script
from memory_maintenance.migration.state import ROLLBACK_NOTES
from memory_maintenance.migration.tables import Subject
from memory_maintenance.migration.take_back import take_back_steps
from memory_maintenance.model.mapping import TypeMap
from memory_maintenance.model.result import Outcome
from memory_maintenance.render.text import render_text
from tests.support import legacy
from tests.support.maintenance import AS_OF, ago, configured, decay
from tests.support.migration import (
    AS_OWNER,
    IMPATIENT,
    Connection,
    catalog,
    configuration,
    session,
)
from tests.support.server import TestDatabase, TestServer, fresh_database, legacy_template
from tests.support.waiting import wait_until

MIXED: Mapping[str | None, int] = {
    "permanent": 3,
    "identity": 4,
    "preference": 2,
    "temporal": 3,
    "observation": 5,
    None: 3,
}
FACTS = "public.entity_facts"
ARCHIVE = "public.entity_facts_archive"
HOSTILE = (Path(__file__).parents[1] / "support" / "hostile.sql").read_bytes()
# A prime that has nothing to do with the rhythm of batches.
KILL_STEP = 151
QUICK = Patience(attempts=5, first_delay_s=0.01, longest_delay_s=0.01)
EXACT = configured(confidence={"adopt": "history", "min_delta": 0.0})


def phase(
    database: TestDatabase,
    name: PhaseName | None = None,
    *,
    config: str = "",
    table: str | None = None,
    dry_run: bool = False,
    emit: Emit = silent,
    connect: Mapping[str, str] = MappingProxyType({}),
    **options: Any,
) -> Any:
    """The result of a phase; without a name, of expand, backfill and verify."""
    loaded = configuration(config, table)
    with session(database, loaded, **connect) as opened:
        return migrate(
            opened,
            loaded,
            MigrateOptions(phase=name, **options),
            as_of=opened.clock(),
            dry_run=dry_run,
            emit=emit,
        )


def forward(database: TestDatabase, **options: Any) -> MigrateResult:
    """expand, backfill and verify; all is well."""
    result: MigrateResult = phase(database, **options)
    assert result.outcome is Outcome.DONE, result
    return result


def contracted(database: TestDatabase, **options: Any) -> None:
    """A migration as far as it goes, data_type dropped; functions are let through."""
    forward(database, **options)
    wanted = {"force": True, "keep_dependents": True, **options}
    found = phase(database, "contract", dry_run=True, **wanted).blockers
    accepted = tuple(blocker.name for blocker in found)
    result = phase(database, "contract", accept=accepted, **wanted)
    assert result.outcome is Outcome.DONE, result


def back(database: TestDatabase, **options: Any) -> RollbackResult:
    """Rolled back, and nothing in the way."""
    result: RollbackResult = phase(database, "rollback", **options)
    assert (result.blockers, result.rolled_back) == ((), True)
    return result


def dump(database: TestDatabase) -> str:
    """The schema as pg_dump writes it, ours apart."""
    programs = database.server.programs or Programs.from_wheel()
    command = [
        programs.path("pg_dump"),
        "--schema-only",
        "--exclude-schema=memory_maintenance",
        "--restrict-key=x",
        f"--dbname={database.dsn}",
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def same(now: tuple[Any, ...], before: tuple[Any, ...]) -> None:
    """Each part is what it was."""
    for one_now, one_before in zip(now, before, strict=True):
        if isinstance(one_now, str):
            assert one_now.splitlines() == one_before.splitlines()
        else:
            assert one_now == one_before


def without_places(text: str) -> str:
    """A dump in alphabetical order: its columns within their tables, its entries, comments on columns among
    them. Where a column stands makes no difference then."""

    def arranged(match: re.Match[str]) -> str:
        lines = sorted(line.rstrip(",") for line in match[2].splitlines())
        return "\n".join([match[1], *lines, match[3]])

    columns = re.sub(r"(?ms)^(CREATE TABLE .*?\($)\n(.*?)\n^(\).*?;)$", arranged, text)
    return "\n".join(sorted(re.split(r"\n(?=--\n-- Name: )", columns)))


def rows(conn: Connection, table: str = FACTS) -> list[str]:
    """Each row as JSON, whose keys have an order of their own; in an order of the rows' own."""
    statement = f"SELECT to_jsonb(f)::text FROM {table} AS f ORDER BY 1"
    return [row[0] for row in conn.execute(statement.encode())]


def one(conn: Connection, statement: str, *params: Any) -> Any:
    row = conn.execute(statement.encode(), params).fetchone()
    assert row is not None
    return row[0]


def filled(conn: Connection) -> None:
    """Facts of every old value, and an archive without a key, in which some rows are equal."""
    legacy.legacy(conn, MIXED)
    conn.execute(
        "INSERT INTO entity_facts_archive (id, key, value, data_type)"
        " SELECT id, key, value, data_type FROM entity_facts"
    )
    conn.execute(
        "INSERT INTO entity_facts_archive (id, key, value, data_type, archived_at)"
        " SELECT 0, 'k', 'twin', t, '2026-01-01' FROM unnest("
        "ARRAY['permanent', 'identity', 'identity', 'observation', NULL, NULL, 'temporal']) AS t"
    )


def start(database: TestDatabase, state: Literal["filled", "forward", "contracted"]) -> Connection:
    """Makes of a database that nobody has changed a copy of one that is filled, and migrated as far as that
    where it says so; a connection to it. All copies of all states have the same facts."""
    server = database.server
    name = server.template(
        "rollback filled", lambda made: filled(made.connect()), base=legacy_template(server)
    )
    if state != "filled":
        reach = forward if state == "forward" else contracted
        name = server.template(f"rollback {state}", reach, base=name)
    database.become(name)
    return database.connect()


# -- before contract --


def test_before_contract_schema_and_data_become_what_they_were(each_database: TestDatabase) -> None:
    conn = start(each_database, "filled")
    before = dump(each_database), rows(conn), rows(conn, ARCHIVE)
    conn = start(each_database, "forward")
    assert dump(each_database) != before[0]
    result = back(each_database)
    same((dump(each_database), rows(conn), rows(conn, ARCHIVE)), before)
    assert (result.restored, result.by_way_back, result.kept_aside) == (0, 0, 0)
    assert "importance" in result.columns_dropped
    assert "entity_facts_archive.durability" in result.columns_dropped


def test_after_expand_alone_there_is_a_way_back_too(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    before = dump(database), rows(conn)
    phase(database, "expand")
    back(database)
    same((dump(database), rows(conn)), before)


def test_what_a_contract_that_was_killed_has_left_goes_too(database: TestDatabase) -> None:
    conn = start(database, "filled")
    before = dump(database), rows(conn), rows(conn, ARCHIVE)
    conn = start(database, "forward")
    conn.execute(
        "CREATE TRIGGER memory_maintenance_60_note_key AFTER INSERT OR UPDATE OR DELETE ON entity_facts"
        " FOR EACH ROW EXECUTE FUNCTION memory_maintenance.note_key('id', '[]')"
    )
    conn.execute(
        "INSERT INTO memory_maintenance.data_type_backup (table_name, fact_key, data_type)"
        " VALUES ('public.entity_facts', '1', 'identity')"
    )
    conn.execute("UPDATE entity_facts SET durability = 'ephemeral' WHERE data_type = 'temporal'")
    back(database)
    same((dump(database), rows(conn), rows(conn, ARCHIVE)), before)
    assert one(conn, "SELECT count(*) FROM memory_maintenance.noted_key") == 0
    assert one(conn, "SELECT count(*) FROM memory_maintenance.data_type_backup") == 0


def test_where_no_migration_has_begun_there_is_nothing_to_be_done(database: TestDatabase) -> None:
    conn = start(database, "forward")
    back(database)
    before = catalog(conn)
    again: RollbackResult = phase(database, "rollback")
    assert (again.outcome, again.rolled_back, again.columns_dropped) == (Outcome.DONE, False, ())
    assert any("no migration" in note for note in again.notes)
    assert catalog(conn) == before


# -- after contract --


def test_after_contract_all_comes_back_and_data_type_is_the_last_column(
    each_database: TestDatabase,
) -> None:
    conn = start(each_database, "filled")
    before = dump(each_database), rows(conn), rows(conn, ARCHIVE)
    conn = start(each_database, "contracted")
    assert "data_type" not in rows(conn)[0]
    result = back(each_database)
    same((without_places(dump(each_database)),), (without_places(before[0]),))
    assert (rows(conn), rows(conn, ARCHIVE)) == before[1:]
    # identity, which the axes alone would make permanent: 4 facts, the same archived, and 2 of the twins.
    assert result.restored == 4 + 4 + 2
    # NULL stays as it is.
    assert result.by_way_back == 13 + 13 + 3
    assert any("last column" in note for note in result.notes)
    last = one(
        conn,
        "SELECT attname FROM pg_attribute WHERE attrelid = 'entity_facts'::regclass"
        " AND NOT attisdropped ORDER BY attnum DESC LIMIT 1",
    )
    assert last == "data_type"


def test_a_kept_view_returns_to_its_former_text(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    conn.execute("CREATE VIEW shown AS SELECT id, data_type AS kind FROM entity_facts")
    conn.execute("CREATE VIEW above AS SELECT kind FROM shown WHERE id > 0")
    statement = "SELECT array_agg(pg_get_viewdef(c) ORDER BY c) FROM unnest(%s::regclass[]) AS c"
    names = ["delegation_knowledge", "shown", "above"]
    before = one(conn, statement, names)
    contracted(database)
    assert one(conn, statement, names) != before
    back(database)
    assert one(conn, statement, names) == before


def test_everything_that_was_on_the_column_comes_back(database: TestDatabase) -> None:
    conn = database.connect()
    for statement in (
        "UPDATE entity_facts SET data_type = 'observation'",
        "ALTER TABLE entity_facts ALTER data_type SET NOT NULL, ALTER data_type SET STATISTICS 77",
        "ALTER TABLE entity_facts ALTER data_type SET (n_distinct = 5)",
        "ALTER TABLE entity_facts ALTER data_type SET STORAGE EXTERNAL",
        "ALTER TABLE entity_facts ADD CONSTRAINT no_blanks CHECK (data_type !~ '%% ') NOT VALID",
        "COMMENT ON CONSTRAINT chk_data_type ON entity_facts IS 'it''s 100%% so'",
        "COMMENT ON INDEX idx_entity_facts_data_type IS 'by type'",
        "ALTER TABLE entity_facts CLUSTER ON idx_entity_facts_data_type",
        f"REVOKE SELECT ON entity_facts FROM {legacy.READER}",
        f"GRANT SELECT (id, data_type) ON entity_facts TO {legacy.READER}",
    ):
        conn.execute(statement.encode(), ())
    legacy.legacy(conn, {kind: n for kind, n in MIXED.items() if kind is not None})
    before = without_places(dump(database)), rows(conn)
    contracted(database)
    back(database)
    same((without_places(dump(database)), rows(conn)), before)


def test_facts_written_since_get_the_way_back(database: TestDatabase) -> None:
    conn = start(database, "contracted")
    identity = one(conn, "SELECT min(id) FROM entity_facts WHERE durability = 'permanent'")
    conn.execute(
        "UPDATE entity_facts SET durability = 'ephemeral', category = 'mood' WHERE id = %s",
        [identity],
    )
    conn.execute(
        "INSERT INTO entity_facts (key, value, durability, category) VALUES"
        " ('new', 'a', 'permanent', 'identity'), ('new', 'b', 'short_term', 'state'),"
        " ('new', 'c', 'long_term', 'preference'), ('new', 'd', 'long_term', 'decision'),"
        " ('new', 'e', 'ephemeral', 'mood'), ('new', 'f', DEFAULT, DEFAULT)"
    )
    back(database)
    found = conn.execute("SELECT value, data_type FROM entity_facts WHERE key = 'new'").fetchall()
    assert dict(found) == {
        "a": "permanent",
        "b": "temporal",
        "c": "preference",
        "d": "observation",
        "e": "temporal",
        "f": "observation",
    }
    assert one(conn, "SELECT data_type FROM entity_facts WHERE id = %s", identity) == "temporal"


def test_old_values_come_back_though_the_configured_map_was_changed_since(
    database: TestDatabase,
) -> None:
    conn = start(database, "filled")
    before = rows(conn)
    conn = start(database, "contracted")
    back(database, config="data_type: {identity: [long_term, person], permanent: [long_term, x]}")
    assert rows(conn) == before


def test_the_fill_changes_neither_axes_nor_the_writers_clocks(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    legacy.facts(conn, [{"data_type": "identity", "updated_at": "2001-02-03"}])
    contracted(database)
    conn.execute(
        "INSERT INTO entity_facts (key, value, durability, category)"
        " VALUES ('new', 'd', 'long_term', 'decision')"
    )
    statement = "SELECT json_agg((id, durability, category, updated_at) ORDER BY id)::text FROM entity_facts"
    before = one(conn, statement)
    seen: list[str] = []

    def watch(_done: int, _of: int | None, label: str) -> None:
        if label.startswith("keep aside"):
            seen.append(one(conn, statement))

    back(database, emit=watch)
    assert set(seen) == {before}


def test_an_index_that_a_failed_build_has_left_is_built_anew(database: TestDatabase) -> None:
    conn = start(database, "filled")
    before = without_places(dump(database))
    conn = start(database, "contracted")
    built: list[str] = []

    def fail_to_build(_done: int, _of: int | None, label: str) -> None:
        if label == "put data_type back" and not built and "data_type" in rows(conn)[0]:
            built.append(label)
            conn.execute("CREATE INDEX idx_entity_facts_data_type ON entity_facts (data_type)")
            conn.execute(
                "UPDATE pg_index SET indisvalid = false"
                " WHERE indexrelid = 'idx_entity_facts_data_type'::regclass"
            )

    back(database, emit=fail_to_build)
    assert built
    same((without_places(dump(database)),), (before,))
    valid = (
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'idx_entity_facts_data_type'::regclass"
    )
    assert one(conn, valid) is True


# -- writers meanwhile --


def test_writers_old_and_new_are_served_while_data_type_comes_back(database: TestDatabase) -> None:
    conn = database.connect()
    ids = legacy.legacy(conn, {"identity": 6, "temporal": 6, "observation": 6})
    contracted(database)
    writer = database.connect()
    writer.execute(f"SET ROLE {legacy.AGENT}")
    last = ids["observation"]
    written: list[int] = []

    def write(done: int, _of: int | None, label: str) -> None:
        if label != "put data_type back" or written:
            return
        written.append(done)
        for statement, key in (
            # Not filled yet: batches of two, and this is the first.
            ("UPDATE entity_facts SET data_type = 'preference' WHERE id = %s", last[0]),
            (
                "UPDATE entity_facts SET durability = 'ephemeral', category = 'mood' WHERE id = %s",
                last[1],
            ),
            ("UPDATE entity_facts SET value = 'edited' WHERE id = %s", last[2]),
            ("DELETE FROM entity_facts WHERE id = %s", last[3]),
            # Filled already.
            ("UPDATE entity_facts SET data_type = 'temporal' WHERE id = %s", ids["identity"][0]),
            ("UPDATE entity_facts SET data_type = NULL WHERE id = %s", ids["identity"][1]),
        ):
            writer.execute(statement.encode(), [key])
        writer.execute(
            "INSERT INTO entity_facts (key, value, data_type)"
            " VALUES ('late', 'old', 'identity'), ('late', 'unsaid', NULL)"
        )
        writer.execute(
            "INSERT INTO entity_facts (key, value, durability, category)"
            " VALUES ('late', 'new', 'short_term', 'state')"
        )

    back(database, emit=write, batch_rows=2)
    assert written
    kind = dict(
        conn.execute("SELECT id, data_type FROM entity_facts WHERE key <> 'late'").fetchall()
    )
    assert [kind.get(i) for i in last] == [
        "preference",
        "temporal",
        "observation",
        None,
        "observation",
        "observation",
    ]
    assert last[3] not in kind
    assert [kind[i] for i in ids["identity"]] == ["temporal", None, *["identity"] * 4]
    late = conn.execute("SELECT value, data_type FROM entity_facts WHERE key = 'late'").fetchall()
    assert dict(late) == {"old": "identity", "unsaid": None, "new": "temporal"}


def test_what_is_written_while_values_are_kept_aside_is_kept_as_it_is_at_the_end(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    (ids,) = legacy.legacy(conn, {"observation": 6}).values()
    forward(database)
    conn.execute("UPDATE entity_facts SET pinned = true WHERE id = ANY (%s)", [ids[:2]])
    done: list[str] = []

    def write(_done: int, _of: int | None, label: str) -> None:
        if label.startswith("keep aside") and not done:
            done.append(label)
            conn.execute("UPDATE entity_facts SET pinned = false WHERE id = %s", [ids[0]])
            conn.execute("UPDATE entity_facts SET importance = 9 WHERE id = %s", [ids[1]])
        if label == "drop our columns":
            done.append(label)
            conn.execute("UPDATE entity_facts SET access_count = 3 WHERE id = %s", [ids[2]])
            conn.execute(
                "INSERT INTO entity_facts (id, key, value, importance) VALUES (999, 'k', 'v', 8)"
            )

    result = back(database, emit=write)
    assert len(done) == 2
    kept = conn.execute("SELECT fact_key, kept FROM memory_maintenance.rollback_backup").fetchall()
    assert dict(kept) == {
        str(ids[1]): {"pinned": True, "importance": 9},
        str(ids[2]): {"access_count": 3},
        "999": {"importance": 8},
    }
    assert result.kept_aside == 3


# -- what was put into our columns --


def test_confidence_returns_to_the_bit_and_other_writes_stay(database: TestDatabase) -> None:
    conn = database.connect()
    ids = legacy.facts(
        conn,
        [
            {"confidence": 0.1 + 0.2, "last_confirmed_at": ago(days=30), "data_type": "temporal"},
            {"confidence": 1 / 3, "last_confirmed_at": ago(days=400), "data_type": "observation"},
            {"confidence": 1.0, "last_confirmed_at": ago(days=9), "data_type": "identity"},
        ],
    )
    before = rows(conn)
    contracted(database)
    decay(database, AS_OF, EXACT)
    faded = one(conn, "SELECT count(*) FROM entity_facts WHERE confidence < confidence_base")
    assert faded == 3
    result = back(database)
    assert result.confidence_restored == 3
    assert rows(conn) == before
    forward(database)
    decay(database, AS_OF, EXACT)
    conn.execute("UPDATE entity_facts SET confidence = 0.25 WHERE id = %s", [ids[0]])
    result = back(database)
    assert result.confidence_restored == 2
    assert one(conn, "SELECT confidence FROM entity_facts WHERE id = %s", ids[0]) == 0.25


@pytest.mark.parametrize("kind", ["real", "numeric(5,4)", "numeric"])
def test_confidence_of_another_type_returns_too(empty_database: TestDatabase, kind: str) -> None:
    conn = empty_database.connect()
    conn.execute(
        "CREATE TABLE entity_facts (id bigserial PRIMARY KEY, key text, value text,"
        f" data_type text, confidence {kind}, last_confirmed_at timestamptz)".encode()
    )
    for value in ("0.1", "0.3333", "0.97"):
        conn.execute(
            "INSERT INTO entity_facts (value, data_type, confidence, last_confirmed_at)"
            " VALUES ('v', 'temporal', %s::text::numeric, %s)",
            [value, ago(days=20)],
        )
    before = rows(conn)
    forward(empty_database)
    decay(empty_database, AS_OF, EXACT)
    assert back(empty_database).confidence_restored == 3
    assert rows(conn) == before


def test_forward_again_gives_back_what_was_put_into_our_columns(database: TestDatabase) -> None:
    conn = database.connect()
    ids = legacy.facts(
        conn,
        [
            {"data_type": "observation", "last_confirmed_at": ago(days=100), "confidence": 0.7},
            {"data_type": "identity", "last_confirmed_at": ago(days=100)},
            {"data_type": "temporal", "last_confirmed_at": ago(days=3)},
            {"data_type": "observation", "last_confirmed_at": ago(days=5), "confidence": 0.7},
        ],
    )
    forward(database)
    conn.execute(
        "UPDATE entity_facts SET importance = 9, importance_scored_at = '2026-02-03 04:05:06.789Z',"
        " last_accessed_at = '2026-05-06 07:08:09Z', access_count = 4, pinned = true,"
        " expires = '2030-01-01Z' WHERE id = %s",
        [ids[1]],
    )
    conn.execute("UPDATE entity_facts SET category = 'decision' WHERE id = %s", [ids[0]])
    decay(database, AS_OF, EXACT)
    conn.execute("UPDATE entity_facts SET confidence = 0.5 WHERE id = %s", [ids[3]])
    before = rows(conn)
    result = back(database)
    assert result.kept_aside == 4
    again = forward(database)
    assert again.taken_back == 4
    assert one(conn, "SELECT count(*) FROM memory_maintenance.rollback_backup") == 0
    decay(database, AS_OF, EXACT)
    after = rows(conn)
    # The outside write of 0.5 is the one thing that decay had not seen yet.
    facts_before = {json.loads(row)["id"]: json.loads(row) for row in before}
    facts_after = {json.loads(row)["id"]: json.loads(row) for row in after}
    assert facts_after[ids[3]]["confidence_base"] == 0.5
    for key in ids[:3]:
        assert facts_after[key] == facts_before[key]


def test_what_would_be_taken_back_can_be_planned_before_the_columns_are_there(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    (ids,) = legacy.legacy(conn, {"observation": 3}).values()
    forward(database)
    conn.execute("UPDATE entity_facts SET pinned = true WHERE id <> %s", [ids[0]])
    back(database)
    subject = Subject("public", "entity_facts")
    with session(database) as opened:
        type_map = TypeMap(configuration().settings.data_type)
        steps = take_back_steps(opened, subject, subject.resolve(opened), type_map)
        assert [(step.kind, step.actions[0].rows) for step in steps] == [
            ("batches", 2),
            ("transaction", None),
        ]
        text = "\n".join(script(opened, steps, table=FACTS, phase=None))
    assert "pinned" in text
    assert forward(database).taken_back == 2
    assert one(conn, "SELECT array_agg(pinned ORDER BY id) FROM entity_facts") == [
        False,
        True,
        True,
    ]


def test_what_others_have_said_since_a_rollback_is_not_overruled(database: TestDatabase) -> None:
    conn = database.connect()
    (ids,) = legacy.legacy(conn, {"observation": 4}).values()
    forward(database)
    conn.execute("UPDATE entity_facts SET importance = 9, category = 'decision'")
    back(database)
    conn.execute("UPDATE entity_facts SET data_type = 'temporal' WHERE id = %s", [ids[0]])
    conn.execute("DELETE FROM entity_facts WHERE id = %s", [ids[1]])
    phase(database, "expand")
    conn.execute("UPDATE entity_facts SET importance = 2 WHERE id = %s", [ids[2]])
    assert forward(database).taken_back == 3
    found = conn.execute(
        "SELECT id, importance, category, data_type FROM entity_facts ORDER BY id"
    ).fetchall()
    assert found == [
        (ids[0], 9, "state", "temporal"),
        (ids[2], 2, "decision", "observation"),
        (ids[3], 9, "decision", "observation"),
    ]
    assert one(conn, "SELECT count(*) FROM memory_maintenance.rollback_backup") == 0


def test_decay_goes_on_after_a_return_as_if_there_had_been_no_rollback(
    database: TestDatabase, server: TestServer
) -> None:
    conn = database.connect()
    legacy.facts(
        conn,
        [
            {"data_type": kind, "last_confirmed_at": ago(days=age), "confidence": confidence}
            for kind in ("observation", "temporal", "identity")
            for age in (1, 20, 300)
            for confidence in (1.0, 0.3)
        ],
    )
    forward(database)
    decay(database, ago(days=2), EXACT)
    conn.close()
    with fresh_database(server, database.name) as undisturbed:
        decay(undisturbed, AS_OF, EXACT)
        expected = rows(undisturbed.connect())
    back(database)
    forward(database)
    decay(database, AS_OF, EXACT)
    assert rows(database.connect()) == expected


# -- tables of other kinds --


@pytest.mark.parametrize(("key", "partitioned"), [("bigint", False), ("uuid", True)])
def test_keys_of_every_kind_and_partitions(
    empty_database: TestDatabase, key: str, *, partitioned: bool
) -> None:
    conn = empty_database.connect()
    by = " PARTITION BY HASH (id)" if partitioned else ""
    conn.execute(
        f"CREATE TABLE entity_facts (id {key} PRIMARY KEY, key text, data_type varchar(20) DEFAULT"
        f" 'observation', value text, confidence double precision){by}".encode()
    )
    if partitioned:
        for n in range(2):
            conn.execute(
                f"CREATE TABLE part_{n} PARTITION OF entity_facts"
                f" FOR VALUES WITH (MODULUS 2, REMAINDER {n})".encode()
            )
    conn.execute("CREATE INDEX by_type ON entity_facts (data_type)")
    new_id = "gen_random_uuid()" if key == "uuid" else "n"
    conn.execute(
        f"INSERT INTO entity_facts (id, value, data_type) SELECT {new_id}, 'v' || n,"
        " (ARRAY['identity', 'temporal', 'observation', NULL])[1 + n %% 4]"
        " FROM generate_series(1, 40) AS n".replace("%%", "%").encode()
    )
    before = dump(empty_database), rows(conn)
    forward(empty_database)
    conn.execute("UPDATE entity_facts SET importance = 7 WHERE value = 'v8'")
    back(empty_database, batch_rows=3)
    same((dump(empty_database), rows(conn)), before)
    contracted(empty_database)
    assert one(conn, "SELECT importance FROM entity_facts WHERE value = 'v8'") == 7
    result = back(empty_database, batch_rows=3)
    assert any("writers wait while by_type" in note for note in result.notes) is partitioned
    same((without_places(dump(empty_database)),), (without_places(before[0]),))
    assert rows(conn) == before[1]


def test_a_table_with_odd_names_in_another_schema(empty_database: TestDatabase) -> None:
    conn = empty_database.connect()
    conn.execute('CREATE SCHEMA "Other %% Memory"', ())
    name = '"Other % Memory"."Entity Facts"'
    conn.execute(
        f'CREATE TABLE {name} ("Id %" bigserial PRIMARY KEY, key text, value text, data_type text'
        " CHECK (data_type <> '%'), confidence double precision)".encode()
    )
    conn.execute(f'CREATE INDEX "by % type" ON {name} (data_type)'.encode())
    conn.execute(
        f'CREATE VIEW "Other % Memory"."a % view" AS SELECT data_type FROM {name}'.encode()
    )
    conn.execute(
        f"INSERT INTO {name} (value, data_type) SELECT 'v', t"
        " FROM unnest(ARRAY['identity', 'temporal', NULL]) AS t".encode()
    )
    before = dump(empty_database), rows(conn, name)
    contracted(empty_database, table=name)
    conn.execute(f"UPDATE {name} SET pinned = true".encode())
    preview = phase(empty_database, "rollback", table=name, dry_run=True)
    result = back(empty_database, table=name)
    assert (preview.kept_aside, result.kept_aside) == (3, 3)
    same((without_places(dump(empty_database)),), (without_places(before[0]),))
    assert rows(conn, name) == before[1]


def test_an_owner_who_is_no_superuser_can_roll_back(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    legacy.give_to_owner(conn)
    before = dump(database), rows(conn)
    contracted(database, connect=AS_OWNER)
    back(database, connect=AS_OWNER)
    same((without_places(dump(database)),), (without_places(before[0]),))
    assert rows(conn) == before[1]
    writer = database.connect()
    writer.execute(f"SET ROLE {legacy.AGENT}")
    writer.execute("INSERT INTO entity_facts (key, value) VALUES ('k', 'v')")


def test_after_the_predecessors_own_migration_it_says_what_it_cannot_bring_back(
    empty_database: TestDatabase,
) -> None:
    conn = empty_database.connect()
    legacy.current(conn)
    legacy.facts(conn, [{"durability": "permanent", "category": "identity"}, {}])
    before = dump(empty_database), rows(conn)
    phase(empty_database)
    result = back(empty_database)
    same((dump(empty_database), rows(conn)), before)
    notes = " ".join(result.notes)
    assert "data_type can't be brought back" in notes
    assert "only defaulted" in notes


def test_axes_that_stood_beside_data_type_before_stay_with_their_defaults(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    conn.execute(
        "ALTER TABLE entity_facts ADD durability varchar(20) DEFAULT 'long_term',"
        " ADD category text NOT NULL DEFAULT 'observation'"
    )
    conn.execute(
        "ALTER TABLE entity_facts ADD CONSTRAINT chk_durability CHECK"
        " (durability IN ('permanent', 'long_term', 'short_term', 'ephemeral')) NOT VALID"
    )
    legacy.legacy(conn, {"observation": 3})
    before = dump(database), rows(conn)
    forward(database)
    assert dump(database) != before[0]
    result = back(database)
    same((dump(database), rows(conn)), before)
    assert any("they stay" in note for note in result.notes)


# -- what changes meanwhile --


def test_what_is_written_with_the_default_axes_keeps_them_whatever_the_map_says(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"temporal": 1})
    config = "data_type: {observation: [long_term, note]}"
    contracted(database, config=config)
    conn.execute("INSERT INTO entity_facts (key, value) VALUES ('new', 'v')")
    seen: list[Any] = []

    def look(_done: int, _of: int | None, label: str) -> None:
        if label.startswith("keep aside"):
            statement = "SELECT durability || ' ' || category || ' ' || data_type FROM entity_facts"
            seen.append(one(conn, statement + " WHERE key = 'new'"))

    back(database, config=config, emit=look)
    assert seen == ["long_term observation observation"]


def test_an_index_whose_build_meets_a_lock_is_built_all_the_same(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = start(database, "contracted")
    writer = database.connect(autocommit=False)
    monkeypatch.setattr(actions, "LOCK_TIMEOUT_APART", timedelta(milliseconds=50))
    seen: list[str] = []

    def watch(statement: str) -> None:
        if statement.startswith("CREATE INDEX CONCURRENTLY idx_entity_facts_data_type"):
            if not seen:
                # An old transaction, which the build waits for.
                writer.execute("UPDATE entity_facts SET value = 'w' WHERE id = 1")
            seen.append("build")
        if statement.startswith("DROP INDEX") and "data_type" in statement:
            seen.append("drop")
            writer.rollback()

    watched(monkeypatch, watch)
    back(database, patience=QUICK)
    assert seen == ["build", "drop", "build"]
    valid = (
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'idx_entity_facts_data_type'::regclass"
    )
    assert one(conn, valid) is True


def test_while_an_index_is_missing_its_definition_is_not_forgotten(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(database, "filled")
    before = without_places(dump(database))
    start(database, "contracted")
    with monkeypatch.context() as patch:
        patch.setattr(rollback_indexes, "bring_back", lambda *_: None)
        with pytest.raises(Busy, match="idx_entity_facts_data_type"):
            phase(database, "rollback")
    back(database)
    same((without_places(dump(database)),), (before,))


def test_a_view_on_facts_and_archive_returns_to_its_former_text(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    conn.execute(
        "CREATE VIEW both_of AS SELECT f.id, f.data_type, a.data_type AS was"
        " FROM entity_facts AS f JOIN entity_facts_archive AS a USING (id)"
    )
    statement = "SELECT pg_get_viewdef('both_of'::regclass)"
    before = one(conn, statement), rows(conn), rows(conn, ARCHIVE)
    contracted(database)
    assert one(conn, statement).count("data_type_of") == 2
    assert phase(database, "rollback", dry_run=True).blockers == ()
    back(database)
    assert (one(conn, statement), rows(conn), rows(conn, ARCHIVE)) == before


def killed_at(database: TestDatabase, label: str, **options: Any) -> None:
    """A rollback that is killed when it tells of this."""

    def kill(_done: int, _of: int | None, told: str) -> None:
        if told.startswith(label):
            raise _KilledError

    with pytest.raises(_KilledError):
        phase(database, "rollback", emit=kill, **options)


def note_triggers(conn: Connection) -> list[str]:
    found = conn.execute(
        "SELECT DISTINCT tgname FROM pg_trigger WHERE tgname LIKE 'memory\\_maintenance\\_70%'"
    )
    return sorted(row[0] for row in found)


def test_the_triggers_that_note_are_known_by_name_and_made_anew_where_they_are_gone(
    database: TestDatabase,
) -> None:
    conn = start(database, "filled")
    before = without_places(dump(database)), rows(conn)
    conn = start(database, "contracted")
    killed_at(database, "put data_type back")
    seen = note_triggers(conn)
    killed_at(database, "keep aside entity_facts")
    seen += note_triggers(conn)
    assert set(seen) == set(ROLLBACK_NOTES)
    for name in note_triggers(conn):
        for table in ("entity_facts", "entity_facts_archive"):
            conn.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}".encode())
    back(database)
    same((without_places(dump(database)), rows(conn)), before)


def test_what_a_rollback_kept_that_was_given_up_is_not_given_back(database: TestDatabase) -> None:
    conn = database.connect()
    (ids,) = legacy.legacy(conn, {"observation": 2}).values()
    forward(database)
    conn.execute("UPDATE entity_facts SET pinned = true")
    killed_at(database, "drop our columns")
    for name in note_triggers(conn):
        conn.execute(f"DROP TRIGGER {name} ON entity_facts".encode())
    conn.execute("UPDATE entity_facts SET pinned = false WHERE id = %s", [ids[0]])
    assert forward(database).taken_back == 0
    assert one(conn, "SELECT array_agg(pinned ORDER BY id) FROM entity_facts") == [False, True]
    # Nor is it taken for what a later rollback finds.
    killed_at(database, "drop our columns")
    for name in note_triggers(conn):
        conn.execute(f"DROP TRIGGER {name} ON entity_facts".encode())
    conn.execute("UPDATE entity_facts SET pinned = false")
    assert back(database).kept_aside == 0


def test_a_second_rollback_adds_to_what_the_first_one_kept(database: TestDatabase) -> None:
    conn = database.connect()
    (ids,) = legacy.legacy(conn, {"observation": 3}).values()
    forward(database)
    conn.execute("UPDATE entity_facts SET importance = 9, pinned = true")
    back(database)
    phase(database, "expand")
    conn.execute("UPDATE entity_facts SET access_count = 2 WHERE id = %s", [ids[0]])

    def write(_done: int, _of: int | None, label: str) -> None:
        if label.startswith("keep aside"):
            conn.execute("UPDATE entity_facts SET importance = 5 WHERE id = %s", [ids[1]])
            conn.execute("UPDATE entity_facts SET importance = 7 WHERE id = %s", [ids[2]])

    assert back(database, emit=write).kept_aside == 3
    assert forward(database).taken_back == 3
    found = conn.execute("SELECT importance, pinned, access_count FROM entity_facts ORDER BY id")
    assert found.fetchall() == [(9, True, 2), (9, True, 0), (7, True, 0)]
    assert one(conn, "SELECT count(*) FROM memory_maintenance.rollback_backup") == 0


def test_what_was_noted_before_is_looked_at_before_each_attempt_to_lock(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = database.connect()
    legacy.legacy(conn, {"observation": 1})
    forward(database)
    reader = database.connect(autocommit=False)
    left: list[int] = []

    def watch(statement: str) -> None:
        if statement.startswith("LOCK TABLE"):
            left.append(one(conn, "SELECT count(*) FROM memory_maintenance.noted_key"))
            if len(left) == 1:
                reader.execute("SELECT FROM entity_facts")
                conn.execute(
                    "INSERT INTO entity_facts (key, value, importance)"
                    " SELECT 'k', 'v', 9 FROM generate_series(1, 50)"
                )
            else:
                reader.rollback()

    watched(monkeypatch, watch)
    assert back(database, patience=QUICK).kept_aside == 50
    # The first attempt found the table read, the second, for the archive's sake, is its own.
    assert left[:2] == [0, 0]
    assert len(left) == 3


def test_no_longer_than_it_may_does_it_keep_everybody_out(database: TestDatabase) -> None:
    conn = start(database, "filled")
    before = dump(database), rows(conn)
    conn = start(database, "forward")
    with pytest.raises(Busy, match="none was dropped"):
        phase(database, "rollback", patience=IMPATIENT, max_lock=timedelta(milliseconds=1))
    assert one(conn, "SELECT count(durability) FROM entity_facts") == sum(MIXED.values())
    back(database)
    same((dump(database), rows(conn)), before)


def test_a_digest_outlives_a_new_column(database: TestDatabase) -> None:
    conn = database.connect()
    filled(conn)
    statement = "SELECT array_agg(data_type ORDER BY id, data_type) FROM entity_facts_archive"
    before = one(conn, statement)
    contracted(database)
    conn.execute("ALTER TABLE entity_facts_archive ADD COLUMN remark text")
    result = back(database)
    assert (one(conn, statement), result.restored, result.unmatched) == (before, 10, 0)
    # The same for what rollback keeps.
    forward(database)
    conn.execute(
        "UPDATE entity_facts_archive SET category = 'decision' WHERE value LIKE '%of type identity'"
    )
    back(database)
    conn.execute("ALTER TABLE entity_facts_archive ADD COLUMN another text")
    forward(database)
    counted = "SELECT count(*) FROM entity_facts_archive WHERE category = 'decision'"
    assert one(conn, counted) == 4


def test_old_values_that_match_no_row_are_told_of_and_stay(database: TestDatabase) -> None:
    conn = start(database, "contracted")
    conn.execute(
        "UPDATE entity_facts_archive SET value = 'edited' WHERE value LIKE '%1 of type identity'"
    )
    preview: RollbackResult = phase(database, "rollback", dry_run=True)
    result = back(database)
    assert (preview.unmatched, result.unmatched) == (1, 1)
    assert preview.notes == result.notes
    assert any("match no row any more" in note for note in result.notes)
    kept = conn.execute("SELECT table_name, kept FROM memory_maintenance.unmatched_backup")
    assert kept.fetchall() == [(ARCHIVE, {"data_type": "identity"})]
    assert one(conn, "SELECT count(*) FROM memory_maintenance.data_type_backup") == 0


def test_batches_wait_for_standbys_and_the_rate_of_wal(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = database.connect()
    legacy.facts(
        conn,
        [{"data_type": "temporal", "last_confirmed_at": ago(days=20)} for _ in range(4)],
    )
    contracted(database)
    conn.execute("UPDATE entity_facts SET pinned = true")
    decay(database, AS_OF, EXACT)
    label, paused = "", set()

    def tell(_done: int, _of: int | None, told: str) -> None:
        nonlocal label
        label = told

    monkeypatch.setattr(Throttle, "pause", lambda *_: paused.add(label))
    back(database, batch_rows=2, emit=tell)
    forward(database, batch_rows=2, emit=tell)
    assert paused >= {
        "put data_type back",
        "return confidence entity_facts",
        "keep aside entity_facts",
        "take back entity_facts",
    }


# -- how it is planned --


def most_rows(node: Mapping[str, Any]) -> int:
    """The most rows that a node of a plan looked at, in all of its loops."""
    own = sum(
        node.get(name, 0)
        for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    )
    below = [most_rows(child) for child in node.get("Plans", ())]
    return max([int(own * node["Actual Loops"]), *below])


def planned_rows(opened: Session, action: Action, first: Any, last: Any) -> int:
    statement = sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) ") + action.statement
    params = {**action.params, "first_key": first, "last_key": last}
    with opened.transaction():
        row = opened.connection.execute(statement, params).fetchone()
    assert row is not None
    return most_rows(row[0][0]["Plan"])


def test_no_batch_looks_at_all_that_was_kept_for_each_row(database: TestDatabase) -> None:
    many, batch_rows = 3000, 200
    conn = database.connect()
    legacy.legacy(conn, {"identity": many})
    forward(database)
    conn.execute(
        "INSERT INTO memory_maintenance.data_type_backup (table_name, fact_key, data_type)"
        " SELECT 'public.entity_facts', id::text, 'identity' FROM entity_facts"
    )
    conn.execute(
        "INSERT INTO memory_maintenance.rollback_backup (table_name, fact_key, started_at, columns, kept)"
        " SELECT 'public.entity_facts', id::text, '2020-01-01', '{}', '{\"pinned\": true}' FROM entity_facts"
    )
    # As right after data_type came back: no value, no index, and triggers that leave it alone.
    conn.execute("DROP INDEX idx_entity_facts_data_type")
    conn.execute("ALTER TABLE entity_facts DISABLE TRIGGER USER")
    conn.execute("UPDATE entity_facts SET data_type = NULL")
    conn.execute("ALTER TABLE entity_facts ENABLE TRIGGER USER")
    conn.execute("VACUUM ANALYZE entity_facts")
    first = one(conn, "SELECT min(id) FROM entity_facts")
    last = first + batch_rows - 1
    type_map = TypeMap(configuration().settings.data_type)
    subject = Subject("public", "entity_facts")
    with session(database) as opened:
        place = find(opened, subject, type_map)
        assert place is not None
        place = replace(place, contract=ContractRecord(type="text"))
        (fill,) = (step.actions[0] for step in rollback_values.fill_steps(opened, place, many))
        assert planned_rows(opened, fill, first, last) <= 5 * batch_rows
        taking = take_back_steps(opened, subject, place.relation, type_map)
        (batch,) = (step.actions[0] for step in taking if step.kind == "batches")
        # PostgreSQL 15 reads what was kept once for the batch: that is still not once for each row of it.
        assert planned_rows(opened, batch, first, last) <= many + 5 * batch_rows
    found = "SELECT count(*) FROM entity_facts WHERE pinned AND data_type = 'identity'"
    assert one(conn, found) == batch_rows


# -- what stands in the way --


def test_a_kept_view_that_was_changed_in_whatever_way_stops_it_before_anything_changes(
    database: TestDatabase,
) -> None:
    conn = database.connect()
    filled(conn)
    conn.execute(
        "CREATE VIEW shown AS SELECT id, data_type FROM entity_facts"
        " WHERE (id > 1 OR id < 0) AND value <> ''"
    )
    contracted(database)
    kept = one(conn, "SELECT pg_get_viewdef('shown'::regclass)").rstrip().rstrip(";")
    shown = (
        "CREATE OR REPLACE VIEW shown AS SELECT id,"
        " memory_maintenance.data_type_of(durability, category)::character varying(20) AS data_type"
    )
    for change, undo in (
        (
            "ALTER VIEW shown SET (security_barrier = true)",
            "ALTER VIEW shown RESET (security_barrier)",
        ),
        (
            f"{shown} FROM entity_facts WHERE id > 1 OR (id < 0 AND value <> '')",
            f"CREATE OR REPLACE VIEW shown AS {kept}",
        ),
        # A column can't be taken from a view again.
        (f"{shown}, value FROM entity_facts WHERE (id > 1 OR id < 0) AND value <> ''", "SELECT"),
    ):
        conn.execute(change.encode())
        before, facts = catalog(conn), rows(conn)
        for dry_run in (True, False):
            result: RollbackResult = phase(database, "rollback", dry_run=dry_run)
            (blocker,) = result.blockers
            assert (blocker.kind, blocker.name) == ("view", "public.shown")
            assert (catalog(conn), rows(conn)) == (before, facts)
        conn.execute(undo.encode())


def test_a_view_that_the_server_spells_otherwise_is_tried_and_does_not_stop_it(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    conn = start(database, "filled")
    before = one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)")
    conn = start(database, "contracted")
    # As after an upgrade to a server with other spelling.
    monkeypatch.setattr(rollback_views, "_same", lambda *_: False)
    back(database)
    assert one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)") == before


def test_a_script_refuses_a_view_that_was_changed_since_it_was_written(
    database: TestDatabase, server: TestServer, tmp_path: Path
) -> None:
    conn = start(database, "contracted")
    path = written(database, tmp_path)
    definition = one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)")
    changed = definition.replace("entity_id = 1", "entity_id = 2")
    conn.execute(f"CREATE OR REPLACE VIEW delegation_knowledge AS {changed}".encode())
    done = psql(database, server, path)
    assert done.returncode != 0
    assert "was changed since this was written" in done.stderr
    assert "entity_id = 2" in one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)")


def test_a_script_refuses_to_go_on_without_an_index(
    database: TestDatabase, server: TestServer, tmp_path: Path
) -> None:
    conn = start(database, "contracted")
    path = written(database, tmp_path)
    lines = [line for line in path.read_text().splitlines() if "CREATE INDEX CONC" not in line]
    path.write_text("\n".join(lines))
    done = psql(database, server, path)
    assert done.returncode != 0
    assert "idx_entity_facts_data_type is not back" in done.stderr
    back(database)
    assert one(conn, "SELECT to_regclass('idx_entity_facts_data_type') IS NOT NULL")


def written(database: TestDatabase, directory: Path) -> Path:
    """The rollback as a script."""
    preview: RollbackResult = phase(database, "rollback", dry_run=True)
    assert preview.blockers == ()
    path = directory / "rollback.sql"
    with session(database) as opened:
        lines = script(opened, preview.steps, table=FACTS, phase="rollback")
        path.write_text("\n".join(lines) + "\n")
    return path


def psql(
    database: TestDatabase, server: TestServer, path: Path
) -> subprocess.CompletedProcess[str]:
    program = (server.programs or Programs.from_wheel()).path("psql")
    return subprocess.run(
        [program, "--no-psqlrc", f"--dbname={database.dsn}", f"--file={path}"],
        check=False,
        capture_output=True,
        text=True,
    )


def test_a_view_on_our_columns_stops_it_before_anything_changes(database: TestDatabase) -> None:
    conn = start(database, "contracted")
    conn.execute("CREATE VIEW theirs AS SELECT id, durability, pinned FROM entity_facts")
    before, facts = catalog(conn), rows(conn)
    for dry_run in (True, False):
        result: RollbackResult = phase(database, "rollback", dry_run=dry_run)
        assert (result.outcome, result.rolled_back) == (Outcome.FINDINGS, False)
        (blocker,) = result.blockers
        assert (blocker.kind, "theirs" in blocker.name) == ("view", True)
        assert "durability" in blocker.definition
        assert "theirs" in render_text(result, quiet=True)
    assert (catalog(conn), rows(conn)) == (before, facts)
    conn.execute("DROP VIEW theirs")
    back(database)


def test_a_function_that_names_our_columns_is_told_of_and_does_not_stop_it(
    database: TestDatabase,
) -> None:
    conn = start(database, "forward")
    conn.execute(
        "CREATE FUNCTION pin(fact integer) RETURNS void LANGUAGE sql AS"
        " 'UPDATE public.entity_facts SET pinned = true WHERE id = fact'"
    )
    result = back(database)
    assert any("pin(" in note and "pinned" in note for note in result.notes)


def test_an_index_of_others_that_goes_with_our_columns_is_told_of(database: TestDatabase) -> None:
    conn = start(database, "forward")
    assert not [
        note for note in phase(database, "rollback", dry_run=True).notes if "goes with" in note
    ]
    conn.execute("CREATE INDEX theirs ON entity_facts (importance)")
    assert [note for note in back(database).notes if "goes with" in note] == [
        "index public.theirs goes with importance"
    ]


def test_a_kept_view_that_somebody_has_changed_stops_it_and_is_left_alone(
    database: TestDatabase,
) -> None:
    conn = start(database, "filled")
    before = rows(conn)
    conn = start(database, "contracted")
    definition = one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)")
    changed = definition.rstrip().rstrip(";").replace("entity_id = 1", "entity_id = 2")
    assert changed != definition
    conn.execute(f"CREATE OR REPLACE VIEW delegation_knowledge AS {changed}".encode())
    result: RollbackResult = phase(database, "rollback")
    assert result.outcome is Outcome.FINDINGS
    (blocker,) = result.blockers
    assert "delegation_knowledge" in blocker.name
    assert "entity_id = 2" in blocker.definition
    found = one(conn, "SELECT pg_get_viewdef('delegation_knowledge'::regclass)")
    assert "entity_id = 2" in found
    conn.execute(f"CREATE OR REPLACE VIEW delegation_knowledge AS {definition}".encode())
    back(database)
    assert rows(conn) == before


def test_with_retries_used_up_it_is_busy_and_goes_on_later(database: TestDatabase) -> None:
    conn = start(database, "filled")
    before = dump(database), rows(conn)
    conn = start(database, "forward")
    reader = database.connect(autocommit=False)

    def read(_done: int, _of: int | None, label: str) -> None:
        if label == "drop our columns":
            reader.execute("SELECT count(*) FROM entity_facts")

    with pytest.raises(Busy):
        phase(database, "rollback", patience=IMPATIENT, emit=read)
    assert one(conn, "SELECT count(durability) FROM entity_facts") == sum(MIXED.values())
    reader.rollback()
    back(database)
    same((dump(database), rows(conn)), before)


@pytest.mark.torture
def test_what_others_put_into_public_changes_nothing(
    database: TestDatabase, server: TestServer
) -> None:
    conn = start(database, "contracted")
    conn.execute(
        "INSERT INTO entity_facts (key, value, durability, category, importance, learned_at,"
        " updated_at, last_confirmed_at) VALUES ('k', 'v', 'long_term', 'decision', 9,"
        " '2026-01-01', '2026-01-01', '2026-01-01')"
    )
    decay(database, AS_OF, EXACT)
    conn.close()
    with fresh_database(server, database.name) as clean:
        back(clean)
        expected = end_state(clean)[1:]
        forward(clean)
        again = rows(clean.connect())
    hostile = database.connect()
    functions = (
        "data_type_of, jsonb_build_array, jsonb_build_object, jsonb_strip_nulls, count, row_number,"
    )
    functions += "to_jsonb, md5, max, coalesce"
    hostile.execute("SELECT set_config('mm_test.functions', %s, false)", ["{" + functions + "}"])
    hostile.execute(HOSTILE)
    preview: RollbackResult = phase(database, "rollback", dry_run=True)
    assert back(database).kept_aside == preview.kept_aside
    assert end_state(database)[1:] == expected
    assert forward(database).taken_back > 0
    assert rows(database.connect()) == again


# -- dry run --


def test_a_dry_run_counts_exactly_what_the_run_then_does_and_leaves_no_trace(
    database: TestDatabase,
) -> None:
    conn = start(database, "contracted")
    conn.execute(
        "INSERT INTO entity_facts (key, value, durability, category, importance, last_confirmed_at)"
        " VALUES ('k', 'v', 'long_term', 'decision', 9, %s), ('k', 'v', 'ephemeral', 'mood', 5, %s)",
        [ago(days=1), ago(days=1)],
    )
    decay(database, AS_OF, EXACT)
    before, facts = catalog(conn), rows(conn)
    preview: RollbackResult = phase(database, "rollback", dry_run=True)
    assert (catalog(conn), rows(conn)) == (before, facts)
    real = back(database)
    assert preview.rolled_back is False
    same = (
        "restored",
        "by_way_back",
        "confidence_restored",
        "kept_aside",
        "columns_dropped",
        "notes",
    )
    assert [getattr(preview, name) for name in same] == [getattr(real, name) for name in same]
    assert preview.kept_aside > 0
    assert preview.confidence_restored > 0
    assert all(p.phase == "rollback" and p.lock and p.statement for p in preview.plan)
    whats = [p.what for p in preview.plan]
    assert whats[0] == "add data_type"
    assert whats[-1] == "note that nothing of it is left"
    assert not [line for line in render_text(real).splitlines() if len(line) > 80]


def test_the_plan_as_a_script_for_psql_has_the_same_result(
    database: TestDatabase, server: TestServer, tmp_path: Path
) -> None:
    conn = start(database, "contracted")
    conn.execute(
        "INSERT INTO entity_facts (key, value, durability, category, importance, last_confirmed_at)"
        " VALUES ('k', 'v', 'long_term', 'decision', 9, %s)",
        [ago(days=1)],
    )
    decay(database, AS_OF, EXACT)
    conn.close()
    with fresh_database(server, database.name) as undisturbed:
        back(undisturbed)
        expected = end_state(undisturbed)
    done = psql(database, server, written(database, tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert end_state(database) == expected


def test_json_has_the_documented_keys(database: TestDatabase) -> None:
    start(database, "contracted")
    document = back(database).document()
    assert {
        "command": "migrate-types",
        "phase": "rollback",
        "rolled_back": True,
        "restored": 10,
        "blockers": [],
        "plan": [],
    }.items() <= document.items()
    assert {"by_way_back", "confidence_restored", "kept_aside", "columns_dropped", "notes"} <= set(
        document
    )
    assert "steps" not in document


# -- killed --


class _KilledError(BaseException):
    """What a kill looks like from inside."""


def watched(monkeypatch: pytest.MonkeyPatch, watch: Callable[[str], None]) -> None:
    """Shows every statement of sessions of ours before it is executed."""
    execute = psycopg.Connection.execute

    def shown(self: Any, query: Any, params: Any = None, **more: Any) -> Any:
        if isinstance(query, sql.Composed):
            watch(query.as_string(self).lstrip())
        return execute(self, query, params, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", shown)


def killed_after(monkeypatch: pytest.MonkeyPatch, statements: int) -> Callable[[], int]:
    """Has this process fail at each statement after so many; how many there were."""
    count = 0
    execute = psycopg.Cursor.execute

    def watched(self: Any, query: Any, params: Any = None, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count > statements:
            raise _KilledError
        return execute(self, query, params, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", watched)
    return lambda: count


@pytest.fixture
def halfway(database: TestDatabase) -> TestDatabase:
    """A contracted database with something of everything."""
    conn = start(database, "contracted")
    conn.execute(
        "INSERT INTO entity_facts (id, key, value, durability, category, importance,"
        " last_confirmed_at, learned_at, updated_at)"
        " VALUES (500, 'k', 'v', 'long_term', 'decision', 9, '2026-01-01', '2026-01-01', '2026-01-01')"
    )
    decay(database, AS_OF, EXACT)
    conn.close()
    return database


def end_state(database: TestDatabase) -> tuple[str, list[str], list[str], list[Any]]:
    with psycopg.connect(database.dsn, autocommit=True) as conn:
        kept = conn.execute(
            "SELECT fact_key, kept::text FROM memory_maintenance.rollback_backup ORDER BY 1"
        ).fetchall()
        return dump(database), rows(conn), rows(conn, ARCHIVE), kept


@pytest.mark.torture
def test_killed_between_any_two_statements_it_ends_the_same_when_run_again(
    halfway: TestDatabase, server: TestServer
) -> None:
    with fresh_database(server, halfway.name) as undisturbed:
        with pytest.MonkeyPatch.context() as patch:
            counted = killed_after(patch, 1_000_000)
            back(undisturbed, batch_rows=9)
            total = counted()
        expected = end_state(undisturbed)
    assert total > 100
    # Every statement once would take many minutes.
    for statements in range(20, total, KILL_STEP):
        with fresh_database(server, halfway.name) as struck:
            with pytest.MonkeyPatch.context() as patch:
                killed_after(patch, statements)
                with pytest.raises(_KilledError):
                    phase(struck, "rollback", batch_rows=9)
            wait_until(lambda struck=struck: alone(struck))  # type: ignore[misc]
            phase(struck, "rollback", batch_rows=9)
            assert end_state(struck) == expected, f"after {statements} statements"


def alone(database: TestDatabase) -> bool:
    """Whether the server has noticed that the run is gone."""
    with psycopg.connect(database.dsn, autocommit=True) as conn:
        others = one(
            conn,
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name LIKE 'memory-maintenance %%'",
        )
    return bool(others == 0)
