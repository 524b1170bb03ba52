"""Penalties: which outcomes stand for failures, as the models of some settings see it."""

from __future__ import annotations

import math

from warpfront.dataset import Dataset
from warpfront.settings import Settings
from warpfront.surrogate.failures import penalties_as_failures, penalty_level
from warpfront.surrogate.models import candidate_models


def known_outcomes(data: Dataset, settings: Settings) -> Dataset:
    """The data as the models see it: with a robust output transform, penalties are failures.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> told = [(None, {"x": x / 8}, x if x < 5 else 1e6) for x in range(8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> [len(known_outcomes(data, s).failed) for s in (Settings(), Settings.paper())]
    [3, 0]
    """
    return penalties_as_failures(data) if _has_penalties(data, settings) else data


def least_penalty(data: Dataset, settings: Settings) -> float:
    """The least minimised objective that counts as a failure; infinite if none does.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> told = [(None, {"x": x / 8}, x if x < 5 else 1e6) for x in range(8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> least_penalty(data, Settings())
    1000000.0
    """
    return penalty_level(data.objective.y) if _has_penalties(data, settings) else math.inf


def _has_penalties(data: Dataset, settings: Settings) -> bool:
    is_robust = any(options.output_warp == "robust" for options in candidate_models(settings))
    return is_robust and len(data.problem.objectives) == 1
