"""The whole optimisation in one call: ask, evaluate with some workers, tell, until the budget ends.

Batches are synchronous, and a trial has its number before it is evaluated, so that the result does
not depend on which worker was faster.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import closing, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.checks import whole_number
from warpfront.errors import ConfigurationError, ObservationError
from warpfront.history import History, Trial
from warpfront.optimizers.ask_tell import AskTell, Suggestion
from warpfront.optimizers.hebo import HEBO
from warpfront.progress import show_progress
from warpfront.settings import Settings, settings_or_default
from warpfront.space import Configuration, Space

Loss = Callable[[Configuration], Any]


@dataclass(frozen=True)
class Result:
    """What :func:`minimize` found.

    Attributes
    ----------
    optimizer
        The optimiser, ready to go on: its model, its history, ``to_json``.
    interrupted
        Whether Ctrl-C, or an executor that broke, was shut down or cancelled an evaluation, ended
        the run before the budget did. What was not evaluated by then is withdrawn.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=12, batch=4, seed=0)
    >>> len(result.trials), result.best.value < 0.1
    (12, True)
    """

    optimizer: AskTell
    interrupted: bool = False

    def __repr__(self) -> str:
        best = self.best if self.history.completed else None
        return f"Result(best={best!r}, trials={len(self.trials)}, interrupted={self.interrupted})"

    @property
    def history(self) -> History:
        """Everything that was tried."""
        return self.optimizer.history

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials, in order of number."""
        return self.history.trials

    @property
    def best(self) -> Trial:
        """The trial of the smallest observed loss."""
        return self.optimizer.best

    @property
    def recommendation(self) -> Trial:
        """The evaluated configuration of the best posterior mean: the choice under noise."""
        return self.optimizer.recommendation

    @property
    def best_so_far(self) -> NDArray[np.float64]:
        """The smallest loss after each trial, (n,); infinite before the first success."""
        return self.history.best_so_far


def history_of(given: History | Result | AskTell) -> History:
    """The history itself, or that of a result or an optimiser; anything else is an error.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> len(history_of(HEBO(Space(x=Real(0, 1)), seed=0)))
    0
    """
    history = given.history if isinstance(given, (Result, AskTell)) else given
    if not isinstance(history, History):
        raise ConfigurationError(
            f"history={given!r}: must be a history, or what has one: the result of minimize, or an "
            "optimiser"
        )
    return history


def settings_of(given: History | Result | AskTell, settings: Settings | None) -> Settings:
    """The settings, or without any those of the optimiser that is given, or else the default ones.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> settings_of(HEBO(Space(x=Real(0, 1)), settings=Settings(starts=7)), None).starts
    7
    """
    optimizer = given.optimizer if isinstance(given, Result) else given
    if settings is None and isinstance(optimizer, HEBO):
        return optimizer.settings
    return settings_or_default(settings)


def minimize(
    loss: Loss,
    space: Space | AskTell,
    budget: int,
    *,
    batch: int = 8,
    seed: int | None = None,
    workers: int | Executor = 1,
    settings: Settings | None = None,
    progress: bool | None = None,
) -> Result:
    """Minimise a loss over a space with HEBO.

    Parameters
    ----------
    loss
        Takes a configuration (a dict), returns a number. An exception, NaN, an infinity, or what
        is no number is a failed evaluation, from which the optimiser learns.
    space
        What may be tried; or an optimiser to go on with, such as a saved one.
    budget
        How many evaluations to make.
    batch
        How many configurations are suggested at a time.
    seed
        The same seed gives the same result if the loss is deterministic.
    workers
        How many threads evaluate the loss at the same time; or any executor of
        ``concurrent.futures``, such as a process pool.
    settings
        The components of the method.
    progress
        Whether to show progress on standard error; None: if it is a terminal.

    Returns
    -------
    Result
        Also when the run is interrupted by Ctrl-C or the executor breaks or is shut down: nothing
        observed is lost.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space, minimize
    >>> space = Space(x=Real(0, 1), n=Integer(1, 8))
    >>> result = minimize(lambda c: (c["x"] - 0.5) ** 2 + c["n"], space, budget=24, seed=0)
    >>> result.best.config["n"]
    1
    """
    if not callable(loss):
        raise ConfigurationError(
            f"loss={loss!r}: must be a function that takes a configuration and returns a number"
        )
    budget, batch = whole_number("budget", budget, 1), whole_number("batch", batch, 1)
    if isinstance(space, AskTell):
        if seed is not None or settings is not None:
            raise ConfigurationError("an optimiser has its own seed and settings; leave them out")
        optimizer = space
    else:
        optimizer = HEBO(space, seed, settings)
    interrupted = False
    others = {trial.number for trial in optimizer.history.of_state("pending")}
    with show_progress(budget, progress) as report, _pool(workers, loss) as pool:
        try:
            for start in range(0, budget, batch):
                suggestions = optimizer.ask(min(batch, budget - start))
                with closing(_evaluate(loss, suggestions, pool)) as outcomes:
                    for suggestion, outcome in outcomes:
                        _record(optimizer, suggestion, outcome)
                        report(optimizer.history)
        except BaseException as error:
            waiting = optimizer.history.of_state("pending")  # also what was only just asked for
            optimizer.withdraw([trial for trial in waiting if trial.number not in others])
            if not isinstance(error, (KeyboardInterrupt, BrokenExecutor)):
                raise
            interrupted = True
            if isinstance(error, BrokenExecutor):
                warnings.warn(f"the run ended early: {error}", RuntimeWarning, stacklevel=2)
    failed = optimizer.history.of_state("failed")
    if failed and not optimizer.history.completed:
        warnings.warn(
            f"no evaluation succeeded; the last failure: {failed[-1].reason}",
            RuntimeWarning,
            stacklevel=2,
        )
    return Result(optimizer, interrupted)


def _record(optimizer: AskTell, suggestion: Suggestion, outcome: Any) -> None:
    """Tell an outcome; what is no number is a failure: other outcomes must not be lost for it."""
    try:
        optimizer.tell(suggestion, outcome)
    except ObservationError as error:
        optimizer.tell(suggestion, error)


@contextmanager
def _pool(workers: int | Executor, loss: Loss) -> Iterator[Executor | None]:
    """The executor to use: the user's own (left open), one of ours, or none for one worker."""
    if isinstance(workers, Executor):
        if isinstance(workers, ProcessPoolExecutor):
            _check_that_it_can_be_sent(loss)
        yield workers
        return
    workers = whole_number("workers", workers, 1, otherwise=", or an executor")
    if workers == 1:
        yield None
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="warpfront")
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _check_that_it_can_be_sent(loss: Loss) -> None:
    try:
        pickle.dumps(loss)
    except Exception as error:
        raise ConfigurationError(
            f"the loss {loss!r} cannot be sent to another process ({error}); define it at the top "
            "of a module, or use threads: workers=8"
        ) from None


def _evaluate(
    loss: Loss, suggestions: Sequence[Suggestion], pool: Executor | None
) -> Generator[tuple[Suggestion, Any], None, None]:
    """Pairs of suggestion and outcome, each as soon as it is known.

    Any failure of the user's code is an observation; Ctrl-C and an exit are not. The loss gets
    copies: what it does to its argument, lists in it included, is its own affair.
    """
    if pool is None:
        for suggestion in suggestions:
            try:
                outcome = loss(copy.deepcopy(dict(suggestion)))
            except Exception as error:
                outcome = error
            yield suggestion, outcome
        return
    futures: dict[Future[Any], Suggestion] = {}
    done: SimpleQueue[Future[Any]] = SimpleQueue()  # as_completed would wait for cancelled ones
    ended: BrokenExecutor | None = None
    try:
        for suggestion in suggestions:
            try:
                future = pool.submit(loss, copy.deepcopy(dict(suggestion)))
            except RuntimeError as error:  # it broke or was shut down; what it has may still end
                ended = BrokenExecutor(str(error))
                break
            futures[future] = suggestion
            future.add_done_callback(done.put)
        for _ in range(len(futures)):
            future = done.get()
            if future.cancelled():
                ended = ended or BrokenExecutor("the executor cancelled an evaluation")
                continue
            failure = future.exception()
            lost = isinstance(failure, BrokenExecutor) and _is_broken(pool)
            if failure is not None and (lost or not isinstance(failure, Exception)):
                raise failure  # no outcome of this configuration
            yield futures[future], future.result() if failure is None else failure
        if ended is not None:
            raise ended
    finally:
        for future in futures:
            future.cancel()


def _is_broken(pool: Executor) -> bool:
    """Whether an executor takes no more work; a loss may itself use one that breaks."""
    try:
        pool.submit(int).cancel()
    except RuntimeError:
        return True
    return False
