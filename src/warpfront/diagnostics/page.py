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
from warpfront.markup import Html, join, tag
from warpfront.report.figure import new_figure
from warpfront.report.page import embedded, note, page
from warpfront.report.table import plain_table


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
    new_figure(1.0, 1.0)  # raises before anything is drawn if there is no matplotlib
    with np.errstate(under="ignore"):
        text = page(title or "Diagnosis of a task", _sections(diagnosis, maximize, facts or {}))
    target = Path(path)
    target.write_bytes(text.encode())
    return target


def _sections(found: Diagnosis, maximize: bool, facts: Mapping[str, str]) -> dict[str, Html]:
    known = [finding for finding in found.findings if finding.is_known]
    unknown = [finding for finding in found.findings if not finding.is_known]
    items = {"completed trials": str(len(found.history.completed)), **facts}
    sections = {
        "What was found": join(
            tag(
                "dl",
                *(tag("div", tag("dt", key), tag("dd", str(fact))) for key, fact in items.items()),
                class_="facts",
            ),
            *(map(_answer, known) if known else [note("Nothing yet.", "missing")]),
        ),
        "Which settings follow": _advice(found),
    }
    if unknown:
        sections["What could not be told"] = join(*map(_answer, unknown))
    if found.spread.spreads.any():
        sections["Spread against level"] = _spread(found, maximize)
    if found.fit is not None:
        text = (
            "The dot is the mean gain over random splits of the trials, the line its 95 % "
            "interval. Above 0 the component helps the model to predict trials that it has not "
            "seen."
        )
        sections["Fit"] = join(note(text), embedded(draw_fit(found.fit)))
    if found.conflict is not None:
        text = (
            "Yellow is where an acquisition would like to try next, by rank; all other parameters "
            "are as in the best configuration."
        )
        drawn = draw_conflict(found.conflict, found.history.space)
        sections["Acquisitions"] = join(note(text), embedded(drawn, coloured=True))
    if found.noise is not None:
        sections["The best configurations"] = _contenders(found.noise, maximize)
    if found.calibration is not None:
        text = (
            "Left: how often the model's central intervals held, against what they promise; within "
            "the band the difference may be chance. Right: where in its prediction each "
            "fell; high ends mean overconfidence, a hill in the middle too much caution."
        )
        sections["Calibration"] = join(note(text), embedded(draw_calibration(found.calibration)))
    return sections


def _answer(finding: Finding) -> Html:
    return join(
        tag("h3", finding.topic), note(finding.text, "note" if finding.is_known else "missing")
    )


def _advice(found: Diagnosis) -> Html:
    parts = [note(found.advice)]
    if found.changes:
        old = found.settings.to_dict()
        rows = [[name, shown(old[name]), shown(new)] for name, new in found.changes.items()]
        parts.append(plain_table("Settings", ["setting", "in use", "advised"], rows))
    return join(*parts)


def _spread(found: Diagnosis, maximize: bool) -> Html:
    text = (
        "Each dot is a configuration that was evaluated several times. The dashed line is the "
        "spread that all would have on average; equal noise scatters around it."
    )
    return join(note(text), embedded(draw_spread(found.spread, maximize)))


def _contenders(found: Noise, maximize: bool) -> Html:
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
    return join(note(text), plain_table("Contenders", heads, rows))
