"""The convergence picture."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import matplotlib.axes
import matplotlib.figure
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


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn: curves, bands and levels."""
    calls = {"step": [], "fill_between": [], "axhline": []}
    for name, seen in calls.items():
        original = getattr(matplotlib.axes.Axes, name)

        def spy(self, *args, _original=original, _seen=seen, **kwargs):
            _seen.append((args, kwargs))
            return _original(self, *args, **kwargs)

        monkeypatch.setattr(matplotlib.axes.Axes, name, spy)
    return calls


@pytest.mark.parametrize(
    ("ending", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_the_ending_says_the_format(tmp_path, ending, magic):
    target = tmp_path / f"picture.{ending}"
    assert plot_convergence({"random": run(0)}, str(target)) == target
    assert target.read_bytes().startswith(magic)


def test_the_curve_is_the_best_loss_so_far(tmp_path, drawn):
    result = run(0)
    plot_convergence({"random": result}, tmp_path / "a.png")
    ((x, y), options) = drawn["step"][0]
    assert x.tolist() == [1, 2, 3, 4, 5, 6]
    assert y.tolist() == result.best_so_far.tolist()
    assert (options["label"], options["where"]) == ("random", "post")
    assert drawn["fill_between"] == drawn["axhline"] == []


def test_repeats_are_a_median_with_a_band(tmp_path, drawn):
    results = [run(seed, budget) for seed, budget in ((0, 6), (1, 6), (2, 4))]
    plot_convergence({"random": results, "one": run(5)}, tmp_path / "a.png")
    curves = [r.best_so_far[:4] for r in results]  # as far as the shortest reaches
    ((x, median), _), ((_, alone), _) = drawn["step"]
    ((_, low, high), _) = drawn["fill_between"][0]
    assert x.tolist() == [1, 2, 3, 4]
    for i in range(4):
        values = sorted(curve[i] for curve in curves)
        assert [low[i], median[i], high[i]] == values
    assert len(alone) == 6
    assert len(drawn["fill_between"]) == 1


def test_references_title_and_labels_are_shown(tmp_path, drawn):
    target = plot_convergence(
        {"random search": run(0)},
        tmp_path / "a.svg",
        title="The sphere",
        ylabel="error",
        references={"default": 0.5},
    )
    assert drawn["axhline"][0][0] == (0.5,)
    assert drawn["axhline"][0][1]["label"] == "default"
    comments = target.read_text()  # matplotlib writes texts beside their outlines as comments
    for text in ("The sphere", "error", "evaluations", "random search", "default"):
        assert f"<!-- {text} -->" in comments
    assert ET.fromstring(comments).tag.endswith("svg")  # noqa: S314


def test_texts_are_no_formulas_and_none_is_left_out(tmp_path):
    hostile = "cost $\\foo$"
    target = plot_convergence(
        {hostile: run(0), "_private": run(1), "数": run(2)},
        tmp_path / "a.svg",
        title=f"of {hostile}",
        ylabel=f"the {hostile}",
        references={f"best {hostile}": 0.5},
    )
    for text in (hostile, "_private", "?", f"of {hostile}", f"the {hostile}", f"best {hostile}"):
        assert f"<!-- {text} -->" in target.read_text()


def test_failures_before_the_first_success_are_left_out(tmp_path, drawn):
    values = iter([math.nan, None, 2.0, 1.0, 3.0, 0.5])
    mixed = run(0, loss=lambda c: next(values))
    failed = failing_run(1)
    target = plot_convergence({"mixed": mixed, "both": [mixed, failed]}, tmp_path / "a.png")
    assert target.stat().st_size > 1000
    assert drawn["step"][0][0][1].tolist() == [math.inf, math.inf, 2.0, 1.0, 1.0, 0.5]


def test_a_run_of_failures_only_is_drawn_without_a_warning(tmp_path):
    failed = failing_run(1)
    assert plot_convergence({"failed": failed}, tmp_path / "a.png").stat().st_size > 1000


def test_one_result_is_enough_and_without_a_name_the_figure_is_returned(drawn, tmp_path):
    result = run(0)
    figure = plot_convergence(result)
    assert isinstance(figure, matplotlib.figure.Figure)
    assert drawn["step"][0][0][1].tolist() == result.best_so_far.tolist()
    assert plot_convergence([run(0), run(1)], tmp_path / "a.png") == tmp_path / "a.png"
    assert len(drawn["fill_between"]) == 1


def test_values_that_are_maximised_rise(drawn):
    result = minimize(lambda c: c["x"], RandomSearch(SPACE, 0, goals=Maximize()), 8)
    figure = plot_convergence({"up": result})
    curve = drawn["step"][0][0][1]
    assert curve.tolist() == result.best_so_far.tolist() == sorted(curve)
    low, high = figure.axes[0].get_ylim()
    assert low < curve[1] <= curve[-1] < high


@pytest.mark.parametrize("results", [{}, {"nothing": []}, {"nothing": Result(RandomSearch(SPACE))}])
def test_nothing_to_draw_is_said(tmp_path, results):
    with pytest.raises(NotEnoughDataError, match="nothing"):
        plot_convergence(results, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_matplotlib_says_how_to_install_it(tmp_path, no_matplotlib):
    result = run(0)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[study\]"):
        plot_convergence({"random": result}, tmp_path / "a.png")


def test_no_global_state_of_matplotlib_is_touched(tmp_path):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    plot_convergence({"random": run(0)}, tmp_path / "a.png")
    assert dict(mpl.rcParams) == before
