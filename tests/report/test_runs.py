"""The figure that compares runs."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from warpfront import Maximize, RandomSearch, Real, Space, minimize
from warpfront.errors import MissingExtraError, NotEnoughDataError
from warpfront.report import plot_convergence
from warpfront.result import Result

SPACE = Space(x=Real(-1, 1))


def run(seed, budget=6, loss=lambda c: c["x"] ** 2):
    return minimize(loss, RandomSearch(SPACE, seed), budget, on_error="record")


def failing_run(seed):
    with pytest.warns(RuntimeWarning, match="no evaluation succeeded; the last failure: no value"):
        return run(seed, loss=lambda c: None)


def lines(figure):
    """The visible lines by name."""
    return {trace.name: trace for trace in figure.data if trace.name}


def test_the_curve_is_the_best_loss_so_far():
    result = run(0)
    line = lines(plot_convergence({"random": result}))["random"]
    assert list(line.x) == [1, 2, 3, 4, 5, 6]
    assert list(line.y) == result.best_so_far.tolist()
    assert line.line.shape == "hv"


def test_repeats_are_a_median_with_a_band():
    results = [run(seed, budget) for seed, budget in ((0, 6), (1, 6), (2, 4))]
    figure = plot_convergence({"random": results, "one": run(5)})
    low, high, median, alone = figure.data
    curves = [r.best_so_far[:4] for r in results]  # as far as the shortest reaches
    assert list(median.x) == [1, 2, 3, 4]
    for i in range(4):
        assert [low.y[i], median.y[i], high.y[i]] == sorted(curve[i] for curve in curves)
    assert high.fill == "tonexty"
    assert len(alone.y) == 6


def test_references_title_and_labels_are_shown_and_are_no_formulas(tmp_path):
    hostile = "cost $\\foo$ <b>"
    figure = plot_convergence(
        {hostile: run(0), "_private": run(1)},
        title=f"of {hostile}",
        ylabel=f"the {hostile}",
        references={f"best {hostile}": 0.5},
    )
    safe = "cost &#36;\\foo&#36; &lt;b&gt;"
    assert list(lines(figure)) == [safe, "_private"]
    layout = figure.layout
    assert (layout.title.text, layout.yaxis.title.text) == (f"of {safe}", f"the {safe}")
    assert layout.shapes[0].y0 == 0.5
    assert layout.annotations[0].text == f"best {safe}"


def test_a_page_is_written_that_needs_no_network(tmp_path):
    target = plot_convergence({"random": run(0)}, str(tmp_path / "a.html"))
    assert target == tmp_path / "a.html"
    text = target.read_text("utf-8")
    assert "Plotly.newPlot" in text
    assert 'src="http' not in text


def test_a_picture_without_kaleido_says_what_to_do(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("Image export requires the Kaleido package")

    monkeypatch.setattr(go.Figure, "write_image", refuse)
    with pytest.raises(MissingExtraError, match=r"a.png: .* pip install kaleido; or .* .html"):
        plot_convergence({"random": run(0)}, tmp_path / "a.png")


def test_failures_before_the_first_success_are_left_out():
    values = iter([math.nan, None, 2.0, 1.0, 3.0, 0.5])
    mixed = run(0, loss=lambda c: next(values))
    figure = plot_convergence({"mixed": mixed, "both": [mixed, failing_run(1)]})
    curve = lines(figure)["mixed"].y
    assert [math.isnan(v) for v in curve[:2]] == [True, True]
    assert list(curve[2:]) == [2.0, 1.0, 1.0, 0.5]


def test_one_result_is_enough():
    result = run(0)
    figure = plot_convergence(result)
    assert isinstance(figure, go.Figure)
    assert list(figure.data[0].y) == result.best_so_far.tolist()
    assert len(plot_convergence([run(0), run(1)]).data) == 3


def test_values_that_are_maximised_rise():
    result = minimize(lambda c: c["x"], RandomSearch(SPACE, 3, goals=Maximize()), 8)
    figure = plot_convergence({"up": result})
    curve = list(figure.data[0].y)
    assert curve == result.best_so_far.tolist() == sorted(curve)
    low, high = figure.layout.yaxis.range
    assert low < curve[1] <= curve[-1] < high


@pytest.mark.parametrize("results", [{}, {"nothing": []}, {"nothing": Result(RandomSearch(SPACE))}])
def test_nothing_to_draw_is_said(tmp_path, results):
    with pytest.raises(NotEnoughDataError, match="nothing"):
        plot_convergence(results, tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []
