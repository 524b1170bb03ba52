"""Runs in a real local store of MLflow."""

from __future__ import annotations

import pytest

from tests.integrations.trackers.scene import TRIALS, broken, run
from warpfront import Measured, Minimize
from warpfront.errors import CallbackError, ConfigurationError

pytest.importorskip("mlflow")

import mlflow

from warpfront.integrations.mlflow import MLflowCallback

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own


@pytest.fixture
def uri(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # quicker than a new database
    monkeypatch.chdir(tmp_path)
    return (tmp_path / "runs").as_uri()


def runs_of(uri, experiment="tuning"):
    """The parent run, and its children in order of trial."""
    client = mlflow.MlflowClient(tracking_uri=uri)
    found = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    children = [r for r in found if "mlflow.parentRunId" in r.data.tags]
    (parent,) = (r for r in found if "mlflow.parentRunId" not in r.data.tags)
    assert {r.data.tags["mlflow.parentRunId"] for r in children} == {parent.info.run_id}
    return parent, sorted(children, key=lambda r: int(r.data.tags["trial"]))


def test_each_trial_is_a_child_run_and_the_parent_has_the_best(uri):
    callback = MLflowCallback("tuning", tracking_uri=uri, run_name="first", tags={"team": "a"})
    result = run(callback)
    parent, children = runs_of(uri)
    assert parent.info.run_name == "first"
    assert parent.info.run_id == callback.run_id
    assert parent.info.status == "FINISHED"
    assert parent.data.tags["stopped"] == "budget"
    assert parent.data.tags["best_trial"] == str(result.best.number)
    assert parent.data.tags["best_param/layers"] == str(result.best.config["layers"])
    assert parent.data.metrics["best_value"] == pytest.approx(result.best.value)
    assert parent.data.metrics["failed"] == len(result.history.of_state("failed")) > 0
    assert len(children) == TRIALS
    for child, trial in zip(children, result.trials, strict=True):
        assert child.data.params["x"] == str(trial.config["x"])
        assert child.data.params["depth _m_"] == str(trial.config["depth (m)"])
        assert child.data.tags["team"] == "a"
        assert child.info.end_time >= child.info.start_time
        if trial.state == "completed":
            assert child.info.status == "FINISHED"
            assert child.data.metrics["value"] == pytest.approx(trial.value)
        else:
            assert child.info.status == "FAILED"
            assert child.data.tags["reason"] == trial.reason
            assert "value" not in child.data.metrics


def test_the_best_so_far_is_a_curve_over_outcomes(uri):
    result = run(MLflowCallback("tuning", tracking_uri=uri))
    parent, _ = runs_of(uri)
    client = mlflow.MlflowClient(tracking_uri=uri)
    curve = client.get_metric_history(parent.info.run_id, "best_value")
    steps = [metric.step for metric in curve]
    assert steps == sorted(steps)
    assert steps[-1] == TRIALS
    expected = [value for value in result.best_so_far if value < 1e9]
    assert [metric.value for metric in curve] == pytest.approx(expected)


def test_the_active_run_is_the_parent_and_stays_open(uri):
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    try:
        mlflow.set_experiment("tuning")
        with mlflow.start_run() as mine:
            run(MLflowCallback())
            mlflow.log_metric("afterwards", 1.0)
        parent, children = runs_of(uri)
    finally:
        mlflow.set_tracking_uri(before)
    assert parent.info.run_id == mine.info.run_id
    assert parent.data.metrics["afterwards"] == 1.0
    assert len(children) == TRIALS


def test_a_resumed_run_goes_on_in_its_parent(uri, tmp_path):
    first = MLflowCallback("tuning", tracking_uri=uri)
    with pytest.raises(CallbackError):
        run(first, broken, checkpoint=tmp_path / "run.json")
    assert runs_of(uri)[0].info.status == "FAILED"
    second = MLflowCallback("tuning", tracking_uri=uri, run_id=first.run_id)
    run(second, checkpoint=tmp_path / "run.json")
    parent, children = runs_of(uri)
    assert parent.info.status == "FINISHED"
    assert [child.data.tags["trial"] for child in children] == [str(i) for i in range(TRIALS)]


def test_several_goals_and_noise_are_metrics_by_their_names(uri):
    def measure(config):
        return {"loss": Measured(config["x"], std=0.1), "size": len(config["layers"])}

    goals = [Minimize("loss"), Minimize("size")]
    result = run(MLflowCallback("tuning", tracking_uri=uri), objective=measure, goals=goals)
    parent, children = runs_of(uri)
    assert children[0].data.metrics.keys() == {"loss", "loss_std", "size", "seconds"}
    assert parent.data.metrics["front"] == len(result.front)


def test_a_deleted_experiment_is_refused(uri):
    client = mlflow.MlflowClient(tracking_uri=uri)
    client.delete_experiment(client.create_experiment("tuning"))
    with pytest.raises(CallbackError, match="it was deleted") as raised:
        run(MLflowCallback("tuning", tracking_uri=uri))
    assert isinstance(raised.value.__cause__, ConfigurationError)


@pytest.mark.slow
def test_a_database_will_do_too(tmp_path):
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    run(MLflowCallback("tuning", tracking_uri=uri))
    assert len(runs_of(uri)[1]) == TRIALS
