"""report: what is hand-made, odd, missing or hostile, and what is read of it at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from psycopg import sql
from rich.cells import cell_len

from memory_maintenance.errors import Denied
from memory_maintenance.jobs.report.faded import Faded
from memory_maintenance.jobs.report.report import ReportResult
from memory_maintenance.jobs.report.runs import OfCommand
from memory_maintenance.model.result import Note
from memory_maintenance.render.text import render_text
from tests.integration.test_report import reported
from tests.support.command import Call
from tests.support.decisions import record
from tests.support.legacy import facts
from tests.support.maintenance import (
    AS_OF,
    ago,
    ahead,
    configured,
    decay,
    make_facts,
    migrate_types,
)
from tests.support.server import Connection, TestDatabase


def shown(result: ReportResult) -> list[str]:
    """The lines of the text at 80 columns, none of them wider, commands to copy apart."""
    lines = render_text(result, width=80).splitlines()
    wide = [line for line in lines if cell_len(line) > 80 and not line.endswith(";")]
    assert wide == []
    return lines


def fact(connection: Connection, durability: str, category: str, **columns: Any) -> int:
    """A fact that was learned and confirmed ten days before AS_OF, unless columns say when; its id."""
    row = {
        "durability": durability,
        "category": category,
        "learned_at": ago(days=10).replace(tzinfo=None),
        "last_confirmed_at": ago(days=10),
    }
    return facts(connection, [row | columns])[0]


def test_an_empty_database_is_reported_in_a_few_lines(migrated: TestDatabase) -> None:
    result = reported(migrated, show_ids=True)
    assert result.composition.facts == 0
    assert result.composition.groups == ()
    assert [b.facts for b in result.composition.confidence] == [0] * 10
    assert (result.faded.crossed, result.faded.expired, result.moods.oldest_s) == (0, 0, None)
    assert (result.duplicates.groups, result.problems.count) == (0, 0)
    assert result.health.dead_share is None
    assert result.health.hot_share is None
    lines = shown(result)
    assert "there are no facts yet" in lines
    assert len(lines) < 80


def test_one_fact_is_one_group(migrated: TestDatabase) -> None:
    with migrated.connect() as connection:
        only = fact(connection, "short_term", "state", confidence=0.8, importance=7)
    result = reported(migrated, show_ids=True)
    (group,) = result.composition.groups
    # Ten days are the half-life of short_term; importance 7 after 10 days: 7 x 2 ** -(10 / 14) ** 1.5 x 0.5.
    assert group.facts == 1
    assert group.mean_confidence == pytest.approx(0.4, abs=1e-12)
    assert (group.mean_importance, group.ids) == (2, (only,))
    bands = {b.at_least: b.ids for b in result.composition.confidence if b.facts}
    assert bands == {0.4: (only,)}
    assert f"short_term, state: {only}" in shown(result)


def test_what_faded_is_worked_out_by_hand(migrated: TestDatabase) -> None:
    """A mood of 1.0 is below 0.1 after 36 h x log2(10) = 119.6 h, a state of 0.4 after 10 d x 2 = 20 d."""
    with migrated.connect() as connection:
        now, before = ago(hours=119.7), ago(hours=119.5)
        crossed = fact(connection, "ephemeral", "mood", last_confirmed_at=now, importance=9)
        fact(connection, "ephemeral", "mood", last_confirmed_at=before)
        fact(connection, "ephemeral", "mood", last_confirmed_at=ago(hours=144))
        state = fact(
            connection, "short_term", "state", last_confirmed_at=ago(days=20, minutes=1), confidence=0.4,
            importance=3,
        )  # fmt: skip
        # Was below long ago, and was confirmed an hour ago: it has not faded, and neither had it been.
        fact(
            connection, "ephemeral", "mood", last_confirmed_at=ago(hours=1), learned_at=ago(days=90)
        )
        expired = fact(connection, "permanent", "ticket", expires=ago(hours=1), importance=9)
        fact(connection, "permanent", "ticket", expires=ago(hours=25))
        fact(connection, "permanent", "ticket", expires=ago(hours=1), pinned=True)
        fact(connection, "permanent", "ticket", expires=ahead(hours=1))
        # 48 h from its deadline on: of 0.15 a tenth is left after 28.1 h.
        overdue = fact(
            connection,
            "short_term",
            "obligation",
            expires=ago(hours=28.5),
            confidence=0.15,
            importance=1,
        )
    found = reported(migrated, show_ids=True).faded
    assert (found.crossed, found.expired) == (3, 1)
    assert {p.policy: p.ids for p in found.by_policy} == {
        "category:mood": (crossed,),
        "durability:short_term": (state,),
        "category:obligation:after_deadline": (overdue,),
        "expired": (expired,),
    }
    assert [(m.id, m.importance) for m in found.most_important] == [
        (crossed, 9),
        (expired, 9),
        (state, 3),
        (overdue, 1),
    ]
    assert found.most_important[1].confidence == 0
    # The day before, nothing of that had happened but the mood of 144 h and the older ticket.
    earlier = reported(migrated, as_of=ago(days=1), since=timedelta(days=1)).faded
    assert (earlier.crossed, earlier.expired) == (1, 1)
    assert _counts(reported(migrated, since=timedelta(days=2)).faded) == (4, 2)
    # A pass changes nothing of what is reported.
    decay(migrated)
    assert reported(migrated, show_ids=True).faded == found


def _counts(faded: Faded) -> tuple[int, int]:
    return faded.crossed, faded.expired


def test_texts_of_strangers_stay_readable(migrated: TestDatabase, call: Call) -> None:
    hostile = [
        "x" * 10_000,
        "المستخدم يفضل الاجتماعات صباحا",
        "😀👩‍👩‍👧‍👦 天気",
        "\x1b[2Jgone\r\nnext row",
        "\u202egnp.exe",
        "  ",
        "'; DROP TABLE entity_facts; --",
        "<script>alert(1)</script>",
        "%(threshold)s %s {category}",
    ]
    with migrated.connect() as connection:
        for n, text in enumerate(hostile):
            fact(connection, "long_term", text, key=text[:200], value=text, importance=1 + n % 10)
            fact(connection, "short_term", "obligation", value=text, expires=ahead(days=1 + n))
        connection.execute(
            "INSERT INTO entity_facts (key, value, durability, category)"
            " SELECT 'note', 'fact ' || n, 'permanent', 'category ' || n FROM generate_series(1, 5000) AS n"
        )
    result = reported(migrated, show_ids=True)
    assert len(result.composition.groups) == 5000 + len(hostile) + 1
    assert {g.category for g in result.composition.groups} >= set(hostile)
    lines = shown(result)
    assert len(lines) < 220
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert any(line.startswith("permanent  and 4,992 more") for line in lines)
    assert any("x" * 29 + "…" in line for line in lines)
    done = call("report", "--dsn", migrated.dsn, "--as-of", AS_OF.isoformat(), "--format", "json")
    assert len(json.loads(done.stdout)["composition"]["groups"]) == 5000 + len(hostile) + 1
    for format_name in ("markdown", "html"):
        done = call("report", "--dsn", migrated.dsn, "--format", format_name)
        assert (done.returncode, done.stderr) == (0, "")
        assert "<script>alert" not in done.stdout


@pytest.mark.parametrize("key", ["bigint", "uuid"])
def test_a_table_with_hardly_a_column_is_reported(database: TestDatabase, key: str) -> None:
    name = sql.Identifier("public", "other_facts")
    loaded = configured(database={"table": "other_facts"}, confidence={"adopt": "history"})
    ids: Sequence[Any] = [1, 2, 3]
    if key == "uuid":
        ids = [f"00000000-0000-0000-0000-00000000000{n}" for n in ids]
    with database.connect() as connection:
        make_facts(connection, name, key=key, optional="")
        for each in ids:
            connection.execute("INSERT INTO other_facts (id) VALUES (%s)", [each])
        connection.execute("UPDATE other_facts SET key = 'a', value = 'b  c'")
        connection.execute("UPDATE other_facts SET value = NULL WHERE id = %s", [ids[2]])
        migrate_types(database, loaded)
        connection.execute(
            "ALTER TABLE other_facts DROP COLUMN expires, ALTER confidence DROP NOT NULL"
        )
        connection.execute("UPDATE other_facts SET confidence = NULL, importance = 3")
    result = reported(database, loaded, show_ids=True)
    (group,) = result.composition.groups
    assert (group.facts, group.mean_confidence, group.mean_importance) == (3, 1, 3)
    assert [str(n) for n in group.ids or ()] == [str(n) for n in ids]
    (copies,) = result.duplicates.largest
    assert (copies.copies, [str(n) for n in copies.ids or ()]) == (2, [str(n) for n in ids[:2]])
    assert [str(copies.first), str(copies.last)] == [str(n) for n in ids[:2]]
    assert result.suspicious.kinds == ()
    shown(result)


def test_obligations_of_a_table_without_deadlines_are_read_from_their_text(
    migrated: TestDatabase,
) -> None:
    with migrated.connect() as connection:
        connection.execute("ALTER TABLE entity_facts DROP COLUMN expires CASCADE")
        for value in ("call by June 3", "call by 03/04", "call"):
            fact(connection, "short_term", "obligation", value=value)
    section = reported(migrated).obligations
    counts = (section.upcoming, section.due_soon, section.ambiguous, section.undated)
    assert counts == (1, 1, 1, 1)
    assert section.inferred == 1
    assert section.next[0].deadline == ahead(days=3)  # the end of June 3


def test_partitions_are_summed_up(database: TestDatabase) -> None:
    loaded = configured(database={"table": "parted"}, confidence={"adopt": "history"})
    with database.connect() as connection:
        connection.execute(
            "CREATE TABLE parted (id int PRIMARY KEY, key text, value text, confidence float8,"
            " learned_at timestamp, last_confirmed_at timestamptz) PARTITION BY RANGE (id)"
        )
        connection.execute(
            "CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000)"
        )
        connection.execute(
            "CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (9999)"
        )
        connection.execute("CREATE INDEX parted_weak ON parted (id) WHERE confidence < 0.5")
        connection.execute("CREATE INDEX parted_sum ON parted_2 ((confidence * 2))")
        connection.execute(
            "INSERT INTO parted SELECT n, 'note', 'fact ' || n, 1 FROM generate_series(1, 2500) AS n"
        )
        migrate_types(database, loaded)
        connection.execute("ANALYZE parted")
        sizes = connection.execute(
            "SELECT sum(pg_table_size(t))::int8, sum(pg_indexes_size(t))::int8"
            " FROM unnest('{parted_1,parted_2}'::regclass[]) AS t"
        ).fetchone()
    result = reported(database, loaded)
    assert result.composition.facts == 2500
    health = result.health
    assert health.partitions == 2
    assert (health.table_bytes, health.index_bytes) == sizes
    assert health.last_analyzed_at is not None
    assert health.last_vacuumed_at is None
    indexes = {index.name: index for index in health.indexes}
    assert {"parted_pkey", "parted_weak", "parted_sum"} <= set(indexes)
    assert not {"parted_1_pkey", "parted_1_id_idx"} & set(indexes), (
        "these are counted with their parents"
    )
    assert indexes["parted_weak"].hinders_hot == ("confidence",)
    assert indexes["parted_sum"].hinders_hot == ("confidence",)
    assert (indexes["parted_pkey"].hinders_hot, indexes["parted_pkey"].required) == ((), True)
    statements = [advice.statement for advice in health.advice]
    assert "DROP INDEX public.parted_weak;" in statements
    assert "DROP INDEX CONCURRENTLY public.parted_sum;" in statements
    with database.connect() as connection:
        for statement in statements:
            connection.execute(statement.encode())
    assert reported(database, loaded).health.advice == ()


def test_health_says_what_statistics_can_say(migrated: TestDatabase) -> None:
    with migrated.connect() as connection:
        connection.execute("DROP INDEX idx_entity_facts_confidence")
        connection.execute("DROP INDEX IF EXISTS idx_entity_facts_value_trgm")
        connection.execute("ALTER TABLE entity_facts SET (autovacuum_enabled = off)")
        connection.execute(
            "CREATE INDEX weights ON entity_facts (id) INCLUDE (effective_importance)"
        )
        connection.execute(
            "INSERT INTO entity_facts (key, value)"
            " SELECT 'note', 'fact ' || n FROM generate_series(1, 3000) AS n"
        )
        connection.execute("UPDATE entity_facts SET importance = 4 WHERE id <= 2000")
        connection.execute("SELECT pg_stat_force_next_flush()")
    health = reported(migrated).health
    assert (health.live_rows, health.dead_rows, health.updated) == (3000, 2000, 2000)
    assert health.dead_share == pytest.approx(0.4)
    assert (health.last_vacuumed_at, health.last_analyzed_at) == (None, None)
    assert (health.fillfactor, health.partitions, health.unavailable) == (100, 0, None)
    advice = {a.statement: a.what for a in health.advice}
    assert "40% of the rows are dead" in advice["VACUUM (ANALYZE) public.entity_facts;"]
    assert "effective_importance" in advice["DROP INDEX CONCURRENTLY public.weights;"]
    with migrated.connect() as connection:
        for statement in advice:
            for each in statement.splitlines():
                connection.execute(each.encode())
        connection.execute("SELECT pg_stat_force_next_flush()")
    mended = reported(migrated).health
    assert mended.dead_rows == 0
    assert mended.last_vacuumed_at is not None
    assert [a.statement for a in mended.advice] == [
        "ALTER TABLE public.entity_facts SET (fillfactor = 85);"
    ]
    with migrated.connect() as connection:
        connection.execute("ALTER TABLE entity_facts SET (fillfactor = 70)")
        connection.execute("SELECT pg_stat_reset()")
    reset = reported(migrated).health
    assert (reset.fillfactor, reset.updated, reset.hot_share) == (70, 0, None)
    assert reset.statistics_since is not None
    assert any(line.startswith("statistics since  20") for line in shown(reported(migrated)))


def test_a_role_that_may_not_see_the_statistics_gets_all_but_these(migrated: TestDatabase) -> None:
    role = migrated.create_role()
    with migrated.connect() as connection:
        for grant in (
            "SELECT ON entity_facts",
            "USAGE ON SCHEMA memory_maintenance",
            "SELECT ON ALL TABLES IN SCHEMA memory_maintenance",
        ):
            connection.execute(f"GRANT {grant} TO {role}".encode())
        fact(connection, "long_term", "observation")
    assert reported(migrated, role=role).health.unavailable is None
    with migrated.connect() as connection:
        connection.execute("REVOKE SELECT ON pg_catalog.pg_stat_all_tables FROM PUBLIC")
    result = reported(migrated, role=role)
    assert result.composition.facts == 1
    assert "permission denied for view pg_stat_all_tables" in (result.health.unavailable or "")
    assert result.health.indexes == ()
    shown(result)
    with migrated.connect() as connection:
        connection.execute(f"REVOKE USAGE ON SCHEMA memory_maintenance FROM {role}".encode())
    with pytest.raises(Denied):
        reported(migrated, role=role)


def test_runs_are_summed_up_by_command(migrated: TestDatabase) -> None:
    """Of run: done, failed, done after 4 s, died, interrupted; of archive one that failed and one at work."""
    with migrated.connect() as connection:
        ids = connection.execute(
            """
            INSERT INTO memory_maintenance.run
                (command, table_name, as_of, version, config_hash, started_at, finished_at, status)
            SELECT r.command, 'public.entity_facts', r.at, '1', 'x', r.at, r.at + r.took * interval '1 s',
                r.status
            FROM (
                VALUES ('run', '2026-05-01Z'::timestamptz, 2, 'done'), ('run', '2026-05-02Z', 9, 'failed'),
                    ('run', '2026-05-03Z', 4, 'findings'), ('run', '2026-05-04Z', 70, 'died'),
                    ('run', '2026-05-05Z', 60, 'interrupted'), ('archive', '2026-05-06Z', 5, 'failed'),
                    ('archive', '2026-05-07Z', NULL, 'running')
            ) AS r (command, at, took, status)
            RETURNING id
            """
        ).fetchall()
    result = reported(migrated)
    found = {c.command: c for c in result.runs.by_command}
    assert found["run"] == OfCommand(
        command="run",
        runs=5,
        failures=3,
        last_success_at=AS_OF.replace(month=5, day=3, second=4),
        failures_since=2,
        failed_ids=(ids[3][0], ids[4][0]),
        mean_s=3,
        longest_s=4,
    )
    assert found["archive"] == OfCommand("archive", 2, 1, None, 1, (ids[5][0],), None, None)
    head = shown(result)[:3]
    assert head[0] == "failing       run: 2 failed, last success 2026-05-03 00:00 UTC"
    assert head[1] == "failing       archive: 1 failed, none succeeded"
    assert head[2].endswith("UTC, migrate-types")


def test_an_error_is_told_once_and_at_a_length_that_can_be_read(migrated: TestDatabase) -> None:
    long = "e" * 5000
    with migrated.connect() as connection:
        ids = connection.execute(
            """
            INSERT INTO memory_maintenance.run
                (command, table_name, as_of, version, config_hash, started_at, finished_at, status, error)
            SELECT 'run', 'public.entity_facts', r.at, '1', 'x', r.at, r.at, 'failed', r.error
            FROM (
                VALUES ('2030-05-01Z'::timestamptz, 'lock'), ('2030-05-02Z', %s), ('2030-05-03Z', 'lock')
            ) AS r (at, error)
            RETURNING id
            """,
            [long],
        ).fetchall()
    result = reported(migrated)
    assert [run.error for run in result.runs.last[:3]] == ["lock", long, "lock"]
    told = [block.text for block in result.runs.blocks() if isinstance(block, Note)]
    assert told == [
        f"runs {ids[2][0]}, {ids[0][0]}: lock",
        f"run {ids[1][0]}: {'e' * 400}... (5,000 characters)",
    ]


def test_decisions_that_are_recorded_and_guarded(migrated: TestDatabase) -> None:
    record(migrated)
    with migrated.connect() as connection:
        fact(connection, "long_term", "decision")
    section = reported(migrated).decisions
    assert (section.open, section.superseded) == (2, 0)
    assert (section.without_reasoning, section.unguarded) == (1, 1)


def test_the_options_of_the_command(migrated: TestDatabase, call: Call) -> None:
    with migrated.connect() as connection:
        gone = fact(connection, "permanent", "ticket", expires=ago(days=3))
    known = ["--dsn", migrated.dsn, "--as-of", AS_OF.isoformat()]
    for since, expired in (
        ("2d", 0),
        ("4d", 1),
        ("2026-05-28T00:00:00Z", 1),
        ("2026-05-30 00:00Z", 0),
    ):
        done = call("report", *known, "--since", since, "--format", "json")
        assert json.loads(done.stdout)["faded"]["expired"] == expired, since
    listed = call("report", *known, "--since", "4d", "--show-ids")
    assert f"permanent, ticket: {gone}\n" in listed.stdout
    assert f"expired: {gone}\n" in listed.stdout
    for since in ("4", "yesterday", "2026-05-28", "2026-06-02T00:00:00Z"):
        done = call("report", *known, "--since", since)
        assert (done.returncode, done.stdout) == (2, ""), since
