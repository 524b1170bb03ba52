"""Work in this process instead of a pool: a new process would import scikit-learn each time."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from contextlib import contextmanager

import pytest

from benchmarks.paper import pieces


class Here(Executor):
    """Does what it is given at once."""

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        future.set_result(function(*args, **kwargs))
        return future


@pytest.fixture
def here(monkeypatch):
    """Pieces are done in this process."""

    @contextmanager
    def pool(jobs):
        yield Here()

    monkeypatch.setattr(pieces, "one_thread_pool", pool)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """One folder of finished work for all tests of a module."""
    return tmp_path_factory.mktemp("records")
