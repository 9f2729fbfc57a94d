"""What to write instead: exact for the axes, whatever is compared."""

from __future__ import annotations

import itertools
import sqlite3

import pytest

from memory_maintenance.audit.candidate import Kind
from memory_maintenance.audit.subject import Subject, TableName
from memory_maintenance.audit.suggestions import suggestion_for, way_back
from memory_maintenance.model.mapping import Axes, TypeMap

TYPES = TypeMap(
    {
        "permanent": ("permanent", "identity"),
        "identity": ("permanent", "identity"),
        "preference": ("long_term", "preference"),
        "observation": ("long_term", "observation"),
        None: ("long_term", "observation"),
        "temporal": ("short_term", "state"),
        "mood": ("ephemeral", "mood"),
        "decision": ("long_term", "decision"),
    }
)
SUBJECT = Subject("data_type", (TableName("", "entity_facts"),), TYPES)
PAIRS = tuple(
    itertools.product(
        ("permanent", "long_term", "short_term", "ephemeral"),
        ("identity", "preference", "observation", "state", "mood", "decision", "new"),
    )
)


def read(comparison: str, *values: str | None) -> str:
    return suggestion_for(SUBJECT, Kind.READ, comparison, values)


@pytest.mark.parametrize(
    ("comparison", "values", "suggestion"),
    [
        ("=", ["permanent"], "durability = 'permanent' (takes in 'identity')"),
        (
            "=",
            ["identity"],
            "durability = 'permanent' AND category = 'identity' (takes in 'permanent')",
        ),
        ("=", ["preference"], "durability = 'long_term' AND category = 'preference'"),
        (
            "=",
            ["observation"],
            "durability = 'long_term' AND category <> 'preference' (takes in 'decision' and NULL)",
        ),
        ("=", ["temporal"], "durability IN ('short_term', 'ephemeral') (takes in 'mood')"),
        ("<>", ["permanent"], "durability <> 'permanent' (leaves out 'identity' too)"),
        ("!=", ["preference"], "NOT (durability = 'long_term' AND category = 'preference')"),
        ("in", ["permanent", "identity"], "durability = 'permanent'"),
        ("in", ["preference", "observation", "decision", None], "durability = 'long_term'"),
        (
            "not in",
            ["permanent", "temporal"],
            "durability NOT IN ('permanent', 'short_term', 'ephemeral') "
            "(leaves out 'identity' and 'mood' too)",
        ),
        (
            "in",
            ["permanent", "preference"],
            "(durability = 'permanent' OR (durability = 'long_term' AND category = 'preference'))"
            " (takes in 'identity')",
        ),
        (
            "is null",
            [],
            "durability = 'long_term' AND category = 'observation' (takes in 'observation')",
        ),
        ("is not null", [], "leave it out: every fact has a durability and a category"),
        ("=", ["whim"], "durability and category as they fit: the map lacks 'whim'"),
        (
            "in",
            ["whim", "preference"],
            "durability = 'long_term' AND category = 'preference' (the map lacks 'whim')",
        ),
        ("=", ["it's"], "durability and category as they fit: the map lacks 'it''s'"),
    ],
)
def test_a_comparison_becomes_one_of_the_axes(
    comparison: str, values: list[str | None], suggestion: str
) -> None:
    assert read(comparison, *values) == suggestion


def seen(stored: str | None, axes: Axes) -> str | None:
    """The old value that a reader sees while the column lives: the row's own as long as the map agrees."""
    return stored if TYPES.of(stored) == axes else way_back(axes)


ROWS = [(axes, seen(stored, axes)) for axes in PAIRS for stored in TYPES.axes]
VALUES = ["permanent", "identity", "preference", "observation", "temporal", "mood", "decision"]
CHOSEN = [list(c) for n in (1, 2, 3, 7) for c in itertools.combinations(VALUES, n)]


def condition_of(suggestion: str) -> tuple[str, str]:
    """The condition of a suggestion, and what is said about it."""
    if suggestion.startswith("leave it out"):
        return "1", suggestion
    if suggestion.startswith("false"):
        return "0", suggestion
    condition, _, note = suggestion.rpartition(" (")
    is_note = note.startswith(("takes in", "leaves out"))
    return (condition, note) if is_note else (suggestion, "")


def chosen_by(condition: str) -> set[Axes]:
    """The pairs for which a condition holds, by a database that was told nothing of the map."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE pairs (durability, category)")
    connection.executemany("INSERT INTO pairs VALUES (?, ?)", PAIRS)
    return set(connection.execute(f"SELECT * FROM pairs WHERE {condition}"))


@pytest.mark.parametrize("values", CHOSEN, ids=",".join)
def test_a_condition_takes_in_just_the_pairs_under_which_a_value_may_be_seen(
    values: list[str],
) -> None:
    condition, note = condition_of(read("in", *values))
    assert chosen_by(condition) == {axes for axes, value in ROWS if value in values}
    others = {value for axes, value in ROWS if axes in chosen_by(condition)} - set(values)
    for value in others:
        assert ("NULL" if value is None else f"'{value}'") in note


@pytest.mark.parametrize("values", CHOSEN, ids=",".join)
def test_the_negated_condition_takes_in_all_other_pairs(values: list[str]) -> None:
    positive, _ = condition_of(read("in", *values))
    negative, _ = condition_of(read("not in", *values))
    assert chosen_by(negative) == set(PAIRS) - chosen_by(positive)


@pytest.mark.parametrize(
    ("values", "suggestion"),
    [
        (["permanent"], "durability = 'permanent', category = 'identity'"),
        ([None], "durability = 'long_term', category = 'observation'"),
        (["whim"], "durability and category as they fit: the map lacks 'whim'"),
        (
            ["mood", "temporal"],
            "durability and category instead ('mood': ephemeral/mood, 'temporal': short_term/state)",
        ),
        ([], "write durability and category instead"),
    ],
)
def test_what_is_written_becomes_a_pair(values: list[str | None], suggestion: str) -> None:
    assert suggestion_for(SUBJECT, Kind.WRITE, "", values) == suggestion


def test_a_definition_goes_away() -> None:
    told = suggestion_for(SUBJECT, Kind.DEFINITION)
    assert told == "drop the column: durability and category replace it"


def test_of_another_column_nothing_is_known() -> None:
    other = Subject("colour", (TableName("", "cars"),))
    assert suggestion_for(other, Kind.READ, "=", ["red"]) == "stop reading colour"
    assert suggestion_for(other, Kind.WRITE, "", ["red"]) == "stop writing colour"
    assert suggestion_for(other, Kind.DEFINITION) == "drop colour"


def test_a_suggestion_is_one_line_whatever_the_value() -> None:
    assert "\n" not in read("=", "a\nb")


def test_a_map_that_takes_a_value_elsewhere_adds_its_pair() -> None:
    types = TypeMap({**TYPES.axes, "permanent": ("long_term", "identity")})
    subject = Subject("data_type", (TableName("", "entity_facts"),), types)
    assert suggestion_for(subject, Kind.READ, "=", ["permanent"]) == (
        "(durability = 'permanent' OR (durability = 'long_term' AND category = 'identity'))"
        " (takes in 'observation' and 'identity')"
    )
