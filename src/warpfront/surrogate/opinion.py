"""The second opinion: another model of the same losses.

The first model bends the losses until they look normal, which serves most tasks. But where the
effects of the parameters add up, they do so before the bending, not after it. So there is a second
model, which takes the losses as they are and has an additive kernel. Once there is enough to judge
by, trials rest on the model under which the losses are likelier; and every other eight on the
second as long as it is credible, that is, not much less likely. The model that they do not rest on
is kept: where losses are calm, its most promising point is one of eight trials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History
from warpfront.settings import Settings
from warpfront.surrogate.failures import learned_from
from warpfront.surrogate.model import Model
from warpfront.surrogate.output import OutputTransform

Floats = NDArray[np.float64]

SINCE = 48
"""From so many observations on the second model is heard; fewer cannot tell which is right."""
TURN = 8
"""Every other so many observations, it need only be credible."""
CREDIBLE = 0.2
"""By so much for each loss its log-posterior may then fall behind the first one's."""
HEARD, ITERATIONS = 48, 20
"""Which is judged by so many observations, and so many iterations of the fits."""
SECOND_ITERATIONS = 30
"""The second model, which has more to compute, then goes on for so many."""
JUDGE_STREAM = 2
"""Keeps the choice of these observations apart from the random numbers of fit and search."""


class Opinion(NamedTuple):
    """The model that the next trials rest on, and how to make the other one where both are heard.

    The other is fitted as far as the judgement needed it, and conditioned on all that is known.
    """

    model: Model
    other: Callable[[], Model] | None = None


def opinion(history: History, settings: Settings, seed: int) -> Opinion:
    """What the next trials rest on: a pure function of its arguments.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(x=Real(0, 1), y=Real(0, 1))
    >>> told = [(None, c, c["x"] + np.cos(9 * c["y"])) for c in space.sample(48, seed=0)]
    >>> history = History(space).tell(told)
    >>> views = opinion(history, Settings(), seed=0)
    >>> views.model.gp.form.additive, views.other().gp.form.additive
    (True, False)
    """
    history = learned_from(history, settings)
    if not hears_both(history, settings):
        return Opinion(Model.fit(history, settings, seed))
    heard = part_heard(history, seed)
    if not heard.completed:
        return Opinion(Model.fit(history, settings, seed))
    second = replace(
        settings,
        output_warp="none",
        linear_kernel=False,
        additive_kernel=True,
        iterations=min(settings.iterations, SECOND_ITERATIONS),
    )
    judged = [(s, brief_fit(heard, s, seed)) for s in (settings, second)]
    losses = heard.observations[1]
    first_posterior, second_posterior = (log_posterior(model, losses) for _, model in judged)
    its_turn = history.told // TURN % 2 == 0
    margin = CREDIBLE * len(losses) if its_turn else 0.0
    if first_posterior - second_posterior < margin:
        judged.reverse()
    (chosen, brief), (left_out, other_brief) = judged
    return Opinion(
        Model.fit(history, chosen, seed, brief.gp.theta),
        partial(Model.fit, history, left_out, seed, other_brief.gp.theta, iterations=0),
    )


def hears_both(history: History, settings: Settings) -> bool:
    """Whether the second model is heard as well."""
    return settings.second_opinion and history.told >= SINCE


def part_heard(history: History, seed: int) -> History:
    """The observations by which models are judged: all, or a random part of many."""
    told = history.outcomes
    if len(told) > HEARD:
        rng = np.random.default_rng([seed, len(told), JUDGE_STREAM])
        told = tuple(told[i] for i in np.sort(rng.choice(len(told), HEARD, replace=False)))
    return History(history.space, told)


def brief_fit(history: History, settings: Settings, seed: int) -> Model:
    """A model whose hyper-parameters are good enough to judge it, and to go on from."""
    iterations = min(settings.iterations, ITERATIONS)
    return Model.fit(history, replace(settings, starts=1), seed, iterations=iterations)


def log_posterior(model: Model, losses: Floats) -> float:
    """Of the losses (n,) that a model was fitted to, and of its hyper-parameters.

    Up to a constant for each kernel: the second model has two more log-normal priors, and as their
    constants are left out it is favoured by 2.2. With the slope of the output transform, so that
    models of different transforms can be compared; at losses that it cuts, the slope is that of a
    standardisation.
    """
    slopes = model.transform.log_slope(losses)
    plain = OutputTransform.fit(losses, "none").log_slope(losses)
    bent = float(np.where(np.isfinite(slopes), slopes, plain).sum())
    return model.gp.log_likelihood + bent + model.gp.form.log_prior(model.gp.theta)[0]
