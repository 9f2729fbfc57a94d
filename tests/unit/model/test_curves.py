"""The survival curve: halves at its half-life, bends by its shape, and has no age that breaks it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_maintenance.model.curves import SMALLEST, SMALLEST_REAL, faded, survival
from tests.support import reference

spans = st.floats(1e-30, 1e12)
shapes = st.floats(0.1, 10)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 1.5, 10.0])
def test_all_is_left_at_age_zero_and_half_at_the_half_life(shape: float) -> None:
    assert survival(0, 36, shape) == 1
    assert survival(36, 36, shape) == 0.5


def test_shape_1_halves_again_with_each_half_life() -> None:
    assert [survival(age, 10) for age in (10, 20, 30)] == [0.5, 0.25, 0.125]


def test_a_shape_above_1_starts_slowly_and_then_falls_faster() -> None:
    assert survival(5, 10, 2) == pytest.approx(2**-0.25)
    assert survival(20, 10, 2) == pytest.approx(2**-4)
    assert survival(5, 10, 2) > survival(5, 10) > survival(5, 10, 0.5)
    assert survival(20, 10, 2) < survival(20, 10) < survival(20, 10, 0.5)


def test_never_keeps_everything() -> None:
    assert survival(1e12, math.inf, 3) == 1


def test_what_would_be_below_2_to_the_minus_1000_is_0() -> None:
    assert survival(999, 1) == 2.0**-999
    assert survival(1001, 1) == 0


@pytest.mark.parametrize(
    ("age_s", "half_life_s", "shape"),
    [
        (100 * 365 * 86400, 1, 10),
        (100 * 365 * 86400, 1e-300, 0.1),
        (1e300, 1e-300, 10),
        (5e-324, 1e308, 10),
    ],
)
def test_no_age_is_out_of_range(age_s: float, half_life_s: float, shape: float) -> None:
    assert 0 <= survival(age_s, half_life_s, shape) <= 1


@pytest.mark.parametrize(
    ("age_s", "half_life_s", "shape"),
    [
        (-1, 1, 1),
        (math.nan, 1, 1),
        (math.inf, 1, 1),
        (1, 0, 1),
        (1, -1, 1),
        (1, math.nan, 1),
        (1, 1, 0.09),
        (1, 1, 11),
        (1, 1, math.nan),
    ],
)
def test_arguments_without_a_meaning_are_refused(
    age_s: float, half_life_s: float, shape: float
) -> None:
    with pytest.raises(ValueError, match="must be"):
        survival(age_s, half_life_s, shape)


@given(st.floats(0, 1e12), spans, shapes)
def test_it_agrees_with_the_reference(age_s: float, half_life_s: float, shape: float) -> None:
    wanted = reference.survival(age_s, half_life_s, shape)
    assert survival(age_s, half_life_s, shape) == pytest.approx(wanted, abs=1e-12)


@given(st.floats(0, 1e12), st.floats(0, 1e12), spans, shapes)
def test_nothing_gains_with_age(one: float, other: float, half_life_s: float, shape: float) -> None:
    younger, older = sorted((one, other))
    assert survival(younger, half_life_s, shape) >= survival(older, half_life_s, shape)


@pytest.mark.parametrize("smallest", [SMALLEST, SMALLEST_REAL])
def test_a_product_too_small_for_its_column_is_0(smallest: float) -> None:
    assert faded(0.5, smallest * 2, smallest=smallest) == smallest
    assert faded(0.25, smallest * 2, smallest=smallest) == 0
    assert faded(1e-300, 2.0**-999, smallest=smallest) == 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_product_that_fits_is_just_that(base: float, left: float) -> None:
    assert faded(base, left) == pytest.approx(base * left, abs=SMALLEST)


def test_a_base_of_0_stays_0() -> None:
    assert faded(0, 1) == 0
