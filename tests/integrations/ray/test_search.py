"""HEBOSearch by the conventions of Ray's searchers, without a cluster."""

from __future__ import annotations

import json
import math

import pytest

from warpfront import AtMost, Minimize, Settings
from warpfront.errors import ConfigurationError, StateError

pytest.importorskip("ray.tune")

from ray import tune
from ray.tune.search import ConcurrencyLimiter

from warpfront.integrations.ray import HEBOSearch

SPACE = {"x": tune.uniform(0, 1), "net": {"n": tune.choice([(1,), (2, 2)])}}
QUICK = Settings(models=["warped"], generations=5)


def search(**options):
    return HEBOSearch(SPACE, "loss", "min", seed=0, settings=QUICK, **options)


def work(searcher, first, last):
    """Evaluate trials one after the other; what was suggested."""
    configs = []
    for i in range(first, last):
        configs.append(searcher.suggest(f"t{i}"))
        loss = (configs[-1]["x"] - 0.3) ** 2 + len(configs[-1]["net"]["n"])
        searcher.on_trial_complete(f"t{i}", {"loss": loss, "training_iteration": 1})
    return configs


def states(searcher):
    return [trial.state for trial in searcher.optimizer.history.trials]


def test_it_finds_the_minimum():
    searcher = search()
    work(searcher, 0, 14)
    assert searcher.optimizer.best.value < 1.01
    assert searcher.optimizer.best.outcomes.keys() == {"loss"}


def test_a_restored_search_goes_on_with_the_same_suggestions(tmp_path):
    one = search(points_to_evaluate=[{"x": 0.5}, {"x": 0.75, "net": {"n": (2, 2)}}])
    work(one, 0, 1)
    one.suggest("pending")
    one.save(tmp_path / "state.json")
    json.loads((tmp_path / "state.json").read_text())
    fresh, knowing = HEBOSearch(), search()
    for other in (fresh, knowing):
        other.restore(tmp_path / "state.json")
    expected = work(one, 1, 12)
    assert work(knowing, 1, 12) == expected
    assert fresh.set_search_properties("loss", "min", SPACE)
    assert work(fresh, 1, 12) == expected
    fresh.on_trial_complete("pending", {"loss": 2.5})
    assert states(fresh) == ["completed"] * 13


def test_a_search_is_restored_from_the_folder_of_an_experiment(tmp_path):
    one = search()
    work(one, 0, 3)
    one.save_to_dir(str(tmp_path), "session")
    other = HEBOSearch()
    other.restore_from_dir(str(tmp_path))
    assert (other.metric, other.mode) == ("loss", "min")
    assert other.suggest("t3") == one.suggest("t3")


def test_objects_among_the_choices_need_the_space_again(tmp_path):
    space = {"f": tune.choice([math.sin, math.cos])}
    one = HEBOSearch(space, "loss", "max", seed=0)
    one.suggest("a")
    one.save(tmp_path / "s.json")
    other = HEBOSearch()
    other.restore(tmp_path / "s.json")
    with pytest.raises(ConfigurationError, match="param_space"):
        other.suggest("b")
    assert other.set_search_properties("loss", "max", space)
    assert other.suggest("b") == one.suggest("b")
    with pytest.raises(ConfigurationError, match="another space"):
        HEBOSearch({"g": tune.uniform(0, 1)}).restore(tmp_path / "s.json")
    third = HEBOSearch()
    third.restore(tmp_path / "s.json")
    with pytest.raises(ConfigurationError, match="another space"):
        third.set_search_properties("loss", "max", {"g": tune.uniform(0, 1)})


def test_files_that_are_no_state_are_refused(tmp_path):
    (tmp_path / "s.json").write_text("{}")
    with pytest.raises(StateError, match="is not the state of a HEBOSearch"):
        search().restore(tmp_path / "s.json")
    with pytest.raises(StateError, match="cannot be read"):
        search().restore(tmp_path / "none.json")


def test_points_come_first_and_rewards_are_not_evaluated_again():
    points = [{"x": 0.5, "net": {"n": (1,)}}, {"x": 0.25, "net/n": (2, 2)}]
    first = search(points_to_evaluate=points)
    assert first.suggest("a") == points[0]
    assert first.suggest("b") == {"x": 0.25, "net": {"n": (2, 2)}}
    told = search(points_to_evaluate=points, evaluated_rewards=[0.4, math.nan])
    assert states(told) == ["completed", "failed"]
    assert told.optimizer.best.value == 0.4
    assert told.suggest("c") not in points
    with pytest.raises(ConfigurationError, match="2 points_to_evaluate but 1 evaluated_rewards"):
        search(points_to_evaluate=points, evaluated_rewards=[1.0])


def test_what_trials_report_is_an_outcome_a_failure_or_nothing():
    searcher = search()
    for name in "abcdefg":
        searcher.suggest(name)
    searcher.on_trial_complete("a", {"loss": 1.0})
    searcher.on_trial_complete("b", error=True)
    searcher.on_trial_complete("c", None)
    searcher.on_trial_complete("d", {"other": 1.0})
    searcher.on_trial_complete("e", {"loss": math.nan})
    searcher.on_trial_complete("f", {"loss": "text"})
    searcher.on_trial_complete("unknown", {"loss": 1.0})
    expected = ["completed", "failed", "withdrawn", "failed", "failed", "failed", "pending"]
    assert states(searcher) == expected
    reasons = [trial.reason for trial in searcher.optimizer.history.trials]
    assert reasons[1] == "the trial ended with an error"
    assert reasons[3] == "the result has no 'loss'"
    searcher.on_trial_complete("a", {"loss": 0.5})  # told twice
    assert searcher.optimizer.best.value == 1.0
    searcher.on_trial_complete("b", {"loss": 0.5})  # Ray tried it again
    assert searcher.optimizer.best.value == 0.5


def test_the_tuner_gives_space_metric_and_mode():
    searcher = HEBOSearch(seed=0)
    with pytest.raises(RuntimeError, match="metric"):
        searcher.suggest("a")
    assert searcher.set_search_properties("acc", "max", SPACE)
    searcher.suggest("a")
    searcher.on_trial_complete("a", {"acc": 0.9})
    assert searcher.optimizer.goals[0].kind == "maximize"
    assert not searcher.set_search_properties("other", "max", {})
    assert not searcher.set_search_properties("acc", "max", SPACE)  # it has one, Ray says so
    with pytest.raises(RuntimeError, match="space"):
        HEBOSearch(metric="loss", mode="min").suggest("a")
    assert not HEBOSearch(metric="loss", mode="min").set_search_properties(None, None, {})
    only_mode = HEBOSearch(SPACE, mode="min")
    assert only_mode.suggest("a")
    assert only_mode.metric == "_metric"


def test_several_metrics_and_bounds():
    both = HEBOSearch(SPACE, ["loss", "acc"], ["min", "max"], seed=0)
    both.suggest("a")
    both.on_trial_complete("a", {"loss": 1.0, "acc": 0.5})
    both.add_evaluated_point({"x": 0.5, "net": {"n": (1,)}}, [0.5, 0.9])
    assert [trial.number for trial in both.optimizer.front] == [1]
    bounded = HEBOSearch(SPACE, goals=[AtMost("ms", 20), Minimize("loss")], seed=0)
    assert (bounded.metric, bounded.mode) == ("loss", "min")
    bounded.suggest("a")
    bounded.on_trial_complete("a", {"loss": 1.0, "ms": 30.0})
    assert not bounded.optimizer.history.feasible
    for wrong in ({"metric": ["a"], "mode": "min"}, {"metric": "a", "mode": "least"}):
        with pytest.raises(ConfigurationError, match="mode"):
            HEBOSearch(SPACE, **wrong)
    with pytest.raises(ConfigurationError, match="leave metric and mode out"):
        HEBOSearch(SPACE, "loss", goals=[Minimize("loss")])


def test_a_concurrency_limiter_holds_suggestions_back():
    limited = ConcurrencyLimiter(search(), max_concurrent=2)
    limited.set_search_properties(None, None, {})
    assert limited.suggest("a")
    assert limited.suggest("b")
    assert limited.suggest("c") is None
    limited.on_trial_complete("a", {"loss": 1.0})
    assert limited.suggest("c")
    assert states(limited.searcher) == ["completed", "pending", "pending"]
