"""The axis of a parameter, in the user's units."""

import numpy as np
import pytest
from hypothesis import given

from tests import strategies as my
from warpfront import Boolean, Categorical, Integer, Ordinal, Real
from warpfront.analysis.texts import shown
from warpfront.analysis.ticks import limits, ticks


@pytest.mark.parametrize(
    ("parameter", "labels"),
    [
        (Real(0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Real(-30, 70), ["-20", "0", "20", "40", "60"]),
        (Real(1e-6, 1e-1, scale="log"), ["1e-6", "1e-5", "0.0001", "0.001", "0.01", "0.1"]),
        (Real(0.3, 6, scale="log"), ["0.5", "1", "2", "5"]),
        (Real(0.01, 0.99, scale="logit"), ["0.01", "0.1", "0.5", "0.9", "0.99"]),
        (Real(0.5, 0.6, scale="logit"), ["0.5", "0.52", "0.54", "0.56", "0.58", "0.6"]),
        (Real(0, 1, step=0.25), ["0", "0.25", "0.5", "0.75", "1"]),
        (Real(7, 7), ["7"]),
        (Integer(1, 4), ["1", "2", "3", "4"]),
        (Integer(1, 100), ["20", "40", "60", "80", "100"]),
        (Integer(0, 40_000_000), ["0", "1e7", "2e7", "3e7", "4e7"]),
        (Integer(16, 512, scale="log"), ["20", "50", "100", "200", "500"]),
        (Ordinal(["small", "large", None]), ["small", "large", "null"]),
        (Categorical([[64], [64, 32]]), ["[64]", "[64, 32]"]),
        (Categorical(list(range(50))), ["0", "9", "18", "27", "36", "45"]),
        (Boolean(), ["false", "true"]),
    ],
    ids=repr,
)
def test_labels_are_round_numbers_and_choices(parameter, labels):
    assert ticks(parameter, 6)[1] == labels


@given(my.parameters())
def test_a_label_is_the_value_at_its_position(parameter):
    positions, labels = ticks(parameter, 6)
    low, high = limits(parameter)
    assert 1 <= len(positions) == len(labels) <= 12
    assert np.all((low <= positions) & (positions <= high))
    assert np.all(np.diff(positions) > 0.0)
    for position, label in zip(positions.tolist(), labels, strict=True):
        value = parameter.decode(position)
        if isinstance(parameter, (Categorical, Ordinal)):
            assert label == shown(value)
        else:
            assert float(label) == pytest.approx(value, rel=1e-5, abs=0.0)
