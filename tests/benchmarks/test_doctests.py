"""The examples in the docstrings of the benchmarks."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import benchmarks

ADAPTERS = "benchmarks.methods.adapters."
"""They need the environments of the packages under test."""

MODULES = [
    module.name
    for module in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    if not module.name.startswith(ADAPTERS) and not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0
