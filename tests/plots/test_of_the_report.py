"""The figures that only the report has: over wall time, of bounds, and single panels."""

import numpy as np
import pytest

from tests.report.studies import QUICK, evaluated, told
from warpfront import AtLeast, AtMost, Categorical, Integer, Maximize, Minimize, Real, Space
from warpfront.acquisition.hypervolume import hypervolume, infer_reference
from warpfront.analysis.model_view import ModelView
from warpfront.analysis.times import Times
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.bounds import draw_bound
from warpfront.plots.convergence import draw_convergence, draw_hypervolume
from warpfront.plots.model import draw_held_out, draw_output
from warpfront.plots.pairs import draw_pair
from warpfront.plots.parallel import draw_parallel
from warpfront.plots.slices import draw_slice
from warpfront.plots.style import MOST_DOTS
from warpfront.plots.timeline import draw_timeline
from warpfront.problem import Problem

LINE = Space(x=Real(0, 1))


def trace(figure, name):
    (found,) = [one for one in figure.data if one.name == name]
    return found


def several(goals, outcomes):
    configs = LINE.sample(len(outcomes), seed=0)
    history = History(Problem(LINE, tuple(goals)))
    return history.tell([(None, c, o) for c, o in zip(configs, outcomes, strict=True)])


def test_over_wall_time_trials_are_in_the_order_in_which_they_ended():
    history = told(LINE, [3.0, 1.0, 2.0, None, 0.5])
    times = Times.of({0: (0, 300), 1: (0, 600), 2: (0, 120), 3: (0, 60)})  # of one nothing is known
    figure = draw_convergence(history, times)
    best = trace(figure, "best so far")
    assert (list(best.x), list(best.y)) == ([2.0, 5.0, 10.0], [2.0, 2.0, 1.0])
    assert list(trace(figure, "failed").x) == [1.0]
    assert figure.layout.xaxis.title.text == "minutes since the start"
    assert len(trace(figure, "value").x) == 3


def test_the_hypervolume_is_that_of_the_front_so_far():
    points = np.random.default_rng(0).random((12, 2))
    history = several([Minimize("a"), Maximize("b")], [{"a": a, "b": b} for a, b in points])
    F = points * [1.0, -1.0]
    reference = infer_reference(F)
    expected = [hypervolume(F[: n + 1], reference) for n in range(len(F))]
    curve = trace(draw_hypervolume(history), "hypervolume")
    np.testing.assert_allclose(curve.y, np.array(expected) / expected[-1])
    assert list(curve.x) == list(range(12))
    with pytest.raises(NotEnoughDataError, match="no trial is feasible"):
        draw_hypervolume(several([Minimize("a"), Maximize("b")], []))


def test_the_hypervolume_counts_from_a_given_reference():
    goals = [Minimize("a", reference=2.0), Minimize("b", reference=2.0)]
    history = several(goals, [{"a": 1.5, "b": 1.5}, {"a": 1.0, "b": 1.0}])
    assert list(trace(draw_hypervolume(history), "hypervolume").y) == [0.25, 1.0]


def test_a_timeline_has_a_bar_for_each_trial_that_has_a_time():
    history = told(LINE, [3.0, None, 2.0]).ask(LINE.sample(1, seed=5))
    times = Times.of({0: (0, 10), 1: (5, 8), 2: (10, 20), 3: (18, None)})
    figure = draw_timeline(history, times)
    done, failed, pending = (trace(figure, s) for s in ("completed", "failed", "pending"))
    assert (list(done.base), list(done.x), list(done.y)) == ([0, 10], [10, 10], [1, 1])
    assert (list(failed.base), list(failed.x), list(failed.y)) == ([5], [3], [2])
    assert (list(pending.base), list(pending.x)) == ([18], [2])
    assert done.hovertext[0].endswith("<br>10 s")
    assert pending.hovertext[0].endswith("<br>running")


@pytest.mark.parametrize("kind", [AtMost, AtLeast])
def test_bounded_outcomes_are_told_apart_and_the_bound_is_within_the_axis(kind):
    sign = kind.sign
    goals = [Minimize("a"), kind("b", sign * 50.0), AtMost("c", 0.0)]
    outcomes = [{"a": 0.0, "b": sign * b, "c": c} for b, c in ((1, 0), (2, 1), (90, 0), (3, None))]
    figure = draw_bound(several(goals, outcomes), goals[1])
    shown = {one.name: list(one.y) for one in figure.data}
    assert shown == {
        "keeps all bounds": [sign * 1],
        "keeps this bound only": [sign * 2, sign * 3],
        "breaks it": [sign * 90],
    }
    low, high = figure.layout.yaxis.range
    assert low < sign * 50.0 < high
    assert figure.layout.shapes[0].y0 == sign * 50.0


def test_of_many_trials_the_best_and_some_others_are_dots():
    values = np.random.default_rng(0).permutation(2 * MOST_DOTS).astype(float)
    view = ModelView(told(LINE, values.tolist()), QUICK, 0)
    dots = trace(draw_slice(view, 0), "observed")
    assert len(dots.y) == len(dots.hovertext) == MOST_DOTS
    assert set(range(MOST_DOTS // 2)) <= set(dots.y)
    assert max(dots.y) == max(values)


@pytest.fixture(scope="module")
def conditional():
    space = Space(
        kind=Categorical(["tree", "net"]),
        depth=Integer(1, 9, when={"kind": "tree"}),
        rate=Real(0, 1),
    )
    return evaluated(space, lambda c: c.get("depth", 0.5) + c["rate"], 20)


def test_a_slice_of_an_inactive_parameter_goes_through_the_best_where_it_is_active(conditional):
    assert "depth" not in conditional.best.config
    view = ModelView(conditional, QUICK, 0)
    best, value = view.through(1)
    active = [t for t in conditional.trials if "depth" in t.config]
    assert value == min(t.value for t in active)
    assert view.space.encoding.active(best[None]).all()
    star = trace(draw_slice(view, 1), "best")
    assert list(star.y) == [value]
    pair = draw_pair(view, 1, 2)
    assert len(pair.data[1].x) == len(active)


def test_failures_are_crosses_at_the_bad_end_where_the_parameter_is_active(conditional):
    failed = [
        (None, {"kind": "tree", "depth": 3, "rate": 0.9}, None),
        (None, {"kind": "net", "rate": 0.9}, None),
    ]
    view = ModelView(conditional.tell(failed), QUICK, 0)
    crosses = trace(draw_slice(view, 1), "failed")
    assert len(crosses.x) == 1
    assert crosses.y[0] == max(view.values)
    assert len(trace(draw_slice(view, 0), "failed").x) == 2
    assert len(draw_pair(view, 1, 2).data[2].x) == 1


def test_inactive_parameters_have_a_place_of_their_own_in_parallel_coordinates(conditional):
    dimension = draw_parallel(conditional).data[0].dimensions[1]
    inactive = sum("depth" not in t.config for t in conditional.trials)
    assert dimension.ticktext[0] == "inactive"
    assert list(dimension.values).count(dimension.tickvals[0]) == inactive > 0
    assert dimension.range[0] <= min(dimension.values) < 0.0


@pytest.mark.parametrize("goals", [(Minimize("v"),), (Maximize("v"),)])
def test_predictions_of_trials_left_out_are_in_the_units_of_the_user(goals):
    space = Space(x=Real(0, 1))
    history = History(Problem(space, goals)).tell(
        [(None, {"x": x}, 100.0 + (x - 0.3) ** 2) for x in np.linspace(0, 1, 12).tolist()]
    )
    view = ModelView(history, QUICK, 0)
    observed, low, median, high = view.held_out
    np.testing.assert_allclose(np.sort(observed), np.sort(view.values), rtol=1e-6)
    assert np.all((low <= median) & (median <= high))
    assert np.mean((low <= observed) & (observed <= high)) > 0.7
    assert np.corrcoef(observed, median)[0, 1] > 0.9
    assert len(draw_held_out(view).data[1].x) == 12
    assert len(trace(draw_output(view), "observed").x) > 6
