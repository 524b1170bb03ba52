"""Databases with something in them that is not a study: one line that says so."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from optuna.storages import RDBStorage

from warpfront.cli.errors import StudyError
from warpfront.cli.patience import explain
from warpfront.cli.shown import plain

T = TypeVar("T", bound=type[RDBStorage])

READS = (
    *("get_all_trials", "_get_trials", "get_trial", "get_all_studies"),
    *("get_study_user_attrs", "get_study_system_attrs", "get_study_directions"),
)
"""What Optuna's storage reads, with what it makes of the texts and numbers that it finds."""


@contextmanager
def _said() -> Iterator[None]:
    try:
        yield
    except KeyError:  # Optuna says by it that there is no such study or trial
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as e:
        raise StudyError(
            f"the database is damaged, or somebody has changed it: {plain(explain(e))}; "
            "restore it from a copy"
        ) from e


def checked(storage: T) -> T:
    """Have a storage say that what it reads makes no sense."""
    for name in READS:
        if (method := getattr(storage, name, None)) is not None:
            setattr(storage, name, _checked(method))
    return storage


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def read(*arguments: Any, **options: Any) -> Any:
        with _said():
            found = method(*arguments, **options)
            if isinstance(found, list):
                for value in (v for t in found for v in getattr(t, "values", None) or ()):
                    math.isnan(value)  # SQLite keeps texts in columns of numbers, too
            return found

    return read
