"""The page in a real browser: what is seen, what a click does, and that nothing goes wrong."""

import csv
import json
import math

import pytest

from tests.chromium import browser
from tests.report.studies import HOSTILE_NAMES, MIXED, QUICK, mixed, told
from warpfront import Real, Space
from warpfront.analysis.texts import number
from warpfront.report import write_report

HISTORY = mixed(16)
TIMES = {trial.number: (float(trial.number), trial.number + 2.5) for trial in HISTORY.evaluated}
COLUMN = (
    "[...document.querySelectorAll('table.trials tbody tr')].filter(r => !r.hidden)"
    ".map(r => r.cells[{}].innerText)"
)
DRAW_ALL = """
(() => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  places.forEach(draw);
})()
"""
DRAWN = "places.length && places.every(p => p.querySelector('.main-svg'))"
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
  const texts = 'h1, h2, h3, p, a, li, dt, dd, button, input, label, th, td, span, summary';
  return [...document.querySelectorAll(texts)]
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
    facts = {"Who": "me"}
    path = write_report(HISTORY, folder, title="A study", settings=QUICK, facts=facts, times=TIMES)
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
    assert {a for a in tab.requests if not a.startswith("blob:")} == {address}


def has_no_overflow(tab):
    return tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def column(page, index):
    return page.evaluate(COLUMN.format(index))


def enter(page, selector, value, event):
    page.evaluate(
        f"(() => {{ const e = document.querySelector('{selector}'); e.value = {json.dumps(value)};"
        f" e.dispatchEvent(new Event('{event}')); }})()"
    )


@pytest.mark.parametrize("width", [1200, 400])
def test_all_figures_are_drawn_and_fit(page, width):
    page.resize(width, 900)
    page.evaluate(DRAW_ALL)
    page.wait_for(DRAWN)
    assert has_no_overflow(page)
    wide = "places.filter(p => p.clientWidth > p.parentElement.clientWidth).length"
    assert page.evaluate(wide) == (width == 400)  # parallel coordinates are scrolled
    text = page.text
    for expected in ("A study", "Who", f"trial {HISTORY.best.number}", number(HISTORY.best.value)):
        assert expected in text


def test_figures_wait_until_they_come_near(page):
    page.wait_for("drawn.size > 0")
    assert page.evaluate("drawn.size < places.length")
    page.evaluate(
        "places.find(p => p.getAttribute('aria-label').includes('the same time')).scrollIntoView()"
    )
    page.wait_for("[...drawn].some(p => p.getAttribute('aria-label').includes('the same time'))")


def test_the_text_under_the_mouse_is_that_of_the_trial(page):
    page.wait_for("drawn.has(places[0])")
    first = HISTORY.completed[0]
    shown = page.evaluate("places[0].data[0].hovertext[0]")
    assert shown.startswith(f"trial {first.number}<br>value {number(first.value)}<br>rate: ")


def test_a_click_on_a_header_sorts(page):
    header = "table.trials thead th:nth-child(3)"
    values = [None if t.value is None else number(t.value) for t in HISTORY.trials]
    known = sorted((v for v in values if v is not None), key=float)
    blank = [""] * values.count(None)
    assert column(page, 2) == known + blank  # as it opens
    page.click(f"{header} button")
    assert column(page, 2) == known + blank
    assert page.evaluate(f"document.querySelector('{header}').ariaSort") == "ascending"
    page.click(f"{header} button")
    assert column(page, 2) == known[::-1] + blank
    page.click("table.trials thead th:nth-child(1) button")
    assert column(page, 0) == [str(trial.number) for trial in HISTORY.trials]
    assert page.evaluate("document.querySelectorAll('[aria-sort]').length") == 1
    index = 3 + list(MIXED).index("activation")
    page.click(f"table.trials thead th:nth-child({index + 1}) button")
    shown = column(page, index)
    assert shown == sorted(shown)
    assert set(shown) == {"null", "relu", "tanh"}


def test_the_table_is_filtered_and_shown_again(page):
    enter(page, "select.state", "failed", "change")
    failed = HISTORY.of_state("failed")
    assert column(page, 0) == [str(trial.number) for trial in failed]
    assert page.evaluate("document.querySelector('.count').textContent") == (
        f"{len(failed)} of {len(HISTORY)} trials"
    )
    page.click("button.clear")
    assert len(column(page, 0)) == len(HISTORY)
    enter(page, "input.filter", "TANH", "input")
    assert set(column(page, 3 + list(MIXED).index("activation"))) == {"tanh"}


def test_parallel_coordinates_select_rows(page):
    page.evaluate("draw(places.find(p => held.figures[p.id].data[0].type === 'parcoords'))")
    page.wait_for("[...drawn].some(p => p.data && p.data[0].type === 'parcoords' && p.on)")
    page.evaluate(
        "void Plotly.restyle(places.find(p => drawn.has(p) && p.data[0].type === 'parcoords'), "
        "{'dimensions[0].constraintrange': [[[0.0, 0.5]]]})"
    )
    chosen = {str(t.number) for t in HISTORY.completed if t.config["rate"] <= 1e-3}
    assert 0 < len(chosen) < len(HISTORY.completed)
    assert set(page.wait_for(f"selected && {COLUMN.format(0)}")) == chosen
    page.click("button.clear")
    page.wait_for("selected === null")
    assert len(column(page, 0)) == len(HISTORY)


def test_the_download_has_whole_values_and_no_formulas(tab, tmp_path):
    space = Space({"=rate,1": Real(-1, 1), "x": Real(0, 1)})
    history = told(space, [1 / 3, OSError('=1+1 "quoted"\nagain'), -2.0])
    path = write_report(history, tmp_path, title="A study: 1", settings=QUICK)
    tab.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab.errors.clear()
    tab.open(path.as_uri())
    tab.click("button.csv")
    target = tmp_path / "A-study-1.csv"
    for _ in range(100):
        if target.is_file():
            break
        tab.evaluate("new Promise(done => setTimeout(done, 100))")
    with target.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["trial", "state", "value", "'=rate,1", "x", "reason"]
    best, other, failed = rows
    assert best[:3] == ["2", "completed", "-2.0"]
    assert float(best[3]) == history.trials[2].config["=rate,1"]
    assert float(other[2]) == 1 / 3
    assert failed[-1] == 'OSError: =1+1 "quoted"\nagain'
    assert tab.errors == []


def test_formulas_are_made_texts(page):
    fields = ["=1", "+a", "-x", "-1.5", "@a", 'a"b', "plain"]
    assert page.evaluate(f"{json.dumps(fields)}.map(field)") == [
        "'=1",
        "'+a",
        "'-x",
        "-1.5",
        "'@a",
        '"a""b"',
        "plain",
    ]


def test_the_configuration_is_copied(page):
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{value: {writeText: async (text) => { window.copied = text; }}})"
    )
    page.click("button.copy")
    assert json.loads(page.wait_for("window.copied")) == HISTORY.best.config
    page.wait_for("document.querySelector('button.copy').textContent === 'Copied'")
    assert "clipboard" in page.evaluate("document.querySelector('.live').textContent")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable(page, scheme):
    page.prefer(scheme)
    page.wait_for("drawn.has(places[0]) && places[0].layout")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 20, 23)"
    assert dark == (scheme == "dark")
    assert min(page.evaluate(CONTRAST)) >= 4.5  # WCAG, level AA
    ink = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')")
    page.wait_for(f"places[0].layout.template.layout.font.color === {json.dumps(ink.strip())}")


def test_a_screen_reader_has_names_for_everything(page):
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input, select, .plot, .scroll, section, article')]"
        ".filter(e => !(e.ariaLabel || e.labels?.length || e.textContent.trim())).length"
    )
    assert unnamed == 0
    roles = page.evaluate("places.map(p => p.getAttribute('role'))")
    assert set(roles) == {"img"}


def test_hostile_names_are_only_texts(tab, tmp_path):
    history = told(HOSTILE_NAMES, [3.0, 1.0, 2.0, math.nan])
    path = write_report(history, tmp_path, title="<img src=x onerror=alert(1)>", settings=QUICK)
    tab.errors.clear()
    tab.resize(400, 900)
    tab.open(path.as_uri())
    tab.evaluate(DRAW_ALL)
    tab.wait_for(DRAWN)
    assert tab.evaluate("document.title") == "<img src=x onerror=alert(1)>"
    assert next(iter(HOSTILE_NAMES)) in tab.text
    assert tab.evaluate("document.images.length") == 0
    assert has_no_overflow(tab)
    assert tab.errors == []


def test_two_thousand_trials_stay_usable(tab, tmp_path):
    # Of equal values there is no model, so that this is about the page alone.
    history = told(Space({f"p{i}": Real(0, 1) for i in range(12)}), [1.0] * 2000)
    path = write_report(history, tmp_path, times={t: (t, t + 3.0) for t in range(2000)})
    tab.errors.clear()
    tab.resize(1200, 900)
    tab.open(path.as_uri())
    seconds = tab.evaluate(
        "(() => { const start = performance.now(); "
        "document.querySelector('table.trials thead th:nth-child(4) button').click(); "
        "document.body.offsetHeight; return (performance.now() - start) / 1000; })()"
    )
    assert seconds < 60.0  # a fraction of one on a machine that is not busy
    shown = [float(v) for v in column(tab, 3)]
    assert shown == sorted(shown)
    assert len(shown) == 2000
    assert tab.evaluate("document.querySelector('.tall').clientHeight") < 700
    assert tab.errors == []
