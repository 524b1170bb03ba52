"""Which of several models is the best, and that it is the one that is used."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from warpfront import HEBO, AtMost, Measured, Minimize, Real, Settings, Space
from warpfront.dataset import Dataset, Observations
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.surrogate import selection
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import JITTER, LogPosterior, Targets
from warpfront.surrogate.models import fit_models
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import RANKING_FIT, RankedModels, averaged, fit_model
from warpfront.surrogate.transforms import fit_transform

SPACE = Space({f"x{i}": Real(0, 1) for i in range(4)})
NAMES = ("warped", "additive", "quadratic")


def data_of(function, n=40, seed=0, goals=()):
    history = History(Problem(SPACE, goals))
    return Dataset.of(
        history.tell([(None, c, function(*c.values())) for c in SPACE.sample(n, seed=seed)])
    )


def ranked(data, names=NAMES, seed=0):
    candidates = [CANDIDATES[name] for name in names]
    return RankedModels(data, data.objective, candidates, np.random.default_rng(seed))


def names_of(models):
    return [models[rank].options.name for rank in range(len(models))]


def bowl(a, b, c, d):
    return (a - 0.3) ** 2 + (b - 0.6) ** 2 + a * c + 0.5 * d**2


def waves(a, b, c, d):
    return np.sin(9.0 * a) + np.cos(7.0 * b) + np.sin(11.0 * c) + d


class TestRanking:
    def test_a_bowl_is_quadratic(self):
        assert names_of(ranked(data_of(bowl)))[0] == "quadratic"

    def test_effects_that_add_up_are_additive(self):
        assert names_of(ranked(data_of(waves, n=60)))[0] == "additive"

    def test_losses_of_many_magnitudes_are_warped(self):
        data = data_of(lambda a, b, c, d: np.exp(6.0 * a + 3.0 * b * c))
        assert names_of(ranked(data))[0] == "warped"

    @pytest.mark.parametrize("function", [bowl, waves])
    def test_the_order_of_the_candidates_does_not_matter(self, function):
        data = data_of(function, n=48)
        assert names_of(ranked(data)) == names_of(ranked(data, NAMES[::-1]))

    def test_of_equal_ones_the_first_named_is_first(self):
        twins = [CANDIDATES["warped"], replace(CANDIDATES["warped"], name="twin")]
        data = data_of(bowl, n=20)
        for candidates in (twins, twins[::-1]):
            models = RankedModels(data, data.objective, candidates, np.random.default_rng(0))
            assert names_of(models) == [options.name for options in candidates]

    def test_all_candidates_are_ranked(self):
        models = ranked(data_of(bowl, n=16), tuple(CANDIDATES))
        assert len(models) == len(CANDIDATES)
        assert sorted(names_of(models)) == sorted(CANDIDATES)

    @pytest.mark.parametrize("unit", [1e-6, 1e6])
    def test_units_do_not_matter(self, unit):
        plain = names_of(ranked(data_of(bowl)))
        assert names_of(ranked(data_of(lambda *x: unit * bowl(*x)))) == plain


class TestDensity:
    """What models are ranked by."""

    @pytest.fixture
    def told(self, monkeypatch):
        """Density and Gaussian process of each candidate, in order."""
        seen, fits = [], []
        density, fit = selection._Fit.density, GaussianProcess.fit.__func__

        def spy_density(self):
            value = density(self)
            seen.append((self._options.name, value, self._transform, fits[-1]))
            return value

        def spy_fit(cls, *args, **rest):
            fits.append(fit(cls, *args, **rest))
            return fits[-1]

        monkeypatch.setattr(selection._Fit, "density", spy_density)
        monkeypatch.setattr(GaussianProcess, "fit", classmethod(spy_fit))
        return seen

    def test_it_is_that_of_the_better_half_left_out_one_by_one(self, told):
        data = data_of(lambda a, b, c, d: np.exp(2.0 * a + b) + 0.1 * d, n=13)
        ranked(data)
        y, X = data.objective.mean_of(data.objective.y), data.X
        assert [name for name, *_ in told] == list(NAMES)
        for _, value, transform, gp in told:
            scores = []
            for i in np.argsort(y)[:7]:
                rest = np.flatnonzero(np.arange(13) != i)
                others = GaussianProcess.build(gp.kernel, gp.theta, X[rest], gp.targets[rest])
                mean, variance = others.predict(X[[i]])
                jitter = JITTER * gp.kernel.diagonal(gp.theta, gp.points).mean()
                std = np.sqrt(variance[0] + gp.noise + jitter)
                # The density of the outcome: that of the target times d target / d outcome.
                h = 1e-6 * y[i]
                slope = float(np.diff(transform(y[i] + np.array([-h, h])))[0] / (2 * h))
                target = float(transform(y[[i]])[0])
                scores.append(norm.logpdf(target, mean[0], std) + np.log(slope))
            assert value == pytest.approx(np.mean(scores), rel=1e-3, abs=1e-3)

    def test_it_is_on_the_scale_of_the_outcomes(self, told):
        # In units a thousand times as large, each density is so much smaller.
        ranked(data_of(bowl, n=16))
        ranked(data_of(lambda *x: 1e3 * bowl(*x), n=16))
        for (_, one, *_), (_, other, *_) in zip(told[:3], told[3:], strict=True):
            assert other == pytest.approx(one - np.log(1e3), abs=1e-3)

    def test_of_many_outcomes_a_subset_is_used(self, told):
        ranked(data_of(bowl, n=200))
        assert [len(gp.t) for *_, gp in told] == [RANKING_FIT.points] * 3

    def test_a_single_candidate_is_not_judged(self, told):
        models = ranked(data_of(bowl, n=12), ("warped",))
        assert names_of(models) == ["warped"]
        assert told == []


class TestModels:
    def test_they_are_a_pure_function(self):
        data, X = data_of(bowl), SPACE.encoding.encode(SPACE.sample(9, seed=5))
        one, other = ranked(data), ranked(data)
        assert names_of(one) == names_of(other)
        for rank in range(3):
            np.testing.assert_array_equal(one[rank].gp.theta, other[rank].gp.theta)
            np.testing.assert_array_equal(one[rank].posterior(X), other[rank].posterior(X))

    def test_the_order_in_which_they_are_used_does_not_matter(self):
        # Of 600 observations each fit draws a random subset.
        data = data_of(bowl, n=600)
        one, other = ranked(data), ranked(data)
        first = [one[rank].gp.theta for rank in (0, 1, 2)]
        last = [other[rank].gp.theta for rank in (2, 1, 0)][::-1]
        for a, b in zip(first, last, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_each_is_fitted_once(self):
        models = ranked(data_of(bowl, n=16))
        assert models[0] is models[0]
        assert models[1] is models[1]

    def test_all_use_all_data(self):
        data = data_of(bowl, n=100)
        models = ranked(data)
        for rank in range(3):
            assert len(models[rank].gp.t) == 100 > RANKING_FIT.points

    def test_the_first_is_fitted_further_and_the_others_are_not(self, monkeypatch):
        brief, fit = {}, GaussianProcess.fit.__func__

        def spy(cls, kernel, *args, **rest):
            gp = fit(cls, kernel, *args, **rest)
            brief.setdefault(id(kernel), gp.theta)
            return gp

        monkeypatch.setattr(GaussianProcess, "fit", classmethod(spy))
        models = ranked(data_of(waves, n=100))
        gps = [models[rank].gp for rank in range(3)]
        value = LogPosterior(gps[0].kernel, gps[0].X, gps[0].targets)
        assert value(gps[0].theta)[0] < value(brief[id(gps[0].kernel)])[0] - 1.0
        for gp in gps[1:]:
            np.testing.assert_array_equal(gp.theta, brief[id(gp.kernel)])

    def test_users_see_the_first(self):
        optimizer = HEBO(SPACE, seed=4)
        for config in SPACE.sample(24, seed=1):
            optimizer.tell(config, bowl(*config.values()))
        data = Dataset.of(optimizer.history)
        fitted = fit_models(data, Settings(), seed=4)
        models = fitted.objectives[0]
        assert fitted.model is models[0]
        configs = SPACE.sample(5, seed=9)
        seen, first, second = (
            model.predict(configs).mean for model in (optimizer.model, models[0], models[1])
        )
        np.testing.assert_array_equal(seen, first)
        assert np.abs(seen - second).max() > 0.0

    def test_each_outcome_has_models_of_its_own(self):
        goals = (Minimize("loss"), AtMost("size", 2.0))
        data = data_of(lambda *x: {"loss": bowl(*x), "size": sum(x)}, n=24, goals=goals)
        rng = np.random.default_rng(0)
        model = fit_model(data, data.outcomes[1], CANDIDATES["quadratic"], rng)
        assert model.goal.name == "size"
        configs = SPACE.sample(9, seed=3)
        expected = [sum(c.values()) for c in configs]
        np.testing.assert_allclose(model.predict(configs).mean, expected, atol=0.1)

    def test_an_outcome_that_is_not_always_measured(self):
        goals = (Minimize("loss"), AtMost("size", 2.0))

        def told(a, b, c, d):
            return {"loss": bowl(a, b, c, d)} | ({"size": a + b} if a < 0.5 else {})

        data = data_of(told, n=16, goals=goals)
        rng = np.random.default_rng(0)
        model = fit_model(data, data.outcomes[1], CANDIDATES["warped"], rng)
        np.testing.assert_array_equal(model.gp.X, data.X[data.X[:, 0] < 0.5])


class TestAveraged:
    """One target of each configuration, and what is known of its noise."""

    NONE = np.full(5, np.nan)

    def observed(self, std=NONE):
        return Observations(np.array([0, 0, 0, 1, 3]), np.array([1.0, 2.0, 6.0, 4.0, 5.0]), std)

    @pytest.mark.parametrize("warp", ["none", "power", "robust"])
    def test_targets_are_averaged_not_outcomes(self, warp):
        observed = self.observed()
        transform = fit_transform(observed.y, warp)
        targets, t = averaged(observed, transform), transform(observed.y)
        np.testing.assert_allclose(targets.t, [t[:3].mean(), t[3], t[4]], rtol=1e-12)
        np.testing.assert_allclose(targets.share, [1 / 3, 1.0, 1.0])
        np.testing.assert_array_equal(targets.known, np.zeros(3))
        np.testing.assert_allclose(targets.squares, [3.0 * t[:3].var(), 0.0, 0.0], atol=1e-15)
        np.testing.assert_array_equal(targets.freedom, [2.0, 0.0, 0.0])

    @pytest.mark.parametrize("warp", ["none", "power"])
    def test_known_noise_is_that_of_the_mean_in_units_of_the_targets(self, warp):
        observed = self.observed(np.array([0.1, 0.2, 0.3, 0.4, np.nan]))
        transform = fit_transform(observed.y, warp)
        h = 1e-6
        slope = (transform(observed.y + h) - transform(observed.y - h)) / (2 * h)
        variance = (observed.std * slope) ** 2
        targets = averaged(observed, transform)
        expected = [variance[:3].sum() / 9.0, variance[3], 0.0]
        np.testing.assert_allclose(targets.known, expected, rtol=1e-6)
        np.testing.assert_allclose(targets.share, [0.0, 0.0, 1.0])
        np.testing.assert_array_equal(targets.squares, np.zeros(3))
        np.testing.assert_array_equal(targets.freedom, np.zeros(3))

    def test_known_and_unknown_noise_may_be_mixed(self):
        # The variance of a mean of three is a ninth of the sum of their variances.
        observed = self.observed(np.array([0.3, np.nan, np.nan, np.nan, np.nan]))
        transform = fit_transform(observed.y, "none")
        targets = averaged(observed, transform)
        scale = observed.y.std()
        noise = 0.07
        variance = targets.variance(noise)
        assert variance[0] == pytest.approx((2.0 * noise + (0.3 / scale) ** 2) / 9.0)

    def test_where_outcomes_are_cut_their_noise_is_unknown(self):
        y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 1e6])
        observed = Observations(np.arange(6), y, np.full(6, 0.5))
        transform = fit_transform(y, "robust")
        assert transform.cut < 1e6
        targets = averaged(observed, transform)
        assert targets.share.tolist() == [0.0] * 5 + [1.0]
        assert np.all(targets.known[:5] > 0.0)
        assert targets.known[5] == 0.0

    def test_replicates_that_are_cut_do_not_agree(self):
        y = np.array([1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1e6, 2e6])
        row = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9])
        observed = Observations(row, y, np.full(12, np.nan))
        transform = fit_transform(y, "robust")
        assert transform.cut < 1e6
        targets = averaged(observed, transform)
        assert transform(y)[-1] == transform(y)[-2]
        np.testing.assert_array_equal(targets.freedom, [1.0] + [0.0] * 9)
        assert targets.squares[0] > 0.0

    def test_noise_of_zero_is_known(self):
        observed = self.observed(np.zeros(5))
        targets = averaged(observed, fit_transform(observed.y, "none"))
        np.testing.assert_array_equal(targets.share, np.zeros(3))
        np.testing.assert_array_equal(targets.known, np.zeros(3))

    def test_single_measurements_are_plain(self):
        y = np.array([3.0, 1.0, 2.0])
        observed = Observations(np.arange(3), y, np.full(3, np.nan))
        transform = fit_transform(y, "none")
        targets, plain = averaged(observed, transform), Targets.plain(transform(y))
        for name in ("t", "share", "known", "squares", "freedom"):
            np.testing.assert_allclose(getattr(targets, name), getattr(plain, name))

    def test_an_optimiser_heeds_the_noise_that_it_is_told(self):
        space = Space(x=Real(0, 1))

        def left(std):
            told = [(None, {"x": x}, Measured(x + (x == 0.5), std)) for x in np.linspace(0, 1, 9)]
            data = Dataset.of(History(space).tell(told))
            rng = np.random.default_rng(0)
            model = fit_model(data, data.objective, CANDIDATES["quadratic"], rng)
            return model.predict({"x": 0.5}).mean[0]

        assert left(1e-6) == pytest.approx(1.5, abs=0.01)
        assert left(1.0) < 1.2
