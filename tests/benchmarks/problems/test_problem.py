"""The problems carry their truth, and it is that of the literature."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.problems import curve
from benchmarks.problems.constrained import CONSTRAINED
from benchmarks.problems.problem import PARTS, Problem, by_name
from benchmarks.problems.registry import find, of_family
from benchmarks.problems.several import SEVERAL
from benchmarks.report.bootstrap import FEWEST
from warpfront import AtMost, Maximize, Real, Space

LITERATURE = {
    "hartmann-ball": 3.32237,
    "branin-disk": 0.397887,
    "pressure-vessel": 6059.714335,
    "welded-beam": 1.724852309,
    "spring": 0.012665233,
    "speed-reducer": 2994.471066,
    "bird": -106.7645367,
}
"""The best feasible values that are published."""

SHARES = {"gardner-islands": (0.01, 0.03), "spring": (0.004, 0.012), "speed-reducer": (0.0, 0.004)}
"""Of the space that is feasible, where it is small."""


@pytest.mark.parametrize("name", CONSTRAINED)
def test_the_optimum_is_attained_within_the_bounds(name):
    problem = CONSTRAINED[name]
    outcomes = problem.evaluate(problem.space.validate(problem.optimiser))
    assert outcomes is not None
    for goal in problem.bounds:
        excess = goal.sign * (outcomes[goal.name] - goal.bound)
        assert excess <= 1e-9 * max(1.0, abs(goal.bound)), goal
    value = problem.objectives[0].sign * problem.minimised(outcomes)[0]
    assert value == pytest.approx(problem.optimum, rel=1e-9)


@pytest.mark.parametrize("name", LITERATURE)
def test_the_optimum_is_that_of_the_literature(name):
    assert CONSTRAINED[name].optimum == pytest.approx(LITERATURE[name], rel=1e-4)


@pytest.mark.parametrize("name", CONSTRAINED)
def test_no_random_configuration_within_the_bounds_beats_the_optimum(name):
    problem = CONSTRAINED[name]
    told = [problem.evaluate(config) for config in problem.space.sample(2000, seed=3)]
    values = [problem.minimised(o)[0] for o in told if o is not None and problem.is_feasible(o)]
    sign = problem.objectives[0].sign
    assert all(value >= sign * problem.optimum - 1e-12 for value in values)
    low, high = SHARES.get(name, (0.02, 1.0))
    assert low <= len(values) / 2000 <= high
    if len(values) > 100:
        assert np.median(values) == pytest.approx(sign * problem.typical, rel=0.5, abs=0.1)


@pytest.mark.parametrize("name", SEVERAL)
def test_random_configurations_fill_a_part_of_the_ideal_volume(name):
    problem = SEVERAL[name]
    told = [problem.evaluate(config) for config in problem.space.sample(60, seed=1)]
    assert 0.0 <= curve.volume(problem, told) < problem.ideal
    assert len(problem.reference) == len(problem.objectives)


@pytest.mark.parametrize("name", ["zdt1", "zdt2", "zdt3"])
def test_the_known_front_of_zdt_has_the_ideal_volume(name):
    problem = SEVERAL[name]
    rest = {f"x{i}": 0.0 for i in range(2, 7)}
    told = [problem.evaluate({"x1": x, **rest}) for x in np.linspace(0.0, 1.0, 2001)]
    assert curve.volume(problem, told) == pytest.approx(problem.ideal, abs=0.01)


def test_the_known_front_of_dtlz2_has_nearly_the_ideal_volume():
    problem = SEVERAL["dtlz2"]
    grid = np.linspace(0.0, 1.0, 15)
    rest = {"x3": 0.5, "x4": 0.5, "x5": 0.5}
    told = [problem.evaluate({"x1": a, "x2": b, **rest}) for a in grid for b in grid]
    assert all(math.hypot(*problem.minimised(o)) == pytest.approx(1.0) for o in told)
    assert 0.9 * problem.ideal < curve.volume(problem, told) < problem.ideal


def test_branin_and_currin_are_the_published_ones():
    # BoTorch prints these: its references and signs are those of the literature.
    outcomes = SEVERAL["branin-currin"].evaluate({"x1": 0.5427730, "x2": 0.1516667})
    assert outcomes["f1"] == pytest.approx(0.397887, abs=1e-4)
    corner = SEVERAL["branin-currin"].evaluate({"x1": 0.0, "x2": 1.0})
    assert corner["f2"] == pytest.approx(3.0 * (1.0 - math.exp(-0.5)))


@pytest.mark.parametrize("family", ["constrained", "several"])
def test_each_half_of_a_family_is_large_enough_for_intervals(family):
    for part in PARTS:
        assert len(of_family(family, part)) >= FEWEST
        assert all(find(name).family == family for name in of_family(family, part))


def test_an_outcome_that_is_not_finite_is_a_failure():
    assert (
        SEVERAL["disc-brake"].evaluate(
            {"inner": 80.0, "outer": 75.0, "force": 1000.0, "surfaces": 11}
        )
        is None
    )
    wire = {"wire": 0.5, "coil": 0.5, "turns": 5.0}
    assert CONSTRAINED["spring"].evaluate(wire) is None


def test_goals_flip_signs_and_bounds_decide():
    problem = Problem(
        name="line",
        part="tuning",
        space=Space(x=Real(0, 1)),
        goals=(Maximize("gain"), AtMost("x", 0.5)),
        function=lambda config: {"gain": 2.0 * config["x"], "x": config["x"]},
        optimum=1.0,
        typical=0.5,
    )
    told = [problem.evaluate({"x": x}) for x in (0.9, 0.1, 0.4, 0.2)]
    assert [problem.is_feasible(outcomes) for outcomes in told] == [False, True, True, True]
    assert curve.levels(problem, told, 1) == [None, 0.2, 0.8, 0.8]
    assert curve.levels(problem, told, 2) == [0.2, 0.8]
    assert curve.gap(problem, 0.8) == pytest.approx(0.4)
    assert curve.gap(problem, None) == curve.GREATEST_GAP
    assert curve.first_feasible(problem, told) == 2
    with pytest.raises(ValueError, match="same name"):
        by_name([problem, problem])


def test_an_unknown_problem_is_an_error():
    with pytest.raises(KeyError, match="problems list"):
        find("sphere")
