"""Local search over mixed variables: it finds minima that are known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.spaces import MIXED
from warpfront import Categorical, Integer, Real, Space
from warpfront.search.domain import Domain
from warpfront.search.local import DECIMALS, LocalSearch, descend, minimise
from warpfront.space.encoding import row_keys

PLANE = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
ALL = Domain.of(MIXED, {})


def bowl(X):
    return np.square(X - np.array([0.3, 0.7])).sum(axis=1)


def slope(x):
    return float(bowl(x[None])[0]), 2.0 * (x - np.array([0.3, 0.7]))


def search(objective, domain, seed=0, **rest):
    rng = np.random.default_rng(seed)
    return minimise(objective, domain, domain.uniform(20, rng), rng, **rest)


@pytest.mark.parametrize("seed", range(3))
def test_random_steps_come_near_and_the_gradient_arrives(seed):
    X, f = search(bowl, PLANE, seed)
    assert f[0] < 1e-4
    X, f = search(bowl, PLANE, seed, slope=slope)
    np.testing.assert_allclose(X[0], [0.3, 0.7], atol=1e-5)
    assert np.array_equal(X[0], np.round(X[0], DECIMALS))


def test_candidates_are_distinct_the_best_first_with_their_values():
    X, f = search(bowl, PLANE, slope=slope)
    assert len(set(row_keys(X))) == len(X) > 50
    assert np.all(np.diff(f) >= 0.0)
    np.testing.assert_array_equal(f, bowl(X))


def test_no_start_is_better_than_what_is_found():
    starts = np.vstack([PLANE.uniform(9, np.random.default_rng(0)), [[0.3, 0.7]]])
    X, f = minimise(bowl, PLANE, starts, np.random.default_rng(0))
    assert f[0] == 0.0
    assert X[0].tolist() == [0.3, 0.7]


@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_of_a_mixed_space_is_found(seed):
    (target,) = ALL.encoding.encode([{"x": 0.25, "y": 1.0, "n": 37, "b": True, "c": "q"}])
    category = ALL.encoding.is_category

    def objective(X):
        return np.where(category, target != X, np.square(X - target)).sum(axis=1)

    def gradient(x):
        return float(objective(x[None])[0]), np.where(category, 0.0, 2.0 * (x - target))

    X, f = search(objective, ALL, seed, slope=gradient)
    (found,) = ALL.decode(X[:1])
    assert (found["n"], found["b"], found["c"]) == (37, True, "q")
    assert found["x"] == pytest.approx(0.25, abs=1e-4)
    assert f[0] < 1e-8


def test_gradient_and_single_changes_take_turns():
    # The best category for the start is not the best one at the end of the descent.
    domain = Domain.of(Space(x=Real(0, 1), c=Categorical(["near", "far"])), {})
    start = domain.encoding.encode([{"x": 0.1, "c": "near"}])

    def objective(X):
        return np.where(X[:, 1] == 0, 0.2 + 0.5 * (X[:, 0] - 0.9) ** 2, (X[:, 0] - 0.9) ** 2)

    def gradient(x):
        return float(objective(x[None])[0]), np.array([(1 + x[1]) * (x[0] - 0.9), 0.0])

    options = LocalSearch(rounds=0)
    X, f = minimise(objective, domain, start, np.random.default_rng(0), gradient, options)
    assert domain.decode(X[:1]) == [{"x": 0.9, "c": "far"}]
    assert f[0] < 1e-9


@pytest.mark.parametrize("fixed", [{}, {"x": 0.6}], ids=["all", "held"])
def test_the_border_of_a_constraint_is_found_and_not_crossed(fixed):
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=["x + y <= 0.8"])
    domain = Domain.of(space, fixed)
    X, f = search(
        lambda X: -X[:, 0] - 2.0 * X[:, 1],
        domain,
        slope=lambda x: (
            float(-x[0] - 2.0 * x[1]),
            np.array([-1.0, -2.0]),
        ),
    )
    assert domain.feasible(X).all()
    assert f[0] == pytest.approx(-1.0 if fixed else -1.6, abs=0.02)
    if fixed:
        assert np.all(X[:, 0] == 0.6)


def test_a_descent_moves_free_real_variables_only():
    domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1), n=Integer(0, 10)), {"y": 0.5})
    x = domain.encoding.encode([{"x": 0.9, "y": 0.5, "n": 4}])[0]
    end = descend(x, lambda x: (float(x @ x), 2.0 * x), domain, 20)
    assert end.tolist() == [0.0, x[1], x[2]]
    assert x[0] == 0.9


def test_a_descent_into_nonsense_stays_where_it_is():
    x = np.array([0.4, 0.6])
    end = descend(x, lambda x: (np.nan, np.full(2, np.nan)), PLANE, 20)
    assert np.all((end >= 0.0) & (end <= 1.0))
    assert np.all(np.isfinite(end))


def test_it_is_a_function_of_the_random_numbers():
    first, again, other = (search(bowl, PLANE, seed)[0] for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first[0], other[0])


def test_the_last_round_keeps_as_many_as_it_has_children():
    X, _ = search(bowl, PLANE, options=LocalSearch(rounds=3, children=10))
    assert len(X) == 10
