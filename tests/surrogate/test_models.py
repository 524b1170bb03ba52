"""All that is believed of a history: objectives, bounds and failures."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from scipy.stats import norm

from warpfront import AtLeast, AtMost, Maximize, Minimize, Real, Settings, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.settings import ModelName
from warpfront.surrogate.models import candidate_models, fit_models
from warpfront.surrogate.options import CANDIDATES

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
QUICK = Settings(models=["quadratic"])
X = SPACE.encoding.encode(SPACE.sample(12, seed=9))


def data_of(function, *goals, n=16):
    told = [(None, c, function(c["x"], c["y"])) for c in SPACE.sample(n, seed=0)]
    return Dataset.of(History(Problem(SPACE, goals)).tell(told))


class TestCandidates:
    def test_they_are_those_of_the_settings_in_order(self):
        names = ("quadratic", "paper", "warped")
        assert [o.name for o in candidate_models(Settings(models=names))] == list(names)

    def test_every_name_has_a_model(self):
        assert set(CANDIDATES) == set(ModelName.__args__)

    @pytest.mark.parametrize("warp", ["power", "robust", "none"])
    def test_the_output_warp_is_that_of_the_settings_where_there_is_one(self, warp):
        settings = Settings(models=tuple(CANDIDATES), output_warp=warp)
        for options in candidate_models(settings):
            preferred = CANDIDATES[options.name].output_warp
            assert options.output_warp == ("none" if preferred == "none" else warp)

    def test_by_default_each_has_its_own(self):
        for options in candidate_models(Settings(models=tuple(CANDIDATES))):
            assert options is CANDIDATES[options.name]

    def test_the_input_warp_can_be_left_out(self):
        settings = Settings(models=tuple(CANDIDATES), input_warp=False)
        assert [o.input_warp for o in candidate_models(settings)] == [False] * len(CANDIDATES)
        warped = {name for name, o in CANDIDATES.items() if o.input_warp}
        assert warped == {"warped", "paper"}


class TestOptions:
    used, numbers = np.ones(12, dtype=bool), np.zeros(12, dtype=bool)

    def test_the_prior_of_the_warp_is_narrower_where_there_are_many_parameters(self):
        for name, few, many in (("warped", 0.75, 0.75 * 9 / 12), ("paper", 0.75, 0.75)):
            options = CANDIDATES[name]
            for d, scale in ((3, few), (9, few), (12, many)):
                warp = options.kernel(self.used[:d], self.numbers[:d]).warp
                assert warp.size == d
                assert warp.prior.scale == pytest.approx(scale)

    def test_without_numbers_there_is_nothing_to_warp(self):
        kernel = CANDIDATES["warped"].kernel(self.used, ~self.numbers)
        assert kernel.warp.size == 0
        assert kernel.columns.d == 12

    def test_columns_that_are_not_used_have_no_hyper_parameters(self):
        options = replace(CANDIDATES["warped"], input_warp=False)
        whole, half = (
            options.kernel(used, self.numbers) for used in (self.used, np.arange(12) < 6)
        )
        assert whole.size - half.size == 6


class TestConstraints:
    def test_the_probability_is_that_of_the_predicted_outcome(self):
        data = data_of(
            lambda x, y: {"loss": x, "size": x + y}, Minimize("loss"), AtMost("size", 1.2)
        )
        (constraint,) = fit_models(data, QUICK, seed=0).constraints
        mean, variance = constraint.model.gp.predict(X)
        y = data.outcomes[1].y
        bound = (1.2 - y.mean()) / y.std()
        expected = norm.logcdf(bound, mean, np.sqrt(variance))
        np.testing.assert_allclose(constraint.log_probability(X), expected, rtol=1e-9)

    def test_what_must_not_fall_below_a_bound_is_the_mirror_image(self):
        least, most = (
            fit_models(data_of(function, Minimize("loss"), goal), QUICK, seed=0)
            for function, goal in (
                (lambda x, y: {"loss": x, "recall": -x - y}, AtLeast("recall", -1.2)),
                (lambda x, y: {"loss": x, "recall": x + y}, AtMost("recall", 1.2)),
            )
        )
        np.testing.assert_allclose(least.penalty(X), most.penalty(X), rtol=1e-9)

    def test_the_penalty_is_great_where_the_bound_is_broken(self):
        data = data_of(
            lambda x, y: {"loss": x, "size": x + y}, Minimize("loss"), AtMost("size", 1.2), n=30
        )
        models = fit_models(data, Settings(), seed=0)
        penalty = models.penalty(np.array([[0.2, 0.2], [0.9, 0.9]]))
        assert penalty[0] < 0.01
        assert penalty[1] > 3.0
        assert models.is_constrained

    def test_penalties_of_all_bounds_and_of_failures_add_up(self):
        def told(x, y):
            if x > 0.8:
                return None
            return {"loss": x, "size": x + y, "recall": x - y}

        goals = Minimize("loss"), AtMost("size", 1.2), AtLeast("recall", 0.0)
        models = fit_models(data_of(told, *goals, n=24), QUICK, seed=0)
        parts = [c.log_probability(X) for c in models.constraints]
        parts.append(models.viability.log_probability(X))
        assert len(parts) == 3
        np.testing.assert_allclose(models.penalty(X), -np.sum(parts, axis=0), rtol=1e-12)

    def test_a_bound_beyond_the_cut_of_outliers_can_be_told_from_the_cut(self):
        # Outcomes count as cut at 5 robust spreads; a bound beyond that holds there.
        def told(x, y):
            return {"loss": x, "size": 1e6 if x + y > 1.8 else 1.0 + x + y}

        data = data_of(told, Minimize("loss"), AtMost("size", 1e4), n=40)
        (constraint,) = fit_models(data, Settings(models=["warped"]), seed=0).constraints
        assert constraint.model.transform.cut < 1e4
        assert constraint.bound > constraint.model.gp.t.max()
        near, _ = constraint.log_probability(np.array([[0.2, 0.2], [0.9, 0.9]]))
        assert near > -0.01

    def test_a_bound_of_which_nothing_was_measured_is_left_out(self):
        data = data_of(lambda x, y: {"loss": x}, Minimize("loss"), AtMost("size", 1.0))
        models = fit_models(data, QUICK, seed=0)
        assert models.constraints == ()
        np.testing.assert_array_equal(models.penalty(X), np.zeros(len(X)))

    def test_without_bounds_and_failures_there_is_no_penalty(self):
        models = fit_models(data_of(lambda x, y: x), QUICK, seed=0)
        assert not models.is_constrained
        assert models.viability is None
        np.testing.assert_array_equal(models.penalty(X), np.zeros(len(X)))


class TestObjectives:
    def test_each_has_ranked_models_of_its_own(self):
        data = data_of(lambda x, y: {"a": x, "b": -y}, Minimize("a"), Maximize("b"))
        models = fit_models(data, Settings(models=["warped", "quadratic"]), seed=0)
        assert [len(models) for models in models.objectives] == [2, 2]
        assert [models[0].goal.name for models in models.objectives] == ["a", "b"]
        assert models.model is models.objectives[0][0]

    def test_it_is_a_pure_function(self):
        data = data_of(lambda x, y: None if x > 0.8 else x * y)
        one, other = (fit_models(data, Settings(), seed=3) for _ in range(2))
        np.testing.assert_array_equal(one.model.gp.theta, other.model.gp.theta)
        np.testing.assert_array_equal(one.penalty(X), other.penalty(X))

    def test_one_outcome_does_not_depend_on_the_others(self):
        alone = data_of(lambda x, y: {"a": x * y}, Minimize("a"))
        both = data_of(lambda x, y: {"a": x * y, "b": x}, Minimize("a"), Minimize("b"))
        settings = Settings(models=["paper"])  # with random starts
        one, other = (fit_models(data, settings, seed=3).model.gp for data in (alone, both))
        np.testing.assert_array_equal(one.theta, other.theta)

    def test_the_seed_decides_about_random_starts(self, monkeypatch):
        data, starts = data_of(lambda x, y: np.sin(20.0 * x) + y, n=9), []
        minimize = scipy.optimize.minimize

        def spy(objective, start, **rest):
            starts[-1].append(start.tobytes())
            return minimize(objective, start, **rest)

        monkeypatch.setattr(scipy.optimize, "minimize", spy)
        for seed in (0, 0, 1):
            starts.append([])
            fit_models(data, Settings(models=["paper"]), seed=seed).model  # noqa: B018
        assert len(starts[0]) == CANDIDATES["paper"].fit.starts > 1
        assert starts[0] == starts[1] != starts[2]
