from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """One folder of finished work for all tests of a module."""
    return tmp_path_factory.mktemp("records")
