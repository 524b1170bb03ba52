"""The bottom of the posterior mean."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.spaces import MIXED
from warpfront import HEBO, Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.history import History
from warpfront.search.domain import Domain
from warpfront.search.polish import QUIET, polish
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model

PLANE = Space(x=Real(0, 1), y=Real(0, 1))


def bowl(config):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.7) ** 2


def scene(space, function, fixed=None, n=40):
    configs = space.sample(n, seed=0)
    history = History(space).tell([(None, c, function(c)) for c in configs])
    model = Model.fit(history, Settings(), 0)
    domain = Domain.of(space, fixed or {})
    return model, domain, set(row_keys(space.encoding.encode(configs)))


def bottom_of(model, domain, tried, points):
    return polish(points, model.gp, model.columns, domain, tried)


def test_it_lies_below_all_points_that_were_searched():
    model, domain, tried = scene(PLANE, bowl)
    points = domain.uniform(50, np.random.default_rng(0))
    found = bottom_of(model, domain, tried, points)
    assert found.shape == (1, 2)
    dense = domain.uniform(20_000, np.random.default_rng(1))
    nearby = dense[np.abs(dense - found).max(axis=1) < 0.1]
    assert model.gp.mean(found)[0] <= model.gp.mean(nearby).min()
    assert model.gp.mean(found)[0] < model.gp.mean(points).min()


def test_it_is_near_the_minimum_of_a_smooth_function():
    model, domain, tried = scene(PLANE, bowl)
    found = bottom_of(model, domain, tried, domain.uniform(50, np.random.default_rng(0)))
    np.testing.assert_allclose(found[0], [0.3, 0.7], atol=0.05)


def test_what_was_tried_is_not_found_again():
    model, domain, tried = scene(PLANE, bowl)
    points = domain.uniform(50, np.random.default_rng(0))
    found = bottom_of(model, domain, tried, points)
    again = bottom_of(model, domain, tried | set(row_keys(found)), points)
    assert not set(row_keys(again)) & set(row_keys(found))


def test_what_is_no_better_than_a_given_point_is_not_found():
    model, domain, tried = scene(PLANE, bowl)
    found = bottom_of(model, domain, tried, domain.uniform(50, np.random.default_rng(0)))
    assert bottom_of(model, domain, tried, found).shape == (0, 2)


def test_a_tried_point_need_not_be_bettered():
    def basins(config):
        a, b = config["a"], config["b"]
        return min((a - 10) ** 2 + (b - 10) ** 2, 20 + (a - 30) ** 2 + (b - 30) ** 2)

    model, domain, tried = scene(Space(a=Integer(0, 40), b=Integer(0, 40)), basins, n=120)
    deep, shallow = domain.canonical(np.array([[0.35, 0.2], [0.8, 0.65]]))
    bottom = bottom_of(model, domain, set(), deep[None])
    tried |= set(row_keys(bottom))
    (found,) = bottom_of(model, domain, tried, np.vstack([shallow, bottom]))
    low, middle, high = model.gp.mean(np.vstack([bottom, found, shallow]))
    assert low < middle < high


def test_fixed_numbers_and_all_categories_stay():
    def loss(config):
        return (config["x"] - 0.3) ** 2 + abs(config["n"] - 17) / 50 + 0.3 * (config["c"] != "q")

    model, domain, tried = scene(MIXED, loss, fixed={"n": 30})
    points = domain.uniform(20, np.random.default_rng(0))
    (config,) = domain.decode(bottom_of(model, domain, tried, points))
    assert config in MIXED
    assert config["n"] == 30
    assert {c: config[c] for c in "bc"} in [{c: p[c] for c in "bc"} for p in domain.decode(points)]


@pytest.mark.parametrize(
    ("space", "fixed"),
    [
        (Space(b=Boolean(), c=Categorical(["p", "q", "r"])), {}),
        (Space(x=Real(0, 1), c=Categorical(["p", "q", "r"])), {"x": 0.5}),
    ],
)
def test_without_free_numbers_there_is_nothing_to_find(space, fixed):
    model, domain, _ = scene(space, lambda c: float(c["c"] == "p"), fixed, n=5)
    points = domain.uniform(4, np.random.default_rng(0))
    assert bottom_of(model, domain, set(), points).shape == (0, len(space))


def test_digits_that_noise_hides_are_not_sought():
    noise = np.random.default_rng(0)
    model, domain, tried = scene(PLANE, lambda c: bowl(c) + noise.normal(0.0, 0.1))
    assert model.gp.noise > QUIET
    points = domain.uniform(50, np.random.default_rng(0))
    assert bottom_of(model, domain, tried, points).shape == (0, 2)


def test_found_points_lie_on_the_grids():
    space = Space(k=Integer(1, 99), x=Real(0, 1, step=0.05))
    model, domain, tried = scene(space, lambda c: (c["k"] - 40) ** 2 + c["x"])
    points = domain.uniform(9, np.random.default_rng(0))
    (config,) = domain.decode(bottom_of(model, domain, tried, points))
    assert config in space


def test_what_stands_on_the_front_is_not_found_again():
    space = Space({name: Integer(0, 8) for name in "abcde"})
    model, domain, tried = scene(space, lambda c: 1.0 + sum((k - 3) ** 2 for k in c.values()), n=60)
    points = domain.uniform(200, np.random.default_rng(0))
    for _ in range(3):
        found = bottom_of(model, domain, tried, points)
        assert not set(row_keys(found)) & set(row_keys(points))
        points = np.vstack([points, found])


def test_where_all_is_listed_there_is_nothing_to_find():
    space = Space(k=Integer(1, 9), n=Integer(1, 9))
    model, domain, tried = scene(space, lambda c: c["k"] + c["n"], n=20)
    assert bottom_of(model, domain, tried, domain.enumerate()[:5]).shape == (0, 2)


def test_a_steep_warp_is_followed_no_further_than_numbers_reach():
    def loss(config):
        x = np.log(config["x"] + 1e-7)
        return 20.0 + x + 5.0 * (config["y"] + 0.05 * x - 0.2) ** 2

    model, domain, tried = scene(PLANE, loss, n=60)
    found = bottom_of(model, domain, tried, domain.uniform(50, np.random.default_rng(0)))
    along = np.repeat(found, 401, axis=0)
    along[:, 1] = np.linspace(0.0, 1.0, 401)
    assert model.gp.mean(found)[0] <= model.gp.mean(along).min() + 1e-6


def test_numbers_between_grids_make_up_for_those_on_them():
    space = Space(k=Integer(0, 10), x=Real(0, 10))
    model, domain, tried = scene(space, lambda c: 1.0 + (c["k"] + c["x"] - 7.3) ** 2, n=60)
    found = bottom_of(model, domain, tried, domain.uniform(50, np.random.default_rng(0)))
    assert len(found) == 1
    along = np.repeat(found, 201, axis=0)
    along[:, 1] = np.linspace(found[0, 1] - 0.05, found[0, 1] + 0.05, 201)
    assert model.gp.mean(found)[0] <= model.gp.mean(np.clip(along, 0.0, 1.0)).min() + 1e-9


def test_a_smooth_function_is_minimised_to_more_digits():
    def regret(settings):
        optimizer = HEBO(PLANE, seed=0, settings=settings)
        for _ in range(6):
            batch = optimizer.ask(8)
            optimizer.tell(batch, [1.0 + bowl(c) for c in batch])
        return optimizer.best.value - 1.0

    assert regret(Settings()) < 0.1 * regret(Settings(polish=False))
