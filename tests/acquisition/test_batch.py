"""The acquisitions of a joint batch: against brute force, the closed forms and their own laws."""

from itertools import permutations

import numpy as np
import pytest

from warpfront import HEBO, Categorical, Real, Settings, Space
from warpfront.acquisition.batch import (
    Batch,
    joint_samples,
    normal_draws,
    q_ei,
    q_lcb,
    q_pi,
)
from warpfront.acquisition.ensemble import Ensemble
from warpfront.acquisition.functions import lcb, log_ei, log_pi

KAPPA, TAU = 2.5, -0.9
BRUTE, MANY = 400_000, 2**14
X = np.array([[0.9, 0.1, 0.0], [0.84, 0.14, 0.0], [0.31, 0.62, 2.0]])  # two of them correlated
C = np.array([[0.2, 0.8, 0.0], [0.5, 0.5, 1.0], [0.4, 0.5, 2.0], [0.6, 0.2, 0.0]])


@pytest.fixture(scope="module")
def gp():
    space = Space(x=Real(0, 1), y=Real(0, 1), c=Categorical(["a", "b", "c"]))
    optimizer = HEBO(space, seed=0, settings=Settings(models=["warped"]))
    rng = np.random.default_rng(0)
    for x, y, c in zip(rng.random(12), rng.random(12), rng.integers(0, 3, 12), strict=True):
        optimizer.tell({"x": x, "y": y, "c": "abc"[c]}, np.sin(5 * x) + y + (c == 1))
    return optimizer.model.gp


def draws(q, count=MANY, seed=0):
    return normal_draws(q, np.random.default_rng(seed), count)


def brute(gp, points):
    """EI, PI and LCB of a batch, straight from their definitions, by pseudo-random samples."""
    mean, covariance = gp.mean(points), gp.covariance(points, points)
    rng = np.random.default_rng(1)
    f = rng.multivariate_normal(mean, covariance, BRUTE, method="eigh")
    gamma = np.abs(f - mean)
    ei = np.max(np.where(f < TAU, TAU - f, 0.0), axis=1)
    pi = np.max(np.where(f < TAU, 1.0, 0.0), axis=1)
    # The paper's UCB is that of -f, to be maximised.
    ucb = np.max(-mean + np.sqrt(KAPPA**2 * np.pi / 2.0) * gamma, axis=1)
    values = np.array([ei, pi, -ucb])
    return values.mean(axis=1), values.std(axis=1) / np.sqrt(BRUTE)


def by_samples(gp, points, Z):
    samples = joint_samples(gp, points, Z)
    return np.array(
        [q_ei(samples, TAU), q_pi(samples, TAU), q_lcb(samples, gp.mean(points), KAPPA)]
    )


def by_extension(gp, points, Z):
    """The values of a batch, its points added one after another."""
    ei = pi = 0.0
    for p in range(len(points)):
        batch = Batch.of(gp, points[:p], Z)
        at = batch.condition(points[p : p + 1])
        ei += np.exp(batch.log_ei(at, TAU))[0]
        pi += np.exp(batch.log_pi(at, TAU))[0]
        bound = batch.lcb(at, KAPPA)[0]
    return np.array([ei, pi, bound])


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("form", [by_samples, by_extension])
def test_the_expectations_are_those_of_brute_force(gp, form, q):
    expected, error = brute(gp, X[:q])
    np.testing.assert_allclose(form(gp, X[:q], draws(q)), expected, atol=5 * error.max())


def test_one_point_by_samples_comes_near_the_closed_forms(gp):
    for point in np.vstack([X, C]):
        mean, variance = gp.predict(point[None])
        std = np.sqrt(variance)
        closed = [
            np.exp(log_ei(mean, std, TAU)),
            np.exp(log_pi(mean, std, TAU)),
            lcb(mean, std, KAPPA),
        ]
        found = by_samples(gp, point[None], draws(1))
        np.testing.assert_allclose(found, np.ravel(closed), atol=1e-3)


def test_one_point_by_extension_is_the_closed_form(gp):
    mean, variance = gp.predict(C)
    std = np.sqrt(variance)
    batch = Batch.of(gp, np.empty((0, 3)), draws(1))
    at = batch.condition(C)
    np.testing.assert_allclose(batch.log_ei(at, TAU), log_ei(mean, std, TAU), rtol=1e-12)
    np.testing.assert_allclose(batch.log_pi(at, TAU), log_pi(mean, std, TAU), rtol=1e-12)
    np.testing.assert_allclose(batch.lcb(at, KAPPA), lcb(mean, std, KAPPA), rtol=1e-12)


def test_a_conditional_extends_the_joint_samples(gp):
    Z = draws(len(X) + 1, 64)
    at = Batch.of(gp, X, Z).condition(C)
    for j, point in enumerate(C):
        column = at.mean[j] + at.gamma[:, j] + at.std[j] * Z[:, -1]
        together = joint_samples(gp, np.vstack([X, point]), Z)
        np.testing.assert_allclose(column, together[:, -1], atol=1e-5)


def test_a_permuted_batch_of_samples_is_worth_the_same():
    samples, mean = np.random.default_rng(0).normal(size=(50, 3)), np.array([0.1, -0.3, 0.4])
    for order in map(list, permutations(range(3))):
        assert q_ei(samples[:, order], -0.5) == q_ei(samples, -0.5)
        assert q_pi(samples[:, order], -0.5) == q_pi(samples, -0.5)
        assert q_lcb(samples[:, order], mean[order], 2.0) == q_lcb(samples, mean, 2.0)


def test_a_permuted_batch_of_points_is_worth_the_same(gp):
    Z = draws(3)
    for form in (by_samples, by_extension):
        values = np.array([form(gp, X[list(order)], Z) for order in permutations(range(3))])
        assert np.ptp(values, axis=0).max() < 5e-3


def test_each_further_point_helps(gp):
    points, Z = np.vstack([X, C]), draws(7, 256)
    values = np.array([by_samples(gp, points[:q], Z[:, :q]) for q in range(1, 8)])
    steps = np.diff(values, axis=0)
    assert np.all(steps[:, :2] >= -1e-9)
    assert np.all(steps[:, 2] <= 1e-9)
    assert np.all(values[-1, :2] > 1.2 * values[0, :2])
    assert values[-1, 2] < values[0, 2] - 0.1


def test_each_further_point_lowers_the_bound_by_extension(gp):
    Z = draws(3, 256)
    for p in (1, 2, 3):
        batch = Batch.of(gp, X[:p], Z)
        so_far = q_lcb(batch.samples, batch.mean, KAPPA)
        assert np.all(batch.lcb(batch.condition(C), KAPPA) <= so_far)


def test_the_same_point_again_adds_nothing(gp):
    empty, batch = (Batch.of(gp, X[:p], draws(1, 128)) for p in (0, 1))
    alone, again = (one.condition(X[:1]) for one in (empty, batch))
    assert batch.log_ei(again, TAU)[0] < empty.log_ei(alone, TAU)[0] - np.log(100.0)
    assert batch.log_pi(again, TAU)[0] < empty.log_pi(alone, TAU)[0] - np.log(100.0)


def test_equality_is_no_improvement():
    assert q_pi(np.array([[0.5], [0.4]]), tau=0.5) == 0.5


def test_where_all_samples_improve_the_probability_still_orders_candidates(gp):
    batch = Batch.of(gp, X, draws(3, 128))
    values = batch.log_pi(batch.condition(C), tau=50.0)
    assert np.all(np.isfinite(values))
    assert np.all(batch.log_pi(batch.condition(C), tau=-50.0) < -10.0)
    assert len(set(batch.log_ei(batch.condition(C), tau=-50.0))) == len(C)


def test_draws_are_standard_normal_and_repeatable():
    Z = draws(5, 1024)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(5), atol=0.02)
    assert np.all(np.isfinite(Z))
    np.testing.assert_array_equal(Z, draws(5, 1024))
    assert np.all(draws(5, 1024, seed=1) != Z)
    assert normal_draws(0, np.random.default_rng(0), 4).shape == (4, 0)


class TestEnsemble:
    """Joint acquisitions take noise, perturbations and penalties like the others."""

    def build(self, gp, batch=X, **settings):
        pair = None if batch is None else (batch, draws(3, 128))
        rng = np.random.default_rng(0)
        return Ensemble.build(
            gp, X[0], Settings(**settings), n=12, q=4, rng=rng, penalty=None, batch=pair
        )

    @pytest.mark.parametrize(("joint", "single"), [("qei", "ei"), ("qpi", "pi"), ("qucb", "lcb")])
    @pytest.mark.parametrize("robustness", ["noise", "none", "monte-carlo"])
    def test_an_empty_batch_makes_them_single(self, gp, joint, single, robustness):
        one = self.build(gp, X[:0], acquisition=joint, robustness=robustness)(C)
        other = self.build(gp, None, acquisition=single, robustness=robustness)(C)
        np.testing.assert_allclose(one, other, rtol=1e-10)

    @pytest.mark.parametrize("kind", ["qei", "qpi", "qucb"])
    def test_noise_is_fresh_and_its_absence_exact(self, gp, kind):
        noisy = self.build(gp, acquisition=kind)
        assert np.all(noisy(C) != noisy(C))
        exact = self.build(gp, acquisition=kind, robustness="none")
        np.testing.assert_array_equal(exact(C), exact(C))
        assert exact(C).shape == (len(C), 1)

    def test_the_threshold_is_that_of_single_points(self, gp):
        batch = Batch.of(gp, X, draws(3, 128))
        ensemble = self.build(gp, acquisition="qei", robustness="none")
        expected = -batch.log_ei(batch.condition(C), ensemble.tau)
        np.testing.assert_allclose(ensemble(C)[:, 0], expected, rtol=1e-12)
