"""The worker that times warpfront: ``python -m benchmarks.speed.warpfront_worker PRESET``.

It also measures the machine's DGEMM rate, since it has NumPy and one thread.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from benchmarks.speed.timing import peak_memory, time_step
from benchmarks.workers.protocol import Message, claim_stdout, serve
from warpfront import HEBO, Real, Settings, Space

PRESETS: dict[str, Callable[[], Settings]] = {"default": Settings, "paper": Settings.paper}


def _step(request: Message, settings: Settings) -> Message:
    """Time one batch from a fresh optimiser that was told the points of the request."""
    points: list[list[float]] = request["points"]
    values: list[float] = request["values"]
    names = [f"x{i}" for i in range(len(points[0]))]
    configurations = [dict(zip(names, point, strict=True)) for point in points]
    space = Space({name: Real(0.0, 1.0) for name in names})
    optimizer = HEBO(space, seed=request["seed"], settings=settings)
    return time_step(
        tell=lambda: optimizer.tell(configurations, values),
        ask=lambda: optimizer.ask(request["batch"]),
    )


def _dgemm(request: Message) -> Message:
    """Best rate of several products of square matrices, in flop/s."""
    size: int = request["size"]
    left, right = np.random.default_rng(0).standard_normal((2, size, size))
    product = left @ right
    times = []
    for _ in range(request["repeats"]):
        start = time.process_time()
        np.matmul(left, right, out=product)
        times.append(time.process_time() - start)
    return {"rate": 2.0 * size**3 / min(times)}


def _describe(_: Message) -> Message:
    packages = {name: version(name) for name in ("warpfront", "numpy", "scipy")}
    return {
        "versions": {"Python": platform.python_version(), **packages},
        "peak_memory": peak_memory(),
    }


def main() -> None:
    """Serve requests with the preset named on the command line."""
    replies = claim_stdout()
    settings = PRESETS[sys.argv[1]]()
    handlers = {"step": lambda request: _step(request, settings)}
    serve({**handlers, "dgemm": _dgemm, "describe": _describe}, replies)


if __name__ == "__main__":
    main()
