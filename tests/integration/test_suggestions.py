"""Suggested conditions choose the facts of which old readers see the value, by the server's own way back."""

from __future__ import annotations

import itertools

from psycopg import sql

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.audit.suggestions import suggestion_for
from memory_maintenance.config.load import load
from memory_maintenance.model.mapping import TypeMap
from tests.support.server import TestDatabase

TYPES = TypeMap(load(environ={}).settings.data_type)
SUBJECT = Subject("data_type", (TableName("", "entity_facts"),), TYPES)
VALUES = [value for value in TYPES.axes if value is not None]
CATEGORIES = sorted({category for _, category in TYPES.axes.values()} | {"new", ""})

# Each pair of axes with each value that may be stored beside it, and what old readers see then.
ROWS = """
SELECT d AS durability, c AS category, memory_maintenance.way_back(%(map)s, d, c, stored) AS seen
FROM unnest(ARRAY['permanent', 'long_term', 'short_term', 'ephemeral']) AS d,
    unnest(%(categories)s::text[]) AS c,
    unnest(%(stored)s::text[]) AS stored
"""


def condition(comparison: str, values: list[str]) -> str:
    suggestion = suggestion_for(SUBJECT, Kind.READ, comparison, values)
    condition, _, note = suggestion.rpartition(" (")
    return condition if note.startswith(("takes in", "leaves out")) else suggestion


CHOSEN = [list(some) for number in (1, 2) for some in itertools.combinations(VALUES, number)]


def pairs(condition: str) -> sql.Composed:
    rows = sql.SQL(ROWS)
    query = sql.SQL("SELECT DISTINCT durability, category FROM ({}) AS r WHERE {}")
    return query.format(rows, sql.SQL(condition))


def test_a_condition_chooses_the_pairs_under_which_a_value_is_seen(migrated: TestDatabase) -> None:
    given = {"map": TYPES.as_json(), "categories": CATEGORIES, "stored": [*VALUES, None]}
    with migrated.connect() as connection:
        for values in CHOSEN:
            params = {**given, "values": values}
            seen = set(connection.execute(pairs("seen = ANY (%(values)s)"), params))
            assert set(connection.execute(pairs(condition("in", values)), given)) == seen, values
            others = pairs(f"NOT ({condition('not in', values)})")
            assert set(connection.execute(others, given)) == seen, values
