"""The ensemble: which objectives, with which noise."""

import numpy as np
import pytest
from scipy.special import ndtri

from tests.surrogate.builds import kernel_of
from warpfront.acquisition.ensemble import IMPROVEMENT_MARGIN, Ensemble, MonteCarlo, perturbed
from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.acquisition.robustness import robust_scales
from warpfront.settings import Settings
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import Targets
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.trends import Linear

KINDS = ["lcb", "ei", "pi"]
N, Q = 12, 4


def fit(linear=False):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((N, 2)), rng.integers(0, 3, N)])
    y = np.sin(5.0 * X[:, 0]) + X[:, 1] + (X[:, 2] == 1.0)
    y = (y - y.mean()) / y.std()
    terms = (Matern(), Linear()) if linear else (Matern(),)
    kernel = kernel_of(*terms, numeric=2, categories=1, warp=True)
    return GaussianProcess.fit(kernel, X, Targets.plain(y))


@pytest.fixture(scope="module")
def gp():
    return fit()


@pytest.fixture(scope="module")
def candidates():
    rng = np.random.default_rng(1)
    return np.column_stack([rng.random((25, 2)), rng.integers(0, 3, 25)])


def build(gp, settings, seed=0, **rest):
    incumbent, rng = gp.X[np.argmin(gp.t)], np.random.default_rng(seed)
    return Ensemble.build(gp, incumbent, settings, n=N, q=Q, rng=rng, **rest)


def largest_variance(gp):
    """At a corner of the cube, where a linear term has two numbers of size 1 and one category."""
    matern, *linear = (gp.theta[part] for part in gp.kernel.parts)
    return float(np.exp(matern[0]) + sum(3.0 * np.exp(p[0]) for p in linear))


def plain(gp, X, shift=0.0):
    """The three objectives as the definitions have them."""
    mean, variance = gp.predict(X)
    std = np.sqrt(variance)
    best = gp.predict(gp.X[[np.argmin(gp.t)]])[0][0]
    return {
        "lcb": lcb(mean + shift, std, exploration_weight(N, Q, gp.kernel.columns.d)),
        "ei": -log_ei(mean + shift, std, best - IMPROVEMENT_MARGIN),
        "pi": -log_pi(mean + shift, std, best - IMPROVEMENT_MARGIN),
    }


class TestWithoutRobustness:
    def test_the_objectives_are_the_plain_functions(self, gp, candidates):
        F = build(gp, Settings(robustness="none"))(candidates)
        expected = plain(gp, candidates)
        np.testing.assert_array_equal(F, np.column_stack([expected[k] for k in KINDS]))

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_single_acquisition_is_one_column(self, gp, candidates, kind):
        F = build(gp, Settings(robustness="none", acquisition=kind))(candidates)
        np.testing.assert_array_equal(F, plain(gp, candidates)[kind][:, None])

    def test_every_call_gives_the_same(self, gp, candidates):
        ensemble = build(gp, Settings(robustness="none"))
        np.testing.assert_array_equal(ensemble(candidates), ensemble(candidates))

    def test_the_threshold_is_the_mean_at_the_incumbent_less_a_margin(self, gp):
        ensemble = build(gp, Settings(robustness="none"))
        assert ensemble.tau == pytest.approx(
            gp.predict(gp.X[[np.argmin(gp.t)]])[0][0] - 1e-4, abs=1e-12
        )
        assert ensemble.kappa == exploration_weight(12, 4, 3)

    def test_no_candidates(self, gp):
        assert build(gp, Settings(robustness="none"))(np.empty((0, 3))).shape == (0, 3)


def repeated(candidates, times=20_000):
    return np.repeat(candidates[:1], times, axis=0)


class TestNoise:
    """sqrt(2) times the model's noise, added to the mean inside of each acquisition."""

    def noise(self, gp, candidates, seed=0):
        """The noise that LCB and PI must have seen, recovered from their values."""
        X = repeated(candidates)
        F = build(gp, Settings(robustness="noise"), seed)(X)
        mean, variance = gp.predict(X)
        std = np.sqrt(variance)
        threshold = build(gp, Settings(robustness="none")).tau
        in_lcb = F[:, 0] - plain(gp, X)["lcb"]
        in_pi = threshold - std * ndtri(np.exp(-F[:, 2])) - mean
        return in_lcb, in_pi

    def test_its_mean_is_zero_and_its_deviation_as_stated(self, gp, candidates):
        sigma = np.sqrt(2.0 * gp.noise)
        for noise in self.noise(gp, candidates):
            assert noise.mean() == pytest.approx(0.0, abs=4.0 * sigma / np.sqrt(len(noise)))
            assert noise.std() == pytest.approx(sigma, rel=0.03)

    def test_each_objective_has_its_own(self, gp, candidates):
        correlation = np.corrcoef(*self.noise(gp, candidates))[0, 1]
        assert abs(correlation) < 0.04

    def test_log_ei_sees_noise_of_the_same_size(self, gp, candidates):
        X, sigma = repeated(candidates), np.sqrt(2.0 * gp.noise)
        F = build(gp, Settings(robustness="noise", acquisition="ei"))(X)[:, 0]
        levels = [plain(gp, X[:1], shift)["ei"][0] for shift in (-sigma, 0.0, sigma)]
        # log-EI is monotone in the mean: quantiles of the one are quantiles of the other.
        np.testing.assert_allclose(
            np.mean(F[:, None] <= levels, axis=0), [0.1587, 0.5, 0.8413], atol=0.015
        )

    def test_it_is_fresh_at_every_call(self, gp, candidates):
        ensemble = build(gp, Settings(robustness="noise"))
        first, second = ensemble(candidates), ensemble(candidates)
        assert np.all(first != second)

    def test_a_generator_makes_it_repeatable(self, gp, candidates):
        one, other = (build(gp, Settings(), seed=5) for _ in range(2))
        for _ in range(3):
            np.testing.assert_array_equal(one(candidates), other(candidates))
        assert np.all(build(gp, Settings(), seed=6)(candidates) != one(candidates))

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_single_acquisition_is_one_column(self, gp, candidates, kind):
        F = build(gp, Settings(acquisition=kind))(candidates)
        assert F.shape == (25, 1)
        assert np.all(F[:, 0] != plain(gp, candidates)[kind])


class TestNoiseByTheTheorem:
    """With rho, noise of sigma_n is added to the value of each acquisition."""

    @pytest.mark.parametrize("linear", [False, True])
    def test_its_deviation_is_sigma_n(self, candidates, linear):
        gp = fit(linear)
        variance = largest_variance(gp)
        sigma = robust_scales(
            0.2,
            0.1,
            parameters=gp.kernel.size,
            gradient_norm=1.0,
            mean_square=variance * float(gp.t @ gp.alpha),
            variance=variance,
            kappa=exploration_weight(N, Q, 3),
        ).sigma_n
        X = repeated(candidates)
        ensemble = build(gp, Settings(rho=0.2, delta=0.1))
        assert ensemble.value_noise == pytest.approx(sigma, rel=1e-12)
        F = ensemble(X)
        expected = plain(gp, X)
        noise = F - np.column_stack([expected[k] for k in KINDS])
        np.testing.assert_allclose(noise.std(axis=0), sigma, rtol=0.03)
        np.testing.assert_allclose(noise.mean(axis=0), 0.0, atol=4.0 * sigma / np.sqrt(len(X)))
        correlation = np.corrcoef(noise.T) - np.eye(3)
        assert np.abs(correlation).max() < 0.04

    def test_its_bounds_of_mean_and_variance_hold(self, candidates):
        gp = fit(linear=True)
        corners = np.array([[x, y, c] for x in (0, 1) for y in (0, 1) for c in (0, 7)], dtype=float)
        variance = largest_variance(gp)
        posterior_mean, posterior_variance = gp.predict(np.vstack([candidates, corners, gp.X]))
        assert posterior_variance.max() <= variance
        assert np.square(posterior_mean).max() <= variance * (gp.t @ gp.alpha)

    def test_it_is_fresh_at_every_call_and_repeatable(self, gp, candidates):
        one, other = (build(gp, Settings(rho=0.3), seed=1) for _ in range(2))
        first = one(candidates)
        np.testing.assert_array_equal(first, other(candidates))
        assert np.all(one(candidates) != first)


class TestMonteCarlo:
    SETTINGS = Settings(robustness="monte-carlo")
    OPTIONS = MonteCarlo(perturbation=0.3, samples=5)

    def test_it_is_the_average_over_the_perturbed_models(self, gp, candidates):
        F = build(gp, self.SETTINGS, seed=2, monte_carlo=self.OPTIONS)(candidates)
        models = perturbed(gp, 0.3, 5, np.random.default_rng(2))
        best = gp.predict(gp.X[[np.argmin(gp.t)]])[0][0] - IMPROVEMENT_MARGIN
        posteriors = [(m, np.sqrt(v)) for m, v in (g.predict(candidates) for g in models)]
        kappa = exploration_weight(N, Q, 3)
        expected = np.column_stack(
            [
                np.mean([lcb(m, s, kappa) for m, s in posteriors], axis=0),
                -np.log(np.mean([np.exp(log_ei(m, s, best)) for m, s in posteriors], axis=0)),
                -np.log(np.mean([np.exp(log_pi(m, s, best)) for m, s in posteriors], axis=0)),
            ]
        )
        np.testing.assert_allclose(F, expected, rtol=1e-9)
        # which is not the average of the logarithms
        logs = -np.mean([log_ei(m, s, best) for m, s in posteriors], axis=0)
        assert np.abs(F[:, 1] - logs).max() > 1e-3

    def test_far_in_the_tail_it_does_not_underflow(self, gp, candidates):
        ensemble = build(gp, self.SETTINGS, monte_carlo=self.OPTIONS)
        far = Ensemble(ensemble.models, -1e4, 1.0, ("ei", "pi"), 0.0, 0.0, ensemble.rng)
        assert np.all(np.isfinite(far(candidates)))

    def test_every_call_gives_the_same(self, gp, candidates):
        ensemble = build(gp, self.SETTINGS, monte_carlo=self.OPTIONS)
        np.testing.assert_array_equal(ensemble(candidates), ensemble(candidates))

    def test_no_perturbation_is_no_robustness(self, gp, candidates):
        F = build(gp, self.SETTINGS, monte_carlo=MonteCarlo(0.0, 3))(candidates)
        np.testing.assert_allclose(F, build(gp, Settings(robustness="none"))(candidates), rtol=1e-9)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_single_acquisition_is_one_column(self, gp, candidates, kind):
        settings = Settings(robustness="monte-carlo", acquisition=kind)
        together, alone = (
            build(gp, chosen, seed=3, monte_carlo=self.OPTIONS)(candidates)
            for chosen in (self.SETTINGS, settings)
        )
        np.testing.assert_array_equal(alone[:, 0], together[:, KINDS.index(kind)])

    def test_one_sample_is_one_perturbed_model(self, gp, candidates):
        F = build(gp, self.SETTINGS, seed=4, monte_carlo=MonteCarlo(0.3, 1))(candidates)
        (model,) = perturbed(gp, 0.3, 1, np.random.default_rng(4))
        mean, variance = model.predict(candidates)
        np.testing.assert_array_equal(
            F[:, 0], lcb(mean, np.sqrt(variance), exploration_weight(N, Q, 3))
        )

    def test_without_options_there_are_eight_samples(self, gp):
        ensemble = build(gp, self.SETTINGS, seed=2)
        expected = perturbed(gp, 0.1, 8, np.random.default_rng(2))
        assert len(ensemble.models) == 8
        for model, other in zip(ensemble.models, expected, strict=True):
            np.testing.assert_array_equal(model.theta, other.theta)


class TestPenalty:
    """What is added to each objective."""

    @pytest.mark.parametrize("robustness", ["none", "noise", "monte-carlo"])
    def test_it_is_added_to_all(self, gp, candidates, robustness):
        settings = Settings(robustness=robustness)
        without, with_it = (
            build(gp, settings, seed=7, penalty=penalty)(candidates)
            for penalty in (None, lambda X: X[:, 0] + 10.0 * X[:, 2])
        )
        added = (candidates[:, 0] + 10.0 * candidates[:, 2])[:, None]
        np.testing.assert_allclose(with_it, without + added, rtol=1e-12)


class TestPerturbed:
    def test_the_parameters_spread_as_asked(self, gp):
        models = perturbed(gp, 0.01, 300, np.random.default_rng(5))
        thetas = np.array([model.theta for model in models])
        np.testing.assert_allclose(thetas.std(axis=0), 0.01, rtol=0.2)
        np.testing.assert_allclose(thetas.mean(axis=0), gp.theta, atol=0.003)

    def test_they_stay_within_their_bounds(self, gp):
        low, high = gp.kernel.priors.bounds.T
        for model in perturbed(gp, 10.0, 20, np.random.default_rng(6)):
            assert np.all((low <= model.theta) & (model.theta <= high))
            assert np.all(np.isfinite(model.predict(gp.X)[0]))


def test_the_two_robust_forms_agree_as_the_theorem_says(candidates):
    # Noise of sigma_n against the average over models perturbed by sigma_epsilon.
    gp, rho, delta = fit(), 0.2, 0.05
    kappa, signal = exploration_weight(N, Q, 3), largest_variance(gp)
    gradient_norm = 0.0
    for point in candidates:
        steps = []
        for step in 1e-5 * np.eye(gp.kernel.size):
            (high, vh), (low, vl) = (
                gp.with_theta(gp.theta + s).predict(point[None, :]) for s in (step, -step)
            )
            steps.append(lcb(high, np.sqrt(vh), kappa) - lcb(low, np.sqrt(vl), kappa))
        gradient_norm = max(gradient_norm, float(np.linalg.norm(steps)) / 2e-5)
    scales = robust_scales(
        rho,
        delta,
        parameters=gp.kernel.size,
        gradient_norm=gradient_norm,
        mean_square=signal * float(gp.t @ gp.alpha),
        variance=signal,
        kappa=kappa,
    )
    average = build(
        gp,
        Settings(acquisition="lcb", robustness="monte-carlo"),
        monte_carlo=MonteCarlo(scales.sigma_epsilon, 200),
    )(candidates)
    noisy = build(gp, Settings(acquisition="lcb", rho=rho, delta=delta))
    hits = [np.abs(noisy(candidates) - average) <= rho for _ in range(100)]
    assert np.mean(hits) >= 1.0 - delta
    assert noisy.value_noise == pytest.approx(scales.sigma_n)
