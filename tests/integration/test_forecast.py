"""The forecast: what daily runs will find, by hand and by daily runs (spec 3, 5, 8)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from psycopg import sql

from memory_maintenance.config.load import Loaded
from memory_maintenance.database import projection
from memory_maintenance.errors import UsageError
from memory_maintenance.jobs.report.forecast import Forecast, ForecastDay
from memory_maintenance.model.policy import PolicyTable
from memory_maintenance.model.result import Bars, Block, Heading, KeyValues
from tests.support.command import Call
from tests.support.every_kind import CATEGORIES, DURABILITIES, of_every_kind
from tests.support.legacy import FACTS, facts
from tests.support.maintenance import AS_OF, EXACT, ago, ahead, configured, decay, make_facts
from tests.support.maintenance import migrate_types as migrate
from tests.support.obligations import expire
from tests.support.sections import forecast
from tests.support.server import Connection, TestDatabase

DAYS: Final = 30
ZONE: Final = "Asia/Kathmandu"


@pytest.fixture
def connection(migrated: TestDatabase) -> Connection:
    """To the migrated database."""
    return migrated.connect()


def fact(connection: Connection, durability: str, category: str, **columns: Any) -> int:
    """A fact that was confirmed at AS_OF, at 0.8, unless columns say otherwise; its id."""
    row = {
        "durability": durability,
        "category": category,
        "confidence": 0.8,
        "learned_at": ago(days=10).replace(tzinfo=None),
        "last_confirmed_at": AS_OF,
    }
    return facts(connection, [row | columns])[0]


def crossings(found: Forecast) -> dict[str, tuple[dict[str, int], tuple[Any, ...] | None]]:
    """Policies and ids of the days on which anything crosses."""
    return {d.day: (dict(d.by_policy), d.ids) for d in found if d.crossing}


def test_each_fact_crosses_on_the_day_worked_out_by_hand(
    migrated: TestDatabase, connection: Connection
) -> None:
    # 0.8, 0.4, 0.2, 0.1: three half-lives to the threshold, and below it right after.
    mood = fact(connection, "ephemeral", "mood")  # 3 x 36 h = 4.5 d
    late = fact(connection, "short_term", "state", last_confirmed_at=ago(days=2))  # 28 d: at 0.1
    fact(connection, "short_term", "state")  # 30 d: at 0.1 when the forecast ends
    owed = fact(connection, "short_term", "obligation", expires=ahead(days=1))  # and 6 d = 7 d
    own = fact(connection, "long_term", "observation", decay_rate=0.5)  # 3 x 2 ln 2 d = 4.2 d
    expires = fact(connection, "permanent", "identity", expires=ahead(days=2))
    later = fact(connection, "permanent", "x", expires=ahead(days=2) + timedelta(microseconds=1))
    fact(connection, "short_term", "state", confidence=0.05)  # below already
    fact(connection, "ephemeral", "mood", pinned=True)
    fact(connection, "ephemeral", "decision")
    fact(connection, "ephemeral", "mood", decay_rate=-1)  # a data problem
    found = forecast(migrated)
    assert crossings(found) == {
        "2026-06-03": ({"expired": 1}, (expires,)),
        "2026-06-04": ({"expired": 1}, (later,)),
        "2026-06-06": ({"row:decay_rate": 1, "category:mood": 1}, (mood, own)),
        "2026-06-09": ({"category:obligation:after_deadline": 1}, (owed,)),
        "2026-06-30": ({"durability:short_term": 1}, (late,)),
    }
    assert [d.day for d in found if d.due] == ["2026-06-02"]
    assert found[0].due_ids == (owed,)
    assert found[-1].ends_at == ahead(days=30)


def test_days_are_24_hours_and_the_last_may_be_shorter(
    migrated: TestDatabase, connection: Connection
) -> None:
    noon = AS_OF + timedelta(hours=12)
    fact(connection, "short_term", "state", expires=noon + timedelta(hours=24))
    fact(connection, "short_term", "state", expires=noon + timedelta(hours=30))
    fact(connection, "short_term", "state", expires=noon + timedelta(hours=30, microseconds=1))
    found = forecast(migrated, as_of=noon, days=1.25)
    assert [(d.day, d.ends_at - noon, d.crossing) for d in found] == [
        ("2026-06-02", timedelta(hours=24), 1),
        ("2026-06-02", timedelta(hours=30), 1),
    ]
    zone = "2026-06-01T20:00:00-04:00"  # midnight in UTC: the day ends on June 3
    assert [d.day for d in forecast(migrated, as_of=datetime.fromisoformat(zone), days=1)] == [
        "2026-06-03"
    ]
    with pytest.raises(UsageError, match="beyond the year 9999"):
        forecast(migrated, as_of=datetime(9999, 12, 1, tzinfo=UTC), days=31)


def test_what_a_writer_set_counts_from_the_reports_instant(
    migrated: TestDatabase, connection: Connection
) -> None:
    # A run has seen it; then 0.8 is set without a confirmation: decays from the next run on, 4.5 days.
    mood = fact(connection, "ephemeral", "mood", last_confirmed_at=ago(days=20))
    decay(migrated, ago(days=3), EXACT)
    connection.execute("UPDATE entity_facts SET confidence = 0.8")
    assert crossings(forecast(migrated)) == {"2026-06-06": ({"category:mood": 1}, (mood,))}
    before = connection.execute("SELECT confidence, confidence_base FROM entity_facts").fetchall()
    assert before == [(0.8, 0.8)], "nothing is written"


# -- by daily runs --


def stored(connection: Connection, table: sql.Composable = FACTS) -> dict[int, float]:
    """The confidence of each fact; NULL reads as 1."""
    statement = sql.SQL("SELECT id, coalesce(confidence, 1)::float8 FROM {}").format(table)
    return dict(connection.execute(statement).fetchall())


def policies(connection: Connection, table: PolicyTable, at: datetime) -> dict[int, str]:
    """Which policy governs each fact at an instant, by the reference in Python."""
    rows = connection.execute(
        "SELECT id, durability, category, pinned, decay_rate::float8, coalesce(expires <= %s, false)"
        " FROM entity_facts",
        [at],
    )
    return {
        key: table.names[
            table.number(
                durability=durability,
                category=category,
                pinned=pinned,
                expired=past and category != "obligation",
                past_deadline=past and category == "obligation",
                decay_rate=rate,
            )
            - 1
        ]
        for key, durability, category, pinned, rate, past in rows
    }


def by_daily_runs(
    database: TestDatabase, connection: Connection, loaded: Loaded, days: int = DAYS
) -> list[tuple[list[int], Counter[str]]]:
    """Which facts fall below the threshold in each of so many daily runs after one at AS_OF, and why."""
    threshold = loaded.settings.archive.threshold
    table = projection.policy_table(loaded.settings)
    decay(database, AS_OF, loaded)
    before = stored(connection)
    found = []
    for day in range(1, days + 1):
        decay(database, ahead(days=day), loaded)
        after = stored(connection)
        crossed = sorted(k for k in after if before[k] >= threshold > after[k])
        governing = policies(connection, table, ahead(days=day))
        found.append((crossed, Counter(governing[key] for key in crossed)))
        before = after
    return found


WAITING: Final = configured(
    confidence={"adopt": "history"},
    durability={"short_term": {"half_life": "6d", "shape": 2.0}, "permanent": {"half_life": "60d"}},
    category={"own": {"half_life": "4d", "shape": 0.5}},
    database={"zoneless_timezone": ZONE},
)
RISING: Final = configured(
    # Obligations decay from the start, and anew from their deadline.
    confidence={"adopt": "history", "min_delta": 0.3},
    category={
        "obligation": {"half_life": "3d", "after_deadline": {"half_life": "1d", "grace": "30h"}}
    },
    archive={"threshold": 0.2},
)


@pytest.mark.parametrize("loaded", [WAITING, RISING], ids=["waiting", "rising"])
def test_the_forecast_is_what_daily_runs_do(
    migrated: TestDatabase, connection: Connection, loaded: Loaded
) -> None:
    of_every_kind(connection, 160)
    decay(migrated, ago(days=2), loaded)
    # Set since, with and without a confirmation; and new ones that no run has seen.
    connection.execute("UPDATE entity_facts SET confidence = 0.7 WHERE id % 6 = 1")
    connection.execute(
        "UPDATE entity_facts SET last_confirmed_at = %s WHERE id %% 12 = 1", [ago(days=1)]
    )
    of_every_kind(connection, 320)
    found = forecast(migrated, loaded, days=DAYS)
    wanted = by_daily_runs(migrated, connection, loaded)
    assert [(list(d.ids or ()), d.by_policy) for d in found] == wanted
    assert [d.crossing for d in found] == [len(crossed) for crossed, _ in wanted]
    crossed = Counter(key for keys, _ in wanted for key in keys)
    assert sum(crossed.values()) > 100
    # Only where an obligation starts anew at its deadline can a fact fall twice.
    assert (max(crossed.values()) > 1) is (loaded is RISING)


def test_what_falls_due_is_what_daily_runs_mark_as_overdue(
    migrated: TestDatabase, connection: Connection
) -> None:
    of_every_kind(connection, 400)
    facts(
        connection,
        [
            {"category": "obligation", "expires": "infinity"},
            {"category": "obligation", "expires": ahead(days=3), "data": {"obligation": []}},
            {
                "category": "obligation",
                "expires": ahead(days=3),
                "data": {"obligation": {"status": 1}},
            },
            {"category": "obligation", "expires": ahead(days=3), "data": []},
            {"category": "obligation", "expires": ahead(days=3), "decay_rate": -1},
            # A deadline that is read from the text is stored by the first run: not forecast before.
            {"category": "obligation", "value": "Call by June 20"},
        ],
    )
    found = forecast(migrated, days=12)
    expire(migrated, AS_OF, EXACT)
    connection.execute("UPDATE entity_facts SET expires = NULL WHERE value = 'Call by June 20'")
    connection.execute("UPDATE entity_facts SET value = 'Call' WHERE value = 'Call by June 20'")
    wanted = []
    for day in range(1, 13):
        marked = expire(migrated, ahead(days=day), EXACT)
        wanted.append((marked.overdue_count, tuple(o.id for o in marked.overdue)))
    assert [(d.due, d.due_ids) for d in found] == wanted
    assert sum(count for count, _ in wanted) > 20


def test_a_confidence_of_type_real_and_a_table_without_most_columns(
    migrated: TestDatabase, connection: Connection
) -> None:
    name = sql.Identifier("public", "notes")
    make_facts(connection, name, key="bigint", confidence="real", optional="learned_at timestamptz")
    loaded = configured(database={"table": "notes"}, confidence={"adopt": "history"})
    migrate(migrated, loaded)
    facts(
        connection,
        [
            {"id": n, "durability": DURABILITIES[n % 4], "category": CATEGORIES[n % 2],
             "confidence": 0.2 + n % 80 / 100, "learned_at": ago(hours=n * 7 % 50)}
            for n in range(120)
        ],
        relation=name,
    )  # fmt: skip
    found = forecast(migrated, loaded, days=8)
    decay(migrated, AS_OF, loaded)
    before = stored(connection, name)
    for day in found:
        decay(migrated, day.ends_at, loaded)
        after = stored(connection, name)
        assert list(day.ids or ()) == sorted(k for k in after if before[k] >= 0.1 > after[k])
        before = after
    assert sum(d.crossing for d in found) > 20


# -- as it is asked for and shown --


def shown(days: Mapping[int, int], due: Mapping[int, int], length: int) -> list[Block]:
    """The blocks of a forecast of so many days: crossings and deadlines by the number of the day."""
    found = [
        ForecastDay(
            day=f"{ahead(days=n).date()}",
            ends_at=ahead(days=n),
            crossing=days.get(n, 0),
            by_policy={"category:mood": days[n]} if n in days else {},
            due=due.get(n, 0),
            ids=None,
            due_ids=None,
        )
        for n in range(1, length + 1)
    ]
    return list(Forecast(found, 0.1).blocks())


def bars(blocks: list[Block]) -> list[Bars]:
    return [block for block in blocks if isinstance(block, Bars)]


def test_people_see_days_or_weeks_or_more_and_each_fact_once() -> None:
    blocks = shown({1: 5, 30: 7}, {2: 1}, 30)
    assert blocks[0] == Heading("Forecast until 2026-07-01 00:00:00 UTC, if nothing is confirmed")
    assert blocks[1] == KeyValues((("fall below 0.1", "12"), ("obligations fall due", "1")))
    crossing, due = bars(blocks)
    assert len(crossing.rows) == 30
    assert crossing.rows[0] == ("2026-06-02", 5)
    assert due.rows == (("2026-06-03", 1),)
    weeks = bars(shown({1: 5, 7: 1, 8: 2, 60: 7}, {}, 60))[0]
    assert weeks.title == "Facts that fall below 0.1, by week, named by its end"
    assert weeks.rows[:2] == (("2026-06-08", 6), ("2026-06-15", 2))
    assert weeks.rows[-1] == ("2026-07-31", 7)
    assert len(weeks.rows) == 9
    years = bars(shown({3650: 1}, {}, 3650))[0]
    assert len(years.rows) == 41
    assert years.rows[-1][1] == 1
    assert not bars(shown({}, {}, 30))


def test_the_option_gives_a_list_of_days_and_its_absence_nothing(
    migrated: TestDatabase, connection: Connection, call: Call
) -> None:
    fact(connection, "ephemeral", "mood")
    asked = ["report", "--as-of", "2026-06-01T00:00:00Z", "--dsn", migrated.dsn, "--format", "json"]
    document = json.loads(call(*asked, "--forecast", "5d").stdout)
    assert document["forecast"][0] == {
        "day": "2026-06-02",
        "ends_at": "2026-06-02T00:00:00+00:00",
        "crossing": 0,
        "by_policy": {},
        "due": 0,
        "ids": None,
        "due_ids": None,
    }
    assert len(document["forecast"]) == 5
    assert json.loads(call(*asked).stdout)["forecast"] is None
    text = call(*asked[:-2], "--forecast", "30d").stdout
    assert "Forecast until 2026-07-01 00:00:00 UTC" in text
    assert max(map(len, text.splitlines())) <= 80
    for wrong in ("0d", "3651d", "30", "1m", "never", "-1d"):
        refused = call(*asked, f"--forecast={wrong}")
        assert (refused.returncode, refused.stdout) == (2, "")
