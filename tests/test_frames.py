"""Data frames and series that are told."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from warpfront import Categorical, Integer, RandomSearch, Real, Space
from warpfront.errors import ConfigurationError, ObservationError
from warpfront.frames import from_frames, is_frame, is_row

SPACE = Space(x=Real(0, 1), n=Integer(1, 9), kind=Categorical(["a", "b"]))
FRAME = pd.DataFrame(
    {"x": [0.1, 0.2, 0.3], "n": [1, 2, 3], "kind": ["a", "b", "a"], "loss": [3.0, np.nan, 1.0]}
)
CONFIGS = FRAME[["x", "n", "kind"]]


def told(*arguments):
    optimizer = RandomSearch(SPACE, 0)
    optimizer.tell(*arguments)
    return optimizer.history.trials


def test_a_frame_and_a_column_are_told():
    trials = told(CONFIGS, FRAME["loss"])
    assert [dict(t.config) for t in trials] == CONFIGS.to_dict("records")
    assert [t.value for t in trials] == [3.0, None, 1.0]
    assert [type(v) for v in trials[0].config.values()] == [float, int, str]
    assert told(CONFIGS, [3.0, None, 1.0]) != ()
    assert told(CONFIGS, FRAME["loss"].to_numpy()) == trials


def test_a_frame_of_one_column_is_a_column():
    assert told(CONFIGS, FRAME[["loss"]]) == told(CONFIGS, FRAME["loss"])


def test_a_frame_of_several_columns_is_outcomes_by_name():
    _, outcomes = from_frames(CONFIGS, pd.DataFrame({"loss": [1.0, 2.0], "time": [3.0, 4.0]}))
    assert outcomes == [{"loss": 1.0, "time": 3.0}, {"loss": 2.0, "time": 4.0}]


def test_a_row_is_a_configuration():
    (trial,) = told(CONFIGS.iloc[1], 0.5)
    assert (dict(trial.config), trial.value) == ({"x": 0.2, "n": 2, "kind": "b"}, 0.5)


def test_whole_numbers_that_pandas_has_made_floats_are_whole_numbers():
    (trial,) = told(pd.DataFrame({"x": [0.5], "n": [3.0], "kind": ["a"]}), [1.0])
    assert trial.config["n"] == 3


def test_suggestions_may_go_through_a_frame_and_back():
    optimizer = RandomSearch(SPACE, 0)
    suggestions = optimizer.ask(4)
    frame = pd.DataFrame(suggestions)
    optimizer.tell(frame, frame["x"] * 2)
    assert [t.state for t in optimizer.history.trials] == ["completed"] * 4
    assert [t.value for t in optimizer.history.trials] == [2 * s["x"] for s in suggestions]


def test_losses_in_another_order_are_not_paired_with_the_wrong_configurations():
    with pytest.raises(ObservationError, match="have different indices"):
        told(CONFIGS, FRAME["loss"].sort_values())
    shuffled = FRAME["loss"].sort_values()
    assert told(CONFIGS, shuffled.loc[CONFIGS.index]) == told(CONFIGS, FRAME["loss"])
    assert len(told(CONFIGS, shuffled.to_numpy())) == 3


def test_an_empty_cell_is_a_parameter_without_a_value():
    frame = pd.DataFrame({"x": [0.5, np.nan], "n": [1, 2], "kind": ["a", "b"]})
    with pytest.raises(ConfigurationError, match="at index 1: parameter 'x' is missing"):
        told(frame, [1.0, 2.0])
    with pytest.raises(ConfigurationError, match="parameter 'x' is missing"):
        told(pd.Series({"x": pd.NA, "n": 1, "kind": "a"}), 1.0)


def test_a_column_that_is_no_parameter_is_named():
    with pytest.raises(ConfigurationError, match="parameter 'loss' is unknown"):
        told(FRAME, FRAME["loss"])


def test_too_few_losses_are_counted():
    with pytest.raises(ObservationError, match="3 configurations but 2 values"):
        told(CONFIGS, FRAME["loss"].head(2))


class Polars:
    """What a frame of polars can do, as far as it matters."""

    columns = property(lambda self: ["x", "n", "kind"])

    def to_dicts(self):
        return CONFIGS.to_dict("records")


def test_frames_of_polars_are_frames():
    assert told(Polars(), [3.0, float("nan"), 1.0]) == told(CONFIGS, FRAME["loss"])


@pytest.mark.parametrize(
    "other", [[], {}, {"x": 1}, 5, "text", np.zeros(3), pd.Series([1.0, 2.0]), None, object()]
)
def test_all_else_is_neither(other):
    assert not is_frame(other)
    assert not is_row(other)


def test_pandas_is_not_imported():
    code = """
import sys
from warpfront import RandomSearch, Real, Space
RandomSearch(Space(x=Real(0, 1)), 0).tell({"x": 0.5}, 1.0)
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
