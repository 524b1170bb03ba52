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


def drawn(package, name, study):
    """Whether a picture shows anything; Optuna draws an empty one where it finds nothing."""
    with warnings.catch_warnings():  # Optuna's own, such as that its pictures are experimental
        warnings.simplefilter("ignore")
        if package == "plotly":
            pytest.importorskip("plotly", reason="plotly is not installed")
            return bool(getattr(optuna.visualization, f"plot_{name}")(study).data)
        matplotlib.use("Agg")
        from matplotlib import pyplot

        getattr(optuna.visualization.matplotlib, f"plot_{name}")(study)
        shown = any(axes.has_data() for axes in pyplot.gcf().axes)
        pyplot.close("all")
        return shown


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("package", ["matplotlib", "plotly"])
def test_optuna_draws_its_pictures(package, name, study):
    assert drawn(package, name, study)
    assert not drawn(package, name, optuna.create_study())  # else the line above says nothing


def test_the_pictures_show_the_trials(study):
    pytest.importorskip("plotly", reason="plotly is not installed")
    completed = [t for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    slices = {s.xaxis: list(s.x) for s in optuna.visualization.plot_slice(study, ["x"]).data}
    assert slices == {None: [t.params["x"] for t in completed]}
    (bars,) = optuna.visualization.plot_param_importances(study, params=["x", "kind"]).data
    assert set(bars.y) == {"x", "kind"}
    states = {bar.name: len(bar.x) for bar in optuna.visualization.plot_timeline(study).data}
    assert states == {"COMPLETE": 12, "FAIL": 1, "PRUNED": 1}


def test_the_example_runs_and_goes_on(tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    twice = f"import runpy\nfor _ in range(2): runpy.run_path({str(EXAMPLE)!r}, None, '__main__')"
    done = subprocess.run(
        [sys.executable, "-c", twice, "--trials", "5"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, _, second, _ = done.stdout.splitlines()
    assert first.startswith("5 trials, best accuracy 0.9")
    assert second.startswith("10 trials, best accuracy 0.9")
