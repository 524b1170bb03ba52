"""What a run found: summaries, tables, and what stays as it is."""

from __future__ import annotations

import math
import pickle
import sys

import numpy as np
import pytest

from tests.loop.losses import FAST, SPACE, loss, search
from warpfront import HEBO, Categorical, Integer, RandomSearch, Real, Result, Space, minimize
from warpfront.errors import ConfigurationError, MissingExtraError


@pytest.fixture(scope="module")
def result():
    return minimize(loss, SPACE, 12, seed=0, settings=FAST)


def failing_at(*numbers):
    left = iter(range(100))
    return lambda config: math.nan if next(left) in numbers else loss(config)


def test_it_shows_history_best_and_recommendation(result):
    assert result.history is result.optimizer.history
    assert result.trials == result.history.trials
    assert result.best == min(result.trials, key=lambda t: t.value)
    assert result.recommendation in result.trials
    assert result.front == result.history.front
    by_random = minimize(loss, search(), 5)
    assert by_random.recommendation == by_random.best


def test_best_so_far_falls_and_is_infinite_before_the_first_success():
    values = iter([math.nan, 3.0, 5.0, None, 1.0, 2.0])
    found = minimize(lambda c: next(values), search(), 6, batch=2).best_so_far
    assert found.tolist() == [math.inf, 3.0, 3.0, 3.0, 1.0, 1.0]
    assert found.dtype == np.float64


def test_its_text_is_short():
    found = minimize(failing_at(1, 2), search(), 5)
    best = found.best
    assert repr(found) == (
        f"<Result of 5 trials: best {best.value:.6g} (trial {best.number}), 2 failed; "
        "stopped by: budget>"
    )
    wide = Space({f"parameter {i}": Categorical(["x" * 1000, "y"]) for i in range(200)})
    assert len(repr(minimize(lambda c: 1.0, RandomSearch(wide, 0), 3))) < 100
    assert repr(Result(search())) == "<Result of 0 trials: no success yet>"


def test_whoever_asks_and_tells_may_look_at_it_as_a_result():
    optimizer = HEBO(SPACE, 0, FAST)
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    found = Result(optimizer)
    assert found.best.value == -5.0
    assert (found.stopped, found.events, found.interrupted) == ("", (), False)
    optimizer.tell({"x": 0.3, "n": 2, "layers": [64]}, -6.0)
    assert found.best.value == found.recommendation.value == -5.0
    with pytest.raises(ConfigurationError, match="a result is that of an optimiser"):
        Result(optimizer.history)


def test_it_can_be_sent_to_another_process(result):
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert copy.trials == result.trials
    assert copy.events == result.events
    assert repr(copy) == repr(result)
    assert copy.recommendation == result.recommendation


def test_a_fork_goes_on_by_itself(result):
    one, two = result.fork(), result.fork()
    assert one is not two
    assert one.ask() == two.ask()
    assert len(result.optimizer.history) == 12


# --- As a table -------------------------------------------------------------------------------

OURS = ["value", "state", "reason", "proposer", "seconds"]


def test_a_data_frame_has_a_row_for_each_trial():
    space = Space(x=Real(0, 1), n=Integer(1, 9), kind=Categorical(["a", None, [1, 2]]))
    left = iter(range(100))

    def value(config):
        return math.nan if next(left) == 2 else config["x"] + config["n"]

    found = minimize(value, RandomSearch(space, 0), 6)
    frame = found.to_dataframe()
    assert list(frame.columns) == ["x", "n", "kind", *OURS]
    assert frame.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert frame.index.name == "number"
    for trial in found.trials:
        row = frame.loc[trial.number]
        assert [row["x"], row["n"], row["kind"]] == list(trial.config.values())
        assert (row["state"], row["proposer"]) == (trial.state, trial.proposer)
    assert math.isnan(frame.loc[2, "value"])
    assert frame.loc[2, "reason"] == "the value was nan"
    assert frame["value"].dtype == np.float64
    assert frame["n"].dtype == np.int64
    assert (frame["seconds"] >= 0).all()


def test_a_parameter_that_is_called_as_a_column_gets_another_name():
    space = Space(value=Real(0, 1), state=Integer(1, 9))
    frame = minimize(lambda c: 5.0, RandomSearch(space, 0), 3).to_dataframe()
    assert list(frame.columns)[:3] == ["param_value", "param_state", "value"]
    assert frame["value"].tolist() == [5.0] * 3


def test_an_empty_result_is_an_empty_frame():
    assert len(Result(search()).to_dataframe()) == 0


def test_trials_that_nobody_evaluated_are_in_it():
    optimizer = search()
    optimizer.ask(2)
    optimizer.withdraw(optimizer.ask(1))
    frame = Result(optimizer).to_dataframe()
    assert frame["state"].tolist() == ["pending", "pending", "withdrawn"]
    assert frame["seconds"].isna().all()


def test_a_missing_pandas_says_how_to_install_it(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"data frames need pandas: pip install .*\[frames"):
        result.to_dataframe()
