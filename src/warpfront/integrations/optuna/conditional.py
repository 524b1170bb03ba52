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

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from warpfront.errors import SpaceError
from warpfront.integrations.optuna.inferred import around, common, hull, latest
from warpfront.integrations.optuna.space import parameter_of, shown_of, told_apart
from warpfront.space import Categorical, Integer, Parameter, Space
from warpfront.space.parameters import parameter_from_dict

Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]
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


def shown(trials: Sequence[FrozenTrial]) -> tuple[dict[str, BaseDistribution], Space]:
    """What trials have searched, to look at: ranges that hold all of theirs, and the conditions.

    Parameters for which no condition was found are left out. At least one must be there.

    Examples
    --------
    >>> import optuna
    >>> def objective(trial):
    ...     kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
    ...     return trial.suggest_float("gamma", 0, 1) if kernel == "rbf" else 0.5
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> study.optimize(objective, n_trials=8)
    >>> shown(study.trials)[1]["gamma"].when
    {'kernel': 'rbf'}
    """
    found = infer(trials)
    distributions = hull(trials)
    for name in found.when:
        having = [t.distributions[name] for t in trials if name in t.distributions]
        distributions[name] = around(having)
    parameters = {name: shown_of(distribution) for name, distribution in distributions.items()}
    for name, condition in found.when.items():
        when = {
            parent: [_shown_number(distributions[parent], parameters[parent], n) for n in numbers]
            for parent, numbers in condition.items()
        }
        parameters[name] = parameter_from_dict({**parameters[name].to_dict(), "when": when})
    return distributions, Space(parameters)


def _shown_number(distribution: BaseDistribution, parameter: Parameter, number: int) -> Any:
    if isinstance(distribution, CategoricalDistribution) and isinstance(parameter, Categorical):
        return parameter.choices[told_apart(distribution).index(number)]
    return number


@dataclass(frozen=True)
class Table:
    """Which trials have which parameters, and the stored numbers of discrete ones.

    Attributes
    ----------
    trials
        The completed trials, n of them.
    has
        For each parameter, which trials have it, (n,).
    place
        At which place of each trial it was suggested, (n,).
    number
        For each choice and whole number, its stored number where there is one, (n,).
    """

    trials: Sequence[FrozenTrial]
    has: dict[str, Bools]
    place: dict[str, Integers]
    number: dict[str, Integers]

    @classmethod
    def of(cls, trials: Sequence[FrozenTrial]) -> Table:
        """Read each trial once."""
        table = cls(trials, {}, {}, {})
        for i, trial in enumerate(trials):
            values = trial.params
            for place, (name, distribution) in enumerate(trial.distributions.items()):
                if name not in table.has:
                    table.has[name] = np.zeros(len(trials), dtype=bool)
                    table.place[name] = np.zeros(len(trials), dtype=np.int64)
                table.has[name][i], table.place[name][i] = True, place
                if isinstance(distribution, (CategoricalDistribution, IntDistribution)):
                    numbers = table.number.setdefault(name, np.zeros(len(trials), dtype=np.int64))
                    numbers[i] = int(distribution.to_internal_repr(values[name]))
        return table


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
    table = Table.of(trials if rest else ())
    while rest:
        for name in rest:
            found = _explained(found, name, table)
        left = [name for name in rest if name not in found.distributions]
        if len(left) == len(rest):
            break
        rest = left
    return Inferred(found.distributions, found.when, tuple(rest))


def _explained(found: Inferred, name: str, table: Table) -> Inferred:
    """With a condition of one more parameter, if there is one."""
    allowed = {
        parent: levels
        for parent in _candidates(found, name, table)
        if (levels := _levels(parent, found.distributions[parent], name, table))
    }
    when = _smallest(_likeliest_first(allowed, found, name, table), name, table)
    if when is None:
        return found
    having = [table.trials[int(i)] for i in np.flatnonzero(table.has[name])]
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


def _candidates(found: Inferred, name: str, table: Table) -> list[str]:
    """Discrete parameters that all trials which have a parameter chose before it."""
    candidates = []
    for parent, distribution in found.distributions.items():
        if not isinstance(distribution, (CategoricalDistribution, IntDistribution)):
            continue
        having, levels = table.has[name], parameter_of(distribution).levels
        if (
            levels is not None
            and 1 < levels <= MOST_LEVELS
            and table.has[parent][having].all()
            and (table.place[parent] < table.place[name])[having].any()
        ):
            candidates.append(parent)
    return candidates


def _likeliest_first(
    allowed: Mapping[str, Sequence[int]], found: Inferred, name: str, table: Table
) -> When:
    """Parents in the order in which they are tried: a chance coincidence comes late.

    Choices come before whole numbers, a range of whole numbers before scattered ones, few values
    before many, and what was chosen last before what was chosen earlier.
    """
    last = np.flatnonzero(table.has[name])[-1]

    def key(parent: str) -> tuple[bool, bool, int, int]:
        distribution = found.distributions[parent]
        parameter = parameter_of(distribution)
        values = parameter.level_of(parameter.encode(list(allowed[parent])))
        whole = isinstance(distribution, IntDistribution)
        scattered = whole and values.max() - values.min() >= len(values)
        place = int(table.place[parent][last])
        return whole, bool(scattered), parameter.levels or 0, -place

    return {parent: allowed[parent] for parent in sorted(allowed, key=key)}


def _levels(parent: str, distribution: BaseDistribution, name: str, table: Table) -> list[int]:
    """The values of a parent with which a parameter was there, and those that seem to belong."""
    having, numbers = table.has[name], table.number[parent]
    seen = set(numbers[having].tolist())
    other = set(numbers[~having & table.has[parent]].tolist())
    parameter = parameter_of(distribution)
    levels = [int(parameter.decode(position)) for position in parameter.positions().tolist()]
    if isinstance(parameter, Integer) and other and not seen & other:
        if max(other) < min(seen):  # as in "for i in range(layers)"
            return [level for level in levels if level >= min(seen)]
        if max(seen) < min(other):
            return [level for level in levels if level <= max(seen)]
    return [level for level in levels if level in seen]


def _smallest(allowed: When, name: str, table: Table) -> When | None:
    """One parent that tells the trials apart, or else as few as leaving out gives."""
    lacking = ~table.has[name]
    holds = {
        parent: table.has[parent] & np.isin(table.number[parent], list(levels))
        for parent, levels in allowed.items()
    }

    def tells(parents: Sequence[str]) -> bool:
        return not (lacking & np.all([holds[parent] for parent in parents], axis=0)).any()

    for parent in allowed:
        if tells([parent]):
            return {parent: allowed[parent]}
    chosen = list(allowed)
    if not chosen or not tells(chosen):
        return None
    for parent in reversed(list(allowed)):
        rest = [other for other in chosen if other != parent]
        if rest and tells(rest):
            chosen = rest
    return {parent: allowed[parent] for parent in chosen}
