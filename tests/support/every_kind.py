"""Facts of every durability and category, with every kind of clock, for what is reckoned of a whole table."""

from __future__ import annotations

from typing import Final

from tests.support.legacy import facts
from tests.support.maintenance import ago, ahead
from tests.support.server import Connection

DURABILITIES: Final = ("permanent", "long_term", "short_term", "ephemeral")
CATEGORIES: Final = (
    "observation", "state", "mood", "obligation", "decision", "routine", "own", "obligation",
)  # fmt: skip


def of_every_kind(connection: Connection, rows: int) -> None:
    """Facts of every durability and category, with clocks around AS_OF and a third seen by a run."""
    made = []
    for n in range(rows):
        category = CATEGORIES[n % 8]
        durability = DURABILITIES[n // 8 % 4]
        made.append(
            {
                "durability": "ephemeral" if category == "mood" else durability,
                "category": category,
                "confidence": None if n % 53 == 0 else 0.05 + n * 7 % 96 / 100,
                "decay_rate": n % 11 / 10 if n % 5 == 0 else None,
                "learned_at": ago(hours=n * 13 % 2000).replace(tzinfo=None),
                "last_confirmed_at": None if n % 7 == 0 else ago(hours=n * 11 % 1500 - 100),
                "expires": ahead(hours=n * 17 % 900 - 100) if n % 3 == 0 or n % 8 == 7 else None,
                "pinned": n % 29 == 0,
                "importance": 1 + n % 10,
                "data": {"obligation": {"status": ("open", "done", "missed", "overdue")[n % 4]}}
                if category == "obligation" and n % 6 == 5
                else None,
            }
        )
    facts(connection, made)
