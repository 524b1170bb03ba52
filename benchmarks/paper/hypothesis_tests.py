"""``python -m benchmarks paper hypothesis-tests``: is the noise of a task the same everywhere?

As in the paper (section 3.2 and its appendix): 50 configurations, 10 repeats, Levene's and the
Fligner-Killeen test, beside the paper's own values.
"""

from __future__ import annotations

import argparse

from benchmarks.baseline.pair import pairs_of
from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper.pieces import Pieces, carry_out
from benchmarks.paper.repeats import CONFIGURATIONS, NOISES, REPEATS, Noise, Repeat


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(parser, "the 12 tasks of the quick tier's pairs", "all 108 tasks")
    shared.add_tasks(parser)
    parser.add_argument(
        "--noise",
        nargs="+",
        choices=NOISES,
        default=NOISES,
        help="what differs between repeats: data split and model, as in the paper, or the model "
        "only, as in a run (both, apart)",
    )
    parser.add_argument("--configurations", type=positive, default=CONFIGURATIONS, metavar="K")
    parser.add_argument("--repeats", type=positive, default=REPEATS, metavar="N")
    parser.add_argument(
        "--done", action="store_true", help="evaluate nothing; report the tasks that are done"
    )
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Evaluate what is missing, then write the table; return the exit status."""
    pairs = pairs_of(shared.tasks_of(options))
    wanted = {
        (pair, noise): [
            Repeat(pair, noise, number, options.configurations) for number in range(options.repeats)
        ]
        for noise in options.noise
        for pair in pairs
        if noise == "split" or not pair.deterministic
    }
    if not options.done:
        carry_out([piece for some in wanted.values() for piece in some], options.records, options.jobs)
    return 0
