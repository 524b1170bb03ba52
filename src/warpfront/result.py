"""What a run found: its trials, the best of them, tables, figures, and the way to go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warpfront.decision import best_of, hypervolume_so_far, knee
from warpfront.errors import ConfigurationError
from warpfront.extras import require
from warpfront.goals import Bound
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.hebo import HEBO
from warpfront.overview import describe, overview_card
from warpfront.settings import Settings, settings_or_default
from warpfront.trial import Trial

if TYPE_CHECKING:
    import pandas as pd

    from warpfront.plots import Plots

BUDGET, TIMEOUT, INTERRUPT, EXECUTOR = "budget", "timeout", "interrupt", "executor"
"""Why a run ends: all evaluations made, no time left, Ctrl-C, an executor that takes no more."""


class Event(NamedTuple):
    """Something that happened in a run, in the order in which it happened.

    Attributes
    ----------
    at
        Seconds since the run began.
    kind
        ``"asked"`` or ``"told"``.
    number
        The number of the trial.
    seconds
        Of an outcome, how long its evaluation took.
    """

    at: float
    kind: str
    number: int
    seconds: float | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """What :func:`warpfront.minimize` found; or what an optimiser knows, to look at it.

    It stays as it is, whatever the optimiser learns later.

    Attributes
    ----------
    optimizer
        The optimiser, ready to go on: its model, ``to_json``.
    stopped
        Why the run ended: ``"budget"``, ``"timeout"``, ``"interrupt"`` (Ctrl-C), ``"executor"`` (it
        broke, was shut down or cancelled an evaluation), or the stop rule. Empty while it runs.
    events
        What was asked for and told when. With several workers they say what was known when.
    history
        Everything that was tried, as the optimiser knew it at that time.
    began
        When the run began, if it was one.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=12, seed=0)
    >>> len(result.trials), result.best.value < 0.1
    (12, True)
    >>> result.stopped
    'budget'
    """

    optimizer: AskTell
    stopped: str = ""
    events: tuple[Event, ...] = ()
    history: History = field(default=None)  # type: ignore[assignment]  # that of the optimiser
    began: datetime | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.optimizer, AskTell):
            raise ConfigurationError(
                f"optimizer={self.optimizer!r}: a result is that of an optimiser, such as HEBO"
            )
        if self.history is None:
            object.__setattr__(self, "history", self.optimizer.history)

    def __repr__(self) -> str:
        stopped = f"; stopped by: {self.stopped}" if self.stopped else ""
        count = f"{len(self.history)} trial{'s' if len(self.history) != 1 else ''}"
        return f"<Result of {count}: {describe(self.history)}{stopped}>"

    def _repr_html_(self) -> str:
        return overview_card("Result", self.history, self.stopped)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C, or an executor that takes no more work, ended the run."""
        return self.stopped in (INTERRUPT, EXECUTOR)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials, in order of number."""
        return self.history.trials

    @property
    def best(self) -> Trial:
        """The feasible trial of the best observed value."""
        return self.history.best

    @property
    def recommendation(self) -> Trial:
        """The evaluated configuration of the best posterior mean: the choice under noise."""
        return self._as_it_was.recommendation

    @property
    def best_so_far(self) -> NDArray[np.float64]:
        """The best value after each trial, (n,); infinitely bad before the first success."""
        return self.history.best_so_far

    @property
    def front(self) -> tuple[Trial, ...]:
        """The feasible trials that no other one dominates: with one goal, the best ones."""
        return self.history.front

    @property
    def knee(self) -> Trial:
        """The trial of the front that is closest to the best of all objectives at once."""
        return knee(self.history)

    def best_of(self, name: str, *limits: Bound) -> Trial:
        """The best feasible trial in one objective, within limits on other outcomes.

        See :func:`warpfront.decision.best_of`.

        Examples
        --------
        >>> from warpfront import AtMost, Minimize, RandomSearch, Real, Space, minimize
        >>> goals = [Minimize("cost"), Minimize("error")]
        >>> search = RandomSearch(Space(x=Real(0, 1)), seed=0, goals=goals)
        >>> result = minimize(lambda c: {"cost": c["x"], "error": 1 - c["x"]}, search, budget=9)
        >>> result.best_of("error", AtMost("cost", 0.5)).outcomes["cost"] <= 0.5
        True
        """
        return best_of(self.history, name, *limits)

    def hypervolume_so_far(
        self, reference: Mapping[str, float] | None = None
    ) -> NDArray[np.float64]:
        """The hypervolume that the feasible trials dominate, after each trial, (n,).

        See :func:`warpfront.decision.hypervolume_so_far`.
        """
        return hypervolume_so_far(self.history, reference)

    @property
    def _as_it_was(self) -> AskTell:
        """The optimiser of this history, also when it has gone on since."""
        if self.optimizer.history is self.history:
            return self.optimizer
        return self.fork()

    def fork(self) -> AskTell:
        """Another optimiser that knows what this result knows, to go on without changing this one.

        Examples
        --------
        >>> from warpfront import RandomSearch, Real, Space, minimize
        >>> result = minimize(lambda c: c["x"], RandomSearch(Space(x=Real(0, 1)), 0), 3)
        >>> another = result.fork()
        >>> another.tell({"x": 0.5}, 0.5)
        >>> len(another.history), len(result.optimizer.history)
        (4, 3)
        """
        return self.optimizer._at(self.history)

    def known_when_asked(self, number: int) -> tuple[int, ...]:
        """The numbers of the trials of the run whose outcomes a suggestion was based on.

        Examples
        --------
        >>> from warpfront import RandomSearch, Real, Space, minimize
        >>> search = RandomSearch(Space(x=Real(0, 1)), seed=0)
        >>> result = minimize(lambda c: c["x"], search, budget=6, batch=3)
        >>> result.known_when_asked(4)
        (0, 1, 2)
        """
        known: list[int] = []
        for event in self.events:
            if event.kind == "told":
                known.append(event.number)
            elif event.number == number:
                return tuple(known)
        raise ConfigurationError(f"number={number!r}: the run suggested no such trial")

    def to_dataframe(self) -> pd.DataFrame:
        """The trials as a pandas data frame, a row each, with the trial's number as its index.

        The columns are the parameters, under their own names; the outcomes, under theirs, such as
        ``value``, and their noise if it was measured, such as ``value_std``; ``state``, ``reason``,
        ``proposer``, and ``seconds``, how long the evaluation took. A parameter that
        has one of these names is called ``param_state``, for example.

        Examples
        --------
        >>> from warpfront import Integer, RandomSearch, Space, minimize
        >>> search = RandomSearch(Space(n=Integer(1, 9)), seed=0)
        >>> frame = minimize(lambda c: c["n"] / 2, search, budget=3).to_dataframe()
        >>> list(frame.columns), bool((frame["value"] == frame["n"] / 2).all())
        (['n', 'value', 'state', 'reason', 'proposer', 'seconds'], True)
        """
        pandas = require("pandas", "frames", "data frames need pandas")
        seconds = {event.number: event.seconds for event in self.events if event.kind == "told"}
        facts: dict[str, Any] = {}
        for name in self.history.problem.names:
            outcomes = [trial.outcomes.get(name) for trial in self.trials]
            facts[name] = np.array(outcomes, dtype=float)  # None is NaN
            if any(name in trial.noise for trial in self.trials):
                facts[f"{name}_std"] = [trial.noise.get(name, np.nan) for trial in self.trials]
        facts |= {
            "state": [trial.state for trial in self.trials],
            "reason": [trial.reason for trial in self.trials],
            "proposer": [trial.proposer for trial in self.trials],
            "seconds": [seconds.get(trial.number, np.nan) for trial in self.trials],
        }
        columns: dict[str, Any] = {}
        for name in self.history.space:
            values = [trial.config.get(name) for trial in self.trials]
            columns[f"param_{name}" if name in facts else name] = values
        numbers = pandas.Index([trial.number for trial in self.trials], name="number")
        frame: pd.DataFrame = pandas.DataFrame(columns | facts, index=numbers)
        return frame

    @cached_property
    def plot(self) -> Plots:
        """Interactive figures: ``result.plot.convergence()``, ``.slices()`` and others.

        Examples
        --------
        >>> from warpfront import Real, Space, minimize
        >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=8, seed=0)
        >>> type(result.plot.convergence()).__name__
        'Figure'
        """
        from warpfront.plots import Plots

        return Plots(self.history, settings=settings_of(self, None), seed=self.optimizer.seed)


def history_of(given: History | Result | AskTell) -> History:
    """The history itself, or that of a result or an optimiser; anything else is an error.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> len(history_of(HEBO(Space(x=Real(0, 1)), seed=0)))
    0
    """
    history = given.history if isinstance(given, (Result, AskTell)) else given
    if not isinstance(history, History):
        raise ConfigurationError(
            f"history={given!r}: must be a history, or what has one: the result of minimize, or an "
            "optimiser"
        )
    return history


def settings_of(given: History | Result | AskTell, settings: Settings | None) -> Settings:
    """The settings, or without any those of the optimiser that is given, or else the default ones.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> settings_of(HEBO(Space(x=Real(0, 1)), settings=Settings(population=50)), None).population
    50
    """
    optimizer = given.optimizer if isinstance(given, Result) else given
    if settings is None and isinstance(optimizer, HEBO):
        return optimizer.settings
    return settings_or_default(settings)
