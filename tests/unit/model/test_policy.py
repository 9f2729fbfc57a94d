"""Which policy governs a fact: the first that matches."""

from __future__ import annotations

import math
from typing import Any

import pytest

from memory_maintenance.database.projection import policy_table
from memory_maintenance.model.policy import Curve, PolicyTable, rate_half_life_s
from tests.support.maintenance import DEFAULTS, configured

HOUR = 3600.0
DAY = 24 * HOUR
NEVER = math.inf


def table(**sections: Any) -> PolicyTable:
    """The table of the defaults, overlaid by these sections."""
    return policy_table(configured(**sections).settings if sections else DEFAULTS.settings)


def governed_by(table: PolicyTable, durability: str, category: str, **more: Any) -> str:
    """The name of the policy that governs such a fact."""
    number = table.number(durability=durability, category=category, **more)
    return table.names[number - 1]


@pytest.mark.parametrize(
    ("axes", "more", "policy"),
    [
        (("permanent", "identity"), {}, "durability:permanent"),
        (("long_term", "observation"), {}, "durability:long_term"),
        (("short_term", "state"), {}, "durability:short_term"),
        (("ephemeral", "whatever"), {}, "durability:ephemeral"),
        (("ephemeral", "mood"), {}, "category:mood"),
        (("short_term", "mood"), {}, "category:mood"),
        (("long_term", "decision"), {}, "category:decision"),
        (("long_term", "routine"), {}, "category:routine"),
        (("short_term", "obligation"), {}, "category:obligation"),
        (
            ("short_term", "obligation"),
            {"past_deadline": True},
            "category:obligation:after_deadline",
        ),
        # A rate of the row's own: not for what never decays, and for moods only where it shortens.
        (("permanent", "identity"), {"decay_rate": 0.1}, "row:decay_rate"),
        (("permanent", "identity"), {"decay_rate": 0.0}, "row:decay_rate"),
        (("long_term", "decision"), {"decay_rate": 0.1}, "category:decision"),
        (("long_term", "routine"), {"decay_rate": 0.1}, "category:routine"),
        (("short_term", "obligation"), {"decay_rate": 0.1}, "category:obligation"),
        (
            ("short_term", "obligation"),
            {"decay_rate": 0.1, "past_deadline": True},
            "row:decay_rate",
        ),
        (("ephemeral", "mood"), {"decay_rate": 1.0}, "row:decay_rate"),
        (("ephemeral", "mood"), {"decay_rate": 0.1}, "category:mood"),
        (("ephemeral", "mood"), {"decay_rate": 0.0}, "category:mood"),
        # A past expires, whatever the durability; and being pinned, whatever else.
        (("permanent", "identity"), {"expired": True}, "expired"),
        (("long_term", "decision"), {"expired": True}, "expired"),
        (("long_term", "state"), {"expired": True, "decay_rate": 0.0}, "expired"),
        (("long_term", "state"), {"expired": True, "pinned": True}, "pinned"),
        (("ephemeral", "mood"), {"pinned": True, "decay_rate": 9.0}, "pinned"),
        (("short_term", "obligation"), {"pinned": True, "past_deadline": True}, "pinned"),
    ],
)
def test_the_first_policy_that_matches_governs(
    axes: tuple[str, str], more: dict[str, Any], policy: str
) -> None:
    assert governed_by(table(), *axes, **more) == policy


def test_the_defaults_are_those_of_the_specification() -> None:
    defaults = table()
    assert dict(zip(defaults.names, defaults.curves, strict=True)) == {
        "pinned": Curve(NEVER),
        "expired": Curve(NEVER),
        "row:decay_rate": Curve(NEVER),
        "category:obligation:after_deadline": Curve(48 * HOUR),
        "durability:permanent": Curve(3650 * DAY),
        "durability:long_term": Curve(180 * DAY),
        "durability:short_term": Curve(10 * DAY),
        "durability:ephemeral": Curve(36 * HOUR),
        "category:decision": Curve(NEVER),
        "category:routine": Curve(NEVER),
        "category:mood": Curve(36 * HOUR),
        "category:obligation": Curve(NEVER),
    }
    assert defaults.grace_s == 0


def test_a_category_that_was_added_goes_before_the_durability() -> None:
    gossip = table(category={"gossip": {"half_life": "2d", "shape": 0.5}})
    number = gossip.number(durability="permanent", category="gossip")
    assert gossip.curve(number) == Curve(2 * DAY, 0.5)


def test_decisions_that_are_made_to_decay_heed_their_own_rate() -> None:
    fading = table(category={"decision": {"half_life": "90d"}})
    assert governed_by(fading, "long_term", "decision") == "category:decision"
    assert governed_by(fading, "long_term", "decision", decay_rate=0.1) == "row:decay_rate"
    assert governed_by(fading, "long_term", "routine", decay_rate=0.1) == "category:routine"


def test_a_rate_per_day_is_a_half_life() -> None:
    assert rate_half_life_s(math.log(2)) == pytest.approx(DAY)
    assert rate_half_life_s(math.log(2) / 7) == pytest.approx(7 * DAY)
    assert rate_half_life_s(0) == NEVER
    assert 0 < rate_half_life_s(1e300) < rate_half_life_s(5e-324) < NEVER


def test_the_rows_own_rate_is_exponential() -> None:
    shaped = table(durability={"long_term": {"half_life": "180d", "shape": 3}})
    number = shaped.number(durability="long_term", category="state", decay_rate=1.0)
    assert shaped.curve(number, 1.0).shape == 1
    with pytest.raises(ValueError, match="decay_rate"):
        shaped.curve(number)


def test_an_unknown_durability_has_no_policy() -> None:
    with pytest.raises(ValueError, match="eternal"):
        table().number(durability="eternal", category="mood")
