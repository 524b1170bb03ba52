"""The worker that times HEBO 0.3.6: run by the interpreter of that package's own environment.

HEBO and pandas are imported by name, since they exist in that environment only.
"""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import version

from benchmarks.speed.timing import peak_memory, time_step
from benchmarks.workers.protocol import Message, claim_stdout, serve


def _step(request: Message) -> Message:
    """Time one batch from a fresh optimiser that observed the points of the request."""
    np, pd, torch = (import_module(name) for name in ("numpy", "pandas", "torch"))
    design_space = import_module("hebo.design_space.design_space")
    optimizers = import_module("hebo.optimizers.hebo")

    names = [f"x{i}" for i in range(len(request["points"][0]))]
    space = design_space.DesignSpace().parse(
        [{"name": name, "type": "num", "lb": 0, "ub": 1} for name in names]
    )
    points = pd.DataFrame(request["points"], columns=names)
    values = np.array(request["values"]).reshape(-1, 1)
    # HEBO draws from the global generators; only its Sobol points take a seed.
    np.random.seed(request["seed"])
    torch.manual_seed(request["seed"])
    # rand_sample keeps its default, 1 + d: with fewer observations it draws Sobol points
    # without a model, and such a step would not be comparable.
    optimizer = optimizers.HEBO(space, scramble_seed=request["seed"])
    if len(points) < optimizer.rand_sample:
        raise ValueError(f"{len(points)} observations are within HEBO's first random points")
    return time_step(
        tell=lambda: optimizer.observe(points, values),
        ask=lambda: optimizer.suggest(n_suggestions=request["batch"]),
    )


def _describe(_: Message) -> Message:
    packages = {name: version(name) for name in ("HEBO", "torch", "gpytorch", "pymoo", "numpy")}
    compiled = import_module("pymoo.util.function_loader").is_compiled()
    packages["pymoo"] += " (compiled)" if compiled else " (not compiled, slower)"
    return {
        "versions": {"Python": platform.python_version(), **packages},
        "peak_memory": peak_memory(),
    }


def main() -> None:
    """Serve requests until standard input closes."""
    replies = claim_stdout()
    serve({"step": _step, "describe": _describe}, replies)


if __name__ == "__main__":
    main()
