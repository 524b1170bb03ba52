"""Random search: uniform, reproducible, inside the space."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from tests import strategies as my
from tests.space.test_parameters import assert_native
from warpfront import Boolean, Categorical, Integer, RandomSearch, Real, Space
from warpfront.errors import ConfigurationError
from warpfront.history import History
from warpfront.optimizers.random import suggest

SPACE = Space(x=Real(1e-4, 1.0, scale="log"), n=Integer(1, 4), c=Categorical(["abc"]))


@hypothesis_settings(max_examples=40)
@given(my.spaces(max_size=4), st.integers(0, 2**64), st.integers(1, 5))
def test_suggestions_belong_to_the_space_and_are_native(space, seed, n):
    suggestions = RandomSearch(space, seed).ask(n)
    assert len(suggestions) == n
    for suggestion in suggestions:
        assert suggestion in space
        assert_native(dict(suggestion))


@hypothesis_settings(max_examples=40)
@given(my.spaces(max_size=3).flatmap(my.histories), st.integers(0, 2**64), st.integers(1, 3))
def test_a_suggestion_is_a_pure_function(history, seed, n):
    before = history.to_list()
    one = suggest(history, n, seed=seed, fixed={})
    assert suggest(history, n, seed=seed, fixed={}) == one
    assert history.to_list() == before
    clone = History.from_list(history.space, history.to_list())
    assert suggest(clone, n, seed=seed, fixed={}) == one


def test_the_stream_depends_on_the_seed_and_the_number_only():
    optimizer = RandomSearch(SPACE, 5)
    first, second = optimizer.ask(), optimizer.ask()
    assert first != second
    other = RandomSearch(SPACE, 5)
    other.tell({"x": 0.5, "n": 1, "c": "abc"}, 3.0)  # told, not asked: but it has the number 0
    assert other.ask() == second
    assert RandomSearch(SPACE, 6).ask() != first


@hypothesis_settings(max_examples=40)
@given(my.spaces(min_size=2, max_size=4), st.data())
def test_fixed_values_are_held(space, data):
    config = data.draw(my.configurations(space))
    held = {name: config[name] for name in space.names[::2]}
    for suggestion in RandomSearch(space, 0).ask(3, fixed=held):
        assert suggestion in space
        assert {name: suggestion[name] for name in held} == held


def test_everything_can_be_fixed():
    config = {"x": 0.1, "n": 2, "c": "abc"}
    assert RandomSearch(SPACE, 0).ask(2, fixed=config) == [config, config]


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"n": 9}, "parameter 'n': 9 is outside"),
        ({"y": 1}, "parameter 'y' is unknown"),
        ([3], "is not a configuration"),
    ],
)
def test_a_bad_wish_is_refused_and_nothing_is_asked(fixed, message):
    optimizer = RandomSearch(SPACE, 0)
    with pytest.raises(ConfigurationError, match=message):
        optimizer.ask(fixed=fixed)
    assert len(optimizer.history) == 0


def test_every_level_has_the_same_weight():
    space = Space(n=Integer(1, 5), b=Boolean(), s=Real(0, 1, step=0.25))
    suggestions = RandomSearch(space, 1).ask(4000)
    for name, levels in (("n", 5), ("b", 2), ("s", 5)):
        counts = Counter(s[name] for s in suggestions)
        assert len(counts) == levels
        assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_a_log_scale_is_uniform_in_the_logarithm():
    u = np.log([s["x"] for s in RandomSearch(SPACE, 2).ask(2000)]) / math.log(1e-4)
    assert stats.kstest(u, "uniform").pvalue > 1e-3


def test_200_dimensions_and_a_thousand_levels():
    kinds = [Real(0, 1), Categorical(range(1000)), Integer(1, 10**6, scale="log"), Boolean()]
    space = Space({f"p{i}": kinds[i % 4] for i in range(200)})
    optimizer = RandomSearch(space, 0)
    suggestions = optimizer.ask(8)
    optimizer.tell(suggestions, range(8))
    assert optimizer.best.number == 0
    assert all(s in space for s in suggestions)
    assert RandomSearch.from_json(optimizer.to_json()).ask(3) == optimizer.ask(3)


def test_a_space_of_one_value_repeats_it():
    space = Space(a=Real(2, 2), c=Categorical([[1]]))
    assert RandomSearch(space, 0).ask(3) == [{"a": 2.0, "c": [1]}] * 3
