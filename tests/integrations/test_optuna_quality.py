"""The sampler optimises as well as the core, for it asks the core."""

from functools import cache, partial

import numpy as np
import optuna
import pytest

from tests.integrations.conftest import LIGHT
from tests.optimizers.test_hebo_quality import TASKS
from warpfront import HEBO, Categorical, Integer, Settings
from warpfront.integrations.optuna import HEBOSampler
from warpfront.space import Boolean

BUDGET = {"branin": 25, "hartmann": 40}


def distribution(parameter):
    if isinstance(parameter, Boolean | Categorical):
        return optuna.distributions.CategoricalDistribution(parameter.choices)
    kind = "Int" if isinstance(parameter, Integer) else "Float"
    make = getattr(optuna.distributions, f"{kind}Distribution")
    return make(parameter.low, parameter.high, log=parameter.scale == "log")


def run_core(task, seed, budget, settings=LIGHT):
    optimizer = HEBO(task.space, seed, settings)
    for _ in range(budget):
        (config,) = optimizer.ask()
        optimizer.tell(config, task.loss(config))
    return [dict(t.config) for t in optimizer.history.trials], optimizer.best.value - task.minimum


def run_study(task, sampler, budget):
    distributions = {name: distribution(task.space[name]) for name in task.space}
    study = optuna.create_study(sampler=sampler)
    for _ in range(budget):
        trial = study.ask(distributions)
        study.tell(trial, task.loss(trial.params))
    return [t.params for t in study.trials], study.best_value - task.minimum


@pytest.mark.parametrize("name", ["branin", "mixed"])
def test_on_a_given_space_it_suggests_exactly_what_the_core_does(name):
    task = TASKS[name]
    space = {name: distribution(task.space[name]) for name in task.space}
    tried, _ = run_study(task, HEBOSampler(5, search_space=space, settings=LIGHT), 16)
    assert tried == run_core(task, 5, 16)[0]


@cache
def random_regret(name):
    """Median over many seeds: it costs little."""
    make, task = optuna.samplers.RandomSampler, TASKS[name]
    return np.median([run_study(task, make(s), BUDGET[name])[1] for s in range(15)])


@pytest.mark.parametrize("name", BUDGET)
@pytest.mark.parametrize(
    ("settings", "share", "seeds"),
    [(LIGHT, 0.2, 3), pytest.param(Settings(), 0.1, 20, marks=pytest.mark.slow)],
    ids=["light", "default"],
)
def test_on_an_inferred_space_it_is_as_good_as_the_core(name, settings, share, seeds):
    task, make = TASKS[name], partial(HEBOSampler, settings=settings)
    sampler = [run_study(task, make(seed), BUDGET[name])[1] for seed in range(seeds)]
    core = [run_core(task, seed, BUDGET[name], settings)[1] for seed in range(seeds)]
    assert np.median(sampler) <= np.median(core) + 0.05 * random_regret(name)
    assert np.median(sampler) < share * random_regret(name)
