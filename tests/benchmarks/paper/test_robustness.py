"""The theorem of the appendix: its bounds and its check, on a GP with a known answer."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks.paper.robustness import (
    CASES,
    Reach,
    acquisition,
    as_printed,
    check,
    gradient_norms,
    measured,
    reach,
    reach_table,
    table,
)
from warpfront.acquisition.robustness import robust_scales
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.kernels import Columns, Kernel
from warpfront.surrogate.likelihood import Targets
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.options import NOISE_BOUNDS, PAPER_NOISE
from warpfront.surrogate.priors import Block

KAPPA = 2.0


def build(targets=None):
    """One observation of y = 1 at x = 0.5: signal 1, noise 1/4, no warp."""
    columns = Columns.of(np.array([True]), np.array([False]))
    kernel = Kernel([Matern()], columns, Block(1, PAPER_NOISE, NOISE_BOUNDS))
    theta = np.log([0.25, 1.0, 0.2])
    return GaussianProcess.build(
        kernel, theta, AT, Targets.plain(np.array([1.0])) if targets is None else targets
    )


@pytest.fixture(scope="module")
def gp():
    return build()


FAR = np.array([[1e6]])
"""Where the kernel is 0: mean 0, variance the signal's."""
AT = np.array([[0.5]])


def test_far_from_the_data_it_is_the_prior(gp):
    # alpha = kappa sqrt(s) with theta_1 = log s, so d alpha / d theta_1 = kappa sqrt(s) / 2, and
    # nothing else matters.
    assert acquisition(gp, FAR, KAPPA) == pytest.approx([2.0])
    assert gradient_norms(gp, FAR, KAPPA) == pytest.approx([1.0], rel=1e-6)


def test_at_the_observation_it_follows_from_two_numbers(gp):
    # Mean s / (s + t) = 0.8, variance s t / (s + t) = 0.2; the loss is minimised, so UCB is -0.8 +
    # 2 sqrt(0.2). Both change by the logarithms of s and t only.
    assert acquisition(gp, AT, KAPPA) == pytest.approx([-0.8 + 2.0 * math.sqrt(0.2)], rel=1e-6)
    by_signal = -0.16 + 2.0 * 0.5 * math.sqrt(0.2) * 0.2
    by_noise = 0.16 + 2.0 * 0.5 * math.sqrt(0.2) * 0.8
    norm = math.hypot(by_signal, by_noise)
    assert gradient_norms(gp, AT, KAPPA) == pytest.approx([norm], rel=1e-5)


def test_measured_bounds_by_hand(gp):
    bounds = measured(gp, np.vstack([FAR, AT]), KAPPA)
    assert bounds.gradient_norm == pytest.approx(1.0, rel=1e-6)
    assert bounds.mean_square == pytest.approx(0.8)  # 1 * y alpha, and indeed 0.8^2 <= 0.8
    assert bounds.variance == pytest.approx(1.0)


def test_printed_bounds_by_hand(gp):
    # N = C = M0 = M1 = 1, sigma^2 = 1/4, p = 3; k(x, x) = s: its gradient has the norm M2 = 1.
    bounds = as_printed(gp, KAPPA)
    root = math.sqrt(3.0)
    of_mean = 4.0 * (1.0 + 4.0 * root)
    of_deviation = 2.0 * (4.0 * root + 2.0)
    assert bounds.gradient_norm == pytest.approx(of_mean + KAPPA * of_deviation, rel=1e-6)
    assert bounds.mean_square == pytest.approx(2.0 * 16.0)
    assert bounds.variance == pytest.approx(1.0 + 4.0)


def test_printed_bounds_rest_on_the_least_noise(gp):
    # Two samples of one configuration are one target of half the noise.
    twice = build(Targets.of_means(np.array([1.0]), np.array([0.5]), np.array([0.0])))
    assert as_printed(twice, KAPPA).variance == pytest.approx(1.0 + 8.0)


def test_the_share_is_that_of_a_normal_distribution(gp):
    # Without any perturbation the difference is the noise alone, and the share is known.
    rho, delta, points = 0.1, 0.5, np.vstack([FAR, AT] * 20)
    bounds = measured(gp, points, KAPPA)
    found = check(gp, points, KAPPA, rho, delta, bounds, 50, np.random.default_rng(0))
    scales = robust_scales(
        rho, delta, parameters=3, gradient_norm=1.0, mean_square=0.8, variance=1.0, kappa=KAPPA
    )
    assert found.sigma_n == pytest.approx(scales.sigma_n)
    assert found.sigma_epsilon == pytest.approx(scales.sigma_epsilon, rel=1e-5)
    assert found.share == 1.0 >= 1.0 - delta
    within = math.erf(rho / (30.0 * scales.sigma_n) / math.sqrt(2.0))
    assert found.shares[3] == pytest.approx(within, abs=0.02)
    assert found.shares == sorted(found.shares, reverse=True)
    assert 0.0 < found.largest_shift < 0.25


def test_a_larger_perturbation_moves_the_expectation(gp):
    # The control of the perturbation: if A1 were a hundredth of what it is, the shift would show.
    bounds = measured(gp, FAR, KAPPA)
    wrong = type(bounds)("wrong", 1e-3 * bounds.gradient_norm, 0.8, 1.0)
    rng = np.random.default_rng(0)
    right = check(gp, FAR, KAPPA, 0.5, 0.5, bounds, 200, rng)
    moved = check(gp, FAR, KAPPA, 0.5, 0.5, wrong, 200, rng)
    assert moved.largest_shift > 10.0 * right.largest_shift


def test_the_table_shows_the_worst_task():
    rng = np.random.default_rng(0)
    model = build()
    good = check(model, FAR, KAPPA, 0.5, 0.05, measured(model, FAR, KAPPA), 5, rng)
    bad = type(good)(**{**vars(good), "shares": [0.9] * 5})
    line = table([[good], [bad]])[1]
    assert line[:6] == ["0.5", "0.05", "measured", "0.95", "0.9000", "0.9500"]


def test_the_reach_is_the_limit_of_the_theorem_by_hand(gp):
    # Noise 1/4, so that the released noise is sqrt(2) / 2; A2 = 0.8, A3 = 1, A1 = 1 far away.
    found = reach(gp, FAR, KAPPA)
    assert found.noise == pytest.approx(math.sqrt(0.5))
    samples = math.ceil(16.0 * (0.8 + KAPPA**2))
    quantile = NormalDist().inv_cdf(1.0 - 1.0 / (8.0 * samples))
    assert found.most_noise == pytest.approx(1.0 / (4.0 * quantile))
    spread = 2.0 * math.sqrt(3.0) + math.sqrt(math.log(4.0 * samples))
    assert found.most_perturbation == pytest.approx(1.0 / (8.0 * spread), rel=1e-6)
    assert found.perturbation == 0.1


def test_no_rho_and_delta_reach_further(gp):
    bounds, found = measured(gp, FAR, KAPPA), reach(gp, FAR, KAPPA)
    for rho, delta in ((0.999, 0.999), (0.5, 0.999), (0.999, 0.05)):
        one = check(gp, FAR, KAPPA, rho, delta, bounds, 2, np.random.default_rng(0))
        assert one.sigma_n < found.most_noise
        assert one.sigma_epsilon < found.most_perturbation


def test_the_table_counts_what_lies_beyond_the_theorem():
    within, beyond = Reach(0.01, 0.07, 0.1, 0.2), Reach(0.14, 0.065, 0.1, 0.001)
    noise, perturbation = reach_table([within, beyond])[1:]
    assert noise[1:] == [
        "0.01 to 0.14, median 0.075",
        "0.065 to 0.07, median 0.068",
        "2",
        "1 (50%)",
    ]
    assert perturbation[1] == "0.1"
    assert perturbation[-1] == "1 (50%)"


def test_the_command_at_its_smallest(here, tmp_path):
    size = ["--samples", "8", "--points", "4", "--models", "3", "--jobs", "1"]
    where = ["--records", str(tmp_path / "records"), "--output", str(tmp_path / "out")]
    tasks = ["--tasks", "lasso_boston_mae"]
    assert command.main(["paper", "robustness", *tasks, *size, *where]) == 0
    assert (tmp_path / "out" / "robustness.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out" / "robustness.md").read_text(encoding="utf-8")
    assert page.count("| measured |") == page.count("| printed |") == len(CASES)
    assert "1 of 108 tasks, 4 points × 1000 draws of the noise, 3 perturbed models" in page
    assert "beyond the theorem" in page
    assert "lasso_boston_mae" in (tmp_path / "out" / "robustness-reach.csv").read_text()
    assert command.main(["paper", "robustness", *tasks, *size, *where, "--done"]) == 0
    assert len((tmp_path / "out" / "robustness.csv").read_text().splitlines()) == 1 + 2 * len(CASES)
