"""The axis of the values."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warpfront.analysis.values import ValueAxis
from warpfront.plots.style import value_axis

VALUES = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20)


def test_what_is_far_worse_than_the_rest_is_at_the_edge():
    values = np.array([1.0, 2.0, 3.0, 4.0, 1e6])
    axis = ValueAxis.of(values, maximize=False)
    assert (axis.low, axis.high) == (1.0, 7.0)
    assert axis.place(values).tolist() == [1.0, 2.0, 3.0, 4.0, 7.0]
    assert axis.beyond(values).tolist() == [False] * 4 + [True]


def test_the_bad_side_of_a_maximisation_is_below():
    values = -np.array([1.0, 2.0, 3.0, 4.0, 1e6])
    axis = ValueAxis.of(values, maximize=True)
    assert (axis.low, axis.high) == (-7.0, -1.0)


@pytest.mark.parametrize("maximize", [False, True])
def test_what_is_far_better_is_shown(maximize):
    sign = -1.0 if maximize else 1.0
    values = sign * np.array([100.0, 101.0, 102.0, 103.0, -500.0])
    assert not ValueAxis.of(values, maximize).beyond(values).any()


@pytest.mark.parametrize(
    ("values", "maximize", "is_log"),
    [
        ([1e-6, 1e-2, 1.0, 1.0], False, True),
        ([1e-6, 0.1, 1.0, 1.0, 1.0], True, False),  # the best ones differ little
        ([1.0, 1.0, 10.0, 1e7], True, True),
        ([0.0, 1e-2, 1.0, 1.0], False, False),  # no logarithm
        ([0.1, 0.2, 0.3, 1.0], False, False),
    ],
)
def test_many_powers_of_ten_are_drawn_on_a_log_axis(values, maximize, is_log):
    assert ValueAxis.of(np.array(values), maximize).is_log is is_log


@pytest.mark.parametrize("maximize", [False, True])
def test_a_log_axis_reaches_exactly_as_far_as_its_values(maximize):
    """Powers of logarithms are not quite the values: the best would seem beyond the end."""
    rng = np.random.default_rng(0)
    drawn = 0
    for values in np.exp(rng.normal(scale=6.0, size=(300, 16))):
        axis = ValueAxis.of(values, maximize)
        best = values.max() if maximize else values.min()
        drawn += axis.is_log
        assert not axis.beyond(best)
        assert axis.place(best) == best
        assert axis.beyond(values).sum() <= 4  # the quartile is never beyond the fence
        assert axis.levels(5)[-1 if maximize else 0] == best
    assert drawn > 100


@pytest.mark.parametrize("maximize", [False, True])
def test_a_log_axis_without_a_fence_has_all_values(maximize):
    for unit in np.random.default_rng(0).random(100):
        values = unit * np.array([1e-8, 1e-6, 1e-4, 1e-2])
        axis = ValueAxis.of(values, maximize)
        assert axis.is_log
        assert (axis.low, axis.high) == (values.min(), values.max())
        assert not axis.beyond(values).any()


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0, 4.0, 900.0], [3e200, -2e150], [5.0], [0.0]])
def test_a_whole_axis_has_all_values(values):
    axis = ValueAxis.whole(np.array(values))
    assert not axis.beyond(np.array(values)).any()
    assert not axis.is_log


@pytest.mark.parametrize(("value", "unit"), [(3e200, 1e200), (-2e-150, 1e-150), (3.0, 1.0)])
def test_extreme_values_are_drawn_in_their_own_unit(value, unit):
    axis = ValueAxis.of(np.array([value, value / 2]), maximize=False)
    assert axis.unit == unit
    assert axis.place(np.array([value]))[0] == pytest.approx(value / unit)


def test_the_unit_is_in_the_label():
    assert ValueAxis(0.0, 1.0, unit=1e200).label("value") == "value / 1e200"
    assert ValueAxis(0.0, 1.0).label("value") == "value"


@given(VALUES, st.booleans())
@example([5e-324], False)
def test_any_finite_values_have_an_axis(values, maximize):
    array = np.array(values)
    axis = ValueAxis.of(array, maximize)
    assert np.isfinite([axis.low, axis.high]).all()
    assert axis.low <= axis.high
    places = axis.place(array)
    assert np.all((axis.low <= places) & (places <= axis.high))
    best = array.max() if maximize else array.min()
    assert axis.place(np.array([best]))[0] == pytest.approx(best / axis.unit, rel=1e-9, abs=1e-300)
    curve = axis.curve(np.array([-best, 0.0, best]))
    assert np.all(np.isfinite(curve))
    assert not axis.is_log or np.all(curve > 0.0)


@pytest.mark.parametrize("values", [[0.0], [5.0, 5.0], [1.0, 1.0 + 2e-16], [1e-300, 1e-5]])
def test_the_ends_differ_even_if_the_values_do_not(values):
    low, high = value_axis(ValueAxis.of(np.array(values), maximize=False))["range"]
    assert low < high
