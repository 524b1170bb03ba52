"""Trials beside the best points."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.spaces import MIXED as SPACE
from warpfront import Boolean, Integer, Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search.domain import Domain
from warpfront.search.neighbours import CANDIDATES, beside, moved_share, neighbours
from warpfront.search.population import best_points, elite_points
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model


def loss(config):
    return (config["x"] - 0.3) ** 2 + abs(config["n"] - 17) / 50 + 0.3 * (config["c"] != "q")


def scene(space=SPACE, fixed=None, n=30, function=loss):
    configs = space.sample(n, seed=0)
    trials = tuple(Trial(i, c, "completed", function(c)) for i, c in enumerate(configs))
    model = Model.fit(History(space, trials), Settings(), 0)
    domain = Domain.of(space, fixed or {})
    tried = set(row_keys(space.encoding.encode(configs)))
    return best_points(domain, model, elite_points(domain, model)), model, domain, tried


def found(best, model, domain, tried, n, seed=0):
    rng = np.random.default_rng(seed)
    elite = elite_points(domain, model)
    return neighbours(range(n), best, elite, model.gp, model.columns, domain, tried, rng)


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_they_are_distinct_and_new(n):
    best, model, domain, tried = scene()
    points = found(best, model, domain, tried, n)
    assert points.shape == (n, len(SPACE))
    keys = row_keys(points)
    assert len(set(keys)) == n
    assert not set(keys) & tried


def test_what_is_fixed_stays_so():
    best, model, domain, tried = scene(fixed={"y": 10.0, "c": "r"})
    configs = domain.decode(found(best, model, domain, tried, 20))
    assert all(c in SPACE and c["y"] == 10.0 and c["c"] == "r" for c in configs)


def test_they_are_nearer_to_the_best_and_better_than_points_from_anywhere():
    best, model, domain, tried = scene()
    rng = np.random.default_rng(1)
    near, anywhere = found(best, model, domain, tried, 60), domain.uniform(60, rng)

    def shared(points):
        return np.max([(points == e).sum(axis=1) for e in best], axis=0).mean()

    def mean_loss(points):
        return np.mean([loss(c) for c in domain.decode(domain.canonical(points))])

    assert shared(near) > shared(anywhere) + 1.0
    assert mean_loss(near) < 0.6 * mean_loss(anywhere)


def test_one_in_three_differs_from_the_best_in_few_coordinates():
    best, model, domain, tried = scene(n=200)
    elite, rng = elite_points(domain, model), np.random.default_rng(0)

    def moved(number):
        points = [
            neighbours([number], best, elite, model.gp, model.columns, domain, tried, rng)[0]
            for _ in range(30)
        ]
        return np.array([min((p != b).sum() for b in best) for p in points])

    assert np.all(moved(11) == 1)
    assert moved(13).mean() > 2.0
    assert moved(15).mean() > 2.0


def test_ever_fewer_coordinates_are_moved_and_always_one():
    shares = [moved_share(n) for n in (1, 2, 10, 100, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (1.0, 0.0)
    best, _, domain, _ = scene()
    for share, least, most in ((0.0, 1.0, 1.0), (0.5, 2.0, 3.5), (1.0, 4.0, 5.0)):
        points = beside(best[:1], share, domain, np.random.default_rng(0))
        moved = (points != best[:1]).sum(axis=1)
        assert len(points) == CANDIDATES
        assert least * 0.7 <= moved.mean() <= most  # a step may end on the same level


def test_every_one_of_several_best_points_has_neighbours():
    domain = Domain.of(SPACE, {})
    best = SPACE.encoding.encode(SPACE.sample(4, seed=2))
    points = beside(best, 0.0, domain, np.random.default_rng(0))
    nearest = np.argmax([(points == b).sum(axis=1) for b in best], axis=0)
    assert np.bincount(nearest, minlength=4).min() > 0.15 * CANDIDATES


def test_where_all_is_fixed_there_is_one_neighbour():
    space = Space(x=Real(0, 1), n=Integer(1, 3))
    best, model, domain, tried = scene(
        space, fixed={"x": 0.5, "n": 2}, n=8, function=lambda c: c["x"] + c["n"]
    )
    points = found(best, model, domain, tried, 4)
    assert domain.decode(points) == [{"x": 0.5, "n": 2}]


def test_a_neighbourhood_that_is_used_up_gives_what_is_left():
    space = Space(n=Integer(1, 4), b=Boolean())
    best, model, domain, _ = scene(space, n=8, function=lambda c: c["n"] + c["b"])
    rows = domain.enumerate()
    points = found(best, model, domain, set(row_keys(rows[2:])), 5)
    assert set(row_keys(points)) <= set(row_keys(rows[:2]))
    assert len(found(best, model, domain, set(row_keys(rows)), 5)) == 0
