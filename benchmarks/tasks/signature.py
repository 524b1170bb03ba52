"""The five points at which Bayesmark takes the signature of a task.

Losses there tell whether two studies, or two versions of scikit-learn, optimised the same thing.
The points are uniform on the warped space: logarithms or log-odds of the bounds, parameters in
alphabetical order, integers and booleans rounded at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

from warpfront import Boolean, Integer, Real, Space

POINTS = 5
SEED = 0

_WARPS: dict[str, tuple[Any, Any]] = {
    "linear": (np.positive, np.positive),
    "log": (np.log, np.exp),
    "logit": (logit, expit),
}
"""Scale: (to the line, back from it)."""


def signature_points(space: Space) -> list[dict[str, Any]]:
    """The five configurations, in Bayesmark's order.

    Examples
    --------
    >>> from warpfront import Integer, Space
    >>> signature_points(Space(p=Integer(1, 4), n_neighbors=Integer(1, 25)))[:2]
    [{'p': 3, 'n_neighbors': 14}, {'p': 3, 'n_neighbors': 15}]
    """
    names = sorted(space)
    bounds = np.array([_line(space[name]) for name in names])
    # The legacy generator, because that is the one whose numbers Bayesmark's points are.
    random = np.random.RandomState(SEED)
    rows = random.uniform(bounds[:, 0], bounds[:, 1], size=(POINTS, len(names)))
    return [
        space.validate({name: _value(space[name], w) for name, w in zip(names, row, strict=True)})
        for row in rows
    ]


def _line(parameter: Any) -> tuple[float, float]:
    """The bounds of a parameter on the warped line."""
    if isinstance(parameter, Boolean):
        return 0.0, 1.0
    if not isinstance(parameter, (Real, Integer)):
        raise TypeError(f"{parameter!r} has no place in Bayesmark's signature; use numbers")
    to_line = _WARPS[parameter.scale][0]
    return float(to_line(float(parameter.low))), float(to_line(float(parameter.high)))


def _value(parameter: Any, on_line: float) -> Any:
    """The value at a place on the warped line."""
    if isinstance(parameter, Boolean):
        return bool(np.round(on_line))
    value = np.clip(_WARPS[parameter.scale][1](on_line), parameter.low, parameter.high)
    return int(np.round(value)) if isinstance(parameter, Integer) else float(value)
