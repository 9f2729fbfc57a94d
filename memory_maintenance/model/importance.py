"""Effective importance in Python (spec 4): the reference that tests hold against the projection."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from memory_maintenance.model.curves import survival


def effective_importance(
    importance: int,
    *,
    update_age_s: float,
    access_age_s: float,
    half_life_s: float,
    shape: float,
    tier_ends_s: Sequence[float],
    tier_factors: Sequence[float],
) -> int:
    """importance (1 to 10) faded by a Weibull curve and the access boost, never below 1.

    update_age_s, access_age_s: seconds, >= 0. tier_ends_s: ascending, seconds; tier_factors: one more than
    ends, the factor for an access younger than each end, then for all others.
    """
    boost = tier_factors[bisect_right(tier_ends_s, access_age_s)]
    left = importance * survival(update_age_s, half_life_s, shape) * boost
    return max(1, round(left))  # half to even, as PostgreSQL's round(double precision)
