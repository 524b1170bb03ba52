"""An objective that is broken is found out by its first trials, before the budget is burnt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.errors import NoSuccessError
from warpfront.cli.trials import HAND, REASON
from warpfront.loop.broken import FIRST_EVALUATIONS

NO_ERROR = re.compile(r"the value was |the time limit |its worker died")
"""Beginnings of reasons that say nothing of a mistake in the objective."""


def kind_of(reason: str) -> str | None:
    """What sort of error a reason tells of; None if it may be a matter of the configuration.

    Examples
    --------
    >>> kind_of("KeyError: 'rate' (objective.py:3)"), kind_of("exit code 2: no such file")
    ('KeyError', 'exit code 2')
    >>> kind_of("the value was nan") is None
    True
    """
    return None if NO_ERROR.match(reason) else re.split(r"[:;(]", reason)[0].strip()


class FirstTrials:
    """Watches the first trials that end in a run of a study without a success.

    Parameters
    ----------
    is_on
        Whether to watch at all.
    """

    def __init__(self, *, is_on: bool = True) -> None:
        self._is_on = is_on
        self._kinds: list[str | None] = []

    def check(self, ended: Sequence[FrozenTrial], succeeded: bool) -> None:
        """Raise if the first trials of the run have all failed with the same kind of error.

        Parameters
        ----------
        ended
            The trials that have ended since the last look.
        succeeded
            Whether any trial of the study has a value.
        """
        self._is_on = self._is_on and not succeeded
        for trial in ended:
            if not self._is_on:
                return
            if trial.state != TrialState.FAIL or HAND in trial.user_attrs:
                continue
            reason = str(trial.user_attrs.get(REASON, ""))
            self._kinds.append(kind_of(reason))
            if None in self._kinds or len(set(self._kinds)) > 1:
                self._is_on = False
            elif len(self._kinds) == FIRST_EVALUATIONS:
                raise NoSuccessError(
                    f"the first {FIRST_EVALUATIONS} trials of this run have all failed: {reason}; "
                    "mend the objective, or give --on-error record if such failures are to be "
                    "learned from"
                )
