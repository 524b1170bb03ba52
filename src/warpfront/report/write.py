"""Write the report of a study: one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from warpfront import __version__
from warpfront.analysis.model_view import ModelView, measured, why_no_model
from warpfront.analysis.times import GivenTimes, Times
from warpfront.checks import whole_number
from warpfront.dataset import Dataset
from warpfront.goals import Maximize, Minimize
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.hebo import context_of
from warpfront.problem import Problem
from warpfront.proposers.improve import expected_gain
from warpfront.report import sections
from warpfront.report.details import details
from warpfront.report.header import describe_size, describe_times
from warpfront.report.page import Section, needs, page
from warpfront.report.table import trials_section
from warpfront.result import Result, history_of, settings_of
from warpfront.search.domain import Domain
from warpfront.settings import Settings
from warpfront.streams import stream
from warpfront.surrogate.models import fit_models

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
    times: GivenTimes | None = None,
) -> Path:
    """Write one self-contained, interactive HTML page on a study.

    The same arguments give the same page, to the byte.

    Parameters
    ----------
    history
        What was tried; the result of ``minimize`` or an optimiser is as good.
    target
        A folder, which is made if it does not exist; or the page itself, a name that ends in
        .html.
    title
        The heading of the page.
    maximize
        Whether the values of the history are minus the user's, which are maximised. The page shows
        the user's. Where the goals say :class:`~warpfront.Maximize`, leave it out.
    settings, seed
        Of the model that is fitted to the history.
    facts
        Further things to say in the summary, such as who made the study.
    times
        When each trial began and ended, by its number: two dates, or two numbers of seconds; None
        for what is not known. A result knows its own.

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
    ...     page = write_report(result, folder, title="A parabola")
    ...     page.name, "A parabola" in page.read_text("utf-8")
    ('report.html', True)
    """
    settings = settings_of(history, settings)
    clock = Times.of(_times_of(history) if times is None else times)
    if clock is not None and times is None and isinstance(history, Result):
        clock = replace(clock, began=history.began)
    history = history_of(history)
    if maximize:
        history = _maximized(history)
    seed = whole_number("seed", seed, 0)
    needs()  # before anything is written
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):  # of values near 1e308
        content = _sections(history, settings, seed, facts or {}, clock, title)
    meta = [*describe_times(clock), f"warpfront {__version__}"]
    text = page(title or "Report of a study", content, meta=describe_size(history, meta))
    file = Path(target)
    if file.suffix.lower() not in (".html", ".htm") or file.is_dir():
        file /= PAGE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def _times_of(given: History | Result | AskTell) -> GivenTimes | None:
    """When the trials of a run began and ended."""
    if not isinstance(given, Result):
        return None
    found: dict[int, tuple[float, float | None]] = {}
    for event in given.events:
        if event.kind == "asked":
            found[event.number] = event.at, None
        else:
            begun = found.get(event.number, (event.at, None))[0]
            if event.seconds is not None:
                begun = max(0.0, event.at - event.seconds)
            found[event.number] = begun, event.at
    return found


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


def _sections(
    history: History,
    settings: Settings,
    seed: int,
    facts: Mapping[str, str],
    times: Times | None,
    title: str,
) -> list[Section]:
    """What there is to show, in the order of the page."""
    missing = why_no_model(history)
    views = [] if missing else _views(history, settings, seed)
    gain = _gain(history, views, settings, seed) if views else None
    found = [sections.summary(history, views, gain, missing, facts)]
    if history.evaluated:
        found.append(sections.convergence(history, times))
    if len(history.problem.objectives) > 1 and history.completed:
        found.append(sections.front(history))
    if history.problem.bounds and history.completed:
        found.append(sections.feasibility(history))
    if views:
        found += [sections.slices(views), sections.importance(views), sections.pairs(views[0])]
    if measured(history):
        found.append(sections.parallel(history))
    if times is not None and any(trial.number in times.spans for trial in history.trials):
        found.append(sections.timeline(history, times))
    found.append(trials_section(history, times, title))
    if views:
        found.append(details(views))
    return found


def _views(history: History, settings: Settings, seed: int) -> list[ModelView]:
    """The models of all outcomes that can be modelled, the objective's first."""
    models = fit_models(Dataset.of(history), settings, seed)
    return [
        ModelView(history, settings, seed, name, models)
        for name in history.problem.names
        if why_no_model(history, name) is None
    ]


def _gain(history: History, views: list[ModelView], settings: Settings, seed: int) -> float | None:
    """What one more trial is expected to gain; None if that is not known."""
    models, data = views[0].models, Dataset.of(history)
    if not history.feasible:
        return None
    context = context_of(history, data, models, Domain.of(history.space, {}), 1, settings)
    gain = expected_gain(context, stream(seed, len(history), "gain"))
    return gain if np.isfinite(gain) else None
