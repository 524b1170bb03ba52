"""docs/paper-to-code.md: whatever it names is there, and whatever the paper has is in it."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

from benchmarks.__main__ import COMMANDS
from benchmarks.paper.command import ITEMS

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = (REPOSITORY / "docs" / "paper-to-code.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| of the paper")
]

LABELS = [
    "Eq:BB",
    "Eq:q_EI",
    "Eq:MOO",
    "eq:score",
    "lemma_conditions",
    "Eq:result_one_overall",
    "Eq:result_first_bound",
    "Eq:parameter_setup",
    "claim_results",
    "part_prev_11",
    "Eq:interm_result",
    "Eq:intermd_result_two",
    "Eq:part_12",
    "norm_posterior_mean_result",
    "part_20",
    "norm_posterior_deviat_result",
    "stat",
    "tab:search-space",
    "tab:search-space-reg",
    "tab:summary-perf-compare",
    "tab:tasksSummary",
    "tab:search-spacehetero-tests-boston",
    "tab:search-spacehetero-tests-diabetes",
    "tab:search-spacehetero-tests-digits",
    "tab:search-spacehetero-tests-iris",
    "tab:search-spacehetero-tests-wine",
    "Fig:AcqF",
    "fig:best_models_datasets",
    "Fig:ResOne1",
    "Fig:ResOne2",
    "singlebatch",
    "ablation",
]
"""Of the equations, tables and figures in the paper's source."""
LABELS.append("tab:search-spacehetero-tests-Breast cancer dataset")


@pytest.mark.parametrize("label", LABELS)
def test_everything_of_the_paper_is_listed(label):
    assert f"`{label}`" in PAGE


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_file_and_name_exist(row):
    file, name = row[2].strip("`"), row[3].strip("`")
    assert (REPOSITORY / file).is_file()
    module = importlib.import_module(
        file.removeprefix("src/").removesuffix(".py").replace("/", ".")
    )
    assert reduce(getattr, name.split("."), module) is not None


def test_every_command_exists():
    commands = re.findall(r"`python -m benchmarks (\S+?)(?: (\S+?))?`", PAGE)
    assert len(commands) > 20
    for command, item in commands:
        assert command in COMMANDS
        assert not item or (command == "paper" and item in ITEMS)
    assert {item for _, item in commands if item} == set(ITEMS) - {"page", "all"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_has_a_command_a_size_and_a_status(row):
    assert len(row) == 7
    assert re.fullmatch(r"`.+`", row[4])
    assert row[5]
    assert row[6].startswith(("works", "left out"))
    for path in re.findall(r"pytest (\S+)`", row[4]):
        assert (REPOSITORY / path).is_file()
