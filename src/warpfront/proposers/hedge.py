"""GP-Hedge: which of several acquisitions proposes the next trial.

Hoffman, Brochu and de Freitas, "Portfolio Allocation for Bayesian Optimization", 2011, which the
paper names as the alternative to its ensemble (section 4.2). There each arm nominates a point in
each round, one nominee is evaluated, and every arm gains the posterior mean at its own nominee.
Nominees that were not evaluated are not in a history, so here the gains are estimated from
those that were: a pure function of the history, by the model of now.

Glossary
--------
arm : (t,)
    which arm proposed each of the t trials that were evaluated.
reward : (t,)
    what each is worth by the posterior mean, from 0 (the worst target) to 1 (the best).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from warpfront.history import History
from warpfront.proposers.context import Context
from warpfront.settings import Acquisition
from warpfront.trial import Trial

Floats = NDArray[np.float64]

ARMS: MappingProxyType[str, Acquisition] = MappingProxyType(
    {"hedge-ei": "ei", "hedge-pi": "pi", "hedge-lcb": "lcb"}
)
"""The acquisition of each arm, by the name under which its trials are recorded."""
SHARED_PROPOSER = "pareto"
"""The proposer whose trials the arms make."""
UNIFORM_SHARE = 0.1
"""The share of draws that are uniform (the gamma of Exp3, Auer et al., 2002): without them an arm
of which nothing is evaluated would never be drawn again."""


def hedge(
    names: Sequence[str], context: Context, history: History, rng: np.random.Generator
) -> list[str]:
    """Names of proposers, with an arm in each place where GP-Hedge decides."""
    if context.settings.acquisition != "hedge" or len(context.models.objectives) > 1:
        return list(names)
    trials = [
        t
        for t in history.within(context.domain.fixed)
        if t.proposer in ARMS and t.state in ("completed", "failed")
    ]
    p = probabilities(
        np.array([list(ARMS).index(t.proposer or "") for t in trials], dtype=np.intp),
        rewards(context, history, trials),
        len(ARMS),
    )
    return [
        list(ARMS)[rng.choice(len(ARMS), p=p)] if name == SHARED_PROPOSER else name
        for name in names
    ]


def rewards(context: Context, history: History, trials: Sequence[Trial]) -> Floats:
    """The reward of each evaluated trial, (t,); 0 for failed ones."""
    gp = context.models.model.gp
    best, worst = float(gp.t.min()), float(gp.t.max())
    if not trials or best == worst:
        return np.zeros(len(trials))
    reward = np.clip((worst - gp.mean(history.encode(trials))) / (worst - best), 0.0, 1.0)
    return np.where([t.state == "completed" for t in trials], reward, 0.0)


def probabilities(arm: NDArray[np.intp], reward: Floats, arms: int) -> Floats:
    """With which probability each arm proposes the next trial, (arms,).

    The gain of an arm over t rounds is t times the mean of its rewards, to which one reward of
    average size is added: that of an arm without a trial is average. Rewards lie in [0, 1], for
    which the learning rate of Hedge is sqrt(8 ln(arms) / t).

    Examples
    --------
    >>> probabilities(np.array([], dtype=int), np.array([]), 2)
    array([0.5, 0.5])
    >>> probabilities(np.array([0, 1, 0, 1]), np.array([1.0, 0.0, 1.0, 0.0]), 2).round(2)
    array([0.91, 0.09])
    """
    t = len(arm)
    if t == 0:
        return np.full(arms, 1.0 / arms)
    sums, counts = np.bincount(arm, reward, arms), np.bincount(arm, minlength=arms)
    gains = t * (sums + reward.mean()) / (counts + 1.0)
    drawn = softmax(math.sqrt(8.0 * math.log(arms) / t) * gains)
    return np.asarray((1.0 - UNIFORM_SHARE) * drawn + UNIFORM_SHARE / arms)
