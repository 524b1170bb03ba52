"""Workers and a tuner on a real PostgreSQL, while one of them or the server dies."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from optuna.trial import TrialState

from tests.cli.conftest import PATIENT, is_running, wait_until
from tests.cli.test_laboratory import call
from tests.cli.test_tune import assert_whole
from warpfront.cli.spec import read_spec
from warpfront.cli.storage import show
from warpfront.cli.study import create_study, storage_url
from warpfront.cli.trials import DIED, LOST, OWNER

TRIALS = 32
SLOW = "import time\ndef loss(c):\n    time.sleep(0.2)\n    return (c['x'] - 0.3) ** 2 + c['n']\n"


@pytest.fixture
def storage(folder, postgresql):
    """The URL of a new database with the study of the folder's SPEC."""
    url = postgresql.new_database()
    folder.write(function=SLOW, extra=f"trials = {TRIALS}\nbatch = 4")
    spec = read_spec(folder.spec)
    create_study(spec, storage_url(spec, url)).close()
    return url


def test_commands_that_start_together_make_the_tables_once(folder, postgresql):
    folder.write()
    spec = read_spec(folder.spec)
    url = storage_url(spec, postgresql.new_database())
    together = threading.Barrier(4)

    def begin(_):
        together.wait()
        opened = create_study(spec, url)
        opened.close()
        return opened.seed

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(begin, range(4))) == [0] * 4


def finished(folder, storage):
    return [t for t in folder.trials(storage) if t.state == TrialState.COMPLETE]


def test_two_workers_finish_though_one_is_killed_half_way(folder, storage):
    command = ("worker", "spec.toml", "--storage", storage)
    with folder.started(*command) as one, folder.started(*command) as other:
        pids = {one.pid, other.pid}
        with folder.opened(storage) as study:

            def half_way():
                trials = study.trials()
                return (
                    {t.user_attrs[OWNER]["pid"] for t in trials if t.state.is_finished()} == pids
                    and len(trials) >= TRIALS // 2
                    and any(
                        t.state == TrialState.RUNNING and t.user_attrs[OWNER]["pid"] == other.pid
                        for t in trials
                    )
                )

            wait_until(half_way)
            other.kill()
            assert one.wait(PATIENT) == 0, folder.said
            other.wait(PATIENT)
            trials = study.trials()
    assert_whole(trials, TRIALS)
    assert {t.user_attrs[LOST] for t in trials if t.state == TrialState.FAIL} <= {DIED}


@pytest.mark.slow
def test_two_workers_finish_together(folder, storage):
    command = ("worker", "spec.toml", "--storage", storage)
    with folder.started(*command) as one, folder.started(*command) as other:
        assert (one.wait(PATIENT), other.wait(PATIENT)) == (0, 0), folder.said
    trials = folder.trials(storage)
    assert_whole(trials, TRIALS)
    assert len(trials) == TRIALS  # nothing was tried twice


def test_the_server_is_killed_and_comes_back_during_a_run(folder, storage, postgresql):
    folder.write_blocking()
    command = ("tune", "spec.toml", "--trials", 4, "--workers", 1)
    # A password would be seen by everybody among the arguments of a process.
    with folder.started(*command, WARPFRONT_STORAGE=storage) as tuner:
        commands = folder.waiting_commands(1)
        told = {t.number: t.value for t in finished(folder, storage)}
        assert sorted(told) == [0, 1]
        postgresql.kill()
        wait_until(lambda: "the database does not answer" in folder.said)
        (folder.path / "go").touch()  # its value is told to a server that is away
        wait_until(lambda: not any(map(is_running, commands)))
        postgresql.start()
        assert tuner.wait(PATIENT) == 0, folder.said
    assert "the database answers again" in folder.said
    trials = folder.trials(storage)
    assert_whole(trials, 4)
    assert len(trials) == 4
    assert {n: trials[n].value for n in told} == told


def test_a_run_that_starts_while_the_server_is_away_waits_for_it(folder, storage, postgresql):
    folder.write()
    postgresql.kill()
    try:
        with folder.started("tune", "spec.toml", "--trials", 2, WARPFRONT_STORAGE=storage) as tuner:
            wait_until(lambda: "the database does not answer" in folder.said)
            postgresql.start()
            assert tuner.wait(PATIENT) == 0, folder.said
    finally:
        postgresql.start()
    assert_whole(folder.trials(storage), 2)


@pytest.mark.slow
def test_ctrl_c_while_the_server_is_away_ends_the_run(folder, storage, postgresql):
    folder.write_blocking()
    command = ("tune", "spec.toml", "--trials", 4, "--storage", storage)
    with folder.started(*command) as tuner:
        commands = folder.waiting_commands(1)
        postgresql.kill()
        try:
            wait_until(lambda: "the database does not answer" in folder.said)
            tuner.send_signal(signal.SIGINT)
            assert tuner.wait(PATIENT) == 130
            assert not any(map(is_running, commands))
        finally:
            postgresql.start()
    (folder.path / "go").touch()
    done = folder.run(*command)
    assert done.returncode == 0, done.stderr
    assert_whole(folder.trials(storage), 4)


def test_a_server_that_is_not_there_is_one_line_without_the_password(folder, capsys):
    folder.write()
    code, _, err = call(capsys, "best", "--storage", "postgresql://me:secret@127.0.0.1:1/db")
    assert code == 1
    assert err.startswith(
        "error: storage postgresql+psycopg://***@127.0.0.1:1/db cannot be opened: "
    )
    assert err.count("\n") == 1
    assert "secret" not in err
    assert show("postgresql://me:secret@host/db") == "postgresql://***@host/db"
    assert os.environ.get("WARPFRONT_STORAGE") is None
