"""Write the report of a study: a page and its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from warpfront.checks import whole_number
from warpfront.history import History
from warpfront.loop import Result, history_of, settings_of
from warpfront.optimizers.ask_tell import AskTell
from warpfront.report import sections
from warpfront.report.figure import Picture, new_figure
from warpfront.report.model_view import ModelView, why_no_model
from warpfront.report.page import note, page
from warpfront.report.table import trials_table
from warpfront.report.values import ValueAxis
from warpfront.settings import Settings

PAGE = "report.html"


def write_report(
    history: History | Result | AskTell,
    folder: Path | str,
    *,
    title: str = "",
    maximize: bool = False,
    settings: Settings | None = None,
    seed: int = 0,
    facts: Mapping[str, str] | None = None,
) -> Path:
    """Write one self-contained HTML page on a study, and its pictures as PNG files beside it.

    The same history gives the same page, to the byte.

    Parameters
    ----------
    history
        What was tried; the result of ``minimize`` or an optimiser is as good.
    folder
        Where to write; it is made if it does not exist.
    title
        The heading of the page.
    maximize
        Whether the losses of the history are minus the user's values. The page shows the user's.
    settings, seed
        Of the model that is fitted to the history.
    facts
        Further things to say at the top, such as when the study was made.

    Returns
    -------
    Path
        The page, ``report.html``.

    Examples
    --------
    >>> import tempfile
    >>> from warpfront import Real, Space, minimize
    >>> from warpfront.report import write_report
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=8, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(result.history, folder, title="A parabola")
    ...     sorted(path.name for path in page.parent.iterdir())
    ['convergence.png', 'importance.png', 'input-warps.png', 'output-transform.png',
     'report.html', 'slice-1-x.png']
    """
    settings = settings_of(history, settings)
    history = history_of(history)
    seed = whole_number("seed", seed, 0)
    new_figure(1.0, 1.0)  # raises before anything is written if there is no matplotlib
    pictures: list[Picture] = []
    content = {"Summary": sections.summary(history, maximize, facts or {})}
    with np.errstate(under="ignore"):
        found = _drawn(history, maximize, settings, seed)
    for heading, (html, drawn) in found.items():
        content[heading] = html
        pictures += drawn
    content["Trials"] = trials_table(history, -1.0 if maximize else 1.0)
    text = page(title or "Report of a study", content)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        (target / picture.name).write_bytes(picture.png)
    (target / PAGE).write_bytes(text.encode())
    return target / PAGE


def _drawn(
    history: History, maximize: bool, settings: Settings, seed: int
) -> dict[str, sections.Section]:
    """The sections with pictures, by heading, as far as the data allow."""
    found: dict[str, sections.Section] = {}
    sign = -1.0 if maximize else 1.0
    missing = why_no_model(history)
    if history.completed:
        view = None if missing else ModelView(history, settings, seed, maximize)
        values = sign * np.array([trial.value for trial in history.completed])
        axis = ValueAxis.of(view.values if view else values, maximize)  # penalties lie beyond it
        found["Convergence"] = sections.convergence(history, axis, sign)
        if view:
            found["Importance"] = sections.importance(view)
            found["Slices"] = sections.slices(view, axis)
            found["Pairs"] = sections.pairs(view, axis)
            found["Input warps"] = sections.input_warps(view)
            found["Output transform"] = sections.output_transform(view, axis)
    if missing is not None:
        why = f"{missing} So there are no slices, pairs, warps and importances yet."
        found["Model"] = note(why, "missing"), []
    return found
