"""The cosine features of the additive kernel against their definition."""

import numpy as np
import pytest

from tests.surrogate.builds import points_of
from warpfront.surrogate.additive import FREQUENCIES, Additive, cosines, features, spectrum, turns
from warpfront.surrogate.kernels import Codes, Points

LENGTHSCALES = [0.05, 0.3, 1.0, 10.0]


def waves(U, lengthscale):
    return features(points_of(U, U.shape[1]), lengthscale)


@pytest.mark.parametrize("lengthscale", LENGTHSCALES)
def test_the_features_are_cosines_with_the_spectrum_of_a_matern(lengthscale):
    U = np.random.default_rng(0).random((6, 3))
    density = (3.0 / lengthscale**2 + (np.pi * FREQUENCIES) ** 2) ** -2.0
    amplitudes = np.sqrt(2.0 * density / density.sum())
    direct = np.cos(np.pi * FREQUENCIES[:, None] * U[:, None, :]) * amplitudes[:, None]
    np.testing.assert_allclose(waves(U, lengthscale), direct.reshape(6, -1), atol=1e-12)


def test_turns_are_powers_of_the_first():
    U = np.array([[0.0, 0.25, 1.0]])
    found = turns(U)
    assert found.shape == (len(FREQUENCIES), 3, 1)
    np.testing.assert_allclose(
        found[..., 0], np.exp(1j * np.pi * FREQUENCIES[:, None] * U), atol=1e-12
    )


@pytest.mark.parametrize("lengthscale", LENGTHSCALES)
def test_a_function_of_one_parameter_has_variance_one_on_average(lengthscale):
    middles = (np.arange(1000) + 0.5)[:, None] / 1000
    assert np.square(waves(middles, lengthscale)).sum(axis=1).mean() == pytest.approx(1.0)


@pytest.mark.parametrize("lengthscale", LENGTHSCALES)
def test_the_growth_of_the_amplitudes_is_that_of_finite_differences(lengthscale):
    h = 1e-6
    high, low = (np.log(spectrum(lengthscale * np.exp(s))[0]) for s in (h, -h))
    np.testing.assert_allclose(spectrum(lengthscale)[1], (high - low) / (2 * h), atol=1e-8)


def test_without_numbers_there_are_no_features():
    assert waves(np.empty((4, 0)), 0.3).shape == (4, 0)


def test_without_points_there_are_no_rows():
    assert waves(np.empty((0, 2)), 0.3).shape == (0, 2 * len(FREQUENCIES))


def test_cosines_are_the_real_part_of_the_turns():
    U = np.random.default_rng(1).random((7, 2))
    np.testing.assert_allclose(cosines(U), turns(U).real, atol=1e-12)


def test_it_joins_what_was_seen_apart():
    p = np.log([0.7, 0.4])
    corner = Points(np.array([[0.0, 1.0]]), Codes(np.array([[1.0]])))
    apart = Points(
        np.array([[0.0, 0.4], [0.7, 1.0], [0.7, 0.4]]), Codes(np.array([[0.0], [0.0], [1.0]]))
    )
    low, other, middle, high = (waves(np.array([[u]]), 0.4)[0] for u in (0.0, 0.7, 0.4, 1.0))
    expected = [low @ low + high @ middle, low @ other + high @ high]
    expected.append(low @ other + high @ middle + 1.0)
    found = Additive().covariance(p, corner, apart)[0]
    np.testing.assert_allclose(found, 0.7 * np.array(expected), rtol=1e-9)


def test_features_are_worked_out_once():
    points = points_of(np.random.default_rng(2).random((5, 2)), 2)
    assert features(points, 0.3) is features(points, 0.3)
    assert features(points, 0.3) is not features(points, 0.4)
