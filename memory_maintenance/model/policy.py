"""Which policy governs a fact (spec 3), as numbers that the projection and Python share.

The matching is written twice and no more: here, and in sql/facts/projection.sql; tests compare them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DURABILITIES = ("permanent", "long_term", "short_term", "ephemeral")
SETTLED_CATEGORIES = ("decision", "routine")
LN2_DAYS_S = math.log(2) * 86400
"""A decay_rate r per day is a half-life of ln 2 / r days: this many seconds over r."""

PROBLEM, PINNED, EXPIRED, ROW_RATE, AFTER_DEADLINE = range(5)
_FIRST_DURABILITY = 5


@dataclass(frozen=True, slots=True)
class Curve:
    """half_life_s: seconds, inf for never. shape: 0.1 to 10."""

    half_life_s: float
    shape: float = 1.0


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """The curves of a configuration, numbered: 1 pinned, 2 expired, 3 the row's own rate, 4 an obligation
    past its deadline, then the durabilities, then the categories in the order given.

    grace_s: seconds between an obligation's deadline and the start of its decay, >= 0.
    """

    durabilities: Mapping[str, Curve]
    categories: Mapping[str, Curve]
    after_deadline: Curve | None
    grace_s: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policies, from number 1 on."""
        return (
            "pinned",
            "expired",
            "row:decay_rate",
            "category:obligation:after_deadline",
            *(f"durability:{name}" for name in self.durabilities),
            *(f"category:{name}" for name in self.categories),
        )

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves, from number 1 on. The row's own rate has none here; expired ones have value 0."""
        never = Curve(math.inf)
        return (
            never,
            never,
            never,
            self.after_deadline or never,
            *self.durabilities.values(),
            *self.categories.values(),
        )

    @property
    def first_category(self) -> int:
        """The number before that of the first category."""
        return _FIRST_DURABILITY - 1 + len(self.durabilities)

    @property
    def settled(self) -> Sequence[str]:
        """Those of decision and routine that never decay, not even by the row's own rate."""
        return [c for c in SETTLED_CATEGORIES if self._never(c)]

    @property
    def obligation_waits(self) -> bool:
        """Whether obligations don't decay before their deadline."""
        return self._never("obligation")

    @property
    def mood_half_life_s(self) -> float:
        """What a mood's own decay_rate has to undercut, seconds."""
        mood = self.categories.get("mood")
        return math.inf if mood is None else mood.half_life_s

    def _never(self, category: str) -> bool:
        curve = self.categories.get(category)
        return curve is not None and math.isinf(curve.half_life_s)

    def number(
        self,
        *,
        durability: str,
        category: str,
        pinned: bool = False,
        expired: bool = False,
        past_deadline: bool = False,
        decay_rate: float | None = None,
    ) -> int:
        """The number of the policy that governs a sound fact; first match wins.

        expired: its ``expires`` has passed and it is no obligation. past_deadline: likewise, and it is one.
        decay_rate: per day, >= 0. Raises ValueError for an unknown durability.
        """
        if durability not in self.durabilities:
            raise ValueError(f"unknown durability {durability!r}")
        if pinned:
            return PINNED
        if expired:
            return EXPIRED
        categories = list(self.categories)
        own = (
            self.first_category + 1 + categories.index(category) if category in categories else None
        )
        waits = category == "obligation" and not past_deadline and self.obligation_waits
        if own is not None and (category in self.settled or waits):
            return own
        if decay_rate is not None and (
            category != "mood" or rate_half_life_s(decay_rate) < self.mood_half_life_s
        ):
            return ROW_RATE
        if past_deadline and self.after_deadline is not None:
            return AFTER_DEADLINE
        if own is not None:
            return own
        return _FIRST_DURABILITY + list(self.durabilities).index(durability)

    def curve(self, number: int, decay_rate: float | None = None) -> Curve:
        """The curve of a policy; decay_rate (per day) is needed for the row's own."""
        if number == ROW_RATE:
            if decay_rate is None:
                raise ValueError("the row's own policy needs its decay_rate")
            return Curve(rate_half_life_s(decay_rate))
        return self.curves[number - 1]


def rate_half_life_s(decay_rate: float) -> float:
    """The half-life, in seconds, of a rate per day >= 0; 0 means never."""
    return math.inf if decay_rate == 0 else LN2_DAYS_S / max(decay_rate, 1e-300)
