"""Beliefs: a prior density that is highest where the user said, and never zero."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as my
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import SpaceError
from warpfront.space.beliefs import OTHER_CHOICE, WIDTH, log_density


def density(parameter, *values):
    return np.exp(log_density(parameter, parameter.encode(list(values)))).round(6).tolist()


def test_the_density_of_a_number_is_one_at_the_value_and_half_one_width_away():
    assert density(Real(0, 1, likely=0.3), 0.3, 0.3 + WIDTH, 0.3 - WIDTH) == [1.0, 0.5, 0.5]
    log = Real(1e-4, 1, scale="log", likely=0.01)
    assert density(log, 0.01, 0.01 * 10 ** (4 * WIDTH)) == [1.0, 0.5]
    assert density(Integer(1, 100, likely=30), 30, 40) == [1.0, 0.5]


def test_the_density_of_a_range_is_one_inside():
    parameter = Real(0, 10, likely=(2, 4))
    assert density(parameter, 2, 3, 4, 5, 1) == [1.0, 1.0, 1.0, 0.5, 0.5]
    assert density(Real(0, 10, likely=(2, 2)), 2, 3) == [1.0, 0.5]
    assert density(Integer(0, 100, step=50, likely=(10, 20)), 0, 50) == [
        1.0,
        pytest.approx(0.083, abs=1e-3),
    ]


def test_the_density_of_choices():
    kinds = ["a", "b", "c"]
    assert density(Categorical(kinds, likely="b"), *kinds) == [OTHER_CHOICE, 1.0, OTHER_CHOICE]
    assert density(Categorical(kinds, likely=["a", "b"]), *kinds) == [1.0, 1.0, OTHER_CHOICE]
    assert density(Boolean(likely=False), True, False) == [OTHER_CHOICE, 1.0]
    ordinal = density(Ordinal(list(range(10)), likely=[2, 3]), 1, 2, 3, 4, 9)
    assert ordinal[:4] == [0.5, 1.0, 1.0, 0.5]
    assert 0 < ordinal[4] < 0.05


def test_beliefs_add_up_and_inactive_ones_count_nothing():
    space = Space(
        x=Real(0, 1, likely=0.5),
        deep=Boolean(likely=True),
        layers=Integer(1, 101, when={"deep": True}, likely=100),
        y=Real(0, 1),
    )
    X = space.encoding.encode(
        [
            {"x": 0.5, "deep": True, "layers": 100, "y": 0.9},
            {"x": 0.6, "deep": True, "layers": 100, "y": 0.1},
            {"x": 0.5, "deep": False, "y": 0.9},
        ]
    )
    np.testing.assert_allclose(
        space.log_belief(X), [0.0, -math.log(2), math.log(OTHER_CHOICE)], atol=1e-9
    )
    plain = Space(x=Real(0, 1), deep=Boolean())
    assert plain.log_belief(np.zeros((3, 2))).tolist() == [0.0, 0.0, 0.0]
    assert space.log_belief(X[:0]).shape == (0,)


@given(st.data())
def test_a_density_is_one_at_most_and_never_zero(data):
    parameter = data.draw(my.parameters())
    (parameter,) = data.draw(my.believed({"p": parameter})).values()
    positions = parameter.snap(np.array(data.draw(st.lists(my.units(), min_size=1))))
    found = log_density(parameter, positions)
    assert np.all(found <= 0)
    assert np.all(found > -6)
    if parameter.likely is not None and parameter.kind != "real":
        assert log_density(parameter, parameter.positions()[:50]).shape[0] <= 50
    if parameter.levels is not None and parameter.levels <= 100:
        assert log_density(parameter, parameter.positions()).max() == 0.0


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda: Real(0, 1, likely=2), ["likely=2", "outside [0.0, 1.0]", "widen the range"]),
        (lambda: Real(0, 1, likely=(0.5, 1.5)), ["likely=(0.5, 1.5)", "1.5 is outside"]),
        (lambda: Real(0, 1, likely=(0.5, 0.25)), ["with low below high"]),
        (lambda: Real(0, 1, likely=(0.5,)), ["must be one value, or (low, high)"]),
        (lambda: Real(0, 1, likely=[0.1, 0.2, 0.3]), ["must be one value, or (low, high)"]),
        (lambda: Real(0, 1, likely="0.5"), ["likely='0.5' must be a finite number"]),
        (lambda: Real(0, 1, likely=math.nan), ["must be a finite number"]),
        (lambda: Real(0, 1, likely=True), ["must be a finite number"]),
        (lambda: Integer(1, 9, likely=2.5), ["likely=2.5 must be a whole number"]),
        (lambda: Integer(1, 9, likely=0), ["0 is outside [1, 9]"]),
        (lambda: Categorical(["a", "b"], likely="c"), ["likely", "'c' is not among the choices"]),
        (lambda: Categorical(["a", "b"], likely=[]), ["name at least one choice"]),
        (
            lambda: Categorical([[64], [32]], likely=[64]),
            ["64 is not among", "to mean the list itself, write likely=[[64]]"],
        ),
        (lambda: Boolean(likely=3), ["3 is not among the choices"]),
    ],
)
def test_a_belief_outside_the_range_is_refused(build, parts):
    with pytest.raises(SpaceError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_beliefs_are_native_values():
    assert Real(0, 1, likely=np.float32(0.5)).likely == 0.5
    assert type(Integer(1, 9, likely=np.int64(3)).likely) is int
    assert Real(0, 1, likely=np.array([0.25, 0.5])).likely == (0.25, 0.5)
    assert Categorical(["a", "b"], likely="b").likely == ["b"]
    assert Categorical(["a", "b"]).likely is None
