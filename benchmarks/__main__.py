"""``python -m benchmarks``: run methods on tasks, make the reference data, report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

COMMANDS = {
    "run": ("run.command", "run methods on tasks, one record each; goes on where it was killed"),
    "reference": (
        "baseline.command",
        "make the random losses and the optima that scores rest on",
    ),
    "report": ("report.command", "write tables and pictures from the records and the archive"),
    "archive": ("archive.command", "keep the records of this machine under version control"),
    "ablation": ("ablation", "what each component of a method is worth"),
    "parallel": ("parallel", "what is lost when evaluations do not wait for each other"),
    "busy": ("busy", "which share of their time asynchronous workers are busy"),
    "simulate": ("simulate.command", "from how many workers on the optimiser is the bottleneck"),
    "sklearn": ("sklearn_search.command", "searches with scikit-learn's interface, at equal fits"),
    "problems": (
        "problems.command",
        "the same for outcome constraints, several objectives and conditional parameters",
    ),
    "sizes": ("sizes", "constants, lines and branches of the code that makes suggestions"),
    "paper": ("paper.command", "the paper's analysis, made again"),
}
"""Module and summary by name. Only the module of the command that is called is imported: some need
parts of warpfront that have nothing to do with the others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (place, summary) in COMMANDS.items():
        if words[:1] != [name]:
            commands.add_parser(name, help=summary)
            continue
        module: Any = import_module(f"benchmarks.{place}")
        command = commands.add_parser(name, help=summary, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(execute=module.execute)
    options = parser.parse_args(words)
    status: int = options.execute(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
