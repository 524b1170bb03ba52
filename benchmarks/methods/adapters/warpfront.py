"""Our own optimisers, as any user would call them: ``python -m ... NAME``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from warpfront import HEBO, RandomSearch, Settings, Space
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.turbo import TuRBO

OPTIMIZERS: dict[str, Callable[[Space, int], AskTell]] = {
    "default": lambda space, seed: HEBO(space, seed=seed),
    "paper": lambda space, seed: HEBO(space, seed=seed, settings=Settings.paper()),
    "random": lambda space, seed: RandomSearch(space, seed=seed),
    "turbo": lambda space, seed: TuRBO(space, seed=seed),
    "turbo+": lambda space, seed: TuRBO(space, seed=seed, plus=True),
}
"""By the name on the command line."""


class Warpfront:
    """A run of one of :data:`OPTIMIZERS`."""

    def __init__(self, run: Run, optimizer: str) -> None:
        self._optimizer = OPTIMIZERS[optimizer](Space.from_dict(dict(run.space)), run.seed)

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        return self._optimizer.ask(n)

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        self._optimizer.tell(configs, losses)


if __name__ == "__main__":
    main(lambda run: Warpfront(run, sys.argv[1]), ("warpfront", "numpy", "scipy"))
