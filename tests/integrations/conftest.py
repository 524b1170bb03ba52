import contextlib

import optuna
import pytest

from tests.databases import quick_databases  # noqa: F401
from warpfront import Settings

QUICK = Settings(models=["warped"], replicate=False, population=16, generations=3)
"""For tests of what is suggested from what, not of how good it is."""
LIGHT = Settings(models=["warped"], population=40, generations=10)
"""For tests of how good it is, beside something else: good enough, and quick."""


@pytest.fixture(autouse=True)
def quiet():
    """Without a line for each trial."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


def open_storage(url):
    """A storage that is patient with others on a busy machine."""
    return optuna.storages.RDBStorage(url, engine_kwargs={"connect_args": {"timeout": 300}})


@pytest.fixture
def storages(tmp_path):
    """Opens one SQLite file as often as it is called, as so many workers would."""
    with contextlib.ExitStack() as stack:

        def open_one():
            storage = open_storage(f"sqlite:///{tmp_path}/study.db")
            stack.callback(storage.engine.dispose)
            stack.callback(storage.remove_session)
            return storage

        yield open_one


@pytest.fixture
def suggestions(monkeypatch):
    """What the core was asked for: (history, keywords) of each suggestion."""
    from warpfront.integrations.optuna import sampler

    asked = []
    real = sampler.suggest

    def record(history, n, **keywords):
        asked.append((history, keywords))
        return real(history, n, **keywords)

    monkeypatch.setattr(sampler, "suggest", record)
    return asked
