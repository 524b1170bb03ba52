"""``python -m benchmarks``: run methods on tasks, make the reference data, report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import ablation, parallel
from benchmarks.archive import command as archive
from benchmarks.baseline import command as reference
from benchmarks.paper import command as paper
from benchmarks.report import command as report
from benchmarks.run import command as run

COMMANDS = {
    "run": (run, "run methods on tasks, one record each; goes on where it was killed"),
    "reference": (reference, "make the random losses and the optima that scores rest on"),
    "report": (report, "write tables and pictures from the records and the archive"),
    "archive": (archive, "keep the records of this machine under version control"),
    "ablation": (ablation, "what each component of the paper's method is worth"),
    "parallel": (parallel, "what is lost when evaluations do not wait for each other"),
    "paper": (paper, "the paper's analysis, made again"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(execute=module.execute)
    options = parser.parse_args(arguments)
    status: int = options.execute(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
