r"""The small language of constraints: text in, vectorised NumPy out; nothing is ever executed.

==================  =========================================================================
numbers             ``1``, ``0.5``, ``1e-3``; parameters of numbers by name
values              ``"rbf"`` or ``'rbf'``; ``true``, ``false``, ``none``
unusual names       in backticks: :literal:`\\`learning rate\\` < 0.1`
arithmetic          ``+  -  *  /  //  %  **``
functions           ``min  max  abs  log  exp  sqrt``
comparisons         ``<  <=  >  >=  ==  !=``, also in chains: ``0.1 <= a < b``
membership          ``kernel in ("rbf", "poly")``, ``n not in (3, 5)``
logic               ``and  or  not``; Boolean parameters are conditions: ``bias or a < 1``
counting            ``count(a > 0, b > 0, c > 0) <= 2``
==================  =========================================================================

A quote inside quotes is written twice. The values of an Ordinal parameter have an order:
``size < "large"``.

- What is undefined (a division by zero, the logarithm of a negative number, an overflow) violates.
- Computed numbers are compared up to rounding: ``a + b <= 0.3`` holds for 0.1 and 0.2. The
  tolerance is ``ROUNDING`` of the numbers' size, and ``EQUALITY`` for ``==``. Parameters and
  numbers as they stand (``a > 0``), and whole numbers, are compared exactly.
- A comparison with an inactive parameter is satisfied, whether or not ``not`` stands before it; in
  ``count`` it does not count.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from warpfront.space.columns import Columns
from warpfront.space.compiler import EQUALITY, ROUNDING, Compiler
from warpfront.space.nodes import AllOf, Condition
from warpfront.space.parameter import Parameter

__all__ = ["EQUALITY", "ROUNDING", "Expression"]

Floats = NDArray[np.float64]


class Expression:
    """A condition on configurations, read from a text.

    Parameters
    ----------
    text
        The condition, in the language of this module.
    parameters
        The named parameters, in the order of the columns.

    Raises
    ------
    SpaceError
        Where the text is wrong: with the place, and what was probably meant.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(a=Real(0, 1), b=Real(0, 1))
    >>> expression = Expression("a <= b", {name: space[name] for name in space})
    >>> rows = Columns(space.encoding, np.array([[0.25, 0.5], [0.75, 0.5]]))
    >>> expression.holds(rows), expression.violation(rows)
    (array([ True, False]), array([0.  , 0.25]))
    """

    def __init__(self, text: str, parameters: Mapping[str, Parameter]) -> None:
        compiler = Compiler(text, parameters)
        self.source = compiler.source
        self.text = self.source.text
        self.condition = compiler.compile()

    def holds(self, rows: Columns) -> NDArray[np.bool_]:
        """Whether the condition holds, (n,)."""
        return np.asarray(self.violation(rows) == 0.0)

    def violation(self, rows: Columns) -> Floats:
        """How far each row is from satisfying it, (n,); 0 exactly where it is satisfied."""
        return self.condition.degree(rows)

    @property
    def parts(self) -> tuple[Condition, ...]:
        """The conditions that must all hold."""
        condition = self.condition
        return condition.parts if isinstance(condition, AllOf) else (condition,)
