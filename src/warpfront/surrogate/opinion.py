"""The second opinion: another model of the same losses, asked in turn with the first.

The first model bends the losses until they look normal, which serves most tasks. But where the
effects of the parameters add up, they do so before the bending, not after it. So every other eight
trials are left to a model that takes the losses as they are and has an additive kernel, provided
that it is credible: that the losses are about as likely under it as under the first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History
from warpfront.settings import Settings
from warpfront.surrogate.model import Model
from warpfront.surrogate.output import OutputTransform

Floats = NDArray[np.float64]

TURN = 8
"""After so many observations the other model is asked."""
CREDIBLE = 0.2
"""By so much for each loss may the second model's log-posterior fall behind the first one's."""
HEARD, ITERATIONS = 64, 20
"""Which is judged by so many observations, and so many iterations of the fits."""
JUDGE_STREAM = 2
"""Keeps the choice of these observations apart from the random numbers of fit and search."""


def opinion(history: History, settings: Settings, seed: int) -> Settings:
    """The settings of the model that the next trials rest on: a pure function of its arguments.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(x=Real(0, 1), y=Real(0, 1))
    >>> told = [(None, c, c["x"] + np.cos(9 * c["y"])) for c in space.sample(16, seed=0)]
    >>> history = History(space).tell(told)
    >>> opinion(history, Settings(second_opinion=True), seed=0).additive_kernel
    True
    """
    turn = history.told >= TURN and history.told // TURN % 2 == 0
    if not settings.second_opinion or not turn:
        return settings
    told = [t for t in history.trials if t.state in ("completed", "failed")]
    if len(told) > HEARD:
        rng = np.random.default_rng([seed, history.told, JUDGE_STREAM])
        told = [told[i] for i in np.sort(rng.choice(len(told), HEARD, replace=False))]
    heard = History(history.space, tuple(told))
    if not heard.completed:
        return settings
    second = replace(settings, output_warp="none", linear_kernel=False, additive_kernel=True)
    behind = log_posterior(heard, settings, seed) - log_posterior(heard, second, seed)
    return second if behind < CREDIBLE * len(heard.completed) else settings


def log_posterior(history: History, settings: Settings, seed: int) -> float:
    """Log-posterior of the losses and of the hyper-parameters of a model briefly fitted to them.

    Up to a constant that all models share. With the slope of the output transform, so that models
    of different transforms can be compared; at losses that it cuts, the slope is that of a
    standardisation.
    """
    brief = replace(settings, starts=1, iterations=min(settings.iterations, ITERATIONS))
    model, losses = Model.fit(history, brief, seed), history.observations[1]
    gp = model.gp
    fit = -0.5 * float(gp.y @ gp.alpha) - float(np.log(np.diag(gp.L)).sum())
    slopes = model.transform.log_slope(losses)
    plain = OutputTransform.fit(losses, "none").log_slope(losses)
    bent = float(np.where(np.isfinite(slopes), slopes, plain).sum())
    return fit + bent + gp.form.log_prior(gp.theta)[0]
