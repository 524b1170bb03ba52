"""The pages on many machines, clusters and trackers: code runs, and job files make sense."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"


def blocks(page, language):
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def run(page, folder):
    script = folder / "script.py"
    code = "\n".join(blocks(page, "python")).replace('"/tmp/', f'"{folder}/')
    script.write_text(code, encoding="utf-8")
    return runpy.run_path(str(script), run_name="__main__")


@pytest.mark.filterwarnings("ignore")  # of MLflow and protocol buffers
def test_the_code_of_the_page_on_trackers_runs(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("tensorboardX")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # quicker than a new database
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    names = run("trackers", tmp_path)
    client = mlflow.MlflowClient()
    assert len(client.search_runs([client.get_experiment_by_name("tuning").experiment_id])) == 9
    assert names["result"].stopped == "budget"
    assert list((tmp_path / "runs").glob("events.*"))
    assert len((tmp_path / "trials.tsv").read_text().splitlines()) == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page_on_dask_runs(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    names = run("dask", tmp_path)
    assert len(names["result"].trials) == 16


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page_on_ray_runs(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.tune")
    monkeypatch.chdir(tmp_path)
    # Ray gives its workers a low priority, by which they starve beside other tests.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        names = run("ray", tmp_path)
    finally:
        ray.shutdown()
    assert len(names["search"].optimizer.history.completed) == 12


def commands(text):
    """What a text calls `warpfront` with."""
    lines = [line.partition("#")[0] for line in text.splitlines()]
    found = [
        line[line.index("warpfront ") :] for line in lines if re.search(r"\bwarpfront \w", line)
    ]
    return [shlex.split(line)[1:] for line in found if "docker" not in line]


@pytest.mark.parametrize("page", ["dask", "slurm", "kubernetes", "many-machines"])
def test_the_commands_of_a_page_exist(page):
    import typer

    from warpfront.cli.app import app

    called = [
        words for language in ("console", "bash") for text in blocks(page, language)
        for words in commands(text)
    ]  # fmt: skip
    for file in blocks(page, "yaml"):
        for job in yaml.safe_load_all(file):
            (container,) = job["spec"]["template"]["spec"]["containers"]
            assert container["command"][0] == "warpfront"
            called.append(container["command"][1:])
    assert called
    group = typer.main.get_command(app)
    for name, *words in called:
        command = group.commands[name]
        command.make_context(name, words, resilient_parsing=False).close()


def test_the_job_file_of_slurm_is_a_script():
    (script,) = blocks("slurm", "bash")
    assert script.startswith("#!/bin/bash\n#SBATCH")
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)  # noqa: S607
    options = re.findall(r"^#SBATCH --([a-z-]+)", script, re.M)
    assert {"array", "signal", "cpus-per-task"} <= set(options)


def test_the_jobs_of_kubernetes_share_the_study():
    jobs = [job for text in blocks("kubernetes", "yaml") for job in yaml.safe_load_all(text)]
    assert [job["kind"] for job in jobs] == ["Job", "Job"]
    for job in jobs:
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert "WARPFRONT_STORAGE" in [one["name"] for one in container["env"]]


def test_the_table_of_the_simulation_is_the_one_that_was_made():
    results = HOW_TO.parents[1] / "benchmarks" / "results" / "simulation" / "simulation.md"
    rows = [line for line in results.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    page = (HOW_TO / "many-machines.md").read_text(encoding="utf-8")
    assert len(rows) > 8
    assert "\n".join(rows) in page
