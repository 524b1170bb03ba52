"""What an evaluation of each pair costs, for the order of work and the forecast of its end."""

from __future__ import annotations

from benchmarks.baseline.pair import Pair

_DATA = ("boston", "breast", "diabetes", "digits", "iris", "wine")
_SECONDS = {
    "DT": (0.004, 0.010, 0.004, 0.013, 0.006, 0.006),
    "MLP-adam": (0.449, 0.247, 0.502, 1.710, 0.153, 0.146),
    "MLP-sgd": (0.468, 0.169, 0.384, 0.800, 0.123, 0.102),
    "RF": (0.047, 0.078, 0.049, 0.096, 0.096, 0.068),
    "SVM": (0.034, 0.104, 0.018, 0.575, 0.024, 0.025),
    "ada": (0.535, 0.702, 0.592, 1.270, 0.677, 0.665),
    "kNN": (0.010, 0.078, 0.020, 1.120, 0.017, 0.019),
    "lasso": (0.005, 0.228, 0.005, 1.550, 0.054, 0.062),
    "linear": (0.006, 0.018, 0.006, 0.418, 0.038, 0.041),
}
"""CPU seconds of five fits, both metrics, once measured on one core; no result depends on them."""


def evaluation_seconds(pair: Pair) -> float:
    """About how long one evaluation takes.

    Examples
    --------
    >>> evaluation_seconds(Pair("DT", "iris")) < evaluation_seconds(Pair("ada", "digits"))
    True
    """
    return _SECONDS[pair.model][_DATA.index(pair.data)]
