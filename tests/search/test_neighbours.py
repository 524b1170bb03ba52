"""Trials beside the best points."""

from __future__ import annotations

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search.domain import Domain
from warpfront.search.neighbours import neighbours
from warpfront.search.population import elite_points
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model

SPACE = Space(
    x=Real(0, 1),
    y=Real(1e-3, 1e3, scale="log"),
    n=Integer(1, 50),
    b=Boolean(),
    c=Categorical(["p", "q", "r"]),
)


def loss(config):
    return (config["x"] - 0.3) ** 2 + abs(config["n"] - 17) / 50 + 0.3 * (config["c"] != "q")


def scene(space=SPACE, fixed=None, n=30, function=loss):
    configs = space.sample(n, seed=0)
    trials = tuple(Trial(i, c, "completed", function(c)) for i, c in enumerate(configs))
    model = Model.fit(History(space, trials), Settings(), 0)
    domain = Domain.of(space, fixed or {})
    tried = set(row_keys(space.encoding.encode(configs)))
    return elite_points(domain, model), model, domain, tried


def found(elite, model, domain, tried, n, seed=0):
    rng = np.random.default_rng(seed)
    return neighbours(elite, n, model.gp, model.columns, domain, tried, rng)


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_they_are_distinct_and_new(n):
    elite, model, domain, tried = scene()
    points = found(elite, model, domain, tried, n)
    assert points.shape == (n, len(SPACE))
    keys = row_keys(points)
    assert len(set(keys)) == n
    assert not set(keys) & tried


def test_what_is_fixed_stays_so():
    elite, model, domain, tried = scene(fixed={"y": 10.0, "c": "r"})
    configs = domain.decode(found(elite, model, domain, tried, 20))
    assert all(c in SPACE and c["y"] == 10.0 and c["c"] == "r" for c in configs)


def test_they_are_nearer_to_the_best_and_better_than_points_from_anywhere():
    elite, model, domain, tried = scene()
    rng = np.random.default_rng(1)
    near, anywhere = found(elite, model, domain, tried, 60), domain.uniform(60, rng)

    def shared(points):
        return np.max([(points == e).sum(axis=1) for e in elite], axis=0).mean()

    def mean_loss(points):
        return np.mean([loss(c) for c in domain.decode(domain.canonical(points))])

    assert shared(near) > shared(anywhere) + 1.0
    assert mean_loss(near) < 0.6 * mean_loss(anywhere)


def test_a_neighbourhood_that_is_used_up_gives_what_is_left():
    space = Space(n=Integer(1, 4), b=Boolean())
    elite, model, domain, _ = scene(space, n=8, function=lambda c: c["n"] + c["b"])
    rows = domain.enumerate()
    points = found(elite, model, domain, set(row_keys(rows[2:])), 5)
    assert set(row_keys(points)) <= set(row_keys(rows[:2]))
    assert len(found(elite, model, domain, set(row_keys(rows)), 5)) == 0
