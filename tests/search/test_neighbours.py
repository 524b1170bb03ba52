"""Trials beside the best points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.search.spaces import MIXED as SPACE
from warpfront import Boolean, Integer, Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search import neighbours as module
from warpfront.search.domain import Domain
from warpfront.search.neighbours import (
    CALM,
    CANDIDATES,
    SETTLED,
    SPLINE_POINTS,
    beside,
    fit_spline,
    has_a_surface,
    is_neighbour,
    moved_share,
    neighbours,
)
from warpfront.search.population import best_points, elite_points
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.model import Model
from warpfront.surrogate.spline import Features


def loss(config):
    return (config["x"] - 0.3) ** 2 + abs(config["n"] - 17) / 50 + 0.3 * (config["c"] != "q")


class Scene:
    """A search that has come some way."""

    def __init__(self, space=SPACE, fixed=None, n=30, function=loss):
        configs = space.sample(n, seed=0)
        trials = tuple(Trial(i, c, "completed", function(c)) for i, c in enumerate(configs))
        self.history = History(space, trials)
        self.model = Model.fit(self.history, Settings(), 0)
        self.domain = Domain.of(space, fixed or {})
        self.tried = set(row_keys(space.encoding.encode(configs)))
        self.elite = elite_points(self.domain, self.model)
        self.best = best_points(self.domain, self.model, self.elite)

    def find(self, numbers, seed=0):
        rng = np.random.default_rng(seed)
        model = self.model
        return neighbours(
            numbers, self.best, self.elite, model.gp, model.columns, self.history, self.domain,
            self.tried, rng,
        )  # fmt: skip


def slots(n):
    """The numbers of n trials that are neighbours."""
    return [k for k in range(SETTLED, SETTLED + 2 * n + 2) if is_neighbour(k)][:n]


@pytest.fixture(params=["spline", "thompson"])
def rule(request, monkeypatch):
    """Where there is little noise, and where there is much."""
    monkeypatch.setattr(module, "CALM", np.inf if request.param == "spline" else 0.0)
    return request.param


def test_the_most_uncertain_point_is_tried_while_the_search_is_young():
    roles = [[k % 8 for k in range(first, first + 8) if is_neighbour(k)] for first in (0, SETTLED)]
    assert roles == [[3, 5, 7], [1, 3, 5, 7]]


@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_they_are_distinct_and_new(n, rule):
    scene = Scene()
    points, tried = scene.find(slots(n)), scene.tried
    assert points.shape == (n, len(SPACE))
    keys = row_keys(points)
    assert len(set(keys)) == n
    assert not set(keys) & tried


def test_what_is_fixed_stays_so(rule):
    scene = Scene(fixed={"y": 10.0, "c": "r"})
    configs = scene.domain.decode(scene.find(slots(20)))
    assert all(c in SPACE and c["y"] == 10.0 and c["c"] == "r" for c in configs)


def test_they_are_nearer_to_the_best_and_better_than_points_from_anywhere(rule):
    scene = Scene()
    domain, best = scene.domain, scene.best
    near, anywhere = scene.find(slots(60)), domain.uniform(60, np.random.default_rng(1))

    def shared(points):
        return np.max([(points == e).sum(axis=1) for e in best], axis=0).mean()

    def mean_loss(points):
        return np.mean([loss(c) for c in domain.decode(domain.canonical(points))])

    assert shared(near) > shared(anywhere) + 1.0
    assert mean_loss(near) < 0.6 * mean_loss(anywhere)


def moved(scene, number):
    """In how many coordinates thirty neighbours differ from the best."""
    points = [scene.find([number], seed)[0] for seed in range(30)]
    return np.array([min((p != b).sum() for b in scene.best) for p in points])


def test_the_narrow_ones_differ_in_one_coordinate_at_last(rule):
    assert np.all(moved(Scene(n=200), 11) == 1)


def test_by_thompson_sampling_the_others_differ_in_many(monkeypatch):
    monkeypatch.setattr(module, "CALM", 0.0)
    scene = Scene(n=200)
    assert moved(scene, 13).mean() > 2.0
    assert moved(scene, 15).mean() > 2.0


@pytest.mark.parametrize(
    ("losses", "width", "noise", "surface"),
    [
        (np.arange(SPLINE_POINTS), 2, 0.5 * CALM, True),
        (np.arange(SPLINE_POINTS), 2, CALM, False),
        (np.arange(SPLINE_POINTS - 1), 2, 0.5 * CALM, False),
        (np.arange(24), 11, 0.5 * CALM, True),
        (np.arange(24), 12, 0.5 * CALM, False),
        (np.maximum(np.arange(20), 8), 2, 0.5 * CALM, True),  # nine of twenty share the best
        (np.maximum(np.arange(20), 11), 2, 0.5 * CALM, False),
    ],
)
def test_noise_few_losses_and_plateaus_have_no_surface(losses, width, noise, surface):
    assert has_a_surface(losses.astype(float), width, noise) == surface


@pytest.mark.parametrize("noise", [1e-4, 0.1])
def test_the_spline_is_asked_where_there_is_a_surface(noise, monkeypatch):
    asked = []
    fit = module.fit_spline
    monkeypatch.setattr(module, "fit_spline", lambda *rest: asked.append(1) or fit(*rest))
    scene = Scene()
    gp = scene.model.gp
    theta = gp.theta.copy()
    theta[gp.form.NOISE] = np.log(noise)
    gp = GaussianProcess.build(gp.form, gp.is_category, theta, gp.X, gp.y)
    scene.model = replace(scene.model, gp=gp)
    scene.find(slots(3))
    assert len(asked) == (noise < CALM)


def test_by_the_spline_half_the_weight_is_on_the_distance(monkeypatch):
    monkeypatch.setattr(module, "CALM", np.inf)
    scene = Scene(space=Space(x=Real(0, 1), y=Real(0, 1)), function=lambda c: c["x"] + c["y"])

    def gap(number):
        near = scene.model.gp.X
        points = [scene.find([number], seed)[0] for seed in range(20)]
        return np.mean([np.linalg.norm(near - p, axis=1).min() for p in points])

    assert gap(13) > gap(15) > 0.0
    assert gap(13) > 1.2 * gap(11)


def test_they_keep_away_from_what_is_pending(monkeypatch):
    monkeypatch.setattr(module, "CALM", np.inf)
    scene = Scene(space=Space(x=Real(0, 1), y=Real(0, 1)), function=lambda c: c["x"] + c["y"])
    first = scene.find([13])
    scene.model = replace(scene.model, gp=scene.model.gp.believe(first))
    again = scene.find([13])  # the same candidates
    assert np.linalg.norm(again - first) > 0.05


@pytest.mark.parametrize("value", [1e308, -1e308, 0.0])
def test_neither_huge_nor_equal_losses_bend_the_spline_out_of_shape(value):
    space = Space(x=Real(0, 1))
    told = [(None, c, value if i % 2 else value / 2) for i, c in enumerate(space.sample(20, 0))]
    features = Features.of(space.encoding, np.array([True]))
    spline = fit_spline(
        History(space).tell(told), np.array([True]), features, np.random.default_rng(0)
    )
    assert np.all(np.isfinite(spline(np.linspace(0, 1, 9)[:, None])))


def test_to_the_spline_failures_are_no_better_than_the_median():
    space = Space(x=Real(0, 1))
    told = [(None, {"x": x}, (x - 0.3) ** 2) for x in np.linspace(0, 0.6, 13)]
    told += [(None, {"x": x}, None) for x in (0.8, 0.9, 1.0)]
    history = History(space).tell(told)
    features = Features.of(space.encoding, np.array([True]))
    spline = fit_spline(history, np.array([True]), features, np.random.default_rng(0))
    low, cut, failed = spline(np.array([[0.3], [0.0], [0.9]]))
    assert failed == pytest.approx(cut, abs=0.02)
    assert low < cut - 0.5


def test_ever_fewer_coordinates_are_moved_and_always_one():
    shares = [moved_share(n) for n in (1, 2, 10, 100, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (1.0, 0.0)
    scene = Scene()
    best, domain = scene.best, scene.domain
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


def test_where_all_is_fixed_there_is_one_neighbour(rule):
    space = Space(x=Real(0, 1), n=Integer(1, 3))
    scene = Scene(space, fixed={"x": 0.5, "n": 2}, n=18, function=lambda c: c["x"] + c["n"])
    assert scene.domain.decode(scene.find(slots(4))) == [{"x": 0.5, "n": 2}]


def test_a_neighbourhood_that_is_used_up_gives_what_is_left(rule):
    space = Space(n=Integer(1, 9), b=Boolean())
    scene = Scene(space, n=18, function=lambda c: c["n"] + c["b"])
    rows = scene.domain.enumerate()
    scene.tried = set(row_keys(rows[2:]))
    assert set(row_keys(scene.find(slots(5)))) <= set(row_keys(rows[:2]))
    scene.tried = set(row_keys(rows))
    assert len(scene.find(slots(5))) == 0
