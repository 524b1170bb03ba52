"""HEBO, the whole algorithm on one screen, in the order of the paper.

A suggestion transforms the outputs, fits the warped GP, builds the robust acquisition ensemble,
evolves its Pareto front and chooses the batch: from the front, beside the best points, and away
from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.ensemble import Ensemble
from warpfront.history import History, Trial
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.design import initial_design, tried_keys
from warpfront.search.batch import (
    SLOTS,
    choose,
    fill_up,
    has_most_promising,
    has_other_mean,
    untried,
    used_up,
)
from warpfront.search.domain import Domain
from warpfront.search.excursions import excursion_slots, excursions, is_blind
from warpfront.search.neighbours import is_calm, is_neighbour, is_sure, neighbours
from warpfront.search.nsga2 import nsga2, pareto_mask
from warpfront.search.polish import polish
from warpfront.search.population import best_points, elite_points, first_population
from warpfront.settings import Settings, settings_or_default
from warpfront.space import Configuration, Space
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.model import Model
from warpfront.surrogate.opinion import Opinion, hears_both, opinion
from warpfront.surrogate.output import OutputTransform
from warpfront.surrogate.spline import Features

Floats = NDArray[np.float64]


def suggest(
    history: History,
    n: int,
    *,
    seed: int,
    fixed: Mapping[str, Any],
    settings: Settings,
    views: Opinion | None = None,
    number: int | None = None,
) -> list[Configuration]:
    """Propose n configurations: a pure function of its arguments.

    ``views`` may hand in the result of ``opinion(history, settings, seed)`` if it is at hand, and
    ``number`` the number of the first new trial where it is not the length of the history.
    """
    number = len(history) if number is None else number
    in_flight = n + len(history.pending)  # eight asked for, none told, are a batch of eight
    domain = Domain.of(history.space, fixed)
    tried = tried_keys(history)
    repeating = bool(history.completed) and used_up(domain, tried)
    if needs_initial_design(history, settings, number) and (settings.initial or not repeating):
        return domain.decode(initial_design(history, n, seed, domain, number))
    rng = np.random.default_rng([seed, number])
    if repeating:
        tried = set()

    # Output transform, input warp and GP (paper, section 4.1); pending points count as predicted.
    model, other = views or opinion(history, settings, seed)
    learned = model.history
    gp = model.gp.believe(history.pending[:, model.columns])
    elite = elite_points(domain, model)  # the incumbent first

    def pareto_front(gp: GaussianProcess, tried: set[bytes]) -> Floats:
        # The robust ensemble of acquisitions (section 4.2).
        # Eight trials one by one are a round of eight: each would widen the front otherwise.
        q = max(in_flight, SLOTS) if settings.batch_rule == "slots" else in_flight
        ensemble = Ensemble.build(
            gp, elite[0, model.columns], settings, n=learned.told, q=q, rng=rng
        )
        # Its Pareto front over mixed variables, by NSGA-II (equation 2).
        initial, generations = first_population(domain, elite, settings, rng)
        X, F = nsga2(lambda Z: ensemble(Z[:, model.columns]), domain, initial, generations, rng)
        if settings.batch_rule == "paper":  # the untried points of the front
            X = X[pareto_mask(F)]
            return X[untried(X, tried)]
        fresh = untried(X, tried)  # the front of the untried points
        return X[fresh][pareto_mask(F[fresh])]

    # The batch: by its number a trial goes to the front, beside the best points, or away from them.
    numbers = range(number, number + n)
    calm = is_calm(model.gp, Features.of(domain.encoding, model.columns))
    roles = Roles.of(numbers, learned, model.gp, settings, calm=calm, repeating=repeating)
    chosen = np.empty((0, len(history.space)))
    if roles.front and settings.acquisition == "ensemble":
        front = pareto_front(gp, tried)
        # Where losses are calm, the model that was not chosen has a trial of its own.
        speaks = calm and has_other_mean(roles.front, settings.batch_rule)
        other_gp = other().gp if other and speaks else None
        promising = has_most_promising(roles.front, settings.batch_rule)
        for view in (gp if promising else None, other_gp) if settings.polish else ():
            if view:
                bottom = polish(np.vstack([front, elite]), view, model.columns, domain, tried)
                front = np.vstack([front, bottom])
        other_mean = other_gp.mean(front[:, model.columns]) if other_gp else None
        mean, variance = gp.predict(front[:, model.columns])
        chosen = choose(front, mean, variance, roles.front, settings.batch_rule, rng, other_mean)
    else:  # the front of one acquisition is one point: one by one
        for _ in roles.front:
            believed = gp.believe(chosen[:, model.columns])
            point = pareto_front(believed, tried | set(row_keys(chosen)))[:1]
            chosen = np.vstack([chosen, point])
    best = best_points(domain, model, elite)
    if roles.near:
        gp = gp.believe(chosen[:, model.columns])
    unwanted = tried | set(row_keys(chosen))
    beside = neighbours(
        roles.near, best, elite, gp, model.columns, learned, domain, unwanted, rng, calm=calm
    )
    away = excursions(best, len(roles.away), domain, rng, blind=roles.blind)
    # A front or a neighbourhood may be too small.
    rows = dict(zip((*roles.front, *roles.near), (*chosen, *beside), strict=False))
    rows |= zip(roles.away, away, strict=True)
    batch = np.array([rows[k] for k in numbers if k in rows]).reshape(-1, len(history.space))
    batch = domain.canonical(batch)
    if repeating:  # replicated observations, of what is worth it
        return domain.decode(batch[np.arange(n) % len(batch)])
    return domain.decode(fill_up(batch[untried(batch, tried)], n, domain, tried, rng))


class Roles(NamedTuple):
    """Which trials of a batch, by their numbers, are sought where."""

    front: list[int]
    near: list[int]
    away: list[int]
    blind: bool

    @classmethod
    def of(
        cls,
        numbers: range,
        history: History,
        gp: GaussianProcess,
        settings: Settings,
        *,
        calm: bool,
        repeating: bool,
    ) -> Roles:
        """Share out the trials of these numbers; where all repeat, only the front counts."""
        if repeating:
            return cls(list(numbers), [], [], blind=False)
        away, near, blind = set[int](), set[int](), False
        if settings.excursions:
            losses = np.array([t.value for t in history.completed])
            blind = is_blind(gp, len(losses))
            if calm:  # on their own scale a bad start makes later gains look small
                losses = OutputTransform.fit(losses, settings.output_warp)(losses)
            slots = excursion_slots(losses, blind)
            away = {k for k in numbers if k % SLOTS in slots}
        if settings.neighbours:
            sure = not calm or is_sure(gp, len(history.completed))
            near = {k for k in numbers if is_neighbour(k, calm=calm, sure=sure)} - away
        front = set(numbers) - near - away
        return cls(sorted(front), sorted(near), sorted(away), blind)


def needs_initial_design(history: History, settings: Settings, number: int) -> bool:
    """Whether the trial of this number is quasi-random: few asked for, or none completed."""
    begun = len(history) - len(history.of_state("withdrawn"))
    if not history.completed or begun < (settings.initial or 1 + len(history.space)):
        return True
    # Eight at least, one by one as at once; but a branch of a longer study needs no more.
    return settings.initial is None and settings.batch_rule == "slots" and number < SLOTS


class HEBO(AskTell):
    """Heteroscedastic and evolutionary Bayesian optimisation, by ask and tell.

    Parameters
    ----------
    space
        What may be tried.
    seed
        The same seed and the same observations give the same suggestions, in any process (but
        another BLAS library, or number of its threads, may differ in last bits, and then at times
        in suggestions). What was asked for may be told in any order; other observations must come
        in the same one.
    settings
        The components of the method; see :class:`warpfront.Settings`.

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
        self, space: Space, seed: int | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(space, seed)
        self._settings = settings_or_default(settings)
        self._fitted: dict[bool, tuple[int, Opinion]] = {}

    @property
    def settings(self) -> Settings:
        """The components of the method."""
        return self._settings

    @property
    def model(self) -> Model:
        """The surrogate fitted to what is known now."""
        with self._lock, np.errstate(under="ignore"):
            return self._fit(self._history).model

    @property
    def recommendation(self) -> Trial:
        """The evaluated configuration of the best posterior mean: the choice under noise."""
        return self.model.recommendation

    def _fit(self, history: History, *, asking: bool = False) -> Opinion:
        # A fit depends on the told trials only, and these only ever grow: their number tells
        # whether the last fit, a memo of a pure function, is still the right one. One is kept of
        # what users see, and one of what suggestions rest on where that is not the same.
        both = asking and hears_both(history, self._settings)
        if both not in self._fitted or self._fitted[both][0] != history.told:
            settings = replace(self._settings, second_opinion=both)
            self._fitted[both] = history.told, opinion(history, settings, self._seed)
        return self._fitted[both][1]

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Configuration]:
        views = (
            None
            if needs_initial_design(history, self._settings, len(history))
            else self._fit(history, asking=True)
        )
        return suggest(
            history, n, seed=self._seed, fixed=fixed, settings=self._settings, views=views
        )

    def _options(self) -> dict[str, Any]:
        return {"settings": self._settings.to_dict()}

    @classmethod
    def _from_options(cls, space: Space, seed: int, options: Any) -> HEBO:
        return cls(space, seed, Settings.from_dict(options["settings"]))
