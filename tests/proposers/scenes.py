"""Contexts of proposers, for their tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warpfront import HEBO, Settings, Space
from warpfront.dataset import Dataset
from warpfront.goals import Goal
from warpfront.history import History
from warpfront.optimizers.hebo import context_of
from warpfront.problem import Problem
from warpfront.proposers.context import Context
from warpfront.search.domain import Domain
from warpfront.surrogate.models import fit_models

Config = Mapping[str, Any]
QUICK = Settings(population=16, generations=4)


def history_of(
    space: Space,
    outcome: Callable[[Config], Any],
    n: int = 14,
    *,
    goals: Goal | list[Goal] | None = None,
    pending: int = 0,
) -> History:
    """A history of n quasi-random evaluations, and some that are pending."""
    optimizer = HEBO(space, seed=0, goals=goals)
    history = History(Problem(space, optimizer.goals))
    configs = space.sample(n + pending, seed=7)
    history = history.tell([(None, config, outcome(config)) for config in configs[:n]])
    return history.ask(configs[n:], ["improve"] * pending)


def context(
    history: History,
    fixed: Config | None = None,
    *,
    n: int = 4,
    settings: Settings = QUICK,
) -> Context:
    """What proposers are given."""
    data = Dataset.of(history)
    models = fit_models(data, settings, 0)
    return context_of(history, data, models, Domain.of(history.space, fixed or {}), n, settings)
