"""Replicate: when measuring again is worth more than something new."""

from __future__ import annotations

import numpy as np
import pytest

from tests.proposers.scenes import context, history_of
from warpfront import HEBO, Integer, Minimize, Real, Space
from warpfront.acquisition.functions import log_ei
from warpfront.history import History
from warpfront.proposers import replicate as module
from warpfront.proposers.replicate import (
    LEADERS,
    knowledge_gradient,
    measurement_variance,
    replicate_instead,
)

LINE = Space(x=Real(0, 1))
PLANE = Space(x=Real(0, 1), y=Real(0, 1))
BAD = np.array([[1.0]])
"""A configuration that promises nothing."""


def valley(config):
    return (config["x"] - 0.3) ** 2


def told(values, spread):
    """A line whose configurations were measured twice each, `spread` apart."""
    rows = [({"x": x}, valley({"x": x})) for x in values]
    twice = [(None, c, y + e) for c, y in rows for e in (-spread / 2, spread / 2)]
    return History(LINE).tell(twice)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("s2", [0.0, 0.3])
def test_the_knowledge_gradient_is_that_of_brute_force(seed, s2):
    rng, k = np.random.default_rng(seed), 5
    m, A = rng.normal(size=k), rng.normal(size=(k, k))
    P = A @ A.T / k
    found = knowledge_gradient(m, P, s2)
    outcomes = rng.standard_normal(200_000)
    for j in range(k):  # measure j, update all means, take the least
        gain = P[:, j] / np.sqrt(P[j, j] + s2)
        least = np.min(m[:, None] + gain[:, None] * outcomes, axis=0)
        assert found[j] == pytest.approx(m.min() - least.mean(), abs=0.02)


def test_the_knowledge_gradient_falls_with_the_noise_and_is_nothing_where_all_is_known():
    m, P = np.array([0.0, 0.1, 5.0]), np.diag([0.2, 0.5, 0.0])
    gains = [knowledge_gradient(m, P, s2) for s2 in (0.0, 0.1, 1.0, 100.0)]
    assert np.all(np.diff(np.array(gains)[:, :2], axis=0) < 0.0)
    assert np.allclose([g[2] for g in gains], 0.0)
    assert np.all(np.array(gains) >= -1e-12)


def test_noise_is_that_of_the_model_until_something_was_measured_twice():
    scene = context(history_of(LINE, valley))
    assert measurement_variance(scene) == scene.models.model.gp.noise > 0.0


def test_equal_repetitions_say_that_there_is_no_noise():
    scene = context(told(np.linspace(0, 1, 6), 0.0))
    assert measurement_variance(scene) == 0.0
    assert replicate_instead(scene, BAD) is None


def test_repetitions_that_differ_are_the_measure_of_the_noise():
    history = told(np.linspace(0, 1, 10), 0.2)
    scene = context(history)
    model = scene.models.model
    t = model.transform(model.observed.y).reshape(10, 2)
    within = np.square(t - t.mean(axis=1, keepdims=True)).sum()
    expected = (within + model.gp.noise) / 11
    assert measurement_variance(scene) == pytest.approx(expected)


def test_a_leader_is_measured_again_exactly_if_that_is_worth_more(monkeypatch):
    scene = context(told([0.2, 0.25, 0.3, 0.35, 0.4, 0.6, 0.8], 0.02))
    gp = scene.surrogate()
    X = scene.data.X[np.argsort(gp.mean(scene.data.X), kind="stable")]
    mean, variance = gp.predict(BAD)
    worth = float(np.exp(log_ei(mean, np.sqrt(variance), float(gp.mean(X).min())))[0])
    for share, place in ((0.99, None), (1.01, 3)):
        gains = np.zeros(len(X))
        gains[3] = share * worth
        monkeypatch.setattr(module, "knowledge_gradient", lambda m, P, s2, gains=gains: gains)
        leader = replicate_instead(scene, BAD)
        assert (leader is None) == (place is None)
        assert place is None or np.array_equal(leader, X[[place]])


def test_leaders_are_those_of_the_least_mean_and_measured_with_their_noise(monkeypatch):
    seen = []
    monkeypatch.setattr(
        module, "knowledge_gradient", lambda m, P, s2: seen.append((m, P, s2)) or np.zeros(len(m))
    )
    scene = context(told(np.linspace(0, 1, 24), 0.1))
    assert replicate_instead(scene, BAD) is None
    ((m, P, s2),) = seen
    means = np.sort(scene.surrogate().mean(scene.data.X))
    np.testing.assert_allclose(m, means[:LEADERS])
    assert P.shape == (LEADERS, LEADERS)
    np.testing.assert_allclose(P, P.T, atol=1e-9)
    assert s2 == measurement_variance(scene) > 0.0


def test_among_few_arms_a_noisy_leader_is_measured_again():
    arms, noise = Space(n=Integer(1, 30)), np.random.default_rng(0).normal(size=29)
    told = [(None, {"n": i + 1}, i + 1 + 10.0 * e) for i, e in enumerate(noise)]
    scene = context(History(arms).tell(told))
    untried = scene.domain.encoding.encode([{"n": 30}])
    (leader,) = scene.domain.decode(replicate_instead(scene, untried))
    assert leader["n"] <= 3


def test_gains_that_are_errors_of_rounding_are_nothing(monkeypatch):
    scene = context(told([0.2, 0.25, 0.3, 0.35, 0.4, 0.6, 0.8], 0.02))
    known = scene.data.X[[-1]]  # of which no improvement is expected at all
    for gain, is_worth_it in ((2e-16, False), (1e-6, True)):
        monkeypatch.setattr(
            module, "knowledge_gradient", lambda m, P, s2, gain=gain: np.full(len(m), gain)
        )
        assert (replicate_instead(scene, known) is not None) == is_worth_it


def test_several_objectives_and_infeasible_histories_have_no_replicates():
    goals = [Minimize("a"), Minimize("b")]
    scene = context(history_of(LINE, lambda c: {"a": c["x"], "b": -c["x"]}, goals=goals))
    assert replicate_instead(scene, BAD) is None


def test_the_first_replicate_is_waited_for(monkeypatch):
    monkeypatch.setattr(module, "knowledge_gradient", lambda m, P, s2: np.full(len(m), 1e9))
    scene = context(history_of(LINE, valley))
    first = replicate_instead(scene, BAD)
    assert first is not None
    assert replicate_instead(scene.after(first, "replicate"), BAD) is None
    # Once it is known that there is noise, several may be measured again at a time.
    scene = context(told(np.linspace(0, 1, 6), 0.1))
    first = replicate_instead(scene, BAD)
    assert replicate_instead(scene.after(first, "replicate"), BAD) is not None


def test_a_leader_that_violates_a_constraint_is_not_measured_again(monkeypatch):
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=["x + y >= 0.2"])
    plane = Space(x=Real(0, 1), y=Real(0, 1))
    outside = {"x": 0.0, "y": 0.05}

    # As if measuring any leader again were worth a lot: then the first of them is.
    monkeypatch.setattr(module, "knowledge_gradient", lambda m, P, s2: np.ones(len(m)))

    def leader(space):
        history = history_of(space, lambda c: 1.0 + c["x"], n=20)
        history = history.tell([(None, outside, 0.1)])
        return replicate_instead(context(history), np.array([[1.0, 1.0]]))

    assert leader(plane).tolist() == [[0.0, 0.05]]
    assert leader(space).sum() >= 0.2


@pytest.mark.parametrize(
    ("space", "loss"),
    [
        (PLANE, lambda c: (c["x"] - 0.3) ** 2 + c["y"]),
        (PLANE, lambda c: 1.0),
        (PLANE, lambda c: 10.0 + 1e-6 * c["x"]),
        (PLANE, lambda c: float(c["x"] > 0.5)),
        (Space(n=Integer(1, 40)), lambda c: float(c["n"] % 7)),
    ],
    ids=["bowl", "constant", "nearly constant", "step", "wave"],
)
@pytest.mark.parametrize("size", [1, 8])
def test_a_deterministic_task_costs_one_replicated_evaluation_at_most(space, loss, size):
    optimizer = HEBO(space, seed=0)
    while len(optimizer.history) < 24:
        optimizer.tell(batch := optimizer.ask(size), [loss(c) for c in batch])
    trials = optimizer.history.trials
    assert sum(t.proposer == "replicate" for t in trials) <= 1
    assert len({str(t.config) for t in trials}) >= len(trials) - 1
