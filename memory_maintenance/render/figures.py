"""What the formats beside plain text share: numbers, heights, lengths, and how a result is called."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from datetime import UTC
from typing import Final

from memory_maintenance.model.result import Curve, Result

LONGEST_LABEL: Final = 80
"""Characters of what stands beside a bar."""

LONGEST_NOTE: Final = 4000


def numbers(values: Sequence[float]) -> list[str]:
    """All as counts, or all with three decimals, so that they can be compared down the column."""
    counts = all(not math.isfinite(value) or value == int(value) for value in values)
    return [f"{value:,.0f}" if counts else f"{value:,.3f}" for value in values]


def share(value: float, peak: float) -> float:
    """How much of the longest bar a value's bar is, 0 to 1; 0 for what has no length."""
    return value / peak if math.isfinite(value) and 0 < value <= peak else 0.0


def peak_of(values: Sequence[float]) -> float:
    """The largest that has a length; 0 where there is none."""
    return max((value for value in values if math.isfinite(value)), default=0.0)


def height_at(curve: Curve, x: float) -> float:
    """The curve's y at an x of its axis."""
    for (x0, y0), (x1, y1) in itertools.pairwise(curve.points):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x1 > x0 else y1
    return curve.points[-1][1]


def place_of(curve: Curve, x: float) -> float:
    """Where an x is on the curve's axis, 0 to 1."""
    first, last = curve.points[0][0], curve.points[-1][0]
    return min(1.0, max(0.0, (x - first) / (last - first))) if last > first else 0.0


def instant_line(result: Result) -> str:
    """ "as of 2026-06-01 00:00:00 UTC"; "" where the result has no instant."""
    if result.as_of is None:
        return ""
    return f"as of {result.as_of.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
