"""The Kumaraswamy warp: its formula, its shape and its derivatives."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront.surrogate.options import WARP_BOUNDS
from warpfront.surrogate.warping import (
    EDGE,
    inner_log,
    kumaraswamy,
    kumaraswamy_with_gradient,
    kumaraswamy_with_slope,
)

PARAMETERS = [(1.0, 1.0), (2.0, 1.0), (1.0, 3.0), (0.3, 0.4), (5.0, 0.2), (0.1, 10.0), (10.0, 0.1)]
parameter = st.floats(*WARP_BOUNDS)


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_it_is_the_formula_of_the_paper(a, b):
    x = np.linspace(0.001, 0.999, 37)
    with mpmath.workdps(40):
        exact = [float(1 - (1 - mpmath.mpf(v) ** a) ** b) for v in x.tolist()]
    warped = kumaraswamy(x[:, None], np.array([a]), np.array([b]))
    np.testing.assert_allclose(warped[:, 0], exact, rtol=1e-12, atol=1e-15)


def test_a_and_b_of_one_are_no_warp():
    x = np.linspace(0.0, 1.0, 11)[:, None]
    np.testing.assert_allclose(kumaraswamy(x, np.ones(1), np.ones(1)), x, atol=2 * EDGE)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (2.0, 1.0), (1.0, 3.0), (4.0, 4.0)])
def test_the_ends_stay_where_they_are(a, b):
    ends = kumaraswamy(np.array([[0.0], [1.0]]), np.array([a]), np.array([b]))
    np.testing.assert_allclose(ends[:, 0], [0.0, 1.0], atol=1e-8)


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_the_ends_are_warped_as_the_points_just_inside(a, b):
    ends, inside = (
        kumaraswamy(np.array(x)[:, None], np.array([a]), np.array([b]))
        for x in ([0.0, 1.0], [EDGE, 1.0 - EDGE])
    )
    np.testing.assert_array_equal(ends, inside)


@given(parameter, parameter, st.lists(st.floats(0.0, 1.0), min_size=2, max_size=30))
def test_it_never_decreases_and_stays_in_the_cube(a, b, values):
    x = np.sort(values)[:, None]
    u = kumaraswamy(x, np.array([a]), np.array([b]))[:, 0]
    assert np.all(np.diff(u) >= -1e-15)
    assert np.all((u >= 0.0) & (u <= 1.0))


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_it_strictly_increases_away_from_the_ends(a, b):
    x = np.linspace(0.01, 0.99, 99)[:, None]
    u = kumaraswamy(x, np.array([a]), np.array([b]))[:, 0]
    # Where the warp is 0 or 1 to the last digit no increase can show.
    shows = (u[:-1] > 1e-13) & (u[1:] < 1.0 - 1e-13)
    assert shows.sum() > 10
    assert np.all(np.diff(u)[shows] > 0.0)


@given(parameter, parameter)
def test_the_derivatives_are_those_of_finite_differences(a, b):
    x, h = np.array([1e-6, 0.01, 0.2, 0.5, 0.9, 0.999])[:, None], 1e-5
    u, da, db = kumaraswamy_with_gradient(inner_log(x), np.array([a]), np.array([b]))
    np.testing.assert_allclose(u, kumaraswamy(x, np.array([a]), np.array([b])), atol=1e-12)
    step = np.exp([h, -h])
    high, low = (kumaraswamy(x, np.array([a * s]), np.array([b])) for s in step)
    np.testing.assert_allclose(da, (high - low) / (2 * h), rtol=1e-5, atol=1e-8)
    high, low = (kumaraswamy(x, np.array([a]), np.array([b * s])) for s in step)
    np.testing.assert_allclose(db, (high - low) / (2 * h), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
@pytest.mark.parametrize("x", [0.0, 1.0])
def test_the_derivatives_hold_at_the_ends(a, b, x):
    # Finite differences have no digits left here, so 40 digits take their place.
    log_x = inner_log(np.array([[x]]))
    _, da, db = kumaraswamy_with_gradient(log_x, np.array([a]), np.array([b]))
    with mpmath.workdps(40):
        inside = mpmath.exp(mpmath.mpf(float(log_x[0, 0])))
        exact_da = mpmath.diff(lambda t: 1 - (1 - inside ** mpmath.exp(t)) ** b, mpmath.log(a))
        exact_db = mpmath.diff(lambda t: 1 - (1 - inside**a) ** mpmath.exp(t), mpmath.log(b))
    assert da[0, 0] == pytest.approx(float(exact_da), rel=1e-5, abs=1e-12)
    assert db[0, 0] == pytest.approx(float(exact_db), rel=1e-5, abs=1e-12)


def test_each_column_has_its_own_parameters():
    x = np.random.default_rng(0).random((5, 3))
    a, b = np.array([0.5, 1.0, 2.0]), np.array([3.0, 1.0, 0.7])
    together = kumaraswamy(x, a, b)
    for k in range(3):
        alone = kumaraswamy(x[:, [k]], a[[k]], b[[k]])
        np.testing.assert_allclose(together[:, [k]], alone, rtol=1e-14)


@given(parameter, parameter)
def test_the_slope_is_that_of_finite_differences(a, b):
    x, h = np.array([0.01, 0.2, 0.5, 0.9, 0.99])[:, None], 1e-6
    a, b = np.array([a]), np.array([b])
    u, slope = kumaraswamy_with_slope(x, a, b)
    np.testing.assert_allclose(u, kumaraswamy(x, a, b), atol=1e-12)
    high, low = (kumaraswamy(x + step, a, b) for step in (h, -h))
    np.testing.assert_allclose(slope, (high - low) / (2 * h), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_the_slope_is_finite_at_the_ends(a, b):
    _, slope = kumaraswamy_with_slope(np.array([[0.0], [1.0]]), np.array([a]), np.array([b]))
    assert np.all(np.isfinite(slope) & (slope >= 0.0))
