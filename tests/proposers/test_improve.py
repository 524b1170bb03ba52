"""Improve: the greatest expected improvement, by each model in turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from tests.proposers.scenes import context, history_of
from warpfront import AtMost, Categorical, Integer, Minimize, Real, Settings, Space
from warpfront.proposers.improve import expected_gain, greatest_improvement, improve

PLANE = Space(x=Real(0, 1), y=Real(0, 1))
AXIS = np.linspace(0.0, 1.0, 201)
GRID = np.array(np.meshgrid(AXIS, AXIS)).reshape(2, -1).T


def wave(config):
    return np.sin(5 * config["x"]) + (config["y"] - 0.4) ** 2


def log_ei(gp, X, tau):
    """By the textbook, for improvements that are not tiny."""
    mean, variance = gp.predict(X)
    std = np.sqrt(variance)
    z = (tau - mean) / std
    return np.log(np.maximum((tau - mean) * norm.cdf(z) + std * norm.pdf(z), 1e-300))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_it_finds_the_greatest_improvement_of_a_dense_grid(rank, seed):
    scene = context(history_of(PLANE, wave, n=20))
    gp = scene.surrogate(rank)
    tau = float(gp.mean(scene.elite[:1])[0])
    point = greatest_improvement(scene, rank, np.random.default_rng(seed))
    assert log_ei(gp, point, tau)[0] >= log_ei(gp, GRID, tau).max() - 0.02


def test_in_a_mixed_space_every_value_of_what_is_discrete_is_tried():
    space = Space(x=Real(0, 1), n=Integer(1, 12), c=Categorical(list("pqr")))
    scene = context(
        history_of(space, lambda c: (c["x"] - 0.5) ** 2 + abs(c["n"] - 5) / 4 + (c["c"] != "q"), 40)
    )
    gp, domain = scene.surrogate(), scene.domain
    tau = float(gp.mean(scene.elite[:1])[0])
    everything = [
        {"x": float(x), "n": n, "c": c}
        for x in np.linspace(0, 1, 101)
        for n in range(1, 13)
        for c in "pqr"
    ]
    best = log_ei(gp, domain.encoding.encode(everything), tau).max()
    point = greatest_improvement(scene, 0, np.random.default_rng(0))
    assert log_ei(gp, point, tau)[0] >= best - 0.02


def test_each_model_has_its_turn():
    scene = context(history_of(PLANE, wave, n=20))
    models = len(scene.models.objectives[0])
    assert models == 4
    X = improve(scene, models, np.random.default_rng(0))
    for rank, row in enumerate(X):
        gp = scene.surrogate(rank).condition_on(X[:rank])
        tau = float(gp.mean(scene.elite[:1])[0])
        assert log_ei(gp, row[None], tau)[0] >= log_ei(gp, GRID, tau).max() - 0.02


def test_a_pending_trial_gives_the_turn_to_the_next_model():
    history = history_of(PLANE, wave, n=20)
    pending = history_of(PLANE, wave, n=20, pending=1)
    assert context(history).waiting.get("improve", 0) == 0
    scene = context(pending)
    assert scene.waiting == {"improve": 1}
    first = improve(scene, 1, np.random.default_rng(0))
    assert np.array_equal(first, greatest_improvement(scene, 1, np.random.default_rng(0)))
    assert not np.array_equal(first, greatest_improvement(scene, 0, np.random.default_rng(0)))


def test_where_nothing_is_feasible_yet_feasibility_alone_is_sought():
    goals = [Minimize("loss"), AtMost("memory", 0.0)]

    def told(config):  # the bound holds far away from what is known, in the corner (1, 1)
        return {"loss": config["x"] + config["y"], "memory": 1.9 - config["x"] - config["y"]}

    scene = context(history_of(PLANE, told, goals=goals))
    assert not scene.has_feasible
    point = greatest_improvement(scene, 0, np.random.default_rng(0))
    assert scene.penalty(point)[0] <= scene.penalty(GRID).min() + 0.02
    assert point.sum() > 1.6
    assert expected_gain(scene, np.random.default_rng(0)) == np.inf


def test_the_expected_gain_is_in_the_units_of_the_objective():
    settings = Settings(models="warped", output_warp="none")
    scenes = [
        context(history_of(PLANE, lambda c, u=unit: u * wave(c), n=12), settings=settings)
        for unit in (1.0, 1000.0)
    ]
    small, large = (expected_gain(scene, np.random.default_rng(0)) for scene in scenes)
    assert small > 0.0
    assert large == pytest.approx(1000.0 * small, rel=1e-3)


def test_the_expected_gain_falls_as_more_is_known():
    gains = [
        expected_gain(context(history_of(PLANE, wave, n=n)), np.random.default_rng(0))
        for n in (6, 60)
    ]
    assert 0.0 <= gains[1] < 0.2 * gains[0]


def test_there_is_nothing_to_gain_where_nothing_is_left():
    space = Space(n=Integer(1, 4))
    history = history_of(space, lambda c: c["n"] * 1.0, n=3)
    history = history.ask([{"n": n} for n in range(1, 5)])
    scene = context(history)
    X = greatest_improvement(scene, 0, np.random.default_rng(0))
    assert scene.tried == frozenset() or len(X) == 0
