"""What is said where no configuration satisfies all constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.constraints import Constraint
from warpfront.space.encoding import Encoding
from warpfront.space.structure import bounds, columns_always_active, linear_parts, missed_by

Floats = NDArray[np.float64]

RAREST = 4
"""So many of the constraints that hold most seldom are named."""


def check_fixed(
    constraints: Sequence[Constraint], encoding: Encoding, fixed: Mapping[str, Any]
) -> None:
    """Raise if a linear constraint cannot hold whatever the other values are.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b >= 1.5"])
    >>> check_fixed(space.constraints, space.encoding, {"a": 0.25})
    Traceback (most recent call last):
    ...
    warpfront.errors.ConfigurationError: fixed={'a': 0.25}: no configuration with ...
    """
    parameters = encoding.parameters

    def limits(j: int) -> tuple[float, float]:
        name = encoding.names[j]
        return (float(fixed[name]),) * 2 if name in fixed else bounds(parameters[j])

    for constraint in constraints:
        for part, form in linear_parts(constraint):
            missed = missed_by(part, form, limits)
            if missed > 0.0 and columns_always_active(form, parameters):
                raise ConfigurationError(
                    f"fixed={fixed!r}: no configuration with these values satisfies "
                    f"{constraint.text!r}; it is missed by at least {missed:.6g}; fix fewer "
                    "values, or others"
                )


def nothing_found(
    constraints: Sequence[Constraint],
    degrees: Floats,
    shares: Floats,
    fixed: Mapping[str, Any],
) -> SpaceError | ConfigurationError:
    """An error that names what is violated where the violation is smallest.

    Parameters
    ----------
    constraints
        All of them.
    degrees
        How far the closest configuration is from each, (c,).
    shares
        The share of random configurations for which each holds, (c,).
    fixed
        The fixed values.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(a=Real(0, 1), constraints=["a * a >= 0.9", "a * a <= 0.1"])
    >>> print(nothing_found(space.constraints, np.array([0.4, 0]), np.array([0.05, 0.3]), {}))
    no configuration was found that satisfies all constraints; the closest one violates ...
    """
    worst = [c for c in np.argsort(-degrees) if degrees[c] > 0]
    violated = ", ".join(f"{constraints[c].text!r} (by {degrees[c]:.3g})" for c in worst)
    rarest = np.argsort(shares)[:RAREST]
    rare = ", ".join(f"{constraints[c].text!r} for {100 * shares[c]:.3g} %" for c in rarest)
    given = f" with fixed={fixed!r}" if fixed else ""
    message = (
        f"no configuration was found that satisfies all constraints{given}; the closest one "
        f"violates {violated}; of random configurations, {rare} hold; relax a constraint"
        f"{', fix fewer values' if fixed else ''} or widen a range (an equality is written "
        "with ==, not as two inequalities)"
    )
    return ConfigurationError(message) if fixed else SpaceError(message)
