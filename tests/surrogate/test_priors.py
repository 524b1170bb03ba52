"""The priors against SciPy's densities and finite differences."""

import math

import numpy as np
import pytest
import scipy.stats

from warpfront.surrogate.priors import (
    LINEAR,
    PAPER_NOISE,
    SIGNAL,
    WARP,
    Gamma,
    lengthscale_prior,
    warp_prior,
)

LOGS = np.linspace(-8.0, 4.0, 25)
GAMMAS = [SIGNAL, Gamma(2.5, 0.3)]


@pytest.mark.parametrize("prior", GAMMAS)
def test_the_derivative_is_that_of_finite_differences(prior):
    h = 1e-5
    difference = (prior.log_density(LOGS + h)[0] - prior.log_density(LOGS - h)[0]) / (2 * h)
    np.testing.assert_allclose(prior.log_density(LOGS)[1], difference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("prior", GAMMAS)
def test_the_mode_is_where_the_density_is_greatest(prior):
    value, slope = prior.log_density(np.array([prior.mode]))
    assert slope[0] == pytest.approx(0.0, abs=1e-12)
    assert np.all(prior.log_density(LOGS)[0] <= value[0])


@pytest.mark.parametrize(("shape", "rate"), [(0.5, 1.0), (2.0, 3.0), (10.0, 0.1)])
def test_gamma_is_scipys_seen_from_the_logarithm(shape, rate):
    scipys = scipy.stats.gamma(shape, scale=1.0 / rate).logpdf(np.exp(LOGS)) + LOGS
    # rate ** shape is a constant that the log-density may leave out
    difference = Gamma(shape, rate).log_density(LOGS)[0] - scipys
    np.testing.assert_allclose(difference, difference[0], atol=1e-9)


def test_the_table_holds_what_the_winning_submission_used():
    assert (WARP.mode, WARP.scale) == (0.0, 0.75)
    assert (SIGNAL.shape, SIGNAL.rate) == (0.5, 1.0)
    assert (PAPER_NOISE.mode, PAPER_NOISE.scale) == (-4.63, 0.5)
    assert LINEAR.scale == math.inf


def test_the_dimension_prior_grows_with_the_square_root_of_the_dimension():
    modes = np.array([lengthscale_prior("dimension", d).mode for d in (1, 4, 100)])
    np.testing.assert_allclose(np.exp(modes - modes[0]), [1.0, 2.0, 10.0])
    assert lengthscale_prior("fixed", 1) == lengthscale_prior("fixed", 100)


def test_beyond_nine_parameters_the_warps_are_bent_less_the_more_there_are():
    priors = [warp_prior("dimension", d) for d in (0, 1, 9, 10, 12, 90)]
    assert priors[:3] == [WARP] * 3
    assert [prior.scale for prior in priors[3:]] == pytest.approx([0.675, 0.5625, 0.075])
    assert {prior.mode for prior in priors} == {0.0}
    assert warp_prior("paper", 1) == warp_prior("paper", 90) == WARP
