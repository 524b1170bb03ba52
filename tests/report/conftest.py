import sys

import pytest


@pytest.fixture
def light(monkeypatch):
    """Pages without the 5 MB of Plotly's script, for tests of what is said."""
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: "/* Plotly */")


@pytest.fixture(params=["plotly", "jinja2"])
def missing(request, monkeypatch):
    """As if a package were not installed."""
    for name in list(sys.modules):
        if name.partition(".")[0] == request.param:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, request.param, None)
    return request.param
