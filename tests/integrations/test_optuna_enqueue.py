"""A warpfront space in a study, batches into its queue, and its trials as a history."""

import copy
import math

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from tests.integrations.conftest import QUICK
from warpfront import HEBO, Boolean, Categorical, Integer, Maximize, Minimize, Real, Space
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.integrations.optuna import (
    HEBOSampler,
    configuration_of,
    distributions_of,
    load_history,
)
from warpfront.integrations.optuna.queue import enqueue, withdraw
from warpfront.integrations.optuna.translation import Translation
from warpfront.space import Ordinal

KINDS = {
    "linear": Real(-1, 2),
    "log": Real(1e-5, 1, scale="log"),
    "logit": Real(0.001, 0.999, scale="logit"),
    "step": Real(0, 1, step=0.1),
    "thirds": Real(0, 1, step=1 / 3),
    "fine": Real(0, 290806.062, step=0.001),
    "log_step": Real(1, 65, scale="log", step=4),
    "logit_step": Real(0.1, 0.9, scale="logit", step=0.1),
    "integer": Integer(1, 9, step=2),
    "log_integer": Integer(1, 1000, scale="log"),
    "log_integer_step": Integer(1, 31, scale="log", step=3),
    "category": Categorical(["a", None, 2.5]),
    "lists": Categorical([[64], [64, 32], {"n": [1]}, "[64]"]),
    "alike": Categorical([1, True, 1.0, "1"]),
    "order": Ordinal(["small", "medium", "large"]),
    "sizes": Ordinal([1, 2, 4, 8]),
    "flag": Boolean(),
    "constant": Integer(3, 3),
    "only": Categorical([["a"]]),
}
SPACE = Space(KINDS)


def loss(config):
    size = config["sizes"] + len(config["order"]) + config["integer"] + 3 * config["flag"]
    return size + config["linear"] ** 2 + abs(math.log(config["log"])) + config["logit"]


def create(space=SPACE, seed=0, **keywords):
    sampler = HEBOSampler(seed, search_space=space, settings=QUICK)
    return optuna.create_study(sampler=sampler, **keywords), sampler


@pytest.mark.parametrize("name", KINDS)
def test_every_configuration_is_stored_by_optuna_and_read_as_it_was_meant(name):
    space = Space({name: KINDS[name]})
    distribution = distributions_of(space)[name]
    again = optuna.distributions.distribution_to_json(distribution)
    assert optuna.distributions.json_to_distribution(again) == distribution
    translation = Translation.of(space)
    X = space.sample_encoded(32, seed=0)
    numbers, configs = translation.space.encoding.decode(X), space.encoding.decode(X)
    for number, config in zip(numbers, configs, strict=True):
        values = translation.values(number)
        assert translation.config(values) == number
        assert distribution._contains(distribution.to_internal_repr(values[name]))
        assert configuration_of(space, values) == config
        assert type(configuration_of(space, values)[name]) is type(config[name])


@pytest.mark.parametrize(
    ("name", "distribution"),
    [
        ("linear", FloatDistribution(-1, 2)),
        ("log", FloatDistribution(1e-5, 1, log=True)),
        ("logit", FloatDistribution(0.001, 0.999)),
        ("step", FloatDistribution(0, 1, step=0.1)),
        ("thirds", FloatDistribution(0, 1)),
        ("fine", FloatDistribution(0, 290806.062)),
        ("log_step", FloatDistribution(1, 65, log=True)),
        ("integer", IntDistribution(1, 9, step=2)),
        ("log_integer_step", IntDistribution(1, 31, log=True)),
        ("category", CategoricalDistribution(("a", None, 2.5))),
        ("lists", CategoricalDistribution(("[64]", "[64, 32]", '{"n": [1]}', '"[64]"'))),
        ("alike", CategoricalDistribution(("1", "true", "1.0", '"1"'))),
        ("sizes", CategoricalDistribution((1, 2, 4, 8))),
        ("flag", CategoricalDistribution((False, True))),
    ],
)
def test_each_kind_has_the_nearest_distribution(name, distribution):
    assert distributions_of(SPACE)[name] == distribution


def test_the_model_sees_the_scales_and_the_order_that_optuna_does_not_know(suggestions):
    study, sampler = create()
    sampler.enqueue(study, 1)
    space = suggestions[-1][0].space
    assert space["logit"] == KINDS["logit"]
    assert space["log_step"] == KINDS["log_step"]
    assert space["order"] == KINDS["order"]
    assert space == SPACE


def test_parameters_that_are_no_configuration_are_refused():
    space = Space(lists=KINDS["lists"], flag=Boolean())
    with pytest.raises(ConfigurationError, match="parameter 'flag' is missing"):
        configuration_of(space, {"lists": "[64]"})
    with pytest.raises(ConfigurationError, match=r"parameter 'lists': '\[65\]' is not among"):
        configuration_of(space, {"lists": "[65]", "flag": True})


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_batches_in_the_queue_are_exactly_what_the_core_asks_for(direction):
    study, sampler = create(direction=direction)
    goal = Minimize() if direction == "minimize" else Maximize()
    core = HEBO(SPACE, 0, QUICK, goals=goal)
    for _ in range(4):  # the design of 20 first, the model from the fourth on
        batch = sampler.enqueue(study, 8)
        asked = core.ask(8)
        assert batch == [dict(config) for config in asked]
        for i, config in enumerate(asked):
            trial = study.ask(distributions_of(SPACE))
            assert configuration_of(SPACE, trial.params) == config
            if i == 0:
                study.tell(trial, state=TrialState.FAIL)
                core.tell(config, math.nan)
            elif i < 7:  # the last one goes on running
                study.tell(trial, loss(config))
                core.tell(config, loss(config))
    facts = [
        [(t.number, t.config, t.state, t.value, t.proposer) for t in history.trials]
        for history in (load_history(study, SPACE), core.history)
    ]
    assert facts[0] == facts[1]


def test_one_by_one_the_sampler_suggests_what_the_core_does():
    study, _ = create()
    core = HEBO(SPACE, 0, QUICK)
    for _ in range(22):
        trial, (config,) = study.ask(distributions_of(SPACE)), core.ask()
        assert configuration_of(SPACE, trial.params) == config
        study.tell(trial, loss(config))
        core.tell(config, loss(config))


def test_those_who_ask_get_the_queue_without_a_suggestion_of_their_own(storages, suggestions):
    study, sampler = create(storage=storages(), study_name="s")
    batch = sampler.enqueue(study, 2)
    assert len(suggestions) == 1
    worker = optuna.load_study(study_name="s", storage=storages(), sampler=HEBOSampler(1))
    asked = [worker.ask(distributions_of(SPACE)) for _ in range(2)]
    assert [configuration_of(SPACE, trial.params) for trial in asked] == batch
    assert len(suggestions) == 1


def test_what_runs_and_what_waits_is_pending_and_the_same_storage_gives_the_same(suggestions):
    space = Space(x=Real(0, 1), n=Integer(1, 9))
    study, sampler = create(space)
    study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_int("n", 1, 9), n_trials=6)
    study.ask(distributions_of(space))
    study.enqueue_trial({"x": 0.5, "n": 3})
    study.enqueue_trial({"x": 0.25})  # not yet known where
    twin, other = create(space)
    twin.add_trials(study.trials)
    sampler.enqueue(study, 4)
    history, keywords = suggestions[-1]
    assert [t.number for t in history.of_state("pending")] == [6, 7]
    assert keywords["number"] == 9
    assert keywords["models"] is not None
    other.enqueue(twin, 4)
    queues = [[t.params for t in s.trials[9:]] for s in (study, twin)]
    assert queues[0] == queues[1]
    again = sampler.enqueue(study, 4)
    assert all(params not in again for params in queues[0])


def test_what_another_worker_enqueues_meanwhile_is_chosen_again(monkeypatch, storages):
    from warpfront.integrations.optuna import sampler as module

    space = Space(x=Real(0, 1), n=Integer(1, 9))
    study, sampler = create(space, storage=storages(), study_name="s")
    rival = HEBOSampler(0, search_space=space, settings=QUICK)  # the same seed
    other = optuna.load_study(study_name="s", storage=storages(), sampler=rival)
    real, taken = module.suggest, []

    def overtaken(history, n, **keywords):
        chosen = real(history, n, **keywords)
        if not taken:
            taken.append(None)
            taken[:] = rival.enqueue(other, 2)
        return chosen

    monkeypatch.setattr(module, "suggest", overtaken)
    batch = sampler.enqueue(study, 4)
    assert len(taken) == 2
    assert len({tuple(config.values()) for config in [*taken, *batch]}) == 6
    withdrawn = [t for t in study.trials if t.state == TrialState.FAIL]
    assert [t.params for t in withdrawn] == taken
    assert {t.user_attrs["reason"] for t in withdrawn} == {"another worker chose the same"}
    waiting = [t.params for t in study.trials if t.state == TrialState.WAITING]
    assert waiting == [*taken, *batch]
    history = load_history(study, space)
    assert [t.state for t in history.trials].count("withdrawn") == 2
    assert not history.of_state("failed")


def test_what_somebody_evaluates_already_is_not_withdrawn():
    study, sampler = create(Space(x=Real(0, 1)))
    sampler.enqueue(study, 2)
    first, second = study.trials
    study.ask()
    assert not withdraw(study, first)
    study.tell(first.number, 1.0)
    assert not withdraw(study, first)
    assert withdraw(study, second)
    assert [t.state for t in study.trials] == [TrialState.COMPLETE, TrialState.FAIL]


def test_a_space_of_distributions_gives_their_values_and_none_is_an_error():
    space = {"c": CategoricalDistribution((math.inf, "a")), "n": IntDistribution(1, 3)}
    study, sampler = create(space)
    batch = sampler.enqueue(study, 4)
    assert [study.ask().params for _ in range(4)] == batch
    assert {config["c"] for config in batch} == {math.inf, "a"}
    study, sampler = create(None)
    with pytest.raises(ConfigurationError, match=r"HEBOSampler\(search_space=Space"):
        sampler.enqueue(study, 4)
    with pytest.raises(ConfigurationError, match="n=0"):
        sampler.enqueue(study, 0)


def test_numpy_may_be_told_to_raise_on_every_oddity_of_floats():
    study, sampler = create(Space(x=Real(0, 1), y=Real(0, 1)))
    with np.errstate(all="raise"):
        for _ in range(2):
            for config in sampler.enqueue(study, 6):
                study.tell(study.ask(), 1e-320 * (1 + config["x"]))
    assert len(study.trials) == 12


def test_constants_of_distributions_are_enqueued_too():
    space = {
        "c": CategoricalDistribution(("only",)),
        "x": FloatDistribution(0, 1),
        "n": IntDistribution(3, 3),
    }
    study, sampler = create(space)
    batch = [*sampler.enqueue(study, 2), *copy.deepcopy(sampler).enqueue(study, 2)]
    assert [list(config) for config in batch] == [["c", "x", "n"]] * 4
    assert {(config["c"], config["n"]) for config in batch} == {("only", 3)}
    assert [study.ask().params for _ in batch] == batch


def test_a_value_that_optuna_does_not_find_on_its_own_grid_is_enqueued_too():
    grid = FloatDistribution(0, 290806.062, step=0.001)
    assert not grid._contains(grid.high)
    study, _ = create({"x": grid})
    enqueue(study, Translation({"x": grid}), {"x": grid.high}, "local")
    with pytest.warns(UserWarning, match="out of range"):
        assert study.ask({"x": grid}).params == {"x": grid.high}


def outcomes(study):
    def objective(trial):
        x, c = trial.suggest_float("x", 0, 1), trial.suggest_categorical("c", ("a", None))
        trial.suggest_int("k", 3, 3)
        trial.report(x + 1, 0)
        if trial.number == 1:
            raise optuna.TrialPruned
        if trial.number == 2:
            trial.set_user_attr("reason", "exit code 3")
            return math.nan
        return math.nan if trial.number == 3 else x + (c is None)

    study.optimize(objective, n_trials=5)
    study.enqueue_trial({"x": 0.5, "c": None, "k": 3})
    study.ask()
    study.enqueue_trial({"x": 0.25, "c": "a"})
    study.add_trial(  # outside
        create_trial(
            params={"x": 7.0, "c": "a"},
            distributions={"x": FloatDistribution(0, 9), "c": CategoricalDistribution(("a", None))},
            value=1.0,
        )
    )


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_study_is_read_as_a_history(direction):
    study = optuna.create_study(direction=direction)
    outcomes(study)
    space = Space(x=Real(0, 1), c=Ordinal(["a", None]), k=Integer(3, 3))
    history = load_history(study, space)
    params = [t.params for t in study.trials]
    assert history.space is space
    assert [(t.number, t.state) for t in history.trials] == [
        (0, "completed"),
        (1, "completed"),
        (2, "failed"),
        (3, "failed"),
        (4, "completed"),
        (5, "pending"),
        (6, "pending"),
    ]
    assert [dict(t.config) for t in history.trials[:5]] == params[:5]
    assert [t.config["x"] for t in history.trials[5:]] == [0.5, 0.25]
    values = [p["x"] + (p["c"] is None) for p in params[:5]]
    values[1] = params[1]["x"] + 1
    assert [goal.kind for goal in history.goals] == [direction]
    assert [t.value for t in history.completed] == [values[i] for i in (0, 1, 4)]
    assert [t.reason for t in history.of_state("failed")] == ["exit code 3", "the trial failed"]


def test_the_inferred_ranges_hold_all_completed_trials():
    def objective(trial):
        late = trial.number > 1
        trial.suggest_float("rate", 1e-3 if late else 1e-5, 1.0, log=True)
        trial.suggest_int("n", 10 if late else 1, 20)
        trial.suggest_int("even", 4 if late else 2, 8, step=2)
        trial.suggest_float("grid", 0.5 if late else 0, 1, step=0.5 if late else 0.25)
        return trial.suggest_float("x", 5, 6) if late else trial.suggest_float("x", 0, 1)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    study.optimize(objective, n_trials=4)
    history = load_history(study)
    assert history.best.value == study.best_value
    assert len(history.completed) == 4
    assert history.space == Space(
        even=Integer(2, 8, step=2),
        grid=Real(0, 1),
        n=Integer(1, 20),
        rate=Real(1e-5, 1, scale="log"),
        x=Real(0, 6),
    )


def test_without_a_space_it_is_inferred_and_shows_what_the_user_knows():
    study = optuna.create_study()
    with pytest.raises(NotEnoughDataError, match="give space="):
        load_history(study)
    odd = (math.nan, "nan", 1, True)
    study.enqueue_trial({"k": 1, "o": 1, "c": None})
    study.enqueue_trial({"k": 1, "o": math.nan, "c": "a"})

    def objective(trial):
        trial.suggest_categorical("o", odd)
        trial.suggest_categorical("c", ("a", None))
        return trial.suggest_int("k", 1, 1)

    study.optimize(objective, n_trials=2)
    history = load_history(study)
    assert dict(history.trials[0].config) == {"c": None, "k": 1, "o": "1"}
    assert dict(history.trials[1].config) == {"c": "a", "k": 1, "o": "nan"}
    assert history.space["o"] == Categorical(["nan", "'nan'", "1"])
    assert all(t.config in history.space for t in history.trials)
    study.tell(study.ask(), state=TrialState.FAIL)
    assert len(load_history(study)) == 2  # the last one has no parameters
