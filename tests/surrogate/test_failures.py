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


WIDE = Space({f"x{i}": Real(0, 1) for i in range(5)} | {"kind": Categorical(["a", "b", "c", "d"])})


def sampled(fails, n=80, seed=0, space=WIDE):
    rng = np.random.default_rng(seed)
    configs = space.sample(n, seed=seed)
    outcomes = [None if fails(c, rng) else float(rng.random()) for c in configs]
    return History(space).tell([(None, c, y) for c, y in zip(configs, outcomes, strict=True)])


class TestWhatIsAPenalty:
    def test_the_worst_loss_of_several_trials_far_above_all_others(self):
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0, 3.0, 1e6]) == [1, 3, 6]

    def test_one_above_the_other(self):
        losses = [1.0, 1e3, 2.0, 1e6, 3.0, 1e6, 1e3, 1.5, 1e6, 1e3]
        assert failed(losses) == [1, 3, 5, 6, 8, 9]

    @pytest.mark.parametrize("others", [4, 300])
    def test_few_losses_or_most_may_be_one(self, others):
        assert failed([1e6] * 30 + list(range(others))) == list(range(30))

    def test_the_sign_and_the_size_of_the_others_do_not_matter(self):
        assert failed([-1e-300, 1.0, -2e-300, 1.0, 0.0, 1e-300, 1.0]) == [1, 3, 6]
        assert failed([-1e300, 1.7e308, -2e300, 1.7e308, 0.0, 1e300, 1.7e308]) == [1, 3, 6]

    def test_the_reason_names_it(self):
        losses = [1.0, 1e6, 2.0, 1e6, np.nan, 3.0, 4.0, 1e6]
        history = penalties_as_failures(history_of(losses), Settings())
        reasons = [trial.reason for trial in history.of_state("failed")]
        assert reasons.count("the loss was the penalty 1e+06") == 3
        assert reasons.count("the loss was nan") == 1


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
    def test_the_history_is_the_same_object(self, losses):
        history = history_of(losses)
        assert penalties_as_failures(history, Settings()) is history

    @pytest.mark.parametrize("output_warp", ["power", "none"])
    def test_only_the_robust_transform_knows_penalties_and_random_failures(self, output_warp):
        settings = Settings(output_warp=output_warp)
        assert failed([1.0, 1e6, 2.0, 1e6, 3.0, 4.0, 1e6], settings) == []
        history = sampled(lambda _, rng: rng.random() < 0.3, seed=1)
        assert are_random(history)
        assert learned_from(history, settings) is history

    def test_a_plateau_within_reach_is_none(self):
        reach = 1.0 / CLOSE
        near, far = 0.99 * (1.0 + reach), 1.01 * (1.0 + reach)
        assert failed([0.0, 0.0, 1.0, 1.0, near, near, near]) == []
        assert failed([0.0, 0.0, 1.0, 1.0, far, far, far]) == [4, 5, 6]


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
        rng = np.random.default_rng(0)
        few = rng.permutation([None] * (FEWEST - 1) + [1.0] * SINCE)
        early = rng.permutation([None] * 10 + [1.0] * (SINCE - 11))
        for losses in (few, early):
            history = history_of(losses)
            assert learned_from(history, Settings()) is history

    def test_a_space_in_which_nothing_varies_tells_nothing(self):
        space = Space(only=Categorical(["one"]))
        told = [(None, {"only": "one"}, None if i % 3 else 1.0) for i in range(60)]
        assert not are_random(History(space).tell(told))

    def test_where_all_have_failed_nothing_is_left_out(self):
        assert not are_random(history_of([None] * 60))

    def test_many_are_judged_by_a_part_of_them(self):
        assert are_random(sampled(lambda _, rng: rng.random() < 0.3, n=600))
        assert not are_random(sampled(lambda c, _: c["x0"] > 0.8, n=600))

    def test_the_order_of_telling_does_not_matter(self):
        history = sampled(lambda _, rng: rng.random() < 0.3, seed=1)
        turned = History(WIDE, tuple(reversed(history.trials)))
        for order in (history, turned):
            assert learned_from(order, Settings()).failures.shape == (0, 6)

    def test_they_are_not_suggested_again(self):
        space = Space(kind=Categorical(list("abcdefghijkl")), other=Categorical(list("123456")))
        rng = np.random.default_rng(1)
        optimizer = HEBO(space, seed=0)
        configs = list({str(c): c for c in space.sample(400, seed=0)}.values())[:60]
        optimizer.tell(configs, [None if rng.random() < 0.3 else rng.random() for _ in configs])
        assert are_random(optimizer.history)
        assert not [c for c in optimizer.ask(8) if dict(c) in configs]

    def test_penalties_at_random_are_left_out_too(self):
        rng = np.random.default_rng(0)
        losses = [1e6 if rng.random() < 0.4 else float(rng.random()) for _ in range(60)]
        learned = learned_from(history_of(losses), Settings())
        assert len(learned.failures) == 0
        assert learned.told == sum(loss < 1e6 for loss in losses)

    def test_they_are_not_recommended(self):
        # Left out of the model, a penalty in a good region would have a good posterior mean.
        space = Space(x=Real(0, 1), y=Real(0, 1))
        for seed in range(4):
            rng = np.random.default_rng(seed)
            configs = space.sample(60, seed=seed)
            losses = [
                1e6 if rng.random() < 0.4 else (c["x"] - 0.4) ** 2 + (c["y"] - 0.6) ** 2
                for c in configs
            ]
            optimizer = HEBO(space, seed=0)
            optimizer.tell(configs, losses)
            assert optimizer.recommendation.value < 0.2
