"""Constraints of a space: texts and functions, what is refused, what is saved."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import SpaceError
from warpfront.space.columns import Columns


def reals(count, **more):
    return {f"x{i}": Real(0, 1) for i in range(count)} | more


def light(config):
    return config["a"] + config["b"] <= 1


def weight(config):
    return config["a"] + config["b"] - 1


AB = {"a": Real(0, 1), "b": Real(0, 1)}


def test_a_configuration_that_violates_does_not_belong_but_is_valid():
    space = Space(AB, constraints=["a <= b", "a + b <= 1"])
    assert {"a": 0.2, "b": 0.3} in space
    assert {"a": 0.3, "b": 0.2} not in space
    config = {"b": 0.8, "a": 0.9}
    assert space.validate(config) == {"a": 0.9, "b": 0.8}
    assert space.violated(config) == ["a <= b", "a + b <= 1"]
    assert space.violated({"a": 0.3, "b": 0.8}) == ["a + b <= 1"]
    assert space.violated({"a": 0.2, "b": 0.8}) == []
    assert Space(AB).violated(config) == []


def test_told_values_are_judged_with_all_their_digits():
    space = Space(AB, constraints=["a < b"])
    third = 1 / 3
    assert {"a": third, "b": math.nextafter(third, 1)} in space
    assert {"a": third, "b": third} not in space


@pytest.mark.parametrize("function", [light, weight, lambda c: np.float32(c["a"] + c["b"] - 1)])
def test_functions_are_constraints(function):
    space = Space(AB, constraints=[function])
    assert {"a": 0.25, "b": 0.5} in space
    assert {"a": 0.75, "b": 0.5} not in space
    assert len(space.violated({"a": 0.75, "b": 0.5})) == 1
    sample = space.sample(50, seed=0)
    assert all(c["a"] + c["b"] <= 1 for c in sample)


@pytest.mark.parametrize(
    ("result", "degree"),
    [
        (True, 0.0),
        (False, 1.0),
        (np.True_, 0.0),
        (np.bool_(False), 1.0),
        (0, 0.0),
        (-3, 0.0),
        (2, 2.0),
        (0.5, 0.5),
        (np.float64(0.25), 0.25),
        (np.array(0.25), 0.25),
        (math.nan, math.inf),
        (-math.inf, 0.0),
        (math.inf, math.inf),
    ],
)
def test_what_functions_may_return(result, degree):
    space = Space(AB, constraints=[lambda config: result])
    rows = Columns(space.encoding, np.zeros((2, 2)))
    assert space.constraints[0].violation(rows).tolist() == [degree] * 2


@pytest.mark.parametrize("result", [None, "yes", [True], np.array([1, 2]), 1j])
def test_what_functions_must_not_return(result):
    space = Space(AB, constraints=[lambda config: result])
    with pytest.raises(SpaceError, match=r"constraint <lambda>\(...\) returned .* return True or"):
        space.sample(1, seed=0)


def test_a_function_that_fails_is_named_with_the_configuration():
    def ratio(config):
        return config["a"] / config["depth"] - 1

    space = Space(AB, constraints=[ratio])
    with pytest.raises(SpaceError, match=r"ratio\(...\) failed with KeyError: 'depth' for {'a'"):
        space.violated({"a": 0.5, "b": 0.5})


def test_a_function_cannot_change_what_it_looks_at():
    def greedy(config):
        config.clear()
        return True

    space = Space(AB, constraints=[greedy, weight])
    config = {"a": 0.25, "b": 0.5}
    assert config in space
    assert config == {"a": 0.25, "b": 0.5}
    assert len(space.sample(3, seed=0)[0]) == 2


def test_a_function_gets_the_active_parameters_only():
    seen = []
    space = Space(
        deep=Boolean(),
        layers=Integer(1, 9, when={"deep": True}),
        constraints=[lambda config: seen.append(dict(config)) or True],
    )
    space.sample(20, seed=0)
    assert seen
    assert all(("layers" in config) == config["deep"] for config in seen)


@pytest.mark.parametrize(
    ("constraints", "parts"),
    [
        ("a <= b", ["constraints='a <= b'", "give a list"]),
        (light, ["give a list"]),
        (3, ["constraints=3", "give a list"]),
        ({"a <= b"}, ["give a list"]),
        ([3], ["constraint 3 must be a text"]),
        ([None], ["constraint None must be a text"]),
        (["a <= d"], ["constraint 'a <= d': unknown name 'd'", "\n    a <= d\n         ^"]),
        (["a + b >= 3"], ["can never hold", "missed by at least 1;", "\n    ^"]),
        (["a + b == 3"], ["can never hold"]),
        (["a < 0"], ["can never hold"]),
        (["a <= b", "b - a > 1"], ["'b - a > 1': can never hold"]),
        (["0.1 < b and a > 1"], ["can never hold", "\n    0.1 < b and a > 1\n                ^"]),
        (["a * b == 1"], ["by luck only", "abs(x * y - 1) <= 0.01"]),
        (["a ** 2 == b"], ["by luck only"]),
        (["a == b or a < 0.5"], ["by luck only"]),
        (["not a != b or a < 0.5"], ["by luck only"]),
        (["count(a == b, a < 0.5) >= 1"], ["by luck only"]),
        (["abs(a - b) == 0"], ["by luck only", "\n    ^"]),
    ],
)
def test_what_makes_no_sense_is_refused_when_the_space_is_built(constraints, parts):
    with pytest.raises(SpaceError) as caught:
        Space(AB, constraints=constraints)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a == 0 or a >= 0.1",
        "a == 2 * b",
        "count(a == 0, b == 0) >= 1",
        "a != b",
        "not a == b",
        "n * m == 12",
        "n == m or a < 0.5",
        "a + n == 3",
        "s * n == 0.5",
    ],
)
def test_equalities_that_can_be_met_are_accepted(text):
    discrete = {"n": Integer(1, 9), "m": Integer(1, 9), "s": Real(0, 1, step=0.1)}
    space = Space(AB | discrete, constraints=[text])
    assert all(config in space for config in space.sample(10, seed=0))


def test_identity_includes_the_constraints():
    assert Space(AB, constraints=["a <= b"]) == Space(AB, constraints=("  a <= b ",))
    assert Space(AB, constraints=["a <= b"]) != Space(AB)
    assert Space(AB, constraints=[light]) == Space(AB, constraints=[light])
    assert Space(AB, constraints=[light]) != Space(AB, constraints=[weight])
    assert len({Space(AB, constraints=[f]) for f in (light, weight, light)}) == 2
    space = Space(AB, constraints=["a <= b", light])
    assert Space(AB, constraints=space.constraints) == space
    assert repr(space).endswith(", constraints=['a <= b', light])")
    assert copy.deepcopy(space) == space
    assert pickle.loads(pickle.dumps(space)) == space  # noqa: S301


def test_texts_are_saved_and_functions_are_not():
    space = Space(AB, constraints=["a <= b", "count(a > 0, b > 0) <= 1"])
    data = json.loads(json.dumps(space.to_dict()))
    assert set(data) == {"parameters", "constraints"}
    assert Space.from_dict(data) == space
    with pytest.raises(SpaceError, match=r"constraint light\(...\) is a Python function, which"):
        Space(AB, constraints=["a <= b", light]).to_dict()


def test_parameters_may_have_any_name_also_in_descriptions():
    space = Space({"constraints": Real(0, 1), "parameters": Real(0, 1)})
    assert Space.from_dict(space.to_dict()) == space
    more = Space(
        {"constraints": Real(0, 1), "parameters": Real(0, 1)}, constraints=["parameters < 1"]
    )
    assert Space.from_dict(more.to_dict()) == more


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"parameters": None, "constraints": []}, "parameters = None: give a mapping"),
        ({"parameters": {"x": {"type": "boolean"}}, "constraints": [3]}, "give a list of texts"),
        ({"parameters": {"x": {"type": "boolean"}}, "constraints": ["y"]}, "unknown name 'y'"),
        ({"parameters": {}, "constraints": []}, "the space has no parameter"),
    ],
)
def test_garbage_is_refused(data, message):
    with pytest.raises(SpaceError, match=message):
        Space.from_dict(data)


def test_a_choice_of_numbers_can_be_calculated_with():
    space = Space(
        batch=Categorical([16, 32, 64]),
        units=Ordinal([1, 2.5, 10]),
        constraints=["batch * units <= 80"],
    )
    assert space.size == 5
    assert {"batch": 32, "units": 2.5} in space
    assert {"batch": 16, "units": 10} not in space


def test_an_object_that_cannot_be_hashed_is_a_constraint():
    class Limit(list):
        def __call__(self, config):
            return config["a"] <= self[0]

    space = Space(AB, constraints=[Limit([0.5])])
    assert all(config["a"] <= 0.5 for config in space.sample(10, seed=0))
