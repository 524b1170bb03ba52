"""GP-Hedge: which arm proposes, as a pure function of the history."""

from collections import Counter

import numpy as np
import pytest

from warpfront import HEBO, Categorical, Real, Settings, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.optimizers.hebo import context_of
from warpfront.portfolio import past_proposers
from warpfront.proposers.hedge import ARMS, UNIFORM_SHARE, hedge, probabilities, rewards
from warpfront.search.domain import Domain
from warpfront.surrogate.models import fit_models

SPACE = Space(x=Real(0, 1), c=Categorical(["a", "b"]))
SETTINGS = Settings.paper(acquisition="hedge", population=20, generations=5, initial=6)
EI, PI, LCB = ARMS


def loss(config):
    return (config["x"] - 0.3) ** 2 + 0.1 * (config["c"] == "b")


def history_of(proposals, fail=()):
    """A history of initial trials and of (arm, x) afterwards."""
    rng = np.random.default_rng(0)
    begin = [("initial", x) for x in rng.random(8)]
    all_of_it = [(who, {"x": x, "c": "a"}) for who, x in [*begin, *proposals]]
    history = History(SPACE).ask([config for _, config in all_of_it], [w for w, _ in all_of_it])
    told = [
        (i, config, None if i - len(begin) in fail else loss(config))
        for i, (_, config) in enumerate(all_of_it)
    ]
    return history.tell(told)


def context_for(history, fixed=(), settings=SETTINGS):
    data = Dataset.of(history)
    models, domain = fit_models(data, settings, 0), Domain.of(SPACE, dict(fixed))
    return context_of(history, data, models, domain, 1, settings)


def drawn(history, fixed=(), n=600, seed=0):
    names = hedge(["pareto"] * n, context_for(history, fixed), history, np.random.default_rng(seed))
    return {name: count / n for name, count in Counter(names).items()}


class TestProbabilities:
    def test_they_are_those_of_hedge_on_estimated_gains(self):
        arm, reward = np.array([0, 0, 1, 2]), np.array([0.9, 0.7, 0.2, 0.5])
        means = np.array([1.6 + 0.575, 0.2 + 0.575, 0.5 + 0.575]) / [3, 2, 2]
        weights = np.exp(np.sqrt(8 * np.log(3) / 4) * 4 * means)
        expected = (1 - UNIFORM_SHARE) * weights / weights.sum() + UNIFORM_SHARE / 3
        np.testing.assert_allclose(probabilities(arm, reward, 3), expected)

    def test_nothing_known_is_uniform(self):
        np.testing.assert_allclose(probabilities(np.array([], int), np.array([]), 3), 1 / 3)

    def test_equal_rewards_are_uniform_however_unequal_the_counts(self):
        p = probabilities(np.array([0] * 9 + [1]), np.full(10, 0.6), 3)
        np.testing.assert_allclose(p, 1 / 3)

    @pytest.mark.parametrize("t", [1, 100, 100_000])
    def test_they_sum_to_one_and_leave_every_arm_a_chance(self, t):
        p = probabilities(np.zeros(t, int), np.linspace(0, 1, t), 3)
        assert p.sum() == pytest.approx(1.0)
        assert p.min() >= UNIFORM_SHARE / 3

    def test_the_order_of_trials_does_not_matter(self):
        arm, reward = np.array([0, 1, 2, 0]), np.array([0.5, 0.25, 1.0, 0.75])
        np.testing.assert_array_equal(
            probabilities(arm, reward, 3), probabilities(arm[::-1], reward[::-1], 3)
        )


class TestRewards:
    def test_they_follow_the_posterior_mean(self):
        history = history_of([(EI, 0.3), (PI, 0.6), (LCB, 0.95)])
        found = rewards(context_for(history), history, history.trials[-3:])
        assert 1.0 >= found[0] > found[1] > found[2] >= 0.0

    def test_a_failure_earns_nothing(self):
        history = history_of([(EI, 0.31), (PI, 0.29)], fail=[0])
        found = rewards(context_for(history), history, history.trials[-2:])
        assert found[0] == 0.0
        assert found[1] > 0.5

    def test_outcomes_that_are_all_the_same_tell_nothing(self):
        history = History(SPACE).ask([{"x": x, "c": "a"} for x in (0.1, 0.5)], [EI, PI])
        history = history.tell([(i, t.config, 1.0) for i, t in enumerate(history.trials)])
        assert rewards(context_for(history), history, history.trials).tolist() == [0.0, 0.0]


class TestHedge:
    def test_the_arm_of_good_trials_is_drawn_more_often(self):
        good = [(PI, x) for x in (0.28, 0.3, 0.32)]
        bad = [(arm, x) for arm in (EI, LCB) for x in (0.8, 0.9, 1.0)]
        share = drawn(history_of([*good, *bad]))
        assert share[PI] > 0.8
        assert min(share[EI], share[LCB]) > 0.01

    def test_pending_trials_and_those_of_others_do_not_count(self):
        history = history_of([(EI, 0.3), ("local", 0.9)])
        waiting = history.ask([{"x": 0.99, "c": "a"}], [EI])
        assert drawn(waiting) == drawn(history)

    def test_trials_of_another_context_do_not_count(self):
        share = drawn(history_of([(EI, x) for x in (0.28, 0.3, 0.31)]), {"c": "b"})
        assert max(share.values()) < 0.4

    def test_only_the_share_of_the_paper_is_drawn(self):
        history = history_of([])
        names = hedge(
            ["local", "pareto", "wide"], context_for(history), history, np.random.default_rng(0)
        )
        assert names[0] == "local"
        assert names[1] in ARMS
        assert names[2] == "wide"

    def test_other_acquisitions_have_no_arms(self):
        history = history_of([])
        context = context_for(history, settings=Settings.paper(acquisition="ei"))
        assert hedge(["pareto"], context, history, np.random.default_rng(0)) == ["pareto"]

    def test_trials_of_arms_use_up_the_share_of_the_paper(self):
        assert past_proposers(history_of([(EI, 0.3)]), {})[-1] == "pareto"


class TestSuggestions:
    def run(self, rounds=3, n=4):
        optimizer = HEBO(SPACE, seed=3, settings=SETTINGS)
        for _ in range(rounds):
            batch = optimizer.ask(n)
            optimizer.tell(batch, [loss(c) for c in batch])
        return optimizer

    def test_trials_say_which_arm_proposed_them(self):
        names = [t.proposer for t in self.run().history.trials]
        assert names[:6] == ["initial"] * 6
        assert set(names[8:]) <= set(ARMS)

    def test_they_are_a_pure_function_of_what_is_known(self):
        optimizer = self.run()
        resumed = HEBO.from_json(optimizer.to_json())
        assert resumed.ask(4) == optimizer.ask(4)
        one, other = resumed.history, optimizer.history
        assert [t.proposer for t in one.trials] == [t.proposer for t in other.trials]

    def test_results_may_come_in_any_order(self):
        first, second = (self.run(rounds=2) for _ in range(2))
        batch = first.ask(4)
        assert second.ask(4) == batch
        for config in batch:
            first.tell(config, loss(config))
        for config in batch[::-1]:
            second.tell(config, loss(config))
        assert first.ask(3) == second.ask(3)
