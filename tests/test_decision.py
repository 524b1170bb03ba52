"""The knee, the best within limits, and the hypervolume over time."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront import (
    HEBO,
    AtLeast,
    AtMost,
    Maximize,
    Minimize,
    RandomSearch,
    Real,
    Space,
    minimize,
)
from warpfront.acquisition.hypervolume import hypervolume
from warpfront.decision import best_of, hypervolume_so_far, knee
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History
from warpfront.problem import Problem

SPACE = Space(x=Real(0, 1))
GOALS = (Maximize("accuracy"), Minimize("latency"), AtMost("memory", 10))
TOLD = [
    {"accuracy": 0.5, "latency": 1.0, "memory": 1.0},
    {"accuracy": 0.9, "latency": 3.0, "memory": 2.0},
    {"accuracy": 0.8, "latency": 4.0, "memory": 1.0},  # dominated
    {"accuracy": 0.99, "latency": 0.5, "memory": 99.0},  # infeasible
    {"accuracy": 0.95, "latency": 9.0, "memory": 10.0},
    {"accuracy": None, "latency": 0.1, "memory": 1.0},
]


def history(told=TOLD, goals=GOALS):
    empty = History(Problem(SPACE, goals))
    return empty.tell([(None, {"x": i / 10}, outcome) for i, outcome in enumerate(told)])


def test_the_knee_is_closest_to_the_best_of_all():
    assert knee(history()).number == 1
    circle = [
        {"a": 1 - np.sin(t), "b": 100 * (1 - np.cos(t))} for t in np.linspace(0, np.pi / 2, 9)
    ]
    assert knee(history(circle, (Minimize("a"), Minimize("b")))).number == 4

    line = [{"a": 1e200 * x, "b": 1 - x} for x in np.linspace(0, 1, 5)]
    assert knee(history(line, (Minimize("a"), Minimize("b")))).number == 2


def test_one_objective_and_one_trial_have_a_knee():
    assert knee(history(TOLD[:1])).number == 0
    one = history([{"loss": 2.0}, {"loss": 1.0}], (Minimize("loss"),))
    assert knee(one).number == one.best.number == 1


def test_the_best_within_limits():
    known = history()
    assert best_of(known, "accuracy").number == 4
    assert best_of(known, "accuracy", AtMost("latency", 3.0)).number == 1
    assert best_of(known, "accuracy", AtMost("latency", 3.0), AtMost("memory", 1.5)).number == 0
    assert best_of(known, "latency", AtLeast("accuracy", 0.85)).number == 1


def test_where_nothing_is_within_the_limits_the_closest_is_said():
    with pytest.raises(NotEnoughDataError, match=r"the closest 'latency' is 1 \(trial 0\)"):
        best_of(history(), "accuracy", AtMost("latency", 0.7))
    with pytest.raises(NotEnoughDataError, match=r"the closest 'accuracy' is 0\.95 \(trial 4\)"):
        best_of(history(), "latency", AtLeast("accuracy", 0.99))
    with pytest.raises(NotEnoughDataError, match="no feasible trial has"):
        best_of(history(), "latency", AtLeast("accuracy", 0.94), AtMost("latency", 4.0))


def test_without_a_feasible_trial_it_is_said():
    infeasible = history(TOLD[3:4])
    for use in (knee, lambda h: best_of(h, "latency")):
        with pytest.raises(NotEnoughDataError, match="no trial is feasible yet"):
            use(infeasible)
    with pytest.raises(NotEnoughDataError, match="no evaluation has completed"):
        knee(history([]))
    assert hypervolume_so_far(infeasible).tolist() == [0.0]
    assert hypervolume_so_far(history([])).tolist() == []


@pytest.mark.parametrize(
    ("use", "match"),
    [
        (lambda h: best_of(h, "speed"), "'speed' is not an objective; there is accuracy, latency"),
        (lambda h: best_of(h, "memory"), "'memory' is not an objective"),
        (lambda h: best_of(h, "accuracy", AtMost("speed", 1)), "'speed' is not measured"),
        (lambda h: best_of(h, "accuracy", 3), "3 is not a limit; use AtMost or AtLeast"),
        (lambda h: hypervolume_so_far(h, {"speed": 1}), "'speed' is not an objective"),
        (lambda h: hypervolume_so_far(h, {"latency": float("nan")}), "give a finite number"),
    ],
)
def test_arguments_are_checked(use, match):
    with pytest.raises(ConfigurationError, match=match):
        use(history())


def test_the_hypervolume_over_time_by_hand():
    told = hypervolume_so_far(history(), {"accuracy": 0.0, "latency": 10.0})
    expected = [4.5, 7.3, 7.3, 7.3, 7.35, 7.35]
    assert told == pytest.approx(expected)


def test_the_reference_of_a_goal_counts():
    goals = (Maximize("accuracy", reference=0.6), Minimize("latency", reference=10.0), GOALS[2])
    assert hypervolume_so_far(history(goals=goals))[:2] == pytest.approx([0.0, 2.1])
    given = hypervolume_so_far(history(goals=goals), {"accuracy": 0.0})
    assert given[0] == pytest.approx(4.5)


coarse = st.integers(0, 4).map(float)


@given(st.integers(1, 3).flatmap(lambda k: st.lists(st.tuples(*[coarse] * k), max_size=9)))
def test_the_hypervolume_is_that_of_all_trials_so_far(rows):
    k = len(rows[0]) if rows else 2
    goals = tuple(Minimize(f"g{j}", reference=3.5) for j in range(k))
    told = [{f"g{j}": value for j, value in enumerate(row)} for row in rows]
    volumes = hypervolume_so_far(history(told, goals))
    F, reference = np.array(rows).reshape(len(rows), k), np.full(k, 3.5)
    assert volumes == pytest.approx([hypervolume(F[: i + 1], reference) for i in range(len(F))])


def test_optimizers_and_results_have_all_of_it():
    goals = [Minimize("cost"), Minimize("error")]
    search = RandomSearch(SPACE, 0, goals=goals)
    result = minimize(lambda c: {"cost": c["x"], "error": (1 - c["x"]) ** 2}, search, budget=8)
    optimizer = result.optimizer
    assert result.knee == optimizer.knee == knee(result.history)
    limit = AtMost("cost", 0.5)
    best = best_of(result.history, "error", limit)
    assert result.best_of("error", limit) == optimizer.best_of("error", limit) == best
    told = hypervolume_so_far(result.history)
    assert result.hypervolume_so_far().tolist() == told.tolist()
    assert optimizer.hypervolume_so_far().tolist() == told.tolist()
    assert (np.diff(told) >= 0).all()
    assert told[-1] > 0
    assert isinstance(HEBO(SPACE, goals=goals).hypervolume_so_far(), np.ndarray)


@pytest.mark.parametrize("objectives", [2, 3])
def test_the_hypervolume_after_each_trial_is_that_of_the_front_of_then(objectives):
    names = [f"f{j}" for j in range(objectives)]
    F = np.random.default_rng(0).random((25, objectives))
    search = RandomSearch(Space(x=Real(0, 1)), seed=0, goals=[Minimize(name) for name in names])
    search.tell(
        [{"x": 0.5}] * len(F), [dict(zip(names, map(float, row), strict=True)) for row in F]
    )
    reference = np.full(objectives, 0.9)
    found = search.hypervolume_so_far(dict.fromkeys(names, 0.9))
    expected = [hypervolume(F[: i + 1], reference) for i in range(len(F))]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_hypervolume_of_a_long_front_is_added_up_and_not_computed_anew():
    x = np.linspace(0.0, 1.0, 300)
    search = RandomSearch(Space(x=Real(0, 1)), seed=0, goals=[Minimize("cost"), Minimize("error")])
    told = [{"cost": float(v), "error": float(1.0 - v)} for v in x]
    search.tell([{"x": float(v)} for v in x], told)
    began = time.process_time()
    found = search.hypervolume_so_far({"cost": 1.0, "error": 1.0})
    assert time.process_time() - began < 5.0  # more if each front is computed anew
    assert found[-1] == pytest.approx(0.5, abs=0.01)
