"""The whole optimisation in one call: ask, evaluate with some workers, tell, until it is over.

``minimize`` is loaded on first use: a worker process imports :mod:`warpfront.loop.evaluation`, and
needs nothing of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warpfront.loop.minimizing import minimize

__all__ = ["minimize"]


def __getattr__(name: str) -> Any:
    if name != "minimize":
        raise AttributeError(f"module 'warpfront.loop' has no attribute {name!r}")
    from warpfront.loop.minimizing import minimize

    return minimize
