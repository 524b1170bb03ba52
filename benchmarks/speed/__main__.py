"""``python -m benchmarks.speed``: measure, and write the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.methods.environments import HEBO, WARPFRONT_0_1, ensure
from benchmarks.options import positive
from benchmarks.speed import bound, footprint, plan, report
from benchmarks.speed.machine import describe_run
from benchmarks.speed.measurement import Measurement, Results
from benchmarks.speed.steps import time_steps
from benchmarks.workers.environment import (
    CACHE,
    REPOSITORY,
    Environment,
    EnvironmentUnavailableError,
)
from benchmarks.workers.worker import WorkerError

TIME_LIMIT = 300.0
"""Wall seconds after which a step is given up."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parse(given)
    sizes = tuple(options.sizes)
    try:
        hebo, no_hebo = _python(HEBO, plan.HEBO, options.no_hebo)
        former, no_former = _python(WARPFRONT_0_1, plan.FORMER, options.no_former)
        contenders = plan.contenders(hebo, former)
        facts = describe_run(contenders, given)
        results = no_hebo.with_more(no_former).with_more(_dgemm(contenders[0]))
        results = results.with_more(footprint.import_time(options.repeats))
        cells = plan.cells(sizes, with_dimensions=options.with_dimensions)
        results = results.with_more(time_steps(contenders, cells, options.repeats, TIME_LIMIT))
        if not options.quick:
            results = results.with_more(_large_footprint(contenders[0]))
    except WorkerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    run = report.Run(facts, results, sizes, options.with_dimensions)
    page, data = report.write(run, options.output)
    print(report.terminal(run))
    print(f"written: {page}, {data}", file=sys.stderr)
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--repeats", type=positive, default=5, metavar="N")
    parser.add_argument(
        "--sizes",
        type=positive,
        nargs="+",
        metavar="N",
        help="completed observations to time; leaves out the table over dimensions",
    )
    parser.add_argument("--no-hebo", action="store_true", help="leave out HEBO 0.3.6")
    parser.add_argument("--no-former", action="store_true", help="leave out warpfront 0.1")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="where the report goes (benchmarks/results; with --quick .bench/quick)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"n = {plan.HEADLINE_SIZE} only, without memory and installed size",
    )
    options = parser.parse_args(arguments)
    options.with_dimensions = not options.quick and options.sizes is None
    if options.output is None:
        results = REPOSITORY / "benchmarks" / "results"
        options.output = CACHE / "quick" if options.quick else results
    if options.sizes is None:
        options.sizes = [plan.HEADLINE_SIZE] if options.quick else plan.SIZES
    return options


def _python(environment: Environment, name: str, is_left_out: bool) -> tuple[Path | None, Results]:
    """Find the interpreter of another package, or None with a remark that says why not."""
    if is_left_out:
        return None, Results(())
    try:
        return ensure(environment).python, Results(())
    except EnvironmentUnavailableError as error:
        remark = f"{name} is unavailable: {error}"
        print(remark, file=sys.stderr)
        return None, Results((), (remark,))


def _dgemm(contender: plan.Contender) -> Results:
    """Measure the rate of dense products in a worker of its own, on one thread."""
    with contender.start(TIME_LIMIT) as worker:
        reply = worker.request("dgemm", size=bound.DGEMM_SIZE, repeats=bound.DGEMM_REPEATS)
    return Results((Measurement("dgemm_rate", "numpy", (reply["rate"] / 1e9,), "GF/s"),))


def _large_footprint(contender: plan.Contender) -> Results:
    """Memory and installed size; what cannot be had becomes a remark."""
    results = Results(())
    try:
        results = results.with_more(footprint.peak_memory(contender, TIME_LIMIT))
    except WorkerError as error:
        results = results.with_more(Results((), (f"no peak memory: {error}",)))
    try:
        return results.with_more(footprint.installed_size())
    except EnvironmentUnavailableError as error:
        return results.with_more(Results((), (f"no installed size: {error}",)))


if __name__ == "__main__":
    sys.exit(main())
