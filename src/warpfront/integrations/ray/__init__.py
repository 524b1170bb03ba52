"""HEBO as a search algorithm of Ray Tune."""

from __future__ import annotations

from warpfront.extras import missing_extra

try:
    import ray.tune  # noqa: F401  (here, so that one place says how to install it)
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "ray":  # Ray is there, what it needs is not
        raise
    raise missing_extra("HEBOSearch needs Ray Tune", "ray") from None

from warpfront.integrations.ray.search import HEBOSearch

__all__ = ["HEBOSearch"]
