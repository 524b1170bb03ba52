"""Space: names, validation, membership, sampling, descriptions."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from collections import Counter, OrderedDict
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from tests import strategies as my
from tests.space.test_parameters import assert_native
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import ConfigurationError, SpaceError

FULL = Space(
    rate=Real(1e-5, 1e-1, scale="log"),
    momentum=Real(0.001, 0.999, scale="logit"),
    dropout=Real(0.0, 0.5, step=0.1),
    units=Integer(50, 200),
    iterations=Integer(10, 5000, scale="log"),
    layers=Categorical([[64], [64, 32]]),
    size=Ordinal(["s", "m", "l"]),
    bias=Boolean(),
)
CONFIG = {
    "rate": 1e-3,
    "momentum": 0.9,
    "dropout": 0.3,
    "units": 64,
    "iterations": 100,
    "layers": [64, 32],
    "size": "m",
    "bias": True,
}
METHODS = ["sobol", "uniform"]


# --- Building ---------------------------------------------------------------------------------


def test_keywords_and_mapping_build_the_same_space():
    x, n = Real(0, 1), Integer(1, 9)
    assert Space(x=x, n=n) == Space({"x": x, "n": n}) == Space({"x": x}, n=n)
    assert Space({"learning rate": x, "self": n, "parameters": x}).names == (
        *("learning rate", "self", "parameters"),
    )
    assert Space(self=n, parameters=x).names == ("self", "parameters")


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda: Space(), ["no parameter", "x=Real(0, 1)"]),
        (lambda: Space({}), ["no parameter"]),
        (lambda: Space({"x": Real(0, 1)}, x=Real(0, 1)), ["'x' is given twice", "remove one"]),
        (lambda: Space(x=(0, 1)), ["parameter 'x'", "(0, 1)", "did you mean Real(0, 1)"]),
        (lambda: Space(x=["a", "b"]), ["parameter 'x'", "did you mean Categorical(['a', 'b'])?"]),
        (lambda: Space(x=[0, 1]), ["parameter 'x'", "did you mean Categorical([0, 1])?"]),
        (lambda: Space(x=True), ["parameter 'x'", "did you mean Boolean()?"]),
        (lambda: Space(x=3.5), ["parameter 'x'", "3.5 is not a parameter", "use Real"]),
        (lambda: Space(x=Real), ["parameter 'x'", "Real is not a parameter but a class"]),
        (lambda: Space(constraints=Real(0, 1)), ["Space({'constraints': ...})"]),
        (lambda: Space({"": Real(0, 1)}), ["''", "not empty"]),
        (lambda: Space({3: Real(0, 1)}), ["3", "must be a text"]),
        (lambda: Space(Real(0, 1)), ["Real(", "not a mapping"]),
        (lambda: Space([("x", Real(0, 1))]), ["not a mapping"]),
    ],
)
def test_nonsense_is_refused(build, parts):
    with pytest.raises(SpaceError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_changing_the_mapping_later_does_not_change_the_space():
    mapping = {"x": Real(0, 1)}
    space = Space(mapping)
    mapping["y"] = Real(0, 1)
    assert space.names == ("x",)


def test_a_space_is_a_container_of_its_names():
    assert list(FULL) == list(FULL.names) == list(CONFIG)
    assert len(FULL) == 8
    assert FULL["units"] == Integer(50, 200)
    with pytest.raises(KeyError):
        FULL["nothing"]


def test_order_and_parameters_make_the_identity():
    x, n = Real(0, 1), Integer(1, 9)
    assert Space(x=x, n=n) != Space(n=n, x=x)
    assert Space(x=x) != Space(x=Real(0, 2))
    assert Space(x=x) != Space(y=x)
    assert Space(x=x) != {"x": x}
    assert len({Space(x=x), Space(x=Real(0.0, 1.0)), Space(x=n)}) == 2


@hypothesis_settings(max_examples=50)
@given(my.spaces())
def test_copies_are_equal(space):
    for clone in (copy.copy(space), copy.deepcopy(space), pickle.loads(pickle.dumps(space))):  # noqa: S301
        assert clone == space
        assert hash(clone) == hash(space)


def test_size_counts_the_configurations():
    assert Space(a=Integer(1, 3), b=Boolean(), c=Real(0, 1, step=0.25)).size == 30
    assert Space(a=Real(1, 1)).size == 1
    assert Space(a=Integer(1, 3), x=Real(0, 1)).size == math.inf
    many = dict.fromkeys([f"c{i}" for i in range(200)], Categorical(range(1000)))
    assert Space(many).size == 1000**200
    assert Space(many, x=Real(0, 1)).size == math.inf


# --- Membership -------------------------------------------------------------------------------


def test_validate_returns_native_values_in_the_order_of_the_space():
    shuffled = OrderedDict(reversed(CONFIG.items()))
    shuffled.update(units=np.int64(64), rate=np.float64(1e-3), bias=np.True_, layers=(64, 32))
    valid = FULL.validate(MappingProxyType(shuffled))
    assert valid == CONFIG
    assert list(valid) == list(FULL)
    assert type(valid) is dict
    assert_native(valid)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 1.0}, "parameter 'rate': 1.0 is outside [1e-05, 0.1]"),
        ({"units": 64.5}, "parameter 'units': 64.5 is not a whole number"),
        ({"dropout": 0.25}, "parameter 'dropout': 0.25 is not on the grid"),
        ({"layers": [32]}, "parameter 'layers': [32] is not among the choices [64], [64, 32]"),
        ({"size": "xl"}, "parameter 'size': 'xl' is not among"),
        ({"bias": 1}, "parameter 'bias': 1 is not a boolean"),
        ({"depth": 3}, "parameter 'depth' is unknown; the space has rate, momentum"),
        ({3: 3}, "parameter 3 is unknown"),
    ],
)
def test_what_does_not_belong_is_refused_by_name(change, message):
    wrong = CONFIG | change
    assert wrong not in FULL
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        FULL.validate(wrong)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        FULL.validate(change, partial=True)


def test_a_missing_parameter_is_named_unless_partial():
    short = {name: value for name, value in CONFIG.items() if name != "size"}
    assert short not in FULL
    with pytest.raises(ConfigurationError, match="parameter 'size' is missing; give it a value"):
        FULL.validate(short)
    assert FULL.validate(short, partial=True) == short
    assert FULL.validate({}, partial=True) == {}


@pytest.mark.parametrize("thing", [None, 3, "x", [], [("rate", 1)], {"rate"}, math.nan])
def test_things_that_are_no_configuration(thing):
    assert thing not in FULL
    with pytest.raises(ConfigurationError, match="is not a configuration; give a dict of rate,"):
        FULL.validate(thing)


@given(my.spaces(), st.data())
def test_configurations_belong_and_validation_changes_nothing(space, data):
    config = data.draw(my.user_configurations(space))
    assert config in space
    assert space.validate(config) == config
    config.pop(space.names[0])
    assert config not in space


@given(st.sampled_from(FULL.names), my.json_values())
def test_whatever_stands_in_a_configuration_it_belongs_or_is_refused_by_name(name, value):
    config = CONFIG | {name: value}
    if config in FULL:
        valid = FULL.validate(config)
        assert FULL.validate(valid) == valid
        assert valid | {name: value} == config
        assert valid[name] == (pytest.approx(value, abs=1e-9) if name == "dropout" else value)
    else:
        with pytest.raises(ConfigurationError, match=f"parameter '{name}': "):
            FULL.validate(config)


def test_a_validated_list_is_the_callers_own():
    valid = FULL.validate(CONFIG)
    valid["layers"].append(16)
    assert FULL.validate(CONFIG)["layers"] == [64, 32]
    assert CONFIG["layers"] == [64, 32]


# --- Sampling ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@hypothesis_settings(max_examples=30)
@given(my.spaces(), st.integers(0, 40), st.integers(0, 2**64))
def test_samples_belong_to_the_space_are_native_and_repeatable(method, space, n, seed):
    sample = space.sample(n, seed, method=method)
    assert len(sample) == n
    for config in sample:
        assert space.validate(config) == config
        assert_native(config)
    assert sample == space.sample(n, seed, method=method)


@pytest.mark.parametrize("method", METHODS)
@hypothesis_settings(max_examples=30)
@given(st.integers(0, 70), st.integers(0, 70), st.integers(0, 2**32))
def test_a_shorter_sample_is_a_prefix_of_a_longer_one(method, n, m, seed):
    n, m = sorted([n, m])
    assert FULL.sample(m, seed, method=method)[:n] == FULL.sample(n, seed, method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("skip", "n"), [(0, 5), (1, 1), (3, 6), (8, 8), (17, 100)])
def test_skipping_continues_the_sequence(method, skip, n):
    whole = FULL.sample_encoded(skip + n, 7, method=method)
    np.testing.assert_array_equal(FULL.sample_encoded(n, 7, method=method, skip=skip), whole[skip:])


@pytest.mark.parametrize("method", METHODS)
def test_different_seeds_give_different_samples(method):
    samples = {json.dumps(FULL.sample(2, seed, method=method)) for seed in range(20)}
    assert len(samples) == 20


@pytest.mark.parametrize("method", METHODS)
def test_encoded_samples_are_what_decoding_hands_out(method):
    X = FULL.sample_encoded(50, 1, method=method)
    np.testing.assert_array_equal(FULL.encoding.encode(FULL.encoding.decode(X)), X)
    assert FULL.encoding.decode(X) == FULL.sample(50, 1, method=method)


@pytest.mark.parametrize(
    "parameter",
    [
        Integer(0, 7),
        Integer(-30, 5, step=5),
        Real(0.0, 1.5, step=0.5),
        Real(0.1, 1.6, step=0.1),
        Categorical(range(16)),
        Ordinal(list(range(32))),
        Boolean(),
        Integer(3, 3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sobol_gives_levels_exactly_equal_counts(parameter, seed):
    n = 64
    space = Space(a=Real(0, 1), p=parameter, b=Integer(1, 9))
    counts = Counter(c["p"] for c in space.sample(n, seed))
    assert len(counts) == parameter.levels
    assert set(counts.values()) == {n // parameter.levels}


@pytest.mark.parametrize(
    "parameter",
    [Integer(1, 5), Real(0, 1, step=0.1), Categorical(list("abc")), Ordinal(range(7))],
    ids=repr,
)
def test_sobol_gives_levels_nearly_equal_counts_when_they_do_not_divide(parameter):
    # A cell of width 1/L of an elementary net of n points holds n/L points, give or take one.
    n = 128
    for seed in range(5):
        counts = Counter(c["p"] for c in Space(p=parameter).sample(n, seed))
        assert len(counts) == parameter.levels
        assert max(abs(k - n / parameter.levels) for k in counts.values()) < 2


@pytest.mark.parametrize(
    "parameter",
    [
        Integer(1, 5),
        Integer(10, 40, step=10),
        Real(0, 1, step=0.1),
        Categorical(list("abcdefghij")),
        Ordinal(range(7)),
        Boolean(),
    ],
    ids=repr,
)
def test_uniform_gives_every_level_the_same_weight(parameter):
    values = [c["p"] for c in Space(p=parameter).sample(4000, 3, method="uniform")]
    counts = [values.count(parameter.decode(p)) for p in parameter.positions()]
    assert sum(counts) == 4000
    assert stats.chisquare(counts).pvalue > 1e-3
    # The end levels by themselves: half a weight would be tens of standard deviations away.
    expected = 4000 / parameter.levels
    for count in (counts[0], counts[-1]):
        assert abs(count - expected) < 4 * math.sqrt(expected)


def test_continuous_scales_are_sampled_evenly_on_their_own_axis():
    space = Space(a=Real(1e-4, 1.0, scale="log"), b=Real(0.1, 0.9, scale="logit"), c=Real(-1, 3))
    sample = space.sample(256, 0)
    a = np.log([c["a"] for c in sample]) / np.log(1e-4)
    b = np.array([c["b"] for c in sample])
    b = np.log(b / (1 - b)) / np.log(9) / 2 + 0.5
    c = (np.array([c["c"] for c in sample]) + 1) / 4
    for u in (a, b, c):
        np.testing.assert_array_equal(np.histogram(u, 16, (0, 1))[0], 16)


def test_sobol_covers_two_dimensions_evenly():
    sample = Space(x=Real(0, 1), n=Integer(0, 7)).sample(64, 5)
    cells = Counter((int(c["x"] * 8), c["n"]) for c in sample)
    assert set(cells.values()) == {1}
    assert len(cells) == 64


def test_spaces_of_one_value_and_of_200_dimensions_are_sampled():
    constant = Space(a=Real(2, 2), b=Integer(3, 3), c=Categorical([[1]]), d=Ordinal(["x"]))
    assert constant.sample(5, 0) == [{"a": 2.0, "b": 3, "c": [1], "d": "x"}] * 5
    kinds = [Real(0, 1), Categorical(range(1000))]
    wide = Space({f"x{i}": kinds[i % 2] for i in range(200)})
    sample = wide.sample(16, 0)
    assert all(config in wide for config in sample)
    assert wide.encoding.decode(wide.encoding.encode(sample)) == sample


def test_more_dimensions_than_sobol_has_are_sampled_uniformly(monkeypatch):
    monkeypatch.setattr("warpfront.space.sampling.SOBOL_MAX_DIMENSION", 1)
    space = Space(x=Real(0, 1), y=Real(0, 1))
    assert space.sample(3, 0) == space.sample(3, 0, method="uniform")


@pytest.mark.parametrize("n", [-1, 1.5, True, None, "3"])
def test_a_sample_of_no_size_is_refused(n):
    for method in METHODS:
        with pytest.raises(ConfigurationError) as caught:
            FULL.sample(n, 0, method=method)
        assert str(caught.value) == f"n={n!r}: must be a whole number of at least 0"


@pytest.mark.parametrize("seed", [-1, 1.5, True, "3", [1, 2]])
def test_a_seed_that_is_none_is_refused(seed):
    for method in METHODS:
        with pytest.raises(ConfigurationError) as caught:
            FULL.sample(2, seed, method=method)
        assert str(caught.value) == f"seed={seed!r}: must be a whole number of at least 0"


@pytest.mark.parametrize("method", METHODS)
def test_without_a_seed_every_sample_is_another_one(method):
    samples = {json.dumps(FULL.sample(2, method=method)) for _ in range(5)}
    assert len(samples) == 5
    assert all(config in FULL for config in FULL.sample(3))


def test_a_dict_is_taken_for_a_space():
    assert Space.of({"x": Real(0, 1)}) == Space(x=Real(0, 1))
    assert Space.of(FULL) is FULL
    for thing in (None, [], "x", Real(0, 1)):
        with pytest.raises(SpaceError, match="is not a space; give Space"):
            Space.of(thing)


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_of_a_whole_number_of_numpys_is_welcome(method):
    assert FULL.sample(np.int64(3), 0, method=method) == FULL.sample(3, 0, method=method)
    assert FULL.sample(3, np.int64(5), method=method) == FULL.sample(3, 5, method=method)
    assert FULL.sample(np.uint8(0), 0, method=method) == []


def test_an_unknown_method_is_refused():
    with pytest.raises(SpaceError, match="'halton' is unknown; use 'sobol' or 'uniform'"):
        FULL.sample(1, 0, method="halton")


def test_numpy_may_be_told_to_raise_where_a_sample_underflows():
    space = Space(x=Real(5e-324, 1e-300, scale="log"))
    with np.errstate(all="raise"):
        strict = space.sample(32, seed=0)
    assert strict == space.sample(32, seed=0)


def test_sampling_leaves_the_global_random_state_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    for method in METHODS:
        FULL.sample(4, 0, method=method)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


# --- Descriptions -----------------------------------------------------------------------------


@given(my.spaces())
def test_a_space_survives_real_json_text(space):
    text = json.dumps(space.to_dict(), allow_nan=False)
    clone = Space.from_dict(json.loads(text))
    assert clone == space
    assert clone.names == space.names
    assert json.dumps(clone.to_dict()) == text


@hypothesis_settings(max_examples=30)
@given(my.spaces(), st.integers(0, 100))
def test_a_space_read_back_gives_the_same_sample(space, seed):
    clone = Space.from_dict(json.loads(json.dumps(space.to_dict())))
    assert clone.sample(5, seed) == space.sample(5, seed)


def test_changing_a_description_does_not_change_the_space():
    description = FULL.to_dict()
    description["layers"]["choices"][0].append(7)
    description["rate"]["low"] = 7
    del description["bias"]
    assert FULL["layers"] == Categorical([[64], [64, 32]])
    assert FULL["rate"].low == 1e-5
    assert "bias" in FULL.to_dict()


@pytest.mark.parametrize(
    ("garbage", "message"),
    [
        (None, "None is not a space; give a mapping"),
        ([], "[] is not a space"),
        ("x", "'x' is not a space"),
        ({}, "the space has no parameter"),
        ({"x": None}, "parameter 'x': None is not a parameter"),
        ({"x": {"type": "real", "low": 0}}, "parameter 'x': {'type': 'real', 'low': 0}: high"),
        ({"x": {"type": "real", "low": 1, "high": 0}}, "parameter 'x': Real(low=1.0"),
        ({"x": {"type": ["real"]}}, "parameter 'x': "),
        ({"": {"type": "boolean"}}, "must be a text"),
        ({3: {"type": "boolean"}}, "must be a text"),
    ],
)
def test_garbage_is_no_space(garbage, message):
    with pytest.raises(SpaceError, match=re.escape(message)):
        Space.from_dict(garbage)


@given(st.dictionaries(st.text(max_size=3), my.json_values(max_leaves=8), max_size=3))
def test_any_garbage_is_a_space_error(garbage):
    with pytest.raises(SpaceError):
        Space.from_dict(garbage)


def test_the_text_of_a_space_rebuilds_it():
    assert eval(repr(FULL)) == FULL  # noqa: S307
