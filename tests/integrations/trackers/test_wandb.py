"""Runs of Weights & Biases, offline: read from the files that would be sent."""

from __future__ import annotations

import pytest

from tests.integrations.trackers.files import wandb_run
from tests.integrations.trackers.scene import TRIALS, run

pytest.importorskip("wandb")

import wandb

from warpfront.integrations.wandb import WandbCallback

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
QUIET = {"silent": True, "x_disable_stats": True, "x_disable_meta": True, "console": "off"}


def offline(folder):
    return {"project": "tuning", "mode": "offline", "settings": QUIET, "dir": str(folder)}


def runs_in(folder):
    wandb.teardown()  # its service writes the end of a file after the run has finished
    return [wandb_run(path) for path in sorted(folder.glob("wandb/offline-run-*/*.wandb"))]


def test_one_run_has_a_step_for_each_trial_and_the_best_in_its_summary(tmp_path):
    result = run(WandbCallback(**offline(tmp_path)))
    ((steps, summary, _, code),) = runs_in(tmp_path)
    assert code == 0
    trials = [step for step in steps if "trial" in step]
    assert [step["trial"] for step in trials] == [trial.number for trial in result.trials]
    assert [step["evaluation"] for step in trials] == list(range(1, TRIALS + 1))
    for step, trial in zip(trials, result.trials, strict=True):
        assert step["param/x"] == trial.config["x"]
        assert step.get("value") == trial.value
    assert trials[-1]["best_value"] == result.best.value
    assert trials[-1]["failed"] == len(result.history.of_state("failed"))
    assert summary["best_trial"] == result.best.number
    assert summary["best_param/x"] == result.best.config["x"]
    assert summary["stopped"] == "budget"
    assert any("trials" in key for step in steps for key in step)  # the table


def test_a_second_minimize_with_the_same_callback_makes_a_second_run(tmp_path):
    callback = WandbCallback(**offline(tmp_path))
    run(callback)
    assert run(callback).stopped == "budget"  # no CallbackError: the first run is finished
    assert len(list(tmp_path.glob("wandb/offline-run-*"))) == 2


def test_each_trial_can_be_a_run_of_its_own(tmp_path):
    result = run(WandbCallback(each_trial=True, **offline(tmp_path)))
    runs = runs_in(tmp_path)
    assert len(runs) == TRIALS
    by_number = sorted(runs, key=lambda one: one[1]["trial"])
    for (_, summary, config, code), trial in zip(by_number, result.trials, strict=True):
        assert config["x"] == trial.config["x"]
        assert code == (0 if trial.state == "completed" else 1)
        assert summary["state"] == trial.state
        assert summary.get("value") == trial.value


def test_an_active_run_is_used_and_stays_open(tmp_path):
    with wandb.init(**offline(tmp_path)) as mine:
        mine.log({"before": 1})
        run(WandbCallback())
        mine.log({"afterwards": 1})
    ((steps, summary, *_),) = runs_in(tmp_path)
    assert summary["afterwards"] == 1
    assert sum("trial" in step for step in steps) == TRIALS
