"""The name of the code: the commit, marked when the code is another, or nothing."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from benchmarks import revision


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with one commit, taken for ours; a function to ask it."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    for name in ("src/code.py", "benchmarks/results/page.md", "benchmarks/archive/8x16/a.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("one\n", encoding="utf-8")
    me = ["-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)  # noqa: S607
    monkeypatch.setattr(revision, "REPOSITORY", tmp_path)
    return tmp_path


def test_results_do_not_change_the_code_and_code_does(checkout):
    commit = revision.revision()
    assert len(commit) >= 7
    assert int(commit, 16) >= 0
    (checkout / "benchmarks" / "results" / "page.md").write_text("two\n", encoding="utf-8")
    (checkout / "benchmarks" / "archive" / "8x16" / "a.jsonl").write_text("", encoding="utf-8")
    assert revision.revision() == commit
    (checkout / "src" / "code.py").write_text("two\n", encoding="utf-8")
    assert revision.revision() == f"{commit}-dirty"


def test_a_new_file_of_code_changes_it_too(checkout):
    commit = revision.revision()
    (checkout / "src" / "more.py").write_text("one\n", encoding="utf-8")
    assert revision.revision() == f"{commit}-dirty"


def test_without_git_or_a_commit_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(revision, "REPOSITORY", tmp_path)
    assert revision.revision() is None
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert revision.revision() is None
