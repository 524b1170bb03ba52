"""The examples in the docstrings of the tasks and of what has no tests of examples of its own."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from benchmarks import paper, tasks

MODULES = [
    *(f"benchmarks.tasks.{module.name}" for module in pkgutil.iter_modules(tasks.__path__)),
    *(f"benchmarks.paper.{module.name}" for module in pkgutil.iter_modules(paper.__path__)),
    "benchmarks.ablation",
    "benchmarks.archive.digest",
    "benchmarks.methods.registry",
    "benchmarks.options",
    "benchmarks.records",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0
