"""Which doctests are collected: those of an optional package only where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

OPTIONAL = {"ray": "ray", "wandb": "wandb"}
"""By the name of the integration, the package that the tests' usual environment does not have."""

collect_ignore_glob = [
    f"src/warpfront/integrations/{name}*"
    for name, module in OPTIONAL.items()
    if find_spec(module) is None
]
