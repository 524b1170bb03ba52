"""Carry out a run, and keep what was observed whatever ends it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from warpfront.errors import RunError
from warpfront.loop.broken import FIRST_EVALUATIONS, FirstFailures
from warpfront.loop.checkpoint import Checkpoint, Progress
from warpfront.loop.evaluation import Loss
from warpfront.loop.pools import pool_of
from warpfront.loop.record import Callback, Record
from warpfront.loop.session import Session
from warpfront.optimizers.ask_tell import AskTell, Suggestion
from warpfront.progress import show_progress
from warpfront.result import INTERRUPT, Result
from warpfront.space import Configuration
from warpfront.stopping import Rule
from warpfront.trial import Trial

logger = logging.getLogger("warpfront")


@dataclass(frozen=True)
class Plan:
    """What a run is to do: the arguments of ``minimize``, checked.

    Attributes
    ----------
    loss, optimizer
        What is evaluated, and who suggests.
    budget, batch, timeout
        How many evaluations, how many at a time, and for how long; None as in ``minimize``.
    rules, callbacks, start
        What ends the run, who is called after each outcome, and what is evaluated first.
    checkpoint, any_seed
        Where the run is kept, and whether it may go on with the seed that it finds there.
    raises
        Whether the run ends with an error if the first evaluations all fail in the same way.
    """

    loss: Loss
    optimizer: AskTell
    budget: int | None
    batch: int | None
    timeout: float | None
    rules: Sequence[Rule]
    callbacks: Sequence[Callback]
    start: Sequence[Configuration]
    checkpoint: Checkpoint | None
    any_seed: bool
    raises: bool


def run(plan: Plan, workers: int | Executor, show: bool | None) -> Result:
    """Do it, from the beginning or from the checkpoint."""
    history = plan.optimizer.history
    others = tuple(trial.number for trial in history.of_state("pending"))
    progress, waiting = Progress(history.told, others), list[Suggestion]()
    if plan.checkpoint is not None:
        found = plan.checkpoint.read(plan.optimizer, any_seed=plan.any_seed)
        if found is not None:
            optimizer, progress = found
            plan = replace(plan, optimizer=optimizer)
            waiting = [Suggestion(trial) for trial in _ours(optimizer, progress)]
    is_new = plan.raises and not plan.optimizer.history.completed
    first = FirstFailures(min(plan.budget or FIRST_EVALUATIONS, FIRST_EVALUATIONS), is_on=is_new)
    with (
        show_progress(plan.budget, show) as report,
        pool_of(workers, plan.loss) as pool,
    ):
        record = Record(
            plan.optimizer,
            progress,
            first=first,
            callbacks=plan.callbacks,
            rules=plan.rules,
            checkpoint=plan.checkpoint,
            report=report,
        )
        session = Session(
            plan.optimizer,
            pool,
            record,
            budget=plan.budget,
            batch=plan.batch,
            timeout=plan.timeout,
            start=plan.start,
            waiting=waiting,
        )
        record.begin()
        _watch(session, record, plan.optimizer, progress)
    for warning in _warnings(session, record, plan.optimizer):
        warnings.warn(warning, RuntimeWarning, stacklevel=3)
    result = record.result(session.stopped)
    record.finish(result)
    return result


def _watch(session: Session, record: Record, optimizer: AskTell, progress: Progress) -> None:
    """Run; nothing that was asked for stays pending."""
    try:
        session.run()
    except KeyboardInterrupt:  # a second one is passed on
        session.stopped = INTERRUPT
        session.collect_what_is_done()
        made = f"{record.made} evaluation{'s' if record.made != 1 else ''}"
        logger.warning("interrupted by Ctrl-C; %s observed, and returned", made)
    except RunError as error:
        _withdraw(session, optimizer, progress)
        error.result = record.result("error")
        record.finish(error.result, quietly=True)
        raise
    finally:
        _withdraw(session, optimizer, progress)


def _withdraw(session: Session, optimizer: AskTell, progress: Progress) -> None:
    session.cancel()
    if ours := _ours(optimizer, progress):
        optimizer.withdraw(ours)


def _ours(optimizer: AskTell, progress: Progress) -> list[Trial]:
    """The trials that the run has asked for and that have no outcome."""
    pending = optimizer.history.of_state("pending")
    return [trial for trial in pending if trial.number not in progress.others]


def _warnings(session: Session, record: Record, optimizer: AskTell) -> list[str]:
    found = [session.warning] if session.warning else []
    if record.unsaved is not None:
        found.append(f"the checkpoint could not be written: {record.unsaved}")
    failed = optimizer.history.of_state("failed")
    if failed and not optimizer.history.completed:
        found.append(f"no evaluation succeeded; the last failure: {failed[-1].reason}")
    return found
