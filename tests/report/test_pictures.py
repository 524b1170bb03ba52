"""What is drawn: the artists of the figures, before they become pixels."""

import numpy as np
import pytest

from tests.report.studies import MIXED, QUICK, evaluated, maximized, mixed, told
from warpfront import Categorical, Real, Space
from warpfront.analysis.choices import MOST_CHOICES
from warpfront.analysis.model_view import ModelView
from warpfront.analysis.values import ValueAxis
from warpfront.report import bars, convergence, pairs, slices, transforms
from warpfront.report.figure import BLUE, RED, drawable

HISTORY = mixed()
FAILED = [trial for trial in HISTORY.trials if trial.state == "failed"]


@pytest.fixture(scope="module")
def view():
    return ModelView(HISTORY, QUICK, seed=0)


@pytest.fixture(scope="module")
def axis(view):
    return ValueAxis.of(view.values, maximize=False)


@pytest.fixture(autouse=True)
def _figures_instead_of_pictures(monkeypatch):
    for module in (bars, convergence, pairs, slices, transforms):
        monkeypatch.setattr(module, "picture", lambda figure, name, alt: figure)


def lines(axes, **wanted):
    """The data of the lines that have these properties."""
    return [
        np.array(line.get_data(), dtype=float)
        for line in axes.lines
        if all(getattr(line, f"get_{key}")() == value for key, value in wanted.items())
    ]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_convergence_has_every_value_failure_and_the_best_so_far(axis, sign):
    where = axis if sign > 0 else ValueAxis(-axis.high, -axis.low)
    history = HISTORY if sign > 0 else maximized(HISTORY)
    (axes,) = convergence.draw_convergence(history, where).axes
    dots = np.hstack(lines(axes, marker="o") + lines(axes, marker="^") + lines(axes, marker="v"))
    order = np.argsort(dots[0])
    assert dots[0][order].tolist() == [t.number for t in HISTORY.completed]
    values = sign * np.array([t.value for t in HISTORY.completed])
    np.testing.assert_allclose(dots[1][order], where.place(values))
    ((x, _),) = lines(axes, color=RED)
    assert x.tolist() == [t.number for t in FAILED]
    ((x, best),) = lines(axes, drawstyle="steps-post")
    known = np.isfinite(HISTORY.best_so_far)
    np.testing.assert_allclose(best, where.place(sign * HISTORY.best_so_far[known]))
    assert len(x) == known.sum()


def test_a_numeric_slice_shows_median_band_best_and_failures(view, axis):
    (axes,) = slices.draw_slice(view, 0, axis).axes
    found = view.slice(0)
    ((x, y),) = lines(axes, color=BLUE)
    np.testing.assert_allclose(x, found.positions)
    np.testing.assert_allclose(y, axis.curve(found.median))
    (band,) = axes.collections
    edge = band.get_paths()[0].vertices
    assert edge[:, 1].max() == pytest.approx(axis.curve(found.high).max())
    assert edge[:, 1].min() == pytest.approx(axis.curve(found.low).min())
    ((x, y),) = lines(axes, marker="*")
    assert (x[0], y[0]) == (view.best[0], axis.place(np.array([HISTORY.best.value]))[0])
    ((x, _),) = lines(axes, color=RED)
    rates = MIXED["rate"].encode([t.config["rate"] for t in FAILED])
    np.testing.assert_allclose(np.sort(x), np.sort(rates))
    assert [t.get_text() for t in axes.get_xticklabels()][:2] == ["1e-5", "0.0001"]


def test_a_category_slice_shows_its_choices(view, axis):
    j = list(MIXED).index("activation")
    (axes,) = slices.draw_slice(view, j, axis).axes
    assert [t.get_text() for t in axes.get_xticklabels()] == ["relu", "tanh", "null"]
    medians = next(data for data in lines(axes, color=BLUE) if len(data[0]) == 3)
    np.testing.assert_allclose(medians[1], axis.curve(view.slice(j).median))


def test_of_many_choices_the_promising_ones_and_the_best_are_drawn():
    space = Space(c=Categorical([f"choice number {i}" for i in range(40)]), x=Real(0, 1))
    history = evaluated(space, lambda c: int(c["c"].split()[-1]) + c["x"], 60)
    view = ModelView(history, QUICK, seed=0)
    (axes,) = slices.draw_slice(view, 0, ValueAxis.of(view.values, maximize=False)).axes
    labels = [t.get_text() for t in axes.get_xticklabels()]
    assert len(set(labels)) == MOST_CHOICES  # shortened, but not to the same
    assert drawable(history.best.config["c"], 14) in labels
    assert np.mean([int(label.split()[-1]) for label in labels]) < 15


def test_pairs_are_a_triangle_of_panels_with_all_points(view, axis):
    figure = pairs.draw_pairs(view, view.order[:4], axis)
    *panels, bar = figure.axes
    shown = [axes for axes in panels if axes.get_visible()]
    assert len(shown) == 6
    assert bar.get_ylabel() == "value"
    i, j = view.order[0], view.order[1]
    offsets = shown[0].collections[-1].get_offsets()
    np.testing.assert_allclose(offsets, view.X[:, [i, j]])
    ((x, y),) = lines(shown[0], marker="*")
    assert [x[0], y[0]] == view.best[[i, j]].tolist()
    ((x, _),) = lines(shown[0], marker="x")
    assert len(x) == len(FAILED)


@pytest.mark.parametrize(("sign", "better"), [(1.0, "viridis_r"), (-1.0, "viridis")])
def test_yellow_is_better(sign, better):
    space = Space(x=Real(0, 1), y=Real(0, 1))
    history = told(space, [3.0, 1.0, 2.0, 4.0])
    view = ModelView(history if sign > 0 else maximized(history), QUICK, seed=0)
    figure = pairs.draw_pairs(view, [0, 1], ValueAxis.of(view.values, sign < 0))
    assert figure.axes[0].collections[-1].get_cmap().name == better


def test_warps_are_drawn_beside_the_identity(view):
    figure = transforms.draw_warps(view, view.warps)
    assert [axes.get_title() for axes in figure.axes] == ["rate", "momentum", "units", "size"]
    for axes in figure.axes:
        identity, curve = lines(axes)
        assert identity.tolist() == [[0.0, 1.0], [0.0, 1.0]]
        assert np.all(np.diff(curve[1]) >= 0.0)


def test_of_many_warps_the_most_bent_are_drawn():
    space = Space({f"p{i}": Real(0, 1) for i in range(20)})
    view = ModelView(told(space, [3.0, 1.0, 2.0]), QUICK, seed=0)
    warps = {j: (1.0 + j, 1.0) for j in range(20)}
    figure = transforms.draw_warps(view, warps)
    assert [axes.get_title() for axes in figure.axes] == [f"p{i}" for i in range(8, 20)]


@pytest.mark.parametrize("maximize", [False, True])
def test_the_output_transform_is_its_own_curve(maximize):
    view = ModelView(maximized(HISTORY) if maximize else HISTORY, QUICK, seed=0)
    axis = ValueAxis.of(view.values, maximize)
    axes = transforms.draw_output(view, axis).axes[0]
    x, y = lines(axes)[0]
    np.testing.assert_allclose(y, view.sign * view.model.transform(view.sign * x * axis.unit))
    assert np.all(np.diff(y) >= 0.0)
    assert x[0] == pytest.approx(axis.low)


def test_bars_are_the_indices(view):
    (axes,) = bars.draw_importance(view).axes
    total, alone = ([bar.get_width() for bar in container] for container in axes.containers)
    assert total == view.importance.total[view.order].tolist()
    assert alone == view.importance.first[view.order].tolist()
    labels = {t.get_position()[1]: t.get_text() for t in axes.get_yticklabels()}
    assert labels[max(labels)] == MIXED.names[view.order[0]]  # the most important on top
