"""Run the tests with the oldest and the newest of what is supported (`make test-matrix`).

These are Python, NumPy, SciPy, Optuna and scikit-learn. Interpreters are looked for on the PATH and
in ~/.pyenv; one that is missing is reported and skipped. Each combination has an environment of its
own under .bench/.

Run as ``python tests/matrix.py [--only oldest] [TESTS]``; without tests, all of the default ones.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = ("numpy==1.26.*", "scipy==1.11.*", "optuna==4.0.*", "scikit-learn==1.4.*")
NEWEST = ("numpy", "scipy", "optuna", "scikit-learn")
COMBINATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "oldest": ("3.10", OLDEST),
    "old": ("3.12", ("numpy==1.26.*", "scipy==1.12.*", "optuna==4.*")),
    "new": ("3.11", ("numpy>=2",)),
    "newest": ("3.13", NEWEST),
}
SHOW = """
from importlib.metadata import version
print(*(f"{name} {version(name)}" for name in ("numpy", "scipy", "optuna", "scikit-learn")))
"""


def interpreter(version: str) -> str | None:
    """Path of an interpreter of this version, if there is one."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(pyenv[-1]) if pyenv else shutil.which(f"python{version}")


def run(name: str, tests: list[str]) -> bool | None:
    """Whether the tests pass; None if the interpreter is missing."""
    version, pins = COMBINATIONS[name]
    python = interpreter(version)
    if python is None:
        return None
    folder = ROOT / ".bench" / f"matrix-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    inside = str(folder / "bin" / "python")
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    eager = ["--upgrade", "--upgrade-strategy", "eager"] if pins == NEWEST else []
    for command in (
        [python, "-m", "venv", str(folder)],
        [inside, "-m", "pip", "install", "--quiet", *eager, "-e", f"{ROOT}[dev]", *pins],
        [inside, "-c", SHOW],
        [inside, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *tests],
    ):
        if subprocess.run(command, cwd=ROOT, env={**os.environ, **threads}).returncode:
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(COMBINATIONS), action="append")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    results = {name: run(name, options.tests) for name in options.only or COMBINATIONS}
    for name, passed in results.items():
        version, pins = COMBINATIONS[name]
        verdict = {True: "passed", False: "FAILED", None: "skipped: no such interpreter"}[passed]
        print(f"{name}: Python {version}, {' '.join(pins)}: {verdict}")
    sys.exit(int(False in results.values()))


if __name__ == "__main__":
    main()
