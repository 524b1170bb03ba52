"""`tune` and `worker` as processes: to the end, killed at any moment, stopped, and resumed."""

import os
import re
import signal
import subprocess
import sys
import threading
from typing import NamedTuple

import pytest
from optuna.trial import TrialState, create_trial

from tests.cli.conftest import PATIENT, is_running, wait_until
from tests.cli.test_laboratory import call
from warpfront.cli.errors import CommandError
from warpfront.cli.join import MARK
from warpfront.cli.objective import Interrupted
from warpfront.cli.plan import Plan
from warpfront.cli.spec import read_spec
from warpfront.cli.study import BUDGET, create_study, storage_url
from warpfront.cli.trials import DIED, INTERRUPTED, LOST, OWNER, Overview, predecessors
from warpfront.cli.tune import ENTRY, RESTARTS, Tuner

COMPLETE, FAIL, RUNNING, WAITING = (
    TrialState.COMPLETE,
    TrialState.FAIL,
    TrialState.RUNNING,
    TrialState.WAITING,
)


def configurations(trials):
    return {tuple(sorted(t.params.items())) for t in trials}


@pytest.fixture
def here(folder, capsys, monkeypatch):
    """The command in this process and the folder; what a worker does to its process is undone."""
    monkeypatch.chdir(folder.path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["warpfront", *map(str, words)])
        return Called(*call(capsys, *words))

    yield command
    for number, handler in before.items():
        signal.signal(number, handler)


class Called(NamedTuple):
    """As if it had been a process."""

    returncode: int
    stdout: str
    stderr: str


def assert_whole(trials, budget):
    """Each place of the budget has one completed trial; all others were lost, and repeated."""
    overview = Overview(trials, budget)
    assert [t.state for t in overview.counted] == [COMPLETE] * budget
    assert all(LOST in t.user_attrs for t in trials if t.state != COMPLETE)
    assert len(configurations(overview.counted)) == budget
    by_number = {t.number: t for t in trials}
    for trial in trials:
        for number in predecessors(trial):
            assert by_number[number].params in ({}, trial.params)


def test_tune_to_the_end_then_go_on_with_a_worker(folder, here):
    folder.write()
    done = folder.run("tune", "spec.toml", "--trials", 6, "--workers", 2, "--batch", 3)
    assert done.returncode == 0, done.stderr
    trials = folder.trials()
    assert_whole(trials, 6)
    best = min(trials, key=lambda t: t.value)
    assert done.stdout.startswith(f"best loss {best.value:.6g} (trial {best.number}), 6 done\n  x=")
    lines = done.stderr.splitlines()
    assert sorted(line.partition(":")[0] for line in lines) == [f"trial {i}" for i in range(6)]
    assert re.search(r"\(6/6 done, best loss [\d.e-]+ \(trial \d\)\)$", lines[-1])
    assert len({t.user_attrs[OWNER]["pid"] for t in trials}) <= 2
    # A worker of its own goes on from there, in the folder of the SPEC whatever ours is.
    joined = folder.run(
        *("worker", folder.spec, "--storage", f"sqlite:///{folder.path}/study.db"), "--trials", 8
    )
    assert joined.returncode == 0, joined.stderr
    assert_whole(folder.trials(), 8)
    assert [t.value for t in folder.trials()[:6]] == [t.value for t in trials]
    # The budget of the study is the tuner's: for a worker there is nothing left to do.
    again = here("worker", "spec.toml")
    assert (again.returncode, again.stderr) == (0, "")


def test_the_tuner_is_killed_and_the_same_command_resumes(folder, here):
    folder.write_blocking()
    command = ("tune", "spec.toml", "--trials", 5, "--workers", 2, "--batch", 2)
    with folder.started(*command) as tuner:
        commands = folder.waiting_commands(2)
        before = folder.trials()
        workers = {t.user_attrs[OWNER]["pid"] for t in before}
        tuner.kill()
        tuner.wait(PATIENT)
    told = {t.number: t.value for t in before if t.state == COMPLETE}
    assert sorted(told) == [0, 1]
    wait_until(lambda: not any(map(is_running, [*commands, *workers])))
    (folder.path / "go").touch()
    resumed = here(*command)
    assert resumed.returncode == 0, resumed.stderr
    trials = folder.trials()
    assert_whole(trials, 5)
    assert {n: trials[n].value for n in told} == told
    assert len(trials) == 5 + 2


@pytest.mark.slow
def test_everything_is_killed_at_once_and_the_same_command_resumes(folder):
    """No process can say a word: what runs is found by its owner, which is no more."""
    folder.write_blocking()
    command = ("tune", "spec.toml", "--trials", 4)
    with folder.started(*command) as tuner:
        commands = folder.waiting_commands(1)
        (worker,) = {t.user_attrs[OWNER]["pid"] for t in folder.trials()}
        tuner.send_signal(signal.SIGSTOP)  # so that it starts no other worker
        os.kill(worker, signal.SIGKILL)
        tuner.kill()
        tuner.wait(PATIENT)
    wait_until(lambda: not any(map(is_running, commands)))
    assert [t.number for t in folder.trials() if t.state == RUNNING] == [2]
    (folder.path / "go").touch()
    resumed = folder.run(*command)
    assert resumed.returncode == 0, resumed.stderr
    trials = folder.trials()
    assert_whole(trials, 4)
    assert [t.user_attrs[LOST] for t in trials if t.state == FAIL] == [DIED]


def test_a_worker_that_somebody_stops_is_replaced(folder):
    folder.write_blocking()
    with folder.started("tune", "spec.toml", "--trials", 3) as tuner:
        folder.waiting_commands(1)
        victim = next(t for t in folder.trials() if t.state == RUNNING)
        os.kill(victim.user_attrs[OWNER]["pid"], signal.SIGTERM)
        wait_until(lambda: "worker 1 died (interrupted); it starts again" in folder.said)
        (folder.path / "go").touch()
        assert tuner.wait(PATIENT) == 0
    assert_whole(folder.trials(), 3)
    assert "the time is over" not in folder.said


def test_one_who_only_watches_takes_the_budget_that_the_study_has(folder, capsys, monkeypatch):
    monkeypatch.delenv("WARPFRONT_STORAGE", raising=False)
    folder.write(extra="trials = 1")
    spec = read_spec(folder.spec)
    opened = create_study(spec, storage_url(spec, None))
    opened.study.set_user_attr(BUDGET, 3)  # as `tune --trials 3`, which runs elsewhere
    opened.study.add_trial(create_trial(value=1.0))
    watch = ("tune", folder.spec, "--workers", 0, "--timeout", "0.1s")
    code, _, err = call(capsys, *watch)
    assert (code, opened.budget) == (0, 3)
    assert err.startswith("the time is over; go on with: ")
    tuner = Tuner(opened, Plan(spec, 3, 1, 0, None, 1.0))
    opened.study.set_user_attr(BUDGET, 5)
    assert tuner.look().budget == tuner._show().budget == 5
    call(capsys, *watch, "--trials", 4)  # said by the user, as for all others
    assert opened.budget == 4
    opened.close()


def test_what_people_have_not_done_yet_is_left(folder, here):
    folder.write()
    assert here("suggest", "spec.toml").returncode == 0
    done = here("tune", "spec.toml", "--trials", 2)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith(
        "1 of 2 trials left, 1 by people; go on with: warpfront tune spec.toml --trials 2\n"
    )


def test_what_was_enqueued_beyond_the_budget_is_said(folder, here):
    folder.write()
    command = ("tune", "spec.toml", "--trials")
    assert "beyond the budget" not in here(*command, 2).stderr
    for n, says in ((1, "1 enqueued trial is"), (2, "2 enqueued trials are")):
        with folder.opened() as opened:
            opened.study.enqueue_trial({"x": 0.5, "n": n})
        done = here(*command, 2)
        assert done.returncode == 0, done.stderr
        them = "it" if n == 1 else "them"
        assert done.stderr.endswith(
            f"{says} beyond the budget; --trials {2 + n} evaluates {them} too\n"
        )
    assert "beyond the budget" not in here(*command, 4).stderr
    assert [t.params for t in folder.trials()[2:]] == [{"x": 0.5, "n": 1}, {"x": 0.5, "n": 2}]
    assert_whole(folder.trials(), 4)


def test_a_killed_worker_is_replaced_and_ctrl_c_gives_trials_back(folder, here):
    folder.write_blocking()
    command = ("tune", "spec.toml", "--trials", 4, "--workers", 1)
    with folder.started(*command) as tuner:
        (first,) = folder.waiting_commands(1)
        victim = next(t for t in folder.trials() if t.state == RUNNING)
        os.kill(victim.user_attrs[OWNER]["pid"], signal.SIGKILL)
        wait_until(lambda: not is_running(first))
        (second,) = folder.waiting_commands(1)
        assert second != first
        assert "worker 1 died (killed by SIGKILL); it starts again" in folder.said
        tuner.send_signal(signal.SIGINT)
        assert tuner.wait(PATIENT) == 130
        assert not is_running(second)
    assert folder.said.endswith(
        "stopped; go on with: warpfront tune spec.toml --trials 4 --workers 1\n"
    )
    trials = folder.trials()
    lost = [t.user_attrs[LOST] for t in trials if t.state == FAIL]
    assert lost == [DIED, INTERRUPTED]
    (waiting,) = (t for t in trials if t.state == WAITING)
    assert waiting.params == victim.params
    assert predecessors(waiting) == [victim.number, trials[-2].number]
    (folder.path / "go").touch()
    resumed = here(*command)
    assert resumed.returncode == 0, resumed.stderr
    assert_whole(folder.trials(), 4)


def test_ctrl_c_in_a_function_that_cannot_be_interrupted_is_no_death(folder, monkeypatch):
    """As in a long call into C; its worker must be killed."""
    monkeypatch.setattr("warpfront.cli.tune.FAREWELL", 0.5)
    folder.write(
        function="import time\nfrom pathlib import Path\ndef loss(c):\n"
        "    Path('inside').touch()\n"
        "    while True:\n"
        "        try:\n            time.sleep(600)\n"
        "        except BaseException:\n            pass\n"
    )
    spec = read_spec(folder.spec)
    opened = create_study(spec, storage_url(spec, None))

    def interrupt():
        wait_until((folder.path / "inside").exists)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Interrupted):
            Tuner(opened, Plan(spec, 1, 1, 1, None, 1.0)).run()
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    lost, retry = opened.trials()
    assert (lost.state, lost.user_attrs[LOST]) == (FAIL, INTERRUPTED)
    assert (retry.state, retry.params) == (WAITING, lost.params)
    opened.close()


@pytest.mark.parametrize("nohup", [False, True])
def test_a_closed_terminal_stops_a_worker_that_gives_its_trial_back(folder, nohup):
    folder.write_blocking()
    spec = read_spec(folder.spec)
    create_study(spec, storage_url(spec, None)).close()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL)
    try:
        with folder.started("worker", "spec.toml", "--trials", 3) as worker:
            folder.waiting_commands(1)
            worker.send_signal(signal.SIGHUP)
            if nohup:
                (folder.path / "go").touch()
            assert worker.wait(PATIENT) == (0 if nohup else 130)
    finally:
        signal.signal(signal.SIGHUP, before)
    last = [(t.state, t.user_attrs.get(LOST)) for t in folder.trials()[2:]]
    assert last == ([(COMPLETE, None)] if nohup else [(FAIL, INTERRUPTED), (WAITING, None)])


@pytest.mark.slow
def test_a_function_that_cannot_be_imported_is_one_line(folder):
    folder.write(function="import no_such_module")
    done = folder.run("tune", "spec.toml", "--workers", 1)
    assert done.returncode == 1
    assert done.stderr == (
        "error: worker 1 gave up: objective.python = 'objective:loss': "
        "there is no module 'no_such_module'; install it\n"
    )


def test_without_a_success_the_code_is_3_and_the_reason_and_the_way_on_are_said(folder, here):
    folder.write(function="def loss(c):\n    print('hello')\n    raise ValueError('bad')\n")
    done = here("tune", "spec.toml", "--trials", 2)
    assert "hello\n" in done.stderr  # what the function prints is shown
    folder.write()  # the mistake is mended, but the trials are spent
    for one in (done, here("tune", "spec.toml", "--trials", 2)):
        assert one.returncode == 3
        assert one.stderr.endswith(
            "error: no trial has succeeded; the last failure: ValueError: bad (objective.py:3); "
            "all 2 trials of the study 'study' have failed and are spent: once the cause is "
            "mended, begin anew with --name NEW, or evaluate more with --trials 4\n"
        )
    done = here("tune", "spec.toml", "--trials", 4)
    assert (done.returncode, done.stdout[:5]) == (0, "best ")


def test_a_broken_function_does_not_burn_the_budget(folder, here):
    folder.write(function="def loss(c):\n    return c['no such parameter']\n")
    done = here("tune", "spec.toml", "--trials", 1000)
    assert done.returncode == 3
    assert done.stderr.endswith(
        "error: the first 5 trials of this run have all failed: KeyError: 'no such parameter' "
        "(objective.py:2); mend the objective, or give --on-error record if such failures are to "
        "be learned from\n"
    )
    assert 5 <= len(folder.trials()) < 500  # it is looked at a few times a second
    folder.write()  # mended: the same command goes on, whatever failed before
    more = str(len(folder.trials()) + 2)
    assert here("tune", "spec.toml", "--trials", more).returncode == 0


def test_who_wants_to_learn_from_failures_may(folder, here):
    folder.write(function="def loss(c):\n    raise ValueError('bad')\n")
    done = here("tune", "spec.toml", "--trials", 7, "--on-error", "record")
    assert done.returncode == 3
    assert "no trial has succeeded; the last failure: ValueError: bad" in done.stderr
    assert len(folder.trials()) == 7


def test_neither_what_a_function_prints_nor_a_file_beside_it_ends_the_run(folder):
    folder.write(
        function="import os\nfrom pathlib import Path\ndef loss(c):\n"
        "    print('error: a word')\n"
        "    if not Path('died').exists():\n"
        "        Path('died').touch()\n"
        "        os._exit(1)\n"
        "    return float(MARK in os.environ)\n".replace("MARK", repr(MARK))
    )
    (folder.path / "optuna.py").write_text("raise ImportError('the wrong one')")
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, "tune", "spec.toml", "--trials", "1"],
        cwd=folder.path,
        env=folder.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("error: a word\n") == 2
    assert "worker 1 died (exit code 1); it starts again\n" in done.stderr
    assert done.stdout.startswith("best loss 0 ")


def test_the_deaths_of_each_worker_are_counted_and_forgotten_when_its_trial_ends(
    folder, monkeypatch
):
    folder.write()
    spec = read_spec(folder.spec)
    opened = create_study(spec, storage_url(spec, None))
    tuner = Tuner(opened, Plan(spec, 9, 1, 2, None, 1.0))
    pids = iter(range(10**8, 10**9))  # of nobody

    class Process:
        stdout = None

        def __init__(self, *_, **__):
            self.pid = next(pids)

    monkeypatch.setattr("subprocess.Popen", Process)
    one, two = tuner._start(1), tuner._start(2)
    tuner._show()
    for _ in range(RESTARTS):
        one, two = tuner._again(one, "killed"), tuner._again(two, "killed")
    owner = {OWNER: {"pid": two.process.pid}}
    opened.study.add_trial(create_trial(value=1.0, user_attrs=owner))
    tuner._show()
    tuner._again(two, "killed")
    with pytest.raises(CommandError, match="worker 1 died 5 times in a row"):
        tuner._again(one, "killed")
    opened.close()


@pytest.mark.slow
def test_a_function_of_which_workers_die_has_failed(folder):
    folder.write(function="import os\ndef loss(c):\n    os._exit(5)\n")
    done = folder.run("tune", "spec.toml", "--trials", 1)
    assert done.returncode == 3
    assert done.stderr.count("worker 1 died (exit code 5); it starts again\n") == 3
    assert "the last failure: its worker died, 3 times" in done.stderr
