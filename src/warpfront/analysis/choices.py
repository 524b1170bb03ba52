"""Categories on an axis: which choices are worth showing, and where their observations go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_CHOICES = 15
"""Of a category with more choices, those of the best medians are drawn."""
JITTER = 0.4
"""Observations of one choice are spread over this share of its place, in a fixed pattern."""
GOLDEN = 0.6180339887498949


def promising_choices(losses: Floats, best: int) -> NDArray[np.intp]:
    """Codes of the choices to draw: all, or the most promising, ``best`` among them.

    Parameters
    ----------
    losses
        What is expected of each choice, (m,); small is good.
    best
        The choice of the best configuration.

    Examples
    --------
    >>> promising_choices(np.array([3.0, 1.0, 2.0]), best=0)
    array([0, 1, 2])
    >>> len(promising_choices(np.arange(40.0), best=39))
    15
    """
    if len(losses) <= MOST_CHOICES:
        return np.arange(len(losses))
    kept = np.argsort(losses, kind="stable")[:MOST_CHOICES]
    return kept if best in kept else np.append(kept[:-1], best)


def spread(places: Floats) -> Floats:
    """Places (n,) of observations on an axis of choices, moved apart in a fixed pattern.

    Examples
    --------
    >>> np.round(spread(np.zeros(3)), 3)
    array([-0.2  ,  0.047, -0.106])
    """
    return np.asarray(places + JITTER * (np.arange(len(places)) * GOLDEN % 1.0 - 0.5))
