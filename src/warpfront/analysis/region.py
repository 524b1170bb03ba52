"""Where the best values of a parameter lie, in words, as far as the model supports them."""

from __future__ import annotations

import numpy as np

from warpfront.analysis.model_view import ModelView, Slice
from warpfront.analysis.texts import number, shown
from warpfront.space import Parameter

NEAR = 0.05
"""As good as the best is what is worse by at most this share of the slice's range."""
AROUND, WIDEST = 0.15, 0.5
"""A region up to the first share of the range is "around" a value; beyond the second nothing is
said."""
EDGE = 0.02


def best_region(view: ModelView, j: int) -> str | None:
    """Where the best values of parameter j lie, all others as in the best configuration.

    None where the model does not tell good values from bad ones, or disagrees with the best trial.

    Examples
    --------
    >>> from warpfront import Real, Settings, Space
    >>> from warpfront.history import History
    >>> space = Space(x=Real(0, 1))
    >>> told = [(None, {"x": x}, (x - 0.3) ** 2) for x in np.linspace(0, 1, 16).tolist()]
    >>> best_region(ModelView(History(space).tell(told), Settings(), seed=0), 0)
    'x between 0.15 and 0.45'
    """
    along, parameter, name = view.slice(j), view.space.encoding.parameters[j], view.space.names[j]
    losses = view.sign * along.median
    losses = losses / (float(np.abs(losses).max()) or 1.0)  # so that no range can overflow
    at, best = int(np.argmin(losses)), view.through(j)[0][j]
    if parameter.is_category:
        return _choice(along, parameter, name, view.sign, best)
    spread = float(losses.max() - losses.min())
    good = losses <= losses.min() + NEAR * spread
    left, right = _around(good, at)
    low, high = float(along.positions[left]), float(along.positions[right])
    if spread <= 0.0 or high - low > WIDEST or not low - NEAR <= best <= high + NEAR:
        return None
    middle = float(along.positions[at])
    here = _rounded(parameter, middle)
    if middle <= EDGE or middle >= 1.0 - EDGE:
        end = "lower" if middle <= EDGE else "upper"
        return f"{name} at the {end} end of its range ({here}), so a wider range may be better"
    if high - low <= AROUND:
        return f"{name} around {here}"
    ends = _rounded(parameter, low), _rounded(parameter, high)
    return f"{name} around {here}" if ends[0] == ends[1] else f"{name} between {' and '.join(ends)}"


def _around(good: np.ndarray[tuple[int], np.dtype[np.bool_]], at: int) -> tuple[int, int]:
    """The first and the last place of the good ones around one of them."""
    bad = np.flatnonzero(~good)
    left = int(bad[bad < at].max(initial=-1)) + 1
    right = int(bad[bad > at].min(initial=len(good))) - 1
    return left, right


def _choice(along: Slice, parameter: Parameter, name: str, sign: float, best: float) -> str | None:
    """The best choice, if the others' medians are worse than all that is likely of it."""
    losses = sign * along.median
    at = int(np.argmin(losses))
    worst_of_it = float(max(sign * along.low[at], sign * along.high[at]))
    if at != int(best) or not (np.delete(losses, at) > worst_of_it).all():
        return None
    return f"{name} = {shown(parameter.decode(at))}"


def _rounded(parameter: Parameter, position: float) -> str:
    """The value at a position, with two digits of a real one."""
    value = parameter.decode(position)
    return number(value, 2) if isinstance(value, float) else shown(value)
