"""The page for people: ``report.md``, and ``summary.md`` with its shortest table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.report import tables
from benchmarks.report.bootstrap import FEWEST, RESAMPLES
from benchmarks.report.figures import MOST_BANDS
from benchmarks.report.held_out import held_out
from benchmarks.report.results import DIGITS, Results, Run
from benchmarks.report.statistics import BASELINE, EXPECTED_RANDOM, Summary, label_of
from benchmarks.report.tables import EARLY, Table

LONGEST_REASON = 160
"""Characters of an error that are printed."""

SCORE = """\
Score: 100 × (1 − clip((L − best) / (clip − best), −1, 1)), where L is the smallest loss so far,
`clip` the median loss of one random configuration and `best` the lowest loss that was known when
the references were frozen, as in Bayesmark; above 100, a run beat it. A mean score is the mean over
tasks of the mean over seeds."""

INTERVALS = f"""\
In brackets: 95 % percentile intervals of {RESAMPLES:,} bootstrap resamples, which draw the tasks,
each with all its seeds. They answer for other tasks and seeds like these; tasks differ much, so
look at the paired difference to compare two methods: it draws the tasks of both together.
There are none of fewer than {FEWEST} tasks, and those of six are still too narrow."""

COLUMNS = f"""\
*minus {BASELINE}*: over the tasks that both have, with all seeds of both; negative means worse than
{BASELINE}. *best on*: tasks on which no other method has a higher mean score; a tie counts for
each, and the number in parentheses leaves ties out. Only methods with all tasks are counted, and
of the variants of {BASELINE} only the one in question, or else {BASELINE} itself. Losses that agree
in {DIGITS} digits are equal.
*ended early*: a run that stopped before its last round counts with what it had found, or with 0.
*CPU s / batch*: to suggest a batch and to take its losses in, mean of a run, median over runs.
*{EXPECTED_RANDOM}*: computed from the stored random losses of the tasks, not run."""

KIT = """\
*With the kit's values*: the same runs scored with the challenge kit's best and clip, read from the
CSV file that `WARPFRONT_BAYESMARK_KIT` names; without it these columns are left out. *The paper's
mean*: as printed, for all 108 tasks, 16 rounds of 8 and 20 seeds: other tasks than here unless
this is the full tier, other seeds, and the scikit-learn of its day. It shows the level to expect;
it is no comparison. HEBO's number stands beside each implementation of HEBO."""

BOXES = """\
Only methods with all tasks. Box: quartiles of the runs, all tasks weighing the same, the line in it
their median, whiskers at 5 % and 95 %; dots: means of the tasks; diamond and number: the mean."""

HELD_OUT = f"""\
The final incumbent of each run, refitted and scored on the 20 % that no optimiser saw. *Mean
rank*: rank among the methods of the median held-out loss over seeds (1 is best, ties shared),
mean over tasks. *better*, *equal*, *worse*: runs whose held-out loss is below, equal to or above
that of {BASELINE} with the same task and seed."""

REGRET = """\
True value at the incumbent minus the minimum of the function, median over seeds. The scores of
functions, too, are those of the true value: luck with the noise does not count."""


def report(results: Results, rows: Sequence[Summary], facts: Mapping[str, str]) -> str:
    """The page; the pictures lie beside it where the command was run."""
    crowded = len(results.with_curves().complete()) > MOST_BANDS
    blocks = [
        f"# Benchmark: {len(results.tasks)} tasks, {results.design.describe()}",
        "\n".join(f"- {name}: {value}" for name, value in facts.items()),
        SCORE,
        INTERVALS,
        "## Summary",
        pipes(tables.summary(results, rows)),
        COLUMNS,
        *_remarks(results, rows),
        _picture("curves", "mean score against evaluations"),
        "Shaded: the 95 % interval"
        + (f" of {BASELINE}; `curves.csv` has the others." if crowded else " of each method."),
        _picture("scores", "final scores of each method"),
        BOXES,
        "## Spread" + (", and the paper's numbers" if results.has_kit else ""),
        pipes(tables.spread(results, rows)),
        "Std and centiles are over the runs of a method, all tasks weighing the same."
        + (f"\n{KIT}" if results.has_kit else ""),
        *_held_out(results),
        *_regret(results),
        "## Time to suggest",
        _picture("times", "CPU seconds for a batch against observations"),
        "## Task by task",
        "Final score, mean ± standard deviation over seeds; the best in bold."
        + (f" {EARLY}: a run ended early." if any(row.early for row in rows) else ""),
        pipes(tables.grid(results)),
        _picture("tasks", "score against evaluations on each task"),
        *provenance(results),
    ]
    return "\n\n".join(blocks) + "\n"


def _picture(name: str, about: str) -> str:
    """The paragraph on a picture, which is not under version control."""
    return f"Picture: {about}. The command writes it beside this page, as `{name}.png`."


def summary(results: Results, rows: Sequence[Summary]) -> str:
    """The compact table alone."""
    return pipes(tables.compact(results, rows)) + "\n"


def provenance(results: Results) -> list[str]:
    """The section that says of which versions the runs are."""
    lines = "\n".join(f"- {line}" for line in versions(results))
    return ["## Versions and machine of the runs", lines]


def versions(results: Results) -> list[str]:
    """What the runs say of themselves: once what all share, then by method what they do not.

    Where the runs of a method differ, all their values stand there.
    """
    found = {method: _values(runs) for method, runs in results.runs.items()}
    first = next(iter(found.values()), {})
    shared = {
        name: values
        for name, values in first.items()
        if len(found) > 1 and all(other.get(name) == values for other in found.values())
    }
    lines = [f"all: {_listed(shared)}"] if shared else []
    for method, values in found.items():
        own = {name: value for name, value in values.items() if name not in shared}
        if own:
            lines.append(f"{label_of(method)}: {_listed(own)}")
    return lines or ["the runs name none"]


def only_ends(results: Results) -> str:
    """A sentence on the runs of which only the end is known, or nothing."""
    names = []
    for method, runs in results.runs.items():
        ends = sum(run.curve is None for run in runs)
        some = f" ({ends} of {len(runs)})" if ends < len(runs) else ""
        names += [f"{label_of(method)}{some}"] if ends else []
    if not names:
        return ""
    return f"Only the end is known of the runs of {', '.join(names)}: the curves leave them out."


def pipes(table: Table) -> str:
    """A table in Markdown."""
    head, *rows = [[cell.replace("|", "\\|") for cell in row] for row in table]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def _remarks(results: Results, rows: Sequence[Summary]) -> list[str]:
    """What a reader must know before comparing rows."""
    remarks = []
    counts = {(row.seeds, row.tasks) for row in rows if row.method}
    if len(counts) > 1:
        remarks.append("The methods have different numbers of tasks or seeds; see the column.")
    for row in rows:
        if row.tasks < len(results.tasks):
            compare = f"so compare it by the paired difference ({row.common} tasks) only"
            if row.method == BASELINE:
                compare = "and the differences to it are over what both have"
            remarks.append(
                f"{row.label} has runs on {row.tasks} of {len(results.tasks)} tasks: its mean is "
                f"over those, {compare}; it is left out of *best on* and of the curves."
            )
        elif row.seeds[0] < row.seeds[1]:
            remarks.append(
                f"{row.label} lacks runs: {row.seeds[0]} to {row.seeds[1]} seeds a task."
            )
    remarks += errors(results)
    if known_by_end := only_ends(results):
        remarks.append(known_by_end)
    if BASELINE not in results.runs:
        remarks.append(f"There is no run of {BASELINE}, so there are no differences to it.")
    return ["\n".join(f"- {remark}" for remark in remarks)] if remarks else []


def errors(results: Results) -> list[str]:
    """A sentence for each reason why runs of a method ended early."""
    found = []
    for method, runs in results.runs.items():
        reasons = Counter(_reason(run.error) for run in runs if run.error is not None)
        found += [
            f"{label_of(method)}, {count} run{'s' * (count > 1)} ended early: {reason}"
            for reason, count in sorted(reasons.items())
        ]
    return found


def _held_out(results: Results) -> list[str]:
    rows = held_out(results)
    if not rows or is_synthetic(results):
        return []
    return ["## On held-out data", pipes(tables.held_out(rows)), HELD_OUT]


def _regret(results: Results) -> list[str]:
    if not is_synthetic(results):
        return []
    return ["## Regret", pipes(tables.regret(results)), REGRET]


def is_synthetic(results: Results) -> bool:
    """Whether all runs are of functions that carry their truth."""
    runs = [run for of_method in results.runs.values() for run in of_method if run.loss < math.inf]
    return bool(runs) and all(run.regret is not None for run in runs)


def _values(runs: Sequence[Run]) -> dict[str, list[str]]:
    values: dict[str, set[str]] = {}
    for run in runs:
        for name, value in run.facts.items():
            values.setdefault(name, set()).add(value)
    return {name: sorted(found) for name, found in values.items()}


def _listed(values: Mapping[str, Sequence[str]]) -> str:
    return ", ".join(f"{name} {' or '.join(found)}" for name, found in values.items())


def _reason(error: str) -> str:
    line = " ".join(error.split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"
