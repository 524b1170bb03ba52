"""The report as a whole: the page parsed, its pictures, and every kind of missing data."""

import base64
import hashlib
import json
import math
import re
import sys

import matplotlib as mpl
import numpy as np
import pytest

from tests.report.parsed import Parsed
from tests.report.studies import HOSTILE_NAMES, MIXED, QUICK, evaluated, mixed, told
from warpfront import Boolean, Categorical, Minimize, Ordinal, Real, Settings, Space, minimize
from warpfront.analysis.texts import number
from warpfront.errors import ConfigurationError, MissingExtraError, SettingsError
from warpfront.history import History, Trial
from warpfront.report import write_report
from warpfront.report.figure import DPI, SCREEN_DPI
from warpfront.report.table import trials_table

SECTIONS = [
    "Summary",
    "Convergence",
    "Importance",
    "Slices",
    "Pairs",
    "Input warps",
    "Output transform",
    "Trials",
]
PICTURES = {
    "convergence.png",
    "importance.png",
    "pairs.png",
    "input-warps.png",
    "output-transform.png",
    *(f"slice-{j + 1}-{name}.png" for j, name in enumerate(MIXED) if name != "version"),
}
HISTORY = mixed()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "new" / "folder"
    facts = {"Study": "digits <1>", "Made": "today"}
    path = write_report(HISTORY, folder, title="A & B", settings=QUICK, facts=facts)
    assert path == folder / "report.html"
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return Parsed((folder / "report.html").read_text("utf-8"))


def written(history, folder, **options):
    return Parsed(write_report(history, folder, settings=QUICK, **options).read_text("utf-8"))


def embedded(page):
    """The bytes of the pictures on a page."""
    prefix = "data:image/png;base64,"
    sources = [e.attributes["src"] for e in page.all("img")]
    assert all(source.startswith(prefix) for source in sources)
    return [base64.b64decode(source[len(prefix) :]) for source in sources]


class TestPage:
    def test_the_sections_are_there_and_linked(self, page):
        assert [e.text for e in page.all("h2")] == SECTIONS
        links = {e.attributes["href"]: e.text for e in page.all("a")}
        ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
        assert len(set(ids)) == len(ids)
        assert {f"#{e.attributes['id']}" for e in page.all("section")} == set(links)
        assert list(links.values()) == SECTIONS

    def test_title_and_facts_are_there_escaped(self, page, folder):
        assert [e.text for e in (*page.all("title"), *page.all("h1"))] == ["A & B"] * 2
        terms = [e.text for e in page.all("dt")]
        details = [e.text for e in page.all("dd")]
        facts = dict(zip(terms, details, strict=True))
        assert facts["Study"] == "digits <1>"
        assert facts["Made"] == "today"
        assert "<1>" not in (folder / "report.html").read_text("utf-8")

    def test_the_summary_names_the_best_and_counts_the_trials(self, page):
        best = HISTORY.best
        details = [e.text for e in page.all("dd")]
        failed = len(HISTORY.of_state("failed"))
        assert failed > 0
        completed = len(HISTORY.completed)
        assert details[:2] == [
            number(best.value),
            f"26 (1 pending, {completed} completed, {failed} failed, 1 withdrawn)",
        ]
        assert page.all("dt")[0].text == f"Best value (lowest), trial {best.number}"
        (configuration,) = page.all("pre")
        assert json.loads(configuration.text) == best.config

    def test_everything_is_inside_the_page(self, page):
        for element in page.elements:
            for key in ("src", "href", "srcset", "action"):
                value = element.attributes.get(key) or ""
                assert value == "" or value.startswith(("data:image/png;base64,", "#"))
        assert page.all("link") == page.all("iframe") == []
        style = page.all("style")[0].text
        assert "url(" not in style
        assert "@import" not in style

    def test_only_its_own_script_and_style_may_run(self, page):
        (policy,) = [
            e.attributes["content"]
            for e in page.all("meta")
            if e.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        for tag in ("script", "style"):
            (element,) = page.all(tag)
            digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; img-src data:; ")
        assert not any("style" in e.attributes for e in page.elements)
        assert not any(key.startswith("on") for e in page.elements for key in e.attributes)

    def test_pictures_have_texts_and_sizes(self, page):
        for element in page.all("img"):
            assert len(element.attributes["alt"]) > 20
            assert int(element.attributes["width"]) > 100
        alts = " ".join(e.attributes["alt"] for e in page.all("img"))
        for name in MIXED:
            assert (f"Predicted value along {name}:" in alts) == (name != "version")

    def test_tables_have_headers(self, page):
        for element in page.all("th"):
            expected = "col" if element.is_in("thead") else "row"
            assert element.attributes["scope"] == expected
        assert len(page.all("caption")) == len(page.all("table")) == 3

    def test_importances_have_the_digits_that_are_right(self, page):
        cells = [cell for row in page.rows("Sobol' indices") for cell in row[1:]]
        assert len(cells) == 12
        assert all(re.fullmatch(r"[01]\.\d\d", cell) for cell in cells)

    def test_constants_are_named_as_such(self, page):
        assert "Constants have no slice: version." in page.section("Slices").text

    def test_the_limits_are_said(self, page):
        assert "the 4 most important of 6 parameters" in page.section("Pairs").text

    def test_the_transform_is_named(self, page):
        text = page.section("Output transform").text
        assert re.search(r"(Box-Cox|Yeo-Johnson) of the value with ζ = -?\d", text)


class TestTable:
    def test_every_trial_has_its_row(self, page):
        rows = page.rows("All trials")
        assert len(rows) == len(HISTORY) == 26
        for row, trial in zip(rows, HISTORY.trials, strict=True):
            assert row[0] == str(trial.number)
            assert row[1].split()[0] == trial.state
            assert row[2] == ("" if trial.value is None else number(trial.value))
            assert row[3] == number(trial.config["rate"])
            assert row[-1] == (trial.reason or "")
        heads = [e.text for e in page.all("button") if e.is_in("th")]
        assert heads == ["trial", "state", "value", *MIXED, "reason"]

    def test_the_columns_are_those_of_the_space_in_whatever_order_a_configuration_is(self):
        history = History(
            Space(x=Real(0, 1), y=Real(0, 1)),
            (Trial(0, {"y": 0.75, "x": 0.25}, "completed", {"value": 1.0}),),
        )
        assert Parsed(trials_table(history)).rows("All trials")[0][3:] == ["0.25", "0.75"]

    def test_the_best_is_marked_once(self, page):
        (row,) = page.all("tr", "best")
        assert row.text.startswith(f"{HISTORY.best.number}completed best")

    def test_rounded_numbers_are_whole_in_their_hints(self, page):
        hints = [e.attributes["title"] for e in page.all("td") if "title" in e.attributes]
        assert repr(HISTORY.best.value) in hints
        assert repr(HISTORY.best.config["rate"]) in hints

    def test_without_failures_there_is_no_column_of_reasons(self, tmp_path):
        page = written(told(Space(x=Real(0, 1)), [1.0]), tmp_path)
        assert [e.text for e in page.all("button") if e.is_in("th")] == [
            "trial",
            "state",
            "value",
            "x",
        ]


class TestPictures:
    def test_the_files_are_those_of_the_page(self, folder, page):
        files = {path.name: path.read_bytes() for path in folder.glob("*.png")}
        assert set(files) == PICTURES
        assert sorted(embedded(page)) == sorted(files.values())

    def test_they_are_sharp_and_carry_no_date_or_version(self, folder):
        for path in folder.glob("*.png"):
            data = path.read_bytes()
            assert data.startswith(b"\x89PNG")
            assert b"tEXt" not in data
            assert b"tIME" not in data
        width = int.from_bytes((folder / "convergence.png").read_bytes()[16:20], "big")
        assert width == pytest.approx(10.2 * DPI, abs=1.0)
        assert DPI == 2 * SCREEN_DPI

    def test_no_global_state_is_touched(self, tmp_path):
        before, state = dict(mpl.rcParams), np.random.get_state()[1].tolist()  # noqa: NPY002
        written(told(Space(x=Real(0, 1)), [3.0, 1.0, 2.0]), tmp_path)
        assert dict(mpl.rcParams) == before
        assert np.random.get_state()[1].tolist() == state  # noqa: NPY002


def test_the_same_history_gives_the_same_bytes(tmp_path):
    space = Space(x=Real(0, 1), c=Categorical(["a", "b"]))
    history = told(space, [3.0, 1.0, math.nan, 2.0, 2.5])
    pages = [write_report(history, tmp_path / name, settings=QUICK) for name in ("one", "two")]
    first, second = ({p.name: p.read_bytes() for p in path.parent.iterdir()} for path in pages)
    assert first == second


def test_a_maximiser_sees_values_and_no_losses(undrawn, tmp_path):
    space = Space(x=Real(0, 1), y=Real(0, 1))
    accuracy = {c["x"]: 0.9 - (c["x"] - 0.4) ** 2 for c in space.sample(10, seed=0)}
    history = evaluated(space, lambda c: -accuracy[c["x"]], 10)
    page = written(history, tmp_path, maximize=True)
    best = max(accuracy.values())
    assert page.all("dd")[0].text == number(best)
    assert page.all("dt")[0].text.startswith("Best value (highest)")
    assert [float(row[2]) for row in page.rows("All trials")] == pytest.approx(
        list(accuracy.values()), rel=1e-5
    )
    alts = [e.attributes["alt"] for e in page.all("img")]
    assert f"to {number(best)};" in alts[0]  # convergence
    shown = [float(v) for alt in alts if "along" in alt for v in re.findall(r"-?\d\.\d+", alt)]
    assert min(shown) > 0.0
    assert "minus the value" in page.section("Output transform").text


def test_a_model_that_explains_little_is_said_to(undrawn, tmp_path):
    rng = np.random.default_rng(0)
    history = evaluated(Space(x=Real(0, 1)), lambda _: float(rng.normal()), 20)
    page = written(history, tmp_path)
    (caveat,) = page.all("p", "caveat")
    assert "explains little" in caveat.text
    assert re.search(r"R² of -?\d\.\d\d", caveat.text)


@pytest.mark.parametrize("warp", ["none", "robust"])
def test_only_what_is_bent_is_said_to_look_normal(undrawn, tmp_path, warp):
    settings = Settings(models=["warped"], output_warp=warp)
    history = evaluated(Space(x=Real(0, 1)), lambda c: math.exp(5.0 * c["x"]), 12)
    page = Parsed(write_report(history, tmp_path, settings=settings).read_text("utf-8"))
    text = page.section("Output transform").text
    assert ("normal distribution" in text) is (warp != "none")


def test_the_paper_settings_have_their_page(tmp_path):
    settings = Settings.paper(input_warp=False)
    history = told(Space(x=Real(0, 1)), [3.0, 1.0, 2.0])
    page = Parsed(write_report(history, tmp_path, settings=settings).read_text("utf-8"))
    assert "The model has no input warp." in page.section("Input warps").text
    assert "Pairs need two parameters" in page.section("Pairs").text
    assert not (tmp_path / "input-warps.png").exists()


SIMPLE = Space(x=Real(0, 1), c=Categorical(["a", "b"]))


@pytest.mark.parametrize(
    ("values", "says", "pictures"),
    [
        ([], "there are 0", 0),
        ([1.0], "there are 1", 1),
        ([1.0, 2.0], "there are 2", 1),
        ([math.nan] * 4, "No trial has completed yet", 0),
        ([3.0] * 6, "the same value", 1),
    ],
)
def test_few_data_give_a_page_that_says_what_is_missing(tmp_path, values, says, pictures):
    page = written(told(SIMPLE, values), tmp_path)
    missing = " ".join(e.text for e in page.all("p", "missing"))
    assert says in missing
    assert "no slices, pairs, warps and importances yet" in missing
    assert len(page.all("img")) == len(list(tmp_path.glob("*.png"))) == pictures
    assert len(page.rows("All trials")) == len(values)


def test_the_last_failure_is_shown(tmp_path):
    history = History(SIMPLE).tell([(None, {"x": 0.5, "c": "a"}, OSError("disk <full>"))])
    text = written(history, tmp_path).section("Summary").text
    assert "The last failure: OSError: disk <full>" in text


@pytest.mark.parametrize(
    ("values", "maximize"),
    [
        ([1.0, 2.0, 3.0], False),
        ([1.0] * 3 + [1.0 + 4e-16] * 3, False),
        ([1e308, -1.7e308, 1.5e308, 3.0, math.nan, 1e200], True),
        ([5e-324, 1e-310, 2e-310, 0.0], True),
        ([1e-300, 1.0, 3.0, 1e200, 1e308], False),
        ([1.0, 2.0, 3.0, 4.0, 1e12], True),
    ],
    ids=["three", "one bit apart", "huge", "tiny", "all powers", "an outlier"],
)
def test_any_finite_values_give_a_whole_page(tmp_path, values, maximize):
    page = written(told(Space(x=Real(0, 1)), values), tmp_path, maximize=maximize)
    assert len(page.all("img")) == 5
    assert len(page.all("p", "missing")) == 1  # pairs need two parameters


def test_numpy_may_be_told_to_raise_on_every_oddity_of_floats(tmp_path):
    space = Space(x=Real(0, 1), y=Real(0, 1))
    with np.errstate(all="raise"):
        written(told(space, [10.0**k for k in range(-150, 150, 20)]), tmp_path)
        written(evaluated(space, lambda c: 1e-320 * (1 + c["x"]), 12), tmp_path)


def test_names_of_any_kind_are_shown_and_harm_nothing(tmp_path):
    folder = tmp_path / "inner"
    history = told(HOSTILE_NAMES, np.random.default_rng(0).random(8).tolist())
    page = written(history, folder, title="<b>", facts={"<i>": "&amp;"})
    assert list(tmp_path.iterdir()) == [folder]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", path.name) for path in folder.iterdir())
    assert len(page.all("script")) == 1
    assert page.all("b") == page.all("i") == []
    headings = [e.text for e in page.all("h3")]
    for name in list(HOSTILE_NAMES)[:2]:
        assert name in headings
    assert len(page.all("img")) == 5 + len(HOSTILE_NAMES)


def test_many_parameters_and_many_choices_stay_readable(tmp_path):
    space = Space(
        {f"flag_{i}": Boolean() for i in range(22)},
        choice=Categorical([f"a choice of number {i}" for i in range(50)]),
        place=Ordinal(list(range(50))),
        only=Categorical(["one"]),
    )
    history = told(space, np.random.default_rng(1).random(30).tolist())
    page = written(history, tmp_path)
    assert len(list(tmp_path.glob("slice-*.png"))) == 24
    assert (tmp_path / "slice-01-flag_0.png").exists()
    assert "The 15 most promising of 50 choices." in page.section("Slices").text
    assert "the 20 most important" in page.section("Importance").text
    assert len(page.rows("Sobol' indices")) == 24
    assert len(page.rows("Input warps")) == 1  # the ordinal one


def test_a_result_is_as_good_as_its_history(tmp_path):
    result = minimize(lambda c: c["x"], Space(x=Real(0, 1)), 2, seed=0)
    pages = [
        write_report(given, tmp_path / str(i), settings=QUICK).read_bytes()
        for i, given in enumerate([result.history, result, result.optimizer])
    ]
    assert pages[0] == pages[1] == pages[2]


def test_a_name_that_ends_in_html_is_the_page_itself(tmp_path):
    result = minimize(lambda c: c["x"], Space(x=Real(0, 1)), 2, seed=0)
    page = write_report(result, tmp_path / "new" / "x.html")
    assert page == tmp_path / "new" / "x.html"
    assert page.is_file()
    assert (tmp_path / "new" / "convergence.png").is_file()
    folder = tmp_path / "folder.html"  # a folder of such a name stays one
    folder.mkdir()
    assert write_report(result, folder) == folder / "report.html"


def test_a_result_says_itself_that_its_values_are_maximised(tmp_path):
    result = minimize(lambda c: c["x"], Space(x=Real(5, 6)), 4, seed=0, direction="maximize")
    page = write_report(result, tmp_path / "a").read_bytes()
    assert b"Best value (highest)" in page
    down = minimize(lambda c: -c["x"], Space(x=Real(5, 6)), 4, seed=0)
    assert page == write_report(down, tmp_path / "b", maximize=True).read_bytes()


def test_several_objectives_have_a_page_without_a_best_trial(tmp_path):
    def two(config):
        return {"a": config["x"], "b": -config["x"]}

    goals = [Minimize("a"), Minimize("b")]
    result = minimize(two, Space(x=Real(0, 1)), 6, seed=0, goals=goals)
    page = Parsed(write_report(result, tmp_path).read_text("utf-8"))
    assert "There is no best trial: front of 6." in page.section("Summary").text
    assert len(page.rows("All trials")) == 6
    heads = [cell.text for cell in page.all("th")]
    at = heads.index("trial")
    assert heads[at : at + 5] == ["trial", "state", "a", "b", "x"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"history": HISTORY.trials[:0]}, ConfigurationError, "history=(): must be a history"),
        ({"settings": {"starts": 1}}, SettingsError, "settings={'starts': 1}: must be"),
        ({"seed": -1}, ConfigurationError, "seed=-1: must be a whole number of at least 0"),
        ({"seed": None}, ConfigurationError, "seed=None: must be a whole number"),
    ],
)
def test_a_bad_argument_is_named_and_nothing_is_written(tmp_path, arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        write_report(**{"history": HISTORY, "target": tmp_path / "none", **arguments})
    assert list(tmp_path.iterdir()) == []


def test_a_missing_matplotlib_says_how_to_install_it(tmp_path, no_matplotlib):
    with pytest.raises(MissingExtraError, match=r"pip install .*\[study\]"):
        write_report(HISTORY, tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("errors", ["warn", "raise"])
def test_penalties_as_large_as_numbers_can_be(tmp_path, errors):
    values = [0.0] * 9 + [0.1, 0.2, 0.3, 0.4, 0.5] + [sys.float_info.max] * 10
    with np.errstate(all=errors):
        path = write_report(told(Space(x=Real(0, 1), y=Real(0, 1)), values), tmp_path)
    assert "10 values far beyond all others are penalties: failures." in path.read_text("utf-8")
