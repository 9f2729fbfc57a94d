"""expire-obligations: deadlines are inferred and kept, what is past them becomes overdue, once (spec 5)."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from psycopg import sql
from psycopg.types.json import Json

from memory_maintenance.engine import run as runs
from memory_maintenance.errors import Denied, RunFailed, UsageError
from memory_maintenance.jobs import obligation_commands as commands
from memory_maintenance.jobs import obligation_rows
from memory_maintenance.jobs import obligations as job
from memory_maintenance.jobs.decay import DecayResult, Problem
from memory_maintenance.jobs.obligations import ExpireResult, Inferred, Overdue, Reinstated, Unclear
from memory_maintenance.jobs.upkeep import RunResult, upkeep
from tests.support.legacy import AGENT
from tests.support.maintained import Memory
from tests.support.maintenance import (
    AS_OF,
    EXACT,
    ago,
    ahead,
    confidence,
    configured,
    decay,
    make_facts,
    migrate_types,
    opened,
    row,
)
from tests.support.obligations import events, expire, kinds, owe
from tests.support.server import Connection, TestDatabase

HOSTILE = (Path(__file__).parents[1] / "support" / "hostile.sql").read_bytes()
OVERDUE = {"status": "overdue", "overdue_at": "2026-05-01T00:00:00Z"}
SETTLED = "2026-05-30T00:00:00Z"
MAY_16 = datetime(2026, 5, 16, tzinfo=UTC)


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def deadline(connection: Connection, fact: int) -> datetime | None:
    """What is stored as expires."""
    found = row(connection, fact, "expires")["expires"]
    return None if found is None else found.astimezone(UTC)


def known(connection: Connection, fact: int) -> Any:
    """What is stored as data.obligation."""
    return (row(connection, fact, "data")["data"] or {}).get("obligation")


# -- deadlines --


def test_a_date_in_the_value_becomes_the_deadline(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present at conference August 15")
    result = expire(migrated)
    until = datetime(2026, 8, 16, tzinfo=UTC)
    assert result.inferred == (
        Inferred(
            fact,
            "August 15",
            until,
            "value",
            "2026-08-15, the end of that day, counted from 2026-04-02",
        ),
    )
    assert deadline(connection, fact) == until
    assert known(connection, fact) == {"deadline_source": "value", "deadline_text": "August 15"}
    assert events(connection, fact) == [
        (
            str(fact),
            "deadline-inferred",
            {
                "before": {"deadline": None},
                "after": {
                    "deadline": "2026-08-16T00:00:00Z",
                    "deadline_source": "value",
                    "deadline_text": "August 15",
                },
            },
        )
    ]


def test_data_deadline_comes_before_the_value(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present August 15", data={"deadline": "2026-07-01T17:00Z", "x": [1]})
    expire(migrated)
    assert deadline(connection, fact) == datetime(2026, 7, 1, 17, tzinfo=UTC)
    assert row(connection, fact, "data")["data"] == {
        "deadline": "2026-07-01T17:00Z",
        "x": [1],
        "obligation": {"deadline_source": "data.deadline", "deadline_text": "2026-07-01T17:00Z"},
    }


@pytest.mark.parametrize("blank", [{"deadline": None}, {"deadline": " "}, {"deadline": "TBD"}, {}])
def test_the_value_is_read_where_data_says_no_date(
    migrated: TestDatabase, connection: Connection, blank: dict[str, Any]
) -> None:
    fact = owe(connection, "Present August 15", data=blank)
    expire(migrated)
    assert deadline(connection, fact) == datetime(2026, 8, 16, tzinfo=UTC)


def test_a_bare_date_ends_with_its_day_in_the_configured_zone(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Call Ana by May 15")
    expire(migrated, loaded=configured(timezone="America/Chicago"))
    assert deadline(connection, fact) == datetime(2026, 5, 16, 5, tzinfo=UTC)


def test_the_zone_less_clock_is_read_in_the_database_s_own_zone(
    migrated: TestDatabase, connection: Connection
) -> None:
    name = sql.Identifier(connection.info.dbname)
    connection.execute(
        sql.SQL("ALTER DATABASE {} SET TimeZone = 'Pacific/Kiritimati'").format(name)
    )
    # 1:00 there on May 16 is 11:00 of May 15 in UTC: tomorrow is May 16.
    fact = owe(connection, "Call Ana tomorrow", learned_at=datetime(2026, 5, 16, 1))  # noqa: DTZ001
    expire(migrated)
    assert deadline(connection, fact) == datetime(2026, 5, 17, tzinfo=UTC)


def test_a_yearless_date_needs_to_know_when_it_was_learned(
    migrated: TestDatabase, connection: Connection
) -> None:
    yearless = owe(connection, "Present August 15", learned_at=None)
    full = owe(connection, "Present 2026-08-15", learned_at=None)
    result = expire(migrated)
    assert [unclear.id for unclear in result.ambiguous] == [yearless]
    assert deadline(connection, yearless) is None
    assert deadline(connection, full) == datetime(2026, 8, 16, tzinfo=UTC)


def test_what_is_ambiguous_is_listed_and_left_alone(
    migrated: TestDatabase, connection: Connection
) -> None:
    either = owe(connection, "Present May 3 or June 5")
    bare = owe(connection, "Call Ana back")
    conflicting = owe(connection, "Present August 15", data={"deadline": "03/04"})
    before = [row(connection, fact) for fact in (either, bare, conflicting)]
    result = expire(migrated)
    assert result.ambiguous == (
        Unclear(
            either,
            "the date is one of several",
            (datetime(2026, 5, 4, tzinfo=UTC), datetime(2026, 6, 6, tzinfo=UTC)),
        ),
        Unclear(conflicting, "03/04 may be day and month, in either order, or a fraction", ()),
    )
    assert result.undated == 1
    assert result.updated == 0
    assert [row(connection, fact) for fact in (either, bare, conflicting)] == before
    assert kinds(connection) == []


def test_a_date_before_it_was_learned_is_a_deadline_only_where_data_says_so(
    migrated: TestDatabase, connection: Connection
) -> None:
    told = owe(connection, "Lea (3 May 2015) needs a gift")
    stated = owe(connection, "Pay the bill", data={"deadline": "2026-02-28"})
    assert [unclear.id for unclear in expire(migrated).ambiguous] == [told]
    assert deadline(connection, told) is None
    assert deadline(connection, stated) == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("structure", [{"by": "August 15"}, ["2026-08-15"], [], {}])
def test_an_object_or_array_as_deadline_is_not_read_as_text(
    migrated: TestDatabase, connection: Connection, structure: Any
) -> None:
    fact = owe(connection, "Present August 15", data={"deadline": structure})
    assert expire(migrated).ambiguous == (Unclear(fact, "data.deadline is no text", ()),)
    assert deadline(connection, fact) is None


@pytest.mark.parametrize("when", ["May 15 at 1700", "in 2 hours and 30 minutes", "by Tue/Wed"])
def test_a_deadline_that_is_understood_in_part_is_not_set(
    migrated: TestDatabase, connection: Connection, when: str
) -> None:
    fact = owe(connection, "Call Ana")
    with opened(migrated, EXACT) as session, pytest.raises(UsageError, match="ambiguous"):
        commands.set_deadline(session, EXACT.settings, str(fact), when, as_of=AS_OF)
    assert deadline(connection, fact) is None


@pytest.mark.parametrize(("reason", "kept"), [(" ", None), ("", None), (" called ", "called")])
def test_a_blank_reason_is_none(
    migrated: TestDatabase, connection: Connection, reason: str, kept: str | None
) -> None:
    fact = owe(connection, "Call Ana", expires=ahead(days=3))
    with opened(migrated, EXACT) as session:
        commands.settle(session, EXACT.settings, str(fact), "done", as_of=AS_OF, reason=reason)
    found = connection.execute(
        "SELECT reason FROM memory_maintenance.event WHERE kind = 'obligation-done'"
    ).fetchall()
    assert found == [(kept,)]


def test_the_configured_order_of_day_and_month_is_used(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present", data={"deadline": "03/08/2026"})
    assert expire(migrated).ambiguous_count == 1
    expire(migrated, loaded=configured(obligation={"day_order": "dmy"}))
    assert deadline(connection, fact) == datetime(2026, 8, 4, tzinfo=UTC)


def test_a_deadline_that_is_there_is_never_inferred_anew(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present August 15", expires=ahead(days=3))
    endless = owe(connection, "Present August 15", expires="infinity")
    assert expire(migrated).updated == 0
    assert deadline(connection, fact) == ahead(days=3)
    assert known(connection, endless) is None


def test_other_categories_and_settled_obligations_are_left_alone(
    migrated: TestDatabase, connection: Connection
) -> None:
    owe(connection, "Present May 15", category="state")
    for status in ("done", "cancelled", "missed"):
        owe(connection, "Present May 15", data={"obligation": {"status": status}})
        owe(connection, "Call", expires=ago(days=1), data={"obligation": {"status": status}})
    result = expire(migrated)
    assert (result.updated, result.overdue_count, result.undated) == (0, 0, 0)
    assert kinds(connection) == []


def test_the_writers_clocks_are_never_written(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present May 15")
    clocks = row(connection, fact, "updated_at", "last_confirmed_at", "learned_at", "confidence")
    assert expire(migrated).updated == 1
    assert (
        row(connection, fact, "updated_at", "last_confirmed_at", "learned_at", "confidence")
        == clocks
    )


# -- overdue --


def test_a_deadline_before_the_year_1_has_been_overdue_since_then(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Call Ana", expires="4000-01-01 00:00:00+00 BC")
    result = expire(migrated)
    assert result.overdue == (Overdue(fact, datetime(1, 1, 1, tzinfo=UTC)),)
    assert known(connection, fact) == {"status": "overdue", "overdue_at": "0001-01-01T00:00:00Z"}
    assert expire(migrated, ahead(days=9)).updated == 0
    stored = connection.execute("SELECT expires::text FROM entity_facts").fetchall()
    assert [text.endswith("BC") for (text,) in stored] == [True]


def test_a_deadline_that_passes_makes_it_overdue_once(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Call Ana", expires=MAY_16)
    result = expire(migrated)
    assert result.overdue == (Overdue(fact, MAY_16),)
    assert known(connection, fact) == {"status": "overdue", "overdue_at": "2026-05-16T00:00:00Z"}
    assert events(connection, fact) == [
        (
            str(fact),
            "obligation-overdue",
            {
                "deadline": "2026-05-16T00:00:00Z",
                "before": {"status": None, "overdue_at": None},
                "after": {"status": "overdue", "overdue_at": "2026-05-16T00:00:00Z"},
            },
        )
    ]
    again = expire(migrated, ahead(days=9))
    assert (again.updated, again.overdue_count) == (0, 0)
    assert len(kinds(connection)) == 1


def test_the_deadline_itself_is_past_and_a_microsecond_before_isn_t(
    migrated: TestDatabase, connection: Connection
) -> None:
    owe(connection, "Call Ana", expires=AS_OF)
    assert expire(migrated, AS_OF - timedelta(microseconds=1)).overdue_count == 0
    assert expire(migrated, AS_OF).overdue_count == 1


def test_a_deadline_inferred_too_late_is_overdue_at_once(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present May 15")
    result = expire(migrated)
    assert (result.inferred_count, result.overdue_count, result.updated) == (1, 1, 1)
    assert kinds(connection, fact) == ["deadline-inferred", "obligation-overdue"]
    assert known(connection, fact) == {
        "deadline_source": "value",
        "deadline_text": "May 15",
        "status": "overdue",
        "overdue_at": "2026-05-16T00:00:00Z",
    }


def test_moving_the_deadline_later_undoes_it(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Call Ana", expires=MAY_16)
    expire(migrated)
    connection.execute("UPDATE entity_facts SET expires = '2026-07-01Z' WHERE id = %s", [fact])
    result = expire(migrated)
    assert result.reinstated == (Reinstated(fact, datetime(2026, 7, 1, tzinfo=UTC)),)
    assert known(connection, fact) == {}
    assert kinds(connection, fact) == ["obligation-overdue", "obligation-reinstated"]

    expire(migrated, ahead(days=40))
    assert known(connection, fact)["overdue_at"] == "2026-07-01T00:00:00Z"
    assert kinds(connection, fact).count("obligation-overdue") == 2


def test_a_clock_that_goes_back_takes_the_mark_and_tells_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Call Ana", expires=AS_OF)
    for hours in (1, 0, -1, 1, 2, -3, 5):
        expire(migrated, AS_OF + timedelta(hours=hours))
        overdue = {"status": "overdue", "overdue_at": "2026-06-01T00:00:00Z"}
        assert known(connection, fact) == (overdue if hours >= 0 else {})
    assert kinds(connection) == ["obligation-overdue"]


def test_grace_delays_the_decay_and_not_the_status(
    migrated: TestDatabase, connection: Connection
) -> None:
    after = {"obligation": {"after_deadline": {"half_life": "48h", "grace": "24h"}}}
    loaded = configured(confidence={"adopt": "history", "min_delta": 0.0}, category=after)
    fact = owe(connection, "Call Ana", expires=ago(hours=72))
    assert expire(migrated, loaded=loaded).overdue_count == 1
    decay(migrated, loaded=loaded)
    assert confidence(connection, fact) == 0.5


def test_an_inferred_deadline_is_what_decay_counts_from(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present on 2026-05-29")  # ends two days, one half-life, before
    expire(migrated)
    decay(migrated, datetime(2026, 6, 1, tzinfo=UTC))
    assert confidence(connection, fact) == 0.5


# -- settled --


@pytest.mark.parametrize(
    ("data", "expires", "expected"),
    [
        ({"status": "done", "settled_at": "2026-05-30T00:00:00Z"}, None, 0.5),
        ({"status": "done", "settled_at": "2026-05-30T00:00:00Z"}, ahead(days=9), 0.5),
        ({"status": "done", "settled_at": "2026-05-30T02:00:00+02:00"}, "infinity", 0.5),
        ({"status": "missed", "settled_at": "2026-05-31T00:00:00Z"}, ago(days=2), 0.5),
        ({"status": "cancelled", "settled_at": "2026-02-30T00:00:00Z"}, ago(days=2), 0.5),
        ({"status": "done", "settled_at": "yesterday"}, ahead(days=9), 1.0),
        ({"status": "done"}, None, 1.0),
        ({"status": "overdue", "settled_at": "2026-05-30T00:00:00Z"}, ahead(days=9), 1.0),
        ({"status": "done", "settled_at": "2026-06-02T00:00:00Z"}, None, 1.0),
    ],
)
def test_when_it_was_settled_counts_as_its_deadline(
    migrated: TestDatabase, connection: Connection, data: Any, expires: Any, expected: float
) -> None:
    fact = owe(connection, "Call Ana", expires=expires, data={"obligation": data})
    decay(migrated)
    assert confidence(connection, fact) == expected


@pytest.mark.parametrize(
    ("status", "exempt"), [(None, True), ("open", True), ("done", False), ("missed", False)]
)
def test_only_what_is_open_keeps_its_importance(
    migrated: TestDatabase, connection: Connection, status: str | None, exempt: bool
) -> None:
    data = None if status is None else {"obligation": {"status": status}}
    fact = owe(connection, "Call Ana", expires=ahead(days=9), importance=7, data=data)
    decay(migrated)
    assert row(connection, fact, "effective_importance")["effective_importance"] == (
        7 if exempt else 1
    )


# -- runs --


def test_a_dry_run_counts_what_the_run_does_and_writes_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    for n in range(7):
        owe(connection, f"Present May {10 + n}")
        owe(connection, f"Present July {10 + n}")
        owe(connection, "Call", expires=ago(days=n))
        owe(connection, "Present May 3-5")
    owe(connection, "Call", data=[1])
    owe(
        connection,
        "Call",
        data={"obligation": {"status": "overdue", "overdue_at": "x"}},
        expires=MAY_16,
    )
    before = connection.execute("SELECT * FROM entity_facts ORDER BY id").fetchall()
    planned = expire(migrated, dry_run=True, batch_rows=5)
    assert connection.execute("SELECT * FROM entity_facts ORDER BY id").fetchall() == before
    assert kinds(connection) == []
    done = expire(migrated, batch_rows=3)
    for name in (
        "updated",
        "inferred",
        "overdue",
        "reinstated",
        "ambiguous",
        "undated",
        "problems",
    ):
        assert getattr(planned, name) == getattr(done, name)
    assert planned.counts() == done.counts()
    assert (done.inferred_count, done.overdue_count, done.ambiguous_count) == (14, 15, 7)


def test_a_dry_run_of_run_lets_decay_see_the_deadlines_that_would_be_stored(
    migrated: TestDatabase, connection: Connection
) -> None:
    past = owe(connection, "Present on 2026-05-29", importance=7)
    owe(connection, "Present on 2026-08-29", importance=7)

    def both(*, dry_run: bool) -> RunResult:
        with (
            opened(migrated, EXACT) as session,
            runs.started(
                session,
                EXACT,
                command="run",
                table="public.entity_facts",
                as_of=AS_OF,
                dry_run=dry_run,
                emit=runs.silent,
            ) as run,
        ):
            result = upkeep(run)
            runs.finished(run, result)
            return result

    planned, done = both(dry_run=True), both(dry_run=False)
    for result in (planned, done):
        expired, decayed = result.steps
        assert isinstance(expired, ExpireResult)
        assert isinstance(decayed, DecayResult)
        assert expired.inferred_count == 2
        assert decayed.confidence.changed == 1
        assert {p.policy: p.facts for p in decayed.policies} == {
            "category:obligation:after_deadline": 1,
            "category:obligation": 1,
        }
    assert planned.counts() == done.counts()
    assert confidence(connection, past) == 0.5


def test_the_ledger_keeps_the_counts(migrated: TestDatabase, connection: Connection) -> None:
    owe(connection, "Present May 15")
    result = expire(migrated)
    found = connection.execute(
        "SELECT command, status, counts FROM memory_maintenance.run WHERE id = %s", [result.run_id]
    ).fetchone()
    assert found == ("expire-obligations", "done", dict(result.counts()))


def test_words_of_facts_stay_out_of_the_logs(
    migrated: TestDatabase, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    owe(connection, "Tell nobody the secret before May 15")
    owe(connection, "Hide the secret", data={"deadline": "secret May 3-5"})
    with caplog.at_level(logging.DEBUG):
        result = expire(migrated)
    assert result.ambiguous_count == 2
    assert "secret" not in caplog.text
    assert "secret" not in json.dumps(result.document())


def test_data_problems_are_listed_and_left_alone(
    migrated: TestDatabase, connection: Connection
) -> None:
    found = {
        owe(connection, "by May 15", data=[1]): "data is no object",
        owe(connection, "by May 15", data={"obligation": "x"}): "data.obligation is no object",
        owe(
            connection, "by May 15", data={"obligation": {"status": "later"}}
        ): "data.obligation.status is unknown",
        owe(connection, "by May 15", expires="-infinity"): "expires is infinite",
        owe(connection, "by 2026-05-15", learned_at="infinity"): "learned_at is infinite",
    }
    fine = owe(connection, "by May 15", data=Json(None))
    result = expire(migrated)
    assert result.problems == tuple(Problem(key, text) for key, text in found.items())
    assert result.problem_count == 5
    assert result.updated == 1
    assert known(connection, fine)["status"] == "overdue"


def test_a_fact_changed_in_between_is_read_again(
    migrated: TestDatabase, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = owe(connection, "Present May 15")
    gone = owe(connection, "Present May 15")
    other = owe(connection, "Present May 15")
    write = obligation_rows.write
    meanwhile = iter(
        [
            ("UPDATE entity_facts SET value = 'Present August 15' WHERE id = %s", fact),
            ("DELETE FROM entity_facts WHERE id = %s", gone),
            ("UPDATE entity_facts SET category = 'state' WHERE id = %s", other),
        ]
    )

    def interfered(*args: Any) -> Any:
        for statement, key in meanwhile:
            connection.execute(statement.encode(), [key])
        return write(*args)

    monkeypatch.setattr(job, "write", interfered)
    result = expire(migrated)
    assert [(i.id, i.text) for i in result.inferred] == [(fact, "August 15")]
    assert deadline(connection, fact) == datetime(2026, 8, 16, tzinfo=UTC)
    assert deadline(connection, other) is None
    assert kinds(connection) == ["deadline-inferred"]


def test_a_trigger_that_suppresses_the_write_ends_the_run(
    migrated: TestDatabase, connection: Connection
) -> None:
    fact = owe(connection, "Present May 15")
    connection.execute(
        "CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
        "CREATE TRIGGER never BEFORE UPDATE ON entity_facts FOR EACH ROW EXECUTE FUNCTION never()"
    )
    with pytest.raises(RunFailed, match="suppresses"):
        expire(migrated)
    assert deadline(connection, fact) is None
    assert kinds(connection) == []


def test_a_role_that_may_not_update_is_denied(
    migrated: TestDatabase, connection: Connection
) -> None:
    owe(connection, "Present May 15")
    with pytest.raises(Denied):
        expire(migrated, role=AGENT)


# -- tables of other shapes --


@pytest.mark.parametrize("kind", ["jsonb", "json"])
@pytest.mark.parametrize("zone", ["timestamptz", "timestamp"])
def test_any_kind_of_json_and_of_expires_will_do(
    database: TestDatabase, kind: str, zone: str
) -> None:
    connection = database.connect()
    table = sql.Identifier("Odd {} Facts")
    make_facts(
        connection,
        table,
        key="uuid",
        optional=f"learned_at timestamptz, data {kind}, expires {zone}",
    )
    loaded = configured(database={"table": '"Odd {} Facts"'})
    migrate_types(database, loaded)
    keys = [UUID(int=n) for n in range(4)]
    for key, data in zip(
        keys,
        ('{"b": 1, "a": 2}', None, '{"deadline": "2026-08-15"}', '{"x": "\\ud83d\\ude00"}'),
        strict=True,
    ):
        connection.execute(
            sql.SQL(
                "INSERT INTO {} (id, key, value, durability, category, learned_at, data)"
                " VALUES (%s, 'k', 'by May 15', 'short_term', 'obligation', '2026-04-02Z', %s)"
            ).format(table),
            [key, data],
        )
    result = expire(database, loaded=loaded)
    assert [i.id for i in result.inferred] == keys
    assert result.overdue_count == 3
    for key in keys:
        stored = row(connection, key, "expires", "data", table=table)
        at = datetime(2026, 8 if key == keys[2] else 5, 16, tzinfo=UTC)
        found = stored["expires"]
        assert (found.replace(tzinfo=UTC) if found.tzinfo is None else found) == at
        assert stored["data"]["obligation"]["deadline_text"]
    assert row(connection, keys[0], "data", table=table)["data"]["a"] == 2
    assert expire(database, loaded=loaded).updated == 0


def test_json_that_jsonb_cannot_hold_is_a_data_problem(database: TestDatabase) -> None:
    connection = database.connect()
    table = sql.Identifier("notes")
    make_facts(connection, table, optional="learned_at timestamp, data json")
    loaded = configured(database={"table": "notes"})
    migrate_types(database, loaded)
    texts = ['{"a": "\\u0000"}', '{"a": "\\ud83d"}', '{"a": 1e999999}']
    for n, text in enumerate(texts, start=1):
        connection.execute(
            "INSERT INTO notes (id, value, durability, category, data)"
            " VALUES (%s, 'by 2026-05-15', 'short_term', 'obligation', %s)",
            [n, text],
        )
    result = expire(database, loaded=loaded)
    assert [p.problem for p in result.problems] == ["data can't be read as jsonb"] * 3
    assert decay(database, loaded=loaded).examined == 3


def test_what_looks_like_too_large_a_number_within_a_string_of_json_is_none(
    database: TestDatabase,
) -> None:
    connection = database.connect()
    table = sql.Identifier("notes")
    make_facts(connection, table, optional="learned_at timestamp, data json")
    loaded = configured(database={"table": "notes"})
    migrate_types(database, loaded)
    connection.execute(
        "INSERT INTO notes (id, value, durability, category, data)"
        " VALUES (1, 'by 2026-05-15', 'short_term', 'obligation', %s)",
        ['{"link": "39e12345-aa", "quoted": "\\" 1e99999"}'],
    )
    result = expire(database, loaded=loaded)
    assert result.problems == ()
    assert row(connection, 1, "expires", table=table)["expires"] == MAY_16


def test_a_table_without_data_gets_its_deadlines_and_is_told_so(database: TestDatabase) -> None:
    connection = database.connect()
    table = sql.Identifier("notes")
    make_facts(connection, table, optional="")
    loaded = configured(database={"table": "notes"}, confidence={"adopt": "history"})
    migrate_types(database, loaded)
    connection.execute(
        "INSERT INTO notes (id, value, durability, category) VALUES"
        " (1, 'by 2026-05-15', 'short_term', 'obligation'),"
        " (2, 'by May 15', 'short_term', 'obligation')"
    )
    result = expire(database, loaded=loaded)
    assert (result.inferred_count, result.ambiguous_count, result.overdue_count) == (1, 1, 0)
    assert "no column data" in result.notes[0]
    assert row(connection, 1, "expires", table=table)["expires"] == MAY_16
    assert expire(database, loaded=loaded).updated == 0
    assert decay(database, loaded=loaded).problem_count == 0


def test_partitions_are_one_table(database: TestDatabase) -> None:
    connection = database.connect()
    connection.execute(
        "CREATE TABLE parted (id bigint PRIMARY KEY, key text, value text, data jsonb, "
        "confidence float8, learned_at timestamptz) PARTITION BY RANGE (id);"
        "CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (100);"
        "CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (100) TO (200)"
    )
    loaded = configured(database={"table": "parted"})
    migrate_types(database, loaded)
    connection.execute(
        "INSERT INTO parted (id, value, durability, category, learned_at) SELECT n, 'by May 15',"
        " 'short_term', 'obligation', '2026-04-02Z' FROM generate_series(1, 199, 9) AS n"
    )
    result = expire(database, loaded=loaded, batch_rows=4)
    assert (result.inferred_count, result.overdue_count, result.updated) == (23, 23, 23)
    assert kinds(connection).count("obligation-overdue") == 23


def test_each_server_reads_marks_and_decays(each_memory: Memory) -> None:
    connection = each_memory.connect()
    late = owe(connection, "Present on 2026-05-29", data={"deadline": ""})
    done = owe(
        connection,
        "Call",
        data={"obligation": {"status": "done", "settled_at": "2026-05-30T00:00:00Z"}},
    )
    result = expire(each_memory.database)
    assert (result.inferred_count, result.overdue_count) == (1, 1)
    assert expire(each_memory.database).updated == 0
    decay(each_memory.database)
    assert [confidence(connection, fact) for fact in (late, done)] == [0.5, 0.5]


def test_what_others_put_into_public_changes_nothing(
    migrated: TestDatabase, connection: Connection
) -> None:
    late = owe(connection, "Present on 2026-05-29")
    early = owe(connection, "Call", expires=ahead(days=9), data={"obligation": OVERDUE})
    done = owe(connection, "Call", data={"obligation": {"status": "done", "settled_at": SETTLED}})
    owe(connection, "May 3-5")
    planned = expire(migrated, dry_run=True)
    folder = resources.files("memory_maintenance") / "sql"
    texts = [
        entry.read_text()
        for part in ("obligations", "facts", "batches", "decay")
        for entry in (folder / part).iterdir()
    ]
    names = sorted(set(re.findall(r"([a-z_0-9]+)\(", "\n".join(texts))))
    assert {"jsonb_typeof", "to_char", "jsonb_array_elements"} < {*names}
    known_names = connection.execute(
        "SELECT DISTINCT proname::text FROM pg_catalog.pg_proc"
        " WHERE proname::text = ANY (%s) AND pronamespace = 'pg_catalog'::regnamespace",
        [names],
    ).fetchall()
    connection.execute(
        "SELECT set_config('mm_test.functions', %s::text[]::text, false)",
        [[name for (name,) in known_names]],
    )
    connection.execute(HOSTILE)
    for result in (expire(migrated, dry_run=True), expire(migrated)):
        assert result.counts() == planned.counts()
        assert result.overdue == (Overdue(late, datetime(2026, 5, 30, tzinfo=UTC)),)
        assert [r.id for r in result.reinstated] == [early]
    assert expire(migrated).updated == 0
    decay(migrated)
    with migrated.connect() as plain:
        plain.execute("SET search_path = pg_catalog")
        found = plain.execute(
            "SELECT id, confidence FROM public.entity_facts WHERE id = ANY (%s)", [[late, done]]
        ).fetchall()
    assert sorted(found) == [(late, 0.5), (done, 0.5)]


def test_a_table_that_is_not_migrated_is_refused(database: TestDatabase) -> None:
    with pytest.raises(UsageError, match="not migrated"):
        expire(database)
