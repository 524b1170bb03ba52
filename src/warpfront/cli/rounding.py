"""Suggested reals with the digits that their range makes meaningful, for people who set them."""

from __future__ import annotations

import math

from warpfront.space import Configuration, Real, Space

STEPS = 1000
"""A linear range is divided into at least so many steps."""
DIGITS = 4
"""Significant digits on a log scale, and of the distance to 0 and 1 on a logit scale."""


def round_config(space: Space, config: Configuration) -> Configuration:
    """The configuration with rounded reals, or itself if that is not in the space.

    Examples
    --------
    >>> space = Space(t=Real(20, 80), rate=Real(1e-5, 0.1, scale="log"))
    >>> round_config(space, {"t": 33.3333333, "rate": 0.00123456789})
    {'t': 33.33, 'rate': 0.001235}
    >>> mixture = Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b == 1"])
    >>> round_config(mixture, {"a": 1 / 3, "b": 2 / 3})
    {'a': 0.333, 'b': 0.667}
    """
    found = {
        name: _rounded(parameter, value) if isinstance(parameter := space[name], Real) else value
        for name, value in config.items()
    }
    return found if found in space else config


def _rounded(parameter: Real, value: float) -> float:
    if parameter.step is not None or parameter.low == parameter.high:
        return value
    if parameter.scale == "log":
        near = value
    elif parameter.scale == "logit":
        near = min(value, 1.0 - value)
    else:
        decimals = -math.floor(math.log10((parameter.high - parameter.low) / STEPS))
        return _inside(parameter, round(value, decimals))
    if near <= 0.0:
        return value
    return _inside(parameter, round(value, DIGITS - 1 - math.floor(math.log10(near))))


def _inside(parameter: Real, value: float) -> float:
    return min(max(float(value), parameter.low), parameter.high)
