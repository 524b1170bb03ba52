"""What items leave behind, and the page that quotes it."""

from __future__ import annotations

import argparse
import re

import pytest

from benchmarks import __main__ as command
from benchmarks.paper import page
from benchmarks.paper.results import Findings, brief_of, command_line, quote, write
from benchmarks.report.command import OUTPUT

FOUND = Findings(
    "grid", "A title", "2 tasks", "| a | b |\n| --- | ---: |\n| 1 | 2 |", ["The rest."]
)


def test_a_brief_comes_back_as_it_was_written(tmp_path):
    path = write(FOUND, "the command", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# A title\n")
    assert "- size: 2 tasks" in text
    assert text.endswith("The rest.\n")
    assert brief_of("grid", tmp_path) == f"Size: 2 tasks. Command: `the command`.\n\n{FOUND.brief}"


@pytest.mark.parametrize("text", [None, "", "# A page without marks"])
def test_a_missing_brief_names_the_command(tmp_path, text):
    if text is not None:
        (tmp_path / "grid.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="python -m benchmarks paper grid"):
        brief_of("grid", tmp_path)


def test_only_what_is_between_the_marks_changes():
    text = "before <!-- grid -->old\n\nlines<!-- end of grid --> after"
    once = quote(text, {"grid": "new"})
    assert once == "before <!-- grid -->\n\nnew\n\n<!-- end of grid --> after"
    assert quote(once, {"grid": "new"}) == once
    with pytest.raises(ValueError, match="lacks <!-- summary -->"):
        quote(text, {"summary": "new"})


def test_the_command_that_gives_a_page_again():
    options = argparse.Namespace(full=False, tasks=None, tier="quick", seeds=3)
    assert command_line("x", options, ["full", "tasks", "tier", "seeds"]) == (
        "python -m benchmarks paper x --tier quick --seeds 3"
    )


def test_the_page_is_made_from_the_committed_results():
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.made_anew(page.PAGE, OUTPUT / "paper") == text
    for name in re.findall(r"\(\.\./(benchmarks/results/[^)]+)\)", text):
        assert (page.REPOSITORY / name).exists(), name


def test_the_command_writes_the_page(tmp_path, capsys):
    copy = tmp_path / "reproduction.md"
    empty = re.sub(
        r"(<!-- ([a-z-]+) -->)(?!.*?<!-- \2 -->).*?(<!-- end of \2 -->)",
        r"\1\n\3",
        page.PAGE.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    copy.write_text(empty, encoding="utf-8")
    assert command.main(["paper", "page", "--page", str(copy)]) == 0
    assert copy.read_text(encoding="utf-8") == page.PAGE.read_text(encoding="utf-8") != empty
    assert command.main(["paper", "page", "--page", str(copy), "--output", str(tmp_path)]) == 1
    assert "has no results of hypothesis-tests" in capsys.readouterr().err


def test_60_tasks_are_tested_at_full_size():
    sheet = (OUTPUT / "paper" / "hypothesis-tests.csv").read_text(encoding="utf-8").splitlines()
    assert sum(",split," in line for line in sheet) >= 60
    assert "50 configurations × 10 repeats" in brief_of("hypothesis-tests", OUTPUT / "paper")
