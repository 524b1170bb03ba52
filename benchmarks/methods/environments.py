"""The environments of the packages under test, apart from ours: many of their pins are old."""

from __future__ import annotations

import shutil
import subprocess
import sys
from shlex import quote

from filelock import FileLock

from benchmarks.workers.environment import CACHE, Environment, EnvironmentUnavailableError

PYTHON = (3, 11)
"""The pins below were found with this one; HEBO's have no wheels for a later Python."""

HEBO = Environment(
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


CLASSICS = Environment(
    path=CACHE / "classics",
    installs=(
        # NumPy and Setuptools first: Dragonfly's setup script imports them.
        ("wheel", "setuptools<81", "numpy==2.3.5"),
        ("--no-build-isolation", "--no-deps", "dragonfly-opt==0.1.7"),
        (
            *("numpy==2.3.5", "scipy==1.17.1", "scikit-learn==1.9.1"),
            *("scikit-optimize==0.10.2", "pySOT==0.3.3", "POAP==0.1.26", "pyDOE2==1.3.0", "six"),
            *("hyperopt==0.3.0", "opentuner==0.8.8", "SQLAlchemy==1.4.54", "nevergrad==1.0.12"),
            *("hpbandster==0.7.4", "ConfigSpace==1.2.2", "statsmodels==0.15.0"),
            "dragonfly-opt==0.1.7",
        ),
    ),
)
"""The paper's competitors: all seven live together, with the shim in `adapters.old_names`."""


OPTUNA = Environment(
    path=CACHE / "optuna",
    installs=(("torch==2.13.0",), ("optuna==5.0.0", "numpy==2.4.6", "scipy==1.17.1")),
)
"""Optuna's GP sampler needs PyTorch."""

OPTUNA_CMA = Environment(
    path=CACHE / "optuna-cma",
    installs=(("optuna==5.0.0", "cmaes==0.13.1", "numpy==2.4.6", "scipy==1.17.1"),),
)
"""Apart from the other, which need not be made again for a package that its samplers do not use."""

_SMAC = CACHE / "smac"

SMAC = Environment(
    path=_SMAC,
    installs=(
        # pyrfr is compiled with swig. That of PyPI needs this environment's modules, which pip's
        # isolation would hide, and is not on the path, so that pip has to be told where it lies;
        # it passes that on in builds of the new kind (PEP 517) only.
        ("wheel", "swig==4.1.1"),
        (
            *("--use-pep517", "--no-build-isolation"),
            f"--config-settings=--global-option=build_ext --swig={quote(str(_SMAC / 'bin/swig'))}",
            "pyrfr==0.9.0",
        ),
        (
            *("smac[pyrfr]==2.4.1", "ConfigSpace==1.2.2"),
            *("numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"),
        ),
    ),
)
"""With the compiled random forest that was SMAC's own; see `adapters.smac3`."""

AX = Environment(
    path=CACHE / "ax",
    installs=(
        ("torch==2.13.0",),
        (
            *("ax-platform==1.3.1", "botorch==0.18.1", "gpytorch==1.15.2"),
            *("numpy==2.4.6", "scipy==1.17.1"),
        ),
    ),
)


WARPFRONT_0_1 = Environment(
    path=CACHE / "warpfront-0.1",
    installs=(("numpy==2.4.6", "scipy==1.17.1"),),
    revision="562b638",
)
"""Our own version 0.1, taken from the history of this repository: what later ones are held to."""


def ensure(environment: Environment) -> Environment:
    """Make an environment on first use, and return it.

    Raises
    ------
    EnvironmentUnavailableError
        When there is no Python 3.11 or an install fails.
    """
    if not environment.is_complete():
        environment.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(environment.path.with_name(environment.path.name + ".lock")):
            environment.ensure(_find_interpreter())
    return environment


def _find_interpreter() -> str:
    """Path of an interpreter of the version that the pins need."""
    if sys.version_info[:2] == PYTHON:
        return sys.executable
    name = f"python{PYTHON[0]}.{PYTHON[1]}"
    found = shutil.which(name)
    # A pyenv shim may lie on the path without the interpreter behind it: run it to know.
    if found is None or subprocess.run([found, "--version"], capture_output=True).returncode != 0:
        raise EnvironmentUnavailableError(
            f"the competitors' pins need {name}, which is not on the PATH; install it, "
            "or leave the competitors out"
        )
    return found
