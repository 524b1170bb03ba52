"""From the domains of Ray Tune, such as ``tune.loguniform(1e-4, 1e-1)``, to our parameters."""

from __future__ import annotations

import math
from typing import Any

from ray.tune.search.sample import Categorical as Choice
from ray.tune.search.sample import Domain, Float, LogUniform, Normal, Quantized, Uniform
from ray.tune.search.sample import Integer as Whole

from warpfront.errors import SpaceError
from warpfront.integrations.source import Source, read_list
from warpfront.space import Integer, Real
from warpfront.space.parameter import Parameter
from warpfront.space.scales import ScaleName
from warpfront.space.values import native

DEVIATIONS = 3.0
"""How many standard deviations of a normal distribution are searched on either side of its mean."""
ON_THE_GRID = 1e-9
"""How far, in steps, a bound may lie from the grid and still count as on it."""


def read_domain(name: str, given: Any) -> Source:
    """The parameter for a domain of Ray Tune, or for a parameter of ours.

    Examples
    --------
    >>> from ray import tune
    >>> read_domain("lr", tune.loguniform(1e-4, 1e-1)).parameter
    Real(low=0.0001, high=0.1, scale='log', step=None)
    >>> read_domain("width", tune.randint(1, 9)).parameter
    Integer(low=1, high=8, scale='linear', step=1)
    >>> read_domain("batch", tune.choice([16, 32, 64])).parameter
    Ordinal([16, 32, 64])
    """
    if isinstance(given, Parameter):
        return Source(given)
    if not isinstance(given, Domain):
        raise SpaceError(f"parameter {name!r}: {given!r} is not a domain of Ray Tune")
    sampler, step = given.get_sampler(), None
    if isinstance(sampler, Quantized):
        sampler, step = sampler.get_sampler(), sampler.q
    try:
        if isinstance(given, Choice) and isinstance(sampler, Uniform):
            return read_list([native(value) for value in given.categories])
        if isinstance(given, Whole) and isinstance(sampler, (Uniform, LogUniform)):
            return Source(_integer(given, step, _scale(sampler)))
        if isinstance(given, Float) and isinstance(sampler, Normal):
            return Source(_normal(sampler.mean, sampler.sd, step))
        if isinstance(given, Float) and isinstance(sampler, (Uniform, LogUniform)):
            return Source(_real(given.lower, given.upper, step, _scale(sampler)))
    except SpaceError as error:
        raise SpaceError(f"parameter {name!r}: {error}") from None
    raise SpaceError(
        f"parameter {name!r}: tune.sample_from and domains of one's own say nothing of their "
        "range; give tune.uniform, tune.choice or another domain with bounds, and work out the "
        "rest in the trainable"
    )


def _scale(sampler: Any) -> ScaleName:
    return "log" if isinstance(sampler, LogUniform) else "linear"


def _integer(domain: Any, step: Any, scale: ScaleName) -> Integer:
    """The upper bound of ``randint`` is excluded, that of ``qrandint`` with a step is included."""
    if step is None or step == 1:
        return Integer(native(domain.lower), native(domain.upper) - 1, scale=scale)
    low, high = _grid(domain.lower, domain.upper, step)
    return Integer(int(low), int(high), scale=scale, step=int(step))


def _real(low: float, high: float, step: Any, scale: ScaleName) -> Real:
    if step is None:
        return Real(low, high, scale=scale)
    return Real(*_grid(low, high, step), scale=scale, step=float(step))


def _normal(mean: float, deviation: float, step: Any) -> Real:
    """Within some deviations of the mean; the search begins within one of them."""
    low, high = mean - DEVIATIONS * deviation, mean + DEVIATIONS * deviation
    if step is not None:
        low, high = _grid(low, high, step)
    likely = max(mean - deviation, low), min(mean + deviation, high)
    return Real(low, high, step=None if step is None else float(step), likely=likely)


def _grid(low: float, high: float, step: float) -> tuple[float, float]:
    """The first and the last multiple of the step within the bounds.

    Examples
    --------
    >>> _grid(3, 17, 4)
    (4.0, 16.0)
    """
    first = math.ceil(low / step - ON_THE_GRID)
    last = math.floor(high / step + ON_THE_GRID)
    if last < first:
        raise SpaceError(f"there is no multiple of q={step!r} between {low!r} and {high!r}")
    # 3 * 0.1 is 0.3, and not 0.30000000000000004
    return float(f"{first * step:.12g}"), float(f"{last * step:.12g}")
