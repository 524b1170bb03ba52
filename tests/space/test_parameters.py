"""The five kinds of parameter: validation, values, positions, weights, descriptions."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as my
from warpfront import Boolean, Categorical, Integer, Ordinal, Real
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.parameters import Parameter, native, parameter_from_dict

NATIVE = {int, float, bool, str, list, dict, type(None)}


def assert_native(value):
    """No NumPy type anywhere inside."""
    assert type(value) in NATIVE
    if isinstance(value, list):
        for inner in value:
            assert_native(inner)
    if isinstance(value, dict):
        for key, inner in value.items():
            assert type(key) is str
            assert_native(inner)


def same(a, b):
    """Equal, and of equal types all the way down: 1 is neither 1.0 nor True."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


# --- What makes no sense is refused, with the parameter, the value and the remedy -------------

REFUSED = [
    # (what, every one of these must be in the message)
    (lambda: Real(1.0, 0.0), ["Real(low=1.0, high=0.0", "empty", "low must not exceed high"]),
    (lambda: Real(1.0, 0.0, step=0.3), ["Real(low=1.0", "empty"]),
    (lambda: Integer(5, 1), ["Integer(low=5, high=1", "empty"]),
    (lambda: Integer(5, 1, step=3), ["Integer(low=5", "empty"]),
    (lambda: Real(math.nan, 1.0), ["low must be a finite number", "nan"]),
    (lambda: Real(0.0, math.nan), ["high must be a finite number", "nan"]),
    (lambda: Real(0.0, math.inf), ["high must be a finite number", "inf"]),
    (lambda: Real(-math.inf, 0.0), ["low must be a finite number", "-inf"]),
    (lambda: Real(0, 10**400), ["high must be a finite number", "1000000"]),
    (lambda: Integer(math.nan, 1), ["low must be a whole number", "nan"]),
    (lambda: Integer(0, math.inf), ["high must be a whole number", "inf"]),
    (lambda: Integer(0, 10**400), ["high=1000", "beyond ±2**53", "use Real"]),
    (lambda: Integer(0, 2**53 + 1), [f"high={2**53 + 1}", "use Real"]),
    (lambda: Integer(0.5, 3), ["low must be a whole number", "0.5"]),
    (lambda: Real(-1.7e308, 1.7e308), ["too wide for a float", "narrow it"]),
    (lambda: Real(-1.7e308, 1.7e308, step=1.0), ["too wide for a float", "narrow it"]),
    (lambda: Real(0.0, 1.0, scale="log"), ["Real(0.0, 1.0)", "positive lower bound", "'linear'"]),
    (lambda: Real(-1.0, 1.0, scale="log"), ["Real(-1.0, 1.0)", "lower bound, such as 1e-06;"]),
    (lambda: Integer(0, 9, scale="log"), ["Integer(0, 9)", "positive lower bound, such as 1;"]),
    (lambda: Real(0.0, 0.5, scale="logit"), ["Real(0.0, 0.5)", "between 0 and 1", "0.001"]),
    (lambda: Real(0.5, 1.0, scale="logit"), ["Real(0.5, 1.0)", "between 0 and 1"]),
    (lambda: Real(0.5, 2.0, scale="logit"), ["Real(0.5, 2.0)", "between 0 and 1"]),
    (lambda: Real(0, 1, scale="logarithmic"), ["'logarithmic' is unknown", "'linear', 'log'"]),
    (lambda: Integer(1, 9, scale="logit"), ["'logit' is unknown", "'linear', 'log'"]),
    (lambda: Real(0, 1, scale=None), ["None is unknown"]),
    (lambda: Real(0.0, 1.0, step=0.3), ["step=0.3", "whole number of steps", "high=0.9"]),
    (lambda: Real(0, 1e9 + 0.5, step=1.0), ["whole number of steps", "high=1000000000 "]),
    (lambda: Integer(0, 10, step=3), ["step=3", "whole number of steps", "high=9"]),
    (lambda: Real(0.0, 1.0, step=0.0), ["step=0.0", "must be positive"]),
    (lambda: Real(0.0, 1.0, step=-0.5), ["step=-0.5", "must be positive"]),
    (lambda: Integer(0, 4, step=0), ["step=0", "must be positive"]),
    (lambda: Integer(0, 4, step=-2), ["step=-2", "must be positive"]),
    (lambda: Real(0.0, 1.0, step=math.nan), ["step must be a finite number", "nan"]),
    (lambda: Real(0.0, 1.0, step=math.inf), ["step must be a finite number", "inf"]),
    (lambda: Integer(0, 4, step=None), ["step must be a whole number", "None"]),
    (lambda: Integer(0, 4, step=0.5), ["step must be a whole number", "0.5"]),
    (lambda: Real(True, 2.0), ["low must be a finite number", "True"]),
    (lambda: Real(0.0, np.True_), ["high must be a finite number", "True"]),
    (lambda: Integer(False, 2), ["low must be a whole number", "False"]),
    (lambda: Integer(0, 2, step=True), ["step must be a whole number", "True"]),
    (lambda: Real("0", 1.0), ["low must be a finite number", "'0'"]),
    (lambda: Real(None, 1.0), ["low must be a finite number", "None"]),
    (lambda: Real(0.0, 1 + 0j), ["high must be a finite number", "(1+0j)"]),
    (lambda: Integer(0, 2**50), ["levels cannot be told apart", "larger step"]),
    (lambda: Integer(1, 10**12 + 1, scale="log"), ["levels cannot be told apart"]),
    (lambda: Integer(10**13, 2 * 10**13, scale="log"), ["levels cannot be told apart"]),
    (lambda: Real(0.0, 1.0, step=1e-15), ["step is too small", "larger step"]),
    (lambda: Real(1e9, 1e9 + 1, step=1e-7), ["step is too small", "larger step"]),
    (lambda: Real(1e308 / 2, 1e308, step=1e-300), ["step is too small"]),
    (lambda: Categorical([]), ["Categorical([])", "at least one value"]),
    (lambda: Ordinal([]), ["Ordinal([])", "at least one value"]),
    (lambda: Categorical(["a", "b", "a"]), ["'a' is given twice", "remove one"]),
    (lambda: Ordinal([1, 2, 1]), ["Ordinal", "1 is given twice"]),
    (lambda: Categorical([[1, 2], (1, 2)]), ["(1, 2) is given twice"]),
    (lambda: Categorical([1, np.int64(1)]), ["is given twice"]),
    (lambda: Categorical([{"a": 1, "b": 2}, {"b": 2, "a": 1}]), ["is given twice"]),
    (lambda: Categorical([print]), ["print", "not a JSON value", "map names to objects"]),
    (lambda: Categorical([object]), ["not a JSON value"]),
    (lambda: Categorical([{1, 2}]), ["{1, 2} is not a JSON value"]),
    (lambda: Categorical([1j]), ["1j is not a JSON value"]),
    (lambda: Categorical([math.nan]), ["nan is not a JSON value"]),
    (lambda: Ordinal([1, math.inf]), ["inf is not a JSON value"]),
    (lambda: Categorical([[1, [math.nan]]]), ["not a JSON value"]),
    (lambda: Categorical([{1: "a"}]), ["{1: 'a'} has a key that is not a text", "write it as one"]),
    (lambda: Ordinal(["a", [{"b": ({None: 1},)}]]), ["Ordinal", "has a key that is not a text"]),
    (lambda: Categorical([{True: 1}]), ["has a key that is not a text"]),
    (lambda: Categorical("relu"), ["give a list", "did you mean Categorical(['relu'])?"]),
    (lambda: Categorical({"a": 1}), ["give a list"]),
    (lambda: Categorical({"a", "b"}), ["give a list"]),
    (lambda: Ordinal(5), ["Ordinal(5)", "give a list"]),
    (lambda: Categorical(None), ["give a list"]),
]


@pytest.mark.parametrize(("build", "parts"), REFUSED)
def test_nonsense_is_refused_with_a_message_that_helps(build, parts):
    with pytest.raises(SpaceError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_the_remedies_for_a_step_that_does_not_fit_work():
    assert Real(0.0, 0.9, step=0.3).levels == 4
    assert Integer(0, 9, step=3).levels == 4


WRONG_ARGUMENTS = [
    (lambda: Categorical("a", "b"), ["Categorical('a', 'b')", "mean Categorical(['a', 'b'])?"]),
    (lambda: Ordinal(1, 2, 3), ["did you mean Ordinal([1, 2, 3])?"]),
    (lambda: Categorical(), ["needs choices, such as Categorical(['a', 'b'])"]),
    (lambda: Categorical(values=[1]), ["there is no 'values'; did you mean choices=[1]?"]),
    (lambda: Boolean([1, 2]), ["Boolean([1, 2])", "takes no values", "Categorical([...])"]),
    (lambda: Boolean(True), ["takes no values"]),
    (lambda: Real(0, 1, log=True), ["Real(0, 1, log=True)", "no 'log'; use scale='log'"]),
    (lambda: Real(log=True), ["no 'log'; use scale='log'"]),
    (lambda: Integer(1, 9, log=False), ["leave it out", "linear by default"]),
    (lambda: Real(0, 1, logit=True), ["use scale='logit'"]),
    (lambda: Real(0, 1, "log", 0.1, None), ["by name"]),
    (lambda: Real((0, 1)), ["did you mean Real(0, 1)?"]),
    (lambda: Integer([1, 9], scale="log"), ["did you mean Integer(1, 9, scale='log')?"]),
    (lambda: Real(0), ["Real(0)", "needs both low and high, such as Real(0.0, 1.0)"]),
    (lambda: Real(), ["needs both low and high"]),
    (lambda: Real(min=0, max=1), ["there is no 'min'; did you mean low=0?"]),
    (lambda: Real(0, upper=1), ["there is no 'upper'; did you mean high=1?"]),
    (lambda: Integer(1, 9, q=2), ["did you mean step=2?"]),
    (lambda: Integer(1, 9, default=2), ["did you mean likely=2?"]),
    (lambda: Real(0, 1, condition={"a": 1}), ["did you mean when={'a': 1}?"]),
    (lambda: Real(0, 1, scal="log"), ["there is no 'scal'; did you mean scale='log'?"]),
    (lambda: Real(0, 1, zzz=3), ["it has low, high, scale, step, likely, when"]),
]


@pytest.mark.parametrize(("build", "parts"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_refused_with_what_was_meant(build, parts):
    with pytest.raises(SpaceError) as caught:
        build()
    for part in parts:
        assert part in str(caught.value)


def test_an_error_inside_a_parameter_stays_what_it_is():
    class Sequence(list):
        def __iter__(self):
            raise TypeError("inside")

    with pytest.raises(TypeError, match="inside"):
        Categorical(Sequence(["a"]))


# --- What makes sense is accepted ------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "levels"),
    [
        (Real(0.0, 1.0), None),
        (Real(0.3, 0.3), 1),
        (Real(0.3, 0.3, scale="log"), 1),
        (Real(0.3, 0.3, scale="logit", step=0.1), 1),
        (Real(0.0, 0.3, step=0.1), 4),
        (Real(-0.3, 0.3, step=0.1), 7),
        (Real(0.0, 1.0, step=1 / 3), 4),
        (Real(0.0, 1e9, step=0.1), 10**10 + 1),
        (Real(0.1, 0.9, step=0.1, scale="logit"), 9),
        (Integer(3, 3), 1),
        (Integer(-5, 5), 11),
        (Integer(16, 64, step=16), 4),
        (Integer(0, 2**50 - 1), 2**50),
        (Integer(-(2**53), 2**53, step=2**10), 2**44 + 1),
        (Integer(1, 10**12, scale="log"), 10**12),
        (Categorical(["only"]), 1),
        (Categorical(range(1000)), 1000),
        (Categorical(("a", "b")), 2),
        (Categorical(np.array([1, 2, 3])), 3),
        (Categorical([1, 1.0, True, "1", None, [1], {"1": 1}]), 7),
        (Ordinal(["s", "m", "l"]), 3),
        (Boolean(), 2),
    ],
)
def test_levels(parameter, levels):
    assert parameter.levels == levels


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int32, np.uint8, float, int])
def test_bounds_become_native_numbers(number):
    real, integer = Real(number(0), number(4), step=number(1)), Integer(number(0), number(4))
    assert [type(v) for v in (real.low, real.high, real.step)] == [float] * 3
    assert [type(v) for v in (integer.low, integer.high, integer.step)] == [int] * 3
    assert (real, integer) == (Real(0.0, 4.0, step=1.0), Integer(0, 4))


@pytest.mark.parametrize("change", ["low", "high", "scale", "step", "choices", "levels"])
def test_parameters_cannot_be_changed(change):
    for parameter in (Real(0, 1), Integer(1, 2), Categorical(["a"]), Boolean(), Ordinal([1])):
        if hasattr(parameter, change):
            with pytest.raises(AttributeError):
                setattr(parameter, change, 3)


def test_lists_among_the_choices_do_not_leak():
    given_choices = [[64], {"deep": [1]}]
    for kind in (Categorical, Ordinal):
        parameter = kind(given_choices)
        described = json.dumps(parameter.to_dict())
        given_choices[0].append(1)
        for leaked in (
            parameter.choices[0],
            parameter.decode(0),
            parameter.canonical([64]),
            parameter.to_dict()["choices"][0],
        ):
            assert leaked == [64]
            leaked.append(32)
        parameter.choices[1]["deep"].append(2)
        parameter.to_dict()["choices"].clear()
        assert json.dumps(parameter.to_dict()) == described
        assert parameter.decode(0) == [64]
        given_choices[0].pop()


def test_choices_that_python_calls_equal_are_told_apart():
    parameter = Categorical([1, 1.0, True, 0, False, "1"])
    for code, value in enumerate(parameter.choices):
        assert parameter.encode([value])[0] == code
        assert same(parameter.canonical(value), value)


def test_equality_and_hash_tell_kinds_and_types_of_choices_apart():
    different = [
        Categorical([0, 1]),
        Categorical([1, 0]),
        Categorical([False, True]),
        Categorical([0.0, 1.0]),
        Ordinal([0, 1]),
        Boolean(),
        Integer(0, 1),
        Real(0, 1),
        Real(0, 1, step=1),
    ]
    for i, a in enumerate(different):
        for j, b in enumerate(different):
            assert (a == b) is (i == j)
    assert len(set(different)) == len(different)


@given(my.parameters())
def test_copies_are_equal_have_equal_hashes_and_the_same_text(parameter):
    for clone in (
        copy.copy(parameter),
        copy.deepcopy(parameter),
        pickle.loads(pickle.dumps(parameter)),  # noqa: S301
        parameter_from_dict(json.loads(json.dumps(parameter.to_dict(), allow_nan=False))),
    ):
        assert clone == parameter
        assert hash(clone) == hash(parameter)
        assert repr(clone) == repr(parameter)


@given(my.parameters())
def test_the_text_of_a_parameter_rebuilds_it(parameter):
    assert eval(repr(parameter)) == parameter  # noqa: S307


# --- Membership ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameter", "value", "canonical"),
    [
        (Real(0, 1), 1, 1.0),
        (Real(0, 1), np.float64(0.5), 0.5),
        (Real(0, 1), np.int64(1), 1.0),
        (Real(0.0, 0.3, step=0.1), 0.1 * 3, 0.3),  # 0.30000000000000004
        (Real(0.0, 0.3, step=0.1), 0.1 + 0.1, 0.2),
        (Real(0.7, 1.0, step=0.1), 0.8 - 0.1, 0.7),  # 0.7000000000000001
        (Real(1e9, 1e9 + 1, step=1e-3), math.nextafter(1e9 + 0.123, 0), 1e9 + 0.123),
        (Real(-0.3, 0.3, step=0.1), 0.0, 0.0),
        (Real(-0.0, 1.0), -0.0, 0.0),
        (Real(-0.3, 0.0, step=0.1), -0.1 * 3, -0.3),
        (Integer(1, 9), 3.0, 3),
        (Integer(1, 9), np.int8(3), 3),
        (Integer(1, 9), np.float64(3.0), 3),
        (Categorical([32, 64]), 32.0, 32),
        (Categorical([0.5, 2.0]), 2, 2.0),
        (Categorical(["a", "b"]), np.str_("a"), "a"),
        (Categorical([1, 2]), np.int16(2), 2),
        (Categorical([[1, 2]]), (1, 2), [1, 2]),
        (Categorical([[1, 2]]), [np.int64(1), np.int64(2)], [1, 2]),
        (Categorical([10**400]), 10**400, 10**400),
        (Categorical([None]), None, None),
        (Ordinal([1, 2]), 2.0, 2),
        (Boolean(), np.True_, True),
    ],
)
def test_what_belongs_is_returned_as_a_native_value(parameter, value, canonical):
    found = parameter.canonical(value)
    assert same(found, canonical)
    assert_native(found)


@pytest.mark.parametrize(
    ("parameter", "value", "parts"),
    [
        (Real(0, 1), 1.5, ["1.5 is outside [0.0, 1.0]", "widen"]),
        (Real(0, 1), math.nan, ["nan is outside"]),
        (Real(0, 1), math.inf, ["inf is outside"]),
        (Real(0, 1), -math.inf, ["-inf is outside"]),
        (Real(0, 1), 10**400, ["is outside"]),
        (Real(0, 1), "0.5", ["'0.5' is not a number", "give a float"]),
        (Real(0, 1), True, ["True is not a number"]),
        (Real(0, 1), np.False_, ["False is not a number"]),
        (Real(0, 1), None, ["None is not a number"]),
        (Real(0, 1), 0.5j, ["0.5j is not a number"]),
        (Real(0, 1), Fraction(1, 2), ["is not a number"]),
        (Real(0, 1, step=0.25), 0.3, ["0.3 is not on the grid of step 0.25", "nearest is 0.25"]),
        (Real(0, 0.3, step=0.1), 0.4, ["0.4 is outside"]),
        (Real(0, 0.3, step=0.1), -1e-6, ["is outside"]),
        (Real(0, 1), math.nextafter(1, 2), ["is outside"]),
        (Integer(1, 9), 10, ["10 is outside [1, 9]"]),
        (Integer(1, 9), 2.5, ["2.5 is not a whole number", "give an int"]),
        (Integer(1, 9), math.nan, ["nan is not a whole number"]),
        (Integer(1, 9), math.inf, ["inf is not a whole number"]),
        (Integer(1, 9), 10**400, ["is outside"]),
        (Integer(1, 9), True, ["True is not a whole number"]),
        (Integer(1, 9), "3", ["'3' is not a whole number"]),
        (Integer(1, 9, step=4), 4, ["4 is not on the grid 1, 5, ..., 9"]),
        (Categorical(["a", "b"]), "c", ["'c' is not among the choices 'a', 'b'"]),
        (Categorical(list("abcdefghij")), "z", ["'h', ..."]),
        (Categorical([1, 2]), True, ["True is not among"]),
        (Categorical([1, 2]), "1", ["'1' is not among"]),
        (Categorical([True, False]), 1, ["1 is not among"]),
        (Categorical([1, 2]), 10**400, ["is not among"]),
        (Categorical([1, 2]), math.nan, ["nan is not among"]),
        (Categorical([1, 2]), math.inf, ["inf is not among"]),
        (Categorical([1, 2]), print, ["is not among"]),
        (Categorical([1, 2]), np.array([1]), ["is not among"]),
        (Ordinal(["s", "m"]), "l", ["'l' is not among the choices 's', 'm'"]),
        (Boolean(), 1, ["1 is not a boolean", "True or False"]),
        (Boolean(), "true", ["'true' is not a boolean"]),
        (Boolean(), None, ["None is not a boolean"]),
    ],
)
def test_what_does_not_belong_is_refused(parameter, value, parts):
    with pytest.raises(ConfigurationError) as caught:
        parameter.canonical(value)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [(Categorical(["a", [1]]), [1, 2]), (Ordinal([1, 2]), 3), (Boolean(), None)],
)
def test_what_is_no_choice_is_not_encoded(parameter, value):
    with pytest.raises(ConfigurationError, match=re.escape(f"{value!r} is not among the choices")):
        parameter.encode([value])


@pytest.mark.parametrize("value", [np.float32(1.5), np.int64(3), np.bool_(True), np.str_("a")])
def test_native_unwraps_numpy_scalars(value):
    assert type(native(value)) in NATIVE
    assert native(value) == value


# --- Positions: exact round trips -------------------------------------------------------------


@given(my.parameters(), my.units())
def test_a_decoded_value_belongs_and_survives_the_round_trip(parameter, u):
    value = parameter.decode(parameter.snap(np.array([u]))[0])
    assert_native(value)
    assert same(parameter.canonical(value), value)
    assert same(parameter.decode(parameter.encode([value])[0]), value)


@given(my.discrete_parameters(), st.data())
def test_every_discrete_value_survives_the_round_trip(parameter, data):
    k = data.draw(st.integers(0, parameter.levels - 1) | st.sampled_from([0, parameter.levels - 1]))
    if isinstance(parameter, Integer):
        value = parameter.low + k * parameter.step
    elif isinstance(parameter, Real):
        value = parameter.canonical(min(parameter.low + k * parameter.step, parameter.high))
    else:
        value = parameter.choices[k]
    position = parameter.encode([value])
    assert same(parameter.decode(position[0]), value)
    # A position is the fixed point of its cell, and the cube reaches it.
    if not parameter.is_category:
        assert 0.0 < position[0] < 1.0
        assert parameter.snap(position) == position


@given(my.continuous_reals(), st.data())
def test_any_float_a_user_tells_encodes_into_the_unit_interval_and_back_closely(parameter, data):
    value = data.draw(st.floats(parameter.low, parameter.high))
    position = parameter.encode([value])[0]
    assert 0.0 <= position <= 1.0
    back = parameter.decode(position)
    width = parameter.high - parameter.low
    assert abs(back - value) <= 1e-11 * max(width, 0 if parameter.scale == "linear" else value)


@given(my.continuous_reals())
def test_the_ends_of_a_continuous_range_are_exact(parameter):
    low, high = parameter.low, parameter.high
    assert (parameter.decode(0.0), parameter.decode(1.0)) == (low, high)
    if low < high:
        np.testing.assert_array_equal(parameter.encode([low, high]), [0.0, 1.0])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (Real(-6.5e-126, 2.6e198), 0.0),
        (Real(-1.0, 2.2e-309), 0.0),
        (Real(0.12345678901199999, 1.0, scale="log"), 0.123456789012),
        (Real(0.01, 0.12345678901200001, scale="logit"), 0.123456789012),
    ],
)
def test_a_neighbour_of_a_bound_does_not_become_the_bound(parameter, value):
    assert parameter.decode(parameter.encode([value])[0]) == value


@given(my.reals() | my.integers() | my.ordinals(), st.lists(my.units(), min_size=2, max_size=5))
def test_larger_positions_have_larger_values(parameter, us):
    positions = parameter.snap(np.sort(np.array(us)))
    assert np.all(np.diff(positions) >= 0)
    values = [parameter.decode(p) for p in positions]
    if isinstance(parameter, Ordinal):
        values = parameter.encode(values).tolist()
    assert values == sorted(values)


@pytest.mark.parametrize(
    "parameter",
    [
        Integer(-7, 12),
        Integer(1, 3000, scale="log"),
        Integer(5, 2000, scale="log", step=5),
        Integer(2**53 - 5, 2**53, scale="log"),  # log cannot tell these apart; linear can
        Real(0, 1, step=0.001),
        Real(-0.7, 0.7, step=0.1),
        Real(0.001, 5.001, scale="log", step=0.1),
        Real(1e9, 1e9 + 1e-2, scale="log", step=1e-3),
        Real(0.001, 0.999, scale="logit", step=0.001),
        Real(1e-300, 1e-297, scale="log", step=1e-300),
        Categorical(range(1000)),
        Ordinal(list(range(1000))),
        Boolean(),
        Integer(4, 4),
        Real(0.1, 0.1),
        Real(2.0, 2.0, scale="log"),
        Categorical([None]),
    ],
    ids=repr,
)
def test_positions_lists_every_value_once(parameter):
    positions = parameter.positions()
    values = [parameter.decode(p) for p in positions]
    assert len({json.dumps(v) for v in values}) == parameter.levels == len(positions)
    np.testing.assert_array_equal(parameter.encode(values), positions)
    assert all(same(parameter.canonical(v), v) for v in values)


@given(
    st.integers(1, 2**40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
)
def test_huge_linear_integer_ranges_are_exact(pair):
    high, value = pair
    parameter = Integer(-high, 0)
    assert parameter.decode(parameter.encode([-value])[0]) == -value


@pytest.mark.parametrize("value", [1, 2, 3, 10**6 + 1, 10**12 - 1, 10**12])
def test_a_trillion_levels_on_a_log_scale_are_exact(value):
    parameter = Integer(1, 10**12, scale="log")
    assert parameter.decode(parameter.encode([value])[0]) == value


def test_suggested_reals_are_readable():
    digits = [
        len(re.sub(r"e.*|[.]|^0[.]0*", "", repr(Real(low, high, scale=scale).decode(u))))
        for low, high, scale in [(0, 1, "linear"), (1e-5, 1e-1, "log"), (0.001, 0.999, "logit")]
        for u in np.linspace(0.001, 0.999, 97)
    ]
    assert max(digits) <= 12


def test_grid_values_are_what_people_write():
    grid = Real(0, 1, step=0.1)
    assert [grid.decode(p) for p in grid.positions()] == [
        *(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    across = Real(-0.3, 0.3, step=0.1)
    assert repr([across.decode(p) for p in across.positions()]) == (
        "[-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]"
    )


def test_zero_has_no_sign():
    values = [Real(-0.0, 1.0).low, Real(-1, 1).decode(0.5 - 1e-14), Real(-1, 1).canonical(-0.0)]
    assert repr(values) == "[0.0, 0.0, 0.0]"


def test_a_narrow_range_is_searched_evenly_on_every_scale():
    for low, high, scale in [(1e10, 1e10 + 1e-3, "log"), (0.5, 0.5 + 1e-9, "logit")]:
        bent, straight = Real(low, high, scale=scale), Real(low, high)
        us = np.linspace(0, 1, 33)
        assert [bent.decode(u) for u in us] == [straight.decode(u) for u in us]
        assert len({bent.decode(u) for u in us}) == 33


# --- Weights ---------------------------------------------------------------------------------


@given(my.integers(max_levels=64) | my.ordinals() | my.categoricals() | my.booleans())
def test_linear_levels_have_cells_of_equal_width(parameter):
    if getattr(parameter, "scale", "linear") != "linear":
        return
    n = 32
    inside = (np.arange(parameter.levels * n) + 0.5) / (parameter.levels * n)
    counts = np.unique(parameter.snap(inside), return_counts=True)[1]
    assert counts.tolist() == [n] * parameter.levels


def test_the_end_levels_of_a_log_integer_have_whole_cells():
    parameter = Integer(1, 4, scale="log")
    u = (np.arange(10**5) + 0.5) / 10**5
    share = np.unique(parameter.snap(u), return_counts=True)[1] / 10**5
    start, stop = np.log(1 / 1.5), np.log(4 * 4 / 3.5)  # half a cell beyond, mirrored on the axis
    cells = np.diff([start, *np.log([1.5, 2.5, 3.5]), stop]) / (stop - start)
    np.testing.assert_allclose(share, cells, atol=1e-4)


def test_the_middle_of_the_scales_is_where_people_expect_it():
    assert Real(1e-5, 1e-1, scale="log").decode(0.5) == 0.001
    assert Real(0.001, 0.999, scale="logit").decode(0.5) == 0.5
    assert Real(-3, 5).decode(0.5) == 1.0
    assert Integer(1, 9).decode(0.5) == 5


# --- Descriptions -----------------------------------------------------------------------------


@given(my.parameters())
def test_descriptions_are_plain_data(parameter):
    assert_native(parameter.to_dict())


@pytest.mark.parametrize(
    ("garbage", "part"),
    [
        (None, "is not a parameter"),
        (3, "is not a parameter"),
        ([], "is not a parameter"),
        ("real", "is not a parameter"),
        ({}, "'type' must be one of real, integer"),
        ({"type": "complex"}, "'type' must be one of"),
        ({"type": []}, "'type' must be one of"),
        ({"type": {}}, "'type' must be one of"),
        ({"type": None}, "'type' must be one of"),
        ({"type": "real", "low": 0}, ": high missing"),
        ({"type": "integer"}, ": low, high missing"),
        ({"type": "categorical"}, ": choices missing"),
        ({"type": "real", "low": 0, "high": 1, "log": True}, "has no 'log'; it has low, high"),
        ({"type": "real", "low": 0, "high": 1, 7: 1, "a": 2}, "has no 7"),
        ({"type": "boolean", "choices": [1]}, "has no 'choices'; it has likely, when"),
        ({"type": "real", "low": "0", "high": 1}, "low must be a finite number"),
        ({"type": "real", "low": 2, "high": 1}, "empty"),
        ({"type": "real", "low": 0, "high": 1, "scale": []}, "[] is unknown"),
        ({"type": "integer", "low": 0, "high": 1, "step": None}, "step must be a whole number"),
        ({"type": "ordinal", "choices": 3}, "give a list"),
        ({"type": "categorical", "choices": [1, 1]}, "is given twice"),
    ],
)
def test_garbage_is_no_parameter(garbage, part):
    with pytest.raises(SpaceError, match=re.escape(part)):
        parameter_from_dict(garbage)


def test_the_base_class_promises_but_does_nothing():
    base = Parameter()
    for call in (
        lambda: base.levels,
        lambda: base.canonical(1),
        lambda: base.encode([1]),
        lambda: base.decode(0.5),
        lambda: base.snap(np.array([0.5])),
        base.positions,
        base.to_dict,
    ):
        with pytest.raises(NotImplementedError):
            call()


@pytest.mark.parametrize("levels", [51, 500, 100_000])
def test_a_choice_that_is_nested_too_deeply_is_refused(levels):
    choice = "a"
    for _ in range(levels):
        choice = [choice]
    with pytest.raises(SpaceError, match="a choice is nested more than 50 levels deep"):
        Categorical(["b", choice])
    while isinstance(choice, list):  # else its end is as deep
        (choice,) = choice


def test_a_choice_may_be_nested():
    choice = "a"
    for _ in range(50):
        choice = [choice]
    assert Categorical(["b", choice]).choices[1] == choice
