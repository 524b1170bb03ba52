"""What warpfront costs before and beside its steps: import time, memory, size on disk."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.speed.measurement import Measurement, Results
from benchmarks.speed.plan import BATCH, DEFAULT, DIMENSION, Cell, Contender
from benchmarks.speed.problem import observations
from benchmarks.speed.step import time_step
from benchmarks.workers.environment import CACHE, REPOSITORY, Environment
from benchmarks.workers.worker import ONE_THREAD

MEMORY_CELL = Cell(n=10000, d=DIMENSION)
"""Where the peak memory is taken."""

INSTALLED_TARGET = 250.0
"""Megabytes that the core with its dependencies may take on disk."""

IMPORTS = {
    "warpfront": "import warpfront",
    # warpfront loads its optimisers, and SciPy with them, on first use.
    "warpfront.HEBO": "from warpfront import HEBO",
    "numpy": "import numpy",
}
"""The statements whose time is taken, each in fresh processes."""

_TIME_STATEMENT = """
import json, sys, time
cpu, wall = time.process_time(), time.perf_counter()
exec(sys.argv[1])
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""


def import_time(repeats: int) -> Results:
    """CPU and wall time of importing warpfront in fresh processes, and NumPy beside it."""
    measurements = []
    for package, statement in IMPORTS.items():
        times = [_import_once(statement) for _ in range(repeats)]
        cpu, wall = zip(*times, strict=True)
        measurements.append(Measurement("import_cpu", package, cpu, "s"))
        measurements.append(Measurement("import_wall", package, wall, "s"))
    return Results(tuple(measurements))


def _import_once(statement: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _TIME_STATEMENT, statement],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        check=True,
        text=True,
    )
    cpu, wall = json.loads(done.stdout)
    return cpu, wall


def peak_memory(contender: Contender, time_limit: float) -> Results:
    """Largest resident size of a fresh worker: after its imports, and after one large step."""
    with contender.start(time_limit) as worker:
        before: float = worker.request("describe")["peak_memory"]
        data = observations(MEMORY_CELL.n, MEMORY_CELL.d)
        after = time_step(worker, data, 0, BATCH).peak_memory
    key = {"n": MEMORY_CELL.n, "d": MEMORY_CELL.d}
    return Results(
        (
            Measurement("memory_at_start", contender.name, (before,), "MB"),
            Measurement("peak_memory", contender.name, (after,), "MB", **key),
        )
    )


def installed_size() -> Results:
    """Size of warpfront and what it needs, as ``pip install`` puts them into a fresh venv.

    The environment is kept until the sources change.
    """
    environment = Environment(
        path=CACHE / "core", installs=((str(REPOSITORY),),), fingerprint=_source_digest()
    )
    environment.ensure(sys.executable)
    (site_packages,) = environment.path.glob("lib/python3*/site-packages")
    sizes = {name: _size_of(site_packages, name) for name in (DEFAULT, "numpy", "scipy")}
    sizes["all"] = sum(sizes.values())
    return Results(
        tuple(Measurement("installed_size", name, (size,), "MB") for name, size in sizes.items())
    )


def _source_digest() -> str:
    """Hash all that ``pip install`` reads from the repository."""
    digest = hashlib.sha256((REPOSITORY / "pyproject.toml").read_bytes())
    for path in sorted((REPOSITORY / "src").rglob("*.py")):
        digest.update(str(path.relative_to(REPOSITORY)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _size_of(site_packages: Path, name: str) -> float:
    """Megabytes of a package, its ``.libs`` and its metadata."""
    roots = [site_packages / name, site_packages / f"{name}.libs"]
    roots += site_packages.glob(f"{name}-*.dist-info")
    files = (path for root in roots for path in root.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) / 1e6
