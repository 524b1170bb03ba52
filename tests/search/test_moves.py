"""Random steps and single changes in mixed spaces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.spaces import MIXED
from tests.strategies import spaces
from warpfront import Categorical, Integer, Ordinal, Real, Space
from warpfront.search.domain import Domain
from warpfront.search.moves import single_changes, steps

ALL = Domain.of(MIXED, {})
SIMPLEX = Space(
    a=Real(0, 1),
    b=Real(0, 1),
    c=Real(0, 1),
    n=Integer(1, 9),
    constraints=["a + b + c == 1", "a * b <= 0.1"],
)


def inside(domain, n=200, seed=0):
    return domain.uniform(n, np.random.default_rng(seed))


@given(spaces(max_size=4), st.sampled_from([1e-3, 0.1, 1.0]), st.integers(0, 99))
def test_steps_are_valid_and_leave_the_points_alone(space, size, seed):
    domain = Domain.of(space, {})
    centres = inside(domain, 20, seed)
    before = centres.copy()
    moved = steps(centres, size, domain, np.random.default_rng(seed))
    assert np.array_equal(centres, before)
    assert moved.shape == centres.shape
    assert np.array_equal(domain.repair(moved), moved)
    assert np.array_equal(moved, steps(centres, size, domain, np.random.default_rng(seed)))


@pytest.mark.parametrize("size", [0.01, 0.3])
@pytest.mark.parametrize("fixed", [{}, {"a": 0.25}], ids=["all", "held"])
def test_steps_and_single_changes_keep_to_the_constraints(size, fixed):
    domain = Domain.of(SIMPLEX, fixed)
    centres = inside(domain)
    moved = steps(centres, size, domain, np.random.default_rng(1))
    changed = single_changes(centres[0], domain, 32, np.random.default_rng(1))
    for rows in (moved, changed):
        assert domain.feasible(rows).all()
        assert np.allclose(rows[:, :3].sum(axis=1), 1.0)
        if fixed:
            assert np.all(rows[:, 0] == 0.25)
    assert not np.array_equal(moved, centres)


def test_one_to_all_coordinates_move():
    domain = Domain.of(Space({f"x{i}": Real(0, 1) for i in range(8)}), {})
    centres = np.full((4000, 8), 0.5)
    moved = (steps(centres, 0.1, domain, np.random.default_rng(0)) != centres).sum(axis=1)
    counts = np.bincount(moved, minlength=9) / len(moved)
    assert counts[0] < 0.12
    assert np.all(counts[1:] > 0.07)


@pytest.mark.parametrize("size", [0.01, 0.05, 0.2])
def test_steps_of_real_numbers_have_the_size_that_was_asked_for(size):
    domain = Domain.of(Space(x=Real(0, 1)), {})
    moved = steps(np.full((4000, 1), 0.5), size, domain, np.random.default_rng(0)) - 0.5
    assert moved.std() == pytest.approx(size, rel=0.1)
    assert abs(moved.mean()) < 0.1 * size


def test_each_point_may_have_a_size_of_its_own():
    domain = Domain.of(Space(x=Real(0, 1)), {})
    sizes = np.repeat([[0.001], [0.1]], 500, axis=0)
    gaps = np.abs(steps(np.full((1000, 1), 0.5), sizes, domain, np.random.default_rng(0)) - 0.5)
    assert gaps[:500].max() < 0.01 < np.median(gaps[500:])


def test_values_on_a_grid_move_by_a_level_however_small_the_step():
    domain = Domain.of(Space(n=Integer(1, 5), size=Ordinal(["s", "m", "l"])), {})
    centres = domain.encoding.encode([{"n": 3, "size": "m"}] * 400)
    moved = steps(centres, 1e-6, domain, np.random.default_rng(0))
    configs = domain.decode(moved)
    assert {c["n"] for c in configs} >= {2, 3, 4}
    assert {c["size"] for c in configs} == {"s", "m", "l"}
    assert (moved != centres).any(axis=1).mean() > 0.4


def test_a_category_jumps_to_any_other():
    domain = Domain.of(Space(c=Categorical(list("abcdef"))), {})
    moved = steps(np.zeros((600, 1)), 0.01, domain, np.random.default_rng(0))
    counts = np.bincount(moved[:, 0].astype(int), minlength=6)
    assert np.all(counts > 60)


def test_held_columns_do_not_move():
    domain = Domain.of(MIXED, {"n": 7, "c": "q"})
    centres = inside(domain, 50)
    moved = steps(centres, 0.5, domain, np.random.default_rng(0))
    assert np.array_equal(moved[:, ~domain.free], centres[:, ~domain.free])
    changed = single_changes(centres[0], domain, 32, np.random.default_rng(0))
    assert {(c["n"], c["c"]) for c in domain.decode(changed)} == {(7, "q")}


def test_single_changes_are_all_values_of_each_discrete_variable():
    x = inside(ALL, 1)[0]
    (centre,) = ALL.decode(x[None])
    configs = ALL.decode(single_changes(x, ALL, 64, np.random.default_rng(0)))
    for name, values in (("n", range(1, 51)), ("b", (False, True)), ("c", "pqr")):
        others = {k: v for k, v in centre.items() if k != name}
        beside = [c for c in configs if {k: v for k, v in c.items() if k != name} == others]
        assert {c[name] for c in beside} >= set(values)
    for config in configs:
        assert sum(config[k] != centre[k] for k in centre) <= 1


def test_of_many_levels_the_nearest_and_random_ones_are_tried():
    domain = Domain.of(Space(n=Integer(1, 10_000), c=Categorical(list(range(500)))), {})
    x = domain.encoding.encode([{"n": 5000, "c": 7}])[0]
    configs = domain.decode(single_changes(x, domain, 32, np.random.default_rng(0)))
    numbers = {c["n"] for c in configs if c["c"] == 7}
    assert numbers >= set(range(4996, 5005))
    assert max(numbers) - min(numbers) > 5000
    assert len({c["c"] for c in configs if c["n"] == 5000}) > 20
    assert len(configs) == 64


def test_without_discrete_variables_there_is_nothing_to_change():
    domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
    assert single_changes(np.array([0.5, 0.5]), domain, 32, np.random.default_rng(0)).shape == (
        0,
        2,
    )
