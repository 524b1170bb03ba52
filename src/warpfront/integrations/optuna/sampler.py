"""HEBOSampler: the sampler of Optuna studies.

A suggestion is a pure function of the trials in the storage, the seed and the trial's number.
The sampler remembers nothing that the storage does not hold: what it keeps is there for speed.
"""

from __future__ import annotations

import secrets
import sys
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.logging import get_logger
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from warpfront.checks import whole_number
from warpfront.errors import ConfigurationError, SettingsError
from warpfront.integrations.optuna.history import PUBLISHED, Knowledge, decided, published
from warpfront.integrations.optuna.space import Translation, parameter_of, value_of
from warpfront.optimizers.hebo import needs_initial_design, suggest
from warpfront.settings import Settings

_logger = get_logger(f"optuna.{__name__}")  # under Optuna's, so that its verbosity rules

ATTEMPTS = 3
"""How often a trial chooses anew when another worker has taken the same meanwhile."""
EXPLORE = 4
"""One of so many trials of a study with conditional parameters takes the common ones from the
quasi-random design: their model cannot know how good a branch becomes once it is tuned."""
SPACES = 8
"""How many spaces are remembered at a time: the common one and those of conditional parameters."""


class HEBOSampler(BaseSampler):
    """HEBO as a sampler of Optuna studies with one objective.

    Parameters
    ----------
    seed
        The same seed and the same trials in the storage give the same suggestions. Workers on one
        study may share it: every trial has random numbers of its own. None: a random one.
    search_space
        The distributions by name, if they are known beforehand: then the first trials cover the
        space evenly, and conditional parameters are searched together with all others. None: the
        parameters that all completed trials have, each with its latest range.
    settings
        The components of the method; see :class:`warpfront.Settings`.
    warn_independent_sampling
        Whether to say once, as a warning of Optuna's logger, when and why a parameter is not
        suggested together with the others.

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
        search_space: Mapping[str, BaseDistribution] | None = None,
        settings: Settings | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise SettingsError(f"settings={settings!r}: must be a warpfront.Settings")
        self._seed = whole_number("seed", secrets.randbits(63) if seed is None else seed, 0)
        self._search_space = None
        if search_space is not None:
            self._search_space = Translation(search_space).distributions  # raises if it must
        self._settings = settings or Settings()
        self._warn = warn_independent_sampling
        self._known: list[Knowledge] = []  # the last used first
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        again = partial(
            type(self),
            self._seed,
            search_space=self._search_space,
            settings=self._settings,
            warn_independent_sampling=self._warn,
        )
        return again, ()

    @property
    def seed(self) -> int:
        """The seed; if none was given, the one that was drawn."""
        return self._seed

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        _refuse_several_objectives(study)
        if self._search_space is not None:
            return dict(self._search_space)
        return Translation(_common(_completed(study))).distributions

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        _refuse_several_objectives(study)
        settings = self._settings
        if self._search_space is None and trial.number % EXPLORE == EXPLORE - 1:
            completed = _completed(study)
            shared = len(_common(completed))
            if any(len(t.distributions) > shared for t in completed):
                settings = replace(settings, initial=sys.maxsize)  # the design only
        return self._suggest(study, trial, search_space, settings)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        _refuse_several_objectives(study)
        alone = Translation({param_name: param_distribution})
        promised = alone.inside(published(trial))
        if promised:
            return alone.values(promised)[param_name]
        completed = _completed(study)
        having = [t for t in completed if param_name in t.distributions]
        self._explain(trial, param_name, param_distribution, completed, having)
        if having and alone.parameters:
            # Together with what else those trials have, given what this one has already chosen.
            common = _common(having)
            chosen = {name: d for name, d in trial.distributions.items() if name in common}
            distributions = common | chosen | {param_name: param_distribution}
            return self._suggest(study, trial, distributions, self._settings)[param_name]
        rng = np.random.default_rng([self._seed, trial.number, zlib.crc32(param_name.encode())])
        parameter = parameter_of(param_distribution)
        number = parameter.decode(float(parameter.snap(rng.random(1))[0]))
        return value_of(param_distribution, number)

    def _suggest(
        self,
        study: Study,
        trial: FrozenTrial,
        distributions: Mapping[str, BaseDistribution],
        settings: Settings,
    ) -> dict[str, Any]:
        """Values for all parameters, published for other workers; the settled ones are held."""
        with self._lock:  # threads take turns, so that each sees what the others have chosen
            known = self._knowledge(distributions, study.direction)
            config = held = decided(trial, known.translation)
            attempts = ATTEMPTS if len(held) < len(known.translation.parameters) else 0
            seen: dict[int, Mapping[str, Any]] = {}
            for attempt in range(attempts):
                trials = study.get_trials(deepcopy=False)
                history = known.history(trials, trial.number)
                equal = [t for t in history.trials if t.config == config]
                if attempt and all(seen.get(t.number) == config for t in equal):
                    break  # no other worker has taken the same meanwhile
                seen = {t.number: t.config for t in history.trials}
                initial = needs_initial_design(history, settings)
                (suggested,) = suggest(
                    history,
                    1,
                    seed=self._seed,
                    fixed=held,
                    settings=settings,
                    model=None if initial else known.model(history, settings, self._seed),
                    number=trial.number,
                )
                config = known.translation.internal(known.translation.values(suggested))
                study._storage.set_trial_system_attr(
                    trial._trial_id, PUBLISHED, {**published(trial), **config}
                )
                if all(t.state.is_finished() or t.number == trial.number for t in trials):
                    break  # there is no other worker
        return known.translation.values(config)

    def _knowledge(
        self, distributions: Mapping[str, BaseDistribution], direction: StudyDirection
    ) -> Knowledge:
        sign = -1.0 if direction == StudyDirection.MAXIMIZE else 1.0
        given = self._search_space is not None and distributions.keys() <= self._search_space.keys()
        translation = Translation(distributions)
        for known in self._known:
            if known.sign == sign and known.translation.distributions == translation.distributions:
                self._known.remove(known)
                break
        else:
            known = Knowledge(translation, sign, unused=given)
        self._known = [known, *self._known[: SPACES - 1]]
        return known

    def _explain(
        self,
        trial: FrozenTrial,
        name: str,
        distribution: BaseDistribution,
        completed: Sequence[FrozenTrial],
        having: Sequence[FrozenTrial],
    ) -> None:
        """Say once why a parameter is not suggested together with the others."""
        if self._search_space is not None and name not in self._search_space:
            reason = "the search_space that was given does not have it"
        elif len(having) < len(completed):
            reason = f"only {len(having)} of {len(completed)} completed trials have it"
        elif having and having[-1].distributions[name] != distribution:
            reason = "its range has changed"
        else:
            return  # nothing has completed yet
        with self._lock:
            warn, self._warn = self._warn, False
        if warn:
            how = "from these, given what the trial has chosen before" if having else "at random"
            _logger.warning(
                f"Trial {trial.number}: HEBOSampler suggests {name!r} apart from the other "
                f"parameters, because {reason}. It is suggested {how}. To suggest all together, "
                "name all of them in search_space. This is said once; "
                "warn_independent_sampling=False silences it."
            )


def _completed(study: Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _common(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters that all trials have, each with its latest distribution, by name."""
    if not trials:
        return {}
    names = set(trials[0].distributions).intersection(*(t.distributions for t in trials))
    return {name: trials[-1].distributions[name] for name in sorted(names)}


def _refuse_several_objectives(study: Study) -> None:
    if len(study.directions) > 1:
        raise ConfigurationError(
            f"HEBOSampler is for one objective, this study has {len(study.directions)}; use "
            "optuna.samplers.NSGAIISampler or TPESampler, or make one value of them"
        )
