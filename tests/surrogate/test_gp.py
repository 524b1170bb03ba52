"""The Gaussian process against scikit-learn's, and on pathological data."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.optimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from warpfront import Real, Settings, Space
from warpfront.history import History
from warpfront.surrogate import gp as gp_module
from warpfront.surrogate.gp import (
    JITTER_LADDER,
    RACE_ITERATIONS,
    RACE_POINTS,
    THETA_DECIMALS,
    GaussianProcess,
    subset,
)
from warpfront.surrogate.kernels import Inputs, KernelForm
from warpfront.surrogate.likelihood import JITTER, LogPosterior
from warpfront.surrogate.model import Model
from warpfront.surrogate.priors import WIDE_NOISE
from warpfront.surrogate.warping import kumaraswamy

SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}


def numbers(d):
    return np.zeros(d, dtype=bool)


def wavy(X):
    return np.sin(6.0 * X[:, 0]) + (X[:, 1:] ** 2).sum(axis=1)


@dataclass(frozen=True)
class Run:
    """One run of L-BFGS as it was called, and what came of it."""

    form: KernelForm
    points: int
    start: np.ndarray
    iterations: int
    tolerance: float
    result: scipy.optimize.OptimizeResult


@pytest.fixture
def runs(monkeypatch):
    """Every run of L-BFGS, in order."""
    seen = []
    minimize, init = scipy.optimize.minimize, LogPosterior.__init__

    def remember(self, form, N, C, y):
        init(self, form, N, C, y)
        points[id(self)] = len(y)

    def spy(objective, start, *, options, **rest):
        result = minimize(objective, start, options=options, **rest)
        seen.append(
            Run(
                objective.form,
                points[id(objective)],
                start.copy(),
                options["maxiter"],
                options["ftol"],
                result,
            )
        )
        return result

    points = {}
    monkeypatch.setattr(LogPosterior, "__init__", remember)
    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    return seen


def posterior_value(form, is_category, X, y, theta):
    """The log-posterior, the greater the better."""
    return -LogPosterior(form, X[:, ~is_category], X[:, is_category], y)(theta)[0]


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.random((20, 2))
    return GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, wavy(X) - 0.5)


class TestPrediction:
    @pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
    @pytest.mark.parametrize("warp", [False, True])
    @pytest.mark.parametrize("categories", [0, 1])
    def test_mean_and_spread_are_scikit_learns(self, smoothness, nu, warp, categories):
        rng = np.random.default_rng(1)
        form = KernelForm(3, categories, smoothness=smoothness, input_warp=warp)
        theta = form.default + rng.normal(0.0, 0.4, form.size)
        X, Z = (np.hstack([rng.random((n, 3)), rng.integers(0, 4, (n, 1))]) for n in (30, 50))
        X, Z = X[:, : form.d], Z[:, : form.d]
        is_category = np.array([False, False, False, True])[: form.d]
        y = wavy(X[:, :3]) - 1.0
        signal, noise = np.exp(theta[form.SIGNAL]), np.exp(theta[form.NOISE])
        lengths = np.exp(theta[form.lengthscales])
        lengths = np.concatenate([lengths[:3], np.repeat(lengths[3:], 4)])

        def features(A):
            numeric = A[:, :3]
            if warp:
                a, b = np.exp(theta[form.warp_a]), np.exp(theta[form.warp_b])
                numeric = kumaraswamy(numeric, a, b)
            if not categories:
                return numeric
            return np.hstack([numeric, np.eye(4)[A[:, 3].astype(int)] / np.sqrt(2.0)])

        regressor = GaussianProcessRegressor(
            ConstantKernel(signal) * Matern(lengths, nu=nu),
            alpha=noise + JITTER * signal,
            optimizer=None,
        ).fit(features(X), y)
        expected_mean, expected_std = regressor.predict(features(Z), return_std=True)
        mean, variance = GaussianProcess.build(form, is_category, theta, X, y).predict(Z)
        np.testing.assert_allclose(mean, expected_mean, atol=1e-6)
        np.testing.assert_allclose(np.sqrt(variance), expected_std, atol=1e-6)

    def test_the_columns_of_categories_may_stand_anywhere(self):
        rng = np.random.default_rng(2)
        form = KernelForm(2, 1, linear=True)
        X = np.column_stack([rng.random(15), rng.random(15), rng.integers(0, 3, 15)])
        y = X[:, 0] + (X[:, 2] == 1.0)
        last = GaussianProcess.build(form, np.array([False, False, True]), form.default, X, y)
        order = [0, 2, 1]
        between = GaussianProcess.build(
            form, np.array([False, True, False]), form.default, X[:, order], y
        )
        for a, b in zip(last.predict(X), between.predict(X[:, order]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)

    def test_far_from_data_the_prior_is_back(self):
        form = KernelForm(1, 0, input_warp=False)
        theta = form.default.copy()
        theta[form.lengthscales] = np.log(0.01)
        gp = GaussianProcess.build(form, numbers(1), theta, np.array([[0.0]]), np.array([2.0]))
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
        built = GaussianProcess.build(fitted.form, numbers(2), theta, fitted.X, fitted.y)
        for a, b in zip(other.predict(Z), built.predict(Z), strict=True):
            np.testing.assert_array_equal(a, b)
        assert np.abs(other.predict(Z)[0] - fitted.predict(Z)[0]).max() > 1e-6


class TestFit:
    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    @pytest.mark.parametrize("linear", [False, True])
    @pytest.mark.parametrize("prior", ["flat", "dimension"])
    def test_the_posterior_rises(self, smoothness, linear, prior):
        rng = np.random.default_rng(4)
        form = KernelForm(2, 1, smoothness=smoothness, linear=linear, lengthscale_prior=prior)
        is_category = np.array([False, False, True])
        X = np.column_stack([rng.random((25, 2)), rng.integers(0, 3, 25)])
        y = wavy(X[:, :2]) + (X[:, 2] == 0.0) - 1.0
        gp = GaussianProcess.fit(form, is_category, X, y)
        before = posterior_value(form, is_category, X, y, form.default)
        after = posterior_value(form, is_category, X, y, gp.theta)
        assert after > before + 1.0
        low, high = form.bounds.T  # to the decimals to which fitted parameters are rounded
        assert np.all((low - 1e-4 <= gp.theta) & (gp.theta <= high + 1e-4))

    def test_it_stops_where_the_posterior_is_flat(self, fitted):
        objective = LogPosterior(fitted.form, fitted.X, np.empty((20, 0)), fitted.y)
        start, end = (np.abs(objective(t)[1]).max() for t in (fitted.form.default, fitted.theta))
        assert end < 0.1 * start

    def test_more_starts_are_never_worse(self):
        rng = np.random.default_rng(5)
        form, X = KernelForm(1, 0), rng.random((12, 1))
        y = np.sin(25.0 * X[:, 0])
        values = [
            posterior_value(
                form,
                numbers(1),
                X,
                y,
                GaussianProcess.fit(form, numbers(1), X, y, starts=starts, race=race).theta,
            )
            for starts, race in [(1, True), (5, True), (5, False)]
        ]
        assert values[1] >= values[0] - 1e-3
        assert values[2] >= values[0] - 1e-3

    def test_a_finer_tolerance_is_never_worse_and_takes_longer(self, runs):
        rng = np.random.default_rng(19)
        form, X = KernelForm(3, 0), rng.random((30, 3))
        values = [
            posterior_value(
                form,
                numbers(3),
                X,
                wavy(X),
                GaussianProcess.fit(
                    form, numbers(3), X, wavy(X), iterations=200, tolerance=tolerance
                ).theta,
            )
            for tolerance in (1e-1, 2.2e-9)
        ]
        assert values[1] > values[0] + 0.1
        coarse, fine = runs
        assert (coarse.tolerance, fine.tolerance) == (1e-1, 2.2e-9)
        assert fine.result.nit > 2 * coarse.result.nit

    def test_the_noise_is_found(self):
        rng = np.random.default_rng(6)
        X = rng.random((120, 1))
        y = np.sin(6.0 * X[:, 0]) + rng.normal(0.0, 0.3, 120)
        form = KernelForm(1, 0, noise_prior=WIDE_NOISE)
        gp = GaussianProcess.fit(form, numbers(1), X, y)
        assert gp.noise == pytest.approx(0.09, rel=0.4)

    def test_an_idle_input_gets_a_long_length_scale(self):
        rng = np.random.default_rng(7)
        X = rng.random((40, 2))
        gp = GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, np.sin(8.0 * X[:, 0]))
        used, idle = gp.theta[gp.form.lengthscales]
        assert idle > used + 1.0

    def test_the_input_warp_is_learned(self):
        # All that happens, happens near 0.
        X = np.linspace(0.0, 1.0, 40)[:, None]
        y = np.sin(6.0 * X[:, 0] ** 0.25)
        y = (y - y.mean()) / y.std()
        gp = GaussianProcess.fit(KernelForm(1, 0), numbers(1), X, y)
        assert gp.theta[gp.form.warp_a][0] < -0.2

    def test_the_same_generator_gives_the_same_fit(self):
        rng = np.random.default_rng(8)
        X = rng.random((30, 3))
        thetas = [
            GaussianProcess.fit(
                KernelForm(3, 0), numbers(3), X, wavy(X), starts=3, rng=np.random.default_rng(9)
            ).theta
            for _ in range(2)
        ]
        np.testing.assert_array_equal(*thetas)


class TestStarts:
    """What is run, on how many points and for how long."""

    X = np.random.default_rng(20).random((100, 2))
    y = wavy(X) - 1.0
    pairs = tuple(({"x": a, "y": b}, c) for (a, b), c in zip(X.tolist(), y.tolist(), strict=True))

    def model(self, settings):
        space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
        history = History(space).tell([(None, config, value) for config, value in self.pairs])
        return Model.fit(history, settings, seed=0)

    def test_the_papers_starts_are_all_run_to_their_end_on_all_points(self, runs):
        self.model(Settings.paper())
        assert [(r.points, r.iterations, r.tolerance) for r in runs] == [(100, 200, 2.2e-9)] * 10
        starts = {r.start.tobytes() for r in runs}
        assert len(starts) == 10
        assert runs[0].form.default.tobytes() in starts

    def test_by_default_the_starts_race_on_few_points_and_the_winner_goes_on(self, runs):
        model = self.model(Settings())
        race, final = runs[:-1], runs[-1]
        few = (RACE_POINTS, RACE_ITERATIONS, Settings().tolerance)
        assert [(r.points, r.iterations, r.tolerance) for r in race] == [few] * Settings().starts
        assert (final.points, final.iterations) == (100, Settings().iterations)
        winner = min(race, key=lambda r: r.result.fun)
        np.testing.assert_array_equal(final.start, winner.result.x)
        np.testing.assert_allclose(model.gp.theta, final.result.x, atol=0.5 * 10**-THETA_DECIMALS)

    @pytest.mark.parametrize(
        ("n", "starts", "race"),
        [(RACE_POINTS, 3, True), (100, 1, True), (100, 3, False)],
        ids=["few points", "one start", "no race"],
    )
    def test_without_need_there_is_no_race(self, runs, n, starts, race):
        GaussianProcess.fit(
            KernelForm(2, 0),
            numbers(2),
            self.X[:n],
            self.y[:n],
            starts=starts,
            iterations=7,
            race=race,
        )
        assert [(r.points, r.iterations) for r in runs] == [(n, 7)] * starts

    def test_a_race_takes_no_more_iterations_than_allowed(self, runs):
        GaussianProcess.fit(
            KernelForm(2, 0), numbers(2), self.X, self.y, starts=2, iterations=3, race=True
        )
        assert [(r.points, r.iterations) for r in runs] == [(RACE_POINTS, 3)] * 2 + [(100, 3)]


class TestManyObservations:
    @pytest.fixture
    def sizes(self, monkeypatch):
        """How many points each likelihood saw."""
        seen = []

        class Recorder(LogPosterior):
            def __init__(self, form, N, C, y):
                seen.append(len(y))
                super().__init__(form, N, C, y)

        monkeypatch.setattr(gp_module, "LogPosterior", Recorder)
        return seen

    def test_hyper_parameters_come_from_a_subset(self, sizes):
        rng = np.random.default_rng(10)
        X = rng.random((600, 2))
        gp = GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, wavy(X), starts=2, iterations=5)
        assert max(sizes) == gp_module.FIT_POINTS < 600
        assert len(gp.y) == 600

    def test_a_few_observations_are_all_used(self, sizes):
        X = np.random.default_rng(11).random((30, 2))
        GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, wavy(X), starts=2)
        assert set(sizes) == {30}

    def test_predictions_keep_the_best_observations(self, monkeypatch):
        monkeypatch.setattr(gp_module, "ACTIVE_POINTS", 40)
        X = np.random.default_rng(12).random((100, 2))
        y = wavy(X)
        gp = GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, y, iterations=5)
        assert len(gp.y) == 40
        assert set(np.sort(y)[:10]) <= set(gp.y)

    def test_a_subset_is_sorted_without_repetition_and_holds_the_best(self):
        y = np.random.default_rng(13).normal(size=200)
        rows = subset(y, 40, np.random.default_rng(0))
        assert len(rows) == 40
        assert np.all(np.diff(rows) > 0)
        assert set(np.argsort(y)[:10]) <= set(rows)

    def test_a_subset_of_all_is_all(self):
        np.testing.assert_array_equal(
            subset(np.zeros(4), 4, np.random.default_rng(0)), [0, 1, 2, 3]
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
    @pytest.mark.parametrize("linear", [False, True])
    @pytest.mark.parametrize("name", PATHOLOGICAL)
    def test_a_fit_always_predicts(self, name, linear):
        X, y, categories = PATHOLOGICAL[name]
        d = X.shape[1]
        is_category = np.arange(d) >= d - categories
        form = KernelForm(
            d - categories,
            categories,
            linear=linear,
            smoothness="matern52" if linear else "matern32",
            lengthscale_prior="flat" if linear else "dimension",
        )
        gp = GaussianProcess.fit(form, is_category, X, y, starts=2, iterations=30)
        rng = np.random.default_rng(15)
        elsewhere = rng.random((10, d))
        elsewhere[:, is_category] = rng.integers(0, 3, (10, categories))
        mean, variance = gp.predict(np.vstack([X, elsewhere]))
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance))
        assert np.all(variance > 0.0)
        assert np.abs(mean).max() <= 3.0 * max(np.abs(y).max(), 1.0)
        assert np.all(np.isfinite(gp.theta))

    def test_the_corners_of_the_bounds_are_safe(self):
        rng = np.random.default_rng(16)
        form = KernelForm(2, 1, linear=True, smoothness="matern52")
        X = np.column_stack([rng.random((40, 2)), rng.integers(0, 3, 40)])
        X[20:] = X[:20]
        for _ in range(40):
            theta = form.bounds[np.arange(form.size), rng.integers(0, 2, form.size)]
            gp = GaussianProcess.build(
                form, np.array([False, False, True]), theta, X, rng.normal(size=40)
            )
            mean, variance = gp.predict(X)
            assert np.all(np.isfinite(mean))
            assert np.all(variance > 0.0)


class TestJitterLadder:
    """A linear kernel of rank one and of a variance so great that its rounding hides the jitter."""

    X = np.linspace(0.1, 0.9, 30)[:, None]
    y = np.sin(9.0 * X[:, 0])
    form = KernelForm(1, 0, linear=True, input_warp=False)

    def theta(self, linear):
        theta = self.form.default.copy()
        theta[self.form.LINEAR] = np.log(linear)
        theta[self.form.NOISE] = -60.0
        theta[self.form.lengthscales] = np.log(1e4)  # far beyond the bounds: all points alike
        return theta

    def succeeds(self, theta, rung):
        inputs = Inputs(self.X, np.empty((30, 0)))
        K = self.form.covariance(theta, inputs, inputs)
        K[np.diag_indices(30)] += np.exp(theta[self.form.NOISE]) + rung * JITTER
        try:
            np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            return False
        return True

    def test_a_higher_rung_saves_the_factorisation(self):
        theta = self.theta(1e9)
        assert not self.succeeds(theta, JITTER_LADDER[0])
        assert self.succeeds(theta, JITTER_LADDER[-1])
        gp = GaussianProcess.build(self.form, numbers(1), theta, self.X, self.y)
        mean, variance = gp.predict(np.linspace(0.0, 1.0, 21)[:, None])
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance) & (variance > 0.0))
        assert np.abs(mean).max() > 1e-3  # the data are still heard

    def test_below_the_last_rung_there_is_no_correlation(self):
        theta = self.theta(1e20)
        assert not self.succeeds(theta, JITTER_LADDER[-1])
        gp = GaussianProcess.build(self.form, numbers(1), theta, self.X, self.y)
        mean, variance = gp.predict(np.linspace(0.0, 1.0, 21)[:, None])
        np.testing.assert_array_equal(mean, np.zeros(21))
        assert np.all(np.isfinite(variance) & (variance > 0.0))

    def test_believing_on_the_last_rung_is_safe(self):
        gp = GaussianProcess.build(self.form, numbers(1), self.theta(1e20), self.X, self.y)
        mean, variance = gp.believe(np.array([[0.33]])).predict(np.array([[0.33], [0.5]]))
        assert np.all(np.isfinite(mean))
        assert np.all(np.isfinite(variance) & (variance > 0.0))


def test_the_mean_alone_is_that_of_a_prediction(fitted):
    Z = np.random.default_rng(19).random((30, 2))
    np.testing.assert_array_equal(fitted.mean(Z), fitted.predict(Z)[0])


class TestLeaveOneOut:
    def test_each_is_what_the_others_predict(self):
        X = np.random.default_rng(20).random((12, 2))
        gp = GaussianProcess.fit(KernelForm(2, 0), numbers(2), X, wavy(X))
        mean, variance = gp.leave_one_out
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            others = GaussianProcess.build(gp.form, gp.is_category, gp.theta, X[rest], gp.y[rest])
            expected, spread = others.predict(X[[i]])
            assert mean[i] == pytest.approx(expected[0], abs=1e-6)
            assert variance[i] == pytest.approx(spread[0] + gp.noise, rel=1e-4)

    def test_without_correlation_it_is_the_prior_mean(self):
        last = TestJitterLadder()
        gp = GaussianProcess.build(last.form, numbers(1), last.theta(1e20), last.X, last.y)
        np.testing.assert_allclose(gp.leave_one_out[0], np.zeros(len(last.y)), atol=1e-12)

    def test_it_is_kept_and_cannot_be_changed(self, fitted):
        assert fitted.leave_one_out is fitted.leave_one_out
        for values in fitted.leave_one_out:
            with pytest.raises(ValueError, match="read-only"):
                values *= 2.0


class TestExplained:
    def test_it_is_the_share_of_the_variance_that_the_others_explain(self, fitted):
        mean, _ = fitted.leave_one_out
        rest = np.sum((fitted.y - mean) ** 2) / np.sum((fitted.y - fitted.y.mean()) ** 2)
        assert fitted.explained(len(fitted.y)) == pytest.approx(1.0 - rest)

    def test_of_the_first_ones_alone(self, fitted):
        y, mean = fitted.y[:7], fitted.leave_one_out[0][:7]
        assert fitted.explained(7) == pytest.approx(1.0 - np.mean((y - mean) ** 2) / np.var(y))

    def test_a_function_is_explained_and_noise_is_not(self):
        rng = np.random.default_rng(0)
        X = rng.random((60, 2))
        form = KernelForm(2, 0, noise_prior=WIDE_NOISE)

        def explained(y):
            y = (y - y.mean()) / y.std()
            return GaussianProcess.fit(form, numbers(2), X, y).explained(60)

        assert explained(X[:, 0] + X[:, 1] ** 2) > 0.95
        assert explained(rng.normal(size=60)) < 0.2

    def test_where_nothing_varies_nothing_is_explained(self, fitted):
        flat = GaussianProcess.build(
            fitted.form, fitted.is_category, fitted.theta, fitted.X, np.zeros(len(fitted.y))
        )
        assert flat.explained(len(flat.y)) == 0.0


class TestBelieve:
    def test_the_mean_stays(self, fitted):
        rng = np.random.default_rng(17)
        Z = rng.random((50, 2))
        believer = fitted.believe(rng.random((5, 2)))
        np.testing.assert_allclose(believer.predict(Z)[0], fitted.predict(Z)[0], atol=1e-6)

    def test_the_variance_shrinks_around_the_points(self, fitted):
        rng = np.random.default_rng(18)
        Z, pending = rng.random((50, 2)), np.array([[0.02, 0.97]])
        believer = fitted.believe(pending)
        assert np.all(believer.predict(Z)[1] <= fitted.predict(Z)[1] + 1e-9)
        before, after = fitted.predict(pending)[1][0], believer.predict(pending)[1][0]
        assert after < 0.2 * before

    def test_no_points_change_nothing(self, fitted):
        assert fitted.believe(np.empty((0, 2))) is fitted

    def test_a_point_that_is_known_already_and_a_repeated_one(self, fitted):
        pending = np.vstack([fitted.X[:2], fitted.X[:2], [[0.5, 0.5], [0.5, 0.5]]])
        believer = fitted.believe(pending)
        np.testing.assert_allclose(
            believer.predict(pending)[0], fitted.predict(pending)[0], atol=1e-6
        )
        assert len(believer.y) == len(fitted.y) + 6
