"""The environment of the public package HEBO 0.3.6, apart from ours: its pins are old."""

from __future__ import annotations

import shutil
import subprocess
import sys

from benchmarks.speed.environment import CACHE, Environment, EnvironmentUnavailableError

PYTHON = (3, 11)
"""scikit-learn 1.1.3 and NumPy below 1.25 have no wheels for a later Python."""

HEBO_ENVIRONMENT = Environment(
    path=CACHE / "hebo-0.3.6",
    installs=(
        # torch by itself and first: this pin has a CPU build, where an unpinned torch
        # would bring gigabytes of GPU libraries.
        ("torch==2.13.0",),
        # pymoo 0.6.0, HEBO's evolutionary search, has wheels with compiled parts up to Python
        # 3.10; here pip would build it without them, and HEBO would take a third longer.
        # That would flatter us, so it is compiled: with Cython and NumPy at hand, outside
        # pip's isolation, and past pip's cache of an earlier, plain build.
        ("numpy<1.25", "cython<3", "wheel"),
        ("--no-build-isolation", "--no-deps", "--no-cache-dir", "pymoo==0.6.0"),
        (
            "HEBO==0.3.6",
            # HEBO leaves these open, and fails with later releases of them.
            *("numpy<1.25", "pandas<2", "scikit-learn==1.1.3", "scipy<1.12"),
            # Only to spare pip the search: it tries years of releases one by one before it
            # finds these, the latest that accept such a NumPy.
            *("GPy==1.13.2", "matplotlib<3.11", "contourpy<1.3.3"),
        ),
    ),
)


def ensure_hebo() -> Environment:
    """Make the environment on first use and return it.

    Raises
    ------
    EnvironmentUnavailableError
        When there is no Python 3.11 or an install fails.
    """
    if not HEBO_ENVIRONMENT.is_complete():
        HEBO_ENVIRONMENT.ensure(_find_interpreter())
    return HEBO_ENVIRONMENT


def _find_interpreter() -> str:
    """Path of an interpreter of the version that HEBO's pins need."""
    if sys.version_info[:2] == PYTHON:
        return sys.executable
    name = f"python{PYTHON[0]}.{PYTHON[1]}"
    found = shutil.which(name)
    # A pyenv shim may lie on the path without the interpreter behind it: run it to know.
    if found is None or subprocess.run([found, "--version"], capture_output=True).returncode != 0:
        raise EnvironmentUnavailableError(
            f"HEBO 0.3.6 needs {name}, which is not on the PATH; install it, "
            "or run the benchmark with --no-hebo"
        )
    return found
