"""``minimize``: the whole optimisation in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Literal, NoReturn

from warpfront.checks import whole_number
from warpfront.goals import Goal
from warpfront.loop import arguments
from warpfront.loop.checkpoint import Checkpoint
from warpfront.loop.evaluation import Loss
from warpfront.loop.record import Callback
from warpfront.loop.run import Plan, run
from warpfront.optimizers.ask_tell import AskTell
from warpfront.result import Result
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.stopping import Rule


def minimize(
    loss: Loss,
    space: Space | Mapping[str, Any] | AskTell | Result,
    budget: int | None = None,
    *,
    direction: Literal["minimize", "maximize"] | None = None,
    goals: Goal | Sequence[Goal] | None = None,
    batch: int | None = None,
    seed: int | None = None,
    workers: int | Executor = 1,
    timeout: float | None = None,
    stop: Rule | Sequence[Rule] | None = None,
    callbacks: Callback | Sequence[Callback] | None = None,
    start: Sequence[Configuration] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    on_error: Literal["raise", "record"] = "raise",
    settings: Settings | None = None,
    progress: bool | None = None,
    **unknown: NoReturn,
) -> Result:
    """Find the configuration of the smallest (or largest) value of a function with HEBO.

    Parameters
    ----------
    loss
        Takes a configuration (a dict), returns a number, or a :class:`~warpfront.Measured` one, or
        a dict of them. An exception, NaN, an infinity, or what is not a number is a failed
        evaluation, from which the optimiser learns.
    space
        What may be tried: a space, or a dict of parameters; or an optimiser to go on with, which
        is told all that is observed; or a result to go on from, which stays as it is.
    budget
        How many evaluations to make. It may be left out if ``timeout`` or ``stop`` is given.
    direction
        ``"minimize"`` (the default) or ``"maximize"``.
    goals
        In the place of a direction: what is wanted of each outcome, where the loss returns several
        by their names, such as ``[Minimize("error"), AtMost("memory", 512)]``.
    batch
        None: a new configuration is suggested the moment a worker is free, with the knowledge of
        all that is evaluated by then. A number: so many are suggested at a time, the next when
        these are all known; the result then does not depend on which worker was faster.
    seed
        With one worker, or with a ``batch``, the same seed gives the same result, if the loss is
        deterministic.
    workers
        How many threads evaluate the loss at the same time; or any executor of
        ``concurrent.futures``, such as a process pool or that of a Dask client. Executors that
        are given stay open.
    timeout
        Seconds after which no further evaluation begins. Those under way are waited for, and
        count.
    stop
        A rule that ends the run, or several of which one suffices: see :mod:`warpfront.stopping`.
        Any function of the result so far will do.
    callbacks
        Functions that are called with the result so far and the trial after each outcome. An
        exception in one of them ends the run with a :class:`~warpfront.errors.CallbackError`. An
        object that has a method ``finish``, too, has it called with the result at the end.
    start
        Configurations to evaluate first; they count as part of the budget. Parameters that are
        left out are suggested.
    checkpoint
        A file that is replaced after each outcome. If it exists, the run goes on from it.
    on_error
        ``"raise"``: if the first five evaluations, or all if there are fewer, fail with the same
        kind of error, the run ends with a :class:`~warpfront.errors.LossFailedError`.
        ``"record"``: failures are only recorded.
    settings
        The components of the method.
    progress
        Whether to show progress; None: in a terminal and in a notebook.
    **unknown
        Raises an error that says which argument may have been meant.

    Returns
    -------
    Result
        Also if the run is ended by Ctrl-C, or by an executor that breaks or is shut down: nothing
        that was observed is lost.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space, minimize
    >>> space = Space(x=Real(0, 1), n=Integer(1, 8))
    >>> result = minimize(lambda c: (c["x"] - 0.5) ** 2 + c["n"], space, budget=24, seed=0)
    >>> result.best.config["n"]
    1
    """
    arguments.refuse(unknown)
    rules = arguments.functions("stop", stop)
    optimizer = arguments.optimizer_of(space, seed, settings, direction, goals)
    plan = Plan(
        loss=arguments.checked_loss(loss),
        optimizer=optimizer,
        budget=arguments.budget_of(budget, may_be_missing=timeout is not None or bool(rules)),
        batch=None if batch is None else whole_number("batch", batch, 1),
        timeout=arguments.seconds(timeout),
        rules=rules,
        callbacks=arguments.functions("callbacks", callbacks),
        start=arguments.start_of(start, optimizer.space),
        checkpoint=None if checkpoint is None else Checkpoint(checkpoint),
        any_seed=seed is None and not isinstance(space, (AskTell, Result)),
        raises=arguments.raises_of(on_error),
    )
    return run(plan, workers, progress)
