"""Losses that stand for failures, and those that only look like it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront import HEBO, Real, Settings, Space
from warpfront.history import History
from warpfront.surrogate.penalties import CLOSE, penalties_as_failures

SPACE = Space(x=Real(0, 1))


def history_of(losses):
    told = [(None, {"x": i / len(losses)}, loss) for i, loss in enumerate(losses)]
    return History(SPACE).tell(told)


def failed(losses, settings=None):
    history = penalties_as_failures(history_of(losses), settings or Settings())
    return [trial.number for trial in history.of_state("failed")]


class TestWhatIsAPenalty:
    def test_the_worst_loss_of_many_trials_far_above_all_others(self):
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0]) == [1, 3]

    def test_one_above_the_other(self):
        assert failed([1.0, 1e3, 2.0, 1e6, 3.0, 1e6, 1e3]) == [1, 3, 5, 6]

    def test_most_losses_may_be_one(self):
        assert failed([1e6] * 30 + [1.0, 2.0]) == list(range(30))

    def test_the_sign_and_the_size_of_the_others_do_not_matter(self):
        assert failed([-1e-300, 1.0, -2e-300, 1.0]) == [1, 3]
        assert failed([-1e300, 1.7e308, -2e300, 1.7e308]) == [1, 3]

    def test_the_reason_names_it(self):
        history = penalties_as_failures(history_of([1.0, 1e6, 2.0, 1e6, np.nan]), Settings())
        reasons = [trial.reason for trial in history.of_state("failed")]
        assert reasons == ["the loss was the penalty 1e+06"] * 2 + ["the loss was nan"]


class TestWhatIsNone:
    @pytest.mark.parametrize(
        "losses",
        [
            [],
            [np.nan, np.nan],
            [1e6],
            [1e6, 1e6, 1e6],
            [1.0, 1e6, 1e6],  # one other loss: nobody knows how far apart they are
            [1.0, 1.0, 1e6, 1e6],  # nor by two that are equal
            [1.0, 2.0, 3.0, 4.0, 1e6],  # a fifth: the output transform cuts it
            [1.0, 2.0, 9e5, 1e6, 1e6],  # not far above all
            [1.0, 2.0, 3.0, 1e6, 1.1e6],  # not shared
        ],
    )
    def test_the_history_is_the_same_object(self, losses):
        history = history_of(losses)
        assert penalties_as_failures(history, Settings()) is history

    @pytest.mark.parametrize("output_warp", ["power", "none"])
    def test_transforms_that_cut_nothing_know_no_penalties(self, output_warp):
        assert failed([1.0, 1e6, 2.0, 1e6], Settings(output_warp=output_warp)) == []

    def test_a_plateau_within_reach_is_none(self):
        reach = 1.0 / CLOSE
        assert failed([0.0, 1.0, 0.99 * (1.0 + reach), 0.99 * (1.0 + reach)]) == []
        assert failed([0.0, 1.0, 1.01 * (1.0 + reach), 1.01 * (1.0 + reach)]) == [2, 3]


@given(st.lists(st.sampled_from([-1e300, 0.0, 1.0, 1.5, 2.0, 1e3, 1e6, 1.7e308, np.nan])))
def test_what_is_left_has_no_penalty_and_the_best_stays(losses):
    history = history_of(losses)
    left = penalties_as_failures(history, Settings())
    assert penalties_as_failures(left, Settings()) is left
    assert left.outcomes == () or left.told == history.told
    if history.completed:
        assert left.best == history.best


def test_suggestions_are_those_of_failures():
    space = Space(x=Real(0, 1), y=Real(0, 1))

    def told(penalty):
        optimizer = HEBO(space, seed=0)
        configs = space.sample(24, seed=0)
        optimizer.tell(configs, [c["x"] + c["y"] if c["y"] < 0.6 else penalty for c in configs])
        return optimizer

    with_penalty, with_failures = told(1e6), told(np.nan)
    assert with_penalty.ask(8) == with_failures.ask(8)
    assert with_penalty.model.predict([{"x": 0.3, "y": 0.9}]).mean[0] < 10.0
    assert len(with_penalty.history.completed) == 24
