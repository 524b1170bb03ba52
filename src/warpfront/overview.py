"""Where a search stands: in one line, and as a small table for a notebook."""

from __future__ import annotations

from typing import get_args

from warpfront.history import History
from warpfront.notebook import card, config_rows, value_text
from warpfront.trial import State, Trial


def best_of(history: History) -> Trial | None:
    """The best feasible trial; None without one, and where there are several objectives.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> best_of(History(Space(x=Real(0, 1)))) is None
    True
    """
    return history.best if history.feasible and len(history.problem.objectives) == 1 else None


def standing(history: History) -> str:
    """The best trial, the size of the front, or why there is neither, in a few words.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1)))
    >>> standing(history)
    'no success yet'
    >>> standing(history.tell([(None, {"x": 0.5}, 1.25)]))
    'best 1.25 (trial 0)'
    """
    if not history.completed:
        return "no success yet"
    if not history.feasible:
        return "none feasible yet"
    best = best_of(history)
    if best is None:
        return f"front of {len(history.front)}"
    return f"best {value_text(best.value)} (trial {best.number})"


def describe(history: History) -> str:
    """One line: the best value so far and the number of failures.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1)))
    >>> describe(history.tell([(None, {"x": 0.5}, 1.25), (None, {"x": 0.1}, None)]))
    'best 1.25 (trial 0), 1 failed'
    """
    failed = len(history.of_state("failed"))
    return standing(history) + (f", {failed} failed" if failed else "")


def counts(history: History) -> str:
    """How many trials there are, and in which states where not all have completed.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> _ = optimizer.ask(2)
    >>> counts(optimizer.history)
    '2 trials (2 pending)'
    """
    total = f"{len(history)} trial{'s' if len(history) != 1 else ''}"
    if len(history.completed) == len(history):
        return total
    numbers = {state: len(history.of_state(state)) for state in get_args(State)}
    return f"{total} ({', '.join(f'{n} {state}' for state, n in numbers.items() if n)})"


def overview_card(heading: str, history: History, stopped: str = "") -> str:
    """The best trial, how many there are, and why the run ended, as HTML.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).tell([(None, {"x": 0.5}, 1.25)])
    >>> "best (trial 0)" in overview_card("Result", history)
    True
    """
    notes = [counts(history)]
    if stopped:
        notes.append(f"stopped by: {stopped}")
    best = best_of(history)
    if best is None:
        return card(heading, [*notes, standing(history)], [])
    outcomes = [(name, value_text(value)) for name, value in best.outcomes.items()]
    first = [(f"best (trial {best.number})", outcomes[0][1]), *outcomes[1:]]
    return card(heading, notes, [*first, *config_rows(best.config)])
