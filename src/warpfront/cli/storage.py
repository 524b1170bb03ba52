"""The storage of studies: Optuna's, in SQLite or PostgreSQL, with patience for its failures."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote_plus

from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from sqlalchemy import make_url
from sqlalchemy.event import listen
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    PendingRollbackError,
)

from warpfront.cli.durations import describe_duration
from warpfront.cli.errors import StudyError
from warpfront.cli.outcome import Interrupted
from warpfront.extras import missing_extra

T = TypeVar("T")

HEARTBEAT, GRACE = 20, 120
"""Seconds between signs of life of a worker, and without one until its trial is tried again."""
BUSY = 60
"""Seconds that SQLite waits for others who write."""
PATIENCE = 600.0
"""Seconds that a running command waits for a database that does not answer."""
MAKING = 10.0
"""Seconds that others may take who make the tables of a new storage at the same time."""
DUPLICATES = ("42P07", "42710")
"""How PostgreSQL says that a table, or a type, is there already."""
REMOTE = (
    "nfs",
    "cifs",
    "smb",
    "9p",
    "afs",
    "ceph",
    "lustre",
    "gpfs",
    "beegfs",
    "glusterfs",
    "fuse.",
)
"""How the names of file systems begin that other machines may write to."""
SECRETS, HIDDEN = ("password", "sslpassword"), "***"
"""Keys of a URL's query that are not shown, and what is shown instead."""
_WRITE = "write such as sqlite:///study.db or postgresql://user@host/database"
_LOCK_CLASS = 0x77617270
"""The first key of our advisory locks in PostgreSQL; the second is the study's."""


def resolve(url: str, folder: Path) -> str:
    """The URL that SQLAlchemy takes: our drivers, and a file's path from a folder.

    Examples
    --------
    >>> resolve("sqlite:///study.db", Path("/data"))
    'sqlite:////data/study.db'
    >>> resolve("postgresql://me:secret@host/db", Path("/data"))
    'postgresql+psycopg://me:secret@host/db'
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # it is not shown: it may have a password
        what = "is no URL" if isinstance(error, ArgumentError) else "has a port that is no number"
        raise StudyError(f"the storage {what}; {_WRITE}") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    try:
        parsed.get_dialect()
    except NoSuchModuleError:
        raise StudyError(
            f"storage {show(url)}: {parsed.drivername!r} is no database known here; {_WRITE}"
        ) from None
    file = parsed.database
    if parsed.drivername == "sqlite" and file and file != ":memory:" and "uri" not in parsed.query:
        parsed = parsed.set(database=str(folder / file))
    return parsed.render_as_string(hide_password=False)


def show(url: str) -> str:
    """A URL for people: without its passwords.

    Examples
    --------
    >>> show("postgresql://me:secret@host/db?sslpassword=secret")
    'postgresql://me:***@host/db?sslpassword=***'
    """
    parsed = make_url(url)
    hidden = {key: HIDDEN for key in parsed.query if key.lower() in SECRETS}
    shown = parsed.update_query_dict(hidden).render_as_string(hide_password=True)
    return shown.replace(quote_plus(HIDDEN), HIDDEN)


def has_tables(url: str) -> bool:
    """False for a file that is not there, or has no studies: looking must not write to it."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or "uri" in parsed.query:
        return True
    path = Path(parsed.database or "").absolute()
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", BUSY, uri=True)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {"studies", "version_info"} <= {name for (name,) in found}
    except sqlite3.Error:  # opening the storage says what is wrong
        return True


def open_storage(url: str) -> RDBStorage:
    """Open the storage of a URL that :func:`resolve` gave, and make its tables if need be."""
    parsed = make_url(url)
    options: dict[str, Any] = {}
    if parsed.get_backend_name() == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise StudyError(f"storage {url!r} keeps nothing; name a file, as in sqlite:///s.db")
        if not Path(parsed.database).parent.is_dir():
            raise StudyError(f"storage {url!r}: there is no folder for it; make it first")
        options["connect_args"] = {"timeout": BUSY}
    elif parsed.drivername == "postgresql+psycopg":
        if importlib.util.find_spec("psycopg") is None:
            raise missing_extra("PostgreSQL needs psycopg", "postgresql")
        options = {"pool_pre_ping": True, "connect_args": {"connect_timeout": 10}}
    try:
        storage = _make(url, options)
    except (DBAPIError, StorageInternalError) as error:
        raise StudyError(f"storage {show(url)} cannot be opened: {explain(error)}") from error
    except ImportError as error:
        raise StudyError(
            f"storage {show(url)} needs a driver: {error.__cause__}; install it, or use SQLite or "
            "PostgreSQL"
        ) from error
    except RuntimeError as error:  # tables of another version of Optuna
        raise StudyError(f"storage {show(url)} cannot be used: {explain(error)}") from error
    if parsed.get_backend_name() == "sqlite" and not _is_remote(Path(parsed.database or "")):
        listen(storage.engine, "connect", _write_ahead)
        storage.engine.dispose()  # connections that were made before
    return storage


class _Storage(RDBStorage):
    """Optuna's storage; one that cannot be opened keeps no connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except (DBAPIError, StorageInternalError):
            self.engine.dispose()
            raise


def _make(url: str, options: dict[str, Any]) -> RDBStorage:
    """Open a storage; if others make its tables at the same moment, once they are there."""
    until = time.monotonic() + MAKING
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # heartbeats are experimental in Optuna
                return _Storage(
                    url.replace("{", "{{").replace("}", "}}"),  # Optuna formats it
                    engine_kwargs=options,
                    heartbeat_interval=HEARTBEAT,
                    grace_period=GRACE,
                )
        except (DBAPIError, StorageInternalError) as error:
            if not _is_there_already(error) or time.monotonic() > until:
                raise
        time.sleep(0.1)


def _is_there_already(error: BaseException) -> bool:
    """Whether a table, or a row that may stand there once, was made by somebody else."""
    cause = _cause(error)
    if not isinstance(cause, DBAPIError):
        return False
    state = getattr(cause.orig, "sqlstate", None)  # PostgreSQL speaks the user's language
    return (
        isinstance(cause, IntegrityError)
        or state in DUPLICATES
        or "already exists" in str(cause.orig)
    )


def _write_ahead(connection: Any, _: Any) -> None:
    """Write ahead to a log of SQLite: a commit waits for no disk, and survives our death.

    It does not survive the machine's; :func:`flush` is for what must.
    """
    with suppress(sqlite3.OperationalError):  # busy: then another process is about to do it
        connection.execute("PRAGMA journal_mode=WAL").close()
    connection.execute("PRAGMA synchronous=NORMAL").close()


def _is_remote(path: Path) -> bool:
    """Whether a file is on a network, where processes share no memory for such a log."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return False
    resolved = path.resolve()
    over = [(mount[1], mount[2]) for mount in mounts if resolved.is_relative_to(mount[1])]
    _, kind = max(over, key=lambda mount: len(mount[0]), default=("", ""))
    return kind.startswith(REMOTE)


def flush(storage: RDBStorage) -> None:
    """Have SQLite's log on the disk, so that what was told survives a power cut, too."""
    url = storage.engine.url
    if url.get_backend_name() == "sqlite":
        with suppress(FileNotFoundError):  # no log: each commit was written through
            log = os.open(f"{url.database}-wal", os.O_RDONLY)
            try:
                os.fsync(log)
            finally:
                os.close(log)


def explain(error: BaseException) -> str:
    """What the database said, on one line."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    text = str(getattr(cause, "orig", None) or cause)
    return " ".join(text.split()) or type(cause).__name__


def _cause(error: BaseException) -> DBAPIError | PendingRollbackError | None:
    """What SQLAlchemy raised, which Optuna wraps."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, (DBAPIError, PendingRollbackError)):
        cause = cause.__cause__
    return cause


def is_passing(error: BaseException) -> bool:
    """Whether the same may succeed later: a database that is away, or busy."""
    cause = _cause(error)
    if isinstance(cause, PendingRollbackError):  # of a transaction that broke off before
        return True
    if cause is None:
        return False
    if type(cause.orig).__module__.startswith("sqlite3"):
        return any(word in str(cause.orig) for word in ("locked", "busy"))
    return cause.connection_invalidated or isinstance(cause, (OperationalError, InterfaceError))


@dataclass
class Patience:
    """Repeats what a database that is away has made fail.

    Attributes
    ----------
    say
        Told when the database is away, and when it is back.
    seconds
        How long to try.
    stopped
        Whether to give up at once.
    forget
        Lets go of a session whose transaction cannot even be rolled back.
    """

    say: Callable[[str], None]
    seconds: float = PATIENCE
    stopped: Callable[[], bool] = lambda: False
    forget: Callable[[], None] = lambda: None

    def insist(self, operation: Callable[[], T]) -> T:
        """Do something that does no harm if it is done twice, until it succeeds."""
        since, pause = None, 0.05
        while True:
            try:
                result = operation()
            except (StorageInternalError, DBAPIError, PendingRollbackError) as error:
                with suppress(DBAPIError):
                    self.forget()
                if not is_passing(error):
                    raise StudyError(f"the database refuses: {explain(error)}") from error
                if self.stopped():
                    raise Interrupted from None
                if since is None:
                    since = time.monotonic()
                    self.say(
                        f"the database does not answer ({explain(error)}); "
                        f"trying again for {describe_duration(self.seconds)}"
                    )
                elif time.monotonic() - since > self.seconds:
                    raise StudyError(
                        f"the database did not answer for {describe_duration(self.seconds)}: "
                        f"{explain(error)}; start it, then run the same command again"
                    ) from error
                time.sleep(pause)
                pause = min(2 * pause, 2.0)
                continue
            if since is not None:
                self.say("the database answers again")
            return result


@contextmanager
def exclusive(storage: RDBStorage, study_id: int) -> Iterator[None]:
    """Be the only one who gives out trials of a study; the lock dies with its process."""
    url = storage.engine.url
    if url.get_backend_name() == "postgresql":
        with storage.engine.begin() as connection:
            connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock(%s, %s)", (_LOCK_CLASS, study_id)
            )
            yield
    elif url.get_backend_name() == "sqlite":
        import fcntl  # POSIX

        # Beside the database: SQLite's own locks on the file would be lost with ours.
        lock = os.open(f"{url.database}-lock", os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
    else:
        yield  # another database: two workers may then choose at the same time
