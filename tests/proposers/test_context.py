"""Context: what proposers are given."""

from __future__ import annotations

import numpy as np
import pytest

from tests.proposers.scenes import context, history_of
from warpfront import AtMost, Categorical, Minimize, Real, Space
from warpfront.proposers.context import BELIEF_TRIALS, ELITE
from warpfront.space.encoding import row_keys

PLANE = Space(x=Real(0, 1), y=Real(0, 1))


def bowl(config):
    return (config["x"] - 0.3) ** 2 + config["y"]


def test_the_models_know_what_is_pending():
    scene = context(history_of(PLANE, bowl, pending=3))
    assert len(scene.pending) == 3
    plain, conditioned = scene.models.model.gp, scene.surrogate()
    np.testing.assert_allclose(conditioned.mean(scene.pending), plain.mean(scene.pending))
    assert np.all(conditioned.predict(scene.pending)[1] < plain.predict(scene.pending)[1])
    assert scene.surrogate() is conditioned


@pytest.mark.parametrize("warm", [False, True])
def test_what_was_chosen_is_pending_for_the_next(warm):
    scene = context(history_of(PLANE, bowl, pending=2))
    X = np.array([[0.5, 0.25], [0.125, 0.75]])
    if warm:  # what was worked out before is carried on, not worked out again
        scene.surrogate()
        _ = scene.elite, scene.best, scene.has_feasible
    after = scene.after(X, "local")
    fresh = context(history_of(PLANE, bowl, pending=2))
    assert np.array_equal(after.pending, np.vstack([scene.pending, X]))
    assert set(row_keys(X)) <= after.tried
    assert after.waiting == {"improve": 2, "local": 2}
    assert scene.waiting == {"improve": 2}
    assert np.array_equal(scene.pending, fresh.pending)
    again = fresh.after(X, "local").surrogate()
    probe = np.random.default_rng(0).random((20, 2))
    np.testing.assert_allclose(after.surrogate().predict(probe), again.predict(probe), atol=1e-9)
    assert np.array_equal(after.elite, scene.elite)
    assert scene.after(X[:0], "local") is scene


def test_the_best_points_are_those_of_the_least_loss():
    history = history_of(PLANE, bowl, n=20)
    scene = context(history)
    order = sorted(history.trials, key=lambda t: t.value)
    assert np.array_equal(scene.elite, history.encode(order[:ELITE]))
    assert np.array_equal(scene.best, history.encode(order[:1]))


def test_best_points_of_replicates_are_those_of_the_least_mean():
    configs = [{"x": x, "y": 0.5} for x in (0.1, 0.5, 0.9)]
    values = [[0.0, 9.0, 9.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]]
    history = history_of(PLANE, bowl, n=0)
    told = [(None, c, v) for c, losses in zip(configs, values, strict=True) for v in losses]
    assert context(history.tell(told)).best.tolist() == [[0.5, 0.5]]


def test_in_another_context_the_best_points_are_those_of_the_best_prediction():
    space = Space(x=Real(0, 1), c=Categorical(["low", "high"]))
    optimum = {"low": 0.1, "high": 0.9}
    history = history_of(space, lambda c: (c["x"] - optimum[c["c"]]) ** 2, n=40)
    for name, x in optimum.items():
        scene = context(history, {"c": name})
        assert {c["c"] for c in scene.domain.decode(scene.elite)} == {name}
        assert abs(scene.elite[0, 0] - x) < 0.15


def test_points_that_violate_a_constraint_are_not_among_the_best():
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=["x + y >= 0.5"])
    history = history_of(space, bowl, n=20)
    scene = context(history.tell([(None, {"x": 0.1, "y": 0.1}, -9.0)]))
    assert scene.domain.feasible(scene.elite).all()
    assert scene.domain.feasible(scene.best).all()


def test_there_are_starting_points_even_if_nothing_told_is_inside():
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=["x + y >= 1.5"])
    told = [(None, {"x": x / 20, "y": 0.2}, float(x)) for x in range(9)]
    history = history_of(space, bowl, n=0).tell(told)
    scene = context(history)
    assert 1 <= len(scene.elite) <= ELITE
    assert scene.domain.feasible(scene.elite).all()


@pytest.mark.parametrize("likely", [(0.2, 0.3), (0.5, 0.9)])
def test_what_the_user_believes_loses_weight_with_trials_and_where_outcomes_contradict(likely):
    space = Space(x=Real(0, 1, likely=likely), y=Real(0, 1))
    X = np.array([[0.25, 0.5], [0.95, 0.5]])
    belief = space.log_belief(X)
    for n in (5, 40):
        history = history_of(space, bowl, n=n)
        agreement = np.exp(space.log_belief(history.encode([history.best]))[0])
        weight = BELIEF_TRIALS / n * agreement
        penalty = context(history).penalty(X)
        np.testing.assert_allclose(penalty, -weight * belief, atol=1e-12)


def test_of_several_objectives_the_front_says_whether_a_belief_holds():
    space = Space(x=Real(0, 1, likely=0.0), y=Real(0, 1))

    def two(config):  # the front is x = 0.5
        away = (config["x"] - 0.5) ** 2
        return {"a": config["y"] + away, "b": 1 - config["y"] + away}

    X = np.array([[0.5, 0.5]])
    history = history_of(space, two, n=16, goals=[Minimize("a"), Minimize("b")])
    weight = context(history).penalty(X)[0] / -space.log_belief(X)[0]
    best = np.exp(space.log_belief(history.encode(history.front)).max())
    assert 0.0 < weight <= BELIEF_TRIALS / 16
    assert weight == pytest.approx(BELIEF_TRIALS / 16 * best, rel=0.5)


def test_without_beliefs_bounds_and_failures_there_is_no_penalty():
    assert context(history_of(PLANE, bowl)).penalty is None
    failing = context(history_of(PLANE, lambda c: None if c["x"] > 0.5 else c["y"]))
    assert np.diff(failing.penalty(np.array([[0.1, 0.5], [0.9, 0.5]]))) > 1.0
    goals = [Minimize("loss"), AtMost("memory", 0.5)]
    bounded = history_of(PLANE, lambda c: {"loss": c["y"], "memory": c["x"]}, goals=goals)
    assert np.diff(context(bounded).penalty(np.array([[0.1, 0.5], [0.9, 0.5]]))) > 1.0


def test_with_several_objectives_the_best_are_the_front():
    goals = [Minimize("near"), Minimize("far")]
    history = history_of(
        PLANE, lambda c: {"near": c["x"] + c["y"], "far": 1 - c["x"] + c["y"]}, 20, goals=goals
    )
    scene = context(history)
    front = set(row_keys(history.encode(history.front)))
    assert len(front & set(row_keys(scene.best))) >= 0.6 * len(front)
    assert len(scene.elite) == min(ELITE, len(scene.best))
    assert set(row_keys(scene.elite)) <= set(row_keys(scene.best))
