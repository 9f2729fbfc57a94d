"""The map of data_type, as the specification's table has it."""

from __future__ import annotations

import json

import pytest

from memory_maintenance.model.mapping import TypeMap
from tests.support.maintenance import DEFAULTS, configured

SHIPPED = TypeMap(DEFAULTS.settings.data_type)


@pytest.mark.parametrize(
    ("data_type", "durability", "category"),
    [
        ("permanent", "permanent", "identity"),
        ("identity", "permanent", "identity"),
        ("preference", "long_term", "preference"),
        ("observation", "long_term", "observation"),
        (None, "long_term", "observation"),
        ("temporal", "short_term", "state"),
        ("trait", "permanent", "identity"),
        ("mood", "ephemeral", "mood"),
        ("state", "short_term", "state"),
        ("decision", "long_term", "decision"),
        ("routine", "long_term", "routine"),
        ("obligation", "short_term", "obligation"),
    ],
)
def test_the_shipped_map_is_that_of_the_specification(
    data_type: str | None, durability: str, category: str
) -> None:
    assert SHIPPED.of(data_type) == (durability, category)


def test_the_shipped_map_holds_nothing_else() -> None:
    assert len(DEFAULTS.settings.data_type) == 12


@pytest.mark.parametrize("unmapped", ["", "Mood", "NULL", "observation "])
def test_a_value_that_the_map_lacks_has_no_axes(unmapped: str) -> None:
    assert SHIPPED.of(unmapped) is None


def test_null_has_axes_even_where_the_map_does_not_say() -> None:
    assert TypeMap({}).of(None) == ("long_term", "observation")
    assert TypeMap({None: ("short_term", "state")}).of(None) == ("short_term", "state")


def test_a_map_can_be_extended() -> None:
    extended = configured(data_type={"gossip": ["ephemeral", "observation"]})
    type_map = TypeMap(extended.settings.data_type)
    assert type_map.of("gossip") == ("ephemeral", "observation")
    assert type_map.of("mood") == ("ephemeral", "mood")


def test_as_json_null_stands_apart_from_the_text_null() -> None:
    type_map = TypeMap({None: ("short_term", "state"), "null": ("permanent", "identity")})
    assert json.loads(type_map.as_json()) == {
        "values": {"null": ["permanent", "identity"]},
        "null": ["short_term", "state"],
    }
