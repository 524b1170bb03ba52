"""The report of a run: Markdown for people, CSV for programs, a terse table for the terminal."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report.page import pipes
from benchmarks.speed import bound, tables
from benchmarks.speed.measurement import Results
from benchmarks.speed.plan import BATCH, DIMENSION, DIMENSION_SIZES, DIMENSIONS


@dataclass(frozen=True)
class Run:
    """What a run was, what it found, and which sizes its tables have."""

    facts: Mapping[str, str]
    results: Results
    sizes: tuple[int, ...]
    with_dimensions: bool


def write(run: Run, directory: Path) -> tuple[Path, Path]:
    """Write ``speed.md`` and ``speed.csv`` into `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    page, data = directory / "speed.md", directory / "speed.csv"
    page.write_text(markdown(run), encoding="utf-8")
    with data.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["quantity", "package", "n", "d", "repeats", "minimum", "median", "unit"])
        for m in run.results.measurements:
            key = [m.quantity, m.package, m.n, m.d, m.repeats]
            writer.writerow([*key, f"{m.minimum:.6g}", f"{m.median:.6g}", m.unit])
    return page, data


def markdown(run: Run) -> str:
    """Lay out the report as one Markdown page."""
    blocks = [
        "# Step time",
        f"**{tables.headline(run.results)}**",
        "\n".join(f"- {name}: {value}" for name, value in run.facts.items()),
        f"""\
One step is one suggestion of a batch of {BATCH} with n completed observations of d real
parameters, asked of a fresh optimiser that was told the same points. CPU seconds on one thread:
the minimum over the repeats, and the median in parentheses. The packages take turns within one
run. The points are uniform in the unit cube. Telling is not timed here; it is in the CSV.""",
        f"## Over the number of observations (d = {DIMENSION})",
        pipes(tables.by_size(run.results, run.sizes)),
    ]
    if run.with_dimensions:
        table = tables.by_dimension(run.results, DIMENSION_SIZES, DIMENSIONS)
        blocks += ["## Over the number of parameters", pipes(table)]
    blocks += [
        "## Against the linear algebra alone (default preset)",
        _bound_note(run.results),
        pipes(tables.against_bound(run.results, run.sizes)),
        "## Import, memory, size",
        pipes(tables.footprint(run.results)),
    ]
    if run.results.remarks:
        blocks += ["## Remarks", "\n".join(f"- {remark}" for remark in run.results.remarks)]
    return "\n\n".join(blocks) + "\n"


def terminal(run: Run) -> str:
    """Lay out the main tables in aligned columns."""
    parts = [
        _columns(tables.by_size(run.results, run.sizes)),
        _columns(tables.against_bound(run.results, run.sizes)),
        _columns(tables.footprint(run.results)),
        tables.headline(run.results),
    ]
    return "\n\n".join(parts)


def _bound_note(results: Results) -> str:
    rate = results.find("dgemm_rate", "numpy")
    speed = "unknown" if rate is None else f"{rate.minimum:.1f} GF/s"
    return f"""\
DGEMM on one thread: {speed}. The bound is nominal: {bound.BRIEF_EVALUATIONS} likelihoods with
gradient of each of {bound.MODELS} models on min(n, {bound.BRIEF_POINTS}) points,
{bound.LIKELIHOOD_EVALUATIONS} of the best one on min(n, {bound.FIT_POINTS}), one factorisation of
min(n, {bound.CONDITION_POINTS}) points when those are more, and the variance at
{bound.POPULATION} x {bound.GENERATIONS} points, at that rate; the rest of a step (kernels, other
searches, Python) is what lies above it. `bound.py` has the constants and their sources."""


def _columns(table: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in table
    )
