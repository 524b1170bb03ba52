"""warpfront finds the best settings of an expensive black box in as few evaluations as possible.

It implements HEBO, Heteroscedastic and Evolutionary Bayesian Optimisation.

Examples
--------
>>> from warpfront import HEBO, Real, Space
>>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
>>> batch = optimizer.ask(4)
>>> optimizer.tell(batch, [(c["x"] - 0.3) ** 2 for c in batch])
>>> optimizer.best.value < 0.1
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from warpfront.errors import WarpfrontError
from warpfront.goals import AtLeast, AtMost, Maximize, Measured, Minimize
from warpfront.settings import Settings
from warpfront.space import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.trial import Trial

if TYPE_CHECKING:
    from warpfront.loop import minimize
    from warpfront.optimizers.hebo import HEBO
    from warpfront.optimizers.random import RandomSearch
    from warpfront.result import Result

__version__ = "0.1.0"

__all__ = [
    "HEBO",
    "AtLeast",
    "AtMost",
    "Boolean",
    "Categorical",
    "Integer",
    "Maximize",
    "Measured",
    "Minimize",
    "Ordinal",
    "RandomSearch",
    "Real",
    "Result",
    "Settings",
    "Space",
    "Trial",
    "WarpfrontError",
    "minimize",
]

# These need SciPy, whose import takes longer than all the rest: they are loaded on first use.
_LAZY = {
    "HEBO": "warpfront.optimizers.hebo",
    "RandomSearch": "warpfront.optimizers.random",
    "Result": "warpfront.result",
    "minimize": "warpfront.loop",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'warpfront' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
