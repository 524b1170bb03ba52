"""Failures: which trials have failed, and whether that says anything about where.

Who cannot tell NaN tells 1e6. Where many losses are such, no transform leaves the others a
difference; so they count as what they mean. And a machine that dies at random says nothing
about the configuration that it was at, which may well be the best: failures that do not depend on
the parameters are left out.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from warpfront.history import History
from warpfront.settings import Settings
from warpfront.surrogate import priors
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.kernels import KernelForm

SHARED, CLOSE, OTHERS = 3, 0.1, 4
"""A penalty is the loss of so many trials at least; all other losses, so many at least, lie within
this share of their gap to it."""
FEWEST, SINCE = 6, 48
"""So many failures, and successes, among so many outcomes tell whether they are random."""
JUDGED, ITERATIONS = 96, 15
"""Which is judged by so many failures and successes at most, and so many iterations of a fit."""
EVIDENCE = 2.0
"""They depend on the parameters where a GP of what has failed is likelier than noise by this
difference of logarithms, the prior of its hyper-parameters included: without it many parameters
explain anything. Where a fifth fails at random it is below in two of three cases or more, of 3 to
12 parameters; where a bound on one or two of them is behind it, hardly ever."""


def learned_from(history: History, settings: Settings) -> History:
    """The history as model and search see it; itself if nothing has failed.

    That is so with the robust output transform; others leave all as it was told.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> rng = np.random.default_rng(0)
    >>> told = [(None, {"x": x}, x if rng.random() < 0.8 else None) for x in rng.random(60)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> len(history.failures) > 6, len(learned_from(history, Settings()).failures)
    (True, 0)
    """
    if settings.output_warp != "robust":
        return history
    history = penalties_as_failures(history, settings)
    if not are_random(history):
        return history
    return replace(history, trials=tuple(t for t in history.trials if t.state != "failed"))


def penalties_as_failures(history: History, settings: Settings) -> History:
    """The history in which trials of a penalty have failed; itself where there is none.

    A penalty is the worst loss, far above all others, of several trials. There may be several, one
    above the other. Only the robust output transform knows them.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, x if x < 0.5 else 1e6) for x in np.linspace(0, 1, 8)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> [trial.number for trial in penalties_as_failures(history, Settings()).of_state("failed")]
    [4, 5, 6, 7]
    """
    if settings.output_warp != "robust" or not history.completed:
        return history
    losses = np.sort([trial.value for trial in history.completed])
    y = 0.25 * losses  # so that no difference can overflow
    others = len(y)
    while (below := int(np.searchsorted(y[:others], y[others - 1]))) >= OTHERS:
        apart, gap = y[below - 1] - y[0], y[below] - y[below - 1]
        if not 0.0 < apart < CLOSE * gap or others - below < SHARED:
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


def are_random(history: History) -> bool:
    """Whether failures do not depend on the parameters, as far as can be told.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, x if x < 0.8 else None) for x in np.linspace(0, 1, 48)]
    >>> are_random(History(Space(x=Real(0, 1))).tell(told))
    False
    """
    fewer = min(len(history.failures), len(history.completed))
    if fewer < FEWEST or history.told < SINCE:
        return False
    encoding = history.space.encoding
    columns = encoding.levels > 1
    if not columns.any():
        return False
    rng = np.random.default_rng(history.told)
    parts = [
        X[np.sort(rng.choice(len(X), min(JUDGED, len(X)), replace=False))][:, columns]
        for X in (history.failures, history.observations[0])
    ]
    failed = np.repeat([1.0, 0.0], [len(part) for part in parts])
    is_category = encoding.is_category[columns]
    form = KernelForm(
        numeric=int((~is_category).sum()),
        categories=int(is_category.sum()),
        smoothness="matern32",
        linear=False,
        additive=False,
        input_warp=False,
        lengthscale_prior="dimension",
        noise_prior=priors.WIDE_NOISE,
    )
    gp = GaussianProcess.fit(
        form,
        is_category,
        np.vstack(parts),
        (failed - failed.mean()) / failed.std(),
        iterations=ITERATIONS,
    )
    posterior = gp.log_likelihood + form.log_prior(gp.theta)[0] - form.log_prior(form.default)[0]
    noise = -0.5 * len(failed) * (1.0 + math.log(2.0 * math.pi))
    return posterior - noise < EVIDENCE
