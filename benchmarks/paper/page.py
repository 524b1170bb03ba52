"""``python -m benchmarks paper page``: put the briefs of all results into docs/reproduction.md.

Only what stands between the marks ``<!-- ITEM -->`` and ``<!-- end of ITEM -->`` is written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.paper import options as shared
from benchmarks.paper.results import brief_of, quote
from benchmarks.records import write_whole
from benchmarks.workers.environment import REPOSITORY

PAGE = REPOSITORY / "docs" / "reproduction.md"

QUOTED = (
    "hypothesis-tests",
    "gp-fit",
    "conflict",
    "summary",
    "best-counts",
    "grid",
    "sequential",
    "ablation",
    "acquisitions",
    "robustness",
)
"""The items of the page, in its order."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--page", type=Path, default=PAGE, metavar="FILE", help="(docs/reproduction.md)"
    )
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Write the page anew; return the exit status."""
    write_whole(options.page, made_anew(options.page, options.output))
    print(f"written: {options.page}", file=sys.stderr)
    return 0


def made_anew(page: Path, results: Path) -> str:
    """The page with the briefs of all results in their places."""
    briefs = {item: brief_of(item, results) for item in QUOTED}
    return quote(page.read_text(encoding="utf-8"), briefs)
