"""An optimiser in a forked child, while another thread was at work in it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from warpfront.optimizers.lock import ForkSafeLock

FORK = """
import os, sys, threading, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # that forking with threads may deadlock
from warpfront import RandomSearch, Real, Space

inside, go_on = threading.Event(), threading.Event()

class Slow(RandomSearch):
    def _suggest(self, history, n, fixed):
        if threading.current_thread() is not threading.main_thread():
            inside.set()
            go_on.wait(60)
        return super()._suggest(history, n, fixed)

optimizer = Slow(Space(x=Real(0, 1)), seed=0)
thread = threading.Thread(target=optimizer.ask)
thread.start()
assert inside.wait(60)  # the thread is in `ask` and holds the lock
child = os.fork()
if child == 0:
    optimizer.tell({"x": 0.5}, 1.0)
    (suggestion,) = optimizer.ask()
    optimizer.tell(suggestion, 2.0)
    os._exit(7 if len(optimizer.history.completed) == 2 else 1)
for _ in range(1500):
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        break
    time.sleep(0.02)
else:
    os.kill(child, 9)
    os.waitpid(child, 0)
    status = None
go_on.set()
thread.join()
assert status is not None, "the child hangs"
assert os.waitstatus_to_exitcode(status) == 7
assert len(optimizer.history) == 1  # the parent's own lock and history are as they were
"""


FIRST = """
import os, sys, threading, time, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from warpfront import HEBO, Real, Space

def is_being_imported():
    return getattr(getattr(sys.modules.get("scipy.optimize"), "__spec__", None), "_initializing", 0)

optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
optimizer.tell([{"x": i / 9} for i in range(10)], [float(i) for i in range(10)])
thread = threading.Thread(target=optimizer.ask)
thread.start()
while thread.is_alive() and not is_being_imported():
    time.sleep(0.0001)
child = os.fork()
if child == 0:
    optimizer.ask()
    os._exit(7)
for _ in range(3000):
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        break
    time.sleep(0.02)
else:
    os.kill(child, 9)
    os.waitpid(child, 0)
    status = None
thread.join()
assert status is not None, "the child hangs"
assert os.waitstatus_to_exitcode(status) == 7
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_that_is_forked_during_the_first_suggestion_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_that_is_forked_while_a_thread_is_in_ask_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_a_lock_and_may_be_entered_again():
    lock, order = ForkSafeLock(), []
    entered = threading.Event()

    def other():
        entered.set()
        with lock:
            order.append("other")

    with lock, lock:
        thread = threading.Thread(target=other)
        thread.start()
        assert entered.wait(20)
        thread.join(0.05)
        order.append("first")
    thread.join(20)
    assert order == ["first", "other"]


def test_who_holds_it_keeps_it():
    lock = ForkSafeLock()
    with lock:
        lock.renew()  # as in a child that is forked by the thread that holds it
    with lock:
        pass
