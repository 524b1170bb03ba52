"""Functions that hang, or that leave something behind, hold up neither a run nor its end."""

import re
import time

import pytest
from optuna.trial import TrialState

from tests.cli.conftest import Folder, wait_until
from warpfront.cli.shown import MOST
from warpfront.cli.trials import REASON

LIMIT = 1
HANGS = """
import itertools, os, subprocess, sys, threading, time

def thread(c):
    threading.Thread(target=time.sleep, args=(600,)).start()

def reads(c):
    return float(input())

def child_reads(c):
    assert subprocess.run(["cat"], capture_output=True, check=True).stdout == b""

def swallows(c):
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass

def prints(c):
    for i in range(50_000):
        print("line", i)

def prints_a_lot(c):
    for i in range(100):
        print("x" * 999_999)

def keeps_the_interpreter(c):
    max(itertools.count())

def loss(c):
    kind = {kinds}.get(int(os.environ["WARPFRONT_TRIAL"]), "nothing")
    if kind != "nothing":
        globals()[kind](c)
    return c["x"]
"""


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def run(folder, *kinds, command="tune", trials=None):
    """A run of which the first trials do these things."""
    budget = trials or len(kinds) + 1
    folder.write(
        f'python = "objective:loss"\ntime_limit = "{LIMIT}s"',
        extra=f"trials = {budget}\nbatch = {budget}",
        function=HANGS.replace("{kinds}", repr(dict(enumerate(kinds)))),
    )
    if command == "worker":  # that joins a study of no trials
        folder.run("suggest", "spec.toml", "-n", 1)
    began = time.monotonic()
    done = folder.run(command, "spec.toml")
    assert done.returncode == 0, done.stderr
    return done, time.monotonic() - began


def test_what_is_left_behind_or_waits_for_input_holds_up_nothing(folder):
    run(folder, "thread", "reads", "child_reads")
    trials = folder.trials()
    complete, fail = TrialState.COMPLETE, TrialState.FAIL
    assert [t.state for t in trials] == [complete, fail, complete, complete]
    assert trials[1].user_attrs[REASON].startswith("EOFError: ")


def test_a_function_that_swallows_its_time_limit_is_one_failed_trial(folder):
    done, _ = run(folder, "swallows")
    trials = folder.trials()
    assert [t.state for t in trials] == [TrialState.FAIL, TrialState.COMPLETE]
    assert trials[0].user_attrs[REASON] == (
        "the time limit of 1s is over, and 5 s later it had not ended"
    )
    assert "worker 1 died (its function did not end in time); it starts again" in done.stderr


@pytest.mark.slow
def test_a_function_that_keeps_the_interpreter_is_one_failed_trial(folder):
    run(folder, "keeps_the_interpreter", "swallows")
    trials = folder.trials()
    assert [t.state for t in trials] == [TrialState.FAIL] * 2 + [TrialState.COMPLETE]
    assert all("the time limit of 1s is over" in t.user_attrs[REASON] for t in trials[:2])


@pytest.mark.slow
def test_a_worker_of_its_own_begins_again_after_a_function_that_hangs(folder):
    run(folder, "nothing", "swallows", "reads", "thread", command="worker", trials=5)
    states = [t.state for t in folder.trials()[1:]]
    complete, fail = TrialState.COMPLETE, TrialState.FAIL
    assert states == [fail, fail, complete, complete]


@pytest.mark.slow
def test_printing_costs_a_function_next_to_nothing(folder):
    function = "import time\n" + HANGS.replace("{kinds}", repr({0: "prints", 1: "prints_a_lot"}))
    timed = "began = time.perf_counter()\n        globals()[kind](c)\n        return "
    function = function.replace("globals()[kind](c)", timed + "time.perf_counter() - began")
    folder.write(function=function, extra="trials = 2\nbatch = 2")
    done = folder.run("tune", "spec.toml")
    lines, much = folder.trials()
    assert len(re.findall(r"^line \d+$", done.stderr, re.MULTILINE)) == 50_000
    shortened = f"{'x' * (MOST // 2)} ... {'x' * (MOST // 2)}"
    assert done.stderr.splitlines().count(shortened) == 100
    print(f"50,000 lines took {lines.value:.2f} s, 100 MB took {much.value:.2f} s")
    assert lines.value < 4.0


@pytest.mark.slow
def test_ctrl_c_ends_a_worker_whose_function_does_not_heed_it(folder):
    folder.write(function=HANGS.replace("{kinds}", "{0: 'says', 1: 'swallows'}") + SAYS)
    folder.run("tune", "spec.toml", "--trials", 1)
    with folder.started("worker", "spec.toml", "--trials", 2) as worker:
        wait_until((folder.path / "said-1").exists)
        worker.terminate()
        assert worker.wait(60) == 130


SAYS = """

def says(c):
    pass

_loss = loss
def loss(c):
    open("said-" + os.environ["WARPFRONT_TRIAL"], "w").close()
    return _loss(c)
"""
