"""Replicate: measure a leader again where that is worth more than a new configuration.

The value of one more measurement is the knowledge gradient: by how much the least posterior mean
among the leaders is expected to fall once the measurement is known. It is compared with the
expected improvement of the new configuration.

Glossary
--------
m : (k,)
    posterior means of the leaders.
P : (k, k)
    their posterior covariance; s2 the variance of the noise of one measurement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from warpfront.acquisition.functions import log_ei
from warpfront.proposers.context import Context
from warpfront.surrogate.model import parts

Floats = NDArray[np.float64]

LEADERS = 16
"""So many configurations of the least posterior mean may be measured again."""
ROUNDING = 1e-12
"""Gains up to this are errors of rounding: targets are about standard normal."""
QUANTILES = ndtri((np.arange(64) + 0.5) / 64)
"""Outcomes of a measurement, as standard normal numbers, over which the value is averaged."""


def replicate_instead(context: Context, x: Floats) -> Floats | None:
    """The leader (1, d) that is worth another measurement more than x (1, d); None if none is."""
    if len(context.models.objectives) > 1 or not context.has_feasible:
        return None
    noise = measurement_variance(context)
    first_is_pending = not _repeats(context) and context.waiting.get("replicate", 0) > 0
    if noise == 0.0 or first_is_pending:  # the first one tells whether there is any noise
        return None
    gp = context.surrogate()
    rows = context.data.X[context.models.model.observed.rows]
    rows = rows[(context.domain.repair(rows.copy()) == rows).all(axis=1)]
    rows = rows[context.domain.feasible(rows)]  # what violates a constraint can be told
    if len(rows) == 0:
        return None
    mean = np.concatenate([gp.mean(part) for part in parts(rows)])
    if context.penalty is not None:
        mean = mean + context.penalty(rows)
    leaders = rows[np.argsort(mean, kind="stable")[:LEADERS]]
    m = gp.mean(leaders)
    gains = knowledge_gradient(m, gp.covariance(leaders, leaders), noise)
    best = int(np.argmax(gains))
    mean, variance = gp.predict(x)
    expected = float(np.exp(log_ei(mean, np.sqrt(variance), float(m.min())))[0])
    return leaders[[best]] if gains[best] > max(expected, ROUNDING) else None


def knowledge_gradient(m: Floats, P: Floats, s2: float) -> Floats:
    """The expected fall of the least mean by one measurement of each configuration, (k,).

    Examples
    --------
    >>> knowledge_gradient(np.zeros(2), np.diag([1.0, 0.0]), 0.0).round(2)
    array([0.4, 0. ])
    """
    spread = np.sqrt(np.maximum(np.diag(P) + s2, 1e-300))
    moved = m[:, None, None] + (P / spread)[:, :, None] * QUANTILES  # (k, measured, outcome)
    return np.asarray(m.min() - moved.min(axis=0).mean(axis=1))


def _repeats(context: Context) -> int:
    """How many measurements were repetitions."""
    observed = context.models.model.observed
    return len(observed) - len(observed.rows)


def measurement_variance(context: Context) -> float:
    """The variance of the noise of one measurement, in the units of the targets.

    That of the model, pooled with the differences between repeated measurements; 0 if these have
    never differed: the objective is deterministic then.
    """
    model = context.models.model
    observed = model.observed
    t = model.transform(observed.y)
    freedom = _repeats(context)
    if freedom == 0:
        return model.gp.noise
    means = np.zeros(len(context.data.X))
    means[observed.rows] = observed.mean_of(t)
    within = float(np.square(t - means[observed.row]).sum())
    if within == 0.0:
        return 0.0
    return (within + model.gp.noise) / (freedom + 1)
