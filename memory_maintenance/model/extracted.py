"""What an extractor's model says of a fact, once it is checked (spec 4 to 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact as it is to be stored.

    entity_name, entity_type: whom it is about. key: 1 to 255 characters, value: not blank; both without NUL
    and lone surrogates. durability: one of the four. importance: 1 to 10. confidence: 0 to 1, None where
    nothing was said. deadline: aware, for obligations. decision: what data.decision is to hold, for
    decisions.
    """

    entity_name: str
    entity_type: str
    key: str
    value: str
    durability: str
    category: str
    importance: int
    confidence: float | None = None
    deadline: datetime | None = None
    decision: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One fact of an answer, in its place.

    index: its place in the answer, from 0. raw: what was said, as text. fact: None where it is rejected.
    because: why it was rejected, None otherwise. adjustments: what was changed so that it can be stored,
    each a sentence; where there are any, the outcome is "adjusted".
    """

    index: int
    raw: str
    fact: ExtractedFact | None
    because: str | None = None
    adjustments: tuple[str, ...] = ()
