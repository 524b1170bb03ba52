"""The tables of the report, as rows of text."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed.bound import bound_seconds
from benchmarks.speed.footprint import INSTALLED_TARGET, MEMORY_CELL
from benchmarks.speed.measurement import Measurement, Results
from benchmarks.speed.plan import (
    DEFAULT,
    DIMENSION,
    FORMER,
    HEADLINE_SIZE,
    HEADLINE_TARGET,
    HEBO,
    PAPER,
)

Table = list[list[str]]
"""Rows of cells; the first row is the head."""

MISSING = "–"


def headline(results: Results) -> str:
    """One sentence: how many times faster than the public package, and whether that is enough."""
    ours = results.find("step_cpu", DEFAULT, HEADLINE_SIZE, DIMENSION)
    theirs = results.find("step_cpu", HEBO, HEADLINE_SIZE, DIMENSION)
    where = f"n = {HEADLINE_SIZE}, d = {DIMENSION}"
    if ours is None or theirs is None:
        return f"{HEBO} / warpfront at {where}: not measured."
    by_minima, by_medians = theirs.minimum / ours.minimum, theirs.median / ours.median
    return (
        f"{HEBO} / warpfront at {where}: {by_minima:.1f} by minima ({_verdict(by_minima)}), "
        f"{by_medians:.1f} by medians ({_verdict(by_medians)}); target {HEADLINE_TARGET:g}."
    )


def by_size(results: Results, sizes: Sequence[int]) -> Table:
    """Step time over n, with the ratios of the public package and of version 0.1 to ours."""
    packages = (DEFAULT, PAPER, FORMER, HEBO)
    table = [["n", *packages, f"{FORMER} / {DEFAULT}", f"{HEBO} / {DEFAULT}"]]
    for n in sizes:
        found = [results.find("step_cpu", package, n, DIMENSION) for package in packages]
        ours, _, former, hebo = found
        ratios = [_ratio(former, ours), _ratio(hebo, ours)]
        table.append([str(n), *(_seconds(m) for m in found), *ratios])
    return table


def by_dimension(results: Results, sizes: Sequence[int], dimensions: Sequence[int]) -> Table:
    """Step time of warpfront over d."""
    table = [["n", "d", DEFAULT, PAPER]]
    for n in sizes:
        for d in dimensions:
            found = [results.find("step_cpu", package, n, d) for package in (DEFAULT, PAPER)]
            table.append([str(n), str(d), *(_seconds(m) for m in found)])
    return table


def against_bound(results: Results, sizes: Sequence[int]) -> Table:
    """Step time of the default preset beside the time of its linear algebra alone."""
    table = [["n", "step, s", "flop bound, s", "step / bound"]]
    rate = results.find("dgemm_rate", "numpy")
    for n in sizes:
        step = results.find("step_cpu", DEFAULT, n, DIMENSION)
        if step is None or rate is None:
            continue
        bound = bound_seconds(n, rate.minimum * 1e9)
        ratio = step.minimum / bound
        table.append([str(n), f"{step.minimum:.3f}", f"{bound:.4f}", f"{ratio:.1f}"])
    return table


def footprint(results: Results) -> Table:
    """Import time, memory and size on disk: one line for each that was measured."""
    n, d = MEMORY_CELL.n, MEMORY_CELL.d
    lines = [
        ("import warpfront, CPU", results.find("import_cpu", "warpfront")),
        ("import warpfront, wall", results.find("import_wall", "warpfront")),
        ("from warpfront import HEBO, CPU", results.find("import_cpu", "warpfront.HEBO")),
        ("from warpfront import HEBO, wall", results.find("import_wall", "warpfront.HEBO")),
        ("import numpy alone, CPU", results.find("import_cpu", "numpy")),
        ("memory after imports", results.find("memory_at_start", DEFAULT)),
        (f"peak memory, one step at n = {n}", results.find("peak_memory", DEFAULT, n, d)),
        ("installed: warpfront", results.find("installed_size", "warpfront")),
        ("installed: numpy", results.find("installed_size", "numpy")),
        ("installed: scipy", results.find("installed_size", "scipy")),
        (
            f"installed: together (target under {INSTALLED_TARGET:g} MB)",
            results.find("installed_size", "all"),
        ),
    ]
    table = [["what", "minimum", "median", "unit", "repeats"]]
    for what, m in lines:
        if m is not None:
            digits = 3 if m.unit == "s" else 1
            values = [f"{m.minimum:.{digits}f}", f"{m.median:.{digits}f}"]
            table.append([what, *values, m.unit, str(m.repeats)])
    return table


def _verdict(ratio: float) -> str:
    return "reached" if ratio >= HEADLINE_TARGET else "missed"


def _seconds(m: Measurement | None) -> str:
    return MISSING if m is None else f"{m.minimum:.3f} ({m.median:.3f})"


def _ratio(theirs: Measurement | None, ours: Measurement | None) -> str:
    if theirs is None or ours is None:
        return MISSING
    return f"{theirs.minimum / ours.minimum:.1f} ({theirs.median / ours.median:.1f})"
