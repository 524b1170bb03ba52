"""Rules that end a run early, for ``minimize(..., stop=...)`` and for a loop of your own.

A rule is called with a result after each evaluation and says whether to stop. Any function of a
result will do; these are the usual ones. In a loop of your own give the rule the optimiser.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from warpfront.checks import real_number, whole_number
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.optimizers.ask_tell import AskTell
from warpfront.overview import best_of
from warpfront.result import Result

Rule: TypeAlias = Callable[[Result], Any]


@dataclass(frozen=True)
class TargetReached:
    """Stop when a value is as good as this one.

    Parameters
    ----------
    value
        The target, in the user's own units: a loss of at most so much, or, where values are
        maximised, a value of at least so much.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> from warpfront.stopping import TargetReached
    >>> space = Space(x=Real(-1, 1))
    >>> result = minimize(lambda c: c["x"] ** 2, space, 50, seed=0, stop=TargetReached(0.01))
    >>> result.stopped, result.best.value <= 0.01, len(result.trials) < 50
    ('TargetReached(value=0.01)', True, True)
    """

    value: float

    def __post_init__(self) -> None:
        _check_number("value", self.value)

    def __call__(self, run: Result | AskTell) -> bool:
        """Whether the target is reached."""
        objectives = run.history.problem.objectives
        if len(objectives) > 1:
            raise ConfigurationError(
                f"stop={self!r}: there are {len(objectives)} objectives; give a function of the "
                "result, such as lambda result: len(result.front) > 9"
            )
        best, sign = best_of(run.history), objectives[0].sign
        return best is not None and sign * (best.value or 0.0) <= sign * self.value


@dataclass(frozen=True)
class Patience:
    """Stop when so many evaluations in a row have brought nothing better.

    Parameters
    ----------
    evaluations
        How many, failed ones included, counted from the best one, or, with several objectives, from
        the last one on the front. None are counted before an evaluation has succeeded.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> from warpfront.stopping import Patience
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell([{"x": 0.1}, {"x": 0.2}, {"x": 0.3}], [1.0, 2.0, 3.0])
    >>> Patience(2)(optimizer), Patience(3)(optimizer)
    (True, False)
    """

    evaluations: int

    def __post_init__(self) -> None:
        whole_number("evaluations", self.evaluations, 1)

    def __call__(self, run: Result | AskTell) -> bool:
        """Whether the patience is at an end."""
        history = run.history
        if not history.feasible:
            return False
        best = best_of(history)
        last = max(t.number for t in history.front) if best is None else best.number
        return sum(trial.number > last for trial in history.evaluated) >= self.evaluations


@dataclass(frozen=True)
class NoGain:
    """Stop when the optimiser expects no further evaluation to be worth it.

    Parameters
    ----------
    tolerance
        The gain that is not worth an evaluation, in the units of the loss. The run ends when the
        optimiser's ``expected_gain``, the expected improvement of the best point it knows of, is
        not above it.
    least
        So many evaluations are made in any case.

    Examples
    --------
    >>> from warpfront.stopping import NoGain
    >>> NoGain(0.001)
    NoGain(tolerance=0.001, least=16)
    """

    tolerance: float
    least: int = 16

    def __post_init__(self) -> None:
        _check_number("tolerance", self.tolerance)
        if self.tolerance < 0.0:
            raise ConfigurationError(f"tolerance={self.tolerance!r}: must be at least 0")
        whole_number("least", self.least, 1)

    def __call__(self, run: Result | AskTell) -> bool:
        """Whether no gain is expected."""
        history = run.history
        optimizer = run.optimizer if isinstance(run, Result) else run
        if not hasattr(type(optimizer), "expected_gain"):
            raise ConfigurationError(
                f"stop={self!r}: {type(optimizer).__name__} does not know what gain to expect; "
                "use HEBO, or another rule"
            )
        if history.told < self.least or not history.feasible:
            return False
        try:
            gain = getattr(optimizer, "expected_gain")  # noqa: B009  (of HEBO, not of all)
        except NotEnoughDataError:
            return False
        return gain is not None and bool(gain <= self.tolerance)


def _check_number(name: str, value: Any) -> None:
    if not math.isfinite(real_number(value)):
        raise ConfigurationError(f"{name}={value!r}: must be a finite number")
