"""The same as ``python -m benchmarks reference``."""

from __future__ import annotations

import argparse
import sys

from benchmarks.baseline import command

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baseline", description=__doc__)
    command.add_arguments(parser)
    sys.exit(command.execute(parser.parse_args()))
