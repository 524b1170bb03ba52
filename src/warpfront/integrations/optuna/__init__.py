"""HEBO as a sampler of Optuna studies."""

from __future__ import annotations

from warpfront.extras import missing_extra

try:
    import optuna  # noqa: F401  (here, so that one place says how to install it)
except ModuleNotFoundError as error:
    if error.name != "optuna":  # Optuna is there, but something that it needs is not
        raise
    raise missing_extra("HEBOSampler needs Optuna", "study") from None

from warpfront.integrations.optuna.goals import directions_of
from warpfront.integrations.optuna.history import load_history
from warpfront.integrations.optuna.outcomes import (
    record_outcomes,
    stored_outcomes,
    tell_outcomes,
)
from warpfront.integrations.optuna.sampler import HEBOSampler
from warpfront.integrations.optuna.space import (
    configuration_of,
    distributions_of,
    is_settled,
    suggest_configuration,
    values_of,
)

__all__ = [
    "HEBOSampler",
    "configuration_of",
    "directions_of",
    "distributions_of",
    "is_settled",
    "load_history",
    "record_outcomes",
    "stored_outcomes",
    "suggest_configuration",
    "tell_outcomes",
    "values_of",
]
