"""Our own optimisers of version 0.1, beside whatever the main process has: ``... NAME REVISION``.

It is written against the interface of that version and must not follow later ones.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main

OPTIMIZERS = {
    "default": ("warpfront", "HEBO"),
    "turbo": ("warpfront.optimizers.turbo", "TuRBO"),
}
"""Module and class, by the name on the command line."""


class Warpfront01:
    """A run of HEBO with the defaults of version 0.1, or of its TuRBO."""

    def __init__(self, run: Run, optimizer: str) -> None:
        package: Any = import_module("warpfront")
        where = Path(package.__file__)
        if not where.is_relative_to(sys.prefix):
            raise RuntimeError(f"{where} is not the package of {sys.prefix}; unset PYTHONPATH")
        module, name = OPTIMIZERS[optimizer]
        make: Any = getattr(import_module(module), name)
        self._optimizer = make(package.Space.from_dict(dict(run.space)), run.seed)
        self._has_loss = False

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        configs: Sequence[Mapping[str, Any]] = self._optimizer.ask(n)
        return configs

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        self._optimizer.tell(configs, losses)
        self._has_loss |= any(loss is not None for loss in losses)

    def recommend(self) -> Mapping[str, Any] | None:
        if not self._has_loss:
            return None
        config: Mapping[str, Any] = self._optimizer.recommendation.config
        return config


if __name__ == "__main__":
    name, revision = sys.argv[1:]
    main(
        lambda run: Warpfront01(run, name),
        ("warpfront", "numpy", "scipy"),
        {"revision of warpfront": revision},
    )
