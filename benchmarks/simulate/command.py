"""``python -m benchmarks simulate``: from how many workers on the optimiser is the bottleneck.

The optimiser is real, the workers are simulated: one run for each number of workers and each way to
ask. *busy* is the share of their time that workers evaluate, until the last trial begins. *regret*
is how far the best value is above the minimum then.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.busy import SPACE, value
from benchmarks.options import positive, seconds
from benchmarks.processor import processor
from benchmarks.simulate.events import OnDemand, Policy, Simulated, Simulation
from warpfront import HEBO, RandomSearch, Settings
from warpfront.loop.pace import Pace
from warpfront.optimizers.ask_tell import AskTell

MINIMUM = 0.1
"""The least value of the function."""
SPREAD = 0.5
"""Of the logarithm of run times: a tenth of the trials takes twice as long as the median."""
RESULTS = Path(__file__).parents[1] / "results" / "simulation"


@dataclass(frozen=True)
class Way:
    """A way to ask: who suggests, and how many at a time."""

    label: str
    optimizer: Callable[[int], AskTell]
    policy: Callable[[], Policy]


def _without_improve(seed: int) -> AskTell:
    return HEBO(SPACE, seed, Settings(shares={"local": 1, "pareto": 1, "wide": 1, "improve": 0}))


WAYS = {
    "on-demand": Way("one for each free worker", lambda seed: HEBO(SPACE, seed), OnDemand),
    "ahead": Way("ahead of demand: `minimize`", lambda seed: HEBO(SPACE, seed), Pace),
    "cheap": Way("ahead, without `improve`", _without_improve, Pace),
    "random": Way("random search", lambda seed: RandomSearch(SPACE, seed), Pace),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--workers", nargs="+", type=positive, default=[1, 8, 64, 256, 1000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--seconds", type=seconds, default=60.0, help="median of a trial (60)")
    parser.add_argument("--rounds", type=positive, default=4, help="trials for each worker (4)")
    parser.add_argument("--least", type=positive, default=64, help="trials at least (64)")
    parser.add_argument("--seed", type=int, default=0, help="of all (0)")
    parser.add_argument(
        "--limit", type=seconds, default=600.0, help="processor seconds of a run (600)"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the tables")


def execute(options: argparse.Namespace) -> int:
    """Make the runs that are asked for, write the tables of all, and return the exit status."""
    runs = read(options.output)
    for workers in options.workers:
        for name in options.ways:
            runs[workers, name] = simulate(name, workers, options)
            print(table({(workers, name): runs[workers, name]}).splitlines()[-1], flush=True)
            write(runs, options)
    return 0


def simulate(name: str, workers: int, options: argparse.Namespace) -> Simulated:
    """One run."""
    way = WAYS[name]
    return Simulation(
        optimizer=way.optimizer(options.seed),
        value=value,
        duration=run_times(options.seconds, options.seed),
        workers=workers,
        budget=max(options.rounds * workers, options.least),
        policy=way.policy(),
        limit=options.limit,
    ).run()


def run_times(median: float, seed: int) -> Callable[[int], float]:
    """How long trials take: log-normal, by their numbers.

    Examples
    --------
    >>> duration = run_times(60.0, seed=0)
    >>> duration(3) == duration(3), 10.0 < duration(3) < 360.0
    (True, True)
    """

    def duration(number: int) -> float:
        draw = np.random.default_rng([seed, number]).normal()
        return float(median * np.exp(SPREAD * draw))

    return duration


def table(runs: Mapping[tuple[int, str], Simulated]) -> str:
    """The runs as Markdown."""
    lines = [
        "| workers | suggestions | busy | optimiser busy | trials an hour | trials | regret |",
        "|---|---|---|---|---|---|---|",
    ]
    for workers, name in sorted(runs, key=lambda key: (key[0], list(WAYS).index(key[1]))):
        run = runs[workers, name]
        cells = [
            f"{workers:,}",
            WAYS[name].label,
            f"{run.busy:.1%}",
            f"{run.asking:.1%}",
            f"{run.per_hour:,.0f}",
            f"{run.told:,}{' (cut off)' if run.ended_early else ''}",
            f"{run.best - MINIMUM:.3g}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def read(folder: Path) -> dict[tuple[int, str], Simulated]:
    """The runs that were made before, by number of workers and way."""
    file = folder / "simulation.csv"
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as lines:
        return {
            (int(row["workers"]), row["way"]): Simulated(
                workers=int(row["workers"]),
                told=int(row["told"]),
                ended_early=row["ended_early"] == "True",
                **{name: float(row[name]) for name in ("elapsed", "busy", "asking", "best")},
            )
            for row in csv.DictReader(lines)
        }


def write(runs: Mapping[tuple[int, str], Simulated], options: argparse.Namespace) -> None:
    """Write the tables."""
    options.output.mkdir(parents=True, exist_ok=True)
    words = f"--seconds {options.seconds:g} --rounds {options.rounds} --limit {options.limit:g}"
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "all")
    head = (
        "# Many workers, simulated with the real optimiser\n\n"
        f"`python -m benchmarks simulate {words}`\n\n"
        f"{processor()}, OPENBLAS_NUM_THREADS={threads}. Run times are log-normal with a median of "
        f"{options.seconds:g} s. The optimiser's time is processor time on this machine.\n\n"
    )
    (options.output / "simulation.md").write_text(head + table(runs) + "\n", encoding="utf-8")
    with (options.output / "simulation.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, ["way", *Simulated.__annotations__], lineterminator="\n")
        out.writeheader()
        for (_, name), run in sorted(runs.items()):
            facts = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in vars(run).items()}
            out.writerow({"way": name, **facts})
