"""Many workers on one study: threads on one sampler, processes on one file."""

import json
import multiprocessing
import os
import time

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from tests.integrations.conftest import QUICK, open_storage
from warpfront.integrations.optuna import HEBOSampler

SPACE = {
    "n": IntDistribution(1, 12),
    "c": CategoricalDistribution(("a", "b")),
    "d": CategoricalDistribution((True, False)),
}
WORKERS = 3
TRIALS = 12
"""Of each worker; the space has 48 configurations, so that they often choose the same at first."""


def objective(trial):
    n = trial.suggest_int("n", 1, 12)
    time.sleep(0.02)  # let others look at a trial that has suggested a part of its parameters
    c, d = trial.suggest_categorical("c", ("a", "b")), trial.suggest_categorical("d", (True, False))
    trial.set_user_attr("worker", os.getpid())
    return (n - 7) ** 2 + (c == "a") + d


def sampler():
    return HEBOSampler(seed=0, search_space=SPACE, settings=QUICK)


def configurations(study):
    return {json.dumps(t.params, sort_keys=True) for t in study.trials}


def work(url, barrier):
    """One process: the same seed as all others."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(study_name="s", storage=open_storage(url), sampler=sampler())
    barrier.wait()
    study.optimize(objective, n_trials=TRIALS)


def test_processes_of_one_seed_on_one_file_do_not_try_the_same(tmp_path, storages):
    study = optuna.create_study(study_name="s", storage=storages(), sampler=sampler())
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(WORKERS, timeout=300)
    url = f"sqlite:///{tmp_path}/study.db"
    workers = [context.Process(target=work, args=(url, barrier)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * WORKERS * TRIALS
    assert len(configurations(study)) == WORKERS * TRIALS
    overlaps = [
        (a.number, b.number)
        for a in study.trials
        for b in study.trials
        if a.user_attrs["worker"] < b.user_attrs["worker"]
        and a.datetime_start < b.datetime_complete
        and b.datetime_start < a.datetime_complete
    ]
    assert overlaps  # else the two took turns and this was no test


def test_threads_on_one_sampler_do_not_try_the_same():
    study = optuna.create_study(sampler=sampler())
    study.optimize(objective, n_trials=40, n_jobs=2)
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * 40
    assert len(configurations(study)) == 40


@pytest.mark.parametrize("told", [0, 6])
def test_what_another_worker_has_published_is_pending(told, storages, suggestions):
    optuna.create_study(study_name="s", storage=storages())
    first, second = (
        optuna.load_study(study_name="s", storage=storages(), sampler=sampler()) for _ in range(2)
    )
    first.optimize(objective, n_trials=told)
    trial = first.ask()
    trial.suggest_int("n", 1, 12)  # the others are published, not yet suggested
    objective(second.ask())
    history, keywords = suggestions[-1]
    (pending,) = history.of_state("pending")
    assert (pending.number, keywords["number"]) == (told, told + 1)
    objective(trial)
    params = first.trials[told].params
    assert {n: d.to_external_repr(pending.config[n]) for n, d in SPACE.items()} == params
    assert len(configurations(first)) == told + 2


def test_a_worker_sees_the_results_of_others(storages, suggestions):
    optuna.create_study(study_name="s", storage=storages(), direction="maximize")
    first, second = (
        optuna.load_study(study_name="s", storage=storages(), sampler=sampler()) for _ in range(2)
    )
    for study in (first, second, first, second):
        study.optimize(objective, n_trials=2)
    history, _ = suggestions[-1]
    assert [(t.number, t.value) for t in history.completed] == [
        (t.number, t.value) for t in first.trials[:7]
    ]
