"""However an answer is cut into several ingests, the outcomes and the facts are those of a simple model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_maintenance.database.session import Session
from memory_maintenance.extraction.ingest import ingest
from memory_maintenance.model.extracted import Item
from tests.support.ingesting import numbered, said, unreadable
from tests.support.maintenance import AS_OF, DEFAULTS, migrated_template, opened
from tests.support.server import Connection, TestServer, fresh_database

# Texts, and by hand which of them are the same in other letters.
NAMES: Final = {"Ana": "ana", "ANA": "ana", "ana": "ana", "Élise": "élise", "E\u0301LISE": "élise"}
KEYS: Final = {"drinks": "drinks", "Drinks": "drinks", "likes": "likes"}
VALUES: Final = {
    "Tea": "tea",
    "tEA": "tea",
    "tea ": "tea ",
    "Weiß": "weiss",
    "WEISS": "weiss",
    "'; --": "'; --",
}
KINDS: Final = ("person", "pet")
AXES: Final = (
    ("long_term", "preference"),
    ("permanent", "mood"),
    ("short_term", "obligation"),
    ("long_term", "decision"),
)


def _item(members: dict[str, Any], adjustments: list[str], bad: str | None) -> Item:
    durability, category = members.pop("axes")
    if bad == "unreadable":
        return unreadable()
    if bad is not None:
        members[bad] = members[bad] + "\0"
    return said(durability=durability, category=category, adjustments=adjustments, **members)


ITEMS = st.builds(
    _item,
    st.fixed_dictionaries(
        {
            "entity_name": st.sampled_from(sorted(NAMES)),
            "entity_type": st.sampled_from(KINDS),
            "key": st.sampled_from(sorted(KEYS)),
            "value": st.sampled_from(sorted(VALUES)),
            "axes": st.sampled_from(AXES),
            "importance": st.integers(1, 10),
        }
    ),
    st.sampled_from([[], [], ["mended"]]),
    st.sampled_from([None, None, None, "unreadable", "value", "entity_name"]),
)


@dataclass(slots=True)
class Model:
    """Entities: name and type. Facts: entity, key, value, durability, category, importance, count."""

    entities: list[tuple[str, str]] = field(default_factory=list)
    facts: list[list[Any]] = field(default_factory=list)

    def take(self, item: Item) -> str:
        """The outcome of one item."""
        fact = item.fact
        if fact is None or "\0" in fact.value + fact.entity_name:
            return "rejected"
        entity = self._entity(fact.entity_name, fact.entity_type)
        for known in self.facts:
            same = (KEYS[known[1]], VALUES[known[2]]) == (KEYS[fact.key], VALUES[fact.value])
            if known[0] == entity and same:
                known[6] += 1
                return "adjusted" if item.adjustments else "reinforced"
        # A mood is lowered; a decision and an obligation of which nothing more is said are flagged.
        durability = "ephemeral" if fact.category == "mood" else fact.durability
        row = [entity, fact.key, fact.value, durability, fact.category, fact.importance, 1]
        self.facts.append(row)
        changed = fact.category != "preference" or item.adjustments
        return "adjusted" if changed else "created"

    def _entity(self, name: str, kind: str) -> tuple[str, str]:
        for known in self.entities:
            if known == (name, kind):
                return known
        alike = [e for e in self.entities if e[1] == kind and NAMES[e[0]] == NAMES[name]]
        if alike:
            return alike[0]
        self.entities.append((name, kind))
        return name, kind


@pytest.fixture(scope="module")
def place(server: TestServer) -> Iterator[tuple[Session, Connection]]:
    """A migrated database: the tool's session, and one to look with."""
    with fresh_database(server, migrated_template(server)) as fresh, opened(fresh) as session:
        yield session, fresh.connect()


def emptied(connection: Connection) -> None:
    """Takes all rows away."""
    connection.execute("DELETE FROM entity_facts")
    connection.execute("DELETE FROM entities")
    connection.execute("DELETE FROM memory_maintenance.rejected")


@settings(max_examples=25)
@given(items=st.lists(ITEMS, max_size=12), cuts=st.sets(st.integers(1, 11), max_size=3))
def test_any_split_gives_what_the_model_says(
    place: tuple[Session, Connection], items: list[Item], cuts: set[int]
) -> None:
    session, connection = place
    emptied(connection)
    policy = DEFAULTS.settings
    model = Model()
    expected = [model.take(item) for item in items]
    foreseen = ingest(session, policy, numbered(items), as_of=AS_OF, dry_run=True)
    assert [o.outcome for o in foreseen.outcomes] == expected
    ends = [0, *sorted(c for c in cuts if c < len(items)), len(items)]
    parts = [items[a:b] for a, b in pairwise(ends)]
    results = [ingest(session, policy, numbered(part), as_of=AS_OF) for part in parts]
    assert [o.outcome for r in results for o in r.outcomes] == expected
    for kind in ("created", "reinforced", "adjusted", "rejected"):
        assert sum(getattr(r, kind) for r in results) == expected.count(kind)
    found = connection.execute(
        "SELECT e.name, e.type, f.key, f.value, f.durability, f.category, f.importance,"
        " f.confirmation_count FROM entity_facts AS f JOIN entities AS e ON e.id = f.entity_id"
        " ORDER BY f.id"
    ).fetchall()
    assert found == [(*fact[0], *fact[1:]) for fact in model.facts]
    entities = connection.execute("SELECT name, type FROM entities ORDER BY id").fetchall()
    assert entities == model.entities
    kept = connection.execute("SELECT count(*) FROM memory_maintenance.rejected").fetchone()
    assert kept == (expected.count("rejected"),)
