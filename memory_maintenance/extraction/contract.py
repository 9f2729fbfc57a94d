"""The contract with an extractor's model: what it is to say of a fact, in which words (spec 1, 4 to 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

CONTRACT_VERSION: Final = 1
"""Goes up with every change that a model or a program that reads its answers could notice."""

REQUIRED_MEMBERS: Final = ("entity", "key", "value", "durability", "category", "importance")
MEMBERS: Final = (*REQUIRED_MEMBERS, "confidence", "deadline", "decision")
ENTITY_MEMBERS: Final = ("name", "type")
DECISION_MEMBERS: Final = ("decided", "alternatives", "reasoning", "decided_by", "decided_at")

LONGEST_NAME: Final = 255
"""Characters of a key, a category and an entity's name."""
LONGEST_TYPE: Final = 50
"""Characters of an entity's type."""
MOST_ALTERNATIVES: Final = 1000

ENTITY_TYPES: Final = (
    "person",
    "ai",
    "organization",
    "pet",
    "stuffed_animal",
    "character",
    "other",
)
DEFAULT_ENTITY_TYPE: Final = "other"
MOOD_DURABILITIES: Final = ("ephemeral", "short_term")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the contract. meaning: a sentence's end. example: a fact that it fits."""

    name: str
    meaning: str
    example: str


DURABILITIES: Final = (
    Term("permanent", "true for life, or until it is corrected", "born on 2 May 1990"),
    Term("long_term", "holds for months or years", "prefers tea to coffee"),
    Term("short_term", "holds for days or weeks", "is travelling until Friday"),
    Term("ephemeral", "holds for hours, a day or two at most", "is tired today"),
)

CATEGORIES: Final = (
    Term("decision", "what was decided between alternatives, and why", "we use PostgreSQL"),
    Term("identity", "who or what somebody is", "is a nurse"),
    Term("mood", "how somebody feels", "is annoyed by the delay"),
    Term("obligation", "what somebody must do, or promised", "hand in the report by May 15"),
    Term("observation", "any other fact; take it where no other fits", "the office has a lift"),
    Term("preference", "what somebody likes or wants", "likes short answers"),
    Term("routine", "what somebody does again and again", "runs on Tuesday mornings"),
    Term("state", "how things stand for a while", "is learning Spanish"),
)

BANDS: Final = (
    ("1-3", "trivial: small talk, weather"),
    ("4-6", "useful context: preferences, general facts"),
    ("7-8", "important: decisions, milestones, project information"),
    ("9-10", "critical: contracts, security, life events"),
)


def categories_of(configured: Iterable[str]) -> tuple[str, ...]:
    """The suggested categories and the configured ones, by name."""
    return tuple(sorted({*(term.name for term in CATEGORIES), *configured}))
