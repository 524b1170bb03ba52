"""The figure of conflicting acquisitions."""

from __future__ import annotations

from benchmarks import __main__ as command
from benchmarks.paper import conflict
from benchmarks.paper.conflict import Maps, by_model, draw, table
from benchmarks.paper.samples import sample


def made_up(**places):
    shares = {"EI PI": 0.0, "PI EI": 0.0} | {k.replace("_", " "): v for k, v in places.items()}
    return {
        "parameters": ["p", "q"],
        "x": [0.0, 0.5, 1.0],
        "y": [0.0, 1.0],
        "values": {name: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] for name in ("EI", "PI", "UCB")},
        "optima": {"EI": [1, 2], "PI": [1, 2], "UCB": [0, 0]},
        "correlations": {"EI PI": 0.5, "EI UCB": None},
        "places": shares,
        "conflicting": max(shares.values()) > 0.05,
    }


def test_the_table_counts_conflicts():
    lines = table({"a": made_up(PI_EI=0.3), "b": made_up()})
    assert lines[1] == ["a", "p, q", "0.50", "–", "30%", "yes"]
    assert lines[2] == ["b", "p, q", "0.50", "–", "0%", "no"]
    assert lines[3] == ["all", "–", "0.50", "–", "–", "1 of 2"]


def test_models_are_counted_one_by_one_and_together():
    found = {"DT_iris_acc": made_up(PI_EI=0.3), "DT_iris_nll": made_up(), "kNN_iris_nll": made_up()}
    head, tree, neighbours, together = by_model(found)
    assert head[:3] == ["model", "tasks", "mean correlation EI, PI"]
    assert tree == ["DT", "2", "0.50", "–", "1 (50%)"]
    assert neighbours == ["kNN", "1", "0.50", "–", "0 (0%)"]
    assert together == ["all", "3", "0.50", "–", "1 (33%)"]


def test_a_picture_with_more_tasks_than_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(conflict, "MOST_DRAWN", 1)
    draw({"a": made_up(), "b": {}}, tmp_path / "conflict.png")
    assert (tmp_path / "conflict.png").read_bytes().startswith(b"\x89PNG")


def test_the_optima_are_the_greatest_values(here, tmp_path):
    (sampled,) = sample(["kNN_wine_nll"], 10, tmp_path, jobs=1)
    found = Maps(sampled).compute()
    assert found["parameters"] == ["n_neighbors", "p"]
    for name, (i, j) in found["optima"].items():
        values = found["values"][name]
        assert values[i][j] == max(max(row) for row in values)


def test_the_command_at_its_smallest(here, tmp_path):
    where = ["--records", str(tmp_path / "records"), "--output", str(tmp_path / "out")]
    arguments = ["--tasks", "kNN_wine_nll", "--samples", "10", "--jobs", "1"]
    assert command.main(["paper", "conflict", *arguments, *where]) == 0
    page = (tmp_path / "out" / "conflict.md").read_text(encoding="utf-8")
    assert "1 of 108 tasks, GP on 10 of 10 samples each" in page
    assert "| kNN_wine_nll | n_neighbors, p |" in page
    assert (tmp_path / "out" / "conflict.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "out" / "conflict.csv").read_text().splitlines()) == 2
