"""When the first trials of a run say that the objective is broken."""

from __future__ import annotations

import pytest
from optuna.trial import TrialState, create_trial

from warpfront.cli.broken import FirstTrials, kind_of
from warpfront.cli.errors import NoSuccessError
from warpfront.cli.trials import HAND


def failed(reason, **attributes):
    return create_trial(state=TrialState.FAIL, user_attrs={"reason": reason, **attributes})


DONE = create_trial(state=TrialState.COMPLETE, value=1.0)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("KeyError: 'x' (objective.py:3)", "KeyError"),
        ("MemoryError (objective.py:3)", "MemoryError"),
        ("exit code 2: no such file | usage", "exit code 2"),
        ("no output; the last line must be the value", "no output"),
        ("the value 'x' is not a number", "the value 'x' is not a number"),
        ("the value was nan", None),
        ("the time limit of 5 s is over", None),
    ],
)
def test_the_kind_of_a_failure(reason, kind):
    assert kind_of(reason) == kind


def test_five_of_a_kind_are_no_coincidence():
    first = FirstTrials()
    first.check([failed("KeyError: 1"), failed("KeyError: 2")], succeeded=False)
    first.check([failed("KeyError: 3"), failed("KeyError: 4")], succeeded=False)
    with pytest.raises(NoSuccessError, match="the first 5 trials of this run have all failed: Key"):
        first.check([failed("KeyError: 5")], succeeded=False)


@pytest.mark.parametrize(
    "trials",
    [
        [failed("KeyError: 1")] * 4,
        [*[failed("KeyError: 1")] * 4, failed("ValueError: 1"), failed("KeyError: 1")],
        [failed("the value was nan")] * 9,
        [failed("KeyError: 1", **{HAND: True})] * 9,
        [DONE] * 9,
    ],
)
def test_all_else_goes_on(trials):
    FirstTrials().check(trials, succeeded=False)


def test_after_a_success_failures_are_only_failures():
    first = FirstTrials()
    first.check([failed("KeyError: 1")] * 9, succeeded=True)
    first.check([failed("KeyError: 1")] * 9, succeeded=True)


def test_it_can_be_switched_off():
    FirstTrials(is_on=False).check([failed("KeyError: 1")] * 9, succeeded=False)
