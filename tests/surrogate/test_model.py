"""The model as a user sees it: predictions in the units of the outcome."""

import copy
import re
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from warpfront import (
    HEBO,
    AtMost,
    Boolean,
    Categorical,
    Integer,
    Maximize,
    Minimize,
    Real,
    Settings,
    Space,
)
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History
from warpfront.optimizers.hebo import recommend
from warpfront.problem import Problem
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.model import EXTRAPOLATION, ROWS_AT_A_TIME
from warpfront.surrogate.models import candidate_models, fit_models
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model

SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
PAPER = CANDIDATES["paper"]
MODELS = {
    **CANDIDATES,
    "paper": replace(PAPER, fit=replace(PAPER.fit, starts=2, iterations=40)),
    "none": replace(CANDIDATES["warped"], output_warp="none", input_warp=False),
}


def fit(history, name="warped", seed=0, **changes):
    """One of the candidate models of the objective, fitted."""
    data, options = Dataset.of(history), replace(MODELS[name], **changes)
    return fit_model(data, data.objective, options, np.random.default_rng(seed))


def history_of(space, pairs):
    return History(space).tell([(None, config, value) for config, value in pairs])


def bowl(config):
    return 3.0 + 2.0 * (config["x"] - 0.3) ** 2 + config["y"]


def sample(n, seed=0):
    return [{"x": x, "y": y} for x, y in np.random.default_rng(seed).random((n, 2)).tolist()]


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return fit(history_of(SPACE, [(c, bowl(c)) for c in sample(30)]), request.param)


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
        X = np.random.default_rng(0).random((2 * ROWS_AT_A_TIME + 5, 2))
        mean, variance = fitted.gp.predict(X)
        sizes, whole = [], GaussianProcess.predict
        monkeypatch.setattr(
            GaussianProcess, "predict", lambda gp, Z: sizes.append(len(Z)) or whole(gp, Z)
        )
        in_parts = fitted.posterior(X)
        assert sizes == [ROWS_AT_A_TIME, ROWS_AT_A_TIME, 5]
        np.testing.assert_allclose(in_parts[0], mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(in_parts[1], variance, rtol=1e-9, atol=1e-9)

    def test_a_grid_of_configurations_takes_little_memory(self, fitted):
        configs = sample(8 * ROWS_AT_A_TIME)
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
        with pytest.raises(ConfigurationError, match=f"{thing} is not a configuration"):
            fitted.predict(thing)

    def test_without_an_output_warp_mean_and_spread_are_the_posterior_scaled(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(12)])
        model = fit(history, "none")
        losses, configs = np.array([t.value for t in history.completed]), sample(9, seed=3)
        mean, variance = model.posterior(SPACE.encoding.encode(configs))
        prediction = model.predict(configs)
        np.testing.assert_allclose(prediction.mean, mean * losses.std() + losses.mean(), rtol=1e-9)
        np.testing.assert_allclose(prediction.std, np.sqrt(variance) * losses.std(), rtol=1e-6)

    def test_the_mean_is_that_of_many_samples(self):
        history = history_of(SPACE, [(c, np.exp(4.0 * c["x"])) for c in sample(6)])
        model = fit(history, output_warp="power")
        configs = [{"x": 0.4, "y": 0.5}]
        mean, variance = model.posterior(SPACE.encoding.encode(configs))
        draws = np.random.default_rng(0).normal(mean, np.sqrt(variance), 200_000)
        losses = model.transform.inverse(draws)
        prediction = model.predict(configs)
        assert prediction.mean[0] == pytest.approx(losses.mean(), rel=0.01)
        assert prediction.std[0] == pytest.approx(losses.std(), rel=0.02)

    @pytest.mark.parametrize("name", MODELS)
    def test_heavy_tails_do_not_predict_the_infinite(self, name):
        # With ζ < 0 the power transform has an upper end, beyond which the loss is infinite.
        pairs = [(c, float(np.exp(np.exp(2.2 * c["x"])))) for c in sample(12)]
        model = fit(history_of(SPACE, pairs), name)
        prediction = model.predict(sample(200, seed=4))
        best, worst = min(v for _, v in pairs), max(v for _, v in pairs)
        reach = (worst + EXTRAPOLATION * (worst - best)) * (1.0 + 1e-9)
        assert np.all(prediction.mean <= reach)
        assert np.all(prediction.std <= reach)
        assert np.all(model.quantile(sample(200, seed=4), 0.999) <= reach)

    def test_losses_beyond_the_cut_are_predicted_as_the_cut(self):
        x = np.linspace(0.0, 1.0, 20)
        told = [(None, {"x": a}, y) for a, y in zip(x, np.exp(10.0 * x), strict=True)]
        history = History(Space(x=Real(0.0, 1.0))).tell(told)
        cut, whole = (fit(history, output_warp=warp) for warp in ("robust", "power"))
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


@pytest.fixture(scope="module")
def both():
    """The same losses, minimised, and maximised with the other sign."""
    pairs = [(c, np.exp(2.0 * c["x"]) + c["y"]) for c in sample(20)]
    turned = [(c, -value) for c, value in pairs]
    problem = Problem(SPACE, Maximize("gain"))
    return fit(history_of(SPACE, pairs)), fit(history_of(problem, turned))


class TestMaximised:
    """What is maximised is predicted in the user's sign."""

    def test_it_is_the_mirror_image_of_what_is_minimised(self, both):
        least, greatest = both
        configs = sample(10, seed=1)
        one, other = least.predict(configs), greatest.predict(configs)
        np.testing.assert_allclose(other.mean, -one.mean, rtol=1e-12)
        np.testing.assert_allclose(other.std, one.std, rtol=1e-12)
        assert np.all(other.mean < 0.0)

    def test_so_are_quantiles(self, both):
        least, greatest = both
        configs = sample(10, seed=1)
        for q in (0.05, 0.5, 0.8):
            expected = -least.quantile(configs, 1.0 - q)
            np.testing.assert_allclose(greatest.quantile(configs, q), expected, rtol=1e-9)
        low, high = (greatest.quantile(configs, q) for q in (0.1, 0.9))
        assert np.all(low < high)


class TestReference:
    def test_it_is_the_target_of_what_the_objective_names(self):
        pairs = [(c, bowl(c)) for c in sample(12)]
        losses = np.array([value for _, value in pairs])
        model = fit(history_of(Problem(SPACE, Minimize("loss", reference=9.0)), pairs), "none")
        assert model.reference == pytest.approx((9.0 - losses.mean()) / losses.std())
        turned = [(c, -value) for c, value in pairs]
        goal = Maximize("gain", reference=-9.0)
        other = fit(history_of(Problem(SPACE, goal), turned), "none")
        assert other.reference == pytest.approx(model.reference)

    def test_a_cut_does_not_hide_it(self):
        pairs = [*((c, bowl(c)) for c in sample(19)), ({"x": 1.0, "y": 1.0}, 1e6)]
        goal = Minimize("loss", reference=1e4)
        model = fit(history_of(Problem(SPACE, goal), pairs))
        assert model.transform.cut < 1e4
        assert model.reference > model.gp.t.max()

    def test_without_one_there_is_none(self, fitted):
        assert fitted.reference is None
        problem = Problem(SPACE, (Minimize("loss"), AtMost("size", 3.0)))
        history = History(problem).tell(
            [(None, c, {"loss": bowl(c), "size": c["x"]}) for c in sample(6)]
        )
        (constraint,) = fit_models(Dataset.of(history), Settings(), seed=0).constraints
        assert constraint.model.reference is None


class TestFit:
    def test_it_needs_a_completed_trial(self):
        optimizer = HEBO(SPACE, seed=0)
        for config in sample(2):
            with pytest.raises(NotEnoughDataError, match="tell at least one finite value"):
                optimizer.model  # noqa: B018
            optimizer.tell(config, float("nan"))
        optimizer.tell({"x": 0.5, "y": 0.5}, 1.0)
        assert optimizer.model.predict({"x": 0.5, "y": 0.5}).mean[0] == pytest.approx(1.0)

    @pytest.mark.parametrize("name", MODELS)
    def test_it_is_a_pure_function(self, name):
        pairs = [(c, bowl(c)) for c in sample(15)]
        one = fit(history_of(SPACE, pairs), name, seed=3)
        other = fit(history_of(SPACE, pairs[::-1]), name, seed=3)
        np.testing.assert_array_equal(one.gp.theta, other.gp.theta)
        configs = sample(5, seed=5)
        np.testing.assert_array_equal(one.predict(configs).mean, other.predict(configs).mean)

    def test_pending_and_failed_trials_do_not_matter(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(10)])
        others = history.ask(sample(3, seed=6)).tell([(None, {"x": 0.3, "y": 0.1}, np.nan)])
        one, other = fit(history), fit(others)
        np.testing.assert_array_equal(one.gp.theta, other.gp.theta)
        np.testing.assert_array_equal(one.gp.X, other.gp.X)

    def test_the_settings_choose_the_kernel(self):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(5)])
        settings = Settings.paper(input_warp=False, output_warp="none")
        data, (options,) = Dataset.of(history), candidate_models(settings)
        model = fit_model(data, data.objective, options, np.random.default_rng(0))
        matern, linear = model.gp.kernel.terms
        assert (matern.smoothness, matern.lengthscales) == ("matern32", "flat")
        assert type(linear).__name__ == "Linear"
        assert model.gp.kernel.warp is None
        assert model.transform.power is None
        paper = fit(history, "paper")
        assert paper.gp.kernel.warp is not None
        assert paper.transform.power is not None

    def test_columns_of_one_value_are_left_out(self):
        space = Space(fixed=Integer(3, 3), x=Real(0, 1), kind=Categorical(["only"]), flag=Boolean())
        rng = np.random.default_rng(0)
        configs = [
            {"fixed": 3, "x": float(rng.random()), "kind": "only", "flag": bool(i % 2)}
            for i in range(12)
        ]
        pairs = [(c, c["x"] + 2.0 * c["flag"]) for c in configs]
        model = fit(history_of(space, pairs))
        np.testing.assert_array_equal(model.columns, [False, True, False, True])
        assert model.gp.kernel.columns.d == 2
        losses = np.array([value for _, value in pairs])
        assert np.abs(model.predict(configs).mean - losses).max() < 0.3

    def test_a_space_of_one_configuration(self):
        space = Space(kind=Categorical(["only"]))
        pairs = [({"kind": "only"}, value) for value in (1.0, 2.0, 3.0)]
        prediction = fit(history_of(space, pairs)).predict([{"kind": "only"}])
        assert 1.0 < prediction.mean[0] < 3.0

    @pytest.mark.parametrize(("n", "times"), [(12, 5), (20, 3), (60, 4)])
    def test_the_noise_is_that_of_replicates(self, n, times):
        rng = np.random.default_rng(0)
        pairs = [(c, bowl(c) + rng.normal(0.0, 0.5)) for c in sample(n) for _ in range(times)]
        model = fit(history_of(SPACE, pairs), "none")
        targets = model.gp.targets
        assert len(targets) == n
        np.testing.assert_allclose(targets.share, 1.0 / times)
        spread = np.std([value for _, value in pairs])
        assert np.sqrt(model.gp.noise) * spread == pytest.approx(0.5, rel=0.25)

    def test_replicates_that_agree_are_no_noise(self):
        pairs = [(c, bowl(c)) for c in sample(12) for _ in range(3)]
        model = fit(history_of(SPACE, pairs), "none")
        assert model.gp.noise < 1e-5


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
        model = fit_models(Dataset.of(history), Settings(), seed=0).model
        assert dict(recommend(history, model).config) == good

    def test_without_noise_it_is_the_best(self, fitted):
        history = history_of(SPACE, [(c, bowl(c)) for c in sample(30)])
        assert recommend(history, fitted).value <= history.best.value + 0.05

    def test_it_looks_at_completed_trials_only(self):
        history = history_of(SPACE, [({"x": 0.3, "y": 0.0}, float("nan"))]).ask(sample(3))
        history = history.tell([(None, {"x": 1.0, "y": 1.0}, 9.0)])
        assert recommend(history, fit(history)).value == 9.0


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


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_losses_give_finite_predictions(name, model):
    history = history_of(SPACE, list(zip(sample(len(HOSTILE[name])), HOSTILE[name], strict=True)))
    check_finite(history, fit(history, model))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_losses_give_finite_predictions_by_default(name):
    history = history_of(SPACE, list(zip(sample(len(HOSTILE[name])), HOSTILE[name], strict=True)))
    check_finite(history, fit_models(Dataset.of(history), Settings(), seed=0).model)


def check_finite(history, model):
    prediction = model.predict(sample(10, seed=8))
    assert np.all(np.isfinite(prediction.mean))
    assert np.all(np.isfinite(prediction.std))
    low, high = (model.quantile(sample(10, seed=8), q) for q in (0.1, 0.9))
    assert np.all(low <= high)
    assert recommend(history, model).state == "completed"
