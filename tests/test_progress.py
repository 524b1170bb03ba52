"""The progress display: on standard error, with rich or without, or not at all."""

from __future__ import annotations

import builtins
import io
import sys

import pytest

from warpfront import RandomSearch, Real, Space, minimize
from warpfront.history import History
from warpfront.progress import describe, show_progress

SPACE = Space(x=Real(0, 1))
NOTHING = History(SPACE)
ONE = NOTHING.tell([(None, {"x": 0.5}, 1.25)])
TWO = ONE.tell([(None, {"x": 0.1}, None)])


@pytest.fixture
def without_rich(monkeypatch):
    """An interpreter in which rich is not installed."""
    real_import = builtins.__import__

    def no_rich(name, *args, **kwargs):
        if name.split(".")[0] == "rich":
            raise ImportError("No module named 'rich'")
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_rich)


def fail_midway():
    with show_progress(2, True) as report:
        report(ONE)
        raise ZeroDivisionError


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("history", "text"),
    [
        (NOTHING, "no success yet"),
        (NOTHING.tell([(None, {"x": 0.1}, None)]), "no success yet, 1 failed"),
        (ONE, "best 1.25 (trial 0)"),
        (TWO, "best 1.25 (trial 0), 1 failed"),
        (TWO.tell([(None, {"x": 0.2}, -1e-9)]), "best -1e-09 (trial 2), 1 failed"),
        (ONE.ask([{"x": 0.3}]), "best 1.25 (trial 0)"),
        (NOTHING.tell([(None, {"x": 0.1}, 1 / 3)]), "best 0.333333 (trial 0)"),
    ],
)
def test_one_line_says_the_best_and_the_failures(history, text):
    assert describe(history) == text


def test_rich_shows_best_failures_and_count_on_standard_error(capsys):
    pytest.importorskip("rich")
    with show_progress(2, True) as report:
        report(ONE)
        report(TWO)
    out, err = capsys.readouterr()
    assert out == ""
    for part in ("warpfront", "2/2", "best 1.25 (trial 0), 1 failed"):
        assert part in " ".join(err.split())


@pytest.mark.usefixtures("without_rich")
def test_without_rich_one_line_is_rewritten(capsys):
    with show_progress(2, True) as report:
        report(ONE)
        report(TWO)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\r1/2  best 1.25 (trial 0) ")
    first, second = err[1:].split("\r")
    assert second.rstrip(" \n") == "2/2  best 1.25 (trial 0), 1 failed"
    assert len(first) == len(second) - 1  # a shorter text covers a longer one; the newline at last
    assert second.endswith("\n")


@pytest.mark.usefixtures("without_rich")
def test_without_rich_an_error_is_passed_on_as_it_is(capsys):
    with pytest.raises(ZeroDivisionError) as caught:
        fail_midway()
    assert caught.value.__context__ is None  # not "during the handling of: no module rich"
    assert capsys.readouterr().err.endswith("\n")


def test_an_error_stops_the_rich_display_and_is_passed_on(capsys):
    pytest.importorskip("rich")
    with pytest.raises(ZeroDivisionError):
        fail_midway()
    assert "1/2" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", [False, None])
def test_nothing_is_printed_unless_wanted_or_on_a_terminal(capsys, wanted):
    with show_progress(2, wanted) as report:
        report(ONE)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("rich", [True, False])
def test_a_terminal_gets_the_display_by_default(monkeypatch, request, rich):
    if not rich:
        request.getfixturevalue("without_rich")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with show_progress(1, None) as report:
        report(ONE)
    assert "1/1" in terminal.getvalue()
    assert "best 1.25" in terminal.getvalue()


def test_no_standard_error_at_all_is_fine(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    with show_progress(1, None) as report:
        assert report(ONE) is None


def test_prints_of_the_loss_stay_on_standard_output(monkeypatch):
    """The bar is on a terminal, the output in a file: rich must not move prints to the bar."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(sys, "stdout", file := io.StringIO())
    with show_progress(1, True) as report:
        print("accuracy 0.9")
        report(ONE)
    assert file.getvalue() == "accuracy 0.9\n"
    assert "accuracy" not in terminal.getvalue()
    assert sys.stdout is file


def loss(config):
    if config["x"] < 0.3:
        raise ValueError("too small")
    return config["x"]


def test_minimize_shows_progress_when_asked(capsys):
    result = minimize(loss, RandomSearch(SPACE, 0), budget=10, batch=4, progress=True)
    out, err = capsys.readouterr()
    failed = len(result.history.of_state("failed"))
    assert failed > 0
    assert out == ""
    shown = " ".join(err.split())
    assert "10/10" in shown
    best = result.best
    assert f"best {best.value:.6g} (trial {best.number}), {failed} failed" in shown


def test_minimize_prints_nothing_with_progress_off(capsys):
    minimize(loss, RandomSearch(SPACE, 0), budget=10, batch=4, progress=False)
    assert capsys.readouterr() == ("", "")


class Shown:
    """IPython's display function and its handle: what a notebook shows, each time."""

    def __init__(self):
        self.texts, self.pages = [], []

    def __call__(self, shown, *, display_id):
        assert display_id
        self.update(shown)
        return self

    def update(self, shown):
        self.texts.append(repr(shown))
        self.pages.append(shown._repr_html_())


@pytest.fixture
def notebook(monkeypatch):
    shown = Shown()
    monkeypatch.setattr("warpfront.progress._notebook_display", lambda: shown)
    monkeypatch.setattr("warpfront.progress.REFRESH", 0.0)
    return shown


def test_a_notebook_shows_one_bar_that_moves(notebook, capsys):
    minimize(lambda c: 2.0, RandomSearch(Space(x=Real(0, 1)), seed=0), 2)
    assert notebook.texts[0] == "warpfront 0/2  starting"
    assert [text.split()[1] for text in notebook.texts] == ["0/2", "1/2", "2/2", "2/2"]
    assert "best 2" in notebook.texts[-1]
    assert '<progress max="2" value="0">' in notebook.pages[0]
    assert '<progress max="2" value="2">' in notebook.pages[-1]
    assert capsys.readouterr().err == ""


def test_a_notebook_without_a_budget_counts(notebook):
    with show_progress(None, wanted=None) as report:
        report(ONE)
    assert [text.split()[1] for text in notebook.texts] == ["0", "1", "1"]
    assert all("<progress" not in page for page in notebook.pages)


def test_a_notebook_is_not_written_to_too_often(notebook, monkeypatch):
    monkeypatch.setattr("warpfront.progress.REFRESH", 60.0)
    with show_progress(5, wanted=True) as report:
        for _ in range(5):
            report(ONE)
    assert [text.split()[1] for text in notebook.texts] == ["0/5", "5/5"]


def test_a_notebook_shows_nothing_if_that_is_not_wanted(notebook):
    with show_progress(5, wanted=False) as report:
        report(ONE)
    assert notebook.texts == []
