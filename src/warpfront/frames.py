"""Data frames and series at the border: read by what they can do, so that nothing is imported.

A frame of pandas or polars has a row for each configuration, and a column for each parameter. A
series is a column of losses, or one row: a configuration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from warpfront.errors import ObservationError


def is_frame(given: Any) -> bool:
    """Whether this is a table of pandas or polars, or quacks like one."""
    kind = type(given)
    return hasattr(kind, "columns") and (hasattr(kind, "to_dict") or hasattr(kind, "to_dicts"))


def is_row(given: Any) -> bool:
    """Whether this is a row of a pandas frame: a series whose index are texts, names."""
    kind = type(given)
    if isinstance(given, Mapping) or is_frame(given):
        return False
    if not (hasattr(kind, "to_dict") and hasattr(kind, "index") and hasattr(given, "index")):
        return False
    names = list(given.index)
    return bool(names) and all(isinstance(name, str) for name in names)


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame as dicts; cells without a value are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> rows_of(pd.DataFrame({"x": [0.5, 1.0], "kind": ["a", None]}))
    [{'x': 0.5, 'kind': 'a'}, {'x': 1.0}]
    """
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    return [_without_gaps(row) for row in rows]


def _without_gaps(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in row.items() if not _is_gap(value)}


def _is_gap(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, and what pandas has for it."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def from_frames(configs: Any, values: Any) -> tuple[Any, Any]:
    """What ``tell`` is given, with frames as lists of dicts and a row as a dict.

    Raises
    ------
    ObservationError
        If the losses have different indices from the configurations: they would be paired wrongly.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [0.1, 0.2], "loss": [3.0, 4.0]})
    >>> from_frames(frame[["x"]], frame["loss"])
    ([{'x': 0.1}, {'x': 0.2}], [3.0, 4.0])
    >>> from_frames(frame[["x"]].iloc[0], 3.0)
    ({'x': 0.1}, 3.0)
    """
    if is_frame(configs):
        _check_index(configs, values)
        configs = rows_of(configs)
        if is_frame(values):
            values = _outcomes(values)
        elif hasattr(type(values), "tolist"):
            values = values.tolist()
    elif is_row(configs):
        configs = _without_gaps(configs.to_dict())
    return configs, values


def _outcomes(frame: Any) -> list[Any]:
    """The losses of a frame of one column; of several, the outcomes by their names."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    if len(frame.columns) == 1:
        return [next(iter(row.values())) for row in rows]
    return [dict(row) for row in rows]


def _check_index(configs: Any, values: Any) -> None:
    """Rows are paired by their place, so that their labels must be the same."""
    ours, theirs = getattr(configs, "index", None), getattr(values, "index", None)
    if ours is None or theirs is None or callable(ours) or callable(theirs):
        return
    if len(ours) == len(theirs) and list(ours) != list(theirs):
        raise ObservationError(
            "the losses and the configurations have different indices, so it is not clear which "
            "belongs to which; give losses.loc[configs.index], or losses.to_numpy() to pair them "
            "by their order"
        )
