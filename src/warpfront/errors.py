"""Every error that warpfront raises on purpose.

::

    WarpfrontError
    ├── SpaceError            a search space or parameter that makes no sense (also a ValueError)
    ├── ConfigurationError    a configuration or an argument out of its range (also a ValueError)
    ├── ObservationError      a value that cannot be an observation (also a ValueError)
    ├── SettingsError         a setting out of its range (also a ValueError)
    ├── StateError            saved state that cannot be read (also a ValueError)
    ├── NotEnoughDataError    something was asked that needs observations first (also a LookupError)
    ├── MissingExtraError     an optional package is not installed (also an ImportError)
    └── RunError              a run cannot go on; it has the result so far (also a RuntimeError)
        ├── LossFailedError   the first evaluations all failed alike (also a RuntimeError)
        └── CallbackError     a callback or a stop rule raised (also a RuntimeError)

A message names the parameter, the value and the remedy. Failed evaluations are not errors: they
are observations (see :mod:`warpfront.history`).
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CallbackError",
    "ConfigurationError",
    "LossFailedError",
    "MissingExtraError",
    "NotEnoughDataError",
    "ObservationError",
    "RunError",
    "SettingsError",
    "SpaceError",
    "StateError",
    "WarpfrontError",
]


class WarpfrontError(Exception):
    """The root of the tree: catch this to catch them all.

    Examples
    --------
    >>> from warpfront import Real
    >>> try:
    ...     Real(1.0, 0.0)
    ... except WarpfrontError as error:
    ...     print(type(error).__name__)
    SpaceError
    """


class SpaceError(WarpfrontError, ValueError):
    """A search space or a parameter that makes no sense.

    Examples
    --------
    >>> from warpfront import Real
    >>> Real(0.0, 1.0, scale="log")
    Traceback (most recent call last):
    warpfront.errors.SpaceError: Real(0.0, 1.0): a log scale needs a positive lower bound, ...
    """


class ConfigurationError(WarpfrontError, ValueError):
    """A configuration that does not belong to the space, or an argument out of its range.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> Space(x=Real(0, 1)).validate({"x": 3.0})
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: parameter 'x': 3.0 is outside [0.0, 1.0]; ...
    """


class ObservationError(WarpfrontError, ValueError):
    """A value that cannot be an observation, such as a text.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> HEBO(Space(x=Real(0, 1)), seed=0).tell({"x": 0.5}, "good")
    Traceback (most recent call last):
    warpfront.errors.ObservationError: the value 'good' is not a number; ...
    """


class SettingsError(WarpfrontError, ValueError):
    """A setting out of its range.

    Examples
    --------
    >>> from warpfront import Settings
    >>> Settings(generations=-1)
    Traceback (most recent call last):
    warpfront.errors.SettingsError: generations=-1: must be a whole number of at least 0
    """


class StateError(WarpfrontError, ValueError):
    """Saved state that cannot be read.

    Examples
    --------
    >>> from warpfront import HEBO
    >>> HEBO.from_json("{}")
    Traceback (most recent call last):
    warpfront.errors.StateError: not a saved warpfront optimiser: ...
    """


class NotEnoughDataError(WarpfrontError, LookupError):
    """Something was asked that needs observations first.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> HEBO(Space(x=Real(0, 1)), seed=0).best
    Traceback (most recent call last):
    warpfront.errors.NotEnoughDataError: no evaluation has completed yet; ...
    """


class MissingExtraError(WarpfrontError, ImportError):
    """An optional package is not installed; the message has the line that installs it.

    Examples
    --------
    >>> raise MissingExtraError("reports need plotly: pip install 'warpfront[study]'")
    Traceback (most recent call last):
    warpfront.errors.MissingExtraError: reports need plotly: pip install 'warpfront[study]'
    """


class RunError(WarpfrontError, RuntimeError):
    """A run of :func:`warpfront.minimize` cannot go on; what was observed is not lost.

    The exception that ended the run is its cause, with its traceback.

    Attributes
    ----------
    result
        What was observed until then, a :class:`warpfront.Result`.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> def broken(result, trial):
    ...     raise OSError("the tracker is down")
    >>> try:
    ...     minimize(lambda c: c["x"], Space(x=Real(0, 1)), 5, callbacks=[broken])
    ... except RunError as error:
    ...     print(len(error.result.trials))
    1
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class LossFailedError(RunError):
    """All of the first evaluations failed with the same kind of error: the loss is broken.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> minimize(lambda c: c["y"], Space(x=Real(0, 1)), budget=100)
    Traceback (most recent call last):
    warpfront.errors.LossFailedError: all of the first 5 evaluations failed: KeyError...
    """


class CallbackError(RunError):
    """A callback raised, which ends the run.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> minimize(lambda c: c["x"], Space(x=Real(0, 1)), 5, callbacks=[lambda result: None])
    Traceback (most recent call last):
    warpfront.errors.CallbackError: callbacks[0] raised TypeError: ...
    """
