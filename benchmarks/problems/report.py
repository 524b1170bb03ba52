"""Methods against each other on problems: mean ranks, paired differences, and each problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from benchmarks.problems.curve import GREATEST_GAP, LEAST_GAP
from benchmarks.problems.methods import in_order, label_of
from benchmarks.problems.records import Digest
from benchmarks.problems.registry import find
from benchmarks.report import bootstrap, page, ranking, tables
from benchmarks.report.bootstrap import FEWEST, Estimate, Floats, estimate
from benchmarks.report.ranking import Measure, Values
from benchmarks.report.tables import MISSING, Table

WORDS = f"""\
*score*: log10 of the gap at the end, smaller is better. With one objective the gap is the regret of
the best value within the bounds, divided by that of the median random configuration within them;
{GREATEST_GAP:g} if nothing was found there. With several objectives it is the share of the ideal
hypervolume that is missing. Gaps below {LEAST_GAP:g} count as {LEAST_GAP:g}.
*mean rank*: on each problem, 1 plus the expected number of methods that are better when one seed of
each is drawn; a tie counts half. In brackets: 95 % bootstrap intervals over problems, each with all
its seeds; none of fewer than {FEWEST} problems. *minus ...*: over the problems that both have.
*feasible*: runs that found something within the bounds; *from*: the median number of the first such
evaluation, over these runs. *CPU s / batch*: to suggest a batch and to take its outcomes in, mean
of a run, median over runs."""

Runs = dict[str, dict[str, list[Digest]]]
"""By method and problem."""


def compare(runs: Sequence[Digest], against: str = "warpfront") -> str:
    """The report of some runs, in Markdown.

    Parameters
    ----------
    runs
        Of any methods and problems.
    against
        The method of the paired differences.
    """
    by_method = _grouped(runs)
    problems = list(dict.fromkeys(run.key.task for run in runs))
    revisions = sorted({f"{m}: {_revisions(of)}" for m, of in by_method.items()})
    parts = [
        page.pipes(_methods(by_method, problems, against)),
        page.pipes(_levels(by_method, problems)),
        WORDS,
        "Revisions: " + "; ".join(revisions) + ".",
    ]
    errors = [f"- {_name(run)}: {run.error}" for run in runs if run.error is not None]
    return "\n\n".join([*parts, *(["Ended early:\n" + "\n".join(errors)] if errors else [])])


def _grouped(runs: Sequence[Digest]) -> Runs:
    found: Runs = {name: {} for name in in_order(run.key.method for run in runs)}
    for run in runs:
        found[run.key.method].setdefault(run.key.task, []).append(run)
    return found


def _methods(by_method: Runs, problems: Sequence[str], against: str) -> Table:
    """One row a method, the best mean rank first."""
    scores: Values = {
        method: {p: [run.score for run in of[p]] for p in problems if p in of}
        for method, of in by_method.items()
    }
    ranks = ranking.mean_ranks(problems, scores, Measure.LOG_REGRET)
    head = ["method", "problems × seeds", "mean rank [95 %]", "mean score [95 %]"]
    head += [f"minus {label_of(against)} [95 %]", "feasible", "from", "ended early"]
    rows = []
    for method, of in by_method.items():
        runs = [run for some in of.values() for run in some]
        found = [run.feasible_from for run in runs if run.feasible_from is not None]
        seeds = sorted({len(some) for some in of.values()})
        cpu = [float(np.mean(run.cpu)) for run in runs if run.cpu]
        cells = [
            f"**{label_of(method)}**" if method == against else label_of(method),
            f"{len(of)} × {'-'.join(map(str, seeds[:1] + seeds[1:][-1:]))}",
            tables.interval(ranks.get(method)),
            tables.interval(estimate(*_flat(scores[method]))),
            tables.signed(_difference(scores, method, against)),
            f"{len(found)} of {len(runs)}",
            f"{median(found):g}" if found else MISSING,
            str(sum(run.error is not None for run in runs)),
            tables.seconds(median(cpu) if cpu else None),
        ]
        rank = ranks[method].value if method in ranks else math.inf
        rows.append((rank, cells))
    return [[*head, "CPU s / batch"], *(cells for _, cells in sorted(rows, key=lambda r: r[0]))]


def _difference(scores: Values, method: str, against: str) -> Estimate | None:
    ours, theirs = scores[method], scores.get(against, {})
    common = [problem for problem in ours if problem in theirs]
    if method == against or not common:
        return None
    return bootstrap.difference(
        *_flat({p: ours[p] for p in common}), *_flat({p: theirs[p] for p in common})
    )


def _levels(by_method: Runs, problems: Sequence[str]) -> Table:
    """Median level at the end and mean score by problem and method."""
    table = [["problem: median at the end (mean score)", "best known", *map(label_of, by_method)]]
    for name in problems:
        problem = find(name)
        known = problem.optimum if problem.ideal is None else problem.ideal
        means = {
            m: float(np.mean([r.score for r in of[name]]))
            for m, of in by_method.items()
            if name in of
        }
        best = min(means.values())
        cells = []
        for method, of in by_method.items():
            if name not in of:
                cells.append(MISSING)
                continue
            text = f"{_median_level(of[name])} ({means[method]:.2f})"
            cells.append(f"**{text}**" if means[method] <= best + 1e-9 else text)
        table.append([name, MISSING if known is None else f"{known:.5g}", *cells])
    return table


def _median_level(runs: Sequence[Digest]) -> str:
    """The median over runs, where runs without a level are the worst."""
    ordered = sorted(runs, key=lambda run: run.score)
    middle = [ordered[(len(ordered) - 1) // 2].level, ordered[len(ordered) // 2].level]
    known = [level for level in middle if level is not None]
    return f"{sum(known) / 2.0:.5g}" if len(known) == 2 else "none"


def _revisions(of: Mapping[str, Sequence[Digest]]) -> str:
    found = {run.facts.get("revision", "unknown") for some in of.values() for run in some}
    return ", ".join(sorted(found))


def _name(run: Digest) -> str:
    return f"{label_of(run.key.method)} on {run.key.task}, seed {run.key.seed}"


def _flat(by_problem: Mapping[str, Sequence[float]]) -> tuple[Floats, list[str]]:
    """The values in one row, and the problem of each."""
    numbers = [value for some in by_problem.values() for value in some]
    return np.array(numbers), [name for name, some in by_problem.items() for _ in some]
