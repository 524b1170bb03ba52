"""The table of trials."""

from __future__ import annotations

from collections.abc import Sequence

from warpfront.analysis.texts import cut, shown
from warpfront.history import History
from warpfront.markup import Html, tag
from warpfront.overview import best_of
from warpfront.trial import Trial

LONGEST_CELL, LONGEST_REASON, LONGEST_HINT = 48, 160, 1000
"""Longer texts are cut; the hint that appears under the mouse has more of them."""


def trials_table(history: History) -> Html:
    """All trials, one in a row, the best one marked; a click on a header sorts."""
    found = best_of(history)
    best = None if found is None else found.number
    names, outcomes = history.space.names, history.problem.names
    has_reasons = any(trial.reason for trial in history.trials)
    heads = ["trial", "state", *outcomes, *names, *["reason"] * has_reasons]
    return tag(
        "div",
        tag(
            "table",
            tag("caption", "All trials. A click on a header sorts by it."),
            tag("thead", tag("tr", *(_head(text) for text in heads))),
            tag(
                "tbody",
                *(_row(t, names, outcomes, t.number == best, has_reasons) for t in history.trials),
            ),
            class_="trials",
        ),
        class_="scroll",
        tabindex=0,  # so that the keyboard can scroll it
        role="region",
        aria_label="Table of all trials",
    )


def plain_table(caption: str, heads: list[str], rows: list[list[str]]) -> Html:
    """A small table whose first column names its rows."""
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption),
            tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
            tag(
                "tbody",
                *(
                    tag("tr", tag("th", row[0], scope="row"), *(tag("td", c) for c in row[1:]))
                    for row in rows
                ),
            ),
        ),
        class_="scroll",
    )


def _head(text: str) -> Html:
    return tag(
        "th",
        tag("button", cut(text, LONGEST_CELL), type="button"),
        scope="col",
        title=text if len(text) > LONGEST_CELL else None,
    )


def _row(
    trial: Trial, names: Sequence[str], outcomes: Sequence[str], best: bool, has_reasons: bool
) -> Html:
    values = ["" if v is None else v for v in (trial.outcomes.get(name) for name in outcomes)]
    cells = [
        tag("th", str(trial.number), scope="row", class_="number"),
        tag(
            "td",
            trial.state,
            " " if best else "",
            tag("span", "best", class_="badge") if best else "",
        ),
        *(_cell(v, LONGEST_CELL) for v in (*values, *(trial.config[name] for name in names))),
    ]
    if has_reasons:
        cells.append(_cell(trial.reason or "", LONGEST_REASON, "reason"))
    return tag("tr", *cells, class_=" ".join([trial.state, *["best"] * best]))


def _cell(value: object, longest: int, class_: str | None = None) -> Html:
    """A cell; what is rounded or cut stands whole in its hint, by which the script sorts."""
    text = shown(value)
    whole = repr(value) if isinstance(value, float) else text
    hint = None if whole == text and len(text) <= longest else cut(whole, LONGEST_HINT)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        class_ = "number"
    return tag("td", cut(text, longest), class_=class_, title=hint)
