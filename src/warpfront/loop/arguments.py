"""The arguments of ``minimize``: checked before anything is evaluated, with the remedy if wrong."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from warpfront.checks import real_number, whole_number
from warpfront.errors import ConfigurationError
from warpfront.failure import quoted
from warpfront.goals import Goals, Maximize, Minimize, read_goals
from warpfront.loop.evaluation import Loss
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.hebo import HEBO
from warpfront.result import Result
from warpfront.settings import Settings
from warpfront.space import Configuration, Space

NAMES = (
    *(
        "loss",
        "space",
        "budget",
        "direction",
        "goals",
        "batch",
        "seed",
        "workers",
        "timeout",
        "stop",
    ),
    *("callbacks", "start", "checkpoint", "on_error", "settings", "progress"),
)
ELSEWHERE = {
    "maximize": "direction='maximize'",
    "minimize": "direction='minimize'",
    "objectives": "goals",
    "n_trials": "budget",
    "n_calls": "budget",
    "n_iter": "budget",
    "max_evals": "budget",
    "iterations": "budget",
    "trials": "budget",
    "n_jobs": "workers",
    "n_workers": "workers",
    "executor": "workers",
    "batch_size": "batch",
    "random_state": "seed",
    "rng": "seed",
    "callback": "callbacks",
    "x0": "start",
    "initial": "start",
    "points_to_evaluate": "start",
    "time_limit": "timeout",
    "patience": "stop=Patience(...)",
    "target": "stop=TargetReached(...)",
    "verbose": "progress",
    "resume": "checkpoint",
    "raise_on_error": "on_error",
}
"""What these are called here: names that other packages use."""


def refuse(unknown: Iterable[str]) -> None:
    """Raise for arguments that ``minimize`` does not have, with what is probably meant.

    Examples
    --------
    >>> refuse(["maximize"])
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: minimize has no argument 'maximize'; did you mean
    direction='maximize'?
    """
    for name in unknown:
        close = difflib.get_close_matches(name, NAMES, 1)
        meant = ELSEWHERE.get(name) or (close[0] if close else None)
        hint = f"did you mean {meant}?" if meant else f"it takes {', '.join(NAMES)}"
        raise ConfigurationError(f"minimize has no argument {name!r}; {hint}")


def optimizer_of(
    given: Space | Mapping[str, Any] | AskTell | Result,
    seed: int | None,
    settings: Settings | None,
    direction: Any,
    goals: Any,
) -> AskTell:
    """HEBO over a space; or the optimiser that is given, or one that goes on from a result."""
    wanted = _goals_of(direction, goals)
    if not isinstance(given, (AskTell, Result)):
        space = Space.of(given) if isinstance(given, Mapping) else given
        return HEBO(space, seed=seed, settings=settings, goals=wanted)
    optimizer = given.optimizer if isinstance(given, Result) else given
    if seed is not None or settings is not None:
        raise ConfigurationError("an optimiser has its own seed and settings; leave them out")
    kinds = [objective.kind for objective in optimizer.history.problem.objectives]
    if wanted is not None and wanted != optimizer.goals and kinds != [direction]:
        raise ConfigurationError(
            f"an optimiser has its own goals, here {', '.join(map(repr, optimizer.goals))}; leave "
            "direction and goals out, and give goals to the optimiser when you make it"
        )
    return given.fork() if isinstance(given, Result) else given


def _goals_of(direction: Any, goals: Any) -> Goals | None:
    """The goals; of a direction, one objective without a name of its own."""
    if direction is None:
        return None if goals is None else read_goals(goals)
    if goals is not None:
        raise ConfigurationError(
            f"direction={direction!r}: the goals already say what is wanted; leave one of them out"
        )
    if direction not in ("minimize", "maximize"):
        raise ConfigurationError(f"direction={direction!r}: must be 'minimize' or 'maximize'")
    return (Maximize(),) if direction == "maximize" else (Minimize(),)


def budget_of(budget: Any, *, may_be_missing: bool) -> int | None:
    """How many evaluations to make; None if something else is to end the run."""
    if budget is None and may_be_missing:
        return None
    otherwise = "" if budget is not None else "; or give a timeout or a stop rule"
    return whole_number("budget", budget, 1, otherwise=otherwise)


def seconds(timeout: Any) -> float | None:
    """The time limit in seconds."""
    if timeout is None:
        return None
    limit = real_number(timeout)
    if not limit > 0.0:
        raise ConfigurationError(f"timeout={timeout!r}: must be a positive number of seconds")
    return None if math.isinf(limit) else limit


def functions(name: str, given: Any) -> tuple[Callable[..., Any], ...]:
    """One function or several, as a tuple.

    Examples
    --------
    >>> functions("stop", None), len(functions("stop", print)), len(functions("stop", [print]))
    ((), 1, 1)
    """
    if given is None:
        return ()
    if callable(given):
        return (given,)
    try:
        found = tuple(given)
    except TypeError:
        found = (given,)
    for one in found:
        if not callable(one):
            raise ConfigurationError(
                f"{name}={quoted(repr, given)}: {quoted(repr, one)} is not a function; give one, "
                "or a list of them"
            )
    return found


def start_of(given: Any, space: Space) -> tuple[Configuration, ...]:
    """Configurations to evaluate first; parameters that are left out are suggested."""
    if given is None:
        return ()
    if isinstance(given, Mapping):
        given = [given]
    try:
        configs = list(given)
    except TypeError:
        raise ConfigurationError(
            f"start={given!r}: give a list of configurations, such as [{{...}}]"
        ) from None
    valid = []
    for i, config in enumerate(configs):
        try:
            valid.append(space.validate(getattr(config, "config", config), partial=True))
        except ConfigurationError as error:
            raise ConfigurationError(f"start[{i}]: {error}") from None
    return tuple(valid)


def raises_of(on_error: Any) -> bool:
    """Whether a loss that is broken ends the run."""
    if on_error not in ("raise", "record"):
        raise ConfigurationError(f"on_error={on_error!r}: must be 'raise' or 'record'")
    return bool(on_error == "raise")


def checked_loss(loss: Any) -> Loss:
    """The loss, if it can be called."""
    if not callable(loss):
        raise ConfigurationError(
            f"loss={quoted(repr, loss)}: must be a function that takes a configuration and "
            "returns a number"
        )
    return cast("Loss", loss)
