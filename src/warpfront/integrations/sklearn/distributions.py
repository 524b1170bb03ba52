"""What may stand for one parameter in the space of a search: ours, a distribution, or a list."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from typing import Any

from warpfront.errors import SpaceError
from warpfront.integrations.source import Source, read_list
from warpfront.space import Integer, Real
from warpfront.space.parameter import Parameter
from warpfront.space.values import native

TAIL = 0.001
"""The share of a distribution without bounds that is left out at either end."""


def read_source(name: str, given: Any) -> Source:
    """Read what was given for a parameter.

    Examples
    --------
    >>> from scipy import stats
    >>> read_source("C", stats.loguniform(1e-3, 1e3)).parameter
    Real(low=0.001, high=1000.0, scale='log', step=None)
    >>> read_source("depth", [2, 4, 8]).parameter
    Ordinal([2, 4, 8])
    >>> read_source("depth", [None, 4, 8]).decode(0) is None
    True
    """
    if isinstance(given, Parameter):
        return Source(copy.deepcopy(given))
    if hasattr(given, "rvs"):
        return _read_distribution(name, given)
    if isinstance(given, range) and len(given) and given.step > 0:
        return Source(Integer(given[0], given[-1], step=given.step))
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, dict)):
        values = [native(value) for value in given]
        if values:
            return read_list(values)
    raise SpaceError(
        f"parameter {name!r}: {given!r} is not a parameter; give one such as Real(0, 1), a frozen "
        "distribution such as scipy.stats.loguniform(1e-3, 1), or a list of values"
    )


def _read_distribution(name: str, given: Any) -> Source:
    kind = getattr(getattr(given, "dist", None), "name", None)
    if kind is None or not hasattr(given, "support") or not hasattr(given, "ppf"):
        raise SpaceError(
            f"parameter {name!r}: the bounds of {given!r} are unknown; give a frozen distribution "
            "of scipy.stats, or a parameter such as Real(0, 1)"
        )
    low, high = map(native, given.support())
    if hasattr(given.dist, "pmf"):
        low = low if math.isfinite(low) else given.ppf(TAIL)
        high = high if math.isfinite(high) else given.ppf(1 - TAIL)
        return Source(Integer(int(low), int(high)))
    if kind == "uniform":
        return Source(Real(low, high))
    if kind in ("loguniform", "reciprocal") and _is_unshifted(given, low, high):
        return Source(Real(low, high, scale="log"))
    # Any other one is searched on the scale of its quantiles, where it is uniform.
    start = 0.0 if math.isfinite(low) else TAIL
    stop = 1.0 if math.isfinite(high) else 1 - TAIL
    return Source(Real(start, stop), lambda share: float(given.ppf(share)))


def _is_unshifted(given: Any, low: float, high: float) -> bool:
    """Whether the logarithm is uniform: ``loc`` has moved neither end."""
    middle = math.sqrt(low * high) if low > 0 else math.nan
    return math.isclose(float(given.ppf(0.5)), middle, rel_tol=1e-9)
