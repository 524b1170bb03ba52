"""When trials began and ended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from warpfront.checks import real_number
from warpfront.errors import ConfigurationError

Moment: TypeAlias = datetime | float | None
"""A date, seconds since the run began, or not known."""
GivenTimes: TypeAlias = Mapping[int, tuple[Moment, Moment]]
"""When each trial began and ended, by its number."""

UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
NEGLIGIBLE = 0.002
"""Trials that overlap by this share of the whole time do not: clocks are not exact."""
LEAST_OF_A_UNIT = 3.0
"""An axis has the largest unit of which it is at least so long."""


@dataclass(frozen=True)
class Times:
    """When trials began and ended, in seconds since the first of them began.

    Attributes
    ----------
    spans
        Beginning and end by the trial's number, in order of number; the end is None while a trial
        runs.
    began, ended
        The dates of the first beginning and the last end; None if only seconds are known.
    """

    spans: Mapping[int, tuple[float, float | None]]
    began: datetime | None = None
    ended: datetime | None = None

    @classmethod
    def of(cls, given: GivenTimes | None) -> Times | None:
        """Read what a user gave; None if nothing is known.

        Examples
        --------
        >>> times = Times.of({0: (10.0, 12.5), 1: (11.0, None), 2: (None, None)})
        >>> times.spans, times.total
        ({0: (0.0, 2.5), 1: (1.0, None)}, 2.5)
        >>> day = datetime(2026, 5, 1, 12, 0)
        >>> Times.of({0: (day, day.replace(hour=13))}).total
        3600.0
        >>> Times.of({0: (5.0, 4.0)})
        Traceback (most recent call last):
        warpfront.errors.ConfigurationError: times: trial 0 ends (4.0) before it begins (5.0)
        """
        known = {
            number: (begin, end)
            for number, (begin, end) in sorted((given or {}).items())
            if begin is not None
        }
        if not known:
            return None
        first = min((begin for begin, _ in known.values()), key=_comparable)
        spans: dict[int, tuple[float, float | None]] = {}
        for number, (begin, end) in known.items():
            at = _since(first, begin, number)
            ending = None if end is None else _since(first, end, number)
            if ending is not None and ending < at:
                if not isinstance(end, datetime):
                    raise ConfigurationError(
                        f"times: trial {number} ends ({end}) before it begins ({begin})"
                    )
                ending = at  # clocks of two machines differ
            spans[number] = at, ending
        if not isinstance(first, datetime):
            return cls(spans)
        moments = [m for span in known.values() for m in span if isinstance(m, datetime)]
        return cls(spans, first, max(moments))

    @cached_property
    def total(self) -> float:
        """Seconds from the first beginning to the last beginning or end."""
        return max(moment for span in self.spans.values() for moment in span if moment is not None)

    def ends(self) -> dict[int, float]:
        """When trials ended, by number."""
        return {number: end for number, (_, end) in self.spans.items() if end is not None}

    def seconds(self, number: int) -> float | None:
        """How long a trial took; None if that is not known."""
        begin, end = self.spans.get(number, (0.0, None))
        return None if end is None else end - begin

    @property
    def unit(self) -> tuple[float, str]:
        """The unit of an axis of these times, in seconds, and its name.

        Examples
        --------
        >>> Times({0: (0.0, 1000.0)}).unit
        (60.0, 'minutes')
        """
        return next((unit for unit in UNITS if self.total >= LEAST_OF_A_UNIT * unit[0]), UNITS[-1])

    def lanes(self) -> dict[int, int]:
        """A lane for each trial, so that those in the same lane do not overlap.

        Examples
        --------
        >>> Times({0: (0.0, 2.0), 1: (1.0, 3.0), 2: (2.0, 4.0)}).lanes()
        {0: 0, 1: 1, 2: 0}
        """
        slack = NEGLIGIBLE * self.total
        free: list[float] = []
        chosen: dict[int, int] = {}
        for number, (begin, end) in sorted(self.spans.items(), key=lambda item: item[1][0]):
            lane = next((i for i, since in enumerate(free) if since <= begin + slack), len(free))
            free[lane : lane + 1] = [math.inf if end is None else end]
            chosen[number] = lane
        return chosen


def duration(seconds: float) -> str:
    """A duration in the two largest units that it has.

    Examples
    --------
    >>> duration(0.25), duration(75), duration(7300), duration(200_000)
    ('0.25 s', '1 min 15 s', '2 h 2 min', '2 d 7 h')
    """
    if seconds < 59.5:
        return f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:.0f} s"
    whole = round(seconds) if seconds < 3600.0 else 60 * round(seconds / 60.0)
    parts: list[str] = []
    for size, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, whole = divmod(whole, size)
        if count or parts:
            parts.append(f"{count} {name}" if count else "")
    return " ".join(part for part in parts[:2] if part)


def _comparable(moment: datetime | float) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else float(moment)


def _since(first: datetime | float, moment: datetime | float, number: int) -> float:
    if isinstance(first, datetime) and isinstance(moment, datetime):
        try:
            return (moment - first).total_seconds()
        except TypeError:  # one with a time zone, one without
            seconds = math.nan
    elif isinstance(first, datetime) or isinstance(moment, datetime):
        seconds = math.nan
    else:
        seconds = real_number(moment) - real_number(first)
    if not math.isfinite(seconds):
        raise ConfigurationError(
            f"times: {moment!r} of trial {number} does not fit the others; give all moments as "
            "seconds, or all as dates, with or without time zones"
        )
    return seconds
