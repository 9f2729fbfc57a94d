"""Writers who know nothing of us, at work between runs, in any order."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg import sql

from memory_maintenance.config.load import Loaded
from tests.property.decay_facts import (
    NOW,
    Document,
    add,
    adopted_at,
    as_text,
    at,
    axes,
    deadlines,
    derived,
    differences,
    examples,
    expected,
    fill,
    fractions,
    loosen,
    new_facts,
    policies,
    rates,
)
from tests.support.maintenance import configured, decay
from tests.support.reference import Fact, Memory, Rules
from tests.support.server import Connection, TestDatabase

_HOUR_US = 3_600_000_000
ages = st.sampled_from([0, 1, _HOUR_US, 48 * _HOUR_US, 24 * 365 * _HOUR_US, -_HOUR_US])
"""How long ago a writer's clock was; below 0, it is fast."""


class Writers(RuleBasedStateMachine):
    """The table and the reference get the same writes and the same runs."""

    database: ClassVar[TestDatabase]
    connection: ClassVar[Connection]

    loaded: Loaded
    in_force: Rules
    memory: Memory
    offset: int = 0
    next_key: int = 1

    @initialize(
        policy=policies(min_delta=None),
        adopt=st.sampled_from(["now", "history"]),
        facts=st.lists(new_facts(), min_size=1, max_size=5),
    )
    def begin(self, policy: Document, adopt: str, facts: list[Fact]) -> None:
        self.loaded = configured(**policy | {"confidence": policy["confidence"] | {"adopt": adopt}})
        self.in_force = Rules.of(self.loaded.settings)
        self.memory = Memory({})
        fill(self.connection, {})
        for fact in facts:
            self.insert(fact)

    @rule(fact=new_facts())
    def insert(self, fact: Fact) -> None:
        self.memory.facts[self.next_key] = dataclasses.replace(fact)
        add(self.connection, {self.next_key: fact})
        self.next_key += 1

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        key = self._pick(data)
        del self.memory.facts[key]
        self.connection.execute("DELETE FROM entity_facts WHERE id = %s", [key])

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), age=ages)
    def confirm(self, data: st.DataObject, age: int) -> None:
        self._write(self._pick(data), last_confirmed_at=self.now - age)

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), confidence=st.none() | fractions)
    def set_confidence(self, data: st.DataObject, confidence: float | None) -> None:
        self._write(self._pick(data), confidence=confidence)

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), confidence=fractions, age=ages)
    def set_confidence_and_confirm(self, data: st.DataObject, confidence: float, age: int) -> None:
        self._write(self._pick(data), confidence=confidence, last_confirmed_at=self.now - age)

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), age=ages)
    def access(self, data: st.DataObject, age: int) -> None:
        self._write(self._pick(data), last_accessed_at=self.now - age)

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), axes=axes)
    def reclassify(self, data: st.DataObject, axes: tuple[str, str]) -> None:
        self._write(self._pick(data), durability=axes[0], category=axes[1])

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), pinned=st.booleans(), expires=deadlines, decay_rate=rates)
    def change_the_terms(
        self, data: st.DataObject, pinned: bool, expires: float | None, decay_rate: float | None
    ) -> None:
        self._write(self._pick(data), pinned=pinned, expires=expires, decay_rate=decay_rate)

    @precondition(lambda self: self.memory.facts)
    @rule(data=st.data(), confidence=st.sampled_from([math.nan, 1.5, -0.5]))
    def store_nonsense(self, data: st.DataObject, confidence: float) -> None:
        self._write(self._pick(data), confidence=confidence)

    @rule(later=st.sampled_from([0, 1, _HOUR_US, 30 * _HOUR_US, 24 * 90 * _HOUR_US]))
    def run(self, later: int) -> None:
        self.offset += later
        result = decay(self.database, at(self.offset), self.loaded)
        self.memory.adopted_at = adopted_at(self.connection)
        assert result.updated == self.memory.decay(self.in_force, self.now)

    @invariant()
    def table_and_reference_agree(self) -> None:
        assert differences(derived(self.connection), expected(self.memory.facts)) == []

    @property
    def now(self) -> int:
        return NOW + self.offset

    def _pick(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(self.memory.facts)))

    def _write(self, key: int, **values: Any) -> None:
        for column, value in values.items():
            setattr(self.memory.facts[key], column, value)
        # As text, so that infinity has a form; %s alone would be of type text.
        assignments = sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(c), sql.Literal(as_text(c, v)))
            for c, v in values.items()
        )
        statement = sql.SQL("UPDATE entity_facts SET {} WHERE id = {}")
        self.connection.execute(statement.format(assignments, sql.Literal(key)))


def test_whatever_writers_do_between_runs_the_table_stays_as_the_reference_says(
    migrated: TestDatabase,
) -> None:
    class OnThisDatabase(Writers):
        database = migrated
        connection = migrated.connect()

    loosen(OnThisDatabase.connection)
    run_state_machine_as_test(
        OnThisDatabase,
        settings=settings(examples(6), stateful_step_count=25),
    )
