"""The report as a whole: the page parsed, its figures, and every kind of missing data."""

import base64
import hashlib
import json
import math
import re
import sys
from datetime import datetime

import numpy as np
import pytest

from tests.report.parsed import Parsed
from tests.report.studies import HOSTILE_NAMES, MIXED, QUICK, evaluated, mixed, told
from warpfront import (
    AtMost,
    Boolean,
    Categorical,
    Integer,
    Maximize,
    Minimize,
    Ordinal,
    Real,
    Settings,
    Space,
    minimize,
)
from warpfront.analysis.texts import number
from warpfront.errors import ConfigurationError, MissingExtraError, SettingsError
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.report import write_report

SECTIONS = [
    "Summary",
    "Convergence",
    "Slices",
    "Importance",
    "Pairs",
    "Parallel coordinates",
    "Timeline",
    "Trials",
    "Model details",
]
HISTORY = mixed()
TIMES = {t.number: (10.0 * t.number, 10.0 * t.number + 25.0) for t in HISTORY.evaluated}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "new" / "folder"
    facts = {"Study": "digits <1>", "Made": "today"}
    path = write_report(HISTORY, folder, title="A & B", settings=QUICK, facts=facts, times=TIMES)
    assert path == folder / "report.html"
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return Parsed((folder / "report.html").read_text("utf-8"))


def written(history, folder, **options):
    options = {"settings": QUICK, **options}
    return Parsed(write_report(history, folder, **options).read_text("utf-8"))


def facts(page):
    terms, details = ([e.text for e in page.all(tag)] for tag in ("dt", "dd"))
    return dict(zip(terms, details, strict=True))


def figures(page):
    """The figures, by the text that stands for them."""
    (data,) = [e for e in page.all("script") if e.attributes.get("type") == "application/json"]
    found = json.loads(data.text)["figures"]
    places = list(page.all("div", "plot"))
    assert [e.attributes["id"] for e in places] == list(found)
    return {e.attributes["aria-label"]: found[e.attributes["id"]] for e in places}


def findings(page):
    return [e.text for e in page.all("li")]


class TestPage:
    def test_the_sections_are_there_and_linked(self, page):
        assert [e.text for e in page.all("h2")] == SECTIONS
        links = {e.attributes["href"]: e.text for e in page.all("a") if e.is_in("nav")}
        ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
        assert len(set(ids)) == len(ids)
        assert {f"#{e.attributes['id']}" for e in page.all("section")} == set(links)
        assert list(links.values()) == SECTIONS

    def test_title_facts_and_versions_are_there_escaped(self, page, folder):
        assert [e.text for e in (*page.all("title"), *page.all("h1"))] == ["A & B"] * 2
        assert facts(page)["Study"] == "digits <1>"
        assert facts(page)["Made"] == "today"
        assert "digits <1>" not in (folder / "report.html").read_text("utf-8")
        (meta,) = page.all("p", "meta")
        said = [e.text for e in page.all("span") if e.inside[-1] is meta]
        assert said[0] == "took 4 min 15 s"
        assert said[1].startswith("warpfront ")
        assert said[2:] == ["26 trials", "7 parameters", "minimize value"]
        assert dict(page.rows("Versions"))["numpy"] == np.__version__

    def test_the_summary_names_the_best_and_counts_the_trials(self, page):
        best, failed = HISTORY.best, len(HISTORY.of_state("failed"))
        first = f"The lowest value is {number(best.value)}, in trial {best.number}."
        assert findings(page)[0].startswith(first)
        assert failed > 2
        (failures,) = [text for text in findings(page) if "failed" in text]
        assert failures.startswith(f"{failed} of 24 trials failed, all with rate above 0.0")
        completed = len(HISTORY.completed)
        assert facts(page)["Trials"] == (
            f"26 (1 pending, {completed} completed, {failed} failed, 1 withdrawn)"
        )

    def test_the_configurations_are_there_to_copy(self, page):
        cards = {
            e.text: b for e, b in zip(page.all("h3"), page.all("button", "copy"), strict=False)
        }
        trials = {trial.number: trial for trial in HISTORY.completed}
        for heading, button in cards.items():
            trial = trials[int(heading.split()[-1])]
            assert json.loads(button.attributes["data-copy"]) == trial.config
        assert re.search(rf"^Best .*trial {HISTORY.best.number}$", next(iter(cards)))

    def test_everything_is_inside_the_page(self, page):
        for element in page.elements:
            for key in ("src", "href", "srcset", "action"):
                assert (element.attributes.get(key) or "#").startswith("#")
        assert page.all("link") == page.all("iframe") == []
        style = page.all("style")[0].text
        assert "url(" not in style
        assert "@import" not in style

    def test_only_its_own_scripts_may_run(self, page):
        (policy,) = [
            e.attributes["content"]
            for e in page.all("meta")
            if e.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        scripts = [e for e in page.all("script") if "type" not in e.attributes]
        assert len(scripts) == 2
        for script in scripts:
            digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; img-src data: blob:; ")
        assert "unsafe-inline" not in policy.partition("script-src")[2]
        assert not any(key.startswith("on") for e in page.elements for key in e.attributes)

    def test_figures_have_texts_and_data(self, page):
        found = figures(page)
        assert len(found) == 2 + 6 + 1 + 6 + 1 + 1 + 2 + 4
        for text, figure in found.items():
            assert len(text) > 10
            assert figure["data"]
            assert "template" not in figure["layout"]
        for name in MIXED:
            along = [text for text in found if f"Expected value along {name}:" in text]
            assert len(along) == (name != "version")

    def test_tables_have_headers(self, page):
        for element in page.all("th"):
            expected = "col" if element.is_in("thead") else "row"
            assert element.attributes["scope"] == expected
        assert len(page.all("caption")) == len(page.all("table"))
        assert len(page.rows("Sobol' indices of value")) == 6
        (steps,) = [page.rows("Trials that improved")]
        assert float(steps[-1][1]) == pytest.approx(HISTORY.best.value, rel=1e-5)

    def test_the_best_trial_is_the_first_row(self, page):
        rows = page.rows("All trials")
        assert len(rows) == len(HISTORY)
        assert rows[0][:2] == [str(HISTORY.best.number), "completed best"]
        done = len(HISTORY.completed)
        values = [float(row[2]) for row in rows[:done]]
        assert values == sorted(values)
        assert {row[1] for row in rows[done:]} == {"failed", "pending", "withdrawn"}
        (marked,) = page.all("tr", "best")
        assert marked.attributes["data-trial"] == str(HISTORY.best.number)

    def test_times_are_shown(self, page):
        rows = {row[0]: row[1:] for row in page.rows("Durations by state")}
        assert rows["failed"][1:3] == ["25 s", "25 s"]
        heads = [e.attributes["data-name"] for e in page.all("th") if "data-name" in e.attributes]
        assert heads == ["trial", "state", "value", *MIXED, "seconds", "reason"]
        assert page.rows("All trials")[0][-2] == "25"
        (text,) = [text for text in figures(page) if "at the same time" in text]
        assert text == "24 trials in 4 min 15 s, up to 3 at the same time."


def test_the_same_history_gives_the_same_bytes(light, tmp_path):
    space = Space(x=Real(0, 1), c=Categorical(["a", "b"]))
    history = told(space, [3.0, 1.0, math.nan, 2.0, 2.5])
    first, second = (
        write_report(history, tmp_path / name, settings=QUICK, times={0: (0.0, 1.0)}).read_bytes()
        for name in ("one", "two")
    )
    assert first == second


def test_no_global_state_is_touched(light, tmp_path):
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    written(told(Space(x=Real(0, 1)), [3.0, 1.0, 2.0]), tmp_path)
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002


def test_a_maximiser_sees_values_and_no_losses(light, tmp_path):
    space = Space(x=Real(0, 1), y=Real(0, 1))
    accuracy = {c["x"]: 0.9 - (c["x"] - 0.4) ** 2 for c in space.sample(10, seed=0)}
    history = evaluated(space, lambda c: -accuracy[c["x"]], 10)
    page = written(history, tmp_path, maximize=True)
    best = max(accuracy.values())
    assert findings(page)[0].startswith(f"The highest value is {number(best)},")
    shown = [float(row[2]) for row in page.rows("All trials")]
    assert shown == pytest.approx(sorted(accuracy.values(), reverse=True), rel=1e-5)
    ranges = [text for text in figures(page) if "Expected value along" in text]
    assert min(float(v) for text in ranges for v in re.findall(r"-?\d\.\d+", text)) > 0.0
    assert "minus the value" in page.section("Model details").text


def test_a_model_that_explains_little_is_said_to(light, tmp_path):
    rng = np.random.default_rng(0)
    history = evaluated(Space(x=Real(0, 1)), lambda _: float(rng.normal()), 20)
    said = " ".join(findings(written(history, tmp_path)))
    assert re.search(r"explains little of the value \(an R² of -?\d\.\d\d", said)
    assert "matters most" not in said
    assert "expected to" not in said


def test_the_paper_settings_have_their_page(light, tmp_path):
    history = told(Space(x=Real(0, 1)), [3.0, 1.0, 2.0])
    page = written(history, tmp_path, settings=Settings.paper(input_warp=False))
    assert "The model has no input warp." in page.section("Model details").text
    assert "Pairs need two parameters" in page.section("Pairs").text


SIMPLE = Space(x=Real(0, 1), c=Categorical(["a", "b"]))


@pytest.mark.parametrize(
    ("values", "says", "count"),
    [
        ([], "there are 0", 0),
        ([1.0], "there are 1", 2),
        ([math.nan] * 4, "No trial has completed yet", 1),
        ([3.0] * 6, "the same value", 2),
    ],
)
def test_few_data_give_a_page_that_says_what_is_missing(light, tmp_path, values, says, count):
    page = written(told(SIMPLE, values), tmp_path)
    assert says in " ".join(findings(page))
    assert "there is no model yet" in findings(page)[-1]
    assert len(figures(page)) == count
    assert len(page.rows("All trials")) == len(values)


@pytest.mark.parametrize(
    ("values", "maximize"),
    [
        ([1.0] * 3 + [1.0 + 4e-16] * 3, False),
        ([1e308, -1.7e308, 1.5e308, 3.0, math.nan, 1e200], True),
        ([5e-324, 1e-310, 2e-310, 0.0], True),
        ([1e-300, 1.0, 3.0, 1e200, 1e308], False),
        ([1.0, 2.0, 3.0, 4.0, 1e12], True),
        ([0.0] * 9 + [0.1, 0.2, 0.3] + [sys.float_info.max] * 6, False),
    ],
    ids=["one bit apart", "huge", "tiny", "all powers", "an outlier", "penalties"],
)
def test_any_finite_values_give_a_whole_page(light, tmp_path, values, maximize):
    with np.errstate(all="raise"):
        page = written(told(Space(x=Real(0, 1)), values), tmp_path, maximize=maximize)
    assert [e.text for e in page.all("h2")] == [s for s in SECTIONS if s != "Timeline"]


def test_names_of_any_kind_are_shown_and_harm_nothing(light, tmp_path):
    folder = tmp_path / "inner"
    history = told(HOSTILE_NAMES, np.random.default_rng(0).random(8).tolist())
    reason = "</script><script>alert(1)</script> & 'x'"
    history = history.tell([(None, c, OSError(reason)) for c in HOSTILE_NAMES.sample(1, seed=5)])
    page = written(history, folder, title="<b>", facts={"<i>": "&amp;"})
    assert [path.name for path in folder.iterdir()] == ["report.html"]
    assert len(page.all("script")) == 3
    assert page.all("b") == page.all("i") == []
    heads = [e.attributes.get("data-name") for e in page.all("th")]
    for name in list(HOSTILE_NAMES)[:2]:
        assert name in heads
    assert reason in page.section("Trials").text
    assert reason in " ".join(findings(page))
    assert "</script><script>alert" not in (folder / "report.html").read_text("utf-8")


def test_many_parameters_and_many_choices_stay_readable(light, tmp_path):
    space = Space(
        {f"flag_{i}": Boolean() for i in range(22)},
        choice=Categorical([f"a choice of number {i}" for i in range(50)]),
        place=Ordinal(list(range(50))),
        only=Categorical(["one"]),
    )
    history = told(space, np.random.default_rng(1).random(30).tolist())
    page = written(history, tmp_path)
    text = page.section("Slices").text
    assert "The 15 most promising of 50 choices." in text
    assert "15 more" in text
    assert "Constants have no slice: only." in text
    assert len([alt for alt in figures(page) if "Expected value along" in alt]) == 24
    assert len(page.rows("Sobol' indices")) == 24
    assert len(page.rows("Input warps")) == 1  # the ordinal one


def test_a_result_knows_its_times(light, tmp_path):
    result = minimize(lambda c: c["x"], Space(x=Real(0, 1)), 4, seed=0, settings=QUICK)
    page = Parsed(write_report(result, tmp_path).read_text("utf-8"))
    assert "Timeline" in [e.text for e in page.all("h2")]
    assert page.all("p", "meta")[0].text.strip().startswith(f"{result.began:%d}".lstrip("0"))
    alone = [written(given, tmp_path) for given in (result.history, result.optimizer)]
    assert alone[0].elements == alone[1].elements
    assert "Timeline" not in [e.text for e in alone[0].all("h2")]


def test_dates_are_shown_and_have_to_be_of_one_kind(light, tmp_path):
    noon = datetime(2026, 5, 1, 12, 0)
    times = {0: (noon, noon.replace(minute=30)), 1: (noon.replace(minute=20), None)}
    page = written(told(Space(x=Real(0, 1)), [3.0, 1.0, 2.0]), tmp_path, times=times)
    assert page.all("p", "meta")[0].text.strip().startswith("1 May 2026, 12:00took 30 min")
    with pytest.raises(ConfigurationError, match=r"does not fit the others; give all moments as"):
        written(HISTORY, tmp_path, times={**times, 1: (5.0, 6.0)})


def test_a_name_that_ends_in_html_is_the_page_itself(light, tmp_path):
    history = told(SIMPLE, [1.0, 2.0])
    page = write_report(history, tmp_path / "new" / "x.html")
    assert page == tmp_path / "new" / "x.html"
    assert list(page.parent.iterdir()) == [page]
    folder = tmp_path / "folder.html"  # a folder of such a name stays one
    folder.mkdir()
    assert write_report(history, folder) == folder / "report.html"


GOALS = (Minimize("loss"), Maximize("speed"), AtMost("memory", 5.0), AtMost("heat", 1.0))


def test_several_goals_have_a_front_and_slices_of_each_outcome(light, tmp_path):
    space = Space(x=Real(0, 1), y=Real(0, 1))
    outcomes = [
        {"loss": c["x"], "speed": c["y"], "memory": 10 * c["y"], "heat": 2 * c["x"]}
        for c in space.sample(16, seed=0)
    ]
    history = History(Problem(space, GOALS)).tell(
        [(None, c, o) for c, o in zip(space.sample(16, seed=0), outcomes, strict=True)]
    )
    page = written(history, tmp_path)
    headings = [e.text for e in page.all("h2")]
    assert headings[:4] == ["Summary", "Convergence", "Pareto front", "Feasibility"]
    said = findings(page)
    assert f"{len(history.front)} of 16 trials form the Pareto front" in said[0]
    kept = sum(history.is_feasible(trial) for trial in history.trials)
    assert said[1].startswith(f"{kept} of 16 completed trials keep all bounds; ")
    assert "is broken most often, by 8." in said[1]
    alts = figures(page)
    for name in ("loss", "speed", "memory", "heat"):
        assert f"Expected {name} along x:" in " ".join(alts)
        assert f"{name} matters most" not in " ".join(said)
    assert "x matters most for loss" in " ".join(said)
    assert "y matters most for memory" in " ".join(said)
    (front,) = [figure for alt, figure in alts.items() if "on the Pareto front of" in alt]
    assert [trace["name"] for trace in front["data"]] == [
        "breaks a bound",
        "observed",
        "front",
        "compromise",
    ]
    assert len(page.rows("The Pareto front")) == len(history.front)
    assert {row[0]: row[1] for row in page.rows("Trials that keep each bound")} == {
        "memory ≤ 5": "8",
        "heat ≤ 1": "8",
    }
    rows = page.rows("All trials")
    assert rows[0][1] == "completed compromise"
    assert {row[1] for row in rows[1 : len(history.front)]} == {"completed front"}
    assert rows[-1][1] == "completed breaks a bound"


def test_nothing_feasible_has_a_page(light, tmp_path):
    space = Space(x=Real(0, 1))
    history = History(Problem(space, (Minimize("loss"), AtMost("memory", 0.0)))).tell(
        [(None, c, {"loss": c["x"], "memory": 1 + c["x"]}) for c in space.sample(8, seed=0)]
    )
    page = written(history, tmp_path)
    assert findings(page)[0] == "None of 8 completed trials keep the bound memory ≤ 0."
    assert page.all("button", "copy") == []


def test_conditions_are_respected(light, tmp_path):
    space = Space(kind=Categorical(["tree", "net"]), depth=Integer(1, 9, when={"kind": "tree"}))
    history = evaluated(space, lambda c: c.get("depth", 0.5) + (c["kind"] == "tree"), 16)
    assert "depth" not in history.best.config
    page = written(history, tmp_path)
    (along,) = [figure for alt, figure in figures(page).items() if "along depth" in alt]
    dots = next(trace for trace in along["data"] if trace["name"] == "observed")
    active = [t for t in history.trials if "depth" in t.config]
    assert len(dots["hovertext"]) == len(active) < 16
    assert page.rows("All trials")[0][-1] == ""


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"history": HISTORY.trials[:0]}, ConfigurationError, "history=(): must be a history"),
        ({"settings": {"starts": 1}}, SettingsError, "settings={'starts': 1}: must be"),
        ({"seed": -1}, ConfigurationError, "seed=-1: must be a whole number of at least 0"),
        ({"times": {0: (2.0, 1.0)}}, ConfigurationError, "trial 0 ends (1.0) before it begins"),
    ],
)
def test_a_bad_argument_is_named_and_nothing_is_written(tmp_path, arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        write_report(**{"history": HISTORY, "target": tmp_path / "none", **arguments})
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_says_how_to_install_it(tmp_path, missing):
    with pytest.raises(MissingExtraError, match=rf"reports need {missing}: pip .*\[study\]"):
        write_report(HISTORY, tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
