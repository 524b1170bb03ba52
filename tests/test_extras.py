"""Optional packages, and the line that installs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from warpfront import extras
from warpfront.errors import MissingExtraError

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def forget():
    extras.install_line.cache_clear()
    yield
    extras.install_line.cache_clear()


def test_in_a_checkout_the_line_installs_the_checkout():
    assert extras.install_line("plots") == f"pip install '{ROOT}[plots]'"


class Installed:
    def __init__(self, text):
        self.text = text

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.text


@pytest.mark.parametrize(
    ("direct", "line"),
    [
        (None, "pip install 'warpfront[plots]'"),  # from an index
        ("{}", "pip install 'warpfront[plots]'"),
        ("nonsense", "pip install 'warpfront[plots]'"),
        ('{"url": "https://example.org/w.whl"}', "pip install 'warpfront[plots]'"),
        ('{"url": "file:///no/such/folder"}', "pip install 'warpfront[plots]'"),
        (json.dumps({"url": ROOT.as_uri()}), f"pip install '{ROOT}[plots]'"),
    ],
)
def test_elsewhere_it_installs_what_was_installed(monkeypatch, tmp_path, direct, line):
    monkeypatch.setattr(extras, "SOURCES", tmp_path)
    monkeypatch.setattr(extras.metadata, "distribution", lambda name: Installed(direct))
    assert extras.install_line("plots") == line


def test_what_is_imported_without_being_installed_has_the_usual_line(monkeypatch, tmp_path):
    def missing(name):
        raise extras.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "SOURCES", tmp_path)
    monkeypatch.setattr(extras.metadata, "distribution", missing)
    assert extras.install_line("plots") == "pip install 'warpfront[plots]'"


def test_a_folder_with_a_quote_in_its_name_is_quoted(monkeypatch, tmp_path):
    folder = tmp_path / "it's mine"
    (folder / "src" / "warpfront").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    monkeypatch.setattr(extras, "SOURCES", folder)
    assert extras.install_line("plots").endswith("""it'"'"'s mine[plots]'""")


def test_a_package_that_is_there_is_returned():
    assert extras.require("json.decoder", "plots", "this needs json") is sys.modules["json.decoder"]


def test_one_that_is_missing_is_an_error_with_the_line():
    with pytest.raises(
        MissingExtraError, match=r"^this needs it: pip install .*\[plots\]"
    ) as caught:
        extras.require("no_such_package.part", "plots", "this needs it")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_one_that_is_there_and_lacks_something_says_what(tmp_path, monkeypatch):
    (tmp_path / "halfway.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        extras.require("halfway", "plots", "this needs halfway")


def test_every_extra_that_is_named_exists():
    text = (ROOT / "pyproject.toml").read_text()
    for extra in ("study", "postgresql", "frames", "plots"):
        assert f"\n{extra} = [" in text
