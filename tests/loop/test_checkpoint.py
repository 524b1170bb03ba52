"""A run in a file: the same call goes on from it, whatever ended the last one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.loop.losses import FAST, SPACE, Recorder, loss, search, states
from warpfront import Integer, RandomSearch, Real, Settings, Space, minimize
from warpfront.errors import ConfigurationError, RunError, StateError
from warpfront.stopping import TargetReached


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.json"


def plain(result):
    return [(t.number, dict(t.config), t.state, t.value) for t in result.trials]


def interrupted_after(count):
    seen = []

    def limited(config):
        if len(seen) == count:
            raise KeyboardInterrupt
        seen.append(config)
        return loss(config)

    return limited


@pytest.mark.parametrize("batch", [None, 4])
@pytest.mark.parametrize("count", [0, 1, 5, 11])
def test_the_same_call_goes_on_as_if_nothing_had_happened(file, batch, count):
    options = {"seed": 3, "settings": FAST, "batch": batch}
    whole = minimize(loss, SPACE, 12, **options)
    broken_off = minimize(interrupted_after(count), SPACE, 12, checkpoint=file, **options)
    assert broken_off.interrupted
    seen = []
    resumed = minimize(lambda c: seen.append(c) or loss(c), SPACE, 12, checkpoint=file, **options)
    assert len(seen) == 12 - count
    assert plain(resumed) == plain(whole)  # no gaps in the numbers either
    assert [e[1:3] for e in resumed.events if e.kind == "told"] == [
        ("told", number) for number in range(12)
    ]


def test_a_run_that_is_over_is_not_made_again(file):
    first = minimize(loss, SPACE, 6, seed=0, checkpoint=file)
    again = minimize(lambda c: 1 / 0, SPACE, 6, seed=0, checkpoint=file)
    assert plain(again) == plain(first)
    assert again.stopped == "budget"
    more = minimize(loss, SPACE, 9, seed=0, checkpoint=str(file))
    assert plain(more)[:6] == plain(first)
    assert plain(more) == plain(minimize(loss, SPACE, 9, seed=0))


def test_without_a_seed_the_one_of_the_file_is_used(file):
    first = minimize(loss, SPACE, 4, checkpoint=file)
    more = minimize(loss, SPACE, 8, checkpoint=file)
    assert more.optimizer.seed == first.optimizer.seed
    assert plain(more)[:4] == plain(first)


def test_given_configurations_are_not_evaluated_twice(file):
    start = [{"x": 0.5, "n": k, "layers": [64]} for k in (1, 2, 3)]
    options = {"seed": 0, "start": start, "checkpoint": file}
    minimize(interrupted_after(2), SPACE, 6, **options)
    result = minimize(loss, SPACE, 6, **options)
    assert [t.config["n"] for t in result.trials[:3]] == [1, 2, 3]
    assert len(result.trials) == 6
    assert plain(result) == plain(minimize(loss, SPACE, 6, seed=0, start=start))


def test_it_is_written_after_each_result_with_what_is_under_way(file):
    def look(result, trial):
        written = json.loads(file.read_text())
        known = [t["state"] for t in written["optimizer"]["trials"]]
        assert known == [t.state for t in result.trials]
        assert len([e for e in written["events"] if e[1] == "told"]) == len(
            result.history.evaluated
        )

    minimize(loss, search(), 6, batch=3, checkpoint=file, callbacks=look)
    assert [path.name for path in file.parent.iterdir()] == ["run.json"]


def test_what_several_workers_had_under_way_is_evaluated_first(file):
    def stop(result, trial):
        if trial.number == 4:
            raise OSError("the machine goes down")

    pool = Recorder()
    with pytest.raises(RunError):
        minimize(loss, search(), 12, batch=6, workers=pool, checkpoint=file, callbacks=stop)
    seen = []
    result = minimize(lambda c: seen.append(c) or loss(c), search(), 12, batch=6, checkpoint=file)
    assert seen[0] == dict(result.trials[5].config)
    assert plain(result) == plain(minimize(loss, search(), 12, batch=6))


def test_an_optimiser_of_any_kind_may_be_kept(file):
    minimize(interrupted_after(3), search(), 6, checkpoint=file)
    result = minimize(loss, search(), 6, checkpoint=file)
    assert isinstance(result.optimizer, RandomSearch)
    assert plain(result) == plain(minimize(loss, search(), 6))


def test_what_others_evaluate_is_left_to_them(file):
    def begun():
        optimizer = search()
        optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
        optimizer.ask(1)
        return optimizer

    minimize(interrupted_after(2), begun(), 5, checkpoint=file)
    result = minimize(loss, begun(), 5, checkpoint=file)
    assert states(result) == ["completed", "pending"] + ["completed"] * 5


def test_a_stop_rule_that_holds_already_ends_the_run_at_once(file):
    options = {"seed": 0, "checkpoint": file, "stop": TargetReached(100.0)}
    first = minimize(loss, SPACE, 20, **options)
    assert len(first.trials) == 1
    again = minimize(loss, SPACE, 20, **options)
    assert (len(again.trials), again.stopped) == (1, "TargetReached(value=100.0)")


# --- Another run's ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": Space(x=Real(-1, 1), n=Integer(1, 9))}, "over another space, which differs in"),
        ({"space": SPACE, "seed": 1}, "with seed=0"),
        ({"space": SPACE, "direction": "maximize"}, "with other goals"),
        ({"space": SPACE, "settings": Settings(generations=5)}, "with other settings"),
    ],
)
def test_the_file_of_another_run_is_refused(file, change, message):
    minimize(loss, SPACE, 2, seed=0, settings=FAST, checkpoint=file)
    written = file.read_bytes()
    options = {"seed": 0, "settings": FAST, "checkpoint": file, **change}
    with pytest.raises(ConfigurationError, match=f"was begun {message}") as caught:
        minimize(loss, options.pop("space"), 2, **options)
    assert "give another name, or remove it" in str(caught.value)
    assert file.read_bytes() == written


def test_the_parameters_that_differ_are_named(file):
    minimize(loss, SPACE, 2, seed=0, checkpoint=file)
    with pytest.raises(ConfigurationError, match="'n', 'm', 'layers'; give"):
        minimize(
            loss, {"x": SPACE["x"], "n": Integer(1, 9), "m": Integer(0, 1)}, 2, checkpoint=file
        )
    reverse = {name: SPACE[name] for name in reversed(SPACE.names)}
    with pytest.raises(ConfigurationError, match="another space, of another order"):
        minimize(loss, reverse, 2, checkpoint=file)
    bound = Space({name: SPACE[name] for name in SPACE}, constraints=["x <= 0.5"])
    with pytest.raises(ConfigurationError, match="another space, which has other constraints"):
        minimize(loss, bound, 2, checkpoint=file)


def test_an_optimiser_that_knows_something_else_is_refused(file):
    minimize(loss, search(), 3, checkpoint=file)
    other = search()
    other.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    with pytest.raises(ConfigurationError, match="from other trials"):
        minimize(loss, other, 6, checkpoint=file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not the file of a run"),
        (b"[]", "is not the file of a run"),
        (b'{"warpfront": 1}', 'it has no "warpfront_run": 1'),
        (b'{"warpfront_run": 1}', "it has no 'optimizer'"),
        (b"\xff\xfe", "cannot be read"),
        (b"[" * 100_000, "is not the file of a run"),
    ],
)
def test_what_is_no_checkpoint_is_neither_read_nor_overwritten(file, content, message):
    file.write_bytes(content)
    with pytest.raises(StateError, match=message):
        minimize(loss, SPACE, 2, checkpoint=file)
    assert file.read_bytes() == content


@pytest.mark.parametrize("key", ["before", "others", "started", "events", "optimizer"])
@pytest.mark.parametrize("value", [None, "x", [["x"]], {}, 1.5e400])
def test_a_damaged_checkpoint_is_an_error_not_a_crash(file, key, value):
    minimize(loss, SPACE, 2, seed=0, checkpoint=file)
    state = json.loads(file.read_text())
    file.write_text(json.dumps(state | {key: value}))
    with pytest.raises((StateError, ConfigurationError)):
        minimize(loss, SPACE, 2, seed=0, checkpoint=file)


def test_a_name_that_cannot_be_written_is_known_before_anything_is_spent(tmp_path):
    seen = []
    with pytest.raises(ConfigurationError, match=r"checkpoint=.*nowhere.*cannot be written"):
        minimize(
            lambda c: seen.append(c) or 1.0, SPACE, 2, checkpoint=tmp_path / "nowhere" / "run.json"
        )
    assert seen == []


def test_a_full_disk_does_not_end_the_run(file, monkeypatch, caplog):
    replace, count = Path.replace, []

    def full(self, target):
        count.append(target)
        if 2 < len(count) < 5:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    result = minimize(loss, search(), 6, checkpoint=file)
    assert states(result) == ["completed"] * 6
    assert caplog.text.count("the checkpoint cannot be written, the run goes on") == 1
    assert len(json.loads(file.read_text())["optimizer"]["trials"]) == 6
    assert [path.name for path in file.parent.iterdir()] == ["run.json"]


def test_a_disk_that_stays_full_is_a_warning_at_the_end(file, monkeypatch):
    count = []

    def full(self, target):
        count.append(target)
        if len(count) > 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.warns(RuntimeWarning, match="the checkpoint could not be written: .*No space left"):
        assert states(minimize(loss, search(), 3, checkpoint=file)) == ["completed"] * 3


# --- A killed process -------------------------------------------------------------------------

SCRIPT = """
import sys, time
from warpfront import RandomSearch, Real, Space, minimize

def slow(config):
    time.sleep(0.01)
    return config["x"]

search = RandomSearch(Space(x=Real(0, 1)), 0)
minimize(slow, search, int(sys.argv[2]), workers=int(sys.argv[3]), checkpoint=sys.argv[1])
"""


@pytest.mark.parametrize(
    ("workers", "pauses"),
    [
        (1, [0.01]),
        (3, [0.01]),
        pytest.param(1, [0.05, 0.11, 0.17], marks=pytest.mark.slow),
        pytest.param(3, [0.05, 0.11, 0.17], marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_killed_at_any_moment_loses_nothing_that_was_told(file, workers, pauses):
    command = [sys.executable, "-c", SCRIPT, str(file)]
    root = Path(__file__).parents[2]
    known = 0
    for pause in pauses:
        process = subprocess.Popen([*command, "100000", str(workers)], cwd=root)
        deadline = time.monotonic() + 60
        while told_in(file) <= known + 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
        assert told_in(file) > known + 3
        known = told_in(file)
    budget = known + 5
    subprocess.run([*command, str(budget), str(workers)], check=True, cwd=root, timeout=60)
    trials = json.loads(file.read_text())["optimizer"]["trials"]
    assert [trial["state"] for trial in trials] == ["completed"] * budget
    assert [trial["number"] for trial in trials] == list(range(budget))
    if workers == 1:
        space = Space(x=Real(0, 1))
        whole = minimize(lambda c: c["x"], RandomSearch(space, 0), budget)
        assert [trial["outcomes"] for trial in trials] == [t.outcomes for t in whole.trials]


def told_in(file):
    """How many outcomes are in the file, which is whole at any moment."""
    if not file.exists():
        return 0
    return sum(event[1] == "told" for event in json.loads(file.read_text())["events"])
