"""The exception tree, and that its drawing in the docstring is true."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from warpfront import errors
from warpfront.errors import WarpfrontError

TREE = {
    "SpaceError": ValueError,
    "ConfigurationError": ValueError,
    "ObservationError": ValueError,
    "SettingsError": ValueError,
    "StateError": ValueError,
    "NotEnoughDataError": LookupError,
    "MissingExtraError": ImportError,
    "RunError": RuntimeError,
    "LossFailedError": RuntimeError,
    "CallbackError": RuntimeError,
}


@pytest.mark.parametrize(("name", "builtin"), TREE.items())
def test_each_error_is_a_warpfront_error_and_a_builtin_one(name, builtin):
    error = getattr(errors, name)
    assert issubclass(error, WarpfrontError)
    assert issubclass(error, builtin)


def test_all_lists_every_class_of_the_module():
    classes = {n for n, c in inspect.getmembers(errors, inspect.isclass) if n.endswith("Error")}
    assert classes == set(errors.__all__) == {"WarpfrontError", *TREE}


def test_the_drawn_tree_is_the_real_one():
    drawn = re.findall(r"[├└]── (\w+) .*also an? (\w+)", errors.__doc__)
    assert drawn == [(name, builtin.__name__) for name, builtin in TREE.items()]


@pytest.mark.parametrize("name", TREE)
def test_errors_survive_pickling_so_that_workers_can_raise_them(name):
    error = getattr(errors, name)("parameter 'x': 3 is outside")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(copy) is type(error)
    assert str(copy) == "parameter 'x': 3 is outside"
