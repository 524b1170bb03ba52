import builtins

import pytest


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures are composed, not drawn, for tests of what is said."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)


@pytest.fixture
def no_matplotlib(monkeypatch):
    """As if matplotlib were not installed."""
    real_import = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError("No module named 'matplotlib'")
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
