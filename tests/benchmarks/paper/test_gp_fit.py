"""The table of GP fits: what is compared and how it is counted."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from benchmarks import __main__ as command
from benchmarks.paper import gp_fit
from benchmarks.paper.gp_fit import VARIANTS, table
from warpfront.surrogate.options import CANDIDATES


def scores(plain, output, warped):
    """The same for both metrics."""
    by_name = zip(("plain", "output transform", "input warp"), (plain, output, warped), strict=True)
    return {name: dict.fromkeys(("marginal", "held_out"), values) for name, values in by_name}


def test_each_variant_adds_one_component():
    plain = vars(VARIANTS["plain"])
    changed = {
        name: {key for key, value in vars(options).items() if value != plain[key]}
        for name, options in VARIANTS.items()
    }
    assert changed == {
        "plain": set(),
        "output transform": {"output_warp"},
        "input warp": {"input_warp"},
    }
    whole = replace(VARIANTS["output transform"], input_warp=True)
    assert replace(whole, fit=CANDIDATES["paper"].fit) == CANDIDATES["paper"]


def test_the_counts_by_hand():
    plain = [0.0, 0.1, 0.2, 0.3]
    better, worse = [1.0, 1.2, 1.1, 1.4], [-1.0, -1.2, -1.3, -1.1]
    vague = [0.3, -0.1, 0.25, 0.32]  # up by 0.0425 on average, with a spread of 0.22
    found = {
        "a": scores(plain, better, vague),
        "b": scores(plain, worse, better),
        "c": scores(plain, plain, vague),
    }
    rows = {(row[0], row[1]): row[2:] for row in table(found)}
    assert rows["**output transform**", "the paper"] == [
        *("108", "70 (65%)", "58 (54%)", "38 (35%)", "25 (23%)", "0 (0%)")
    ]
    ours = rows["output transform", "log marginal likelihood, paired t-test"]
    assert ours == ["3", *["1 (33%)"] * 5]  # c is the same with and without
    warped = rows["input warp", "held-out log density, paired t-test"]
    assert warped == ["3", "3 (100%)", "1 (33%)", *["0 (0%)"] * 3]


def test_splits_that_overlap_are_less_sure():
    found = scores([0.0, 0.1, 0.2, 0.3], [0.3, 0.2, 0.3, 0.5], [0.0] * 4)
    plain = gp_fit.compare(found, "output transform", "marginal", 0.0)
    corrected = gp_fit.compare(found, "output transform", "marginal", 1 / 3)
    assert plain.difference == pytest.approx(corrected.difference)
    assert plain.verdict == "significantly better"
    assert corrected.verdict == "better"


def test_the_sheet_has_both_tests():
    found = scores([0.0, 0.1, 0.2, 0.3], [0.3, 0.2, 0.3, 0.5], [0.0, 0.1, 0.2, 0.3])
    head, rows = gp_fit._sheet({"a": found})
    row, warp = (dict(zip(head, rows[i], strict=True)) for i in (0, 2))
    assert row["t_test_verdict"] == "significantly better"
    assert row["corrected_verdict"] == "better"
    assert row["corrected_low"] < 0.0 < row["t_test_low"] < row["difference"]
    assert row["t_test_p_value"] < 0.05 < row["corrected_p_value"]
    assert warp["t_test_verdict"] == warp["corrected_verdict"] == "no difference"


def test_the_note_says_what_is_mixed_into_the_held_out_density():
    assert "99% the GP's forecast and 1% a Cauchy distribution" in " ".join(gp_fit.NOTE.split())


def test_the_command_at_its_smallest(here, tmp_path):
    size = ["--samples", "12", "--splits", "2", "--jobs", "1"]
    where = ["--records", str(tmp_path / "records"), "--output", str(tmp_path / "out")]
    tasks = ["--tasks", "lasso_boston_mae"]
    assert command.main(["paper", "gp-fit", *tasks, *size, *where]) == 0
    page = (tmp_path / "out" / "gp-fit.md").read_text(encoding="utf-8")
    assert "1 of 108 tasks, 12 samples each, 2 splits" in page
    with (tmp_path / "out" / "gp-fit.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    assert {row["component"] for row in rows} == {"output transform", "input warp"}
    for row in rows:
        gain = float(row["with_component"]) - float(row["plain"])
        assert float(row["difference"]) == pytest.approx(gain, abs=1e-3)
