"""What the adapters of problems share: the requests they answer, and what a run is.

A request is a JSON object a line, as for the other benchmarks; outcomes have names here, and a
space may have conditions. Standard library only: it is imported under the interpreters of the
packages under test.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

from benchmarks.methods.adapter import timed
from benchmarks.methods.parameters import Parameter, parse_space
from benchmarks.workers.protocol import Message, claim_stdout, serve

Configuration = dict[str, Any]
Outcomes = Mapping[str, float]

SIGNS = {"minimize": 1.0, "maximize": -1.0, "at_most": 1.0, "at_least": -1.0}
"""By the kind of a goal: times this, smaller is better."""


class Adapter(Protocol):
    """One optimisation run of a package."""

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        """Propose `n` configurations; all of them are told before the next ask."""

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        """Take the outcomes of the last batch, in its order; None is a failed evaluation."""


@dataclass(frozen=True)
class Run:
    """What an adapter is told at the start.

    Parameters
    ----------
    parameters
        Of the space; parents come before those that depend on them.
    space, goals
        As their ``to_dict`` gives them.
    seed, batch, rounds
        Of the run.
    """

    parameters: tuple[Parameter, ...]
    space: Mapping[str, Any]
    goals: Sequence[Mapping[str, Any]]
    seed: int
    batch: int
    rounds: int

    @property
    def objectives(self) -> list[Mapping[str, Any]]:
        """The goals without a bound."""
        return [goal for goal in self.goals if "bound" not in goal]

    @property
    def bounds(self) -> list[Mapping[str, Any]]:
        """The goals with one."""
        return [goal for goal in self.goals if "bound" in goal]

    def minimised(self, outcomes: Outcomes) -> list[float]:
        """The objectives for packages that minimise.

        Examples
        --------
        >>> run = Run((), {}, [{"name": "gain", "goal": "maximize"}], 0, 4, 25)
        >>> run.minimised({"gain": 2.0})
        [-2.0]
        """
        return [SIGNS[goal["goal"]] * outcomes[goal["name"]] for goal in self.objectives]

    def violations(self, outcomes: Outcomes) -> list[float]:
        """One number for each bound, at most 0 where it holds.

        Examples
        --------
        >>> run = Run((), {}, [{"name": "recall", "goal": "at_least", "bound": 0.9}], 0, 4, 25)
        >>> run.violations({"recall": 0.5})
        [0.4]
        """
        return [
            SIGNS[goal["goal"]] * (outcomes[goal["name"]] - goal["bound"]) for goal in self.bounds
        ]


Factory = Callable[[Run], Adapter]


def main(factory: Factory, packages: Sequence[str]) -> None:
    """Serve runs of an adapter until standard input closes.

    Parameters
    ----------
    factory
        Starts a run; it imports the package, and seeds every generator that the package uses.
    packages
        Distributions whose versions belong into the record.
    """
    replies = claim_stdout()  # before the package is imported, which may print
    served = Served(factory, packages)
    serve(
        {
            "describe": served.describe,
            "start": served.start,
            "ask": served.ask,
            "tell": served.tell,
        },
        replies,
    )


class Served:
    """The handlers of the requests, and the run they are about."""

    def __init__(self, factory: Factory, packages: Sequence[str]) -> None:
        self._factory = factory
        self._packages = packages
        self._adapter: Adapter | None = None

    def describe(self, _: Message) -> Message:
        """The versions of the packages."""
        found = {name: version(name) for name in self._packages}
        return {"versions": {"Python": platform.python_version(), **found}}

    def start(self, request: Message) -> Message:
        """Begin a run."""
        run = Run(
            parameters=parse_space(request["space"]),
            space=request["space"],
            goals=request["goals"],
            seed=request["seed"],
            batch=request["batch"],
            rounds=request["rounds"],
        )
        self._adapter = None  # the old run may be large
        self._adapter, times = timed(lambda: self._factory(run))
        return times

    def ask(self, request: Message) -> Message:
        """Pass a batch on."""
        configs, times = timed(lambda: self._current.ask(request["n"]))
        return {"configs": [dict(config) for config in configs], **times}

    def tell(self, request: Message) -> Message:
        """Pass its outcomes on."""
        return timed(lambda: self._current.tell(request["configs"], request["outcomes"]))[1]

    @property
    def _current(self) -> Adapter:
        if self._adapter is None:
            raise RuntimeError("no run was started; send start first")
        return self._adapter
