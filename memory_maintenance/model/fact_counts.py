"""How many facts there are of each durability, as monitoring shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FactCounts:
    """Facts at an instant.

    by_durability: the four, "unclassified" and "unknown" (no durability of ours), each of them, with 0 too.
    overdue: obligations that are past their deadline and not settled.
    """

    as_of: datetime
    by_durability: Mapping[str, int]
    overdue: int
