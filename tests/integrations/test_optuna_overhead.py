"""What the sampler costs beside the optimiser's own step. With `-s` it prints the figures."""

import time
from collections import defaultdict

import numpy as np
import optuna
import pytest

from warpfront.integrations.optuna import HEBOSampler, sampler
from warpfront.optimizers.ask_tell import Proposal

CHECKPOINTS = (100, 200, 500, 1000)
WINDOW = 50
"""Medians over so many trials before each checkpoint."""


def objective(trial):
    total = sum(trial.suggest_float(f"x{i}", 0, 1) for i in range(5))
    total += trial.suggest_float("rate", 1e-5, 1, log=True)
    total += trial.suggest_float("share", 0, 1, step=0.1)
    total += trial.suggest_int("n", 1, 100) + trial.suggest_int("m", 1, 1000, log=True)
    return total + len(trial.suggest_categorical("c", ["a", "bb", "ccc"]))


def instead(history, n, *, seed, number, **_):
    """In the place of the optimiser: a random point, which costs next to nothing."""
    encoding = history.space.encoding
    rng = np.random.default_rng([seed, number])
    configs = encoding.decode(encoding.from_unit(rng.random((n, encoding.d))))
    return [Proposal(config, "explore") for config in configs]


@pytest.mark.slow
def test_the_overhead_is_small_and_grows_no_faster_than_the_study(storages, monkeypatch):
    spent = defaultdict(float)

    def timed(method):
        def run(*arguments):
            start = time.process_time()
            result = method(*arguments)
            spent[len(whole)] += time.process_time() - start
            return result

        return run

    monkeypatch.setattr(sampler, "suggest", instead)
    monkeypatch.setattr(sampler, "needs_initial_design", lambda *_: True)
    for name in ("infer_relative_search_space", "sample_relative"):
        monkeypatch.setattr(HEBOSampler, name, timed(getattr(HEBOSampler, name)))
    study = optuna.create_study(storage=storages(), sampler=HEBOSampler(0))
    whole = []
    for _ in range(max(CHECKPOINTS)):
        start = time.process_time()
        study.optimize(objective, n_trials=1)
        whole.append(time.process_time() - start)
    own = [spent[i] for i in range(len(whole))]
    # Optuna itself writes one transaction for each parameter, whatever the sampler.
    for name, times in (("the sampler", own), ("with Optuna's own", whole)):
        median = {n: 1e3 * np.median(times[n - WINDOW : n]) for n in CHECKPOINTS}
        print(f"{name}, CPU ms a trial:", ", ".join(f"{m:.1f} at {n}" for n, m in median.items()))
        assert median[1000] < 10.0 * median[100]
        assert times is whole or median[100] < 50.0
