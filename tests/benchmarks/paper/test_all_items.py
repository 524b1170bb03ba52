"""All items at their small size, by one command."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as command
from benchmarks.paper import all_items, page
from benchmarks.paper import command as paper


@pytest.fixture
def done(monkeypatch):
    """Commands are noted, not run; the conflict fails."""
    found = []

    def run(words, **_):
        found.append(words)
        return SimpleNamespace(returncode=int("conflict" in words))

    monkeypatch.setattr(all_items.subprocess, "run", run)
    return found


def test_every_item_is_made_and_a_failure_is_named(done, tmp_path, capsys):
    out = str(tmp_path / "out")
    assert command.main(["paper", "all", "--output", out, "--jobs", "1"]) == 1
    assert [words[4] for words in done] == list(page.QUOTED)
    said = capsys.readouterr()
    assert "no results of conflict; see above" in said.err
    assert [line.split(":")[0] for line in said.out.splitlines()] == [*page.QUOTED, "all"]
    total = len(page.QUOTED)
    starts = [f"{i} of {total}: {item}" for i, item in enumerate(page.QUOTED, start=1)]
    assert [line for line in said.err.splitlines() if " of " in line][:total] == starts


def test_each_command_is_one_that_its_item_takes(done, tmp_path):
    command.main(["paper", "all", "--runs", str(tmp_path), "--records", str(tmp_path)])
    parser = argparse.ArgumentParser()
    paper.add_arguments(parser)
    for words in done:
        options = parser.parse_args(words[4:])
        assert not options.full
        assert options.output == all_items.OUTPUT
        assert getattr(options, "runs", tmp_path) == getattr(options, "records", tmp_path)


def test_the_committed_results_are_left_alone():
    assert (
        Path("benchmarks", "results") not in all_items.OUTPUT.relative_to(page.REPOSITORY).parents
    )
