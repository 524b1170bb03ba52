"""Penalties: losses that stand for failures.

Who cannot tell NaN tells 1e6. Where a good part of all losses are such, no transform leaves the
others a difference; so they count as what they mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from warpfront.history import History
from warpfront.settings import Settings
from warpfront.surrogate.output import CUT_AT_MOST

CLOSE = 0.1
"""All other losses lie within this share of their gap to a penalty."""


def penalties_as_failures(history: History, settings: Settings) -> History:
    """The history in which trials of a penalty have failed; itself where there is none.

    A penalty is the worst loss, far above all others, of more trials than the robust output
    transform cuts. There may be several, one above the other. Other transforms know none.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, x if x < 0.5 else 1e6) for x in (0.1, 0.3, 0.4, 0.6, 0.9)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> [trial.state for trial in penalties_as_failures(history, Settings()).trials]
    ['completed', 'completed', 'completed', 'failed', 'failed']
    """
    if settings.output_warp != "robust" or not history.completed:
        return history
    losses = np.sort([trial.value for trial in history.completed])
    y = 0.25 * losses  # so that no difference can overflow
    others = len(y)
    while (below := int(np.searchsorted(y[:others], y[others - 1]))) > 1:
        apart, gap = y[below - 1] - y[0], y[below] - y[below - 1]
        if not 0.0 < apart < CLOSE * gap or others - below <= CUT_AT_MOST * others:
            break
        others = below
    if others == len(y):
        return history
    least = losses[others]
    trials = tuple(
        replace(t, state="failed", value=None, reason=f"the loss was the penalty {t.value:g}")
        if t.value is not None and t.value >= least
        else t
        for t in history.trials
    )
    return replace(history, trials=trials)
