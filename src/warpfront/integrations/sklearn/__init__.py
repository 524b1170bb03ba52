"""HEBO as a hyper-parameter search of scikit-learn."""

from __future__ import annotations

from warpfront.extras import missing_extra

try:
    import sklearn  # noqa: F401  (here, so that one place says how to install it)
except ModuleNotFoundError as error:
    if error.name != "sklearn":  # scikit-learn is there, but something that it needs is not
        raise
    raise missing_extra("HEBOSearchCV needs scikit-learn", "sklearn") from None

from warpfront.integrations.sklearn.search import HEBOSearchCV

__all__ = ["HEBOSearchCV"]
