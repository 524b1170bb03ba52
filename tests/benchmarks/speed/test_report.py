from __future__ import annotations

from benchmarks.speed import report
from benchmarks.speed.measurement import Measurement, Results
from benchmarks.speed.plan import DEFAULT, DIMENSION, FORMER, HEBO

RUN = report.Run(
    facts={"machine": "a desk"},
    results=Results(
        (
            Measurement("step_cpu", DEFAULT, (0.2, 0.1, 0.4), "s", 128, DIMENSION),
            Measurement("step_cpu", FORMER, (0.3, 0.2), "s", 128, DIMENSION),
            Measurement("step_cpu", HEBO, (3.0, 2.5, 4.0), "s", 128, DIMENSION),
            Measurement("dgemm_rate", "numpy", (10.0,), "GF/s"),
        ),
        remarks=("somebody else was at work",),
    ),
    sizes=(16, 128),
    with_dimensions=False,
)


def test_the_page_has_times_and_ratios(tmp_path):
    page, data = report.write(RUN, tmp_path / "new")
    text = page.read_text(encoding="utf-8")
    assert "at n = 128, d = 9: 25.0 by minima (reached), 15.0 by medians (missed)" in text
    assert "| 16 | – | – | – | – | – | – |" in text
    assert (
        "| 128 | 0.100 (0.200) | – | 0.200 (0.250) | 2.500 (3.000) | 2.0 (1.2) | 25.0 (15.0) |"
        in text
    )
    assert "DGEMM on one thread: 10.0 GF/s." in text
    assert "- somebody else was at work" in text
    assert (
        data.read_text(encoding="utf-8").splitlines()[1] == "step_cpu,warpfront,128,9,3,0.1,0.2,s"
    )


def test_the_terminal_has_aligned_columns():
    by_size = report.terminal(RUN).split("\n\n")[0].splitlines()
    assert len({len(line) for line in by_size}) == 1
