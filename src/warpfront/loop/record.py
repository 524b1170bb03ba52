"""What happens after each result: checkpoint, log, display, callbacks and stop rules."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from warpfront.errors import (
    CallbackError,
    ConfigurationError,
    NotEnoughDataError,
    ObservationError,
)
from warpfront.failure import Failure
from warpfront.loop.broken import FirstFailures
from warpfront.loop.checkpoint import Checkpoint, Progress
from warpfront.loop.evaluation import Outcome
from warpfront.optimizers.ask_tell import AskTell, Suggestion
from warpfront.progress import Report
from warpfront.result import Event, Result
from warpfront.stopping import Rule
from warpfront.trial import Trial

logger = logging.getLogger("warpfront")

Callback: TypeAlias = Callable[[Result, Trial], Any]


class Record:
    """Keeps what a run has observed, and tells all who want to know.

    Parameters
    ----------
    optimizer
        Who learns.
    progress
        How far the run is, if it goes on.
    first
        Watches the first evaluations.
    callbacks, rules
        As given to ``minimize``.
    checkpoint, report
        Where the run is kept, and the display.
    """

    def __init__(
        self,
        optimizer: AskTell,
        progress: Progress,
        first: FirstFailures,
        callbacks: Sequence[Callback],
        rules: Sequence[Rule],
        checkpoint: Checkpoint | None,
        report: Report,
    ) -> None:
        self._optimizer, self._first = optimizer, first
        self._callbacks, self._rules, self._report = callbacks, rules, report
        self._checkpoint = checkpoint
        self._before, self._others = progress.before, progress.others
        self._events = list(progress.events)
        self.started = progress.started
        before = self._events[-1].at if self._events else 0.0
        self._began = time.monotonic() - before
        self._date = datetime.now().astimezone() - timedelta(seconds=before)
        self.unsaved: OSError | None = None

    @property
    def made(self) -> int:
        """How many evaluations of the run have an outcome."""
        return self._optimizer.history.told - self._before

    def result(self, stopped: str = "") -> Result:
        """What is known now."""
        return Result(self._optimizer, stopped, tuple(self._events), began=self._date)

    def asked(self, suggestions: Sequence[Suggestion]) -> None:
        """Note what was asked for."""
        at = time.monotonic() - self._began
        self._events += [Event(at, "asked", suggestion.number) for suggestion in suggestions]
        for suggestion in suggestions:
            logger.debug("trial %d is asked for: %s", suggestion.number, dict(suggestion))

    def told(self, suggestion: Suggestion, outcome: Outcome) -> str:
        """Tell an outcome to the optimiser and to all others; return why to stop, if so."""
        try:
            self._optimizer.tell(suggestion, outcome.told)
        except ObservationError as error:  # a name that is not a goal, one number for several goals
            why = Failure(str(error), "not an outcome", is_error=True)
            outcome = Outcome(why, outcome.seconds)
            self._optimizer.tell(suggestion, why)
        number = suggestion.number
        at = time.monotonic() - self._began
        self._events.append(Event(at, "told", number, outcome.seconds))
        self.save()
        result = self.result()
        trial = next(t for t in reversed(result.trials) if t.number == number)
        logger.info("%s, in %.3g s", trial, outcome.seconds)
        self._show()
        self._call(result, trial)
        if self._first.are_alike(outcome):
            raise self._first.error(outcome, result)
        return self.reason_to_stop()

    def _show(self) -> None:
        """Bring the display up to date; one that fails is not worth the run."""
        try:
            self._report(self._optimizer.history)
        except Exception as error:  # the loss has closed standard error, say
            self._report = lambda history: None
            logger.warning("progress cannot be shown: %s", Failure.of(error).reason)

    def _call(self, result: Result, trial: Trial) -> None:
        for i, callback in enumerate(self._callbacks):
            try:
                callback(result, trial)
            except Exception as error:
                raise CallbackError(
                    f"callbacks[{i}] raised {Failure.of(error).reason} after trial {trial.number}; "
                    "what was observed is in the result of this error",
                    result,
                ) from error

    def finish(self, result: Result, *, quietly: bool = False) -> None:
        """Tell those callbacks that want to know that the run is over.

        Parameters
        ----------
        result
            What was observed.
        quietly
            Whether an error of a callback is logged only, since another one is on its way.
        """
        for i, callback in enumerate(self._callbacks):
            finish = getattr(callback, "finish", None)
            if not callable(finish):
                continue
            try:
                finish(result)
            except Exception as error:
                text = f"callbacks[{i}].finish raised {Failure.of(error).reason}"
                if not quietly:
                    raise CallbackError(
                        f"{text}; what was observed is in the result of this error", result
                    ) from error
                logger.warning(text)

    def reason_to_stop(self) -> str:
        """The first stop rule that holds, as a text; empty if none does."""
        result = self.result()
        for i, rule in enumerate(self._rules):
            try:
                if rule(result):
                    return _name(rule)
            except NotEnoughDataError:  # `result.best` before anything has succeeded
                continue
            except ConfigurationError:  # the rule does not go with this optimiser
                raise
            except Exception as error:
                raise CallbackError(
                    f"stop[{i}] raised {Failure.of(error).reason}; what was observed is in the "
                    "result of this error",
                    result,
                ) from error
        return ""

    def save(self) -> None:
        """Write the checkpoint, if one is wanted; a full disk does not end the run."""
        if self._checkpoint is None:
            return
        try:
            self._write(self._checkpoint)
        except OSError as error:
            if self.unsaved is None:
                logger.warning("the checkpoint cannot be written, the run goes on: %s", error)
            self.unsaved = error

    def begin(self) -> None:
        """Write the first checkpoint, so that a wrong name is known at once."""
        if self._checkpoint is None:
            return
        try:
            self._write(self._checkpoint)
        except OSError as error:
            raise ConfigurationError(
                f"checkpoint={str(self._checkpoint.path)!r} cannot be written: {error}"
            ) from None

    def _write(self, checkpoint: Checkpoint) -> None:
        progress = Progress(self._before, self._others, self.started, tuple(self._events))
        checkpoint.write(self._optimizer, progress)
        self.unsaved = None


def _name(rule: Rule) -> str:
    return getattr(rule, "__name__", "") or repr(rule)
