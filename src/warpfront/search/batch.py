"""Choose from the Pareto front: distinct points that were not tried before.

Two roles are filled on purpose, the point of best predicted mean and the point of greatest
uncertainty; the others are random points of the front (the winning submission's rule). A third, the
best mean of another model, is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.settings import BatchRule
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]

SLOTS = 8
"""So many consecutive trials share out the roles: best mean, greatest uncertainty (unless that is a
neighbour's), best mean of the other model, neighbours, excursions, random points of the front."""
MEAN_SLOT, UNCERTAINTY_SLOT, OTHER_MEAN_SLOT = 0, 1, 4
PAPER_RANDOM = 2
"""Up to so many at a time are random points of the front by the paper's rule."""
ENUMERATE_UP_TO = 4096
"""A finite domain of at most this size is listed, not sampled, when it is nearly used up."""
ATTEMPTS = 8
"""How often a larger domain is sampled, each time for twice as many configurations, before
repeats are allowed."""


def choose(
    front: Floats,
    mean: Floats,
    variance: Floats,
    numbers: Sequence[int],
    rule: BatchRule,
    rng: np.random.Generator,
    other_mean: Floats | None = None,
) -> Floats:
    """Choose a row of the front for each number, as far as there are rows.

    Parameters
    ----------
    front
        Distinct untried points of the Pareto front, (m, d).
    mean, variance
        The model's prediction there, (m,).
    numbers
        The numbers of the trials that are wanted.
    rule
        ``"paper"`` or ``"slots"`` (see :class:`warpfront.settings.Settings`).
    rng
        Source of randomness.
    other_mean
        The mean of the other model, (m,), where there is one with a trial of its own; for
        ``"slots"``.
    """
    if len(front) == 0:
        return front
    most_promising, most_uncertain = int(np.argmin(mean)), int(np.argmax(variance))
    order = [int(i) for i in rng.permutation(len(front))]
    if rule == "paper":
        chosen = order[: len(numbers)]
        if has_most_promising(numbers, rule):  # two of the random points give way
            roles = (most_uncertain, most_promising)
            for special in roles:
                if special not in chosen:
                    chosen[next(i for i, c in enumerate(chosen) if c not in roles)] = special
        return front[chosen]
    specials = {MEAN_SLOT: most_promising, UNCERTAINTY_SLOT: most_uncertain}
    if other_mean is not None:  # its best point that no other trial of the batch takes
        taken = {specials.get(number % SLOTS) for number in numbers}
        left = [int(i) for i in np.argsort(other_mean, kind="stable") if i not in taken]
        if left:
            specials[OTHER_MEAN_SLOT] = left[0]
    wanted = [specials.get(number % SLOTS) for number in numbers]
    reserved = {w for w in wanted if w is not None}
    others = [i for i in order if i not in reserved]
    chosen = []
    for role in wanted:
        if role is not None and role not in chosen:
            chosen.append(role)
        elif others:
            chosen.append(others.pop(0))
    return front[chosen]


def has_most_promising(numbers: Sequence[int], rule: BatchRule) -> bool:
    """Whether :func:`choose` gives one of these trials the point of the best predicted mean.

    Examples
    --------
    >>> has_most_promising(range(8), "slots"), has_most_promising([9, 10], "slots")
    (True, False)
    >>> has_most_promising([9, 10, 11], "paper"), has_most_promising([8], "paper")
    (True, False)
    """
    if rule == "paper":
        return len(numbers) > PAPER_RANDOM
    return any(number % SLOTS == MEAN_SLOT for number in numbers)


def has_other_mean(numbers: Sequence[int], rule: BatchRule) -> bool:
    """Whether :func:`choose` gives one of these trials the best point of the other model.

    Examples
    --------
    >>> has_other_mean([9, 12], "slots"), has_other_mean([9, 13], "slots")
    (True, False)
    >>> has_other_mean(range(8), "paper")
    False
    """
    return rule == "slots" and any(number % SLOTS == OTHER_MEAN_SLOT for number in numbers)


def untried(X: Floats, tried: set[bytes]) -> NDArray[np.intp]:
    """Indices of the first occurrences of rows of X (n, d) whose keys are not in ``tried``."""
    keys = row_keys(X)
    firsts = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return np.array(sorted(firsts[key] for key in firsts.keys() - tried), dtype=np.intp)


def fill_up(
    batch: Floats, q: int, domain: Domain, tried: set[bytes], rng: np.random.Generator
) -> Floats:
    """Complete a batch to q rows: quasi-random untried ones; repeats where there are none."""
    for attempt in range(ATTEMPTS):
        if len(batch) >= q:
            return batch[:q]
        if domain.size <= ENUMERATE_UP_TO:
            rows = domain.enumerate()
            rows = rows[rng.permutation(len(rows))]
        else:
            rows = domain.canonical(domain.sobol(q << attempt, rng))
        fresh = untried(rows, tried | set(row_keys(batch)))
        batch = np.vstack([batch, rows[fresh]])
        if domain.size <= ENUMERATE_UP_TO:
            break
    # The space is used up: repeats are replicated observations.
    repeats = domain.canonical(domain.uniform(max(0, q - len(batch)), rng))
    return np.vstack([batch, repeats])[:q]


def used_up(domain: Domain, tried: set[bytes]) -> bool:
    """Whether every configuration of a small finite domain was tried."""
    return domain.size <= ENUMERATE_UP_TO and len(untried(domain.enumerate(), tried)) == 0
