"""`warpfront worker`: the engine in a process, with its signals and its tie to a tuner."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from warpfront.cli.errors import INTERRUPTED, WRONG
from warpfront.cli.leaving import begin_again, without_input
from warpfront.cli.objective import Evaluator
from warpfront.cli.outcome import Interrupted
from warpfront.cli.overdue import exit_late
from warpfront.cli.patience import Patience
from warpfront.cli.spec import Spec
from warpfront.cli.study import OpenStudy
from warpfront.cli.worker import Worker
from warpfront.errors import WarpfrontError

MARK = "WARPFRONT_MARK"
"""The variable with the word by which a tuner knows an error of ours from what a function prints.
It is drawn for each run, and not for the objective to see."""
FAREWELL = 10.0
"""Seconds that a function gets to end once the tuner is gone."""


@contextmanager
def marked_errors() -> Iterator[None]:
    """Tell an error to the tuner that started this process; without one, it is raised."""
    mark = os.environ.pop(MARK, None)
    try:
        yield
    except Exception as error:
        if mark is None:
            raise
        text = str(error)
        if not isinstance(error, WarpfrontError):
            text = f"unexpected {type(error).__name__}: {text}"
        _say(f"{mark} {' '.join(text.split())}")
        sys.exit(WRONG)


def join(
    opened: OpenStudy,
    spec: Spec,
    *,
    budget: int,
    batch: int,
    timeout: float | None,
    patience: float,
    tied: bool,
) -> bool:
    """Work for a study; returns whether it was interrupted.

    Parameters
    ----------
    tied
        Whether a tuner started this process: it ends when standard input is closed, which is also
        what happens when the tuner dies, and the tuner says what there is to say.
    """
    again = begin_again(timeout)
    os.chdir(spec.folder)
    os.environ.pop("WARPFRONT_STORAGE", None)  # a password is not for the objective to log
    with without_input() as given, _Ending(tied) as ending:
        evaluator = Evaluator(spec, opened.name)
        ending.stops(evaluator)
        if tied:
            evaluator.protect()
            threading.Thread(target=_end_with_the_tuner, args=(given,), daemon=True).start()
        work = Worker(
            opened=opened,
            evaluator=evaluator,
            budget=budget,
            batch=batch,
            patience=Patience(
                _say, patience, lambda: evaluator.stopped, opened.storage.remove_session
            ),
            say=(lambda line: None) if tied else _say,
            timeout=timeout,
            renew=exit_late if tied else lambda: again(given),
        )
        try:
            work.run()
        except Interrupted:
            return True
        finally:
            evaluator.close()
        return evaluator.stopped


class _Ending:
    """Signals stop an evaluator; a function that does not heed that is not waited for."""

    def __init__(self, tied: bool) -> None:
        self._timer: threading.Timer | None = None
        self._is_tied = tied

    def __enter__(self) -> _Ending:
        return self

    def stops(self, evaluator: Evaluator) -> None:
        """From now on signals stop this evaluator."""

        def stop(*_: object) -> None:
            if self._timer is None and not self._is_tied:  # a tuner has a limit of its own
                self._timer = threading.Timer(FAREWELL, os._exit, [INTERRUPTED])
                self._timer.daemon = True
                self._timer.start()
            evaluator.stop()

        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
            numbers.append(signal.SIGHUP)
        for number in numbers:
            signal.signal(number, stop)

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _end_with_the_tuner(given: int) -> None:
    while os.read(given, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(FAREWELL)
    os._exit(WRONG)  # a function that cannot be interrupted; others take up its trial
