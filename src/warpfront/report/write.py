"""Write the report of a study: a page and its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from warpfront.analysis.model_view import ModelView, why_no_model
from warpfront.analysis.values import ValueAxis
from warpfront.checks import whole_number
from warpfront.goals import Maximize, Minimize
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell
from warpfront.problem import Problem
from warpfront.report import sections
from warpfront.report.convergence import measured
from warpfront.report.figure import Picture, new_figure
from warpfront.report.page import note, page
from warpfront.report.table import trials_table
from warpfront.result import Result, history_of, settings_of
from warpfront.settings import Settings

PAGE = "report.html"


def write_report(
    history: History | Result | AskTell,
    target: Path | str,
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
    target
        A folder, which is made if it does not exist; or the page itself, a name that ends in
        .html. The pictures are written beside it.
    title
        The heading of the page.
    maximize
        Whether the values of the history are minus the user's, which are maximised. The page shows
        the user's. Where the goals say :class:`~warpfront.Maximize`, leave it out.
    settings, seed
        Of the model that is fitted to the history.
    facts
        Further things to say at the top, such as when the study was made.

    Returns
    -------
    Path
        The page; in a folder it is called ``report.html``.

    Examples
    --------
    >>> import tempfile
    >>> from warpfront import Real, Space, minimize
    >>> from warpfront.report import write_report
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=8, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(result.history, folder, title="A parabola")
    ...     sorted(path.name for path in page.parent.iterdir())
    ['convergence.png', 'importance.png', ... 'report.html', 'slice-1-x.png']
    """
    settings = settings_of(history, settings)
    history = history_of(history)
    if maximize:
        history = _maximized(history)
    seed = whole_number("seed", seed, 0)
    new_figure(1.0, 1.0)  # raises before anything is written if there is no matplotlib
    pictures: list[Picture] = []
    content = {"Summary": sections.summary(history, facts or {})}
    with np.errstate(under="ignore"):
        found = _drawn(history, settings, seed)
    for heading, (html, drawn) in found.items():
        content[heading] = html
        pictures += drawn
    content["Trials"] = trials_table(history)
    text = page(title or "Report of a study", content)
    file = Path(target)
    if file.suffix.lower() not in (".html", ".htm") or file.is_dir():
        file /= PAGE
    file.parent.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        (file.parent / picture.name).write_bytes(picture.png)
    file.write_bytes(text.encode())
    return file


def _maximized(history: History) -> History:
    """The history of minus the values, which are maximised."""
    problem = history.problem
    goals = tuple(
        Maximize(goal.name) if isinstance(goal, Minimize) else goal for goal in problem.goals
    )
    flipped = {goal.name for goal in problem.goals if isinstance(goal, Minimize)}
    trials = tuple(
        replace(
            trial,
            outcomes={
                name: -value + 0.0 if value is not None and name in flipped else value
                for name, value in trial.outcomes.items()
            },
        )
        for trial in history.trials
    )
    return History(Problem(problem.space, goals), trials)


def _drawn(history: History, settings: Settings, seed: int) -> dict[str, sections.Section]:
    """The sections with pictures, by heading, as far as the data allow."""
    found: dict[str, sections.Section] = {}
    missing = why_no_model(history)
    values = measured(history)[1]
    if len(values):
        view = None if missing else ModelView(history, settings, seed)
        shown = view.values if view else values  # penalties lie beyond the axis
        axis = ValueAxis.of(shown, history.problem.objective.sign < 0)
        found["Convergence"] = sections.convergence(history, axis)
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
