"""The model as a user sees it: predictions in the units of the loss."""

import copy
import re
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.model import BEYOND, PART, Model

SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
SETTINGS = {
    "default": Settings(),
    "paper": Settings.paper(starts=2, iterations=40),
    "none": Settings(output_warp="none", input_warp=False),
}


def history_of(space, pairs):
    return History(space).tell([(None, config, value) for config, value in pairs])


def bowl(config):
    return 3.0 + 2.0 * (config["x"] - 0.3) ** 2 + config["y"]


def sample(n, seed=0):
    return [{"x": x, "y": y} for x, y in np.random.default_rng(seed).random((n, 2)).tolist()]


@pytest.fixture(scope="module", params=SETTINGS)
def fitted(request):
    history = history_of(SPACE, [(c, bowl(c)) for c in sample(30)])
    return Model.fit(history, SETTINGS[request.param], seed=0)


class TestPredict:
    def test_it_is_near_the_truth(self, fitted):
        configs = sample(100, seed=1)
        prediction = fitted.predict(configs)
        truth = np.array([bowl(c) for c in configs])
        error = np.sqrt(np.mean((prediction.mean - truth) ** 2))
        assert error < 0.1 * truth.std()
        assert np.all(prediction.std > 0.0)
        assert np.mean(np.abs(prediction.mean - truth) <= 3.0 * prediction.std) > 0.8

    def test_what_was_seen_is_more_certain_than_what_was_not(self, fitted):
        seen = fitted.predict(sample(30)).std
        corners = fitted.predict([{"x": x, "y": y} for x in (0.0, 1.0) for y in (0.0, 1.0)]).std
        assert seen.mean() < corners.mean()

    def test_quantiles_are_ordered_around_the_mean(self, fitted):
        configs = sample(20, seed=2)
        table = np.array([fitted.quantile(configs, q) for q in (0.01, 0.1, 0.5, 0.9, 0.99)])
        assert np.all(np.diff(table, axis=0) > 0.0)
        mean = fitted.predict(configs).mean
        assert np.all((table[0] < mean) & (mean < table[-1]))

    def test_encoded_configurations_have_the_same_quantiles(self, fitted):
        configs = sample(20, seed=4)
        X = SPACE.encoding.encode(configs)
        table = fitted.quantiles_at(X, [0.1, 0.5, 0.9])
        for row, q in zip(table, (0.1, 0.5, 0.9), strict=True):
            np.testing.assert_allclose(row, fitted.quantile(configs, q), rtol=1e-12)
        np.testing.assert_allclose(fitted.median_at(X), table[1], rtol=1e-12)

    def test_many_configurations_are_predicted_in_parts(self, fitted, monkeypatch):
        X = np.random.default_rng(0).random((2 * PART + 5, 2))
        mean, variance = fitted.gp.predict(X)
        sizes, whole = [], GaussianProcess.predict
        monkeypatch.setattr(
            GaussianProcess, "predict", lambda gp, Z: sizes.append(len(Z)) or whole(gp, Z)
        )
        in_parts = fitted.posterior(X)
        assert sizes == [PART, PART, 5]
        np.testing.assert_allclose(in_parts[0], mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(in_parts[1], variance, rtol=1e-9, atol=1e-9)

    def test_a_grid_of_configurations_takes_little_memory(self, fitted):
        configs = sample(8 * PART)
        tracemalloc.start()
        try:
            fitted.predict(configs)
            assert tracemalloc.get_traced_memory()[1] < 1000 * len(configs)
        finally:
            tracemalloc.stop()

    def test_no_configurations_give_no_predictions(self, fitted):
        prediction = fitted.predict([])
        assert prediction.mean.shape == prediction.std.shape == (0,)

    def test_trials_are_predicted_as_their_configurations(self, fitted):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(30)])
        first, second = history.trials[:2]
        expected = fitted.predict([first.config, second.config])
        assert fitted.predict(first).mean[0] == pytest.approx(expected.mean[0], rel=1e-9)
        several = fitted.predict([first, second.config])
        np.testing.assert_allclose(several.std, expected.std, rtol=1e-9)
        assert fitted.quantile(first, 0.9)[0] > fitted.quantile(first, 0.1)[0]

    @pytest.mark.parametrize("thing", [None, 5])
    def test_what_is_no_configuration_is_refused(self, fitted, thing):
        with pytest.raises(ConfigurationError, match=f"{thing} is no configuration"):
            fitted.predict(thing)

    def test_without_an_output_warp_mean_and_spread_are_the_posterior_scaled(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(12)])
        model = Model.fit(history, SETTINGS["none"], seed=0)
        losses, configs = history.observations[1], sample(9, seed=3)
        mean, variance = model.posterior(SPACE.encoding.encode(configs))
        prediction = model.predict(configs)
        np.testing.assert_allclose(prediction.mean, mean * losses.std() + losses.mean(), rtol=1e-9)
        np.testing.assert_allclose(prediction.std, np.sqrt(variance) * losses.std(), rtol=1e-6)

    def test_the_mean_is_that_of_many_samples(self):
        history = history_of(SPACE, [(c, np.exp(4.0 * c["x"])) for c in sample(6)])
        model = Model.fit(history, Settings(output_warp="power"), seed=0)
        configs = [{"x": 0.4, "y": 0.5}]
        mean, variance = model.posterior(SPACE.encoding.encode(configs))
        draws = np.random.default_rng(0).normal(mean, np.sqrt(variance), 200_000)
        losses = model.transform.inverse(draws)
        prediction = model.predict(configs)
        assert prediction.mean[0] == pytest.approx(losses.mean(), rel=0.01)
        assert prediction.std[0] == pytest.approx(losses.std(), rel=0.02)

    @pytest.mark.parametrize("name", SETTINGS)
    def test_heavy_tails_do_not_predict_the_infinite(self, name):
        # With ζ < 0 the power transform has an upper end, beyond which the loss is infinite.
        pairs = [(c, float(np.exp(np.exp(2.2 * c["x"])))) for c in sample(12)]
        model = Model.fit(history_of(SPACE, pairs), SETTINGS[name], seed=0)
        prediction = model.predict(sample(200, seed=4))
        best, worst = min(v for _, v in pairs), max(v for _, v in pairs)
        reach = (worst + BEYOND * (worst - best)) * (1.0 + 1e-9)
        assert np.all(prediction.mean <= reach)
        assert np.all(prediction.std <= reach)
        assert np.all(model.quantile(sample(200, seed=4), 0.999) <= reach)

    def test_losses_beyond_the_cut_are_predicted_as_the_cut(self):
        x = np.linspace(0.0, 1.0, 20)
        told = [(None, {"x": a}, y) for a, y in zip(x, np.exp(10.0 * x), strict=True)]
        history = History(Space(x=Real(0.0, 1.0))).tell(told)
        cut = Model.fit(history, Settings(), seed=0)
        whole = Model.fit(history, Settings(output_warp="power"), seed=0)
        assert cut.predict({"x": 1.0}).mean[0] == pytest.approx(cut.transform.cut, rel=0.05)
        assert cut.quantile({"x": 1.0}, 0.9)[0] == pytest.approx(cut.transform.cut, rel=0.1)
        assert whole.predict({"x": 1.0}).mean[0] == pytest.approx(np.exp(10.0), rel=0.1)
        assert cut.transform.cut < 0.2 * np.exp(10.0)

    def test_one_configuration_is_as_good_as_a_list_of_one(self, fitted):
        (config,) = sample(1, seed=2)
        one, listed = fitted.predict(config), fitted.predict([config])
        assert one.mean.shape == one.std.shape == (1,)
        np.testing.assert_array_equal(one.mean, listed.mean)
        np.testing.assert_array_equal(one.std, listed.std)
        np.testing.assert_array_equal(fitted.quantile(config, 0.3), fitted.quantile([config], 0.3))

    @pytest.mark.parametrize("q", [0.0, 1.0, -0.5, 1.5, float("nan"), float("inf"), 10**400])
    def test_a_quantile_outside_of_0_and_1_is_an_error(self, fitted, q):
        with pytest.raises(ConfigurationError, match="q="):
            fitted.quantile(sample(1), q)

    @pytest.mark.parametrize("q", ["0.9", None, [0.1, 0.9], (0.5,), np.array([0.1, 0.9]), 1j])
    def test_a_quantile_that_is_not_one_number_is_an_error(self, fitted, q):
        with pytest.raises(
            ConfigurationError, match=re.escape(f"q={q!r}: a quantile lies between")
        ):
            fitted.quantile(sample(1), q)

    @pytest.mark.parametrize("q", [np.float64(0.25), np.array(0.25), Fraction(1, 4)])
    def test_a_quantile_may_be_a_number_of_any_kind(self, fitted, q):
        assert fitted.quantile(sample(1), q) == fitted.quantile(sample(1), 0.25)

    def test_a_configuration_outside_of_the_space_is_an_error(self, fitted):
        for method in (fitted.predict, lambda configs: fitted.quantile(configs, 0.5)):
            with pytest.raises(ConfigurationError, match="x"):
                method([{"x": 1.5, "y": 0.5}])
            with pytest.raises(ConfigurationError, match="y"):
                method([{"x": 0.5}])
            with pytest.raises(ConfigurationError, match="x"):
                method({"x": 1.5, "y": 0.5})


class TestFit:
    def test_it_needs_a_completed_trial(self):
        with pytest.raises(NotEnoughDataError, match="tell a finite loss"):
            Model.fit(History(SPACE), Settings(), seed=0)
        failed = history_of(SPACE, [({"x": 0.5, "y": 0.5}, float("nan"))])
        with pytest.raises(NotEnoughDataError, match="tell a finite loss"):
            Model.fit(failed.ask(sample(2)), Settings(), seed=0)

    def test_it_is_a_pure_function(self):
        pairs = [(c, bowl(c)) for c in sample(15)]
        one = Model.fit(history_of(SPACE, pairs), Settings(), seed=3)
        other = Model.fit(history_of(SPACE, pairs[::-1]), Settings(), seed=3)
        np.testing.assert_array_equal(one.gp.theta, other.gp.theta)
        configs = sample(5, seed=5)
        np.testing.assert_array_equal(one.predict(configs).mean, other.predict(configs).mean)

    def test_the_incumbent_is_the_best_observed_point(self):
        pairs = [(c, bowl(c)) for c in sample(15)]
        pairs.append(({"x": 0.31, "y": 0.77}, float("inf")))
        model = Model.fit(history_of(SPACE, pairs), Settings(), seed=0)
        best = min(pairs, key=lambda pair: pair[1])[0]
        np.testing.assert_array_equal(model.incumbent, [best["x"], best["y"]])

    def test_pending_trials_do_not_matter(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(10)])
        one, other = (
            Model.fit(h, Settings(), seed=0) for h in (history, history.ask(sample(3, seed=6)))
        )
        np.testing.assert_array_equal(one.gp.theta, other.gp.theta)

    def test_the_settings_choose_the_kernel(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(5)])
        settings = Settings.paper(
            starts=1, iterations=2, input_warp=False, smoothness="matern52", output_warp="none"
        )
        model = Model.fit(history, settings, seed=0)
        form = model.gp.form
        assert (form.linear, form.input_warp, form.smoothness) == (True, False, "matern52")
        assert (form.lengthscale_prior, form.noise_prior.mode) == ("flat", -4.63)
        assert model.transform.method == "linear"

    def test_columns_of_one_value_are_left_out(self):
        space = Space(fixed=Integer(3, 3), x=Real(0, 1), kind=Categorical(["only"]), flag=Boolean())
        rng = np.random.default_rng(0)
        configs = [
            {"fixed": 3, "x": float(rng.random()), "kind": "only", "flag": bool(i % 2)}
            for i in range(12)
        ]
        pairs = [(c, c["x"] + 2.0 * c["flag"]) for c in configs]
        model = Model.fit(history_of(space, pairs), Settings(), seed=0)
        np.testing.assert_array_equal(model.columns, [False, True, False, True])
        assert model.gp.X.shape == (12, 2)
        losses = np.array([value for _, value in pairs])
        assert np.abs(model.predict(configs).mean - losses).max() < 0.3

    def test_a_space_of_one_configuration(self):
        space = Space(kind=Categorical(["only"]))
        pairs = [({"kind": "only"}, value) for value in (1.0, 2.0, 3.0)]
        prediction = Model.fit(history_of(space, pairs), Settings(), seed=0).predict(
            [{"kind": "only"}]
        )
        assert 1.0 < prediction.mean[0] < 3.0


class TestFailures:
    def test_they_raise_the_prediction_around_them(self):
        pairs = [(c, bowl(c)) for c in sample(20)]
        failed = [({"x": 0.3 + dx, "y": 0.05}, float("nan")) for dx in (-0.05, 0.0, 0.05)]
        without, with_them = (
            Model.fit(history_of(SPACE, p), Settings(), seed=0) for p in (pairs, pairs + failed)
        )
        there = [config for config, _ in failed]
        before, after = without.predict(there).mean, with_them.predict(there).mean
        assert np.all(after > before + 0.2)

    def test_elsewhere_predictions_stay_in_the_units_of_the_loss(self):
        # Half of all trials fail, which moves the mean of the targets, but not of the losses.
        configs = sample(40, seed=7)
        pairs = [(c, 5.0 + c["x"] if c["x"] < 0.5 else float("nan")) for c in configs]
        model = Model.fit(history_of(SPACE, pairs), Settings(), seed=0)
        good = [c for c in configs if c["x"] < 0.45]
        losses = np.array([5.0 + c["x"] for c in good])
        assert np.abs(model.predict(good).mean - losses).max() < 0.03

    def test_their_target_is_the_worst_seen(self):
        pairs = [(c, bowl(c)) for c in sample(9)] + [({"x": 0.5, "y": 0.5}, float("nan"))]
        y = Model.fit(history_of(SPACE, pairs), Settings(), seed=0).gp.y
        assert y[-1] == y[:-1].max()

    @pytest.mark.parametrize("others", [0.3, 0.1 + 0.2], ids=["exactly", "but the last digit"])
    def test_when_all_losses_are_equal_failures_are_still_worse(self, others):
        pairs = [({"x": 0.1 * i, "y": 0.5}, 0.3 if i % 2 else others) for i in range(5)]
        pairs += [({"x": 0.9, "y": 0.5}, float("nan"))] * 3
        model = Model.fit(history_of(SPACE, pairs), Settings(), seed=0)
        mean, _ = model.posterior(np.array([[0.2, 0.5], [0.9, 0.5]]))
        assert mean[1] > mean[0] + 0.1


def test_models_and_predictions_can_be_compared_and_be_keys(fitted):
    other = copy.deepcopy(fitted)
    assert fitted == fitted != other
    assert {fitted: 1, other: 2}[fitted] == 1
    one, two = (model.predict(sample(2)) for model in (fitted, other))
    assert one == one != two


class TestRecommend:
    def test_a_good_point_seen_often_beats_a_lucky_one(self):
        rng = np.random.default_rng(0)
        good, lucky = {"x": 0.5, "y": 0.5}, {"x": 0.9, "y": 0.5}
        pairs = [(good, 1.0 + 0.1 * e) for e in rng.normal(size=8)]
        pairs += [(lucky, 2.5 + 0.1 * e) for e in rng.normal(size=5)] + [(lucky, 0.5)]
        pairs += [({"x": x, "y": 0.5}, 1.0 + 10.0 * (x - 0.5) ** 2) for x in (0.0, 0.2, 0.3, 0.7)]
        history = history_of(SPACE, pairs)
        assert dict(history.best.config) == lucky
        model = Model.fit(history, Settings(), seed=0)
        assert dict(model.recommendation.config) == good

    def test_without_noise_it_is_the_best(self, fitted):
        assert fitted.recommendation.value <= fitted.history.best.value + 0.05

    def test_it_looks_at_completed_trials_only(self):
        history = history_of(SPACE, [({"x": 0.3, "y": 0.0}, float("nan"))]).ask(sample(3))
        history = history.tell([(None, {"x": 1.0, "y": 1.0}, 9.0)])
        assert Model.fit(history, Settings(), seed=0).recommendation.value == 9.0


HOSTILE = {
    "single": [1.0],
    "constant": [2.0] * 6,
    "zeros": [0.0] * 4,
    "1e300": [1.0, 2.0, 1e300, 4.0],
    "1e-300": [1e-300, 2e-300, 3e-300],
    "both signs of 1e300": [-1e300, 0.0, 5.0, 1e300],
    "the largest floats": [-1.7e308, 1.7e308, 0.0],
    "mixed": [1e-200, 1e-3, 1.0, 1e100, 1e250],
    "all but one failed": [float("nan")] * 5 + [1.0],
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_losses_give_finite_predictions(name, settings):
    pairs = list(zip(sample(len(HOSTILE[name])), HOSTILE[name], strict=True))
    history = history_of(SPACE, pairs)
    model = Model.fit(history, SETTINGS[settings], seed=0)
    prediction = model.predict(sample(10, seed=8))
    assert np.all(np.isfinite(prediction.mean))
    assert np.all(np.isfinite(prediction.std))
    low, high = (model.quantile(sample(10, seed=8), q) for q in (0.1, 0.9))
    assert np.all(low <= high)
    assert model.recommendation.state == "completed"
