"""The documentation site: code runs, links lead somewhere, every page and public name is in it."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import unicodedata
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.proposers.scenes import context, history_of
from warpfront import Integer, Real, Space

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "gallery" not in p.relative_to(DOCS).parts)
OUTSIDE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
RUN = ["index.md", "tutorial.md", "spaces.md"]
RUN += [
    p.relative_to(DOCS).as_posix()
    for folder in ("how-to", "coming-from")
    for p in sorted((DOCS / folder).glob("*.md"))
]
"""Pages whose blocks marked `python` are run, one after the other; `py` marks what is not run."""
OTHERS = {"ray", "dask", "slurm", "kubernetes", "trackers", "many-machines"}
"""Pages that have tests of their own."""
REFERENCE = [
    "warpfront",
    "warpfront.errors",
    "warpfront.report",
    "warpfront.diagnostics",
    "warpfront.integrations.optuna",
    "warpfront.integrations.sklearn",
]
INSIDE = (
    "https://github.com/warpfront/warpfront/blob/main/",
    "https://raw.githubusercontent.com/warpfront/warpfront/main/",
)


def code_of(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of optuna and scikit-learn, not of ours
@pytest.mark.parametrize(
    "name", [n for n in RUN if Path(n).stem not in OTHERS and code_of(DOCS / n)]
)
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.py"
    script.write_text("\n".join(code_of(DOCS / name)), encoding="utf-8")
    assert runpy.run_path(str(script))


def test_the_proposer_of_the_page_for_contributors_works():
    (code,) = code_of(ROOT / "CONTRIBUTING.md")
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102
    rng = np.random.default_rng(0)
    space = Space(x=Real(0, 1), n=Integer(1, 9))
    history = history_of(space, lambda config: config["x"] + config["n"], 12)
    chosen = names["far_away"](context(history), 3, rng)
    assert chosen.shape == (3, 2)
    assert len({row.tobytes() for row in chosen}) == 3


def anchors_of(page):
    """What headings of a page are called in links, as Python-Markdown and GitHub call them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = unicodedata.normalize("NFKC", re.sub(r"[`*\[\]]|\(\S+\)", "", heading))
        found.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return found


@pytest.mark.parametrize("page", PAGES + OUTSIDE, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(INSIDE):
            target = target.removeprefix(next(base for base in INSIDE if target.startswith(base)))
            where = ROOT / target.partition("#")[0]
        elif re.match(r"[a-z]+:", target):
            continue
        else:
            where = (page.parent / target.partition("#")[0]) if target[0] != "#" else page
        if "gallery" in where.relative_to(ROOT).parts[:2]:
            continue  # made from the examples by `make docs`
        assert where.resolve().exists(), target
        anchor = target.partition("#")[2]
        if anchor and where.suffix == ".md":
            assert anchor in anchors_of(where.resolve()), target


def test_the_readme_is_short_and_works_on_a_package_index():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert all(link.startswith("https://") for link in re.findall(r"\]\(([^)\s]+)\)", text))


def navigation():
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("tag:", lambda *_: None)
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        nav = yaml.load(file, Loader)["nav"]  # noqa: S506 - a safe loader

    def leaves(entry):
        if isinstance(entry, str):
            return [entry]
        if isinstance(entry, dict):
            entry = list(entry.values())
        return [leaf for inner in entry for leaf in leaves(inner)]

    return leaves(nav)


def test_every_page_is_in_the_navigation_once():
    nav = navigation()
    assert len(nav) == len(set(nav))
    assert {p.relative_to(DOCS).as_posix() for p in PAGES} <= set(nav)


@pytest.mark.parametrize("module", REFERENCE)
def test_every_public_name_is_in_the_reference(module):
    pages = "\n".join(p.read_text(encoding="utf-8") for p in (DOCS / "reference").glob("*.md"))
    documented = re.findall(r"^::: (\S+)$", pages, re.M)
    objects = [import_module(name) for name in documented if name == "warpfront.errors"]
    things = {
        id(getattr(import_module(n.rpartition(".")[0]), n.rpartition(".")[2], None))
        for n in documented
        # Ray is large and not among what tests need; `make test-integrations` looks at its part.
        if n != "warpfront.errors" and not n.startswith("warpfront.integrations.ray.")
    }
    public = import_module(module)
    for name in public.__all__:
        thing = getattr(public, name)
        listed = any(name in o.__all__ for o in objects)
        assert id(thing) in things or listed, f"{module}.{name}"


def test_the_site_is_built(tmp_path):
    pytest.importorskip("mkdocs")
    shutil.rmtree(tmp_path / "site", ignore_errors=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    page = (tmp_path / "site" / "reference" / "optimise" / "index.html").read_text("utf-8")
    assert "expected_gain" in page


def test_pictures_of_benchmarks_are_not_in_the_repository():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    found = subprocess.run(
        [git, "ls-files", "benchmarks/*.png"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout == ""
