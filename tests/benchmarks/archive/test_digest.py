"""A run in short: what is left of a record, and its line in the archive."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks.archive.digest import Digest, Improvement, Recommendation
from benchmarks.records import Evaluated, Key, Recommended, Record, Round

KEY = Key("branin", "warpfront@starts=5", 3, 2, 3)


def record(losses, **more):
    trials = [
        Evaluated({"x1": 0.5}, loss, None if math.isfinite(loss) else "ValueError: no", held_out=i)
        for i, loss in enumerate(losses)
    ]
    timings = (Round(0.123456, 1.0, tell_cpu=0.1), Round(0.0, 0.0), Round(1234.56, 1.0))
    return Record(KEY, tuple(trials), timings, **more)


def test_only_new_bests_are_kept():
    digest = Digest.of(record([math.inf, 2.0, 3.0, 2.0, math.inf, 1.0 / 3.0]))
    assert digest.improvements == (Improvement(2, 2.0, 1), Improvement(6, 1.0 / 3.0, 5))
    assert (digest.trials, digest.failed) == (6, 2)
    assert digest.cpu == (0.2235, 0.0, 1235.0)
    assert digest.has_course


def test_a_run_of_failures_has_no_improvement():
    digest = Digest.of(record([math.inf] * 6))
    assert digest.improvements == ()
    assert digest.failed == 6
    assert digest.has_course  # it is known that nothing was found all along


@pytest.mark.parametrize(
    "digest",
    [
        Digest.of(record([2.0, 1.0 / 3.0], error="died\nearly", facts={"numpy": "2.4.6"})),
        Digest.of(record([math.inf] * 6)),
        Digest(KEY, None, 0, (Improvement(None, 0.5, None),), 41.5, "given up"),
    ],
)
def test_a_line_gives_the_digest_back(digest):
    line = digest.to_line()
    assert line.index("\n") == len(line) - 1
    assert json.loads(line)["task"] == "branin"
    assert Digest.from_line(line, KEY.design, KEY.method) == digest


def test_recommendations_are_kept_by_their_truth():
    found = (Recommended(2, {"x1": 0.5}, 0.25), Recommended(6, {"x1": 0.1}, 1.0 / 3.0))
    digest = Digest.of(record([2.0, 1.0], recommendations=found))
    assert digest.recommended == (Recommendation(2, 0.25), Recommendation(6, 1.0 / 3.0))
    assert Digest.from_line(digest.to_line(), KEY.design, KEY.method) == digest


def test_lines_of_runs_without_recommendations_stay_as_they_were():
    assert "recommended" not in json.loads(Digest.of(record([2.0, 1.0])).to_line())


def test_where_only_the_end_is_known_there_is_no_course():
    assert not Digest(KEY, 6, 0, (Improvement(None, 0.5, 0.5),), 1.0).has_course


@pytest.mark.parametrize(
    ("error", "losses", "unavailable"),
    [("unavailable: no wheel", [], True), ("died", [], False), (None, [1.0], False)],
)
def test_what_never_began_is_told_apart(error, losses, unavailable):
    assert Digest.of(record(losses, error=error)).is_unavailable is unavailable


def test_a_usual_run_is_small():
    losses = [1.0 / (1 + i) for i in range(12)] + [1.0] * 116
    facts = {"scikit-learn": "1.9.1", "machine": "x86_64, 2 cores", "Python": "3.11.7"}
    trials = tuple(Evaluated({"x1": 0.5}, loss, held_out=loss / 7.0) for loss in losses)
    one = Record(Key("branin", "pysot", 0, 8, 16), trials, (Round(0.1234, 1.0),) * 16, None, facts)
    assert len(Digest.of(one).to_line()) < 1200
