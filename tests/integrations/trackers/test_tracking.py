"""What trackers log, and when they are told that a run is over."""

from __future__ import annotations

import logging

import pytest

from tests.integrations.trackers.scene import broken, run
from warpfront.errors import CallbackError
from warpfront.integrations.tracking import Facts


class Tracker:
    """Keeps what it is told."""

    def __init__(self, error=None):
        self.facts, self.finished, self.error = [], [], error

    def __call__(self, result, trial):
        self.facts.append(Facts.of(result, trial))

    def finish(self, result):
        self.finished.append(result)
        if self.error:
            raise self.error


def test_facts_are_plain_and_complete():
    tracker = Tracker()
    result = run(tracker)
    assert [facts.step for facts in tracker.facts] == [1, 2, 3, 4, 5, 6]
    for facts, trial in zip(tracker.facts, result.trials, strict=True):
        assert facts.params["layers"] in ("[8]", "[8, 8]")
        assert facts.metrics.get("value") == trial.value
        assert facts.metrics["seconds"] >= 0.0
        assert facts.reason == trial.reason
    assert tracker.facts[-1].progress["best_value"] == result.best.value


def test_finish_is_called_once_with_the_final_result():
    tracker = Tracker()
    result = run(tracker)
    (told,) = tracker.finished
    assert told.stopped == result.stopped == "budget"
    assert told.trials == result.trials


def test_finish_is_called_when_a_run_ends_with_an_error():
    tracker = Tracker()
    with pytest.raises(CallbackError, match="disk is full"):
        run(tracker, broken)
    assert [result.stopped for result in tracker.finished] == ["error"]


def test_an_error_at_the_end_keeps_the_result():
    with pytest.raises(
        CallbackError, match=r"callbacks\[0\].finish raised OSError: away"
    ) as raised:
        run(Tracker(OSError("away")))
    assert len(raised.value.result.trials) == 6


def test_an_error_at_the_end_does_not_hide_another(caplog):
    with caplog.at_level(logging.WARNING, "warpfront"), pytest.raises(CallbackError, match="full"):
        run(Tracker(OSError("away")), broken)
    assert "callbacks[0].finish raised OSError: away" in caplog.text


def test_callbacks_without_an_end_are_welcome():
    called = []
    run(lambda result, trial: called.append(trial.number))
    assert called == [0, 1, 2, 3, 4, 5]
