"""The paper's GP, fitted to a history outside of a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.surrogate.model import Model
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model

STARTS = 2
"""Of the fit: the prior's mode and a random one. A run has ten, but here there are many fits."""

OPTIONS = replace(CANDIDATES["paper"], fit=replace(CANDIDATES["paper"].fit, starts=STARTS))
"""What the model is made of."""


def fit_paper_model(history: History) -> Model:
    """The paper's model of the only objective; a pure function of the history.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.problem import Problem
    >>> told = [(None, {"x": x}, x * x) for x in np.linspace(0.1, 1, 8)]
    >>> fit_paper_model(History(Problem(Space(x=Real(0, 1)))).tell(told)).options.name
    'paper'
    """
    data = Dataset.of(history)
    return fit_model(data, data.objective, OPTIONS, np.random.default_rng(0))
