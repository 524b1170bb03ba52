"""Batches by one acquisition: how they are composed, and that they are pure."""

from collections import Counter

import numpy as np
import pytest

from warpfront import HEBO, Categorical, Integer, Maximize, Minimize, Real, Settings, Space
from warpfront.acquisition.batch import Batch, normal_draws
from warpfront.acquisition.ensemble import IMPROVEMENT_MARGIN
from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.dataset import Dataset
from warpfront.optimizers.hebo import context_of
from warpfront.proposers.greedy import greedy
from warpfront.search.domain import Domain
from warpfront.surrogate.models import fit_models

ALL = ["lcb", "ei", "pi", "qucb", "qei", "qpi"]
SPACE = Space(x=Real(0, 1), n=Integer(0, 20), c=Categorical(["a", "b", "c"]))


def loss(config):
    bowl = (config["x"] - 0.3) ** 2 + (config["n"] / 20 - 0.6) ** 2
    return bowl + 0.2 * (config["c"] != "b")


def paper(acquisition, **changes):
    few = {"population": 30, "generations": 10, "initial": 8}
    return Settings.paper(acquisition=acquisition, **{**few, **changes})


def begun(settings, n=8, space=SPACE):
    optimizer = HEBO(space, seed=1, settings=settings)
    batch = optimizer.ask(n)
    optimizer.tell(batch, [loss(c) for c in batch])
    return optimizer


def context(optimizer, n=4):
    history, settings = optimizer.history, optimizer.settings
    data = Dataset.of(history)
    models = fit_models(data, settings, 0)
    return context_of(history, data, models, Domain.of(SPACE, {}), n, settings)


@pytest.mark.parametrize("acquisition", ALL)
def test_a_whole_batch_is_chosen_by_the_acquisition(acquisition):
    optimizer = begun(paper(acquisition))
    batch = optimizer.ask(8)
    assert len({tuple(c.items()) for c in batch}) == 8
    assert Counter(t.proposer for t in optimizer.history.of_state("pending")) == {"pareto": 8}


@pytest.mark.parametrize("acquisition", ALL)
def test_a_suggestion_is_a_pure_function_of_what_is_known(acquisition):
    first, second = (begun(paper(acquisition)) for _ in range(2))
    asked = first.ask(2)
    assert second.ask(2) == asked
    resumed = HEBO.from_json(first.to_json())
    assert resumed.ask(3) == first.ask(3)


@pytest.mark.parametrize("acquisition", ["qei", "qpi", "qucb"])
def test_a_batch_of_one_is_the_best_by_the_closed_form(acquisition):
    found = context(begun(paper(acquisition, robustness="none")))
    rows = found.domain.uniform(500, np.random.default_rng(1))
    row = greedy(found, 1, np.random.default_rng(0))
    mean, variance = found.models.model.gp.predict(np.vstack([row, rows]))
    std, tau = np.sqrt(variance), float(found.models.model.gp.mean(found.elite[:1])[0])
    value = {
        "qei": -log_ei(mean, std, tau - IMPROVEMENT_MARGIN),
        "qpi": -log_pi(mean, std, tau - IMPROVEMENT_MARGIN),
        "qucb": lcb(mean, std, exploration_weight(found.data.told, found.in_flight, 3)),
    }[acquisition]
    assert np.mean(value[1:] < value[0]) < 0.02


def test_pending_points_take_part_in_the_joint_batch():
    optimizer = begun(paper("qei", robustness="none"))
    alone = greedy(context(optimizer), 1, np.random.default_rng(0))
    optimizer.ask(3)
    after = context(optimizer, 1)
    assert len(after.pending) == 3
    row = greedy(after, 1, np.random.default_rng(0))
    Z = normal_draws(3, np.random.default_rng(5))
    batch = Batch.of(after.models.model.gp, after.pending, Z)
    tau = float(after.models.model.gp.mean(after.elite[:1])[0])
    here, there = (batch.log_ei(batch.condition(x), tau)[0] for x in (row, alone))
    assert here >= there - 0.05


def test_the_share_of_the_paper_within_the_default():
    optimizer = begun(Settings(acquisition="qei", models=["warped"]))
    optimizer.ask(8)
    assert Counter(t.proposer for t in optimizer.history.of_state("pending"))["pareto"] == 2


def test_a_small_domain_is_used_up_without_repeats():
    space = Space(n=Integer(0, 11))
    optimizer = HEBO(space, seed=0, settings=paper("qei", initial=4))
    for _ in range(3):
        batch = optimizer.ask(4)
        optimizer.tell(batch, [float((c["n"] - 3) ** 2) for c in batch])
    assert {t.config["n"] for t in optimizer.history.trials} == set(range(12))


def test_failures_and_fixed_values_are_heeded():
    optimizer = begun(paper("qpi"))
    batch = optimizer.ask(4, fixed={"c": "a"})
    assert {c["c"] for c in batch} == {"a"}
    optimizer.tell(batch, [None] * 4)
    assert len(optimizer.ask(4)) == 4


@pytest.mark.parametrize("acquisition", ["qei", "hedge", "ei"])
def test_several_objectives_have_their_own_front(acquisition):
    goals = [Minimize("a"), Maximize("b")]
    optimizer = HEBO(SPACE, seed=0, settings=paper(acquisition), goals=goals)
    for _ in range(2):
        batch = optimizer.ask(8)
        optimizer.tell(batch, [{"a": loss(c), "b": c["x"]} for c in batch])
    assert len(optimizer.ask(3)) == 3


@pytest.mark.parametrize("robustness", ["noise", "none", "monte-carlo"])
def test_every_form_of_robustness_goes_with_joint_batches(robustness):
    assert len(begun(paper("qei", robustness=robustness)).ask(3)) == 3


def test_noise_by_the_theorem_goes_with_joint_batches():
    assert len(begun(paper("qucb", rho=0.5)).ask(2)) == 2


def test_one_at_a_time_and_many_pending():
    optimizer = begun(paper("qei"))
    asked = [optimizer.ask(1)[0] for _ in range(12)]
    assert len({tuple(c.items()) for c in asked}) == 12


@pytest.mark.slow
@pytest.mark.parametrize("acquisition", [*ALL, "hedge"])
def test_a_bowl_is_searched(acquisition):
    optimizer = begun(paper(acquisition, population=60, generations=30))
    for _ in range(4):
        batch = optimizer.ask(6)
        optimizer.tell(batch, [loss(c) for c in batch])
    assert optimizer.best.value < 0.02
