"""TuRBO: the replay of the trust region, and the behaviour every optimiser must have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.optimizers.test_hebo_quality import TASKS, random_regret, regret
from warpfront import AtMost, Boolean, Categorical, Integer, Maximize, Real, Space
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError
from warpfront.history import History
from warpfront.optimizers.turbo import (
    REGION,
    TURBO,
    TURBO_PLUS,
    TrustRegion,
    TuRBO,
    initial_points,
    suggest,
    trust_box,
)
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.selection import fit_model
from warpfront.trial import Trial

MIXED = Space(
    rate=Real(1e-4, 1.0, scale="log"),
    units=Integer(1, 64, scale="log"),
    kind=Categorical(["a", "b", "c"]),
    flag=Boolean(),
    constant=Real(2, 2),
)


def completed(values, start=0):
    return [Trial(start + i, {}, "completed", {"value": float(v)}) for i, v in enumerate(values)]


def replay(values, q=1, d=2):
    return TrustRegion.replay(completed(values), q, d)


def test_a_region_starts_with_its_first_length():
    assert replay([1.0] * 4).length == REGION.first_length


def test_three_successes_double_the_length_up_to_the_largest():
    first = [10.0] * 4
    assert replay([*first, 9, 8]).length == REGION.first_length
    assert replay([*first, 9, 8, 7]).length == 2 * REGION.first_length == REGION.largest_length
    assert replay([*first, *range(9, -9, -1)]).length == REGION.largest_length


def test_an_improvement_too_small_is_no_success():
    assert replay([10.0] * 4 + [9.9999, 9.9998, 9.9997]).length == REGION.first_length


@pytest.mark.parametrize(("q", "d", "patience"), [(1, 2, 4), (1, 9, 9), (8, 9, 2), (8, 2, 1)])
def test_failures_halve_the_length_when_patience_ends(q, d, patience):
    first = math.ceil(initial_points(d) / q) * q
    assert replay([1.0] * (first + q * patience - q), q, d).length == REGION.first_length
    assert replay([1.0] * (first + q * patience), q, d).length == REGION.first_length / 2


def test_a_success_resets_the_failures():
    first = [10.0] * 4
    assert replay([*first, 11, 11, 11, 9, 11, 11, 11]).length == REGION.first_length


def test_failed_trials_count_as_no_improvement():
    trials = completed([1.0] * 4)
    trials += [Trial(4 + i, {}, "failed", reason="boom") for i in range(4)]
    assert TrustRegion.replay(trials, 1, 2).length == REGION.first_length / 2


def test_where_all_has_failed_only_a_loss_is_a_success():
    trials = [Trial(i, {}, "failed", reason="boom") for i in range(7)]
    assert TrustRegion.replay(trials, 1, 2).length == REGION.first_length
    assert TrustRegion.replay([*trials, *completed([1.0], 7)], 1, 2).length == REGION.first_length
    trials += [Trial(7, {}, "failed", reason="boom")]
    assert TrustRegion.replay(trials, 1, 2).length == REGION.first_length / 2


def test_a_region_that_has_shrunk_away_is_started_anew():
    halvings = math.ceil(math.log2(REGION.first_length / 0.5**7))
    lost = 4 + 4 * halvings
    region = replay([1.0] * lost + [5.0])
    assert region.length == REGION.first_length
    assert [t.number for t in region.trials] == [lost]


def test_a_round_with_a_pending_trial_is_not_judged_and_those_after_it_are():
    trials = [*completed([1.0] * 4), Trial(4, {}), *completed([2.0] * 3, start=5)]
    assert TrustRegion.replay(trials, 1, 2).length == REGION.first_length
    trials += completed([2.0], start=8)
    assert TrustRegion.replay(trials, 1, 2).length == REGION.first_length / 2


def test_what_is_known_of_a_round_with_a_pending_trial_counts_as_the_best():
    trials = [*completed([9.0] * 4), *completed([1.0], start=4), Trial(5, {})]
    trials += completed([8, 8, 7, 7], start=6)
    assert TrustRegion.replay(trials, 2, 2).length == REGION.first_length / 2


def test_the_box_is_longer_where_the_loss_varies_slowly():
    space = Space(fast=Real(0, 1), slow=Real(0, 1))
    history = History(space)
    configs = space.sample(24, seed=0)
    history = history.tell([(None, c, math.sin(9 * c["fast"]) + 0.1 * c["slow"]) for c in configs])
    data = Dataset.of(history)
    model = fit_model(data, data.objective, TURBO, np.random.default_rng(0))
    low, high = trust_box(np.array([0.5, 0.5]), model, 0.1)
    fast, slow = high - low
    assert fast < 0.1 < slow
    assert fast * slow == pytest.approx(0.01)


PLANE = Space(x=Real(0, 1), y=Real(0, 1))


def known(values):
    configs = PLANE.sample(len(values), seed=0)
    return History(PLANE).tell([(None, c, y) for c, y in zip(configs, values, strict=True)])


def suggestions(history, options=TURBO):
    return suggest(history, 4, seed=0, fixed={}, options=options)


def test_the_warps_of_turbo_plus_matter():
    skewed = known(np.exp(np.linspace(0.0, 9.0, 12)).tolist())
    assert suggestions(skewed, TURBO) != suggestions(skewed, TURBO_PLUS)


def test_what_a_lost_region_saw_does_not_matter():
    lost = 4 * (
        1 + math.ceil(math.log2(REGION.first_length / REGION.smallest_length))
    )  # rounds of four
    one, other = (known([y] * lost + [3.0, 1.0, 2.0, 4.0, 0.5]) for y in (1.0, 7.0))
    assert len(TrustRegion.replay(one.trials, 4, 2).trials) == 5
    assert suggestions(one) == suggestions(other)


def test_the_model_is_conditioned_on_pending_points(monkeypatch):
    asked, sample = [], GaussianProcess.sample
    monkeypatch.setattr(
        GaussianProcess, "sample", lambda gp, *rest: asked.append(gp) or sample(gp, *rest)
    )
    pending = PLANE.sample(3, seed=1)
    suggestions(known([3.0, 1.0, 2.0, 4.0, 0.5]).ask(pending))
    (gp,) = asked
    assert len(gp.t) == 5 + 3
    assert {tuple(row) for row in gp.X[5:]} == {tuple(c.values()) for c in pending}


def test_the_larger_of_an_objective_may_be_the_better():
    values = [3.0, 1.0, 2.0, 4.0, 0.5, 2.5]
    configs = PLANE.sample(len(values), seed=0)
    gains = TuRBO(PLANE, seed=0, goals=Maximize("gain"))
    losses = TuRBO(PLANE, seed=0)
    gains.tell(configs, [-v for v in values])
    losses.tell(configs, values)
    for _ in range(3):
        batch = gains.ask(2)
        assert losses.ask(2) == batch
        gains.tell(batch, [-c["x"] for c in batch])
        losses.tell(batch, [c["x"] for c in batch])


def test_several_goals_are_refused():
    with pytest.raises(ConfigurationError, match="TuRBO supports one objective without bounds"):
        TuRBO(PLANE, goals=[Maximize("accuracy"), AtMost("memory", 512)])


def test_suggestions_say_who_proposed_them():
    optimizer = TuRBO(PLANE, seed=0)
    batch = optimizer.ask(4)
    optimizer.tell(batch, [1.0, 2.0, 3.0, 4.0])
    optimizer.ask(2)
    assert [t.proposer for t in optimizer.history.trials] == ["initial"] * 4 + ["turbo"] * 2


@pytest.mark.parametrize("plus", [False, True])
def test_suggestions_are_valid_distinct_and_the_same_after_a_resume(plus):
    optimizer = TuRBO(MIXED, seed=1, plus=plus)
    rng = np.random.default_rng(0)
    seen = []
    for _ in range(6):
        twin = TuRBO.from_json(optimizer.to_json())
        batch = optimizer.ask(5)
        assert twin.ask(5) == batch
        assert all(c in MIXED for c in batch)
        seen += [str(c) for c in batch]
        losses = [math.log(c["rate"]) ** 2 + c["units"] + rng.normal() for c in batch]
        optimizer.tell(batch, [*losses[:-1], math.nan])
    assert len(set(seen)) == len(seen)


def test_fixed_values_are_held():
    optimizer = TuRBO(MIXED, seed=0)
    for _ in range(5):
        batch = optimizer.ask(4, fixed={"kind": "b", "rate": 1 / 3})
        assert {(c["kind"], c["rate"]) for c in batch} == {("b", 1 / 3)}
        optimizer.tell(batch, [c["units"] for c in batch])


def test_asking_without_telling_goes_on():
    optimizer = TuRBO(MIXED, seed=0)
    optimizer.tell(MIXED.sample(12, seed=5), list(range(12)))
    batch = [optimizer.ask(1)[0] for _ in range(6)]
    assert len({str(c) for c in batch}) == 6


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("name", ["branin", "hartmann"])
def test_it_is_far_better_than_random_search(name, plus):
    task = TASKS[name]
    found = [regret(task, TuRBO(task.space, seed, plus=plus)) for seed in range(3)]
    assert np.median(found) < 0.05 * random_regret(name)
