"""Our own optimisers, as any user would call them: ``python -m ... default|random [SETTINGS]``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.methods.registry import changed
from benchmarks.problems.served import Configuration, Outcomes, Run, main
from warpfront import HEBO, RandomSearch, Settings, Space
from warpfront.goals import goals_from_list
from warpfront.optimizers.ask_tell import AskTell


class Warpfront:
    """A run of HEBO or of random search."""

    def __init__(self, run: Run, optimizer: str, changes: str = "") -> None:
        space, goals = Space.from_dict(dict(run.space)), goals_from_list(run.goals)
        self._optimizer: AskTell
        if optimizer == "random":
            self._optimizer = RandomSearch(space, run.seed, goals=goals)
        else:
            settings = changed(Settings(), changes) if changes else None
            self._optimizer = HEBO(space, run.seed, settings, goals=goals)

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        return self._optimizer.ask(n)

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        self._optimizer.tell(configs, outcomes)


if __name__ == "__main__":
    main(lambda run: Warpfront(run, *sys.argv[1:]), ("warpfront", "numpy", "scipy"))
