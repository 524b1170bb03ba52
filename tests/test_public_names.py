"""The public surface: pinned, documented, and free of side effects at import."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import warpfront
import warpfront.diagnostics
import warpfront.report
from warpfront import errors

PUBLIC = [
    "HEBO",
    "AtLeast",
    "AtMost",
    "Boolean",
    "Categorical",
    "Integer",
    "Maximize",
    "Measured",
    "Minimize",
    "Ordinal",
    "RandomSearch",
    "Real",
    "Result",
    "Settings",
    "Space",
    "Trial",
    "WarpfrontError",
    "minimize",
]


def test_the_public_names_are_pinned():
    assert warpfront.__all__ == PUBLIC
    assert len(PUBLIC) <= 20


def test_every_public_name_is_there_and_listed():
    for name in PUBLIC:
        assert getattr(warpfront, name).__name__ == name
    assert dir(warpfront) == sorted([*PUBLIC, "__version__"])


def test_star_import_brings_the_public_names_only():
    names: dict[str, object] = {}
    exec("from warpfront import *", names)  # noqa: S102
    assert sorted(set(names) - {"__builtins__"}) == sorted(PUBLIC)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'warpfront' has no attribute 'nothing'"):
        _ = warpfront.nothing
    assert not hasattr(warpfront, "nothing")


def test_there_is_a_version():
    major, minor, patch = warpfront.__version__.split(".")
    assert major.isdigit()
    assert minor.isdigit()
    assert patch


@pytest.mark.parametrize(
    "thing",
    [getattr(warpfront, name) for name in PUBLIC]
    + [getattr(errors, name) for name in errors.__all__]
    + [getattr(warpfront.report, name) for name in warpfront.report.__all__]
    + [getattr(warpfront.diagnostics, name) for name in warpfront.diagnostics.__all__],
    ids=lambda thing: thing.__name__,
)
def test_every_public_name_has_a_docstring_with_an_example(thing):
    doc = inspect.getdoc(thing)
    assert doc
    assert "\nExamples\n--------\n>>> " in doc


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "minimize"])
def test_every_public_method_has_a_docstring(name):
    cls = getattr(warpfront, name)
    public = {member for member in dir(cls) if not member.startswith("_")}
    builtin = set(dir(ValueError))
    for member in public - builtin:
        attribute = inspect.getattr_static(cls, member)
        if callable(getattr(attribute, "__func__", attribute)) or isinstance(attribute, property):
            assert inspect.getdoc(getattr(cls, member)), f"{name}.{member}"


def test_the_pieces_of_a_diagnosis_are_where_the_documentation_says():
    page = (Path(__file__).parents[1] / "docs" / "diagnostics.md").read_text()
    rows = re.findall(r"^\| `(warpfront\.diagnostics\.\w+)` \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) == 6
    for module, functions in rows:
        for name in re.findall(r"`(\w+)`", functions):
            assert getattr(import_module(module), name).__module__ == module


WATCH = """
import json, os, sys, threading, warnings
import numpy as np

def look():
    kind, keys, *rest = np.random.get_state()
    return {
        "random state": [kind, keys.tolist(), *rest],
        "warnings filters": [str(f) for f in warnings.filters],
        "environment": dict(os.environ),
        "threads": threading.active_count(),
        "numpy errors": np.geterr(),
        "print options": str(np.get_printoptions()),
        "hook": str(sys.excepthook),
        "path": sys.path,
    }

before = look()
import warpfront
after = look()
heavy = ["scipy", "matplotlib", "rich", "sklearn", "pandas", "optuna", "torch", "typer", "logging"]
print(json.dumps({
    "changed": [name for name in before if before[name] != after[name]],
    "imported": [name for name in heavy if name in sys.modules],
}))
"""


@pytest.fixture(scope="module")
def seen():
    """What importing warpfront does to a fresh interpreter."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-c", WATCH], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_import_changes_nothing_global(seen):
    assert seen["changed"] == []


def test_import_brings_neither_scipy_nor_an_optional_package(seen):
    assert seen["imported"] == []


def test_import_and_use_leave_the_thread_settings_alone():
    code = """
import threadpoolctl, numpy, scipy.linalg
def look():
    return sorted((i["filepath"], i["num_threads"]) for i in threadpoolctl.threadpool_info())

before = look()
from warpfront import HEBO, Real, Space
optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
for _ in range(4):
    (suggestion,) = optimizer.ask()
    optimizer.tell(suggestion, suggestion["x"])
after = look()
assert before and before == after, (before, after)
"""
    pytest.importorskip("threadpoolctl")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2"},  # so that a change to one would be seen
    )
    assert (done.returncode, done.stderr) == (0, "")
