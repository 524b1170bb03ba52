"""All problems by name, and the families they belong to."""

from __future__ import annotations

from types import MappingProxyType

from benchmarks.problems.conditional import CONDITIONAL
from benchmarks.problems.constrained import CONSTRAINED
from benchmarks.problems.problem import Family, Part, Problem
from benchmarks.problems.several import SEVERAL

_PROBLEMS: dict[Family, MappingProxyType[str, Problem]] = {
    "constrained": CONSTRAINED,
    "several": SEVERAL,
    "conditional": CONDITIONAL,
}


def find(name: str) -> Problem:
    """The problem of this name.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> find("spring").part
    'tuning'
    """
    for problems in _PROBLEMS.values():
        if name in problems:
            return problems[name]
    raise KeyError(f"{name!r} is not a problem; `problems list` names them")


def of_family(family: Family, part: Part | None = None) -> list[str]:
    """The names of a family, or of one half of it.

    Examples
    --------
    >>> of_family("constrained", "tuning")[0]
    'gardner-waves'
    """
    problems = _PROBLEMS[family]
    return [name for name, problem in problems.items() if part in (None, problem.part)]
