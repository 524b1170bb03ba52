"""Losses that stand for failures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront import HEBO, AtMost, Maximize, Minimize, Real, Settings, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.surrogate.failures import GAP_SHARE, penalties_as_failures, penalty_level
from warpfront.surrogate.models import fit_models

SPACE = Space(x=Real(0, 1))


def data_of(losses, *goals):
    """Losses at x = 0, 1 / n, 2 / n, ..."""
    told = [(None, {"x": i / len(losses)}, loss) for i, loss in enumerate(losses)]
    return Dataset.of(History(Problem(SPACE, goals)).tell(told))


def failed(losses, *goals):
    """Which of the losses count as failed."""
    data = penalties_as_failures(data_of(losses, *goals))
    return np.round(data.failed.ravel() * len(losses)).astype(int).tolist()


class TestWhatIsAPenalty:
    def test_the_worst_loss_of_several_trials_far_above_all_others(self):
        losses = [1.0, 1e6, 2.0, 1e6, 3.0, 3.0, 1e6]
        assert penalty_level(np.array(losses)) == 1e6
        assert failed(losses) == [1, 3, 6]

    def test_one_above_the_other(self):
        losses = [1.0, 1e3, 2.0, 1e6, 3.0, 1e6, 1e3, 1.5, 1e6, 1e3]
        assert penalty_level(np.array(losses)) == 1e3
        assert failed(losses) == [1, 3, 5, 6, 8, 9]

    @pytest.mark.parametrize("others", [4, 300])
    def test_few_losses_or_most_may_be_one(self, others):
        assert failed([1e6] * 30 + list(range(others))) == list(range(30))

    def test_the_sign_and_the_size_of_the_others_do_not_matter(self):
        assert failed([-1e-300, 1.0, -2e-300, 1.0, 0.0, 1e-300, 1.0]) == [1, 3, 6]
        assert failed([-1e300, 1.7e308, -2e300, 1.7e308, 0.0, 1e300, 1.7e308]) == [1, 3, 6]

    def test_of_what_is_maximised_it_is_the_least_value(self):
        assert failed([1.0, -1e6, 2.0, -1e6, 3.0, 3.0, -1e6], Maximize("gain")) == [1, 3, 6]
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0, 3.0, 1e6], Maximize("gain")) == []

    def test_what_failed_before_has_still_failed(self):
        assert failed([1.0, 1e6, np.nan, 1e6, 3.0, 3.5, 1e6, 4.0]) == [1, 2, 3, 6]


class TestWhatIsNone:
    @pytest.mark.parametrize(
        "losses",
        [
            [],
            [np.nan, np.nan],
            [1e6],
            [1e6, 1e6, 1e6],
            [1.0, 2.0, 3.0, 1e6, 1e6, 1e6],  # three others may be close by chance
            [1.0, 1.0, 1.0, 1.0, 1e6, 1e6, 1e6],  # equal ones do not tell how far they are apart
            [1.0, 2.0, 3.0, 4.0, 1e6, 1e6],  # two may be equal by chance
            [1.0, 2.0, 3.0, 9e5, 1e6, 1e6, 1e6],  # not far above all
            [1.0, 2.0, 3.0, 4.0, 1e6, 1.1e6, 1.2e6],  # not shared
        ],
    )
    def test_the_data_are_the_same_object(self, losses):
        data = data_of(losses)
        assert penalties_as_failures(data) is data

    def test_a_plateau_within_reach_is_none(self):
        reach = 1.0 / GAP_SHARE
        near, far = 0.99 * (1.0 + reach), 1.01 * (1.0 + reach)
        assert failed([0.0, 0.0, 1.0, 1.0, near, near, near]) == []
        assert failed([0.0, 0.0, 1.0, 1.0, far, far, far]) == [4, 5, 6]

    def test_several_objectives_have_none(self):
        losses = [{"a": a, "b": b} for b, a in enumerate([1.0, 1e6, 2.0, 1e6, 3.0, 4.0, 1e6])]
        data = data_of(losses, Minimize("a"), Minimize("b"))
        assert penalties_as_failures(data) is data

    @pytest.mark.parametrize("warp", ["power", "none"])
    def test_only_the_robust_transform_knows_penalties(self, warp):
        data = data_of([1.0, 1e6, 2.0, 1e6, 3.0, 4.0, 1e6])
        for settings, count in ((Settings(), 3), (Settings(models="paper"), 0)):
            assert len(fit_models(data, settings, seed=0).data.failed) == count
        settings = Settings(models="warped", output_warp=warp)
        assert fit_models(data, settings, seed=0).data is data


class TestConfigurationsOfSeveralMeasurements:
    def told(self, *pairs):
        history = History(SPACE).tell([(None, {"x": x}, y) for x, y in pairs])
        return penalties_as_failures(Dataset.of(history))

    def test_one_of_penalties_only_has_failed(self):
        fine = [(x, x) for x in (0.0, 0.1, 0.2, 0.3)]
        data = self.told(*fine, (0.8, 1e6), (0.8, 1e6), (0.9, 1e6))
        np.testing.assert_array_equal(data.failed.ravel(), [0.8, 0.8, 0.9])
        np.testing.assert_array_equal(data.X.ravel(), [0.0, 0.1, 0.2, 0.3])

    def test_one_that_also_succeeded_keeps_its_losses(self):
        fine = [(x, x) for x in (0.0, 0.1, 0.2, 0.3)]
        data = self.told(*fine, (0.3, 1e6), (0.8, 1e6), (0.9, 1e6))
        np.testing.assert_array_equal(data.failed.ravel(), [0.3, 0.8, 0.9])
        np.testing.assert_array_equal(data.objective.row, [0, 1, 2, 3])
        np.testing.assert_array_equal(data.objective.y, [0.0, 0.1, 0.2, 0.3])

    def test_the_data_are_those_of_failures(self):
        pairs = [(x, x) for x in (0.0, 0.1, 0.2, 0.3, 0.3)]
        places = (0.3, 0.5, 0.8, 0.8, 0.9)
        penalised, failed = (
            self.told(*pairs, *((x, value) for x in places)) for value in (1e6, np.nan)
        )
        for name in ("X", "failed", "told"):
            np.testing.assert_array_equal(getattr(penalised, name), getattr(failed, name))
        np.testing.assert_array_equal(penalised.objective.y, failed.objective.y)
        np.testing.assert_array_equal(penalised.objective.row, failed.objective.row)

    def test_other_outcomes_of_what_failed_are_gone_too(self):
        losses = [
            {"loss": loss, "size": float(i)}
            for i, loss in enumerate([1.0, 1e6, 2.0, 1e6, 3.0, 4.0, 1e6])
        ]
        data = penalties_as_failures(data_of(losses, Minimize("loss"), AtMost("size", 3.0)))
        np.testing.assert_array_equal(data.outcomes[1].y, [0.0, 2.0, 4.0, 5.0])
        np.testing.assert_array_equal(data.outcomes[1].row, [0, 1, 2, 3])
        assert len(data.X) == 4


@given(st.lists(st.sampled_from([-1e300, 0.0, 1.0, 1.5, 2.0, 1e3, 1e6, 1.7e308, np.nan])))
def test_what_is_left_has_no_penalty_and_the_best_stays(losses):
    data = data_of(losses)
    left = penalties_as_failures(data)
    assert penalties_as_failures(left) is left
    assert left.told == data.told
    if len(data.objective):
        assert left.objective.y.min() == data.objective.y.min()
        assert left.objective.y.max() < penalty_level(data.objective.y)


def test_suggestions_are_those_of_failures():
    space = Space(x=Real(0, 1), y=Real(0, 1))

    def told(penalty):
        optimizer = HEBO(space, seed=0, settings=Settings(models="warped"))
        configs = space.sample(24, seed=0)
        optimizer.tell(configs, [c["x"] + c["y"] if c["y"] < 0.6 else penalty for c in configs])
        return optimizer

    with_penalty, with_failures = told(1e6), told(np.nan)
    assert with_penalty.ask(4) == with_failures.ask(4)
    assert with_penalty.model.predict([{"x": 0.3, "y": 0.9}]).mean[0] < 10.0
    assert len(with_penalty.history.completed) == 24
