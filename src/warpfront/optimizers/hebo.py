"""HEBO, the whole algorithm on one screen.

A suggestion reads the facts, fits the models (paper, section 4.1: outcome transform, input warp,
GP), asks the portfolio who is next, lets the proposers search (section 4.2: the Pareto front of the
robust acquisition ensemble is one of them), and decodes what they chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.dataset import Dataset
from warpfront.goals import Goal, Objective
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell, Proposal
from warpfront.optimizers.design import initial_design, needs_initial_design
from warpfront.portfolio import assign, on_behalf_of, past_proposers, waiting_proposers
from warpfront.problem import Problem
from warpfront.proposers.by_acquisition import by_acquisition
from warpfront.proposers.context import Context, Proposer
from warpfront.proposers.explore import explore
from warpfront.proposers.greedy import greedy
from warpfront.proposers.hedge import ARMS, hedge
from warpfront.proposers.improve import expected_gain, improve
from warpfront.proposers.local import local, wide
from warpfront.proposers.replicate import replicate_instead
from warpfront.search.domain import Domain
from warpfront.search.untried import fill_up, used_up
from warpfront.settings import Settings, settings_or_default
from warpfront.space import Space
from warpfront.space.encoding import row_keys
from warpfront.streams import stream
from warpfront.surrogate.model import Model
from warpfront.surrogate.models import Models, fit_models
from warpfront.trial import Trial

Floats = NDArray[np.float64]

PROPOSERS: dict[str, Proposer] = {
    "improve": improve,
    "local": local,
    "wide": wide,
    "pareto": by_acquisition,
    "explore": explore,
}
HEDGED: dict[str, Proposer] = {
    name: partial(greedy, acquisition=acquisition) for name, acquisition in ARMS.items()
}
"""The arms of GP-Hedge, which take turns in the place of the ``pareto`` proposer."""
COMPETING = ("improve",)


def suggest(
    history: History,
    n: int,
    *,
    seed: int,
    fixed: Mapping[str, Any],
    settings: Settings,
    number: int | None = None,
    models: Models | None = None,
) -> list[Proposal]:
    """Propose n configurations: a pure function of its arguments.

    ``number`` is that of the first of the new trials, if it does not follow from the history.
    ``models`` may hand in the result of ``fit_models`` if it is at hand.
    """
    # The facts.
    number, data = len(history) if number is None else number, Dataset.of(history)
    domain = Domain.of(history.space, fixed)
    if needs_initial_design(history, settings):
        rows = initial_design(data, n, seed=seed, domain=domain, number=number)
        return [Proposal(config, "initial") for config in domain.decode(rows)]
    # The models.
    models = models or fit_models(data, settings, seed)
    # Who is next, and their search, each aware of what is pending and of what the others chose.
    context = context_of(history, data, models, domain, n, settings)
    chosen = choose(context, history, n, seed, number)
    # Back to configurations, with quasi-random ones where a search found too few.
    return complete(chosen, n, context, stream(seed, number, "complete"))


def context_of(
    history: History, data: Dataset, models: Models, domain: Domain, n: int, settings: Settings
) -> Context:
    """What proposers are given for n trials in a domain."""
    # Once all is tried, configurations are tried again.
    tried = frozenset[bytes]() if used_up(domain, data.tried) else data.tried
    return Context(
        data=models.data,
        models=models,
        domain=domain,
        pending=data.pending,
        tried=tried,
        in_flight=n + len(data.pending),
        settings=settings,
        waiting=waiting_proposers(history, domain.fixed),
    )


Chosen = list[tuple[str, Floats]]
"""Rows (d,), and who proposed each."""


def choose(context: Context, history: History, n: int, seed: int, number: int) -> Chosen:
    """What the proposers that are next choose, as far as they find something.

    One that finds fewer than it was asked for is passed over: the others are next in its place.
    """
    able = dict(context.settings.shares)
    past = past_proposers(history, context.domain.fixed)
    streams: dict[str, np.random.Generator] = {}
    chosen: Chosen = []
    while len(chosen) < n and any(able.values()):
        names = assign(able, [*past, *(on_behalf_of(who) for who, _ in chosen)], n - len(chosen))
        names = hedge(names, context, history, stream(seed, number, "hedge"))
        found: dict[str, Chosen] = {}
        for name in dict.fromkeys(names):
            rng = streams.setdefault(name, stream(seed, number, name))
            found[name] = []
            for row in (PROPOSERS | HEDGED)[name](context, names.count(name), rng):
                who, place = name, row[None, :]
                if context.settings.replicate and name in COMPETING:
                    leader = replicate_instead(context, place)
                    if leader is not None:
                        who, place = "replicate", leader
                context = context.after(place, who)
                found[name].append((who, place[0]))
            if len(found[name]) < names.count(name):
                able[on_behalf_of(name)] = 0.0
        chosen += [found[name].pop(0) for name in names if found[name]]
    return chosen


def complete(chosen: Chosen, n: int, context: Context, rng: np.random.Generator) -> list[Proposal]:
    """Proposals of what was chosen, completed to n by quasi-random configurations."""
    domain, missing = context.domain, n - len(chosen)
    if missing:
        nothing: Floats = np.empty((0, domain.encoding.d))
        tried = context.tried | set(row_keys(np.array([row for _, row in chosen])))
        rows = fill_up(nothing, missing, domain, tried, rng)
        chosen = chosen + [("explore", row) for row in rows]
    configs = domain.decode(np.array([row for _, row in chosen]))
    return [Proposal(config, who) for config, (who, _) in zip(configs, chosen, strict=True)]


class HEBO(AskTell):
    """Heteroscedastic and evolutionary Bayesian optimisation, by ask and tell.

    Parameters
    ----------
    space
        What may be tried.
    seed
        The same seed and the same observations give the same suggestions, in any process. What was
        asked for may be told in any order; other observations must come in the same one.
    settings
        The components of the method; see :class:`warpfront.Settings`.
    goals
        What is measured and wanted, such as ``[Maximize("accuracy"), AtMost("memory", 512)]``;
        None: one outcome, to be minimised.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(-2, 2), y=Real(-2, 2)), seed=0)
    >>> for _ in range(6):
    ...     batch = optimizer.ask(4)
    ...     optimizer.tell(batch, [c["x"] ** 2 + (c["y"] - 1) ** 2 for c in batch])
    >>> optimizer.best.value < 0.1
    True
    """

    def __init__(
        self,
        space: Space,
        seed: int | None = None,
        settings: Settings | None = None,
        *,
        goals: Goal | Sequence[Goal] | None = None,
    ) -> None:
        super().__init__(space, seed, goals=goals)
        self._settings = settings_or_default(settings)
        self._fitted: tuple[int, Models] | None = None

    @property
    def settings(self) -> Settings:
        """The components of the method."""
        return self._settings

    @property
    def model(self) -> Model:
        """The model on which suggestions rest, fitted to what is known now."""
        with self._lock, np.errstate(under="ignore"):
            return self._models(self._history).model

    @property
    def recommendation(self) -> Trial:
        """The evaluated configuration of the best posterior mean: the choice under noise."""
        with self._lock, np.errstate(under="ignore"):
            return recommend(self._history, self.model)

    @property
    def expected_gain(self) -> float:
        """By how much one more evaluation is expected to improve on the best, at the best place.

        In the units of the objective; for several objectives, as a share of the hypervolume that
        the front dominates now. A rule for stopping: see ``minimize(stop=...)``.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> for x in (0.0, 0.25, 0.5, 0.75, 1.0):
        ...     optimizer.tell({"x": x}, (x - 0.4) ** 2)
        >>> 0.0 < optimizer.expected_gain < 0.1
        True
        """
        with self._lock, np.errstate(under="ignore"):
            history, data = self._history, Dataset.of(self._history)
            models, domain = self._models(history), Domain.of(self.space, {})
            context = context_of(history, data, models, domain, 1, self._settings)
            return expected_gain(context, stream(self._seed, len(history), "gain"))

    def _models(self, history: History) -> Models:
        # A fit depends on the told trials only, and these only ever grow: their number tells
        # whether the last fit, a memo of a pure function, is still the right one.
        if self._fitted is None or self._fitted[0] != history.told:
            data = Dataset.of(history)
            measured = zip(history.problem.goals, data.outcomes, strict=True)
            if any(isinstance(goal, Objective) and not len(y) for goal, y in measured):
                history.front  # noqa: B018 - says what is missing
            self._fitted = history.told, fit_models(data, self._settings, self._seed)
        return self._fitted[1]

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Proposal]:
        begins = needs_initial_design(history, self._settings)
        return suggest(
            history,
            n,
            seed=self._seed,
            fixed=fixed,
            settings=self._settings,
            models=None if begins else self._models(history),
        )

    def _options(self) -> dict[str, Any]:
        return {"settings": self._settings.to_dict()}

    @classmethod
    def _from_options(cls, problem: Problem, seed: int, options: Any) -> HEBO:
        settings = Settings.from_dict(options["settings"])
        return cls(problem.space, seed, settings, goals=problem.goals)


def recommend(history: History, model: Model) -> Trial:
    """The feasible trial of the best posterior mean; under noise, not the luckiest one."""
    candidates = history.feasible
    if not candidates or len(history.problem.objectives) > 1:
        return history.best  # says what is missing, or that there is a front
    mean, _ = model.posterior(history.encode(candidates))
    return candidates[int(np.argmin(mean))]
