"""The page of a diagnosis: plain language first, then what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from warpfront.analysis.texts import number, shown
from warpfront.diagnostics.diagnosis import Diagnosis
from warpfront.diagnostics.figures import draw_calibration, draw_conflict, draw_fit, draw_spread
from warpfront.diagnostics.findings import Finding
from warpfront.diagnostics.noise import MOST_REPEATS, Noise
from warpfront.report.page import Group, Panel, Section, Table, needs, page


def write_diagnosis(
    diagnosis: Diagnosis,
    path: Path | str,
    *,
    title: str = "",
    maximize: bool = False,
    facts: Mapping[str, str] | None = None,
) -> Path:
    """Write a diagnosis as one self-contained HTML page.

    Parameters
    ----------
    diagnosis
        What was found.
    path
        The file to write; its folder must be there.
    title
        The heading of the page.
    maximize
        Whether the values in the history are minus the user's, as in an Optuna study that
        maximises. The page shows the user's. A goal :class:`warpfront.Maximize` does not need it.
    facts
        Further things to say at the top.

    Examples
    --------
    >>> import tempfile
    >>> from warpfront import Real, Space, minimize
    >>> from warpfront.diagnostics import diagnose, write_diagnosis
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=8, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_diagnosis(diagnose(result.history, splits=2), f"{folder}/page.html")
    ...     "Which settings follow" in page.read_text("utf-8")
    True
    """
    needs()  # before anything is drawn
    with np.errstate(under="ignore"):
        text = page(title or "Diagnosis of a task", _sections(diagnosis, maximize, facts or {}))
    target = Path(path)
    target.write_bytes(text.encode())
    return target


def _sections(found: Diagnosis, maximize: bool, facts: Mapping[str, str]) -> list[Section]:
    known = [finding for finding in found.findings if finding.is_known]
    unknown = [finding for finding in found.findings if not finding.is_known]
    items = {"completed trials": str(len(found.history.completed)), **facts}
    answers = [*map(_answer, known)] or [Group(notes=["Nothing yet."])]
    table = Table("About", ["fact", "value"], [[key, str(fact)] for key, fact in items.items()])
    sections = [
        Section("What was found", [*answers, Group(tables=[table])]),
        Section("Which settings follow", [_advice(found)]),
    ]
    if unknown:
        sections.append(Section("What could not be told", [*map(_answer, unknown)]))
    if found.spread.spreads.any():
        sections.append(
            _section("Spread against level", SPREAD, draw_spread(found.spread, maximize))
        )
    if found.fit is not None:
        sections.append(_section("Fit", FIT, draw_fit(found.fit)))
    if found.conflict is not None:
        drawn = draw_conflict(found.conflict, found.history.space)
        sections.append(_section("Acquisitions", CONFLICT, *drawn))
    if found.noise is not None:
        sections.append(Section("The best configurations", [_contenders(found.noise, maximize)]))
    if found.calibration is not None:
        drawn = draw_calibration(found.calibration)
        sections.append(_section("Calibration", CALIBRATION, *drawn))
    return sections


SPREAD = (
    "Each dot is a configuration that was evaluated several times. The dashed line is the "
    "spread that all would have on average; equal noise scatters around it."
)
FIT = (
    "The dot is the mean gain over random splits of the trials, the line its 95 % "
    "interval. Above 0 the component helps the model to predict trials that it has not "
    "seen."
)
CONFLICT = (
    "Yellow is where an acquisition would like to try next, by rank; all other parameters "
    "are as in the best configuration."
)
CALIBRATION = (
    "Coverage: how often the model's central intervals held, against what they promise; within "
    "the band the difference may be chance. Places: where in its prediction each "
    "fell; high ends mean overconfidence, a hill in the middle too much caution."
)


def _section(heading: str, text: str, *panels: Panel) -> Section:
    return Section(heading, [Group(notes=[text], panels=panels)])


def _answer(finding: Finding) -> Group:
    return Group(finding.topic, [finding.text])


def _advice(found: Diagnosis) -> Group:
    if not found.changes:
        return Group(notes=[found.advice])
    old = found.settings.to_dict()
    rows = [[name, shown(old[name]), shown(new)] for name, new in found.changes.items()]
    table = Table("Settings", ["setting", "in use", "advised"], rows)
    return Group(notes=[found.advice], tables=[table])


def _contenders(found: Noise, maximize: bool) -> Group:
    sign = -1.0 if maximize else 1.0
    text = (
        "The best configurations by the model's mean, and how many evaluations of each tell it "
        "from the best with a chance of error below 5 %."
    )
    rows = [
        [
            str(rank),
            number(sign * one.value, 4),
            f"more than {MOST_REPEATS}" if one.repeats is None else str(one.repeats),
            ", ".join(f"{name} = {shown(value)}" for name, value in one.config.items()),
        ]
        for rank, one in enumerate(found.contenders, 1)
    ]
    heads = ["rank", "expected value", "evaluations", "configuration"]
    return Group(notes=[text], tables=[Table("Contenders", heads, rows)])
