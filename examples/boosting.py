"""A real model to tune: gradient boosting on the breast-cancer data that ship with scikit-learn.

`make demo` tunes it by the command (boosting.toml). As a script it does so from Python, HEBO beside
random search with the same budget, and draws the convergence of both.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import cross_val_score

from warpfront import HEBO, Integer, RandomSearch, Real, Space, minimize
from warpfront.report import plot_convergence
from warpfront.result import Result

SPACE = Space(
    learning_rate=Real(1e-3, 1.0, scale="log"),
    n_estimators=Integer(20, 200, scale="log"),
    max_depth=Integer(1, 8),
    min_samples_leaf=Integer(1, 50, scale="log"),
    subsample=Real(0.2, 1.0),
    max_features=Real(0.05, 1.0),
)


def loss(config: dict[str, Any]) -> float:
    """Five-fold cross-validated log-loss of one configuration."""
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(random_state=0, **config)
    return -float(cross_val_score(model, X, y, scoring="neg_log_loss", cv=5).mean())


def tune(
    name: str, optimizer: HEBO | RandomSearch, budget: int, batch: int, pool: Executor
) -> Result:
    """One run with progress."""
    print(f"{name}, seed {optimizer.seed}: {budget} evaluations in batches of {batch}")
    return minimize(loss, optimizer, budget, batch=batch, workers=pool, progress=True)


def print_configurations(configs: Mapping[str, Mapping[str, Any]]) -> None:
    """Configurations side by side, parameter by parameter."""
    print(f"\n  {'':<21}" + "".join(f"{name:>15}" for name in configs))
    for name in SPACE:
        values = [config[name] for config in configs.values()]
        shown = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in values]
        print(f"  {name:<21}" + "".join(f"{value:>15}" for value in shown))


def main() -> None:
    """Run the comparison and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=48, help="evaluations of each run")
    parser.add_argument("--batch", type=int, default=8, help="suggestions at a time")
    parser.add_argument("--repeats", type=int, default=1, help="runs with seeds 0, 1, ...")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    args = parser.parse_args()

    with ProcessPoolExecutor(args.workers) as pool:
        default_loss = pool.submit(loss, {}).result()
        seeds = range(args.repeats)
        hebo = [tune("HEBO", HEBO(SPACE, seed), args.budget, args.batch, pool) for seed in seeds]
        random = [
            tune("random search", RandomSearch(SPACE, seed), args.budget, args.batch, pool)
            for seed in seeds
        ]

    print(f"\ncross-validated log-loss after {args.budget} evaluations (lower is better)")
    print(f"  the model's defaults  {default_loss:.4f}")
    for name, results in (("random search", random), ("HEBO", hebo)):
        losses = "  ".join(f"{result.best.value:.4f}" for result in results)
        print(f"  {name:<21} {losses}")
    print_configurations(
        {
            "defaults": GradientBoostingClassifier().get_params(),
            "random search": random[0].best.config,
            "HEBO": hebo[0].best.config,
        }
    )

    args.output.mkdir(parents=True, exist_ok=True)
    picture = plot_convergence(
        {"warpfront (HEBO)": hebo, "random search": random},
        args.output / "convergence.html",
        title="Gradient boosting on the breast-cancer data",
        references={"the model's defaults": default_loss},
        ylabel="best cross-validated log-loss so far",
    )
    print(f"\nconvergence: {picture}")


if __name__ == "__main__":
    main()
