"""The survival curve in Python (spec 3): the reference that tests hold against the SQL function."""

from __future__ import annotations

import math

# The same bounds as memory_maintenance.survival() has in SQL: see sql/schema/0002_survival.sql.
_LARGEST_RATIO = 2.0**101
_LARGEST_EXPONENT = 1000.0
_SHORTEST_HALF_LIFE_S = 1e-100
SMALLEST = 2.0**-1000
"""What is below this is 0: confidence as double precision."""
SMALLEST_REAL = 2.0**-126
"""The same for a confidence column of type real, whose smallest normal number this is."""


def survival(age_s: float, half_life_s: float, shape: float = 1.0) -> float:
    """Fraction of confidence left after age_s seconds, 0.0 to 1.0 (spec 3).

    age_s: seconds since the anchor, >= 0. half_life_s: seconds, > 0; inf means never and gives 1.0.
    shape: 0.1 to 10; above 1 slow at first, below 1 fast at first. Raises ValueError outside of these.
    """
    if not age_s >= 0 or math.isinf(age_s):
        raise ValueError(f"age_s must be a finite number >= 0, not {age_s}")
    if not half_life_s > 0:
        raise ValueError(f"half_life_s must be > 0, not {half_life_s}")
    if not 0.1 <= shape <= 10:
        raise ValueError(f"shape must be 0.1 to 10, not {shape}")
    ratio = min(age_s / max(half_life_s, _SHORTEST_HALF_LIFE_S), _LARGEST_RATIO)
    exponent = min(ratio**shape, _LARGEST_EXPONENT)
    return 0.0 if exponent >= _LARGEST_EXPONENT else float(2.0**-exponent)


def faded(base: float, survival: float, *, smallest: float = SMALLEST) -> float:
    """base * survival, and 0 where that is below ``smallest`` (both 0.0 to 1.0)."""
    return base * survival if base > 0 and survival >= smallest / base else 0.0
