"""How values look on a terminal: sensible digits, no escape codes, no endless lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from warpfront.cli.placeholders import show_value

MOST = 1000
"""How many characters of a text are shown."""
BARS = "▁▂▃▄▅▆▇█"
WIDTH = 32
"""How many characters a sparkline has at most."""
START = 0.125
"""The sparkline leaves out this first share: the first values are often so bad that all others
would look the same beside them."""
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)


def plain(text: str, most: int = MOST) -> str:
    r"""A text on one line, without what a terminal would obey, and not too long.

    Examples
    --------
    >>> plain("\x1b[31mred\x1b[0m\n\x1b]0;title\x07done")
    'red done'
    >>> len(plain("x" * 50_000_000)) <= MOST + 5
    True
    """
    if len(text) > 4 * most:
        text = text[: 2 * most] + text[-2 * most :]
    # A progress bar writes over its line: what it shows comes last.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    text = _ESCAPES.sub("", " ".join(lines))
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} ... {text[-half:]}"


def number(value: float | None) -> str:
    """A number with as many digits as people look at.

    Examples
    --------
    >>> number(0.12345678), number(12345678.9), number(3.0), number(None)
    ('0.123457', '1.23457e+07', '3', 'missing')
    """
    return "missing" if value is None else f"{value:.6g}"


def value(given: Any) -> str:
    """The value of a parameter.

    Examples
    --------
    >>> value(0.1 + 0.2), value(12345678), value("relu"), value(True)
    ('0.3', '12345678', 'relu', 'true')
    """
    return number(given) if isinstance(given, float) else plain(show_value(given))


def config(given: Mapping[str, Any] | None) -> str:
    """A configuration on one line.

    Examples
    --------
    >>> config({"rate": 0.001, "kind": "relu"})
    'rate=0.001  kind=relu'
    """
    return "  ".join(f"{plain(name)}={value(one)}" for name, one in (given or {}).items())


def outcomes(given: Mapping[str, Any]) -> str:
    """Outcomes on one line.

    Examples
    --------
    >>> outcomes({"loss": 0.25, "memory": None})
    'loss 0.25, memory missing'
    """
    return ", ".join(
        f"{plain(name)} {number(getattr(one, 'value', one))}" for name, one in given.items()
    )


def sparkline(curve: Sequence[float]) -> str:
    """A curve as a row of bars.

    Examples
    --------
    >>> sparkline([8, 4, 2, 1, 1])
    '█▄▂▁▁'
    >>> sparkline([3, 3]), sparkline([])
    ('▁▁', '')
    """
    drawn = list(curve)[int(START * len(curve)) :]
    if len(drawn) > WIDTH:
        drawn = [drawn[round(i * (len(drawn) - 1) / (WIDTH - 1))] for i in range(WIDTH)]
    low, high = min(drawn, default=0.0), max(drawn, default=0.0)
    span = high - low
    if not 0 < span < float("inf"):
        return BARS[0] * len(drawn)
    return "".join(BARS[min(int((v - low) / span * len(BARS)), len(BARS) - 1)] for v in drawn)
