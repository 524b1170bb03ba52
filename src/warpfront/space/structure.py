"""What sampling must know about constraints that chance would never satisfy.

- Sums: equalities of linear sums, which must hold for a configuration as a whole.
- Special values: a condition such as ``a > 0`` fails at a single value of a continuous parameter,
  and ``a == 0`` holds at a single one. Where such a condition is one of several (in ``or`` or in
  ``count``), the value is tried on purpose.
- Limited counts: ``count(a > 0, b > 0, c > 0) <= 2`` is restored by setting the smallest to 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from warpfront.space import nodes
from warpfront.space.compiler import EQUALITY
from warpfront.space.constraints import Constraint, TextConstraint
from warpfront.space.linear import Linear, difference
from warpfront.space.numeric import Numeric
from warpfront.space.parameter import Parameter
from warpfront.space.quantities import Number, Operation


@dataclass(frozen=True)
class Sum:
    """The sum of ``coefficients`` times ``columns`` must be ``total``, up to a tolerance."""

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    total: float
    tolerance: float


@dataclass(frozen=True)
class LimitedCount:
    """A count with a limit, of conditions that fail, or hold, at a special value each."""

    condition: nodes.CountBetween
    #: for each condition, its column and the value that changes the count
    values: tuple[tuple[int, float], ...]
    #: whether these values raise the count, or lower it
    raising: bool


@dataclass(frozen=True)
class Structure:
    """The sums, special values and limited counts of a space.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(
    ...     a=Real(0, 1), b=Real(0, 1), constraints=["a + b == 1", "count(a > 0, b > 0) <= 1"]
    ... )
    >>> space.structure.sums[0].coefficients, space.structure.special
    ((1.0, 1.0), {0: (0.0,), 1: (0.0,)})
    """

    sums: tuple[Sum, ...] = ()
    special: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    counts: tuple[LimitedCount, ...] = ()


def structure_of(
    constraints: Sequence[Constraint], parameters: Mapping[str, Parameter]
) -> Structure:
    """Find the structure of constraints; raises where one can never hold, or only by luck."""
    columns = tuple(parameters.values())
    sums: list[Sum] = []
    special: dict[int, set[float]] = {}
    counts: list[LimitedCount] = []
    for constraint in constraints:
        if not isinstance(constraint, TextConstraint):
            continue
        for compare, form in linear_parts(constraint):
            if columns_always_active(form, columns):
                missed = missed_by(compare, form, lambda j: bounds(columns[j]))
                if missed > 0.0:
                    raise constraint.expression.source.error(
                        compare.place,
                        "can never hold within the bounds of the parameters: it is missed by at "
                        f"least {missed:.6g}; change a bound or the constraint",
                    )
            if compare.operator == "==" and form.coefficients:
                sums.append(_sum(compare, form, columns))
        linear = {id(compare) for compare, _ in linear_parts(constraint)}
        for part in constraint.expression.parts:
            if id(part) in linear:
                continue
            for compare in _equalities(part):
                _check_equality(constraint, compare, columns)
            for compare in _inside(part):
                for j, value in _special_value(compare, columns):
                    special.setdefault(j, set()).add(value)
            counts += _limited(part, columns)
    return Structure(tuple(sums), {j: tuple(sorted(v)) for j, v in special.items()}, tuple(counts))


def linear_parts(constraint: Constraint) -> Iterator[tuple[nodes.Compare, Linear]]:
    """The linear comparisons that a constraint asks for, with their forms.

    Examples
    --------
    >>> from warpfront import Real
    >>> text = TextConstraint("0 < a < 0.5 and a * a < 0.1", {"a": Real(0, 1)})
    >>> [form.coefficients for _, form in linear_parts(text)]
    [{0: -1.0}, {0: 1.0}]
    """
    for part in constraint.expression.parts if isinstance(constraint, TextConstraint) else ():
        form = difference(part) if isinstance(part, nodes.Compare) else None
        if form is not None and isinstance(part, nodes.Compare):
            yield part, form


def _sum(part: nodes.Compare, form: Linear, columns: Sequence[Parameter]) -> Sum:
    # Sums of whole numbers are exact: the tolerance only has to be below one step.
    magnitude = form.magnitude(lambda j: max(map(abs, bounds(columns[j]))))
    integral = part.left.integral and part.right.integral
    tolerance = 0.25 if integral else max(part.absolute, EQUALITY * magnitude)
    return Sum(
        tuple(form.coefficients), tuple(form.coefficients.values()), -form.constant, tolerance
    )


def bounds(parameter: Parameter) -> tuple[float, float]:
    """The smallest and the largest value of a parameter of numbers.

    Examples
    --------
    >>> from warpfront import Ordinal
    >>> bounds(Ordinal([16, 32, 64]))
    (16.0, 64.0)
    """
    if isinstance(parameter, Numeric):
        return float(parameter.low), float(parameter.high)
    numbers = parameter.numbers(parameter.positions())
    return float(numbers.min()), float(numbers.max())


def columns_always_active(form: Linear, columns: Sequence[Parameter]) -> bool:
    """Whether none of the columns of a form is conditional; else it may hold for lack of one."""
    return all(columns[j].when is None for j in form.coefficients)


def missed_by(
    part: nodes.Compare, form: Linear, limits: Callable[[int], tuple[float, float]]
) -> float:
    """How far a linear comparison is from holding at the best, within limits of its columns.

    Examples
    --------
    >>> from warpfront.space.quantities import Column, Constant
    >>> less = nodes.Compare("<=", Column(0), Constant(1.0))
    >>> missed_by(less, Linear({0: 1.0}, -1.0), lambda j: (3.0, 5.0))
    2.0
    """
    least = most = form.constant
    for j, c in form.coefficients.items():
        ends = sorted(c * limit for limit in limits(j))
        least, most = least + ends[0], most + ends[1]
    slack, tiny = part.absolute, sys.float_info.min
    if part.operator == "<=":
        return least if least > slack else 0.0
    if part.operator == "<":
        return max(least, tiny) if least >= -slack else 0.0
    if part.operator == "==":
        return max(least, -most) if least > slack or most < -slack else 0.0
    return tiny if -slack <= least and most <= slack else 0.0


def _check_equality(
    constraint: TextConstraint, compare: nodes.Compare, columns: Sequence[Parameter]
) -> None:
    if all(columns[j].levels for j in compare.columns):
        return
    form = difference(compare)
    if form is not None and len(form.coefficients) == 1:
        return  # a special value
    raise constraint.expression.source.error(
        compare.place,
        "this '==' would hold by luck only, for a Real parameter is in it; allow a tolerance, as "
        "in 'abs(x * y - 1) <= 0.01', or compute one parameter from the others in your objective "
        "(equalities of sums, such as 'a + b == 1', work if they are a constraint of their own)",
    )


def _equalities(condition: nodes.Condition) -> Iterator[nodes.Compare]:
    """The equalities that may have to hold."""
    for compare in _inside(condition, negations=False):
        if compare.operator == "==":
            yield compare


def _inside(condition: nodes.Condition, *, negations: bool = True) -> Iterator[nodes.Compare]:
    """All comparisons of numbers inside a condition."""
    if isinstance(condition, nodes.Compare):
        yield condition
        for number in (condition.left, condition.right):
            yield from _inside_number(number, negations)
    elif isinstance(condition, (nodes.AllOf, nodes.AnyOf)):
        for part in condition.parts:
            yield from _inside(part, negations=negations)
    elif isinstance(condition, nodes.CountBetween):
        yield from _inside_number(condition.count, negations)
        yield from _inside_number(condition.limit, negations)


def _inside_number(number: Number, negations: bool) -> Iterator[nodes.Compare]:
    if isinstance(number, nodes.Count):
        for condition in number.conditions + (number.negations if negations else ()):
            yield from _inside(condition, negations=negations)
    elif isinstance(number, Operation):
        for argument in number.arguments:
            yield from _inside_number(argument, negations)


def _special_value(
    compare: nodes.Compare, columns: Sequence[Parameter]
) -> Iterator[tuple[int, float]]:
    """The column and the value at which alone a comparison holds, or fails."""
    form = difference(compare)
    if form is None or len(form.coefficients) != 1:
        return
    ((j, c),) = form.coefficients.items()
    low, high = bounds(columns[j])
    value = -form.constant / c + 0.0
    end = low if (c > 0) == (compare.operator == "<=") else high
    alone = low <= value <= high if compare.operator in ("==", "!=") else value == end
    if alone and columns[j].levels is None:
        yield j, value


def _limited(part: nodes.Condition, columns: Sequence[Parameter]) -> Iterator[LimitedCount]:
    if not isinstance(part, nodes.CountBetween) or part.operator == "!=":
        return
    raising = part.operator in (">=", ">")
    changed = part.count.conditions if raising else part.count.negations
    values: list[tuple[int, float]] = []
    for condition in changed:
        if not isinstance(condition, nodes.Compare) or condition.operator not in ("<=", "=="):
            return
        values += _special_value(condition, columns)
    if len({j for j, _ in values}) == len(changed):
        yield LimitedCount(part, tuple(values), raising)
