"""The storage of studies: Optuna's, in SQLite or PostgreSQL."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import tenacity
from filelock import FileLock
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from sqlalchemy import make_url
from sqlalchemy.event import listen
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from warpfront.cli.damaged import checked
from warpfront.cli.errors import StudyError
from warpfront.cli.patience import UnreachableError, cause_of, explain, may_open_later
from warpfront.extras import missing_extra

HEARTBEAT, GRACE = 20, 120
"""Seconds between signs of life of a worker, and without one until its trial is tried again."""
BUSY = 60
"""Seconds that SQLite waits for others who write."""
LOOK = 0.01
"""Seconds between two looks at a lock that somebody else holds."""
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
HIDDEN = "***"
"""What is shown instead of users, passwords and options in a URL."""
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
        what = (
            "is not a URL"
            if isinstance(error, ArgumentError)
            else "has a port that is not a number"
        )
        raise StudyError(f"the storage {what}; {_WRITE}") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    try:
        parsed.get_dialect()
    except NoSuchModuleError:
        raise StudyError(
            f"storage {show(url)}: {parsed.drivername!r} is not a database known here; {_WRITE}"
        ) from None
    if "@" in (parsed.host or ""):
        raise StudyError("the storage has an @ in its user or password; write it there as %40")
    file = parsed.database
    if parsed.drivername == "sqlite" and file and file != ":memory:" and "uri" not in parsed.query:
        parsed = parsed.set(database=str(folder / file))
    return parsed.render_as_string(hide_password=False)


def show(url: str) -> str:
    """A URL for people: without users, passwords, and the values of its options.

    Examples
    --------
    >>> show("postgresql://me:se@cret@host/db?sslpassword=secret")
    'postgresql://***@host/db?sslpassword=***'
    >>> show("sqlite:////home/me@work/study.db")
    'sqlite:////home/me@work/study.db'
    """
    scheme, mark, rest = url.partition("://")
    query = rest.find("?")
    is_file = scheme.startswith("sqlite") and rest.startswith("/")
    at = -1 if is_file else rest.rfind("@")
    if at > query >= 0:  # a password with a question mark, or an option with an @: who knows
        return f"{scheme}://{HIDDEN}"
    place, asked, options = rest[at + 1 :].partition("?")
    keys = [f"{o.partition('=')[0]}=" if "=" in o else "" for o in options.split("&") if asked]
    hidden = f"{HIDDEN}@" if at >= 0 else ""
    return scheme + mark + hidden + place + asked + "&".join(key + HIDDEN for key in keys)


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
            raise StudyError(
                f"storage {show(url)} keeps nothing; name a file, as in sqlite:///s.db"
            )
        if not Path(parsed.database).parent.is_dir():
            raise StudyError(f"storage {show(url)}: there is no folder for it; make it first")
        options["connect_args"] = {"timeout": BUSY}
    elif parsed.drivername == "postgresql+psycopg":
        if importlib.util.find_spec("psycopg") is None:
            raise missing_extra("PostgreSQL needs psycopg", "postgresql")
        options = {"pool_pre_ping": True, "connect_args": {"connect_timeout": 10}}
    try:
        storage = _make(url, options)
    except (DBAPIError, StorageInternalError) as error:
        kind = UnreachableError if may_open_later(error) else StudyError
        raise kind(f"storage {show(url)} cannot be opened: {explain(error)}") from error
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


@checked
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
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_is_there_already),
        wait=tenacity.wait_fixed(0.1),
        stop=tenacity.stop_after_delay(MAKING),
        reraise=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are experimental in Optuna
        return retrying(
            _Storage,
            url.replace("{", "{{").replace("}", "}}"),  # Optuna formats it
            engine_kwargs=options,
            heartbeat_interval=HEARTBEAT,
            grace_period=GRACE,
        )


def _is_there_already(error: BaseException) -> bool:
    """Whether a table, or a row that may stand there once, was made by somebody else."""
    cause = cause_of(error)
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
        # Beside the database: SQLite's own locks on the file would be lost with ours.
        lock = FileLock(f"{url.database}-lock", poll_interval=LOOK)
        try:
            lock.acquire()
        except OSError as error:
            raise StudyError(
                f"{lock.lock_file}: cannot be written ({error.strerror}); the folder of a database "
                "must be writable, or give another with --storage"
            ) from None
        try:
            yield
        finally:
            lock.release()
    else:
        yield  # another database: two workers may then choose at the same time
