"""Run the tests on the oldest and newest Python, NumPy and Optuna (`make test-matrix`).

Interpreters are looked for on the PATH and in ~/.pyenv; one that is missing is reported and
skipped. Each combination has an environment of its own under .bench/.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMBINATIONS = [
    ("3.10", ("numpy==1.26.*", "scipy==1.11.*", "optuna==4.0.*")),
    ("3.12", ("numpy==1.26.*", "optuna==4.*")),
    ("3.11", ("numpy>=2",)),
    ("3.13", ("numpy>=2",)),
]


def interpreter(version: str) -> str | None:
    """Path of an interpreter of this version, if there is one."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(pyenv[-1]) if pyenv else shutil.which(f"python{version}")


def run(version: str, pins: tuple[str, ...]) -> bool | None:
    """Whether the tests pass; None if the interpreter is missing."""
    python = interpreter(version)
    if python is None:
        return None
    folder = ROOT / ".bench" / f"matrix-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    inside = str(folder / "bin" / "python")
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    for command in (
        [python, "-m", "venv", str(folder)],
        [inside, "-m", "pip", "install", "--quiet", "-e", f"{ROOT}[dev]", *pins],
        [inside, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"],
    ):
        if subprocess.run(command, cwd=ROOT, env={**os.environ, **threads}).returncode:
            return False
    return True


def main() -> None:
    results = {combination: run(*combination) for combination in COMBINATIONS}
    for (version, pins), passed in results.items():
        verdict = {True: "passed", False: "FAILED", None: "skipped: no such interpreter"}[passed]
        print(f"Python {version}, {' '.join(pins)}: {verdict}")
    sys.exit(int(False in results.values()))


if __name__ == "__main__":
    main()
