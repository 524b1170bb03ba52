"""Wrong arguments of parameters: errors that say what was probably meant."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from warpfront.errors import SpaceError

EXAMPLES = {
    "Real": "Real(0.0, 1.0)",
    "Integer": "Integer(1, 10)",
    "Categorical": "Categorical(['a', 'b'])",
    "Ordinal": "Ordinal(['small', 'large'])",
    "Boolean": "Boolean()",
}
"""A correct call of each kind."""
MEANT = {
    "low": ("min", "minimum", "lower", "lb", "start", "a"),
    "high": ("max", "maximum", "upper", "ub", "stop", "end", "b"),
    "step": ("q", "quantum", "stride", "resolution", "round_to"),
    "choices": ("values", "categories", "options", "items", "levels", "sequence"),
    "when": ("condition", "conditions", "active", "active_if", "parent", "parents", "only_if"),
    "likely": ("default", "prior", "guess", "belief", "initial", "init", "best_guess"),
}
"""What other libraries call our arguments."""
SCALES = {"log": "log", "logscale": "log", "log_scale": "log", "is_log": "log", "logit": "logit"}
"""Flags of other libraries for what is ``scale=`` here."""


class CheckedArguments(type):
    """Class of the parameter classes: a call that Python refuses is an error with the remedy.

    Examples
    --------
    >>> from warpfront import Categorical, Real
    >>> Categorical("a", "b")
    Traceback (most recent call last):
    warpfront.errors.SpaceError: Categorical('a', 'b'): ... did you mean Categorical(['a', 'b'])?
    >>> Real(1e-5, 1.0, log=True)
    Traceback (most recent call last):
    warpfront.errors.SpaceError: Real(1e-05, 1.0, log=True): there is no 'log'; use scale='log'
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except TypeError:
            signature = inspect.signature(cls.__init__)  # type: ignore[misc]
            try:
                signature.bind(None, *args, **kwargs)
            except TypeError:
                known = list(signature.parameters)[1:]
                remedy = _remedy(cls.__name__, known, args, kwargs)
                raise SpaceError(f"{_shown(cls.__name__, args, kwargs)}: {remedy}") from None
            raise


def _shown(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    return f"{name}({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in kwargs.items())])})"


def _remedy(kind: str, known: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    for name, value in kwargs.items():
        if name in known:
            continue
        scale = SCALES.get(name.lower())
        if scale and "scale" in known:
            return f"there is no {name!r}; " + (
                f"use scale={scale!r}" if value else "leave it out, the scale is linear by default"
            )
        for ours, theirs in MEANT.items():
            if name.lower() in theirs and ours in known:
                return f"there is no {name!r}; did you mean {ours}={value!r}?"
        close = get_close_matches(name, known, 1)
        meant = f"did you mean {close[0]}={value!r}?" if close else f"it has {', '.join(known)}"
        return f"there is no {name!r}; {meant}"
    return _wrong_positions(kind, args, kwargs)


def _wrong_positions(kind: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    if kind == "Boolean":
        return "takes no values; use Boolean(), or Categorical([...]) for values of your own"
    if kind in ("Categorical", "Ordinal") and args:
        return f"give the values as one list; did you mean {_shown(kind, [list(args)], kwargs)}?"
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and len(args[0]) == 2:
        return f"give the bounds one by one; did you mean {_shown(kind, args[0], kwargs)}?"
    if len(args) > 2:
        return f"give what follows the bounds by name, such as scale='log'; as in {EXAMPLES[kind]}"
    missing = "choices" if kind in ("Categorical", "Ordinal") else "both low and high"
    return f"needs {missing}, such as {EXAMPLES.get(kind, kind + '(...)')}"


def not_a_parameter(thing: Any) -> str:
    """What is wrong with a thing that should be a parameter, and what was probably meant.

    Examples
    --------
    >>> not_a_parameter(["a", "b"])
    "['a', 'b'] is not a parameter; did you mean Categorical(['a', 'b'])?"
    """
    meant = "use Real, Integer, Categorical, Ordinal or Boolean"
    if isinstance(thing, CheckedArguments):
        return f"{thing.__name__} is not a parameter but a class; call it: {thing.__name__}(...)"
    if isinstance(thing, (list, tuple)) and thing:
        numbers = len(thing) == 2 and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) for v in thing
        )
        if numbers and isinstance(thing, tuple):
            meant = f"did you mean Real{thing!r} or Integer{thing!r}?"
        else:
            meant = f"did you mean Categorical({list(thing)!r})?"
    elif isinstance(thing, bool):
        meant = "did you mean Boolean()?"
    return f"{thing!r} is not a parameter; {meant}"
