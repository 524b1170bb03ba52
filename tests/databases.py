"""SQLite files of the tests are made and opened quickly; what is in them stays the same.

Optuna compiles all its migrations each time that it opens a database, which takes longer than most
tests of a study, and tables are made with a wait for the disk at every one.
"""

import sqlite3
from functools import cache
from pathlib import Path

import pytest
from alembic import util
from sqlalchemy import event
from sqlalchemy.engine import Engine


def _without_waiting(connection, _):
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF").close()


@pytest.fixture(scope="package", autouse=True)
def quick_databases():
    """For a package of tests: two of them have it, one after the other."""
    load = util.load_python_file
    load_once = cache(load)

    def loaded(folder, file):
        return (load_once if Path(folder).name == "versions" else load)(folder, file)

    event.listen(Engine, "connect", _without_waiting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(util, "load_python_file", loaded)
        yield
    event.remove(Engine, "connect", _without_waiting)
