"""Optional packages: imported when they are needed, with the line that installs them if missing.

The line works for a checkout, too, where ``pip install 'warpfront[plots]'`` would look for a
published package.
"""

from __future__ import annotations

import json
import shlex
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from warpfront.errors import MissingExtraError

SOURCES = Path(__file__).parents[2]
"""In a checkout, its folder."""


def require(module: str, extra: str, need: str) -> Any:
    """Import an optional package, or raise an error that says how to install it.

    Parameters
    ----------
    module
        What to import.
    extra
        The extra of warpfront that installs it.
    need
        What needs it, as the beginning of the message.

    Examples
    --------
    >>> require("json", "plots", "figures need json").dumps([1])
    '[1]'
    """
    try:
        __import__(module)
    except ImportError as error:
        missing = error.name or module
        if missing.partition(".")[0] != module.partition(".")[0]:
            raise  # it is installed, and something that it needs is not: say that
        raise missing_extra(need, extra) from None
    return sys.modules[module]


def missing_extra(need: str, extra: str) -> MissingExtraError:
    """The error to raise where an optional package is not installed.

    Examples
    --------
    >>> print(missing_extra("figures need plotly", "plots"))
    figures need plotly: pip install ...[plots]...
    """
    return MissingExtraError(f"{need}: {install_line(extra)}")


@cache
def install_line(extra: str) -> str:
    """The command that installs an extra: of the checkout if warpfront comes from one."""
    folder = _checkout()
    if folder is None:
        return f"pip install 'warpfront[{extra}]'"
    return f"pip install {shlex.quote(f'{folder}[{extra}]')}"


def _checkout() -> Path | None:
    """The folder that warpfront was installed from, or that it is imported from."""
    if (SOURCES / "pyproject.toml").is_file() and (SOURCES / "src" / "warpfront").is_dir():
        return SOURCES
    try:
        text = metadata.distribution("warpfront").read_text("direct_url.json")
        url = urlsplit(json.loads(text or "{}").get("url", ""))
    except (metadata.PackageNotFoundError, ValueError):
        return None
    folder = Path(url2pathname(url.path))
    return folder if url.scheme == "file" and folder.is_dir() else None
