"""A mood never becomes permanent, long_term or anything else than a mood without a recorded reason (spec 7).

Random writers and our own commands take turns at a table; after each step what stands there is compared with
what stood there. Every day a few hundred writes, under the torture profile ten thousand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.support.contracting import contracted
from tests.support.guarded import guarded
from tests.support.maintenance import AS_OF, decay
from tests.support.migration import migrated, rolled_back
from tests.support.server import Connection, TestDatabase, TestServer

DURABILITIES = ("permanent", "long_term", "short_term", "ephemeral")
CATEGORIES = ("mood", "observation", "identity", "decision", "state", "Mood", "mood ")
DATA_TYPES = (
    "permanent",
    "identity",
    "preference",
    "temporal",
    "observation",
    "mood",
    "decision",
    "hunch",
    None,
)
KEYS = range(1, 9)
LOW = frozenset({"ephemeral", "short_term"})

durabilities = st.sampled_from(DURABILITIES)
categories = st.one_of(st.just("mood"), st.sampled_from(CATEGORIES))
data_types = st.sampled_from(DATA_TYPES)
keys = st.sampled_from(KEYS)
reasons = st.sampled_from([None, None, None, None, "", " \n", "so it is"])
axes = st.fixed_dictionaries({}, optional={"durability": durabilities, "category": categories})
STATES = """
SELECT f.id, f.durability, f.category FROM entity_facts AS f WHERE f.id <= 8
"""
RECORDED = """
SELECT DISTINCT fact_key::int FROM memory_maintenance.event WHERE kind = 'mood-promoted' AND id > %s
"""
LAST_EVENT = "SELECT coalesce(max(id), 0) FROM memory_maintenance.event"
MAY_FAIL = frozenset({"MM001", "MM002", "23505"})


class Moods(RuleBasedStateMachine):
    """What writers do to eight facts, and what must not have come of it."""

    database: ClassVar[TestDatabase]
    conn: ClassVar[Connection]
    writes: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[int, tuple[str, str]] = {}
        self.last_event = 0

    @initialize(seeds=st.lists(st.tuples(durabilities, categories), min_size=4, max_size=8))
    def facts(self, seeds: list[tuple[str, str]]) -> None:
        """Facts to begin with, four of them moods."""
        self.conn.execute("DELETE FROM entity_facts")
        for key in KEYS[:4]:
            self._insert(key, "ephemeral", "mood")
        for key, (durability, category) in zip(KEYS[4:], seeds, strict=False):
            self._insert(key, durability, category)
        self.before = self._states()
        self.last_event = self._last_event()
        for durability, category in self.before.values():
            assert category != "mood" or durability in LOW

    # -- writers --

    @rule(key=keys, written=axes, data_type=data_types, why=reasons)
    def insert_or_update(
        self, key: int, written: dict[str, str], data_type: str | None, why: str | None
    ) -> None:
        """An upsert."""
        columns = {"id": key, "key": "k", "value": "v", **written, **self._old(data_type)}
        names = [name for name in columns if name not in ("id", "key")]
        values = ", ".join(f"%({name})s" for name in columns)
        sets = ", ".join(f"{name} = EXCLUDED.{name}" for name in names)
        self._write(
            f"INSERT INTO entity_facts ({', '.join(columns)}) VALUES ({values})"
            f" ON CONFLICT (id) DO UPDATE SET {sets}",
            columns,
            why,
        )

    @rule(key=keys, written=axes, why=reasons)
    def update(self, key: int, written: dict[str, str], why: str | None) -> None:
        """An UPDATE of some axes."""
        sets = ", ".join(f"{name} = %({name})s" for name in (*written, "value"))
        statement = f"UPDATE entity_facts SET {sets} WHERE id = %(id)s"
        self._write(statement, {**written, "value": "w", "id": key}, why)

    @rule(key=keys, name=st.sampled_from(["durability", "category"]), why=reasons)
    def unsay(self, key: int, name: str, why: str | None) -> None:
        """NULL in an axis."""
        self._write(f"UPDATE entity_facts SET {name} = NULL WHERE id = %(id)s", {"id": key}, why)

    @rule(key=keys, data_type=data_types, why=reasons)
    def write_the_old_way(self, key: int, data_type: str | None, why: str | None) -> None:
        """An UPDATE of data_type, where there is one."""
        if self._has_data_type():
            statement = "UPDATE entity_facts SET data_type = %(data_type)s WHERE id = %(id)s"
            self._write(statement, {"id": key, "data_type": data_type}, why)

    @rule(source=keys, into=keys, why=reasons)
    def merge(self, source: int, into: int, why: str | None) -> None:
        """One fact takes the axes of another."""
        if self.conn.info.server_version >= 150000:
            self._write(
                "MERGE INTO entity_facts AS f USING (SELECT * FROM entity_facts WHERE id = %(source)s) AS s"
                " ON f.id = %(into)s WHEN MATCHED THEN UPDATE SET durability = s.durability,"
                " category = s.category WHEN NOT MATCHED THEN INSERT (id, key, value, durability, category)"
                " VALUES (%(into)s, 'k', 'v', s.durability, s.category)",
                {"source": source, "into": into},
                why,
            )

    @rule(why=reasons)
    def update_all(self, why: str | None) -> None:
        """One statement over all facts."""
        self._write("UPDATE entity_facts SET durability = 'permanent', confidence = 0.5", {}, why)

    @rule(key=keys)
    def delete(self, key: int) -> None:
        """What is gone may come back as something else: it is another fact."""
        self._write("DELETE FROM entity_facts WHERE id = %(id)s", {"id": key}, None)

    # -- our commands --

    @rule(days=st.integers(0, 400))
    def run_decay(self, days: int) -> None:
        """The hourly job."""
        decay(self.database, AS_OF + timedelta(days=days))

    # -- what must hold --

    @invariant()
    def no_mood_was_promoted_without_a_recorded_reason(self) -> None:
        """After every step."""
        now = self._states()
        found = self.conn.execute(RECORDED, [self.last_event]).fetchall()
        promoted = {key for (key,) in found}
        for key, (durability, category) in now.items():
            former = self.before.get(key)
            was_mood = former is not None and former[1] == "mood"
            if was_mood:
                assert category == "mood" or key in promoted, (key, former, now[key])
            if category == "mood" and durability not in LOW:
                stood = was_mood and former is not None and _rank(former[0]) >= _rank(durability)
                assert stood or key in promoted, (key, former, now[key])
        self.before = now
        self.last_event = self._last_event()

    # -- how --

    def _write(self, statement: str, params: dict[str, Any], why: str | None) -> None:
        type(self).writes += 1
        try:
            with self.conn.transaction():
                if why is not None:
                    self.conn.execute(
                        "SELECT set_config('memory_maintenance.promotion_reason', %s, true)", [why]
                    )
                self.conn.execute(statement.encode(), params)
        except psycopg.errors.NotNullViolation:
            assert not self._has_data_type()
        except psycopg.Error as error:
            if error.sqlstate not in MAY_FAIL:
                raise
        if statement.startswith("DELETE"):
            self.before.pop(params["id"], None)

    def _insert(self, key: int, durability: str, category: str) -> None:
        self.conn.execute(
            "INSERT INTO entity_facts (id, key, value, durability, category) VALUES (%s, 'k', 'v', %s, %s)",
            [key, durability, category],
        )

    def _old(self, data_type: str | None) -> dict[str, str | None]:
        return {"data_type": data_type} if self._has_data_type() else {}

    def _has_data_type(self) -> bool:
        return (
            self.conn.execute(
                "SELECT FROM pg_attribute WHERE attrelid = 'entity_facts'::regclass AND attname = 'data_type'"
            ).fetchone()
            is not None
        )

    def _states(self) -> dict[int, tuple[str, str]]:
        found = self.conn.execute(STATES).fetchall()
        return {key: (durability, category) for key, durability, category in found}

    def _last_event(self) -> int:
        row = self.conn.execute(LAST_EVENT).fetchone()
        return 0 if row is None else int(row[0])


def _rank(durability: str) -> int:
    return -DURABILITIES.index(durability)


@contextmanager
def machine(database: TestDatabase) -> Iterator[type[Moods]]:
    """The machine on a database."""

    class Here(Moods):
        pass

    Here.database, Here.conn, Here.writes = database, database.connect(), 0
    yield Here


@pytest.mark.parametrize("state", ["settled", "contracted"])
def test_no_sequence_of_writes_and_commands_promotes_a_mood(
    server: TestServer, template: str, state: str
) -> None:
    torture = settings().max_examples >= 2000
    with guarded(server, template, state) as fresh, machine(fresh) as here:
        sequences = settings(
            max_examples=200 if torture else 6, stateful_step_count=60 if torture else 25
        )
        run_state_machine_as_test(here, settings=sequences)
        assert here.writes > (5_000 if torture else 50)


def test_no_phase_of_the_migration_promotes_a_mood(server: TestServer, template: str) -> None:
    """Forward, back and forward again, writers in between."""
    with guarded(server, template, "settled") as fresh, machine(fresh) as here:
        moods = here()
        moods.facts([])
        for phase in ("contract", "rollback", "migrate", "migrate"):
            for key in KEYS:
                if phase != "migrate":
                    moods.update(key, {"durability": "permanent"}, None)
                    moods.write_the_old_way(key, "identity", None)
            if phase == "contract":
                assert contracted(fresh).contracted
            elif phase == "rollback":
                assert rolled_back(fresh).rolled_back
                continue  # no axes: what was a mood is kept aside
            else:
                assert migrated(fresh).verified
            moods.no_mood_was_promoted_without_a_recorded_reason()
        assert {state[1] for key, state in moods.before.items() if key <= 4} == {"mood"}
