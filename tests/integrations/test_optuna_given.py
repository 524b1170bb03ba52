"""A given space with conditions, constraints and beliefs in a study."""

import pickle

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.trial import TrialState, create_trial

from tests import strategies
from tests.integrations.conftest import QUICK
from warpfront import HEBO, Boolean, Categorical, Integer, Real, Space
from warpfront.errors import ConfigurationError
from warpfront.integrations.optuna import (
    HEBOSampler,
    configuration_of,
    distributions_of,
    is_settled,
    load_history,
    suggest_configuration,
    values_of,
)
from warpfront.integrations.optuna.history import PUBLISHED

SPACE = Space(
    booster=Categorical(["tree", [1], "linear"]),
    depth=Integer(1, 12, when={"booster": "tree"}),
    leaves=Integer(4, 4, when={"booster": "tree"}),
    shrink=Boolean(when={"booster": ["tree", [1]]}),
    rate=Real(1e-4, 1.0, scale="log", likely=(0.01, 0.1), when={"shrink": True}),
    a=Real(0, 1),
    b=Real(0, 1),
    constraints=["a + b == 1", "depth <= 6 or a < 0.3"],
)


def loss(config):
    return abs(config.get("depth", 9) - 4) + config["a"] + 10 * config.get("rate", 0.5)


def create(space=SPACE, seed=0, **keywords):
    sampler = HEBOSampler(seed, search_space=space, settings=QUICK)
    return optuna.create_study(sampler=sampler, **keywords), sampler


def objective(trial):
    return loss(suggest_configuration(trial, SPACE))


def configs(study, space=SPACE):
    return [configuration_of(space, trial.params) for trial in study.trials]


def test_suggestions_are_those_of_the_core_to_the_last_digit():
    study, _ = create(seed=3)
    study.optimize(objective, n_trials=14)
    core = HEBO(SPACE, 3, QUICK)
    for _ in range(14):
        (config,) = core.ask()
        core.tell(config, loss(config))
    assert configs(study) == [dict(trial.config) for trial in core.history.trials]
    assert all(config in SPACE for config in configs(study))
    for trial in study.trials:
        assert trial.params.keys() == configuration_of(SPACE, trial.params).keys()
    history = load_history(study, SPACE)
    assert [dict(trial.config) for trial in history.trials] == configs(study)
    assert history.best.value == study.best_value


def test_asking_for_all_distributions_gives_the_same_configurations():
    (one, _), (other, _) = create(seed=1), create(seed=1)
    one.optimize(objective, n_trials=12)
    for _ in range(12):
        trial = other.ask(distributions_of(SPACE))
        assert trial.params.keys() == set(SPACE)  # what is inactive has a value that does not count
        other.tell(trial, loss(configuration_of(SPACE, trial.params)))
    assert configs(one) == configs(other)
    kept = [[dict(t.config) for t in load_history(s, SPACE).trials] for s in (one, other)]
    assert kept[0] == kept[1] == configs(one)


def test_a_batch_in_the_queue_has_exactly_the_active_parameters():
    study, sampler = create()
    batch = sampler.enqueue(study, 12)
    assert all(config in SPACE for config in batch)
    assert [trial.params for trial in study.trials] == [values_of(SPACE, c) for c in batch]
    assert batch == [dict(s) for s in HEBO(SPACE, 0, QUICK).ask(12)]
    assert len(load_history(study, SPACE).of_state("pending")) == 12
    study.optimize(objective, n_trials=12)
    assert configs(study) == batch
    assert all(config in SPACE for config in sampler.enqueue(study, 4))


def test_what_is_enqueued_in_part_is_completed_so_that_it_fits():
    study, _ = create()
    study.enqueue_trial({"depth": 9})
    study.enqueue_trial(values_of(SPACE, {"booster": "linear", "depth": 3, "a": 0.25}))
    study.enqueue_trial({"rate": 0.02, "b": 0.9})
    study.optimize(objective, n_trials=3)
    first, second, third = configs(study)
    assert (first["booster"], first["depth"], first["a"] < 0.3) == ("tree", 9, True)
    assert second == {"booster": "linear", "a": 0.25, "b": 0.75}
    assert third["shrink"] is True
    assert abs(third["a"] - 0.1) < 1e-9
    assert all(config in SPACE for config in configs(study))


def test_what_cannot_be_completed_is_an_error_that_says_so():
    study, _ = create(Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b <= 0.5"]))
    study.enqueue_trial({"a": 0.75})
    with pytest.raises(ConfigurationError, match=r"a \+ b <= 0\.5"):
        study.ask({"b": optuna.distributions.FloatDistribution(0, 1)})


def test_added_trials_may_violate_constraints_and_are_kept():
    study, _ = create()
    config = {"booster": "linear", "a": 0.5, "b": 0.9}
    study.add_trial(
        create_trial(
            params=values_of(SPACE, config),
            distributions=distributions_of(SPACE, config),
            value=3.0,
        )
    )
    (trial,) = load_history(study, SPACE).trials
    assert (dict(trial.config), trial.value) == (config, 3.0)
    assert SPACE.violated(dict(trial.config)) == ["a + b == 1"]


def test_workers_see_what_others_were_suggested_before_they_use_it():
    study, _ = create()
    trials = [study.ask() for _ in range(6)]
    for trial in trials:
        trial.suggest_float("a", 0, 1)  # since Optuna 5 the others are published with the first
    pending = load_history(study, SPACE).of_state("pending")
    assert len(pending) == 6
    assert all(dict(trial.config) in SPACE for trial in pending)
    stored = [study._storage.get_trial(t._trial_id).system_attrs[PUBLISHED] for t in trials]
    assert {type(number) for numbers in stored for number in numbers.values()} <= {int, float}


def test_a_trial_that_failed_before_all_was_asked_counts_with_what_was_meant():
    study, _ = create()

    def fails(trial):
        trial.suggest_float("a", 0, 1)
        raise ValueError("no")

    study.optimize(fails, n_trials=3, catch=ValueError)
    failed = load_history(study, SPACE).of_state("failed")
    assert len(failed) == 3
    assert all(dict(trial.config) in SPACE for trial in failed)


def test_an_objective_may_ask_for_more_than_the_space_has():
    study, _ = create()

    def more(trial):
        return objective(trial) + trial.suggest_float("extra", 0, 1)

    study.optimize(more, n_trials=12)
    assert all(config in SPACE for config in configs_without(study, "extra"))


def configs_without(study, name):
    rest = [{k: v for k, v in t.params.items() if k != name} for t in study.trials]
    return [configuration_of(SPACE, params) for params in rest]


def test_choices_that_python_takes_for_equal_are_told_apart():
    space = Space(flag=Categorical([1, True, "1"]), n=Integer(1, 3, when={"flag": True}))
    study, sampler = create(space)
    batch = sampler.enqueue(study, 5)
    assert sorted(map(repr, batch)) == sorted(
        map(repr, [{"flag": 1}, {"flag": "1"}, *({"flag": True, "n": n} for n in (1, 2, 3))])
    )
    study.optimize(lambda t: float(len(suggest_configuration(t, space))), n_trials=5)
    assert [repr(dict(t.config)) for t in load_history(study, space).trials] == [*map(repr, batch)]


def test_a_copy_of_the_sampler_goes_on_alike():
    study, sampler = create()
    study.optimize(objective, n_trials=9)
    other = pickle.loads(pickle.dumps(sampler))  # noqa: S301 - our own
    again = optuna.create_study(sampler=other)
    again.add_trials(study.trials)
    assert other.enqueue(again, 2) == sampler.enqueue(study, 2)


def test_functions_are_constraints_like_texts():
    def fits(config):
        return config["a"] + config["b"] <= 0.5

    space = Space(a=Real(0, 1), b=Real(0, 1), constraints=[fits])
    study, _ = create(space)
    study.optimize(lambda t: -suggest_configuration(t, space)["a"], n_trials=12)
    assert all(fits(trial.params) for trial in study.trials)


def test_only_what_is_active_must_be_there_to_be_settled():
    assert is_settled(SPACE, {"booster": "linear", "a": 0.5, "b": 0.5, "depth": 3})
    assert not is_settled(SPACE, {"booster": "tree", "a": 0.5, "b": 0.5})
    assert not is_settled(SPACE, {"booster": "linear", "a": 0.5, "b": 7})


def test_withdrawn_and_waiting_trials_of_conditional_spaces_are_read():
    study, sampler = create()
    sampler.enqueue(study, 2)
    (first, second) = study.trials
    study._storage.set_trial_state_values(first._trial_id, TrialState.RUNNING)
    states = [trial.state for trial in load_history(study, SPACE).trials]
    assert states == ["pending", "pending"]
    assert second.state == TrialState.WAITING


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_values_and_configurations_go_there_and_back(data):
    space = data.draw(strategies.small_spaces())
    for config in space.sample(3, seed=0):
        values = values_of(space, config)
        trial = create_trial(
            params=values, distributions=distributions_of(space, config), value=0.0
        )
        assert repr(configuration_of(space, trial.params)) == repr(config)
        study = optuna.create_study()
        study.add_trial(trial)
        (read,) = load_history(study, space).trials
        assert repr(dict(read.config)) == repr(config)
