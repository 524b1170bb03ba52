"""HEBOSampler in studies of one worker: what is suggested, from what."""

import copy
import json
import math
import pickle
import subprocess
import sys
import warnings
from collections import Counter
from functools import partial

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from tests.integrations.conftest import LIGHT, QUICK
from warpfront import Real, Settings, Space
from warpfront.errors import ConfigurationError, SettingsError, SpaceError
from warpfront.integrations.optuna import HEBOSampler
from warpfront.integrations.optuna.history import PROPOSER, PUBLISHED
from warpfront.optimizers.ask_tell import Proposal
from warpfront.settings import DEFAULT_SHARES

SPACE = {
    "x": FloatDistribution(0, 1),
    "rate": FloatDistribution(1e-5, 1, log=True),
    "n": IntDistribution(1, 9, step=2),
    "c": CategoricalDistribution(("a", None, 2)),
}


def suggest_all(trial):
    return {
        "x": trial.suggest_float("x", 0, 1),
        "rate": trial.suggest_float("rate", 1e-5, 1, log=True),
        "n": trial.suggest_int("n", 1, 9, step=2),
        "c": trial.suggest_categorical("c", ("a", None, 2)),
    }


def value(params):
    wrong = params["c"] is not None
    return (params["x"] - 0.3) ** 2 + math.log10(params["rate"] / 1e-3) ** 2 + params["n"] + wrong


def objective(trial):
    return value(suggest_all(trial))


def create(seed=0, settings=QUICK, search_space=None, **keywords):
    sampler = HEBOSampler(seed, settings=settings, search_space=search_space)
    return optuna.create_study(sampler=sampler, **keywords)


def params(study):
    return [t.params for t in study.trials]


@pytest.fixture
def messages(caplog):
    optuna.logging.enable_propagation()
    yield lambda: [r.getMessage() for r in caplog.records if "said once" in r.getMessage()]
    optuna.logging.disable_propagation()


@pytest.mark.parametrize("search_space", [None, SPACE], ids=["inferred", "given"])
def test_same_seed_same_suggestions(search_space):
    studies = [create(seed, search_space=search_space) for seed in (0, 0, 1)]
    for study in studies:
        study.optimize(objective, n_trials=9)
    first, same, other = map(params, studies)
    assert first == same
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_numpy_may_be_told_to_raise_on_every_oddity_of_floats():
    with np.errstate(all="raise"):
        strict = create()  # losses so small that all arithmetic underflows
        strict.optimize(lambda trial: 1e-320 * objective(trial), n_trials=8)
    lenient = create()
    lenient.optimize(lambda trial: 1e-320 * objective(trial), n_trials=8)
    assert params(strict) == params(lenient)


def test_reseeding_for_threads_changes_nothing():
    plain, reseeded = create(search_space=SPACE), create(search_space=SPACE)
    plain.optimize(objective, n_trials=8)
    for _ in range(8):
        reseeded.sampler.reseed_rng()  # as Optuna does before each trial of n_jobs=2
        reseeded.optimize(objective, n_trials=1)
    assert params(reseeded) == params(plain)


def test_one_sampler_serves_several_studies():
    sampler = create(search_space=SPACE).sampler
    both = [optuna.create_study(sampler=sampler, direction=d) for d in ("minimize", "maximize")]
    alone = [create(search_space=SPACE, direction=d) for d in ("minimize", "maximize")]
    for _ in range(8):
        for study in both:
            study.optimize(objective, n_trials=1)
    for study in alone:
        study.optimize(objective, n_trials=8)
    assert [params(s) for s in both] == [params(s) for s in alone]


def test_a_study_goes_on_after_a_break_as_without_it(storages):
    whole = create()
    whole.optimize(objective, n_trials=9)
    for n_trials in (6, 3):
        part = create(storage=storages(), study_name="s", load_if_exists=True)
        part.optimize(objective, n_trials=n_trials)
    assert params(part) == params(whole)


def test_to_maximise_is_to_minimise_the_negative():
    down, up = create(), create(direction="maximize")
    down.optimize(objective, n_trials=12)
    up.optimize(lambda trial: -objective(trial), n_trials=12)
    assert params(up) == params(down)


def test_a_given_space_is_covered_evenly_from_the_first_trial():
    study = create(search_space=SPACE, settings=Settings(initial=16))
    study.optimize(objective, n_trials=16)
    assert sum(p["x"] < 0.5 for p in params(study)) == 8


def test_the_inferred_space_is_what_all_completed_trials_have():
    study = create()
    sampler = study.sampler
    assert sampler.infer_relative_search_space(study, study.ask()) == {}
    study.optimize(objective, n_trials=2)
    assert sampler.infer_relative_search_space(study, study.ask()) == SPACE
    study.add_trial(create_trial(params={"x": 0.1}, distributions={"x": SPACE["x"]}, value=1.0))
    assert sampler.infer_relative_search_space(study, study.ask()) == {"x": SPACE["x"]}


def test_what_was_asked_and_not_told_is_pending(suggestions):
    study = create(search_space=SPACE)
    study.optimize(objective, n_trials=6)
    for _ in range(3):
        suggest_all(study.ask())
    history, keywords = suggestions[-1]
    assert keywords["number"] == 8
    assert [t.number for t in history.of_state("pending")] == [6, 7]
    assert len({json.dumps(p) for p in params(study)}) == 9


def test_one_fit_serves_all_who_ask_before_the_next_result(monkeypatch):
    from warpfront.integrations.optuna import history

    fits = []
    real = history.fit_models
    monkeypatch.setattr(history, "fit_models", lambda *a: fits.append(a) or real(*a))
    study = create(search_space=SPACE)
    study.optimize(objective, n_trials=5)
    asked = [study.ask() for _ in range(4)]
    told = [value(suggest_all(trial)) for trial in asked]
    assert len(fits) == 1
    study.tell(asked[0], told[0])
    suggest_all(study.ask())
    assert len(fits) == 2


def test_parameters_are_published_as_json_with_the_first_suggestion(storages):
    study = create(search_space=SPACE, storage=storages(), study_name="s")
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    other = optuna.load_study(study_name="s", storage=storages())
    seen = other.trials[0]
    assert seen.params == {"x": x}
    numbers = seen.system_attrs[PUBLISHED]
    assert numbers.keys() == SPACE.keys()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    chosen = suggest_all(trial)
    assert {n: d.to_external_repr(numbers[n]) for n, d in SPACE.items()} == chosen


def test_many_parameters_are_published_too(storages):
    space = {f"p{i:03d}": FloatDistribution(0, 1) for i in range(200)}
    study = create(search_space=space, storage=storages())
    x = study.ask().suggest_float("p007", 0, 1)
    numbers = study.trials[0].system_attrs[PUBLISHED]
    assert numbers.keys() == space.keys()
    assert numbers["p007"] == x


def test_a_journal_is_a_storage_like_any_other(tmp_path):
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    study = create(storage=optuna.storages.JournalStorage(backend))
    study.optimize(objective, n_trials=6)
    memory = create()
    memory.optimize(objective, n_trials=6)
    assert params(study) == params(memory)


def test_enqueued_trials_are_run_as_they_are_and_completed_where_they_are_not(suggestions):
    study = create(search_space=SPACE)
    whole = {"x": 0.25, "rate": 1e-2, "n": 3, "c": 2}
    study.enqueue_trial(whole)
    study.enqueue_trial({"n": 7, "c": None})
    study.optimize(objective, n_trials=6)
    assert study.trials[0].params == whole
    assert study.trials[1].params.items() >= {"n": 7, "c": None}.items()
    held = [keywords["fixed"] for _, keywords in suggestions]
    assert held == [{"n": 7, "c": 1}, {}, {}, {}, {}]


def test_an_enqueued_value_outside_the_range_is_left_to_optuna():
    study = create(search_space=SPACE)
    study.optimize(objective, n_trials=5)
    study.enqueue_trial({"x": 3.0})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(objective, n_trials=1)
    assert study.trials[-1].params["x"] == 3.0


def test_added_trials_are_a_warm_start(suggestions):
    source = create(seed=1)
    source.optimize(objective, n_trials=8)
    study = create()
    study.add_trials(source.trials)
    study.optimize(objective, n_trials=1)
    ((history, keywords),) = suggestions[-1:]
    assert len(history.completed) == 8
    assert keywords["models"] is not None


def test_failures_of_every_kind_are_learned_from(suggestions):
    study = create(search_space=SPACE)
    bad = iter([math.nan, math.inf, -math.inf, None, ZeroDivisionError("no")])

    def failing(trial):
        good, outcome = objective(trial), next(bad, 1.0)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome == 1.0:
            return good
        return outcome

    study.optimize(failing, n_trials=7, catch=(ZeroDivisionError,))
    history, _ = suggestions[-1]
    states = [t.state for t in history.trials]
    assert states == ["failed"] * 5 + ["completed"]


def test_the_search_leaves_the_region_that_fails():
    study = create(settings=LIGHT, search_space={"x": SPACE["x"], "y": SPACE["x"]})

    def failing(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        return math.nan if x < 0.5 else (x - 0.6) ** 2 + y

    study.optimize(failing, n_trials=25)
    late = [t.state == TrialState.FAIL for t in study.trials[10:]]
    assert sum(late) <= 5


@pytest.mark.parametrize("error", [ZeroDivisionError, optuna.TrialPruned])
def test_the_search_leaves_a_region_that_ends_trials_between_two_suggestions(error, suggestions):
    study = create(settings=LIGHT)

    def ending(trial):
        x = trial.suggest_float("x", 0, 1)
        if x > 0.5:
            raise error
        return (trial.suggest_float("y", 0, 1) - 0.3) ** 2 + (x - 0.45) ** 2

    study.optimize(ending, n_trials=25, catch=(ZeroDivisionError,))
    ended = [t.number for t in study.trials if t.state != TrialState.COMPLETE]
    history, _ = suggestions[-1]
    # They count with the value of y that they were about to get.
    assert [t.number for t in history.of_state("failed")] == ended
    assert all(t.config.keys() == {"x", "y"} for t in history.trials)
    assert sum(n >= 10 for n in ended) <= 5


def test_a_worker_learns_from_what_ended_early_elsewhere(storages, suggestions):
    first = create(storage=storages(), study_name="s")
    first.optimize(objective, n_trials=2)
    trial = first.ask()
    trial.suggest_float("x", 0, 1)
    first.tell(trial, state=TrialState.FAIL)
    second = create(storage=storages(), study_name="s", load_if_exists=True)
    suggest_all(second.ask())
    (failed,) = suggestions[-1][0].of_state("failed")
    assert (failed.number, failed.config) == (2, first.trials[2].system_attrs[PUBLISHED])


def test_pruned_trials_count_with_their_last_value(suggestions):
    study = create(search_space=SPACE, pruner=optuna.pruners.NopPruner())

    def pruned(trial):
        found = objective(trial)
        trial.report(found + 5.0, 0)
        trial.report(found, 1)
        raise optuna.TrialPruned

    study.optimize(pruned, n_trials=6)
    history, _ = suggestions[-1]
    losses = [t.value for t in history.trials]
    assert losses == [value(p) for p in params(study)[:5]]


def test_hyperband_gives_the_sampler_one_bracket_at_a_time():
    study = create(pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9))

    def stepwise(trial):
        found = objective(trial)
        for step in range(9):
            trial.report(found + 9 - step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return found

    study.optimize(stepwise, n_trials=20)
    assert {t.state for t in study.trials} <= {TrialState.COMPLETE, TrialState.PRUNED}
    assert len({json.dumps(p) for p in params(study)}) == 20


@pytest.mark.parametrize(("low", "high"), [(20, 30), (0, 5), (-10, 20)])
def test_a_changed_range_holds_from_its_first_completed_trial_on(low, high, suggestions):
    study = create()
    study.optimize(lambda t: t.suggest_float("x", 0, 10) + t.suggest_int("n", 0, 10), n_trials=8)
    old = params(study)
    study.optimize(lambda t: t.suggest_float("x", low, high) + t.suggest_int("n", 0, 10), 5)
    assert all(low <= p["x"] <= high for p in params(study)[8:])
    changed = {"x": FloatDistribution(low, high), "n": IntDistribution(0, 10)}
    found = study.sampler.infer_relative_search_space(study, study.ask())
    assert found == changed
    inside = sum(low <= p["x"] <= high for p in old)
    assert len(suggestions[-1][0].completed) == inside + 4  # those outside are left out


def chain(trial):
    """Each range ends where the value before it lies."""
    high, total = 256, 0.0
    for i, best in enumerate([200, 140, 100]):
        found = trial.suggest_int(f"u{i}", 4, high)
        total += ((found - best) / 100) ** 2
        high = max(found, 5)
    return total


def test_where_a_range_depends_on_other_parameters_all_trials_take_part(suggestions):
    study = create()
    study.optimize(chain, n_trials=16)
    whole = [(h, k) for h, k in suggestions if not k["fixed"] and k["number"] >= 3]
    assert [len(h.completed) for h, _ in whole] == [k["number"] for _, k in whole]
    assert len(whole) == 13
    found = study.sampler.infer_relative_search_space(study, study.ask())
    highs = [[t.distributions[name].high for t in study.trials[:16]] for name in found]
    assert [d.high for d in found.values()] == [max(h) for h in highs]


def test_a_value_outside_the_own_range_is_suggested_again_given_the_others(suggestions):
    study = create()
    study.optimize(chain, n_trials=16)
    for trial in study.trials:
        assert all(d._contains(trial.params[n]) for n, d in trial.distributions.items())
    again = [k["fixed"] for _, k in suggestions if k["fixed"] and k["number"] >= 3]
    assert again
    assert all("u0" in fixed for fixed in again)


def test_ranges_that_depend_on_other_parameters_are_the_same_after_a_break(storages):
    whole = create()
    whole.optimize(chain, n_trials=12)
    for _ in range(3):
        part = create(storage=storages(), study_name="s", load_if_exists=True)
        part.optimize(chain, n_trials=4)
    assert params(part) == params(whole)


def branches(trial):
    """Two kinds with parameters of their own, each with an optimum elsewhere."""
    kind = trial.suggest_categorical("kind", ["svm", "net"])
    scale = trial.suggest_float("scale", 0, 1)
    if kind == "svm":
        C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        gamma = trial.suggest_float("gamma", 1e-4, 1e1, log=True)
        return 0.3 + math.log10(C) ** 2 + (math.log10(gamma) + 2) ** 2 + scale
    layers = trial.suggest_int("layers", 1, 9)
    rates = [trial.suggest_float(f"rate{i}", 0, 1) for i in range(3)]
    return 0.1 + (layers - 6) ** 2 / 25 + sum((r - 0.3) ** 2 for r in rates) + (1 - scale) ** 2


BRANCHES = {
    "kind": CategoricalDistribution(("svm", "net")),
    "scale": FloatDistribution(0, 1),
    "C": FloatDistribution(1e-3, 1e3, log=True),
    "gamma": FloatDistribution(1e-4, 1e1, log=True),
    "layers": IntDistribution(1, 9),
    **{f"rate{i}": FloatDistribution(0, 1) for i in range(3)},
}


def test_conditional_parameters_are_suggested_together_with_the_others(suggestions):
    study, counts = create(), [0]
    study.optimize(branches, 20, callbacks=[lambda *_: counts.append(len(suggestions))])
    history = suggestions[-1][0]
    assert set(history.space.names) == BRANCHES.keys()
    assert history.space["C"].when == {"kind": [0]}
    assert history.space["layers"].when == {"kind": [1]}
    assert len(history.completed) == 19
    # One suggestion for each trial, once every branch was met.
    assert set(np.diff(counts)[8:]) == {1}


@pytest.mark.parametrize("seed", [0, 1])
def test_every_branch_is_visited_again_and_again_and_the_rest_is_left_to_the_model(
    seed, suggestions
):
    study = create(seed)
    study.optimize(branches, n_trials=40)
    kinds = [p["kind"] for p in params(study)]
    assert all({"svm", "net"} == set(kinds[i : i + 16]) for i in range(25))
    modelled = {k["number"]: k for h, k in suggestions if k["number"] >= 12}
    assert all(k["models"] is not None for k in modelled.values())
    # A quarter of the trials explores: the model chooses all but the branch.
    exploring = [k["fixed"] for k in modelled.values() if k["fixed"]]
    assert len(exploring) == 7
    assert [fixed.keys() for fixed in exploring] == [{"kind"}] * 7
    assert {fixed["kind"] for fixed in exploring} == {0, 1}


def test_the_shares_of_the_proposers_hold_within_each_branch():
    study = create()
    study.optimize(branches, n_trials=48)
    for kind in ("svm", "net"):
        trials = [t for t in study.trials if t.params["kind"] == kind]
        who = Counter(t.system_attrs.get(PROPOSER) for t in trials)
        counts = [who[name] for name in DEFAULT_SHARES]
        assert min(counts) >= 1
        assert max(counts) - min(counts) <= 0.25 * len(trials)


@pytest.mark.parametrize("enqueued", [{"kind": "svm"}, {"kind": "net"}, {"scale": 0.7}])
def test_what_is_enqueued_is_held_where_a_trial_explores(enqueued):
    study = create()
    study.optimize(branches, n_trials=10)
    study.enqueue_trial(enqueued)
    study.optimize(branches, n_trials=1)
    numbers = study.trials[10].system_attrs[PUBLISHED]
    explored = {n: BRANCHES[n].to_external_repr(numbers[n]) for n in ("kind", "scale")}
    assert explored.items() >= enqueued.items()
    assert study.trials[10].params.items() >= explored.items()


def test_without_a_discrete_parameter_no_trial_explores(suggestions):
    def grown(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1, step=0.125)
        return x + y + (trial.suggest_float("new", 0, 1) if trial.number >= 4 else 0.0)

    study = create()
    study.optimize(grown, n_trials=16)
    shared = [k for h, k in suggestions if len(h.space) == 2 and k["number"] >= 8]
    assert [k["number"] for k in shared] == list(range(8, 16))
    assert all(k["models"] is not None and not k["fixed"] for k in shared)


def test_where_all_common_parameters_are_discrete_exploring_trials_repeat_nothing():
    def finite(trial):
        kind, n = trial.suggest_categorical("kind", ["a", "b"]), trial.suggest_int("n", 1, 15)
        return n + (trial.suggest_float("x", 0, 1) if kind == "a" else 0.5)

    study = create()
    study.optimize(finite, n_trials=24)
    assert len({(p["kind"], p["n"], p.get("x")) for p in params(study)}) == 24
    published = [t.system_attrs[PUBLISHED] for t in study.trials[1:]]
    assert all({"kind", "n"} <= numbers.keys() for numbers in published)


def test_the_reason_is_said_once(messages):
    def unclear(trial):
        x = trial.suggest_float("x", 0, 1)
        return x if x < 0.5 else trial.suggest_float("y", 0, 1)

    study = create()
    study.optimize(unclear, n_trials=10)
    (message,) = messages()
    assert "completed trials have it, and no choice or whole number before it tells" in message
    assert "search_space" not in message  # where trials that differ in what is unused are repeats


def test_a_changed_range_and_a_parameter_outside_the_given_space_are_reasons(messages):
    study = create()
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=2)
    study.optimize(lambda t: t.suggest_float("x", 3, 4), n_trials=2)
    given = create(search_space={"x": SPACE["x"]})
    given.optimize(objective, n_trials=3)
    other = create(search_space={"x": SPACE["x"]})
    other.optimize(lambda t: t.suggest_float("x", 3, 4), n_trials=3)
    changed, outside, different = messages()
    assert "'x' apart from the other parameters, because its range has changed" in changed
    assert "'rate'" in outside
    assert "because the search_space that was given does not have it" in outside
    assert "because its range is another one in the search_space" in different


@pytest.mark.parametrize("given", [{"x": FloatDistribution(0, 1)}, Space(x=Real(0, 1))])
def test_a_range_that_is_wider_than_the_given_one_is_said_once(messages, given):
    study = create(search_space=given)
    study.optimize(lambda t: t.suggest_float("x", 0, 2), n_trials=3)
    (message,) = messages()
    assert "'x' in [0.0, 1.0] of the search_space that was given, though the objective" in message
    assert "though the objective allows [0.0, 2.0]. This is said once" in message
    assert max(t.params["x"] for t in study.trials) <= 1
    same = create(search_space=given)
    same.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
    assert len(messages()) == 1


def test_one_kind_of_warning_does_not_silence_the_other(messages):
    study = create(search_space=Space(x=Real(0, 1)))
    study.optimize(lambda t: t.suggest_float("x", 0, 2) + t.suggest_int("n", 1, 9), n_trials=4)
    apart, narrower = messages()
    assert "suggests 'n' apart from the other parameters" in apart
    assert "searches 'x' in [0.0, 1.0]" in narrower


def test_nothing_is_said_where_there_is_no_reason_or_no_wish(messages):
    create().optimize(objective, n_trials=4)
    create().optimize(branches, n_trials=12)
    sampler = HEBOSampler(0, settings=QUICK, warn_independent_sampling=False)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: t.suggest_float("x", t.number, t.number + 1), n_trials=4)
    assert messages() == []


def test_in_a_given_space_no_trial_of_a_conditional_objective_is_left_out(suggestions, messages):
    study = create(search_space=BRANCHES)
    study.optimize(branches, n_trials=10)
    assert len(suggestions) == 10
    assert len(suggestions[-1][0].completed) == 9
    assert messages() == []


def test_conditional_parameters_are_searched_better_than_at_random():
    def median(make):
        found = []
        for seed in range(3):
            study = optuna.create_study(sampler=make(seed))
            study.optimize(branches, n_trials=30)
            found.append(study.best_value)
        return np.median(found)

    at_random = median(optuna.samplers.RandomSampler)
    assert median(partial(HEBOSampler, settings=LIGHT)) - 0.1 < 0.5 * (at_random - 0.1)


def test_choices_may_be_odd(storages):
    choices = (None, True, 1, 1.0, 2, math.nan, "a", "", 2.5, -math.inf)
    study = create(storage=storages())
    study.optimize(
        lambda t: (t.suggest_categorical("c", choices) != "a") + t.suggest_float("x", 0, 1), 20
    )
    tried = {CategoricalDistribution(choices).to_internal_repr(p["c"]) for p in params(study)}
    assert tried - {0, 1, 4, 5, 6, 7, 8, 9} == set()  # 1 and 1.0 are True to Optuna
    assert len(tried) > 4
    assert study.best_params["c"] == "a"


def test_objects_may_be_choices():
    choices = ([1, 2], (3,), math.sqrt)
    with warnings.catch_warnings():  # that only plain values can be stored in files
        warnings.simplefilter("ignore", UserWarning)
        study = create()
        study.optimize(lambda t: choices.index(t.suggest_categorical("c", choices)), n_trials=8)
    assert study.best_params == {"c": [1, 2]}


def test_whole_numbers_may_be_large():
    study = create()
    study.optimize(lambda t: t.suggest_int("seed", 0, 2**63 - 1) + t.suggest_int("n", 1, 9), 6)
    assert len({p["seed"] for p in params(study)}) >= 4  # some may differ in n alone
    assert all(type(p["seed"]) is int for p in params(study))


def test_constants_and_no_parameters_at_all_are_fine():
    study = create()
    study.optimize(lambda t: t.suggest_int("n", 3, 3) + t.suggest_categorical("c", [1, True]), 3)
    assert params(study) == [{"n": 3, "c": 1}] * 3
    study = create()
    study.optimize(lambda t: 1.0, n_trials=3)
    assert params(study) == [{}] * 3


def test_a_finite_space_is_used_up_before_anything_is_repeated():
    space = {"a": IntDistribution(1, 3), "b": CategoricalDistribution(("u", "v"))}
    study = create(search_space=space)
    study.optimize(lambda t: t.suggest_int("a", 1, 3) + len(t.suggest_categorical("b", "uv")), 8)
    assert len({json.dumps(p) for p in params(study)[:6]}) == 6


@pytest.mark.parametrize("finished", [False, True])
def test_a_point_that_another_worker_takes_meanwhile_is_not_taken_again(finished, monkeypatch):
    from warpfront.integrations.optuna import sampler

    study = create(search_space=SPACE)
    study.optimize(objective, n_trials=6)
    real, rivals = sampler.suggest, []

    def overtaken(history, n, **keywords):
        ((config, who),) = real(history, n, **keywords)
        if not rivals:
            rivals.append(config)
            rival = study._storage.create_new_trial(study._study_id)
            study._storage.set_trial_system_attr(rival, PUBLISHED, config)
            if finished:
                study._storage.set_trial_state_values(rival, TrialState.COMPLETE, [1.0])
        return [Proposal(config, who)]

    monkeypatch.setattr(sampler, "suggest", overtaken)
    suggest_all(study.ask())
    first, rival = study.trials[-2:]
    assert rival.system_attrs[PUBLISHED] == rivals[0]
    assert first.system_attrs[PUBLISHED] != rivals[0]
    assert first.params["x"] == first.system_attrs[PUBLISHED]["x"]


def test_arguments_are_checked():
    with pytest.raises(ConfigurationError, match="seed=-1"):
        HEBOSampler(-1)
    with pytest.raises(SettingsError, match="settings='fast'"):
        HEBOSampler(settings="fast")
    with pytest.raises(SpaceError, match=r"parameter 'x': \(0, 1\) is unknown"):
        HEBOSampler(search_space={"x": (0, 1)})
    with pytest.raises(SpaceError, match=r"parameters of warpfront; wrap it: Space\(\{...\}\)"):
        HEBOSampler(search_space={"x": Real(0, 1)})
    with pytest.raises(SpaceError, match=r"search_space=\['x'\]: must be a warpfront.Space"):
        HEBOSampler(search_space=["x"])


def test_without_a_seed_one_is_drawn_and_can_be_read():
    drawn = [HEBOSampler().seed, HEBOSampler().seed]
    assert drawn[0] != drawn[1]
    assert HEBOSampler(drawn[0]).seed == drawn[0]


def through_pickle(sampler):
    return pickle.loads(pickle.dumps(sampler))  # noqa: S301 (our own, a moment ago)


@pytest.mark.parametrize("again", [copy.deepcopy, through_pickle])
def test_a_copy_of_the_sampler_goes_on_alike(again):
    study = create(search_space=SPACE)
    study.optimize(objective, n_trials=5)
    twin = create()
    twin.add_trials(study.trials)
    twin.sampler = again(study.sampler)
    for each in (study, twin):
        each.optimize(objective, n_trials=3)
    assert params(twin) == params(study)


def test_each_finished_trial_is_read_once(monkeypatch, storages):
    from warpfront.integrations.optuna import history

    real, read = history.decided, []
    monkeypatch.setattr(history, "decided", lambda *a: read.append(a) or real(*a))
    study = create(storage=storages(), settings=Settings(initial=99))
    study.optimize(objective, n_trials=15)
    assert len(read) <= 15


def test_without_optuna_the_line_that_installs_it_is_said():
    code = """
import sys
sys.modules["optuna"] = None
import warpfront.integrations
try:
    from warpfront.integrations.optuna import HEBOSampler
except ImportError as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("MissingExtraError ")
    assert "[study]" in done.stdout
