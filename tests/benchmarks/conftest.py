"""Work in this process instead of a pool: a new process would import scikit-learn each time."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from contextlib import contextmanager

import pytest

from benchmarks.methods.adapter import _Served
from benchmarks.methods.adapters.warpfront import Warpfront
from benchmarks.methods.registry import find
from benchmarks.paper import pieces
from benchmarks.revision import revision
from benchmarks.run import command, methods_at_hand


class Here(Executor):
    """Does what it is given at once."""

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        future.set_result(function(*args, **kwargs))
        return future


class Method:
    """An optimiser of ours behind its adapter, without a process of its own."""

    def __init__(self, name):
        module, *arguments = find(name).module
        assert module == "warpfront"
        self.name = name
        self.revision = revision()
        self._served = _Served(lambda run: Warpfront(run, *arguments), ("warpfront",))

    def request(self, op, *, within=None, **arguments):
        message = json.loads(json.dumps(arguments))
        return json.loads(json.dumps(getattr(self._served, op)(message)))


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures are composed, not drawn: that takes most of the time of a page."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)


@pytest.fixture
def here(monkeypatch):
    """Pieces and runs are done in this process, with methods in processes of their own."""

    @contextmanager
    def pool(jobs):
        yield Here()

    monkeypatch.setattr(pieces, "one_thread_pool", pool)
    monkeypatch.setattr(command, "one_thread_pool", pool)
    yield
    methods_at_hand.dismiss()


@pytest.fixture
def all_here(here, monkeypatch):
    """Our own methods are in this process, too."""
    monkeypatch.setattr(methods_at_hand, "worker_of", lambda name, *_: Method(name))
