"""What the adapters share: the protocol they follow, and how they are served.

Standard library only: it is imported under the interpreters of the packages under test.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

from benchmarks.methods.parameters import Parameter, parse_space
from benchmarks.workers.protocol import Message, claim_stdout, serve

Configuration = dict[str, Any]


class Adapter(Protocol):
    """One optimisation run of a package."""

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        """Propose `n` configurations; all of them are told before the next ask."""

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        """Take the losses of the last batch, in its order; None is a failed evaluation."""


EACH_ROUND, AT_THE_END = "each round", "at the end"
"""When an adapter that has an opinion of its own is asked for its recommendation."""


class Recommending(Adapter, Protocol):
    """A run of a package that says itself which configuration it would use.

    Without `recommend` it is the configuration of the smallest loss. An adapter that must not be
    asked before the end, because that changes what it proposes later, says so in `recommends`.
    """

    recommends: str
    """`EACH_ROUND` or `AT_THE_END`; `EACH_ROUND` where it is missing."""

    def recommend(self) -> Mapping[str, Any] | None:
        """The configuration to use by what is known now; None: that of the smallest loss."""


@dataclass(frozen=True)
class Run:
    """What an adapter is told at the start."""

    parameters: tuple[Parameter, ...]
    space: Mapping[str, Mapping[str, Any]]
    seed: int
    batch: int
    rounds: int


Factory = Callable[[Run], Adapter]


HOPELESS = 1e7
"""A loss that is never the best of a run: far above those of random configurations of all tasks."""


class WorstSoFar:
    """Replaces failures for packages that take numbers only: by the worst loss seen so far.

    As long as nothing has succeeded it is :data:`HOPELESS`. The packages cannot wait for a success
    instead: SkOpt proposes the same points again until they are told.

    Examples
    --------
    >>> worst = WorstSoFar()
    >>> worst.replace([None, 3.0]), worst.replace([1.0, None])
    ([3.0, 3.0], [1.0, 3.0])
    """

    def __init__(self) -> None:
        self._worst: float | None = None

    def replace(self, losses: Sequence[float | None]) -> list[float]:
        """The losses of a batch with every failure replaced."""
        finite = [loss for loss in losses if loss is not None]
        if finite:
            self._worst = max(finite if self._worst is None else [self._worst, *finite])
        substitute = HOPELESS if self._worst is None else self._worst
        return [substitute if loss is None else loss for loss in losses]


def main(factory: Factory, packages: Sequence[str], facts: Mapping[str, str] | None = None) -> None:
    """Serve runs of an adapter until standard input closes.

    Parameters
    ----------
    factory
        Starts a run. It must seed every generator that the package draws from, the global ones
        too: one process serves many runs.
    packages
        Distributions whose versions belong into the record.
    facts
        What else belongs there.
    """
    # Before the package is imported, so that its prints do not get between the replies: import
    # it inside `factory`.
    replies = claim_stdout()
    served = _Served(factory, packages, facts or {})
    serve(
        {
            "describe": served.describe,
            "start": served.start,
            "ask": served.ask,
            "tell": served.tell,
            "recommend": served.recommend,
        },
        replies,
    )


class _Served:
    """The handlers of the requests, and the run they are about."""

    def __init__(
        self, factory: Factory, packages: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> None:
        self._factory = factory
        self._packages = packages
        self._facts = facts or {}
        self._adapter: Adapter | None = None

    def describe(self, _: Message) -> Message:
        found = {name: version(name) for name in self._packages}
        return {"versions": {"Python": platform.python_version(), **found, **self._facts}}

    def start(self, request: Message) -> Message:
        run = Run(
            parameters=parse_space(request["space"]),
            space=request["space"],
            seed=request["seed"],
            batch=request["batch"],
            rounds=request["rounds"],
        )
        self._adapter = None  # the old run may be large
        _, times = timed(lambda: setattr(self, "_adapter", self._factory(run)))
        own = hasattr(self._current, "recommend")
        when = getattr(self._current, "recommends", EACH_ROUND) if own else None
        return {"recommends": when, **times}

    def ask(self, request: Message) -> Message:
        configs, times = timed(lambda: self._current.ask(request["n"]))
        return {"configs": [dict(config) for config in configs], **times}

    def tell(self, request: Message) -> Message:
        return timed(lambda: self._current.tell(request["configs"], request["losses"]))[1]

    def recommend(self, _: Message) -> Message:
        adapter: Any = self._current
        config = adapter.recommend()
        return {"config": None if config is None else dict(config)}

    @property
    def _current(self) -> Adapter:
        if self._adapter is None:
            raise RuntimeError("no run was started; send start first")
        return self._adapter


def timed(action: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What an action returns, and the seconds that it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = action()
    return result, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
