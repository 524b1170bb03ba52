"""Our own optimisers, as any user would call them: ``python -m ... NAME [SETTINGS]``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.registry import settings_of
from warpfront import HEBO, RandomSearch, Settings, Space
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.turbo import TuRBO

OPTIMIZERS: dict[str, Callable[..., AskTell]] = {
    "default": lambda space, seed, **changes: HEBO(space, seed, Settings(**changes)),
    "paper": lambda space, seed, **changes: HEBO(space, seed, Settings.paper(**changes)),
    "random": RandomSearch,
    "turbo": TuRBO,
    "turbo+": lambda space, seed: TuRBO(space, seed, plus=True),
}
"""By the name on the command line."""


class Warpfront:
    """A run of one of :data:`OPTIMIZERS`."""

    def __init__(self, run: Run, optimizer: str, changes: str = "") -> None:
        settings = settings_of(changes) if changes else {}
        space = Space.from_dict(dict(run.space))
        self._optimizer = OPTIMIZERS[optimizer](space, run.seed, **settings)

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        return self._optimizer.ask(n)

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        self._optimizer.tell(configs, losses)


if __name__ == "__main__":
    main(lambda run: Warpfront(run, *sys.argv[1:]), ("warpfront", "numpy", "scipy"))
