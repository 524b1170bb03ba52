"""Our own optimisers, as any user would call them: ``python -m ... NAME [SETTINGS]``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.registry import changed
from warpfront import HEBO, RandomSearch, Settings, Space
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.turbo import TuRBO

PRESETS = {"default": Settings(), "paper": Settings.paper()}
"""The settings of HEBO, by the name on the command line."""

OPTIMIZERS: dict[str, Callable[[Space, int], AskTell]] = {
    "random": RandomSearch,
    "turbo": TuRBO,
    "turbo+": lambda space, seed: TuRBO(space, seed, plus=True),
}
"""All others."""


class Warpfront:
    """A run of HEBO, or of one of :data:`OPTIMIZERS`."""

    def __init__(self, run: Run, optimizer: str, changes: str = "") -> None:
        space = Space.from_dict(dict(run.space))
        self._optimizer = _make(space, run.seed, optimizer, changes)
        self._has_loss = False

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        return self._optimizer.ask(n)

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        self._optimizer.tell(configs, losses)
        self._has_loss |= any(loss is not None for loss in losses)

    def recommend(self) -> Mapping[str, Any] | None:
        return self._optimizer.recommendation.config if self._has_loss else None


def _make(space: Space, seed: int, optimizer: str, changes: str) -> AskTell:
    if optimizer not in PRESETS:
        return OPTIMIZERS[optimizer](space, seed)
    settings = PRESETS[optimizer]
    return HEBO(space, seed, changed(settings, changes) if changes else settings)


if __name__ == "__main__":
    main(lambda run: Warpfront(run, *sys.argv[1:]), ("warpfront", "numpy", "scipy"))
