"""Rounding of arrays: the same floats as Python's own rounding."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as my
from warpfront.space.rounding import round_digits, round_places

FLOATS = st.floats(-1e15, 1e15) | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def decimals(draw):
    """Decimal numbers, and what lies next to ties between them."""
    value = draw(st.integers(0, 10**13)) / 10 ** draw(st.integers(0, 25))
    return float(np.nextafter(value, draw(st.sampled_from([-np.inf, value, np.inf]))))


@given(st.lists(FLOATS | decimals(), min_size=1, max_size=20), st.integers(-30, 30))
def test_places_are_rounded_as_python_does(values, places):
    with np.errstate(over="ignore"):
        found = round_places(np.array(values), places)
    assert found.tolist() == [round(v, places) for v in values]


@given(st.lists(decimals().filter(lambda v: v > 0) | st.floats(5e-324, 1e308), min_size=1))
def test_digits_are_rounded_as_python_does(values):
    for digits in (12, 3):
        found = round_digits(np.array(values), digits)
        assert found.tolist() == [float(f"{v:.{digits}g}") for v in values]


@given(my.parameters(), st.lists(my.units(), min_size=1, max_size=9))
def test_whole_columns_are_decoded_as_single_values_are(parameter, units):
    positions = parameter.snap(np.array(units))
    values = [parameter.decode(p) for p in positions.tolist()]
    if parameter.is_number:
        assert parameter.numbers(positions).tolist() == values
    np.testing.assert_array_equal(
        parameter.canonical_positions(positions), parameter.encode(values)
    )
    if parameter.levels is not None:
        levels = parameter.level_of(positions)
        np.testing.assert_array_equal(parameter.position_of(levels), positions)


@given(my.reals(), st.lists(my.units(), min_size=1, max_size=9))
def test_positions_that_are_not_snapped_are_decoded_alike(parameter, units):
    values = [parameter.decode(u) for u in units]
    assert parameter.numbers(np.array(units)).tolist() == values
