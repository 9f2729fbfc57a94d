"""Effective importance: the golden table of the specification, and how halves are rounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_maintenance.model.importance import effective_importance

DAY = 86400.0


def effective(importance: int, update_days: float, access_days: float) -> int:
    """Under the defaults."""
    return effective_importance(
        importance,
        update_age_s=update_days * DAY,
        access_age_s=access_days * DAY,
        half_life_s=14 * DAY,
        shape=1.5,
        tier_ends_s=[3 * DAY, 7 * DAY],
        tier_factors=[1.0, 0.8, 0.5],
    )


@pytest.mark.parametrize(
    ("importance", "update_days", "access_days", "expected"),
    [
        (7, 0, 0, 7),
        (7, 3, 3, 5),
        (7, 7, 7, 3),
        (7, 14, 0, 4),
        (7, 14, 14, 2),
        (7, 28, 28, 1),
        (2, 14, 14, 1),
        (10, 14, 5, 4),
        (5, 14, 0, 2),
    ],
)
def test_the_golden_table(
    importance: int, update_days: int, access_days: int, expected: int
) -> None:
    assert effective(importance, update_days, access_days) == expected


@pytest.mark.parametrize(
    ("access_days", "expected"), [(0, 10), (2.999, 10), (3, 8), (6.999, 8), (7, 5), (1e6, 5)]
)
def test_a_tier_ends_just_before_its_bound(access_days: float, expected: int) -> None:
    assert effective(10, 0, access_days) == expected


@pytest.mark.parametrize(("importance", "expected"), [(1, 1), (3, 2), (5, 2), (7, 4), (9, 4)])
def test_halves_round_to_the_even_number(importance: int, expected: int) -> None:
    assert effective(importance, 0, 7) == expected


@given(st.integers(1, 10), st.floats(0, 1e9), st.floats(0, 1e9))
def test_it_stays_between_1_and_the_importance(
    importance: int, update_days: float, access_days: float
) -> None:
    assert 1 <= effective(importance, update_days, access_days) <= importance
