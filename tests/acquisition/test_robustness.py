"""The constants of the robustness theorem, and the theorem itself on a fitted GP."""

import mpmath
import numpy as np
import pytest

from tests.surrogate.builds import kernel_of
from warpfront.acquisition.ensemble import perturbed
from warpfront.acquisition.functions import lcb
from warpfront.acquisition.robustness import robust_scales
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import Targets


def by_the_paper(rho, delta, p, a1, a2, a3, kappa):
    """Equation "parameter_setup" of the appendix, in 50 digits, with kappa^2 = beta pi / 2."""
    with mpmath.workdps(50):
        rho, delta = mpmath.mpf(rho), mpmath.mpf(delta)
        samples = mpmath.ceil(16 * (a2 + mpmath.mpf(kappa) ** 2 * a3) / (delta * rho**2))
        probability = 1 - delta / (8 * samples)
        quantile = mpmath.sqrt(2) * mpmath.erfinv(2 * probability - 1)
        spread = 2 * mpmath.sqrt(p) + mpmath.sqrt(mpmath.log(4 * samples / delta))
        sigma_epsilon = min(mpmath.mpf(1), rho / (8 * spread * a1))
        return float(rho / (4 * quantile)), float(sigma_epsilon), int(samples)


class TestFormula:
    @pytest.mark.parametrize("rho", [0.9, 0.1, 1e-3])
    @pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
    @pytest.mark.parametrize(
        ("p", "a1", "a2", "a3", "kappa"), [(10, 2.0, 1.0, 1.0, 2.0), (3, 0.125, 4.0, 0.25, 5.0)]
    )
    def test_it_is_the_papers(self, rho, delta, p, a1, a2, a3, kappa):
        scales = robust_scales(
            rho, delta, parameters=p, gradient_norm=a1, mean_square=a2, variance=a3, kappa=kappa
        )
        sigma_n, sigma_epsilon, samples = by_the_paper(rho, delta, p, a1, a2, a3, kappa)
        assert scales.samples == pytest.approx(samples, rel=1e-9)
        assert scales.sigma_n == pytest.approx(sigma_n, rel=1e-9)
        assert scales.sigma_epsilon == pytest.approx(sigma_epsilon, rel=1e-9)

    def test_by_hand(self):
        # N = 16 (1 + 4) / (1/2 1/4) = 640, so that 1 - δ / 8N = 1 - 1/10240 = Φ(3.7247...).
        scales = robust_scales(
            0.5, 0.5, parameters=4, gradient_norm=1.0, mean_square=1.0, variance=1.0, kappa=2.0
        )
        assert scales.samples == 640
        assert scales.sigma_n == pytest.approx(0.5 / (4 * 3.7247), rel=1e-4)
        assert scales.sigma_epsilon == pytest.approx(0.5 / (8 * (4 + np.sqrt(np.log(5120)))))

    def test_the_perturbation_is_never_more_than_one(self):
        scales = robust_scales(
            0.9, 0.5, parameters=1, gradient_norm=0.0, mean_square=1.0, variance=1.0, kappa=1.0
        )
        assert scales.sigma_epsilon == 1.0

    def test_more_accuracy_or_confidence_means_less_noise(self):
        def noise(rho, delta):
            return robust_scales(
                rho,
                delta,
                parameters=5,
                gradient_norm=1.0,
                mean_square=1.0,
                variance=1.0,
                kappa=2.0,
            ).sigma_n

        assert noise(0.01, 0.05) < noise(0.1, 0.05) < noise(0.5, 0.05)
        assert noise(0.1, 1e-9) < noise(0.1, 0.01) < noise(0.1, 0.5)

    @pytest.mark.parametrize("rho", [5e-324, 1e-200, 1e-10, 1.0, 1e200])
    @pytest.mark.parametrize("delta", [5e-324, 1e-100, 1.0])
    def test_extreme_settings_stay_finite(self, rho, delta):
        scales = robust_scales(
            rho,
            delta,
            parameters=5,
            gradient_norm=1.0,
            mean_square=1.0,
            variance=1.0,
            kappa=2.0,
        )
        assert 0.0 <= scales.sigma_n < rho
        assert 0.0 <= scales.sigma_epsilon <= 1.0
        assert scales.samples >= 1


KAPPA = 2.5
POINTS = np.random.default_rng(1).random((40, 2))


@pytest.fixture(scope="module")
def gp():
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    y = np.sin(5.0 * X[:, 0]) + X[:, 1] ** 2
    y = (y - y.mean()) / y.std()
    return GaussianProcess.fit(kernel_of(numeric=2, warp=True), X, Targets.plain(y))


def bound_at(gp, theta=None):
    mean, variance = (gp if theta is None else gp.with_theta(theta)).predict(POINTS)
    return lcb(mean, np.sqrt(variance), KAPPA)


def gradient_norms(gp, h=1e-5):
    """Norms of the gradient of the bound in theta at each point, by central differences."""
    columns = [
        (bound_at(gp, gp.theta + step) - bound_at(gp, gp.theta - step)) / (2 * h)
        for step in h * np.eye(gp.kernel.size)
    ]
    return np.linalg.norm(columns, axis=0)


class TestTheorem:
    """|noisy bound - expectation over perturbed parameters| <= rho with probability 1 - delta.

    The paper states it of UCB, which is maximised; LCB is minus the UCB of minus the loss.
    """

    def scales(self, gp, rho, delta):
        signal = float(np.exp(gp.theta[gp.kernel.parts[0]][0]))
        return robust_scales(
            rho,
            delta,
            parameters=gp.kernel.size,
            gradient_norm=float(gradient_norms(gp).max()),
            mean_square=signal * float(gp.t @ gp.alpha),  # by Cauchy and Schwarz
            variance=signal,
            kappa=KAPPA,
        )

    def share(self, gp, rho, sigma_n, sigma_epsilon):
        """The share of (point, noise) for which the theorem's inequality holds."""
        rng = np.random.default_rng(2)
        low, high = gp.kernel.priors.bounds.T
        assert np.all((low + 6 * sigma_epsilon < gp.theta) & (gp.theta < high - 6 * sigma_epsilon))
        models = perturbed(gp, sigma_epsilon, 200, rng)
        expectation = np.mean([bound_at(model) for model in models], axis=0)
        noisy = bound_at(gp) + rng.normal(0.0, sigma_n, (2000, len(POINTS)))
        return float(np.mean(np.abs(noisy - expectation) <= rho))

    @pytest.mark.parametrize(("rho", "delta"), [(0.5, 0.05), (0.1, 0.05), (0.1, 0.5), (0.02, 0.01)])
    def test_it_holds(self, gp, rho, delta):
        scales = self.scales(gp, rho, delta)
        assert scales.sigma_n > 0.0
        assert scales.sigma_epsilon > 0.0
        assert self.share(gp, rho, scales.sigma_n, scales.sigma_epsilon) >= 1.0 - delta

    def test_with_far_more_noise_it_would_not(self, gp):
        # The control: the inequality is not true of everything.
        scales = self.scales(gp, 0.1, 0.05)
        assert self.share(gp, 0.1, 30.0 * scales.sigma_n, scales.sigma_epsilon) < 0.95

    def test_the_bounds_of_the_proof_hold_on_the_way(self, gp):
        # Each perturbed bound stays within rho / 4 of the unperturbed: A_1 times the norm of the
        # perturbation, the step on which the choice of sigma_epsilon rests.
        rho = 0.1
        scales = self.scales(gp, rho, 0.05)
        models = perturbed(gp, scales.sigma_epsilon, 200, np.random.default_rng(3))
        shifts = np.abs([bound_at(model) - bound_at(gp) for model in models])
        assert shifts.max() <= rho / 4.0
        assert shifts.max() > 0.0
        means, variances = np.array([model.predict(POINTS) for model in models]).swapaxes(0, 1)
        signal = np.exp(gp.theta[gp.kernel.parts[0]][0])
        assert np.mean(means**2, axis=0).max() <= signal * (gp.t @ gp.alpha)
        assert np.mean(variances, axis=0).max() <= signal
