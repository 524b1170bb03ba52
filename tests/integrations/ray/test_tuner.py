"""HEBOSearch on a real Ray of two processors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray.tune")

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search import ConcurrencyLimiter

from warpfront import Settings
from warpfront.integrations.ray import HEBOSearch

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own, of its own modules
]
QUICK = Settings(models=["warped"], generations=5)
SPACE = {
    "x": tune.uniform(0, 1),
    "net": {"n": tune.randint(1, 7), "act": "relu"},
    "layers": tune.choice([(8,), (8, 8)]),
}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    start(2)
    yield
    ray.shutdown()


def start(processors):
    # Ray gives its workers a low priority, by which they starve beside other tests.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    ray.init(num_cpus=processors, include_dashboard=False, log_to_driver=False)


def train(config):
    assert config["net"]["act"] == "relu"
    if config["net"]["n"] == 6:
        raise ValueError("six is too many")
    for step in range(1, 5):
        loss = (config["x"] - 0.3) ** 2 + config["net"]["n"] / 10 + len(config["layers"])
        tune.report({"loss": loss + 1.0 / step})


class Crash(tune.Callback):
    """Kills the driver after some trials, once Ray has stored how far it was at some time.

    A restored tuner has it again, and is left alone.
    """

    def __init__(self, after, folder):
        self.left, self.folder = after, Path(folder)

    def on_trial_complete(self, iteration, trials, trial, **info):
        self.left -= 1
        flag = self.folder / "crashed"
        while self.left <= 0 and not flag.exists():
            if list(self.folder.glob("run/search*")):
                time.sleep(2.0)  # it copies files in a thread of its own
                flag.touch()
                os._exit(7)
            time.sleep(0.1)


def tuner(folder, search, samples=12, scheduler=None, callbacks=()):
    return tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(
            metric="loss",
            mode="min",
            num_samples=samples,
            search_alg=search,
            scheduler=scheduler,
            reuse_actors=True,  # a new process for each trial takes seconds
        ),
        run_config=tune.RunConfig(
            storage_path=str(folder), name="run", verbose=0, callbacks=list(callbacks)
        ),
    )


def test_trials_are_suggested_limited_and_stopped_early(tmp_path):
    search = HEBOSearch(seed=0, settings=QUICK)
    limited = ConcurrencyLimiter(search, max_concurrent=2)
    asha = ASHAScheduler(max_t=4, grace_period=1)
    results = tuner(tmp_path, limited, samples=16, scheduler=asha).fit()
    history = search.optimizer.history
    assert len(results) == len(history) == 16
    assert results.num_errors == len(history.of_state("failed"))
    assert history.of_state("pending") == ()
    best = results.get_best_result("loss", "min")
    assert best.metrics["loss"] == pytest.approx(search.optimizer.best.value)
    assert any(result.metrics.get("training_iteration", 4) < 4 for result in results)
    assert search.optimizer.best.value < 1.6


def configs_of(results):
    # Not those of the metrics: after a restore, a trial that has reported nothing has none there.
    found = [json.loads((Path(r.path) / "params.json").read_text()) for r in results]
    return sorted((c["x"], c["net"]["n"], len(c["layers"])) for c in found)


def crash(folder):
    """What the driver does that crashes; in a process of its own."""
    start(1)
    search = ConcurrencyLimiter(HEBOSearch(seed=1, settings=QUICK), 1)
    tuner(folder, search, callbacks=[Crash(5, folder)]).fit()


def test_a_crashed_run_goes_on_with_the_same_suggestions(tmp_path):
    search = ConcurrencyLimiter(HEBOSearch(seed=1, settings=QUICK), 1)
    whole = tuner(tmp_path / "whole", search).fit()
    code = f"from {__name__} import crash; crash({str(tmp_path / 'parts')!r})"
    # So often, Ray writes down how far it is: after each event.
    env = {**os.environ, "TUNE_GLOBAL_CHECKPOINT_S": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, timeout=300)
    assert done.returncode == 7
    folder = str(tmp_path / "parts" / "run")
    results = tune.Tuner.restore(folder, trainable=train, resume_unfinished=True).fit()
    assert len(results) == len(whole) == 12
    assert configs_of(results) == configs_of(whole)
