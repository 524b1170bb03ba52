"""The priors against SciPy's densities and finite differences."""

import math

import numpy as np
import pytest
import scipy.stats

from warpfront.surrogate.matern import SIGNAL_PRIOR, Matern, lengthscale_prior
from warpfront.surrogate.options import CANDIDATES, PAPER_NOISE, WARP, WIDE_NOISE, ModelOptions
from warpfront.surrogate.priors import Block, Gamma, LogNormal, PriorTable

LOGS = np.linspace(-8.0, 4.0, 25)
PRIORS = [SIGNAL_PRIOR, Gamma(2.5, 0.3), PAPER_NOISE, WIDE_NOISE, WARP, LogNormal(0.3, 1.2)]


@pytest.mark.parametrize("prior", PRIORS)
def test_the_derivative_is_that_of_finite_differences(prior):
    h = 1e-5
    difference = (prior.log_density(LOGS + h)[0] - prior.log_density(LOGS - h)[0]) / (2 * h)
    np.testing.assert_allclose(prior.log_density(LOGS)[1], difference, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("prior", PRIORS)
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


@pytest.mark.parametrize(("mode", "scale"), [(0.0, 0.75), (-6.0, 2.0)])
def test_log_normal_is_scipys_seen_from_the_logarithm(mode, scale):
    scipys = scipy.stats.lognorm(scale, scale=math.exp(mode)).logpdf(np.exp(LOGS)) + LOGS
    difference = LogNormal(mode, scale).log_density(LOGS)[0] - scipys
    np.testing.assert_allclose(difference, difference[0], atol=1e-9)


def test_an_infinite_scale_is_a_flat_prior():
    value, slope = LogNormal(1.0, math.inf).log_density(LOGS)
    np.testing.assert_array_equal(value, np.zeros(25))
    np.testing.assert_array_equal(slope, np.zeros(25))


def test_the_paper_has_what_the_winning_submission_used():
    assert (WARP.mode, WARP.scale) == (0.0, 0.75)
    assert (SIGNAL_PRIOR.shape, SIGNAL_PRIOR.rate) == (0.5, 1.0)
    assert (PAPER_NOISE.mode, PAPER_NOISE.scale) == (-4.63, 0.5)
    paper = CANDIDATES["paper"]
    assert paper.noise == PAPER_NOISE
    assert not paper.narrowing_warp
    matern, linear = paper.terms
    assert all(block.prior.scale == math.inf for block in linear.blocks(3, 1))
    assert matern.blocks(3, 1)[1].prior.scale == math.inf


def test_the_dimension_prior_grows_with_the_square_root_of_the_dimension():
    modes = np.array([lengthscale_prior("dimension", d).mode for d in (1, 4, 100)])
    np.testing.assert_allclose(np.exp(modes - modes[0]), [1.0, 2.0, 10.0])
    assert lengthscale_prior("flat", 1) == lengthscale_prior("flat", 100)


@pytest.mark.parametrize("narrowing", [True, False])
def test_beyond_nine_parameters_the_warps_are_bent_less_the_more_there_are(narrowing):
    options = ModelOptions("narrow", (Matern(),), narrowing_warp=narrowing)
    priors = []
    for d in (1, 9, 10, 12, 90):
        no_category = np.zeros(d, dtype=bool)
        priors.append(options.kernel(~no_category, no_category).warp.prior)
    scales = [0.75, 0.75, 0.675, 0.5625, 0.075] if narrowing else [0.75] * 5
    assert [prior.scale for prior in priors] == pytest.approx(scales)
    assert {prior.mode for prior in priors} == {0.0}


class TestTable:
    BLOCKS = (
        Block(2, LogNormal(0.5, 2.0), (0.1, 10.0)),
        Block(1, Gamma(2.0, 0.5), (1e-3, 1e3)),
        Block(0, Gamma(1.0, 1.0), (1e-3, 1e3)),
        Block(3, LogNormal(0.0, math.inf), (1e-6, 1e2), start=-2.0),
    )

    def test_it_sums_the_densities_of_its_blocks(self):
        table, rng = PriorTable(list(self.BLOCKS)), np.random.default_rng(0)
        theta = rng.normal(size=table.size)
        parts = [self.BLOCKS[0].prior.log_density(theta[:2])]
        parts.append(self.BLOCKS[1].prior.log_density(theta[2:3]))
        value, gradient = table.log_density(theta)
        assert value == pytest.approx(sum(float(v.sum()) for v, _ in parts))
        expected = np.concatenate([*(slope for _, slope in parts), np.zeros(3)])
        np.testing.assert_allclose(gradient, expected, rtol=1e-12)

    def test_bounds_and_starts_stand_at_their_parameters(self):
        table = PriorTable(list(self.BLOCKS))
        assert table.size == 6
        np.testing.assert_allclose(np.exp(table.bounds[:, 0]), [0.1, 0.1, 1e-3, *[1e-6] * 3])
        np.testing.assert_allclose(table.start, [0.5, 0.5, math.log(4.0), -2.0, -2.0, -2.0])

    def test_a_start_beyond_the_bounds_is_moved_to_them(self):
        table = PriorTable([Block(1, LogNormal(9.0, 1.0), (0.1, 10.0))])
        assert table.start[0] == pytest.approx(math.log(10.0))
