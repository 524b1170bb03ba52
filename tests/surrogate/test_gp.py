"""The Gaussian process against scikit-learn's, and on pathological data."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.optimize
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from tests.surrogate.builds import kernel_of, random_rows, random_theta, wavy
from warpfront import Real, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.surrogate import gp as gp_module
from warpfront.surrogate.gp import (
    JITTER_LADDER,
    THETA_DECIMALS,
    FitOptions,
    GaussianProcess,
    subset,
)
from warpfront.surrogate.kernels import Columns, Kernel
from warpfront.surrogate.likelihood import JITTER, LogPosterior, Targets
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.options import CANDIDATES, NOISE_BOUNDS, WARP, WARP_BOUNDS, WIDE_NOISE
from warpfront.surrogate.priors import Block
from warpfront.surrogate.selection import RANKING_FIT, RankedModels, fit_model
from warpfront.surrogate.trends import Linear, Quadratic
from warpfront.surrogate.warping import kumaraswamy

NOISE, WARP_OF_TWO = Block(1, WIDE_NOISE, NOISE_BOUNDS), Block(2, WARP, WARP_BOUNDS)
SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}


@dataclass(frozen=True)
class Run:
    """One run of L-BFGS as it was called, and what came of it."""

    kernel: Kernel
    points: int
    start: np.ndarray
    iterations: int
    tolerance: float
    result: scipy.optimize.OptimizeResult


@pytest.fixture
def runs(monkeypatch):
    """Every run of L-BFGS, in order."""
    seen, minimize = [], scipy.optimize.minimize

    def spy(objective, start, *, options, **rest):
        result = minimize(objective, start, options=options, **rest)
        iterations, tolerance = options["maxiter"], options["ftol"]
        points, start = len(objective.targets), start.copy()
        seen.append(Run(objective.kernel, points, start, iterations, tolerance, result))
        return result

    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    return seen


def fit(kernel, X, t, rng=None, **options):
    """A fit to single measurements."""
    return GaussianProcess.fit(kernel, X, Targets.plain(t), FitOptions(**options), rng=rng)


def posterior_value(kernel, X, t, theta):
    """The log-posterior, the greater the better."""
    return -LogPosterior(kernel, X, Targets.plain(t))(theta)[0]


@pytest.fixture(scope="module")
def fitted():
    X = np.random.default_rng(0).random((20, 2))
    return fit(kernel_of(numeric=2, warp=True), X, wavy(X) - 0.5)


class TestPrediction:
    @pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
    @pytest.mark.parametrize("warp", [False, True])
    @pytest.mark.parametrize("categories", [0, 1])
    def test_mean_and_spread_are_scikit_learns(self, smoothness, nu, warp, categories):
        rng = np.random.default_rng(1)
        kernel = kernel_of(Matern(smoothness), numeric=3, categories=categories, warp=warp)
        theta = random_theta(kernel, rng)
        X, Z = (random_rows(rng, n, 3, (4,) * categories) for n in (30, 50))
        t = wavy(X[:, :3]) - 1.0
        signal, noise = np.exp(theta[kernel.parts[0]][0]), np.exp(theta[kernel.NOISE])
        lengths = np.exp(theta[kernel.parts[0]][1:])
        lengths = np.concatenate([lengths[:3], np.repeat(lengths[3:], 4)])

        def features(A):
            numeric = kumaraswamy(A[:, :3], *kernel.warp_of(theta)) if warp else A[:, :3]
            if not categories:
                return numeric
            return np.hstack([numeric, np.eye(4)[A[:, 3].astype(int)] / np.sqrt(2.0)])

        regressor = GaussianProcessRegressor(
            ConstantKernel(signal) * SklearnMatern(lengths, nu=nu),
            alpha=noise + JITTER * signal,
            optimizer=None,
        ).fit(features(X), t)
        expected_mean, expected_std = regressor.predict(features(Z), return_std=True)
        mean, variance = GaussianProcess.build(kernel, theta, X, Targets.plain(t)).predict(Z)
        np.testing.assert_allclose(mean, expected_mean, atol=1e-6)
        np.testing.assert_allclose(np.sqrt(variance), expected_std, atol=1e-6)

    def test_noise_of_each_target_is_scikit_learns(self):
        # Averages of several measurements, and measurements of known noise.
        rng = np.random.default_rng(21)
        kernel = kernel_of(numeric=2)
        theta, X, Z = random_theta(kernel, rng), rng.random((20, 2)), rng.random((30, 2))
        targets = Targets.of_means(
            wavy(X) - 1.0, 1.0 / rng.integers(1, 5, 20), rng.uniform(0, 0.2, 20)
        )
        signal, *lengths = np.exp(theta[kernel.parts[0]])
        regressor = GaussianProcessRegressor(
            ConstantKernel(signal) * SklearnMatern(lengths, nu=1.5),
            alpha=np.exp(theta[kernel.NOISE]) * targets.share + targets.known + JITTER * signal,
            optimizer=None,
        ).fit(X, targets.t)
        expected_mean, expected_std = regressor.predict(Z, return_std=True)
        mean, variance = GaussianProcess.build(kernel, theta, X, targets).predict(Z)
        np.testing.assert_allclose(mean, expected_mean, atol=1e-6)
        np.testing.assert_allclose(np.sqrt(variance), expected_std, atol=1e-6)

    def test_an_average_counts_as_its_measurements(self):
        # Exactly so: the posterior given two measurements is that given their mean.
        rng = np.random.default_rng(22)
        kernel = kernel_of(numeric=2, warp=True)
        theta, X, Z = random_theta(kernel, rng), rng.random((8, 2)), rng.random((15, 2))
        t = wavy(X) + rng.normal(0.0, 0.2, (2, 8))
        single = Targets.plain(np.concatenate(t))
        mean = Targets.of_means(t.mean(axis=0), np.full(8, 0.5), np.zeros(8))
        one = GaussianProcess.build(kernel, theta, np.vstack([X, X]), single)
        other = GaussianProcess.build(kernel, theta, X, mean)
        for a, b in zip(one.predict(Z), other.predict(Z), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)

    def test_the_columns_of_categories_may_stand_anywhere(self):
        rng = np.random.default_rng(2)
        X = random_rows(rng, 15, 2, (3,))
        t = X[:, 0] + (X[:, 2] == 1.0)
        order = [0, 2, 1]
        between = Columns.of(np.ones(3, dtype=bool), np.array([False, True, False]))
        last = kernel_of(Matern(), Linear(), numeric=2, categories=1, warp=True)
        moved = Kernel((Matern(), Linear()), between, NOISE, WARP_OF_TWO)
        one = GaussianProcess.build(last, last.priors.start, X, Targets.plain(t))
        other = GaussianProcess.build(moved, moved.priors.start, X[:, order], Targets.plain(t))
        for a, b in zip(one.predict(X), other.predict(X[:, order]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)

    def test_columns_that_are_not_used_do_not_matter(self):
        rng = np.random.default_rng(23)
        columns = Columns.of(np.array([True, False, True]), np.zeros(3, dtype=bool))
        kernel = Kernel((Matern(),), columns, NOISE, WARP_OF_TWO)
        X, Z = rng.random((10, 3)), rng.random((6, 3))
        gp = fit(kernel, X, wavy(X[:, [0, 2]]))
        moved = Z.copy()
        moved[:, 1] = rng.random(6)
        for a, b in zip(gp.predict(Z), gp.predict(moved), strict=True):
            np.testing.assert_array_equal(a, b)
        assert gp.theta.shape == (1 + 2 * 2 + 1 + 2,)

    def test_far_from_data_the_prior_is_back(self):
        kernel = kernel_of(numeric=1)
        theta = kernel.priors.start.copy()
        theta[kernel.parts[0]][1:] = np.log(0.01)
        targets = Targets.plain(np.array([2.0]))
        gp = GaussianProcess.build(kernel, theta, np.array([[0.0]]), targets)
        mean, variance = gp.predict(np.array([[1.0]]))
        assert mean[0] == pytest.approx(0.0, abs=1e-12)
        assert variance[0] == pytest.approx(1.0)

    def test_no_points_give_no_predictions(self, fitted):
        mean, variance = fitted.predict(np.empty((0, 2)))
        assert mean.shape == variance.shape == (0,)

    def test_with_theta_is_a_new_build(self, fitted):
        theta = fitted.theta + 0.1
        Z = np.random.default_rng(3).random((7, 2))
        other = fitted.with_theta(theta)
        built = GaussianProcess.build(fitted.kernel, theta, fitted.X, fitted.targets)
        for a, b in zip(other.predict(Z), built.predict(Z), strict=True):
            np.testing.assert_array_equal(a, b)
        assert np.abs(other.predict(Z)[0] - fitted.predict(Z)[0]).max() > 1e-6

    def test_many_rows_are_the_rows_one_by_one(self, fitted):
        # The covariance of many is computed in blocks.
        X = np.random.default_rng(24).random((300, 2))
        joint = fitted.condition_on(X)
        points = fitted.kernel.points(fitted.theta, X)
        whole = fitted.kernel.covariance(fitted.theta, points, points)
        lower = fitted.kernel.lower_covariance(fitted.theta, points)
        np.testing.assert_allclose(np.tril(lower), np.tril(whole), rtol=1e-9)
        np.testing.assert_allclose(joint.mean(X[:5]), fitted.mean(X[:5]), atol=1e-6)


class TestFit:
    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    @pytest.mark.parametrize("trend", [(), (Linear(),), (Quadratic(),)], ids=repr)
    @pytest.mark.parametrize("prior", ["flat", "dimension"])
    def test_the_posterior_rises(self, smoothness, trend, prior):
        rng = np.random.default_rng(4)
        kernel = kernel_of(Matern(smoothness, prior), *trend, numeric=2, categories=1, warp=True)
        X = random_rows(rng, 25, 2, (3,))
        t = wavy(X[:, :2]) + (X[:, 2] == 0.0) - 1.0
        gp = fit(kernel, X, t)
        before = posterior_value(kernel, X, t, kernel.priors.start)
        after = posterior_value(kernel, X, t, gp.theta)
        assert after > before + 1.0
        low, high = kernel.priors.bounds.T
        assert np.all((low <= gp.theta) & (gp.theta <= high))

    def test_it_stops_where_the_posterior_is_flat(self, fitted):
        objective = LogPosterior(fitted.kernel, fitted.X, fitted.targets)
        begin = fitted.kernel.priors.start
        start, end = (np.abs(objective(theta)[1]).max() for theta in (begin, fitted.theta))
        assert end < 0.1 * start

    def test_more_starts_are_never_worse(self):
        rng = np.random.default_rng(5)
        kernel, X = kernel_of(numeric=1, warp=True), rng.random((12, 1))
        t = np.sin(25.0 * X[:, 0])
        one, five = (
            posterior_value(kernel, X, t, fit(kernel, X, t, starts=starts).theta)
            for starts in (1, 5)
        )
        assert five >= one - 1e-3

    def test_a_finer_tolerance_is_never_worse_and_takes_longer(self, runs):
        rng = np.random.default_rng(19)
        kernel, X = kernel_of(numeric=3, warp=True), rng.random((30, 3))
        values = []
        for tolerance in (1e-1, 2.2e-9):
            gp = fit(kernel, X, wavy(X), iterations=200, tolerance=tolerance)
            values.append(posterior_value(kernel, X, wavy(X), gp.theta))
        assert values[1] > values[0] + 0.1
        coarse, fine = runs
        assert (coarse.tolerance, fine.tolerance) == (1e-1, 2.2e-9)
        assert fine.result.nit > 2 * coarse.result.nit

    def test_the_noise_is_found(self):
        rng = np.random.default_rng(6)
        X = rng.random((120, 1))
        t = np.sin(6.0 * X[:, 0]) + rng.normal(0.0, 0.3, 120)
        assert fit(kernel_of(numeric=1, warp=True), X, t).noise == pytest.approx(0.09, rel=0.4)

    def test_noise_that_is_known_is_not_found_again(self):
        rng = np.random.default_rng(25)
        X = rng.random((120, 1))
        t = np.sin(6.0 * X[:, 0]) + rng.normal(0.0, 0.3, 120)
        known = Targets.of_means(t, np.ones(120), np.full(120, 0.09))
        assert GaussianProcess.fit(kernel_of(numeric=1), X, known).noise < 0.03

    def test_an_input_without_effect_gets_a_long_length_scale(self):
        rng = np.random.default_rng(7)
        X = rng.random((40, 2))
        gp = fit(kernel_of(numeric=2, warp=True), X, np.sin(8.0 * X[:, 0]))
        used, unused = gp.theta[gp.kernel.parts[0]][1:]
        assert unused > used + 1.0

    def test_the_input_warp_is_learned(self):
        # All that happens, happens near 0.
        X = np.linspace(0.0, 1.0, 40)[:, None]
        t = np.sin(6.0 * X[:, 0] ** 0.25)
        t = (t - t.mean()) / t.std()
        gp = fit(kernel_of(numeric=1, warp=True), X, t)
        assert np.log(gp.kernel.warp_of(gp.theta)[0][0]) < -0.2

    def test_the_same_generator_gives_the_same_fit(self):
        X = np.random.default_rng(8).random((30, 3))
        thetas = [
            fit(
                kernel_of(numeric=3, warp=True), X, wavy(X), np.random.default_rng(9), starts=3
            ).theta
            for _ in range(2)
        ]
        np.testing.assert_array_equal(*thetas)

    def test_fitted_parameters_are_rounded(self, fitted):
        low, high = fitted.kernel.priors.bounds.T
        inside = (low < fitted.theta) & (fitted.theta < high)
        assert inside.any()
        rounded = np.round(fitted.theta, THETA_DECIMALS)
        np.testing.assert_array_equal(fitted.theta[inside], rounded[inside])

    def test_the_log_likelihood_is_that_of_the_posterior_less_the_prior(self, fitted):
        value = -LogPosterior(fitted.kernel, fitted.X, fitted.targets)(fitted.theta)[0]
        prior = fitted.kernel.priors.log_density(fitted.theta)[0]
        assert fitted.log_likelihood == pytest.approx(value - prior, rel=1e-9)


class TestStarts:
    """What is run, on how many points and for how long."""

    X = np.random.default_rng(20).random((100, 2))
    t = wavy(X) - 1.0

    def data(self):
        space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
        told = [
            (None, {"x": a, "y": b}, loss)
            for (a, b), loss in zip(self.X.tolist(), self.t, strict=True)
        ]
        return Dataset.of(History(space).tell(told))

    def test_the_papers_starts_are_all_run_to_their_end_on_all_points(self, runs):
        data = self.data()
        fit_model(data, data.objective, CANDIDATES["paper"], np.random.default_rng(0))
        assert [(r.points, r.iterations, r.tolerance) for r in runs] == [(100, 200, 2.2e-9)] * 10
        starts = {r.start.tobytes() for r in runs}
        assert len(starts) == 10
        assert runs[0].kernel.priors.start.tobytes() in starts

    def test_candidates_are_fitted_briefly_and_the_first_goes_on(self, runs):
        data, candidates = self.data(), [CANDIDATES["warped"], CANDIDATES["quadratic"]]
        models = RankedModels(data, data.objective, candidates, np.random.default_rng(0))
        few = (RANKING_FIT.points, RANKING_FIT.iterations, RANKING_FIT.tolerance)
        assert [(r.points, r.iterations, r.tolerance) for r in runs] == [few] * 2
        first, second = models[0], models[1]
        assert len(runs) == 3
        final = runs[-1]
        options = first.options.fit
        assert (final.points, final.iterations) == (100, options.iterations)
        brief = {len(r.result.x): r.result.x for r in runs[:2]}
        start = brief[len(final.start)]
        np.testing.assert_allclose(final.start, start, atol=0.5 * 10**-THETA_DECIMALS)
        np.testing.assert_allclose(first.gp.theta, final.result.x, atol=0.5 * 10**-THETA_DECIMALS)
        kept = brief[second.gp.kernel.size]
        np.testing.assert_allclose(second.gp.theta, kept, atol=0.5 * 10**-THETA_DECIMALS)
        assert len(second.gp.t) == 100

    def test_one_candidate_is_fitted_once(self, runs):
        data = self.data()
        fit_model(data, data.objective, CANDIDATES["warped"], np.random.default_rng(0))
        options = CANDIDATES["warped"].fit
        assert [(r.points, r.iterations) for r in runs] == [(100, options.iterations)]

    def test_a_given_start_is_the_only_one(self, runs):
        kernel = kernel_of(numeric=2)
        start = kernel.priors.start + 0.3
        options = FitOptions(starts=4, iterations=3)
        GaussianProcess.fit(kernel, self.X, Targets.plain(self.t), options, start=start)
        (run,) = runs
        np.testing.assert_array_equal(run.start, start)

    def test_without_iterations_the_start_is_kept(self, runs):
        kernel = kernel_of(numeric=2)
        start = kernel.priors.start + 0.25
        options = replace(FitOptions(), iterations=0)
        gp = GaussianProcess.fit(kernel, self.X, Targets.plain(self.t), options, start=start)
        assert runs == []
        np.testing.assert_allclose(gp.theta, start, atol=0.5 * 10**-THETA_DECIMALS)


class TestManyObservations:
    def test_hyper_parameters_come_from_a_subset(self, runs):
        X = np.random.default_rng(10).random((600, 2))
        gp = fit(kernel_of(numeric=2), X, wavy(X), starts=2, iterations=2)
        assert [r.points for r in runs] == [FitOptions().points] * 2 == [512] * 2
        assert len(gp.t) == 600

    def test_a_few_observations_are_all_used(self, runs):
        X = np.random.default_rng(11).random((30, 2))
        fit(kernel_of(numeric=2), X, wavy(X), starts=2)
        assert [r.points for r in runs] == [30, 30]

    def test_predictions_keep_the_best_observations(self):
        X = np.random.default_rng(12).random((100, 2))
        t = wavy(X)
        gp = fit(kernel_of(numeric=2), X, t, iterations=5, active=40)
        assert len(gp.t) == 40
        assert set(np.sort(t)[:10]) <= set(gp.t)

    def test_an_active_point_keeps_its_noise(self):
        X = np.random.default_rng(26).random((60, 2))
        targets = Targets.of_means(wavy(X), np.linspace(0.1, 1.0, 60), np.linspace(0.0, 0.1, 60))
        gp = GaussianProcess.fit(
            kernel_of(numeric=2), X, targets, FitOptions(iterations=2, active=20)
        )
        rows = [int(np.flatnonzero((x == X).all(axis=1))[0]) for x in gp.X]
        for name in ("t", "share", "known"):
            expected = getattr(targets, name)[rows]
            np.testing.assert_array_equal(getattr(gp.targets, name), expected)

    def test_a_subset_is_sorted_without_repetition_and_holds_the_best(self):
        t = np.random.default_rng(13).normal(size=200)
        rows = subset(t, 40, 0.25, np.random.default_rng(0))
        assert len(rows) == 40
        assert np.all(np.diff(rows) > 0)
        assert set(np.argsort(t)[:10]) <= set(rows)

    def test_a_subset_of_all_is_all(self):
        np.testing.assert_array_equal(
            subset(np.zeros(4), 4, 0.25, np.random.default_rng(0)), [0, 1, 2, 3]
        )


def pathological():
    rng = np.random.default_rng(14)
    line = np.linspace(0.0, 1.0, 20)
    wide = np.column_stack([rng.random(30), rng.integers(0, 1000, 30)])
    return {
        "one point": (np.array([[0.3, 0.4]]), np.zeros(1), 0),
        "two points": (np.array([[0.3, 0.4], [0.9, 0.1]]), np.array([-1.0, 1.0]), 0),
        "constant": (rng.random((10, 2)), np.zeros(10), 0),
        "constant 5": (rng.random((10, 2)), np.full(10, 5.0), 0),
        "duplicates": (np.repeat(rng.random((3, 2)), 8, axis=0), rng.normal(size=24), 0),
        "one place": (np.full((15, 2), 0.5), rng.normal(size=15), 0),
        "corners": (rng.integers(0, 2, (20, 3)).astype(float), rng.normal(size=20), 0),
        "collinear": (np.column_stack([line, line, 1.0 - line]), np.sin(9.0 * line), 0),
        "almost equal": (0.5 + 1e-12 * rng.random((12, 2)), rng.normal(size=12), 0),
        "an outlier": (rng.random((20, 2)), np.append(rng.normal(size=19), 1e4), 0),
        "no columns": (np.empty((6, 0)), rng.normal(size=6), 0),
        "200 columns": (rng.random((20, 200)), rng.normal(size=20), 0),
        "1000 levels": (wide, rng.normal(size=30), 1),
        "one level": (np.zeros((8, 1)), rng.normal(size=8), 1),
        "categories only": (rng.integers(0, 3, (20, 4)).astype(float), rng.normal(size=20), 4),
    }


PATHOLOGICAL = pathological()


class TestPathologicalData:
    @pytest.mark.parametrize("name", CANDIDATES)
    @pytest.mark.parametrize("data", PATHOLOGICAL)
    def test_a_fit_always_predicts(self, data, name):
        X, t, categories = PATHOLOGICAL[data]
        d = X.shape[1]
        is_category = np.arange(d) >= d - categories
        kernel = CANDIDATES[name].kernel(np.ones(d, dtype=bool), is_category)
        gp = fit(kernel, X, t, starts=2, iterations=30)
        rng = np.random.default_rng(15)
        elsewhere = rng.random((10, d))
        elsewhere[:, is_category] = rng.integers(0, 3, (10, categories))
        mean, variance = gp.predict(np.vstack([X, elsewhere]))
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance))
        assert np.all(variance > 0.0)
        assert np.abs(mean).max() <= 3.0 * max(np.abs(t).max(), 1.0)
        assert np.all(np.isfinite(gp.theta))

    def test_the_corners_of_the_bounds_are_safe(self):
        rng = np.random.default_rng(16)
        kernel = kernel_of(Matern("matern52"), Linear(), numeric=2, categories=1, warp=True)
        X = random_rows(rng, 40, 2, (3,))
        X[20:] = X[:20]
        for _ in range(40):
            theta = kernel.priors.bounds[np.arange(kernel.size), rng.integers(0, 2, kernel.size)]
            gp = GaussianProcess.build(kernel, theta, X, Targets.plain(rng.normal(size=40)))
            mean, variance = gp.predict(X)
            assert np.all(np.isfinite(mean))
            assert np.all(variance > 0.0)


class TestJitterLadder:
    """A linear kernel of rank one: without jitter, eigenvalues are rounding errors of any sign."""

    X = np.linspace(0.1, 0.9, 30)[:, None]
    targets = Targets.plain(np.sin(9.0 * X[:, 0]))
    kernel = kernel_of(Matern(), Linear(), numeric=1)
    theta = kernel.priors.start.copy()
    theta[kernel.parts[1]] = np.log(1e9)
    theta[kernel.NOISE] = -60.0
    theta[kernel.parts[0]][1:] = np.log(1e4)  # beyond the bounds: all points alike
    line = np.linspace(0.0, 1.0, 21)[:, None]

    def build(self):
        return GaussianProcess.build(self.kernel, self.theta, self.X, self.targets)

    def succeeds(self, jitter):
        points = self.kernel.points(self.theta, self.X)
        K = self.kernel.covariance(self.theta, points, points)
        K[np.diag_indices(30)] += np.exp(self.theta[self.kernel.NOISE]) + jitter * np.diag(K).mean()
        try:
            np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            return False
        return True

    def test_the_first_rung_is_enough_with_the_jitter_as_it_is(self):
        assert self.succeeds(JITTER_LADDER[0] * JITTER)

    def test_a_higher_rung_saves_the_factorisation(self, monkeypatch):
        monkeypatch.setattr(gp_module, "JITTER", 1e-18)
        assert not self.succeeds(JITTER_LADDER[0] * 1e-18)
        assert self.succeeds(JITTER_LADDER[-1] * 1e-18)
        mean, variance = self.build().predict(self.line)
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance) & (variance > 0.0))
        assert np.abs(mean).max() > 1e-3  # the data still matter

    @pytest.fixture
    def uncorrelated(self, monkeypatch):
        """What is left where no rung is enough."""
        monkeypatch.setattr(gp_module, "JITTER", 0.0)
        assert not self.succeeds(0.0)
        return self.build()

    def test_beyond_the_last_rung_there_is_no_correlation(self, uncorrelated):
        mean, variance = uncorrelated.predict(self.line)
        np.testing.assert_array_equal(mean, np.zeros(21))
        assert np.all(np.isfinite(variance) & (variance > 0.0))

    def test_conditioning_beyond_the_last_rung_is_safe(self, uncorrelated):
        believer = uncorrelated.condition_on(np.array([[0.33]]))
        mean, variance = believer.predict(np.array([[0.33], [0.5]]))
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance) & (variance > 0.0))

    def test_leaving_one_out_beyond_the_last_rung_is_the_prior_mean(self, uncorrelated):
        np.testing.assert_allclose(uncorrelated.leave_one_out[0], np.zeros(30), atol=1e-12)

    def test_the_likelihood_beyond_the_last_rung_is_that_without_correlation(self, uncorrelated):
        points = self.kernel.points(self.theta, self.X)
        std = np.sqrt(self.kernel.diagonal(self.theta, points) + np.exp(-60.0))
        expected = norm.logpdf(self.targets.t, 0.0, std).sum()
        assert uncorrelated.log_likelihood == pytest.approx(expected)

    def test_slopes_beyond_the_last_rung_are_finite(self, uncorrelated):
        mean, variance, *slopes = uncorrelated.slope(np.array([0.33]))
        assert mean == 0.0
        assert variance > 0.0
        assert np.all(np.isfinite(slopes))


def test_the_mean_alone_is_that_of_a_prediction(fitted):
    Z = np.random.default_rng(19).random((30, 2))
    np.testing.assert_array_equal(fitted.mean(Z), fitted.predict(Z)[0])


class TestLeaveOneOut:
    def test_each_is_what_the_others_predict(self):
        X = np.random.default_rng(20).random((12, 2))
        gp = fit(kernel_of(numeric=2, warp=True), X, wavy(X))
        mean, variance = gp.leave_one_out
        for i in range(len(X)):
            rest = np.flatnonzero(np.arange(len(X)) != i)
            others = GaussianProcess.build(gp.kernel, gp.theta, X[rest], gp.targets[rest])
            expected, spread = others.predict(X[[i]])
            assert mean[i] == pytest.approx(expected[0], abs=1e-6)
            assert variance[i] == pytest.approx(spread[0] + gp.noise, rel=1e-3)

    def test_it_is_kept_and_cannot_be_changed(self, fitted):
        assert fitted.leave_one_out is fitted.leave_one_out
        for values in fitted.leave_one_out:
            with pytest.raises(ValueError, match="read-only"):
                values *= 2.0


class TestConditioning:
    def test_the_mean_stays(self, fitted):
        rng = np.random.default_rng(17)
        Z = rng.random((50, 2))
        conditioned = fitted.condition_on(rng.random((5, 2)))
        np.testing.assert_allclose(conditioned.predict(Z)[0], fitted.predict(Z)[0], atol=1e-6)

    def test_the_variance_shrinks_around_the_points(self, fitted):
        rng = np.random.default_rng(18)
        Z, pending = rng.random((50, 2)), np.array([[0.02, 0.97]])
        conditioned = fitted.condition_on(pending)
        assert np.all(conditioned.predict(Z)[1] <= fitted.predict(Z)[1] + 1e-9)
        before, after = fitted.predict(pending)[1][0], conditioned.predict(pending)[1][0]
        assert after < 0.2 * before

    def test_no_points_change_nothing(self, fitted):
        assert fitted.condition_on(np.empty((0, 2))) is fitted

    def test_a_point_that_is_known_already_and_a_repeated_one(self, fitted):
        pending = np.vstack([fitted.X[:2], fitted.X[:2], [[0.5, 0.5], [0.5, 0.5]]])
        conditioned = fitted.condition_on(pending)
        np.testing.assert_allclose(
            conditioned.predict(pending)[0], fitted.predict(pending)[0], atol=1e-6
        )
        assert len(conditioned.t) == len(fitted.t) + 6


class TestMemory:
    """What a step with thousands of observations keeps."""

    def fitted(self, rng, n):
        X = random_rows(rng, n, 3)
        kernel = kernel_of(numeric=3, warp=True)
        return GaussianProcess.build(kernel, kernel.priors.start, X, Targets.plain(wavy(X)))

    def test_the_inverse_is_whole_beyond_one_block(self):
        gp = self.fitted(np.random.default_rng(0), 300)
        K = gp.L @ gp.L.T
        np.testing.assert_allclose(gp._inverse @ K, np.eye(300), atol=1e-6)
        np.testing.assert_array_equal(gp._inverse, gp._inverse.T)

    def test_a_released_process_has_the_same_slopes(self):
        gp = self.fitted(np.random.default_rng(1), 40)
        before = gp.slope(gp.X[0])
        assert "_inverse" in gp.__dict__
        gp.release()
        assert "_inverse" not in gp.__dict__
        gp.release()
        for known, again in zip(before, gp.slope(gp.X[0]), strict=True):
            np.testing.assert_array_equal(known, again)
