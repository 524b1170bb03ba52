"""Local and wide: Thompson sampling around the best points."""

from __future__ import annotations

import numpy as np
import pytest

from tests.proposers.scenes import context, history_of
from warpfront import Integer, Minimize, Real, Space
from warpfront.proposers import local as module
from warpfront.proposers.local import local, wide
from warpfront.space.encoding import row_keys

SIX = Space({name: Real(0, 1) for name in "abcdef"})


def bowl(config):
    return sum((v - 0.4) ** 2 for v in config.values())


def nearest(X, centres):
    """The distance of each row to the nearest centre."""
    return np.linalg.norm(X[:, None] - centres, axis=2).min(axis=1)


def test_small_steps_stay_nearer_to_the_best_point_than_wide_ones():
    scene = context(history_of(SIX, bowl, n=30))
    assert len(scene.best) == 1
    near, far = (
        np.vstack([propose(scene, 4, np.random.default_rng(seed)) for seed in range(8)])
        for propose in (local, wide)
    )
    assert nearest(near, scene.best).max() < 0.05 * 6
    assert np.median(nearest(near, scene.best)) < 0.5 * np.median(nearest(far, scene.best))


def test_on_a_plateau_all_of_its_points_are_centres():
    scene = context(history_of(SIX, lambda c: max(0.0, c["a"] - 0.5), n=40))
    assert len(scene.best) > 10
    X = np.vstack([local(scene, 4, np.random.default_rng(seed)) for seed in range(10)])
    assert nearest(X, scene.best).max() < 0.3
    gaps = np.linalg.norm(X[:, None] - scene.best, axis=2)
    assert len(set(gaps.argmin(axis=1))) >= 5


def test_wide_steps_leave_a_plateau_more_often_than_small_ones():
    scene = context(history_of(SIX, lambda c: max(0.0, c["a"] - 0.2), n=40))
    small, large = (
        np.mean(
            [nearest(propose(scene, 4, np.random.default_rng(s)), scene.best) for s in range(9)]
        )
        for propose in (local, wide)
    )
    assert large > 1.5 * small


def test_every_choice_is_the_least_of_a_sample_of_its_own(monkeypatch):
    scene = context(history_of(SIX, bowl, n=30))
    seen = []
    gp = scene.surrogate()
    sample = type(gp).sample
    monkeypatch.setattr(
        type(gp),
        "sample",
        lambda s, X, k, rng: seen.append((X, sample(s, X, k, rng))) or seen[-1][1],
    )
    X = local(scene, 3, np.random.default_rng(0))
    ((candidates, samples),) = seen
    assert samples.shape == (3, len(candidates))
    chosen = []
    for values in samples.copy():
        values[chosen] = np.inf
        chosen.append(int(values.argmin()))
    assert np.array_equal(X, scene.domain.canonical(candidates[chosen]))


def test_the_steps_have_the_sizes_that_are_documented():
    assert (module.SMALL_STEP, module.WIDE_STEP) == (0.05, 0.2)


@pytest.mark.parametrize("propose", [local, wide])
def test_where_all_around_was_tried_there_is_nothing(propose):
    space = Space(n=Integer(1, 400))
    history = history_of(space, lambda c: c["n"] * 1.0, n=0)
    history = history.tell([(None, {"n": n}, abs(n - 50.0)) for n in range(1, 391)])
    scene = context(history)
    X = propose(scene, 2, np.random.default_rng(0))
    assert all(config["n"] > 390 for config in scene.domain.decode(X))


def test_with_several_objectives_steps_are_from_the_whole_front(monkeypatch):
    centres, steps = [], module.steps
    monkeypatch.setattr(module, "steps", lambda c, *rest: centres.append(c) or steps(c, *rest))
    goals = [Minimize("near"), Minimize("far")]
    scene = context(
        history_of(SIX, lambda c: {"near": c["a"], "far": 1 - c["a"] + c["b"]}, 30, goals=goals)
    )
    assert len(scene.best) > 3
    local(scene, 1, np.random.default_rng(0))
    assert set(row_keys(centres[0])) == set(row_keys(scene.best))
