"""How a ranking of the set is scored, and the rankings in Python that recall's are held against."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.recall_set import Fact, Question
from memory_maintenance.model.importance import effective_importance

DAY_S: Final = 86400.0
DEPTH: Final = 5
_EXEMPT: Final = frozenset({"decision", "routine"})

Weigh = Callable[[Fact], float]


@dataclass(frozen=True, slots=True)
class Scores:
    """One question's: whether an answer is first, whether one is among the first five, and nDCG@5."""

    hit1: float
    hit5: float
    ndcg5: float


def effective(fact: Fact) -> int:
    """The effective importance of a fact under the default policy (spec 4)."""
    is_open = fact.category == "obligation" and fact.due is not None and fact.due >= 0
    if fact.durability == "permanent" or fact.category in _EXEMPT or is_open:
        return fact.importance
    accessed = fact.updated if fact.accessed is None else fact.accessed
    return effective_importance(
        fact.importance,
        update_age_s=fact.updated * DAY_S,
        access_age_s=accessed * DAY_S,
        half_life_s=14 * DAY_S,
        shape=1.5,
        tier_ends_s=(3 * DAY_S, 7 * DAY_S),
        tier_factors=(1.0, 0.8, 0.5),
    )


def mixed(weight: float, categories: Mapping[str, float] | None = None) -> Weigh:
    """1 - weight + weight * effective / 10, times the weight of the category: what recall multiplies by."""
    by_category = categories or {}
    return lambda fact: (
        (1 - weight + weight * effective(fact) / 10) * by_category.get(fact.category, 1)
    )


def power(exponent: float) -> Weigh:
    """(effective / 10) ** exponent."""
    return lambda fact: float((effective(fact) / 10) ** exponent)


def ranked(
    similarities: Sequence[tuple[Fact, float]], weigh: Weigh, *, gate: float, depth: int = DEPTH
) -> list[int]:
    """The ids of the best, best first; what is less similar than the gate is left out."""
    scored = [
        (-likeness * weigh(fact), fact.id) for fact, likeness in similarities if likeness >= gate
    ]
    return [id_ for _, id_ in sorted(scored)[:depth]]


def scores(question: Question, ranking: Sequence[int]) -> Scores:
    """How good a ranking is, its first five."""
    first = list(ranking[:DEPTH])
    best = sorted(question.grades.values(), reverse=True)[:DEPTH]
    return Scores(
        hit1=float(bool(question.answers.intersection(first[:1]))),
        hit5=float(bool(question.answers.intersection(first))),
        ndcg5=_gain([question.grades.get(id_, 0) for id_ in first]) / _gain(best),
    )


def _gain(grades: Sequence[int]) -> float:
    """The discounted cumulative gain: 2 ** grade - 1, over the binary logarithm of the place + 1."""
    return sum((2.0**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


def interval(
    differences: Sequence[float], *, draws: int = 2000, seed: int = 1
) -> tuple[float, float]:
    """The middle 95 % of the mean of differences, the questions drawn anew with replacement."""
    drawn = random.Random(seed)
    count = len(differences)
    means = sorted(sum(drawn.choices(differences, k=count)) / count for _ in range(draws))
    return means[int(draws * 0.025)], means[int(draws * 0.975) - 1]
