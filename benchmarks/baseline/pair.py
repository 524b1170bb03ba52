"""A (model, data set) pair: one set of fits gives the losses of both its tasks."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tasks.data import KINDS
from benchmarks.tasks.metrics import metrics_of
from benchmarks.tasks.registry import TASKS
from benchmarks.tasks.signature import signature_points
from benchmarks.tasks.spaces import search_space
from benchmarks.tasks.task import Task
from warpfront import Space


class Trial(NamedTuple):
    """An evaluation to be done: a configuration as strict JSON, and the seed of the evaluation.

    Text, because it can be compared, hashed, sent to another process and kept in a file.
    """

    config: str
    seed: int

    @classmethod
    def of(cls, config: Mapping[str, Any], seed: int) -> Trial:
        """From a configuration.

        Examples
        --------
        >>> Trial.of({"p": 2, "n_neighbors": 5}, 0) == Trial.of({"n_neighbors": 5, "p": 2}, 0)
        True
        """
        return cls(json.dumps(config, sort_keys=True, allow_nan=False), seed)


@dataclass(frozen=True, order=True)
class Pair:
    """A model on a data set.

    Parameters
    ----------
    model, data
        Bayesmark's names.

    Examples
    --------
    >>> pair = Pair("SVM", "wine")
    >>> pair.name, [task.name for task in pair.tasks], pair.deterministic
    ('SVM_wine', ['SVM_wine_acc', 'SVM_wine_nll'], False)
    """

    model: str
    data: str

    @property
    def name(self) -> str:
        """Model and data set."""
        return f"{self.model}_{self.data}"

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Its two tasks."""
        return tuple(Task(self.model, self.data, m) for m in metrics_of(KINDS[self.data]))

    @property
    def space(self) -> Space:
        """The search space of both tasks."""
        return search_space(self.model, KINDS[self.data])

    @property
    def deterministic(self) -> bool:
        """Whether neither loss depends on the seed."""
        return all(task.deterministic for task in self.tasks)

    def trial(self, config: Mapping[str, Any], seed: int) -> Trial:
        """An evaluation; where the seed does not matter all seeds are one."""
        return Trial.of(config, 0 if self.deterministic else seed)

    def signature(self) -> list[Trial]:
        """The evaluations of the signature, with the seeds 0, 1, ..."""
        return [self.trial(config, k) for k, config in enumerate(signature_points(self.space))]

    def draws(self, size: int) -> list[Trial]:
        """The random evaluations of a pool, draw i with the seed i.

        They are independent and uniform on the warped space, other ones for each pair. A smaller
        pool is the beginning of a larger one.
        """
        configs = self.space.sample(size, zlib.crc32(self.name.encode()), method="uniform")
        return [self.trial(config, seed) for seed, config in enumerate(configs)]

    def everything(self, at_most: int) -> list[Trial]:
        """All there is to evaluate, if that is finite, without noise and not too much."""
        if not self.deterministic or self.space.size > at_most:
            return []
        positions = [self.space[name].positions() for name in self.space]
        configs = self.space.encoding.decode(np.array(list(itertools.product(*positions))))
        return [self.trial(config, 0) for config in configs]


def pairs_of(names: Iterable[str]) -> list[Pair]:
    """The pairs of some tasks, each once, in the order of the tasks.

    Examples
    --------
    >>> [pair.name for pair in pairs_of(["kNN_wine_nll", "DT_iris_acc", "kNN_wine_acc"])]
    ['kNN_wine', 'DT_iris']
    """
    return list(dict.fromkeys(Pair(TASKS[name].model, TASKS[name].data) for name in names))
