"""Optuna's pictures of a study of ours, and the example."""

import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib
import optuna
import pytest

from tests.integrations.conftest import QUICK
from warpfront.integrations.optuna import HEBOSampler

EXAMPLE = Path(__file__).parents[2] / "examples" / "optuna_study.py"
PICTURES = [
    "contour",
    "edf",
    "intermediate_values",
    "optimization_history",
    "parallel_coordinate",
    "param_importances",
    "rank",
    "slice",
    "timeline",
]


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    kind = trial.suggest_categorical("kind", ["a", None])
    extra = trial.suggest_int("extra", 1, 9) if kind == "a" else 0
    trial.report(x + 1.0, 0)
    if trial.number == 5:
        raise optuna.TrialPruned
    return float("nan") if trial.number == 6 else x + extra


@pytest.fixture(scope="module")
def study():
    study = optuna.create_study(sampler=HEBOSampler(0, settings=QUICK))
    study.optimize(objective, n_trials=14)
    return study


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("package", ["matplotlib", "plotly"])
def test_optuna_draws_its_pictures(package, name, study):
    visualization = optuna.visualization
    if package == "matplotlib":
        matplotlib.use("Agg")
        visualization = optuna.visualization.matplotlib
    else:
        pytest.importorskip("plotly", reason="plotly is not installed")
    with warnings.catch_warnings():  # Optuna's own, such as that its pictures are experimental
        warnings.simplefilter("ignore")
        drawn = getattr(visualization, f"plot_{name}")(study)
    if package == "matplotlib":
        from matplotlib import pyplot

        assert pyplot.get_fignums()
        pyplot.close("all")
    else:
        assert drawn.data


def test_the_example_runs_and_goes_on(tmp_path):
    for total in ("5 trials", "10 trials"):
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), "--trials", "5"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{total}, best accuracy 0.9")
