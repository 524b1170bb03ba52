"""LCB, log-EI and log-PI against 50 digits of mpmath."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpfront.acquisition.functions import (
    ASYMPTOTIC_BELOW,
    exploration_weight,
    lcb,
    log_ei,
    log_pi,
)

NEAR = np.concatenate([np.linspace(-40.0, 10.0, 401), [-1e-12, 0.0, 1e-12, -6.0, -5.999999]])
FAR = -np.logspace(np.log10(40.0), 6.0, 60)
BOTH_SIDES = ASYMPTOTIC_BELOW * (1.0 + np.array([-1e-6, -1e-12, 0.0, 1e-12, 1e-6]))


def exact_log_ei(z):
    with mpmath.workdps(50):
        z = mpmath.mpf(float(z))
        return mpmath.log(mpmath.npdf(z) + z * mpmath.ncdf(z))


def exact_log_pi(z):
    with mpmath.workdps(50):
        return mpmath.log(mpmath.ncdf(mpmath.mpf(float(z))))


EXACT = {log_ei: exact_log_ei, log_pi: exact_log_pi}


def at(function, z):
    """The acquisition of a standard normal posterior with its threshold at z."""
    z = np.asarray(z, dtype=float)
    return function(np.zeros_like(z), np.ones_like(z), z)


@pytest.mark.parametrize("function", EXACT)
class TestAgainstMpmath:
    @pytest.mark.parametrize("z", [NEAR, FAR, BOTH_SIDES], ids=["near", "far", "switch"])
    def test_values(self, function, z):
        expected = [float(EXACT[function](v)) for v in z]
        # Where the logarithm crosses 0 (log-EI, z = 0.9) only the absolute error means anything.
        np.testing.assert_allclose(at(function, z), expected, rtol=1e-10, atol=1e-15)

    def test_the_acquisition_itself_keeps_its_digits(self, function):
        # An absolute error of the logarithm is a relative one of EI and PI.
        z = np.linspace(-40.0, 10.0, 101)
        expected = np.array([float(EXACT[function](v)) for v in z])
        np.testing.assert_allclose(at(function, z), expected, rtol=0.0, atol=5e-12)

    def test_both_sides_of_the_switch_to_the_series(self, function):
        expected = np.array([float(EXACT[function](v)) for v in BOTH_SIDES])
        np.testing.assert_allclose(at(function, BOTH_SIDES), expected, rtol=0.0, atol=2e-9)

    @pytest.mark.parametrize("switch", [0.0, ASYMPTOTIC_BELOW, -6.0, -40.0])
    def test_no_step_where_the_formula_changes(self, function, switch):
        h = 1e-9 * max(1.0, abs(switch))
        below, at_it, above = at(function, [switch - h, switch, switch + h])
        slope = (above - below) / (2 * h)
        exact = float(EXACT[function](switch + 1e-3) - EXACT[function](switch - 1e-3)) / 2e-3
        assert below < at_it < above
        assert slope == pytest.approx(exact, rel=1e-3)

    def test_it_increases_with_z_from_end_to_end(self, function):
        z = np.concatenate([-np.logspace(6, -6, 400), np.logspace(-6, np.log10(8.0), 100)])
        assert np.all(np.diff(at(function, z)) > 0.0)

    @settings(max_examples=100)
    @given(mean=st.floats(-50, 50), std=st.floats(1e-6, 50), tau=st.floats(-50, 50))
    def test_any_posterior(self, function, mean, std, tau):
        value = function(np.array([mean]), np.array([std]), tau)[0]
        z = (tau - mean) / std
        expected = float(EXACT[function](z)) + (math.log(std) if function is log_ei else 0.0)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_log_ei_is_the_mean_improvement():
    draws = np.random.default_rng(0).normal(0.3, 0.7, 400_000)
    improvement = np.maximum(0.1 - draws, 0.0).mean()
    value = log_ei(np.array([0.3]), np.array([0.7]), 0.1)[0]
    assert np.exp(value) == pytest.approx(improvement, rel=0.01)


def test_log_pi_is_the_share_of_improvements():
    draws = np.random.default_rng(0).normal(0.3, 0.7, 400_000)
    value = log_pi(np.array([0.3]), np.array([0.7]), 0.1)[0]
    assert np.exp(value) == pytest.approx((draws < 0.1).mean(), rel=0.01)


def test_thresholds_may_differ_from_point_to_point():
    mean, std, tau = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    for function in EXACT:
        alone = [function(mean[[i]], std[[i]], float(tau[i]))[0] for i in range(2)]
        np.testing.assert_array_equal(function(mean, std, tau), alone)


def test_lcb_is_the_mean_less_kappa_deviations():
    mean, std = np.array([1.0, -2.0, 0.0]), np.array([0.5, 0.1, 3.0])
    np.testing.assert_allclose(lcb(mean, std, 2.0), [0.0, -2.2, -6.0])
    np.testing.assert_array_equal(lcb(mean, std, 0.0), mean)


class TestExplorationWeight:
    @pytest.mark.parametrize(("n", "q", "d"), [(128, 8, 9), (16, 1, 2), (1000, 3, 200), (5, 8, 4)])
    def test_it_is_the_formula_of_the_released_code(self, n, q, d):
        t = max(1, n // q)
        square = 2 * 0.5 * ((2 + d / 2) * np.log(t) + np.log(3 * np.pi**2 / (3 * 0.01)))
        assert exploration_weight(n, q, d) == pytest.approx(np.sqrt(square), rel=1e-14)

    def test_it_grows_with_rounds_and_dimensions(self):
        rounds = [exploration_weight(n, 4, 5) for n in (4, 8, 64, 512)]
        assert rounds == sorted(set(rounds))
        dimensions = [exploration_weight(64, 4, d) for d in (0, 1, 10, 100)]
        assert dimensions == sorted(set(dimensions))

    def test_before_the_first_round_is_as_after_it(self):
        assert exploration_weight(0, 8, 3) == exploration_weight(15, 8, 3)
