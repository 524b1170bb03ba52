"""Pareto: points of the front of the acquisition ensemble."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.proposers.scenes import QUICK, context, history_of
from warpfront import Integer, Minimize, Real, Settings, Space
from warpfront.proposers import pareto as module
from warpfront.proposers.pareto import first_population, front, pareto
from warpfront.search.nsga2 import pareto_mask
from warpfront.space.encoding import row_keys

PLANE = Space(x=Real(0, 1), y=Real(0, 1))
GRID = Space(n=Integer(1, 40), m=Integer(1, 3))


def bowl(config):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2


def on_grid(config):
    return abs(config["n"] - 17.0) + config["m"]


def test_what_was_tried_leaves_the_front_before_it_is_drawn_from(monkeypatch):
    populations, search = [], module.nsga2
    monkeypatch.setattr(
        module, "nsga2", lambda *rest: populations.append(search(*rest)) or populations[-1]
    )
    scene = context(history_of(GRID, on_grid, n=60))
    found, F = front(scene, np.random.default_rng(0))
    ((X, values),) = populations
    new = np.array([key not in scene.tried for key in row_keys(X)])
    of_all = new & pareto_mask(values)
    of_new = np.zeros(len(X), dtype=bool)
    of_new[new] = pareto_mask(values[new])
    assert of_new.sum() > of_all.sum()  # the scene tells the two rules apart
    assert set(row_keys(found)) == set(row_keys(X[of_new]))
    assert pareto_mask(F).all()


def test_of_three_or_more_two_are_the_most_uncertain_and_the_most_promising(monkeypatch):
    scene = context(history_of(PLANE, bowl), settings=Settings())
    X, _ = front(scene, np.random.default_rng(0))
    mean, variance = scene.surrogate().predict(X)
    special = {X[variance.argmax()].tobytes(), X[mean.argmin()].tobytes()}
    assert len(special) == 2
    assert len(X) > 8
    monkeypatch.setattr(module, "front", lambda context, rng: (X, None))
    batches = [pareto(scene, 4, np.random.default_rng(seed)) for seed in range(20)]
    kept = scene.domain.canonical(np.array([np.frombuffer(key) for key in special]))
    for batch in batches:
        assert len(batch) == 4
        assert set(row_keys(kept)) <= set(row_keys(batch))
    singles = [pareto(scene, 2, np.random.default_rng(seed)) for seed in range(20)]
    assert not all(set(row_keys(kept)) & set(row_keys(two)) for two in singles)
    drawn = {key for two in singles for key in row_keys(two)}
    assert len(drawn) > len(X) / 2


@pytest.mark.parametrize("seeded", [0.0, 0.5, 1.0])
def test_the_first_population_holds_the_incumbent_and_points_around_the_best(seeded):
    settings = replace(QUICK, population=40, seeded=seeded)
    scene = context(history_of(PLANE, bowl, n=30), settings=settings)
    X, generations = first_population(scene, np.random.default_rng(0))
    assert (len(X), generations) == (40, settings.generations)
    assert np.array_equal(X[0], scene.elite[0])
    gaps = np.linalg.norm(X[:, None] - scene.elite, axis=2).min(axis=1)
    around = min(int(40 * seeded), 39)
    assert (gaps[1 : 1 + around] < 0.5).mean() >= 0.75 if around else True
    assert scene.domain.feasible(X).all()
    if seeded < 1.0:
        assert np.median(gaps[1 + around :]) > 0.2


def test_a_small_finite_space_is_listed_not_searched():
    scene = context(history_of(GRID, on_grid))
    X, generations = first_population(scene, np.random.default_rng(0))
    assert generations == 0
    assert np.array_equal(X, scene.domain.enumerate())


def test_the_front_reaches_from_the_promising_to_the_uncertain():
    scene = context(history_of(PLANE, bowl), settings=Settings())
    X, F = front(scene, np.random.default_rng(0))
    assert F.shape == (len(X), 3)
    mean, variance = scene.surrogate().predict(X)
    anywhere = np.random.default_rng(1).random((500, 2))
    means, variances = scene.surrogate().predict(anywhere)
    assert mean.min() < np.quantile(means, 0.02)
    assert variance.max() > np.quantile(variances, 0.5)


def test_of_several_objectives_it_is_the_front_of_their_lower_bounds():
    goals = [Minimize("near"), Minimize("far")]
    history = history_of(PLANE, lambda c: {"near": c["x"], "far": 1 - c["x"]}, goals=goals)
    scene = context(history, settings=Settings())
    X, F = front(scene, np.random.default_rng(0))
    assert F.shape == (len(X), 2)
    assert X[:, 0].min() < 0.2
    assert X[:, 0].max() > 0.8
