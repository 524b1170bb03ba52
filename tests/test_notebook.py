"""What a notebook shows: escaped, small, without colours of its own."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests.loop.losses import UP, loss, search
from warpfront import HEBO, Categorical, RandomSearch, Real, Result, Space, Trial, minimize
from warpfront.failure import Failure
from warpfront.notebook import LONGEST, MOST_ROWS, card

NASTY = '<script>alert("&")</script>'
VOID = {"progress"}


class Reader(HTMLParser):
    """Checks that what is opened is closed, and keeps the texts."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def shown(thing):
    return Reader(thing._repr_html_())


def nasty_things():
    space = Space({NASTY: Categorical([NASTY, "b"]), "x": Real(0, 1)})
    optimizer = RandomSearch(space, 0)
    optimizer.tell({NASTY: NASTY, "x": 0.123456789}, 1.5)
    optimizer.tell({NASTY: "b", "x": 0.5}, Failure(NASTY))
    history = optimizer.history
    return [space, optimizer, Result(optimizer, stopped=NASTY), *history.trials]


@pytest.mark.parametrize("thing", nasty_things(), ids=lambda thing: type(thing).__name__)
def test_nothing_of_the_users_is_taken_for_html(thing):
    read = shown(thing)
    assert set(read.tags) <= {"div", "b", "span", "table", "tbody", "tr", "th", "td"}
    assert any(NASTY in text for text in read.texts)


@pytest.mark.parametrize("thing", nasty_things(), ids=lambda thing: type(thing).__name__)
def test_it_can_be_read_in_the_dark(thing):
    """Neither a background nor a colour for texts that the theme of the notebook does not know."""
    style = " ".join(re.findall(r'style="([^"]*)"', thing._repr_html_()))
    colours = re.findall(r"(?:color|background)[a-z-]*: *([^;\" ]+)", style)
    assert set(colours) <= {"inherit", "transparent"}


def test_a_trial_shows_value_and_configuration():
    config = {"rate": 0.1 + 0.2, "layers": [64, 32]}
    trial = Trial(7, config, "completed", {"loss": 1.25, "time": None})
    assert shown(trial).texts == [
        *("Trial 7", " ", "loss 1.25 · time None", "rate", "0.3", "layers", "[64, 32]"),
    ]
    failed = Trial(8, {"rate": 0.5}, "failed", reason="KeyError: 'x' (a.py:3)")
    assert shown(failed).texts[2] == "failed · KeyError: 'x' (a.py:3)"


def test_a_space_shows_its_parameters():
    texts = shown(Space(x=Real(0, 1), kind=Categorical(["a", "b"]))).texts
    assert texts[:3] == ["Space", " ", "2 parameters"]
    assert texts[3:5] == ["x", repr(Real(0, 1))]


def test_an_optimiser_and_a_result_show_the_best():
    result = minimize(loss, search(goals=UP), 4)
    texts = shown(result).texts
    assert texts[:3] == ["Result", " ", "4 trials · stopped by: budget"]
    assert texts[3:5] == [f"best (trial {result.best.number})", f"{result.best.value:.6g}"]
    assert shown(result.optimizer).texts[0] == "RandomSearch"
    empty = HEBO(Space(x=Real(0, 1)), seed=0)
    assert shown(empty).texts[2] == "0 trials · no success yet"


def test_they_are_small_however_large_the_space():
    space = Space({f"p{i}": Categorical(["x" * 10_000, "y"]) for i in range(500)})
    for thing in (space, RandomSearch(space, 0).ask(1)[0].trial):
        html = thing._repr_html_()
        assert len(html) < 50_000
        assert f"and {500 - MOST_ROWS} more" in html


def test_texts_are_cut():
    html = card("x" * 10, ["n" * 10_000], [("k" * 10_000, "v" * 10_000)])
    assert len(html) < 4 * LONGEST + 1000


def test_an_optimiser_says_in_a_line_what_it_knows():
    optimizer = search()
    assert repr(optimizer) == "<RandomSearch of 3 parameters: 0 trials; no success yet>"
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    optimizer.ask(2)
    assert repr(optimizer) == (
        "<RandomSearch of 3 parameters: 3 trials (2 pending, 1 completed); best -5 (trial 0)>"
    )
