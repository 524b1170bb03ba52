"""Which parameters of a study belong to which choices, inferred from its completed trials.

An objective that calls ``suggest_float("gamma", ...)`` only where it has chosen ``kernel="rbf"``
never says so. Its trials do: a parameter that only some of them have is conditional, and its
parents are the choices and whole numbers whose values tell the trials that have it from the others.
What is inferred agrees with all completed trials; one that does not agree changes it.

Glossary
--------
having, lacking
    of a parameter: the trials that have it, and those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from warpfront.errors import SpaceError
from warpfront.integrations.optuna.inferred import common, latest
from warpfront.integrations.optuna.space import parameter_of
from warpfront.space import Integer, Parameter, Space
from warpfront.space.parameters import parameter_from_dict

When = Mapping[str, Sequence[int]]
"""The stored numbers of parents for which a parameter is active."""
MOST_LEVELS = 256
"""A whole number with more values than this is not taken for a parent."""


@dataclass(frozen=True)
class Inferred:
    """The search space that completed trials have shown.

    Attributes
    ----------
    distributions
        By name; the parameters that all trials have come first.
    when
        The conditions of the others.
    apart
        Parameters of some trials for which no condition was found.
    """

    distributions: dict[str, BaseDistribution]
    when: dict[str, When] = field(default_factory=dict)
    apart: tuple[str, ...] = ()

    def within(self, distributions: Mapping[str, BaseDistribution]) -> Inferred:
        """Only some of the parameters, and those whose parents are among them."""
        kept: dict[str, BaseDistribution] = {}
        for name in self.distributions:
            parents = self.when.get(name, {})
            if name in distributions and all(
                parent in kept and kept[parent] == self.distributions[parent] for parent in parents
            ):
                kept[name] = distributions[name]
        return Inferred(kept, {name: self.when[name] for name in kept if name in self.when})

    def parameters(self) -> dict[str, Parameter]:
        """The conditional parameters, of stored numbers."""
        return {
            name: parameter_from_dict(
                {**parameter_of(self.distributions[name]).to_dict(), "when": dict(when)}
            )
            for name, when in self.when.items()
        }


def infer(trials: Sequence[FrozenTrial]) -> Inferred:
    """The search space of completed trials, with its conditions.

    Examples
    --------
    >>> import optuna
    >>> def objective(trial):
    ...     kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
    ...     return trial.suggest_float("gamma", 0, 1) if kernel == "rbf" else 0.5
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(objective, n_trials=8)
    >>> infer(study.trials).when
    {'gamma': {'kernel': [0]}}
    """
    shared = common(trials)
    rest = sorted(set().union(*(t.distributions for t in trials)).difference(shared))
    found = Inferred(shared)
    while rest:
        for name in rest:
            found = _explained(found, name, trials)
        left = [name for name in rest if name not in found.distributions]
        if len(left) == len(rest):
            break
        rest = left
    return Inferred(found.distributions, found.when, tuple(rest))


def _explained(found: Inferred, name: str, trials: Sequence[FrozenTrial]) -> Inferred:
    """With a condition of one more parameter, if there is one."""
    having = [t for t in trials if name in t.distributions]
    lacking = [t for t in trials if name not in t.distributions]
    allowed = {
        parent: levels
        for parent in _candidates(found, name, having)
        if (levels := _levels(parent, found.distributions[parent], having, lacking))
    }
    when = _smallest(_likeliest_first(allowed, found, having), lacking)
    if when is None:
        return found
    more = Inferred(
        {**found.distributions, name: latest([t.distributions[name] for t in having])},
        {**found.when, name: when},
    )
    try:
        own = more.parameters()
        Space({n: own.get(n) or parameter_of(d) for n, d in more.distributions.items()})
    except SpaceError:  # such as parents that are never active together
        return found
    return more


def _candidates(found: Inferred, name: str, having: Sequence[FrozenTrial]) -> list[str]:
    """Discrete parameters that all trials which have a parameter chose before it."""
    before = [list(t.distributions) for t in having]
    candidates = []
    for parent, distribution in found.distributions.items():
        levels = parameter_of(distribution).levels
        if (
            isinstance(distribution, (CategoricalDistribution, IntDistribution))
            and levels is not None
            and 1 < levels <= MOST_LEVELS
            and all(parent in t.distributions for t in having)
            and any(order.index(parent) < order.index(name) for order in before)
        ):
            candidates.append(parent)
    return candidates


def _likeliest_first(
    allowed: Mapping[str, Sequence[int]], found: Inferred, having: Sequence[FrozenTrial]
) -> When:
    """Parents in the order in which they are tried: a chance coincidence comes late.

    Choices come before whole numbers, a range of whole numbers before scattered ones, few values
    before many, and what was chosen last before what was chosen earlier.
    """
    order = list(having[-1].distributions)

    def key(parent: str) -> tuple[bool, bool, int, int]:
        distribution = found.distributions[parent]
        parameter = parameter_of(distribution)
        values = parameter.level_of(parameter.encode(list(allowed[parent])))
        whole = isinstance(distribution, IntDistribution)
        scattered = whole and values.max() - values.min() >= len(values)
        return whole, bool(scattered), parameter.levels or 0, -order.index(parent)

    return {parent: allowed[parent] for parent in sorted(allowed, key=key)}


def _number(trial: FrozenTrial, name: str) -> Any:
    return trial.distributions[name].to_internal_repr(trial.params[name])


def _levels(
    parent: str,
    distribution: BaseDistribution,
    having: Sequence[FrozenTrial],
    lacking: Sequence[FrozenTrial],
) -> list[int]:
    """The values of a parent with which a parameter was there, and those that seem to belong."""
    seen = {int(_number(t, parent)) for t in having}
    other = {int(_number(t, parent)) for t in lacking if parent in t.distributions}
    parameter = parameter_of(distribution)
    levels = [int(parameter.decode(position)) for position in parameter.positions().tolist()]
    if isinstance(parameter, Integer) and not seen & other:
        if other and max(other) < min(seen):  # as in "for i in range(layers)"
            return [level for level in levels if level >= min(seen)]
        if other and max(seen) < min(other):
            return [level for level in levels if level <= max(seen)]
    return [level for level in levels if level in seen]


def _smallest(allowed: Mapping[str, Sequence[int]], lacking: Sequence[FrozenTrial]) -> When | None:
    """One parent that tells the trials apart, or else as few as leaving out gives."""

    def tells(parents: Sequence[str]) -> bool:
        return not any(
            all(
                parent in t.distributions and int(_number(t, parent)) in allowed[parent]
                for parent in parents
            )
            for t in lacking
        )

    for parent in allowed:
        if tells([parent]):
            return {parent: allowed[parent]}
    chosen = list(allowed)
    if not tells(chosen):
        return None
    for parent in reversed(list(allowed)):
        rest = [other for other in chosen if other != parent]
        if rest and tells(rest):
            chosen = rest
    return {parent: allowed[parent] for parent in chosen}
