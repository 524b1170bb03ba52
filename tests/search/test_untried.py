"""Points that were not tried before, as long as there are any."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import spaces
from warpfront import Boolean, Integer, Real, Space
from warpfront.search.domain import Domain
from warpfront.search.untried import ENUMERATE_UP_TO, fill_up, untried, used_up
from warpfront.space.encoding import row_keys

FEW = Domain.of(Space(n=Integer(1, 5), deep=Boolean()), {})
PLANE = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
NOTHING = np.empty((0, 2))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5]), st.booleans()), max_size=12))
def test_the_first_occurrences_of_what_was_not_tried(rows):
    X = np.array([[value, 1.0] for value, _ in rows]).reshape(-1, 2)
    tried = {row_keys(X[[i]])[0] for i, (_, known) in enumerate(rows) if known}
    expected, seen = [], set(tried)
    for i, key in enumerate(row_keys(X)):
        if key not in seen:
            expected.append(i)
        seen.add(key)
    assert untried(X, tried).tolist() == expected


def test_of_nothing_there_is_nothing():
    assert untried(NOTHING, set()).tolist() == []
    assert len(fill_up(NOTHING, 0, PLANE, set(), np.random.default_rng(0))) == 0


@given(spaces(max_size=3), st.integers(0, 9), st.integers(0, 12), st.integers(0, 99))
def test_a_batch_is_filled_up_with_what_is_new_as_far_as_there_is_any(space, known, q, seed):
    domain = Domain.of(space, {})
    rng = np.random.default_rng(seed)
    tried = set(row_keys(domain.canonical(domain.uniform(known, rng))))
    rows = domain.canonical(domain.uniform(2, rng))
    begun = rows[untried(rows, tried)][:q]
    batch = fill_up(begun, q, domain, tried, rng)
    assert len(batch) == q
    assert np.array_equal(batch[: len(begun)], begun)
    assert np.array_equal(domain.canonical(batch), batch)
    fresh = set(row_keys(batch)) - tried
    if domain.size <= ENUMERATE_UP_TO or domain.size == math.inf:
        assert len(fresh) == min(q, domain.size - len(tried))


def test_what_is_filled_up_is_quasi_random():
    batch = fill_up(NOTHING, 16, PLANE, set(), np.random.default_rng(0))
    assert (batch < 0.5).sum(axis=0).tolist() == [8, 8]


def test_a_batch_that_is_too_long_is_cut():
    rows = PLANE.uniform(9, np.random.default_rng(0))
    assert np.array_equal(fill_up(rows, 4, PLANE, set(), np.random.default_rng(0)), rows[:4])


def test_a_used_up_space_is_repeated():
    everything = FEW.enumerate()
    tried = set(row_keys(everything))
    assert used_up(FEW, tried)
    batch = fill_up(NOTHING, 30, FEW, tried, np.random.default_rng(0))
    assert len(batch) == 30
    assert set(row_keys(batch)) <= tried
    assert len(set(row_keys(batch))) > 5


@pytest.mark.parametrize("left", range(3))
def test_the_last_ones_of_a_finite_space_are_found(left):
    tried = set(row_keys(FEW.enumerate()[left:]))
    assert used_up(FEW, tried) == (left == 0)
    batch = fill_up(NOTHING, 4, FEW, tried, np.random.default_rng(0))
    assert len(set(row_keys(batch)) - tried) == left


def test_an_infinite_space_is_never_used_up():
    assert not used_up(PLANE, set(row_keys(PLANE.uniform(100, np.random.default_rng(0)))))


def test_what_is_held_counts():
    held = Domain.of(FEW.space, {"deep": True})
    tried = set(row_keys(held.enumerate()))
    assert used_up(held, tried)
    assert not used_up(FEW, tried)


def test_the_last_ones_of_a_larger_finite_space_are_found_mostly():
    domain = Domain.of(Space(n=Integer(1, 5000)), {})
    rows = domain.enumerate()
    tried = set(row_keys(rows[500:]))
    batch = fill_up(np.empty((0, 1)), 8, domain, tried, np.random.default_rng(0))
    assert len(set(row_keys(batch)) - tried) == 8
