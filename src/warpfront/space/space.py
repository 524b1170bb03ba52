"""Space: the named parameters that may be tried, with conditions and constraints."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.checks import whole_number
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.notebook import card
from warpfront.space.beliefs import log_belief
from warpfront.space.columns import Columns
from warpfront.space.conditions import Conditions
from warpfront.space.descriptions import describe, read
from warpfront.space.encoding import Encoding
from warpfront.space.parameters import Parameter
from warpfront.space.sampling import sobol
from warpfront.space.validation import merge, validate

# Constraints are slow to import, and most spaces have none: they are loaded on first use.
if TYPE_CHECKING:
    from warpfront.space.constraints import Constraint, ConstraintFunction
    from warpfront.space.region import Region
    from warpfront.space.structure import Structure

__all__ = ["Configuration", "Space", "sobol"]

Floats = NDArray[np.float64]
Configuration = dict[str, Any]
"""A value for each active parameter of a space, by name; JSON values only."""


class Space:
    """A search space: parameters by name, and constraints on them.

    Parameters
    ----------
    parameters
        A mapping from names to parameters, for names that are not Python identifiers.
    constraints
        What every suggested configuration satisfies: texts such as ``"a + b <= 1"``
        (:mod:`warpfront.space.expressions`), or functions of a configuration
        (:mod:`warpfront.space.constraints`).
    **named
        The same as ``parameters``, as keyword arguments.

    Examples
    --------
    >>> from warpfront import Categorical, Integer, Real, Space
    >>> space = Space(
    ...     rate=Real(1e-5, 1e-1, scale="log"),
    ...     units=Integer(50, 200),
    ...     activation=Categorical(["relu", "tanh"]),
    ... )
    >>> {"rate": 1e-3, "units": 100, "activation": "relu"} in space
    True
    >>> {"rate": 1e-3, "units": 7, "activation": "relu"} in space
    False
    >>> space.sample(1, seed=0)[0] in space
    True
    >>> Space.from_dict(space.to_dict()) == space
    True

    A parameter with a condition is in a configuration only where it is active:

    >>> space = Space(
    ...     booster=Categorical(["tree", "linear"]),
    ...     depth=Integer(1, 12, when={"booster": "tree"}),
    ...     a=Real(0, 1),
    ...     b=Real(0, 1),
    ...     constraints=["a + b == 1", "depth <= 6 or a < 0.1"],
    ... )
    >>> {"booster": "linear", "a": 0.25, "b": 0.75} in space
    True
    >>> space.violated({"booster": "tree", "depth": 7, "a": 0.25, "b": 0.5})
    ['a + b == 1', 'depth <= 6 or a < 0.1']
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter] | None = None,
        /,
        *,
        constraints: Sequence[str | ConstraintFunction] | None = None,
        **named: Parameter,
    ) -> None:
        merged = merge(parameters, named, constraints)
        self._parameters = merged
        #: which parameters are active when
        self.conditions = Conditions(merged)
        #: what every suggested configuration satisfies
        self.constraints: tuple[Constraint, ...] = ()
        if constraints is not None:
            from warpfront.space.constraints import read_constraints

            self.constraints = read_constraints(constraints, merged)
            _ = self.structure  # raises where one can never hold

    @classmethod
    def of(cls, given: Any) -> Space:
        """The space itself, or the space of a dict of parameters.

        Examples
        --------
        >>> from warpfront import Real, Space
        >>> Space.of({"x": Real(0, 1)}) == Space(x=Real(0, 1))
        True
        """
        if isinstance(given, Space):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        raise SpaceError(
            f"{given!r} is not a space; give Space(x=Real(0, 1), ...), or a dict of parameters"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._parameters)

    @cached_property
    def structure(self) -> Structure:
        """What sampling must know about the constraints."""
        from warpfront.space.structure import structure_of

        return structure_of(self.constraints, self._parameters)

    def _region(self) -> Region:
        from warpfront.space.region import Region

        return Region.of(self)

    @property
    def is_plain(self) -> bool:
        """Whether there are neither conditions nor constraints."""
        return not self.conditions and not self.constraints

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Space)
            and self.names == other.names
            and all(self[name] == other[name] for name in self)
            and self.constraints == other.constraints
        )

    def __hash__(self) -> int:
        return hash((tuple(self._parameters.items()), self.constraints))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name!r}: {p!r}" for name, p in self._parameters.items())
        constraints = f", constraints={list(self.constraints)!r}" if self.constraints else ""
        return f"Space({{{inner}}}{constraints})"

    def _repr_html_(self) -> str:
        count = f"{len(self)} parameter{'s' if len(self) != 1 else ''}"
        rows = [(name, repr(parameter)) for name, parameter in self._parameters.items()]
        rows += [("constraint", str(constraint)) for constraint in self.constraints]
        return card("Space", [count], rows)

    def __contains__(self, configuration: object) -> bool:
        try:
            return not self._violated(self.validate(configuration))
        except ConfigurationError:
            return False

    @cached_property
    def encoding(self) -> Encoding:
        """The map between configurations and rows of numbers."""
        return Encoding(self._parameters, self.conditions)

    @property
    def size(self) -> float:
        """How many configurations there are; ``math.inf`` if any parameter is continuous.

        With constraints it is exact for small spaces, and otherwise an upper bound.
        """
        if self.constraints:
            return self._region().size
        if self.conditions:
            return self.conditions.size()
        sizes = [p.levels for p in self._parameters.values()]
        return math.prod(n or 1 for n in sizes) if None not in sizes else math.inf

    def validate(self, configuration: object, *, partial: bool = False) -> Configuration:
        """Return the configuration with native Python values, in the order of the space.

        Constraints are not looked at: what was tried can be told even if it violates them; see
        :meth:`violated`.

        Parameters
        ----------
        configuration
            A mapping from names to values.
        partial
            Whether parameters may be left out.

        Raises
        ------
        ConfigurationError
            Naming the parameter, the value and the remedy; also where an active parameter is
            missing or an inactive one is given.

        Examples
        --------
        >>> import numpy as np
        >>> from warpfront import Integer, Real, Space
        >>> Space(x=Real(0, 1), n=Integer(1, 9)).validate({"n": np.int64(3), "x": 1})
        {'x': 1.0, 'n': 3}
        """
        return validate(configuration, self._parameters, self.conditions, partial=partial)

    def violated(self, configuration: object) -> list[str]:
        """The constraints that a configuration violates, as texts.

        Examples
        --------
        >>> from warpfront import Real, Space
        >>> Space(a=Real(0, 1), b=Real(0, 1), constraints=["a <= b"]).violated({"a": 1, "b": 0})
        ['a <= b']
        """
        return self._violated(self.validate(configuration))

    def _violated(self, valid: Configuration) -> list[str]:
        if not self.constraints:
            return []
        rows = Columns.of(self.encoding, [valid])
        return [one.text for one in self.constraints if one.violation(rows)[0] > 0.0]

    @cached_property
    def has_beliefs(self) -> bool:
        """Whether any parameter has likely values."""
        return any(parameter.likely is not None for parameter in self._parameters.values())

    def log_belief(self, X: Floats) -> Floats:
        """Log of the prior density that ``likely=`` stands for, for encoded rows (n, d); (n,).

        Each parameter adds at most 0; one without a belief, or inactive, adds nothing.

        Examples
        --------
        >>> from warpfront import Real, Space
        >>> space = Space(x=Real(0, 1, likely=0.3), y=Real(0, 1))
        >>> space.log_belief(np.array([[0.3, 0.9], [0.4, 0.9]])).round(2)
        array([ 0.  , -0.69])
        """
        active = self.encoding.active(X) if self.conditions else None
        return log_belief(list(self._parameters.values()), X, active)

    def sample_encoded(
        self, n: int, seed: int, *, method: Literal["sobol", "uniform"] = "sobol", skip: int = 0
    ) -> Floats:
        """Encoded rows ``skip``, ..., ``skip + n - 1`` of the random sequence of a seed, (n, d)."""
        n, seed = whole_number("n", n, 0), whole_number("seed", seed, 0)
        if method not in ("sobol", "uniform"):
            raise SpaceError(f"method {method!r} is unknown; use 'sobol' or 'uniform'")
        if not self.is_plain:
            return self._region().sequence(n, seed, method=method, skip=skip)
        rng = np.random.default_rng(seed)
        if method == "uniform":
            U = rng.random((skip + n, len(self)))[skip:]
        else:
            U = sobol(n, len(self), rng, skip=skip)
        return self.encoding.canonical(self.encoding.from_unit(U))

    def sample(
        self, n: int, seed: int | None = None, *, method: Literal["sobol", "uniform"] = "sobol"
    ) -> list[Configuration]:
        """Draw configurations; every level of a discrete linear parameter has equal weight.

        All of them satisfy the constraints.

        Parameters
        ----------
        n
            How many.
        seed
            The same seed, a whole number from 0, gives the same configurations; None draws one.
        method
            ``"sobol"`` covers the space evenly (scrambled Sobol); ``"uniform"`` is independent.
            Where only a tiny part of the space is feasible, both draw by random walks.

        Examples
        --------
        >>> from warpfront import Integer, Space
        >>> [c["n"] for c in Space(n=Integer(1, 4)).sample(4, seed=0)]
        [2, 4, 3, 1]
        """
        seed = secrets.randbits(63) if seed is None else seed
        with np.errstate(under="ignore"):  # harmless here, even where a user wants it to raise
            return self.encoding.decode(self.sample_encoded(n, seed, method=method))

    def to_dict(self) -> dict[str, Any]:
        """Describe the space as plain JSON data; :meth:`from_dict` reads it.

        Raises
        ------
        SpaceError
            If a constraint is a function, which cannot be saved.
        """
        return describe(self._parameters, self.constraints)

    @classmethod
    def from_dict(cls, data: Any) -> Space:
        """Build the space that :meth:`to_dict` described.

        Examples
        --------
        >>> from warpfront import Space
        >>> Space.from_dict({"x": {"type": "real", "low": 0, "high": 1}})
        Space({'x': Real(low=0.0, high=1.0, scale='linear', step=None)})
        """
        parameters, constraints = read(data)
        return cls(parameters, constraints=constraints)
