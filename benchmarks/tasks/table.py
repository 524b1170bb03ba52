"""A task that is looked up in a table of real training runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.tables import store
from benchmarks.tables.store import Frozen, TableData
from benchmarks.tasks.evaluation import Evaluation
from benchmarks.tasks.synthetic import Configuration
from warpfront import Categorical, Ordinal, Space


@dataclass(frozen=True)
class Table:
    """A table of losses: several training runs of each configuration.

    The loss of an evaluation is one of the stored runs, chosen by the seed. The truth is their
    mean.

    Parameters
    ----------
    name
        Collection and data set.
    load
        Reads the table of this name; called when the first configuration is looked up.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]])
    >>> table = Table("toy", lambda name: TableData({"kind": ("a", "b")}, losses))
    >>> table.truth({"kind": "b"}), table.minimum, table.median
    (6.0, 2.0, 4.0)
    >>> sorted({table.evaluate({"kind": "a"}, seed).loss for seed in range(20)})
    [1.0, 2.0, 3.0]
    """

    name: str
    load: Callable[[str], TableData] = store.load

    @property
    def data(self) -> TableData:
        """The table in memory."""
        return self.load(self.name)

    @property
    def space(self) -> Space:
        """What may be tried: texts are categories, numbers are ordered levels."""
        return _space(self)

    @property
    def deterministic(self) -> bool:
        """That the training runs of a configuration differ."""
        return False

    @property
    def frozen(self) -> Frozen:
        """Size, optimum and median; known without the table for those of the benchmark."""
        return store.frozen().get(self.name) or Frozen.of(self.data)

    @property
    def minimum(self) -> float:
        """The smallest truth."""
        return self.frozen.best

    @property
    def median(self) -> float:
        """The truth of the median configuration."""
        return self.frozen.median

    def truth(self, config: Configuration) -> float:
        """The mean of the training runs."""
        data = self.data
        return float(data.truth[data.row(self.space.validate(config))])

    def evaluate(self, config: Configuration, seed: int) -> Evaluation:
        """What an optimiser sees: the loss of one training run.

        Parameters
        ----------
        config
            A configuration of the space.
        seed
            A whole number of at least 0 that chooses the run; those of a benchmark are hashes of
            task, seed of the run, and number of the evaluation.
        """
        repeats = self.data.repeats(self.space.validate(config))
        return Evaluation(float(repeats[seed % len(repeats)]))

    def held_out(self, config: Configuration, seed: int) -> Evaluation:
        """The truth, whatever the seed."""
        return Evaluation(self.truth(config))


@cache
def _space(table: Table) -> Space:
    def parameter(choices: Any) -> Categorical | Ordinal:
        is_text = isinstance(choices[0], str)
        return Categorical(choices) if is_text else Ordinal(choices)

    return Space({name: parameter(choices) for name, choices in table.data.choices.items()})
