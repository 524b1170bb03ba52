"""The whole optimisation in one call: budget, determinism, direction, start, going on."""

from __future__ import annotations

import logging
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.loop.losses import FAST, SPACE, UP, loss, search, sometimes_fails, states
from warpfront import (
    HEBO,
    AtMost,
    Categorical,
    Integer,
    Maximize,
    Measured,
    Minimize,
    Real,
    Result,
    Space,
    minimize,
)
from warpfront.errors import ConfigurationError, LossFailedError, WarpfrontError

# --- Budget -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "batch"), [(1, 8), (7, 3), (8, 8), (9, 8), (5, 1), (3, 100), (7, None)]
)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_budget_is_spent_exactly(budget, batch, workers):
    seen = []
    result = minimize(
        lambda c: seen.append(c) or loss(c), search(), budget, batch=batch, workers=workers
    )
    assert len(seen) == len(result.trials) == budget
    assert states(result) == ["completed"] * budget
    assert (result.stopped, result.interrupted) == ("budget", False)


@pytest.mark.parametrize(
    ("workers", "batch", "sizes"), [(1, None, [1] * 5), (1, 4, [4, 1]), (3, 2, [2, 2, 1])]
)
def test_one_worker_is_suggested_one_at_a_time_and_a_batch_at_once(
    monkeypatch, workers, batch, sizes
):
    optimizer, asked = search(), []
    ask = optimizer.ask
    monkeypatch.setattr(optimizer, "ask", lambda n: asked.append(n) or ask(n))
    minimize(loss, optimizer, 5, workers=workers, batch=batch)
    assert asked == sizes


@pytest.mark.parametrize("batch", [None, 4])
def test_hebo_is_what_minimises_a_space(batch):
    result = minimize(loss, SPACE, 12, batch=batch, seed=3, settings=FAST)
    assert isinstance(result.optimizer, HEBO)
    assert result.optimizer.seed == 3
    assert result.optimizer.settings == FAST
    byhand = HEBO(SPACE, 3, FAST)
    for _ in range(12 // (batch or 1)):
        suggestions = byhand.ask(batch or 1)
        byhand.tell(suggestions, [loss(s) for s in suggestions])
    assert result.trials == byhand.history.trials


def test_a_dict_of_parameters_is_a_space():
    parameters = {name: SPACE[name] for name in SPACE}
    result = minimize(loss, parameters, 3, seed=0)
    assert result.history.space == SPACE
    assert result.trials == minimize(loss, SPACE, 3, seed=0).trials


# --- Determinism ------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_result():
    results = [minimize(loss, SPACE, 10, seed=1, settings=FAST) for _ in range(2)]
    assert results[0].trials == results[1].trials


def test_without_a_seed_one_is_drawn_and_told():
    one, two = (minimize(loss, SPACE, 1) for _ in range(2))
    assert one.optimizer.seed != two.optimizer.seed
    assert minimize(loss, SPACE, 1, seed=one.optimizer.seed).trials == one.trials


@pytest.mark.parametrize("function", [loss, sometimes_fails])
def test_in_batches_more_workers_give_the_same_result(function):
    results = [
        minimize(function, SPACE, 14, batch=5, seed=0, workers=workers, settings=FAST)
        for workers in (1, 2)
    ]
    assert results[0].trials == results[1].trials
    assert results[0].optimizer.to_json() == results[1].optimizer.to_json()


def test_in_batches_it_does_not_matter_which_worker_was_faster():
    others_done, optimizer = threading.Event(), search()
    first = search().ask(4)[0]

    def slow_at_first(config):
        if config == first:
            assert others_done.wait(timeout=20)
        return loss(config)

    told = []

    def watch(result, trial):
        told.append(trial.number)
        if len(told) == 3:
            others_done.set()

    result = minimize(slow_at_first, optimizer, 8, batch=4, workers=4, callbacks=watch)
    assert told[3] == 0
    assert result.trials == minimize(loss, search(), 8, batch=4).trials


# --- Direction --------------------------------------------------------------------------------


def test_maximising_is_minimising_the_negative():
    up = minimize(loss, SPACE, 10, seed=0, settings=FAST, direction="maximize")
    down = minimize(lambda c: -loss(c), SPACE, 10, seed=0, settings=FAST)
    assert [t.config for t in up.trials] == [t.config for t in down.trials]
    values = [loss(t.config) for t in up.trials]
    assert [t.value for t in up.trials] == values
    assert up.best.value == max(values)
    assert up.best_so_far.tolist() == np.maximum.accumulate(values).tolist()
    assert up.recommendation.value == loss(up.recommendation.config)
    assert up.to_dataframe()["value"].tolist() == values
    assert repr(up).startswith(f"<Result of 10 trials: best {up.best.value:.6g} (trial ")
    assert up.history.goals == (Maximize(),)


def test_before_the_first_success_the_best_so_far_is_the_worst_possible():
    values = iter([math.nan, 3.0, 5.0, None, 1.0, 2.0])
    result = minimize(lambda c: next(values), search(goals=UP), 6)
    assert result.best_so_far.tolist() == [-math.inf, 3.0, 5.0, 5.0, 5.0, 5.0]


def test_a_result_has_its_direction_and_one_who_goes_on_from_it_too():
    up = minimize(loss, search(goals=Maximize("accuracy")), 3)
    more = minimize(loss, up, 3)
    assert more.best.value == max(t.value for t in more.trials)
    assert more.history.goals == up.history.goals
    assert len(minimize(loss, up, 3, direction="maximize").trials) == 6
    for given in ({"direction": "minimize"}, {"goals": [Minimize("loss")]}):
        with pytest.raises(ConfigurationError, match="an optimiser has its own goals"):
            minimize(loss, up, 3, **given)


# --- Goals ------------------------------------------------------------------------------------


def two(config):
    return {"error": loss(config), "memory": Measured(10.0 * config["n"], std=0.5)}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loss_may_return_several_outcomes_and_their_noise(workers):
    goals = [Minimize("error"), AtMost("memory", 45)]
    result = minimize(two, SPACE, 8, seed=0, goals=goals, settings=FAST, workers=workers, batch=4)
    for trial in result.trials:
        outcomes = {"error": loss(trial.config), "memory": 10.0 * trial.config["n"]}
        assert (trial.outcomes, trial.noise) == (outcomes, {"memory": 0.5})
    assert result.best.config["n"] <= 4
    frame = result.to_dataframe()
    assert frame["memory"].tolist() == [10.0 * n for n in frame["n"]]
    assert frame["memory_std"].tolist() == [0.5] * 8
    assert "error_std" not in frame


def test_several_objectives_have_a_front():
    goals = [Minimize("error"), Maximize("memory")]
    result = minimize(two, SPACE, 10, seed=0, goals=goals, settings=FAST)
    assert result.front == result.history.front
    assert repr(result) == (
        f"<Result of 10 trials: front of {len(result.front)}; stopped by: budget>"
    )
    assert f"front of {len(result.front)}" in result._repr_html_()
    with pytest.raises(ConfigurationError, match="use the front"):
        _ = result.best


def test_where_nothing_is_feasible_yet_that_is_said():
    goals = [Minimize("error"), AtMost("memory", 5)]
    result = minimize(two, SPACE, 3, seed=0, goals=goals, settings=FAST)
    assert "none feasible yet" in repr(result)
    assert "none feasible yet" in result._repr_html_()


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (1.0, "does not say of which outcome it is"),
        ({"error": 1.0, "memroy": 2.0}, "outcome 'memroy' is not one of the goals"),
    ],
)
def test_what_is_no_outcome_of_the_goals_is_a_broken_loss(returned, reason):
    goals = [Minimize("error"), AtMost("memory", 5)]
    with pytest.raises(LossFailedError, match=reason) as caught:
        minimize(lambda c: returned, SPACE, 100, seed=0, goals=goals)
    assert states(caught.value.result) == ["failed"] * 5


def test_what_was_not_measured_may_be_left_out():
    goals = [Minimize("error"), AtMost("memory", 45)]
    outcomes = iter([{"error": 1.0}, {"error": math.nan, "memory": 3}, {"error": None}])
    result = minimize(lambda c: next(outcomes), SPACE, 3, seed=0, goals=goals)
    assert [dict(t.outcomes) for t in result.trials] == [
        {"error": 1.0, "memory": None},
        {"error": None, "memory": 3.0},
        {},
    ]
    assert result.trials[2].state == "failed"


def test_a_direction_and_goals_are_one_too_many():
    with pytest.raises(ConfigurationError, match="the goals already say what is wanted"):
        minimize(loss, SPACE, 3, direction="maximize", goals=[Minimize("error")])


# --- What to begin with -----------------------------------------------------------------------


def test_given_configurations_are_evaluated_first_and_are_part_of_the_budget():
    start = [{"x": 0.5, "n": 3, "layers": [64]}, {"x": -0.25, "n": 1, "layers": [64, 32]}]
    result = minimize(loss, SPACE, 5, seed=0, start=start)
    assert [dict(t.config) for t in result.trials[:2]] == start
    assert len(result.trials) == 5
    assert start == [{"x": 0.5, "n": 3, "layers": [64]}, {"x": -0.25, "n": 1, "layers": [64, 32]}]


def test_parameters_that_are_left_out_of_them_are_suggested():
    result = minimize(loss, SPACE, 4, seed=0, start=[{"n": 7}, {"n": 2, "layers": [64]}])
    assert [t.config["n"] for t in result.trials[:2]] == [7, 2]
    assert all(t.config in SPACE for t in result.trials)


def test_a_trial_may_be_evaluated_again():
    old = minimize(loss, search(), 3)
    result = minimize(loss, SPACE, 2, seed=0, start=[old.best])
    assert result.trials[0].config == old.best.config


def test_workers_share_the_given_configurations():
    start = [{"n": n, "x": 0.0, "layers": [64]} for n in range(1, 6)]
    result = minimize(loss, SPACE, 8, seed=0, start=start, workers=2)
    assert [t.config["n"] for t in result.trials[:5]] == [1, 2, 3, 4, 5]


def test_more_than_the_budget_allows_are_left_out():
    start = [{"n": n} for n in range(1, 6)]
    result = minimize(loss, SPACE, 2, seed=0, start=start)
    assert [t.config["n"] for t in result.trials] == [1, 2]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ([{"n": 3}, {"n": 99}], r"start\[1\]: parameter 'n': 99 is outside"),
        ([{"m": 1}], r"start\[0\]: parameter 'm' is unknown"),
        (5, r"start=5: give a list of configurations"),
        ([5], r"start\[0\]: 5 is not a configuration"),
    ],
)
def test_a_wrong_configuration_to_begin_with_is_named(start, message):
    optimizer = search()
    with pytest.raises(ConfigurationError, match=message):
        minimize(loss, optimizer, 4, start=start)
    assert len(optimizer.history) == 0


# --- Going on ---------------------------------------------------------------------------------


def test_a_run_in_two_parts_is_the_run_in_one():
    whole = minimize(loss, SPACE, 16, seed=2, settings=FAST)
    first = minimize(loss, SPACE, 8, seed=2, settings=FAST)
    resumed = HEBO.from_json(first.optimizer.to_json())
    assert minimize(loss, resumed, 8).trials == whole.trials
    assert minimize(loss, first, 8).trials == whole.trials
    assert minimize(loss, first.optimizer, 8).trials == whole.trials


def test_going_on_from_a_result_does_not_change_it():
    first = minimize(loss, SPACE, 10, seed=2, settings=FAST)
    seen = first.trials, first.best, first.recommendation, repr(first)
    more = minimize(loss, first, 6)
    assert len(more.trials) == 16
    assert (first.trials, first.best, first.recommendation, repr(first)) == seen
    assert len(first.optimizer.history) == 10


def test_a_result_stays_as_it_is_when_its_optimiser_goes_on():
    first = minimize(lambda c: loss(c) + 5, SPACE, 10, seed=2, settings=FAST)
    seen = first.trials, first.best, first.recommendation, first.best_so_far.tolist()
    minimize(loss, first.optimizer, 6)
    assert len(first.optimizer.history) == 16
    assert (first.trials, first.best, first.recommendation, first.best_so_far.tolist()) == seen
    assert len(first.to_dataframe()) == 10


def test_a_warm_start_counts_neither_as_budget_nor_is_lost():
    optimizer = search()
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    result = minimize(loss, optimizer, 3)
    assert len(result.trials) == 4
    assert result.best.number == 0


def test_what_somebody_else_evaluates_stays_pending():
    optimizer = search()
    optimizer.ask(1)
    result = minimize(loss, optimizer, 3)
    assert states(result) == ["pending"] + ["completed"] * 3


@pytest.mark.parametrize("given", [{"seed": 0}, {"settings": FAST}])
def test_an_optimiser_has_its_own_seed_and_settings(given):
    with pytest.raises(ConfigurationError, match="its own seed and settings; leave them out"):
        minimize(loss, search(), 4, **given)
    with pytest.raises(ConfigurationError, match="its own seed and settings; leave them out"):
        minimize(loss, minimize(loss, search(), 1), 4, **given)


# --- The loss ---------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loss_that_changes_its_argument_changes_nothing_else(workers):
    def vandal(config):
        value = loss(config)
        config["layers"].append(99)
        config.clear()
        return value

    result = minimize(vandal, search(), 4, batch=2, workers=workers)
    assert result.trials == minimize(loss, search(), 4, batch=2).trials


def test_the_loss_gets_a_plain_dict():
    seen = []
    with ThreadPoolExecutor(1) as pool:
        for workers in (1, 2, pool):
            minimize(lambda c: seen.append(type(c)) or 1.0, search(), 2, workers=workers)
    assert seen == [dict] * 6


# --- Structured spaces ------------------------------------------------------------------------

TREES = Space(
    booster=Categorical(["tree", "linear"]),
    depth=Integer(1, 9, when={"booster": "tree"}),
    rate=Real(0.0, 1.0),
    constraints=["rate <= 0.9"],
)


def structured(config):
    assert ("depth" in config) == (config["booster"] == "tree")
    return config["rate"] + config.get("depth", 5)


def test_conditions_and_constraints_are_respected_and_shown():
    result = minimize(structured, TREES, 16, seed=0, settings=FAST, start=[{"booster": "linear"}])
    assert states(result) == ["completed"] * 16
    assert result.trials[0].config["booster"] == "linear"
    assert all(trial.config["rate"] <= 0.9 for trial in result.trials)
    frame = result.to_dataframe()
    assert frame["depth"].isna().tolist() == [
        t.config["booster"] == "linear" for t in result.trials
    ]
    for kind in ("convergence", "slices", "importance", "pairs", "parallel"):
        assert getattr(result.plot, kind)().data
    assert "rate &lt;= 0.9" in TREES._repr_html_()


def test_a_space_that_cannot_be_saved_can_be_gone_on_with(tmp_path):
    space = Space(x=Real(-1, 1), constraints=[lambda config: config["x"] > 0])
    first = minimize(lambda c: c["x"], space, 6, seed=0, settings=FAST)
    more = minimize(lambda c: c["x"], first, 6)
    assert (len(first.trials), len(more.trials)) == (6, 12)
    assert all(trial.config["x"] > 0 for trial in more.trials)
    seen = []
    with pytest.raises(WarpfrontError, match="cannot be saved"):
        minimize(lambda c: seen.append(c) or 1.0, space, 6, checkpoint=tmp_path / "run.json")
    assert seen == []


# --- Logging ----------------------------------------------------------------------------------


def test_the_logger_tells_of_each_outcome(caplog):
    with caplog.at_level(logging.DEBUG, logger="warpfront"):
        result = minimize(sometimes_fails, search(), 4)
    asked = [r.message for r in caplog.records if r.levelno == logging.DEBUG]
    told = [r.message for r in caplog.records if r.levelno == logging.INFO]
    assert len(asked) == len(told) == 4
    for trial, line in zip(result.trials, told, strict=True):
        assert line.startswith(str(trial))


def test_without_a_level_nothing_is_logged(capsys):
    minimize(loss, search(), 2, progress=False)
    assert capsys.readouterr() == ("", "")


def test_the_space_may_be_of_one_parameter():
    result = minimize(lambda c: c["x"] ** 2, {"x": Real(-1, 1)}, 12, seed=0)
    assert isinstance(result, Result)
    assert result.best.value < 0.01
    assert result.history.space == Space(x=Real(-1, 1))
