"""Durations as people write them: 90, 90s, 10m, 1h30m, 2d."""

from __future__ import annotations

import re
from typing import Any

LONGEST = 36_500
"""Days, a century; timers of the system overflow after about three."""
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_PATTERN = re.compile("".join(rf"(?:(\d+(?:\.\d+)?){unit})?" for unit in ("d", "h", "m", "s?")))


def parse_duration(text: Any) -> float:
    """Seconds of a duration; a plain number is seconds.

    Examples
    --------
    >>> parse_duration("1h30m"), parse_duration("90s"), parse_duration(2.5)
    (5400.0, 90.0, 2.5)
    >>> parse_duration("soon")
    Traceback (most recent call last):
    ValueError: 'soon' is not a duration; write seconds, or such as 90s, 10m, 1h30m, 2d
    >>> parse_duration("999999999h")
    Traceback (most recent call last):
    ValueError: '999999999h' is longer than 36500d; write at most that, or leave it out
    """
    seconds = 0.0
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        seconds = text  # compared as it is: a large whole number is not a float
    elif isinstance(text, str):
        match = _PATTERN.fullmatch(text.replace(" ", "").lower())
        if match is not None:
            seconds = sum(
                float(number) * unit
                for number, unit in zip(match.groups(), _UNITS.values(), strict=True)
                if number
            )
    if not seconds > 0:  # nor is NaN
        raise ValueError(
            f"{text!r} is not a duration; write seconds, or such as 90s, 10m, 1h30m, 2d"
        )
    if seconds > LONGEST * _UNITS["d"]:
        raise ValueError(f"{text!r} is longer than {LONGEST}d; write at most that, or leave it out")
    return float(seconds)


def describe_duration(seconds: float) -> str:
    """A duration in its two largest units.

    Examples
    --------
    >>> describe_duration(3725), describe_duration(59.6), describe_duration(0.04)
    ('1h 2m', '1m 0s', '0s')
    """
    left = max(round(seconds), 0)
    parts = []
    for name, unit in _UNITS.items():
        count, left = divmod(left, int(unit))
        parts.append((count, name))
    first = next((i for i, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count}{name}" for count, name in parts[first : first + 2])
