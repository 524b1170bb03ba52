"""Distributions of Optuna and parameters of warpfront: there and back, whatever they are."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import create_trial

from tests import strategies
from warpfront import Categorical, Integer, Real
from warpfront.errors import SpaceError
from warpfront.integrations.optuna.inferred import common
from warpfront.integrations.optuna.space import (
    parameter_of,
    value_of,
)
from warpfront.integrations.optuna.translation import Translation

FINITE = strategies.FINITE


@st.composite
def floats(draw):
    kind = draw(st.sampled_from(["linear", "log", "step"]))
    if kind == "log":
        low, high = sorted(draw(st.tuples(*[st.floats(1e-300, 1e300)] * 2)))
        return FloatDistribution(low, high, log=True)
    reach = 1e3 if kind == "step" else 1e6  # on a finer grid Optuna misses its own bounds
    low, high = sorted(draw(st.tuples(*[st.floats(-reach, reach)] * 2)))
    step = draw(st.sampled_from([0.1, 0.25, 1 / 3, 1e-3, 7.0])) if kind == "step" else None
    with warnings.catch_warnings():  # that the range was cut to whole steps
        warnings.simplefilter("ignore")
        return FloatDistribution(low, high, step=step)


@st.composite
def integers(draw):
    log = draw(st.booleans())
    reach = draw(st.sampled_from([20, 10**6, 2**53]))
    bounds = st.integers(1 if log else -reach, reach)
    low, high = sorted(draw(st.tuples(bounds, bounds)))
    step = 1 if log else draw(st.sampled_from([1, 2, 7]))
    return IntDistribution(low, high - (high - low) % step, log=log, step=step)


def choices():
    plain = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=2)
    return st.lists(plain, min_size=1, max_size=8).map(CategoricalDistribution)


def distributions():
    return floats() | integers() | choices()


@given(distributions(), st.floats(0.0, 1.0))
def test_every_suggestion_is_a_value_of_the_distribution_and_is_read_as_it_was_meant(
    distribution, u
):
    parameter = parameter_of(distribution)
    number = parameter.decode(float(parameter.snap(np.array([u]))[0]))
    value = value_of(distribution, number)
    assert distribution._contains(distribution.to_internal_repr(value))
    if isinstance(distribution, FloatDistribution):
        assert type(value) is float
    elif isinstance(distribution, IntDistribution):
        assert type(value) is int
    else:
        assert any(value is choice for choice in distribution.choices)
    back = parameter.canonical(distribution.to_internal_repr(value))
    assert value_of(distribution, back) is value or value_of(distribution, back) == value
    if not (isinstance(distribution, IntDistribution) and isinstance(parameter, Real)):
        assert back == number  # of too many levels for floats, the nearest one is handed out


@given(distributions(), st.data())
def test_every_value_of_the_distribution_is_in_the_space(distribution, data):
    if isinstance(distribution, CategoricalDistribution):
        value = data.draw(st.sampled_from(distribution.choices))
    elif isinstance(distribution, IntDistribution):
        steps = (distribution.high - distribution.low) // distribution.step
        value = distribution.low + distribution.step * data.draw(st.integers(0, steps))
    elif distribution.step is not None:
        steps = round((distribution.high - distribution.low) / distribution.step)
        value = distribution.low + distribution.step * data.draw(st.integers(0, steps))
    else:
        value = data.draw(st.floats(distribution.low, distribution.high))
    translation = Translation({"p": distribution})
    if parameter_of(distribution).levels == 1:
        assert translation.parameters == {}
        assert translation.config({"p": value}) == {}
    else:
        assert translation.config({"p": value}).keys() == {"p"}


@pytest.mark.parametrize(
    ("distribution", "parameter"),
    [
        (FloatDistribution(-1, 2), Real(-1, 2)),
        (FloatDistribution(1e-5, 1, log=True), Real(1e-5, 1, scale="log")),
        (FloatDistribution(0, 1, step=0.25), Real(0, 1, step=0.25)),
        (IntDistribution(1, 9, step=2), Integer(1, 9, step=2)),
        (IntDistribution(1, 1000, log=True), Integer(1, 1000, scale="log")),
        (CategoricalDistribution(("a", None, 2.5)), Categorical([0, 1, 2])),
        (IntDistribution(0, 2**62), Real(0, 2**62)),  # more levels than floats can tell apart
    ],
)
def test_each_kind_has_its_parameter(distribution, parameter):
    assert parameter_of(distribution) == parameter


def test_choices_that_optuna_cannot_tell_apart_are_one():
    assert parameter_of(CategoricalDistribution((True, 1, 1.0, 2, "1"))) == Categorical([0, 3, 4])
    assert Translation({"c": CategoricalDistribution((1, True))}).parameters == {}


def test_the_order_of_the_parameters_matters():
    x, n = FloatDistribution(0, 1), IntDistribution(0, 1)
    assert Translation({"x": x, "n": n}) == Translation({"x": x, "n": n})
    assert Translation({"x": x, "n": n}) != Translation({"n": n, "x": x})
    assert Translation({"x": x}) != Translation({"x": x}, {"x": Real(0, 1, step=0.5)})


def test_nan_is_a_choice_like_any_other():
    distribution = CategoricalDistribution((math.nan, 1.0))
    translation = Translation({"c": distribution})
    assert translation.config({"c": float("nan")}) == {"c": 0}
    assert math.isnan(translation.values({"c": 0})["c"])


@given(st.lists(distributions(), min_size=1, max_size=4))
def test_constants_are_no_part_of_the_space(listed):
    given_ = {f"p{i}": d for i, d in enumerate(listed)}
    varying = Translation(given_).distributions
    assert all(not d.single() for d in varying.values())
    for name in given_.keys() - varying.keys():
        assert parameter_of(given_[name]).levels == 1


def test_what_is_outside_or_of_another_kind_is_left_out():
    translation = Translation(
        {
            "x": FloatDistribution(0, 1),
            "n": IntDistribution(0, 10, step=5),
            "c": CategoricalDistribution(("a", "b")),
        }
    )
    assert translation.config({"x": 1.5, "n": 4, "c": "z", "y": 1}) == {}
    assert translation.config({"x": "half", "n": None}) == {}
    assert translation.config({"x": 1, "n": 5, "c": "b"}) == {"x": 1.0, "n": 5, "c": 1}
    assert translation.inside({"x": math.nan, "n": "five", "c": 2}) == {}


def test_what_is_no_range_for_floats_names_the_parameter():
    with pytest.raises(SpaceError, match=r"parameter 'x': .*too wide"):
        Translation({"x": FloatDistribution(-1.7e308, 1.7e308)})

    class Other(BaseDistribution):
        pass

    Other.__abstractmethods__ = frozenset()
    with pytest.raises(SpaceError, match=r"parameter 'y': .*is unknown; use a float, int or cat"):
        Translation({"y": Other()})


def having(*highs):
    """Completed trials with m from 1 to each of these, and a choice."""
    choice = CategoricalDistribution(("a", "b"))
    return [
        create_trial(
            params={"m": 1, "c": "b"},
            distributions={"m": IntDistribution(1, high), "c": choice},
            value=0.0,
        )
        for high in highs
    ]


@pytest.mark.parametrize(
    ("highs", "high"),
    [
        ([9], 9),
        ([9, 9, 5, 5], 5),  # the user thought better of it
        ([5, 5, 9], 9),
        ([9, 7, 5], 9),  # it depends on something
        ([9, 5, 9], 9),
        ([5, 9, 5, 5, 5], 9),
    ],
)
def test_a_range_that_has_changed_more_than_once_holds_all_of_them(highs, high):
    assert common(having(*highs)) == {
        "c": CategoricalDistribution(("a", "b")),
        "m": IntDistribution(1, high),
    }


@pytest.mark.parametrize(("highs", "own", "high"), [([9], 5, 5), ([9, 5], 12, 12), ([9, 5], 3, 9)])
def test_what_a_running_trial_has_suggested_comes_last(highs, own, high):
    (running,) = having(own)
    assert common(having(*highs), running)["m"] == IntDistribution(1, high)
    del running.distributions["m"], running.params["m"]
    assert common(having(*highs), running) == common(having(*highs))
