"""The page in a real browser: what is seen, what a click does, and that nothing goes wrong."""

import json
import math

import numpy as np
import pytest

from tests.chromium import browser
from tests.report.studies import HOSTILE_NAMES, MIXED, QUICK, mixed, told
from warpfront import Real, Space
from warpfront.analysis.texts import number
from warpfront.report import write_report

HISTORY = mixed(16)
COLUMN = "[...document.querySelectorAll('table.trials tbody tr')].map(r => r.cells[{}].innerText)"
CONTRAST = """
(() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const below = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('h1, h2, p, a, dt, dd, pre, button, th, td, span, caption')]
    .map(e => [light(getComputedStyle(e).color), light(below(e))].sort((a, b) => b - a))
    .map(([high, low]) => (high + 0.05) / (low + 0.05));
})()
"""


@pytest.fixture(scope="module")
def tab():
    with browser() as tab:
        yield tab


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    path = write_report(HISTORY, folder, title="A study", settings=QUICK, facts={"Who": "me"})
    for picture in folder.glob("*.png"):  # the page must work alone, as when it is mailed
        picture.unlink()
    return path.as_uri()


@pytest.fixture
def page(tab, address):
    tab.errors.clear()
    tab.requests.clear()
    tab.prefer("light")
    tab.resize(1200, 900)
    tab.open(address)
    yield tab
    assert tab.errors == []
    assert tab.requests == [address]  # nothing from anywhere else


def test_what_is_on_the_page(page):
    text = page.text
    best = HISTORY.best
    for expected in ("A study", "Who", "me", f"Best value (lowest), trial {best.number}"):
        assert expected in text
    assert number(best.value) in text
    assert page.evaluate("document.title") == "A study"
    shown = json.loads(page.evaluate("document.querySelector('pre').innerText"))
    assert shown == best.config


def test_all_pictures_have_loaded_and_are_sharp(page):
    images = page.images
    assert len(images) == 5 + 6
    for image in images:
        assert image["width"] >= 1.9 * image["shown"] > 100
        assert image["alt"]


def column(page, index):
    return page.evaluate(COLUMN.format(index))


def test_a_click_on_a_header_sorts(page):
    header = "table.trials thead th:nth-child(3)"
    values = [None if t.value is None else number(t.value) for t in HISTORY.trials]
    known = sorted((v for v in values if v is not None), key=float)
    blank = [""] * values.count(None)
    page.click(f"{header} button")
    assert column(page, 2) == known + blank
    assert page.evaluate(f"document.querySelector('{header}').ariaSort") == "ascending"
    page.click(f"{header} button")
    assert column(page, 2) == known[::-1] + blank
    page.click("table.trials thead th:nth-child(1) button")
    assert column(page, 0) == [str(trial.number) for trial in HISTORY.trials]
    assert page.evaluate("document.querySelectorAll('[aria-sort]').length") == 1


def test_texts_sort_as_texts(page):
    index = 3 + list(MIXED).index("activation")
    page.click(f"table.trials thead th:nth-child({index + 1}) button")
    shown = column(page, index)
    assert shown == sorted(shown)
    assert set(shown) == {"null", "relu", "tanh"}


def test_rows_stay_whole_when_sorted(page):
    page.click("table.trials thead th:nth-child(3) button")
    (marked,) = page.evaluate(
        "[...document.querySelectorAll('tr.best')].map(r => [r.rowIndex, r.cells[0].innerText])"
    )
    assert marked == [1, str(HISTORY.best.number)]


def test_the_configuration_is_selected_for_copying(page):
    page.click("button.copy")
    selected = page.evaluate("getSelection().toString()")
    assert json.loads(selected) == HISTORY.best.config


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable(page, scheme):
    page.prefer(scheme)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 18, 18)"
    assert dark == (scheme == "dark")
    assert min(page.evaluate(CONTRAST)) >= 4.5  # WCAG, level AA


def test_a_telephone_shows_it_without_scrolling_sideways(page):
    page.resize(400, 800)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_are_only_texts(tab, tmp_path):
    history = told(HOSTILE_NAMES, [3.0, 1.0, 2.0, math.nan])
    path = write_report(history, tmp_path, title="<img src=x onerror=alert(1)>", settings=QUICK)
    tab.errors.clear()
    tab.open(path.as_uri())
    assert tab.evaluate("document.title") == "<img src=x onerror=alert(1)>"
    assert next(iter(HOSTILE_NAMES)) in tab.text
    assert all(image["width"] for image in tab.images)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.errors == []


def test_a_thousand_trials_stay_usable(tab, tmp_path):
    # Of equal values there is no model, so that this is about the page alone.
    history = told(Space({f"p{i}": Real(0, 1) for i in range(12)}), [1.0] * 1000)
    path = write_report(history, tmp_path)
    tab.errors.clear()
    tab.open(path.as_uri())
    seconds = tab.evaluate(
        "(() => { const start = performance.now(); "
        "document.querySelector('table.trials thead th:nth-child(4) button').click(); "
        "document.body.offsetHeight; return (performance.now() - start) / 1000; })()"
    )
    assert seconds < 5.0  # a fraction of one on a machine that is not busy
    shown = [float(v) for v in column(tab, 3)]
    assert len(shown) == 1000
    assert np.all(np.diff(shown) >= 0.0)
    assert tab.evaluate("document.querySelector('.scroll').clientHeight") < 700
    assert tab.errors == []
