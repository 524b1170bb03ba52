"""Linear forms: which numbers of an expression are sums of parameters with coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warpfront.space.nodes import Compare
from warpfront.space.quantities import Column, Constant, Number, Operation


@dataclass(frozen=True)
class Linear:
    """The sum of ``coefficients[j]`` times column j, plus a constant.

    Examples
    --------
    >>> Linear({0: 1.0, 1: -2.0}, 0.5).plus(Linear({1: 2.0}, 1.0))
    Linear(coefficients={0: 1.0}, constant=1.5)
    """

    coefficients: dict[int, float]
    constant: float = 0.0

    def plus(self, other: Linear) -> Linear:
        """The sum of two forms; parameters that cancel out are left out."""
        merged = dict(self.coefficients)
        for j, c in other.coefficients.items():
            merged[j] = merged.get(j, 0.0) + c
        return Linear({j: c for j, c in merged.items() if c}, self.constant + other.constant)

    def times(self, factor: float) -> Linear:
        """The form multiplied by a number."""
        coefficients = {j: c * factor for j, c in self.coefficients.items() if c * factor}
        return Linear(coefficients, self.constant * factor)

    def magnitude(self, bound: Callable[[int], float]) -> float:
        """The largest that the sum of the absolute terms can be, if ``bound`` bounds a column."""
        return abs(self.constant) + sum(abs(c) * bound(j) for j, c in self.coefficients.items())


def linear(number: Number) -> Linear | None:
    """The linear form of a number, or None if it has none.

    Examples
    --------
    >>> double = Operation("*", (Constant(2.0), Column(0)))
    >>> linear(Operation("+", (double, Constant(1.0))))
    Linear(coefficients={0: 2.0}, constant=1.0)
    >>> linear(Operation("*", (Column(0), Column(1)))) is None
    True
    """
    if isinstance(number, Constant):
        return Linear({}, number.value)
    if isinstance(number, Column):
        return Linear({number.j: 1.0})
    if not isinstance(number, Operation) or number.name not in ("+", "-", "*", "/"):
        return None
    forms = [linear(argument) for argument in number.arguments]
    total = forms[0]
    if total is None:
        return None
    if number.name == "-":
        return total.times(-1.0)
    for form in forms[1:]:
        if form is None:
            return None
        if number.name == "+":
            total = total.plus(form)
        elif not form.coefficients and (number.name == "*" or form.constant):
            total = total.times(form.constant if number.name == "*" else 1.0 / form.constant)
        elif number.name == "*" and not total.coefficients:
            total = form.times(total.constant)
        else:
            return None
    return total


def difference(compare: Compare) -> Linear | None:
    """The linear form of the left side minus the right side, or None if one has none."""
    left, right = linear(compare.left), linear(compare.right)
    return None if left is None or right is None else left.plus(right.times(-1.0))
