"""What is lost in parallel: which designs it compares, what it makes of their scores."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks import parallel
from benchmarks.parallel import ONE_BY_ONE, Losses, differences, losses, together
from tests.benchmarks.test_report import final, gather

LOSS = {ONE_BY_ONE: 0.1, "8 workers": 0.15, "batches of 8": 0.3}


def results(loss=LOSS, tasks=("a", "b")):
    # Only those of all designs count: one after the other has no second seed.
    return together(
        {
            name: gather(
                [final("warpfront", task, seed, value) for task in tasks for seed in seeds]
            )
            for (name, value), seeds in zip(loss.items(), [[0], [0, 1], [0, 1]], strict=True)
        },
        "warpfront",
    )


def test_losses_are_paired_differences_on_common_runs():
    found = differences(results())
    assert {name: round(d.value, 9) for name, d in found.items()} == {
        ONE_BY_ONE: 0.0,
        "8 workers": -5.0,
        "batches of 8": -20.0,
    }
    assert all(len(runs) == 2 for runs in results().runs.values())
    assert losses(results()).share == pytest.approx(0.25)


def test_where_batches_lose_nothing_there_is_no_share(tmp_path):
    assert Losses(workers=1.0, batches=0.0).share is None
    even = results(dict.fromkeys(LOSS, 0.2))
    assert "Batches lose nothing here" in parallel.write(even, tmp_path, "the command")


def test_the_page_says_so(tmp_path):
    text = parallel.write(results(), tmp_path, "the command")
    assert f"| {ONE_BY_ONE} | 2 × 1 | 90.00 [–] | – |" in text
    assert "| 8 workers | 2 × 1 | 85.00 [–] | -5.00 [–] |" in text
    assert "Of what batches lose (20.00), workers lose 5.00: 25% of it." in text
    assert "`the command`" in text
    assert "function" not in text  # no truth is known of these tasks
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == text


def test_a_method_that_knows_no_pending_points_is_refused_at_once(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["parallel", "--method", "pysot", "--runs", str(tmp_path)])
    assert "'pysot' does not know pending points; use one of" in capsys.readouterr().err


def test_the_command_makes_the_runs_and_the_page(all_here, tmp_path, capsys):
    options = ["--method", "random", "--tasks", "branin", "--seeds", "0", "1"]
    options += ["--batch", "2", "--rounds", "2", "--jobs", "1"]
    folders = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "results")]
    assert command.main(["parallel", *options, *folders]) == 0
    assert {path.name for path in (tmp_path / "runs").iterdir()} >= {"1x4", "1x4w2", "2x2"}
    page = (tmp_path / "results" / "parallel-chosen-2x2" / "report.md").read_text(encoding="utf-8")
    assert "--method random --tasks branin --seeds 0 1 --batch 2 --rounds 2`" in page
    assert "| function | one after the other | 2 workers | batches of 2 |" in page
    assert ", revision " in page.partition("## Versions")[2]
    assert capsys.readouterr().out == page
