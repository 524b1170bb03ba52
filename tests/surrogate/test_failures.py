"""Losses that stand for failures, and failures that say nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront import HEBO, Categorical, Real, Settings, Space
from warpfront.history import History
from warpfront.surrogate.failures import (
    CLOSE,
    FEWEST,
    SINCE,
    are_random,
    learned_from,
    penalties_as_failures,
)

SPACE = Space(x=Real(0, 1))


def history_of(losses):
    told = [(None, {"x": i / len(losses)}, loss) for i, loss in enumerate(losses)]
    return History(SPACE).tell(told)


def failed(losses, settings=None):
    history = penalties_as_failures(history_of(losses), settings or Settings())
    return [trial.number for trial in history.of_state("failed")]


class TestWhatIsAPenalty:
    def test_the_worst_loss_of_many_trials_far_above_all_others(self):
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0, 3.0]) == [1, 3]

    def test_one_above_the_other(self):
        assert failed([1.0, 1e3, 2.0, 1e6, 3.0, 1e6, 1e3, 1.5]) == [1, 3, 5, 6]

    def test_most_losses_may_be_one(self):
        assert failed([1e6] * 30 + [1.0, 2.0, 3.0, 4.0]) == list(range(30))

    def test_the_sign_and_the_size_of_the_others_do_not_matter(self):
        assert failed([-1e-300, 1.0, -2e-300, 1.0, 0.0, 1e-300]) == [1, 3]
        assert failed([-1e300, 1.7e308, -2e300, 1.7e308, 0.0, 1e300]) == [1, 3]

    def test_the_reason_names_it(self):
        history = penalties_as_failures(
            history_of([1.0, 1e6, 2.0, 1e6, np.nan, 3.0, 4.0]), Settings()
        )
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
            [1.0, 2.0, 3.0, 1e6, 1e6],  # three others may be close by chance
            [1.0, 1.0, 1.0, 1.0, 1e6, 1e6],  # equal ones do not tell how far they are apart
            [1.0, 2.0, 3.0, 4.0, 1e6],  # a fifth: the output transform cuts it
            [1.0, 2.0, 3.0, 9e5, 1e6, 1e6],  # not far above all
            [1.0, 2.0, 3.0, 4.0, 1e6, 1.1e6],  # not shared
        ],
    )
    def test_the_history_is_the_same_object(self, losses):
        history = history_of(losses)
        assert penalties_as_failures(history, Settings()) is history

    @pytest.mark.parametrize("output_warp", ["power", "none"])
    def test_transforms_that_cut_nothing_know_no_penalties(self, output_warp):
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0, 4.0], Settings(output_warp=output_warp)) == []

    def test_a_plateau_within_reach_is_none(self):
        reach = 1.0 / CLOSE
        near, far = 0.99 * (1.0 + reach), 1.01 * (1.0 + reach)
        assert failed([0.0, 0.0, 1.0, 1.0, near, near]) == []
        assert failed([0.0, 0.0, 1.0, 1.0, far, far]) == [4, 5]


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


WIDE = Space({f"x{i}": Real(0, 1) for i in range(5)} | {"kind": Categorical(["a", "b", "c", "d"])})


def sampled(fails, n=80, seed=0, space=WIDE):
    rng = np.random.default_rng(seed)
    configs = space.sample(n, seed=seed)
    outcomes = [None if fails(c, rng) else float(rng.random()) for c in configs]
    return History(space).tell([(None, c, y) for c, y in zip(configs, outcomes, strict=True)])


class TestFailuresThatSayNothing:
    @pytest.mark.parametrize("share", [0.2, 0.3, 0.6])
    def test_most_random_ones_are_found_out(self, share):
        histories = [sampled(lambda _, rng: rng.random() < share, seed=seed) for seed in range(8)]
        assert sum(map(are_random, histories)) >= 6

    @pytest.mark.parametrize(
        "fails",
        [
            lambda c, _: c["x0"] > 0.8,
            lambda c, _: c["x0"] > 0.6 and c["x1"] > 0.5,
            lambda c, _: c["kind"] == "b",
            lambda c, rng: c["x0"] > 0.7 and rng.random() < 0.9,
        ],
    )
    def test_those_of_a_region_are_not_random(self, fails):
        assert not any(are_random(sampled(fails, seed=seed)) for seed in range(8))

    def test_few_count_as_they_are(self):
        every = SINCE // (FEWEST - 1)
        few = [None if i % every == 0 else float(i) for i in range(SINCE)]
        early = [None if i % 5 == 0 else float(i) for i in range(SINCE - 1)]
        for losses in (few, early):
            history = history_of(losses)
            assert learned_from(history, Settings()) is history

    def test_a_space_in_which_nothing_varies_tells_nothing(self):
        space = Space(only=Categorical(["one"]))
        told = [(None, {"only": "one"}, None if i % 3 else 1.0) for i in range(30)]
        assert not are_random(History(space).tell(told))

    def test_where_all_have_failed_nothing_is_left_out(self):
        assert not are_random(history_of([None] * 30))

    def test_many_are_judged_by_a_part_of_them(self):
        assert are_random(sampled(lambda _, rng: rng.random() < 0.3, n=600))
        assert not are_random(sampled(lambda c, _: c["x0"] > 0.8, n=600))

    def test_the_order_of_telling_does_not_matter(self):
        history = sampled(lambda _, rng: rng.random() < 0.3)
        turned = History(WIDE, tuple(reversed(history.trials)))
        for order in (history, turned):
            assert learned_from(order, Settings()).failures.shape == (0, 6)

    def test_they_are_not_suggested_again(self):
        space = Space(kind=Categorical(list("abcdefghijkl")), other=Categorical(list("123")))
        rng = np.random.default_rng(1)
        optimizer = HEBO(space, seed=0)
        configs = list({str(c): c for c in space.sample(200, seed=0)}.values())[:28]
        optimizer.tell(configs, [None if rng.random() < 0.3 else rng.random() for _ in configs])
        assert are_random(optimizer.history)
        assert not [c for c in optimizer.ask(8) if dict(c) in configs]

    def test_penalties_at_random_are_left_out_too(self):
        rng = np.random.default_rng(0)
        losses = [1e6 if rng.random() < 0.4 else float(rng.random()) for _ in range(60)]
        learned = learned_from(history_of(losses), Settings())
        assert len(learned.failures) == 0
        assert learned.told == sum(loss < 1e6 for loss in losses)
