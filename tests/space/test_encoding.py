"""Encoding: rows of numbers and back, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as my
from tests.space.test_parameters import assert_native, same
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.space.encoding import row_keys


@given(my.spaces(), st.data())
def test_decoded_configurations_survive_the_round_trip(space, data):
    configs = data.draw(st.lists(my.configurations(space), max_size=4))
    X = space.encoding.encode(configs)
    assert X.shape == (len(configs), len(space))
    decoded = space.encoding.decode(X)
    assert same(decoded, configs)
    assert_native(decoded)
    np.testing.assert_array_equal(space.encoding.encode(decoded), X)


@given(my.spaces(), st.data())
def test_canonical_is_idempotent_and_matches_what_is_handed_out(space, data):
    encoding = space.encoding
    U = np.array([[data.draw(my.units()) for _ in space]])
    X = encoding.from_unit(U)
    C = encoding.canonical(X)
    np.testing.assert_array_equal(encoding.canonical(C), C)
    assert same(encoding.decode(C), encoding.decode(X))


def test_canonical_moves_a_continuous_position_by_rounding_only():
    space = Space(x=Real(0, 1), r=Real(1e-5, 1, scale="log"), f=Real(0.1, 0.9, scale="logit"))
    U = np.random.default_rng(0).random((100, 3))
    C = space.encoding.canonical(U)
    assert not np.array_equal(C, U)
    np.testing.assert_allclose(C, U, atol=1e-11)


@given(my.spaces(), st.data())
def test_columns_lie_where_they_should(space, data):
    encoding = space.encoding
    X = encoding.encode(data.draw(st.lists(my.user_configurations(space), max_size=4)))
    for j, parameter in enumerate(encoding.parameters):
        if parameter.is_category:
            assert set(X[:, j].tolist()) <= set(range(parameter.levels))
        else:
            assert np.all((X[:, j] >= 0) & (X[:, j] <= 1))


def test_what_an_encoding_knows_about_its_columns():
    encoding = Space(
        a=Real(0, 1),
        b=Integer(1, 4),
        c=Boolean(),
        d=Categorical(["only"]),
        e=Ordinal(["x"]),
    ).encoding
    assert encoding.names == ("a", "b", "c", "d", "e")
    assert encoding.d == 5
    assert encoding.is_category.tolist() == [False, False, True, True, False]
    assert encoding.levels.tolist() == [np.inf, 4, 2, 1, 1]


def test_numbers_of_levels_do_not_wrap_around():
    encoding = Space({f"n{i}": Integer(1, 10) for i in range(40)}).encoding
    assert encoding.levels.dtype == np.float64
    assert np.prod(encoding.levels) == pytest.approx(1e40)


def test_no_rows_are_fine():
    space = Space(x=Real(0, 1), c=Categorical(["a", "b"]), o=Ordinal([1, 2]), n=Integer(1, 3))
    X = space.encoding.encode([])
    assert X.shape == (0, 4)
    assert space.encoding.decode(X) == []
    assert space.encoding.canonical(X).shape == (0, 4)
    assert space.encoding.from_unit(X).shape == (0, 4)


def test_every_row_of_a_thousand_levels_and_200_dimensions_survives():
    space = Space(
        dict.fromkeys([f"c{i}" for i in range(50)], Categorical([f"{k}" for k in range(1000)])),
        **{f"i{i}": Integer(1, 10 ** (i % 12 + 1), scale="log") for i in range(50)},
        **{f"r{i}": Real(1e-8, 10.0**i, scale="log") for i in range(50)},
        **{f"s{i}": Real(0.05, 0.95, scale="logit", step=0.05) for i in range(50)},
    )
    assert len(space) == 200
    U = np.random.default_rng(0).random((50, 200))
    U[0], U[1] = 0.0, 1.0
    configs = space.encoding.decode(space.encoding.from_unit(U))
    assert space.encoding.decode(space.encoding.encode(configs)) == configs
    assert all(config in space for config in configs)
    levels = Space(c=Categorical(range(1000))).encoding
    X = np.arange(1000.0)[:, None]
    np.testing.assert_array_equal(levels.encode(levels.decode(X)), X)


def test_snap_moves_grids_in_place_and_leaves_the_rest():
    encoding = Space(x=Real(0, 1), n=Integer(1, 4), c=Categorical([1, 2, 3])).encoding
    X = np.array([[0.3, 0.3, 2.0], [0.9, 0.999, 0.0]])
    assert encoding.snap(X) is X
    np.testing.assert_array_equal(X, [[0.3, 0.375, 2.0], [0.9, 0.875, 0.0]])


@given(my.spaces(), st.data())
def test_snapped_positions_stay(space, data):
    encoding = space.encoding
    X = encoding.from_unit(np.array([[data.draw(my.units()) for _ in space]]))
    np.testing.assert_array_equal(encoding.snap(X.copy()), X)


def test_row_keys_are_equal_for_equal_rows_only():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, np.nextafter(1.0, 2.0)]])
    a, b, c, d = row_keys(X)
    assert a == b
    assert len({a, c, d}) == 3
    assert row_keys(np.asfortranarray(X)) == [a, b, c, d]
    assert row_keys(X[:0]) == []
