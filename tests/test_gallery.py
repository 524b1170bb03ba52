"""The gallery: each example runs, draws its picture, and shows what its text says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "gallery"
SCRIPTS = sorted(file.stem for file in EXAMPLES.glob("*.py"))


def load(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sizes(name):
    """Runs that are as small as the statement of the example allows."""
    few = {"against_random": {"trials": 20, "seeds": 2}, "prior_knowledge": {"seeds": 2}}
    return few.get(name, {})


@pytest.fixture(scope="module")
def ran():
    """What each example has returned, made once."""
    kept = {}

    def run(name):
        if name not in kept:
            example = load(EXAMPLES / f"{name}.py")
            kept[name] = example, example.run(**sizes(name))
        return kept[name]

    return run


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs_and_draws(name, ran, tmp_path):
    example, result = ran(name)
    picture = tmp_path / "picture.svg"
    example.draw(result).savefig(picture)
    assert picture.stat().st_size > 5000
    assert (example.__doc__ or "").count("\n\n") == 1  # a title and a text


def test_hebo_is_ahead_of_random_search(ran):
    example, results = ran("against_random")
    medians = {
        name: sorted(run.best.value - example.OPTIMUM for run in runs)[0]
        for name, runs in results.items()
    }
    assert medians["HEBO"] < medians["random search"]


def test_every_mixture_is_allowed(ran):
    example, result = ran("mixture")
    assert not any(example.SPACE.violated(trial.config) for trial in result.trials)
    assert result.best.value > 80


def test_each_configuration_has_the_parameters_of_its_model(ran):
    _, result = ran("conditional_models")
    for trial in result.trials:
        own = {"C", "gamma"} if trial.config["model"] == "svm" else {"n_neighbors", "weights"}
        assert set(trial.config) == {"model"} | own


def test_the_beam_is_stiff_enough(ran):
    example, result = ran("measured_limit")
    assert example.LIMIT * 0.9 < result.best.outcomes["bend"] <= example.LIMIT


def test_crashes_become_rarer(ran):
    _, result = ran("crashes")
    failed = [trial.number for trial in result.trials if trial.state == "failed"]
    half = len(result.trials) // 2
    assert 0 < sum(number >= half for number in failed) < sum(number < half for number in failed)


def test_the_recommendation_is_better_than_the_luckiest_measurement(ran):
    example, result = ran("noisy_measurements")
    best, chosen = (t.config["temperature"] for t in (result.best, result.recommendation))
    assert example.true_yield(chosen) > example.true_yield(best)


def test_no_trial_on_the_front_is_beaten(ran):
    _, result = ran("two_goals")
    points = [(t.outcomes["leaves"], t.outcomes["error"]) for t in result.front]
    everything = [(t.outcomes["leaves"], t.outcomes["error"]) for t in result.trials]
    for leaves, error in points:
        assert not any(
            (a <= leaves and b < error) or (a < leaves and b <= error) for a, b in everything
        )


def test_each_oven_has_half_of_the_experiments(ran):
    _, result = ran("laboratory")
    ovens = [trial.config["oven"] for trial in result.trials]
    assert ovens.count("old") == ovens.count("new") == 16


def test_the_notebook_becomes_a_page(tmp_path):
    pytest.importorskip("nbclient")
    pytest.importorskip("plotly")
    gallery = load(ROOT / "docs" / "make" / "gallery.py")
    page = gallery.notebook_page(EXAMPLES / "look_at_a_result.ipynb", tmp_path)
    assert page.startswith("# Look at a result in a notebook")
    assert page.count("plotly-graph-div") >= 2
    assert page.count('<div class="warpfront">') >= 3
    assert (tmp_path / "plotly.min.js").stat().st_size > 1e6


def test_the_index_shows_every_example():
    index = load(ROOT / "docs" / "make" / "gallery.py").index()
    for name in SCRIPTS:
        assert f"({name}.md)" in index
    assert len(SCRIPTS) >= 8
