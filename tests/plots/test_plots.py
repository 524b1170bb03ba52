"""Interactive figures: what they show, of which values, and that no text is taken for HTML."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.report.studies import HOSTILE_NAMES, MIXED, QUICK, evaluated, mixed_loss, told
from warpfront import (
    HEBO,
    AtMost,
    Categorical,
    Integer,
    Maximize,
    Minimize,
    RandomSearch,
    Real,
    Result,
    Space,
    minimize,
)
from warpfront.errors import MissingExtraError, NotEnoughDataError
from warpfront.history import History
from warpfront.plots import Plots
from warpfront.plots.slices import COLUMNS
from warpfront.problem import Problem

HISTORY = evaluated(MIXED, mixed_loss, 40)
KINDS = ("convergence", "slices", "importance", "pairs", "parallel")
UP = (Maximize("accuracy"),)


def with_goals(history, *goals):
    """A history of values of the first goal."""
    told = [(None, dict(t.config), t.value) for t in history.trials]
    return History(Problem(history.space, goals)).tell(told)


@pytest.fixture(scope="module")
def plots():
    return Plots(HISTORY, settings=QUICK)


def traces(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def axes(figure, letter):
    return [*(figure.select_xaxes() if letter == "x" else figure.select_yaxes())]


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_a_figure_of_plotly_that_can_be_written(plots, kind):
    figure = getattr(plots, kind)()
    assert isinstance(figure, go.Figure)
    assert json.loads(figure.to_json())["data"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_history_gives_the_same_figure(plots, kind):
    again = Plots(HISTORY, settings=QUICK)
    assert getattr(plots, kind)().to_json() == getattr(again, kind)().to_json()


def test_a_result_has_them(monkeypatch):
    space = Space(x=Real(-1, 1), n=Integer(1, 4))
    result = minimize(lambda c: c["x"] ** 2 + c["n"], space, 10, seed=0, settings=QUICK)
    assert result.plot is result.plot
    (values,) = traces(result.plot.convergence(), "value")
    assert list(values.y) == [trial.value for trial in result.trials]
    assert len(traces(result.plot.slices(), "model's median")) == 2
    assert result.plot._settings == QUICK
    assert Result(result.optimizer).plot.importance().data


# --- Convergence ------------------------------------------------------------------------------


def test_convergence_has_all_values_the_failures_and_the_best_so_far(plots):
    figure = plots.convergence()
    (values,), (best,), (failed,) = (traces(figure, n) for n in ("value", "best so far", "failed"))
    assert list(values.x) == [t.number for t in HISTORY.completed]
    assert list(values.y) == [t.value for t in HISTORY.completed]
    assert list(failed.x) == [t.number for t in HISTORY.of_state("failed")]
    curve = HISTORY.best_so_far
    assert list(best.y) == curve[np.isfinite(curve)].tolist()
    assert best.line.shape == "hv"
    first = HISTORY.completed[0]
    assert values.hovertext[0].startswith(f"trial {first.number}<br>value ")
    assert "units: " in values.hovertext[0]


def test_convergence_of_what_is_maximised_rises():
    history = with_goals(told(Space(x=Real(0, 1)), [1.0, 3.0, 2.0]), *UP)
    figure = Plots(history).convergence()
    assert list(traces(figure, "value")[0].y) == [1.0, 3.0, 2.0]
    assert figure.layout.yaxis.title.text == "accuracy"
    assert list(traces(figure, "best so far")[0].y) == [1.0, 3.0, 3.0]


def test_far_worse_values_do_not_squeeze_the_others():
    values = [*np.linspace(1, 2, 20), 1e9]
    (axis,) = axes(Plots(told(Space(x=Real(0, 1)), values)).convergence(), "y")
    assert axis.range[1] < 10
    assert len(traces(Plots(told(Space(x=Real(0, 1)), values)).convergence(), "value")[0].y) == 21


def test_values_over_many_powers_of_ten_have_a_logarithmic_axis():
    values = np.geomspace(1e-8, 1.0, 20)
    (axis,) = axes(Plots(told(Space(x=Real(0, 1)), values)).convergence(), "y")
    assert axis.type == "log"
    assert axis.range[0] < -8 < 0 <= axis.range[1]


def test_failures_only_are_drawn_too():
    figure = Plots(told(Space(x=Real(0, 1)), [None, math.nan])).convergence()
    assert [trace.name for trace in figure.data] == ["failed"]
    assert "no value was given" in figure.data[0].hovertext[0]


# --- Slices -----------------------------------------------------------------------------------


def test_slices_show_each_parameter_that_varies_the_important_ones_first(plots):
    figure = plots.slices()
    names = [axis.title.text for axis in axes(figure, "x")]
    order = [MIXED.names[j] for j in plots._view.order]
    assert names[: len(order)] == order
    assert "version" not in names  # a constant
    assert len(traces(figure, "model's median")) == len(order)
    assert len({trace.xaxis for trace in traces(figure, "best")}) == len(order)


def test_a_slice_has_median_band_and_observations_in_the_users_units(plots):
    figure, view = plots.slices(), plots._view
    k = [MIXED.names[j] for j in view.order].index("rate")
    j = view.order[k]
    along = view.slice(j)
    axis = f"x{k + 1}" if k else "x"
    median = next(t for t in traces(figure, "model's median") if t.xaxis == axis)
    np.testing.assert_allclose(median.y, along.median, rtol=1e-6)
    observed = next(t for t in traces(figure, "observed") if t.xaxis == axis)
    assert sorted(observed.y) == sorted(t.value for t in HISTORY.completed)
    assert median.customdata[0] == "1e-5"


def test_a_category_shows_its_choices(plots):
    figure = plots.slices()
    axis = next(a for a in axes(figure, "x") if a.title.text == "activation")
    assert list(axis.ticktext) == ["relu", "tanh", "null"]


def test_of_many_choices_the_promising_ones_are_shown():
    space = Space(c=Categorical([f"choice {i}" for i in range(40)]), x=Real(0, 1))
    history = evaluated(space, lambda c: int(c["c"].split()[-1]) + c["x"], 50)
    figure = Plots(history, settings=QUICK).slices()
    axis = next(a for a in axes(figure, "x") if a.title.text == "c")
    assert len(axis.ticktext) == 15
    assert history.best.config["c"] in axis.ticktext


def test_slices_of_what_is_maximised_have_the_users_sign():
    space = Space(x=Real(0, 1))
    history = with_goals(evaluated(space, lambda c: 10 - (c["x"] - 0.3) ** 2, 12), *UP)
    figure = Plots(history, settings=QUICK).slices()
    (median,) = traces(figure, "model's median")
    assert 9 < min(median.y) < max(median.y) < 11
    (best,) = traces(figure, "best")
    assert best.y[0] == history.best.value


def test_one_parameter_has_one_panel():
    history = evaluated(Space(x=Real(0, 1)), lambda c: c["x"], 8)
    figure = Plots(history, settings=QUICK).slices()
    assert len(axes(figure, "x")) == 1 < COLUMNS


# --- Importance, pairs, parallel --------------------------------------------------------------


def test_importance_has_both_indices_of_each_parameter(plots):
    figure, view = plots.importance(), plots._view
    total, alone = traces(figure, "total")[0], traces(figure, "alone")[0]
    assert list(total.x) == view.importance.total[view.order].tolist()
    assert list(alone.x) == view.importance.first[view.order].tolist()
    (axis,) = axes(figure, "y")
    assert list(axis.ticktext) == [MIXED.names[j] for j in view.order]


def test_pairs_are_a_triangle_over_the_model(plots):
    figure = plots.pairs()
    heat = [trace for trace in figure.data if trace.type == "heatmap"]
    assert len(heat) == 6  # of four parameters
    view = plots._view
    i, j = view.order[0], view.order[1]
    np.testing.assert_allclose(heat[0].x, view.surface(i, j, 41)[0])
    assert len(traces(figure, "best")) == 6


def test_a_single_parameter_has_no_pairs():
    plots = Plots(evaluated(Space(x=Real(0, 1)), lambda c: c["x"], 8), settings=QUICK)
    with pytest.raises(NotEnoughDataError, match="pairs need two parameters"):
        plots.pairs()


def test_parallel_has_a_line_for_each_completed_trial(plots):
    (lines,) = plots.parallel().data
    assert [d.label for d in lines.dimensions] == [n for n in MIXED if n != "version"] + ["value"]
    assert all(len(d["values"]) == len(HISTORY.completed) for d in lines.dimensions)


@pytest.mark.parametrize("goal", [Minimize("loss"), Maximize("accuracy")])
def test_yellow_is_good_and_so_are_orange_lines(goal):
    history = evaluated(Space(x=Real(0, 1), y=Real(0, 1)), lambda c: c["x"], 10)
    plots = Plots(with_goals(history, goal), settings=QUICK)
    minimised = isinstance(goal, Minimize)
    assert plots.parallel().data[0].line.reversescale is not minimised
    assert plots.pairs().layout.coloraxis.reversescale is minimised


def test_bounds_have_an_axis_and_are_under_the_mouse():
    problem = Problem(Space(x=Real(0, 1)), (Minimize("loss"), AtMost("memory", 5)))
    outcomes = [{"loss": k, "memory": 2 * k} for k in range(6)]
    told = [(None, {"x": k / 5}, outcome) for k, outcome in enumerate(outcomes)]
    plots = Plots(History(problem).tell(told), settings=QUICK)
    (lines,) = plots.parallel().data
    assert [d.label for d in lines.dimensions] == ["x", "memory", "loss"]
    (values,) = traces(plots.convergence(), "value")
    assert "<br>memory 4<br>" in values.hovertext[2]
    (best,) = traces(plots.slices(), "best")
    assert best.y[0] == 0.0


def test_what_was_not_measured_is_left_out():
    problem = Problem(Space(x=Real(0, 1)), (Minimize("loss"), AtMost("memory", 5)))
    told = [(None, {"x": k / 5}, {"loss": k, "memory": 1}) for k in range(6)]
    told.append((None, {"x": 0.5}, {"memory": 3}))
    plots = Plots(History(problem).tell(told), settings=QUICK)
    for kind in KINDS[:3]:
        assert getattr(plots, kind)().data
    assert len(traces(plots.convergence(), "value")[0].y) == 6


# --- The front --------------------------------------------------------------------------------


def several(*goals, outcomes):
    problem = Problem(Space(x=Real(0, 1)), goals)
    told = [(None, {"x": k / 10}, outcome) for k, outcome in enumerate(outcomes)]
    return Plots(History(problem).tell(told), settings=QUICK)


def test_with_one_goal_there_is_no_front(plots):
    with pytest.raises(NotEnoughDataError, match="a front needs several objectives"):
        plots.front()
    with pytest.raises(NotEnoughDataError, match="a front needs several objectives"):
        Result(RandomSearch(MIXED, 0)).plot.front()


def test_two_goals_are_a_plane_and_the_front_is_marked():
    outcomes = [{"loss": 3.0, "speed": 4.0}, {"loss": 4.0, "speed": 1.0}, {"loss": 1.0, "speed": 2}]
    figure = several(Minimize("loss"), Maximize("speed"), outcomes=outcomes).front()
    (front,), (others,) = traces(figure, "front"), traces(figure, "observed")
    assert (list(front.x), list(front.y)) == ([1.0, 3.0], [2.0, 4.0])
    assert (list(others.x), list(others.y)) == ([4.0], [1.0])
    assert figure.layout.xaxis.title.text == "loss"
    assert figure.layout.yaxis.title.text == "speed"


def test_a_front_is_feasible():
    goals = [Minimize("a"), Minimize("b"), AtMost("c", 0)]
    outcomes = [{"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 2, "c": 0}, {"a": 2, "b": None, "c": 0}]
    figure = several(*goals, outcomes=outcomes).front()
    assert list(traces(figure, "front")[0].x) == [2.0]
    assert list(traces(figure, "breaks a bound")[0].x) == [1.0]
    none = several(*goals, outcomes=outcomes[:1]).front()
    assert list(traces(none, "front")[0].x) == []


def test_three_goals_are_a_space():
    goals = [Minimize(name) for name in "abcd"]
    outcomes = [{"a": k, "b": -k, "c": k * k, "d": 0.0} for k in range(4)]
    figure = several(*goals, outcomes=outcomes).front()
    assert {trace.type for trace in figure.data} == {"scatter3d"}
    assert figure.layout.scene.zaxis.title.text == "c"


def test_of_several_objectives_the_other_figures_show_the_first():
    outcomes = [{"a": (k - 3) ** 2, "b": k} for k in range(8)]
    plots = several(Minimize("a"), Minimize("b"), outcomes=outcomes)
    for kind in ("convergence", "slices", "importance", "parallel"):
        assert getattr(plots, kind)().data
    assert traces(plots.convergence(), "best so far") == []


# --- Little data, strange names ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["slices", "importance", "pairs"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], "A model needs at least 3 completed trials; there are 2"),
        ([1.0] * 5, "All completed trials have the same value"),
    ],
)
def test_without_a_model_the_reason_is_said(kind, values, message):
    with pytest.raises(NotEnoughDataError, match=f"there is no model to show yet. {message}"):
        getattr(Plots(told(Space(x=Real(0, 1)), values)), kind)()


@pytest.mark.parametrize("kind", ["convergence", "parallel"])
def test_nothing_to_draw_is_said(kind):
    with pytest.raises(NotEnoughDataError, match="there is nothing to draw"):
        getattr(Plots(History(Space(x=Real(0, 1)))), kind)()


@pytest.mark.parametrize("kind", ["convergence", "parallel"])
def test_a_single_trial_can_be_drawn(kind):
    assert getattr(Plots(told(Space(x=Real(0, 1)), [1.0])), kind)().data


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_users_is_taken_for_html_or_a_formula(kind):
    history = evaluated(HOSTILE_NAMES, lambda c: float(len(str(c)) + sum(map(ord, str(c))) % 7), 16)
    written = getattr(Plots(history, settings=QUICK), kind)().to_json()
    for piece in ("<script", "<b>", "$", "\x00", "\\ud800"):
        assert piece not in written
    if kind != "importance":
        assert "&lt;" in written


@pytest.mark.parametrize("values", [[1e200, 2e200, 3e200, 5e200], [-1e300, 1e300, 0.0, 5.0]])
@pytest.mark.parametrize("kind", ["convergence", "parallel", "slices"])
def test_huge_values_can_be_drawn(kind, values):
    figure = getattr(Plots(told(Space(x=Real(0, 1)), values), settings=QUICK), kind)()
    assert "NaN" not in figure.to_json()


def test_hebo_has_the_model_of_its_own_settings_and_seed():
    optimizer = HEBO(Space(x=Real(0, 1)), seed=3, settings=QUICK)
    for x in np.linspace(0, 1, 6):
        optimizer.tell({"x": float(x)}, float(x) ** 2)
    view = Result(optimizer).plot._view
    X = np.array([[0.3], [0.6]])
    np.testing.assert_array_equal(view.model.median_at(X), optimizer.model.median_at(X))


def test_a_missing_plotly_says_how_to_install_it(plots, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"figures need plotly: pip install .*\[plots\]"):
        plots.convergence()
