"""Space: the named parameters that may be tried, validated and sampled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.checks import whole_number
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.encoding import Encoding
from warpfront.space.parameters import Parameter, parameter_from_dict

Floats = NDArray[np.float64]
Configuration = dict[str, Any]
"""A value for each parameter of a space, by name; JSON values only."""

SOBOL_MAX_DIMENSION = 21_201
"""How far the direction numbers of SciPy's Sobol sequence reach."""


def sobol(n: int, d: int, rng: np.random.Generator, *, skip: int = 0) -> Floats:
    """Points ``skip``, ..., ``skip + n - 1`` of a scrambled Sobol sequence, (n, d).

    Examples
    --------
    >>> sobol(3, 2, np.random.default_rng(0)).shape
    (3, 2)
    """
    if d > SOBOL_MAX_DIMENSION:
        return rng.random((skip + n, d))[skip:]
    from scipy.stats import qmc  # costs half a second, so not at import

    # A power of two keeps the sequence balanced; a prefix of it does not depend on n.
    length = max(1, math.ceil(math.log2(max(skip + n, 1))))
    points: Floats = qmc.Sobol(d, scramble=True, seed=rng).random_base2(length)
    return points[skip : skip + n]


class Space:
    """A search space: parameters by name.

    Parameters
    ----------
    parameters
        A mapping from names to parameters, for names that are no Python identifiers.
    **named
        The same as keyword arguments.

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
    """

    def __init__(
        self, parameters: Mapping[str, Parameter] | None = None, /, **named: Parameter
    ) -> None:
        if not isinstance(parameters, (Mapping, type(None))):
            raise SpaceError(f"{parameters!r} is no mapping from names to parameters")
        both = sorted(set(parameters or {}) & set(named))
        if both:
            raise SpaceError(f"parameter {both[0]!r} is given twice; remove one")
        merged: dict[str, Parameter] = {**(parameters or {}), **named}
        if not merged:
            raise SpaceError("the space has no parameter; give one, such as x=Real(0, 1)")
        for name, parameter in merged.items():
            if not isinstance(name, str) or not name:
                raise SpaceError(f"parameter name {name!r}: must be a text that is not empty")
            if not isinstance(parameter, Parameter):
                raise SpaceError(
                    f"parameter {name!r}: {parameter!r} is no parameter; use Real, Integer, "
                    "Categorical, Ordinal or Boolean"
                )
        self._parameters = merged

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._parameters)

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
        )

    def __hash__(self) -> int:
        return hash(tuple(self._parameters.items()))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name!r}: {p!r}" for name, p in self._parameters.items())
        return f"Space({{{inner}}})"

    def __contains__(self, configuration: object) -> bool:
        try:
            self.validate(configuration)
        except ConfigurationError:
            return False
        return True

    @cached_property
    def encoding(self) -> Encoding:
        """The map between configurations and rows of numbers."""
        return Encoding(self._parameters)

    @property
    def size(self) -> float:
        """How many configurations there are; ``math.inf`` if any parameter is continuous."""
        sizes = [p.levels for p in self._parameters.values()]
        return math.prod(n or 1 for n in sizes) if None not in sizes else math.inf

    def validate(self, configuration: object, *, partial: bool = False) -> Configuration:
        """Return the configuration with native Python values, in the order of the space.

        Parameters
        ----------
        configuration
            A mapping from names to values.
        partial
            Whether parameters may be left out.

        Raises
        ------
        ConfigurationError
            Naming the parameter, the value and the remedy.

        Examples
        --------
        >>> import numpy as np
        >>> from warpfront import Integer, Real, Space
        >>> Space(x=Real(0, 1), n=Integer(1, 9)).validate({"n": np.int64(3), "x": 1})
        {'x': 1.0, 'n': 3}
        """
        if not isinstance(configuration, Mapping):
            raise ConfigurationError(
                f"{configuration!r} is no configuration; give a dict of {', '.join(self.names)}"
            )
        unknown = [name for name in configuration if name not in self._parameters]
        if unknown:
            raise ConfigurationError(
                f"parameter {unknown[0]!r} is unknown; the space has {', '.join(self.names)}"
            )
        valid: Configuration = {}
        for name, parameter in self._parameters.items():
            if name not in configuration:
                if partial:
                    continue
                raise ConfigurationError(f"parameter {name!r} is missing; give it a value")
            try:
                valid[name] = parameter.canonical(configuration[name])
            except ConfigurationError as error:
                raise ConfigurationError(f"parameter {name!r}: {error}") from None
        return valid

    def sample_encoded(
        self, n: int, seed: int, *, method: Literal["sobol", "uniform"] = "sobol", skip: int = 0
    ) -> Floats:
        """Encoded rows ``skip``, ..., ``skip + n - 1`` of the random sequence of a seed, (n, d)."""
        n, seed = whole_number("n", n, 0), whole_number("seed", seed, 0)
        rng = np.random.default_rng(seed)
        if method == "uniform":
            U = rng.random((skip + n, len(self)))[skip:]
        elif method == "sobol":
            U = sobol(n, len(self), rng, skip=skip)
        else:
            raise SpaceError(f"method {method!r} is unknown; use 'sobol' or 'uniform'")
        return self.encoding.canonical(self.encoding.from_unit(U))

    def sample(
        self, n: int, seed: int, *, method: Literal["sobol", "uniform"] = "sobol"
    ) -> list[Configuration]:
        """Draw configurations; every level of a discrete linear parameter has equal weight.

        Parameters
        ----------
        n
            How many.
        seed
            The same seed, a whole number from 0, gives the same configurations.
        method
            ``"sobol"`` covers the space evenly (scrambled Sobol); ``"uniform"`` is independent.

        Examples
        --------
        >>> from warpfront import Integer, Space
        >>> [c["n"] for c in Space(n=Integer(1, 4)).sample(4, seed=0)]
        [2, 4, 3, 1]
        """
        with np.errstate(under="ignore"):  # harmless here, even where a user wants it to raise
            return self.encoding.decode(self.sample_encoded(n, seed, method=method))

    def to_dict(self) -> dict[str, Any]:
        """Describe the space as plain JSON data; :meth:`from_dict` reads it."""
        return {name: parameter.to_dict() for name, parameter in self._parameters.items()}

    @classmethod
    def from_dict(cls, data: Any) -> Space:
        """Build the space that :meth:`to_dict` described.

        Examples
        --------
        >>> from warpfront import Space
        >>> Space.from_dict({"x": {"type": "real", "low": 0, "high": 1}})
        Space({'x': Real(low=0.0, high=1.0, scale='linear', step=None)})
        """
        if not isinstance(data, Mapping):
            raise SpaceError(f"{data!r} is no space; give a mapping from names to parameters")
        parameters = {}
        for name, description in data.items():
            try:
                parameters[name] = parameter_from_dict(description)
            except SpaceError as error:
                raise SpaceError(f"parameter {name!r}: {error}") from None
        return cls(parameters)
