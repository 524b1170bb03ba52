"""The pages of the documentation: their code runs as it stands there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from warpfront.errors import LossFailedError
from warpfront.loop.broken import FIRST_EVALUATIONS
from warpfront.optimizers.hebo import PROPOSERS
from warpfront.plots import Plots
from warpfront.settings import Settings
from warpfront.surrogate.options import CANDIDATES

DOCS = Path(__file__).parents[1] / "docs"


def code_of(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.fixture(scope="module")
def minimize_page(tmp_path_factory):
    """What the code of the page leaves behind, and the folder where it ran."""
    folder = tmp_path_factory.mktemp("minimize")
    (folder / "script.py").write_text("\n".join(code_of(DOCS / "minimize.md")), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return runpy.run_path("script.py"), folder


def test_the_code_of_the_page_on_minimize_runs(minimize_page):
    names, folder = minimize_page
    assert isinstance(names["LossFailedError"]("x"), LossFailedError)
    assert len(names["more"].trials) == 32
    assert len(names["frame"]) == 24
    assert {path.name for path in folder.iterdir()} >= {"run.json", "parallel.html"}


def test_the_page_on_minimize_names_what_there_is():
    text = (DOCS / "minimize.md").read_text(encoding="utf-8")
    figures = re.findall(r"^\| `(\w+)\(\)` \|", text, re.M)
    assert figures == [name for name in vars(Plots) if not name.startswith("_")]
    assert FIRST_EVALUATIONS == 5
    assert "first five evaluations" in text


@pytest.fixture(scope="module")
def how_it_works():
    return (DOCS / "how-it-works.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_on_how_it_works_runs():
    (code,) = code_of(DOCS / "how-it-works.md")
    exec(code, {})  # noqa: S102


def test_the_files_that_the_page_on_how_it_works_names_are_there(how_it_works):
    named = re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", how_it_works)
    assert len(named) > 15
    for name in set(named) - {"src/warpfront/"}:
        assert (DOCS.parent / "src" / "warpfront" / name).exists(), name


def test_the_page_on_how_it_works_lists_models_proposers_and_settings(how_it_works):
    def first_column(heads):
        table = how_it_works.split(f"| {heads} |", 1)[1].split("\n\n", 1)[0]
        return re.findall(r"^\| (`[^|]+`) \|", table, re.M)

    assert first_column("name in `Settings(models=...)`") == [f'`"{name}"`' for name in CANDIDATES]
    proposers = {name.strip("`") for name in first_column("proposer")}
    assert proposers == {*PROPOSERS, "replicate"}
    settings = re.findall(r"`(\w+)`", " ".join(first_column("field")))
    assert settings == list(Settings().to_dict())


def test_the_page_on_how_it_works_has_the_default_shares(how_it_works):
    shares = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (1/4|0) \|", how_it_works, re.M))
    defaults = Settings().shares
    whole = sum(defaults.values())
    for name in PROPOSERS:
        assert shares[name] == ("1/4" if defaults.get(name, 0.0) / whole == 0.25 else "0")


def test_the_code_of_the_page_on_scikit_learn_runs(tmp_path):
    (tmp_path / "script.py").write_text("\n".join(code_of(DOCS / "sklearn.md")), encoding="utf-8")
    names = runpy.run_path(str(tmp_path / "script.py"))
    assert [goal.name for goal in names["search"].optimizer_.goals] == ["f1", "precision"]
