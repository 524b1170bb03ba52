"""Conditions: which parameters are active, what is refused, encoding, counting."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space import counting
from warpfront.space.condition import Condition

SPACE = Space(
    booster=Categorical(["tree", "dart", "linear"]),
    depth=Integer(1, 12, when={"booster": ["tree", "dart"]}),
    prune=Boolean(when={"booster": "tree"}),
    strength=Real(0, 1, when={"prune": True, "depth": [11, 12]}),
    size=Ordinal(["s", "m", "l"], when={"booster": "linear"}),
    rate=Real(1e-3, 1, scale="log"),
    layers=Categorical([[64], [64, 32]], when={"size": ["m", "l"]}),
    extra=Real(0, 1, when={"layers": [[64, 32]]}),
)


@pytest.mark.parametrize(
    ("config", "active"),
    [
        ({"booster": "tree", "depth": 3, "prune": True, "rate": 0.1}, ["depth", "prune"]),
        (
            {"booster": "tree", "depth": 12, "prune": True, "strength": 0.5, "rate": 0.1},
            ["depth", "prune", "strength"],
        ),
        ({"booster": "tree", "depth": 12, "prune": False, "rate": 0.1}, ["depth", "prune"]),
        ({"booster": "dart", "depth": 12, "rate": 0.1}, ["depth"]),
        ({"booster": "linear", "size": "s", "rate": 0.1}, ["size"]),
        ({"booster": "linear", "size": "l", "rate": 0.1, "layers": [64]}, ["size", "layers"]),
        (
            {"booster": "linear", "size": "m", "rate": 0.1, "layers": [64, 32], "extra": 0.1},
            ["size", "layers", "extra"],
        ),
    ],
)
def test_a_configuration_has_exactly_its_active_parameters(config, active):
    assert config in SPACE
    valid = SPACE.validate(dict(reversed(config.items())))
    assert list(valid) == [name for name in SPACE if name in config]
    encoding = SPACE.encoding
    X = encoding.encode([config])
    expected = [name in ("booster", "rate", *active) for name in SPACE]
    assert encoding.active(X)[0].tolist() == expected
    assert encoding.decode(X) == [config]
    neutral = [p.neutral for p in encoding.parameters]
    assert X[0, ~encoding.active(X)[0]].tolist() == [
        n for n, here in zip(neutral, expected, strict=True) if not here
    ]
    for name in active:
        short = {other: value for other, value in config.items() if other != name}
        assert short not in SPACE


def test_the_neutral_position_is_the_middle_or_the_first_category():
    values = [p.decode(p.neutral) for p in SPACE.encoding.parameters]
    assert values == ["tree", 7, False, 0.5, "m", 0.0316227766017, [64], 0.5]
    for parameter in SPACE.encoding.parameters:
        np.testing.assert_array_equal(
            parameter.canonical_positions(np.array([parameter.neutral])), parameter.neutral
        )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"booster": "linear", "size": "s", "rate": 0.1, "depth": 3},
            "parameter 'depth' is inactive here: it is active when 'booster' is 'tree' or 'dart'; "
            "leave it out",
        ),
        (
            {"booster": "dart", "depth": 12, "rate": 0.1, "strength": 0.5},
            "parameter 'strength' is inactive here: it is active when 'prune' is True and 'depth' "
            "is 11 or 12",
        ),
        (
            {"booster": "tree", "prune": True, "rate": 0.1},
            "parameter 'depth' is missing; it is active when 'booster' is 'tree' or 'dart'",
        ),
        ({"booster": "tree", "depth": 3, "prune": True}, "parameter 'rate' is missing; give it"),
        ({"depth": 3, "prune": True, "rate": 0.1}, "parameter 'booster' is missing; give it"),
        ({"booster": "tree", "depth": 13, "prune": True, "rate": 1}, "parameter 'depth': 13 is"),
    ],
)
def test_what_is_missing_or_inactive_is_named(config, message):
    assert config not in SPACE
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        SPACE.validate(config)


def test_a_partial_configuration_may_leave_parents_out_but_not_contradict_them():
    assert SPACE.validate({"depth": 3}, partial=True) == {"depth": 3}
    assert SPACE.validate({"strength": 0.5}, partial=True) == {"strength": 0.5}
    assert SPACE.validate({"booster": "tree"}, partial=True) == {"booster": "tree"}
    for config in ({"booster": "linear", "depth": 3}, {"depth": 3, "strength": 0.5}):
        with pytest.raises(ConfigurationError, match="is inactive here"):
            SPACE.validate(config, partial=True)


def test_rows_with_any_inactive_columns_are_the_same_configuration():
    X = SPACE.encoding.from_unit(np.random.default_rng(0).random((200, len(SPACE))))
    active = SPACE.encoding.active(X)
    changed = np.where(active, X, 0.25 * ~SPACE.encoding.is_category)
    assert not np.array_equal(changed, X)
    np.testing.assert_array_equal(SPACE.encoding.canonical(changed), SPACE.encoding.canonical(X))
    assert SPACE.encoding.decode(changed) == SPACE.encoding.decode(X)


# --- Building ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda: Real(0, 1, when="tree"), ["when='tree'", "such as when={'booster': 'tree'}"]),
        (lambda: Real(0, 1, when={}), ["when={}"]),
        (lambda: Real(0, 1, when={"a": []}), ["name at least one value of 'a'"]),
        (lambda: Real(0, 1, when={3: "x"}), ["the parent 3 must be a parameter's name"]),
        (lambda: Real(0, 1, when={"a": print}), ["must be JSON values"]),
        (lambda: Categorical(["a"], when={"a": {1, 2}}), ["must be JSON values"]),
        (lambda: Boolean(when=3), ["when=3"]),
        (
            lambda: Space(booster=Boolean(), depth=Integer(1, 2, when={"boster": True})),
            ["parameter 'depth'", "no parameter 'boster'; did you mean 'booster'?"],
        ),
        (
            lambda: Space(b=Boolean(), depth=Integer(1, 2, when={"xyz": True})),
            ["no parameter 'xyz'; it has b, depth"],
        ),
        (
            lambda: Space(b=Categorical(["x", "y"]), c=Boolean(when={"b": ["x", "z"]})),
            ["parameter 'c': when={'b': 'z'}: 'z' is not among the choices 'x', 'y'"],
        ),
        (
            lambda: Space(b=Integer(1, 5), c=Boolean(when={"b": 6})),
            ["parameter 'c': when={'b': 6}: 6 is outside [1, 5]"],
        ),
        (
            lambda: Space(b=Real(0, 1), c=Boolean(when={"b": 0.5})),
            ["parameter 'c'", "'b' is Real; a condition needs a Categorical, Boolean, Ordinal or"],
        ),
        (
            lambda: Space(a=Boolean(when={"a": True})),
            ["form a cycle: 'a' needs 'a'", "remove one 'when'"],
        ),
        (
            lambda: Space(
                x=Boolean(),
                a=Boolean(when={"x": True, "b": True}),
                b=Boolean(when={"c": True}),
                c=Boolean(when={"a": True}),
            ),
            ["cycle: 'a' needs 'b' needs 'c' needs 'a'"],
        ),
        (
            lambda: Space(
                b=Categorical(["x", "y"]),
                c=Integer(1, 3, when={"b": "x"}),
                d=Boolean(when={"c": 3, "b": "y"}),
            ),
            ["parameter 'd' can never be active: when={'c': 3, 'b': 'y'}"],
        ),
    ],
)
def test_nonsense_is_refused(build, parts):
    with pytest.raises(SpaceError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_a_condition_is_a_mapping_that_cannot_be_changed():
    given = {"b": ["x", "y"], "c": True}
    parameter = Real(0, 1, when=given)
    given["b"].append("z")
    assert dict(parameter.when) == {"b": ["x", "y"], "c": True}
    parameter.when["b"].append("z")
    assert parameter.when == {"c": True, "b": ["y", "x"]}
    assert parameter.when != {"b": ["x", "y"]}
    assert parameter.when != {"b": []}
    assert parameter.when != 3
    assert parameter == Real(0, 1, when={"c": [True], "b": ("y", "x")})
    assert hash(parameter) == hash(Real(0, 1, when={"c": True, "b": ["y", "x"]}))
    assert parameter != Real(0, 1)
    assert Condition({"layers": [[64, 32]]})["layers"] == [[64, 32]]
    with pytest.raises(TypeError):
        parameter.when["b"] = "z"


@pytest.mark.parametrize(
    "parameter",
    [
        Real(0, 1, when={"b": "x"}, likely=0.5),
        Real(0, 1, when={"b": "x"}, likely=(0.25, 0.5)),
        Integer(1, 9, when={"b": ["x", "y"]}, likely=(2, 3)),
        Categorical(["p", "q"], when={"b": True}, likely="p"),
        Ordinal(["p", "q"], when={"b": [[1]]}, likely=["p", "q"]),
        Boolean(when={"b": 3}, likely=True),
    ],
    ids=repr,
)
def test_descriptions_and_texts_carry_conditions_and_beliefs(parameter):
    from warpfront.space.parameters import parameter_from_dict

    text = json.dumps(parameter.to_dict())
    clone = parameter_from_dict(json.loads(text))
    assert clone == parameter
    assert hash(clone) == hash(parameter)
    assert json.dumps(clone.to_dict()) == text
    assert eval(repr(parameter)) == parameter  # noqa: S307


def test_parameters_without_conditions_and_beliefs_are_described_as_ever():
    assert Boolean().to_dict() == {"type": "boolean"}
    assert set(Real(0, 1).to_dict()) == {"type", "low", "high", "scale", "step"}
    assert repr(Integer(1, 9)) == "Integer(low=1, high=9, scale='linear', step=1)"
    assert repr(Boolean()) == "Boolean()"


# --- Counting ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "size"),
    [
        (Space(b=Boolean(), n=Integer(1, 3, when={"b": True})), 4),
        (Space(b=Boolean(), x=Real(0, 1, when={"b": True})), math.inf),
        (Space(b=Boolean(), x=Real(1, 1, when={"b": True})), 2),
        (
            Space(
                a=Boolean(),
                b=Boolean(when={"a": True}),
                c=Integer(1, 5, when={"b": True}),
                d=Integer(1, 10**6),
            ),
            10**6 * (1 + 1 + 5),
        ),
        (Space(n=Integer(0, 10**12), c=Integer(1, 5, when={"n": [3, 7]})), 10**12 - 1 + 10),
        (
            Space({f"b{i}": Boolean() for i in range(30)})
            and Space(
                {f"b{i}": Boolean() for i in range(30)}
                | {f"c{i}": Integer(1, 2, when={f"b{i}": True}) for i in range(30)}
            ),
            3**30,
        ),
    ],
)
def test_configurations_are_counted_exactly(space, size):
    assert space.size == size


def test_too_many_connected_combinations_give_an_upper_bound(monkeypatch):
    parameters = {f"b{i}": Boolean() for i in range(8)}
    child = Integer(1, 3, when={f"b{i}": True for i in range(8)})
    space = Space(parameters, child=child)
    assert space.size == 2**8 + 2
    monkeypatch.setattr(counting, "MOST_COMBINATIONS", 100)
    assert space.size == 2**8 * 3


def test_samples_of_conditional_spaces_cover_all_branches():
    sample = SPACE.sample(200, seed=1)
    assert all(config in SPACE for config in sample)
    boosters = [c["booster"] for c in sample]
    assert all(abs(boosters.count(b) - 200 / 3) < 3 for b in ("tree", "dart", "linear"))
    assert {c.get("size") for c in sample} == {"s", "m", "l", None}
    depths = [c["depth"] for c in sample if "depth" in c]
    assert set(depths) == set(range(1, 13))
