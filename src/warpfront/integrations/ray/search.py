"""HEBOSearch: warpfront suggests, Ray Tune runs the trials."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ray.tune.result import DEFAULT_METRIC
from ray.tune.search import UNDEFINED_METRIC_MODE, UNDEFINED_SEARCH_SPACE, Searcher

from warpfront.errors import ConfigurationError, ObservationError
from warpfront.failure import Failure
from warpfront.goals import Goal, Goals, Maximize, Minimize, read_goals
from warpfront.integrations.ray.layout import Layout, has_domains
from warpfront.integrations.ray.state import State
from warpfront.optimizers.hebo import HEBO
from warpfront.settings import Settings
from warpfront.space import Space
from warpfront.trial import Trial

logger = logging.getLogger("warpfront")

GOALS = {"min": Minimize, "max": Maximize}


class HEBOSearch(Searcher):
    """HEBO as a search algorithm of Ray Tune: ``TuneConfig(search_alg=HEBOSearch())``.

    Parameters
    ----------
    space
        What may be tried: a dict with Tune's domains, or a :class:`warpfront.Space` with its
        conditions and constraints. None: the ``param_space`` of the tuner.
    metric, mode
        What is measured, and whether it is to be small (``"min"``) or large (``"max"``); lists for
        several objectives. None: those of the ``TuneConfig``.
    points_to_evaluate
        Configurations to evaluate first. Parameters that are left out are suggested.
    evaluated_rewards
        What is known of ``points_to_evaluate``, which are then not evaluated again: one value
        each, or a dict if there are several metrics. NaN says that the evaluation failed.
    goals
        In the place of ``metric`` and ``mode``, also with bounds on other metrics, such as
        ``[Minimize("loss"), AtMost("latency", 20)]``.
    seed
        Trials that are told in the same order get the same suggestions.
    settings
        The components of the method; see :class:`warpfront.Settings`.

    Examples
    --------
    >>> from ray import tune
    >>> search = HEBOSearch({"lr": tune.loguniform(1e-4, 1e-1)}, "loss", "min", seed=0)
    >>> config = search.suggest("trial-1")
    >>> search.on_trial_complete("trial-1", {"loss": 0.25})
    >>> search.optimizer.best.value
    0.25
    """

    def __init__(
        self,
        space: Mapping[str, Any] | Space | None = None,
        metric: str | list[str] | None = None,
        mode: str | list[str] | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] | None = None,
        evaluated_rewards: Sequence[Any] | None = None,
        *,
        goals: Goal | Sequence[Goal] | None = None,
        seed: int | None = None,
        settings: Settings | None = None,
    ) -> None:
        if goals is not None and (metric is not None or mode is not None):
            raise ConfigurationError("the goals say what is measured; leave metric and mode out")
        self._goals = None if goals is None else read_goals(goals)
        if self._goals is not None:
            metric, mode = _metric_and_mode(self._goals)
        _check(metric, mode, points_to_evaluate, evaluated_rewards)
        super().__init__(metric=metric, mode=mode)
        self._metric: Any = metric
        self._mode: Any = mode
        self._points = list(points_to_evaluate or [])
        self._rewards = None if evaluated_rewards is None else list(evaluated_rewards)
        self._seed, self._settings = seed, settings
        self._layout = None if not space else Layout.of(space)
        self._state: State | None = None
        self._is_from_file = False
        self._begin()

    def _begin(self) -> None:
        """Make the optimiser, as soon as space, metric and mode are known."""
        if self._mode and self._metric is None and self._goals is None:
            self._metric = DEFAULT_METRIC
        if self._state is not None or self._layout is None or not (self._metric and self._mode):
            return
        goals = self._goals or _goals(self._metric, self._mode)
        optimizer = HEBO(self._layout.space, self._seed, self._settings, goals=goals)
        self._state = State(optimizer)
        points = [self._layout.flat(point) for point in self._points]
        if self._rewards is None:
            self._state.waiting = points
            return
        for point, reward in zip(points, self._rewards, strict=True):
            optimizer.tell(point, reward if isinstance(reward, Mapping) else self._one(reward))

    @property
    def _ready(self) -> tuple[Layout, State]:
        name = type(self).__name__
        if not (self._metric and self._mode):
            raise RuntimeError(
                UNDEFINED_METRIC_MODE.format(cls=name, metric=self._metric, mode=self._mode)
            )
        if self._layout is None and self._state is not None:
            raise ConfigurationError(
                "the saved search has choices that are objects of Python, which its file cannot "
                "hold; give the space again, as Tuner.restore(..., param_space=...)"
            )
        if self._layout is None:
            raise RuntimeError(UNDEFINED_SEARCH_SPACE.format(cls=name, space="space"))
        assert self._state is not None  # noqa: S101  (for the type checker)
        return self._layout, self._state

    @property
    def optimizer(self) -> HEBO:
        """What the search knows: history, best trial, model and recommendation."""
        if self._state is None:
            self._ready  # noqa: B018  (says what is missing)
        assert self._state is not None  # noqa: S101  (for the type checker)
        return self._state.optimizer

    def set_search_properties(
        self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any
    ) -> bool:
        is_given, has_own = has_domains(config), self._layout is not None
        if not self._take_metric(metric, mode) or not (is_given or has_own):
            return False
        if not is_given:
            return True
        if has_own and not self._is_from_file:
            return False
        layout = Layout.of(config)
        if self._state is not None:
            _check_same(layout, self._state.optimizer.space)
        self._layout, self._is_from_file = layout, False
        self._begin()
        return True

    def _take_metric(self, metric: Any, mode: Any) -> bool:
        """Whether metric and mode of the tuner go with those that are known."""
        for name, given in (("_metric", metric), ("_mode", mode)):
            known = getattr(self, name)
            if given and known and given != known:
                return False
            setattr(self, name, known or given)
        self._begin()
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | None:
        layout, state = self._ready
        fixed = state.waiting.pop(0) if state.waiting else None
        (suggestion,) = state.optimizer.ask(1, fixed=fixed)
        state.live[trial_id] = suggestion.number
        return layout.nested(suggestion)

    def on_trial_complete(
        self, trial_id: str, result: Mapping[str, Any] | None = None, error: bool = False
    ) -> None:
        state = self._ready[1]
        number = state.live.get(trial_id)
        if number is None:
            logger.debug("trial %s is not one of this search, or it has ended before", trial_id)
            return
        trial = state.optimizer.history.trials[number]
        if error:  # it may be tried again: Tuner.restore(..., resume_errored=True)
            if trial.state == "pending":
                state.optimizer.tell(trial, Failure("the trial ended with an error"))
            return
        del state.live[trial_id]
        if not result:  # stopped before it has reported anything: nothing is known of it
            state.optimizer.withdraw(trial)
        else:
            self._tell(trial, result)

    def _tell(self, trial: Trial, result: Mapping[str, Any]) -> None:
        optimizer = self.optimizer
        missing = [goal.name for goal in optimizer.goals if goal.name not in result]
        if missing:
            reason = f"the result has no {', '.join(map(repr, missing))}"
            optimizer.tell(trial, Failure(reason))
            return
        try:
            optimizer.tell(trial, {goal.name: result[goal.name] for goal in optimizer.goals})
        except ObservationError as error:  # a text, for example
            optimizer.tell(trial, Failure(str(error)))

    def add_evaluated_point(
        self,
        parameters: Mapping[str, Any],
        value: Any,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: Sequence[float] | None = None,
    ) -> None:
        layout, state = self._ready
        config = layout.flat(parameters)
        state.optimizer.tell(config, Failure("the trial failed") if error else self._one(value))

    def _one(self, value: Any) -> Any:
        """The value of a metric, also where there are several and this is the only one known."""
        if isinstance(value, (Mapping, Failure)) or value is None:
            return value
        if isinstance(value, (list, tuple)) and isinstance(self._metric, list):
            return dict(zip(self._metric, value, strict=True))
        return value

    def save(self, checkpoint_path: str | os.PathLike[str]) -> None:
        """Write all that is known as JSON."""
        layout, state = self._ready
        state.write(checkpoint_path, layout)

    def restore(self, checkpoint_path: str | os.PathLike[str]) -> None:
        """Go on from a file: the same suggestions as without the break."""
        state, layout = State.read(checkpoint_path)
        if self._layout is not None:
            _check_same(self._layout, state.optimizer.space)
        elif layout is not None:
            self._layout, self._is_from_file = layout, True
        self._goals, self._state = state.optimizer.goals, state
        self._metric, self._mode = _metric_and_mode(self._goals)


def _goals(metric: Any, mode: Any) -> tuple[Goal, ...]:
    metrics = [metric] if isinstance(metric, str) else metric
    modes = [mode] if isinstance(mode, str) else mode
    return tuple(GOALS[m](name) for name, m in zip(metrics, modes, strict=True))


def _metric_and_mode(goals: Goals) -> tuple[Any, Any]:
    """The objectives among the goals, in Ray's words."""
    modes = {"minimize": "min", "maximize": "max"}
    wanted = {goal.name: modes[goal.kind] for goal in goals if goal.kind in modes}
    return (*wanted.items(),)[0] if len(wanted) == 1 else (list(wanted), list(wanted.values()))


def _check(metric: Any, mode: Any, points: Any, rewards: Any) -> None:
    modes = mode if isinstance(mode, list) else [mode]
    if any(one not in (None, *GOALS) for one in modes):
        raise ConfigurationError(
            f"mode={mode!r}: must be 'min' or 'max'; a metric that has a bound is a goal, such as "
            "goals=[Minimize('loss'), AtMost('latency', 20)]"
        )
    if isinstance(metric, list) and not (isinstance(mode, list) and len(mode) == len(metric)):
        raise ConfigurationError(f"metric={metric!r}, mode={mode!r}: give a mode for each metric")
    if rewards is not None and len(points or []) != len(rewards):
        raise ConfigurationError(
            f"{len(points or [])} points_to_evaluate but {len(rewards)} evaluated_rewards; give a "
            "reward for each point"
        )


def _check_same(layout: Layout, space: Space) -> None:
    if layout.space != space:
        raise ConfigurationError(
            f"the search was begun over another space, {list(space)}, than {list(layout.space)} "
            "with these ranges; restore it into a search over the same space"
        )
