"""HEBOSampler: the sampler of Optuna studies.

A suggestion is a pure function of the trials in the storage, the seed and the trial's number.
The sampler remembers nothing that the storage does not hold: what it keeps is there for speed.
"""

from __future__ import annotations

import secrets
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import is_
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.logging import get_logger
from optuna.samplers import BaseSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from warpfront.checks import whole_number
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.goals import Goal, Goals, read_goals
from warpfront.history import History
from warpfront.integrations.optuna.conditional import Inferred, infer
from warpfront.integrations.optuna.goals import goals_of, of_study
from warpfront.integrations.optuna.history import (
    PROPOSER,
    PUBLISHED,
    Knowledge,
    decided,
    proposer_of,
    published,
)
from warpfront.integrations.optuna.inferred import common
from warpfront.integrations.optuna.queue import enqueue, late, withdraw
from warpfront.integrations.optuna.space import parameter_of, unconditional, value_of
from warpfront.integrations.optuna.translation import Translation
from warpfront.optimizers.ask_tell import Proposal
from warpfront.optimizers.design import FEWEST_INITIAL, initial_design, needs_initial_design
from warpfront.optimizers.hebo import suggest
from warpfront.search.domain import Domain
from warpfront.settings import Settings, settings_or_default
from warpfront.space import Categorical, Configuration, Integer, Parameter, Space

_logger = get_logger(f"optuna.{__name__}")  # under Optuna's, so that its verbosity rules

ATTEMPTS = 32
"""How often a trial chooses at most, because another worker has taken the same meanwhile. Of four
workers on the last forty configurations one in three has to choose again, so this is never met."""
EXPLORE, EXPLORE_AT = 4, 2
"""One of so many trials of a study with conditional parameters, that of this remainder, takes the
parameters that others depend on, and so the branch, from the quasi-random design: the model cannot
know how good a branch becomes once it is tuned."""
SPACES = 8
"""How many spaces are remembered at a time: the common one and those of conditional parameters."""


class HEBOSampler(BaseSampler):
    """HEBO as a sampler of Optuna studies, with any number of objectives and constraints.

    Constraints that ``trial.set_constraint`` or ``constraints_func`` record are modelled, and
    points are chosen that are likely to satisfy them.

    Parameters
    ----------
    seed
        The same seed and the same trials in the storage give the same suggestions. Workers on one
        study may share it: every trial has random numbers of its own. None: a random one.
    search_space
        A :class:`warpfront.Space`, or distributions of Optuna by name, if they are known
        beforehand: then the first trials cover the space evenly. Its ranges decide, also where
        those of the objective are wider. Constraints, conditions and beliefs of a
        :class:`warpfront.Space` hold, and a trial is suggested its active parameters; of
        distributions it is suggested all, so that these are not for conditional parameters.
        None: it is inferred from the completed trials, with conditions on parameters that only
        some of them have. Each parameter has its latest range, or the range that holds all of its
        ranges, if it has changed more than once.
    settings
        The components of the method; see :class:`warpfront.Settings`.
    goals
        What is measured and wanted, in the order of the study's directions: with bounds on
        outcomes, measured noise and reference points, which trials hold as
        :mod:`warpfront.integrations.optuna.outcomes` says. None: the directions of the study, and
        its constraints.
    constraints_func
        A function of a finished trial that returns the values of its constraints; those of up to 0
        are satisfied. Where Optuna has ``trial.set_constraint``, that does the same.
    warn_independent_sampling
        Whether to say, as warnings of Optuna's logger and once each, when and why a parameter is
        not suggested together with the others, and when one is not in all of its range.

    Examples
    --------
    >>> import optuna
    >>> from warpfront.integrations.optuna import HEBOSampler
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", -2, 2)
    ...     return (x - 1) ** 2 + trial.suggest_categorical("c", [0, 1])
    >>> study = optuna.create_study(sampler=HEBOSampler(seed=0))
    >>> study.optimize(objective, n_trials=12)
    >>> study.best_value < 0.1
    True
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        search_space: Space | Mapping[str, BaseDistribution] | None = None,
        settings: Settings | None = None,
        goals: Goal | Sequence[Goal] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        if constraints_func is not None and not callable(constraints_func):
            raise ConfigurationError(
                f"constraints_func={constraints_func!r}: must be a function of a finished trial "
                "that returns a sequence of numbers, which are feasible up to 0"
            )
        self._goals = None if goals is None else read_goals(goals)
        self._constraints_func = constraints_func
        self._settings = settings_or_default(settings)
        self._seed = whole_number("seed", secrets.randbits(63) if seed is None else seed, 0)
        self._space: Space | None = None
        self._given: Translation | None = None
        if isinstance(search_space, Space):
            self._space, self._given = search_space, Translation.of(search_space)
        elif isinstance(search_space, Mapping):
            if any(isinstance(one, Parameter) for one in search_space.values()):
                raise SpaceError(
                    f"search_space={search_space!r}: has parameters of warpfront; wrap it: "
                    "Space({...})"
                )
            self._given = Translation(search_space)  # raises if it must
        elif search_space is not None:
            raise SpaceError(
                f"search_space={search_space!r}: must be a warpfront.Space, or a mapping from "
                "names to distributions of Optuna"
            )
        self._warn = warn_independent_sampling
        self._said: set[str] = set()
        self._inferred: tuple[list[FrozenTrial], Inferred] = [], Inferred({})
        self._known: list[Knowledge] = []  # the last used first
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        given = None if self._given is None else self._given.everything
        again = partial(
            type(self),
            self._seed,
            search_space=self._space or given,
            settings=self._settings,
            goals=self._goals,
            constraints_func=self._constraints_func,
            warn_independent_sampling=self._warn,
        )
        return again, ()

    @property
    def seed(self) -> int:
        """The seed; if none was given, the one that was drawn."""
        return self._seed

    def enqueue(
        self,
        study: Study,
        n: int = 1,
        *,
        adjust: Callable[[Configuration], Configuration] | None = None,
    ) -> list[Configuration]:
        """Choose n configurations together, and put them into the study's queue.

        Whoever asks the study next gets them, one by one, without a suggestion of its own: a
        batch costs one fit of the model, and workers need no model at all.

        Parameters
        ----------
        study
            The study; what runs or waits there is pending.
        n
            How many.
        adjust
            Changes a configuration within the space before it is put there, such as by rounding.

        Examples
        --------
        >>> import optuna
        >>> from warpfront import Real, Space
        >>> sampler = HEBOSampler(seed=0, search_space=Space(x=Real(0, 1)))
        >>> study = optuna.create_study(sampler=sampler)
        >>> batch = sampler.enqueue(study, 2)
        >>> study.ask().suggest_float("x", 0, 1) == batch[0]["x"]
        True
        """
        n = whole_number("n", n, 1)
        if self._given is None:
            raise ConfigurationError(
                "enqueue chooses whole configurations; say of what, with "
                "HEBOSampler(search_space=Space(...))"
            )
        with self._lock, np.errstate(under="ignore"):
            queued: dict[int, Configuration] = {}
            while len(queued) < n:  # once, unless others choose the same at the same time
                trials = study.get_trials(deepcopy=False)
                known = self._knowledge(self._given, self._goals_of(study, trials))
                history, missing = known.history(trials), n - len(queued)
                for config, who in self._choose(known, history, missing, len(trials), {}):
                    config = config if adjust is None else adjust(config)
                    queued[enqueue(study, self._given, config, who)] = config
                for trial in late(study, known, queued, {t.number for t in trials}):
                    if withdraw(study, trial):
                        del queued[trial._trial_id]
        if self._space is None:
            return [self._given.complete(config) for config in queued.values()]
        return list(queued.values())

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Raise, before anything is evaluated, if the goals are not those of the study."""
        if self._goals is not None:
            of_study(study, (), self._goals)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        if self._given is not None:
            return dict(self._given.distributions)
        return Translation.inferred(self._infer(study)).distributions

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if self._given is not None:
            return self._suggest(study, trial, self._translation(search_space))
        found = self._infer(study)
        within = found.within(search_space)
        translation = Translation.inferred(within) if within.when else Translation(search_space)
        exploring = trial.number % EXPLORE == EXPLORE_AT and bool(found.when or found.apart)
        return self._suggest(study, trial, translation, exploring=exploring)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        given = self._given
        if (
            given is not None
            and given.distributions.get(param_name) == param_distribution
            and given.is_inactive(param_name, decided(trial, given))
        ):
            return given.neutral(param_name)  # it counts for nothing: any value will do
        alone = self._translation({param_name: param_distribution})
        promised = alone.inside(published(trial))
        if promised:
            return alone.values(promised)[param_name]
        completed = _completed(study)
        having = [t for t in completed if param_name in t.distributions]
        self._explain(study, trial, param_name, param_distribution, completed, having)
        if having and alone.parameters:
            # Together with what else those trials have, given what this one has already chosen.
            distributions = common(having, trial) | {param_name: param_distribution}
            return self._suggest(study, trial, self._translation(distributions))[param_name]
        rng = np.random.default_rng([self._seed, trial.number, zlib.crc32(param_name.encode())])
        parameter = parameter_of(param_distribution)
        number = parameter.decode(float(parameter.snap(rng.random(1))[0]))
        return value_of(param_distribution, number)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Record constraints; say once if the objective's range of a parameter is wider."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)
        if self._given is None or not self._warn:
            return
        for name, given in self._given.distributions.items():
            own = trial.distributions.get(name)
            if (
                isinstance(given, (FloatDistribution, IntDistribution))
                and isinstance(own, type(given))
                and (own.low < given.low or own.high > given.high)
                and given.low <= trial.params[name] <= given.high  # or it was suggested apart
            ):
                self._say_once(
                    "range",
                    trial,
                    f"searches {name!r} in [{given.low}, {given.high}] of the search_space that "
                    f"was given, though the objective allows [{own.low}, {own.high}]",
                )

    def _suggest(
        self,
        study: Study,
        trial: FrozenTrial,
        translation: Translation,
        *,
        exploring: bool = False,
    ) -> dict[str, Any]:
        """Values for all parameters, published for other workers; the settled ones are held."""
        # Threads take turns, so that each sees what the others have chosen.
        with self._lock, np.errstate(under="ignore"):
            config = held = decided(trial, translation)
            attempts = 0 if translation.is_whole(held) else ATTEMPTS
            seen: dict[int, Mapping[str, Any]] = {}
            for attempt in range(attempts):
                trials = study.get_trials(deepcopy=False)
                known = self._knowledge(translation, self._goals_of(study, trials))
                history = known.history(trials, trial.number)
                equal = [t for t in history.trials if translation.same(t.config, config)]
                if attempt and all(seen.get(t.number) == t.config for t in equal):
                    break  # no other worker has taken the same meanwhile
                seen = {t.number: t.config for t in history.trials}
                suggested, who = Proposal(held, "explore")
                if exploring:
                    suggested = self._branch(history, trial.number, held)
                if not translation.is_whole(suggested):
                    ((suggested, who),) = self._choose(known, history, 1, trial.number, suggested)
                config = translation.config(translation.values(suggested))
                # First publish, then look again: so one of two who chose the same will see it.
                self._publish(study, trial, translation.numbers(config), who)
        return translation.values(config)

    def _publish(
        self, study: Study, trial: FrozenTrial, numbers: Mapping[str, Any], who: str
    ) -> None:
        """Tell other workers what a trial will suggest, and who proposed it.

        Where parameters are suggested apart, the first ones say who proposed the trial.
        """
        told: dict[str, Any] = {PUBLISHED: {**published(trial), **numbers}}
        if proposer_of(trial) is None:
            told = {PROPOSER: who, **told}  # first, for whoever sees the other one
        for key, value in told.items():
            study._storage.set_trial_system_attr(trial._trial_id, key, value)

    def _branch(self, history: History, number: int, held: Configuration) -> Configuration:
        """What is held of a trial that explores: the parents of others, from the design.

        Where no condition is known, all choices and whole numbers.
        """
        # Every fourth point of a Sobol sequence is in the same corner, and the first eight are
        # those of the first trials.
        place, domain = FEWEST_INITIAL + number // EXPLORE, Domain.of(history.space, held)
        design = initial_design(
            Dataset.of(history), 1, seed=self._seed, domain=domain, number=place
        )
        (point,) = domain.decode(design)
        parents = {n for name in history.space for n in history.space[name].when or ()}
        if not parents:
            parents = {n for n in point if isinstance(history.space[n], (Categorical, Integer))}
        return {name: point[name] for name in point if name in held or name in parents}

    def _choose(
        self, known: Knowledge, history: History, n: int, number: int, held: Mapping[str, Any]
    ) -> list[Proposal]:
        """What the core suggests for the trials of this number and the next ones."""
        settings = self._settings
        initial = needs_initial_design(history, settings)
        return suggest(
            history,
            n,
            seed=self._seed,
            fixed=held,
            settings=settings,
            number=number,
            models=None if initial else known.models(history, settings, self._seed),
        )

    def _translation(self, distributions: Mapping[str, BaseDistribution]) -> Translation:
        """With the parameters of the given space where they are asked for."""
        if self._given is None:
            return Translation(distributions)
        given = self._given.distributions
        if given == distributions:
            return self._given
        own = {
            name: unconditional(parameter)
            for name, parameter in self._given.parameters.items()
            if given[name] == distributions.get(name)
        }
        return Translation(distributions, own)

    def _infer(self, study: Study) -> Inferred:
        """The search space that completed trials have shown; kept while these are the same."""
        completed = _completed(study)
        with self._lock:
            known, found = self._inferred
            if len(known) != len(completed) or not all(map(is_, known, completed)):
                found = infer(completed)
                self._inferred = completed, found
            return found

    def _goals_of(self, study: Study, trials: Sequence[FrozenTrial]) -> Goals:
        if self._goals is None:
            return goals_of(study, trials)
        return of_study(study, trials, self._goals)

    def _knowledge(self, translation: Translation, goals: Goals) -> Knowledge:
        for known in self._known:
            if known.goals == goals and known.translation == translation:
                self._known.remove(known)
                break
        else:
            given = {} if self._given is None else self._given.parameters
            unused = translation.parameters.keys() <= given.keys()
            known = Knowledge(translation, goals, unused)
        self._known = [known, *self._known[: SPACES - 1]]
        return known

    def _explain(
        self,
        study: Study,
        trial: FrozenTrial,
        name: str,
        distribution: BaseDistribution,
        completed: Sequence[FrozenTrial],
        having: Sequence[FrozenTrial],
    ) -> None:
        """Say once why a parameter is not suggested together with the others."""
        if not self._warn or "apart" in self._said:
            return
        given = None if self._given is None else self._given.distributions
        if given is not None and name not in given:
            reason = "the search_space that was given does not have it"
        elif given is not None and given[name] != distribution:
            reason = "its range is another one in the search_space that was given"
        elif name in self._infer(study).apart:
            reason = (
                f"only {len(having)} of {len(completed)} completed trials have it, and no choice "
                "or whole number before it tells which"
            )
        elif len(having) < len(completed):
            return  # it belongs to a choice that is still new
        elif any(t.distributions[name] != distribution for t in having):
            reason = "its range has changed"
        else:
            return  # nothing has completed yet
        how = "from these, given what the trial has chosen before" if having else "at random"
        self._say_once(
            "apart",
            trial,
            f"suggests {name!r} apart from the other parameters, because {reason}. It is "
            f"suggested {how}",
        )

    def _say_once(self, kind: str, trial: FrozenTrial, what: str) -> None:
        with self._lock:
            is_new = kind not in self._said
            self._said.add(kind)
        if is_new:
            _logger.warning(
                f"Trial {trial.number}: HEBOSampler {what}. This is said once; "
                "warn_independent_sampling=False silences it."
            )


def _completed(study: Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
