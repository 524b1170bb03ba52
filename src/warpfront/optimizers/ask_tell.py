"""The one stateful shell: ask, tell, best; save and load as JSON."""

from __future__ import annotations

import copy
import json
import secrets
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from warpfront.checks import whole_number
from warpfront.decision import best_of, hypervolume_so_far, knee
from warpfront.errors import ConfigurationError, ObservationError, StateError, WarpfrontError
from warpfront.frames import from_frames
from warpfront.goals import Bound, Goal, Goals, goals_from_list, read_goals
from warpfront.history import History
from warpfront.optimizers.lock import ForkSafeLock
from warpfront.overview import counts, describe, overview_card
from warpfront.problem import Problem
from warpfront.space import Configuration, Space
from warpfront.transfer import LeftOut, transfer
from warpfront.trial import Trial

FORMAT_VERSION = 2
Self = TypeVar("Self", bound="AskTell")


class Proposal(NamedTuple):
    """A configuration, and who proposed it."""

    config: Configuration
    proposer: str


class Suggestion(dict[str, Any]):
    """A configuration that :meth:`AskTell.ask` proposed: a dict that knows its trial's number.

    Examples
    --------
    >>> from warpfront import HEBO, Integer, Space
    >>> suggestion = HEBO(Space(n=Integer(1, 9)), seed=0).ask(1)[0]
    >>> suggestion.number, sorted(suggestion)
    (0, ['n'])
    """

    def __init__(self, trial: Trial, config: Mapping[str, Any] | None = None) -> None:
        super().__init__(copy.deepcopy(dict(trial.config if config is None else config)))
        self.trial = trial

    @property
    def number(self) -> int:
        """The number of the trial."""
        return self.trial.number

    def __reduce__(self) -> tuple[Any, ...]:
        return Suggestion, (self.trial, dict(self))


class AskTell:
    """What all optimisers share. Use :class:`warpfront.HEBO` or :class:`warpfront.RandomSearch`.

    Methods may be called from several threads.
    """

    def __init__(
        self,
        space: Space,
        seed: int | None = None,
        *,
        goals: Goal | Sequence[Goal] | None = None,
    ) -> None:
        problem = Problem(space, read_goals(goals))
        if seed is None:
            seed = secrets.randbits(63)
        self._seed = whole_number("seed", seed, 0)
        self._history = History(problem)
        self._lock = ForkSafeLock()
        self._left_out: tuple[LeftOut, ...] = ()

    def __repr__(self) -> str:
        known = f"{counts(self._history)}; {describe(self._history)}"
        return f"<{type(self).__name__} of {len(self.space)} parameters: {known}>"

    def _repr_html_(self) -> str:
        return overview_card(type(self).__name__, self._history)

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Proposal]:
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """What else must be saved to build the same optimiser."""
        return {}

    @classmethod
    def _from_options(cls: type[Self], problem: Problem, seed: int, options: Any) -> Self:
        return cls(problem.space, seed, goals=problem.goals)

    def _at(self: Self, history: History) -> Self:
        """Another optimiser of the same kind, seed and options, that knows this history."""
        other = self._from_options(history.problem, self._seed, self._options())
        other._history = history
        return other

    @property
    def space(self) -> Space:
        """The search space."""
        return self._history.space

    @property
    def goals(self) -> Goals:
        """What is measured and wanted."""
        return self._history.goals

    @property
    def seed(self) -> int:
        """The seed; if none was given, the one that was drawn."""
        return self._seed

    @property
    def history(self) -> History:
        """All trials so far, as an immutable snapshot."""
        return self._history

    @property
    def best(self) -> Trial:
        """The completed trial of the smallest loss."""
        return self._history.best

    @property
    def front(self) -> tuple[Trial, ...]:
        """The feasible trials that no other one dominates, in order of number."""
        return self._history.front

    @property
    def knee(self) -> Trial:
        """The trial of the front that is closest to the best of all objectives at once."""
        return knee(self._history)

    def best_of(self, name: str, *limits: Bound) -> Trial:
        """The best feasible trial in one objective, within limits on other outcomes.

        See :func:`warpfront.decision.best_of`.

        Examples
        --------
        >>> from warpfront import HEBO, AtMost, Maximize, Minimize, Real, Space
        >>> goals = [Maximize("accuracy"), Minimize("latency")]
        >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=goals, seed=0)
        >>> optimizer.tell({"x": 0.1}, {"accuracy": 0.8, "latency": 5.0})
        >>> optimizer.tell({"x": 0.9}, {"accuracy": 0.9, "latency": 40.0})
        >>> optimizer.best_of("accuracy", AtMost("latency", 20)).number
        0
        """
        return best_of(self._history, name, *limits)

    def hypervolume_so_far(
        self, reference: Mapping[str, float] | None = None
    ) -> NDArray[np.float64]:
        """The hypervolume that the feasible trials dominate, after each trial, (n,).

        See :func:`warpfront.decision.hypervolume_so_far`.
        """
        return hypervolume_so_far(self._history, reference)

    @property
    def recommendation(self) -> Trial:
        """The evaluated configuration to use; without a model, the best."""
        return self.best

    def ask(self, n: int = 1, *, fixed: Mapping[str, Any] | None = None) -> list[Suggestion]:
        """Propose n configurations to evaluate; they are pending until they are told.

        Parameters
        ----------
        n
            How many. It may be called again before earlier ones are told.
        fixed
            Values at which some parameters are held: a context, say.

        Examples
        --------
        >>> from warpfront import HEBO, Integer, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1), n=Integer(1, 9)), seed=0)
        >>> [s["n"] for s in optimizer.ask(3, fixed={"n": 5})]
        [5, 5, 5]
        """
        n = whole_number("n", n, 1)
        # Underflow is harmless here, even where a user wants NumPy to raise it.
        with self._lock, np.errstate(under="ignore"):
            proposals = self._suggest(self._history, n, {} if fixed is None else fixed)
            self._history = self._history.ask(*zip(*proposals, strict=True))
            return [Suggestion(trial) for trial in self._history.trials[-n:]]

    def tell(self, configs: Mapping[str, Any] | Trial | Sequence[Any], values: Any) -> None:
        """Record losses; all of the call or, if anything in it is wrong, none.

        Parameters
        ----------
        configs
            One configuration or a sequence of them: suggestions of :meth:`ask`, trials, or plain
            dicts, also of configurations that were never asked for. A data frame has a row for
            each, and one of its rows is a configuration, too.
        values
            The loss of the one configuration, or a sequence of losses, such as a column of the
            frame. NaN, an infinity, None or an exception says that the evaluation failed.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> optimizer.tell({"x": 0.5}, 0.25)
        >>> optimizer.tell([{"x": 0.1}, {"x": 0.9}], [0.5, float("nan")])
        >>> [trial.state for trial in optimizer.history.trials]
        ['completed', 'completed', 'failed']
        """
        configs, values = from_frames(configs, values)
        if isinstance(configs, (Mapping, Trial)):
            configs, values = [configs], [values]
        elif isinstance(values, (Mapping, Set)):
            raise ObservationError(
                f"values={values!r}: a {type(values).__name__} does not say which loss is of which "
                "configuration; give a list, in the order of the configurations"
            )
        configs = _as_list("configs", configs, "configuration")
        values = _as_list("values", values, "loss")
        if len(configs) != len(values):
            raise ObservationError(
                f"{len(configs)} configurations but {len(values)} values; give one for each"
            )
        with self._lock, np.errstate(under="ignore"):
            self._history = self._history.tell(
                [
                    (self._number(c), c.config if isinstance(c, Trial) else c, value)
                    for c, value in zip(configs, values, strict=True)
                ]
            )

    def _number(self, config: Any) -> int | None:
        """The number of our own trial, not of another optimiser's that has the same number."""
        trial = config.trial if isinstance(config, Suggestion) else config
        if (
            isinstance(trial, Trial)
            and trial in self._history.trials[trial.number : trial.number + 1]
        ):
            return trial.number
        return None

    def withdraw(
        self, suggestions: Mapping[str, Any] | Trial | Sequence[Any] | None = None
    ) -> None:
        """Say that suggestions will not be evaluated, so that they are no longer pending.

        Parameters
        ----------
        suggestions
            One suggestion or a sequence of them, or trials, or plain dicts of which a trial is
            pending; None: all that are pending. A result that comes in later all the same can
            still be told.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> batch = optimizer.ask(2)
        >>> optimizer.withdraw(batch[:1])
        >>> [trial.state for trial in optimizer.history.trials]
        ['withdrawn', 'pending']
        >>> optimizer.withdraw(batch[1])
        >>> [trial.state for trial in optimizer.history.trials]
        ['withdrawn', 'withdrawn']
        """
        with self._lock:
            if suggestions is None:
                suggestions = self._history.of_state("pending")
            elif isinstance(suggestions, (Mapping, Trial)):
                suggestions = [suggestions]
            try:
                given = list(suggestions)
            except TypeError:
                raise ConfigurationError(
                    f"{suggestions!r} is not a suggestion; give one, or a sequence of them"
                ) from None
            plain = [s for s in given if not isinstance(s, (Suggestion, Trial))]
            history = self._history.withdraw({self._number(s) for s in given})
            self._history = history.withdraw(history.numbers_of(plain))

    def with_space(self: Self, space: Space, *, defaults: Mapping[str, Any] | None = None) -> Self:
        """An optimiser of a changed space that keeps the trials which fit it.

        Ranges may be wider or narrower, parameters may be added or removed. This optimiser stays
        as it is.

        Parameters
        ----------
        space
            The changed space.
        defaults
            The values that added parameters had in all trials so far.

        Returns
        -------
        AskTell
            Its :attr:`left_out` says which trials do not fit, and why; their numbers are those of
            this optimiser, while those that were kept are numbered anew. It is not part of
            :meth:`to_json`.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> optimizer.tell([{"x": 0.2}, {"x": 0.9}], [1.0, 2.0])
        >>> narrow = optimizer.with_space(Space(x=Real(0, 0.5)))
        >>> len(narrow.history), narrow.left_out[0].trial.number
        (1, 1)
        """
        history, left_out = transfer(self._history, Space.of(space), defaults)
        other = self._at(history)
        other._left_out = left_out
        return other

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The trials that :meth:`with_space` could not keep, and why."""
        return self._left_out

    def to_json(self) -> str:
        """Everything needed to go on later, as JSON text.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> copy = HEBO.from_json(optimizer.to_json())
        >>> copy.ask(2) == optimizer.ask(2)
        True
        """
        return json.dumps(
            {
                "warpfront": FORMAT_VERSION,
                "optimizer": type(self).__name__,
                "seed": self._seed,
                "space": self.space.to_dict(),
                "goals": [goal.to_dict() for goal in self.goals],
                "options": self._options(),
                "trials": self._history.to_list(),
            },
            allow_nan=False,
        )

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """Go on from what :meth:`to_json` gave: the same suggestions as without the break."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise StateError(f"not a saved warpfront optimiser: {error}") from None
        if not isinstance(data, dict) or data.get("warpfront") not in (1, FORMAT_VERSION):
            raise StateError(
                "not a saved warpfront optimiser: it must be a JSON object with "
                f'"warpfront": {FORMAT_VERSION}'
            )
        if data.get("optimizer") != cls.__name__:
            raise StateError(f"this was saved by {data.get('optimizer')!r}, not {cls.__name__!r}")
        try:
            seed = whole_number("seed", data["seed"], 0)  # None would draw another one
            goals = goals_from_list(data["goals"]) if "goals" in data else ()
            problem = Problem(Space.from_dict(data["space"]), goals)
            optimizer = cls._from_options(problem, seed, data["options"])
            optimizer._history = History.from_list(problem, data["trials"])
        except KeyError as error:
            raise StateError(f"the saved optimiser has no {error.args[0]!r}") from None
        except StateError:
            raise
        except (WarpfrontError, TypeError) as error:
            raise StateError(f"the saved optimiser cannot be read: {error}") from error
        return optimizer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)


def _as_list(name: str, given: Any, of: str) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise ObservationError(
            f"{name}={given!r}: give a sequence with a {of} for each evaluation; or tell one "
            "configuration, a dict, and its loss"
        ) from None
