"""``python -m benchmarks paper``: the paper's analysis, item by item."""

from __future__ import annotations

import argparse
import sys

from benchmarks.paper import (
    ablation,
    acquisitions,
    all_items,
    best_counts,
    conflict,
    gp_fit,
    grid,
    hypothesis_tests,
    page,
    robustness,
    sequential,
    summary,
)

ITEMS = {
    "hypothesis-tests": (hypothesis_tests, "is the noise of a task the same everywhere?"),
    "gp-fit": (gp_fit, "do output transform and input warp improve the fit of the GP?"),
    "conflict": (conflict, "where the three acquisitions want different things"),
    "summary": (summary, "the scores of all methods"),
    "best-counts": (best_counts, "on how many tasks each method is the best"),
    "grid": (grid, "score against evaluations in 36 panels"),
    "sequential": (sequential, "one query at a time, beside BOHB-BB and Dragonfly-BB"),
    "ablation": (ablation, "what each component of the method is worth"),
    "acquisitions": (acquisitions, "GP-Hedge, its arms, batches of q points and the ensemble"),
    "robustness": (robustness, "the theorem of the appendix, by Monte Carlo"),
    "all": (all_items, "all of these at their small size, with the time that each takes"),
    "page": (page, "put the results of all items into docs/reproduction.md"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the items and their options."""
    items = parser.add_subparsers(required=True, metavar="ITEM")
    for name, (module, about) in ITEMS.items():
        item = items.add_parser(name, help=about, description=module.__doc__)
        module.add_arguments(item)
        item.set_defaults(make=module.execute)


def execute(options: argparse.Namespace) -> int:
    """Make one item and return the exit status."""
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        status: int = options.make(options)
    except (OSError, ValueError, LookupError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return status
