"""One measured quantity with all its repeats."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Measurement:
    """A quantity of a package, at `n` observations of `d` parameters where that matters.

    Examples
    --------
    >>> m = Measurement("step_cpu", "warpfront", (0.3, 0.1, 0.2), "s", n=128, d=9)
    >>> m.minimum, m.median, m.repeats
    (0.1, 0.2, 3)
    """

    quantity: str
    package: str
    samples: tuple[float, ...]
    unit: str
    n: int | None = None
    d: int | None = None

    @property
    def minimum(self) -> float:
        """Least of the repeats: what the machine can do when nobody disturbs it."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """Median of the repeats: what one meets."""
        return median(self.samples)

    @property
    def repeats(self) -> int:
        """How often it was measured."""
        return len(self.samples)


@dataclass(frozen=True)
class Results:
    """All measurements of a run, with the remarks that belong to them."""

    measurements: tuple[Measurement, ...]
    remarks: tuple[str, ...] = ()

    def find(
        self, quantity: str, package: str, n: int | None = None, d: int | None = None
    ) -> Measurement | None:
        """Return the measurement with this key, or None when it was not made."""
        key = (quantity, package, n, d)
        for m in self.measurements:
            if (m.quantity, m.package, m.n, m.d) == key:
                return m
        return None

    def with_more(self, other: Results) -> Results:
        """Return these results followed by `other`."""
        return Results(self.measurements + other.measurements, self.remarks + other.remarks)
